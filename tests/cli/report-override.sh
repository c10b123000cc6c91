# A variable left over from another card.
kfd=$(dirname "$0")/../../fixtures/kfd
HSA_OVERRIDE_GFX_VERSION=10.3.0 rocaudit --runtime 6.4 --sysfs "$kfd/mi210-x2" \
    good-two-targets.so
