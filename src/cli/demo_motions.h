/* Which motions a model shows in its demonstration. */
#ifndef SN_CLI_DEMO_MOTIONS_H
#define SN_CLI_DEMO_MOTIONS_H

#include "demo_page.h"

/* Those in demo.txt beside the model's file, one per line, with "flesh" behind those that are shown in flesh too;
 * without that file, the first two of its motions. They go into demo->chosen. Says what is wrong. */
snStatus cli_demo_motions(snCli *cli, snDemo *demo, int *count);

#endif
