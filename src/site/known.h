/* known.h - what is known of packages and files by their names, or their first bytes. */
#ifndef RA_KNOWN_H
#define RA_KNOWN_H

#include "base/cursor.h"

/** Why a package has no device code of its own: "compiles its kernels with hiprtc", to
 *  stand behind its name; NULL: nothing is known of that sort. Static. */
const char *ra_site_jit(const char *package);

/** Whether a file, which may have a path before it, is a library that compiles device
 *  code: it names all processors, and needs code for none. */
bool ra_site_is_compiler(const char *file);

/**
 * Whether the name of a package or a file says that it is for AMD GPUs: that it has no
 * code for any is then worth a word. "hip" and "amd" count as words only.
 */
bool ra_site_promises_rocm(const char *name);

/** Whether a file that starts so stands for one that Git LFS was to bring. */
bool ra_site_is_lfs_pointer(struct ra_span head);

/** Whether a tool left the file when it took a bundle apart: libfoo.so.0.hipv4-amdgcn-...
 */
bool ra_site_is_leftover(const char *file);

#endif
