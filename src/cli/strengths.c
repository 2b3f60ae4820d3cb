/* Strengths of muscles from the option --strength. */
#include "cli.h"

#include <fnmatch.h>
#include <stdlib.h>

/* Every muscle that a pattern such as FDP* names, or of whose strands one does. Returns how many. */
static int32_t weaken(const snModel *model, const char *pattern, double level, double *strength)
{
    int32_t found = 0;
    for (int32_t i = 0; i < sn_count(model, SN_ITEM_MUSCLE); ++i)
        if (fnmatch(pattern, sn_name(model, SN_ITEM_MUSCLE, i), 0) == 0) strength[i] = level, ++found;
    for (int32_t i = 0; i < sn_count(model, SN_ITEM_STRAND); ++i) {
        int32_t muscle = sn_strand_muscle(model, i);
        if (muscle >= 0 && fnmatch(pattern, sn_name(model, SN_ITEM_STRAND, i), 0) == 0)
            strength[muscle] = level, ++found;
    }
    return found;
}

snStatus cli_read_strengths(snCli *cli, const snModel *model, double **strength)
{
    char name[128];
    double level;
    int32_t count = sn_count(model, SN_ITEM_MUSCLE);
    *strength = calloc((size_t)count + 1, sizeof **strength);
    if (!*strength) return SN_NO_MEMORY;
    for (int32_t i = 0; i < count; ++i) (*strength)[i] = 1;
    for (int i = 0; cli_option_pair(cli, "strength", i, name, sizeof name, &level); ++i)
        if (weaken(model, name, level, *strength) == 0)
            return cli_fail(cli, SN_BAD_INPUT, "--strength: the model has no muscle '%s'; sinew info --list names them",
                            name);
    return SN_OK;
}
