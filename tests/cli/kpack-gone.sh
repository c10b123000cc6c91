# The library was copied without its archives, or loaded by a link that leads away.
mkdir -p "$OUT/odd/lib" "$OUT/odd/.kpack" "$OUT/odd/devel/lib"
cp odd-hipk.so "$OUT/odd/lib/libodd.so"
cp good-archive.kpack "$OUT/odd/.kpack/odd_lib_gfx90a.kpack"
ln -s ../../lib/libodd.so "$OUT/odd/devel/lib/libodd.so"
cd "$OUT" || exit
rocaudit --runtime 10.1 --gpu gfx90a odd
echo "exit $?"
ROCM_KPACK_DISABLE=1 rocaudit --runtime 10.1 --gpu gfx90a odd/lib/libodd.so
echo "exit $?"
rocaudit --runtime 10.1 --gpu gfx90a odd/devel/lib/libodd.so
