# One translation unit was built for fewer GPUs than the other.
rocaudit --runtime 7.0 --gpu gfx1030 good-partial.so
