# A byte of a compressed bundle flipped on its way.
rocaudit --runtime 7.1 --gpu gfx1030 bad-ccob-flipped.fb
