/* Any bytes as a stack of NIfTI. */
#include "image/fuzz_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_stack(sn_parse_nifti, data, size);
    return 0;
}
