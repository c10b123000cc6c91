/* A whole file, whatever it is. */
#include "whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whole_check(whole_file(data, size));
    return 0;
}
