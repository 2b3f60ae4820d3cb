/* Line muscles as arrays of path/path.h, and the units and couplings that activate them. */
#include "model/check.h"
#include "model/compile.h"
#include "model/tree_order.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double SPECIFIC_TENSION = 0.3e6; /* Pa, as for strands */

typedef struct Paths {
    int32_t npath, npoint, nwrap;
    int32_t *pointadr, *link, *wrap_of, *wrap_link;
    double *point, *centre, *axis, *radius, *side;
    snWrapKind *kind;
    snWrapRule *rule;
    snPathMuscle *muscle;
    snLaw *law;
} Paths;

static void count(const snSpec *spec, Paths *p)
{
    char name[SN_NAME_MAX + 1];
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        if (!d->enabled) continue;
        ++p->npath;
        p->npoint += d->npoint;
        for (const char *list = d->wraps; sn_next_name(&list, name);) p->nwrap += strcmp(name, "-") != 0;
    }
}

static bool alloc_paths(snCompiler *c, Paths *p)
{
    snSkeleton *s = c->m->skeleton;
    int32_t n = p->npath;
    return COMPILE_ARRAY(c, p->pointadr, n + 1) && COMPILE_ARRAY(c, p->link, p->npoint) &&
           COMPILE_ARRAY(c, p->point, 3 * p->npoint) && COMPILE_ARRAY(c, p->wrap_of, p->npoint) &&
           COMPILE_ARRAY(c, p->kind, p->nwrap) && COMPILE_ARRAY(c, p->wrap_link, p->nwrap) &&
           COMPILE_ARRAY(c, p->centre, 3 * p->nwrap) && COMPILE_ARRAY(c, p->axis, 3 * p->nwrap) &&
           COMPILE_ARRAY(c, p->radius, p->nwrap) && COMPILE_ARRAY(c, p->side, 3 * p->nwrap) &&
           COMPILE_ARRAY(c, p->rule, p->nwrap) && COMPILE_ARRAY(c, p->muscle, n) && COMPILE_ARRAY(c, p->law, 2 * n) &&
           COMPILE_ARRAY(c, s->path_name, n) && COMPILE_ARRAY(c, s->path_nerve, n) &&
           COMPILE_ARRAY(c, s->path_part, n) && COMPILE_ARRAY(c, s->path_unit, n) &&
           COMPILE_ARRAY(c, s->path_radius, n) && COMPILE_ARRAY(c, s->relative_force, n) &&
           COMPILE_ARRAY(c, s->relative_fiber, n) && COMPILE_ARRAY(c, s->unit_pathadr, n + 1) &&
           COMPILE_ARRAY(c, s->unit_path, n) && COMPILE_ARRAY(c, s->unit_fatigue, 3 * n) &&
           COMPILE_ARRAY(c, s->unit_tone, n) && COMPILE_ARRAY(c, s->unit_effort, n) &&
           COMPILE_ARRAY(c, s->couple, 2 * n) && COMPILE_ARRAY(c, c->m->muscle_name, n) &&
           COMPILE_ARRAY(c, c->m->muscle_strandadr, n + 1);
}

/* ---- geometry ------------------------------------------------------------------------------- */

/* The path stays on the given side of the axis; 0: on that on which the middle of its stretch is drawn. */
static void add_wrap(snCompiler *c, Paths *p, int32_t *nwrap, const char *name, int32_t from, v3 side)
{
    snId node = sn_spec_find(c->spec, SN_KIND_NODE, name), body = sn_node_body(c->spec, node);
    const snNodeDef *shape = sn_spec_node(c->spec, node);
    rigid frame = sn_node_frame(c->spec, node);
    int32_t w = (*nwrap)++;
    v3 axis = q_rotate(frame.q, v3_of(0, 0, 1)),
       middle = v3_lerp(v3_load(p->point + 3 * from), v3_load(p->point + 3 * from + 3), 0.5);
    v3 out = v3_len2(side) > 0 ? side : v3_sub(middle, frame.p);
    p->kind[w] = shape->shape == SN_SHAPE_SPHERE ? SN_WRAP_SPHERE : SN_WRAP_CYLINDER;
    p->wrap_link[w] = body ? sn_compile_link(c, sn_spec_body(c->spec, body)->name) : -1;
    p->radius[w] = shape->extent[0] * sn_unit_metres(sn_spec_scene(c->spec)->units);
    v3_store(p->centre + 3 * w, frame.p);
    v3_store(p->axis + 3 * w, axis);
    bool sphere = shape->shape == SN_SHAPE_SPHERE;
    v3_store(p->side + 3 * w, v3_unit(sphere ? out : v3_mad(out, -v3_dot(out, axis), axis)));
    p->wrap_of[from] = w;
}

/* What passes says of a stretch, after add_wrap. */
static void set_rule(Paths *p, int32_t from, const char *pass)
{
    int32_t w = p->wrap_of[from];
    if (w < 0 || strcmp(pass, "-") == 0) return;
    p->rule[w] = strcmp(pass, "inside") == 0 ? SN_WRAP_INSIDE : SN_WRAP_TANGENT;
    if (strcmp(pass, "shorter") == 0) v3_store(p->side + 3 * w, v3_of(0, 0, 0));
}

static void add_points(snCompiler *c, const snLineMuscleDef *d, Paths *p, int32_t path, int32_t *nwrap)
{
    char name[SN_NAME_MAX + 1];
    const char *bodies = d->bodies, *wraps = d->wraps, *passes = d->passes;
    int32_t first = p->pointadr[path];
    for (int32_t i = 0; i < d->npoint && sn_next_name(&bodies, name); ++i) {
        p->link[first + i] = sn_tree_is_world(c->spec, name) ? -1 : sn_compile_link(c, name);
        p->wrap_of[first + i] = -1;
        v3_store(p->point + 3 * (first + i), v3_load(d->point + 3 * i));
    }
    for (int32_t i = 0; i + 1 < d->npoint && sn_next_name(&wraps, name); ++i)
        if (strcmp(name, "-") != 0)
            add_wrap(c, p, nwrap, name, first + i, i < d->nside ? v3_load(d->side + 3 * i) : v3_of(0, 0, 0));
    for (int32_t i = 0; i + 1 < d->npoint && sn_next_name(&passes, name); ++i) set_rule(p, first + i, name);
    p->pointadr[path + 1] = first + d->npoint;
}

/* ---- muscle --------------------------------------------------------------------------------- */

static void fill_muscle(const snLineMuscleDef *d, int32_t path, double neutral, snPathMuscle *out)
{
    double cosine = cos(d->pennation * SN_DEG), force = d->max_force > 0 ? d->max_force : SPECIFIC_TENSION * d->pcsa;
    *out = (snPathMuscle){.max_force = cosine * force,
                          .neutral_length = neutral,
                          .fibre_length = cosine * d->fiber_length,
                          .x_neutral = d->fiber_neutral,
                          .v_max = d->max_velocity > 0 ? cosine * d->max_velocity * d->fiber_length : INFINITY,
                          .passive_scale = d->passive_scale,
                          .active_law = 2 * path,
                          .passive_law = 2 * path + 1};
    out->passive_length = d->slack_length > 0 ? d->slack_length : d->passive_rest * out->fibre_length;
    out->passive_neutral = d->slack_length > 0 ? neutral / d->slack_length : d->fiber_neutral / d->passive_rest;
    out->passive_damping = d->passive_damping * out->max_force;
}

static snStatus name_path(snCompiler *c, const snLineMuscleDef *d, int32_t i)
{
    snSkeleton *s = c->m->skeleton;
    s->path_radius[i] = d->radius;
    s->relative_force[i] = d->relative_force, s->relative_fiber[i] = d->relative_fiber;
    s->path_name[i] = sn_compile_text(c, d->name);
    s->path_nerve[i] = sn_compile_text(c, d->nerve);
    s->path_part[i] = sn_compile_text(c, d->part);
    return s->path_name[i] && s->path_nerve[i] && s->path_part[i] ? SN_OK : SN_NO_MEMORY;
}

/* Units in the order in which they first appear; the figures of fatigue, tone and effort are those of its first path. */
static snStatus join_unit(snCompiler *c, const snLineMuscleDef *d, int32_t i)
{
    snModel *m = c->m;
    const char *name = *d->unit ? d->unit : d->name;
    int32_t unit = sn_map_get(&m->muscle_map, name);
    if (unit < 0) {
        unit = m->nmuscle++;
        memcpy(m->skeleton->unit_fatigue + 3 * unit, d->fatigue, sizeof d->fatigue);
        m->skeleton->unit_tone[unit] = d->tone;
        m->skeleton->unit_effort[unit] = d->effort;
        m->muscle_name[unit] = sn_compile_text(c, name);
        if (!m->muscle_name[unit] || !sn_map_put(&m->muscle_map, m->muscle_name[unit], unit))
            return sn_fail_no_memory(c->error);
    }
    m->skeleton->path_unit[i] = unit;
    return SN_OK;
}

static void list_units(snModel *m)
{
    snSkeleton *s = m->skeleton;
    int32_t n = 0;
    for (int32_t u = 0; u < m->nmuscle; ++u) {
        for (int32_t i = 0; i < s->path.npath; ++i)
            if (s->path_unit[i] == u) s->unit_path[n++] = i;
        s->unit_pathadr[u + 1] = n;
    }
}

/* Each path is coupled to the last one before it of the same group, if that is of another unit. */
static void couple(snCompiler *c)
{
    snSkeleton *s = c->m->skeleton;
    for (int32_t i = 0, id = 0; i < s->path.npath; ++i) {
        const snLineMuscleDef *d =
            sn_spec_line_muscle(c->spec, sn_spec_find(c->spec, SN_KIND_LINE_MUSCLE, s->path_name[i]));
        for (int32_t k = i - 1; *d->coupled && k >= 0; --k) {
            id = sn_spec_find(c->spec, SN_KIND_LINE_MUSCLE, s->path_name[k]);
            if (strcmp(sn_spec_line_muscle(c->spec, id)->coupled, d->coupled) != 0) continue;
            if (s->path_unit[k] != s->path_unit[i]) {
                s->couple[2 * s->ncouple] = s->path_unit[k];
                s->couple[2 * s->ncouple++ + 1] = s->path_unit[i];
            }
            break;
        }
    }
}

static snPathSet set_of(const Paths *p)
{
    return (snPathSet){.npath = p->npath,
                       .npoint = p->npoint,
                       .nwrap = p->nwrap,
                       .nlaw = 2 * p->npath,
                       .pointadr = p->pointadr,
                       .point_link = p->link,
                       .point = p->point,
                       .point_wrap = p->wrap_of,
                       .wrap_kind = p->kind,
                       .wrap_link = p->wrap_link,
                       .wrap_centre = p->centre,
                       .wrap_axis = p->axis,
                       .wrap_radius = p->radius,
                       .wrap_side = p->side,
                       .wrap_rule = p->rule,
                       .muscle = p->muscle,
                       .law = p->law};
}

static snStatus compile_path(snCompiler *c, const snLineMuscleDef *d, Paths *p, int32_t i, int32_t *nwrap)
{
    add_points(c, d, p, i, nwrap);
    snPathSet set = set_of(p);
    fill_muscle(d, i, sn_path_neutral_length(&set, i), &p->muscle[i]);
    snStatus status = name_path(c, d, i);
    if (status == SN_OK) status = join_unit(c, d, i);
    if (status == SN_OK) status = sn_compile_law(c, d->active_fl, SN_LAW_HILL_ACTIVE, &p->law[2 * i]);
    return status == SN_OK ? sn_compile_law(c, d->passive_fl, SN_LAW_HILL_PASSIVE, &p->law[2 * i + 1]) : status;
}

snStatus sn_compile_paths(snCompiler *c)
{
    snModel *m = c->m;
    Paths p = {0};
    int32_t i = 0, nwrap = 0;
    count(c->spec, &p);
    if (!alloc_paths(c, &p)) return SN_NO_MEMORY;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(c->spec, id);
        if (!d->enabled) continue;
        snStatus status = compile_path(c, d, &p, i++, &nwrap);
        if (status != SN_OK) return status;
    }
    const int32_t *follows = m->skeleton->tree.follows;
    m->skeleton->path = set_of(&p);
    m->skeleton->path.follows = follows;
    list_units(m);
    couple(c);
    return SN_OK;
}
