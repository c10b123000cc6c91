# Files and links that are there are kept; a folder that takes nothing is told once.
cd "$OUT" && cp "$FX/good-two-targets.so" lib.so && mkdir out
echo mine >out/lib.so.0.1-gfx1030.co
ln -s ../victim out/lib.so.0.2-gfx90a.co
rocaudit extract -o out lib.so
echo "exit $?"
cat out/lib.so.0.1-gfx1030.co
ls
rocaudit extract -o no/such lib.so 2>&1
echo "exit $?"
# A limit on sizes fails writes as a full disk does.
(
    ulimit -f 1
    trap '' XFSZ
    rocaudit extract -o full lib.so 2>&1
    echo "exit $?"
) | cat
ls -A full
