/* Equilibrium of junctions, and what it means for the bodies. */
#include "path/knot.h"

#include "path/internal.h"

#include <math.h>

enum { ROUNDS = 60, HALVINGS = 60, MOST = SN_KNOT_JUNCTIONS, ROW = 6 * SN_CORD_BODIES };
static const double LEAST = 1e-9;  /* N/m: stiffness of a junction between slack cords, which keeps it where it was */
static const double CLOSE = 1e-15; /* m: a step that is rounding */
/* m: after a whole step of Newton this short the next one is rounding: it goes with the square, over the millimetres
 * within which tensions and directions change. */
static const double NEWTON = 1e-9;

typedef struct Place { /* of a junction */
    int32_t a;         /* the node before it, of the whole trunk */
    v3 p, t;
    v3 bend;             /* dt/ds: not zero on a wrap */
    double before, part; /* length of the trunk up to node a; share of its piece */
} Place;

typedef struct Solve {
    const snKnot *k;
    const rigid *pose;
    snKnotCordNow *now;
    double *s;
    double whole[MOST];  /* length of the trunk of each junction */
    int32_t nodes[MOST]; /* and its nodes, which the first cord keeps while the junctions are sought */
    Place place[MOST];
    double r[MOST], S[MOST * MOST];
} Solve;

static Place find_place(const Solve *v, int32_t j)
{
    const snCordNode *node = v->now[v->k->trunk[j]].node;
    double s = fmin(fmax(v->s[j], 0), v->whole[j]);
    Place p = {0};
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

static void add_trunk(Solve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    int32_t n = v->k->njunction, j = junction_of(c);
    now->length = (c->to >= 0 ? v->s[c->to] : v->whole[j]) - (c->from >= 0 ? v->s[c->from] : 0);
    now->pull = sn_cord_pull(c->cord, now->length, now->activation, &now->x);
    double k = now->pull.slope;
    if (c->to >= 0) v->r[c->to] += now->pull.tension, v->S[c->to * n + c->to] += k;
    if (c->from >= 0) v->r[c->from] -= now->pull.tension, v->S[c->from * n + c->from] += k;
    if (c->to >= 0 && c->from >= 0) v->S[c->to * n + c->from] -= k, v->S[c->from * n + c->to] -= k;
}

static void add_branch(Solve *v, int32_t i)
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
static double evaluate(Solve *v)
{
    int32_t n = v->k->njunction;
    double worst = 0;
    memset(v->r, 0, sizeof v->r);
    memset(v->S, 0, sizeof v->S);
    for (int32_t j = 0; j < n; ++j) v->place[j] = find_place(v, j), v->S[j * n + j] = LEAST;
    for (int32_t i = 0; i < v->k->ncord; ++i) {
        if (v->k->cord[i].branch)
            add_branch(v, i);
        else
            add_trunk(v, i);
    }
    for (int32_t j = 0; j < n; ++j) worst = fmax(worst, fabs(v->r[j]));
    return worst;
}

/* How far along a step all junctions stay on their trunks. */
static double longest_step(const Solve *v, const double *start, const double *step)
{
    double most = INFINITY;
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        double room = step[j] > 0 ? v->whole[j] - start[j] : start[j];
        if (step[j] != 0) most = fmin(most, fmax(room, 0) / fabs(step[j]));
    }
    return most;
}

/* Goes along a step until the slope of the energy has fallen to a third: the energy is convex along it, or nearly, so
 * that bisection finds such a place also where cords turn slack on the way. Returns what was gone of the step. */
static double go_along(Solve *v, const double *start, const double *step, double first)
{
    int32_t n = v->k->njunction;
    double low = 0, high = INFINITY, end = longest_step(v, start, step), part = fmin(1, end);
    for (int i = 0; i < HALVINGS && part > 0; ++i) {
        double slope = 0;
        for (int32_t j = 0; j < n; ++j) v->s[j] = start[j] + part * step[j];
        evaluate(v);
        for (int32_t j = 0; j < n; ++j) slope += v->r[j] * step[j];
        if (fabs(slope) <= 0.3 * fabs(first) || (slope < 0 && part >= end)) return part;
        if (slope < 0)
            low = part;
        else
            high = part;
        part = isfinite(high) ? 0.5 * (low + high) : fmin(4 * part, end);
    }
    return part;
}

static void find_equilibrium(Solve *v)
{
    int32_t n = v->k->njunction;
    double off = evaluate(v);
    for (int round = 0; round < ROUNDS && off > 0; ++round) {
        double A[MOST * MOST], step[MOST], start[MOST], most = 0, slope = 0;
        memcpy(A, v->S, sizeof A);
        memcpy(start, v->s, sizeof *start * (size_t)n);
        for (int32_t j = 0; j < n; ++j) step[j] = -v->r[j];
        if (!sn_small_cholesky_solve(A, step, n, 1)) return;
        for (int32_t j = 0; j < n; ++j) most = fmax(most, fabs(step[j])), slope += v->r[j] * step[j];
        double part = most > CLOSE ? go_along(v, start, step, slope) : 0;
        if (part * most <= CLOSE || (part == 1 && most <= NEWTON)) return;
        off = 0;
        for (int32_t j = 0; j < n; ++j) off = fmax(off, fabs(v->r[j]));
    }
}

static void place_trunks(Solve *v)
{
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        int32_t i = v->k->trunk[j];
        v->nodes[j] = sn_cord_place(v->k->cord[i].cord, v->pose, v->now[i].node, &v->whole[j]);
    }
}

/* ---- derivatives -------------------------------------------------------------------------------- */

static void clear(const Solve *v, double *row)
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

static void add_node_row(const Solve *v, const double *jac, const snCordNode *node, v3 n, double *row)
{
    if (node->junction)
        add_junction_row(v->k, jac, node->junction - 1, n, row);
    else
        path_add_row(v->pose, node, n, row);
}

/* Adds the rates of the first n pieces of a line. */
static void add_length_row(const Solve *v, const double *jac, int32_t n, const snCordNode *node, double *row)
{
    for (int32_t e = 0; e < n; ++e) {
        bool meets = node[e].junction || node[e + 1].junction;
        if (node[e].arc || (node[e].slot == node[e + 1].slot && !meets)) continue;
        add_node_row(v, jac, &node[e + 1], node[e].t, row);
        add_node_row(v, jac, &node[e], v3_neg(node[e].t), row);
    }
}

/* The body that carries the piece of the trunk with a junction, where it is one: by a node at the junction. */
static snCordNode carried(const Solve *v, int32_t j)
{
    const Place *p = &v->place[j];
    const snCordNode *a = &v->now[v->k->trunk[j]].node[p->a];
    snCordNode node = {.p = p->p, .slot = a->slot == a[1].slot ? a->slot : -1, .point = -1, .junction = j + 1};
    if (node.slot >= 0) node.r = rigid_unapply(v->pose[node.slot], p->p);
    node.t = node.arrive = p->t;
    node.arc = a->arc, node.wrap = a->wrap;
    return node;
}

static snCordNode held_at(const Solve *v, int32_t slot, v3 p)
{
    return (snCordNode){.p = p, .r = rigid_unapply(v->pose[slot], p), .slot = slot};
}

/* Adds force . (omega x t) of a body. */
static void add_turn(const Solve *v, int32_t slot, v3 t, v3 force, double *row)
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
static void add_tangent_turn(const Solve *v, const snCord *cord, const snCordNode *arc, bool behind, v3 force,
                             double *row)
{
    const snCordNode *end[2] = {arc - 1, arc + 2};
    pathWrap wrap = path_cord_wrap(cord, v->pose, arc->wrap);
    pathSegment s = path_segment(end[0]->p, end[1]->p, &wrap, true);
    v3 by[2] = {v3_neg(m3_mulv(&s.aa, force)), v3_neg(transposed(&s.ab, force))};
    if (behind) by[0] = m3_mulv(&s.ab, force), by[1] = m3_mulv(&s.bb, force);
    add_turn(v, arc->slot, behind ? s.gb : v3_neg(s.ga), force, row);
    for (int e = 0; e < 2; ++e) {
        snCordNode still = held_at(v, arc->slot, end[e]->p);
        path_add_row(v->pose, end[e], by[e], row);
        path_add_row(v->pose, &still, v3_neg(by[e]), row);
    }
}

/* Adds force . dt/dq, t the direction of the trunk at a junction, s held. A straight piece turns with its ends; on a
 * wrap t turns with its body, and as the trunk slides over it. */
static void add_sway(const Solve *v, int32_t j, v3 force, double *row)
{
    const Place *p = &v->place[j];
    const snCordNode *all = v->now[v->k->trunk[j]].node, *a = &all[p->a];
    const snCord *cord = v->k->cord[v->k->trunk[j]].cord;
    if (a->arc) {
        double before[ROW];
        clear(v, before);
        add_turn(v, a->slot, p->t, force, row);
        add_length_row(v, NULL, p->a, all, before);
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
static void find_held_rows(const Solve *v, int32_t j, double *jac)
{
    const Place *p = &v->place[j];
    const snCordNode *all = v->now[v->k->trunk[j]].node, *a = &all[p->a];
    int32_t width = 6 * v->k->nslot, behind = !a->arc && p->a && a[-1].arc;
    double before[ROW], way = a->length * (behind ? p->part - 1 : p->part);
    snCordNode on_wrap = carried(v, j);
    clear(v, before);
    add_length_row(v, NULL, p->a + behind, all, before);
    for (int axis = 0; axis < 3; ++axis) {
        v3 n = {axis == 0, axis == 1, axis == 2};
        double along = v3_dot(n, p->t), *row = jac + (size_t)(18 * v->k->nslot * j + axis * width);
        memset(row, 0, sizeof *row * (size_t)width);
        path_add_row(v->pose, a->arc ? &on_wrap : a + behind, n, row);
        if (!a->arc) add_sway(v, j, v3_scale(n, way), row);
        for (int32_t e = 0; e < width; ++e) row[e] -= along * before[e];
    }
}

/* Adds k c dl/dq + T dc/dq of a branch, s held. */
static void add_branch_slope(const Solve *v, const double *jac, int32_t i, double *slope)
{
    const snKnotCord *c = &v->k->cord[i];
    const snKnotCordNow *now = &v->now[i];
    int32_t j = junction_of(c), width = 6 * v->k->nslot;
    const Place *p = &v->place[j];
    double held[ROW], length;
    clear(v, held);
    v3 out = away(c, now, &length);
    double cosine = v3_dot(out, p->t), T = now->pull.tension;
    add_length_row(v, jac, now->nnode - 1, now->node, held);
    for (int32_t e = 0; e < width; ++e) slope[e] -= now->pull.slope * cosine * held[e];
    v3 turn = v3_scale(v3_mad(p->t, -cosine, out), -T / length);
    add_node_row(v, jac, &now->node[c->from >= 0 ? 1 : now->nnode - 2], turn, slope);
    add_junction_row(v->k, jac, j, v3_neg(turn), slope);
    add_sway(v, j, v3_scale(out, -T), slope);
}

/* ds/dq of all junctions: njunction rows of 6 * nslot. */
static void find_slide(const Solve *v, const double *jac, double *slide)
{
    int32_t n = v->k->njunction, width = 6 * v->k->nslot;
    memset(slide, 0, sizeof *slide * (size_t)(n * width));
    for (int32_t i = 0; i < v->k->ncord; ++i) {
        const snKnotCord *c = &v->k->cord[i];
        int32_t j = junction_of(c);
        double *row = slide + j * width, whole[ROW];
        if (c->branch) {
            add_branch_slope(v, jac, i, row);
        } else if (c->to < 0) {
            clear(v, whole);
            add_length_row(v, NULL, v->nodes[j] - 1, v->now[v->k->trunk[j]].node, whole);
            for (int32_t e = 0; e < width; ++e) row[e] -= v->now[i].pull.slope * whole[e];
        }
    }
    double A[MOST * MOST];
    memcpy(A, v->S, sizeof A);
    if (!sn_small_cholesky_solve(A, slide, n, width)) memset(slide, 0, sizeof *slide * (size_t)(n * width));
    for (int32_t e = 0; e < n * width; ++e) slide[e] = -slide[e];
}

static void let_go(const Solve *v, const double *slide, double *jac)
{
    int32_t width = 6 * v->k->nslot;
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        double t[3];
        v3_store(t, v->place[j].t);
        for (int axis = 0; axis < 3; ++axis)
            for (int32_t e = 0; e < width; ++e) jac[(3 * j + axis) * width + e] += t[axis] * slide[j * width + e];
    }
}

static void find_gradient(const Solve *v, const double *jac, const double *slide, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    int32_t width = 6 * v->k->nslot, j = junction_of(c);
    double *g = v->now[i].g;
    memset(g, 0, sizeof *g * (size_t)width);
    if (c->branch) {
        add_length_row(v, jac, v->now[i].nnode - 1, v->now[i].node, g);
        return;
    }
    if (c->to < 0) add_length_row(v, NULL, v->nodes[j] - 1, v->now[v->k->trunk[j]].node, g);
    for (int32_t e = 0; e < width; ++e)
        g[e] += (c->to >= 0 ? slide[c->to * width + e] : 0) - (c->from >= 0 ? slide[c->from * width + e] : 0);
}

/* ---- nodes of the cords --------------------------------------------------------------------------- */

static void mark_branch(const Solve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snCordNode *node = &v->now[i].node[c->from >= 0 ? 0 : v->now[i].nnode - 1];
    snCordNode junction = carried(v, junction_of(c));
    node->slot = junction.slot, node->r = junction.r, node->junction = junction.junction;
}

/* The stretch of the trunk that a cord is, from the nodes of all of it; the first cord goes
 * last, since they are its. */
static void cut_trunk(const Solve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    int32_t j = junction_of(c), from = c->from >= 0 ? v->place[c->from].a + 1 : 0, n = 0;
    const snCordNode *all = v->now[v->k->trunk[j]].node;
    snCordNode first = {0}, last = {0};
    int32_t to = c->to >= 0 ? v->place[c->to].a : v->nodes[j] - 1;
    double end = c->to >= 0 && to == from - 1 ? v->place[c->to].part : 1; /* both junctions on one piece */
    if (c->from >= 0) first = carried(v, c->from);
    if (c->to >= 0) last = carried(v, c->to);
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

/* Junctions and derivatives, the trunks being placed. */
static void solve_placed(Solve *v, double *jac)
{
    const snKnot *k = v->k;
    double slide[MOST * ROW];
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
    Solve v = {.k = k, .pose = pose, .now = cord, .s = s};
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
