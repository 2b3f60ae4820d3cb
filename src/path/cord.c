/* Where a cord runs: nodes, length and its gradient. The law is in cord_law.c. */
#include "path/cord.h"

#include "path/internal.h"

#include <math.h>

static const double POINT = 1e-9; /* m: a shorter piece has no direction of its own */

pathWrap path_cord_wrap(const snCord *c, const rigid *poses, int32_t index)
{
    const snCordWrap *w = &c->wrap[index];
    rigid pose = poses[w->slot];
    return (pathWrap){.kind = w->kind,
                      .centre = rigid_apply(pose, w->centre),
                      .axis = q_rotate(pose.q, w->axis),
                      .side = q_rotate(pose.q, w->side),
                      .radius = w->radius};
}

static snCordNode node_at(rigid pose, v3 p, int32_t slot)
{
    return (snCordNode){.p = p, .r = rigid_unapply(pose, p), .slot = slot, .point = -1};
}

pathArc path_find_arc_on_surface(const snGeodesicWrap *over, rigid pose, v3 a, v3 b, v3 *row)
{
    snGeodesic g = sn_geodesic_find(over, rigid_unapply(pose, a), rigid_unapply(pose, b));
    pathArc arc = {.touches = g.state != SN_GEODESIC_CLEAR, .length = g.arc, .state = g.state};
    for (int e = 0; e < 2; ++e) arc.on[e] = rigid_apply(pose, g.on[e]);
    arc.lead[0] = v3_neg(q_rotate(pose.q, g.by_a)), arc.lead[1] = q_rotate(pose.q, g.by_b);
    if (!arc.touches) path_straight(a, b, &arc.lead[0]), arc.lead[1] = arc.lead[0];
    for (int i = 0; i < SN_GEODESIC_ROW && row && arc.touches; ++i) row[i] = rigid_apply(pose, g.row[i]);
    return arc;
}

pathArc path_find_arc(const snCord *c, const rigid *pose, int32_t index, int32_t sense, v3 a, v3 b)
{
    const snCordWrap *w = &c->wrap[index];
    if (w->kind == SN_WRAP_SURFACE) return path_find_arc_on_surface(w->over, pose[w->slot], a, b, NULL);
    pathWrap wrap = path_cord_wrap(c, pose, index);
    wrap.sense = sense;
    pathSegment s;
    pathArc arc = {.touches = false};
    path_segment_on(a, b, &wrap, &s, arc.on);
    arc.touches = s.touches, arc.lead[0] = v3_neg(s.ga), arc.lead[1] = s.gb;
    if (s.touches) arc.length = fmax(0, s.length - v3_dist(a, arc.on[0]) - v3_dist(arc.on[1], b));
    return arc;
}

/* The first place of a way that lies on its wrap or a gate (end 0), or the last (end 1). */
static bool touched(const pathWay *way, int end, v3 *at)
{
    int32_t last = way->n - 1, i = end ? last : 0;
    const pathArc *arc = &way->arc[i];
    if (!arc->touches && last < 1) return false;
    *at = arc->touches ? arc->on[end] : way->stop[end ? last - 1 : 0];
    return true;
}

/* Several wraps between two points: each in turn between where the path leaves the one before it and where it meets the
 * next, until nothing moves. The length falls with every turn. */
static void find_ways(const snCord *c, const rigid *pose, const snCordPoint *from, v3 a, v3 b, pathWay *way)
{
    enum { SWEEPS = 60 };
    int32_t n = from->more + 1;
    double still = 1e-13; /* m */
    for (int32_t i = 0; i < n; ++i)
        if (c->wrap[from->wrap + i].kind == SN_WRAP_SURFACE) still = 1e-11; /* the ends of its arc are known to that */
    double moved = INFINITY;
    for (int32_t i = 0; i < n; ++i) way[i].n = 1, way[i].arc[0].touches = false;
    for (int sweep = 0; sweep < (n > 1 ? SWEEPS : 1) && moved > still; ++sweep) {
        moved = 0;
        for (int32_t i = 0; i < n; ++i) {
            v3 end[2] = {a, b}, was[2] = {a, b}, is = a;
            bool held[2];
            for (int32_t e = 0; e < i; ++e) touched(&way[e], 1, &end[0]);
            for (int32_t e = n - 1; e > i; --e) touched(&way[e], 0, &end[1]);
            for (int e = 0; e < 2; ++e) held[e] = touched(&way[i], e, &was[e]);
            path_find_way(c, pose, from->wrap + i, end[0], end[1], &way[i]);
            for (int e = 0; e < 2; ++e) {
                bool now = touched(&way[i], e, &is);
                if (now != held[e]) moved = INFINITY;
                if (now && held[e]) moved = fmax(moved, v3_dist(is, was[e]));
            }
        }
    }
}

static void join(snCordNode *from, const snCordNode *to, v3 before)
{
    v3 d = v3_sub(to->p, from->p);
    from->length = v3_len(d);
    from->t = from->length > POINT ? v3_scale(d, 1 / from->length) : before;
}

/* Straight pieces know their direction; an arc starts as the piece before it ends, and ends as the next begins. */
static void find_directions(int32_t n, snCordNode *node)
{
    v3 before = {1, 0, 0};
    for (int32_t k = 0; k + 1 < n; ++k) {
        if (node[k].arc)
            node[k].t = before;
        else
            join(&node[k], &node[k + 1], before);
        node[k].arrive = k == 0 || node[k - 1].arc ? node[k].t : before;
        before = node[k].t;
    }
    node[n - 1].t = node[n - 1].arrive = before;
}

/* The straight pieces beside an arc on a surface. Between two arcs the line itself is the direction. */
static void lead(snCordNode *arc, const pathArc *found, bool first, bool last)
{
    if (first) arc[-1].t = arc->arrive = arc->t = found->lead[0];
    if (last) arc[1].t = arc[1].arrive = arc[2].arrive = found->lead[1];
}

static void point_node(const snCord *c, const rigid *pose, int32_t k, const v3 *first, const v3 *last, snCordNode *node)
{
    const snCordPoint *p = &c->point[k];
    const v3 *given = k == 0 ? first : k + 1 == c->npoint ? last : NULL;
    *node = (snCordNode){.slot = -1, .point = -1};
    node->p = given ? *given : rigid_apply(pose[p->slot], p->at);
    if (!given) node->r = p->at, node->slot = p->slot, node->point = k;
}

/* Nodes on a wrap: both ends of each arc, and stops between them. Arcs on surfaces go to `surface` as well. */
static int32_t add_way(const snCord *c, const rigid *pose, int32_t wrap, const pathWay *way, snCordNode *node,
                       pathArc *surface, int32_t *nsurface)
{
    int32_t slot = c->wrap[wrap].slot, n = 0;
    for (int32_t i = 0; i < way->n; ++i) {
        const pathArc *arc = &way->arc[i];
        if (arc->touches) {
            node[n] = node_at(pose[slot], arc->on[0], slot);
            node[n].arc = true, node[n].length = arc->length, node[n].wrap = wrap, node[n].state = arc->state;
            node[n + 1] = node_at(pose[slot], arc->on[1], slot);
            n += 2;
            if (c->wrap[wrap].kind == SN_WRAP_SURFACE) surface[(*nsurface)++] = *arc;
        }
        if (i + 1 == way->n) break;
        node[n] = node_at(pose[slot], way->stop[i], slot);
        node[n].wrap = wrap, node[n++].gate = way->gate[i] + 1;
    }
    return n;
}

int32_t sn_cord_place(const snCord *c, const rigid *pose, snCordNode *node, double *length)
{
    return sn_cord_place_between(c, pose, NULL, NULL, node, length);
}

int32_t sn_cord_place_between(const snCord *c, const rigid *pose, const v3 *first, const v3 *last, snCordNode *node,
                              double *length)
{
    int32_t n = 0, nsurface = 0;
    pathArc surface[2 * SN_CORD_BODIES];
    point_node(c, pose, 0, first, last, node);
    for (int32_t k = 0; k < c->npoint; ++k) {
        const snCordPoint *p = &c->point[k];
        v3 a = node[n++].p;
        if (k + 1 == c->npoint) break;
        snCordNode next;
        point_node(c, pose, k + 1, first, last, &next);
        if (p->wrap >= 0) {
            pathWay way[SN_CORD_WRAPS];
            find_ways(c, pose, p, a, next.p, way);
            for (int32_t i = 0; i <= p->more; ++i)
                n += add_way(c, pose, p->wrap + i, &way[i], node + n, surface, &nsurface);
        }
        node[n] = next;
    }
    find_directions(n, node);
    for (int32_t k = 0, i = 0; k < n; ++k)
        if (node[k].arc && c->wrap[node[k].wrap].kind == SN_WRAP_SURFACE)
            lead(&node[k], &surface[i++], k < 2 || !node[k - 2].arc, !node[k + 2].arc);
    *length = 0;
    for (int32_t k = 0; k < n; ++k) *length += node[k].length;
    return n;
}

void path_add_row(const rigid *pose, const snCordNode *node, v3 n, double *g)
{
    double *to = g + 6 * node->slot;
    v3_store(to, v3_add(v3_load(to), v3_cross(node->r, q_unrotate(pose[node->slot].q, n))));
    v3_store(to + 3, v3_add(v3_load(to + 3), n));
}

void sn_cord_gradient(const snCord *c, const rigid *pose, int32_t nnode, const snCordNode *node, double *g)
{
    memset(g, 0, sizeof *g * 6 * (size_t)c->nslot);
    for (int32_t k = 0; k + 1 < nnode; ++k) {
        if (node[k].arc || node[k].slot == node[k + 1].slot) continue;
        path_add_row(pose, &node[k + 1], node[k].t, g);
        path_add_row(pose, &node[k], v3_neg(node[k].t), g);
    }
}

/* On a surface: the cubic with the ends and directions of the arc, put on the surface. */
static pathArcPoint surface_point(const snCordWrap *w, rigid pose, const snCordNode *from, const snCordNode *to,
                                  double part)
{
    double u = part, v = 1 - part, length = from->length;
    v3 p = v3_add(v3_scale(from->p, v * v * (1 + 2 * u)), v3_scale(to->p, u * u * (1 + 2 * v)));
    p = v3_mad(v3_mad(p, length * u * v * v, from->t), -length * u * u * v, to->t);
    v3 t = v3_scale(v3_sub(to->p, from->p), 6 * u * v);
    t = v3_mad(v3_mad(t, length * v * (v - 2 * u), from->t), length * u * (u - 2 * v), to->t);
    snSurfaceHint hint;
    snSurfaceSpot s = sn_geodesic_spot(w->over, rigid_unapply(pose, p), &hint);
    v3 along = q_unrotate(pose.q, t);
    along = v3_unit(v3_mad(along, -v3_dot(along, s.normal), s.normal));
    v3 bend = v3_scale(s.normal, -v3_dot(along, m3_mulv(&s.bend, along)));
    return (pathArcPoint){rigid_apply(pose, s.point), q_rotate(pose.q, along), q_rotate(pose.q, bend)};
}

pathArcPoint path_arc_point(const snCord *c, const rigid *pose, const snCordNode *from, const snCordNode *to,
                            double part)
{
    const snCordWrap *w = &c->wrap[from->wrap];
    if (w->kind == SN_WRAP_SURFACE) return surface_point(w, pose[w->slot], from, to, part);
    pathWrap wrap = path_cord_wrap(c, pose, from->wrap);
    v3 a = v3_sub(from->p, wrap.centre), b = v3_sub(to->p, wrap.centre);
    v3 axis = wrap.kind == SN_WRAP_CYLINDER ? wrap.axis : v3_unit(v3_cross(a, from->t));
    double rise_a = v3_dot(a, axis), rise_b = v3_dot(b, axis);
    v3 flat_a = v3_mad(a, -rise_a, axis), flat_b = v3_mad(b, -rise_b, axis);
    double turn = atan2(v3_dot(axis, v3_cross(flat_a, flat_b)), v3_dot(flat_a, flat_b));
    double way = v3_dot(v3_cross(axis, flat_a), from->t) < 0 ? -1 : 1;
    if (turn * way < 0) turn += way * 2 * SN_PI;
    quat q = q_axis_angle(axis, part * turn);
    pathArcPoint on = {.t = q_rotate(q, from->t)};
    on.p = v3_add(wrap.centre, v3_mad(q_rotate(q, flat_a), rise_a + part * (rise_b - rise_a), axis));
    if (from->length > 0) on.bend = v3_scale(v3_cross(axis, on.t), turn / from->length);
    return on;
}

v3 sn_cord_point(const snCord *c, const rigid *pose, int32_t nnode, const snCordNode *node, double along)
{
    int32_t k = 0;
    while (k + 2 < nnode && along > node[k].length) along -= node[k++].length;
    double part = node[k].length > 0 ? fmin(fmax(along / node[k].length, 0), 1) : 0;
    if (node[k].arc) return path_arc_point(c, pose, &node[k], &node[k + 1], part).p;
    return v3_lerp(node[k].p, node[k + 1].p, part);
}
