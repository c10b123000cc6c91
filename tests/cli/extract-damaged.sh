# What can be read is written, what cannot is told, and the exit status is 2.
cd "$OUT" && cp "$FX/bad-noise-after-bundle.so" "$FX/odd-ccob-wrong-hash.fb" \
    "$FX/bad-entry-outside.fb" .
for file in bad-noise-after-bundle.so odd-ccob-wrong-hash.fb bad-entry-outside.fb; do
    rocaudit extract -o out $file
    echo "exit $?"
done
rocaudit extract -o out --format jsonl odd-ccob-wrong-hash.fb
ls -A out
