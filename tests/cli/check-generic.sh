# Code for a family serves its GPUs; that of one GPU is none for the family.
try() {
    rocaudit check --runtime "$@" -q
    echo "exit $?"
}
try 7.1 --require gfx11-generic,gfx1151 good-generic-only.so
try 7.1 --require gfx11-generic good-generic-and-native.so
try 7.1 --require gfx11-generic good-arch-guard-stub.so
try 6.2 --require gfx11-generic good-generic-only.so
