rocaudit --runtime 10.0 --gpu gfx90a:sramecc+:xnack- good-two-targets.so
echo "exit $?"
rocaudit audit --runtime 10.0 --gpu gfx1103 good-generic-only.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx1100 odd-spirv.so
