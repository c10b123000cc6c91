# An environment of split packages in which much is amiss, and what is well beside it.
cd "$OUT" || exit 1
package() { # name version files: as pip leaves it
    mkdir "site-packages/$1-$2.dist-info"
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$1" "$2" \
        >"site-packages/$1-$2.dist-info/METADATA"
    for file in $3; do
        mkdir -p "site-packages/$(dirname "$file")"
        [ -e "site-packages/$file" ] || echo content >"site-packages/$file"
        echo "$file,,"
    done >"site-packages/$1-$2.dist-info/RECORD"
}
mkdir site-packages
package torch 2.12.0+rocm10.0 torch/version.py
package amd-torch-device-gfx115x 2.13.0+rocm10.0 torch/.kpack/family
package amd-torch-device-gfx942 0.0.1.dev0 ''
package triton 3.5.0 triton/compiler.py
package bitsandbytes 0.50.2 bitsandbytes/__init__.py
cp "$FX/good-two-targets.so" site-packages/bitsandbytes/libbitsandbytes_rocm64.so
echo bitsandbytes/libbitsandbytes_rocm64.so,, >>site-packages/bitsandbytes-0.50.2.dist-info/RECORD
: >site-packages/torch/libempty.so
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n' \
    >site-packages/torch/kernels.hsaco
rocaudit --runtime 5.7 --gpu gfx1151 site-packages
echo "exit $?"
rocaudit --runtime 6.4 --gpu gfx1030 site-packages/bitsandbytes
echo "exit $?"
rocaudit --runtime 6.4 --gpu gfx1030 site-packages/triton-3.5.0.dist-info
echo "exit $?"
