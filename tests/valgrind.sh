#!/bin/sh
# The program under valgrind over all generated inputs: valgrind.sh BUILD-FOLDER
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=valgrind
build=$1
. tests/tally.sh
out=$(mktemp)
log=$(mktemp)
trap 'rm -f "$out" "$log"' EXIT

# Nothing read before it was written, nothing lost, and something answered.
run() { # argument...
    valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=all \
        --errors-for-leak-kinds=all "$build/rocaudit" "$@" >"$out" 2>"$log"
    status=$?
    [ $status -le 2 ] && [ -s "$out" ] && return
    tail -n 60 "$log"
    return 1
}

check() { # argument...
    if run "$@"; then pass; else fail "rocaudit $*" "exit status $status"; fi
}

if command -v valgrind >/dev/null; then
    check --gpu gfx90a --verify -j1 "$build/fx"
    check --gpu gfx1151 --gpu gfx942:xnack+ --format json -j3 "$build/fx"
    check ls -v "$build/fx"
    check ls --kernels --format json "$build/fx"
    check ls -1 "$build/fx"
    check --help
else
    skip all "no valgrind"
fi
tally
