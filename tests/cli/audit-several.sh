# Two of three GPUs fail, for different reasons.
rocaudit --runtime 10.0 --gpu gfx90a --gpu gfx1030 --gpu gfx1100 good-two-targets.so good-partial.so \
    good-xnack-on.so
