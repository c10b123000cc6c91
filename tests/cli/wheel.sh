# A wheel is opened and named before each of its members; a record tells whose they are.
mkdir -p "$OUT/foo" "$OUT/foo-1.5.dist-info"
cp good-two-targets.so "$OUT/foo/_C.so"
cp good-gfx90a.co "$OUT/foo/k.co"
printf 'Metadata-Version: 2.1\nName: foo\nVersion: 1.5\n' >"$OUT/foo-1.5.dist-info/METADATA"
printf 'foo/_C.so,,\nfoo/k.co,,\nfoo-1.5.dist-info/METADATA,,\nfoo-1.5.dist-info/RECORD,,\n' \
    >"$OUT/foo-1.5.dist-info/RECORD"
cd "$OUT" && python3 -m zipfile -c foo-1.5-py3-none-any.whl foo foo-1.5.dist-info
rocaudit --runtime 7.1 --gpu gfx1100 foo-1.5-py3-none-any.whl
echo "exit $?"
rocaudit --runtime 7.1 --gpu gfx90a foo-1.5-py3-none-any.whl
echo "exit $?"
rocaudit ls foo-1.5-py3-none-any.whl
