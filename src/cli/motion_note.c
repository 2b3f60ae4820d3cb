/* What was found of a motion from another program. */
#include "cli.h"

void cli_say_match(snCli *cli, const snMotionSource *source)
{
    if (source->beyond[0]) cli_warn(cli, "angles beyond half a turn: %s", source->beyond);
    json_string(&cli->json, "beyond", source->beyond);
    if (source->gaps)
        cli_warn(cli, "%d empty %s interpolated from the values before and after", source->gaps,
                 source->gaps == 1 ? "cell is" : "cells are");
    json_integer(&cli->json, "empty_cells", source->gaps);
    if (!source->wanted) return;
    json_integer(&cli->json, "coordinates_found", source->found);
    json_integer(&cli->json, "coordinates_wanted", source->wanted);
    if (source->found < source->wanted)
        cli_warn(cli, "the motion moves %d of %d coordinates; held at rest: %s", source->found, source->wanted,
                 source->held);
    if (source->found < source->wanted && source->unused)
        cli_warn(cli, "unused joints of the file: %s; use --bvh-map to map them", source->unused_joints);
    json_string(&cli->json, "unused_joints", source->unused_joints);
    if (source->turned)
        cli_say(cli,
                "the rest pose of the motion is not a T-pose with the y axis up: its axes were rotated to match\n");
}
