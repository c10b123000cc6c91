#!/bin/bash
# growth.sh WORK - what each more costs: of bundles, kernels, files and members, 1, 2, 4
# and 8 times as many.
#
# WORK is a folder that holds measure; $B holds rocaudit and what it was made of,
# $LIBS is what that is linked with. RUNS turns, 3 if not set. Prints processor seconds,
# which other programs disturb least, and what one of them costs against the first row;
# an exclamation mark where that is more than 15 percent above. Judges nothing. Needs
# some 500 MB.
set -eu

work=$1
runs=${RUNS:-3}

mapfile -t objects < <(find "$B/fixtures/gen" -name '*.o' ! -name 'mk*')
read -ra libs <<<"${LIBS:?}"
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 -Iinclude -Isrc -Ifixtures -o "$work/mkgrowth" \
    tests/bench/mkgrowth.c "${objects[@]}" "$B/librocaudit.a" "${libs[@]}"

# grow HEADING WHAT COUNT SUFFIX: WHAT is what mkgrowth calls it.
grow() {
    local heading=$1 what=$2 count=$3 suffix=$4 times commands=()

    for times in 1 2 4 8; do
        "$work/mkgrowth" "$what" $((count * times)) "$work/$what-$times$suffix"
        commands+=($((count * times))
            "$B/rocaudit --gpu gfx90a -j1 $work/$what-$times$suffix >/dev/null")
    done
    printf '\n%s, rocaudit -j1\n' "$heading"
    "$work/measure" "$runs" "${commands[@]}" | awk -F '\t' '
        NR == 1 { base = $4 / $1 }
        {
            each = $4 / $1 / base
            printf "  %10d %26.3f s  %6.2f x each%s %7.1f MiB\n", $1, $4, each, \
                (each > 1.15 ? " !" : "  "), $3 / 1024
        }'
    rm -r "${work:?}/$what"-*
}

grow "bundles in a library" bundles 1000 .so
grow "kernels in a code object" kernels 40000 .co
grow "libraries in a folder" files 1500 ''
grow "libraries in a wheel" members 1500 -1-py3-none-any.whl
