/* sinew strands --live: shows the strands while they relax and lets whoever watches tune them. */
#ifndef SN_CLI_STRANDS_LIVE_H
#define SN_CLI_STRANDS_LIVE_H

#include "cli.h"

#include "sinew/author.h"

typedef struct snStrandsLive {
    snCli *cli;
    snTalk talk;
    double stiffness, repulsion;
    int32_t steps;            /* at most */
    double pause, stepped_at; /* s between steps; when the last one was */
    bool paused, finish, cancel, changed;
} snStrandsLive;

/* Lets live watch the filling of a muscle. live must outlive it. */
void cli_watch_strands(snCli *cli, snStrandsLive *live, snFillDef *def);

#endif
