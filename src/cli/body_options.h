/* --coactivation, --breathing and --load of models on a tree, the same for every command that has them. */
#ifndef SN_CLI_BODY_OPTIONS_H
#define SN_CLI_BODY_OPTIONS_H

#include "cli.h"

enum { CLI_MOST_PARTS = 16, CLI_MOST_LOADS = 16, CLI_MOST_TIMES = 64 };

/* What the options of an snSteerDef point to. */
typedef struct snBodyOptions {
    snSteerPart part[CLI_MOST_PARTS];
    char part_name[CLI_MOST_PARTS][64];
    snSteerLoad load[CLI_MOST_LOADS];
    double time[CLI_MOST_LOADS][CLI_MOST_TIMES], kg[CLI_MOST_LOADS][CLI_MOST_TIMES];
    snPoses *breath;
    snMotionSource breath_source;
} snBodyOptions;

/* The model is the command's first argument, compiled. The options must outlive def. */
snStatus cli_read_body_options(snCli *cli, const snModel *model, snBodyOptions *options, snSteerDef *def);
void cli_free_body_options(snBodyOptions *options);

#endif
