rocaudit --format jsonl --gpu gfx1030 good-partial.so good-host-only.so
