/* Joint coordinates as people ask for them. */
#ifndef SN_CLI_COORDINATES_H
#define SN_CLI_COORDINATES_H

#include "cli.h"

/* A coordinate of the model by any of its names, as sn_find takes them; a joint alone is its first one. -1: none. */
int32_t cli_find_coordinate(const snModel *model, const char *text);
/* What moment arms are of: the line muscles of a model on a tree, else strands. */
bool cli_is_tree(const snModel *model);
const char *cli_strand_name(const snModel *model, int32_t strand);
int32_t cli_find_strand(const snModel *model, const char *name);
/* Coordinates that --joint asks for, by the name of a joint or of one of its coordinates, into wanted (room for all of
 * the model); how many. */
int32_t cli_joint_coordinates(const snModel *model, const char *text, int32_t *wanted);

#endif
