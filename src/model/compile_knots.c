/* Knots: path strands that begin or end on each other, with the bodies of all of them as common slots.
 *
 * A link is a constraint that fixes a path to another. On a line it makes a junction of the other path, the trunk. A
 * free one says that a parameter of one path and a parameter of the other are the same point, so that links which share
 * such a place make one junction. */
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
    int32_t *of_link; /* the junction that a link makes or shares */
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

/* ---- junctions -------------------------------------------------------------------------------------- */

/* Whether a free link is at a parameter of a strand. */
static bool meets_at(const snConstraint *c, int32_t strand, double s)
{
    return (c->strand == strand && c->s == s) || (c->other == strand && c->other_s == s);
}

static bool is_shared(const snConstraint *a, const snConstraint *b)
{
    if (a->free != b->free) return false;
    if (!a->free) return a->other == b->other && a->other_s == b->other_s;
    return meets_at(a, b->strand, b->s) || meets_at(a, b->other, b->other_s);
}

/* Numbers the junctions in the order of the first link of each. */
static void find_junctions(const snModel *m, Draft *d, const int32_t *group, int32_t which)
{
    int32_t first = first_link(m);
    for (int32_t i = first; i < m->nconstraint; ++i)
        d->of_link[i - first] = is_junction(m, i) && group[m->constraint[i].strand] == which ? i : -1;
    for (bool more = true; more;) {
        more = false;
        for (int32_t i = first; i < m->nconstraint; ++i)
            for (int32_t k = first; k < i && d->of_link[i - first] >= 0; ++k) {
                int32_t *a = &d->of_link[i - first], *b = &d->of_link[k - first];
                if (*b < 0 || *a == *b || !is_shared(&m->constraint[i], &m->constraint[k])) continue;
                *a = *b = *a < *b ? *a : *b;
                more = true;
            }
    }
    for (int32_t i = first; i < m->nconstraint; ++i) {
        int32_t *of = &d->of_link[i - first];
        if (*of == i)
            d->constraint[d->knot->knot.njunction] = i, *of = d->knot->knot.njunction++;
        else if (*of >= 0)
            *of = d->of_link[*of - first];
    }
}

static bool carries(const snModel *m, int32_t strand)
{
    for (int32_t i = first_link(m); i < m->nconstraint; ++i)
        if (is_junction(m, i) && m->constraint[i].other == strand && !m->constraint[i].free) return true;
    return false;
}

/* The junction at an end of a cord; -1: a body. Several branches may share it. */
static int32_t junction_of(const snModel *m, const Draft *d, const snPathCord *k, bool branch, bool last)
{
    int32_t first = first_link(m);
    double s = last ? k->to : k->from;
    if (branch && k->cord.point[last ? k->cord.npoint - 1 : 0].slot >= 0) return -1;
    for (int32_t i = first; i < m->nconstraint; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (d->of_link[i - first] < 0) continue;
        bool here = c->free ? meets_at(c, k->strand, s)
                            : (branch ? c->strand == k->strand && c->s == s : c->other == k->strand && c->other_s == s);
        if (here) return d->of_link[i - first];
    }
    return -1;
}

static bool alloc_knot(snCompiler *c, Draft *d)
{
    const snModel *m = c->m;
    int32_t nbody = m->nbody, nlink = m->nconstraint - first_link(m);
    return COMPILE_ARRAY(c, d->part, m->ncord) && COMPILE_ARRAY(c, d->cord, m->ncord) &&
           COMPILE_ARRAY(c, d->constraint, nlink) && COMPILE_ARRAY(c, d->trunk, nlink) &&
           COMPILE_ARRAY(c, d->body, nbody + 1) && COMPILE_ARRAY(c, d->of_link, nlink);
}

static snStatus gather(snCompiler *c, Draft *d, const int32_t *group, int32_t which)
{
    snModel *m = c->m;
    snKnot *knot = &d->knot->knot;
    find_junctions(m, d, group, which);
    for (int32_t i = 0; i < m->ncord; ++i) {
        snPathCord *k = &m->cord[i];
        if (group[k->strand] != which) continue;
        bool branch = !carries(m, k->strand);
        int32_t from = junction_of(m, d, k, branch, false), to = junction_of(m, d, k, branch, true);
        if (from < 0 && to < 0) continue; /* between two bodies: a cord of its own */
        snStatus status = renumber(c, d, k);
        if (status != SN_OK) return status;
        k->knot = m->nknot, k->body = d->body;
        d->cord[knot->ncord] = i;
        d->part[knot->ncord++] = (snKnotCord){&k->cord, from, to, branch};
    }
    return SN_OK;
}

/* ---- what is refused -------------------------------------------------------------------------------- */

static snStatus refuse_link(snCompiler *c, int32_t constraint, const char *remedy, const char *what)
{
    const snModel *m = c->m;
    const snConstraint *k = &m->constraint[constraint];
    sn_fail(c->error, SN_BAD_INPUT, "path strand \"%s\" meets \"%s\" in a free junction, %s", m->strand_name[k->strand],
            m->strand_name[k->other], what);
    sn_error_element(c->error, "Constraint", m->constraint_name[constraint]);
    sn_error_remedy(c->error, "%s", remedy);
    return SN_BAD_INPUT;
}

static bool ends_at(const snPathCord *k, int32_t strand, double s)
{
    if (k->strand != strand) return false;
    return (k->from == s && k->cord.point[0].slot < 0) || (k->to == s && k->cord.point[k->cord.npoint - 1].slot < 0);
}

/* Both strands of a free junction end there or are divided by it. */
static snStatus check_links(snCompiler *c, const Draft *d)
{
    const snModel *m = c->m;
    for (int32_t i = first_link(m); i < m->nconstraint; ++i) {
        const snConstraint *e = &m->constraint[i];
        int32_t found = 0;
        if (d->of_link[i - first_link(m)] < 0 || !e->free) continue;
        for (int32_t k = 0; k < d->knot->knot.ncord; ++k) {
            const snKnotCord *part = &d->part[k];
            bool here = part->from == d->of_link[i - first_link(m)] || part->to == d->of_link[i - first_link(m)];
            if (here && ends_at(&m->cord[d->cord[k]], e->other, e->other_s)) ++found;
        }
        if (!found)
            return refuse_link(c, i, "move it along that strand, or fix it to what holds that strand there",
                               "where that strand is held already or has ended");
    }
    return SN_OK;
}

/* A net hangs on bodies, and no cord of it is a loop. */
static snStatus check_net(snCompiler *c, const Draft *d)
{
    const snModel *m = c->m;
    const snKnot *knot = &d->knot->knot;
    bool held = false;
    for (int32_t i = 0; i < knot->ncord; ++i) {
        const snKnotCord *k = &d->part[i];
        held |= k->from < 0 || k->to < 0;
        if (k->branch && k->from == k->to)
            return refuse_link(c, d->constraint[k->from], "let it end elsewhere",
                               "and one of the two begins and ends in that junction");
    }
    snStatus status = check_links(c, d);
    if (status != SN_OK || held) return status;
    sn_fail(c->error, SN_BAD_INPUT, "path strands meet in free junctions only: no end of them is fixed to a body");
    sn_error_element(c->error, "Constraint", m->constraint_name[d->constraint[0]]);
    sn_error_remedy(c->error, "fix an end of one of them to a body");
    return SN_BAD_INPUT;
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
        const snConstraint *c = &m->constraint[k->constraint[j]];
        int32_t strand = c->other, first = m->strand_cordadr[strand], hint = 0;
        double before = 0, *start = m->junction_start + m->njunction_s;
        d->trunk[j] = -1;
        m->njunction_s += c->free ? 3 : 1;
        if (c->free) {
            v3_store(start, sn_strand_point(&m->strand[strand], m->rest_point + 3 * m->strand_pointadr[strand],
                                            c->other_s, NULL, &hint));
            continue;
        }
        for (int32_t i = 0; i < k->knot.ncord; ++i)
            if (k->cord[i] == first) d->trunk[j] = i;
        for (int32_t i = first; m->cord[i].to <= c->other_s; ++i)
            before += m->cord[i].cord.tendon_rest + m->cord[i].cord.belly_rest;
        *start = before;
    }
}

/* ---- floors ----------------------------------------------------------------------------------------- */

/* m: a junction keeps this much more from a surface than its cords do, which would have no way round it from within. */
static const double CLEAR = 1e-5;

static double height_over(const snModel *m, const snPathKnot *k, const snKnotFloor *f, v3 p)
{
    v3 d = v3_sub(rigid_unapply(m->body_rest[k->body[f->slot]], p), f->centre);
    if (f->kind == SN_WRAP_CYLINDER) d = v3_mad(d, -v3_dot(d, f->axis), f->axis);
    return v3_len(d) - f->radius;
}

/* The wrap next to an end of a cord becomes the floor of the junction there: the nearest as drawn where cords pass over
 * several, and the largest radius where they pass over the same one. */
static void add_floor(const snModel *m, const snPathKnot *k, int32_t part, bool last, const v3 *start,
                      snKnotFloor *floor)
{
    const snCord *c = k->knot.cord[part].cord;
    int32_t w = c->point[last ? c->npoint - 2 : 0].wrap;
    if (w < 0 || c->wrap[w].kind == SN_WRAP_SURFACE) return;
    snKnotFloor f = {c->wrap[w].kind, c->wrap[w].slot, c->wrap[w].centre, c->wrap[w].axis, c->wrap[w].radius + CLEAR};
    if (floor->slot < 0 || height_over(m, k, &f, *start) < height_over(m, k, floor, *start)) *floor = f;
}

static snStatus find_floors(snCompiler *c, snPathKnot *k)
{
    const snModel *m = c->m;
    snKnotFloor *floor;
    if (!COMPILE_ARRAY(c, floor, k->knot.njunction)) return SN_NO_MEMORY;
    const double *start = m->junction_start + k->junction;
    for (int32_t j = 0; j < k->knot.njunction; start += sn_junction_unknowns(&k->knot, j++)) {
        floor[j].slot = -1;
        if (k->knot.trunk[j] >= 0) continue;
        v3 drawn = v3_load(start);
        for (int32_t i = 0; i < k->knot.ncord; ++i) {
            if (k->knot.cord[i].from == j) add_floor(m, k, i, false, &drawn, &floor[j]);
            if (k->knot.cord[i].to == j) add_floor(m, k, i, true, &drawn, &floor[j]);
        }
    }
    k->knot.floor = floor;
    return SN_OK;
}

/* ---- surfaces --------------------------------------------------------------------------------------- */

static bool has_free(const snKnot *knot)
{
    return sn_knot_unknowns(knot) > knot->njunction;
}

/* Whether a junction feels a wrap of a cord: any of a trunk; of a branch, those next to its junctions. Of a knot
 * without free junctions all do. */
static bool feels(const snKnot *knot, const snKnotCord *part, int32_t wrap)
{
    const snCord *c = part->cord;
    if (!has_free(knot) || !part->branch) return true;
    for (int32_t p = 0; p < c->npoint; ++p) {
        if (c->point[p].wrap < 0 || wrap < c->point[p].wrap || wrap > c->point[p].wrap + c->point[p].more) continue;
        return (p == 0 && part->from >= 0) || (p + 2 == c->npoint && part->to >= 0);
    }
    return false;
}

static bool has_neighbour(const snCord *c, int32_t wrap)
{
    for (int32_t p = 0; p < c->npoint; ++p)
        if (c->point[p].wrap >= 0 && wrap >= c->point[p].wrap && wrap <= c->point[p].wrap + c->point[p].more)
            return c->point[p].more > 0;
    return false;
}

/* Junctions need second derivatives of the way over a wrap, which only cylinders and spheres without gates have, and
 * free ones only where nothing else lies between two points. */
static snStatus refuse_surfaces(snCompiler *c, const snPathKnot *k)
{
    const snModel *m = c->m;
    for (int32_t i = 0; i < k->knot.ncord; ++i) {
        const snPathCord *cord = &m->cord[k->cord[i]];
        const snKnotCord *part = &k->knot.cord[i];
        bool net = has_free(&k->knot);
        for (int32_t w = 0; w < cord->cord.nwrap; ++w) {
            if (!feels(&k->knot, part, w)) continue;
            bool gates = cord->cord.wrap[w].ngate > 0, rough = cord->cord.wrap[w].kind == SN_WRAP_SURFACE;
            bool two = net && part->branch && has_neighbour(&cord->cord, w);
            if (!gates && !rough && !two) continue;
            sn_fail(c->error, SN_BAD_INPUT, "path strand \"%s\" meets other paths and %s", m->strand_name[cord->strand],
                    gates   ? "is confined sideways by lateral"
                    : rough ? "wraps over a surface that is neither cylinder nor sphere"
                            : "wraps over two surfaces next to a junction");
            sn_error_element(c->error, "Strand", m->strand_name[cord->strand]);
            sn_error_remedy(c->error, "%s",
                            gates   ? "leave out lateral, or make these strands splines"
                            : rough ? "wrap it over a cylinder or a sphere, or make these strands splines"
                                    : "add a sliding constraint between the two surfaces");
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
    k->junction = m->njunction_s, k->row = m->njunction_row;
    for (int32_t i = 0; i < k->knot.ncord; ++i) m->cord[k->cord[i]].cord.nslot = k->knot.nslot;
    find_starts(m, &d);
    m->njunction_row += 18 * k->knot.nslot * k->knot.njunction;
    ++m->nknot;
    if (status == SN_OK) status = check_net(c, &d);
    if (status == SN_OK) status = refuse_surfaces(c, k);
    if (status == SN_OK) status = find_floors(c, k);
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
        !COMPILE_ARRAY(c, m->junction_start, 3 * nlink))
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
