#include "slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

snStatus cli_numbers(snCli *cli, const char *option, const char *text, int count, double *number)
{
    const char *at = text;
    for (int i = 0; i < count; ++i) {
        char *end;
        number[i] = strtod(at, &end);
        if (end == at || !isfinite(number[i]) || *end != (i + 1 < count ? ',' : '\0'))
            return cli_fail(cli, SN_USAGE, "--%s %s: expected %d numbers separated by commas", option, text, count);
        at = end + 1;
    }
    return SN_OK;
}

bool cli_truth_path(const char *stack, char path[CLI_SLICES_PATH])
{
    static const char *const ending[] = {".nii.gz", ".nii", ".nrrd", "/"};
    size_t length = strlen(stack);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i)
        if (cli_ends_with(stack, ending[i])) {
            length -= strlen(ending[i]);
            break;
        }
    return snprintf(path, CLI_SLICES_PATH, "%.*s.truth.contours.xml", (int)length, stack) < CLI_SLICES_PATH;
}
