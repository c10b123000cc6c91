#!/bin/bash
# Runs make targets one after the other and adds up what they counted.
#
# run.sh [-t SECONDS] TARGET...      -t: for all of them together
#
# A target tells its count in a line "NAME: N passed, N failed, N skipped", the last
# such line holds. A target that fails without a failed case, or that tells no
# count, is one failure: nothing can fail to run unnoticed.
set -u
limit=
if [ "${1-}" = -t ]; then
    limit=$2
    shift 2
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
count='([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped'
passed=0 failed=0 skipped=0 summary=

run_target() { # target: make's exit status
    local guard=()

    [ -z "$limit" ] || guard=(timeout -k 10 "$((limit > SECONDS ? limit - SECONDS : 1))")
    # MAKE may hold options of its own.
    # shellcheck disable=SC2086
    "${guard[@]}" ${MAKE:-make} --no-print-directory "$1" 2>&1 </dev/null | tee "$log"
    return "${PIPESTATUS[0]}"
}

for target in "$@"; do
    echo "== make $target"
    began=$SECONDS
    run_target "$target"
    status=$?
    line=$(grep -E "^([a-z0-9-]+: )?$count\$" "$log" | tail -n 1)
    [[ $line =~ $count ]] || [[ "0 passed, 0 failed, 0 skipped" =~ $count ]]
    bad=${BASH_REMATCH[2]}
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ -z "$line" ]; }; then
        echo "FAILED make $target: exit status $status, ${line:-no count}"
        bad=1
    fi
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + bad))
    skipped=$((skipped + BASH_REMATCH[3]))
    summary+=$(printf '%-15s %5d passed %4d failed %4d skipped %5d s' "$target" \
        "${BASH_REMATCH[1]}" "$bad" "${BASH_REMATCH[3]}" $((SECONDS - began)))$'\n'
done
printf '\n%s' "$summary"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
