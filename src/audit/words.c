/* words.c - the public names of verdicts and kinds of files. */
#include "base/base.h"

const char *ra_verdict_name(enum ra_verdict_kind kind)
{
    static const char *const names[] = {
        [RA_NONE] = "none",
        [RA_NATIVE] = "native",
        [RA_GENERIC] = "generic",
        [RA_JIT] = "jit",
        [RA_UNDECIDED] = "undecided",
        [RA_PARTIAL] = "partial",
        [RA_MISSING] = "missing",
        [RA_FEATURE_MISMATCH] = "feature-mismatch",
        [RA_UNLOADABLE] = "unloadable",
    };

    return names[kind];
}

const char *ra_kind_name(enum ra_kind kind)
{
    static const char *const names[RA_KINDS] = {
        [RA_KIND_OTHER] = "other",     [RA_KIND_ELF] = "elf",
        [RA_KIND_BUNDLE] = "bundle",   [RA_KIND_CODE_OBJECT] = "code-object",
        [RA_KIND_CUDA] = "cuda-only",  [RA_KIND_RUNTIME] = "runtime-internal",
        [RA_KIND_KPACK] = "kpack",     [RA_KIND_ARCHIVE] = "archive",
        [RA_KIND_WINDOWS] = "windows", [RA_KIND_UNREADABLE] = "unreadable",
    };

    return names[kind];
}
