rocaudit --gpu gfx1010:xnack- odd-mislabelled.so
echo "exit $?"
rocaudit --gpu gfx90a:xnack- odd-fixed-feature.so
echo "exit $?"
rocaudit --gpu gfx1030 odd-not-linked.co
