rocaudit -v --runtime 10.0 --gpu gfx90a good-two-targets.so good-host-only.so odd-mislabelled.so
