#!/bin/sh
# Times rocaudit against what people use today, in the same run: medians of seven turns,
# ratios, largest resident memory; and against itself, with more to do. Prints what the
# numbers are of, judges nothing, and is never part of a check.
set -eu

lib=/usr/lib/x86_64-linux-gnu/librocsparse.so.0.1
runs=${RUNS:-7}
work=$(mktemp -d "${TMPDIR:-/tmp}/rocaudit-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
program=$B/rocaudit

cc -O2 -o "$work/measure" tests/bench/measure.c
cc -O2 -D_GNU_SOURCE -o "$work/mkframes" tests/bench/mkframes.c -lzstd -lmd

# heading; then lines of label, seconds, KiB on stdin: each with its ratio to the first
table() {
    echo
    echo "$1"
    awk -F '\t' '
        NR == 1 { base = $2 }
        { printf "  %-34s %8.3f s  %6.2f x  %8.1f MiB\n", $1, $2, $2 / base, $3 / 1024 }'
}

have() { command -v "$1" >/dev/null 2>&1; }

echo "$(date +%F), $(nproc) processors, $runs turns, median wall clock, x: against the first"
"$program" --version | head -n 1
if [ -r "$lib" ]; then
    set -- 'rocaudit ls' "$program ls $lib >/dev/null" \
        'rocaudit ls -j1' "$program ls -j1 $lib >/dev/null" \
        'rocaudit --gpu gfx90a' "$program --gpu gfx90a $lib >/dev/null"
    if have llvm-readobj-22; then
        set -- "$@" 'llvm-readobj-22 --offloading' \
            "llvm-readobj-22 --offloading $lib >/dev/null"
    fi
    if have roc-obj-ls; then
        set -- "$@" 'roc-obj-ls' "roc-obj-ls $lib >/dev/null"
    fi
    "$work/measure" "$runs" "$@" | table "list librocsparse (1.31 GB, 777 code objects)"

    "$work/mkframes" "$lib" "$work/all.ccob" "$work/all.zst"
    "$work/measure" "$runs" \
        'zstd -dc --no-asyncio' "zstd -dc --no-asyncio $work/all.zst >/dev/null" \
        'rocaudit ls -j1' "$program ls -j1 $work/all.ccob >/dev/null" \
        'rocaudit ls -j2' "$program ls -j2 $work/all.ccob >/dev/null" |
        table "the same bundles as CCOB v3, windows up to 32 MiB"
else
    echo "no $lib: install librocsparse0 for the first two tables"
fi

# Against the bytes alone, all of them decoded once.
wheel() { # heading file
    "$work/measure" "$runs" \
        'bsdtar -xO' "bsdtar -xOf $2 >/dev/null" \
        'rocaudit -j1' "$program --gpu gfx90a -j1 $2 >/dev/null || true" \
        'rocaudit -j2' "$program --gpu gfx90a -j2 $2 >/dev/null || true" |
        table "$1"
}

# The same library six times: each is decoded for itself.
make_wheel() { # library file
    mkdir "$work/wheel"
    for number in 1 2 3 4 5 6; do
        ln -s "$1" "$work/wheel/lib$number.so"
    done
    (cd "$work/wheel" && bsdtar -L --format zip -cf "$2" ./*.so)
}

rand=/usr/lib/x86_64-linux-gnu/librocrand.so.1
if have bsdtar && [ -r "$rand" ]; then
    make_wheel "$rand" "$work/six-1-py3-none-any.whl"
    wheel "a wheel with librocrand six times" "$work/six-1-py3-none-any.whl"
    for name in bitsandbytes cupy_rocm_7_0 cyllama_rocm; do
        for file in "$HOME/.cache/rocaudit/wheels/$name"-*.whl; do
            [ ! -r "$file" ] || wheel "$(basename "$file")" "$file"
        done
    done
else
    echo "no bsdtar, or no $rand: install libarchive-tools and librocrand1 for wheels"
fi

mkdir "$work/tree"
for folder in $(seq 500); do
    mkdir "$work/tree/$folder"
    for file in $(seq 100); do
        echo "# a file without device code, longer than the 64 bytes that head reads" \
            >"$work/tree/$folder/$file.py"
    done
done
"$work/measure" "$runs" \
    'find | xargs head -c 64' \
    "find $work/tree -type f -print0 | xargs -0 head -qc 64 >/dev/null" \
    'rocaudit -j1' "$program --gpu gfx90a -j1 $work/tree >/dev/null || true" \
    'rocaudit -j2' "$program --gpu gfx90a -j2 $work/tree >/dev/null || true" |
    table "50,000 files without device code"
rm -r "$work/tree"

tests/bench/growth.sh "$work"
