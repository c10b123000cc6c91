# A library whose code is in archives: whole for one GPU, none for another.
mkdir -p "$OUT/odd/lib" "$OUT/odd/.kpack"
cp odd-hipk.so "$OUT/odd/lib/libodd.so"
cp good-archive.kpack "$OUT/odd/.kpack/odd_lib_gfx90a.kpack"
cd "$OUT" || exit
rocaudit --runtime 10.1 --gpu gfx90a odd
echo "exit $?"
rocaudit --runtime 10.1 --gpu gfx1100 odd
echo "exit $?"
rocaudit ls odd
