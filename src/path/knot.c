/* Equilibrium of junctions, and what it means for the bodies. */
#include "path/knot_solve.h"

#include <math.h>

enum { ROUNDS = 60, HALVINGS = 60, MOST = KNOT_UNKNOWNS, ROW = KNOT_ROW };
static const double LEAST = 1e-9;   /* N/m: stiffness of a junction between slack cords, which keeps it where it was */
static const double CLOSE = 1e-15;  /* m: a step that is rounding */
static const double LANDED = 1e-10; /* m: so near the place where a junction lands, it has */
static const double LAST = 1e-14;   /* m: of a free junction, a step that needs no search along it */
/* m: after a whole step of Newton this short the next one is rounding, for junctions on a line: it goes with the
 * square, over the millimetres within which tensions and directions change. */
static const double NEWTON = 1e-9;

static knotPlace find_place(const knotSolve *v, int32_t j)
{
    if (knot_is_free(v, j)) return (knotPlace){.p = v3_load(v->s + v->at[j])};
    const snCordNode *node = v->now[v->k->trunk[j]].node;
    double s = fmin(fmax(v->s[v->at[j]], 0), v->whole[j]);
    knotPlace p = {0};
    while (p.a + 2 < v->nodes[j] && s > p.before + node[p.a].length) p.before += node[p.a++].length;
    double length = node[p.a].length;
    p.part = length > 0 ? fmin((s - p.before) / length, 1) : 0;
    p.t = node[p.a].t;
    p.p = v3_lerp(node[p.a].p, node[p.a + 1].p, p.part);
    if (node[p.a].arc) {
        const snCord *cord = v->k->cord[v->k->trunk[j]].cord;
        pathArcPoint on = path_arc_point(cord, v->pose, &node[p.a], &node[p.a + 1], p.part);
        p.p = on.p, p.t = on.t, p.bend = on.bend;
    }
    return p;
}

static int32_t junction_of(const snKnotCord *c)
{
    return c->from >= 0 ? c->from : c->to;
}

/* The straight piece of a branch at its junction: its direction away from the junction, its length. */
static v3 away(const snKnotCord *c, const snKnotCordNow *now, double *length)
{
    int32_t last = now->nnode - 1;
    *length = fmax(c->from >= 0 ? now->node[0].length : now->node[last - 1].length, 1e-6);
    return c->from >= 0 ? now->node[0].t : v3_neg(now->node[last].arrive);
}

static void add_trunk(knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    int32_t n = v->n, j = junction_of(c), to = c->to >= 0 ? v->at[c->to] : -1,
            from = c->from >= 0 ? v->at[c->from] : -1;
    now->length = (to >= 0 ? v->s[to] : v->whole[j]) - (from >= 0 ? v->s[from] : 0);
    now->pull = sn_cord_pull(c->cord, now->length, now->activation, &now->x);
    double k = now->pull.slope;
    if (to >= 0) v->r[to] += now->pull.tension, v->S[to * n + to] += k;
    if (from >= 0) v->r[from] -= now->pull.tension, v->S[from * n + from] += k;
    if (to >= 0 && from >= 0) v->S[to * n + from] -= k, v->S[from * n + to] -= k;
}

static void add_branch(knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    int32_t n = v->k->njunction, j = junction_of(c);
    const v3 *p = &v->place[j].p;
    now->nnode = sn_cord_place_between(c->cord, v->pose, c->from >= 0 ? p : NULL, c->from >= 0 ? NULL : p, now->node,
                                       &now->length);
    now->pull = sn_cord_pull(c->cord, now->length, now->activation, &now->x);
    double length;
    v3 out = away(c, now, &length);
    double by_s = -v3_dot(out, v->place[j].t), turn = (1 - by_s * by_s) / length - v3_dot(out, v->place[j].bend);
    v->r[j] += now->pull.tension * by_s;
    v->S[j * n + j] += now->pull.slope * by_s * by_s + now->pull.tension * turn;
}

/* Residual and slope at the junctions as they are; the largest residual. */
static double evaluate(knotSolve *v)
{
    int32_t n = v->n;
    double worst = 0;
    memset(v->r, 0, sizeof *v->r * (size_t)n);
    memset(v->S, 0, sizeof *v->S * (size_t)(n * n));
    for (int32_t j = 0; j < v->k->njunction; ++j) v->place[j] = find_place(v, j);
    for (int32_t j = 0; j < n; ++j) v->S[j * n + j] = LEAST;
    for (int32_t i = 0; i < v->k->ncord; ++i) {
        if (!v->k->cord[i].branch)
            add_trunk(v, i);
        else if (v->net)
            net_add_branch(v, i);
        else
            add_branch(v, i);
    }
    if (v->net) net_hold(v);
    for (int32_t j = 0; j < n; ++j) worst = fmax(worst, fabs(v->r[j]));
    return worst;
}

/* How far along a step all junctions stay on their trunks. */
static double longest_step(const knotSolve *v, const double *start, const double *step)
{
    double most = INFINITY;
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        int32_t e = v->at[j];
        if (knot_is_free(v, j) || step[e] == 0) continue;
        double room = step[e] > 0 ? v->whole[j] - start[e] : start[e];
        most = fmin(most, fmax(room, 0) / fabs(step[e]));
    }
    return most;
}

static void set_along(knotSolve *v, const double *start, const double *step, double part)
{
    for (int32_t j = 0; j < v->n; ++j) v->s[j] = start[j] + part * step[j];
    if (v->net) net_keep_outside(v);
}

/* Goes along a step until the slope of the energy has fallen to a third: the energy is convex along it, or nearly, so
 * that bisection finds such a place also where cords turn slack on the way. Where a junction lands on its floor the
 * slope jumps, and the step ends there. Returns what was gone of the step. */
static double go_along(knotSolve *v, const double *start, const double *step, double first, double most)
{
    int32_t n = v->n;
    double low = 0, high = INFINITY, end = longest_step(v, start, step), part = fmin(1, end);
    for (int i = 0; i < HALVINGS && part > 0; ++i) {
        double slope = 0;
        set_along(v, start, step, part);
        evaluate(v);
        for (int32_t j = 0; j < n; ++j) slope += v->r[j] * step[j];
        if (fabs(slope) <= 0.3 * fabs(first) || (slope < 0 && part >= end)) return part;
        if (slope < 0)
            low = part;
        else
            high = part;
        if (v->net && (high - low) * most < LANDED) {
            set_along(v, start, step, high);
            evaluate(v);
            return high;
        }
        part = isfinite(high) ? 0.5 * (low + high) : fmin(4 * part, end);
    }
    return part;
}

/* The step of Newton's method. */
static bool find_step(const knotSolve *v, double *step)
{
    double A[MOST * MOST];
    int32_t n = v->n;
    for (int32_t j = 0; j < n; ++j) step[j] = -v->r[j];
    if (v->net) return net_solve(v, step, 1);
    memcpy(A, v->S, sizeof *A * (size_t)(n * n));
    return sn_small_cholesky_solve(A, step, n, 1);
}

static void find_equilibrium(knotSolve *v)
{
    int32_t n = v->n;
    if (v->net) net_keep_outside(v);
    double off = evaluate(v);
    for (int round = 0; round < ROUNDS && off > 0; ++round) {
        double step[MOST], start[MOST], most = 0, slope = 0;
        memcpy(start, v->s, sizeof *start * (size_t)n);
        if (!find_step(v, step)) return;
        for (int32_t j = 0; j < n; ++j) most = fmax(most, fabs(step[j])), slope += v->r[j] * step[j];
        if (v->net && most <= LAST) return;
        memcpy(v->held, v->on, sizeof v->held);
        double part = most > CLOSE ? go_along(v, start, step, slope, most) : 0;
        if (part * most <= CLOSE || (!v->net && part == 1 && most <= NEWTON)) return;
        off = 0;
        for (int32_t j = 0; j < n; ++j) off = fmax(off, fabs(v->r[j]));
    }
}

static void place_trunks(knotSolve *v)
{
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        int32_t i = v->k->trunk[j];
        if (i >= 0) v->nodes[j] = sn_cord_place(v->k->cord[i].cord, v->pose, v->now[i].node, &v->whole[j]);
    }
}

/* ---- derivatives -------------------------------------------------------------------------------- */

static void clear(const knotSolve *v, double *row)
{
    memset(row, 0, sizeof *row * 6 * (size_t)v->k->nslot);
}

/* Adds the row of a junction's velocity along n, out of its three. */
static void add_junction_row(const snKnot *k, const double *jac, int32_t j, v3 n, double *row)
{
    const double *at = jac + 18 * (size_t)k->nslot * (size_t)j;
    int32_t width = 6 * k->nslot;
    for (int32_t e = 0; e < width; ++e) row[e] += n.x * at[e] + n.y * at[width + e] + n.z * at[2 * width + e];
}

void knot_add_node_row(const knotSolve *v, const double *jac, const snCordNode *node, v3 n, double *row)
{
    if (node->junction)
        add_junction_row(v->k, jac, node->junction - 1, n, row);
    else
        path_add_row(v->pose, node, n, row);
}

/* Adds the rates of the first n pieces of a line. */
void knot_add_length_row(const knotSolve *v, const double *jac, int32_t n, const snCordNode *node, double *row)
{
    for (int32_t e = 0; e < n; ++e) {
        bool meets = node[e].junction || node[e + 1].junction;
        if (node[e].arc || (node[e].slot == node[e + 1].slot && !meets)) continue;
        knot_add_node_row(v, jac, &node[e + 1], node[e].t, row);
        knot_add_node_row(v, jac, &node[e], v3_neg(node[e].t), row);
    }
}

snCordNode knot_carried(const knotSolve *v, int32_t j)
{
    const knotPlace *p = &v->place[j];
    if (knot_is_free(v, j)) return (snCordNode){.p = p->p, .slot = -1, .point = -1, .junction = j + 1};
    const snCordNode *a = &v->now[v->k->trunk[j]].node[p->a];
    snCordNode node = {.p = p->p, .slot = a->slot == a[1].slot ? a->slot : -1, .point = -1, .junction = j + 1};
    if (node.slot >= 0) node.r = rigid_unapply(v->pose[node.slot], p->p);
    node.t = node.arrive = p->t;
    node.arc = a->arc, node.wrap = a->wrap;
    return node;
}

static snCordNode held_at(const knotSolve *v, int32_t slot, v3 p)
{
    return (snCordNode){.p = p, .r = rigid_unapply(v->pose[slot], p), .slot = slot};
}

void knot_add_turn(const knotSolve *v, int32_t slot, v3 t, v3 force, double *row)
{
    snCordNode here = held_at(v, slot, v->pose[slot].p), ahead = held_at(v, slot, v3_add(v->pose[slot].p, t));
    path_add_row(v->pose, &ahead, force, row);
    path_add_row(v->pose, &here, v3_neg(force), row);
}

static v3 transposed(const m3 *a, v3 x)
{
    const double *m = a->m;
    return v3_of(m[0] * x.x + m[3] * x.y + m[6] * x.z, m[1] * x.x + m[4] * x.y + m[7] * x.z,
                 m[2] * x.x + m[5] * x.y + m[8] * x.z);
}

/* The same of the straight piece before a wrap, or behind it: the shortest way over the wrap turns with its body, and
 * as its ends move against that. arc: the node where the wrap begins, between the points arc - 1 and arc + 2. */
static void add_tangent_turn(const knotSolve *v, const snCord *cord, const snCordNode *arc, bool behind, v3 force,
                             double *row)
{
    const snCordNode *end[2] = {arc - 1, arc + 2};
    pathWrap wrap = path_cord_wrap(cord, v->pose, arc->wrap);
    pathSegment s = path_segment(end[0]->p, end[1]->p, &wrap, true);
    v3 by[2] = {v3_neg(m3_mulv(&s.aa, force)), v3_neg(transposed(&s.ab, force))};
    if (behind) by[0] = m3_mulv(&s.ab, force), by[1] = m3_mulv(&s.bb, force);
    knot_add_turn(v, arc->slot, behind ? s.gb : v3_neg(s.ga), force, row);
    for (int e = 0; e < 2; ++e) {
        snCordNode still = held_at(v, arc->slot, end[e]->p);
        path_add_row(v->pose, end[e], by[e], row);
        path_add_row(v->pose, &still, v3_neg(by[e]), row);
    }
}

/* Adds force . dt/dq, t the direction of the trunk at a junction, s held. A straight piece turns with its ends; on a
 * wrap t turns with its body, and as the trunk slides over it. */
void knot_add_sway(const knotSolve *v, int32_t j, v3 force, double *row)
{
    const knotPlace *p = &v->place[j];
    const snCordNode *all = v->now[v->k->trunk[j]].node, *a = &all[p->a];
    const snCord *cord = v->k->cord[v->k->trunk[j]].cord;
    if (a->arc) {
        double before[ROW];
        clear(v, before);
        knot_add_turn(v, a->slot, p->t, force, row);
        knot_add_length_row(v, NULL, p->a, all, before);
        for (int32_t e = 0; e < 6 * v->k->nslot; ++e) row[e] -= v3_dot(force, p->bend) * before[e];
    } else if (a[1].arc) {
        add_tangent_turn(v, cord, a + 1, false, force, row);
    } else if (p->a && a[-1].arc) {
        add_tangent_turn(v, cord, a - 1, true, force, row);
    } else {
        v3 sway = v3_scale(v3_mad(force, -v3_dot(force, p->t), p->t), 1 / fmax(a->length, 1e-6));
        path_add_row(v->pose, a + 1, sway, row);
        path_add_row(v->pose, a, v3_neg(sway), row);
    }
}

/* Velocity of a junction with its s held: that of the last point before it, with the way from there turned and shorter
 * by what the trunk before it grows by. Behind a wrap the next point takes the place of the last; on it, the wrap. */
static void find_held_rows(const knotSolve *v, int32_t j, double *jac)
{
    const knotPlace *p = &v->place[j];
    if (knot_is_free(v, j)) {
        memset(jac + 18 * v->k->nslot * j, 0, sizeof *jac * 18 * (size_t)v->k->nslot);
        return;
    }
    const snCordNode *all = v->now[v->k->trunk[j]].node, *a = &all[p->a];
    int32_t width = 6 * v->k->nslot, behind = !a->arc && p->a && a[-1].arc;
    double before[ROW], way = a->length * (behind ? p->part - 1 : p->part);
    snCordNode on_wrap = knot_carried(v, j);
    clear(v, before);
    knot_add_length_row(v, NULL, p->a + behind, all, before);
    for (int axis = 0; axis < 3; ++axis) {
        v3 n = {axis == 0, axis == 1, axis == 2};
        double along = v3_dot(n, p->t), *row = jac + (size_t)(18 * v->k->nslot * j + axis * width);
        memset(row, 0, sizeof *row * (size_t)width);
        path_add_row(v->pose, a->arc ? &on_wrap : a + behind, n, row);
        if (!a->arc) knot_add_sway(v, j, v3_scale(n, way), row);
        for (int32_t e = 0; e < width; ++e) row[e] -= along * before[e];
    }
}

/* Adds k c dl/dq + T dc/dq of a branch, s held. */
static void add_branch_slope(const knotSolve *v, const double *jac, int32_t i, double *slope)
{
    const snKnotCord *c = &v->k->cord[i];
    const snKnotCordNow *now = &v->now[i];
    int32_t j = junction_of(c), width = 6 * v->k->nslot;
    const knotPlace *p = &v->place[j];
    double held[ROW], length;
    clear(v, held);
    v3 out = away(c, now, &length);
    double cosine = v3_dot(out, p->t), T = now->pull.tension;
    knot_add_length_row(v, jac, now->nnode - 1, now->node, held);
    for (int32_t e = 0; e < width; ++e) slope[e] -= now->pull.slope * cosine * held[e];
    v3 turn = v3_scale(v3_mad(p->t, -cosine, out), -T / length);
    knot_add_node_row(v, jac, &now->node[c->from >= 0 ? 1 : now->nnode - 2], turn, slope);
    add_junction_row(v->k, jac, j, v3_neg(turn), slope);
    knot_add_sway(v, j, v3_scale(out, -T), slope);
}

/* ds/dq of all junctions: a row of 6 * nslot for each unknown. */
static void find_slide(const knotSolve *v, const double *jac, double *slide)
{
    int32_t n = v->n, width = 6 * v->k->nslot;
    memset(slide, 0, sizeof *slide * (size_t)(n * width));
    for (int32_t i = 0; i < v->k->ncord; ++i) {
        const snKnotCord *c = &v->k->cord[i];
        int32_t j = junction_of(c);
        if (c->branch && v->net) {
            net_add_branch_slope(v, jac, i, slide);
            continue;
        }
        double *row = slide + v->at[j] * width, whole[ROW];
        if (c->branch) {
            add_branch_slope(v, jac, i, row);
        } else if (c->to < 0) {
            clear(v, whole);
            knot_add_length_row(v, NULL, v->nodes[j] - 1, v->now[v->k->trunk[j]].node, whole);
            for (int32_t e = 0; e < width; ++e) row[e] -= v->now[i].pull.slope * whole[e];
        }
    }
    double A[MOST * MOST], moved[MOST * ROW];
    memcpy(A, v->S, sizeof *A * (size_t)(n * n));
    bool pressed = v->net && net_hold_slope(v, slide, moved);
    bool solved = v->net ? net_solve(v, slide, width) : sn_small_cholesky_solve(A, slide, n, width);
    if (!solved) memset(slide, 0, sizeof *slide * (size_t)(n * width));
    for (int32_t e = 0; e < n * width; ++e) slide[e] = -slide[e];
    for (int32_t e = 0; e < n * width && pressed; ++e) slide[e] += moved[e];
}

static void let_go(const knotSolve *v, const double *slide, double *jac)
{
    int32_t width = 6 * v->k->nslot;
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        const double *by = slide + v->at[j] * width;
        double t[3];
        if (knot_is_free(v, j)) {
            memcpy(jac + 3 * j * width, by, sizeof *jac * 3 * (size_t)width);
            continue;
        }
        v3_store(t, v->place[j].t);
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t e = 0; e < width; ++e) jac[(3 * j + axis) * width + e] += t[axis] * by[e];
    }
}

static void find_gradient(const knotSolve *v, const double *jac, const double *slide, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    int32_t width = 6 * v->k->nslot, j = junction_of(c);
    double *g = v->now[i].g;
    memset(g, 0, sizeof *g * (size_t)width);
    if (c->branch) {
        knot_add_length_row(v, jac, v->now[i].nnode - 1, v->now[i].node, g);
        return;
    }
    if (c->to < 0) knot_add_length_row(v, NULL, v->nodes[j] - 1, v->now[v->k->trunk[j]].node, g);
    for (int32_t e = 0; e < width; ++e)
        g[e] +=
            (c->to >= 0 ? slide[v->at[c->to] * width + e] : 0) - (c->from >= 0 ? slide[v->at[c->from] * width + e] : 0);
}

/* ---- nodes of the cords --------------------------------------------------------------------------- */

static void mark_branch(const knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    if (v->net) {
        net_mark_branch(v, i);
        return;
    }
    snCordNode *node = &v->now[i].node[c->from >= 0 ? 0 : v->now[i].nnode - 1];
    snCordNode junction = knot_carried(v, junction_of(c));
    node->slot = junction.slot, node->r = junction.r, node->junction = junction.junction;
}

/* The stretch of the trunk that a cord is, from the nodes of all of it; the first cord goes
 * last, since they are its. */
static void cut_trunk(const knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    int32_t j = junction_of(c), from = c->from >= 0 ? v->place[c->from].a + 1 : 0, n = 0;
    const snCordNode *all = v->now[v->k->trunk[j]].node;
    snCordNode first = {0}, last = {0};
    int32_t to = c->to >= 0 ? v->place[c->to].a : v->nodes[j] - 1;
    double end = c->to >= 0 && to == from - 1 ? v->place[c->to].part : 1; /* both junctions on one piece */
    if (c->from >= 0) first = knot_carried(v, c->from);
    if (c->to >= 0) last = knot_carried(v, c->to);
    if (c->from >= 0) now->node[n++] = first;
    for (int32_t e = from; e <= to; ++e) now->node[n++] = all[e];
    if (c->to >= 0) now->node[n++] = last;
    now->nnode = n;
    if (c->to >= 0 && last.arc) now->node[n - 2].length = all[to].length * v->place[c->to].part;
    if (c->from >= 0 && first.arc) now->node[0].length = all[from - 1].length * (end - v->place[c->from].part);
    for (int32_t e = 0; e + 1 < n; ++e)
        if (!now->node[e].arc) now->node[e].length = v3_dist(now->node[e].p, now->node[e + 1].p);
    now->node[n - 1].length = 0;
    now->node[n - 1].arc = false;
    now->node[n - 1].t = now->node[n - 1].arrive;
}

static void begin(knotSolve *v, const snKnot *k, const rigid *pose, snKnotCordNow *cord, double *s)
{
    v->k = k, v->pose = pose, v->now = cord, v->s = s;
    v->n = 0, v->net = false;
    for (int32_t j = 0; j < k->njunction; ++j) {
        v->at[j] = v->n;
        v->n += sn_junction_unknowns(k, j);
        v->net |= knot_is_free(v, j);
    }
}

/* Junctions and derivatives, the trunks being placed. */
static void solve_placed(knotSolve *v, double *jac)
{
    const snKnot *k = v->k;
    double slide[MOST * ROW];
    memset(v->on, 0, sizeof v->on);
    memset(v->held, 0, sizeof v->held);
    find_equilibrium(v);
    for (int32_t i = 0; i < k->ncord; ++i)
        if (k->cord[i].branch) mark_branch(v, i);
    for (int32_t j = 0; j < k->njunction; ++j) find_held_rows(v, j, jac);
    find_slide(v, jac, slide);
    let_go(v, slide, jac);
    for (int32_t i = 0; i < k->ncord; ++i) find_gradient(v, jac, slide, i);
}

void sn_knot_solve_twice(const snKnot *k, const rigid *pose, snKnotCordNow *cord, double *s, double *jac,
                         snKnotAgainFn again, void *context)
{
    knotSolve v; /* too large to be cleared each time */
    begin(&v, k, pose, cord, s);
    place_trunks(&v);
    solve_placed(&v, jac);
    if (again && again(context, cord)) solve_placed(&v, jac);
    for (int32_t i = k->ncord - 1; i >= 0; --i)
        if (!k->cord[i].branch) cut_trunk(&v, i);
}

void sn_knot_solve(const snKnot *k, const rigid *pose, snKnotCordNow *cord, double *s, double *jac)
{
    sn_knot_solve_twice(k, pose, cord, s, jac, NULL, NULL);
}
