/* Passive tissue. Joint springs and dampers, one-sided stops whose damping grows with depth so that force is continuous
 * at contact, and springs of length zero between bodies.
 *
 * A spring between bodies sees only the links that are above one of its ends: common links carry both ends along. Its
 * gap d = a - b has the velocity J v over those links; force -k d - c J v. */
#include "tree/internal.h"

/* Depth beyond the range, signed: positive above upper, negative below lower, 0 within. */
static double stop_depth(const snTree *tree, int32_t i, double q)
{
    if (!(tree->stop_stiffness[i] > 0)) return 0;
    return q > tree->upper[i] ? q - tree->upper[i] : q < tree->lower[i] ? q - tree->lower[i] : 0;
}

/* Pushes back only: a damper must not hold a joint that leaves its stop. */
double sn_tree_stop(const snTree *tree, int32_t i, double q, double v, double *by_q, double *by_v)
{
    double depth = stop_depth(tree, i, q), k = tree->stop_stiffness[i], c = tree->stop_damping[i], size = fabs(depth);
    double sign = depth < 0 ? -1 : 1, force = k * size + c * size * sign * v;
    *by_q = *by_v = 0;
    if (!(depth != 0) || force <= 0) return 0;
    *by_q = k + c * sign * v, *by_v = c * size;
    return -sign * force;
}

typedef struct gapEnds {
    v3 a, b, gap;
} gapEnds;

static gapEnds ends_of(const snTree *tree, const snTreeWork *work, int32_t s)
{
    v3 p = v3_load(tree->spring_point + 3 * s);
    gapEnds e = {sn_tree_point(work, tree->spring_a[s], p), sn_tree_point(work, tree->spring_b[s], p), {0, 0, 0}};
    e.gap = v3_sub(e.a, e.b);
    return e;
}

/* Column of J: how entry e changes the gap. */
static v3 gap_column(const snTreeWork *work, int32_t e, const gapEnds *ends)
{
    double sign = work->spring_sign[e];
    return v3_scale(sp_at(sp_load(work->S + 6 * work->spring_link[e]), sign > 0 ? ends->a : ends->b), sign);
}

static v3 gap_rate(const snTree *tree, const snTreeWork *work, int32_t s, const double *v, const gapEnds *ends)
{
    v3 rate = {0, 0, 0};
    for (int32_t e = work->spring_adr[s]; e < work->spring_adr[s + 1]; ++e)
        rate = v3_mad(rate, v[column_of(tree, work->spring_link[e])], gap_column(work, e, ends));
    return rate;
}

static v3 gap_force(const snTree *tree, const snTreeWork *work, int32_t s, const double *v, const gapEnds *ends)
{
    return v3_mad(v3_scale(ends->gap, -tree->spring_k[s]), -tree->spring_c[s], gap_rate(tree, work, s, v, ends));
}

void sn_tree_passive(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double *tau)
{
    double by_q, by_v;
    for (int32_t i = 0; i < tree->ndof; ++i)
        tau[i] += sn_tree_stop(tree, i, q[i], v[i], &by_q, &by_v) - tree->stiffness[i] * (q[i] - tree->rest[i]) -
                  tree->damping[i] * v[i];
    for (int32_t s = 0; s < tree->nspring; ++s) {
        gapEnds ends = ends_of(tree, work, s);
        v3 force = gap_force(tree, work, s, v, &ends);
        for (int32_t e = work->spring_adr[s]; e < work->spring_adr[s + 1]; ++e)
            tau[column_of(tree, work->spring_link[e])] += v3_dot(gap_column(work, e, &ends), force);
    }
}

/* -force . d2 gap / dq_i dq_j for entries of one end: j the further out, i above it or itself. */
static double lever_stiffness(const snTreeWork *work, int32_t i, int32_t j, const gapEnds *ends, v3 force)
{
    if (work->spring_sign[i] != work->spring_sign[j]) return 0;
    v3 turn = v3_load(work->S + 6 * work->spring_link[i]);
    return -v3_dot(force, v3_cross(turn, gap_column(work, j, ends)));
}

/* Entries of one spring: weight times J'J, plus levers under the force where it is not zero, times k. */
static void spring_stiffness(const snTree *tree, const snTreeWork *work, int32_t s, const gapEnds *ends, double weight,
                             v3 force, double k, double *A, int32_t ld)
{
    int32_t first = work->spring_adr[s], end = work->spring_adr[s + 1];
    for (int32_t j = first; j < end; ++j) {
        v3 dj = gap_column(work, j, ends);
        int32_t cj = column_of(tree, work->spring_link[j]);
        for (int32_t i = j; i < end; ++i) { /* links fall, so i is not further out than j */
            int32_t ci = column_of(tree, work->spring_link[i]);
            double add = weight != 0 ? weight * v3_dot(gap_column(work, i, ends), dj) : 0;
            if (k != 0) add += k * lever_stiffness(work, i, j, ends, force);
            A[(int64_t)ci * ld + cj] += add;
            if (i != j) A[(int64_t)cj * ld + ci] += add;
        }
    }
}

void sn_tree_passive_stiffness(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double h,
                               bool exact, double *A, int32_t ld)
{
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double by_q, by_v;
        sn_tree_stop(tree, i, q[i], v[i], &by_q, &by_v);
        A[(int64_t)i * ld + i] += h * (tree->damping[i] + by_v) + h * h * (tree->stiffness[i] + by_q);
    }
    for (int32_t s = 0; s < tree->nspring; ++s) {
        gapEnds ends = ends_of(tree, work, s);
        double weight = h * tree->spring_c[s] + h * h * tree->spring_k[s];
        v3 force = exact ? gap_force(tree, work, s, v, &ends) : v3_of(0, 0, 0);
        spring_stiffness(tree, work, s, &ends, weight, force, exact ? h * h : 0, A, ld);
    }
}

void sn_tree_passive_product(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double k,
                             const double *x, double *out)
{
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double by_q, by_v;
        sn_tree_stop(tree, i, q[i], v[i], &by_q, &by_v);
        out[i] += k * (tree->stiffness[i] + by_q) * x[i];
    }
    for (int32_t s = 0; s < tree->nspring; ++s) {
        gapEnds ends = ends_of(tree, work, s);
        v3 rate = v3_scale(gap_rate(tree, work, s, x, &ends), k * tree->spring_k[s]);
        for (int32_t e = work->spring_adr[s]; e < work->spring_adr[s + 1]; ++e)
            out[column_of(tree, work->spring_link[e])] += v3_dot(gap_column(work, e, &ends), rate);
    }
}

void sn_tree_passive_levers(const snTree *tree, const snTreeWork *work, const double *v, double k, double *A,
                            int32_t ld)
{
    for (int32_t s = 0; s < tree->nspring; ++s) {
        gapEnds ends = ends_of(tree, work, s);
        spring_stiffness(tree, work, s, &ends, 0, gap_force(tree, work, s, v, &ends), k, A, ld);
    }
}

double sn_tree_passive_energy(const snTree *tree, const snTreeWork *work, const double *q)
{
    double sum = 0;
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double depth = stop_depth(tree, i, q[i]), off = q[i] - tree->rest[i];
        sum += (tree->stiffness[i] * off * off + tree->stop_stiffness[i] * depth * depth) / 2;
    }
    for (int32_t s = 0; s < tree->nspring; ++s) {
        gapEnds ends = ends_of(tree, work, s);
        sum += tree->spring_k[s] * v3_len2(ends.gap) / 2;
    }
    return sum;
}
