/* soft.h: energy, force and stiffness of a given shape. */
#include "meshfree/soft.h"

#include <string.h>

/* Energy of the stabilisation, a constant matrix over the nodes; adds its force. */
static double hold(const snSoftBody *body, const double *x, double *gradient)
{
    const snSoftQuads *q = body->quads;
    double energy = 0;
    for (int32_t i = 0; i < q->nnode; ++i) {
        v3 sum = {0, 0, 0}, xi = v3_load(x + 3 * i);
        for (int32_t k = q->hold_first[i]; k < q->hold_first[i + 1]; ++k) {
            int32_t j = q->hold_column[k];
            double h = body->modulus * q->hold[k];
            v3 xj = v3_load(x + 3 * j);
            if (j == i) {
                energy += h * v3_len2(xi) / 2;
                sum = v3_mad(sum, h, xi);
                continue;
            }
            energy += h * v3_dot(xi, xj);
            sum = v3_mad(sum, h, xj);
            if (gradient) v3_store(gradient + 3 * j, v3_mad(v3_load(gradient + 3 * j), h, xi));
        }
        if (gradient) v3_store(gradient + 3 * i, v3_add(v3_load(gradient + 3 * i), sum));
    }
    return energy;
}

/* The stabilisation is zero for affine motions, but as a difference of large numbers: positions relative to the first
 * node keep the digits. */
static double hold_from(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient)
{
    if (body->quads->hold_first[body->quads->nnode] == 0) return 0;
    double *shifted = state->step;
    v3 origin = v3_load(x);
    for (int32_t i = 0; i < body->quads->nnode; ++i) v3_store(shifted + 3 * i, v3_sub(v3_load(x + 3 * i), origin));
    return hold(body, shifted, gradient);
}

static double inertia(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient)
{
    double energy = 0, rate = 1 / (state->dt * state->dt);
    for (int32_t i = 0; i < body->quads->nnode; ++i) {
        v3 d = v3_sub(v3_load(x + 3 * i), v3_load(state->target + 3 * i));
        energy += body->mass[i] * rate * v3_len2(d) / 2;
        if (gradient) v3_store(gradient + 3 * i, v3_mad(v3_load(gradient + 3 * i), body->mass[i] * rate, d));
    }
    return energy;
}

double sn_soft_evaluate(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient)
{
    const snSoftQuads *q = body->quads;
    double energy = 0, F[9], P[9];
    if (gradient) memset(gradient, 0, 3 * (size_t)q->nnode * sizeof *gradient);
    energy += hold_from(body, state, x, gradient);
    for (int32_t e = 0; e < q->n; ++e) {
        sn_soft_quads_gradient(q, e, x, F);
        energy +=
            q->volume[e] * sn_soft_energy(body->material + e, &body->law, state->activation, F, gradient ? P : NULL);
        if (!gradient) continue;
        for (int i = 0; i < 9; ++i) P[i] *= q->volume[e];
        for (int32_t k = q->first[e]; k < q->first[e + 1]; ++k) {
            const double *g = q->gradient + 3 * k;
            double *out = gradient + 3 * q->node[k];
            for (int i = 0; i < 3; ++i) out[i] += P[3 * i] * g[0] + P[3 * i + 1] * g[1] + P[3 * i + 2] * g[2];
        }
    }
    if (body->nbone > 0) energy += sn_soft_contact(body, state, x, gradient, NULL, false, NULL);
    if (state->load)
        for (int32_t i = 0; i < 3 * q->nnode; ++i) {
            energy -= state->load[i] * x[i];
            if (gradient) gradient[i] -= state->load[i];
        }
    if (state->dt > 0) energy += inertia(body, state, x, gradient);
    return energy;
}

void sn_soft_add_block(const snSoftBody *body, float *value, int32_t a, int32_t b, const double block[9])
{
    int32_t row = body->order[a], column = body->order[b];
    if (row < 0 || column < 0) return;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (row >= column)
                value[sn_tiles_at(&body->tiles, 3 * row + i, 3 * column + j)] += (float)block[3 * i + j];
            else
                value[sn_tiles_at(&body->tiles, 3 * column + j, 3 * row + i)] += (float)block[3 * i + j];
        }
}

typedef float four __attribute__((vector_size(16))); /* three numbers, the last is zero */
typedef float four_any __attribute__((vector_size(16), aligned(4), may_alias));

/* Blocks of one quadrature point, in single precision: H_ab = sum over j of g_aj D_bj, D_bj[3 i + k] = sum over l of
 * C[(i, j), (k, l)] g_bl. Columns are added four numbers at a time: the fourth, which is another entry's, gets zero. */
static void add_quad(const snSoftBody *body, float *value, int32_t e, const double C[81])
{
    const snSoftQuads *q = body->quads;
    const snTiles *t = &body->tiles;
    int32_t from = q->first[e], count = q->first[e + 1] - from, place[SN_SOFT_MAX_STENCIL], row[SN_SOFT_MAX_STENCIL];
    float g[SN_SOFT_MAX_STENCIL][3];
    four D[3][3], M[3][3][3]; /* columns k of a block */
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l)
            for (int k = 0; k < 3; ++k) {
                const double *c = C + 9 * j + 3 * k + l;
                M[j][l][k] = (four){(float)(q->volume[e] * c[0]), (float)(q->volume[e] * c[27]),
                                    (float)(q->volume[e] * c[54]), 0};
            }
    for (int32_t a = 0; a < count; ++a) {
        place[a] = body->order[q->node[from + a]];
        row[a] = 3 * place[a] / SN_TILE;
        for (int j = 0; j < 3; ++j) g[a][j] = (float)q->gradient[3 * (from + a) + j];
    }
    for (int32_t b = 0; b < count; ++b) { /* b: the column */
        if (place[b] < 0) continue;
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) D[j][k] = M[j][0][k] * g[b][0] + M[j][1][k] * g[b][1] + M[j][2][k] * g[b][2];
        float *column = value + (size_t)(3 * place[b] - row[b] * SN_TILE) * SN_TILE;
        for (int32_t a = 0; a < count; ++a) {
            if (place[a] < place[b]) continue;
            /* three unknowns of a node never straddle a tile: 48 is a multiple of 3 */
            float *at = column + (ptrdiff_t)(t->start[row[a]] - t->first[row[a]] + row[b]) * SN_TILE_SIZE +
                        (3 * place[a] - row[a] * SN_TILE);
            for (int k = 0; k < 3; ++k, at += SN_TILE)
                *(four_any *)at += D[0][k] * g[a][0] + D[1][k] * g[a][1] + D[2][k] * g[a][2];
        }
    }
}

void sn_soft_assemble(const snSoftBody *body, snSoftState *state, bool project)
{
    const snSoftQuads *q = body->quads;
    double F[9], C[81];
    float *value = state->value;
    sn_tiles_clear(&body->tiles, value);
    for (int32_t e = 0; e < q->n; ++e) {
        sn_soft_quads_gradient(q, e, state->x, F);
        sn_soft_stiffness(body->material + e, &body->law, state->activation, F, project, C);
        add_quad(body, value, e, C);
    }
    for (int32_t i = 0; i < q->nnode; ++i)
        for (int32_t k = q->hold_first[i]; k < q->hold_first[i + 1]; ++k) {
            int32_t a = body->order[i], b = body->order[q->hold_column[k]];
            if (a < 0 || b < 0) continue;
            float h = (float)(body->modulus * q->hold[k]);
            float *at = value + sn_tiles_at(&body->tiles, 3 * (a > b ? a : b), 3 * (a > b ? b : a));
            at[0] += h, at[SN_TILE + 1] += h, at[2 * SN_TILE + 2] += h;
        }
    for (int32_t i = 0; i < q->nnode && state->dt > 0; ++i) {
        double h = body->mass[i] / (state->dt * state->dt), block[9] = {h, 0, 0, 0, h, 0, 0, 0, h};
        sn_soft_add_block(body, value, i, i, block);
    }
    if (body->nbone > 0) sn_soft_contact(body, state, state->x, NULL, value, project, NULL);
}
