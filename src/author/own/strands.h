/* The curves of strands that fill a muscle, while they relax. */
#ifndef SN_AUTHOR_OWN_STRANDS_H
#define SN_AUTHOR_OWN_STRANDS_H

#include "sinew/author.h"

/* Control points of clamped uniform cubic curves, strand by strand, control_points x 3 each; at any time. */
snStatus sn_autostrands_finish(const snAutoStrands *strands, double *point, snError *error);

#endif
