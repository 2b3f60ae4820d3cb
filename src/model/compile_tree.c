/* Coordinates, bodies and springs of a model on a tree as arrays of tree/tree.h, in the neutral world. */
#include "model/compile.h"
#include "model/tree_order.h"

#include "base/error.h"

#include <math.h>

/* Fills one const array of the tree. */
#define TREE_ARRAY(c, tree, field, count, type, pointer)                                                               \
    (((pointer) = (type *)sn_compile_alloc(c, count, sizeof(type))) != NULL && ((tree)->field = (pointer), true))

typedef struct Links {
    int32_t *parent;
    bool *slides, *driven;
    double *axis, *centre, *stiffness, *damping, *rest, *lower, *upper, *stop_stiffness, *stop_damping;
} Links;

static bool alloc_links(snCompiler *c, int32_t n, Links *l)
{
    snModel *m = c->m;
    snTree *t = &m->skeleton->tree;
    t->ndof = n;
    return TREE_ARRAY(c, t, parent, n, int32_t, l->parent) && TREE_ARRAY(c, t, slides, n, bool, l->slides) &&
           TREE_ARRAY(c, t, driven, n, bool, l->driven) && TREE_ARRAY(c, t, axis, 3 * n, double, l->axis) &&
           TREE_ARRAY(c, t, centre, 3 * n, double, l->centre) && TREE_ARRAY(c, t, stiffness, n, double, l->stiffness) &&
           TREE_ARRAY(c, t, damping, n, double, l->damping) && TREE_ARRAY(c, t, rest, n, double, l->rest) &&
           TREE_ARRAY(c, t, lower, n, double, l->lower) && TREE_ARRAY(c, t, upper, n, double, l->upper) &&
           TREE_ARRAY(c, t, stop_stiffness, n, double, l->stop_stiffness) &&
           TREE_ARRAY(c, t, stop_damping, n, double, l->stop_damping) &&
           COMPILE_ARRAY(c, m->skeleton->compression, n) && COMPILE_ARRAY(c, m->skeleton->tolerance, n) &&
           COMPILE_ARRAY(c, m->skeleton->yields, n) && COMPILE_ARRAY(c, m->coord_name, n) &&
           COMPILE_ARRAY(c, m->coord_limit_row, n);
}

/* Link of the coordinate that must stand before: the one before it of its body, or the last of its parent. */
static int32_t link_before(const snCompiler *c, const int32_t *link_of, snId id)
{
    const snCoordinateDef *d = sn_spec_coordinate(c->spec, id);
    snId first = sn_tree_first(c->spec, d->body), before = id - 1;
    if (id == first) {
        snId last = sn_tree_last(c->spec, d->parent);
        return last ? link_of[last - 1] : -1;
    }
    while (sn_spec_find(c->spec, SN_KIND_BODY, sn_spec_coordinate(c->spec, before)->body) !=
           sn_spec_find(c->spec, SN_KIND_BODY, d->body))
        --before;
    return link_of[before - 1];
}

static double unit_of(const snCoordinateDef *d)
{
    return d->type == SN_COORDINATE_SLIDE ? 1 : SN_DEG;
}

/* The function of a coordinate that follows another, in rad and m. */
static bool compile_curve(snCompiler *c, const snCoordinateDef *d, const snCoordinateDef *other, snCurve *curve)
{
    double in = unit_of(other), out = unit_of(d), *x, *y, *bend, *scratch, power = out;
    bool pairs = d->function != SN_FOLLOWING_POLYNOMIAL;
    int32_t n = pairs ? d->nvalue / 2 : d->nvalue;
    if (!COMPILE_ARRAY(c, x, n) || !COMPILE_ARRAY(c, y, n) || !COMPILE_ARRAY(c, bend, n) ||
        !COMPILE_ARRAY(c, scratch, 2 * n))
        return false;
    for (int32_t i = 0; i < n; ++i, power /= in) {
        x[i] = pairs ? in * d->value[2 * i] : 0;
        y[i] = pairs ? out * d->value[2 * i + 1] : power * d->value[i];
    }
    if (d->function == SN_FOLLOWING_SPLINE) sn_curve_bend(n, x, y, bend, scratch);
    *curve = (snCurve){.kind = d->function == SN_FOLLOWING_SPLINE  ? SN_CURVE_SPLINE
                               : d->function == SN_FOLLOWING_TABLE ? SN_CURVE_TABLE
                                                                   : SN_CURVE_POLYNOMIAL,
                       .n = n,
                       .x = x,
                       .y = y,
                       .bend = bend};
    return true;
}

/* Where no coordinate follows another there are no tables of it. */
static snStatus compile_following(snCompiler *c, const snId *order, const int32_t *link_of)
{
    snModel *m = c->m;
    int32_t n = m->ncoord, *follows, count = 0;
    snCurve *curve;
    for (snId id = 1; id <= n; ++id) count += *sn_spec_coordinate(c->spec, id)->follows != 0;
    if (!count) return SN_OK;
    if (!COMPILE_ARRAY(c, follows, n) || !COMPILE_ARRAY(c, curve, n)) return SN_NO_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        const snCoordinateDef *d = sn_spec_coordinate(c->spec, order[k]);
        snId other = *d->follows ? sn_spec_find(c->spec, SN_KIND_COORDINATE, d->follows) : order[k];
        follows[k] = link_of[other - 1];
        if (*d->follows && !compile_curve(c, d, sn_spec_coordinate(c->spec, other), &curve[k])) return SN_NO_MEMORY;
    }
    m->skeleton->tree.follows = follows;
    m->skeleton->tree.curve = curve;
    return SN_OK;
}

static snStatus compile_link(snCompiler *c, const int32_t *link_of, snId id, int32_t k, Links *l)
{
    snModel *m = c->m;
    const snCoordinateDef *d = sn_spec_coordinate(c->spec, id);
    double unit = unit_of(d);
    l->parent[k] = link_before(c, link_of, id);
    l->slides[k] = d->type == SN_COORDINATE_SLIDE;
    l->driven[k] = d->driven && !*d->follows;
    if (d->type != SN_COORDINATE_NONE) v3_store(l->axis + 3 * k, v3_unit(v3_load(d->axis)));
    v3_store(l->centre + 3 * k, v3_load(d->center));
    l->stiffness[k] = d->stiffness, l->damping[k] = d->damping, l->rest[k] = unit * d->rest;
    l->lower[k] = isnan(d->range[0]) ? -INFINITY : unit * d->range[0];
    l->upper[k] = isnan(d->range[1]) ? INFINITY : unit * d->range[1];
    l->stop_stiffness[k] = d->stop_stiffness, l->stop_damping[k] = d->stop_damping;
    if (*d->follows) l->stiffness[k] = l->damping[k] = l->stop_stiffness[k] = l->stop_damping[k] = 0;
    m->skeleton->compression[k] = *d->follows ? 0 : d->compression;
    m->skeleton->tolerance[k] = d->tolerance;
    m->skeleton->yields[k] = d->yields && !l->driven[k] && !*d->follows;
    m->coord_limit_row[k] = -1;
    m->coord_name[k] = sn_compile_text(c, d->name);
    if (!m->coord_name[k] || !sn_map_put(&m->coord_map, m->coord_name[k], k)) return sn_fail_no_memory(c->error);
    return SN_OK;
}

static snStatus compile_links(snCompiler *c)
{
    snModel *m = c->m;
    int32_t n = sn_spec_count(c->spec, SN_KIND_COORDINATE), *order, *link_of;
    Links l;
    if (!COMPILE_ARRAY(c, order, n) || !COMPILE_ARRAY(c, link_of, n) || !alloc_links(c, n, &l)) return SN_NO_MEMORY;
    m->coord_title = m->coord_name; /* a coordinate of a tree has a name of its own */
    sn_tree_order(c->spec, order);
    for (int32_t k = 0; k < n; ++k) {
        link_of[order[k] - 1] = k;
        snStatus status = compile_link(c, link_of, order[k], k, &l);
        if (status != SN_OK) return status;
    }
    m->ncoord = n;
    m->coord_lower = l.lower, m->coord_upper = l.upper;
    m->coord_stiffness = l.stiffness, m->coord_damping = l.damping, m->coord_rest = l.rest;
    return compile_following(c, order, link_of);
}

int32_t sn_compile_link(const snCompiler *c, const char *body)
{
    snId last = sn_tree_last(c->spec, body);
    return last ? sn_map_get(&c->m->coord_map, sn_spec_coordinate(c->spec, last)->name) : -1;
}

/* Principal moments back into the tensor about world axes. */
static void world_inertia(rigid frame, v3 moment, double *out)
{
    m3 r = m3_from_q(frame.q);
    double d[3] = {moment.x, moment.y, moment.z}, I[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            I[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) I[3 * i + j] += r.m[3 * i + k] * d[k] * r.m[3 * j + k];
        }
    out[0] = I[0], out[1] = I[4], out[2] = I[8], out[3] = I[1], out[4] = I[2], out[5] = I[5];
}

static snStatus compile_masses(snCompiler *c)
{
    snModel *m = c->m;
    snTree *t = &m->skeleton->tree;
    int32_t *link;
    double *mass, *com, *inertia;
    t->nbody = m->nbody;
    if (!TREE_ARRAY(c, t, body_link, m->nbody, int32_t, link) || !TREE_ARRAY(c, t, mass, m->nbody, double, mass) ||
        !TREE_ARRAY(c, t, com, 3 * m->nbody, double, com) || !TREE_ARRAY(c, t, inertia, 6 * m->nbody, double, inertia))
        return SN_NO_MEMORY;
    for (int32_t b = 0; b < m->nbody; ++b) {
        link[b] = sn_compile_link(c, m->body_name[b]);
        mass[b] = m->body_mass[b];
        v3_store(com + 3 * b, m->body_rest[b].p);
        world_inertia(m->body_rest[b], m->body_inertia[b], inertia + 6 * b);
    }
    return SN_OK;
}

static snStatus compile_springs(snCompiler *c)
{
    snTree *t = &c->m->skeleton->tree;
    int32_t n = sn_spec_count(c->spec, SN_KIND_SPRING), *a, *b;
    double *point, *k, *damping;
    t->nspring = n;
    if (!TREE_ARRAY(c, t, spring_a, n, int32_t, a) || !TREE_ARRAY(c, t, spring_b, n, int32_t, b) ||
        !TREE_ARRAY(c, t, spring_point, 3 * n, double, point) || !TREE_ARRAY(c, t, spring_k, n, double, k) ||
        !TREE_ARRAY(c, t, spring_c, n, double, damping))
        return SN_NO_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        const snSpringDef *d = sn_spec_spring(c->spec, i + 1);
        a[i] = sn_compile_link(c, d->body_a), b[i] = sn_compile_link(c, d->body_b);
        v3_store(point + 3 * i, v3_load(d->point));
        k[i] = d->stiffness, damping[i] = d->damping;
    }
    return SN_OK;
}

snStatus sn_compile_tree(snCompiler *c)
{
    if (!COMPILE_ARRAY(c, c->m->skeleton, 1)) return SN_NO_MEMORY;
    snStatus status = compile_links(c);
    if (status == SN_OK) status = compile_masses(c);
    if (status == SN_OK) status = compile_springs(c);
    return status;
}
