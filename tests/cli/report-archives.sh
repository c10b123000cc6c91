# The device code is in another package, which this release cannot use.
rocaudit --runtime 7.0 --gpu gfx1151 odd-hipk.so
