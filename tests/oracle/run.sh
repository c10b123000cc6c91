#!/bin/bash
# run.sh [BUILD-FOLDER] - the judge against the real ROCm 5.2.3 of Debian 12, without a GPU.
#
# BUILD-FOLDER, or $B, holds librocaudit.a and the objects of fixtures/gen. Asks ROCr and
# HIP, above a driver library that invents GPUs, what was asked before (fixtures/runtime),
# and about COUNT bundles made from SEED; then comgr and clang's unbundler about the same
# bundles. Some minutes. What differs is told, and kept in BUILD-FOLDER/oracle.
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=runtime-oracle
build=$(realpath "${1:-$B}") || exit 1
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tally.sh
. tests/tally.sh
read -ra libs <<<"${LIBS:-$(make -s libs)}"
here=$PWD/tests/oracle
facts=$PWD/fixtures/runtime
work=$build/oracle
seed=${SEED:-$(date +%s)}
count=${COUNT:-2000}
compressed=${COMPRESSED:-200} # as many are given to the unbundler
ulimit -c 0

missing() {
    for header in hsakmt.h hsa/hsa.h hip/hip_runtime_api.h amd_comgr.h; do
        [ -e "/usr/include/$header" ] || echo "$header"
    done
    for library in libhsa-runtime64.so.1 libamdhip64.so.5 libamd_comgr.so.2; do
        ldconfig -p | grep -q "$library" || echo "$library"
    done
    for tool in python3 clang-offload-bundler-22; do
        command -v $tool >/dev/null || echo $tool
    done
}

compile() { # what it needs...
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror \
        -Wno-deprecated-declarations "$@" || { fail compile && tally && exit 1; }
}

# With the library, the builders of fixtures, and what the unit tests share.
compile_judge() { # name library...
    local name=$1
    shift
    mapfile -t objects < <(find "$build/fixtures/gen" -name '*.o' ! -name 'mk*')
    compile -Iinclude -Isrc -Ifixtures -Itests/unit "$here/$name.c" \
        tests/unit/runtime_check.c tests/unit/runtime_inputs.c "${objects[@]}" \
        "$build/librocaudit.a" "${libs[@]}" "$@" -o "$work/$name"
}

build_all() {
    mkdir -p "$work/lib"
    compile -fPIC -shared -Wl,-soname,libhsakmt.so.1 \
        -Wl,--version-script="$here/thunk.map" "$here/thunk.c" -lpthread \
        -o "$work/lib/libhsakmt.so.1"
    compile "$here/probe_hsa.c" "$here/question.c" -lhsa-runtime64 -o "$work/probe_hsa"
    compile "$here/probe_hip.c" "$here/question.c" -lamdhip64 -o "$work/probe_hip"
    compile_judge check
    compile_judge comgr -lamd_comgr
}

# Questions on standard input, answers in answers.tsv of the working directory.
ask() { # probe
    (cd inputs && split -n "r/$(nproc)" --filter \
        "LD_LIBRARY_PATH=$work/lib $work/$1 >../\$FILE.answers" - "$1.")
    cat "$1".*.answers >>answers.tsv
    rm -f "$1".*.answers
}

ask_all() { # questions
    rm -f answers.tsv
    grep '^hsa' "$1" | ask probe_hsa
    grep -v '^hsa' "$1" | ask probe_hip
}

# Lines such as "[who: ]3 compared, 2 excepted, 1 differing" as so many cases.
take() { # part output
    grep 'differing$' "$2" | sed "s/^/$1: /"
    read -r good bad < <(
        sed -nE 's/^(.*: )?([0-9]+) compared, .* ([0-9]+) differing$/\2 \3/p' "$2" |
            awk '{ good += $1; bad += $2 } END { print good + 0, bad + 0 }'
    )
    passed=$((passed + good))
    grep -E '^(differs|not said)' "$2" | head -n 20
    if [ "$good" -eq 0 ] || [ "$bad" -gt 0 ]; then
        fail "$1" "$bad of $((good + bad)); all in $2"
    fi
}

# The same answers as before, but for what cannot be made the same.
recorded() {
    mkdir -p "$work/recorded"
    cd "$work/recorded" || exit 1
    python3 "$here/recorded.py" "$facts/inputs.tsv" "$facts/answers.tsv" \
        questions.tsv expected.tsv
    "$work/check" "$facts/inputs.tsv" || fail recorded "no inputs"
    ask_all questions.tsv
    python3 "$here/compare.py" expected.tsv answers.tsv >compared
    take recorded compared
    "$work/check" "$facts/inputs.tsv" "$facts/exceptions.tsv" expected.tsv >judged
    take "recorded, judged" judged
}

generated() {
    mkdir -p "$work/generated"
    cd "$work/generated" || exit 1
    echo "generated: SEED=$seed COUNT=$count"
    python3 "$here/generate.py" "$seed" "$count" recipes.tsv questions.tsv
    "$work/check" recipes.tsv || fail generated "no inputs"
    ask_all questions.tsv
    "$work/check" recipes.tsv "$here/exceptions.tsv" answers.tsv >judged
    take generated judged
    "$work/comgr" recipes.tsv "$here/exceptions.tsv" questions.tsv "$compressed" >chosen
    take chosen chosen
}

left_out=$(missing)
if [ -n "$left_out" ]; then
    skip all "not here: $(echo "$left_out" | tr '\n' ' ')"
    tally
    exit
fi
rm -rf "$work"
build_all
recorded
generated
tally
