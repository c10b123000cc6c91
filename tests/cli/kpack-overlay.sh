# An archive for one mode of the GPU comes first and lacks the code of a wrapper.
mkdir -p "$OUT/odd/lib" "$OUT/odd/.kpack"
cp odd-hipk.so "$OUT/odd/lib/libodd.so"
cp good-archive.kpack "$OUT/odd/.kpack/odd_lib_gfx90a.kpack"
cp good-overlay.kpack "$OUT/odd/.kpack/odd_lib_gfx90a:xnack-.kpack"
cd "$OUT" || exit
rocaudit --runtime 10.1 --gpu gfx90a:sramecc+:xnack- odd
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a:sramecc+:xnack- odd -q
echo "exit $?"
rocaudit --runtime 7.14 --gpu gfx90a:sramecc+:xnack- odd
