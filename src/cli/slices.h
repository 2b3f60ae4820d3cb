/* What the commands about slice images share. */
#ifndef SN_CLI_SLICES_H
#define SN_CLI_SLICES_H

#include "cli.h"

enum { CLI_SLICES_PATH = 4096 };

/* Exactly so many numbers, separated by commas. Says what is wrong. */
snStatus cli_numbers(snCli *cli, const char *option, const char *text, int count, double *number);
/* STACK.truth.contours.xml, without the ending of a stack file; false: too long. */
bool cli_truth_path(const char *stack, char path[CLI_SLICES_PATH]);

#endif
