rocaudit --runtime 10.0 --gpu gfx1031 good-two-targets.so
