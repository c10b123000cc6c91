# Nothing is written, not even the folder; without one the names alone are told.
cd "$OUT" && cp "$FX/good-xnack-both.so" lib.so
rocaudit extract --dry-run lib.so
rocaudit extract --dry-run -o out --target gfx90a:xnack- --format json lib.so
ls
