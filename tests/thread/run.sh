#!/bin/sh
# Thread tests, and the program on four threads, built with TSan.
#
# run.sh BUILD-FOLDER INPUT-FOLDER...
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=thread
build=$1
shift
. tests/tally.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# libarchive asks for the time zone, which libc guards by a lock that TSan cannot see.
echo 'race:tzset_internal' >"$out/known"
export TSAN_OPTIONS=exitcode=99:suppressions="$out"/known:print_suppressions=0

# TSan of gcc 12 does not start where the kernel places memory too randomly.
fixed() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

audit() { # jobs input...
    jobs=$1
    shift
    fixed "$build/rocaudit" --gpu gfx90a --format json -j "$jobs" "$@" >"$out/$jobs"
    status=$?
    [ $status -le 2 ] && [ -s "$out/$jobs" ]
}

# A wheel of all the inputs, large enough for several workers: its members are shared out to workers.
make_wheel() { # input...
    python3 - "$out/inputs.whl" "$@" <<'END'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.writestr("noise.bin", os.urandom(2 << 20))
    for top in sys.argv[2:]:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                inside = f"{os.path.relpath(folder, top)}/{name}"
                wheel.write(os.path.join(folder, name),
                            inside.encode(errors="replace").decode())
END
}

# Of the folders, then of the wheel, on one thread and on four.
check_jobs() { # name input...
    name=$1
    shift
    if audit 1 "$@"; then pass; else fail "$name, -j1" "exit status $status"; fi
    for round in 1 2 3 4; do
        if audit 4 "$@"; then pass; else
            fail "$name, -j4" "round $round, exit status $status"
        fi
        if cmp "$out/1" "$out/4"; then pass; else fail "$name, -j4" "not as -j1"; fi
    done
}

found=false
for program in "$build"/thread/*; do
    [ -x "$program" ] || continue
    found=true
    if fixed timeout 300 "$program"; then pass; else fail "$(basename "$program")"; fi
done
$found || fail programs "there is none in $build/thread"
check_jobs folders "$@"
if ! command -v python3 >/dev/null; then
    skip wheel "no python3"
elif make_wheel "$@"; then
    check_jobs wheel "$out/inputs.whl"
else
    fail wheel "it is not made"
fi
tally
