/* What one cord adds to the system, gathered in a sheet and added to the blocks of the bodies at once: rows over the
 * velocities of its free bodies, and what only concerns one node or two. With rows R that have their weights in them,
 *     blocks += R'R,      impulses += along_g g + sum over nodes of J' push,      blocks of single bodies += J' S J
 * J being the velocity of a node by the six of its body. R'R is one product of a small matrix with itself per cord,
 * instead of one pass over the blocks for each row.
 *
 * Invariant: a sheet is made, filled and closed before the next one is begun: all use the same memory. */
#include "sim/paths.h"

#include "opt/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENDS = 2 }; /* junctions that a cord may have: at its ends */

static int32_t most_nodes(const snModel *m, int32_t cord)
{
    return (cord + 1 < m->ncord ? m->cord[cord + 1].node : m->ncord_node) - m->cord[cord].node;
}

/* One for the tension, one for each piece along it and one more for each arc; four for each junction. */
static int32_t most_rows(int32_t nnode)
{
    return 1 + 2 * nnode + 4 * ENDS;
}

static int32_t node_doubles(int32_t nnode)
{
    return nnode * (int32_t)(sizeof(snSheetNode) / sizeof(double));
}

int32_t sn_sheet_size(const snModel *m)
{
    int32_t most = 0;
    for (int32_t i = 0; i < m->ncord; ++i) {
        int32_t nnode = most_nodes(m, i), ld = sn_dense_ld(6 * m->cord[i].cord.nslot);
        int32_t size = ld * (5 + 3 * ENDS + most_rows(nnode) + ld) + node_doubles(nnode);
        if (size > most) most = size;
    }
    return most;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* Velocity of a junction: its three rows, over the free bodies only. */
static void place_junction(const snCordSheet *t, int32_t junction, double *rows, snSheetNode *node)
{
    int32_t width = 6 * t->k->cord.nslot;
    const double *from = t->s->junction_row + t->m->knot[t->k->knot].row + 3 * width * junction;
    double v[3] = {0, 0, 0}, was[3] = {0, 0, 0};
    node->row = rows;
    for (int axis = 0; axis < 3; ++axis, rows += t->ld, from += width)
        for (int32_t i = 0; i < t->n; ++i) {
            rows[i] = from[6 * t->slot[i / 6] + i % 6];
            v[axis] += rows[i] * t->v0[i];
            was[axis] += rows[i] * t->was[i];
        }
    node->v = v3_load(v), node->was = v3_load(was);
}

/* Velocity of a point r of a body: v + omega x r, with the columns by = R (e x r). */
static void place_on_body(const snCordSheet *t, int32_t body, v3 r, snSheetNode *node)
{
    const double *R = t->s->ahead_turn[body].m, *omega = t->v0 + 6 * node->place, *was = t->was + 6 * node->place;
    v3 x = {R[0], R[3], R[6]}, y = {R[1], R[4], R[7]}, z = {R[2], R[5], R[8]};
    node->by[0] = v3_mad(v3_scale(z, r.y), -r.z, y);
    node->by[1] = v3_mad(v3_scale(x, r.z), -r.x, z);
    node->by[2] = v3_mad(v3_scale(y, r.x), -r.y, x);
    node->v = v3_load(omega + 3), node->was = v3_load(was + 3);
    for (int i = 0; i < 3; ++i) {
        node->v = v3_mad(node->v, omega[i], node->by[i]);
        node->was = v3_mad(node->was, was[i], node->by[i]);
    }
}

static void place_nodes(snCordSheet *t, int32_t cord, double *junction_rows)
{
    const snCordNode *node = t->s->cord_node + t->k->node;
    int32_t place[SN_CORD_BODIES];
    for (int32_t i = 0; i < t->k->cord.nslot; ++i) place[i] = -1;
    for (int32_t i = 0; i < t->count; ++i) place[t->slot[i]] = i;
    t->nnode = t->s->cord_nnode[cord];
    for (int32_t i = 0; i < t->nnode; ++i) {
        snSheetNode *to = &t->node[i];
        *to = (snSheetNode){.place = node[i].junction ? -1 : place[node[i].slot]};
        if (node[i].junction)
            place_junction(t, node[i].junction - 1, junction_rows, to), junction_rows += 3 * t->ld;
        else if (to->place >= 0)
            place_on_body(t, t->k->body[node[i].slot], node[i].r, to);
    }
}

snCordSheet sn_sheet_begin(const snModel *m, snState *s, int32_t cord)
{
    const snPathCord *k = &m->cord[cord];
    int32_t nnode = most_nodes(m, cord);
    snCordSheet t = {.m = m, .s = s, .k = k};
    for (int32_t i = 0; i < k->cord.nslot; ++i) {
        const double *g = s->cord_g + 6 * (k->slot + i);
        double rate = sn_dot_six(g, s->velocity + 6 * k->body[i]);
        if (m->body_free[k->body[i]] >= 0) {
            t.slot[t.count++] = i, t.rate += rate;
            t.was_rate += sn_dot_six(g, s->velocity_before + 6 * k->body[i]);
        } else {
            t.moved += rate;
        }
    }
    t.n = 6 * t.count, t.ld = sn_dense_ld(t.n);
    t.v0 = s->cord_sheet, t.impulse = t.v0 + t.ld, t.g = t.impulse + t.ld, t.b = t.g + t.ld;
    t.was = t.b + t.ld;
    double *junction_rows = t.was + t.ld;
    t.row = junction_rows + 3 * ENDS * t.ld;
    t.Q = t.row + t.ld * most_rows(nnode);
    t.node = (snSheetNode *)(void *)(t.Q + t.ld * t.ld);
    for (int32_t i = t.n; i < t.ld; ++i) t.v0[i] = t.g[i] = 0;
    for (int32_t i = 0; i < t.count; ++i) {
        memcpy(t.v0 + 6 * i, s->velocity + 6 * k->body[t.slot[i]], sizeof *t.v0 * 6);
        memcpy(t.was + 6 * i, s->velocity_before + 6 * k->body[t.slot[i]], sizeof *t.was * 6);
        memcpy(t.g + 6 * i, s->cord_g + 6 * (k->slot + t.slot[i]), sizeof *t.g * 6);
    }
    place_nodes(&t, cord, junction_rows);
    return t;
}

/* ---- rows ------------------------------------------------------------------------------------- */

double *sn_sheet_row(snCordSheet *t)
{
    double *row = t->row + t->ld * t->nrow++;
    assert(row + t->ld <= t->Q); /* no free body: rows of nothing */
    return row;
}

void sn_sheet_add_row(const snCordSheet *t, const snSheetNode *node, v3 n, double *restrict row)
{
    const double *restrict at = node->row;
    if (at) {
        for (int32_t e = 0; e < t->n; ++e) row[e] += n.x * at[e] + n.y * at[t->ld + e] + n.z * at[2 * t->ld + e];
        return;
    }
    if (node->place < 0) return;
    row += 6 * node->place;
    for (int i = 0; i < 3; ++i) row[i] += v3_dot(n, node->by[i]);
    row[3] += n.x, row[4] += n.y, row[5] += n.z;
}

void sn_sheet_rows_across(snCordSheet *t, const snSheetNode *node, const snSheetNode *from, v3 along, double weight)
{
    double root = sqrt(weight);
    v3 n = v3_perp(along), side[2] = {v3_scale(n, root), v3_scale(v3_cross(along, n), root)};
    for (int i = 0; i < 2; ++i) {
        double *row = sn_sheet_row(t);
        memset(row, 0, sizeof *row * (size_t)t->ld);
        sn_sheet_add_row(t, node, side[i], row);
        if (from) sn_sheet_add_row(t, from, v3_neg(side[i]), row);
    }
}

/* ---- blocks of nodes -------------------------------------------------------------------------- */

void sn_sheet_add_across(snSheetNode *node, v3 t, double weight)
{
    double *S = node->S;
    v3 w = v3_scale(t, weight);
    S[0] += weight - w.x * t.x, S[1] -= w.x * t.y, S[2] -= w.x * t.z;
    S[3] += weight - w.y * t.y, S[4] -= w.y * t.z;
    S[5] += weight - w.z * t.z;
}

static v3 times(const double S[6], v3 x)
{
    return v3_of(S[0] * x.x + S[1] * x.y + S[2] * x.z, S[1] * x.x + S[3] * x.y + S[4] * x.z,
                 S[2] * x.x + S[4] * x.y + S[5] * x.z);
}

/* block += sign J_a' S J_b, J = [by, 1]. */
static void add_product(const snSheetNode *a, const double S[6], const snSheetNode *b, double sign,
                        double *restrict block)
{
    const double s[6] = {sign * S[0], sign * S[1], sign * S[2], sign * S[3], sign * S[4], sign * S[5]};
    const double whole[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    v3 Sb[3];
    for (int j = 0; j < 3; ++j) Sb[j] = times(s, b->by[j]);
    for (int i = 0; i < 3; ++i) {
        v3 Sa = a == b ? Sb[i] : times(s, a->by[i]);
        double *row = block + 6 * i, *below = block + 18;
        for (int j = 0; j < 3; ++j) row[j] += v3_dot(a->by[i], Sb[j]);
        row[3] += Sa.x, row[4] += Sa.y, row[5] += Sa.z;
        below[i] += Sb[i].x, below[6 + i] += Sb[i].y, below[12 + i] += Sb[i].z;
        for (int j = 0; j < 3; ++j) below[6 * i + 3 + j] += whole[3 * i + j];
    }
}

static double *pair_of(const snCordSheet *t, int32_t i, int32_t j)
{
    const snPathCord *k = t->k;
    return t->s->value->pair_A + 36 * (ptrdiff_t)k->pair[t->slot[i] * k->cord.nslot + t->slot[j]];
}

static int32_t free_body(const snCordSheet *t, int32_t place)
{
    return t->m->body_free[t->k->body[t->slot[place]]];
}

void sn_sheet_couple(const snCordSheet *t, const snSheetNode *a, const snSheetNode *b, const double S[6], double sign)
{
    if (a->place < 0 || b->place < 0) return;
    bool first = free_body(t, a->place) < free_body(t, b->place);
    add_product(first ? a : b, S, first ? b : a, -sign, pair_of(t, a->place, b->place));
}

/* ---- into the system -------------------------------------------------------------------------- */

static void add_block(double *restrict block, const double *restrict from, int32_t ld, double sign)
{
    for (int i = 0; i < 6; ++i, from += ld)
        for (int j = 0; j < 6; ++j) block[6 * i + j] += sign * from[j];
}

static void close_nodes(const snCordSheet *t, double sign)
{
    for (int32_t i = 0; i < t->nnode; ++i) {
        const snSheetNode *node = &t->node[i];
        sn_sheet_add_row(t, node, node->push, t->impulse);
        if (node->place < 0) continue;
        add_product(node, node->S, node, sign, t->s->value->body_A + 36 * (ptrdiff_t)free_body(t, node->place));
    }
}

void sn_sheet_close(snCordSheet *t, double sign)
{
    double root = sqrt(t->weight_g), *row = sn_sheet_row(t);
    for (int32_t e = 0; e < t->ld; ++e) row[e] = root * t->g[e], t->impulse[e] = t->along_g * t->g[e];
    close_nodes(t, sign);
    sn_dense()->gram(t->nrow, t->n, t->row, t->ld, t->Q);
    for (int32_t i = 0; i < t->count; ++i) {
        int32_t a = free_body(t, i);
        double *impulse = t->s->impulse + 6 * a;
        for (int e = 0; e < 6; ++e) impulse[e] += sign * t->impulse[6 * i + e];
        add_block(t->s->value->body_A + 36 * a, t->Q + (6 * t->ld + 6) * i, t->ld, sign);
        for (int32_t j = i + 1; j < t->count; ++j) {
            bool first = a < free_body(t, j);
            const double *from = first ? t->Q + 6 * t->ld * i + 6 * j : t->Q + 6 * t->ld * j + 6 * i;
            add_block(pair_of(t, i, j), from, t->ld, sign);
        }
    }
}
