rocaudit --runtime 10.0 --format json --gpu gfx1030 --gpu gfx90a good-partial.so bad-count.fb
