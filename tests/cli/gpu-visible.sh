# Hidden GPUs are shown, and not judged.
kfd=$(dirname "$0")/../../fixtures/kfd
ROCR_VISIBLE_DEVICES=1 rocaudit gpu --runtime 7.0 --sysfs "$kfd/apu-dgpu-mixed"
HIP_VISIBLE_DEVICES=0 rocaudit --runtime 7.0 --sysfs "$kfd/mi210-rx7900-mixed" \
    good-two-targets.so
