#!/bin/sh
# No function over 100 lines or over complexity 25.
find src tests fixtures -name '*.c' -print0 | xargs -0 pmccabe | awk '
    $1 > 25 || $5 > 100 { print $6, $7 ": " $5 " lines, complexity " $1; bad = 1 }
    END { exit bad || NR == 0 }'
