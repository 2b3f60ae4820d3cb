/* The list of parts, in the order in which each stage asks them. */
#include "sim/parts.h"

#include <stddef.h>

const snPart *const sn_parts[] = {&sn_part_system,  &sn_part_bodies, &sn_part_tree, &sn_part_paths,
                                  &sn_part_strands, &sn_part_groups, NULL};
