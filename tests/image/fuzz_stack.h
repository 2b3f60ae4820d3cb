/* Any bytes as a stack or a slice: an error or finite grey values in a place that makes sense, never a crash, never a
 * leak. */
#ifndef SN_TEST_FUZZ_STACK_H
#define SN_TEST_FUZZ_STACK_H

#include "base/alloc.h"
#include "image/stack.h"
#include "io/stack_read.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef snStatus (*PictureParser)(const char *name, const char *bytes, size_t size, snPicture *picture, snError *error);
typedef snStatus (*StackParser)(const char *name, const char *bytes, size_t size, snStack *stack, snError *error);

static inline void fuzz_stack(StackParser parse, const uint8_t *data, size_t size)
{
    snStack stack = {0};
    snError error;
    if (parse("fuzz", (const char *)data, size, &stack, &error) == SN_OK) {
        if (sn_stack_place_check(&stack.place, &error) != SN_OK) abort();
        for (size_t i = 0; i < sn_stack_slice_pixels(&stack.place) * (size_t)stack.place.n[2]; ++i)
            if (!isfinite(stack.value[i])) abort();
        sn_stack_free(&stack);
    }
    if (sn_alloc_live() != 0) abort();
}

static inline void fuzz_picture(PictureParser parse, const uint8_t *data, size_t size)
{
    snPicture picture = {0};
    snError error;
    if (parse("fuzz", (const char *)data, size, &picture, &error) == SN_OK) {
        for (size_t i = 0; i < (size_t)picture.columns * (size_t)picture.rows; ++i)
            if (!isfinite(picture.value[i])) abort();
        sn_free(picture.value);
    }
    if (sn_alloc_live() != 0) abort();
}

#endif
