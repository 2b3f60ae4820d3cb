/* fibres.h. */
#include "author/fibres.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/law.h"
#include "math/spline.h"
#include "model/nodes.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 256, RINGS = 24, ANGLES = 24 };
static const double AT_END = 0.02; /* fraction of the parameter within which a fixed constraint is an attachment */
static const double STRESS = 3e5;  /* Pa: of a strand without a force of its own, as its documentation says */

void sn_fibres_free(snFibres *f)
{
    sn_free(f->fibre);
    *f = (snFibres){0};
}

static snStatus sample_curve(const snSpec *spec, snId strand, snFibre *fibre, snError *error)
{
    snId id = sn_strand_node(spec, strand);
    const snNodeDef *node = id ? sn_spec_node(spec, id) : NULL;
    if (!node || node->kind != SN_NODE_CURVE || node->npoint < 4 || node->closed) {
        sn_fail(error, SN_BAD_INPUT, "the strand has no open curve of at least 4 control points");
        sn_error_element(error, "Strand", sn_spec_strand(spec, strand)->name);
        return SN_BAD_INPUT;
    }
    int32_t n = node->npoint, span = 0;
    double *knot = SN_NEW_ARRAY(double, n + 4), b[4];
    if (!knot) return sn_fail_no_memory(error);
    if (node->nknot == n + 4)
        memcpy(knot, node->knot, (size_t)node->nknot * sizeof *knot);
    else
        spline_clamped_knots(knot, n);
    affine world = sn_node_world(spec, id);
    for (int32_t i = 0; i < SN_FIBRE_POINTS; ++i) {
        double t = knot[3] + (knot[n] - knot[3]) * i / (SN_FIBRE_POINTS - 1.0);
        v3 p = {0, 0, 0};
        span = spline_basis(knot, n, t, span, b, NULL, NULL);
        for (int j = 0; j < 4; ++j) p = v3_mad(p, b[j], v3_load(node->point + 3 * (span + j)));
        fibre->at[i] = affine_apply(&world, p);
        if (i > 0) fibre->length += v3_dist(fibre->at[i], fibre->at[i - 1]);
    }
    sn_free(knot);
    return SN_OK;
}

static void find_ends(const snSpec *spec, const snModel *model, const char *strand, snFibre *fibre)
{
    fibre->body[0] = fibre->body[1] = -1;
    for (snId c = 1; c <= sn_spec_count(spec, SN_KIND_CONSTRAINT); ++c) {
        const snConstraintDef *def = sn_spec_constraint(spec, c);
        if (def->type != SN_CONSTRAINT_FIXED || !def->enabled || strcmp(def->strand, strand) != 0) continue;
        int end = def->position < AT_END ? 0 : def->position > 1 - AT_END ? 1 : -1;
        if (end >= 0) fibre->body[end] = sn_find(model, SN_ITEM_BODY, def->attachment);
    }
}

static snStatus read_strand(const snSpec *spec, const snModel *model, snId id, snFibres *f, snError *error)
{
    const snStrandDef *def = sn_spec_strand(spec, id);
    snFibre *fibre = f->fibre + f->n;
    snLawKind kind;
    snStatus status = sample_curve(spec, id, fibre, error);
    if (status != SN_OK) return status;
    fibre->area = SN_PI * def->radius * def->radius;
    fibre->force = (def->max_force > 0 ? def->max_force : STRESS * fibre->area) * def->active_scale;
    fibre->stiffness = def->stiffness * def->passive_scale, fibre->tendon = def->tendon_stiffness;
    fibre->belly_start = def->belly_start, fibre->belly_end = def->belly_end;
    fibre->optimal = def->fiber_rest / (def->belly_rest_scale * def->rest_scale);
    find_ends(spec, model, def->name, fibre);
    if (f->n == 0 && def->passive_fl && sn_law_by_name(def->passive_fl, &kind))
        (void)snprintf(f->passive, sizeof f->passive, "%s", def->passive_fl);
    if (f->n == 0 && def->active_fl && sn_law_by_name(def->active_fl, &kind))
        (void)snprintf(f->active, sizeof f->active, "%s", def->active_fl);
    ++f->n;
    return SN_OK;
}

snStatus sn_fibres_read(const snSpec *spec, const snModel *model, const char *strands, snFibres *f, snError *error)
{
    int32_t count = 0;
    char word[NAME];
    snStatus status = SN_OK;
    *f = (snFibres){0};
    for (const char *c = strands; *(c += strspn(c, " \t\n")); c += strcspn(c, " \t\n")) ++count;
    f->fibre = SN_NEW_ARRAY(snFibre, count + 1);
    if (!f->fibre) return sn_fail_no_memory(error);
    for (const char *c = strands; status == SN_OK && *(c += strspn(c, " \t\n")); c += strcspn(c, " \t\n")) {
        (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(c, " \t\n"), c);
        snId id = sn_spec_find(spec, SN_KIND_STRAND, word);
        if (!id)
            status = sn_fail(error, SN_BAD_INPUT, "the model has no strand \"%.100s\"", word);
        else if (sn_spec_strand(spec, id)->enabled)
            status = read_strand(spec, model, id, f, error);
    }
    if (status == SN_OK && f->n == 0) status = sn_fail(error, SN_BAD_INPUT, "the muscle has no strands");
    if (status != SN_OK) sn_fibres_free(f);
    return status;
}

static v3 tangent(const snFibre *f, int32_t k)
{
    int32_t a = k > 0 ? k - 1 : 0, b = k + 1 < SN_FIBRE_POINTS ? k + 1 : k;
    return v3_unit(v3_sub(f->at[b], f->at[a]));
}

v3 sn_fibres_direction(const snFibres *f, v3 place, int32_t *nearest, double *along)
{
    double best = INFINITY;
    v3 sum = {0, 0, 0};
    for (int32_t i = 0; i < f->n; ++i) {
        double least = INFINITY;
        int32_t at = 0;
        for (int32_t k = 0; k < SN_FIBRE_POINTS; ++k) {
            double d = v3_len2(v3_sub(f->fibre[i].at[k], place));
            if (d < least) least = d, at = k;
        }
        sum = v3_mad(sum, 1 / (least * least + 1e-14), tangent(f->fibre + i, at));
        if (least >= best) continue;
        best = least;
        if (nearest) *nearest = i;
        if (along) *along = at / (SN_FIBRE_POINTS - 1.0);
    }
    return v3_unit(sum);
}

static int32_t end_sample(int end, int32_t k)
{
    return end ? SN_FIBRE_POINTS - 1 - k : k;
}

snFibreEnds sn_fibre_ends(const snFibres *f, double share)
{
    snFibreEnds e = {.fibres = f, .count = (int32_t)ceil(share * (SN_FIBRE_POINTS - 1))}; /* k / (N - 1) < share */
    e.count = e.count < SN_FIBRE_POINTS / 2 ? e.count : SN_FIBRE_POINTS / 2 - 1;
    e.other = f->fibre[0].at[SN_FIBRE_POINTS / 2];
    for (int end = 0; end < 2; ++end) {
        for (int32_t i = 0; i < f->n; ++i)
            e.middle[end] = v3_mad(e.middle[end], 1.0 / f->n, f->fibre[i].at[end_sample(end, e.count / 2)]);
        for (int32_t i = 0; i < f->n; ++i)
            for (int32_t k = 0; k < e.count; ++k)
                e.radius[end] = fmax(e.radius[end], v3_dist(e.middle[end], f->fibre[i].at[end_sample(end, k)]));
    }
    return e;
}

int sn_fibres_end(snFibreEnds *e, v3 place, int32_t *which)
{
    const snFibres *f = e->fibres;
    double other = v3_dist(e->other, place), best = INFINITY;
    int found = -1;
    for (int end = 0; end < 2; ++end) {
        if (v3_dist(e->middle[end], place) - e->radius[end] > other) continue;
        for (int32_t i = 0; i < f->n; ++i)
            for (int32_t k = 0; k < e->count; ++k) {
                double d = v3_len2(v3_sub(f->fibre[i].at[end_sample(end, k)], place));
                if (d < best) best = d, found = end, *which = i;
            }
    }
    if (found < 0 || other * other < best) return -1;
    for (int32_t i = 0; i < f->n; ++i)
        for (int32_t k = e->count; k < SN_FIBRE_POINTS - e->count; ++k)
            if (v3_len2(v3_sub(f->fibre[i].at[k], place)) < best) return e->other = f->fibre[i].at[k], -1;
    return found;
}

/* Rings across the mean of the strands, as wide as the strands reach in each direction. */
snStatus sn_fibres_mesh(const snFibres *f, snTriMesh *mesh, snError *error)
{
    double *position = SN_NEW_ARRAY(double, 3 * RINGS * ANGLES);
    v3 middle[RINGS], side = {0, 0, 0};
    if (!position) return sn_fail_no_memory(error);
    for (int r = 0; r < RINGS; ++r) {
        int k = r * (SN_FIBRE_POINTS - 1) / (RINGS - 1);
        middle[r] = v3_of(0, 0, 0);
        for (int32_t i = 0; i < f->n; ++i) middle[r] = v3_mad(middle[r], 1.0 / f->n, f->fibre[i].at[k]);
    }
    for (int r = 0; r < RINGS; ++r) {
        int k = r * (SN_FIBRE_POINTS - 1) / (RINGS - 1);
        v3 axis = v3_unit(v3_sub(middle[r + 1 < RINGS ? r + 1 : r], middle[r > 0 ? r - 1 : r]));
        side = r == 0 ? v3_perp(axis) : v3_unit(v3_mad(side, -v3_dot(side, axis), axis));
        v3 up = v3_cross(axis, side);
        for (int a = 0; a < ANGLES; ++a) {
            double angle = 2 * SN_PI * a / ANGLES, reach = 0;
            v3 out = v3_add(v3_scale(side, cos(angle)), v3_scale(up, sin(angle)));
            for (int32_t i = 0; i < f->n; ++i) {
                double radius = sqrt(f->fibre[i].area / SN_PI);
                reach = fmax(reach, v3_dot(v3_sub(f->fibre[i].at[k], middle[r]), out) + radius);
            }
            v3_store(position + 3 * (r * ANGLES + a), v3_mad(middle[r], fmax(reach, 1e-4), out));
        }
    }
    snStatus status = sn_trimesh_loft(RINGS, ANGLES, position, NULL, NULL, mesh, error);
    sn_free(position);
    return status;
}
