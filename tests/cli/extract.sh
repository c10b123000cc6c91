# Code objects come out with their bytes; a second time nothing changes.
cd "$OUT" && cp "$FX/good-two-bundles-ccob-v2-v3.so" lib.so && cp "$FX/good-gfx90a.co" k.co
rocaudit extract -o out lib.so k.co
cmp out/k.co k.co
rocaudit extract -o out lib.so k.co
echo "exit $?"
rocaudit extract --directory=out --verify --target gfx1030 -v lib.so
ls out
