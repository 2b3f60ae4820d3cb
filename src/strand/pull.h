/* The tension of a strand at one Gauss point: equations 4 and 5 of [Sueda 2008]. For the files of this module. */
#ifndef SN_STRAND_PULL_H
#define SN_STRAND_PULL_H

#include "strand/strand.h"

/* What one Gauss point does: the direction of its pull, tension over rest arc length weight, stiffness. */
typedef struct pull {
    v3 t;           /* unit tangent */
    double passive; /* tension of the passive part, N */
    double unit;    /* tension that activation 1 adds, N */
    double axial;   /* d tension / d strain at the given activation, not below 0, N */
    double lateral; /* tension / |u| at the given activation, not below 0, N */
} pull;

/* A strand folded to a point has no direction to pull in: the smallest stretch that is divided by. */
static const double least_stretch = 1e-9;

static inline v3 stretch_vector(const snGauss *g, const double *q)
{
    const double *p = q + 3 * g->span, *d = g->d;
    return (v3){d[0] * p[0] + d[1] * p[3] + d[2] * p[6] + d[3] * p[9],
                d[0] * p[1] + d[1] * p[4] + d[2] * p[7] + d[3] * p[10],
                d[0] * p[2] + d[1] * p[5] + d[2] * p[8] + d[3] * p[11]};
}

/* Where the last Gauss point was in the tables of the laws. */
typedef struct pull_near {
    int32_t passive, active;
} pull_near;

static inline double passive_tension(const snStrand *strand, const snGauss *g, double stretch, int32_t *near,
                                     double *slope)
{
    if (strand->tension_only && stretch < 1) {
        *slope = g->slack;
        return g->slack * (stretch - 1);
    }
    double f = stretch - 1, df = 1;
    if (g->share > 0 && strand->passive_law.kind != SN_LAW_LINEAR) {
        double law = sn_law_eval_near(&strand->passive_law, stretch, &df, near);
        f += g->share * (law - f), df = 1 + g->share * (df - 1);
    }
    *slope = g->passive * df;
    return g->passive * f;
}

/* Tension of activation 1 and its derivative by the strain. */
static inline double active_tension(const snStrand *strand, const snGauss *g, double stretch, int32_t *near,
                                    double *slope)
{
    *slope = 0;
    if (g->active == 0 || strand->active_law.kind == SN_LAW_CONSTANT) return g->active;
    double df, f = sn_law_eval_near(&strand->active_law, g->fiber * stretch, &df, near);
    *slope = g->active * g->fiber * df;
    return g->active * f;
}

/* Everything but the direction, at a stretch and its inverse. */
static inline pull pull_of(const snStrand *strand, const snGauss *g, double stretch, double inverse, double a,
                           pull_near *near)
{
    double dp, da;
    pull r = {.passive = passive_tension(strand, g, stretch, &near->passive, &dp)};
    r.unit = active_tension(strand, g, stretch, &near->active, &da);
    double tension = r.passive + a * r.unit, axial = dp + a * da;
    r.axial = axial > 0 ? axial : 0;
    double hold = a * strand->hold, lateral = tension > hold ? tension : hold;
    r.lateral = lateral > 0 ? lateral * inverse : 0;
    return r;
}

static inline double pull_inverse(double stretch)
{
    return 1 / (stretch > least_stretch ? stretch : least_stretch);
}

static inline pull pull_at(const snStrand *strand, const snGauss *g, const double *q, double a, pull_near *near)
{
    v3 u = stretch_vector(g, q);
    double stretch = v3_len(u), inverse = pull_inverse(stretch);
    pull r = pull_of(strand, g, stretch, inverse, a, near);
    r.t = v3_scale(u, inverse);
    return r;
}

#endif
