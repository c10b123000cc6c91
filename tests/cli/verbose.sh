rocaudit -v --gpu gfx90a good-two-targets.so good-host-only.so odd-mislabelled.so
