/* place.h - places: which are records, of what unit, and what names in them lead to. */
#ifndef RA_PLACE_H
#define RA_PLACE_H

#include "base/text.h"

/** What is in a record; in the order they are to be read in. */
enum ra_record {
    RA_RECORD_NONE,
    RA_RECORD_STATUS,     /**< stanzas of dpkg */
    RA_RECORD_CONTROL,    /**< a stanza of a deb */
    RA_RECORD_INDEX,      /**< info/index.json of a conda package file */
    RA_RECORD_CONDA,      /**< conda-meta/\*.json */
    RA_RECORD_METADATA,   /**< fields of a wheel or an egg */
    RA_RECORD_DIRECT_URL, /**< where a wheel was installed from */
    RA_RECORD_WHEEL,      /**< RECORD: rows of place, digest, size */
    RA_RECORD_INSTALLED,  /**< lines of places, relative to the record */
    RA_RECORD_SOURCES,    /**< the same, relative to the folder its folder is in */
    RA_RECORD_PATHS,      /**< info/paths.json of a conda package file */
    RA_RECORD_LIST,       /**< info/files of a conda package file, or a list of dpkg */
    RA_RECORD_PTH,        /**< of an editable install */
    RA_RECORD_EGG_LINK,
};

/** A record by its place. */
struct ra_record_place {
    enum ra_record record;
    const char *kind;    /**< of package: "wheel", "egg", "conda", "deb"; static */
    struct ra_span unit; /**< what the records of a package have in common, the same for
                            all; of `place` */
    struct ra_span root; /**< what its names are relative to: ends with '/', or "" */
    bool owns_root;      /**< all below `root` belongs to the package */
    bool is_dpkg;        /**< of an installation, not of a package file */
};

/** What the record at `place` is of; RA_RECORD_NONE if it is none. */
struct ra_record_place ra_record_place(const char *place);

/**
 * Put `path`, from `base`, into `ret` as a place.
 *
 * @param base      a place that ends with '/', or ""
 * @param confined  nothing leads out of `base`
 * @return false if it names `base` itself, or nothing; `ret` may have failed
 */
RA_MUST_CHECK bool ra_place_join(struct ra_text *ret, struct ra_span base,
                                 struct ra_span path, bool confined);

/** The same of a `path` in a wheel: where that gets installed. See ra_site_place(). */
RA_MUST_CHECK bool ra_place_join_wheel(struct ra_text *ret, struct ra_span base,
                                       struct ra_span path, bool confined);

/** The folder of a place with its '/', "" if it has none. Its last part. */
struct ra_span ra_place_folder(struct ra_span place);
struct ra_span ra_place_name(struct ra_span place);

#endif
