/* Energy, gradient and matrix of a body of flesh. */
#include "flesh/tissue.h"

#include <math.h>
#include <string.h>

void sn_tissue_pose(snTissue *t, const double *pose)
{
    t->pull_energy = 0;
    for (int32_t b = 0; b < t->nbone; ++b) {
        const double *m = t->bone_moment + 5 * (size_t)b;
        v3 p = v3_load(pose + 7 * (size_t)b), first = q_rotate(q_load(pose + 7 * (size_t)b + 3), v3_load(m + 1));
        t->pull_energy += 0.5 * (m[4] + 2 * v3_dot(p, first) + m[0] * v3_len2(p));
    }
    memcpy(t->pull, t->weight_force, 4 * (size_t)t->n * sizeof *t->pull);
    for (int32_t i = 0; i < t->n; ++i)
        for (int32_t k = t->hold_start[i]; k < t->hold_start[i + 1]; ++k) {
            const snBoneHold *h = &t->hold[k];
            const double *at = pose + 7 * (size_t)h->bone;
            v3 f = v3_mad(q_rotate(q_load(at + 3), v3_load(h->moment)), h->stiffness, v3_load(at));
            v3_store(t->pull + 4 * (size_t)i, v3_add(v3_load(t->pull + 4 * (size_t)i), f));
        }
}

/* ---- energy and gradient ------------------------------------------------------------------- */

typedef struct {
    snTissue *t;
    const double *x;
    double *gradient;
    int32_t parity;
    bool project;
} Pass;

/* Corners of a batch where some hang. Lanes that are left over repeat the last one. */
static void place_corners(const snTissue *t, int32_t b, const double *x, double *corner)
{
    int32_t rows = t->batch_rows[b];
    memset(corner, 0, 4 * 6 * SN_OCTS * sizeof *corner);
    for (int32_t l = 0; l < SN_OCTS; ++l) {
        if (l > 0 && t->lane_oct[SN_OCTS * b + l] >= 0) ++rows;
        const snOctRows *r = &t->rows[rows];
        for (int32_t k = 0; k < r->n; ++k) {
            double *to = corner + 4 * (r->corner[k] * SN_OCTS + l);
            for (int d = 0; d < 3; ++d) to[d] += (double)r->share[k] * x[4 * (size_t)r->row[k] + (size_t)d];
        }
    }
}

static void scatter_gradient(const snTissue *t, int32_t b, const snOctGradient *g, double *gradient)
{
    int32_t rows = t->batch_rows[b];
    for (int32_t l = 0; l < SN_OCTS && t->lane_oct[SN_OCTS * b + l] >= 0; ++l) {
        for (int i = 0; rows < 0 && i < 6; ++i) {
            double *to = gradient + 4 * (size_t)t->batch[b].node[i][l];
            for (int d = 0; d < 3; ++d) to[d] += g->value[i][d][l];
        }
        for (int32_t i = 0; rows >= 0 && i < t->rows[rows + l].n; ++i) {
            const snOctRows *r = &t->rows[rows + l];
            double *to = gradient + 4 * (size_t)r->row[i];
            for (int d = 0; d < 3; ++d) to[d] += (double)r->share[i] * g->value[r->corner[i]][d][l];
        }
    }
}

/* What the nodes of a batch are numbers of: x, or its own corners where some hang. */
static const double *corners_for(const snTissue *t, int32_t b, const double *x, double *corner)
{
    if (t->batch_rows[b] < 0) return x;
    place_corners(t, b, x, corner);
    return corner;
}

static void evaluate_slab(void *context, int32_t half)
{
    const Pass *p = context;
    snTissue *t = p->t;
    int32_t slab = 2 * half + p->parity;
    snOctMeasure sum = {.least = INFINITY};
    snOctGradient g;
    double corner[4 * 6 * SN_OCTS];
    for (int32_t b = t->slab[slab]; b < t->slab[slab + 1]; ++b) {
        snOctMeasure m;
        const double *x = corners_for(t, b, p->x, corner);
        t->kernels->gradient(&t->elements, b, x, p->gradient ? &g : NULL, &m);
        sum.energy += m.energy, sum.volume += m.volume, sum.inverted += m.inverted;
        sum.least = fmin(sum.least, m.least);
        if (p->gradient) scatter_gradient(t, b, &g, p->gradient);
    }
    t->slab_measure[slab] = sum;
}

/* Springs, gravity and inertia of some rows: gradient, and energy by chunks. */
static void linear_rows(void *context, int32_t first, int32_t last)
{
    const Pass *p = context;
    snTissue *t = p->t;
    double inertia = t->step > 0 ? 1 / (t->step * t->step) : 0;
    for (int32_t from = first; from < last; from += SN_BLOCKS_CHUNK) {
        double energy = 0;
        for (int32_t i = from; i < last && i < from + SN_BLOCKS_CHUNK; ++i) {
            v3 x = v3_load(p->x + 4 * (size_t)i), sum = {0}, pull = v3_load(t->pull + 4 * (size_t)i);
            for (int32_t k = t->spring_start[i]; k < t->spring_start[i + 1]; ++k)
                sum = v3_mad(sum, t->spring[k], v3_load(p->x + 4 * (size_t)t->spring_column[k]));
            energy += 0.5 * v3_dot(x, sum) - v3_dot(x, pull);
            sum = v3_sub(sum, pull);
            if (inertia > 0) {
                v3 way = v3_sub(x, v3_load(t->inertia_at + 4 * (size_t)i));
                energy += 0.5 * inertia * t->mass[i] * v3_len2(way);
                sum = v3_mad(sum, inertia * t->mass[i], way);
            }
            if (p->gradient) v3_store(p->gradient + 4 * (size_t)i, sum), p->gradient[4 * (size_t)i + 3] = 0;
        }
        t->sums[from / SN_BLOCKS_CHUNK] = energy;
    }
}

/* How far a pushed point is below its plane; the rows that move it. */
static double push_depth(const snTissue *t, const snTissuePush *p, const double *x, int32_t *n, int32_t row[8],
                         double share[8])
{
    v3 at = {0};
    *n = sn_lattice_spread(&t->lattice, p->oct, p->tet, p->weight, row, share);
    for (int32_t a = 0; a < *n; ++a) at = v3_mad(at, share[a], v3_load(x + 4 * (size_t)row[a]));
    return p->offset - v3_dot(at, v3_load(p->normal));
}

static double add_pushes(snTissue *t, const double *x, double *gradient)
{
    double energy = 0;
    for (int32_t i = 0; i < t->npush; ++i) {
        const snTissuePush *p = &t->push[i];
        int32_t n, row[8];
        double share[8], depth = push_depth(t, p, x, &n, row, share);
        if (depth <= 0) continue;
        energy += 0.5 * p->stiffness * depth * depth;
        for (int32_t a = 0; gradient && a < n; ++a)
            for (int d = 0; d < 3; ++d)
                gradient[4 * (size_t)row[a] + (size_t)d] -= p->stiffness * depth * share[a] * p->normal[d];
    }
    return energy;
}

snOctMeasure sn_tissue_evaluate(snTissue *t, const double *x, double *gradient)
{
    Pass p = {.t = t, .x = x, .gradient = gradient};
    snOctMeasure sum = {.least = INFINITY, .energy = t->pull_energy};
    sn_rows_loop(t->pool, 0, t->n, linear_rows, &p);
    for (int32_t c = 0; c < sn_rows_chunks(t->n); ++c) sum.energy += t->sums[c];
    for (p.parity = 0; p.parity < 2; ++p.parity)
        sn_pool_loop(t->pool, (t->nslab + 1 - p.parity) / 2, evaluate_slab, &p);
    for (int32_t s = 0; s < t->nslab; ++s) {
        const snOctMeasure *m = &t->slab_measure[s];
        sum.energy += m->energy, sum.volume += m->volume, sum.inverted += m->inverted;
        sum.least = fmin(sum.least, m->least);
    }
    sum.energy += add_pushes(t, x, gradient);
    return sum;
}

/* ---- matrix -------------------------------------------------------------------------------- */

static void clear_rows(void *context, int32_t first, int32_t last)
{
    const Pass *p = context;
    snTissue *t = p->t;
    snBlocks *m = &t->grid.level[0].matrix;
    double inertia = t->step > 0 ? 1 / (t->step * t->step) : 0;
    memset(m->block + 9 * (size_t)m->start[first], 0, 9 * sizeof(float) * (size_t)(m->start[last] - m->start[first]));
    for (int32_t i = first; i < last; ++i) {
        for (int32_t k = t->spring_start[i]; k < t->spring_start[i + 1]; ++k)
            for (int d = 0; d < 3; ++d)
                m->block[9 * (size_t)t->spring_place[k] + (size_t)(4 * d)] += (float)t->spring[k];
        for (int d = 0; d < 3; ++d)
            m->block[9 * (size_t)m->diagonal[i] + (size_t)(4 * d)] += (float)(inertia * t->mass[i]);
    }
}

/* Adds the pair's block of one lane to both of its places. */
static inline void scatter_pair(float *matrix, float (*value)[SN_OCTS], int32_t lane, int32_t place, int32_t mirror)
{
    float *to = matrix + 9 * (size_t)place;
    for (int i = 0; i < 9; ++i) to[i] += value[i][lane];
    if (mirror < 0) return;
    to = matrix + 9 * (size_t)mirror;
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) to[3 * c + r] += value[3 * r + c][lane];
}

/* The same where corners hang: P' K P of the octahedron. */
static void scatter_rows(float *matrix, snOctHessian *h, const snOctRows *r, int32_t lane)
{
    for (int32_t a = 0; a < r->n; ++a)
        for (int32_t b = 0; b < r->n; ++b) {
            int i = r->corner[a], j = r->corner[b];
            float *to = matrix + 9 * (size_t)r->place[r->n * a + b], share = r->share[a] * r->share[b];
            float(*value)[SN_OCTS] = h->value[i <= j ? sn_oct_pair(i, j) : sn_oct_pair(j, i)];
            for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 3; ++k) to[3 * c + k] += share * value[i <= j ? 3 * c + k : 3 * k + c][lane];
        }
}

static void assemble_slab(void *context, int32_t half)
{
    const Pass *p = context;
    snTissue *t = p->t;
    int32_t slab = 2 * half + p->parity;
    float *matrix = t->grid.level[0].matrix.block;
    snOctHessian h;
    double corner[4 * 6 * SN_OCTS];
    for (int32_t b = t->slab[slab]; b < t->slab[slab + 1]; ++b) {
        t->kernels->hessian(&t->elements, b, corners_for(t, b, p->x, corner), p->project, &h);
        for (int32_t l = 0; l < SN_OCTS && t->lane_oct[SN_OCTS * b + l] >= 0; ++l) {
            if (t->batch_rows[b] >= 0) {
                scatter_rows(matrix, &h, &t->rows[t->batch_rows[b] + l], l);
                continue;
            }
            const int32_t *place = t->place + 36 * (size_t)t->lane_oct[SN_OCTS * b + l];
            for (int i = 0; i < 6; ++i)
                for (int j = i; j < 6; ++j)
                    scatter_pair(matrix, h.value[sn_oct_pair(i, j)], l, place[6 * i + j],
                                 i == j ? -1 : place[6 * j + i]);
        }
    }
}

static void assemble_pushes(snTissue *t, const double *x)
{
    float *matrix = t->grid.level[0].matrix.block;
    for (int32_t i = 0; i < t->npush; ++i) {
        const snTissuePush *p = &t->push[i];
        int32_t n, row[8];
        double share[8];
        if (push_depth(t, p, x, &n, row, share) <= 0) continue;
        for (int32_t a = 0; a < n; ++a)
            for (int32_t b = 0; b < n; ++b) {
                float *to = matrix + 9 * (size_t)sn_blocks_find(&t->grid.level[0].matrix, row[a], row[b]);
                for (int c = 0; c < 3; ++c)
                    for (int r = 0; r < 3; ++r)
                        to[3 * c + r] += (float)(p->stiffness * share[a] * share[b] * p->normal[r] * p->normal[c]);
            }
    }
}

void sn_tissue_assemble(snTissue *t, const double *x, bool project)
{
    Pass p = {.t = t, .x = x, .project = project};
    sn_rows_loop(t->pool, 0, t->n, clear_rows, &p);
    for (p.parity = 0; p.parity < 2; ++p.parity)
        sn_pool_loop(t->pool, (t->nslab + 1 - p.parity) / 2, assemble_slab, &p);
    assemble_pushes(t, x);
}
