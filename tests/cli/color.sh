# Colour is for terminals and on request; JSON has none.
lines() { # option...
    rocaudit "$@" --runtime 10.0 --gpu gfx1031 good-two-targets.so >"$OUT/answer"
    grep -q "$(printf '\033')" "$OUT/answer" && echo "$*: colour" || echo "$*: none"
}
lines --color always
lines --color never
lines --color auto
lines --color always --format json
