#!/bin/sh
# extract.sh PROGRAM - what rocaudit extracts, against LLVM's own tools.
#
# Run in the folder of the compiled inputs. The bytes of each entry have to be those that
# clang-offload-bundler unbundles, where that can be asked: of one bundle, cut out by
# llvm-objcopy or by itself. llvm-objdump has to take every code object that comes out of
# any input. Prints `ok NAME` or `not ok NAME: why`.
set -u

program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() {
    echo "ok $1"
}

not_ok() {
    echo "not ok $1: $2"
    failed=1
}

# entries BUNDLE: the entry IDs of device code.
entries() {
    clang-offload-bundler-22 --list --type=o --input="$1" | grep -v '^host'
}

# compare NAME BUNDLE FOLDER: each entry of BUNDLE against the one file of its target.
compare() {
    for id in $(entries "$2"); do
        target=${id##*amdhsa--}
        if ! clang-offload-bundler-22 --unbundle --type=o --input="$2" --targets="$id" \
            --output="$work/theirs" 2>"$work/err"; then
            not_ok "extract $1 $target" "the bundler fails: $(head -1 "$work/err")"
        elif cmp -s "$work/theirs" "$3/$1".0.*-"$target".co; then
            ok "extract $1 $target"
        else
            not_ok "extract $1 $target" 'other bytes than the bundler gives, or none'
        fi
    done
    listed=$(entries "$2" | wc -l)
    written=$(find "$3" -type f | wc -l)
    if [ "$listed" -gt 0 ] && [ "$listed" -eq "$written" ]; then
        ok "extract $1 count"
    else
        not_ok "extract $1 count" "$written files of $listed entries"
    fi
}

one_bundle() { # file, bundle
    rm -rf "$work/out"
    if "$program" extract -q -o "$work/out" "$1" >"$work/said" 2>&1; then
        compare "$1" "$2" "$work/out"
    else
        not_ok "extract $1" "$(tail -1 "$work/said")"
    fi
}

for file in plain.so generic.so generic9.so stub.so rich.so xnack_both.so xnack_on.so; do
    llvm-objcopy-22 --dump-section .hip_fatbin="$work/bundle" "$file" "$work/copy"
    one_bundle "$file" "$work/bundle"
done
for file in plain.fb c[123]*.fb; do
    one_bundle "$file" "$file"
done

# images FILE KIND TARGET...: what the packager takes out of a file it has made itself.
images() {
    file=$1
    kind=$2
    shift 2
    rm -rf "$work/out"
    "$program" extract -q -o "$work/out" "$file" >"$work/said" 2>&1
    for target in "$@"; do
        rm -f "$work/theirs"
        llvm-offload-binary-22 "$file" \
            "--image=file=$work/theirs,triple=amdgcn-amd-amdhsa,arch=$target,kind=$kind"
        if cmp -s "$work/theirs" "$work/out/$file".*-"$target".co; then
            ok "extract $file $target"
        else
            not_ok "extract $file $target" 'other bytes than the packager gives, or none'
        fi
    done
    written=$(find "$work/out" -type f | wc -l)
    if [ "$written" -eq $# ]; then
        ok "extract $file count"
    else
        not_ok "extract $file count" "$written files, not $#"
    fi
}

images offload.bin openmp gfx90a gfx1030
images offload_mode.bin openmp gfx90a:xnack+ gfx11-generic
images offload_hip.bin hip gfx90a

# All there is, damaged inputs too: what was written is whole.
rm -rf "$work/out"
"$program" extract -q -o "$work/out" . >"$work/said" 2>&1
status=$?
[ $status -le 2 ] || not_ok 'extract all' "exit status $status"
for file in "$work"/out/*.co; do
    name=$(basename "$file")
    case $name in
    *unknown-processor*) continue ;; # which is one that llvm-objdump does not know
    esac
    if llvm-objdump-22 -d "$file" >"$work/code" 2>"$work/err" && [ ! -s "$work/err" ] &&
        grep -q 'elf64-amdgpu' "$work/code"; then
        ok "objdump $name"
    else
        not_ok "objdump $name" "$(cat "$work/err" "$work/code" | head -1)"
    fi
done
exit $failed
