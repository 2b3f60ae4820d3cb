/* What one cord adds to the system: rows over the velocities of its free bodies, gathered in a sheet and added to the
 * blocks of the bodies at once. With the weights w of the rows R,
 *     blocks += R' diag(w) R,      impulses += R' (scale w (R v0)) and what is added to them directly
 * which is one product of a small matrix with itself per cord, instead of one pass over the blocks for each row.
 *
 * Invariant: a sheet is made, filled and closed before the next one is begun: all use the same memory. */
#include "sim/paths.h"

#include "opt/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int32_t most_nodes(const snModel *m, int32_t cord)
{
    return (cord + 1 < m->ncord ? m->cord[cord + 1].node : m->ncord_node) - m->cord[cord].node;
}

/* One for the tension; for each piece two along it and two across; five for each junction. */
static int32_t most_rows(int32_t nnode)
{
    return 1 + 4 * nnode + 5 * SN_KNOT_JUNCTIONS;
}

int32_t sn_sheet_size(const snModel *m)
{
    int32_t most = 0;
    for (int32_t i = 0; i < m->ncord; ++i) {
        int32_t nnode = most_nodes(m, i), ld = sn_dense_ld(6 * m->cord[i].cord.nslot);
        int32_t size = ld * (5 + nnode + most_rows(nnode) + ld) + nnode;
        if (size > most) most = size;
    }
    return most;
}

snCordSheet sn_sheet_begin(const snModel *m, snState *s, int32_t cord)
{
    const snPathCord *k = &m->cord[cord];
    int32_t nnode = most_nodes(m, cord);
    snCordSheet t = {.m = m, .s = s, .k = k};
    for (int32_t i = 0; i < k->cord.nslot; ++i)
        if (m->body_free[k->body[i]] >= 0) t.slot[t.count++] = i;
    t.n = 6 * t.count, t.ld = sn_dense_ld(t.n);
    t.v0 = s->cord_sheet, t.impulse = t.v0 + t.ld, t.g = t.impulse + t.ld, t.before = t.g + t.ld;
    t.before_step = t.before + t.ld, t.flow = t.before_step + t.ld;
    t.row = t.flow + t.ld * nnode;
    t.Q = t.row + t.ld * most_rows(nnode);
    t.rest = t.Q + t.ld * t.ld;
    memset(t.impulse, 0, sizeof *t.impulse * (size_t)t.ld);
    for (int32_t i = 0; i < t.count; ++i) {
        memcpy(t.v0 + 6 * i, s->velocity + 6 * k->body[t.slot[i]], sizeof *t.v0 * 6);
        memcpy(t.before_step + 6 * i, s->velocity_before + 6 * k->body[t.slot[i]], sizeof *t.before_step * 6);
        memcpy(t.g + 6 * i, s->cord_g + 6 * (k->slot + t.slot[i]), sizeof *t.g * 6);
    }
    return t;
}

double *sn_sheet_row(snCordSheet *t)
{
    double *row = t->row + t->ld * t->nrow++;
    assert(row + t->ld <= t->Q); /* no free body: rows of nothing */
    memset(row, 0, sizeof *row * (size_t)t->ld);
    return row;
}

/* Of a slot among the free ones, -1. */
static int32_t place_of(const snCordSheet *t, int32_t slot)
{
    for (int32_t i = 0; i < t->count; ++i)
        if (t->slot[i] == slot) return i;
    return -1;
}

void sn_sheet_node(const snCordSheet *t, const snCordNode *node, v3 n, double *row)
{
    if (node->junction) {
        double all[6 * SN_CORD_BODIES];
        memset(all, 0, sizeof *all * 6 * (size_t)t->k->cord.nslot);
        sn_junction_add_row(t->m, t->s, t->k, node->junction - 1, n, all);
        for (int32_t i = 0; i < t->n; ++i) row[i] += all[6 * t->slot[i / 6] + i % 6];
        return;
    }
    int32_t place = place_of(t, node->slot);
    double one[6];
    if (place < 0) return;
    sn_body_point_row(t->s->ahead[t->k->body[node->slot]].q, node->r, n, one);
    for (int e = 0; e < 6; ++e) row[6 * place + e] += one[e];
}

void sn_sheet_weigh(const snCordSheet *t, double *restrict row, const double *restrict v0, double weight, double scale)
{
    double *restrict impulse = t->impulse, along = 0, root = sqrt(weight);
    for (int32_t e = 0; e < t->n; ++e) along += row[e] * v0[e];
    along *= weight * scale;
    for (int32_t e = 0; e < t->n; ++e) impulse[e] += along * row[e];
    for (int32_t e = 0; e < t->n; ++e) row[e] *= root;
}

static void add_block(double *restrict block, const double *restrict from, int32_t ld, double sign)
{
    for (int i = 0; i < 6; ++i, from += ld)
        for (int j = 0; j < 6; ++j) block[6 * i + j] += sign * from[j];
}

void sn_sheet_close(const snCordSheet *t, double sign)
{
    const snModel *m = t->m;
    const snPathCord *k = t->k;
    sn_dense()->gram(t->nrow, t->n, t->row, t->ld, t->Q);
    for (int32_t i = 0; i < t->count; ++i) {
        int32_t a = m->body_free[k->body[t->slot[i]]];
        double *impulse = t->s->impulse + 6 * a;
        for (int e = 0; e < 6; ++e) impulse[e] += sign * t->impulse[6 * i + e];
        add_block(t->s->value->body_A + 36 * a, t->Q + (6 * t->ld + 6) * i, t->ld, sign);
        for (int32_t j = i + 1; j < t->count; ++j) {
            bool first = a < m->body_free[k->body[t->slot[j]]];
            const double *from = first ? t->Q + 6 * t->ld * i + 6 * j : t->Q + 6 * t->ld * j + 6 * i;
            int32_t pair = k->pair[t->slot[i] * k->cord.nslot + t->slot[j]];
            add_block(t->s->value->pair_A + 36 * pair, from, t->ld, sign);
        }
    }
}
