# Built by a compiler that is newer than the runtime.
rocaudit --runtime 6.2 --gpu gfx90a good-two-targets.so
