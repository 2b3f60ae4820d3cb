/* Helpers of the tests of readers and writers. */
#ifndef SN_TESTS_IO_CASE_H
#define SN_TESTS_IO_CASE_H

#include "base/alloc.h"
#include "check.h"
#include "sinew/io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The message, or what went right when it should not have. */
static inline const char *message_of(snStatus status, const snError *error)
{
    static char text[1400];
    return status == SN_OK ? "no error" : sn_error_format(error, text, sizeof text);
}

#define assert_ok(call, error)                                                                                         \
    do {                                                                                                               \
        snStatus status_ = (call);                                                                                     \
        if (status_ != SN_OK) {                                                                                        \
            print_error("%s: %s\n", #call, message_of(status_, &(error)));                                             \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static inline double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

#endif
