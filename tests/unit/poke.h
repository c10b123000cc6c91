/*
 * poke.h - spoil a file byte by byte, and see that it never comes to fit by that.
 *
 * Damage may turn "fits" into anything and a mismatch into undecided. What does not fit a
 * GPU must not fit it because one byte of it is another: that would be a clean bill for
 * a file that nobody could load.
 */
#ifndef RA_TEST_POKE_H
#define RA_TEST_POKE_H

#include "gen/bytes.h"

enum poke_how {
    POKE_SOME, /**< one byte in many: for builds that are slow */
    POKE_MOST, /**< all of small files; of larger ones each byte once, less padding */
    POKE_ALL,  /**< each byte with four values, of padding one in many */
};

/** A byte whose change let the file fit. */
struct poke_hit {
    size_t at;
    uint8_t was, is;
    const char *gpu;
};

struct poke_result {
    uint64_t pokes;
    size_t gpus; /**< that the file as it is does not fit */
    size_t hit_count;
    struct poke_hit hits[64]; /**< the first ones */
};

/** The GPUs that files are judged for: one at least of each kind of case. */
extern const char *const poke_gpus[];

/** Whether all hits on the fixture, or file, of that name are known to be right. */
bool poke_is_excepted(const char *name, const struct poke_result *result);

/** Every fixture that can be mended by a byte is one; NULL-terminated. */
const char *const *poke_excepted_names(void);

/** Poke `fx`, one byte at a time. False: no memory, or no room for a file. */
bool poke_file(const struct fx *fx, enum poke_how how, struct poke_result *ret);

#endif
