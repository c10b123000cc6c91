# Whatever a file or a label is called, the names are harmless; without colons if wanted.
cd "$OUT" && cp -r "$FX/odd-names" in && cp "$FX/good-xnack-both.so" "$FX/odd-ids.fb" in
rocaudit extract -o out --no-colon in
echo "exit $?"
ls -A out
