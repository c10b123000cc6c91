# What cannot be read of an archive is undecided; what is whole is judged all the same.
cd "$OUT" || exit
cp "$FX/good-two-targets.so" lib.so
tar -cf a.tar lib.so
head -c 9000 a.tar >cut.tar
rocaudit --runtime 7.1 --gpu gfx90a cut.tar
echo "exit $?"
echo '<html>' >foo-1-py3-none-any.whl
rocaudit --runtime 7.1 --gpu gfx90a foo-1-py3-none-any.whl lib.so
