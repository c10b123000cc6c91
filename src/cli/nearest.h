/* nearest.h - what somebody may have meant. */
#ifndef RA_CLI_NEAREST_H
#define RA_CLI_NEAREST_H

#include <stddef.h>

/** The option whose long name is most like the first `size` bytes of `name`, or NULL. */
const char *nearest_option(const char *name, size_t size);

/** The processor, generic ones too, whose name is most like it, or NULL. */
const char *nearest_processor(const char *name, size_t size);

#endif
