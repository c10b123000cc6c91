# The graphics of the CPU come first, and nothing is built for them.
kfd=$(dirname "$0")/../../fixtures/kfd
mkdir -p "$OUT/nodes"
cp -r "$kfd/apu-dgpu-rx7900-raphael/nodes/0" "$OUT/nodes/0"
cp -r "$kfd/apu-dgpu-rx7900-raphael/nodes/2" "$OUT/nodes/1"
cp -r "$kfd/apu-dgpu-rx7900-raphael/nodes/1" "$OUT/nodes/2"
rocaudit --runtime 7.0 --sysfs "$OUT" good-generic-and-native.so
