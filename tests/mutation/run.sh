#!/bin/bash
# Do the tests notice? Flips one comparison at a time in the code that decides, and runs
# the unit tests on each.
#
# mutation/run.sh BUILD-FOLDER [EVERY]
#
# Works in a copy of the tree below BUILD-FOLDER. EVERY: take each EVERY-th comparison of
# a file (default 16). Prints a line a mutant: killed, or SURVIVED with the line of code.
set -u
build=$(cd "$1" && pwd)/mutation
every=${2:-16}
files="src/audit/judge.c src/audit/verdict.c src/bundle/ccob.c src/bundle/table.c
    src/bundle/fatbin.c src/bundle/entryid.c src/gfx/target.c src/gfx/codeobj.c
    src/gfx/kernels.c src/gfx/descriptor.c src/gfx/image.c src/gfx/metadata.c"
killed=0
survived=0

# The file with its NUMBER-th comparison flipped; the line that changed on stderr. Fails
# if there are not so many. Includes, comments and shifts are left alone.
flip() { # file number
    awk -v wanted="$2" '
        function other(operator) {
            if (operator == "==") return "!="
            if (operator == "!=") return "=="
            if (operator == "<=") return "<"
            if (operator == ">=") return ">"
            if (operator == "<") return "<="
            if (operator == ">") return ">="
            return operator == "&&" ? "||" : "&&"
        }
        /^ *(\/\*|\*)|^#/ { print; next }
        {
            rest = $0
            done = ""
            while (match(rest, / (==|!=|<=|>=|<|>|&&|\|\|)( |$)/)) {
                operator = substr(rest, RSTART + 1, RLENGTH - 1)
                sub(/ $/, "", operator)
                done = done substr(rest, 1, RSTART)
                rest = substr(rest, RSTART + 1 + length(operator))
                if (++count == wanted) {
                    operator = other(operator)
                    flipped = FNR ": " $0
                }
                done = done operator
            }
            print done rest
        }
        END {
            if (flipped == "") exit 1
            print flipped > "/dev/stderr"
        }' "$1"
}

rm -rf "$build"
mkdir -p "$build/tree"
cp -r Makefile include src fixtures tests "$build/tree"
cd "$build/tree" || exit 1
# With sanitizers, because a loop that goes one too far is noticed by nothing else.
build_unit() {
    make B="$build/b" SAN=address,undefined CFLAGS='-O1' "$build/b/unit"
}

# The suites of the files above, and those that run the whole; not the slow ones of poking.
suites="judge|verdict|rules|exit|rocaudit|scan|bundles|ccob|table|fatbin|entryid"
suites="$suites|target|codeobj|kernels|descriptor|image|metadata"

build_unit >/dev/null || exit 1

for file in $files; do
    cp "$file" "$build/original"
    number=$every
    while line=$(flip "$build/original" "$number" 2>&1 >"$file"); do
        if ! build_unit >/dev/null 2>&1; then
            echo "no build  $file:$line"
        elif timeout 300 "$build/b/unit" --jobs 2 --fail-fast \
            --filter "+($suites)/*" >/dev/null 2>&1; then
            echo "SURVIVED  $file:$line"
            survived=$((survived + 1))
        else
            echo "killed    $file:$line"
            killed=$((killed + 1))
        fi
        number=$((number + every))
    done
    cp "$build/original" "$file"
done
echo "$killed killed, $survived survived"
