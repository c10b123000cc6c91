# Stripped of its section headers, which no runtime needs.
rocaudit --runtime 7.0 --gpu gfx1100 odd-no-sections.so
