/* Joint coordinates as people ask for them. */
#include "coordinates.h"

#include <stdio.h>
#include <string.h>

int32_t cli_find_coordinate(const snModel *model, const char *text)
{
    char first[160];
    int32_t found = sn_find(model, SN_ITEM_COORDINATE, text);
    (void)snprintf(first, sizeof first, "%.150s.0", text);
    return found >= 0 ? found : sn_find(model, SN_ITEM_COORDINATE, first);
}

const char *cli_strand_name(const snModel *model, int32_t strand)
{
    return sn_name(model, cli_is_tree(model) ? SN_ITEM_LINE : SN_ITEM_STRAND, strand);
}

int32_t cli_find_strand(const snModel *model, const char *name)
{
    return sn_find(model, cli_is_tree(model) ? SN_ITEM_LINE : SN_ITEM_STRAND, name);
}

bool cli_is_tree(const snModel *model)
{
    return sn_count(model, SN_ITEM_LINE) > 0;
}

/* Length of the name of the joint in that of a coordinate, joint.motion. */
static size_t joint_length(const char *coordinate)
{
    const char *dot = strrchr(coordinate, '.');
    return dot ? (size_t)(dot - coordinate) : strlen(coordinate);
}

int32_t cli_joint_coordinates(const snModel *model, const char *text, int32_t *wanted)
{
    int32_t count = 0, one = cli_find_coordinate(model, text);
    if (one >= 0) text = sn_name(model, SN_ITEM_COORDINATE, one);
    size_t length = one >= 0 ? joint_length(text) : strlen(text);
    for (int32_t c = 0; c < sn_count(model, SN_ITEM_COORDINATE); ++c) {
        const char *name = sn_name(model, SN_ITEM_COORDINATE, c);
        if (joint_length(name) == length && strncmp(name, text, length) == 0) wanted[count++] = c;
    }
    return count;
}
