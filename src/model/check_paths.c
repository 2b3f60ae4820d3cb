/* Strands of kind path: what a path can be made of. */
#include "model/check.h"

#include "math/vec.h"
#include "model/nodes.h"
#include "path/cord.h"

#include <math.h>
#include <string.h>

static const double SAME_PLACE = 1e-4; /* m: two points nearer than this have no direction between them */

static bool is_path(const snSpec *spec, const char *strand)
{
    snId id = sn_spec_find(spec, SN_KIND_STRAND, strand);
    return id && sn_spec_strand(spec, id)->kind == SN_STRAND_PATH;
}

static void check_wrap(snChecker *c, snId id, const snConstraintDef *d)
{
    snId node = sn_spec_find(c->spec, SN_KIND_NODE, d->attachment);
    const snNodeDef *n = node ? sn_spec_node(c->spec, node) : NULL;
    if (n && n->kind == SN_NODE_SHAPE && n->shape == SN_SHAPE_PLANE)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "wrap it over something round, or make the strand a spline",
                       "path strand \"%.80s\" cannot wrap over the plane \"%.80s\"", d->strand, d->attachment);
    if (d->equality == SN_EQUAL)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "set equality to inequal, or make the strand a spline",
                       "path strand \"%.80s\" can lift off a surface, but equality is equal", d->strand);
    if (d->side == SN_BELOW)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "set side to above, or make the strand a spline",
                       "path strand \"%.80s\" runs outside of what it wraps over, but side is below", d->strand);
    if (d->lateral == 0)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "set lateral above 0, or use a sliding constraint",
                       "lateral is 0: path strand \"%.80s\" has no room between its bounds", d->strand);
}

/* A constraint by which a path hangs on another; 0: none. */
static snId other_path(const snChecker *c, snId id)
{
    const snConstraintDef *d = sn_spec_constraint(c->spec, id);
    if (!d->enabled || d->type != SN_CONSTRAINT_FIXED || c->constraint_body[id - 1]) return 0;
    return is_path(c->spec, d->strand) && is_path(c->spec, d->attachment)
               ? sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment)
               : 0;
}

/* Junctions on one path are all on its line, or all free. */
static void check_kinds(snChecker *c, snId id, const snConstraintDef *d, snId trunk)
{
    for (int32_t v = c->first_visit[trunk - 1]; v >= 0; v = c->visit[v].next) {
        const snConstraintDef *e = sn_spec_constraint(c->spec, c->visit[v].constraint);
        if (!c->visit[v].linked || !other_path(c, c->visit[v].constraint) || e->junction == d->junction) continue;
        if (d->junction == SN_JUNCTION_FREE)
            sn_check_error(c, SN_KIND_CONSTRAINT, id, "set junction to free for both",
                           "path strand \"%.80s\" meets \"%.80s\" in a free junction, but \"%.80s\" is on its line",
                           d->strand, d->attachment, e->name);
        return;
    }
}

/* Where a path begins or ends on another. */
static void check_junction(snChecker *c, snId id, const snConstraintDef *d, snId trunk)
{
    check_kinds(c, id, d, trunk);
    if (d->position > 0 && d->position < 1)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "set position to 0 or 1, or make both strands splines",
                       "path strand \"%.80s\" is attached to \"%.80s\" on its way, not at its origin or insertion",
                       d->strand, d->attachment);
    if (d->junction == SN_JUNCTION_FREE) return;
    for (int32_t v = c->first_visit[trunk - 1]; v >= 0; v = c->visit[v].next) {
        const snConstraintDef *e = sn_spec_constraint(c->spec, c->visit[v].constraint);
        if (c->visit[v].linked) continue;
        if (other_path(c, c->visit[v].constraint))
            sn_check_error(c, SN_KIND_CONSTRAINT, id,
                           "set junction to free, or attach it to a path that ends on bodies",
                           "path strand \"%.80s\" is attached to \"%.80s\", which hangs on another path itself",
                           d->strand, d->attachment);
        else if (e->type == SN_CONSTRAINT_FIXED && e->position > 0 && e->position < 1)
            sn_check_error(c, SN_KIND_CONSTRAINT, id, "let sliding constraints guide that path, or make both splines",
                           "path strand \"%.80s\" is attached to \"%.80s\", which \"%.80s\" fixes on its way",
                           d->strand, d->attachment, e->name);
    }
}

/* One end of a path may hang on the line of another path, not both. */
static void check_both_ends(snChecker *c, snId id)
{
    int32_t count = 0;
    for (int32_t v = c->first_visit[id - 1]; v >= 0; v = c->visit[v].next)
        if (!c->visit[v].linked && other_path(c, c->visit[v].constraint) &&
            sn_spec_constraint(c->spec, c->visit[v].constraint)->junction == SN_JUNCTION_LINE)
            ++count;
    if (count > 1)
        sn_check_error(c, SN_KIND_STRAND, id, "fix its other end to a body, or set junction to free at one of them",
                       "a path is attached to the line of other paths at one of its ends at most; this one has %d such "
                       "constraints",
                       (int)count);
}

static void check_one(snChecker *c, snId id, const snConstraintDef *d)
{
    bool link = !c->constraint_body[id - 1] && d->type != SN_CONSTRAINT_SURFACE && d->type != SN_CONSTRAINT_SLIDING &&
                sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment);
    snId trunk = other_path(c, id);
    if (trunk) {
        check_junction(c, id, d, trunk);
    } else if (is_path(c->spec, d->strand)) {
        if (d->type == SN_CONSTRAINT_STRUT || link)
            sn_check_error(c, SN_KIND_CONSTRAINT, id, "attach it to bodies or paths, or make it a spline",
                           "path strand \"%.80s\" cannot be attached to strand \"%.80s\"", d->strand, d->attachment);
        else if (d->type == SN_CONSTRAINT_SURFACE)
            check_wrap(c, id, d);
    } else if (link && is_path(c->spec, d->attachment)) {
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "make both strands of one kind",
                       "strand \"%.80s\" cannot be attached to \"%.80s\", which is a path", d->strand, d->attachment);
    }
}

/* The visit of a strand that comes next along it after (position, id); -1 behind the last. */
static int32_t next_visit(const snChecker *c, snId strand, double position, snId after)
{
    int32_t best = -1;
    double best_at = INFINITY;
    for (int32_t v = c->first_visit[strand - 1]; v >= 0; v = c->visit[v].next) {
        snId id = c->visit[v].constraint;
        double at = sn_spec_constraint(c->spec, id)->position;
        if (c->visit[v].linked || at < position || (at == position && id <= after)) continue;
        if (at < best_at) best = v, best_at = at;
    }
    return best;
}

static void check_neighbours(snChecker *c, snId strand, snId last, snId id)
{
    const snConstraintDef *d = sn_spec_constraint(c->spec, id), *e = sn_spec_constraint(c->spec, last);
    double apart = v3_dist(sn_strand_drawn_point(c->spec, strand, d->position),
                           sn_strand_drawn_point(c->spec, strand, e->position));
    if (apart < SAME_PLACE)
        sn_check_error(c, SN_KIND_CONSTRAINT, id, "move one of them along the strand, or remove it",
                       "it coincides with \"%.80s\" on path strand \"%.80s\": %.3g mm apart", e->name, d->strand,
                       1e3 * apart);
}

/* Whether other paths hold an end of a path: they meet in a free junction there. */
static bool ends_in_junction(const snChecker *c, snId strand, double position)
{
    if (!sn_strand_is_sound(c->spec, strand)) return false;
    v3 end = sn_strand_drawn_point(c->spec, strand, position);
    for (int32_t v = c->first_visit[strand - 1]; v >= 0; v = c->visit[v].next) {
        snId id = c->visit[v].constraint;
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        if (!c->visit[v].linked || !other_path(c, id) || d->junction != SN_JUNCTION_FREE) continue;
        if (d->attachment_position == position) return true;
        snId other = sn_spec_find(c->spec, SN_KIND_STRAND, d->strand);
        if (d->attachment_position < 0 && sn_strand_is_sound(c->spec, other) &&
            v3_dist(sn_strand_drawn_point(c->spec, other, d->position), end) < SAME_PLACE)
            return true;
    }
    return false;
}

static void check_ends(snChecker *c, snId id, snId first, snId last, int32_t count)
{
    bool met[2] = {ends_in_junction(c, id, 0), ends_in_junction(c, id, 1)};
    bool begins = met[0] || (first && sn_spec_constraint(c->spec, first)->type == SN_CONSTRAINT_FIXED);
    bool ends = met[1] || (last && sn_spec_constraint(c->spec, last)->type == SN_CONSTRAINT_FIXED);
    if (!begins || !ends || (first == last && !met[0] && !met[1]))
        sn_check_error(c, SN_KIND_STRAND, id,
                       "add fixed constraints at its origin and insertion, or set kind to spline",
                       "the first and the last constraint of a path must be fixed to bodies or to another path");
    if (count > SN_CORD_BODIES)
        sn_check_error(c, SN_KIND_STRAND, id, "fix it to a body on its way, or make it a spline",
                       "a path has at most %d constraints; this one has %d", (int)SN_CORD_BODIES, (int)count);
}

static void check_order(snChecker *c, snId id)
{
    snId first = 0, last = 0, last_point = 0;
    double position = -1;
    int32_t count = 0;
    for (int32_t v = next_visit(c, id, position, 0); v >= 0; v = next_visit(c, id, position, last), ++count) {
        snId now = c->visit[v].constraint;
        const snConstraintDef *d = sn_spec_constraint(c->spec, now);
        bool point = d->type == SN_CONSTRAINT_FIXED || d->type == SN_CONSTRAINT_SLIDING;
        if (point && last_point && sn_strand_is_sound(c->spec, id)) check_neighbours(c, id, last_point, now);
        if (!first) first = now;
        if (point) last_point = now;
        last = now, position = d->position;
    }
    check_ends(c, id, first, last, count);
}

static void check_group(snChecker *c, snId id, const snGroupDef *d)
{
    char name[SN_NAME_MAX + 1];
    if (!d->preserve && d->struts < 1) return;
    for (const char *at = d->strands; sn_next_name(&at, name);)
        if (is_path(c->spec, name))
            sn_check_error(c, SN_KIND_GROUP, id, "make it a spline, or turn off preserve and struts",
                           "strand \"%.100s\" is a path, which has no volume to keep", name);
}

void sn_check_paths(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        if (!d->enabled) continue;
        check_one(c, id, d);
        if (d->junction == SN_JUNCTION_FREE && !other_path(c, id))
            sn_check_warning(c, SN_KIND_CONSTRAINT, id, "leave it out", "junction only matters where two paths meet");
    }
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_STRAND); ++id) {
        const snStrandDef *d = sn_spec_strand(c->spec, id);
        if (d->enabled && d->kind == SN_STRAND_PATH) check_order(c, id), check_both_ends(c, id);
        if (d->enabled && d->kind != SN_STRAND_PATH && d->max_velocity > 0)
            sn_check_warning(c, SN_KIND_STRAND, id, "set kind to path, or leave it out",
                             "max_velocity does nothing on a spline");
    }
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_GROUP); ++id) check_group(c, id, sn_spec_group(c->spec, id));
}
