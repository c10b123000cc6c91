# Counts the cases of a test script, which sources this from the top folder.
# SUITE names the suite in the closing line.
# shellcheck shell=sh
passed=0
failed=0
skipped=0

pass() {
    passed=$((passed + 1))
}

# fail CASE [WHY]; what explains it goes to standard output before or after.
fail() {
    failed=$((failed + 1))
    echo "FAILED $SUITE: $*"
}

# skip CASE WHY
skip() {
    skipped=$((skipped + 1))
    echo "skipped $SUITE: $*"
}

# The closing line; fails if a case did, or if there was none.
tally() {
    [ $((passed + failed + skipped)) -gt 0 ] || fail "no case ran"
    echo "$SUITE: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
