/* Constraints and the surfaces they lie on. A constraint sits where its strand passes as drawn: its point in the body
 * is the strand's point at `position`, as with the locators of [Kaufman 2008]. */
#include "model/compile.h"

#include "base/error.h"
#include "model/node_surface.h"
#include "model/struts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool alloc_constraints(snCompiler *c, int32_t n)
{
    snModel *m = c->m;
    return COMPILE_ARRAY(c, m->constraint_name, n) && COMPILE_ARRAY(c, m->constraint, n) &&
           COMPILE_ARRAY(c, m->surface, n) && COMPILE_ARRAY(c, c->surface_of, sn_spec_count(c->spec, SN_KIND_NODE));
}

static v3 rest_position(const snModel *m, int32_t strand, double s, v3 *tangent)
{
    int32_t hint = 0;
    return sn_strand_point(&m->strand[strand], m->rest_point + 3 * m->strand_pointadr[strand], s, tangent, &hint);
}

/* Global nearest parameter, by sampling and then Newton. */
static double nearest_parameter(const snModel *m, int32_t strand, v3 x)
{
    const snStrand *st = &m->strand[strand];
    double best = 0, best_distance = INFINITY;
    for (int k = 0; k <= 400; ++k) {
        double s = sn_strand_parameter(st, k / 400.0), d = v3_dist(rest_position(m, strand, s, NULL), x);
        if (d < best_distance) best_distance = d, best = s;
    }
    int32_t hint = 0;
    return sn_strand_closest(st, m->rest_point + 3 * m->strand_pointadr[strand], x, best, 1.0 / 400, &hint);
}

/* ---- constraints ---------------------------------------------------------------------------- */

static int32_t body_of_name(const snCompiler *c, const char *name)
{
    snId id = sn_spec_find(c->spec, SN_KIND_BODY, name);
    return id ? c->body_of[id - 1] : -1;
}

/* The surface of a node, made when it is first needed: many constraints share it. */
static snStatus surface_of_node(snCompiler *c, snId node, int32_t body, int32_t *surface)
{
    snModel *m = c->m;
    int32_t *known = &c->surface_of[node - 1];
    if (!*known) {
        snStatus status =
            sn_node_surface(c->spec, node, m->body_rest[body], &m->memory, &m->surface[m->nsurface], c->error);
        if (status != SN_OK) return status;
        *known = ++m->nsurface;
    }
    *surface = *known - 1;
    return SN_OK;
}

static snStatus compile_surface_constraint(snCompiler *c, const snConstraintDef *def, snConstraint *k, v3 p, v3 tangent)
{
    snModel *m = c->m;
    snId node = sn_spec_find(c->spec, SN_KIND_NODE, def->attachment), owner = sn_node_body(c->spec, node);
    k->body = owner ? c->body_of[owner - 1] : -1;
    if (k->body < 0) return SN_OK; /* goes with its disabled body */
    snStatus status = surface_of_node(c, node, k->body, &k->surface);
    if (status != SN_OK) return status;
    k->one_sided = def->equality == SN_INEQUAL;
    k->side = def->side == SN_ABOVE ? 1 : -1;
    k->offset = def->offset;
    k->lateral = def->lateral;
    k->point = rigid_unapply(m->body_rest[k->body], p);
    snSurfaceHint hint = {0};
    snSurfaceHit hit = sn_surface_closest(&m->surface[k->surface], k->point, &hint);
    k->rest_normal = v3_scale(hit.normal, k->side);
    k->lateral_axis = v3_unit(v3_cross(hit.normal, q_unrotate(m->body_rest[k->body].q, v3_unit(tangent))));
    k->nrow = k->lateral >= 0 ? 2 : 1;
    return SN_OK;
}

static void compile_link(snCompiler *c, const snConstraintDef *def, snConstraint *k, v3 p)
{
    snModel *m = c->m;
    snId other = sn_spec_find(c->spec, SN_KIND_STRAND, def->attachment);
    k->other = other ? c->strand_of[other - 1] : -1;
    if (k->other < 0) return;
    k->other_s = def->attachment_position < 0 ? nearest_parameter(m, k->other, p)
                                              : sn_strand_parameter(&m->strand[k->other], def->attachment_position);
    k->free = def->type == SN_CONSTRAINT_FIXED && def->junction == SN_JUNCTION_FREE && k->strand >= m->nspline;
    k->nlink = def->type == SN_CONSTRAINT_FIXED ? 3 : 1;
    k->spring = def->type == SN_CONSTRAINT_STRUT && def->mode == SN_STRUT_SPRING;
    k->length = def->length > 0 ? def->length : v3_dist(p, rest_position(m, k->other, k->other_s, NULL));
    k->kp = def->kp, k->kd = def->kd;
}

/* Leaves nrow and nlink zero when the constraint goes with something disabled. */
static snStatus compile_constraint(snCompiler *c, const snConstraintDef *def, snConstraint *k)
{
    snModel *m = c->m;
    *k = (snConstraint){.type = def->type, .body = -1, .other = -1, .surface = -1, .lateral = -1};
    snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, def->strand);
    k->strand = strand ? c->strand_of[strand - 1] : -1;
    if (k->strand < 0) return SN_OK;
    k->s = sn_strand_parameter(&m->strand[k->strand], def->position);
    v3 tangent, p = rest_position(m, k->strand, k->s, &tangent);
    if (def->type == SN_CONSTRAINT_SURFACE) return compile_surface_constraint(c, def, k, p, tangent);
    if (def->type == SN_CONSTRAINT_STRUT || !sn_spec_find(c->spec, SN_KIND_BODY, def->attachment)) {
        compile_link(c, def, k, p);
        return SN_OK;
    }
    k->body = body_of_name(c, def->attachment);
    if (k->body < 0) return SN_OK;
    k->point = rigid_unapply(m->body_rest[k->body], p);
    k->nrow = def->type == SN_CONSTRAINT_FIXED ? 3 : 2;
    return SN_OK;
}

typedef struct Keyed {
    snConstraint constraint;
    const char *name;
    int32_t order;
} Keyed;

/* Own rows first, by strand and along it; then links in the order of the spec. */
static int compare(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    bool own_x = x->constraint.nrow > 0, own_y = y->constraint.nrow > 0;
    if (own_x != own_y) return own_x ? -1 : 1;
    if (own_x && x->constraint.strand != y->constraint.strand)
        return x->constraint.strand < y->constraint.strand ? -1 : 1;
    if (own_x && x->constraint.s != y->constraint.s) return x->constraint.s < y->constraint.s ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static snStatus store_sorted(snCompiler *c, Keyed *list, int32_t n)
{
    snModel *m = c->m;
    qsort(list, (size_t)n, sizeof *list, compare);
    for (int32_t i = 0; i < n; ++i) {
        m->constraint[i] = list[i].constraint;
        m->constraint_name[i] = sn_compile_text(c, list[i].name);
        if (!m->constraint_name[i] || !sn_map_put(&m->constraint_map, m->constraint_name[i], i))
            return sn_fail_no_memory(c->error);
        if (list[i].constraint.strand >= m->nspline) m->constraint[i].nlink = 0; /* paths meet in knots */
        if (!list[i].constraint.nrow) continue;
        ++m->strand_constraintadr[list[i].constraint.strand + 1];
        if (list[i].constraint.strand >= m->nspline) m->constraint[i].nrow = 0; /* paths have no rows */
    }
    for (int32_t i = 0; i < m->nstrand; ++i) m->strand_constraintadr[i + 1] += m->strand_constraintadr[i];
    m->nconstraint = n;
    return SN_OK;
}

/* Free junctions of a path that nearly coincide as drawn, with each other or with an end of it, are one. */
static void join_junctions(snModel *m)
{
    const double same = 1e-4; /* m */
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) {
        snConstraint *c = &m->constraint[i];
        if (!c->free) continue;
        v3 p = rest_position(m, c->other, c->other_s, NULL);
        for (int32_t k = m->strand_constraintadr[m->nstrand]; k < i; ++k) {
            const snConstraint *e = &m->constraint[k];
            if (e->free && e->other == c->other && v3_dist(p, rest_position(m, e->other, e->other_s, NULL)) < same)
                c->other_s = e->other_s;
        }
        for (int end = 0; end < 2; ++end) {
            double last = sn_strand_parameter(&m->strand[c->other], end);
            if (v3_dist(p, rest_position(m, c->other, last, NULL)) < same) c->other_s = last;
        }
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

typedef struct List {
    Keyed *at;
    int32_t count;
} List;

/* name must live as long as the spec or the model. */
static snStatus add_constraint(snCompiler *c, const snConstraintDef *def, List *list)
{
    Keyed *k = &list->at[list->count];
    snStatus status = compile_constraint(c, def, &k->constraint);
    if (status != SN_OK) return status;
    if (k->constraint.nrow + k->constraint.nlink == 0) return SN_OK;
    k->name = def->name, k->order = list->count++;
    return SN_OK;
}

/* The struts of a sheet, as if its author had set each. */
static snStatus add_struts(snCompiler *c, const snGroupDef *group, const snStrutPlace *place, int32_t n, List *list)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < n && status == SN_OK; ++i) {
        char name[160];
        snprintf(name, sizeof name, "%.127s/strut%d.%d", group->name, (int)place[i].pair + 1, (int)place[i].index + 1);
        snConstraintDef def = sn_default_constraint_def();
        def.type = SN_CONSTRAINT_STRUT;
        def.name = sn_compile_text(c, name);
        def.strand = sn_spec_strand(c->spec, place[i].strand)->name;
        def.attachment = sn_spec_strand(c->spec, place[i].other)->name;
        def.position = place[i].position, def.kp = group->kp, def.kd = group->kd;
        status = def.name ? add_constraint(c, &def, list) : SN_NO_MEMORY;
    }
    return status;
}

typedef struct Sheet {
    const snGroupDef *group;
    snStrutPlace *place;
    int32_t nplace;
} Sheet;

/* Where the struts of all sheets go; how many there are. */
static snStatus place_struts(snCompiler *c, Sheet *sheet, int32_t *count)
{
    *count = 0;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_GROUP); ++id) {
        Sheet *s = &sheet[id - 1];
        s->group = sn_spec_group(c->spec, id);
        if (s->group->type != SN_GROUP_SHEET || s->group->struts < 1) continue;
        if (!sn_place_struts(c->spec, s->group, s->group->struts, &c->m->memory, &s->place, &s->nplace))
            return sn_fail_no_memory(c->error);
        *count += s->nplace;
    }
    return SN_OK;
}

snStatus sn_compile_constraints(snCompiler *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_CONSTRAINT), ngroup = sn_spec_count(c->spec, SN_KIND_GROUP), nstrut;
    List list = {0};
    Sheet *sheet;
    if (!COMPILE_ARRAY(c, sheet, ngroup)) return SN_NO_MEMORY;
    snStatus status = place_struts(c, sheet, &nstrut);
    if (status != SN_OK) return status;
    if (!alloc_constraints(c, n + nstrut) || !COMPILE_ARRAY(c, list.at, n + nstrut)) return SN_NO_MEMORY;
    for (snId id = 1; id <= n && status == SN_OK; ++id) {
        const snConstraintDef *def = sn_spec_constraint(c->spec, id);
        if (def->enabled) status = add_constraint(c, def, &list);
    }
    for (int32_t g = 0; g < ngroup && status == SN_OK; ++g)
        status = add_struts(c, sheet[g].group, sheet[g].place, sheet[g].nplace, &list);
    if (status == SN_OK) status = store_sorted(c, list.at, list.count);
    if (status == SN_OK) join_junctions(c->m);
    return status;
}
