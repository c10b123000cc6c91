# Nobody checks the digest at run time, so it takes an option to see this.
rocaudit --runtime 10.0 --gpu gfx90a -q odd-ccob-wrong-hash.fb
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a --verify odd-ccob-wrong-hash.fb
