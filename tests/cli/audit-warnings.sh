rocaudit --runtime 10.0 --gpu gfx1150 good-arch-guard-stub.so
for options in --strict --fail-on=warning --fail-on=error; do
    rocaudit --runtime 10.0 --gpu gfx1150 $options -q good-arch-guard-stub.so
    echo "$options: exit $?"
done
rocaudit --runtime 10.0 --gpu gfx942 --fail-on never -q good-arch-guard-stub.so
echo "--fail-on never: exit $?"
