/* The scenes by file; scenes.c has the table of their names. */
#ifndef SN_SCENES_LIST_H
#define SN_SCENES_LIST_H

#include "sinew/spec.h"

snSpec *sn_scene_pendulum(void);
snSpec *sn_scene_cable(void);
snSpec *sn_scene_string(void);
snSpec *sn_scene_pulley(void);
snSpec *sn_scene_crane(void);
snSpec *sn_scene_finger(void);
snSpec *sn_scene_spindle(void);
snSpec *sn_scene_hand(void);
snSpec *sn_scene_hand_x10(void);
snSpec *sn_scene_hand_paths(void);
snSpec *sn_scene_hand_paths_x10(void);
snSpec *sn_scene_sheet(void);

#endif
