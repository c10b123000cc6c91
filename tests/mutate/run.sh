#!/bin/bash
# Real files of every kind, changed a little, through the whole library under sanitizers.
#
# mutate/run.sh BUILD-FOLDER      COUNT= of versions a file (150), SEED= (1)
#
# What fails is kept in BUILD-FOLDER/mutate/failed.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=mutate
build=$(cd "$1" && pwd)
. tests/tally.sh
kit=$PWD/tests/kit/mk.sh
in=$build/mutate/in
kept=$build/mutate/failed
export ASAN_OPTIONS=exitcode=99:quarantine_size_mb=8:allocator_may_return_null=1
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 LSAN_OPTIONS=exitcode=99

# A wheel, a conda package, a .deb, a library and what is in none of them.
make_archives() { # in the folder of inputs
    mkdir -p pack/foo pack/foo-1.5.dist-info pack/info
    cp partial.so rich.so pack/foo
    printf 'Metadata-Version: 2.1\nName: foo\nVersion: 1.5\n' \
        >pack/foo-1.5.dist-info/METADATA
    printf 'foo/partial.so,,\nfoo/rich.so,,\n' >pack/foo-1.5.dist-info/RECORD
    echo '{"name": "foo", "version": "1.5", "build": "0"}' >pack/info/index.json
    (cd pack && python3 -m zipfile -c ../foo-1.5-py3-none-any.whl foo foo-1.5.dist-info)
    tar -C pack --zstd -cf foo.tar.zst foo
    tar -C pack --zstd -cf pkg-foo-1.5-0.tar.zst foo
    tar -C pack --zstd -cf info-foo-1.5-0.tar.zst info
    echo '{"conda_pkg_format_version": 2}' >metadata.json
    python3 -m zipfile -c foo-1.5-0.conda metadata.json pkg-foo-1.5-0.tar.zst \
        info-foo-1.5-0.tar.zst
    tar -C pack -cJf data.tar.xz foo
    echo 2.0 >debian-binary
    printf 'Package: foo\nVersion: 1.5\nArchitecture: amd64\n' >control
    tar -czf control.tar.gz control
    ar rc foo_1.5_amd64.deb debian-binary control.tar.gz data.tar.xz
    ar rc libfoo.a good-object.o odd-rdc.o
}

make_inputs() {
    rm -rf "$in" "$kept"
    mkdir -p "$in/odd/lib" "$in/odd/.kpack" "$kept"
    "$kit" "$in" "$build" >"$build/mutate/kit.log" 2>&1 || return
    cd "$in" || return
    cp "$build"/fx/good-ccob-v1-zlib.fb "$build"/fx/good-ccob-v3-zstd.fb \
        "$build"/fx/good-two-bundles-ccob-v2-v3.so "$build"/fx/good-object.o \
        "$build"/fx/odd-rdc.o "$build"/fx/odd-v2-object.co "$build"/fx/good-no-sections.co \
        "$build"/fx/odd-llvm-offloading.so "$build"/fx/good-host-x86-64-v3.so . || return
    cp "$build/fx/odd-hipk.so" odd/lib/libodd.so
    cp "$build/fx/good-archive.kpack" odd/.kpack/odd_lib_gfx90a.kpack
    make_archives
}

inputs=(plain.so partial.so rich.so generic.so xnack_both.so concat_ccob.so magic.fb
    co_gfx90a.co co_gfx9-4-generic.co opencl.co ccob_as.hsaco good-ccob-v1-zlib.fb
    good-ccob-v3-zstd.fb good-two-bundles-ccob-v2-v3.so good-object.o odd-v2-object.co
    good-no-sections.co odd-llvm-offloading.so good-host-x86-64-v3.so
    foo-1.5-py3-none-any.whl foo.tar.zst foo-1.5-0.conda foo_1.5_amd64.deb libfoo.a
    odd=odd/lib/libodd.so odd=odd/.kpack/odd_lib_gfx90a.kpack)

if ! command -v clang-22 >/dev/null; then
    skip all "no clang-22"
elif ! (make_inputs); then
    tail -n 20 "$build/mutate/kit.log"
    fail "inputs"
else
    cd "$in" || exit 1
    for input in "${inputs[@]}"; do
        if "$build/san/mutate/mutate" "${COUNT:-150}" "${SEED:-1}" "$kept" "$input" \
            >"$build/mutate/log" 2>&1; then
            pass
        else
            head -c 20000 "$build/mutate/log"
            fail "$input"
        fi
        echo "${input##*=}: $(tail -n 1 "$build/mutate/log")"
    done
fi
tally
