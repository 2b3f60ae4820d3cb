/* What a strand is made of: Gauss points with their stiffness and rest arc length, and the consistent mass matrix
 * M = density area integral b_i b_j over rest arc length [Sueda 2008, eq. 6]. */
#include "strand/strand.h"

#include "math/spline.h"

#include <stddef.h>

/* Spans over which belly turns into tendon: a sharp jump of the stiffness costs 0.8 to 3.4 % of the force. */
static const double blend_spans = 4;

static const double gauss2_x[2] = {0.21132486540518712, 0.78867513459481288}, gauss2_w[2] = {0.5, 0.5};
static const double gauss4_x[4] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
static const double gauss4_w[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};

static bool has_length(const double *knot, int32_t span)
{
    return knot[span + 4] > knot[span + 3];
}

int32_t sn_strand_gauss_count(const double *knot, int32_t n)
{
    int32_t count = 0;
    for (int32_t span = 0; span < n - 3; ++span)
        if (has_length(knot, span)) count += 2;
    return count;
}

/* Where s lies, counted in spans: the same width of blend whatever the spacing of the knots. */
static double span_coordinate(const double *knot, int32_t n, double s)
{
    double sum = 0;
    for (int32_t span = 0; span < n - 3 && s > knot[span + 3]; ++span) {
        if (!has_length(knot, span)) continue;
        double t = (s - knot[span + 3]) / (knot[span + 4] - knot[span + 3]);
        sum += t < 1 ? t : 1;
    }
    return sum;
}

/* 0 below -1/2, 1 above 1/2, smooth between. */
static double smooth_step(double x)
{
    double t = x + 0.5;
    return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

/* Where the belly lies, in spans. An edge at the end of the strand is no edge: nothing to blend with. */
typedef struct belly {
    double start, end, width;
    bool none, start_edge, end_edge;
} belly;

static belly belly_of(const double *knot, int32_t n, const snStrandParams *params)
{
    double range = knot[n] - knot[3];
    belly y = {.none = !(params->belly_end > params->belly_start),
               .start_edge = params->belly_start > 0,
               .end_edge = params->belly_end < 1};
    y.start = span_coordinate(knot, n, knot[3] + range * params->belly_start);
    y.end = span_coordinate(knot, n, knot[3] + range * params->belly_end);
    /* a short belly keeps a full middle */
    y.width = y.end - y.start < blend_spans ? fmax(y.end - y.start, 1) : blend_spans;
    return y;
}

/* 1 in the belly, 0 in the tendon. */
static double belly_share(const belly *y, double at)
{
    if (y->none) return 0;
    double in = y->start_edge ? smooth_step((at - y->start) / y->width) : 1;
    return in * (y->end_edge ? smooth_step((y->end - at) / y->width) : 1);
}

static double blend_log(double tendon, double in_belly, double share)
{
    if (share <= 0) return tendon;
    if (share >= 1) return in_belly;
    return exp((1 - share) * log(tendon) + share * log(in_belly));
}

/* Speed |dp/ds| of the drawn curve. */
static double drawn_speed(const double *point, int32_t span, const double d[4])
{
    v3 sum = v3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) sum = v3_mad(sum, d[k], v3_load(point + 3 * (span + k)));
    return v3_len(sum);
}

typedef struct setup {
    const double *knot, *point;
    int32_t n;
    const snStrandParams *params;
    belly belly;
    double area;
} setup;

/* One quadrature point: where it is, the basis b there and its derivative by rest arc length. Returns the share of
 * belly. */
static double place(const setup *u, int32_t span, double x, double weight, double at, snGauss *g, double b[4])
{
    double start = u->knot[span + 3], width = u->knot[span + 4] - start;
    g->s = start + width * x;
    g->span = span;
    spline_basis(u->knot, u->n, g->s, span, b, g->d, NULL);
    double share = belly_share(&u->belly, at + x), speed = drawn_speed(u->point, span, g->d);
    speed *= blend_log(u->params->rest_scale, u->params->belly_rest_scale, share);
    for (int k = 0; k < 4; ++k) g->d[k] /= speed;
    g->weight = weight * width * speed;
    return share;
}

/* A muscle that is tension_only takes up its slack in the belly: the belly has next to no stiffness when shorter than
 * at rest, the tendon keeps its own, so that it neither folds up nor flies when the belly contracts. A strand without a
 * belly has none at all. */
static const double BELLY_SLACK = 0.02;

static void set_stiffness(const setup *u, double share, snGauss *g)
{
    const snStrandParams *p = u->params;
    g->passive = p->passive_scale * u->area * blend_log(p->tendon_stiffness, p->stiffness, share);
    g->active = p->active_scale * p->max_force * share;
    bool contracts = p->belly_end > p->belly_start && p->active_scale * p->max_force > 0;
    g->slack = contracts ? g->passive * (1 - share + BELLY_SLACK * share) : 0;
    g->fiber = p->fiber_rest;
    g->share = share;
}

static void add_mass(const setup *u, const snGauss *g, const double b[4], double *mass)
{
    double m = u->params->density * u->area * g->weight;
    for (int k = 0; k < 4; ++k)
        for (int l = k; l < 4; ++l) mass[4 * (g->span + k) + l - k] += m * b[k] * b[l];
}

double sn_strand_setup(const double *knot, int32_t n, const double *point, const snStrandParams *params, snGauss *gauss,
                       double *mass)
{
    setup u = {.knot = knot, .point = point, .n = n, .params = params, .belly = belly_of(knot, n, params)};
    u.area = SN_PI * params->radius * params->radius;
    double length = 0, at = 0, b[4]; /* at: spans with a length so far */
    for (int32_t i = 0; i < 4 * n; ++i) mass[i] = 0;
    for (int32_t span = 0; span < n - 3; ++span) {
        if (!has_length(knot, span)) continue;
        for (int j = 0; j < 2; ++j, ++gauss) {
            set_stiffness(&u, place(&u, span, gauss2_x[j], gauss2_w[j], at, gauss, b), gauss);
            length += gauss->weight;
        }
        for (int j = 0; j < 4; ++j) {
            snGauss g;
            place(&u, span, gauss4_x[j], gauss4_w[j], at, &g, b);
            add_mass(&u, &g, b, mass);
        }
        at += 1;
    }
    return length;
}
