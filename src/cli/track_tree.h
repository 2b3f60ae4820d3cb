/* sinew track for models on a tree. */
#ifndef SN_CLI_TRACK_TREE_H
#define SN_CLI_TRACK_TREE_H

#include "cli.h"

/* What a model by name or path is made of. */
typedef enum snTreeKind {
    CLI_NO_TREE,    /* strands; also where it cannot be read */
    CLI_OPEN_TREE,  /* coordinates alone */
    CLI_CLOSED_TREE /* closed by springs: what they hold follows by itself */
} snTreeKind;
snTreeKind cli_tree_kind(const char *model);

/* The three ways to track, and whether an option was given that the one taken would ignore. */
typedef enum snTrackWay { CLI_TRACK_STRANDS, CLI_TRACK_CLINICAL, CLI_TRACK_BODY } snTrackWay;
snStatus cli_track_refuse(snCli *cli, snTrackWay way);
snStatus cli_track_tree(snCli *cli); /* by the clinical methods */
snStatus cli_track_body(snCli *cli); /* by one program over all muscles, passive joints included */

#endif
