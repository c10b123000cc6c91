#!/bin/bash
# Paths of any length, name and kind, and files that change: paths/run.sh BUILD-FOLDER
set -u
# shellcheck disable=SC2034 # tests/tally.sh reads it
SUITE=paths
build=$(cd "$1" && pwd)
. tests/tally.sh
here=$PWD/tests/paths
fx=$build/fx
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"
unset HSA_OVERRIDE_GFX_VERSION HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
# A copy that another user can reach.
cp "$build/rocaudit" "$work/rocaudit"
cd "$work" || exit 1

# audit ARGUMENT...: the answer in $work/out, within 10 s.
audit() {
    timeout 10 "$work/rocaudit" --runtime 7.1 --gpu gfx90a "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# expect CASE STATUS [PATTERN...]: what the last one came to.
expect() {
    local name=$1 wanted=$2 pattern

    shift 2
    if [ $status -ne "$wanted" ]; then
        head -n 40 out err
        fail "$name" "exit status $status"
        return
    fi
    for pattern in "$@"; do
        if ! grep -q -e "$pattern" out; then
            head -n 40 out err
            fail "$name" "does not say $pattern"
            return
        fi
    done
    pass
}

# ---- length -------------------------------------------------------------------------

# make_deep COUNT: folders in folders, each name of 99 bytes, with a file in the last.
make_deep() {
    python3 - "$1" "$fx/good-gfx90a.co" <<'EOF'
import os, shutil, sys
os.mkdir("deep")
os.chdir("deep")
shutil.copy(sys.argv[2], "good.co")
for _ in range(int(sys.argv[1])):
    os.mkdir("d" * 99)
    os.chdir("d" * 99)
shutil.copy(sys.argv[2], "good.co")
EOF
}

lengths() {
    make_deep 39
    audit deep
    expect "a path of 3,900 bytes is read" 0 '2 code objects'
    rm -rf deep
    make_deep 60
    audit deep
    expect "a path of 6,000 bytes is told" 2 '1 code object,' 'File name too long'
    audit --format json deep
    expect "in JSON too" 2 '"unreadable": 1' '"path": "deep/d\{99\}/d'
    audit "$(printf '%05000d' 0)"
    expect "an argument of 5,000 bytes is told" 2 'File name too long'
    rm -rf deep
}

# ---- names --------------------------------------------------------------------------

names() {
    local name

    mkdir names
    for name in $'latin-\xe9' $'cut-\xe2\x82' $'over-\xc0\xaf' $'sur-\xed\xa0\x80' \
        $'bell-\a' $'new\nline' $'esc-\e[31m\e]0;x\a' $'right-\u202eoc.' $'csi-\u009b31m' \
        $'zero-\u200b' $'del-\x7f' 'a!b' '!' ' ' '-' $'\\' '"' "'" '%s%n' $'tab\t' \
        $'line-\u2028' $'bom-\ufeff' $'\xff'; do
        cp "$fx/good-gfx90a.co" "names/$name"
    done
    audit -v names
    expect "names of any bytes" 0 '23 code objects'
    if python3 "$here/answer.py" text out; then
        pass
    else
        fail "names in text"
    fi
    audit --format json names
    if python3 "$here/answer.py" text out && python3 "$here/answer.py" json out names; then
        pass
    else
        fail "names in JSON"
    fi
    mkdir -p 'pack!age'
    (cd 'pack!age' && cp "$fx/good-gfx90a.co" 'in!side.co' &&
        python3 -m zipfile -c 'a!b.whl' 'in!side.co')
    audit 'pack!age'
    expect "a ! in the name of an archive and in it" 0 'a!b.whl!in!side.co' '2 code'
    rm -rf names 'pack!age'
}

# ---- kinds --------------------------------------------------------------------------

kinds() {
    mkdir -p kinds/sub
    cp "$fx/good-gfx90a.co" kinds/good.co
    ln -s nowhere kinds/dangling
    ln -s loop kinds/loop
    ln -s ../kinds kinds/sub/up
    ln -s / kinds/root
    mkfifo kinds/pipe
    ln -s pipe kinds/to-pipe
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("kinds/socket")'
    if mknod kinds/null c 1 3 2>/dev/null && mknod kinds/zero c 1 5 2>/dev/null; then
        ln -s zero kinds/to-zero
    else
        skip "devices in a folder" "they cannot be made here"
    fi
    audit kinds
    expect "what is no file is passed by" 0 '1 file: 1 with AMD'
    for kind in pipe socket dangling loop; do
        audit "kinds/$kind"
        expect "a $kind that is named" 2 'could not be read'
    done
    audit /dev/zero
    expect "a device that is named" 2 'could not be read\|not a regular file\|No AMD'
    rm -rf kinds
}

# As a user who may not read everything.
permissions() {
    local as=(setpriv --reuid 65534 --regid 65534 --clear-groups)

    mkdir -p shut/closed shut/blind
    cp "$fx/good-gfx90a.co" shut/good.co
    cp "$fx/good-gfx90a.co" shut/secret.co
    cp "$fx/good-gfx90a.co" shut/closed/inside.co
    cp "$fx/good-gfx90a.co" shut/blind/inside.co
    ln -s closed/inside.co shut/link
    chmod 000 shut/closed shut/secret.co
    chmod 444 shut/blind
    if [ "$(id -u)" -ne 0 ]; then
        as=()
    elif ! "${as[@]}" true 2>/dev/null; then
        skip "permissions" "root cannot become another user here"
        return
    fi
    timeout 10 "${as[@]}" "$work/rocaudit" --runtime 7.1 --gpu gfx90a -v shut \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    expect "what may not be read is told, each by its name" 2 'Permission denied' \
        'closed could not' 'secret.co could not' 'blind/inside.co could not' \
        'link could not' '^fits'
    chmod -R u+rwx shut
    rm -rf shut
}

# ---- changes ------------------------------------------------------------------------

# tampered HOW AT FILE: an audit of a copy of it in tree, which changes meanwhile.
tampered() {
    rm -rf tree && mkdir tree
    cp "$3" "tree/$(basename "$3")"
    touch -d 2020-01-01 tree/*
    TAMPER=$1 TAMPER_AT=$2 TAMPER_FILE=tree/$(basename "$3") LD_PRELOAD=$build/tamper.so \
        timeout 10 "$work/rocaudit" --runtime 7.1 --gpu gfx90a -j1 tree \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# Before each of its reads. The first is before its size is asked for: it is read as it
# is then, which is well where it only grew.
changes_of() { # FILE
    local name how at bad

    name=$(basename "$1")
    for how in shrink grow touch replace; do
        bad=
        for ((at = 1; at < 10000; at++)); do
            tampered $how $at "$1"
            grep -q tampered err || break
            case $how in
            replace) [ $status -eq 0 ] || bad+=" $at" ;;
            *)
                [ $at -eq 1 ] && [ "$how" != shrink ] && continue
                if [ $status -ne 2 ]; then
                    bad+=" $at"
                elif [ $at -gt 1 ] && ! grep -q 'D002' out; then
                    bad+=" $at"
                fi
                ;;
            esac
        done
        if [ $at -le 2 ] || [ -n "$bad" ]; then
            fail "$name that is changed ($how)" "before read ${bad:-none}"
        else
            echo "$name: $how before each of $((at - 1)) reads"
            pass
        fi
    done
}

changes() {
    (cd "$work" && mkdir -p foo && cp "$fx/good-two-targets.so" foo &&
        python3 -m zipfile -c foo-1.5-py3-none-any.whl foo/good-two-targets.so)
    tampered none 1 "$fx/good-two-targets.so"
    expect "nobody changes it" 0
    changes_of "$fx/good-two-targets.so"
    changes_of "$fx/good-ccob-v3-zstd.fb"
    changes_of "$fx/good-gfx90a.co"
    changes_of "$work/foo-1.5-py3-none-any.whl"
    for how in remove folder pipe; do
        tampered $how 0 "$fx/good-gfx90a.co"
        expect "between walk and look: $how" 2 'good-gfx90a.co could not be read'
    done
}

lengths
names
kinds
permissions
changes
tally
