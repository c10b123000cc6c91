# Each is exit status 3, with one sentence on standard error.
try() {
    rocaudit "$@" 2>&1 >/dev/null | head -n 1
    rocaudit "$@" >/dev/null 2>&1
    echo "exit $?"
}
try
try --nonsense good-gfx90a.co
try --gpu gfx9999 good-gfx90a.co
try --gpu gfx11-generic good-gfx90a.co
try --gpu gfx1030:xnack+ good-gfx90a.co
try --format xml good-gfx90a.co
try --gpu
try -j zero good-gfx90a.co
try ls --gpu gfx90a good-gfx90a.co
try ls
try --rocm no-such-folder --gpu gfx90a good-gfx90a.co
