/* The point of a strand nearest to a given one, followed from step to step.
 *
 * Newton on f(s) = |p(s) - x|^2 / 2 between brackets that shrink. The search walks downhill from where it starts and
 * takes at most half a span at once, so that it ends in the valley it began in: a soft strand with a kink offers
 * others, and hopping to one lets a tendon jump along its pulley. */
#include "strand/strand.h"

#include "math/spline.h"

#include <stddef.h>

enum { MAX_ROUNDS = 60 };
static const double STEEP = 0.05; /* curvature over |p'|^2 from which Newton's step is taken */
/* A step of Newton's, as a share of the range, after which what is left is rounding: its square times at most the
 * 1e3 by which the slope may bend. */
static const double NEARLY = 1e-9;

typedef struct valley {
    double slope, curvature; /* f', f'' */
    double speed2;           /* |p'|^2: the curvature when the strand passes through x */
} valley;

static valley valley_at(const snStrand *strand, const double *q, v3 x, double s, int32_t *span)
{
    double b[4], d[4], dd[4];
    *span = spline_basis(strand->knot, strand->n, s, *span, b, d, dd);
    v3 gap = v3_neg(x), p1 = v3_of(0, 0, 0), p2 = v3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) {
        v3 c = v3_load(q + 3 * (*span + k));
        gap = v3_mad(gap, b[k], c), p1 = v3_mad(p1, d[k], c), p2 = v3_mad(p2, dd[k], c);
    }
    valley r = {.slope = v3_dot(gap, p1), .speed2 = v3_len2(p1)};
    r.curvature = r.speed2 + v3_dot(gap, p2);
    return r;
}

/* Newton where the valley curves upwards, otherwise a Gauss-Newton step, which is downhill too. */
static double step_of(const valley *v, double longest)
{
    double curvature = v->curvature > STEEP * v->speed2 ? v->curvature : v->speed2;
    double step = curvature > 0 ? -v->slope / curvature : 0;
    return step > longest ? longest : step < -longest ? -longest : step;
}

/* The part of the parameter range that holds the bottom. An end that was visited has a slope that points inwards. */
typedef struct bracket {
    double low, high;
    bool low_seen, high_seen;
} bracket;

static void narrow(bracket *k, double s, double slope)
{
    if (slope > 0)
        k->high = s, k->high_seen = true;
    else
        k->low = s, k->low_seen = true;
}

/* A step past an end goes to that end once, and into the middle when the end is known to be uphill. */
static double keep_inside(const bracket *k, double next)
{
    double middle = (k->low + k->high) / 2;
    if (next <= k->low) return k->low_seen ? middle : k->low;
    if (next >= k->high) return k->high_seen ? middle : k->high;
    return next;
}

double sn_strand_closest(const snStrand *strand, const double *q, v3 x, double s, double max_change, int32_t *span_hint)
{
    const double *knot = strand->knot;
    double first = knot[3], last = knot[strand->n], reach = max_change * (last - first);
    double tiny = 1e-15 * (last - first), nearly = NEARLY * (last - first);
    s = s < first ? first : s > last ? last : s;
    bracket k = {.low = fmax(first, s - reach), .high = fmin(last, s + reach)};
    int32_t span = span_hint ? *span_hint : 0;
    for (int round = 0; round < MAX_ROUNDS && k.high - k.low > tiny; ++round) {
        valley v = valley_at(strand, q, x, s, &span);
        double step = step_of(&v, (knot[span + 4] - knot[span + 3]) / 2);
        if (!isfinite(step) || fabs(step) <= tiny) break;
        narrow(&k, s, v.slope);
        s = keep_inside(&k, s + step);
        if (fabs(step) <= nearly && v.curvature > STEEP * v.speed2) break;
    }
    if (span_hint) *span_hint = span;
    return s;
}
