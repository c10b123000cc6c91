#!/bin/bash
# mk.sh OUTDIR PROGRAMS - inputs made by a real compiler, and what breaks of them.
#
# Every file is a small answer to "what does a build leave behind when ...". PROGRAMS is
# the folder that holds mkccob. Needs clang-22 lld-22 llvm-22 clang-tools-22
# python3-msgpack; no GPU and no SDK.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
mkccob=$(realpath "$2")/mkccob

# The system's own Python is the one that has the packages of the system.
python=python3
if ! python3 -c 'import msgpack' 2>/dev/null; then
    python=/usr/bin/python3
fi

# shellcheck source=tests/kit/compile.sh
. "$here/compile.sh"

# ---- sources -----------------------------------------------------------------------

# Arch guards leave a kernel empty, trapping or out, and the build succeeds.
write_guarded() {
    cat >guarded.hip <<'EOF'
#include "hip.h"
extern "C" __global__ void k_wmma(float *a)
{
#if defined(__gfx1100__)
    a[ID] *= 2.0f;
#endif
}
extern "C" __global__ void k_trap(float *a)
{
#if defined(__gfx1100__)
    a[ID] *= 3.0f;
#else
    __builtin_trap();
#endif
}
#if !defined(__gfx1150__)
extern "C" __global__ void k_some(float *a)
{
    a[0] = 1.0f;
}
#endif
EOF
}

# Every property the metadata of a kernel can show.
write_rich() {
    cat >rich.hip <<'EOF'
#include "hip.h"
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(64, 256)))
k_lds(float *a)
{
    __attribute__((shared)) static float tile[256];
    tile[ID] = a[ID];
    __builtin_amdgcn_s_barrier();
    a[ID] = tile[255 - ID];
}
extern "C" __global__ void k_scratch(float *a, int n)
{
    volatile float local[64];
    for (int i = 0; i < 64; i++)
        local[i] = a[i];
    a[ID] = local[n & 63];
}
/* Few registers for many live values: some are spilled. */
extern "C" __global__ void __attribute__((amdgpu_num_vgpr(24), amdgpu_num_sgpr(40)))
k_spill(float *a)
{
    float v[48];
    for (int i = 0; i < 48; i++)
        v[i] = a[i * 64 + ID];
    __asm__ volatile("" ::: "memory");
    for (int i = 0; i < 48; i++)
        a[i * 64 + ID] = v[47 - i] * v[i];
}
extern "C" __attribute__((device, noinline)) int depth(int n)
{
    return n < 2 ? n : depth(n - 1) + depth(n - 2);
}
extern "C" __global__ void k_recursive(int *a)
{
    a[ID] = depth(a[ID]);
}
EOF
}

# ---- what is made ------------------------------------------------------------------

make_coverage() {
    library plain.so k gfx1030 gfx90a
    library generic.so k gfx11-generic gfx1100
    library generic9.so k gfx9-generic
    library stub.so guarded gfx1100 gfx1150
    library rich.so rich gfx90a gfx942 gfx1030 gfx1100 gfx1201
    # the second translation unit was compiled for less than the first
    object k first.o gfx1030 gfx90a
    object k2 second.o gfx90a
    link first.o second.o -o partial.so
    rm first.o second.o
}

make_features() {
    library xnack_both.so k gfx90a:xnack+ gfx90a:xnack-
    library xnack_on.so k gfx90a:xnack+
    # clang refuses the mix in one unit; the linker does not look
    object k any.o gfx90a
    object k2 off.o gfx90a:xnack-
    link any.o off.o -o mix_xnack.so
    rm any.o off.o
}

make_code_objects() {
    local target version

    for target in gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 \
        gfx1103 gfx1151 gfx1201 gfx1250 gfx9-generic gfx9-4-generic gfx10-3-generic \
        gfx11-generic gfx12-generic; do
        code "co_$target.co" $target
    done
    code co_gfx90a_xnack_on.co gfx90a:xnack+
    code co_gfx90a_xnack_off.co gfx90a:xnack-
    code co_gfx90c_xnack_off.co gfx90c:xnack-
    code co_gfx906_sramecc_on_xnack_off.co gfx906:sramecc+:xnack-
    for version in 4 5 6; do
        code cov$version.co gfx1030 -mcode-object-version=$version
    done
    # newer compilers set the fixed xnack of gfx1250 to ON, this one to ANY
    cp co_gfx1250.co gfx1250_on.co
    poke gfx1250_on.co 48 $((0x749)) 4
    # e_flags of another GPU than the code and its metadata
    cp co_gfx90a.co relabel.co
    poke relabel.co 48 $((0x36)) 4
    make_tens
    clang++-22 -x hip -nogpuinc -nogpulib -O2 --offload-arch=gfx1030 -mwavefrontsize64 \
        --offload-device-only --no-gpu-bundle-output -c rich.hip -o wave64.co
    clang++-22 -x hip -nogpuinc -nogpulib -O2 --offload-arch=gfx1030 -mcumode \
        --offload-device-only --no-gpu-bundle-output -c rich.hip -o cumode.co
    clang++-22 -x hip -nogpuinc -nogpulib -O2 --offload-arch=gfx90a -mtgsplit \
        --offload-device-only --no-gpu-bundle-output -c rich.hip -o tgsplit.co
}

# What the loader needs is in the segments; the symbols are counted by either hash table.
make_stripped() {
    local style

    for style in gnu sysv; do
        code nosect_$style.co gfx90a -Xoffload-linker --hash-style=$style
        llvm-objcopy-22 --strip-sections nosect_$style.co
    done
    llvm-strip-22 --strip-sections co_gfx1030.co -o nosect.co
}

# Compilers of today have forgotten V2, so these are from the fixtures.
make_old_code() {
    cp "$here/../../fixtures/code/gfx803-v2.co" v2_gfx803.co
    cp "$here/../../fixtures/code/gfx900-v2.co" v2_gfx900.co
    bundle v2.fb "hip-amdgcn-amd-amdhsa--gfx803" v2_gfx803.co \
        "hip-amdgcn-amd-amdhsa--gfx900" v2_gfx900.co
    wrap v2.fb v2.so
}

# Another language brings other keys: a required work-group size, the language itself.
make_opencl() {
    cat >required.cl <<'EOF'
__attribute__((reqd_work_group_size(32, 2, 2)))
kernel void k_required(global float *a)
{
    a[__builtin_amdgcn_workitem_id_x()] += 1.0f;
}
EOF
    clang-22 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O2 required.cl \
        -o opencl.co
    rm required.cl
}

# Files as Tensile names them: one of another target, a link to it, one with its mode.
make_tens() {
    mkdir tens
    cp co_gfx1030.co tens/Kernels.so-000-gfx1010.hsaco
    ln -s Kernels.so-000-gfx1010.hsaco tens/Kernels.so-000-gfx1011.hsaco
    cp co_gfx90a_xnack_off.co tens/Kernels.so-000-gfx90a-xnack-.hsaco
}

# Assembled by hand: an object that is not linked, and one that says nothing of itself.
make_bare_code() {
    cat >bare.s <<'EOF'
.amdgcn_target "amdgcn-amd-amdhsa--gfx1030"
.text
.globl hello
.p2align 8
.type hello,@function
hello:
    s_endpgm
.Lend:
.size hello, .Lend-hello
.rodata
.p2align 6
.amdhsa_kernel hello
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
EOF
    clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx1030 -c bare.s -o rel.co
    ld.lld-22 -shared rel.co -o nometa.co
    rm bare.s
}

make_compressed() {
    local version method file

    hip gfx1030 gfx90a -- --offload-compress -c k.hip -o v3.o
    COMPRESSED_BUNDLE_FORMAT_VERSION=2 hip gfx1030 gfx90a -- --offload-compress -c k2.hip \
        -o v2.o
    link v3.o v2.o -o concat_ccob.so
    rm v3.o v2.o
    # a compressed bundle under the name of a code object
    hip gfx1030 -- --offload-compress --offload-device-only -c k.hip -o ccob_as.hsaco
    dump_fatbin plain.so plain.fb
    library magic.so kcc gfx1030 gfx90a
    dump_fatbin magic.so magic.fb
    for version in 1 2 3; do
        for method in zlib zstd stored; do
            file=c$version$method.fb
            "$mkccob" plain.fb $file $version $method
            cp $file flipped_$file
            flip flipped_$file $(($(size $file) * 3 / 4))
        done
        # the payload holds the magic that a careless reader would split at
        "$mkccob" magic.fb collide.fb $version stored
        wrap collide.fb collide$version.so
    done
    rm collide.fb magic.so
    # no bundle in it: scripts compress a tree of code objects so
    "$mkccob" co_gfx90a.co ccob_bare.hsaco 2 zstd
}

make_bundles() {
    local name

    bundle mislabel.fb "$(hip_id gfx1010)" co_gfx1030.co
    bundle empty_entry.fb "$(hip_id gfx1030)" empty.bin "$(hip_id gfx90a)" co_gfx90a.co
    # a module header and nothing that says anything
    { number $((0x07230203)) 4; number $((0x10500)) 4; head -c 64 /dev/zero; } >spirv.bin
    bundle spirv.fb hip-spirv64-amd-amdhsa--amdgcnspirv spirv.bin "$(hip_id gfx90a)" \
        co_gfx90a.co
    for name in mislabel empty_entry spirv; do
        wrap $name.fb $name.so
        rm $name.fb
    done
    rm spirv.bin
    make_no_host
}

# The bundler crashes without a host entry, so this one is written by hand.
make_no_host() {
    local id

    id=$(hip_id gfx90a)
    {
        printf __CLANG_OFFLOAD_BUNDLE__
        number 1 8
        number 4096 8
        number "$(size co_gfx90a.co)" 8
        number ${#id} 8
        printf %s "$id"
    } >no_host.fb
    truncate -s 4096 no_host.fb
    cat co_gfx90a.co >>no_host.fb
}

make_hosts() {
    hip gfx1030 gfx90a -- --offload-new-driver -c k.hip -o new.o
    clang++-22 --offload-link -nogpulib -shared -fuse-ld=lld -nostdlib new.o -o newdriver.so
    # one device link for two units: one bundle, a metadata note from each
    hip gfx1030 gfx90a -- -fgpu-rdc -c k.hip -o rdc1.o
    hip gfx1030 gfx90a -- -fgpu-rdc -c k2.hip -o rdc2.o
    clang++-22 -fgpu-rdc --hip-link -nogpulib --offload-arch=gfx1030 --offload-arch=gfx90a \
        -shared -fuse-ld=lld -nostdlib rdc1.o rdc2.o -o rdc.so
    mv rdc1.o rdc_object.o
    rm new.o rdc2.o
    # the device code section behind .bss, as large libraries place it
    printf 'SECTIONS { .hip_fatbin : ALIGN(0x1000) { KEEP(*(.hip_fatbin*)) } }
INSERT AFTER .bss;\n' >tail.ld
    object k first.o gfx1030 gfx90a
    object k2 second.o gfx90a
    link -Wl,-T,tail.ld first.o second.o -o tail.so
    rm first.o second.o tail.ld
    make_hosts_without_code
}

make_hosts_without_code() {
    echo 'int x;' >x.c
    clang-22 -fPIC -shared -nostdlib -fuse-ld=lld x.c -o host_only.so
    clang-22 -fPIC -c x.c -o x.o
    { number $((0xba55ed50)) 4; number 1 2; number 16 2; number 0 8; } >nv.bin
    llvm-objcopy-22 --add-section .nv_fatbin=nv.bin \
        --set-section-flags .nv_fatbin=alloc,readonly x.o
    clang-22 -shared -fuse-ld=lld -nostdlib x.o -o cuda_only.so
    rm x.c x.o nv.bin
    make_hipk
}

# Device code moved to archives: wrappers point at a msgpack map that names them.
make_hipk() {
    printf '\202\253kernel_name\255lib/libfoo.so\262kpack_search_paths\221\331\041%s' \
        '../.kpack/foo_lib_@GFXARCH@.kpack' >ref.bin
    cat >hipk.c <<'EOF'
__asm__(".section .rocm_kpack_ref,\"a\",@progbits\n"
        "reference: .incbin \"ref.bin\"\n"
        ".previous");
extern const char reference[];
struct wrapper { unsigned magic, version; const void *binary; unsigned long index; };
__attribute__((section(".hipFatBinSegment"), used)) static struct wrapper wrappers[] = {
    { 0x4b504948, 1, reference, 0 },
    { 0x4b504948, 1, reference, 1 },
};
EOF
    clang-22 -fPIC -shared -fuse-ld=lld -nostdlib hipk.c -o hipk.so
    rm hipk.c ref.bin
    make_kpacks
}

# archive OUT SCHEME KEY=TARGET=FILE...: by another packer of msgpack than our own.
archive() {
    "$python" "$here/kpack.py" "$@"
}

# One whole archive, one that lacks a wrapper, one that numbers them another way.
kpack_tree() {
    local whole=co_gfx90a.co

    mkdir -p "$1/lib" "$1/.kpack"
    cp hipk.so "$1/lib/libfoo.so"
    archive "$1/.kpack/foo_lib_gfx90a.kpack" zstd-per-kernel \
        "lib/libfoo.so#0=gfx90a=$whole" "lib/libfoo.so#1=gfx90a=$whole"
    archive "$1/.kpack/foo_lib_gfx1030.kpack" none "lib/libfoo.so#0=gfx1030=co_gfx1030.co"
    archive "$1/.kpack/foo_lib_gfx942.kpack" none \
        "lib/libfoo.so#0=gfx942=co_gfx942.co" "lib/libfoo.so#2=gfx942=co_gfx942.co"
}

make_kpacks() {
    local off=co_gfx90a_xnack_off.co

    kpack_tree kp
    # the same by a link in another folder, where there are no archives
    kpack_tree kp_devel/sdk
    mkdir -p kp_devel/devel/lib
    ln -sf ../../sdk/lib/libfoo.so kp_devel/devel/lib/libfoo.so
    # an archive for one mode of the GPU that lacks a wrapper
    kpack_tree kp_overlay
    archive "kp_overlay/.kpack/foo_lib_gfx90a:xnack-.kpack" zstd-per-kernel \
        "lib/libfoo.so#0=gfx90a:xnack-=$off"
    # an archive of another library; one that the library beside it does not use
    mkdir -p kp_other/lib kp_other/.kpack kp_plain/lib kp_plain/.kpack
    cp hipk.so kp_other/lib/libfoo.so
    archive kp_other/.kpack/foo_lib_gfx90a.kpack none "lib/libbar.so#0=gfx90a=co_gfx90a.co"
    cp plain.so kp_plain/lib/libfoo.so
    archive kp_plain/.kpack/foo_lib_gfx942.kpack none "lib/libfoo.so#0=gfx942=co_gfx942.co"
}

# pack OUT KIND (FILE TARGET)...: images as the packager of clang puts them together.
pack() {
    local out=$1 kind=$2 images=()

    shift 2
    while [ $# -gt 0 ]; do
        images+=("--image=file=$1,triple=amdgcn-amd-amdhsa,arch=$2,kind=$kind")
        shift 2
    done
    llvm-offload-binary-22 -o "$out" "${images[@]}"
}

make_offload() {
    pack offload.bin openmp co_gfx90a.co gfx90a co_gfx1030.co gfx1030
    pack offload_mode.bin openmp co_gfx90a_xnack_on.co gfx90a:xnack+ \
        co_gfx11-generic.co gfx11-generic
    pack offload_hip.bin hip co_gfx90a.co gfx90a
    # two languages in one file
    cat offload.bin offload_hip.bin >offload_both.bin
    clang++-22 -x hip -nogpuinc -nogpulib -O2 --offload-arch=gfx90a --offload-device-only \
        --no-gpu-bundle-output -emit-llvm -c k.hip -o k.bc
    pack offload_bitcode.bin hip k.bc gfx90a
    head -c 5000 offload.bin >offload_cut.bin
    rm k.bc
}

# windows_object MACHINE SOURCE OUT TARGET...: for the linker of Microsoft.
windows_object() {
    local machine=$1 source=$2 out=$3

    shift 3
    clang++-22 -x hip -nogpuinc -nogpulib -O2 --target="$machine-pc-windows-msvc" \
        "${@/#/--offload-arch=}" -c "$source.hip" -o "$out"
}

# link_windows OUT OBJECT...: a DLL without entry and libraries, for want of an SDK; what
# it calls stays undefined.
link_windows() {
    local out=$1

    shift
    lld-link-22 /dll /noentry /nodefaultlib /force:unresolved /noimplib /out:"$out" "$@"
}

# Wrappers hold addresses, names of sections are cut when they are linked.
make_windows() {
    local machine

    for machine in x86_64 aarch64; do
        windows_object $machine k win_$machine.obj gfx1100 gfx1151
        link_windows win_$machine.dll win_$machine.obj
    done
    windows_object x86_64 k2 second.obj gfx1100
    link_windows win_partial.dll win_x86_64.obj second.obj
    rm second.obj win_aarch64.obj
}

make_damage() {
    llvm-objcopy-22 --set-section-type .hip_fatbin=8 partial.so nobits.so
    llvm-strip-22 --strip-sections partial.so -o nosections.so
    head -c 20000 partial.so >trunc.so
    dump_fatbin partial.so badcount.fb
    cp badcount.fb badoff.fb
    poke badcount.fb 24 $((0xffffffff)) 8
    # the first device entry: behind the head of 32 bytes and the host's 24 + 30
    poke badoff.fb 86 -4096 8
    wrap badcount.fb badcount.so
    wrap badoff.fb badoff.so
}

write_header
kernel k k_add '+='
kernel k2 k_mul '*='
kernel kcc k_CCOB_add '+='
write_guarded
write_rich
make_coverage
make_features
make_code_objects
make_stripped
make_old_code
make_opencl
make_bare_code
make_compressed
make_bundles
make_hosts
make_offload
make_windows
make_damage
rm ./*.hip hip.h
