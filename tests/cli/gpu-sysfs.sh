kfd=$(dirname "$0")/../../fixtures/kfd
for machine in mi300x-spx-x2 apu-dgpu-mixed gfx906-radeonvii-sramecc-off strix-halo; do
    rocaudit gpu --runtime 10.0 --sysfs "$kfd/$machine"
    echo "exit $?"
done
rocaudit gpu --runtime 10.0 --gpu gfx906
