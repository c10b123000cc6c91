#!/bin/sh
# Every diagnostic, rule and option stands in the man page and in a test, and every
# function of the header in the page of the library.
#
# tables.sh BUILD-FOLDER
set -u
page=man/rocaudit.1
program=$1/rocaudit
bad=0

complain() {
    echo "$*"
    bad=1
}

# Rows KIND(CODE, "number", "name", of a table, as lines "CODE number name".
rows() { # kind file
    tr '\n' ' ' <"$2" | grep -oE "$1\([A-Z0-9_]+, *\"[A-Z]+[0-9]+\", *\"[a-z0-9-]+\"" |
        sed -e "s/^$1(//" -e 's/[",]//g'
}

in_page() { # word, as it reads once roff's backslashes are gone
    tr -d '\134' <"$page" | grep -qE -- "(^|[^a-zA-Z0-9-])$1($|[^a-zA-Z0-9-])"
}

in_tests() { # regular expression
    grep -qrE --include='*.c' --include='*.sh' --include='*.stdout' --include='*.stderr' \
        -- "$1" tests/unit tests/cli
}

check_table() { # kind file
    [ -f "$2" ] || { complain "$2 does not exist" && return; }
    found=$(rows "$1" "$2")
    [ "$(echo "$found" | wc -l)" -eq "$(grep -cE "^$1\([A-Z]" "$2")" ] ||
        complain "$2: a row that does not read $1(CODE, \"number\", \"name\", ...)"
    double=$(echo "$found" | tr ' ' '\n' | sort | uniq -d | tr '\n' ' ')
    [ -z "$double" ] || complain "$2: twice: $double"
    while read -r code number name; do
        for word in "$number" "$name"; do
            in_page "$word" || complain "$page does not tell of $number $name: $word"
        done
        in_tests "\b($number|$name|RA_$1_$code)\b|assert_told\(.*\b$code\b" ||
            complain "no test provokes $number $name"
    done <<END
$found
END
}

# "-j --jobs", an option a line. The help is made from the option table: it lists all.
options() {
    "$program" --help | sed -n 's/^ \{2,\}\(-[^ ,=]*\),* *\(--[^ =]*\)*.*/\1 \2/p'
}

check_options() {
    found=$(options)
    [ -n "$found" ] || complain "$program --help lists no option"
    while read -r spellings; do
        for option in $spellings; do
            in_page "(-|Fl +)${option#-}" || complain "$page does not tell of $option"
        done
        any=$(echo "$spellings" | sed 's/ /|/')
        grep -qE -- "(^|[^a-z-])($any)($|[^a-z-])" tests/cli/*.sh ||
            complain "no case in tests/cli uses $spellings"
    done <<END
$found
END
}

check_functions() { # header page
    found=$(grep -oE '\bra_[a-z_]+\(' "$1" | tr -d '(' | sort -u)
    [ -n "$found" ] || complain "$1 declares no function"
    for name in $found; do
        grep -qE "^\.F[no] $name( |\$)" "$2" || complain "$2 does not tell of $name"
    done
}

[ -f "$page" ] || { echo "$page does not exist" && exit 1; }
check_table DIAG src/base/diag.def
check_table RULE src/audit/rules.def
check_options
check_functions include/rocaudit.h man/librocaudit.3
exit $bad
