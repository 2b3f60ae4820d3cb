/* sinew track for models on a tree. */
#ifndef SN_CLI_TRACK_TREE_H
#define SN_CLI_TRACK_TREE_H

#include "cli.h"

/* What a model by name or path is made of. */
typedef enum snTreeKind {
    CLI_NO_TREE,     /* strands; also where it cannot be read */
    CLI_OPEN_TREE,  /* coordinates alone */
    CLI_CLOSED_TREE /* closed by springs: what they hold follows by itself */
} snTreeKind;
snTreeKind cli_tree_kind(const char *model);
snStatus cli_track_tree(snCli *cli); /* by the clinical methods */
snStatus cli_track_body(snCli *cli); /* by one program over all muscles, passive joints included */

#endif
