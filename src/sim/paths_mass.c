/* The material of a cord flows through its points, and takes part in the inertia of what it passes.
 *
 * A piece of mass m between two nodes a, b moves with w = v_node + c t, c being how fast material passes the node (see
 * path/cord.h). Across the piece its mass is lumped at both ends; along it all of it has the speed of its middle:
 *     2 E = m/2 sum over both ends of |v_node - (v_node . t) t|^2 + m ((t . v_a + c_a + t . v_b + c_b) / 2)^2
 * Of a piece on a wrap each half counts at its own end, since the direction changes between them. Terms of the second
 * order in the velocities are left out: about 1e-4 N in a hand.
 *
 * With c = phi g . v - ds/dt, ds/dt the rate of the length up to a node, the speed along is that of
 *     row = psi g + b,    b_k = t_k . v_k - ds_k/dt,    b_(k+1) = b_k + (t_(k+1) - t_k) . v_(k+1)
 * with psi the mean of phi over a straight piece: b changes where the cord turns, by the velocity of one node, and
 * pieces with the same b are one row and something more along g:
 *     sum w (psi g + b)^2 = W (P g + b)^2 + V g^2,      W the sum of w, P the mean of psi, V = sum w (psi - P)^2 */
#include "sim/paths.h"

#include <math.h>
#include <string.h>

/* A piece: its mass, and the directions at both ends. */
typedef struct Piece {
    double mass;
    v3 t[2];
} Piece;

/* The walk from node to node. */
typedef struct Walk {
    snCordSheet *t;
    const snCordNode *node;
    int32_t n;
    double *b, along;    /* row of the speed before the material counts, and what it is before the step */
    double weight, part; /* W and P of the pieces with this b */
    double spread;       /* V of all */
    double drag;         /* damping by mass is on the left side only */
} Walk;

static bool is_zero(v3 x)
{
    return x.x == 0 && x.y == 0 && x.z == 0;
}

/* Direction of what follows a node; behind the last one, of what comes before. */
static v3 out_of(const Walk *w, int32_t k)
{
    return w->node[k + 1 < w->n ? k : k - 1].t;
}

/* Mass on the row of now, at a share of the cord's stretching. */
static void put_mass(Walk *w, double mass, double psi)
{
    if (!(mass > 0)) return;
    double sum = w->weight + mass, moved = mass / sum, off = psi - w->part;
    w->spread += w->weight * moved * off * off;
    w->part += moved * off;
    w->weight = sum;
}

/* Closes the row of now. What it adds to the impulses along b goes to node k, by whose turn b is what it is. */
static void close_row(Walk *w, int32_t k)
{
    snCordSheet *t = w->t;
    if (!(w->weight > 0)) return;
    double momentum = w->weight * (w->part * t->was_rate + w->along), root = sqrt(w->weight * w->drag);
    const double *restrict g = t->g, *restrict b = w->b;
    double *restrict row = sn_sheet_row(t);
    for (int32_t e = 0; e < t->ld; ++e) row[e] = root * (w->part * g[e] + b[e]);
    t->node[k].along += momentum;
    t->along_g += w->part * momentum;
    w->weight = w->part = 0;
}

static void turn(Walk *w, int32_t k, v3 by)
{
    const snSheetNode *node = &w->t->node[k];
    w->along += v3_dot(by, node->was);
    sn_sheet_add_row(w->t, node, by, w->b);
}

/* Goes on to node k: b turns there, or over the wrap before it. */
static void go_to(Walk *w, int32_t k)
{
    if (k > 0 && w->node[k - 1].arc) {
        close_row(w, k - 1);
        turn(w, k - 1, v3_neg(w->node[k - 1].t));
        turn(w, k, out_of(w, k));
        return;
    }
    v3 by = k > 0 ? v3_sub(out_of(w, k), w->node[k - 1].t) : out_of(w, k);
    if (is_zero(by)) return;
    if (k > 0) close_row(w, k - 1);
    turn(w, k, by);
}

/* What was added along b goes to the nodes whose turns it is made of. */
static void share_out(const Walk *w)
{
    snSheetNode *at = w->t->node;
    double sum = 0;
    for (int32_t k = w->n - 1; k >= 0; --k) {
        bool arc = k > 0 && w->node[k - 1].arc;
        sum += at[k].along;
        v3 by = k > 0 && !arc ? v3_sub(out_of(w, k), w->node[k - 1].t) : out_of(w, k);
        at[k].push = v3_mad(at[k].push, sum, by);
        if (arc) at[k - 1].push = v3_mad(at[k - 1].push, -sum, w->node[k - 1].t);
    }
}

/* Gravity does work on material as it slides along, by c = phi g + b - t . v. */
static void add_slide(const Walk *w, int32_t k, double phi, const Piece *before, const Piece *behind, v3 gravity)
{
    snCordSheet *t = w->t;
    double pull =
        0.5 * t->s->h * (before->mass * v3_dot(gravity, before->t[1]) + behind->mass * v3_dot(gravity, behind->t[0]));
    t->along_g += pull * phi;
    t->node[k].along += pull;
    t->node[k].push = v3_mad(t->node[k].push, -pull, out_of(w, k));
}

/* Mass that moves with its node at right angles to the cord, and its weight. */
static void add_across(const Walk *w, int32_t k, const Piece *before, const Piece *behind, v3 gravity)
{
    snSheetNode *node = &w->t->node[k];
    const double mass[2] = {0.5 * before->mass, 0.5 * behind->mass};
    const v3 t[2] = {before->t[1], behind->t[0]};
    if (node->place < 0 && !node->row) return;
    node->push = v3_mad(node->push, w->t->s->h * (mass[0] + mass[1]), gravity);
    for (int e = 0; e < 2; ++e) {
        if (!(mass[e] > 0)) continue;
        v3 along = node->row ? v3_unit(t[e]) : t[e]; /* shorter than one next to a free junction */
        node->push = v3_mad(node->push, mass[e], v3_mad(node->was, -v3_dot(node->was, along), along));
        if (node->row)
            sn_sheet_rows_across(w->t, node, NULL, along, mass[e] * w->drag);
        else
            sn_sheet_add_across(node, along, mass[e] * w->drag);
    }
}

void sn_cord_add_mass(snCordSheet *t, int32_t cord)
{
    const snCord *c = &t->k->cord;
    const snCordScale scale = sn_cord_scale(c, &t->s->cord_pull[cord]);
    Walk w = {.t = t, .node = t->s->cord_node + t->k->node, .n = t->s->cord_nnode[cord], .b = t->b};
    v3 gravity = sn_gravity(t->m, t->s);
    Piece before = {0, {{0, 0, 0}, {0, 0, 0}}}, none = before;
    double length = 0, rest, next_rest = 0, phi, next_phi = sn_cord_scaled_share(&scale, 0, &rest);
    w.drag = 1 + t->s->h * c->alpha;
    memset(w.b, 0, sizeof *w.b * (size_t)t->ld);
    for (int32_t k = 0; k < w.n; ++k) {
        Piece piece = none;
        const snCordNode *node = &w.node[k];
        phi = next_phi;
        go_to(&w, k);
        if (k > 0 && w.node[k - 1].arc) put_mass(&w, 0.5 * before.mass, phi);
        if (k + 1 < w.n) {
            length += node->length;
            next_phi = sn_cord_scaled_share(&scale, length, &next_rest);
            piece = (Piece){c->line_mass * (next_rest - rest), {node->t, node->arc ? out_of(&w, k + 1) : node->t}};
            put_mass(&w, node->arc ? 0.5 * piece.mass : piece.mass, node->arc ? phi : 0.5 * (phi + next_phi));
        }
        add_slide(&w, k, phi, &before, &piece, gravity);
        add_across(&w, k, &before, &piece, gravity);
        before = piece, rest = next_rest;
    }
    close_row(&w, w.n - 1);
    share_out(&w);
    t->weight_g += w.spread * w.drag;
    t->along_g += w.spread * t->was_rate;
}
