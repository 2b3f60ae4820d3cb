/* soft.h: energy, force and stiffness of a given shape. */
#include "meshfree/soft.h"

#include "meshfree/blocks.h"

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
    double *shifted = state->shifted;
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
        if (q->first[e] == q->first[e + 1]) continue;
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
    if (body->nbone > 0) energy += sn_soft_contact(body, state, x, gradient, NULL, 0, NULL);
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

void sn_soft_assemble(const snSoftBody *body, snSoftState *state, double share)
{
    const snSoftQuads *q = body->quads;
    double F[9], C[81];
    float *value = state->value;
    const snBlocksKernel *kernel = sn_blocks_avx2() ? sn_blocks_avx2() : sn_blocks_portable();
    sn_tiles_clear(&body->tiles, value);
    for (int32_t e = 0; e < q->n; ++e) {
        if (q->first[e] == q->first[e + 1]) continue;
        sn_soft_quads_gradient(q, e, state->x, F);
        double pressure = state->expects ? state->pressure[e] : sn_soft_pressure(body->material + e, F, NULL);
        sn_soft_stiffness(body->material + e, &body->law, state->activation, F, pressure, share, C);
        int32_t from = q->first[e], held = body->held[e];
        kernel->add(&body->tiles, value, q->first[e + 1] - from - held, body->sorted + from + held, q->node + from,
                    body->order, q->gradient + 3 * from, q->volume[e], C);
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
    if (body->nbone > 0) sn_soft_contact(body, state, state->x, NULL, value, share, NULL);
}
