# What nobody wants in it is an error, though all that is required is there.
rocaudit check --runtime 7.1 --require gfx90a --forbid gfx803,gfx1100 good-partial.so -q
echo "exit $?"
rocaudit check --runtime 7.1 --require gfx90a --forbid gfx1030 good-partial.so
