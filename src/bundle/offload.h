/*
 * offload.h - one blob of LLVM's OffloadBinary: device images, each with what it is for.
 *
 * A blob starts with a header, which says where the entries are; each names its image
 * and a list of strings, of which "triple" and "arch" matter here. Version 1 holds one
 * image, version 2 any number. In version 3 all that follows the header may be
 * compressed; offsets then count from the start of the blob as if it were not.
 *
 * Spec: llvm/Object/OffloadBinary.h and lib/Object/OffloadBinary.cpp, versions 1 to 3.
 */
#ifndef RA_OFFLOAD_H
#define RA_OFFLOAD_H

#include "codec/decoder.h"

#define RA_OFFLOAD_PROBE       32 /* bytes that ra_offload_probe() looks at */
#define RA_OFFLOAD_MAX_IMAGES  4096
#define RA_OFFLOAD_MAX_STRINGS 64 /* of an image */
#define RA_OFFLOAD_MAX_TEXT    1024

/** Who asked for an image: the language, as bits. */
enum {
    RA_OFFLOAD_OPENMP = 1,
    RA_OFFLOAD_CUDA = 2,
    RA_OFFLOAD_HIP = 4,
    RA_OFFLOAD_SYCL = 8,
};

/** The header of a blob. */
struct ra_offload {
    unsigned version; /**< 1 to 3 */
    uint64_t size;    /**< bytes of the blob as it is stored, header and all */
    uint64_t
        expanded; /**< bytes of the whole blob, were it not compressed; 0: it is not */
    uint64_t entries;    /**< offset of the entries; of a compressed blob, of its data */
    uint64_t count;      /**< of entries; not checked against a limit yet */
    enum ra_codec codec; /**< RA_CODEC_STORED: not compressed */
};

struct ra_offload_image {
    unsigned kind;         /**< by the name of the file it came from: do not rely on it */
    unsigned producer;     /**< RA_OFFLOAD_HIP, ...: bits, as stored */
    uint32_t flags;        /**< as stored */
    bool metadata_only;    /**< there are strings, and no image */
    uint64_t offset, size; /**< from the start of the blob, compressed or not */
    struct ra_span triple; /**< raw bytes, in the arena; empty if it has none */
    struct ra_span arch;   /**< the same: a target ID, "gfx90a:xnack+" */
};

struct ra_offload_table {
    struct ra_offload_image *images; /**< in the order of the entries */
    size_t count;
};

/** True if `head` starts with magic, a version that exists and sizes that can be. */
bool ra_offload_probe(struct ra_span head);

/** True also for versions to come, and for sizes that cannot be. */
bool ra_offload_resembles(struct ra_span head);

/**
 * Read the header at the start of `source`. Versions 1 and 2 have 32 bytes of it, and no
 * more are looked at.
 *
 * @param source  may be longer than the blob
 * @return RA_OK; RA_E_FORMAT if damaged or longer than `source`; RA_E_UNSUPPORTED if of
 *         an unknown version; all told
 */
RA_MUST_CHECK enum ra_status ra_offload_read(const struct ra_source *source,
                                             struct ra_diags *diags,
                                             struct ra_offload *ret);

/** Where byte 0 of what holds the entries is, from the start of the blob. */
uint64_t ra_offload_shift(const struct ra_offload *offload);

/**
 * Read what the header points to.
 *
 * @param content  the blob; of a compressed one, what its data expand to, which starts
 *                 at ra_offload_shift(). Read forward, and held up to the first image.
 * @return RA_OK, images inside `content` and sharing no bytes; RA_E_FORMAT or RA_E_LIMIT
 *         (told)
 */
RA_MUST_CHECK enum ra_status ra_offload_images(const struct ra_offload *offload,
                                               const struct ra_source *content,
                                               struct ra_arena *arena,
                                               struct ra_diags *diags,
                                               struct ra_offload_table *ret);

/** "openmp", "cuda", "hip", "sycl"; "other" for none or several of them. Static. */
const char *ra_offload_word(const struct ra_offload_image *image);

/** Whether the triple is one of AMD's: amdgcn, amdgpu with any subarch, SPIR-V of AMD. */
bool ra_offload_is_amd(const struct ra_offload_image *image);

#endif
