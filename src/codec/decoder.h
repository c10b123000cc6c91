/*
 * decoder.h - compressed bytes of a source, decoded forward into the caller's memory.
 *
 * Besides the caller's buffer a decoder holds one window of input and what the format
 * itself looks back at (zstd: up to 2^RA_DECODER_WINDOW_LOG). It can end with its
 * frame, so it can tell where data without a length field ends.
 */
#ifndef RA_DECODER_H
#define RA_DECODER_H

#include "codec/workspace.h"
#include "io/source.h"

#define RA_DECODER_INPUT      ((size_t)128 * 1024) /* a zstd block, ZSTD_BLOCKSIZE_MAX */
#define RA_DECODER_WINDOW_LOG 27                   /* what clang's long mode writes */

enum ra_codec { RA_CODEC_STORED, RA_CODEC_DEFLATE, RA_CODEC_ZSTD, RA_CODEC_GZIP };

struct ra_decoder {
    const struct ra_decoder_ops *ops;
    struct ra_source source;
    struct ra_diags *diags;
    struct ra_workspace *workspace;
    bool one_frame;       /**< end with the first frame that holds anything */
    bool ended;           /**< there is nothing more to decode */
    void *state;          /**< the codec's own, made when it opens */
    void *context;        /**< given to ra_decoder_open_as() */
    uint64_t read;        /**< bytes of the source that went into `input` so far */
    uint64_t made;        /**< bytes decoded so far */
    bool in_frame;        /**< zstd only, as what follows: a frame has begun */
    uint64_t frame_start; /**< `made` when it did */
    uint64_t frame_size;  /**< bytes it says it holds; UINT64_MAX if it does not say */
    struct ra_span input; /**< read, but not yet decoded */
    uint8_t in[RA_DECODER_INPUT];
};

/** Decoded so far of the caller's buffer. */
struct ra_output {
    uint8_t *data;
    size_t size, made;
};

/** What a codec library has to offer; one file each. */
struct ra_decoder_ops {
    enum ra_status (*open)(struct ra_decoder *decoder);
    /** Decode some of `input` into `out`; `*frame_ended` after the last byte of one. */
    enum ra_status (*step)(struct ra_decoder *decoder, struct ra_output *out,
                           bool *frame_ended);
    void (*close)(struct ra_decoder *decoder);
};

extern const struct ra_decoder_ops ra_decoder_deflate, ra_decoder_gzip, ra_decoder_zstd;

/** What the first frame says of itself. */
struct ra_frame {
    bool known;       /**< the header could be read at all */
    bool has_content; /**< it says how much it expands to */
    uint64_t content; /**< bytes */
    uint64_t window;  /**< bytes it looks back at */
};

/** Read the head of the first frame of `source`; deflate has nothing to say. */
RA_MUST_CHECK enum ra_status ra_frame_read(enum ra_codec codec,
                                           const struct ra_source *source,
                                           struct ra_diags *diags, struct ra_frame *ret);

/**
 * Start at the first byte of `source`.
 *
 * @param one_frame  the source may be longer than the frame
 */
RA_MUST_CHECK enum ra_status
ra_decoder_open(enum ra_codec codec, const struct ra_source *source, bool one_frame,
                struct ra_workspace *workspace, struct ra_diags *diags,
                struct ra_decoder **ret);

/** The same by way of `ops`, which find `context` in the decoder. */
RA_MUST_CHECK enum ra_status
ra_decoder_open_as(const struct ra_decoder_ops *ops, void *context,
                   const struct ra_source *source, struct ra_workspace *workspace,
                   struct ra_diags *diags, struct ra_decoder **ret);
void ra_decoder_close(struct ra_decoder *decoder);

/**
 * The next `size` bytes into `data`.
 *
 * @param made  bytes decoded: fewer than `size` only at the end
 * @return RA_OK; RA_E_FORMAT for damage or a source that ends inside a frame;
 *         RA_E_LIMIT for a look-back window above the limit (all told)
 */
RA_MUST_CHECK enum ra_status ra_decoder_read(struct ra_decoder *decoder, uint8_t *data,
                                             size_t size, size_t *made);

/** Bytes of the source decoded so far; at the end, the size of the frames. */
uint64_t ra_decoder_used(const struct ra_decoder *decoder);

/** For codecs: the first `count` bytes of `input` are decoded. */
void ra_decoder_consume(struct ra_decoder *decoder, size_t count);

/** For codecs: tell damage at the next byte of `input`. */
enum ra_status ra_decoder_damaged(struct ra_decoder *decoder, const char *why);

/* ---- zstd.c only ------------------------------------------------------------ */

/**
 * Decode all frames in `packed` at once, with no copy in between.
 *
 * @param place  where `packed` is, for damage
 * @param made   bytes written to `blob`
 * @return RA_OK; RA_E_FORMAT (told), RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_zstd_all(struct ra_workspace *workspace,
                                         struct ra_span packed, size_t room,
                                         struct ra_diags *diags, struct ra_place place,
                                         size_t *made);

struct ra_frame ra_zstd_frame(struct ra_span head);

void ra_zstd_context_free(void *context);

#endif
