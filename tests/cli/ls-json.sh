rocaudit ls --format json --kernels good-arch-guard-stub.so
