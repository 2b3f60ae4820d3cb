/* Cords of tests: three bodies, and the length after one of them has moved. */
#ifndef SN_TESTS_PATH_MOVED_CORD_H
#define SN_TESTS_PATH_MOVED_CORD_H

#include "path/cord.h"

#include <string.h>

enum { BODIES = 3, MOST_NODES = 40 };

static inline double pseudo(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) * 2 - 1;
}

static inline double length_at(const snCord *c, const rigid *pose)
{
    snCordNode node[MOST_NODES];
    double length;
    sn_cord_place(c, pose, node, &length);
    return length;
}

/* Body b moved by d along one of its six velocities. */
static inline double moved_length(const snCord *c, const rigid *pose, int b, int k, double d)
{
    rigid now[BODIES];
    memcpy(now, pose, sizeof now);
    v3 turn = {k == 0 ? d : 0, k == 1 ? d : 0, k == 2 ? d : 0},
       shift = {k == 3 ? d : 0, k == 4 ? d : 0, k == 5 ? d : 0};
    now[b].q = q_mul(now[b].q, q_exp(turn));
    now[b].p = v3_add(now[b].p, shift);
    return length_at(c, now);
}

#endif
