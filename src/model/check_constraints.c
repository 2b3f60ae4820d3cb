/* Constraints: what they name, and what contradicts itself. */
#include "model/check.h"

#include "model/nodes.h"

#include <math.h>
#include <string.h>

static const double SAME_POINT = 1e-9; /* of the parameter */
static const double SAME_PLACE = 1e-3; /* too near for the strand to pass from one side of a surface to the other */

/* ---- who belongs to whom ------------------------------------------------------------------ */

/* Parents come before their children, so that one pass carries a body down to all below its node. */
static void find_node_bodies(snChecker *c)
{
    for (snId body = sn_spec_count(c->spec, SN_KIND_BODY); body > 0; --body) {
        snId node = sn_body_node(c->spec, body);
        if (node) c->node_body[node - 1] = body;
    }
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_NODE); ++id) {
        snId parent = sn_spec_node(c->spec, id)->parent;
        if (!c->node_body[id - 1] && parent > 0 && parent < id) c->node_body[id - 1] = c->node_body[parent - 1];
    }
}

static snId body_of(const snChecker *c, const snConstraintDef *d)
{
    if (!d->enabled || d->type == SN_CONSTRAINT_STRUT) return 0;
    if (d->type != SN_CONSTRAINT_SURFACE) return sn_spec_find(c->spec, SN_KIND_BODY, d->attachment);
    snId node = sn_spec_find(c->spec, SN_KIND_NODE, d->attachment);
    return node ? c->node_body[node - 1] : 0;
}

static snId linked_strand(const snChecker *c, const snConstraintDef *d)
{
    bool link = d->type == SN_CONSTRAINT_STRUT ||
                (d->type == SN_CONSTRAINT_FIXED && !sn_spec_find(c->spec, SN_KIND_BODY, d->attachment));
    return link ? sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment) : 0;
}

static void add_visit(snChecker *c, int32_t index, snId strand, snId constraint, bool linked)
{
    if (!strand) return;
    c->visit[index] = (snVisit){constraint, linked, c->first_visit[strand - 1]};
    c->first_visit[strand - 1] = index;
}

void sn_check_prepare(snChecker *c)
{
    size_t nnode = (size_t)sn_spec_count(c->spec, SN_KIND_NODE),
           nstrand = (size_t)sn_spec_count(c->spec, SN_KIND_STRAND);
    int32_t n = sn_spec_count(c->spec, SN_KIND_CONSTRAINT);
    c->node_body = sn_arena_alloc(&c->memory, nnode, sizeof *c->node_body);
    c->constraint_body = sn_arena_alloc(&c->memory, (size_t)n, sizeof *c->constraint_body);
    c->first_visit = sn_arena_alloc(&c->memory, nstrand, sizeof *c->first_visit);
    c->visit = sn_arena_alloc(&c->memory, 2 * (size_t)n, sizeof *c->visit);
    if (!c->node_body || !c->constraint_body || !c->first_visit || !c->visit) {
        c->no_memory = true;
        return;
    }
    find_node_bodies(c);
    for (size_t i = 0; i < nstrand; ++i) c->first_visit[i] = -1;
    for (snId id = n; id > 0; --id) { /* backwards: each list then runs forwards */
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        c->constraint_body[id - 1] = body_of(c, d);
        if (!d->enabled) continue;
        add_visit(c, 2 * id - 2, sn_spec_find(c->spec, SN_KIND_STRAND, d->strand), id, false);
        add_visit(c, 2 * id - 1, linked_strand(c, d), id, true);
    }
}

/* ---- surfaces ----------------------------------------------------------------------------- */

/* Lengths of the world axes of a node, and whether they are at right angles. */
static bool world_scale(const snSpec *spec, snId node, double scale[3])
{
    affine world = sn_node_world(spec, node);
    v3 axis[3];
    for (int i = 0; i < 3; ++i) {
        axis[i] = v3_of(world.a.m[i], world.a.m[3 + i], world.a.m[6 + i]);
        scale[i] = v3_len(axis[i]);
        axis[i] = v3_unit(axis[i]);
    }
    return fabs(v3_dot(axis[0], axis[1])) < 1e-6 && fabs(v3_dot(axis[1], axis[2])) < 1e-6 &&
           fabs(v3_dot(axis[2], axis[0])) < 1e-6;
}

static bool differ(double a, double b)
{
    return fabs(a - b) > 1e-6 * (fabs(a) + fabs(b));
}

static void check_shape(snChecker *c, snId id, snId node_id, const snNodeDef *node)
{
    double s[3];
    bool square = world_scale(c->spec, node_id, s);
    bool round = node->shape == SN_SHAPE_SPHERE     ? !differ(s[0], s[1]) && !differ(s[0], s[2])
                 : node->shape == SN_SHAPE_CYLINDER ? !differ(s[0], s[1])
                                                    : true;
    if (!square || !round)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "scale it evenly, or use an ellipsoid or a Surface",
                       "the scales above \"%.100s\" turn it into another shape", node->name);
}

static void check_patch(snChecker *c, snId id, const snNodeDef *node)
{
    if (node->degree != 3 || node->degree_v != 3)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "rebuild the surface as a bicubic one",
                       "surface \"%.100s\" has degrees %d and %d; strands need 3", node->name, (int)node->degree,
                       (int)node->degree_v);
    for (int32_t i = 0; i < node->nweight; ++i)
        if (node->weight[i] != 1) {
            sn_check_error(c, SN_KIND_CONSTRAINT, id, "set all weights to 1, or leave them out",
                           "surface \"%.100s\" has weights other than 1", node->name);
            return;
        }
}

static void check_surface(snChecker *c, snId id, const snConstraintDef *d)
{
    snId node_id = sn_spec_find(c->spec, SN_KIND_NODE, d->attachment);
    if (!node_id) {
        sn_check_dangling(c, SN_KIND_CONSTRAINT, id, "attachment", d->attachment, SN_KIND_NODE,
                          "surface, shape or mesh");
        return;
    }
    const snNodeDef *node = sn_spec_node(c->spec, node_id);
    if (node->kind == SN_NODE_SHAPE)
        check_shape(c, id, node_id, node);
    else if (node->kind == SN_NODE_SURFACE)
        check_patch(c, id, node);
    else if (node->kind != SN_NODE_MESH) /* those are looked at by sn_check_wraps */
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "name a Surface, a Shape or a closed Mesh",
                       "attachment \"%.100s\" is a %s, which strands cannot lie on", node->name,
                       sn_node_tag(node->kind));
    if (!c->node_body[node_id - 1])
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "put the surface below the group of a body",
                       "no body carries surface \"%.100s\"", node->name);
}

/* ---- attachments -------------------------------------------------------------------------- */

static void warn_disabled(snChecker *c, snId id, const char *what, const char *name)
{
    sn_check_warning(c, SN_KIND_CONSTRAINT, id, "disable the constraint too",
                     "%s \"%.100s\" is disabled, so the constraint does nothing", what, name);
}

static void check_link(snChecker *c, snId id, const snConstraintDef *d, snId other)
{
    if (strcmp(d->strand, d->attachment) == 0)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "name another strand", "the strand is attached to itself");
    else if (d->enabled && !sn_spec_strand(c->spec, other)->enabled)
        warn_disabled(c, id, "strand", d->attachment);
}

static void check_body_or_strand(snChecker *c, snId id, const snConstraintDef *d)
{
    snId body = sn_spec_find(c->spec, SN_KIND_BODY, d->attachment);
    snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment);
    if (d->type == SN_CONSTRAINT_SLIDING) {
        if (!body) sn_check_dangling(c, SN_KIND_CONSTRAINT, id, "attachment", d->attachment, SN_KIND_BODY, "body");
        strand = 0;
    } else if (!body && !strand)
        sn_check_dangling(c, SN_KIND_CONSTRAINT, id, "attachment", d->attachment, SN_KIND_BODY, "body or strand");
    if (body && strand)
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "rename one of them",
                         "attachment \"%.100s\" is a body and a strand; the body is taken", d->attachment);
    if (body && d->enabled && !sn_spec_body(c->spec, body)->enabled) warn_disabled(c, id, "body", d->attachment);
    if (!body && strand) check_link(c, id, d, strand);
}

static void check_strut(snChecker *c, snId id, const snConstraintDef *d)
{
    snId other = sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment);
    if (!other)
        sn_check_dangling(c, SN_KIND_CONSTRAINT, id, "attachment", d->attachment, SN_KIND_STRAND, "strand");
    else
        check_link(c, id, d, other);
}

/* ---- contradictions ----------------------------------------------------------------------- */

/* The same point of a strand held in two ways, of which one excludes or repeats the other. */
static void check_pair(snChecker *c, snId id, snId other)
{
    const snConstraintDef *d = sn_spec_constraint(c->spec, id), *e = sn_spec_constraint(c->spec, other);
    double apart = fabs(d->position - e->position);
    bool same = strcmp(d->attachment, e->attachment) == 0;
    if (d->type != e->type || apart > SAME_PLACE) return;
    if (d->type == SN_CONSTRAINT_SURFACE && same && d->side != e->side)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "keep one side, or move them apart along the strand",
                       "constraint \"%.80s\" holds the same point of the strand on the other side of \"%.80s\"",
                       e->name, d->attachment);
    else if (apart <= SAME_POINT && d->type != SN_CONSTRAINT_STRUT &&
             (same || (d->type == SN_CONSTRAINT_FIXED && c->constraint_body[id - 1] && c->constraint_body[other - 1])))
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "remove one of them, or move it along the strand",
                         "constraint \"%.80s\" holds the same point of the strand", e->name);
}

static void check_pairs(snChecker *c, snId strand)
{
    for (int32_t v = c->first_visit[strand - 1]; v >= 0; v = c->visit[v].next)
        for (int32_t w = c->first_visit[strand - 1]; w != v; w = c->visit[w].next)
            if (!c->visit[v].linked && !c->visit[w].linked)
                check_pair(c, c->visit[v].constraint, c->visit[w].constraint);
}

void sn_check_constraints(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, d->strand);
        if (!strand)
            sn_check_dangling(c, SN_KIND_CONSTRAINT, id, "strand", d->strand, SN_KIND_STRAND, "strand");
        else if (d->enabled && !sn_spec_strand(c->spec, strand)->enabled)
            warn_disabled(c, id, "strand", d->strand);
        if (d->type == SN_CONSTRAINT_SURFACE)
            check_surface(c, id, d);
        else if (d->type == SN_CONSTRAINT_STRUT)
            check_strut(c, id, d);
        else
            check_body_or_strand(c, id, d);
    }
    for (snId strand = 1; strand <= sn_spec_count(c->spec, SN_KIND_STRAND); ++strand) check_pairs(c, strand);
}
