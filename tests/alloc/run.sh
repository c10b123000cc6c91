#!/bin/bash
# What the program says when memory is short: alloc/run.sh BUILD-FOLDER
#
# Each case is a whole run of the program, done once for each of its allocations, which
# fails. It has to end in the whole answer or in "out of memory", and never in another
# answer. A piece of an arena counts as an allocation (arena.c). With sanitizers, in
# BUILD-FOLDER/san, a sample of the same also shows what is lost or used in error.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=alloc
build=$(cd "$1" && pwd)
. tests/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ROCM_PATH HSA_OVERRIDE_GFX_VERSION HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
export ASAN_OPTIONS=exitcode=99:verify_asan_link_order=0:allocator_may_return_null=1
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
# The C library loses a few bytes of its own where it cannot load a locale.
echo leak:_nl_normalize_codeset >"$work/lost"
export LSAN_OPTIONS=exitcode=99:print_suppressions=0:suppressions=$work/lost

# A package of each kind of thing there is to read, damaged ones too.
make_inputs() {
    local fx=$build/fx name

    mkdir -p "$work/tree/foo" "$work/tree/foo-1.5.dist-info" "$work/tree/odd/lib" \
        "$work/tree/odd/.kpack" "$work/tree/opt/rocm/.info"
    for name in good-two-bundles-ccob-v2-v3.so good-kernels-gfx90a.co good-partial.so \
        good-cuda-only.so good-object.o bad-ccob-flipped.fb bad-metadata-count.co \
        bad-entry-outside.so odd-packed.fb odd-mislabelled.so odd-llvm-offloading.so; do
        cp "$fx/$name" "$work/tree/foo" || return
    done
    ln -s good-partial.so "$work/tree/foo/libpartial.so"
    cp "$fx/odd-hipk.so" "$work/tree/odd/lib/libodd.so"
    cp "$fx/good-archive.kpack" "$work/tree/odd/.kpack/odd_lib_gfx90a.kpack"
    echo 7.1.0 >"$work/tree/opt/rocm/.info/version"
    printf 'Metadata-Version: 2.1\nName: foo\nVersion: 1.5\n' \
        >"$work/tree/foo-1.5.dist-info/METADATA"
    printf 'foo/good-partial.so,,\nfoo/good-kernels-gfx90a.co,,\nfoo/gone.so,,\n' \
        >"$work/tree/foo-1.5.dist-info/RECORD"
    mkdir "$work/wheel"
    cp -r "$work/tree/foo-1.5.dist-info" "$work/wheel"
    mkdir "$work/wheel/foo"
    cp "$work/tree/foo/good-partial.so" "$work/tree/foo/good-kernels-gfx90a.co" \
        "$fx/good-ccob-v3-zstd.fb" "$work/wheel/foo"
    (cd "$work/wheel" && python3 -m zipfile -c ../foo-1.5-py3-none-any.whl ./*) || return
    tar -C "$work" --zstd -cf "$work/foo.tar.zst" wheel || return
    tar -C "$work" --xz -cf "$work/foo.tar.xz" wheel || return
    cp "$work/foo-1.5-py3-none-any.whl" "$work/tree"
}

# sweep NAME FOLDER [VARIABLE=VALUE...] ARGUMENT...: one case.
sweep() {
    local name=$1 folder=$2 settings=()

    shift 2
    while [[ $1 = SWEEP_* ]]; do
        settings+=("$1")
        shift
    done
    if (cd "$work" && env "${settings[@]}" LD_PRELOAD="$build/sweep.so" \
        "$folder/denied" "$@") >"$work/log" 2>&1; then
        pass
    else
        head -c 20000 "$work/log"
        fail "$name"
    fi
    echo "$name: $(tail -n 1 "$work/log")"
}

cases() { # NAME FOLDER [VARIABLE=VALUE...]
    local name=$1 folder=$2

    shift 2
    sweep "$name audit" "$folder" "$@" --gpu gfx90a --gpu gfx1100 --format json -j1 tree
    sweep "$name ls" "$folder" "$@" ls --kernels --format json -j1 \
        tree/foo/good-two-bundles-ccob-v2-v3.so foo.tar.zst
    sweep "$name check" "$folder" "$@" check --require gfx90a --require gfx1100 -j1 \
        foo-1.5-py3-none-any.whl
}

if make_inputs; then
    cases "each" "$build"
    cases "each and all that follow" "$build" SWEEP_ALL=1 SWEEP_STEP=7
    sweep "three threads" "$build" SWEEP_STEP=5 --gpu gfx90a --format json -j3 tree
    sweep "text" "$build" SWEEP_STEP=3 --gpu gfx90a -j1 -v tree
    # Where libarchive 3.6 cannot make its xz decoder, it closes what it did not open.
    sweep "xz" "$build" SWEEP_CRASHES=3 --gpu gfx90a -j1 foo.tar.xz
    cases "sanitized" "$build/san" SWEEP_STEP=13
    sweep "sanitized threads" "$build/san" SWEEP_STEP=61 --gpu gfx90a -j3 tree
else
    fail "inputs"
fi
tally
