#!/bin/bash
# layouts.sh FOLDER PROGRAMS - each layout of device code, made by real compilers.
#
# FOLDER has the inputs of tests/kit/mk.sh in kit/. PROGRAMS is the folder that holds
# mkccob. Writes the files, and rows.tsv: a line for each with what is in it, which is
# what the compiler was told. No tool that reads device code is asked. Needs what mk.sh
# needs, python3 and GNU ld. Without clang-14 what only old compilers write is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mkccob=$(realpath "$2")/mkccob
exec 3>rows.tsv
printf 'group\tfile\tkind\tbundles\ttargets\twhat\n' >&3

# shellcheck source=tests/kit/compile.sh
. "$here/../kit/compile.sh"

# What most are compiled for: modes matter, and names that sort apart from numbers.
three=(gfx90a gfx1100 gfx942:xnack-)
two=(gfx1030 gfx90a) # and those of the kit

has_old=true # the compiler of ROCm 5
command -v clang-14 >/dev/null || has_old=false

group= # what the next rows have in common

# row KIND FILE BUNDLES WHAT TARGET...: one target for each code object. KIND is code,
# bitcode, none, damage, or outside where other files hold it; BUNDLES is - where there is
# no such thing.
row() {
    local kind=$1 file=$2 bundles=$3 what=$4

    shift 4
    [ -e "$file" ] || { echo "layouts.sh: there is no $file" >&2 && exit 1; }
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$group" "$file" "$kind" "$bundles" "${*:--}" \
        "$what" >&3
}

# of_kit KIND FILE BUNDLES WHAT TARGET...: the same of a file that mk.sh made.
of_kit() {
    ln -f "kit/$2" "$2"
    row "$@"
}

# ---- bundles -----------------------------------------------------------------------

# Each unit plain and compressed, then each choice of them linked.
make_choices() {
    local unit choice

    for unit in 1 2 3; do
        kernel $unit "k_unit$unit" '+='
        object $unit k$unit.o "${three[@]}"
        hip "${three[@]}" -- --offload-compress -c $unit.hip -o z$unit.o
    done
    group="three units, each plain (k) or compressed (z)"
    for choice in kkk kkz kzk kzz zkk zkz zzk zzz; do
        link ${choice:0:1}1.o ${choice:1:1}2.o ${choice:2:1}3.o -o $choice.so
        row code $choice.so 3 "" "${three[@]}" "${three[@]}" "${three[@]}"
    done
}

make_plain() {
    local generic=(gfx9-generic gfx9-4-generic gfx11-generic)

    group="plain bundles"
    object 2 other.o "${generic[@]}"
    link k1.o other.o -o twoarch.so
    row code twoarch.so 2 "two units for different targets" "${three[@]}" "${generic[@]}"
    clang++-22 -shared -fuse-ld=bfd -nostdlib k1.o k2.o k3.o -o bfd.so
    row code bfd.so 3 "linked by GNU ld" "${three[@]}" "${three[@]}" "${three[@]}"
    of_kit code spirv.so 1 "SPIR-V beside native code" amdgcnspirv gfx90a
    of_kit code tail.so 2 "behind .bss, by a linker script" "${two[@]}" gfx90a
    of_kit code newdriver.so 1 "new driver: IDs of kind hip" "${two[@]}"
    of_kit code rdc.so 1 "-fgpu-rdc, linked: one bundle for two units" "${two[@]}"
    hip "${two[@]}" -- -fgpu-rdc --offload-new-driver -c 1.hip -o rdc1.o
    hip "${two[@]}" -- -fgpu-rdc --offload-new-driver -c 2.hip -o rdc2.o
    clang++-22 --offload-link -nogpulib -shared -fuse-ld=lld -nostdlib rdc1.o rdc2.o \
        -o rdcnew.so
    row code rdcnew.so 1 "the same by the new driver: aligned to 16" "${two[@]}"
    of_kit code no_host.fb 1 "no entry for the host" gfx90a
    # nothing says that entries lie at even offsets
    : >empty.bin
    clang-offload-bundler-22 --type=o --output=noalign.fb --input=empty.bin \
        --targets="host-x86_64-unknown-linux-gnu-,$(hip_id gfx1030),$(hip_id gfx90a)" \
        --input=kit/co_gfx1030.co --input=kit/co_gfx90a.co
    wrap noalign.fb noalign.so
    row code noalign.so 1 "entries at odd offsets" "${two[@]}"
    hip "${two[@]}" -- --offload-device-only -c 1.hip -o genco.co
    row code genco.co 1 "by itself, as hipcc --genco writes it" "${two[@]}"
    make_programs
}

make_programs() {
    local kind

    echo 'void _start(void) {}' >start.c
    clang-22 -fPIC -c start.c -o start.o
    for kind in no-pie static-pie; do
        clang++-22 -$kind -fuse-ld=lld -nostdlib -Wl,--unresolved-symbols=ignore-all \
            start.o k1.o k2.o k3.o -o $kind
    done
    row code no-pie 3 "program at fixed addresses" \
        "${three[@]}" "${three[@]}" "${three[@]}"
    row code static-pie 3 "program that is linked statically" \
        "${three[@]}" "${three[@]}" "${three[@]}"
}

# Versions and methods of compressed bundles, also ones that clang no longer writes.
make_compressed() {
    local version method

    group="compressed bundles"
    for version in 1 2 3; do
        for method in zlib zstd; do
            wrap "kit/c$version$method.fb" ccob$version-$method.so
            row code ccob$version-$method.so 1 "version $version, $method" "${two[@]}"
        done
        of_kit code collide$version.so 1 "version $version, the magic in its payload" \
            "${two[@]}"
    done
    of_kit code concat_ccob.so 2 "versions 3 and 2" "${two[@]}" "${two[@]}"
}

# ---- sections that are missing, or others --------------------------------------------

make_stripped() {
    local file

    clang++-22 -shared -fuse-ld=lld -Wl,--pack-dyn-relocs=relr -nostdlib k1.o k2.o k3.o \
        -o relr.so
    group="no section headers"
    for file in bfd.so kkk.so relr.so kzk.so no-pie rdcnew.so; do
        llvm-strip-22 --strip-sections $file -o nosh-$file
    done
    for file in rdc tail; do
        llvm-strip-22 --strip-sections kit/$file.so -o nosh-$file.so
    done
    set -- "${three[@]}" "${three[@]}" "${three[@]}"
    row code nosh-bfd.so 3 "linked by GNU ld" "$@"
    row code nosh-kkk.so 3 "linked by lld" "$@"
    row code nosh-relr.so 3 "relative relocations packed" "$@"
    row code nosh-kzk.so 3 "one unit compressed" "$@"
    row code nosh-no-pie 3 "program at fixed addresses" "$@"
    row code nosh-rdc.so 1 "-fgpu-rdc: wrappers by symbol" "${two[@]}"
    row code nosh-rdcnew.so 1 "the same by the new driver" "${two[@]}"
    row code nosh-tail.so 2 "device code behind .bss" "${two[@]}" gfx90a
}

# rodata OBJECT OUT: its device code links to the middle of .rodata.
rodata() {
    llvm-objcopy-22 --rename-section .hip_fatbin=.rodata "$1" renamed.o
    printf '%s\n' '.section .rodata' '.asciz "text"' >text.s
    clang-22 -c text.s -o text.o
    link text.o renamed.o -o "$2"
    rm text.s text.o renamed.o
}

# bytes FILE: an object that has these where device code would be, and nothing else.
bytes() {
    printf '.section .hip_fatbin,"a",@progbits\n.p2align 12\n.incbin "%s"\n' "$1" >bytes.s
    clang-22 -c bytes.s -o bytes.o
    rm bytes.s
}

make_elsewhere() {
    group="other sections, or no wrapper"
    set -- "${three[@]}" "${three[@]}" "${three[@]}"
    llvm-objcopy-22 --rename-section .hip_fatbin=.foo kkk.so renamed.so
    row code renamed.so 3 "section renamed" "$@"
    llvm-objcopy-22 --rename-section .hip_fatbin=.foo zkz.so renamed-zkz.so
    row code renamed-zkz.so 3 "section renamed, compressed too" "$@"
    of_kit code nobits.so 2 "marked NOBITS, but loaded" "${two[@]}" gfx90a
    rodata k1.o wrapper.so
    row code wrapper.so 1 "wrapper, its bundle in .rodata" "${three[@]}"
    dump_fatbin k1.o unit.fb
    bytes unit.fb
    link bytes.o -o nowrapper.so
    row code nowrapper.so 1 "section without a wrapper" "${three[@]}"
    rodata bytes.o embedded.so
    row code embedded.so - "bundle in .rodata, no wrapper" "${three[@]}"
    bytes kit/co_gfx90a.co
    rodata bytes.o raw.so
    row code raw.so - "code object in .rodata, no bundle" gfx90a
}

# ---- code objects ------------------------------------------------------------------

make_code() {
    local target

    group="code objects"
    of_kit code co_gfx90a.co - "by itself" gfx90a
    for target in "${two[@]}"; do
        llvm-strip-22 --strip-sections "kit/co_$target.co" -o "bare_$target.co"
    done
    row code bare_gfx90a.co - "without section headers" gfx90a
    bundle bare.fb "$(hip_id gfx1030)" bare_gfx1030.co "$(hip_id gfx90a)" bare_gfx90a.co
    wrap bare.fb bare.so
    row code bare.so 1 "the same in a bundle" "${two[@]}"
    "$mkccob" kit/co_gfx90a.co ccob-elf.co 2 zstd
    row code ccob-elf.co - "compressed without a bundle" gfx90a
    wrap ccob-elf.co ccob-elf.so
    row code ccob-elf.so - "the same in a library" gfx90a
    make_v2
}

# The last compiler that wrote version 2.
make_v2() {
    $has_old || return 0
    cat >v2.cl <<'END'
kernel void k_old(global float *a) { a[__builtin_amdgcn_workitem_id_x()] += 1.0f; }
END
    clang-14 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib \
        -mcode-object-version=2 -O2 -c v2.cl -o v2.o
    ld.lld-22 -shared v2.o -o v2.co
    row code v2.co - "version 2" gfx803
    bundle v2.fb hip-amdgcn-amd-amdhsa--gfx803 v2.co
    wrap v2.fb v2.so
    row code v2.so 1 "version 2 in a bundle" gfx803
}

# ---- before the link, and instead of it --------------------------------------------

make_objects() {
    group="object files and static libraries"
    row code k1.o 1 "plain" "${three[@]}"
    row code z1.o 1 "compressed" "${three[@]}"
    hip "${three[@]}" -- --offload-new-driver -c 1.hip -o new.o
    row code new.o 1 "new driver" "${three[@]}"
    ld.bfd -r k1.o z2.o -o both.o
    row code both.o 2 "two in one, by ld -r" "${three[@]}" "${three[@]}"
    mkdir -p static
    llvm-ar-22 rc static/libfoo.a k1.o z2.o
    row code static/libfoo.a 2 "two members" "${three[@]}" "${three[@]}"
    mkdir -p thin
    cp k1.o z2.o thin
    (cd thin && llvm-ar-22 rcT libfoo.a k1.o z2.o)
    row outside thin/libfoo.a - "thin: its members are other files" \
        "${three[@]}" "${three[@]}"
}

make_offloading() {
    group="relocatable code and OpenMP"
    of_kit bitcode rdc_object.o - "-fgpu-rdc: sections of bitcode" "${two[@]}"
    row bitcode rdc1.o - "the same by the new driver: .llvm.offloading" "${two[@]}"
    cat >openmp.c <<'END'
void add(float *a, int n)
{
#pragma omp target teams distribute parallel for map(tofrom : a[:n])
    for (int i = 0; i < n; i++)
        a[i] += 1.0f;
}
END
    clang-22 -fopenmp -O2 -fPIC -nogpulib -nogpuinc --offload-arch=gfx90a \
        --offload-arch=gfx1100 -c openmp.c -o openmp.o
    row bitcode openmp.o - "OpenMP object file" gfx90a gfx1100
    # there is no library for the device that its calls could go to
    clang-22 -fopenmp -nogpulib --offload-arch=gfx90a --offload-arch=gfx1100 -shared \
        -Xoffload-linker --unresolved-symbols=ignore-all -fuse-ld=lld -nostdlib openmp.o \
        -o openmp.so
    row code openmp.so - "OpenMP library" gfx90a gfx1100
}

# It names sections in another way, and writes a byte behind each bundle.
make_old() {
    local unit old=(-nogpuinc -nogpulib -O2 -fPIC --offload-arch=gfx1030
        --offload-arch=gfx90a)

    $has_old || return 0
    group="an older compiler, clang 14"
    for unit in 1 2; do
        clang++-14 -x hip "${old[@]}" -c $unit.hip -o old$unit.o
    done
    link old1.o old2.o -o old.so
    row code old.so 2 "library" "${two[@]}" "${two[@]}"
    llvm-strip-22 --strip-sections old.so -o nosh-old.so
    row code nosh-old.so 2 "without section headers" "${two[@]}" "${two[@]}"
    clang++-14 -x hip "${old[@]}" -fgpu-rdc -c 1.hip -o rdcold.o
    row bitcode rdcold.o - "-fgpu-rdc: sections of bitcode" "${two[@]}"
}

# ---- other hosts -------------------------------------------------------------------

make_hosts() {
    local arch unit target

    group="other hosts than x86-64 Linux"
    for arch in aarch64 powerpc64le riscv64; do
        target="--target=$arch-linux-gnu"
        hip "${two[@]}" -- "$target" -c 1.hip -o $arch.o
        clang++-22 "$target" -shared -fuse-ld=lld -nostdlib $arch.o -o $arch.so
        row code $arch.so 1 "library" "${two[@]}"
        llvm-strip-22 --strip-sections $arch.so -o nosh-$arch.so
        row code nosh-$arch.so 1 "without section headers" "${two[@]}"
    done
    for unit in 1 2; do
        clang++-22 -x hip -nogpuinc -nogpulib -O2 --target=x86_64-pc-windows-msvc \
            --offload-arch=gfx1030 --offload-arch=gfx90a -c $unit.hip -o $unit.obj
    done
    row code 1.obj 1 "Windows object file" "${two[@]}"
    lld-link-22 /dll /noentry /nodefaultlib /force:unresolved /out:two.dll 1.obj 2.obj
    row code two.dll 2 "Windows library" "${two[@]}" "${two[@]}"
}

# ---- places ------------------------------------------------------------------------

make_places() {
    local wheel=foo-1.0-cp312-cp312-linux_x86_64.whl

    group="folders, wheels and .kpack archives"
    set -- "${three[@]}" "${three[@]}" "${three[@]}"
    mkdir -p tree/deep wheel/foo wheel/foo-1.0.dist-info
    cp kkk.so tree/first.so
    cp zkz.so tree/deep/second.so
    cp kit/host_only.so tree/deep/
    echo 'no device code' >tree/README
    row code tree 6 "two libraries, and other files" "$@" "$@"
    cp kzk.so wheel/foo/_C.so
    printf 'Metadata-Version: 2.1\nName: foo\nVersion: 1.0\n' \
        >wheel/foo-1.0.dist-info/METADATA
    (cd wheel && python3 -m zipfile -c ../$wheel foo foo-1.0.dist-info)
    row code $wheel 3 "one library" "$@"
    cp -r kit/kp .
    row code kp/lib/libfoo.so 2 "library whose code is in archives beside it" \
        gfx90a gfx90a gfx942 gfx1030
    row code kp/.kpack/foo_lib_gfx90a.kpack 2 "such an archive" gfx90a gfx90a
}

# ---- no device code ----------------------------------------------------------------

# system NAME WHAT: a library of Debian, where it is installed.
system() {
    local path

    path=$(ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }')
    [ -n "$path" ] || return 0
    cp -L "$path" "$1"
    row none "$1" - "$2"
}

make_none() {
    group="no device code"
    of_kit none host_only.so - "host code only"
    of_kit none cuda_only.so - "code for NVIDIA GPUs"
    printf '%s\n' '.section .rodata' '.ascii "__CLANG_OFFLOAD_BUNDLE__"' \
        '.asciz "hipv4-amdgcn-amd-amdhsa--gfx90a"' '.ascii "CCOB"' >literal.s
    clang-22 -c literal.s -o literal.o
    link literal.o -o literal.so
    row none literal.so - "the magic numbers as text"
    llvm-objcopy-22 --only-keep-debug kkk.so kkk.debug
    row none kkk.debug - "debug file: sections without bytes"
    system libzstd.so.1 "library of Debian"
    system libamdhip64.so.5 "HIP: magic numbers as text"
    system libamd_comgr.so.2 "comgr: magic numbers as text"
}

# ---- damage ------------------------------------------------------------------------

# damaged NAME BUNDLE OFFSET VALUE WHAT: a bundle with one number changed, in a library.
damaged() {
    cp "$2" "$1.fb"
    poke "$1.fb" "$3" "$4" 8
    wrap "$1.fb" "$1.so"
    row damage "$1.so" - "$5"
}

make_damage() {
    local host=host-x86_64-unknown-linux-gnu- first

    group="damage"
    dump_fatbin k1.o unit.fb
    dump_fatbin z1.o unit.z.fb
    # the entry behind the head of 32 bytes and the host's: offset, size, length of the ID
    first=$((32 + 24 + ${#host}))
    damaged badcount unit.fb 24 $((1 << 40)) "2^40 entries"
    damaged badoffset unit.fb $first -4096 "an entry outside of the file"
    damaged badsize unit.fb $((first + 8)) $((1 << 40)) "an entry of 2^40 bytes"
    damaged badtriple unit.fb $((first + 16)) $((1 << 40)) "an ID of 2^40 bytes"
    damaged zbomb unit.z.fb 16 $((1 << 45)) "said to expand to 2^45 bytes"
    head -c $(($(size unit.z.fb) / 2)) unit.z.fb >zcut.fb
    wrap zcut.fb zcut.so
    row damage zcut.so - "compressed, ends early"
    head -c $(($(size kkk.so) / 2)) kkk.so >trunc.so
    row damage trunc.so - "library, ends early"
}

write_header
make_choices
make_plain
make_compressed
make_stripped
make_elsewhere
make_code
make_objects
make_offloading
make_old
make_hosts
make_places
make_none
make_damage
