# What ends inside its first header is damaged, and not of no known format.
mkdir -p "$OUT/tree/lib" "$OUT/tree/.kpack"
head -c 14 odd-hipk.so >"$OUT/tree/lib/libodd.so"
head -c 3 good-archive.kpack >"$OUT/tree/.kpack/odd_lib_gfx90a.kpack"
cp good-two-targets.so "$OUT/tree/lib/libfits.so"
cd "$OUT" && rocaudit --runtime 10.1 --gpu gfx90a tree
