# An editable install: told of, followed where that is asked for, and verified.
cd "$OUT" || exit 1
mkdir -p env/site-packages/foo-1.dist-info work/foo
printf 'Metadata-Version: 2.1\nName: foo\nVersion: 1\n' \
    >env/site-packages/foo-1.dist-info/METADATA
echo ../../work >env/site-packages/__editable__.foo-1.pth
cp "$FX/good-two-targets.so" work/foo/_C.so
cp "$FX/good-two-targets.so" env/site-packages/bar.so
rocaudit --runtime 7.0 --gpu gfx90a env
rocaudit --runtime 7.0 --gpu gfx90a --follow-editable env
mkdir env/site-packages/bar-2.dist-info
printf 'Metadata-Version: 2.1\nName: bar\nVersion: 2\n' \
    >env/site-packages/bar-2.dist-info/METADATA
echo "bar.so,sha256=$(sha256sum <env/site-packages/bar.so | cut -d' ' -f1),1" \
    >env/site-packages/bar-2.dist-info/RECORD
rocaudit --runtime 7.0 --gpu gfx90a --verify env/site-packages/bar.so
echo >>env/site-packages/bar.so
rocaudit --runtime 7.0 --gpu gfx90a --verify --strict env/site-packages
