# The verdict hangs on what was assumed, and says so.
rocaudit --gpu gfx90a --format json good-xnack-on.so | grep assum
echo
rocaudit --gpu gfx90a:xnack+ good-xnack-on.so
