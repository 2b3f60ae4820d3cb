/* sinew check MODEL MOTION. */
#ifndef SN_CLI_CHECK_MOTION_H
#define SN_CLI_CHECK_MOTION_H

#include "cli.h"

snStatus cli_check_motion(snCli *cli);

#endif
