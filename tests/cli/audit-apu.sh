# An APU behind a discrete GPU that is served counts only with --all-gpus.
kfd=$(dirname "$0")/../../fixtures/kfd
for options in --color=never --all-gpus; do
    rocaudit --runtime 10.0 --sysfs "$kfd/apu-dgpu-rx7900-raphael" --format json $options \
        good-generic-and-native.so | grep -E '"(verdict|severity|exit)":'
done
