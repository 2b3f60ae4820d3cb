/* Path strands: their constraints in order are the path. Fixed and sliding ones are points, surfaces between two points
 * are a wrap, and every fixed constraint between the ends divides the strand into cords. So do other paths that begin
 * or end on it, but its cords share all its points then, since which of them lie on which side changes; see
 * path/knot.h. A junction that is free in space divides it as a fixed constraint does.
 *
 * Rest lengths are those of the drawn curve, shrunk by how much shorter the path is than the curve as drawn: a path
 * cuts corners, and `rest_scale` is rest length over drawn length. */
#include "model/compile.h"

#include "base/error.h"
#include "math/spline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 64 };
static const double SAME_PLACE = 1e-4; /* m: two points nearer than this have no direction between them */
static const double HOLLOW = 5e-4;     /* m: what a path may follow where it ought to bridge */

/* ---- lengths of the drawn curve ---------------------------------------------------------------- */

/* Between two parameters, by Gauss points of fine spans. */
static double drawn_length(const snModel *m, int32_t strand, double from, double to)
{
    const snStrand *st = &m->strand[strand];
    const double *q = m->rest_point + 3 * m->strand_pointadr[strand];
    static const double at[2] = {0.21132486540518712, 0.78867513459481288};
    double sum = 0, width = (to - from) / SAMPLES, b[4], d[4];
    for (int32_t i = 0, span = 0; i < 2 * SAMPLES && to > from; ++i) {
        span = spline_basis(st->knot, st->n, from + width * (i / 2 + at[i % 2]), span, b, d, NULL);
        v3 t = {0, 0, 0};
        for (int k = 0; k < 4; ++k) t = v3_mad(t, d[k], v3_load(q + 3 * (span + k)));
        sum += 0.5 * width * v3_len(t);
    }
    return sum;
}

/* Drawn lengths from the start of a cord to a parameter: tendon and belly. */
typedef struct Split {
    double tendon, belly;
} Split;

typedef struct Build {
    snCompiler *c;
    int32_t strand;
    double belly[2]; /* parameters */
    snStrandParams params;
    double shrink; /* of the cord at hand */
} Build;

/* Parameter of the strand where a constraint holds it, its own or that of a path which hangs on it. */
static double place_of(const Build *b, int32_t constraint)
{
    const snConstraint *c = &b->c->m->constraint[constraint];
    return c->strand == b->strand ? c->s : c->other_s;
}

static Split split(const Build *b, double from, double to)
{
    double in = fmin(fmax(b->belly[0], from), to), out = fmin(fmax(b->belly[1], from), to);
    double whole = drawn_length(b->c->m, b->strand, from, to);
    double belly = out > in ? drawn_length(b->c->m, b->strand, in, out) : 0;
    return (Split){whole - belly > 1e-9 ? whole - belly : 0, belly};
}

/* ---- one cord ----------------------------------------------------------------------------------- */

typedef struct Draft { /* room for all constraints of a strand */
    snCordPoint *point;
    snCordWrap *wrap;
    int32_t *body, *constraint;
    const snConstraint **surface; /* of each wrap */
    snGeodesicWrap *over;         /* of each wrap that is neither cylinder nor sphere */
    snCordGate *gate;             /* of all wraps in order */
    int32_t ngate;
} Draft;

static bool alloc_draft(snCompiler *c, Draft *d, int32_t n)
{
    return COMPILE_ARRAY(c, d->point, n) && COMPILE_ARRAY(c, d->wrap, n) && COMPILE_ARRAY(c, d->body, 2 * n) &&
           COMPILE_ARRAY(c, d->constraint, n) && COMPILE_ARRAY(c, d->surface, n) && COMPILE_ARRAY(c, d->over, n) &&
           COMPILE_ARRAY(c, d->gate, n);
}

static int32_t slot_of(Draft *d, snCord *cord, int32_t body)
{
    int32_t k = 0;
    while (k < cord->nslot && d->body[k] != body) ++k;
    if (k == cord->nslot) d->body[cord->nslot++] = body;
    return k;
}

static snStatus refuse(const Build *b, int32_t constraint, const char *remedy, const char *what)
{
    snModel *m = b->c->m;
    sn_fail(b->c->error, SN_BAD_INPUT, "path strand \"%s\": %s", m->strand_name[b->strand], what);
    if (constraint >= 0) sn_error_element(b->c->error, "Constraint", m->constraint_name[constraint]);
    sn_error_remedy(b->c->error, "%s", remedy);
    return SN_BAD_INPUT;
}

/* A constraint with `lateral` confines the path sideways where it is drawn. */
static snStatus add_gate(const Build *b, Draft *d, snCordWrap *w, const snConstraint *k)
{
    if (!(k->lateral >= 0)) return SN_OK;
    int32_t index = (int32_t)(k - b->c->m->constraint);
    if (w->ngate == SN_CORD_GATES)
        return refuse(b, index, "leave out lateral in some of them",
                      "more than eight constraints confine it sideways over one surface");
    d->gate[d->ngate++] =
        (snCordGate){.at = k->point, .aside = k->lateral_axis, .out = k->rest_normal, .half = k->lateral};
    ++w->ngate;
    return SN_OK;
}

/* Constraints on one surface that follow each other between two points are one wrap; its side is that of their normals.
 */
static snStatus add_wrap(const Build *b, Draft *d, snCord *cord, int32_t index)
{
    const snModel *m = b->c->m;
    const snConstraint *k = &m->constraint[index];
    const snSurface *s = &m->surface[k->surface];
    snCordPoint *last = &d->point[cord->npoint - 1];
    if (last->wrap >= 0 && d->surface[cord->nwrap - 1]->surface == k->surface) {
        snCordWrap *w = &d->wrap[cord->nwrap - 1];
        w->side = v3_add(w->side, k->rest_normal);
        w->radius = fmax(w->radius, s->size.x + k->offset);
        d->over[cord->nwrap - 1].offset = fmax(d->over[cord->nwrap - 1].offset, k->offset);
        return add_gate(b, d, w, k);
    }
    if (last->wrap >= 0 && ++last->more == SN_CORD_WRAPS)
        return refuse(b, index, "add a sliding constraint between them",
                      "more than four surfaces lie between two of its points");
    if (last->wrap < 0) last->wrap = cord->nwrap;
    d->surface[cord->nwrap] = k;
    d->over[cord->nwrap] = (snGeodesicWrap){.surface = s, .offset = k->offset};
    d->wrap[cord->nwrap++] = (snCordWrap){.kind = s->kind == SN_SURFACE_SPHERE     ? SN_WRAP_SPHERE
                                                  : s->kind == SN_SURFACE_CYLINDER ? SN_WRAP_CYLINDER
                                                                                   : SN_WRAP_SURFACE,
                                          .slot = slot_of(d, cord, k->body),
                                          .centre = s->frame.p,
                                          .axis = q_rotate(s->frame.q, v3_of(0, 0, 1)),
                                          .side = k->rest_normal,
                                          .radius = s->size.x + k->offset};
    return add_gate(b, d, &d->wrap[cord->nwrap - 1], k);
}

static void add_point(const Build *b, Draft *d, snCord *cord, int32_t index)
{
    const snConstraint *k = &b->c->m->constraint[index];
    d->constraint[cord->npoint] = index;
    d->point[cord->npoint++] =
        (snCordPoint){.slot = k->body < 0 ? -1 : slot_of(d, cord, k->body), .wrap = -1, .at = k->point};
}

static void set_material(const Build *b, const snStrandDef *def, double shrink, snPathCord *k)
{
    const snStrandParams *p = &b->params;
    const snStrand *st = &b->c->m->strand[b->strand];
    snCord *cord = &k->cord;
    Split all = split(b, k->from, k->to), before = split(b, k->from, fmin(fmax(b->belly[0], k->from), k->to));
    double area = SN_PI * p->radius * p->radius;
    cord->tendon_rest = p->rest_scale * shrink * all.tendon;
    cord->tendon_before = p->rest_scale * shrink * before.tendon;
    cord->belly_rest = p->belly_rest_scale * shrink * all.belly;
    cord->tendon = p->passive_scale * area * p->tendon_stiffness;
    cord->passive = p->passive_scale * area * p->stiffness;
    cord->active = p->active_scale * p->max_force;
    cord->fiber = p->fiber_rest;
    cord->max_velocity = def->max_velocity;
    cord->line_mass = p->density * area;
    cord->alpha = def->mass_damping, cord->beta = def->damping;
    cord->tension_only = def->tension_only;
    cord->passive_law = st->passive_law, cord->active_law = st->active_law;
}

static v3 drawn_place(const Build *b, const Draft *d, int32_t k)
{
    const snModel *m = b->c->m;
    if (d->point[k].slot >= 0) return rigid_apply(m->body_rest[d->body[d->point[k].slot]], d->point[k].at);
    int32_t hint = 0;
    return sn_strand_point(&m->strand[b->strand], m->rest_point + 3 * m->strand_pointadr[b->strand],
                           place_of(b, d->constraint[k]), NULL, &hint);
}

/* Past the edge of an open surface there is no inside. */
static bool is_inside(const snCordWrap *w, v3 p)
{
    v3 r = v3_sub(p, w->centre);
    if (w->kind == SN_WRAP_SURFACE) {
        snSurfaceHint hint = {0};
        snSurfaceSpot spot = sn_surface_spot(w->over->surface, w->over->offset, p, &hint);
        return spot.height <= 0 && !spot.edge;
    }
    if (w->kind == SN_WRAP_CYLINDER) r = v3_mad(r, -v3_dot(r, w->axis), w->axis);
    return v3_len(r) <= w->radius;
}

/* Neighbours that coincide as drawn, and points inside their wrap. */
static snStatus check_places(const Build *b, const Draft *d, const snCord *cord)
{
    const snModel *m = b->c->m;
    for (int32_t k = 0; k + 1 < cord->npoint; ++k) {
        v3 p[2];
        for (int e = 0; e < 2; ++e) p[e] = drawn_place(b, d, k + e);
        if (v3_dist(p[0], p[1]) < SAME_PLACE)
            return refuse(b, d->constraint[k + 1], "move it along the strand, or remove it",
                          "it coincides with the point before it");
        for (int32_t i = 0; d->point[k].wrap >= 0 && i < 2 * (d->point[k].more + 1); ++i) {
            const snCordWrap *w = &d->wrap[d->point[k].wrap + i / 2];
            if (is_inside(w, rigid_unapply(m->body_rest[d->body[w->slot]], p[i % 2])))
                return refuse(b, d->constraint[k + i % 2], "move it out of the surface, or make the offset smaller",
                              "it lies inside the surface next to it");
        }
    }
    return SN_OK;
}

static void drawn_poses(const snModel *m, const int32_t *body, int32_t n, rigid *pose)
{
    for (int32_t k = 0; k < n; ++k) pose[k] = m->body_rest[body[k]];
}

/* The way over surfaces as drawn: there must be one, and it must not dip into hollows, which it would follow. */
static snStatus check_arcs(const Build *b, const Draft *d, const rigid *pose, int32_t nnode, const snCordNode *node)
{
    const snModel *m = b->c->m;
    for (int32_t k = 1; k + 2 < nnode; ++k) {
        const snCordWrap *w = &d->wrap[node[k].wrap];
        if (!node[k].arc || w->kind != SN_WRAP_SURFACE) continue;
        int32_t constraint = (int32_t)(d->surface[node[k].wrap] - m->constraint);
        if (node[k].state == SN_GEODESIC_EDGE)
            return refuse(b, constraint, "make the surface larger, or close it",
                          "the shortest way over the surface leaves its edge");
        if (node[k].state == SN_GEODESIC_ROUGH)
            return refuse(b, constraint, "use a smoother surface, or a cylinder or a sphere",
                          "there is no shortest way over the surface on the side where the strand is drawn");
        double hollow = sn_geodesic_find(w->over, rigid_unapply(pose[w->slot], node[k - 1].p),
                                         rigid_unapply(pose[w->slot], node[k + 2].p))
                            .hollow;
        if (hollow > HOLLOW) {
            char what[120];
            snprintf(what, sizeof what, "the surface has a hollow of %.2g mm under it, which a path cannot bridge",
                     1e3 * hollow);
            return refuse(b, constraint, "use a surface without hollows there, or make the strand a spline", what);
        }
    }
    return SN_OK;
}

/* The constraint that is a gate of a wrap. */
static int32_t gate_constraint(const Build *b, const Draft *d, int32_t wrap, int32_t gate)
{
    const snConstraint *k = d->surface[wrap];
    for (int32_t i = 0; k->lateral < 0 || i++ < gate;) ++k;
    return (int32_t)(k - b->c->m->constraint);
}

static snStatus stand_gates(const Build *b, Draft *d, const snCord *cord)
{
    int32_t first = 0;
    for (int32_t w = 0; w < cord->nwrap; first += d->wrap[w++].ngate) {
        d->wrap[w].gate = d->gate + first;
        for (int32_t i = 0; i < d->wrap[w].ngate; ++i)
            if (!sn_cord_gate_stand(&d->wrap[w], &d->gate[first + i]))
                return refuse(
                    b, gate_constraint(b, d, w, i),
                    "make lateral smaller, or move the constraint to where the strand lies on the surface",
                    "the bounds of lateral do not meet the surface: they are too far apart, or too far from it");
    }
    return SN_OK;
}

/* As drawn, the path passes every gate: between the points before and behind its wrap. */
static snStatus check_gates(const Build *b, const Draft *d, const snCord *cord, const rigid *pose)
{
    for (int32_t k = 0; k + 1 < cord->npoint; ++k)
        for (int32_t w = d->point[k].wrap; w >= 0 && w <= d->point[k].wrap + d->point[k].more; ++w)
            for (int32_t i = 0; i < d->wrap[w].ngate; ++i)
                if (!sn_cord_passes_gate(cord, pose, w, i, drawn_place(b, d, k), drawn_place(b, d, k + 1)))
                    return refuse(b, gate_constraint(b, d, w, i),
                                  "move it along the strand, to where it lies on the surface",
                                  "as drawn, the shortest way does not pass between the bounds of lateral");
    return SN_OK;
}

/* Length of the path as drawn over that of the curve. */
static snStatus find_shrink(Build *b, const Draft *d, const snPathCord *k, double *shrink)
{
    const snCord *cord = &k->cord;
    rigid *pose;
    snCordNode *node;
    double length;
    if (!COMPILE_ARRAY(b->c, pose, cord->nslot) || !COMPILE_ARRAY(b->c, node, sn_cord_nodes(cord))) return SN_NO_MEMORY;
    drawn_poses(b->c->m, d->body, cord->nslot, pose);
    v3 first = drawn_place(b, d, 0), last = drawn_place(b, d, cord->npoint - 1);
    int32_t nnode = sn_cord_place_between(cord, pose, &first, &last, node, &length);
    snStatus status = check_arcs(b, d, pose, nnode, node);
    if (status == SN_OK) status = check_gates(b, d, cord, pose);
    if (status != SN_OK) return status;
    Split all = split(b, k->from, k->to);
    *shrink = length / (all.tendon + all.belly);
    return SN_OK;
}

static snStatus finish_cord(Build *b, Draft *d, snPathCord *k)
{
    snModel *m = b->c->m;
    snCord *cord = &k->cord;
    for (int32_t w = 0; w < cord->nwrap; ++w) {
        d->wrap[w].side = d->over[w].side = v3_unit(d->wrap[w].side);
        if (d->wrap[w].kind != SN_WRAP_SURFACE) continue;
        sn_geodesic_prepare(&d->over[w], d->surface[w]->point);
        d->wrap[w].over = &d->over[w];
    }
    snStatus status = check_places(b, d, cord);
    if (status == SN_OK) status = stand_gates(b, d, cord);
    if (status != SN_OK) return status;
    cord->point = d->point, cord->wrap = d->wrap;
    k->body = d->body, k->constraint = d->constraint, k->strand = b->strand, k->knot = -1;
    status = find_shrink(b, d, k, &b->shrink);
    snId id = sn_spec_find(b->c->spec, SN_KIND_STRAND, m->strand_name[b->strand]);
    if (status == SN_OK) set_material(b, sn_spec_strand(b->c->spec, id), b->shrink, k);
    k->first_eyelet = cord->npoint;
    for (int32_t i = cord->npoint - 1; i > 0 && place_of(b, d->constraint[i]) >= b->belly[1]; --i) k->first_eyelet = i;
    return status;
}

/* ---- one strand --------------------------------------------------------------------------------- */

/* The constraint that holds an end of the strand by another path; -1: none. */
static int32_t end_link(const Build *b, bool last)
{
    const snModel *m = b->c->m;
    const snStrand *st = &m->strand[b->strand];
    double middle = 0.5 * (st->knot[3] + st->knot[st->n]), end = sn_strand_parameter(st, last ? 1 : 0);
    int32_t first = m->strand_constraintadr[m->nstrand];
    for (int32_t i = first; i < m->nconstraint; ++i)
        if (m->constraint[i].strand == b->strand && (m->constraint[i].s > middle) == last) return i;
    for (int32_t i = m->strand_constraintadr[b->strand]; i < m->strand_constraintadr[b->strand + 1]; ++i)
        if (m->constraint[i].type == SN_CONSTRAINT_FIXED && m->constraint[i].s == end) return -1; /* a body does */
    for (int32_t i = first; i < m->nconstraint; ++i)
        if (m->constraint[i].free && m->constraint[i].other == b->strand && m->constraint[i].other_s == end) return i;
    return -1;
}

/* The first free junction on the strand between two parameters; -1: none. */
static int32_t next_free(const Build *b, double after, double before)
{
    const snModel *m = b->c->m;
    int32_t found = -1;
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (!c->free || c->other != b->strand || !(c->other_s > after && c->other_s < before)) continue;
        found = i, before = c->other_s;
    }
    return found;
}

static snStatus check_ends(const Build *b, int32_t start, int32_t end)
{
    const snModel *m = b->c->m;
    int32_t first = m->strand_constraintadr[b->strand], last = m->strand_constraintadr[b->strand + 1] - 1;
    bool any = last >= first;
    bool held = (start >= 0 || (any && m->constraint[first].type == SN_CONSTRAINT_FIXED)) &&
                (end >= 0 || (any && m->constraint[last].type == SN_CONSTRAINT_FIXED)) &&
                (start >= 0 || end >= 0 || last > first);
    if (!held)
        return refuse(b, -1, "add fixed constraints at its origin and insertion, or set kind to spline",
                      "its first and its last constraint must be fixed");
    return SN_OK;
}

/* Divides the strand's only cord where other paths begin or end on it. */
static snStatus divide(Build *b, snPathCord *whole)
{
    snModel *m = b->c->m;
    snId id = sn_spec_find(b->c->spec, SN_KIND_STRAND, m->strand_name[b->strand]);
    const snStrandDef *def = sn_spec_strand(b->c->spec, id);
    for (double at = whole->from, end = whole->to; at < end;) {
        double next = end;
        for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) {
            const snConstraint *c = &m->constraint[i];
            if (c->other == b->strand && !c->free && c->other_s > at && c->other_s < next) next = c->other_s;
        }
        snPathCord *k = at == whole->from ? whole : &m->cord[m->ncord++];
        if (k != whole) *k = *whole;
        if (k == whole && next == end) return SN_OK; /* nothing on it */
        k->from = at, k->to = next;
        set_material(b, def, b->shrink, k);
        at = next;
    }
    return SN_OK;
}

/* One cord from a constraint on, through those from *next. Returns where it ends: fixed, or in a junction. */
static snStatus compile_cord(Build *b, snPathCord *k, int32_t start, int32_t into, int32_t *next, int32_t *stop)
{
    const snModel *m = b->c->m;
    int32_t end = m->strand_constraintadr[b->strand + 1];
    snStatus status = SN_OK;
    Draft d = {0};
    if (!alloc_draft(b->c, &d, end - *next + 2)) return SN_NO_MEMORY;
    k->from = place_of(b, start);
    add_point(b, &d, &k->cord, start);
    *stop = -1;
    for (; status == SN_OK && *stop < 0 && *next < end; ++*next) {
        const snConstraint *c = &m->constraint[*next];
        int32_t link = next_free(b, k->from, c->s);
        if (link >= 0) break;
        if (c->type == SN_CONSTRAINT_SURFACE)
            status = add_wrap(b, &d, &k->cord, *next);
        else
            add_point(b, &d, &k->cord, *next);
        k->to = c->s;
        if (c->type == SN_CONSTRAINT_FIXED) *stop = *next;
    }
    if (status == SN_OK && *stop < 0) {
        *stop = next_free(b, k->from, into >= 0 ? place_of(b, into) : INFINITY);
        if (*stop < 0) *stop = into;
        add_point(b, &d, &k->cord, *stop);
        k->to = place_of(b, *stop);
    }
    return status == SN_OK ? finish_cord(b, &d, k) : status;
}

static snStatus compile_strand_cords(Build *b)
{
    snModel *m = b->c->m;
    int32_t end = m->strand_constraintadr[b->strand + 1], i = m->strand_constraintadr[b->strand];
    int32_t on = end_link(b, false), into = end_link(b, true);
    snStatus status = check_ends(b, on, into);
    snPathCord *k = NULL;
    int32_t start = status != SN_OK ? -1 : on >= 0 ? on : i++;
    while (status == SN_OK && start >= 0) {
        int32_t stop = -1;
        k = &m->cord[m->ncord++];
        status = compile_cord(b, k, start, into, &i, &stop);
        bool more = i < end || (into >= 0 && stop != into);
        start = more ? stop : -1;
    }
    if (status == SN_OK && k) status = divide(b, k);
    m->strand_cordadr[b->strand + 1] = m->ncord;
    return status;
}

static void place_control_points(const Build *b)
{
    snModel *m = b->c->m;
    const snStrand *st = &m->strand[b->strand];
    int32_t first = m->strand_cordadr[b->strand], last = m->strand_cordadr[b->strand + 1] - 1, known = -1;
    Split all = {0}; /* of the cord `known` */
    for (int32_t k = 0; k < st->n; ++k) {
        double s = (st->knot[k + 1] + st->knot[k + 2] + st->knot[k + 3]) / 3;
        int32_t i = first;
        while (i < last && s > m->cord[i].to) ++i;
        const snPathCord *at = &m->cord[i];
        double from = at->from, to = at->to;
        if (i != known) all = split(b, from, to), known = i;
        Split here = split(b, from, fmin(fmax(s, from), to));
        snPathPoint *p = &m->path_point[m->strand_pointadr[b->strand] - m->nspline_point + k];
        p->cord = i;
        p->tendon = all.tendon > 0 ? at->cord.tendon_rest * here.tendon / all.tendon : 0;
        p->belly = all.belly > 0 ? at->cord.belly_rest * here.belly / all.belly : 0;
    }
}

static void find_belly(Build *b)
{
    const snStrand *st = &b->c->m->strand[b->strand];
    b->belly[0] = sn_strand_parameter(st, b->params.belly_start);
    b->belly[1] = sn_strand_parameter(st, b->params.belly_end);
}

snStatus sn_compile_cords(snCompiler *c)
{
    snModel *m = c->m;
    if (!COMPILE_ARRAY(c, m->strand_cordadr, m->nstrand + 1)) return SN_NO_MEMORY;
    if (m->nspline == m->nstrand) return SN_OK;
    if (!COMPILE_ARRAY(c, m->cord, 2 * m->nconstraint - m->strand_constraintadr[m->nspline]) ||
        !COMPILE_ARRAY(c, m->path_point, m->npoint - m->nspline_point))
        return SN_NO_MEMORY;
    snStatus status = SN_OK;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_STRAND) && status == SN_OK; ++id) {
        int32_t i = c->strand_of[id - 1];
        if (i < m->nspline) continue;
        Build b = {.c = c, .strand = i, .params = sn_compile_params(sn_spec_strand(c->spec, id))};
        find_belly(&b);
        status = compile_strand_cords(&b);
        if (status == SN_OK) place_control_points(&b);
    }
    return status;
}
