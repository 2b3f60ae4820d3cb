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

static void evaluate_slab(void *context, int32_t half)
{
    const Pass *p = context;
    snTissue *t = p->t;
    int32_t slab = 2 * half + p->parity;
    snOctMeasure sum = {.least = INFINITY};
    snOctGradient g;
    for (int32_t b = t->slab[slab]; b < t->slab[slab + 1]; ++b) {
        snOctMeasure m;
        t->kernels->gradient(&t->elements, b, p->x, p->gradient ? &g : NULL, &m);
        sum.energy += m.energy, sum.volume += m.volume, sum.inverted += m.inverted;
        sum.least = fmin(sum.least, m.least);
        int32_t lanes = t->batch_oct[b + 1] - t->batch_oct[b];
        for (int32_t l = 0; p->gradient && l < lanes; ++l)
            for (int i = 0; i < 6; ++i) {
                double *to = p->gradient + 4 * (size_t)t->batch[b].node[i][l];
                for (int d = 0; d < 3; ++d) to[d] += g.value[i][d][l];
            }
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

/* How far a pushed point is below its plane; its corners. */
static double push_depth(const snTissue *t, const snTissuePush *p, const double *x, int32_t node[4])
{
    v3 at = {0};
    sn_oct_tet(t->lattice.oct_node + 6 * (size_t)p->oct, p->tet, node);
    for (int a = 0; a < 4; ++a) at = v3_mad(at, p->weight[a], v3_load(x + 4 * (size_t)node[a]));
    return p->offset - v3_dot(at, v3_load(p->normal));
}

static double add_pushes(snTissue *t, const double *x, double *gradient)
{
    double energy = 0;
    for (int32_t i = 0; i < t->npush; ++i) {
        const snTissuePush *p = &t->push[i];
        int32_t node[4];
        double depth = push_depth(t, p, x, node);
        if (depth <= 0) continue;
        energy += 0.5 * p->stiffness * depth * depth;
        for (int a = 0; gradient && a < 4; ++a)
            for (int d = 0; d < 3; ++d)
                gradient[4 * (size_t)node[a] + (size_t)d] -= p->stiffness * depth * p->weight[a] * p->normal[d];
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

static void assemble_slab(void *context, int32_t half)
{
    const Pass *p = context;
    snTissue *t = p->t;
    int32_t slab = 2 * half + p->parity;
    float *matrix = t->grid.level[0].matrix.block;
    snOctHessian h;
    for (int32_t b = t->slab[slab]; b < t->slab[slab + 1]; ++b) {
        t->kernels->hessian(&t->elements, b, p->x, p->project, &h);
        int32_t lanes = t->batch_oct[b + 1] - t->batch_oct[b];
        for (int32_t l = 0; l < lanes; ++l) {
            const int32_t *place = t->place + 36 * (size_t)(t->batch_oct[b] + l);
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
        int32_t node[4];
        if (push_depth(t, p, x, node) <= 0) continue;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                float *to = matrix + 9 * (size_t)sn_blocks_find(&t->grid.level[0].matrix, node[a], node[b]);
                for (int c = 0; c < 3; ++c)
                    for (int r = 0; r < 3; ++r)
                        to[3 * c + r] +=
                            (float)(p->stiffness * p->weight[a] * p->weight[b] * p->normal[r] * p->normal[c]);
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
