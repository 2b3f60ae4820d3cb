/* sinew flesh --section: the skin around a bone, frame by frame. */
#ifndef SN_CLI_FLESH_TAPE_H
#define SN_CLI_FLESH_TAPE_H

#include "deformed.h"

typedef struct snFleshTape {
    char bone[260];           /* empty: nothing is measured */
    double at, reach;         /* 0 to 1 down the bone; m: skin further from it is that of another part */
    double area, first, most; /* m^2: of the last frame, of the first one, of the largest */
} snFleshTape;

/* --section BONE[@PLACE] */
snStatus cli_tape_read(snCli *cli, snFleshTape *tape);
/* The drawn pose, which the flesh must be in. Says what is wrong. */
snStatus cli_tape_start(snCli *cli, snFleshTape *tape, const snFlesh *flesh, const double *vertex);
snStatus cli_tape_measure(snFleshTape *tape, const snFlesh *flesh, const double *vertex, snError *error);
void cli_tape_note(snFleshTape *tape, double area);
void cli_tape_tell(snCli *cli, const snFleshTape *tape);

#endif
