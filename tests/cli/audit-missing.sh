rocaudit --gpu gfx1031 good-two-targets.so
