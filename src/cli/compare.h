/* sinew library --compare. */
#ifndef SN_CLI_COMPARE_H
#define SN_CLI_COMPARE_H

#include "cli.h"

/* Prints the muscle of the def in four fidelities as a table, as JSON, and with --plot as a picture. */
snStatus cli_compare_muscle(snCli *cli, const snSpec *spec, snLibraryDef *def);

#endif
