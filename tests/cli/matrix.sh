# Files and targets: 1/2 where a bundle leaves a target out.
rocaudit ls --matrix good-partial.so good-two-targets.so good-generic-and-native.so \
    good-xnack-both.so odd-spirv.so
rocaudit --matrix --runtime 7.0 --gpu gfx90a good-partial.so good-two-targets.so
