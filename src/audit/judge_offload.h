/*
 * judge_offload.h - which image of an OffloadBinary is taken. Pure.
 *
 * OpenMP's runtime goes through the images in order and gives a device the first whose
 * e_flags are compatible with one of the ISAs that ROCr names for it: the processor has
 * to be the same, and a mode that is fixed to be that of the device. The triple and arch
 * that are written down beside the image are not asked for. HIP's images become a fat
 * binary when they are linked, which goes by these labels.
 *
 * Spec: llvm offload/libomptarget/PluginManager.cpp, plugins-nextgen/amdgpu/src/rtl.cpp;
 * isImageCompatibleWithEnv() of llvm Frontend/Offloading.
 */
#ifndef RA_JUDGE_OFFLOAD_H
#define RA_JUDGE_OFFLOAD_H

#include "audit/load.h"

bool ra_judge_is_offload(const struct ra_bundle *bundle);

/** Whether all code of it is bitcode, or an object, that a link is yet to make use of. */
bool ra_judge_is_before_link(const struct ra_bundle *bundle);

/** The choice of the bundle of an offer, which is of that container, with a table. */
struct ra_choice ra_judge_offload(const struct ra_offer *offer,
                                  const struct ra_target *device);

#endif
