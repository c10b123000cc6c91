# Partial on purpose is a warning to an audit, and an error to a gate unless it is allowed.
rocaudit --runtime 7.1 --gpu gfx1100 -q good-partial-on-purpose.so
echo "exit $?"
try() {
    rocaudit check --runtime 7.1 --require gfx1100,gfx942 -q "$@"
    echo "exit $?"
}
try good-partial-on-purpose.so
try --allow-partial 'lib*' good-partial-on-purpose.so
try --allow-partial 'good-partial-*' good-partial-on-purpose.so
try --allow-partial 'good-partial-*' good-partial-on-purpose.so good-bare-gfx942.so
try --allow-partial '*' good-partial-on-purpose.so good-bare-gfx942.so
try --allow-partial 'good-partial-*' good-partial-on-purpose.so good-two-targets.so
