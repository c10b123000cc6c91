rocaudit --runtime 10.0 --format jsonl --gpu gfx1030 good-partial.so good-host-only.so
