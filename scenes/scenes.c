/* The table of scenes. */
#include "scenes.h"

#include "list.h"

#include <string.h>

static const struct {
    snSceneInfo info;
    snSpec *(*make)(void);
} scenes[] = {
    {{"pendulum", "a rod on a hinge, starting level"}, sn_scene_pendulum},
    {{"cable", "a strand hanging between two points: the catenary"}, sn_scene_cable},
    {{"string", "a taut strand, plucked"}, sn_scene_string},
    {{"pulley", "a muscle lifts a weight through an eyelet, round a corner of 90 degrees"}, sn_scene_pulley},
    {{"crane", "a boom on a stay; a hoist runs over two pulleys to its load"}, sn_scene_crane},
    {{"finger", "an index finger with its eight musculotendons, the metacarpal held"}, sn_scene_finger},
    {{"spindle", "24 strands of one muscle that keeps its volume, bulging as it lifts a weight"}, sn_scene_spindle},
    {{"hand-synthetic", "17 bodies and 54 strands of 12 points, routed as in a hand"}, sn_scene_hand},
    {{"hand-synthetic-x10", "ten of them"}, sn_scene_hand_x10},
    {{"hand-paths", "hand-synthetic with paths instead of splines"}, sn_scene_hand_paths},
    {{"hand-paths-x10", "ten of them"}, sn_scene_hand_paths_x10},
    {{"sheet", "132 strands of 16 points with struts between neighbours, carrying a bar"}, sn_scene_sheet},
};

enum { SCENE_COUNT = (int)(sizeof scenes / sizeof scenes[0]) };

const snSceneInfo *sn_scene_info(int32_t index)
{
    return index >= 0 && index < SCENE_COUNT ? &scenes[index].info : NULL;
}

snSpec *sn_scene(const char *name)
{
    for (int i = 0; i < SCENE_COUNT; ++i)
        if (strcmp(scenes[i].info.name, name) == 0) return scenes[i].make();
    return NULL;
}
