#!/bin/sh
# Fuzzes each target, one after the other: run.sh BUILD-FOLDER SECONDS [NAME]
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=fuzz
build=$1
seconds=$2
only=${3-}
. tests/tally.sh

fuzz() { # name
    corpus=$build/corpus/$1
    mkdir -p "$corpus" "$build/seeds/$1"
    "$build/fuzz/fuzzer/$1" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/corpus/$1-" \
        "$corpus" "$build/seeds/$1" >"$build/corpus/$1.log" 2>&1
}

for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_}
    name=${name%.c}
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    echo "fuzzing $name for $seconds s"
    if fuzz "$name"; then
        pass
    else
        tail -n 60 "$build/corpus/$name.log"
        fail "$name"
    fi
    grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "$build/corpus/$name.log"
done
tally
