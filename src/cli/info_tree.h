/* What `sinew info` says of a model on a tree. */
#ifndef SN_CLI_INFO_TREE_H
#define SN_CLI_INFO_TREE_H

#include "cli.h"
#include "sinew/spec.h"

void info_tree_totals(snCli *cli, const snSpec *spec);
void info_tree_list(snCli *cli, const snSpec *spec);

#endif
