#!/bin/sh
# What the library may not call, keep or export: symbols.sh BUILD-FOLDER
set -u
archive=$1/librocaudit.a
shared=$1/librocaudit.so.0
bad=0

complain() { # what names: each name of the list is one fault
    [ -z "$2" ] && return
    echo "$1: $(echo "$2" | tr '\n' ' ')"
    bad=1
}

# Ends or takes over the process, prints, starts or loads something, keeps
# state between calls, or writes without knowing how much fits.
banned='exit|_exit|_Exit|quick_exit|abort|atexit|signal|sigaction|raise|kill'
banned="$banned|v?f?printf|v?dprintf|f?puts|f?putc|putchar|fwrite|perror|psignal"
banned="$banned|v?(err|errx|warn|warnx)|syslog|std(out|err|in)|set(env|locale)|putenv"
banned="$banned|v?fork|exec[lv].*|posix_spawnp?|popen|system|dlm?open|dlsym"
banned="$banned|st[rp]cpy|str(cat|ncpy|ncat|tok)|v?sprintf|ato(i|l|ll|f)|gets|alloca"
banned="$banned|v?f?scanf|tmpnam|mktemp|gmtime|localtime|ctime|asctime|s?rand"

for library in "$archive" "$shared"; do
    [ -f "$library" ] || { echo "$library does not exist" && exit 1; }
done

# Fortified calls are the same calls: __printf_chk is printf.
calls=$(nm -u "$archive" | awk 'NF == 2 { print $2 }' |
    sed -e 's/^__\(.*\)_chk$/\1/' -e 's/^__isoc[0-9]*_//' | sort -u)
complain 'the library may not use' "$(echo "$calls" | grep -xE "$banned")"

# Tables of pointers lie in .data.rel.ro, which the loader makes read-only.
complain 'globals that can change' "$(nm -f sysv "$archive" | tr -d ' ' |
    awk -F'|' '$7 ~ /^\.data\.rel\.ro/ { next }
        $7 ~ /^(\*COM\*|\.(data|bss|tdata|tbss))/ { print $1 }')"

public=$(sed -e 's|/\*\*.*||' -e '/^ \*/d' -e /^typedef/d include/rocaudit.h |
    grep -oE '\bra_[a-z0-9_]+\(' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '{ print $3 }' | sort -u)
[ -n "$public" ] || complain 'no function found in' include/rocaudit.h
both=$(printf '%s\n%s\n' "$public" "$exported" | sort | uniq -d)
complain 'exported, but not in rocaudit.h' \
    "$(printf '%s\n%s\n' "$both" "$exported" | sort | uniq -u)"
complain 'in rocaudit.h, but not exported' \
    "$(printf '%s\n%s\n' "$both" "$public" | sort | uniq -u)"
exit $bad
