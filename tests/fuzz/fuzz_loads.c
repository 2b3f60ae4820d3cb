/* Any bytes as loads: the text of an option, then a table of loads over time. What was refused leaves nothing behind.
 */
#include "control/load.h"
#include "file_case.h"
#include "scenes.h"
#include "sinew/io.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static snModel *model;
    static snLoads *loads;
    snError error = {0};
    if (!model) {
        snSpec *spec = sn_scene("finger");
        if (!spec || sn_compile(spec, &model, NULL) != SN_OK || sn_loads_create(model, &loads, NULL) != SN_OK) abort();
        sn_spec_destroy(spec);
    }
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    int32_t mark = sn_loads_mark(loads);
    if (sn_loads_read(loads, text, &error) != SN_OK && sn_loads_mark(loads) != mark) abort();
    sn_loads_take_back(loads, mark);
    if (sn_load_loads(file_of(data, size, "loads.csv"), loads, &error) != SN_OK && sn_loads_mark(loads) != mark)
        abort();
    sn_loads_take_back(loads, mark);
    free(text);
    return 0;
}
