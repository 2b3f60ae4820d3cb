/* Any bytes as a slice in PGM or PPM. */
#include "image/fuzz_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_picture(sn_parse_pnm, data, size);
    return 0;
}
