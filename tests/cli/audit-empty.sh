rocaudit --gpu gfx90a good-host-only.so good-cuda-only.so
echo "exit $?"
rocaudit --gpu gfx90a --allow-empty good-host-only.so
echo "exit $?"
rocaudit --gpu gfx90a no-such-file
