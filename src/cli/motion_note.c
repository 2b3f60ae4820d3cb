/* What was found of a motion from another program. */
#include "cli.h"

static const double DEGREES = 57.29577951308232;
static const double MUCH = 5;   /* degrees, rms: discarded rotation that is worth a warning */
static const double BEYOND = 2; /* degrees: the same of a range that is left */

static void list_joints(snCli *cli, const snMotionSource *source)
{
    snJson *json = &cli->json;
    json_open(json, "joints", '[');
    for (int32_t i = 0; i < source->njoint; ++i) {
        const snMotionJoint *j = &source->joint[i];
        json_open(json, NULL, '{');
        json_string(json, "body", j->body);
        json_string(json, "matched", j->matched);
        json_number(json, "discarded_deg_rms", DEGREES * j->discarded_rms);
        json_number(json, "discarded_deg_worst", DEGREES * j->discarded_worst);
        json_number(json, "clamped_deg", DEGREES * j->clamped);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void cli_say_joints(snCli *cli, const snMotionSource *source)
{
    if (source->njoint == 0) return;
    cli_say(cli, "%-14s %-28s %21s %10s\n", "body", "joint of the file", "discarded, deg", "clamped");
    for (int32_t i = 0; i < source->njoint; ++i) {
        const snMotionJoint *j = &source->joint[i];
        if (*j->matched)
            cli_say(cli, "%-14s %-28s %7.1f rms %5.1f worst %6.1f deg\n", j->body, j->matched,
                    DEGREES * j->discarded_rms, DEGREES * j->discarded_worst, DEGREES * j->clamped);
        else
            cli_say(cli, "%-14s none of its own\n", j->body);
    }
}

void cli_say_bones(snCli *cli, const snMotionSource *source)
{
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
    if (source->first_frame)
        cli_warn(cli, "the rest pose of the file is not a pose of a body: its first frame was taken as the rest pose; "
                      "turns of the upper arms about themselves and of the hands are measured from it");
    json_boolean(&cli->json, "rest_from_first_frame", source->first_frame);
    for (int32_t i = 0; i < source->njoint; ++i) {
        const snMotionJoint *j = &source->joint[i];
        if (DEGREES * j->discarded_rms > MUCH || DEGREES * j->clamped > BEYOND)
            cli_warn(cli,
                     "%s (%s of the file): rotation of %.1f deg rms, %.1f at worst, is discarded; the file leaves the "
                     "joint's range by up to %.1f deg",
                     j->body, j->matched, DEGREES * j->discarded_rms, DEGREES * j->discarded_worst,
                     DEGREES * j->clamped);
    }
    list_joints(cli, source);
}

void cli_say_match(snCli *cli, const snMotionSource *source)
{
    if (source->beyond[0]) cli_warn(cli, "angles beyond half a turn: %s", source->beyond);
    json_string(&cli->json, "beyond", source->beyond);
    if (source->gaps)
        cli_warn(cli, "%d empty %s interpolated from the values before and after", source->gaps,
                 source->gaps == 1 ? "cell is" : "cells are");
    json_integer(&cli->json, "empty_cells", source->gaps);
    cli_say_bones(cli, source);
}
