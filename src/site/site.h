/*
 * site.h - what an environment says of itself: which packages, and which files are whose.
 *
 * Python packages (wheels installed or not, eggs), conda and Debian packages leave
 * records of what they brought. The caller collects those documents, from disk or from
 * inside archives; this reads them. Nothing here opens a file.
 *
 * A place is a path with '/' in it, raw bytes, terminated, normalised by its text alone:
 * no empty part, no ".", and ".." at the start of a relative one only. That of a file in
 * an archive is below a root that the caller chose, see ra_site_place().
 *
 * Spec: packaging.python.org, "Recording installed projects", "Core metadata
 * specifications", "Binary distribution format", "Direct URL"; setuptools, "The internal
 * structure of Python eggs"; CEP 34 for conda; deb-control(5), dpkg-query(1).
 */
#ifndef RA_SITE_H
#define RA_SITE_H

#include "base/diag.h"
#include "site/digest.h"
#include "site/map.h"
#include "site/names.h"

#define RA_PLACE_MAX ((size_t)65536) /**< bytes of a place that is listed */
#define RA_SITE_FILES_MAX                                                                \
    ((size_t)1 << 22) /**< files that are listed, of all packages                        \
                       */

/** A record as it was found; borrowed while it is read. */
struct ra_site_document {
    const char *place;
    struct ra_span bytes;
};

/** What a package needs: Requires-Dist: foo[cuda]>=1; extra == "gpu". */
struct ra_site_need {
    const char *name;   /**< normalised and escaped: "foo" */
    const char *extras; /**< escaped: "cuda", or "" */
    const char *spec;   /**< version or address, escaped: ">=1", or "" */
    const char *marker; /**< escaped: "extra == \"gpu\"", or "" */
    const char *extra;  /**< of its own that asks for it, escaped: "gpu", or "" */
};

/** A file that a package lists. */
struct ra_site_file {
    const char *place; /**< raw */
    const struct ra_site_package *package;
    const struct ra_site_file *next;  /**< of the same package */
    const struct ra_site_file *other; /**< the same file as the next package lists it */
    struct ra_site_digest digest;
    uint64_t size;
    bool has_size;
};

struct ra_site_package {
    const char *name, *version;         /**< escaped; version "" if not known */
    const char *raw_name, *raw_version; /**< as they came */
    const char *normal; /**< the name as packages are compared by, escaped */
    const char *kind;   /**< "wheel", "egg", "conda", "deb"; static */
    const char *place;  /**< of its record, or the folder of its records; raw */
    const struct ra_site_need *needs;
    size_t need_count;
    const char *const *extras; /**< that it provides, escaped */
    size_t extra_count;
    const struct ra_site_file *files; /**< each once, in order; NULL: none is listed */
    size_t file_count;
    bool has_list;        /**< it says which files it has, or `folder` */
    const char *folder;   /**< all below it belongs to the package: ends with '/', or is
                             "" for all that is relative; raw; or NULL */
    const char *editable; /**< folder of its files, of an editable install; "" if that is
                             not told; raw; or NULL */
    bool is_placeholder;  /**< it holds nothing but its name */
    struct ra_device_wheel device; /**< host "" if it is none */
};

struct ra_site {
    const struct ra_site_package *const *packages; /**< in order of their records */
    size_t package_count, file_count;
    struct ra_map files;   /**< place to struct ra_site_file */
    struct ra_map folders; /**< folder to struct ra_site_package */
};

/**
 * Whether a file of that name, anywhere, is a record that ra_site_read() can use. Cheap.
 *
 * Those are, in *.dist-info: RECORD METADATA direct_url.json; *.egg-info, or in it and in
 * EGG-INFO: PKG-INFO SOURCES.txt installed-files.txt; *.egg-link; __editable__.*.pth;
 * conda-meta/\*.json; of a conda package file: info/index.json info/files
 * info/paths.json; var/lib/dpkg/status, var/lib/dpkg/info/\*.list; of a deb:
 * control.tar*\/control.
 */
bool ra_site_wants(const char *place);

/**
 * The place of a member of an archive, below `root`: "." and a '/' at its start mean
 * nothing, and ".." does not lead out. NAME-VER.data/x of a wheel, x below purelib,
 * platlib or data, stands for what is below those: they all get installed into `root`.
 *
 * @param root  ends with '/', or is ""
 * @return in `arena`; NULL if there is no memory
 */
const char *ra_site_place(struct ra_arena *arena, const char *root,
                          struct ra_span member);

/**
 * Read records, in any order, into packages and the files they list.
 *
 * A record may be damaged: what can be read of it counts, and D070 is told, once a
 * record, as a warning. A record may list the files of others; see ra_site_owner().
 *
 * @param arena  where all of `ret` lives
 * @param diags  may be NULL
 * @return RA_OK, damage or not; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_site_read(const struct ra_site_document *documents,
                                          size_t count, struct ra_arena *arena,
                                          struct ra_diags *diags, struct ra_site *ret);

/**
 * What lists the file at `place`: follow `other` for more. NULL: nothing, which does not
 * mean that nothing owns it.
 */
const struct ra_site_file *ra_site_file(const struct ra_site *site, const char *place);

/**
 * Whose the file at `place` is: the first package, in order of their records, that lists
 * it, or else the one whose folder holds it.
 *
 * @param count  how many packages it belongs to; may be NULL
 * @return NULL if it is nobody's, as bytecode and what is made at run time is
 */
const struct ra_site_package *ra_site_owner(const struct ra_site *site, const char *place,
                                            size_t *count);

/** What the bytes of the file should be; NULL if no package says. */
const struct ra_site_digest *ra_site_digest(const struct ra_site *site,
                                            const char *place);

/** The first package of that name, however it is spelled, or NULL. */
const struct ra_site_package *ra_site_package(const struct ra_site *site,
                                              const char *name);

#endif
