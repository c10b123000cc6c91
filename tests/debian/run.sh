#!/bin/bash
# run.sh [BUILD-FOLDER] - what Debian's ROCm packages hold, against LLVM's own reading.
#
# BUILD-FOLDER, or $B, holds rocaudit. Every code object of two libraries is compared
# with llvm-readelf; then verdicts, which follow from the targets those list. A package
# that is not installed is skipped.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=debian
build=$(realpath "${1:-$B}") || exit 1
cd "$(dirname "$0")/../.." || exit 1
. tests/tally.sh
read -ra libs <<<"${LIBS:-$(make -s libs)}"
rocaudit=$build/rocaudit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first file of a package whose name ends so, or nothing.
file_of() { # package end
    dpkg -L "$1" 2>/dev/null | grep -F "/$2" | head -n 1
}

# Lines "ok" and "not ok" as cases.
take_lines() { # file
    passed=$((passed + $(grep -c '^ok ' "$1")))
    grep '^not ok ' "$1" >"$work/bad"
    while read -r _ _ what; do
        fail "$what"
    done <"$work/bad"
}

# Two gigabytes are cut into files, and taken away again.
compare() { # library
    mkdir "$work/cut"
    if [ "$(df -Pk "$work" | awk 'END { print $4 }')" -lt 3000000 ]; then
        skip "$1" "less than 3 GB free below $work"
    elif python3 tests/debian/compare.py "$rocaudit" "$1" "$work/cut" >"$work/lines"; then
        take_lines "$work/lines"
    else
        fail "$1" "compare.py ended with an error"
    fi
    rm -rf "$work/cut"
}

# By an own walker and msgpack-c: make's objects are used where they are.
notes() { # library
    if ! "$work/notes" "$1" >"$work/out" 2>&1; then
        cat "$work/out"
        fail "$1" "metadata differ"
    else
        pass
    fi
}

build_notes() {
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc -Ifixtures -o "$work/notes" \
        tests/debian/notes.c tests/unit/oracle.c "$build/librocaudit.a" "${libs[@]}"
}

audit() { # library exit gpu...
    library=$1
    wanted=$2
    shift 2
    options=
    for gpu; do
        options="$options --gpu $gpu"
    done
    # shellcheck disable=SC2086
    "$rocaudit" $options "$library" >"$work/out" 2>&1
    status=$?
    if [ $status -eq "$wanted" ]; then
        pass
    else
        cat "$work/out"
        fail "$(basename "$library") on $*" "exit status $status, not $wanted"
    fi
}

sparse=$(file_of librocsparse0 librocsparse.so.0.1)
rand=$(file_of librocrand1 librocrand.so.1)

for library in ${sparse:-librocsparse0} ${rand:-librocrand1}; do
    if [ ! -e "$library" ]; then
        skip "$library" "it is not installed"
    elif ! command -v llvm-readelf-22 >/dev/null || ! command -v python3 >/dev/null; then
        skip "$library against LLVM" "no llvm-readelf-22, or no python3"
    else
        compare "$library"
    fi
done
if [ -f tests/unit/oracle.c ] && { [ -n "$sparse" ] || [ -n "$rand" ]; }; then
    build_notes || fail notes "does not compile"
    for library in $sparse $rand; do
        [ ! -x "$work/notes" ] || notes "$library"
    done
fi

# Both are built for these seven; what is not stated fits both modes.
for library in $sparse $rand; do
    for gpu in gfx1030 gfx803 gfx900:xnack- gfx906:xnack- gfx906:sramecc+:xnack- \
        gfx906:sramecc-:xnack- gfx908:sramecc+:xnack- gfx908:sramecc-:xnack- \
        gfx90a:sramecc+:xnack+ gfx90a:sramecc+:xnack- gfx90a:sramecc-:xnack-; do
        audit "$library" 0 $gpu
    done
    audit "$library" 0 gfx1030 gfx803 gfx90a
    for gpu in gfx1100 gfx942 gfx1031 gfx900:xnack+ gfx908:xnack+ gfx906:xnack+; do
        audit "$library" 1 $gpu
    done
    audit "$library" 1 gfx90a gfx942
done

# Names of targets all over, and no code object in any of them.
while read -r package name; do
    library=$(file_of "$package" "$name")
    if [ -n "$library" ]; then
        audit "$library" 2 gfx90a
        grep -qi 'no AMD device code' "$work/out" || {
            cat "$work/out"
            fail "$library" "it does not say that there is no device code"
        }
    else
        skip "$package" "it is not installed"
    fi
done <<END
libamdhip64-5 libamdhip64.so.5
libamd-comgr2 libamd_comgr.so.2
libhsa-runtime64-1 libhsa-runtime64.so.1
libhiprtc-builtins5 libhiprtc-builtins.so.5
END
tally
