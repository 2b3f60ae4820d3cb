/* Spline strands: forces, stiffness, inertia and what is read from a strand. Equations 4 to 7 of [Sueda 2008] with
 * the sign of the damping that damps. Set-up is in setup.c.
 *
 * Invariant: gauss[2 i] and gauss[2 i + 1] lie in the same span. They touch the same ten blocks of the band, so the
 * stiffness is written once per pair. */
#include "strand/pull.h"

#include "math/spline.h"

#include <string.h>

/* The forces of a pair of Gauss points with the given tensions. */
static inline void add_pair_force(const snGauss *g, const pull p[2], double tension0, double tension1, double *force)
{
    double *f = force + 3 * g->span;
    v3 f0 = v3_scale(p[0].t, -g[0].weight * tension0), f1 = v3_scale(p[1].t, -g[1].weight * tension1);
    for (int k = 0; k < 4; ++k) {
        double c0 = g[0].d[k], c1 = g[1].d[k];
        f[3 * k] += c0 * f0.x + c1 * f1.x, f[3 * k + 1] += c0 * f0.y + c1 * f1.y, f[3 * k + 2] += c0 * f0.z + c1 * f1.z;
    }
}

/* weight (axial t t' + lateral (I - t t')) as a full 3x3 block. */
static inline void stiffness_block(double weight, v3 t, double axial, double lateral, double s[9])
{
    double c = weight * (axial - lateral), x = c * t.x, y = c * t.y, diagonal = weight * lateral;
    s[0] = x * t.x + diagonal, s[1] = x * t.y, s[2] = x * t.z;
    s[4] = y * t.y + diagonal, s[5] = y * t.z, s[8] = c * t.z * t.z + diagonal;
    s[3] = s[1], s[6] = s[2], s[7] = s[5];
}

static inline void add_pair_stiffness(const snGauss *g, const double s0[9], const double s1[9], double *point_A)
{
    for (int k = 0; k < 4; ++k) {
        double *row = point_A + 36 * (g->span + k);
        for (int l = k; l < 4; ++l, row += 9) {
            double c0 = g[0].d[k] * g[0].d[l], c1 = g[1].d[k] * g[1].d[l];
            for (int e = 0; e < 9; ++e) row[e] += c0 * s0[e] + c1 * s1[e];
        }
    }
}

/* Tension of the damping -beta K_tt qdot. */
static inline double damping_tension(const snStrand *strand, const snGauss *g, const pull *p, const double *qdot)
{
    return strand->beta * p->axial * v3_dot(p->t, stretch_vector(g, qdot));
}

void sn_strand_force(const snStrand *strand, const double *q, const double *qdot, double a, double h, double *force,
                     double *force_active, double *point_A)
{
    double axial = h * h + h * strand->beta, lateral = h * h, s[2][9];
    bool damp = !point_A && qdot;
    pull_near near = {0, 0};
    if (force_active) memset(force_active, 0, sizeof(double) * 3 * (size_t)strand->n);
    for (int32_t i = 0; i < strand->ngauss; i += 2) {
        const snGauss *g = strand->gauss + i;
        pull p[2] = {pull_at(strand, g, q, a, &near), pull_at(strand, g + 1, q, a, &near)};
        if (damp) p[0].passive += damping_tension(strand, g, &p[0], qdot);
        if (damp) p[1].passive += damping_tension(strand, g + 1, &p[1], qdot);
        add_pair_force(g, p, p[0].passive, p[1].passive, force);
        if (force_active && (p[0].unit != 0 || p[1].unit != 0))
            add_pair_force(g, p, p[0].unit, p[1].unit, force_active);
        if (!point_A) continue;
        for (int j = 0; j < 2; ++j)
            stiffness_block(g[j].weight, p[j].t, axial * p[j].axial, lateral * p[j].lateral, s[j]);
        add_pair_stiffness(g, s[0], s[1], point_A);
    }
}

void sn_strand_inertia(const snStrand *strand, const double *qdot, v3 gravity, double h, double *impulse,
                       double *point_A)
{
    double grow = 1 + h * strand->alpha;
    v3 fall = v3_scale(gravity, h);
    for (int32_t i = 0; i < strand->n; ++i) {
        const double *m = strand->mass + 4 * i;
        int32_t last = strand->n - 1 - i < 3 ? strand->n - 1 - i : 3;
        v3 vi = v3_add(v3_load(qdot + 3 * i), fall), sum = v3_scale(vi, m[0]);
        for (int32_t k = 1; k <= last; ++k) {
            double *other = impulse + 3 * (i + k);
            sum = v3_mad(sum, m[k], v3_add(v3_load(qdot + 3 * (i + k)), fall));
            v3_store(other, v3_mad(v3_load(other), m[k], vi));
        }
        v3_store(impulse + 3 * i, v3_add(v3_load(impulse + 3 * i), sum));
        for (int32_t k = 0; point_A && k <= last; ++k) {
            double *block = point_A + 36 * i + 9 * k, c = grow * m[k];
            block[0] += c, block[4] += c, block[8] += c;
        }
    }
}

double sn_strand_energy(const snStrand *strand, const double *q, double a)
{
    double sum = 0;
    for (int32_t i = 0; i < strand->ngauss; ++i) {
        const snGauss *g = strand->gauss + i;
        double stretch = v3_len(stretch_vector(g, q)), density = 0;
        if (strand->tension_only && stretch < 1) {
            density = g->slack * (stretch - 1) * (stretch - 1) / 2;
        } else {
            double tendon = (stretch - 1) * (stretch - 1) / 2,
                   belly = sn_law_integral(&strand->passive_law, 1, stretch);
            density = g->passive * ((1 - g->share) * tendon + g->share * belly);
        }
        if (g->active != 0)
            density += a * g->active / g->fiber * sn_law_integral(&strand->active_law, g->fiber, g->fiber * stretch);
        sum += g->weight * density;
    }
    return sum;
}

double sn_strand_kinetic_energy(const snStrand *strand, const double *qdot)
{
    double sum = 0;
    for (int32_t i = 0; i < strand->n; ++i)
        for (int32_t k = 0; k < 4 && i + k < strand->n; ++k) {
            double dot = v3_dot(v3_load(qdot + 3 * i), v3_load(qdot + 3 * (i + k)));
            sum += strand->mass[4 * i + k] * dot * (k ? 1 : 0.5);
        }
    return sum;
}

double sn_strand_tension(const snStrand *strand, const double *q, double a, double s)
{
    double b[4], sum = 0, weight = 0;
    int32_t span = spline_basis(strand->knot, strand->n, s, 0, b, NULL, NULL), at = 0;
    while (at + 2 < strand->ngauss && strand->gauss[at].span < span) at += 2;
    pull_near near = {0, 0};
    for (int32_t i = at - 2; i < at + 4; ++i) {
        if (i < 0 || i >= strand->ngauss) continue;
        pull p = pull_at(strand, strand->gauss + i, q, a, &near);
        sum += strand->gauss[i].weight * (p.passive + a * p.unit);
        weight += strand->gauss[i].weight;
    }
    return sum / weight;
}

static v3 combine(const double *q, int32_t span, const double c[4])
{
    v3 sum = v3_scale(v3_load(q + 3 * span), c[0]);
    for (int k = 1; k < 4; ++k) sum = v3_mad(sum, c[k], v3_load(q + 3 * (span + k)));
    return sum;
}

v3 sn_strand_point(const snStrand *strand, const double *q, double s, v3 *tangent, int32_t *span_hint)
{
    double b[4], d[4];
    int32_t span = spline_basis(strand->knot, strand->n, s, span_hint ? *span_hint : 0, b, d, NULL);
    if (span_hint) *span_hint = span;
    if (tangent) *tangent = v3_unit(combine(q, span, d));
    return combine(q, span, b);
}
