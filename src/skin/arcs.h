/* Strands cut into short cubic arcs, and the chords of eight at a time packed for the search.
 *
 * Invariants: an arc lies within `slack` of its chord; every arc's coefficients are a constant matrix times four
 * control points; arcs of a strand follow each other. */
#ifndef SN_SKIN_ARCS_H
#define SN_SKIN_ARCS_H

#include "math/vec.h"
#include "skin/chords.h"
#include "skin/skin.h"

typedef struct snArc {
    v3 c[4];        /* p(t) = c0 + t (c1 + t (c2 + t c3)), t in [0, 1] */
    v3 chord;       /* p(1) - p(0) */
    double inverse; /* 1 / |chord|^2 */
    double slack;   /* m */
    int32_t strand;
} snArc;

/* Closest points are found by Newton's method: this many steps at most, until one is as short as this (in t). */
enum { SN_ARC_NEWTON = 12 };
#define SN_ARC_AT_REST 1e-8

/* Up to SN_LANES neighbouring arcs of one strand, as chords in single precision about the frame's origin. Lanes without
 * an arc are no numbers, so that they are near nothing. */
typedef struct snPack {
    float ax[SN_LANES], ay[SN_LANES], az[SN_LANES], cx[SN_LANES], cy[SN_LANES], cz[SN_LANES], inverse[SN_LANES];
    float slack[SN_LANES]; /* m, with what rounding may add */
    float x, y, z, radius; /* ball around all of it */
    int32_t strand, arc;   /* first arc */
} snPack;

typedef struct snArcs {
    int32_t narc, npack, nstrand, npoint;
    snArc *arc;
    int32_t *point;      /* per arc: first of its four control points */
    double *matrix;      /* per arc: 16, coefficients from control points */
    double *s0, *s1;     /* per arc: its stretch of the strand's parameter, as fractions */
    int32_t *strand_arc; /* nstrand + 1: first arc of each strand */
    v3 origin;           /* of the packs */
    snPack *pack;
} snArcs; /* zeroed memory holds none */

/* From the rest pose; pieces are about `length` long there. Free also after a failure. */
snStatus sn_arcs_create(int32_t nstrand, const snSkinStrand *strand, double length, snArcs *arcs, snError *error);
void sn_arcs_free(snArcs *arcs);
/* New control points of all strands. Packs are made about a point near what is asked for later. */
void sn_arcs_update(snArcs *arcs, const double *point, v3 origin);

static inline v3 sn_arc_at(const snArc *arc, double t)
{
    return v3_mad(arc->c[0], t, v3_mad(arc->c[1], t, v3_mad(arc->c[2], t, arc->c[3])));
}
static inline v3 sn_arc_end(const snArc *arc)
{
    return v3_add(arc->c[0], arc->chord);
}
/* Distance to the chord. */
static inline double sn_arc_chord_distance(const snArc *arc, v3 p)
{
    v3 q = v3_sub(p, arc->c[0]);
    double t = v3_dot(q, arc->chord) * arc->inverse;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return v3_len(v3_mad(q, -t, arc->chord));
}
/* The closest point of the arc: squared distance, parameter and place. Arcs are short enough that the distance has one
 * minimum inside or none. */
double sn_arc_closest(const snArc *arc, v3 p, double *t, v3 *at);

#endif
