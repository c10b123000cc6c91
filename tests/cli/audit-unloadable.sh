rocaudit --runtime 10.0 --gpu gfx1010:xnack- odd-mislabelled.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx90a:xnack- odd-fixed-feature.so
echo "exit $?"
rocaudit --runtime 10.0 --gpu gfx1030 odd-not-linked.co
