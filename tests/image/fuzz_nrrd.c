/* Any bytes as a stack: an error or finite grey values in a place that makes sense, never a crash, never a leak. */
#include "base/alloc.h"
#include "image/stack.h"
#include "io/stack_read.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snStack stack = {0};
    snError error;
    if (sn_parse_nrrd("fuzz", (const char *)data, size, &stack, &error) == SN_OK) {
        if (sn_stack_place_check(&stack.place, &error) != SN_OK) abort();
        for (size_t i = 0; i < sn_stack_slice_pixels(&stack.place) * (size_t)stack.place.n[2]; ++i)
            if (!isfinite(stack.value[i])) abort();
        sn_stack_free(&stack);
    }
    if (sn_alloc_live() != 0) abort();
    return 0;
}
