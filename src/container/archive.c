#include "container/archive.h"

#include "codec/decoder.h"
#include "container/kind.h"
#include "container/met.h"
#include "container/stream.h"
#include "container/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define AR_MAGIC    8 /* bytes before the first header */
#define TAR_RECORD  512
#define XZ_HEAD     128 /* bytes that hold the headers of stream and first block */
#define XZ_WINDOW   ((uint64_t)64 << 20)
#define SAID        200                  /* bytes of what libarchive has to say */
#define SOUND_LIMIT ((uint64_t)64 << 20) /* decoded of what is no archive */

struct ra_archive {
    struct ra_source source;
    enum ra_archive_kind kind;
    struct ra_stream stream;
    struct ra_zip zip;
    struct archive *reader;
    struct archive_entry *filled; /* by the reader, which may lack one of its own */
    locale_t utf8;                /* what names are converted to; 0 if there is none */
    struct ra_met met;
    struct ra_diags *diags; /* of the archive */
    struct ra_diags *list;  /* of the list: the same, or `nobody` */
    struct ra_arena nobody_arena;
    struct ra_diags nobody;
    enum ra_status broken; /* sticks: there is no next member */
    bool ended;
    uint64_t decoded; /* bytes of all members */
    /* The current member, from here on. */
    struct ra_archive_member member;
    struct archive_entry *entry;
    const struct ra_zip_entry *record; /* of a zip */
    const char *damage;                /* what is wrong with it, or NULL */
    size_t count;                      /* members met, this one too */
    uint64_t header_at, data_at;       /* in the archive, if that is seekable */
    uint64_t pos;                      /* decoded of it */
    uint64_t hole;                     /* zeros to come first */
    struct ra_span block;              /* decoded, to be handed out after those */
    bool all;                          /* there is no block after that */
    bool opened;                       /* ra_archive_read() was asked for bytes */
    enum ra_status failed;             /* sticks, and was told */
    size_t head_size, head_read;       /* bytes of `head`; handed out once more */
    uint8_t head[RA_ARCHIVE_HEAD];
};

static struct ra_place place(const struct ra_archive *archive, uint64_t offset)
{
    return ra_source_place(&archive->source,
                           ra_archive_is_seekable(archive) ? offset : 0);
}

static enum ra_status bad_list(struct ra_archive *archive, const char *what)
{
    archive->broken = ra_fault(archive->list, RA_E_FORMAT, RA_DIAG_ARCHIVE_BAD,
                               place(archive, archive->header_at), "%s", what);
    return archive->broken;
}

/* Some of its texts end with a line, which is ours to end. */
static const char *said(struct archive *reader, char ret[static SAID])
{
    const char *text = archive_error_string(reader);

    snprintf(ret, SAID, "%s", text ? text : "it cannot be read");
    ret[strcspn(ret, "\n")] = '\0';
    return ret;
}

/* Not all of it says so when memory is short. errno was 0 before it was called. */
static bool lacks_memory(struct archive *reader)
{
    return archive_errno(reader) == ENOMEM || errno == ENOMEM;
}

/* What libarchive said, or what made it say that. */
static enum ra_status failed_list(struct ra_archive *archive)
{
    char text[SAID];

    archive->broken = archive->stream.failed;
    if (archive->broken != RA_OK)
        return archive->broken;
    if (lacks_memory(archive->reader))
        return archive->broken = RA_E_NOMEM;
    return bad_list(archive, said(archive->reader, text));
}

/* ---- xz and bzip2 ----------------------------------------------------------- */

/* A stream of libarchive's own, as other codecs have one. */
struct filter {
    struct archive *reader;
    uint8_t in[RA_STREAM_BLOCK];
    uint64_t at;
    bool started;
    enum ra_status failed;
};

static la_ssize_t filter_input(struct archive *reader, void *data, const void **bytes)
{
    struct ra_decoder *decoder = data;
    struct filter *filter = decoder->state;
    struct ra_span span;

    (void)reader;
    filter->failed = ra_source_peek(&decoder->source, filter->at, sizeof(filter->in),
                                    decoder->diags, filter->in, &span);
    if (filter->failed != RA_OK)
        return ARCHIVE_FATAL;
    filter->at += span.size;
    *bytes = filter->in;
    return (la_ssize_t)span.size;
}

static void filter_close(struct ra_decoder *decoder)
{
    struct filter *filter = decoder->state;

    archive_read_free(filter->reader);
    free(filter);
}

static enum ra_status filter_failed(struct ra_decoder *decoder)
{
    struct filter *filter = decoder->state;
    char text[SAID];

    if (filter->failed != RA_OK)
        return filter->failed;
    if (lacks_memory(filter->reader))
        return RA_E_NOMEM;
    return ra_decoder_damaged(decoder, said(filter->reader, text));
}

/* Only those that the library decodes itself: others would start programs. */
static enum ra_status filter_prepare(struct ra_decoder *decoder, struct archive *reader)
{
    if (archive_read_support_filter_xz(reader) == ARCHIVE_OK &&
        archive_read_support_filter_bzip2(reader) == ARCHIVE_OK &&
        archive_read_support_format_raw(reader) == ARCHIVE_OK &&
        archive_read_support_format_empty(reader) == ARCHIVE_OK &&
        archive_read_set_read_callback(reader, filter_input) == ARCHIVE_OK &&
        archive_read_set_callback_data(reader, decoder) == ARCHIVE_OK)
        return RA_OK;
    filter_close(decoder);
    return RA_E_NOMEM; /* there is no other reason */
}

static enum ra_status filter_open(struct ra_decoder *decoder)
{
    struct filter *filter = malloc(sizeof(*filter));
    struct archive *reader = archive_read_new();

    if (!filter || !reader) {
        archive_read_free(reader);
        free(filter);
        return RA_E_NOMEM;
    }
    filter->reader = reader;
    filter->at = 0;
    filter->started = false;
    filter->failed = RA_OK;
    decoder->state = filter;
    return filter_prepare(decoder, reader);
}

/* The start is here, where a failure can be told as any other. */
static int filter_start(struct filter *filter)
{
    struct archive_entry *entry = archive_entry_new2(filter->reader);
    int code = entry ? archive_read_open1(filter->reader) : ARCHIVE_FATAL;

    if (code == ARCHIVE_OK)
        code = archive_read_next_header2(filter->reader, entry);
    archive_entry_free(entry);
    return code;
}

static enum ra_status filter_step(struct ra_decoder *decoder, struct ra_output *out,
                                  bool *frame_ended)
{
    struct filter *filter = decoder->state;
    la_ssize_t got = 0;
    int code;

    errno = 0;
    code = filter->started ? ARCHIVE_OK : filter_start(filter);
    if (code != ARCHIVE_OK && code != ARCHIVE_EOF)
        return filter_failed(decoder);
    if (archive_filter_count(filter->reader) > 2)
        return ra_decoder_damaged(decoder, "it is compressed more than once");
    filter->started = true;
    if (code == ARCHIVE_OK)
        got = archive_read_data(filter->reader, out->data + out->made,
                                out->size - out->made);
    if (got < 0)
        return filter_failed(decoder);
    out->made += (size_t)got;
    *frame_ended = got == 0;
    decoder->ended = got == 0;
    return RA_OK;
}

static const struct ra_decoder_ops filter_ops = {
    .open = filter_open,
    .step = filter_step,
    .close = filter_close,
};

/* ---- what libarchive calls -------------------------------------------------- */

static la_ssize_t on_read(struct archive *reader, void *data, const void **bytes)
{
    struct ra_archive *archive = data;
    struct ra_span block;

    if (ra_stream_next(&archive->stream, &block) != RA_OK) {
        archive_set_error(reader, EIO, "the source failed");
        return ARCHIVE_FATAL;
    }
    *bytes = block.data;
    return (la_ssize_t)block.size;
}

static la_int64_t on_skip(struct archive *reader, void *data, la_int64_t count)
{
    struct ra_archive *archive = data;

    (void)reader;
    return (la_int64_t)ra_stream_skip(&archive->stream, (uint64_t)count);
}

static la_int64_t on_seek(struct archive *reader, void *data, la_int64_t offset,
                          int whence)
{
    struct ra_archive *archive = data;
    uint64_t size = archive->source.size, start = 0;

    (void)reader;
    if (whence == SEEK_CUR)
        start = archive->stream.at;
    else if (whence == SEEK_END)
        start = size;
    if (offset < 0 ? start < -(uint64_t)offset : size - start < (uint64_t)offset)
        return ARCHIVE_FATAL;
    archive->stream.at = start + (uint64_t)offset;
    return (la_int64_t)archive->stream.at;
}

/* ---- open and close --------------------------------------------------------- */

static const struct ra_decoder_ops *decoder_of(enum ra_archive_kind kind)
{
    switch (kind) {
    case RA_ARCHIVE_GZIP:
        return &ra_decoder_gzip;
    case RA_ARCHIVE_ZSTD:
        return &ra_decoder_zstd;
    case RA_ARCHIVE_XZ:
    case RA_ARCHIVE_BZIP2:
        return &filter_ops;
    default:
        return NULL;
    }
}

static int support_format(const struct ra_archive *archive, struct archive *reader)
{
    if (archive->kind == RA_ARCHIVE_ZIP)
        return archive_read_support_format_zip_seekable(reader);
    if (archive->kind == RA_ARCHIVE_AR)
        return archive_read_support_format_ar(reader);
    return archive_read_support_format_tar(reader);
}

static bool prepare(struct ra_archive *archive, struct archive *reader)
{
    return support_format(archive, reader) == ARCHIVE_OK &&
           archive_read_set_read_callback(reader, on_read) == ARCHIVE_OK &&
           archive_read_set_skip_callback(reader, on_skip) == ARCHIVE_OK &&
           (archive->kind != RA_ARCHIVE_ZIP ||
            archive_read_set_seek_callback(reader, on_seek) == ARCHIVE_OK) &&
           archive_read_set_callback_data(reader, archive) == ARCHIVE_OK;
}

static enum ra_status start_reader(struct ra_archive *archive)
{
    struct archive *reader = archive_read_new();

    archive->reader = reader;
    archive->filled = archive_entry_new2(reader);
    if (!reader || !archive->filled || !prepare(archive, reader))
        return RA_E_NOMEM;
    errno = 0;
    if (archive_read_open1(reader) == ARCHIVE_OK)
        return RA_OK;
    if (archive->stream.failed == RA_OK && lacks_memory(reader))
        return RA_E_NOMEM;
    if (!archive->stream.decoder || archive->stream.failed != RA_OK)
        return failed_list(archive);
    /* Unless it is damaged, which only its sums tell. */
    if (ra_stream_drain(&archive->stream, SOUND_LIMIT) != RA_OK)
        return archive->stream.failed;
    return ra_fault(archive->diags, RA_E_UNSUPPORTED, RA_DIAG_NO_ARCHIVE,
                    place(archive, 0), "what is compressed is no tar");
}

/* Memory of a decoder is that of its window, and each handle has one. */
static enum ra_status check_window(struct ra_archive *archive, struct ra_span head)
{
    uint64_t window = archive->kind == RA_ARCHIVE_XZ ? ra_xz_window(head) : 0;

    if (window <= XZ_WINDOW)
        return RA_OK;
    return ra_fault(archive->diags, RA_E_LIMIT, RA_DIAG_CODEC_WINDOW, place(archive, 0),
                    "it looks back %" PRIu64 " bytes", window);
}

static enum ra_status check_kind(struct ra_archive *archive, struct ra_span head)
{
    archive->kind = ra_archive_kind(head);
    if (archive->kind == RA_ARCHIVE_THIN)
        return ra_fault(archive->diags, RA_E_UNSUPPORTED, RA_DIAG_ARCHIVE_UNREAD,
                        place(archive, 0),
                        "a thin library, whose members are files of their own");
    if (archive->kind == RA_ARCHIVE_NONE)
        return ra_fault(archive->diags, RA_E_FORMAT, RA_DIAG_ARCHIVE_BAD,
                        place(archive, 0), "it does not start as one");
    return check_window(archive, head);
}

static enum ra_status open_kind(struct ra_archive *archive)
{
    uint8_t bytes[RA_ARCHIVE_PROBE];
    struct ra_span head;
    enum ra_status status =
        ra_source_peek(&archive->source, 0, sizeof(bytes), archive->diags, bytes, &head);

    if (status == RA_OK)
        status = check_kind(archive, head);
    if (status == RA_OK && archive->kind == RA_ARCHIVE_ZIP)
        status = ra_zip_read(&archive->source, archive->diags, &archive->zip);
    if (status == RA_OK)
        status = ra_stream_open(&archive->source, decoder_of(archive->kind),
                                RA_ARCHIVE_LIMIT, archive->diags, &archive->stream);
    /* libarchive knows no zip without members. */
    archive->ended = archive->kind == RA_ARCHIVE_ZIP && archive->zip.count == 0;
    return status == RA_OK && !archive->ended ? start_reader(archive) : status;
}

enum ra_status ra_archive_open(const struct ra_source *source, struct ra_diags *diags,
                               struct ra_archive **ret)
{
    struct ra_archive *archive = malloc(sizeof(*archive));
    enum ra_status status;

    if (!archive)
        return RA_E_NOMEM;
    /* Not calloc: the head is written before it is read. */
    memset(archive, 0, offsetof(struct ra_archive, head));
    archive->source = *source;
    archive->diags = archive->list = diags;
    archive->nobody.arena = &archive->nobody_arena;
    archive->nobody.limit = 1;
    archive->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    status = open_kind(archive);
    if (status != RA_OK)
        ra_archive_close(archive);
    else
        *ret = archive;
    return status;
}

void ra_archive_close(struct ra_archive *archive)
{
    if (!archive)
        return;
    archive_entry_free(archive->filled);
    archive_read_free(archive->reader);
    ra_stream_close(&archive->stream);
    ra_zip_free(&archive->zip);
    ra_met_free(&archive->met);
    ra_arena_free(&archive->nobody_arena);
    if (archive->utf8)
        freelocale(archive->utf8);
    free(archive);
}

void ra_archive_hush(struct ra_archive *archive)
{
    archive->list = &archive->nobody;
}

bool ra_archive_is_seekable(const struct ra_archive *archive)
{
    return archive->kind == RA_ARCHIVE_ZIP || archive->kind == RA_ARCHIVE_AR ||
           archive->kind == RA_ARCHIVE_TAR;
}

uint64_t ra_archive_mean(const struct ra_archive *archive)
{
    return archive->zip.count ? archive->source.size / archive->zip.count : 0;
}

bool ra_archive_probe(struct ra_span head)
{
    return ra_archive_kind(head) != RA_ARCHIVE_NONE;
}

/* ---- the list --------------------------------------------------------------- */

/* The tables of symbols and of long names: System V, its 64 bit form, and BSD. */
static bool is_table(const struct ra_archive *archive)
{
    static const char *const tables[] = {
        "/", "//", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"
    };
    struct ra_span name = archive->member.name;

    for (size_t i = 0; archive->kind == RA_ARCHIVE_AR && i < RA_COUNT(tables); i++)
        if (name.size == strlen(tables[i]) &&
            memcmp(name.data, tables[i], name.size) == 0)
            return true;
    return false;
}

/* Whatever its type: there are those who unpack it as a file. */
static bool has_bytes(const struct ra_archive *archive)
{
    const struct ra_archive_member *member = &archive->member;
    bool is_regular = archive_entry_filetype(archive->entry) == AE_IFREG;

    return !member->is_symlink &&
           (member->size > 0 || (is_regular && member->link.size == 0));
}

static void describe(struct ra_archive *archive)
{
    struct archive_entry *entry = archive->entry;
    const char *hard = archive_entry_hardlink(entry);
    bool is_symlink = archive_entry_filetype(entry) == AE_IFLNK;
    la_int64_t size = archive_entry_size(entry);

    archive->member = (struct ra_archive_member){
        .name = ra_span_of(archive_entry_pathname(entry)),
        .link = ra_span_of(is_symlink ? archive_entry_symlink(entry) : hard),
        .index = archive->count,
        .size = size > 0 ? (uint64_t)size : 0,
        .has_size = archive_entry_size_is_set(entry),
        .is_symlink = is_symlink,
    };
    /* In a library all are files, although reproducible ones do not say so. */
    if (archive->kind == RA_ARCHIVE_AR)
        archive->member.is_file = !is_table(archive);
    else
        archive->member.is_file = has_bytes(archive);
}

static void damaged(struct ra_archive *archive, const char *what)
{
    archive->damage = what;
    archive->member.is_damaged = archive->member.is_file = true;
}

/*
 * Those who install wheels go by no file type: what has bytes becomes a file, but
 * libarchive does not hand them out. A symbolic link was read as text that ends with its
 * first zero.
 */
static void check_type(struct ra_archive *archive)
{
    struct ra_archive_member *member = &archive->member;

    member->is_file = member->is_file || has_bytes(archive);
    if (member->is_symlink && member->link.size != member->size)
        damaged(archive, "a symbolic link that is no path");
    else if (member->is_file && archive_entry_filetype(archive->entry) != AE_IFREG)
        damaged(archive, "it has bytes, and is no file by its type");
}

/* The directory is the authority; the local header has to agree with it. */
static enum ra_status describe_by_directory(struct ra_archive *archive)
{
    const struct ra_zip_entry *record = &archive->zip.entries[archive->count];
    struct ra_archive_member *member = &archive->member;
    uint8_t bytes[RA_ZIP_LOCAL + RA_ARCHIVE_NAME];
    struct ra_span head = { bytes, RA_ZIP_LOCAL + record->name.size, record->offset };
    uint64_t skip;
    enum ra_status status =
        ra_stream_peek(&archive->stream, record->offset, head.size, bytes);

    if (status != RA_OK)
        return status;
    archive->record = record;
    archive->header_at = record->offset;
    member->name = record->name;
    member->size = record->size;
    member->has_size = true;
    member->is_encrypted = record->flags & RA_ZIP_ENCRYPTED;
    check_type(archive);
    if (!ra_zip_agrees(record, head, &skip))
        damaged(archive, "its local header contradicts the directory");
    archive->data_at = record->offset + skip;
    return RA_OK;
}

/* The bytes of a hard link are those of a member before it. */
static enum ra_status check_link(struct ra_archive *archive)
{
    const struct ra_archive_member *member = &archive->member;
    bool twice;

    if (member->is_file || member->is_symlink || member->link.size == 0)
        return RA_OK;
    if (!ra_met_has(&archive->met, member->link))
        damaged(archive, "a hard link to what is not in the archive");
    return ra_met_add(&archive->met, member->name, &twice);
}

static enum ra_status check_name(struct ra_archive *archive)
{
    struct ra_span name = archive->member.name;
    bool twice;
    enum ra_status status;

    if (name.size > RA_ARCHIVE_NAME)
        return archive->broken = ra_fault(archive->list, RA_E_LIMIT, RA_DIAG_LIMIT,
                                          place(archive, archive->header_at),
                                          "a name of %zu bytes", name.size);
    /* Object files of a library may well share a name. */
    if (archive->kind == RA_ARCHIVE_AR)
        return RA_OK;
    if (!archive->member.is_file)
        return check_link(archive);
    status = ra_met_add(&archive->met, name, &twice);
    if (status == RA_OK && twice)
        status = ra_fault(archive->list, RA_OK, RA_DIAG_MEMBER_TWICE,
                          place(archive, archive->header_at), "%.*s", (int)name.size,
                          (const char *)name.data);
    return status;
}

static enum ra_status check_limits(struct ra_archive *archive)
{
    uint64_t at = (uint64_t)archive_filter_bytes(archive->reader, 0);

    if (archive->count >= RA_ARCHIVE_MEMBERS)
        return archive->broken = ra_fault(archive->list, RA_E_LIMIT, RA_DIAG_LIMIT,
                                          place(archive, archive->header_at),
                                          "more than %zu members", RA_ARCHIVE_MEMBERS);
    /* To come to the next one, this one would have to be decoded. */
    if (ra_archive_is_seekable(archive) ||
        archive->member.size <= RA_ARCHIVE_LIMIT - (at < RA_ARCHIVE_LIMIT ? at : 0))
        return RA_OK;
    return archive->broken =
               ra_fault(archive->list, RA_E_LIMIT, RA_DIAG_LIMIT, place(archive, 0),
                        "a member of %" PRIu64 " bytes", archive->member.size);
}

/* Behind what was read to the end there is the mark of the end, and sums. */
static enum ra_status end_list(struct ra_archive *archive, uint64_t before)
{
    uint64_t after = (uint64_t)archive_filter_bytes(archive->reader, 0);

    archive->ended = true;
    if (archive->kind == RA_ARCHIVE_ZIP && archive->count != archive->zip.count)
        return bad_list(archive, "zip: members of the directory are not there");
    if (archive->kind == RA_ARCHIVE_AR && archive->source.size > before &&
        archive->source.size > AR_MAGIC)
        return bad_list(archive, "ar: it ends inside a header");
    if (archive->kind == RA_ARCHIVE_ZIP || archive->kind == RA_ARCHIVE_AR)
        return RA_OK;
    archive->broken = ra_stream_drain(&archive->stream, RA_ARCHIVE_LIMIT);
    if (archive->broken != RA_OK || after - before >= TAR_RECORD)
        return archive->broken;
    archive->broken =
        ra_fault(archive->list, RA_OK, RA_DIAG_ARCHIVE_NO_END, place(archive, before),
                 "after %zu members", archive->count);
    return archive->broken;
}

static int next_header(struct ra_archive *archive)
{
    locale_t old = archive->utf8 ? uselocale(archive->utf8) : (locale_t)0;
    int code;

    errno = 0;
    code = archive_read_next_header2(archive->reader, archive->filled);
    archive->entry = archive->filled;
    if (archive->utf8)
        (void)uselocale(old);
    return code;
}

static void leave_member(struct ra_archive *archive)
{
    archive->entry = NULL;
    archive->record = NULL;
    archive->damage = NULL;
    archive->pos = archive->hole = 0;
    archive->block = (struct ra_span){ 0 };
    archive->all = archive->opened = false;
    archive->failed = RA_OK;
    archive->head_size = archive->head_read = 0;
}

static enum ra_status take_header(struct ra_archive *archive)
{
    enum ra_status status = RA_OK;

    archive->data_at = (uint64_t)archive_filter_bytes(archive->reader, 0);
    if (archive->kind == RA_ARCHIVE_ZIP && archive->count >= archive->zip.count)
        return bad_list(archive, "zip: there are more members than in the directory");
    describe(archive);
    if (archive->kind == RA_ARCHIVE_ZIP)
        status = archive->broken = describe_by_directory(archive);
    if (status == RA_OK)
        status = check_name(archive);
    if (status == RA_OK)
        status = check_limits(archive);
    archive->count++;
    return status;
}

enum ra_status ra_archive_next(struct ra_archive *archive, struct ra_archive_member *ret,
                               bool *more)
{
    enum ra_status status;
    int code;

    *more = false;
    if (archive->broken != RA_OK || archive->ended)
        return archive->broken;
    archive->stream.diags = archive->list;
    errno = 0;
    if (archive->entry && archive_read_data_skip(archive->reader) < ARCHIVE_WARN)
        return failed_list(archive);
    leave_member(archive);
    archive->header_at = (uint64_t)archive_filter_bytes(archive->reader, 0);
    code = next_header(archive);
    if (code == ARCHIVE_EOF)
        return end_list(archive, archive->header_at);
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
        return failed_list(archive);
    status = take_header(archive);
    *ret = archive->member;
    *more = status == RA_OK;
    return status;
}

/* ---- bytes of a member ------------------------------------------------------ */

static enum ra_status refuse(const struct ra_archive *archive, struct ra_diags *diags,
                             enum ra_status status, enum ra_diag_code code,
                             const char *what)
{
    struct ra_span name = archive->member.name;

    return ra_fault(diags, status, code, ra_archive_place(archive), "%s: %.*s", what,
                    (int)name.size, (const char *)name.data);
}

static enum ra_status check_member(const struct ra_archive *archive,
                                   struct ra_diags *diags)
{
    const struct ra_archive_member *member = &archive->member;
    const struct ra_zip_entry *record = archive->record;

    if (member->is_encrypted)
        return refuse(archive, diags, RA_E_UNSUPPORTED, RA_DIAG_MEMBER_ENCRYPTED,
                      "encrypted");
    if (member->is_damaged)
        return refuse(archive, diags, RA_E_FORMAT, RA_DIAG_MEMBER_DAMAGED,
                      archive->damage);
    if (record && record->method != RA_ZIP_STORED && record->method != RA_ZIP_DEFLATE)
        return refuse(archive, diags, RA_E_UNSUPPORTED, RA_DIAG_ARCHIVE_UNREAD,
                      "a compression method other than deflate");
    if (!member->has_size)
        return refuse(archive, diags, RA_E_UNSUPPORTED, RA_DIAG_ARCHIVE_UNREAD,
                      "its size is not announced");
    return RA_OK;
}

enum ra_status ra_archive_check(struct ra_archive *archive, struct ra_diags *diags)
{
    /* Once a byte was had, or refused, there is nothing new to say. */
    if (archive->failed == RA_OK && archive->pos == 0 && !archive->opened)
        archive->failed = check_member(archive, diags);
    return archive->failed;
}

static enum ra_status failed_member(struct ra_archive *archive, struct ra_diags *diags)
{
    char text[SAID];

    if (archive->stream.failed != RA_OK)
        return archive->stream.failed;
    if (lacks_memory(archive->reader))
        return RA_E_NOMEM;
    return refuse(archive, diags, RA_E_FORMAT, RA_DIAG_MEMBER_DAMAGED,
                  said(archive->reader, text));
}

/* The next block. Files with holes have blocks that do not follow each other. */
static enum ra_status fill(struct ra_archive *archive, struct ra_diags *diags)
{
    const void *bytes = NULL;
    size_t size = 0;
    la_int64_t offset = 0;
    uint64_t at;
    int code;

    errno = 0;
    code = archive_read_data_block(archive->reader, &bytes, &size, &offset);
    at = offset > 0 ? (uint64_t)offset : 0;
    if (code != ARCHIVE_OK && code != ARCHIVE_EOF)
        return failed_member(archive, diags);
    archive->all = code == ARCHIVE_EOF;
    if (archive->all)
        size = 0;
    if (archive->all && archive_entry_sparse_count(archive->entry) == 0)
        return RA_OK;
    if (at < archive->pos && !archive->all)
        return refuse(archive, diags, RA_E_FORMAT, RA_DIAG_MEMBER_DAMAGED,
                      "its parts overlap");
    archive->hole = at > archive->pos ? at - archive->pos : 0;
    archive->block = (struct ra_span){ .data = bytes, .size = size };
    if (archive->hole <= RA_ARCHIVE_LIMIT - archive->decoded &&
        size <= RA_ARCHIVE_LIMIT - archive->decoded - archive->hole) {
        archive->decoded += archive->hole + size;
        return RA_OK;
    }
    return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_archive_place(archive),
                    "members of more than %" PRIu64 " bytes", RA_ARCHIVE_LIMIT);
}

/* Of the hole or the block at hand. */
static size_t hand_out(struct ra_archive *archive, uint8_t *data, size_t size)
{
    size_t part;

    if (archive->hole > 0) {
        part = archive->hole < size ? (size_t)archive->hole : size;
        memset(data, 0, part);
        archive->hole -= part;
    } else {
        part = archive->block.size < size ? archive->block.size : size;
        if (part > 0)
            memcpy(data, archive->block.data, part);
        archive->block.data += part;
        archive->block.size -= part;
    }
    archive->pos += part;
    return part;
}

static enum ra_status decode(struct ra_archive *archive, struct ra_diags *diags,
                             uint8_t *data, size_t size, size_t *made)
{
    enum ra_status status = ra_archive_check(archive, diags);

    *made = 0;
    archive->stream.diags = diags;
    while (status == RA_OK && *made < size) {
        if (archive->hole > 0 || archive->block.size > 0)
            *made += hand_out(archive, data + *made, size - *made);
        else if (archive->all)
            break;
        else
            status = fill(archive, diags);
    }
    archive->failed = status;
    return status;
}

enum ra_status ra_archive_head(struct ra_archive *archive, struct ra_diags *diags,
                               uint8_t *window, size_t limit, struct ra_span *ret)
{
    size_t wanted = limit < RA_ARCHIVE_HEAD ? limit : RA_ARCHIVE_HEAD, made = 0;
    enum ra_status status = archive->failed;

    if (status == RA_OK && archive->head_size < wanted && !archive->opened) {
        status = decode(archive, diags, archive->head + archive->head_size,
                        wanted - archive->head_size, &made);
        archive->head_size += made;
    }
    if (wanted > archive->head_size)
        wanted = archive->head_size;
    memcpy(window, archive->head, wanted);
    *ret = (struct ra_span){ .data = window, .size = wanted };
    return status;
}

enum ra_status ra_archive_read(struct ra_archive *archive, struct ra_diags *diags,
                               uint8_t *data, size_t size, size_t *made)
{
    size_t again = archive->head_size - archive->head_read, rest = 0;
    enum ra_status status;

    if (again > size)
        again = size;
    archive->opened = true;
    memcpy(data, archive->head + archive->head_read, again);
    archive->head_read += again;
    status = decode(archive, diags, data + again, size - again, &rest);
    *made = again + rest;
    return status;
}

/* ---- for members ------------------------------------------------------------ */

bool ra_archive_is_fresh(const struct ra_archive *archive)
{
    return !archive->opened && archive->failed == RA_OK;
}

enum ra_status ra_archive_again(const struct ra_archive *archive, size_t index,
                                struct ra_diags *diags, struct ra_archive **ret)
{
    struct ra_archive *again;
    struct ra_archive_member member;
    bool more = true;
    enum ra_status status = ra_archive_open(&archive->source, diags, &again);

    if (status != RA_OK)
        return status;
    /* What it says of the list was said; but where it stops there is something new. */
    ra_archive_hush(again);
    while (status == RA_OK && more && again->count <= index)
        status = ra_archive_next(again, &member, &more);
    if (status == RA_OK && !more)
        status = RA_E_FORMAT;
    if (ra_is_damage(status))
        status = ra_fault(diags, status, RA_DIAG_MEMBER_DAMAGED,
                          ra_archive_place(archive), "it is not found a second time");
    if (status != RA_OK)
        ra_archive_close(again);
    else
        *ret = again;
    return status;
}

bool ra_archive_part(const struct ra_archive *archive, struct ra_source *ret)
{
    const struct ra_zip_entry *record = archive->record;

    if (!ra_archive_is_seekable(archive) || !archive->member.has_size)
        return false;
    if (record && (record->method != RA_ZIP_STORED || record->packed != record->size))
        return false;
    if (!record && archive_entry_sparse_count(archive->entry) > 0)
        return false;
    return ra_source_sub(&archive->source, archive->data_at, archive->member.size, ret);
}

struct ra_place ra_archive_place(const struct ra_archive *archive)
{
    return place(archive, archive->header_at);
}

bool ra_archive_has_sums(const struct ra_archive *archive)
{
    return archive->kind == RA_ARCHIVE_ZIP;
}
