#!/bin/sh
# Thread tests, and the program on four threads, built with TSan.
#
# run.sh BUILD-FOLDER INPUT-FOLDER...
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=thread
build=$1
shift
. tests/tally.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TSAN_OPTIONS=exitcode=99

# TSan of gcc 12 does not start where the kernel places memory too randomly.
fixed() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

audit() { # jobs input...
    jobs=$1
    shift
    fixed "$build/rocaudit" --gpu gfx90a --format json -j "$jobs" "$@" >"$out/$jobs"
    status=$?
    [ $status -le 2 ] && [ -s "$out/$jobs" ]
}

found=false
for program in "$build"/thread/*; do
    [ -x "$program" ] || continue
    found=true
    if fixed timeout 300 "$program"; then pass; else fail "$(basename "$program")"; fi
done
$found || fail programs "there is none in $build/thread"
if audit 1 "$@"; then pass; else fail "-j1" "exit status $status"; fi
for round in 1 2 3 4; do
    if audit 4 "$@"; then pass; else fail "-j4" "round $round, exit status $status"; fi
    if cmp "$out/1" "$out/4"; then pass; else fail "-j4" "says other than -j1"; fi
done
tally
