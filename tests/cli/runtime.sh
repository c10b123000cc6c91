# Where the release comes from.
mkdir -p "$OUT/torch/lib" "$OUT/rocm/.info"
cp good-two-targets.so "$OUT/torch/lib/libtorch_hip.so"
echo 6.4.1-83 >"$OUT/rocm/.info/version"
echo >"$OUT/torch/lib/libamdhip64.so.6.2.60204"
cd "$OUT" || exit
rocaudit --gpu gfx90a torch | head -n 3
rocaudit --gpu gfx90a --rocm rocm torch | head -n 3
rocaudit --gpu gfx90a --runtime 7.0 --rocm rocm torch | head -n 3
rocaudit --gpu gfx1031 --runtime 6.4 --compat debian torch | head -n 8
rocaudit --gpu gfx90a --runtime six torch
echo "exit $?"
