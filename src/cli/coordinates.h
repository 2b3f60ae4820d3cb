/* Joint coordinates as people ask for them. */
#ifndef SN_CLI_COORDINATES_H
#define SN_CLI_COORDINATES_H

#include "cli.h"

/* A coordinate of the model by any of its names, as sn_find takes them; a joint alone is its first one. -1: none. */
int32_t cli_find_coordinate(const snModel *model, const char *text);

#endif
