/* Branches of a knot that has free junctions: points in space where cords end, with the place x for unknowns.
 *
 * A junction feels the segment of a cord next to it, straight or over one wrap, up to the cord's next point. With the
 * first and second derivatives of its length by its ends, in closed form (wrap.c), and D = dp/du of a junction, one or
 * t for a junction on a line,
 *     r = sum T D' dl/dp,      S = sum k (D' dl/dp)(D' dl/dp)' + T D' d2l/dp2 D
 * which is the second derivative of the energy, so that Newton's method ends in few rounds. Slack cords add nothing.
 *
 * A straight segment shorter than d = SHORT at a free junction counts as long as 3 d/8 + 3 l^2/4d - l^4/8d^3, which is
 * l at d with its first two derivatives and even at 0: a junction that is pulled into a point of a body comes to rest
 * next to it. Its direction is shorter than one then, by the same law. */
#include "path/knot_solve.h"

#include <math.h>

static const double SHORT = 2e-4; /* m */
static const double TURN = 1e-6;  /* least length of a direction */

/* One end of a cord that is at a junction. */
typedef struct End {
    int32_t j;
    v3 by;                   /* dl/dp */
    m3 own, cross;           /* d2l/dp dp, d2l/dp dfar */
    const snCordNode *node;  /* at the junction */
    const snCordNode *far;   /* the point at the other end of the segment */
    const snCordNode *touch; /* where it touches a wrap, NULL */
    bool whole;              /* the segment is all of the cord */
} End;

static m3 transposed(const m3 *a)
{
    const double *m = a->m;
    return (m3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}

/* Length that a short segment counts as, and its first two derivatives by the length that it has. */
static double even_length(double l, double *by, double *turn)
{
    double x = l / SHORT;
    *by = x < 1 ? 1.5 * x - 0.5 * x * x * x : 1;
    *turn = x < 1 ? 1.5 * (1 - x * x) / SHORT : 0;
    return x < 1 ? SHORT * (0.375 + 0.75 * x * x - 0.125 * x * x * x * x) : l;
}

/* From the first node of a piece to the second. */
static pathSegment even_segment(const snCordNode *from, const snCordNode *to)
{
    double l = v3_dist(from->p, to->p), by, turn;
    pathSegment s = {.length = even_length(l, &by, &turn)};
    v3 t = l > 0 ? v3_scale(v3_sub(to->p, from->p), 1 / l) : v3_of(1, 0, 0);
    double across = l < SHORT ? (1.5 - 0.5 * (l / SHORT) * (l / SHORT)) / SHORT : 1 / l, along = turn - across;
    s.gb = v3_scale(t, by), s.ga = v3_neg(s.gb);
    s.aa = (m3){{across + along * t.x * t.x, along * t.x * t.y, along * t.x * t.z, along * t.x * t.y,
                 across + along * t.y * t.y, along * t.y * t.z, along * t.x * t.z, along * t.y * t.z,
                 across + along * t.z * t.z}};
    s.bb = s.aa;
    for (int k = 0; k < 9; ++k) s.ab.m[k] = -s.aa.m[k];
    return s;
}

static int32_t junction_at(const snKnotCord *c, int end)
{
    return end ? c->to : c->from;
}

/* The segment next to an end. */
static End find_end(const knotSolve *v, int32_t i, int end)
{
    const snKnotCord *c = &v->k->cord[i];
    const snKnotCordNow *now = &v->now[i];
    int32_t last = now->nnode - 1, far = end ? last - 1 : 1, stop = end ? 0 : last;
    while (far != stop && now->node[far].point < 0) far += end ? -1 : 1;
    const snCordNode *from = &now->node[end ? far : 0], *to = &now->node[end ? last : far];
    End e = {
        .j = junction_at(c, end), .node = &now->node[end ? last : 0], .far = &now->node[far], .whole = far == stop};
    pathSegment s;
    if (to - from > 1) {
        e.touch = from + 1;
        pathWrap wrap = path_cord_wrap(c->cord, v->pose, e.touch->wrap);
        s = path_segment(from->p, to->p, &wrap, true);
    } else {
        s = even_segment(from, to);
    }
    e.by = end ? s.gb : s.ga, e.own = end ? s.bb : s.aa, e.cross = end ? transposed(&s.ab) : s.ab;
    return e;
}

static int32_t find_ends(const knotSolve *v, int32_t i, End *end)
{
    int32_t n = 0;
    for (int e = 0; e < 2; ++e)
        if (junction_at(&v->k->cord[i], e) >= 0) end[n++] = find_end(v, i, e);
    return n;
}

/* Directions in which a junction can move: one or three. */
static int32_t ways_of(const knotSolve *v, int32_t j, v3 way[3])
{
    for (int k = 0; k < 3; ++k) way[k] = v3_of(k == 0, k == 1, k == 2);
    if (knot_is_free(v, j)) return 3;
    way[0] = v->place[j].t;
    return 1;
}

/* The nodes of a cord say what short pieces count as. */
static void shorten(snKnotCordNow *now, int32_t piece)
{
    snCordNode *a = &now->node[piece], *b = a + 1;
    double was = a->length, by, turn;
    if (a->arc || b->arc || (piece > 0 && a[-1].arc) || !(was < SHORT)) return;
    a->length = even_length(was, &by, &turn);
    now->length += a->length - was;
    v3 t = v3_scale(a->t, fmax(by, TURN));
    if (piece == 0) a->arrive = t;
    a->t = b->arrive = t;
    if (piece == now->nnode - 2) b->t = t;
}

static void place(knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    const v3 *p[2];
    for (int e = 0; e < 2; ++e) p[e] = junction_at(c, e) >= 0 ? &v->place[junction_at(c, e)].p : NULL;
    now->nnode = sn_cord_place_between(c->cord, v->pose, p[0], p[1], now->node, &now->length);
    if (p[0]) shorten(now, 0);
    if (p[1] && (now->nnode > 2 || !p[0])) shorten(now, now->nnode - 2);
    now->pull = sn_cord_pull(c->cord, now->length, now->activation, &now->x);
}

/* What two ends of a cord, or one with itself, add to S. */
static void add_pair(knotSolve *v, const End *a, const End *b, const snCordPull *pull)
{
    v3 wa[3], wb[3];
    int32_t na = ways_of(v, a->j, wa), nb = ways_of(v, b->j, wb), n = v->n;
    for (int32_t x = 0; x < na; ++x)
        for (int32_t y = 0; y < nb; ++y) {
            double *to = &v->S[(v->at[a->j] + x) * n + v->at[b->j] + y];
            *to += pull->slope * v3_dot(wa[x], a->by) * v3_dot(wb[y], b->by);
            if (a == b)
                *to += pull->tension * (v3_dot(wa[x], m3_mulv(&a->own, wb[y])) + v3_dot(a->by, v->place[a->j].bend));
            else if (a->whole)
                *to += pull->tension * v3_dot(wa[x], m3_mulv(&a->cross, wb[y]));
        }
}

void net_add_branch(knotSolve *v, int32_t i)
{
    End end[2];
    place(v, i);
    int32_t n = find_ends(v, i, end);
    const snCordPull *pull = &v->now[i].pull;
    for (int32_t a = 0; a < n; ++a) {
        v3 way[3];
        int32_t ways = ways_of(v, end[a].j, way);
        for (int32_t x = 0; x < ways; ++x) v->r[v->at[end[a].j] + x] += pull->tension * v3_dot(way[x], end[a].by);
        for (int32_t b = 0; b < n; ++b) add_pair(v, &end[a], &end[b], pull);
    }
}

bool net_solve(const knotSolve *v, double *b, int32_t columns)
{
    double A[KNOT_UNKNOWNS * KNOT_UNKNOWNS], most = 0, more = 0;
    int32_t n = v->n;
    for (int32_t e = 0; e < n; ++e) most = fmax(most, v->S[e * n + e]);
    for (int tries = 0; tries < 12; ++tries) {
        memcpy(A, v->S, sizeof *A * (size_t)(n * n));
        for (int32_t e = 0; e < n; ++e) A[e * n + e] += more;
        if (sn_small_cholesky_solve(A, b, n, columns)) return true;
        more = more > 0 ? 10 * more : 1e-9 * most;
    }
    return false;
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

static snCordNode held_at(const knotSolve *v, int32_t slot, v3 p)
{
    return (snCordNode){.p = p, .r = rigid_unapply(v->pose[slot], p), .slot = slot};
}

/* Adds force . d(dl/dp)/dq. A wrap turns what is between its segment's ends with it, and sees them move against it. */
static void add_sway(const knotSolve *v, const double *jac, const End *e, v3 force, double *row)
{
    m3 back = transposed(&e->cross);
    v3 own = m3_mulv(&e->own, force), cross = m3_mulv(&back, force);
    knot_add_node_row(v, jac, e->node, own, row);
    knot_add_node_row(v, jac, e->far, cross, row);
    if (!e->touch) return;
    int32_t slot = e->touch->slot;
    snCordNode still[2] = {held_at(v, slot, e->node->p), held_at(v, slot, e->far->p)};
    path_add_row(v->pose, &still[0], v3_neg(own), row);
    path_add_row(v->pose, &still[1], v3_neg(cross), row);
    knot_add_turn(v, slot, e->by, force, row);
}

void net_add_branch_slope(const knotSolve *v, const double *jac, int32_t i, double *slide)
{
    const snKnotCordNow *now = &v->now[i];
    int32_t width = 6 * v->k->nslot;
    double held[KNOT_ROW] = {0};
    End end[2];
    int32_t n = find_ends(v, i, end);
    if (!n) return;
    knot_add_length_row(v, jac, now->nnode - 1, now->node, held);
    for (int32_t a = 0; a < n; ++a) {
        v3 way[3];
        int32_t ways = ways_of(v, end[a].j, way);
        for (int32_t x = 0; x < ways; ++x) {
            double *row = slide + (v->at[end[a].j] + x) * width, k = now->pull.slope * v3_dot(way[x], end[a].by);
            for (int32_t e = 0; e < width; ++e) row[e] += k * held[e];
            add_sway(v, jac, &end[a], v3_scale(way[x], now->pull.tension), row);
            if (!knot_is_free(v, end[a].j)) knot_add_sway(v, end[a].j, v3_scale(end[a].by, now->pull.tension), row);
        }
    }
}

void net_mark_branch(const knotSolve *v, int32_t i)
{
    const snKnotCord *c = &v->k->cord[i];
    snKnotCordNow *now = &v->now[i];
    for (int e = 0; e < 2; ++e) {
        if (junction_at(c, e) < 0) continue;
        snCordNode *node = &now->node[e ? now->nnode - 1 : 0], junction = knot_carried(v, junction_at(c, e));
        node->slot = junction.slot, node->r = junction.r, node->junction = junction.junction;
    }
}
