/* judge_kpack.h - which entry the loader of .kpack archives takes. Pure. */
#ifndef RA_JUDGE_KPACK_H
#define RA_JUDGE_KPACK_H

#include "audit/load.h"

/** The choice of the bundle of an offer, which is of container kpack, with a table. */
struct ra_choice ra_judge_kpack(const struct ra_offer *offer,
                                const struct ra_target *device);

/** What is not there, where a host file has no code for a device. */
enum ra_kpack_lack {
    RA_KPACK_NO_ARCHIVE, /**< an archive for the device */
    RA_KPACK_NO_BINARY,  /**< the host file in the archive, or the device in its list */
    RA_KPACK_NO_KERNEL,  /**< code for some of its wrappers */
};

/** @param generic  whether the release looks for generic targets too */
enum ra_kpack_lack ra_kpack_lacks(const struct ra_kpack *kpack,
                                  const struct ra_target *device, bool generic);

#endif
