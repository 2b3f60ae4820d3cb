/* Knots: path strands that begin or end on each other, with the bodies of all of them as common slots. */
#include "model/compile.h"

#include "base/error.h"

#include <string.h>

static bool is_junction(const snModel *m, int32_t constraint)
{
    const snConstraint *c = &m->constraint[constraint];
    return c->strand >= m->nspline && c->other >= 0;
}

static int32_t first_link(const snModel *m)
{
    return m->strand_constraintadr[m->nstrand];
}

/* Strands that meet get the number of the first of them. */
static void find_groups(const snModel *m, int32_t *group)
{
    for (int32_t i = 0; i < m->nstrand; ++i) group[i] = i;
    for (bool more = true; more;) {
        more = false;
        for (int32_t i = first_link(m); i < m->nconstraint; ++i) {
            if (!is_junction(m, i)) continue;
            int32_t *a = &group[m->constraint[i].strand], *b = &group[m->constraint[i].other];
            if (*a == *b) continue;
            *a = *b = *a < *b ? *a : *b;
            more = true;
        }
    }
}

typedef struct Draft {
    snPathKnot *knot;
    snKnotCord *part;
    int32_t *cord, *constraint, *trunk, *body;
} Draft;

static int32_t slot_of(Draft *d, int32_t body)
{
    int32_t k = 0, *n = &d->knot->knot.nslot;
    while (k < *n && d->body[k] != body) ++k;
    if (k == *n) d->body[(*n)++] = body;
    return k;
}

/* Slots of the knot instead of the cord's own. Cords of a trunk share their points, so that
 * the first does it for all. */
static snStatus renumber(snCompiler *c, Draft *d, snPathCord *k)
{
    snCordPoint *point;
    snCordWrap *wrap;
    if (!COMPILE_ARRAY(c, point, k->cord.npoint) || !COMPILE_ARRAY(c, wrap, k->cord.nwrap)) return SN_NO_MEMORY;
    for (int32_t i = 0; i < k->cord.npoint; ++i) {
        point[i] = k->cord.point[i];
        if (point[i].slot >= 0) point[i].slot = slot_of(d, k->body[point[i].slot]);
    }
    for (int32_t i = 0; i < k->cord.nwrap; ++i)
        wrap[i] = k->cord.wrap[i], wrap[i].slot = slot_of(d, k->body[wrap[i].slot]);
    k->cord.point = point, k->cord.wrap = wrap;
    return SN_OK;
}

/* The junction at a place of a trunk; -1: none. Several branches may share it. */
static int32_t junction_on(const snModel *m, const Draft *d, int32_t trunk, double s)
{
    for (int32_t j = 0; j < d->knot->knot.njunction; ++j) {
        const snConstraint *c = &m->constraint[d->constraint[j]];
        if (c->other == trunk && c->other_s == s) return j;
    }
    return -1;
}

/* The junction that holds a branch at a parameter of it; -1: none. */
static int32_t junction_of(const snModel *m, const Draft *d, int32_t branch, double s)
{
    for (int32_t i = first_link(m); i < m->nconstraint; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (is_junction(m, i) && c->strand == branch && c->s == s) return junction_on(m, d, c->other, c->other_s);
    }
    return -1;
}

static bool is_branch(const snModel *m, int32_t strand)
{
    for (int32_t i = first_link(m); i < m->nconstraint; ++i)
        if (is_junction(m, i) && m->constraint[i].strand == strand) return true;
    return false;
}

static bool alloc_knot(snCompiler *c, Draft *d)
{
    const snModel *m = c->m;
    int32_t nbody = m->nbody, nlink = m->nconstraint - first_link(m);
    return COMPILE_ARRAY(c, d->part, m->ncord) && COMPILE_ARRAY(c, d->cord, m->ncord) &&
           COMPILE_ARRAY(c, d->constraint, nlink) && COMPILE_ARRAY(c, d->trunk, nlink) &&
           COMPILE_ARRAY(c, d->body, nbody + 1);
}

static snStatus gather(snCompiler *c, Draft *d, const int32_t *group, int32_t which)
{
    snModel *m = c->m;
    snKnot *knot = &d->knot->knot;
    for (int32_t i = first_link(m); i < m->nconstraint; ++i) {
        const snConstraint *e = &m->constraint[i];
        if (is_junction(m, i) && group[e->strand] == which && junction_on(m, d, e->other, e->other_s) < 0)
            d->constraint[knot->njunction++] = i;
    }
    for (int32_t i = 0; i < m->ncord; ++i) {
        snPathCord *k = &m->cord[i];
        if (group[k->strand] != which) continue;
        bool branch = is_branch(m, k->strand);
        snStatus status = renumber(c, d, k);
        if (status != SN_OK) return status;
        k->knot = m->nknot, k->body = d->body;
        int32_t from = branch ? junction_of(m, d, k->strand, k->from) : junction_on(m, d, k->strand, k->from);
        int32_t to = branch ? junction_of(m, d, k->strand, k->to) : junction_on(m, d, k->strand, k->to);
        d->cord[knot->ncord] = i;
        d->part[knot->ncord++] = (snKnotCord){&k->cord, from, to, branch};
    }
    return SN_OK;
}

static snStatus refuse_size(snCompiler *c, const snPathKnot *k)
{
    const snModel *m = c->m;
    if (k->knot.nslot <= SN_CORD_BODIES && k->knot.njunction <= SN_KNOT_JUNCTIONS && k->knot.ncord <= SN_KNOT_CORDS)
        return SN_OK;
    sn_fail(c->error, SN_BAD_INPUT,
            "path strands that meet have %d junctions and %d pieces and touch %d bodies; the most are %d, %d and %d",
            (int)k->knot.njunction, (int)k->knot.ncord, (int)k->knot.nslot, (int)SN_KNOT_JUNCTIONS, (int)SN_KNOT_CORDS,
            (int)SN_CORD_BODIES);
    sn_error_element(c->error, "Constraint", m->constraint_name[k->constraint[0]]);
    sn_error_remedy(c->error, "make some of these strands splines");
    return SN_BAD_INPUT;
}

/* Where the junctions are as drawn: what material lies before them. */
static void find_starts(snModel *m, const Draft *d)
{
    const snPathKnot *k = d->knot;
    for (int32_t j = 0; j < k->knot.njunction; ++j) {
        double before = 0;
        int32_t strand = m->constraint[k->constraint[j]].other, first = m->strand_cordadr[strand];
        for (int32_t i = 0; i < k->knot.ncord; ++i)
            if (k->cord[i] == first) d->trunk[j] = i;
        for (int32_t i = first; m->cord[i].to <= m->constraint[k->constraint[j]].other_s; ++i)
            before += m->cord[i].cord.tendon_rest + m->cord[i].cord.belly_rest;
        m->junction_start[k->junction + j] = before;
    }
}

/* Junctions need second derivatives of the way over a wrap, which only cylinders and spheres without gates have. */
static snStatus refuse_surfaces(snCompiler *c, const snPathKnot *k)
{
    const snModel *m = c->m;
    for (int32_t i = 0; i < k->knot.ncord; ++i) {
        const snPathCord *cord = &m->cord[k->cord[i]];
        for (int32_t w = 0; w < cord->cord.nwrap; ++w) {
            bool gates = cord->cord.wrap[w].ngate > 0;
            if (cord->cord.wrap[w].kind != SN_WRAP_SURFACE && !gates) continue;
            sn_fail(c->error, SN_BAD_INPUT, "path strand \"%s\" meets other paths and %s", m->strand_name[cord->strand],
                    gates ? "is confined sideways by lateral"
                          : "wraps over a surface that is neither cylinder nor sphere");
            sn_error_element(c->error, "Strand", m->strand_name[cord->strand]);
            sn_error_remedy(c->error, "%s",
                            gates ? "leave out lateral, or make these strands splines"
                                  : "wrap it over a cylinder or a sphere, or make these strands splines");
            return SN_BAD_INPUT;
        }
    }
    return SN_OK;
}

static snStatus compile_knot(snCompiler *c, const int32_t *group, int32_t which)
{
    snModel *m = c->m;
    Draft d = {.knot = &m->knot[m->nknot]};
    if (!alloc_knot(c, &d)) return SN_NO_MEMORY;
    snStatus status = gather(c, &d, group, which);
    if (status != SN_OK) return status;
    snPathKnot *k = d.knot;
    k->knot.cord = d.part, k->knot.trunk = d.trunk;
    k->cord = d.cord, k->constraint = d.constraint, k->body = d.body;
    k->junction = m->njunction, k->row = m->njunction_row;
    for (int32_t i = 0; i < k->knot.ncord; ++i) m->cord[k->cord[i]].cord.nslot = k->knot.nslot;
    find_starts(m, &d);
    m->njunction += k->knot.njunction;
    m->njunction_row += 18 * k->knot.nslot * k->knot.njunction;
    ++m->nknot;
    status = refuse_surfaces(c, k);
    return status == SN_OK ? refuse_size(c, k) : status;
}

/* Room for the nodes of all cords, and for their slots. */
static void number_nodes(snModel *m)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        snPathCord *k = &m->cord[i];
        k->node = m->ncord_node, k->slot = m->ncord_slot;
        m->ncord_node += sn_cord_nodes(&k->cord) + (k->knot >= 0 ? 2 : 0);
        m->ncord_slot += k->cord.nslot;
    }
}

snStatus sn_compile_knots(snCompiler *c)
{
    snModel *m = c->m;
    int32_t *group, nlink = m->nconstraint - first_link(m);
    if (!COMPILE_ARRAY(c, group, m->nstrand) || !COMPILE_ARRAY(c, m->knot, nlink) ||
        !COMPILE_ARRAY(c, m->junction_start, nlink))
        return SN_NO_MEMORY;
    snStatus status = SN_OK;
    find_groups(m, group);
    for (int32_t i = m->nspline; i < m->nstrand && status == SN_OK; ++i)
        for (int32_t k = i + 1; k < m->nstrand; ++k)
            if (group[i] == i && group[k] == i) {
                status = compile_knot(c, group, i);
                break;
            }
    number_nodes(m);
    return status;
}
