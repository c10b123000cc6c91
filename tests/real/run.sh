#!/bin/sh
# run.sh [BUILD-FOLDER] - wheels from PyPI, against what an own decoder found in them.
# run.sh --update       - write those expectations, NAME-VERSION.tsv, anew.
#
# BUILD-FOLDER, or $B, holds rocaudit. pins.txt names the wheels, which are kept in
# $ROCAUDIT_CACHE/wheels (~/.cache/rocaudit/wheels) and fetched if there is none of the
# digest that is pinned. Each is audited packed and unpacked. ALL=1 looks at those that
# are marked `large` too, ONLY=NAME at one. EXPECT=1 decodes them anew as well, as
# --update does, and compares entry by entry: that needs llvm-readelf-22 and zstd.
#
# What is in gaps.tsv is known not to agree, and is skipped as long as it does not.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=real
update=
if [ "${1:-}" = --update ]; then
    update=1
else
    build=$(realpath "${1:-$B}") || exit 1
    rocaudit=$build/rocaudit
fi
cache=${ROCAUDIT_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/rocaudit}/wheels
mkdir -p "$cache" && cache=$(realpath "$cache") || exit 1
cd "$(dirname "$0")/../.." || exit 1
. tests/tally.sh
work=$(mktemp -d)
unpacked=$cache/unpacked.$$
trap 'rm -rf "$work" "$unpacked"' EXIT
export PYTHONDONTWRITEBYTECODE=1
needed=4096 # MB that must be free for the wheels, and the largest of them unpacked
[ -z "${ALL:-}" ] || needed=8192

# The devices that expect.py judges for, and the one of packages.tsv.
options="--runtime 7.1 --format json --gpu gfx90a --gpu gfx942 --gpu gfx1030 --gpu gfx1100
    --gpu gfx1151 --gpu gfx1201"
one_gpu="--runtime 7.1 --format json --gpu gfx1100"

# ---- getting the wheels -----------------------------------------------------------

# Sets `wheel` to the one of that name and digest.
in_cache() { # project version sha256
    for wheel in "$cache/$(echo "$1" | tr - _)-$2"-*.whl; do
        if [ -f "$wheel" ] && echo "$3  $wheel" | sha256sum --status -c; then
            return 0
        fi
    done
    return 1
}

fetch() { # pin hash python platform
    echo "$1 $2" >"$work/pin"
    python3 -m pip download -vv --no-input --retries 2 --timeout 30 \
        --require-hashes --no-deps --only-binary=:all: --python-version "$3" \
        --platform "$4" -d "$cache" -r "$work/pin" >"$work/pip" 2>&1 </dev/null
}

# Whether pip got no answer, in contrast to one that does not please; -vv tells.
unanswered() {
    ! grep -q 'DO NOT MATCH THE HASHES' "$work/pip" &&
        grep -qi -e 'max retries exceeded' -e 'connection broken:' -e 'timed out' \
            -e '5[0-9][0-9] server error' "$work/pip"
}

# Sets `wheel`; else tells why there is none.
get() { # name pin hash python platform
    if in_cache "${2%%==*}" "${2#*==}" "${3#*:}"; then
        return 0
    elif [ -n "$no_fetch" ]; then
        skip "$1" "$no_fetch"
    elif fetch "$2" "$3" "$4" "$5" && in_cache "${2%%==*}" "${2#*==}" "${3#*:}"; then
        return 0
    elif unanswered; then
        no_fetch="the package index does not answer"
        skip "$1" "$no_fetch"
    else
        sed -n -e '/^Exception information/q' -e '/^ *ERROR:/,$p' "$work/pip"
        fail "$1" "pip cannot fetch the wheel that is pinned"
    fi
    return 1
}

unpack() {
    rm -rf "$unpacked" && python3 -m zipfile -e "$wheel" "$unpacked"
}

# ---- looking into them ------------------------------------------------------------

# Decodes the wheel anew; what it finds is what is stored.
expect() { # name
    stored=tests/real/$1.tsv
    if ! command -v llvm-readelf-22 >/dev/null || ! command -v zstd >/dev/null; then
        skip "$1 decoded anew" "no llvm-readelf-22, or no zstd"
    elif ! TMPDIR=$cache python3 tests/real/expect.py "$unpacked" \
        "$work/summary" "$work/details" >"$work/out" 2>&1; then
        cat "$work/out"
        fail "$1" "expect.py ended with an error"
    elif [ -n "$update" ]; then
        cp "$work/summary" "$stored" && pass
    elif diff -u "$stored" "$work/summary"; then
        pass
    else
        fail "$1" "decoded anew, it is not what $stored says"
    fi
}

# Turns "not ok" into "gap" where gaps.tsv knows of it; a row that is of no use is not ok.
known_gaps() { # name cases
    awk -v wheel="$1" -v cases="$2" '
        NR == FNR {
            split($0, row, "\t")
            if (row[1] == wheel && row[2] == cases)
                why[row[3]] = row[4]
            next
        }
        /^not ok / {
            known = ""
            for (what in why)
                if (index(substr($0, 8), what) == 1)
                    known = what
            if (known != "")
                used[known] = 1
        }
        /^ok / { known = "" }
        known == "" { print }
        END {
            for (what in why)
                print (what in used ? "gap " : "not ok ") what \
                    (what in used ? ": " why[what] : ": no gap, as gaps.tsv says")
        }' tests/real/gaps.tsv "$work/lines"
}

# Lines "ok", "not ok" and "gap" as cases, after those that explain them.
take_lines() { # name cases
    known_gaps "$1" "$2" >"$work/told"
    while read -r first rest; do
        case $first in
        ok) pass ;;
        not) fail "$1 $2: ${rest#ok }" ;;
        gap) skip "$1 $2" "$rest" ;;
        *) echo "  $first $rest" ;;
        esac
    done <"$work/told"
}

# Writes the answer; false if there is none.
ask() { # name answer option... path
    asked=$1
    answer=$2
    shift 2
    "$rocaudit" "$@" >"$answer" 2>"$work/err"
    status=$?
    if [ $status -gt 2 ]; then
        cat "$work/err"
        fail "$asked" "rocaudit ended with exit status $status"
        return 1
    fi
}

check() { # name cases script argument...
    checked=$1
    cases=$2
    shift 2
    if python3 "$@" >"$work/lines"; then
        take_lines "$checked" "$cases"
    else
        fail "$checked $cases" "$1 ended with an error"
    fi
}

# Compares with what is stored, and entry by entry if there are details.
compare() { # name
    details=$work/details
    [ -s "$details" ] || details=
    # shellcheck disable=SC2086
    ask "$1" "$work/folder" $options "$unpacked" &&
        check "$1" folder tests/real/compare.py "$work/folder" "$unpacked" \
            "tests/real/$1.tsv" ${details:+"$details"}
    # shellcheck disable=SC2086
    ask "$1" "$work/wheel" $options "$wheel" &&
        check "$1" wheel tests/real/compare.py "$work/wheel" "$wheel" \
            "tests/real/$1.tsv" ${details:+"$details"} &&
        check "$1" both tests/real/compare.py --same "$work/wheel" "$wheel" \
            "$work/folder" "$unpacked"
}

# What is said of the package, and the exit code.
package() { # name
    for place in "$unpacked" "$wheel"; do
        kind=folder
        [ "$place" = "$unpacked" ] || kind=wheel
        # shellcheck disable=SC2086
        ask "$1" "$work/package" $one_gpu "$place" &&
            check "$1" "package of the $kind" tests/real/package.py "$work/package" \
                "$status" "$wheel" "$1"
    done
}

look_into() { # name
    rm -f "$work/details"
    if [ -n "$update" ] || [ -n "${EXPECT:-}" ]; then
        expect "$1"
    fi
    if [ -z "$update" ]; then
        compare "$1"
        package "$1"
    fi
    rm -rf "$unpacked"
}

# ---- all of them ------------------------------------------------------------------

free=$(df -Pk "$cache" | awk 'END { print int($4 / 1024) }')
skip_all=
no_fetch=
if ! command -v python3 >/dev/null; then
    skip_all="no python3"
elif [ "$free" -lt $needed ]; then
    skip_all="$free MB free below $cache, $needed MB are needed"
elif ! python3 -m pip --version >/dev/null 2>&1; then
    no_fetch="it is not in $cache, and python3 has no pip (Debian: python3-pip)"
fi

# Whether that wheel was not asked for; tells of large ones.
left_out() { # name mark
    if [ -n "${ONLY:-}" ]; then
        [ "$1" != "$ONLY" ]
    elif [ "$2" = large ] && [ -z "${ALL:-}" ]; then
        skip "$1" "it is large: ALL=1 looks at it too"
    else
        false
    fi
}

grep -v -e '^#' -e '^$' tests/real/pins.txt >"$work/pins"
while read -r pin hash _ python platform mark; do
    name=$(echo "${pin%%==*}" | tr - _)-${pin#*==}
    if left_out "$name" "$mark"; then
        continue
    elif [ -n "$skip_all" ]; then
        skip "$name" "$skip_all"
    elif get "$name" "$pin" "$hash" "$python" "$platform"; then
        if unpack; then
            look_into "$name"
        else
            fail "$name" "it cannot be unpacked"
        fi
    fi
done <"$work/pins"
tally
