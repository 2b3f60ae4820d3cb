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
 * next to it. Its direction is shorter than one then, by the same law.
 *
 * A floor is a bound h(x) >= 0, h the height over a cylinder or a sphere. Where the cords press a junction on it, with
 * p = r . n > 0, only motion along the floor is left: r and the second derivative of E - p h are projected, the next
 * place is put back on the floor, and dx/dq follows the floor's body along n. Since h stays 0, sum T g is all that the
 * cords and the floor do to the bodies: the floor needs no force of its own. */
#include "path/knot_solve.h"

#include <math.h>

static const double SHORT = 2e-4; /* m */
static const double TURN = 1e-6;  /* least length of a direction */
static const double ON = 1e-11;   /* m: so near a floor a junction is on it */

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

/* ---- floors ---------------------------------------------------------------------------------------- */

/* Height over a floor, the direction away from it, and the second derivative of the height. */
static double height(const knotSolve *v, int32_t j, v3 x, v3 *out, m3 *bend)
{
    const snKnotFloor *f = &v->k->floor[j];
    rigid pose = v->pose[f->slot];
    v3 d = v3_sub(x, rigid_apply(pose, f->centre)), axis = q_rotate(pose.q, f->axis);
    bool round = f->kind == SN_WRAP_CYLINDER;
    if (round) d = v3_mad(d, -v3_dot(d, axis), axis);
    double rho = v3_len(d);
    *out = rho > 0 ? v3_scale(d, 1 / rho) : v3_perp(axis);
    v3 around = v3_cross(*out, axis); /* of a sphere, any two directions across */
    if (!round) axis = v3_perp(*out), around = v3_cross(*out, axis);
    double a[3], b[3];
    v3_store(a, axis), v3_store(b, around);
    for (int k = 0; k < 9; ++k)
        bend->m[k] = (b[k / 3] * b[k % 3] + (round ? 0 : a[k / 3] * a[k % 3])) / fmax(rho, f->radius);
    return rho - f->radius;
}

static bool has_floor(const knotSolve *v, int32_t j)
{
    return knot_is_free(v, j) && v->k->floor && v->k->floor[j].slot >= 0;
}

void net_keep_outside(knotSolve *v)
{
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        if (!has_floor(v, j)) continue;
        double *s = v->s + v->at[j];
        v3 out;
        m3 bend;
        double h = height(v, j, v3_load(s), &out, &bend);
        if (h < 0 || v->held[j]) v3_store(s, v3_mad(v3_load(s), -h, out));
    }
}

/* S without the rows and columns of what a floor holds: P S P, and on the diagonal what keeps it positive. */
static void project_matrix(knotSolve *v, int32_t j, v3 out)
{
    int32_t n = v->n, at = v->at[j];
    double d[3], most = 0;
    v3_store(d, out);
    for (int32_t e = 0; e < n; ++e) most = fmax(most, v->S[e * n + e]);
    for (int side = 0; side < 2; ++side)
        for (int32_t e = 0; e < n; ++e) {
            double along = 0;
            for (int k = 0; k < 3; ++k) along += d[k] * v->S[side ? e * n + at + k : (at + k) * n + e];
            for (int k = 0; k < 3; ++k) v->S[side ? e * n + at + k : (at + k) * n + e] -= d[k] * along;
        }
    for (int k = 0; k < 9; ++k) v->S[(at + k / 3) * n + at + k % 3] += most * d[k / 3] * d[k % 3];
}

void net_hold(knotSolve *v)
{
    int32_t n = v->n;
    bool any = false;
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        if (!has_floor(v, j)) continue;
        double *r = v->r + v->at[j];
        m3 bend;
        double h = height(v, j, v->place[j].p, &v->out[j], &bend);
        v->press[j] = v3_dot(v3_load(r), v->out[j]);
        v->on[j] = h <= ON && v->press[j] > 0;
        if (!v->on[j]) continue;
        any = true;
        v3_store(r, v3_mad(v3_load(r), -v->press[j], v->out[j]));
        for (int k = 0; k < 9; ++k) v->S[(v->at[j] + k / 3) * n + v->at[j] + k % 3] -= v->press[j] * bend.m[k];
    }
    if (!any) return;
    memcpy(v->whole_S, v->S, sizeof *v->S * (size_t)(n * n));
    for (int32_t j = 0; j < v->k->njunction; ++j)
        if (v->on[j]) project_matrix(v, j, v->out[j]);
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

/* What the motion of a floor's body adds to the slope: along n the junction goes with it, and n turns. */
static void add_floor_slope(const knotSolve *v, int32_t j, double *slide, double *moved)
{
    int32_t width = 6 * v->k->nslot, slot = v->k->floor[j].slot;
    snCordNode on = held_at(v, slot, v->place[j].p);
    double along[KNOT_ROW] = {0}, n[3];
    v3 out;
    m3 bend;
    height(v, j, v->place[j].p, &out, &bend);
    v3_store(n, out);
    path_add_row(v->pose, &on, out, along);
    for (int k = 0; k < 3; ++k) {
        double *row = slide + (v->at[j] + k) * width, *to = moved + (v->at[j] + k) * width;
        v3 way = {k == 0, k == 1, k == 2};
        for (int32_t e = 0; e < width; ++e) to[e] = n[k] * along[e];
        path_add_row(v->pose, &on, v3_scale(m3_mulv(&bend, way), v->press[j]), row);
        knot_add_turn(v, slot, out, v3_scale(way, -v->press[j]), row);
    }
}

bool net_hold_slope(const knotSolve *v, double *slide, double *moved)
{
    int32_t n = v->n, width = 6 * v->k->nslot;
    bool any = false;
    for (int32_t j = 0; j < v->k->njunction; ++j) any |= v->on[j];
    if (!any) return false;
    memset(moved, 0, sizeof *moved * (size_t)(n * width));
    for (int32_t j = 0; j < v->k->njunction; ++j)
        if (v->on[j]) add_floor_slope(v, j, slide, moved);
    for (int32_t e = 0; e < n; ++e)
        for (int32_t f = 0; f < n; ++f) {
            double by = v->whole_S[e * n + f];
            for (int32_t k = 0; k < width && by != 0; ++k) slide[e * width + k] += by * moved[f * width + k];
        }
    for (int32_t j = 0; j < v->k->njunction; ++j) {
        if (!v->on[j]) continue;
        double d[3], *row = slide + v->at[j] * width;
        v3_store(d, v->out[j]);
        for (int32_t k = 0; k < width; ++k) {
            double along = d[0] * row[k] + d[1] * row[width + k] + d[2] * row[2 * width + k];
            for (int e = 0; e < 3; ++e) row[e * width + k] -= d[e] * along;
        }
    }
    return true;
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
