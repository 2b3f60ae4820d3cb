/* Geometric stiffness of sliding constraints.
 *
 * An eyelet pushes with F at right angles to the tangent t of the strand at its parameter s. When the strand moves, s
 * and t change and so does the force on the control points. With a = t . dp and c = F . dp' / |p'| the exact
 * second-order form is  w a^2 + 2 a c,  w = -F . p'' / |p'|^2 = |F| times the curvature: large at a kink, and a step
 * that leaves it out is unstable there (90 degrees at 2 mm spacing: from h = 4 ms on). It is indefinite; completed by
 * c^2 / w it is the square w (a + c / w)^2, and that vanishes for steady sliding, since then the tangent at the eyelet
 * stays. So it stabilises without friction. Motion is counted relative to the eyelet's body. */
#include "sim/state.h"

#include "math/spline.h"

#include <math.h>

static const double LEAST_CURVATURE = 10; /* 1/m: straighter strands need no help */
static const double LEAST_FORCE = 1e-4;   /* N */

typedef struct Local {
    double b[4], d[4];
    int32_t span;
    v3 tangent;   /* unit */
    v3 second;    /* p'' */
    double speed; /* |p'| */
} Local;

static Local local_geometry(const snStrand *st, const double *q, double s, int32_t hint)
{
    Local g;
    double dd[4];
    v3 first = {0, 0, 0};
    g.second = first;
    g.span = spline_basis(st->knot, st->n, s, hint, g.b, g.d, dd);
    for (int k = 0; k < 4; ++k) {
        v3 x = v3_load(q + 3 * (g.span + k));
        first = v3_mad(first, g.d[k], x);
        g.second = v3_mad(g.second, dd[k], x);
    }
    g.speed = v3_len(first);
    g.tangent = v3_scale(first, 1 / g.speed);
    return g;
}

static void add_outer(double *block, int32_t point, const v3 z[4], double h2)
{
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            double *a = block + 36 * (point + i) + 9 * (j - i), x[3], y[3];
            v3_store(x, z[i]);
            v3_store(y, z[j]);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) a[3 * r + c] += h2 * x[r] * y[c];
        }
}

static void stiffen(const snModel *m, snState *s, int32_t strand, int32_t index)
{
    const snConstraint *k = &m->constraint[index];
    v3 force = v3_load(s->eyelet_force + 3 * index);
    if (v3_len(force) < LEAST_FORCE) return;
    int32_t p0 = m->strand_pointadr[strand];
    Local g = local_geometry(&m->strand[strand], s->point + 3 * p0, s->s[index], s->span[index]);
    double bend = -v3_dot(force, g.second) / (g.speed * g.speed);
    if (bend <= 0) return;
    double w = fmax(bend, v3_len(force) * LEAST_CURVATURE), h2 = s->h * s->h;
    v3 z[4];
    for (int i = 0; i < 4; ++i)
        z[i] = v3_scale(v3_mad(v3_scale(g.tangent, g.b[i]), g.d[i] / (w * g.speed), force), sqrt(w));
    const double *v = s->velocity + 6 * k->body;
    v3 along = sn_body_point_velocity(s->body[k->body].q, v, k->point);
    v3 omega = q_rotate(s->body[k->body].q, v3_load(v));
    double carried = sqrt(w) * (v3_dot(g.tangent, along) + v3_dot(force, v3_cross(omega, g.tangent)) / w);
    add_outer(s->value->point_A + 36 * p0, g.span, z, h2);
    for (int i = 0; i < 4; ++i) {
        double *impulse = s->impulse + s->point0 + 3 * (p0 + g.span + i);
        v3_store(impulse, v3_mad(v3_load(impulse), h2 * carried, z[i]));
    }
}

void sn_eyelet_stiffness(const snModel *m, snState *s, int32_t strand)
{
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i)
        if (m->constraint[i].type == SN_CONSTRAINT_SLIDING) stiffen(m, s, strand, i);
}

/* The force on the strand, from the multipliers of the last solve. */
void sn_eyelet_remember(const snModel *m, snState *s, int32_t strand)
{
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        const snConstraint *k = &m->constraint[i];
        if (k->type != SN_CONSTRAINT_SLIDING) continue;
        v3 sum = {0, 0, 0};
        for (int32_t r = k->row; r < k->row + 2; ++r)
            sum = v3_mad(sum, -s->solution[s->own0 + r] / s->h, v3_load(s->value->own[r].n));
        v3_store(s->eyelet_force + 3 * i, sum);
    }
}
