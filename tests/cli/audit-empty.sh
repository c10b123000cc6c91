rocaudit --runtime 10.0 --gpu gfx90a good-host-only.so good-cuda-only.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a --allow-empty good-host-only.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a no-such-file
