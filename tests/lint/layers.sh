#!/bin/sh
# A folder of src includes only what src/LAYERS allows it, and the headers of a
# third party only stand behind their one door.
set -u
bad=0

complain() {
    echo "$*"
    bad=1
}

allowed() { # folder: those it may include, and itself
    echo "$1 $(sed -n "s/^$1: *//p" src/LAYERS)"
}

includes() { # file: what it includes in quotes
    sed -n 's/^ *# *include *"\(.*\)".*/\1/p' "$1"
}

check_file() { # file
    folder=${1#src/}
    folder=${folder%%/*}
    for header in $(includes "$1"); do
        case $header in
        [a-z]*/[a-z]*) ;;
        *) complain "$1: write \"folder/x.h\", not \"$header\"" ;;
        esac
        case " $(allowed "$folder") " in
        *" ${header%%/*} "*) ;;
        *) complain "$1: src/LAYERS does not let $folder include $header" ;;
        esac
    done
}

users() { # header
    grep -lE "^ *# *include *[<\"]${1}[>\"]" src/*/*.[ch]
}

door() { # file header...
    only=$1
    shift
    for header in "$@"; do
        others=$(users "$header" | grep -vxF "$only")
        [ -z "$others" ] || complain "<$header> belongs in $only only, not in" "$others"
    done
    [ -f "$only" ] || complain "$only: a door that does not exist"
}

for folder in src/*/; do
    folder=$(basename "$folder")
    grep -q "^$folder:" src/LAYERS || complain "src/$folder has no line in src/LAYERS"
done
for file in src/*/*.[ch]; do
    check_file "$file"
done
# tsort refuses a circle.
sed 's/://' src/LAYERS | awk '!/^#/ { for (i = 2; i <= NF; i++) print $1, $i }' |
    tsort >/dev/null || complain "src/LAYERS goes in a circle"

# Files are never mapped; expansion takes pages of its own.
door src/codec/workspace.c sys/mman.h
door src/elf/record.h libelf.h gelf.h
door src/codec/zstd.c zstd.h zstd_errors.h
door src/codec/deflate.c zlib.h
door src/codec/digest.c md5.h sha2.h
door src/codec/msgpack.c msgpack.h
door src/codec/yaml.c yaml.h
door src/container/archive.c archive.h archive_entry.h
exit $bad
