/* sinew flesh --section: the skin around a bone, frame by frame. */
#ifndef SN_CLI_FLESH_TAPE_H
#define SN_CLI_FLESH_TAPE_H

#include "deformed.h"

typedef struct snFleshTape {
    char bone[260];                                 /* empty: nothing is measured */
    double at;                                      /* 0 to 1 down the bone */
    double drawn[SN_FLESH_RAYS], reach, drawn_area; /* m from bone to skin as drawn; beyond reach is another part */
    double area, bulge;                             /* of the last frame: m^2, m that the skin stands out most */
    double most_area, most;                         /* of all frames */
} snFleshTape;

/* --section BONE[@PLACE] */
snStatus cli_tape_read(snCli *cli, snFleshTape *tape);
/* The drawn pose, which the flesh must be in. Says what is wrong. */
snStatus cli_tape_start(snCli *cli, snFleshTape *tape, const snFlesh *flesh, const double *vertex);
snStatus cli_tape_measure(snFleshTape *tape, const snFlesh *flesh, const double *vertex, snError *error);
void cli_tape_tell(snCli *cli, const snFleshTape *tape);

#endif
