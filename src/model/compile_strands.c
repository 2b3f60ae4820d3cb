/* Strands: control points in the world, Gauss points, mass, laws. */
#include "model/compile.h"

#include "base/error.h"
#include "math/spline.h"

#include <math.h>
#include <string.h>

static const double SPECIFIC_TENSION = 0.3e6; /* Pa, a usual value for skeletal muscle [Lee 2009] */

static bool alloc_strands(snCompiler *c, int32_t n, int32_t npoint)
{
    snModel *m = c->m;
    return COMPILE_ARRAY(c, m->strand_name, n) && COMPILE_ARRAY(c, m->strand, n) &&
           COMPILE_ARRAY(c, m->strand_pointadr, n + 1) && COMPILE_ARRAY(c, m->strand_constraintadr, n + 1) &&
           COMPILE_ARRAY(c, m->strand_muscle, n) && COMPILE_ARRAY(c, m->strand_radius, n) &&
           COMPILE_ARRAY(c, m->strand_force, n) && COMPILE_ARRAY(c, m->rest_point, 3 * (int64_t)npoint) &&
           COMPILE_ARRAY(c, c->strand_of, n);
}

snStatus sn_compile_law(snCompiler *c, const char *name, snLawKind fallback, snLaw *law)
{
    law->kind = fallback;
    if (!name[0] || sn_law_by_name(name, &law->kind)) return SN_OK;
    snId id = sn_spec_find(c->spec, SN_KIND_FORCE_LENGTH, name);
    if (!id) return sn_fail(c->error, SN_BAD_INPUT, "there is no force-length curve called \"%s\"", name);
    const snForceLengthDef *def = sn_spec_force_length(c->spec, id);
    double *x, *y, *slope;
    if (!COMPILE_ARRAY(c, x, def->npoint) || !COMPILE_ARRAY(c, y, def->npoint) || !COMPILE_ARRAY(c, slope, def->npoint))
        return SN_NO_MEMORY;
    memcpy(x, def->stretch, sizeof(double) * (size_t)def->npoint);
    memcpy(y, def->force, sizeof(double) * (size_t)def->npoint);
    sn_law_slopes(def->npoint, x, y, slope);
    *law = (snLaw){.kind = SN_LAW_TABLE, .n = def->npoint, .x = x, .y = y, .slope = slope};
    return SN_OK;
}

snStrandParams sn_compile_params(const snStrandDef *def)
{
    double area = SN_PI * def->radius * def->radius;
    return (snStrandParams){
        .density = def->density,
        .radius = def->radius,
        .stiffness = def->stiffness,
        .tendon_stiffness = def->tendon_stiffness,
        .belly_start = def->belly_start,
        .belly_end = def->belly_end,
        .max_force = def->max_force > 0 ? def->max_force : SPECIFIC_TENSION * area,
        .passive_scale = def->passive_scale,
        .active_scale = def->active_scale,
        .rest_scale = def->rest_scale,
        .belly_rest_scale = def->belly_rest_scale,
        .fiber_rest = def->fiber_rest,
    };
}

static bool copy_knots(snCompiler *c, const snNodeDef *node, double **knot)
{
    if (!COMPILE_ARRAY(c, *knot, node->npoint + 4)) return false;
    if (node->nknot == node->npoint + 4)
        memcpy(*knot, node->knot, sizeof(double) * (size_t)node->nknot);
    else
        spline_clamped_knots(*knot, node->npoint);
    return true;
}

static snStatus compile_strand(snCompiler *c, snId id)
{
    snModel *m = c->m;
    const snStrandDef *def = sn_spec_strand(c->spec, id);
    snId node_id = sn_strand_node(c->spec, id);
    const snNodeDef *node = sn_spec_node(c->spec, node_id);
    affine world = sn_node_world(c->spec, node_id);
    int32_t i = m->nstrand++, n = node->npoint, p0 = m->npoint;
    double *knot, *mass, *point = m->rest_point + 3 * p0;
    snGauss *gauss;
    for (int32_t k = 0; k < n; ++k) v3_store(point + 3 * k, affine_apply(&world, v3_load(node->point + 3 * k)));
    if (!copy_knots(c, node, &knot)) return SN_NO_MEMORY;
    int32_t ngauss = sn_strand_gauss_count(knot, n);
    if (!COMPILE_ARRAY(c, gauss, ngauss) || !COMPILE_ARRAY(c, mass, 4 * n)) return SN_NO_MEMORY;
    snStrandParams params = sn_compile_params(def);
    snStrand *st = &m->strand[i];
    st->rest_length = sn_strand_setup(knot, n, point, &params, gauss, mass);
    st->n = n, st->ngauss = ngauss, st->knot = knot, st->gauss = gauss, st->mass = mass;
    st->alpha = def->mass_damping, st->beta = def->damping, st->tension_only = def->tension_only;
    m->strand_radius[i] = def->radius;
    for (int32_t g = 0; g < ngauss; ++g) m->strand_force[i] = fmax(m->strand_force[i], gauss[g].active);
    st->hold = m->strand_force[i];
    m->npoint += n;
    m->strand_pointadr[i + 1] = m->npoint;
    m->strand_muscle[i] = -1;
    c->strand_of[id - 1] = i;
    m->strand_name[i] = sn_compile_text(c, def->name);
    if (!m->strand_name[i] || !sn_map_put(&m->strand_map, m->strand_name[i], i)) return sn_fail_no_memory(c->error);
    snStatus status = sn_compile_law(c, def->passive_fl, SN_LAW_LINEAR, &st->passive_law);
    return status == SN_OK ? sn_compile_law(c, def->active_fl, SN_LAW_SHIFT, &st->active_law) : status;
}

static snStatus compile_kind(snCompiler *c, snStrandKind kind)
{
    snStatus status = SN_OK;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_STRAND) && status == SN_OK; ++id) {
        const snStrandDef *def = sn_spec_strand(c->spec, id);
        if (def->enabled && def->kind == kind) status = compile_strand(c, id);
    }
    return status;
}

snStatus sn_compile_strands(snCompiler *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_STRAND), npoint = 0;
    for (snId id = 1; id <= n; ++id)
        if (sn_spec_strand(c->spec, id)->enabled) npoint += sn_spec_node(c->spec, sn_strand_node(c->spec, id))->npoint;
    if (!alloc_strands(c, n, npoint)) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id) c->strand_of[id - 1] = -1;
    snStatus status = compile_kind(c, SN_STRAND_SPLINE);
    c->m->nspline = c->m->nstrand, c->m->nspline_point = c->m->npoint;
    return status == SN_OK ? compile_kind(c, SN_STRAND_PATH) : status;
}
