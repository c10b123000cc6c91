# What the tools of another machine said.
library=$PWD/good-two-targets.so
cd "$(dirname "$0")/../../fixtures/tool-output" || exit
for output in rocminfo-mi300x rocm-smi-showhw-old amdgpu-arch rocminfo-no-permission \
    torch-arch-list; do
    rocaudit gpu --runtime 7.0 --gpu-from "$output.txt"
    echo "exit $?"
done
rocaudit --runtime 7.0 --gpu-from - -q "$library" \
    <amd-smi-static-asic-old-mi210-bug.json
rocaudit gpu --runtime 7.0 --gpu-from no-such-file
echo "exit $?"
