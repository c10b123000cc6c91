# Each that is wrong is exit status 3, with one sentence on standard error.
try() {
    rocaudit check "$@" 2>&1 >/dev/null | head -n 1
    rocaudit check "$@" >/dev/null 2>&1
    echo "exit $?"
}
unset PYTORCH_ROCM_ARCH
try good-gfx90a.co
try --require gfx90a
try --require gfx90aa good-gfx90a.co
try --require ' ; ' good-gfx90a.co
try --require gfx1030:xnack+ good-gfx90a.co
try --require amdgcnspirv good-gfx90a.co
try --require gfx90a --forbid gfx80 good-gfx90a.co
try --require gfx90a --gpu gfx90a good-gfx90a.co
try --require-env PYTORCH_ROCM_ARCH good-gfx90a.co
export PYTORCH_ROCM_ARCH=
try --require-env PYTORCH_ROCM_ARCH good-gfx90a.co
export PYTORCH_ROCM_ARCH='gfx90a;gfx94'
try --require-env PYTORCH_ROCM_ARCH good-gfx90a.co
export PYTORCH_ROCM_ARCH='gfx90a;gfx942'
try --require-env PYTORCH_ROCM_ARCH good-gfx90a.co
export PYTORCH_ROCM_ARCH='gfx90a'
try --require-env PYTORCH_ROCM_ARCH --follow-editable good-gfx90a.co
