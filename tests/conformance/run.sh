#!/bin/bash
# run.sh [BUILD-FOLDER] - each layout that compilers make, and what tools find in it.
#
# BUILD-FOLDER, or $B, holds rocaudit and mkccob. Builds the files in
# BUILD-FOLDER/conformance, asks rocaudit and what else lists device code, and prints a
# table: FORMAT is text, md for Markdown, or summary for a short one of that. Cases are
# those of rocaudit, one for each file. roc-obj-ls is asked if Debian's hipcc is there.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=conformance
build=$(realpath "${1:-$B}") || exit 1
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tally.sh
. tests/tally.sh
here=$PWD/tests/conformance
work=$build/conformance
export PYTHONDONTWRITEBYTECODE=1

missing() {
    for tool in clang++-22 clang-offload-bundler-22 ld.lld-22 lld-link-22 ld.bfd \
        llvm-objdump-22 llvm-readobj-22 python3; do
        command -v $tool >/dev/null || echo $tool
    done
}

made() { # what command...: its output is shown if it fails
    what=$1
    shift
    "$@" >"$work/$what.log" 2>&1 && return
    tail -n 5 "$work/$what.log"
    fail "$what" "the files cannot be made"
    false
}

# Lines "ok" and "not ok" as cases.
take_lines() {
    while read -r first rest; do
        case $first in
        ok) pass ;;
        *) fail "${rest#ok }" ;;
        esac
    done <"$work/results"
}

left_out=$(missing)
if [ -n "$left_out" ]; then
    skip all "not here: $(echo "$left_out" | tr '\n' ' ')"
    tally
    exit
fi
command -v clang-14 >/dev/null || skip old.so "no clang-14: what only old compilers write"
rm -rf "$work" && mkdir -p "$work"
if made kit bash tests/kit/mk.sh "$work/kit" "$build" &&
    made layouts bash "$here/layouts.sh" "$work" "$build"; then
    python3 "$here/table.py" "$build/rocaudit" "$work" "$work/results" "${FORMAT:-text}" ||
        fail table "table.py ended with an error"
    take_lines
fi
tally
