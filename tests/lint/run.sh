#!/bin/sh
# All lints, each a case: run.sh BUILD-FOLDER
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=lint
build=$1
. tests/tally.sh

check() { # name command...
    name=$1
    shift
    if "$@"; then pass; else fail "$name"; fi
}

build() { # folder, more for make...
    folder=$1
    shift
    ${MAKE:-make} --no-print-directory B="$folder" "$@"
}

# Skips what needs a tool that is not here.
check_with() { # tool name command...
    tool=$1
    shift
    if command -v "$tool" >/dev/null; then check "$@"; else skip "$1" "no $tool"; fi
}

format() {
    find include src tests fixtures -name '*.[ch]' \
        -exec clang-format-22 --dry-run -Werror {} +
}

scripts() {
    # CLI cases need no first line, their runner knows what they are.
    find tests fixtures -name '*.sh' ! -path 'tests/cli/*' \
        -exec shellcheck -x .ci/run tests/cli/run.sh {} + &&
        find tests/cli -name '*.sh' ! -name run.sh -exec shellcheck -s sh {} +
}

man_pages() {
    mandoc -Tlint -Wwarning man/*.[1-8]
}

clang() {
    build "$build/clang" CC=clang-22 programs
}

check build build "$build" all
check layers tests/lint/layers.sh
check symbols tests/lint/symbols.sh "$build"
check tables tests/lint/tables.sh "$build"
check_with python3 json_keys tests/lint/json_keys.sh "$build"
check_with pmccabe length tests/lint/length.sh
check_with clang-format-22 format format
check_with shellcheck scripts scripts
check_with mandoc man man_pages
check_with clang-22 clang clang
tally
