# A gate that saw nothing lets nothing pass, unless that is allowed.
rocaudit check --runtime 7.1 --require gfx90a --allow-empty good-cuda-only.so -q
echo "exit $?"
rocaudit check --runtime 7.1 --require gfx90a bad-truncated.fb good-two-targets.so -q
echo "exit $?"
rocaudit check --runtime 7.1 --require gfx90a good-cuda-only.so -q
