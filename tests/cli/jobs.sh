# Any number of threads gives the same answer, but for the time it took.
for format in text json jsonl; do
    for jobs in 1 2 8; do
        rocaudit --runtime 10.0 --gpu gfx90a --gpu gfx1030 --format $format -j $jobs good-* bad-* \
            >"$OUT/answer"
        echo "$format, $jobs jobs: exit $?"
        sed 's/, [0-9]*\.[0-9] s:/:/' "$OUT/answer" >"$OUT/$format-$jobs"
        cmp "$OUT/$format-$jobs" "$OUT/$format-1"
    done
done
