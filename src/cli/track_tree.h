/* sinew track for models on a tree. */
#ifndef SN_CLI_TRACK_TREE_H
#define SN_CLI_TRACK_TREE_H

#include "cli.h"

/* Whether a model by name or path is on a tree; false also where it cannot be read. */
bool cli_is_tree(const char *model);
snStatus cli_track_tree(snCli *cli);

#endif
