#!/bin/sh
# run.sh [BUILD_DIR] - compiler-made inputs, read by rocaudit and by LLVM.
#
# BUILD_DIR, or $B, holds rocaudit, mkfixtures and mkccob. Builds the inputs in BUILD_DIR/kit, holds
# the built fixtures against LLVM, compares listings, and runs verdicts.tsv. Prints `ok`
# and `not ok` lines and a last line of counts. Without clang-22 nothing can be compared.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${1:-$B}")

for tool in clang++-22 clang-offload-bundler-22 ld.lld-22 llvm-readelf-22 zstd python3; do
    if ! command -v $tool >/dev/null; then
        echo '0 passed, 0 failed, 1 skipped'
        exit 0
    fi
done

results=$(mktemp)
trap 'rm -f "$results"' EXIT

# Runs one part and keeps its lines; a part that says nothing has failed.
part() {
    name=$1
    shift
    "$@" >"$results.part" 2>"$results.err"
    if ! grep -qE '^(not )?ok ' "$results.part"; then
        echo "not ok $name: $(tail -1 "$results.err")" >>"$results.part"
    fi
    cat "$results.part"
    cat "$results.part" >>"$results"
    rm -f "$results.part" "$results.err"
}

# What compare.py can cut out by itself: whole files with nothing damaged.
readable() (
    cd "$build/kit" || exit 1
    ls co_*.co cov?.co gfx1250_on.co wave64.co cumode.co tgsplit.co opencl.co c??*.fb \
        plain.fb magic.fb no_host.fb ccob_as.hsaco plain.so partial.so stub.so rich.so \
        generic.so generic9.so xnack_both.so xnack_on.so mix_xnack.so concat_ccob.so \
        collide?.so mislabel.so empty_entry.so spirv.so newdriver.so rdc.so tail.so \
        offload.bin offload_mode.bin offload_hip.bin offload_both.bin offload_bitcode.bin \
        fixtures/odd-offload-*.bin \
        win_*.dll win_*.obj
    for file in fixtures/good-*; do
        case $file in
        *host-only* | *cuda-only* | *embedded* | *magic-in-rodata* | *no-sections* | *.kpack) ;;
        *) echo "$file" ;;
        esac
    done
)

rm -rf "$build/kit"
if ! bash "$here/mk.sh" "$build/kit" "$build" >"$build/kit.log" 2>&1; then
    echo "not ok kit: $(tail -1 "$build/kit.log")"
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
fi

"$build/mkfixtures" "$build/kit/fixtures"
part fixtures "$here/check-fixtures.sh" "$build"
files=$(readable)
cd "$build/kit" || exit 1
# shellcheck disable=SC2086 # no name among them holds a space
part listings python3 "$here/compare.py" "$build/rocaudit" $files
part extract "$here/extract.sh" "$build/rocaudit"
part loader "$here/loader.sh" "$build/rocaudit" "$build/kit"
part verdicts python3 "$here/verdicts.py" "$build/rocaudit" "$here/verdicts.tsv" "$build/kit"

passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^not ok ' "$results")
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
