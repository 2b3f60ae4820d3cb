/* The command with its memory running out: SINEW_FAIL_AFTER allocations of the library succeed, all later ones fail.
 * At the end it says on stderr how many there were. */
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int sinew_main(int argc, char **argv);

int main(int argc, char **argv)
{
    const char *text = getenv("SINEW_FAIL_AFTER");
    sn_alloc_fail_after(text ? strtoll(text, NULL, 10) : -1);
    int code = sinew_main(argc, argv);
    (void)fprintf(stderr, "allocations %" PRId64 " left %" PRId64 "\n", sn_alloc_count(), sn_alloc_live());
    return code;
}
