# How inputs are made by a real compiler, and bytes changed in them: what mk.sh and
# tests/conformance/layouts.sh share. Functions work in the folder they are called in.
# shellcheck shell=bash

# ---- compiling ---------------------------------------------------------------------

# Without an SDK clang asks for a few declarations, hipLaunchKernel above all.
write_header() {
    cat >hip.h <<'EOF'
#define __global__ __attribute__((global))
#define ID __builtin_amdgcn_workitem_id_x()
typedef __SIZE_TYPE__ size_t;
struct dim3 { unsigned x, y, z; };
typedef struct ihipStream_t *hipStream_t;
extern "C" int __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
EOF
}

# kernel FILE NAME OPERATOR: a source file with one kernel.
kernel() {
    cat >"$1.hip" <<EOF
#include "hip.h"
extern "C" __global__ void $2(float *a, const float *b, int n)
{
    int i = ID;
    if (i < n)
        a[i] $3 b[i];
}
EOF
}

# Compiles for the targets that stand before `--`; flags and files behind it.
hip() {
    local archs=()

    while [ "$1" != -- ]; do
        archs+=("--offload-arch=$1")
        shift
    done
    shift
    clang++-22 -x hip -nogpuinc -nogpulib -O2 -fPIC "${archs[@]}" "$@"
}

# object SOURCE OUT TARGET...: a host object.
object() {
    local source=$1 out=$2

    shift 2
    hip "$@" -- -c "$source.hip" -o "$out"
}

link() {
    clang++-22 -shared -fuse-ld=lld -nostdlib "$@"
}

# library OUT SOURCE TARGET...: a shared object of one translation unit.
library() {
    local out=$1 source=$2

    shift 2
    object "$source" "$out.o" "$@"
    link "$out.o" -o "$out"
    rm "$out.o"
}

# code OUT TARGET [FLAG...]: a code object by itself.
code() {
    local out=$1 target=$2

    shift 2
    hip "$target" -- --offload-device-only --no-gpu-bundle-output "$@" -c k.hip -o "$out"
}

# ---- bytes -------------------------------------------------------------------------

# number VALUE WIDTH: little-endian.
number() {
    local i

    for ((i = 0; i < $2; i++)); do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\$(printf %03o $((($1 >> (8 * i)) & 255)))"
    done
}

# poke FILE OFFSET VALUE WIDTH
poke() {
    number "$3" "$4" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# flip FILE OFFSET: one byte, upside down.
flip() {
    local byte

    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    poke "$1" "$2" $((255 - byte)) 1
}

size() {
    stat -c %s "$1"
}

dump_fatbin() {
    llvm-objcopy-22 --dump-section .hip_fatbin="$2" "$1" dumped.so
    rm dumped.so
}

# wrap FATBIN OUT: any bytes as the device code of a shared object.
wrap() {
    cat >wrap.c <<EOF
__asm__(".section .hip_fatbin,\"a\",@progbits\n"
        ".p2align 12\n"
        ".globl fatbin\n"
        "fatbin: .incbin \"$1\"\n"
        ".previous");
extern const char fatbin[];
struct wrapper { unsigned magic, version; const void *binary; void *reserved; };
__attribute__((section(".hipFatBinSegment"), used))
static struct wrapper wrapper = { 0x48495046, 1, fatbin, 0 };
EOF
    clang-22 -fPIC -shared -fuse-ld=lld -nostdlib wrap.c -o "$2"
    rm wrap.c
}

# bundle OUT (ID FILE)...: what the bundler makes of a host entry and these.
bundle() {
    local out=$1 targets=host-x86_64-unknown-linux-gnu- inputs=(--input=empty.bin)

    shift
    : >empty.bin
    while [ $# -gt 0 ]; do
        targets=$targets,$1
        inputs+=("--input=$2")
        shift 2
    done
    clang-offload-bundler-22 --type=o --bundle-align=4096 --targets="$targets" \
        "${inputs[@]}" --output="$out"
    rm empty.bin
}

hip_id() {
    echo "hipv4-amdgcn-amd-amdhsa--$1"
}
