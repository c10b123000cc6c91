rocaudit --runtime 10.0 --gpu gfx90a odd-nobits.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a bad-truncated.fb good-two-targets.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a --allow-incomplete bad-truncated.fb good-two-targets.so
