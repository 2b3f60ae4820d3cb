/* sinew track for models on a tree. */
#ifndef SN_CLI_TRACK_TREE_H
#define SN_CLI_TRACK_TREE_H

#include "cli.h"

/* The three ways to track. */
typedef enum snTrackWay { CLI_TRACK_STRANDS, CLI_TRACK_CLINICAL, CLI_TRACK_BODY } snTrackWay;
/* How a model by name or path is tracked: as --method says, else as its attribute method does. Strands where it cannot
 * be read; what it is that is wrong is said later. */
snTrackWay cli_track_way(snCli *cli);
/* Whether an option was given that the way taken would ignore. */
snStatus cli_track_refuse(snCli *cli, snTrackWay way);
snStatus cli_track_tree(snCli *cli); /* by the clinical methods */
snStatus cli_track_body(snCli *cli); /* by one program over all muscles, passive joints included */

#endif
