# One library that serves all that is required, and one that does in part.
rocaudit check --runtime 7.1 --require 'gfx1030;gfx90a' good-two-targets.so
echo "exit $?"
rocaudit check --runtime 7.1 --require gfx90a good-partial.so -q
echo "exit $?"
rocaudit check --runtime 7.1 --require gfx1030,gfx90a good-partial.so good-two-targets.so
