/* Any bytes as a folder's stack.txt: an error or a place, never a crash. */
#include "image/stack.h"
#include "io/stack_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snStackPlace place = sn_default_stack_place();
    snError error;
    bool found = false;
    (void)sn_parse_stack_text("fuzz", (const char *)data, size, &place, &found, &error);
    return 0;
}
