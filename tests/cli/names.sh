# Whatever a file is called, its name harms no terminal; JSON has the bytes.
rocaudit ls odd-names
rocaudit ls --format json odd-names | grep '"path'
cp good-gfx90a.co "$OUT/-1"
cd "$OUT" && rocaudit ls -- -1
