/* Joint coordinates as people ask for them. */
#include "coordinates.h"

#include <stdio.h>

int32_t cli_find_coordinate(const snModel *model, const char *text)
{
    char first[160];
    int32_t found = sn_find(model, SN_ITEM_COORDINATE, text);
    (void)snprintf(first, sizeof first, "%.150s.0", text);
    return found >= 0 ? found : sn_find(model, SN_ITEM_COORDINATE, first);
}
