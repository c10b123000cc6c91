#!/bin/sh
# Each seed through its fuzz target: replay.sh PROGRAM-FOLDER SEED-FOLDER
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=replay
programs=$1
seeds=$2
. tests/tally.sh
export ASAN_OPTIONS=print_legend=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() { # program seed...
    if timeout 300 "$@" >"$log" 2>&1; then
        passed=$((passed + $# - 1))
    else
        tail -n 60 "$log"
        fail "$(basename "$1")"
    fi
}

for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_}
    name=${name%.c}
    # File names hold no blanks: mkseeds chose them.
    files=$(find "$seeds/$name" -type f 2>/dev/null | sort)
    if [ -z "$files" ]; then
        fail "$name" "there is no seed in $seeds/$name"
    else
        # shellcheck disable=SC2086
        run "$programs/$name" $files
    fi
done
for folder in "$seeds"/*/; do
    name=$(basename "$folder")
    [ -f "tests/fuzz/fuzz_$name.c" ] || fail "$name" "seeds for no fuzz target"
done
tally
