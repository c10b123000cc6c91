# Further answers go into files, the one asked for to standard output.
rocaudit --runtime 10.0 --gpu gfx90a -q --output json="$OUT/a.json" --output text="$OUT/a.txt" good-gfx90a.co
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a --format json good-gfx90a.co | cmp - "$OUT/a.json"
head -n 1 "$OUT/a.txt"
