# The GPU is in no bundle: a laptop's gfx1152, a build for two others.
rocaudit --runtime 7.0 --gpu gfx1152 good-two-targets.so
