# An error in one, a warning in the other.
rocaudit --gpu gfx1030 good-partial.so
echo "exit $?"
rocaudit --gpu gfx1100 good-partial-on-purpose.so
