#!/bin/bash
# loader.sh ROCAUDIT FOLDER - what the system's loader does with libraries that a compiler
# made, before and after a tool spoiled them, and whether ROCAUDIT says the same.
#
# Works in a folder of its own below FOLDER. Prints `ok` and `not ok` lines. The libraries
# are for the machine this runs on; of HIP there are only its names.
set -u

here=$(cd "$(dirname "$0")" && pwd)
rocaudit=$(realpath "$1")
mkdir -p "$2/loader"
cd "$2/loader" || exit 1

# shellcheck source=tests/kit/compile.sh
. "$here/compile.sh"

not_ok() {
    echo "not ok $1: $2"
    failed=1
}

# ---- the libraries -----------------------------------------------------------------

# The functions of HIP that clang's code calls, which do nothing here.
make_hip() {
    local name

    for name in __hipRegisterFatBinary __hipRegisterFunction __hipUnregisterFatBinary \
        __hipPushCallConfiguration __hipPopCallConfiguration hipLaunchKernel atexit; do
        echo "int $name(void) { return 0; }"
    done >names.c
    clang-22 -w -fno-builtin -fPIC -shared -fuse-ld=lld -nostdlib names.c -o libnames.so
    rm names.c
}

# has.so defines the kernel k_mul and its stub, wants.so launches it.
make_pair() {
    cat >has.hip <<'END'
#include "hip.h"
__global__ void k_mul(float *a, float b)
{
    a[ID] *= b;
}
END
    cat >wants.hip <<'END'
#include "hip.h"
__global__ void k_mul(float *a, float b);
__global__ void k_add(float *a, float b)
{
    a[ID] += b;
}
void launch(float *a)
{
    k_add<<<dim3{1, 1, 1}, dim3{64, 1, 1}, 0, 0>>>(a, 2);
    k_mul<<<dim3{1, 1, 1}, dim3{64, 1, 1}, 0, 0>>>(a, 2);
}
END
    object has has.o gfx90a
    object wants wants.o gfx90a
    link -Wl,-z,max-page-size=4096 has.o -o has.so
    link -Wl,-z,max-page-size=4096 wants.o -o wants.so
    rm has.o wants.o
}

# header FILE N: where the Nth program header of a loaded segment is.
header() {
    llvm-readelf-22 -lW "$1" | awk -v wanted="$2" '
        /^  Type/ { table = 1; next }
        table && NF == 0 { exit }
        table && $1 ~ /^[A-Z_0-9]+$/ { row++ }
        table && $1 == "LOAD" && ++loads == wanted { print 64 + 56 * (row - 1); exit }'
}

# spoil FILE N FIELD NUMBER: a copy of whole.so with one field of a header changed; the
# offset is at 8 in it, the alignment at 48.
spoil() {
    cp whole.so "$1"
    poke "$1" $(($(header whole.so "$2") + $3)) "$4" 8
}

offset_of() {
    printf %d "$(llvm-readelf-22 -lW whole.so | awk '$1 == "LOAD"' | sed -n "$1p" |
        awk '{ print $2 }')"
}

# ---- what happens ------------------------------------------------------------------

cat >load.py <<'END'
import ctypes
import sys
for path in sys.argv[1:]:
    ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
END

# check NAME LOADS EXIT RULES SAYS FILE...: the last of the files is loaded after the others;
# LOADS is yes or no, and if not, the loader SAYS why. RULES are those of loading.
check() {
    local name=$1 loads=$2 exit=$3 rules=$4 says=$5 seen told status

    shift 5
    if LC_ALL=C python3 load.py ./libnames.so "${@/#/./}" >/dev/null 2>load.err; then
        seen=yes
    else
        seen=no
    fi
    "$rocaudit" --gpu gfx90a --rocm / "$@" >told.txt 2>&1
    status=$?
    told=$(grep -oE '^(FAILS|warns) +RA02[12]' told.txt | tr -s ' ' ' ' | sort -u | paste -sd,)
    if [ "$seen" != "$loads" ]; then
        not_ok "$name" "the loader says $seen, not $loads: $(tail -1 load.err)"
    elif [ "$seen" = no ] && ! grep -q "$says" load.err; then
        not_ok "$name" "the loader does not say '$says': $(tail -1 load.err)"
    elif [ "$status" != "$exit" ]; then
        not_ok "$name" "exit $status, not $exit"
    elif [ "$told" != "$rules" ]; then
        not_ok "$name" "'$told' is said, not '$rules'"
    else
        echo "ok $name"
    fi
}

failed=0
write_header
make_hip
make_pair
cp has.so whole.so
check 'a library as it was linked' yes 0 '' '' whole.so

# Segment 2 is the text of lld's layout, which is one page ahead of its offset.
page='address/offset not page-aligned'
for shift in 1 8 256 2048; do
    spoil "off_$shift.so" 2 8 $(($(offset_of 2) + shift))
    check "a segment $shift bytes off" no 1 'FAILS RA021' "$page" "off_$shift.so"
done
for align in 0 1 16 2048; do
    cp off_8.so "off_align_$align.so"
    poke "off_align_$align.so" $(($(header whole.so 2) + 48)) "$align" 8
    check "a segment 8 bytes off, aligned to $align" no 1 'FAILS RA021' "$page" \
        "off_align_$align.so"
done

# From 2.35 on glibc leaves the alignment alone; before that, these did not load.
loads=yes
if [ "$(printf '%s\n' 2.35 "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V |
    head -1)" != 2.35 ]; then
    loads=no
fi
for align in 0 1 16 2048 8192 65536 2097152; do
    spoil "align_$align.so" 2 48 "$align"
    check "a segment aligned to $align" $loads 0 'warns RA021' aligned "align_$align.so"
done
spoil align_4096.so 2 48 4096
check 'a segment aligned to 4096' yes 0 '' '' align_4096.so

check 'a stub that nobody has' no 1 'FAILS RA022' \
    'undefined symbol: _Z20__device_stub__k_mulPff' wants.so
check 'a stub that another library has' yes 0 '' '' has.so wants.so
exit $failed
