# A cache is keyed by 9.0, which is gfx900, gfx906, gfx908 and gfx90a.
mkdir -p "$OUT/kernels"
cp good-gfx906-sramecc-on-xnack-off.co "$OUT/kernels/cached_kernel.co"
cd "$OUT" && rocaudit --runtime 6.2 --gpu gfx908 kernels
