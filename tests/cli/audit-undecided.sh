rocaudit --runtime 10.0 --gpu gfx90a odd-rdc.o
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a bad-truncated.fb good-two-targets.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a --allow-incomplete bad-truncated.fb good-two-targets.so
