#!/bin/sh
# check-fixtures.sh PROGRAMS - hold the built fixtures against LLVM's own readers.
#
# PROGRAMS is the folder that holds mkfixtures. Each check prints `ok NAME` or
# `not ok NAME: why`; the status is 1 if any failed. Needs llvm-22 and clang-tools-22.
# The values that are asked for stand here by hand: they come from the recipes, and LLVM
# has to see them.
set -u

programs=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$programs/mkfixtures" "$work/fixtures" || exit 1
cd "$work/fixtures" || exit 1

failed=0

ok() {
    echo "ok $1"
}

not_ok() {
    echo "not ok $1: $2"
    failed=1
}

# same NAME WANTED SEEN
same() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "wanted '$2', LLVM sees '$3'"
    fi
}

# What the tools write between the lines of their answer when they do not follow.
complaint='Invalid AMDGPU Metadata|<unknown>|<invalid>|^;.*(error|fail|invalid)'

# quiet NAME COMMAND...: succeeds and has nothing to complain about.
quiet() {
    name=$1
    shift
    if ! "$@" >"$work/out" 2>"$work/err"; then
        not_ok "$name" "$1 fails: $(head -1 "$work/err")"
    elif [ -s "$work/err" ] || grep -qE "$complaint" "$work/out"; then
        not_ok "$name" "$1: $(cat "$work/err" "$work/out" | grep -E "$complaint|:" | head -1)"
    else
        ok "$name"
    fi
}

# ---- code objects ------------------------------------------------------------------

# One line a kernel, as the metadata say it.
kernels() {
    llvm-readelf-22 --notes "$1" | awk '
        function flush() {
            if ("name" in k)
                print k["name"], k["vgpr_count"], k["agpr_count"] + 0, k["sgpr_count"],
                    k["vgpr_spill_count"], k["sgpr_spill_count"],
                    k["group_segment_fixed_size"], k["private_segment_fixed_size"],
                    k["kernarg_segment_size"], k["wavefront_size"],
                    k["max_flat_workgroup_size"]
            delete k
        }
        /^  - / { flush() }
        /^  - \.[a-z_]+:|^    \.[a-z_]+:/ {
            sub(/^  - /, "    ")
            key = substr($1, 2, length($1) - 2)
            k[key] = $2
        }
        /^amdhsa\.(target|version)/ { flush() }'
}

header() {
    llvm-readelf-22 -h "$1" | sed -n "s/^ *$2: *//p"
}

# code FILE ABI_VERSION FLAGS KERNEL_LINE...
code() {
    file=$1
    same "$file is ABI version $2" "$2" "$(header "$file" 'ABI Version')"
    same "$file has e_flags $3" "$3" "$(header "$file" Flags)"
    quiet "$file is read" llvm-readelf-22 -h -l -S -d --dyn-syms --notes "$file"
    quiet "$file is disassembled" llvm-objdump-22 -d "$file"
    quiet "$file has descriptors" llvm-objdump-22 -D -j .rodata "$file"
    shift 3
    wanted=$(printf '%s\n' "$@")
    same "$file has these kernels" "$wanted" "$(kernels "$file")"
}

add='k_add 3 0 10 0 0 0 0 20'
code good-v3.co 1 '0x12c, gfx900, xnack' "$add 64 1024"
code good-v4.co 2 '0x36, gfx1030' "$add 32 1024"
code good-v5.co 3 '0x36, gfx1030' "$add 32 1024"
code good-v6.co 4 '0x36, gfx1030' "$add 32 1024"
code good-gfx90a.co 4 '0x53f, gfx90a, xnack, sramecc' "$add 64 1024"
code good-gfx942.co 4 '0x54c, gfx942, xnack, sramecc' "$add 64 1024"
code good-gfx90c-xnack-off.co 4 '0x232, gfx90c, xnack-' "$add 64 1024"
code good-gfx906-sramecc-on-xnack-off.co 4 '0xe2f, gfx906, xnack-, sramecc+' \
    "$add 64 1024"
code good-gfx1250-xnack-on.co 4 '0x749, gfx1250, xnack+, sramecc' "$add 32 1024"
code good-gfx9-4-generic.co 4 '0x100055f, gfx9-4-generic, xnack, sramecc, generic_v1' \
    "$add 64 1024"
set -- 'k_plain 40 8 22 3 5 1024 96 28 64 256' 'k_required 12 0 16 0 0 0 0 64 64 128' \
    'k_dynamic 32 0 34 0 0 0 0 0 64 1024' 'k_stub 0 0 0 0 0 0 0 0 64 1024' \
    'k_trap 0 0 0 0 0 0 0 0 64 1024'
code good-kernels-gfx90a.co 4 '0x53f, gfx90a, xnack, sramecc' "$@"
code good-kernels-gfx1100.co 4 '0x41, gfx1100' 'k_wave32 17 0 18 0 0 0 0 16 32 1024' \
    'k_wave64 9 0 18 0 0 0 0 0 64 1024' 'k_cu_mode 96 0 40 0 0 4096 0 0 32 1024' \
    'k_trap 0 0 0 0 0 0 0 0 32 1024'

# The second note brings the kernels the first one leaves out.
same 'good-two-notes.co has two notes' 2 \
    "$(llvm-readelf-22 --notes good-two-notes.co | grep -c NT_AMDGPU_METADATA)"
same 'good-two-notes.co names five kernels' 5 \
    "$(llvm-readelf-22 --notes good-two-notes.co | grep -c '\.symbol:')"
quiet 'good-no-sections.co is read' llvm-readelf-22 -h -l -d --notes good-no-sections.co
same 'good-no-sections.co names its kernel' "$add 64 1024" "$(kernels good-no-sections.co)"

for file in odd-not-linked.co odd-no-metadata.co odd-v2-object.co odd-relabelled.co \
    odd-no-descriptor.co; do
    quiet "$file is read" llvm-readelf-22 -h -l -S -d --symbols --notes "$file"
done
same 'odd-v2-object.co names its ISA' 1 \
    "$(llvm-readelf-22 --notes odd-v2-object.co | grep -c 'Major: 8, Minor: 0, Stepping: 3')"

# ---- kernel descriptors ------------------------------------------------------------

# directive FILE KERNEL NAME WANTED: what the descriptor says, beside the metadata.
directive() {
    seen=$(llvm-objdump-22 -D -j .rodata "$1" |
        sed -n "/<$2.kd>/,/end_amdhsa_kernel/s/^.*\.amdhsa_$3 //p")
    same "$1 $2 $3" "$4" "$seen"
}

f=good-kernels-gfx90a.co
directive $f k_plain group_segment_fixed_size 1024
directive $f k_plain private_segment_fixed_size 96
directive $f k_plain kernarg_size 28
directive $f k_plain next_free_vgpr 40
directive $f k_plain accum_offset 32
directive $f k_plain tg_split 0
directive $f k_plain uses_dynamic_stack 0
directive $f k_required tg_split 1
directive $f k_dynamic uses_dynamic_stack 1
f=good-kernels-gfx1100.co
directive $f k_wave32 wavefront_size32 1
directive $f k_wave64 wavefront_size32 0
directive $f k_wave32 workgroup_processor_mode 1
directive $f k_cu_mode workgroup_processor_mode 0
directive $f k_cu_mode group_segment_fixed_size 4096

# first FILE KERNEL WANTED: the instruction at the entry.
first() {
    seen=$(llvm-objdump-22 -d "$1" | sed -n "/<$2>:/{n;s/^[[:space:]]*\([a-z_0-9]*\).*/\1/p;}")
    same "$1 $2 starts with" "$3" "$seen"
}

first good-kernels-gfx90a.co k_plain v_mov_b32_e32
first good-kernels-gfx90a.co k_stub s_endpgm
first good-kernels-gfx90a.co k_trap s_trap
first good-kernels-gfx1100.co k_wave32 v_mov_b32_e32
first good-kernels-gfx1100.co k_trap s_trap

# ---- bundles -----------------------------------------------------------------------

host='host-x86_64-unknown-linux-gnu-'
hip=hipv4-amdgcn-amd-amdhsa--

# bundle FILE TARGET...: listed, and every code object comes out as what it is called.
bundle() {
    file=$1
    shift
    wanted=$(for target in "$@"; do echo "$hip$target"; done | sort)
    same "$file lists" "$wanted" \
        "$(clang-offload-bundler-22 --list --type=o --input="$file" | grep -v "^$host$" | sort)"
    for target in "$@"; do
        if clang-offload-bundler-22 --unbundle --type=o --input="$file" \
            --targets="$hip$target" --output="$work/out.co" 2>/dev/null; then
            seen=$(header "$work/out.co" Flags)
            same "$file unbundles $target" "$target" "$(echo "$seen" | cut -d' ' -f2 | tr -d ,)"
        else
            not_ok "$file unbundles $target" 'the bundler fails'
        fi
    done
}

for file in good-bundle.fb good-ccob-v?-z*.fb good-ccob-named.hsaco odd-backwards.fb \
    odd-packed.fb odd-ccob-skippable-frame.fb odd-ccob-three-frames.fb \
    odd-ccob-no-content-size.fb odd-ccob-wrong-hash.fb; do
    bundle "$file" gfx1030 gfx90a
done
bundle odd-no-host.fb gfx90a

# hash FILE OFFSET: the first half of the MD5 of what is inside, which nobody checks.
hash() {
    same "$1 has the right hash" "$(md5sum <good-bundle.fb | cut -c1-16)" \
        "$(od -An -tx1 -j "$2" -N 8 "$1" | tr -d ' ')"
}

for method in zlib zstd; do
    hash good-ccob-v1-$method.fb 12
    hash good-ccob-v2-$method.fb 16
    hash good-ccob-v3-$method.fb 24
done

# ---- hosts -------------------------------------------------------------------------

# library FILE COUNT: clean headers, so many entries with an ID of HIP.
library() {
    quiet "$1 is read" llvm-readelf-22 -h -S -l -r -d --dyn-syms "$1"
    same "$1 entries" "$2" \
        "$(llvm-readobj-22 --offloading "$1" 2>/dev/null | grep -c '^hip')"
}

library good-two-targets.so 2
library good-bare-gfx942.so 1
library good-generic-only.so 1
library good-generic-and-native.so 2
library good-arch-guard-stub.so 2
library good-partial.so 3
library good-partial-on-purpose.so 7
library good-two-bundles-ccob-v2-v3.so 4
library good-xnack-both.so 2
library good-xnack-on.so 1
library good-xnack-mix.so 2
library good-pointer-in-place.so 2
library good-pointer-symbol.so 2
library good-align-16.so 2
library good-extended-sections.so 2
library good-object.o 2
library good-aarch64.so 2
library good-host-only.so 0
library good-cuda-only.so 0
library good-magic-in-rodata.so 0
library odd-elf32.so 2
library odd-big-endian.so 2
library odd-spirv.so 2
library odd-mislabelled.so 1
library odd-fixed-feature.so 1
library odd-generic-version-0.so 1
library odd-bitcode-entry.so 1
library odd-nobits.so 0
library odd-hipk.so 0
library odd-rdc.o 0
library good-embedded-code.so 0
library good-embedded-bundle.so 0
library odd-wrapper-only.so 2
library odd-offload-in-rodata.so 0
library odd-unregistered.so 2
library odd-shared-bundle.so 2
library odd-misaligned-segment.so 2
library odd-undefined-stub.so 2

# relocation FILE TYPE COUNT
relocation() {
    same "$1 has $3 $2" "$3" "$(llvm-readelf-22 -r "$1" | grep -c " $2 ")"
}

relocation good-partial.so R_X86_64_RELATIVE 2
relocation good-pointer-symbol.so R_X86_64_64 1
relocation good-object.o R_X86_64_64 1
relocation good-aarch64.so R_AARCH64_RELATIVE 1
relocation good-pointer-in-place.so R_X86_64_RELATIVE 0
relocation odd-unregistered.so R_X86_64_RELATIVE 0
relocation odd-shared-bundle.so R_X86_64_RELATIVE 3
relocation odd-wrapper-only.so R_X86_64_RELATIVE 1

# inside FILE SECTION BYTES COUNT: how often they are in a section.
inside() {
    llvm-objcopy-22 --dump-section "$2=$work/part" "$1" "$work/copy"
    same "$1 $2 has $3 at some place" "$4" "$(LC_ALL=C grep -aoP "$3" "$work/part" | wc -l)"
}

inside good-embedded-code.so .rodata '\x7fELF\x02\x01\x01\x40' 2
inside good-embedded-bundle.so .data __CLANG_OFFLOAD_BUNDLE__ 1
inside odd-wrapper-only.so .rodata __CLANG_OFFLOAD_BUNDLE__ 1
inside odd-wrapper-only.so .data FPIH 1
inside odd-offload-in-rodata.so .rodata '\x10\xff\x10\xad' 2
same 'odd-undefined-stub.so wants' 'U __device_stub__k_mul(float*)' \
    "$(llvm-nm-22 -DC odd-undefined-stub.so | sed 's/^ *//')"

# segment FILE: offset, address and alignment of the text.
segment() {
    same "$1 has its text at" "$2" "$(llvm-readelf-22 -lW "$1" |
        awk '$1 == "LOAD" && /R E/ { print $2, $3, $NF }')"
}

segment odd-unregistered.so '0x003900 0x0000000000004900 0x1000'
segment odd-misaligned-segment.so '0x003900 0x0000000000004900 0x10000'
segment odd-misplaced-segment.so '0x003908 0x0000000000004900 0x1000'

# extended numbering: the header says 0 and 65535, section 0 the truth
same 'good-extended-sections.so counts elsewhere' '0 (10)' \
    "$(header good-extended-sections.so 'Number of section headers')"
same 'odd-llvm-offloading.so holds an image for gfx90a' 1 \
    "$(llvm-objdump-22 --offloading odd-llvm-offloading.so 2>/dev/null | grep -c gfx90a)"

# offload FILE LINE...: the images that LLVM sees; it overwrites what it reads.
offload() {
    file=$1
    shift
    cp "$file" "$work/copy"
    same "$file has these images" "$(printf '%s\n' "$@")" \
        "$(llvm-objdump-22 --offloading "$work/copy" 2>/dev/null |
            awk '/^(kind|arch|triple) / { line = line $2 " " } /^producer/ { print line $2; line = "" }')"
}

gpu=amdgcn-amd-amdhsa
offload good-offload-v1.bin "elf gfx1030 $gpu openmp" "elf gfx90a $gpu openmp"
offload odd-offload-bitcode.bin "elf gfx1030 $gpu openmp" "elf gfx90a $gpu openmp"

# ---- collisions: the payload holds the magic verbatim --------------------------------

for v in 1 2 3; do
    file=good-ccob-in-payload-v$v.so
    llvm-objcopy-22 --dump-section .hip_fatbin="$work/fb" "$file" "$work/copy"
    same "$file holds CCOB more than once" yes \
        "$([ "$(grep -ao CCOB "$work/fb" | wc -l)" -gt 1 ] && echo yes)"
    cp "$work/fb" "collide-v$v.fb"
    bundle "collide-v$v.fb" gfx1030 gfx90a
done

# ---- Windows -------------------------------------------------------------------------

# windows FILE SECTION: LLVM reads it all, and the bundle as it was put there.
windows() {
    quiet "$1 is read" llvm-readobj-22 --file-headers --sections --relocations \
        --coff-basereloc --symbols "$1"
    llvm-objcopy-22 --dump-section "$2=$work/fb" "$1" "$work/copy"
    same "$1 holds the bundle" yes "$(cmp "$work/fb" good-bundle.fb && echo yes)"
}

# words FILE SECTION WANTED: the content of a small section, as numbers of eight bytes.
words() {
    llvm-objcopy-22 --dump-section "$2=$work/words" "$1" "$work/copy"
    same "$1 $2" "$3" "$(od -An -v -tx8 -w8 "$work/words" | tr -d ' ' | paste -sd' ')"
}

# section FILE SECTION ADDRESS SIZE, all in hexadecimal
section() {
    same "$1 $2 is at" "$3 $4" \
        "$(llvm-objdump-22 -h "$1" | awk -v name="$2" '$2 == name { print $4, $3 }')"
}

hipf=0000000148495046 hipk=000000014b504948 none=0000000000000000
for file in good-windows-dll.dll good-windows-arm64.dll; do
    windows $file .hip_fat
    section $file .hip_fat 0000000180004000 000028e0
    words $file .hipFatB "$hipf 0000000180004000 $none"
done
windows odd-windows-long-names.dll .hip_fatbin
words odd-windows-long-names.dll .hipFatBinSegment "$hipf 0000000180004000 $none"
windows odd-windows-pe32.dll .hip_fat
words odd-windows-pe32.dll .hipFatB "$hipf 0000000010004000"
for file in good-windows-obj.obj good-windows-bigobj.obj odd-windows-base64.obj; do
    windows $file .hip_fatbin
    words $file .hipFatBinSegment "$hipf $none $none"
    same "$file has a relocation" '0x8 IMAGE_REL_AMD64_ADDR64' \
        "$(llvm-readobj-22 -r "$file" | sed -n 's/^ *\(0x8 [A-Z0-9_]*\).*/\1/p')"
done
words good-windows-partial.dll .hipFatB \
    "$hipf 0000000180004000 $none $hipf 0000000180007000 $none"
same 'good-windows-partial.dll has base relocations' '0x3008 0x3020' \
    "$(llvm-readobj-22 --coff-basereloc good-windows-partial.dll |
        sed -n 's/^ *Address: //p' | paste -sd' ')"
section odd-windows-kpack.dll .kpackrf 0000000180007000 00000056
words odd-windows-kpack.dll .hipFatB \
    "$hipk 0000000180007000 $none $hipk 0000000180007000 0000000000000001"
for file in good-windows-host-only.dll good-windows-cuda-only.dll good-windows-partial.dll \
    odd-windows-kpack.dll; do
    quiet "$file is read" llvm-readobj-22 --file-headers --sections --coff-basereloc $file
done

# Damage that it sees, too; it has no limit for sections.
for file in bad-windows-truncated.dll bad-windows-signature.dll bad-windows-optional.dll \
    bad-windows-outside.dll bad-windows-name.obj; do
    if llvm-readobj-22 --file-headers --sections --section-data "$file" >"$work/out" 2>&1; then
        not_ok "$file is refused" 'LLVM reads it'
    else
        ok "$file is refused"
    fi
done

exit $failed
