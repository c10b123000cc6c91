# An error in one, a warning in the other.
rocaudit --runtime 10.0 --gpu gfx1030 good-partial.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx1100 good-partial-on-purpose.so
