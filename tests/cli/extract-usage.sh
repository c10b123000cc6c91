# Each is exit status 3, with one sentence on standard error.
try() {
    rocaudit extract "$@" 2>&1 >/dev/null | head -n 1
    rocaudit extract "$@" >/dev/null 2>&1
    echo "exit $?"
}
try good-gfx90a.co
try -o "$OUT/out"
try -o "$OUT/out" --target gfx90b good-gfx90a.co
try -o "$OUT/out" --target gfx11-genric good-gfx90a.co
try -o "$OUT/out" --target nonsense good-gfx90a.co
try -o "$OUT/out" --gpu gfx90a good-gfx90a.co
rocaudit ls -o "$OUT/out" good-gfx90a.co 2>&1
ls -A "$OUT"
