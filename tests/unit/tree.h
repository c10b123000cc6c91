/*
 * tree.h - a machine made of files: a sysfs tree and a /dev, and the GPUs found in them.
 *
 * Test(..., .init = tree_make, .fini = tree_drop) gives a test an empty one. Texts and
 * devices live until tree_drop().
 */
#ifndef TREE_H
#define TREE_H

#include "base/text.h"
#include "device/device.h"

#include <criterion/criterion.h>

extern struct ra_arena tree_arena;
extern char tree_root[64]; /**< it has the folders sys and dev */

void tree_make(void);
void tree_drop(void);

/** The whole path of a folder below the root, which is made if need be. */
const char *tree_folder(const char *path);

/** Put bytes, or a text, into a file below the root. */
void tree_save(const char *path, const void *bytes, size_t size);
void tree_put(const char *path, const char *text);

/** A node of KFD with its properties. */
void tree_node(unsigned number, const char *properties);

/** A card of the display driver with graphics IP "9.4.2"; address "": it has none. */
void tree_card(unsigned number, const char *address, const char *gc);

/** A PCI device. */
void tree_pci(const char *address, const char *vendor, const char *class,
              const char *device);

/** The module parameter noretry. */
void tree_noretry(const char *text);

/** Allow or forbid a file or folder; tests that run as root step down to see it. */
void tree_mode(const char *path, unsigned mode);

/** The GPUs of sys; of dev too if `search` says so by anything in its `dev`. */
struct ra_devices tree_found(const char *const *environment);
struct ra_devices tree_search(struct ra_device_search search);

/** The same, as a user that is not root. */
struct ra_devices tree_found_by_nobody(struct ra_device_search search);

/** The GPUs under `sysfs`, and nothing else asked. */
struct ra_devices tree_found_at(const char *sysfs);

/** "kfd node 1 gfx1030, kfd node 2 gfx90a:sramecc+:xnack- (skipped)" */
const char *tree_list(const struct ra_devices *devices);

/** The only device there is. */
const struct ra_device *tree_only(const struct ra_devices *devices);

/** `words` are part of `text`. */
#define tree_says(text, words)                                                           \
    cr_assert_not_null(strstr(text, words), "\"%s\" does not say \"%s\"", text, words)

/** `words` are not. */
#define tree_silent(text, words)                                                         \
    cr_assert_null(strstr(text, words), "\"%s\" says \"%s\"", text, words)

#define TreeTest(suite, name) Test(suite, name, .init = tree_make, .fini = tree_drop)

#endif
