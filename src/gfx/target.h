/*
 * target.h - AMDGPU processors and target IDs.
 *
 * Spec: llvm/docs/AMDGPUUsage.rst, "Processors", "Target ID" and "ELF Header e_flags".
 * What is known of each processor stands in targets.def, in the order people see:
 * generation by generation, then the generic targets.
 */
#ifndef RA_TARGET_H
#define RA_TARGET_H

#include "base/cursor.h"

#define RA_TARGET_TEXT 48 /* the longest name with both features, and some air */

/** The row of a processor, or NULL if this build has never heard of it. */
const struct ra_processor *ra_processor_by_name(const char *name);
const struct ra_processor *ra_processor_by_mach(unsigned mach);

/**
 * Take a target ID apart, e.g. gfx90a:sramecc+:xnack-, features in any order.
 *
 * A feature that is not stated is ANY where the processor has it, else NONE; one that
 * is stated is ON or OFF even where the processor has none such. A processor this build
 * does not know is kept by name, with both features ANY unless stated.
 *
 * The form before code object V4, e.g. gfx906+sram-ecc+xnack, is read too. It has no way
 * to say off, so there a feature that is not stated is OFF where the processor has it.
 *
 * @return false, with an empty `ret`, if `text` is no target ID
 */
RA_MUST_CHECK bool ra_target_parse(struct ra_span text, struct ra_target *ret);

/** Spell a target ID: sramecc before xnack, ON and OFF only. */
void ra_target_spell(const struct ra_target *target, char ret[RA_TARGET_TEXT]);

/**
 * The target that e_flags stand for.
 *
 * V3 has one bit a feature and no ANY; a bit for a feature the processor does not have is
 * ignored, as ROCr does. From V4 on the settings are kept as written, even where the
 * processor has no such feature: that is a contradiction, and the runtime refuses ON and
 * OFF. On gfx125x the features are fixed and are NONE whatever the flags say.
 *
 * @param version  code object version, 3 to 6; V2 keeps its target in a note
 * @param generic  the generic version, bits 31 to 24 of V6; 0 otherwise
 * @return false, with an empty `ret`, if the processor or the version is not known
 */
RA_MUST_CHECK bool ra_target_from_flags(uint32_t flags, unsigned version,
                                        struct ra_target *ret, unsigned *generic);

/** Whether one feature of a code object accepts that of a device (ON or OFF, or NONE). */
bool ra_setting_accepts(enum ra_setting code, enum ra_setting device);

/** Whether both features of `code` accept those of `device`; processors not compared. */
bool ra_target_features_accept(const struct ra_target *code,
                               const struct ra_target *device);

/**
 * What HIP looks up as the generic target of `device`: the generic's name with the
 * features of the device (clr hip_fatbin.cpp).
 *
 * @return false if no generic target covers it, or if the device states a feature the
 *         generic does not have: HIP asks for gfx9-generic:sramecc+ on a gfx906, and no
 *         compiler makes code of that name
 */
bool ra_target_generic(const struct ra_target *device, struct ra_target *ret);

#define RA_TARGET_EXPANSIONS 4

/**
 * What the loader of .kpack archives puts in the place of @GFXARCH@, in this order: the
 * target with both features, with either, and with none (isa_target_match.h).
 *
 * @return how many, each another
 */
size_t ra_target_expansions(const struct ra_target *device,
                            char ret[RA_TARGET_EXPANSIONS][RA_TARGET_TEXT]);

#endif
