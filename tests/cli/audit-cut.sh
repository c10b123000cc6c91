# A code object that ends too soon is undecided, and not one of another system.
for size in 48 200 600 1000; do
    head -c $size good-gfx90a.co >"$OUT/cut-$size.co"
    rocaudit --runtime 7.1 --gpu gfx90a "$OUT/cut-$size.co" | sed "s|$OUT/||" |
        grep -E 'FAILS|code-bad|exit'
done
