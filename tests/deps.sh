#!/bin/sh
# Installs the Debian packages that a need calls for, those that are missing only.
#
# deps.sh [-n] NEED...      build, check, clang, oracle, real, conformance, ci or bench;
#                           -n says what it would do
#
# Clang 22 is not in every release's archive: where apt does not know it, that is
# told and left out, and the tests that need it say skipped.
set -u

packages() {
    case $1 in
    build)
        echo gcc libc6-dev libelf-dev libarchive-dev libmsgpack-dev libzstd-dev
        echo zlib1g-dev libmd-dev libyaml-dev
        ;;
    check)
        packages build
        echo libcriterion-dev clang-format-22 pmccabe mandoc shellcheck
        echo valgrind zstd python3
        ;;
    clang) echo clang-22 lld-22 llvm-22 clang-tools-22 libclang-rt-22-dev ;;
    ci)
        packages check
        packages clang
        echo xz-utils python3-msgpack librocsparse0 librocrand1 libamdhip64-5 libamd-comgr2
        echo libhsa-runtime64-1 libhiprtc-builtins5
        packages oracle
        packages real
        packages conformance
        ;;
    oracle)
        echo libhsa-runtime64-1 libamdhip64-5 libamd-comgr2 libhsa-runtime-dev
        echo libhsakmt-dev libamdhip64-dev libamd-comgr-dev python3 clang-tools-22
        ;;
    real) echo python3 python3-pip ;;
    conformance)
        packages build
        packages clang
        echo binutils python3 python3-msgpack hipcc clang-14 libamdhip64-5
        echo libamd-comgr2
        ;;
    bench)
        packages build
        echo hipcc libarchive-tools librocrand1
        ;;
    *)
        echo "deps.sh: $1 is not one of build, check, clang, oracle, real, conformance," \
            "ci, bench" >&2
        return 1
        ;;
    esac
}

is_installed() {
    dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed$'
}

is_known() {
    apt-cache show "$1" >/dev/null 2>&1
}

as_root() { # command...: its output is shown if it fails
    log=$(mktemp)
    $sudo env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null
    status=$?
    [ $status -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return $status
}

update() {
    as_root apt-get -qq -o DPkg::Lock::Timeout=300 update
}

install() { # package...
    as_root apt-get -qq -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
}

dry=false
if [ "${1-}" = -n ]; then
    dry=true
    shift
fi
missing=
for need in "$@"; do
    wanted=$(packages "$need") || exit 1
    for package in $wanted; do
        case " $missing " in *" $package "*) continue ;; esac
        { command -v dpkg >/dev/null && is_installed "$package"; } ||
            missing="$missing $package"
    done
done
missing=${missing# }
[ -n "$missing" ] || exit 0
if $dry; then
    echo "apt-get install --no-install-recommends $missing"
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "deps.sh: no apt-get here; going on without looking for: $missing" >&2
    exit 0
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: packages are missing; as root, run:" >&2
        echo "apt-get update && apt-get install --no-install-recommends $missing" >&2
        exit 1
    fi
fi
for package in $missing; do
    is_known "$package" && continue
    update || exit 1
    break
done
known=
for package in $missing; do
    case $package in
    *-22 | *-22-*)
        if ! is_known "$package"; then
            echo "deps.sh: apt knows no $package; what needs it is skipped" >&2
            continue
        fi
        ;;
    esac
    known="$known $package"
done
[ -n "$known" ] || exit 0
echo "deps.sh: installing$known" >&2
# Old lists name versions that are gone: then a second try with new ones.
# shellcheck disable=SC2086
install $known 2>/dev/null || { update && install $known; }
