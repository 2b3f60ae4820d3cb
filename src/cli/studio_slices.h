/* sinew studio --slices. */
#ifndef SN_CLI_STUDIO_SLICES_H
#define SN_CLI_STUDIO_SLICES_H

#include "cli.h"

/* Serves the slices screen of a stack until it is interrupted or its time is over. */
snStatus cli_studio_slices(snCli *cli);

#endif
