/* sinew track for models on a tree. */
#ifndef SN_CLI_TRACK_TREE_H
#define SN_CLI_TRACK_TREE_H

#include "cli.h"

/* What a model by name or path is made of. */
typedef enum snTreeKind {
    CLI_NO_TREE,     /* strands; also where it cannot be read */
    CLI_DRIVEN_TREE, /* muscles are asked for every coordinate */
    CLI_PASSIVE_TREE /* some coordinates follow by themselves */
} snTreeKind;
snTreeKind cli_tree_kind(const char *model);
snStatus cli_track_tree(snCli *cli); /* by the clinical methods: every coordinate is driven */
snStatus cli_track_body(snCli *cli); /* with passive coordinates */

#endif
