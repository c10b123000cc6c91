# What HSA_OVERRIDE_GFX_VERSION makes of three machines.
kfd=$(dirname "$0")/../../fixtures/kfd
mkdir -p "$OUT/gfx1150/nodes/0" "$OUT/gfx1150/nodes/1"
printf 'cpu_cores_count 16\nsimd_count 0\n' >"$OUT/gfx1150/nodes/0/properties"
printf 'cpu_cores_count 0\nsimd_count 32\ngfx_target_version 110500\n' \
    >"$OUT/gfx1150/nodes/1/properties"
for machine in "$kfd/mi210-x2" "$kfd/apu-dgpu-rx7900-raphael" "$OUT/gfx1150"; do
    for version in 10.3.0 11.0.0 11.5.1 garbage; do
        HSA_OVERRIDE_GFX_VERSION=$version rocaudit --runtime 7.0 --sysfs "$machine" \
            --format json good-generic-and-native.so >"$OUT/answer"
        echo "${machine##*/} $version: exit $?"
        grep -E '"(override|verdict|rule)":' "$OUT/answer" |
            sed -E 's/.*"target": "([^"]*)".*"hardware": "?([^",]*)"?.*/  \2 -> \1/
                s/.*"verdict": "([^"]*)".*"block": "([^"]*)".*/  \1, \2/
                s/.*"rule": "([^"]*)".*/  \1/'
    done
done
