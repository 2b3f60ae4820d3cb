/* Any bytes as a table of figures of a model: an error or cells, never a crash, never a leak. */
#include "file_case.h"

#include "author/table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_of(data, size, "a.tsv"), *slash = strrchr(path, '/');
    char folder[200];
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    snFigures table = {0};
    if (sn_figures_load(&table, folder, slash + 1) == SN_OK)
        for (int32_t row = 0; row < table.nrow; ++row) {
            (void)sn_figures_number(&table, row, "number");
            (void)sn_figures_v3(&table, row, "place");
            char name[16];
            sn_figures_name(&table, row, "name", name, sizeof name);
            if (strlen(name) >= sizeof name) abort();
        }
    sn_figures_free(&table);
    return 0;
}
