/*
 * siblings.h - code objects in files of their own, one for each target.
 *
 * rocBLAS, hipBLASLt, MIOpen, aiter and others open the file or the folder that is named
 * by the GPU. Those of other GPUs beside it are never loaded, and no fault. The same
 * holds of .kpack archives of one group in a folder.
 */
#ifndef RA_SIBLINGS_H
#define RA_SIBLINGS_H

#include "base/base.h"

/**
 * Lower the verdict of files that are missing for a GPU to a note, where they are named
 * by another target and one that serves the GPU is named so beside them.
 *
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_siblings_excuse(const struct ra_file *files,
                                                size_t count);

#endif
