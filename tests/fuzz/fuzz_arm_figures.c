/* Any bytes as a table of published moment arms: an error or figures, never a crash, never a leak. */
#include "file_case.h"

#include "io/own/files.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_of(data, size, "a.tsv");
    snArmFigure *figure = NULL;
    int32_t count = 0;
    snError error;
    if (sn_load_arm_figures(path, &figure, &count, &error) == SN_OK)
        for (int32_t i = 0; i < count; ++i)
            if (strlen(figure[i].muscle) >= sizeof figure[i].muscle || isnan(figure[i].mean)) abort();
    sn_arm_figures_free(figure);
    return 0;
}
