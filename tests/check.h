/* cmocka with what it lacks: doubles, and cases that are left out where they take too long. */
#ifndef SN_TESTS_CHECK_H
#define SN_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* |a - b| <= tolerance; a NaN fails. */
#define assert_near(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        double a_ = (a), b_ = (b), t_ = (tolerance);                                                                   \
        if (!(fabs(a_ - b_) <= t_)) {                                                                                  \
            print_error("%s = %.17g, expected %s = %.17g within %g\n", #a, a_, #b, b_, t_);                            \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)
/* a <= b; a NaN fails. */
#define assert_at_most(a, b)                                                                                           \
    do {                                                                                                               \
        double a_ = (a), b_ = (b);                                                                                     \
        if (!(a_ <= b_)) {                                                                                             \
            print_error("%s = %.17g, expected at most %s = %.17g\n", #a, a_, #b, b_);                                  \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* The first line of a case that takes long under a sanitizer, and whose code other cases of the same program run too:
 * make test runs it in the release build, make test-full under the sanitizers as well. */
#define heavy_case()                                                                                                   \
    do {                                                                                                               \
        if (getenv("SINEW_LIGHT")) skip();                                                                             \
    } while (0)

#endif
