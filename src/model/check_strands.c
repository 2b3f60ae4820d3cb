/* Strands, force-length curves, muscle groups, functions. */
#include "model/check.h"

#include "math/law.h"
#include "math/spline.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

static const double COINCIDENT = 1e-9; /* m: nearer control points leave the curve without a direction */

/* ---- the curve ---------------------------------------------------------------------------- */

static bool weights_are_one(const snNodeDef *d)
{
    for (int32_t i = 0; i < d->nweight; ++i)
        if (d->weight[i] != 1) return false;
    return true;
}

bool sn_knots_are_sound(int32_t nknot, const double *knot, int32_t n)
{
    if (nknot == 0) return true;
    if (nknot != n + 4) return false;
    for (int32_t i = 1; i < nknot; ++i)
        if (!(knot[i] >= knot[i - 1])) return false;
    return isfinite(knot[0]) && isfinite(knot[nknot - 1]) && knot[n] > knot[3];
}

static bool points_are_finite(const snNodeDef *d)
{
    for (int64_t i = 0; i < 3 * (int64_t)d->npoint; ++i)
        if (!isfinite(d->point[i])) return false;
    return true;
}

bool sn_strand_is_sound(const snSpec *spec, snId strand)
{
    snId node = strand ? sn_strand_node(spec, strand) : 0;
    if (!node) return false;
    const snNodeDef *d = sn_spec_node(spec, node);
    return d->kind == SN_NODE_CURVE && d->degree == 3 && !d->closed && d->npoint >= 4 &&
           sn_knots_are_sound(d->nknot, d->knot, d->npoint) && points_are_finite(d);
}

/* Clamped uniform knot i of n points, so that no array is needed. */
static double clamped_knot(int32_t n, int32_t i)
{
    if (i < 4) return 0;
    return i >= n ? 1 : (double)(i - 3) / (n - 3);
}

v3 sn_strand_drawn_point(const snSpec *spec, snId strand, double position)
{
    snId node = sn_strand_node(spec, strand);
    const snNodeDef *d = sn_spec_node(spec, node);
    affine world = sn_node_world(spec, node);
    double knot[8], b[4], at = fmin(fmax(position, 0), 1);
    const double *k = d->nknot ? d->knot : NULL;
    double s = k ? k[3] + at * (k[d->npoint] - k[3]) : at;
    int32_t span = 0;
    while (span < d->npoint - 4 && (k ? k[span + 4] : clamped_knot(d->npoint, span + 4)) <= s) ++span;
    for (int32_t i = 0; i < 8; ++i) knot[i] = k ? k[span + i] : clamped_knot(d->npoint, span + i);
    spline_basis(knot, 4, s, 0, b, NULL, NULL); /* one span is a curve of four points */
    v3 p = {0, 0, 0};
    for (int i = 0; i < 4; ++i) p = v3_mad(p, b[i], v3_load(d->point + 3 * (span + i)));
    return affine_apply(&world, p);
}

static void check_points(snChecker *c, snId id, snId node_id, const snNodeDef *node)
{
    affine world = sn_node_world(c->spec, node_id);
    double length = 0;
    int32_t coincident = -1;
    if (!points_are_finite(node)) return; /* reported with the node */
    for (int32_t i = 1; i < node->npoint; ++i) {
        v3 a = affine_apply(&world, v3_load(node->point + 3 * (i - 1)));
        double d = v3_dist(a, affine_apply(&world, v3_load(node->point + 3 * i)));
        if (d < COINCIDENT && coincident < 0) coincident = i;
        length += d;
    }
    if (length < COINCIDENT * node->npoint)
        sn_check_error(c, SN_KIND_STRAND, id, "spread its control points", "the strand has no length");
    else if (coincident >= 0)
        sn_check_error(c, SN_KIND_STRAND, id, "remove one of them, or move it", "control points %d and %d coincide",
                       (int)coincident - 1, (int)coincident);
}

static void check_curve_node(snChecker *c, snId id, snId node_id)
{
    const snNodeDef *node = sn_spec_node(c->spec, node_id);
    if (node->kind != SN_NODE_CURVE) {
        sn_check_error(c, SN_KIND_STRAND, id, "name a Curve", "its node \"%.100s\" is a %s, not a curve", node->name,
                       sn_node_tag(node->kind));
        return;
    }
    if (node->degree != 3)
        sn_check_error(c, SN_KIND_STRAND, id, "rebuild the curve as a cubic", "its curve has degree %d; strands need 3",
                       (int)node->degree);
    else if (node->npoint < 4)
        sn_check_error(c, SN_KIND_STRAND, id, "add control points",
                       "its curve has %d control points; a strand needs at least 4", (int)node->npoint);
    if (node->closed)
        sn_check_error(c, SN_KIND_STRAND, id, "open the curve", "its curve is closed; a strand has two ends");
    if (!weights_are_one(node))
        sn_check_error(c, SN_KIND_STRAND, id, "set all weights to 1, or leave them out",
                       "its curve has weights other than 1");
    check_points(c, id, node_id, node);
}

/* ---- strands ------------------------------------------------------------------------------ */

void sn_check_law(snChecker *c, int element, snId id, const char *attribute, const char *law)
{
    snLawKind kind;
    if (!*law || sn_law_by_name(law, &kind) || sn_spec_find(c->spec, SN_KIND_FORCE_LENGTH, law)) return;
    sn_check_error(
        c, element, id,
        "the built-in ones are linear, shift, constant, hill-passive, hill-active, quadratic-active, blix-active, "
        "blix-passive, ramp-active, exponential-passive and arch-active",
        "%s is \"%.100s\", which is neither a built-in law nor a ForceLength element", attribute, law);
}

static void check_hold(snChecker *c, snId id, const snStrandDef *d)
{
    int32_t fixed = 0, all = 0;
    for (int32_t v = c->first_visit[id - 1]; v >= 0; v = c->visit[v].next, ++all)
        if (sn_spec_constraint(c->spec, c->visit[v].constraint)->type == SN_CONSTRAINT_FIXED) ++fixed;
    if (!d->enabled) return;
    if (all == 0)
        sn_check_warning(c, SN_KIND_STRAND, id, "fix its ends to bodies", "no constraint holds the strand");
    else if (fixed == 0)
        sn_check_warning(c, SN_KIND_STRAND, id, "add fixed constraints at its origin and insertion",
                         "the strand is fixed nowhere and can slide out of its constraints");
}

void sn_check_strands(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_STRAND); ++id) {
        const snStrandDef *d = sn_spec_strand(c->spec, id);
        snId node = sn_strand_node(c->spec, id);
        if (!node)
            sn_check_dangling(c, SN_KIND_STRAND, id, "node", *d->node ? d->node : d->name, SN_KIND_NODE, "node");
        else
            check_curve_node(c, id, node);
        if (d->belly_start > d->belly_end)
            sn_check_error(c, SN_KIND_STRAND, id, "exchange them", "belly_start %g is after belly_end %g",
                           d->belly_start, d->belly_end);
        sn_check_law(c, SN_KIND_STRAND, id, "passive_fl", d->passive_fl);
        sn_check_law(c, SN_KIND_STRAND, id, "active_fl", d->active_fl);
        check_hold(c, id, d);
    }
}

/* ---- force-length curves ------------------------------------------------------------------ */

void sn_check_curves(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_FORCE_LENGTH); ++id) {
        const snForceLengthDef *d = sn_spec_force_length(c->spec, id);
        snLawKind kind;
        if (sn_law_by_name(d->name, &kind))
            sn_check_error(c, SN_KIND_FORCE_LENGTH, id, "rename it", "a built-in law has this name");
        if (d->npoint < 2) {
            sn_check_error(c, SN_KIND_FORCE_LENGTH, id, "give Stretch and Force, or a file",
                           "the curve has %d points; it needs at least 2", (int)d->npoint);
            continue;
        }
        for (int32_t i = 1; i < d->npoint; ++i)
            if (d->stretch[i] <= d->stretch[i - 1]) {
                sn_check_error(c, SN_KIND_FORCE_LENGTH, id, "sort the points and drop duplicates",
                               "stretch does not increase from point %d to %d: %g, %g", (int)i, (int)i + 1,
                               d->stretch[i - 1], d->stretch[i]);
                break;
            }
    }
}

/* ---- groups and functions ------------------------------------------------------------------ */

/* Whether a name is among the first n of a list. */
static bool is_listed(const char *list, int32_t n, const char *name)
{
    char other[SN_NAME_MAX + 1];
    for (const char *at = list; n > 0 && sn_next_name(&at, other); --n)
        if (strcmp(other, name) == 0) return true;
    return false;
}

static bool group_has(const snGroupDef *group, const char *strand)
{
    return is_listed(group->strands, INT32_MAX, strand);
}

static snId group_with(const snSpec *spec, const char *strand, snId before)
{
    for (snId g = 1; g < before; ++g)
        if (group_has(sn_spec_group(spec, g), strand)) return g;
    return 0;
}

static void check_member(snChecker *c, snId id, const char *name)
{
    snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, name), other = group_with(c->spec, name, id);
    if (!strand && sn_spec_find(c->spec, SN_KIND_GROUP, name))
        sn_check_error(c, SN_KIND_GROUP, id, "list the strands themselves",
                       "strands has \"%.100s\", which is a group; groups cannot contain groups", name);
    else if (!strand)
        sn_check_dangling(c, SN_KIND_GROUP, id, "strands", name, SN_KIND_STRAND, "strand");
    else if (other)
        sn_check_error(c, SN_KIND_GROUP, id, "a strand has one activation: keep it in one group",
                       "strand \"%.100s\" is in group \"%.100s\" already", name, sn_spec_group(c->spec, other)->name);
}

static void check_members(snChecker *c, snId id, const snGroupDef *d)
{
    char name[SN_NAME_MAX + 1];
    int32_t count = 0, enabled = 0;
    for (const char *at = d->strands; sn_next_name(&at, name); ++count) {
        snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, name);
        if (is_listed(d->strands, count, name))
            sn_check_error(c, SN_KIND_GROUP, id, "remove one of them", "strand \"%.100s\" is listed twice", name);
        else
            check_member(c, id, name);
        if (!strand || sn_spec_strand(c->spec, strand)->enabled) ++enabled;
    }
    if (count == 0)
        sn_check_error(c, SN_KIND_GROUP, id, "list its strands, or remove the group", "the group has no strands");
    else if (enabled == 0)
        sn_check_warning(c, SN_KIND_GROUP, id, "enable some, or remove the group",
                         "all strands of the group are disabled");
    if (count == 1 && d->preserve)
        sn_check_warning(c, SN_KIND_GROUP, id, "add strands, or set preserve to false",
                         "one strand has no volume to preserve");
}

void sn_check_groups(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_GROUP); ++id) {
        const snGroupDef *d = sn_spec_group(c->spec, id);
        check_members(c, id, d);
        if (d->type == SN_GROUP_SHEET && d->preserve)
            sn_check_warning(c, SN_KIND_GROUP, id, "set struts, which keep the spacing of a sheet",
                             "preserve does nothing in a sheet");
        if (d->type != SN_GROUP_SHEET && d->struts > 0)
            sn_check_warning(c, SN_KIND_GROUP, id, "set type to sheet, or use preserve",
                             "struts do nothing in a volumetric group");
        if (d->start >= d->end)
            sn_check_error(c, SN_KIND_GROUP, id, "start must come before end", "start is %g and end is %g", d->start,
                           d->end);
        if (sn_spec_find(c->spec, SN_KIND_STRAND, d->name) && !group_has(d, d->name))
            sn_check_error(c, SN_KIND_GROUP, id, "rename one of them",
                           "a strand that is not in the group has the same name; muscles need different ones");
    }
}

/* Whether line muscles of a tree have one activation by this name. */
static bool is_unit(const snSpec *spec, const char *name)
{
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        if (strcmp(*d->unit ? d->unit : d->name, name) == 0) return true;
    }
    return false;
}

static void check_muscle(snChecker *c, snId id, const char *name)
{
    if (sn_spec_find(c->spec, SN_KIND_GROUP, name) || is_unit(c->spec, name)) return;
    if (sn_spec_count(c->spec, SN_KIND_LINE_MUSCLE) > 0) {
        sn_check_dangling(c, SN_KIND_FUNCTION, id, "muscles", name, SN_KIND_LINE_MUSCLE, "muscle");
        return;
    }
    if (!sn_spec_find(c->spec, SN_KIND_STRAND, name)) {
        sn_check_dangling(c, SN_KIND_FUNCTION, id, "muscles", name,
                          sn_spec_count(c->spec, SN_KIND_GROUP) ? SN_KIND_GROUP : SN_KIND_STRAND, "group or strand");
        return;
    }
    snId group = group_with(c->spec, name, sn_spec_count(c->spec, SN_KIND_GROUP) + 1);
    if (group)
        sn_check_error(c, SN_KIND_FUNCTION, id, "name the group instead",
                       "strand \"%.100s\" activates with its group \"%.100s\" only", name,
                       sn_spec_group(c->spec, group)->name);
}

/* One level per muscle, or one per muscle and time. */
static void check_levels(snChecker *c, snId id, const snFunctionDef *d, int32_t muscles)
{
    int64_t expected = (int64_t)muscles * (d->ntime ? d->ntime : 1);
    if (d->nlevel != expected && d->ntime == 0)
        sn_check_error(c, SN_KIND_FUNCTION, id, "give one level per muscle", "there are %d levels for %d muscles",
                       (int)d->nlevel, (int)muscles);
    else if (d->nlevel != expected)
        sn_check_error(c, SN_KIND_FUNCTION, id, "give one level per muscle for each time in turn",
                       "there are %d levels for %d muscles at %d times", (int)d->nlevel, (int)muscles, (int)d->ntime);
    for (int32_t i = 1; i < d->ntime; ++i) {
        if (d->time[i] > d->time[i - 1]) continue;
        sn_check_error(c, SN_KIND_FUNCTION, id, "sort the times", "the time %g does not come after %g", d->time[i],
                       d->time[i - 1]);
        return;
    }
}

void sn_check_functions(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_FUNCTION); ++id) {
        const snFunctionDef *d = sn_spec_function(c->spec, id);
        char name[SN_NAME_MAX + 1];
        int32_t count = 0;
        for (const char *at = d->muscles; sn_next_name(&at, name); ++count) check_muscle(c, id, name);
        if (count == 0)
            sn_check_error(c, SN_KIND_FUNCTION, id, "list its muscles", "the function has no muscles");
        else
            check_levels(c, id, d, count);
    }
}
