# A library, a bundle by itself, code objects by themselves, and what is odd about some.
rocaudit ls good-two-targets.so good-two-bundles-ccob-v2-v3.so good-gfx90a.co \
    odd-mislabelled.so odd-empty-entry.so
