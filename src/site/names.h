/*
 * names.h - what names of packages and of their files say.
 *
 * Spec: "Names and normalization" and "Binary distribution format"
 * (packaging.python.org); for split packages the README files of TheRock and kpack.
 */
#ifndef RA_SITE_NAMES_H
#define RA_SITE_NAMES_H

#include "base/arena.h"
#include "base/cursor.h"

/** Whether two names mean the same package: Foo.bar is foo-bar. */
bool ra_package_same(struct ra_span a, struct ra_span b);

/** A name as all its spellings come out: "foo-bar". In `arena`; NULL: no memory. */
const char *ra_package_normal(struct ra_arena *arena, struct ra_span name);

/** The parts of NAME-VERSION(-BUILD)?-PYTHON-ABI-PLATFORM.whl. */
struct ra_wheel_name {
    struct ra_span name, version, build, python, abi, platform;
};

/** False if `file`, which may have a path before it, is not named so. */
RA_MUST_CHECK bool ra_wheel_name_parse(const char *file, struct ra_wheel_name *ret);

/**
 * Where auditwheel put a digest into the name of a library: that of "-1f7b8bcc" in
 * libfoo-1f7b8bcc.so.0. False if there is none.
 */
RA_MUST_CHECK bool ra_library_digest(const char *name, size_t *at);

/** The name before that, libfoo.so.0: in `arena`, or `name` itself if it has no digest;
 *  NULL if there is no memory. */
const char *ra_library_name(struct ra_arena *arena, const char *name);

/* ---- device packages: the code of a package for one GPU or a few ------------------ */

#define RA_DEVICE_TEXT 64

/** A device package by its name: amd-torch-device-gfx942 is "torch", "gfx942". */
struct ra_device_wheel {
    char host[RA_DEVICE_TEXT]; /**< the package it is for, normalised; "" if it is none */
    char key[RA_DEVICE_TEXT];  /**< "gfx942", "gfx115x", "gfx12-0" */
};

/** False, with empty texts, if `name` is none of a device package. */
RA_MUST_CHECK bool ra_device_wheel_parse(struct ra_span name,
                                         struct ra_device_wheel *ret);

/** What a key stands for, of a processor. */
enum ra_covers {
    RA_COVERS_NOT,
    RA_COVERS_FAMILY,    /**< "gfx11" of gfx1151: what the family shares */
    RA_COVERS_SUBFAMILY, /**< "gfx115x" of gfx1151: what the sub-family shares */
    RA_COVERS_TARGET,    /**< "gfx1151" */
};

/** How a key covers a processor. The first of "gfx110x-all" counts, and "gfx94x" is each
 *  gfx94?. */
enum ra_covers ra_device_key_covers(const char *key, const char *processor);

/** How to get the code of a package for a GPU. */
struct ra_device_package {
    char package[2 * RA_DEVICE_TEXT]; /**< "amd-torch-device-gfx1151" */
    char command[2 * RA_DEVICE_TEXT]; /**< pip install "torch[device-gfx1151]" */
};

/**
 * The device package for `processor`.
 *
 * @param host  a package (torch, rocm-sdk-libraries), or the group of a .kpack archive
 *              (torch, blas_lib)
 * @return false if nothing is known of such for `host`
 */
RA_MUST_CHECK bool ra_site_device_package(const char *host, const char *processor,
                                          struct ra_device_package *ret);

#endif
