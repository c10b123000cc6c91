#!/bin/sh
# Runs the program the way a person would, and compares what it says.
#
# run.sh [--update] [BUILD-FOLDER [NAME...]]
#
# tests/cli/NAME.sh is run by sh in the folder of generated inputs (also $FX), with
# the program in PATH and an empty folder of its own in $OUT. NAME.stdout is what it
# prints; NAME.exit its exit status, 0 if there is none; NAME.stderr, if there is one,
# what it prints there. --update writes these anew: look at the difference.
set -u
: "${SUITE:=cli}"
cases=$(cd "$(dirname "$0")" && pwd)
cd "$cases/../.." || exit 1
. tests/tally.sh

update=false
if [ "${1-}" = --update ]; then
    update=true
    shift
fi
build=$(cd "${1:-build}" && pwd) || exit 1
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Nothing of the machine or the user may change what the program says. A sanitiser's
# finding must not look like an exit status of the program.
for name in $(env | grep -oE '^(HSA|HIP|ROCR|CUDA|GPU|ROCM)_[A-Z0-9_]*='); do
    unset "${name%=}"
done
unset NO_COLOR COLUMNS CLICOLOR_FORCE
export LC_ALL=C TERM=dumb PATH="$build:$PATH" FX="$build/fx" OUT="$work/out"
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export LSAN_OPTIONS=exitcode=99

run_case() { # name: leaves stdout, stderr and exit in $work
    rm -rf "$OUT" && mkdir "$OUT"
    (cd "$FX" && exec sh "$cases/$1.sh") >"$work/stdout" 2>"$work/stderr" </dev/null
    echo $? >"$work/exit"
}

# The expected exit status is 0 where there is no file.
expected() { # name kind
    if [ -f "$cases/$1.$2" ]; then
        cat "$cases/$1.$2"
    elif [ "$2" = exit ]; then
        echo 0
    fi
}

compare() { # name
    same=true
    for kind in exit stdout stderr; do
        [ "$kind" = stderr ] && [ ! -f "$cases/$1.stderr" ] && continue
        expected "$1" "$kind" >"$work/expected"
        diff -u --label "$1.$kind" --label "$kind now" "$work/expected" "$work/$kind" ||
            same=false
    done
    $same && return
    [ -f "$cases/$1.stderr" ] || cat "$work/stderr"
    return 1
}

store() { # name
    cp "$work/stdout" "$cases/$1.stdout"
    rm -f "$cases/$1.exit"
    [ "$(cat "$work/exit")" -eq 0 ] || cp "$work/exit" "$cases/$1.exit"
    [ ! -f "$cases/$1.stderr" ] || cp "$work/stderr" "$cases/$1.stderr"
}

all_cases() {
    (cd "$cases" && find . -name '*.sh' ! -name run.sh) |
        sed 's|^\./\(.*\)\.sh$|\1|' | sort
}

names=${*:-$(all_cases)}
for name in $names; do
    run_case "$name"
    if $update; then store "$name"; fi
    if [ ! -f "$cases/$name.stdout" ]; then
        fail "$name" "there is no $name.stdout"
    elif compare "$name"; then
        pass
    else
        fail "$name"
    fi
done
# What is expected of a case that is gone would never be looked at again.
for file in "$cases"/*.stdout "$cases"/*.exit "$cases"/*.stderr; do
    [ ! -e "$file" ] || [ -f "${file%.*}.sh" ] || fail "$(basename "$file")" "has no case"
done
tally
