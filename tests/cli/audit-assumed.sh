# The verdict hangs on what was assumed, and says so.
rocaudit --runtime 10.0 --gpu gfx90a --format json good-xnack-on.so | grep assum
echo
rocaudit --runtime 10.0 --gpu gfx90a:xnack+ good-xnack-on.so
