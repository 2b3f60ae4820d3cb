/* The table of commands. A new one is a file cmd_NAME.c and a line here. */
#include "cli.h"

extern const snCommand cmd_demo, cmd_check, cmd_info, cmd_simulate, cmd_track, cmd_skin, cmd_plot, cmd_export,
    cmd_convert, cmd_bench, cmd_studio, cmd_strands, cmd_hold, cmd_compensate, cmd_explore;

const snCommand *const cli_commands[] = {
    &cmd_demo,   &cmd_check,   &cmd_info,  &cmd_simulate, &cmd_track,   &cmd_skin, &cmd_plot,
    &cmd_export, &cmd_convert, &cmd_bench, &cmd_studio,   &cmd_strands, &cmd_hold, &cmd_compensate,
    &cmd_explore, NULL,
};
