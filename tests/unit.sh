#!/bin/sh
# Runs a Criterion program and tells its count the way every suite does.
#
# unit.sh PROGRAM      SUITE names it
set -u
: "${SUITE:=unit}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$1" --verbose --color=never --timeout 300 >"$log" 2>&1 </dev/null
status=$?
grep -vE '^\[(RUN |PASS)\]|^\[----\] (Criterion|  $)|^\[====\] Running' "$log"
# A crash is one of the failing; what is skipped is not among the tested.
counts=$(sed -n 's/.*Synthesis: Tested: \([0-9]*\) | Passing: \([0-9]*\) .*/\1 \2/p' "$log")
if [ -z "$counts" ]; then
    echo "$SUITE: 0 passed, 1 failed, 0 skipped"
    exit 1
fi
failed=$((${counts% *} - ${counts#* }))
# Criterion does not see a leak, which comes to light when a test's process has ended.
if grep -q 'ERROR: LeakSanitizer' "$log"; then
    echo "FAILED $SUITE: memory was leaked"
    failed=$((failed + 1))
fi
echo "$SUITE: ${counts#* } passed, $failed failed, $(grep -c '^\[SKIP\]' "$log") skipped"
[ "$status" -eq 0 ] && [ $failed -eq 0 ]
