# Any number of threads gives the same answer, and the same files.
for format in text json jsonl; do
    for jobs in 1 2 8; do
        rocaudit extract -o "$OUT/out" --format $format -j $jobs good-* bad-* \
            >"$OUT/$format-$jobs"
        echo "$format, $jobs jobs: exit $?"
        cmp "$OUT/$format-$jobs" "$OUT/$format-1"
        (cd "$OUT/out" && md5sum -- *) >"$OUT/sums"
        [ -f "$OUT/first" ] || cp "$OUT/sums" "$OUT/first"
        cmp "$OUT/sums" "$OUT/first"
        rm -r "$OUT/out"
    done
done
