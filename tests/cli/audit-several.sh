# Two of three GPUs fail, for different reasons.
rocaudit --gpu gfx90a --gpu gfx1030 --gpu gfx1100 good-two-targets.so good-partial.so \
    good-xnack-on.so
