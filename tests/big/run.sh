#!/bin/bash
# run.sh [BUILD-FOLDER] - large inputs in little memory, and damage byte by byte.
#
# BUILD-FOLDER, or $B, holds rocaudit and the objects it was made of. Takes some minutes
# and up to 3 GB below TMPDIR, which are taken away at the end.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=big
build=$(realpath "${1:-$B}") || exit 1
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tally.sh
. tests/tally.sh
read -ra libs <<<"${LIBS:-$(make -s libs)}"
rocaudit=$build/rocaudit
limit=$((200 * 1024)) # KiB that may be resident at most
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # name [source...]
    local name=$1
    shift
    mapfile -t objects < <(find "$build/fixtures/gen" -name '*.o' ! -name 'mk*')
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc -Ifixtures -o "$work/$name" \
        "tests/big/$name.c" "$@" "${objects[@]}" "$build/librocaudit.a" \
        "${libs[@]}" || { fail "$name" "does not compile" && exit 1; }
}

free_kb() {
    df -Pk "$work" | awk 'END { print $4 }'
}

# Runs rocaudit; its answer is in $work/out.
run() { # case exit argument...
    local name=$1 wanted=$2 peak
    shift 2
    "$work/peak" "$rocaudit" "$@" >"$work/out" 2>"$work/err"
    peak=$(sed -n 's/^exit \([0-9]*\) peak \([0-9]*\)$/\1 \2/p' "$work/err")
    if [ "${peak% *}" != "$wanted" ]; then
        cat "$work/out" "$work/err"
        fail "$name" "exit status ${peak% *}, not $wanted"
    elif [ "${peak#* }" -gt "$limit" ]; then
        fail "$name" "${peak#* } KiB resident, over $limit"
    else
        echo "$name: ${peak#* } KiB at most"
        pass
    fi
}

# One line an entry: all of it but where its bundle is.
entries() {
    grep -o '{"id": .*' "$work/out" | sed 's/,$//'
}

same() { # case file file
    if cmp "$2" "$3" && [ -s "$2" ]; then pass; else fail "$1"; fi
}

# ---- a library of 6 GiB ----------------------------------------------------------------

# What mkbig says of an entry has to stand in the listing.
find_entry() { # target offset size kernel
    if entries | grep -F "\"elf_target\": \"$1\"" | grep -F "\"offset\": $2, \"size\": $3," |
        grep -qF "\"name\": \"$4\""; then
        pass
    else
        fail "huge, $1" "not $3 bytes at $2 with $4"
    fi
}

huge() {
    local file=$work/huge.so
    if ! "$work/mkbig" "$file" >"$work/places"; then
        skip huge "a sparse file of 6 GiB cannot be made here"
        return
    fi
    run "huge, ls" 0 ls --kernels --format json --verify "$file"
    while read -r target offset size kernel; do
        if [ "$target" != bundle ]; then
            find_entry "$target" "$offset" "$size" "$kernel"
        elif grep -qF "\"offset\": $offset," "$work/out" &&
            grep -qF "\"size\": $size," "$work/out"; then
            pass
        else
            fail "huge, bundle" "not $size bytes at $offset"
        fi
    done <"$work/places"
    run "huge, the first fits" 0 --gpu gfx90a "$file"
    run "huge, the last fits" 0 --gpu gfx1030 "$file"
    run "huge, none fits" 1 --gpu gfx1100 "$file"
    rm -f "$file"
}

# ---- a library of 1.3 GB, as it is and compressed ----------------------------------------

large() {
    local library packed=$work/packed.so
    library=$(dpkg -L librocsparse0 2>/dev/null | grep '/librocsparse\.so\.' | head -n 1)
    if [ ! -e "${library:-/nonexistent}" ]; then
        skip large "librocsparse0 is not installed"
        return
    fi
    if [ "$(free_kb)" -lt 3000000 ]; then
        skip large "less than 3 GB free below $work"
        return
    fi
    "$work/rebundle" "$library" "$packed" || { fail rebundle && return; }
    run "large, plain" 0 ls --kernels --format json "$library"
    entries >"$work/plain"
    run "large, compressed" 0 ls --kernels --format json --verify "$packed"
    entries >"$work/compressed"
    same "large, the same entries and kernels" "$work/plain" "$work/compressed"
    run "large, targets" 0 ls -1 "$packed"
    printf '%s\n' gfx803 gfx900:xnack- gfx906:xnack- gfx908:xnack- gfx90a:xnack+ \
        gfx90a:xnack- gfx1030 | sort >"$work/expected"
    sort "$work/out" >"$work/targets"
    same "large, seven targets" "$work/targets" "$work/expected"
    run "large, plain, fits" 0 --gpu gfx1030 "$library"
    run "large, compressed, fits" 0 --gpu gfx90a "$packed"
    run "large, compressed, missing" 1 --gpu gfx1100 "$packed"
    run "large, compressed, one thread" 0 -j 1 --gpu gfx90a "$packed"
    run "large, compressed, many threads" 0 -j 16 --gpu gfx90a "$packed"
    rm -f "$packed"
}

# ---- members of archives -----------------------------------------------------------------

zipped() { # zip file
    python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED, compresslevel=1) as all:
    all.write(sys.argv[2], "lib/member.so")' "$1" "$2"
}

# Of a member it takes no more memory than of a file, and the answer is the same.
member() { # case archive file gpu...: all of them fit but the last
    local name=$1 archive=$2 file=$3 fits=0
    shift 3
    run "$name, as a file, ls" 0 ls --kernels --format json "$file"
    entries >"$work/plain"
    run "$name, ls" 0 ls --kernels --format json "$archive"
    entries >"$work/packed"
    same "$name, the same entries and kernels" "$work/plain" "$work/packed"
    while [ $# -gt 0 ]; do
        [ $# -gt 1 ] || fits=1
        run "$name, $1" $fits --gpu "$1" "$archive"
        shift
    done
}

members() {
    local library
    if ! "$work/mkmember" "$work/member.so" 4100 9 ||
        ! zipped "$work/member.zip" "$work/member.so"; then
        skip members "a sparse file of 4 GiB, or python3, cannot be had here"
        return
    fi
    member "member of 4 GiB" "$work/member.zip" "$work/member.so" gfx90a gfx1030 gfx1100
    "$work/mkmember" "$work/member.so" 1024 5
    tar -C "$work" -czf "$work/member.tar.gz" member.so
    member "tar.gz of 1 GiB" "$work/member.tar.gz" "$work/member.so" gfx90a gfx1030 gfx1100
    library=$(dpkg -L librocsparse0 2>/dev/null | grep '/librocsparse\.so\.' | head -n 1)
    if [ -e "${library:-/nonexistent}" ]; then
        zipped "$work/member.zip" "$library"
        member "large member" "$work/member.zip" "$library" gfx90a gfx1100
    else
        skip "large member" "librocsparse0 is not installed"
    fi
    rm -f "$work"/member.*
}

# ---- damage ------------------------------------------------------------------------------

# Of fixtures, and of what a compiler makes if there is one.
damage() {
    local files=()
    if command -v clang++-22 >/dev/null && command -v ld.lld-22 >/dev/null; then
        bash tests/kit/mk.sh "$work/kit" "$build" >"$work/kit.log" 2>&1 ||
            fail kit "$(tail -n 1 "$work/kit.log")"
        mapfile -t files < <(find "$work/kit" -maxdepth 1 -type f \
            \( -name '*.so' -o -name '*.co' -o -name '*.fb' -o -name '*.hsaco' \) | sort)
    else
        skip "damage to compiled files" "no clang-22"
    fi
    "$work/pokeall" "${files[@]}" >"$work/lines" || fail damage "pokeall did not end well"
    passed=$((passed + $(grep -c '^ok ' "$work/lines")))
    while read -r _ _ what; do
        fail "damage" "$what"
    done < <(grep '^not ok ' "$work/lines")
}

# DAMAGE=1 only: with every value for every byte it takes as long as all else together.
if [ -n "${DAMAGE:-}" ]; then
    build pokeall tests/unit/poke.c
    damage
    tally
    exit
fi
build peak
build mkbig
build rebundle
build mkmember
huge
large
members
tally
