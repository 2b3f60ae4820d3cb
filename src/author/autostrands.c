/* Making an AutoStrands: what is refused, the inputs evenly sampled, memory, parameters. */
#include "author/autostrands.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum {
    SAMPLES_PER_STRAND = 36, /* of the muscle, in each section: the mean of so many is good to 5 % of the spacing */
    MAX_SAMPLES = 512,
    MAX_COUNT = 10000
};

/* ---- what is refused ---------------------------------------------------------------------------- */

static snStatus check_parameters(double stiffness, double repulsion, int32_t control_points, int32_t samples,
                                 snError *error)
{
    if (!(stiffness >= 0 && stiffness < INFINITY))
        return sn_fail(error, SN_BAD_INPUT, "stiffness is %g: it must be zero or positive", stiffness);
    if (!(repulsion > 0 && repulsion < INFINITY))
        return sn_fail(error, SN_BAD_INPUT, "repulsion is %g: it must be positive", repulsion);
    if (control_points != 0 && (control_points < 4 || control_points > samples))
        return sn_fail(error, SN_BAD_INPUT,
                       "%d control points, expected 4 to %d (the samples of a strand), or 0 for as many as samples",
                       (int)control_points, (int)samples);
    return SN_OK;
}

static snStatus check_def(const snAutoStrandsDef *def, snError *error)
{
    if (!def->mesh) return sn_fail(error, SN_BAD_INPUT, "no mesh to fill");
    if (def->ninput < 1) {
        sn_fail(error, SN_BAD_INPUT, "no input strand");
        sn_error_remedy(error, "draw at least one strand through the muscle from origin to insertion");
        return SN_BAD_INPUT;
    }
    if (def->samples < 4 || def->samples > MAX_SAMPLES)
        return sn_fail(error, SN_BAD_INPUT, "%d samples for each strand, expected 4 to %d", (int)def->samples,
                       MAX_SAMPLES);
    if (def->count < 0 || def->count > MAX_COUNT || (def->count > 0 && def->count < def->ninput))
        return sn_fail(error, SN_BAD_INPUT, "%d strands from %d inputs: at least one of each, and %d at most",
                       (int)def->count, (int)def->ninput, MAX_COUNT);
    if (def->count == 0 && (def->duplicates < 1 || def->duplicates > MAX_COUNT / def->ninput))
        return sn_fail(error, SN_BAD_INPUT, "%d duplicates of each of %d strands, expected 1 to %d",
                       (int)def->duplicates, (int)def->ninput, MAX_COUNT / def->ninput);
    if (!(def->attachment_radius >= 0)) return sn_fail(error, SN_BAD_INPUT, "the attachment radius is negative");
    if (!(def->tolerance >= 0)) return sn_fail(error, SN_BAD_INPUT, "the tolerance is negative");
    return check_parameters(def->stiffness, def->repulsion, def->control_points, def->samples, error);
}

static snStatus check_crossings(const snAutoStrands *a, snError *error)
{
    int32_t pair[2] = {0, 0}, n = sn_bvh_self_intersections(a->tree, pair, 1);
    if (n == 0) return SN_OK;
    v3 p = sn_trimesh_corner(&a->mesh, pair[0], 0);
    sn_fail(error, SN_BAD_INPUT,
            "the muscle mesh crosses itself in %d places, first triangles %d and %d near (%.4g, %.4g, %.4g) m", (int)n,
            (int)pair[0], (int)pair[1], p.x, p.y, p.z);
    sn_error_remedy(error, "unite the parts that overlap, or move them apart");
    return SN_BAD_INPUT;
}

static snStatus copy_mesh(snAutoStrands *a, const snMesh *mesh, snError *error)
{
    if (!sn_trimesh_alloc(&a->mesh, mesh->nvertex, mesh->ntriangle)) return sn_fail_no_memory(error);
    if (mesh->nvertex) memcpy(a->mesh.vertex, mesh->vertex, 3 * (size_t)mesh->nvertex * sizeof(double));
    if (mesh->ntriangle) memcpy(a->mesh.triangle, mesh->triangle, 3 * (size_t)mesh->ntriangle * sizeof(int32_t));
    snStatus status = sn_trimesh_require(&a->mesh, true, "the muscle mesh", error);
    if (status == SN_BAD_INPUT) sn_error_remedy(error, "close the mesh and let its triangles face outwards");
    if (status != SN_OK) return status;
    a->tree = sn_bvh_create(&a->mesh);
    if (!a->tree || !sn_mesh_side_create(&a->mesh, &a->side)) return sn_fail_no_memory(error);
    return check_crossings(a, error);
}

/* ---- the inputs --------------------------------------------------------------------------------- */

static snStatus input_error(const snAutoStrandInput *input, int32_t index, snError *error)
{
    char number[24];
    snprintf(number, sizeof number, "%d", (int)index + 1);
    sn_error_element(error, "strand", input->name && input->name[0] ? input->name : number);
    return SN_BAD_INPUT;
}

static double path_length(const snAutoStrandInput *input)
{
    double length = 0;
    for (int32_t i = 0; i + 1 < input->nposition; ++i)
        length += v3_dist(v3_load(input->position + 3 * i), v3_load(input->position + 3 * i + 3));
    return length;
}

/* Points at equal distances along the polyline, and their tangents. */
static void resample(const snAutoStrands *a, const snAutoStrandInput *input, double length, double *path,
                     double *tangent)
{
    double done = 0;
    int32_t i = 0, last = a->samples - 1;
    for (int32_t k = 0; k <= last; ++k) {
        double wished = length * k / last, piece;
        v3 from, to;
        for (;; ++i, done += piece) {
            from = v3_load(input->position + 3 * i), to = v3_load(input->position + 3 * i + 3),
            piece = v3_dist(from, to);
            if (done + piece >= wished || i + 2 >= input->nposition) break;
        }
        v3_store(path + 3 * k, v3_lerp(from, to, piece > 0 ? fmin((wished - done) / piece, 1) : 0));
    }
    for (int32_t k = 0; k <= last; ++k) {
        int32_t before = k > 0 ? k - 1 : 0, after = k < last ? k + 1 : last;
        v3_store(tangent + 3 * k, v3_unit(v3_sub(v3_load(path + 3 * after), v3_load(path + 3 * before))));
    }
}

static snStatus check_inside(const snAutoStrands *a, const snAutoStrandsDef *def, int32_t index, snError *error)
{
    double worst = -INFINITY;
    int32_t at = 0;
    for (int32_t k = 0; k < a->samples; ++k) {
        double d = sn_bvh_signed_distance(a->tree, &a->side, sn_autostrands_path(a, index, k), INFINITY, NULL);
        if (d > worst) worst = d, at = k;
    }
    if (worst <= def->tolerance) return SN_OK;
    v3 p = sn_autostrands_path(a, index, at);
    sn_fail(error, SN_BAD_INPUT,
            "the strand is %.3g mm outside the muscle mesh at %.2f of its length, (%.4g, %.4g, %.4g) m", worst * 1e3,
            at / (a->samples - 1.0), p.x, p.y, p.z);
    sn_error_remedy(error, "move the strand into the mesh, or allow more than the tolerance of %.3g mm",
                    def->tolerance * 1e3);
    return input_error(&def->input[index], index, error);
}

static snStatus take_inputs(snAutoStrands *a, const snAutoStrandsDef *def, snError *error)
{
    for (int32_t i = 0; i < def->ninput; ++i) {
        const snAutoStrandInput *input = &def->input[i];
        if (input->nposition < 2) {
            sn_fail(error, SN_BAD_INPUT, "%d positions: a strand has at least 2", (int)input->nposition);
            return input_error(input, i, error);
        }
        double length = path_length(input);
        if (!(length > 0 && length < INFINITY)) {
            sn_fail(error, SN_BAD_INPUT, "the strand has no length");
            return input_error(input, i, error);
        }
        size_t first = 3 * (size_t)i * (size_t)a->samples;
        resample(a, input, length, a->path + first, a->tangent + first);
        snStatus status = check_inside(a, def, i, error);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

/* ---- making ------------------------------------------------------------------------------------- */

static bool allocate(snAutoStrands *a)
{
    size_t inputs = 3 * (size_t)a->ninput * (size_t)a->samples, points = 3 * (size_t)a->count * (size_t)a->samples;
    a->path = SN_NEW_ARRAY(double, inputs), a->tangent = SN_NEW_ARRAY(double, inputs);
    a->point = SN_NEW_ARRAY(double, points), a->target = SN_NEW_ARRAY(double, points);
    a->input = SN_NEW_ARRAY(int32_t, a->count), a->weight = SN_NEW_ARRAY(int32_t, a->count);
    a->first = SN_NEW_ARRAY(int32_t, a->samples + 1), a->spacing = SN_NEW_ARRAY(double, a->samples);
    a->lane = SN_NEW_ARRAY(double, 7 * (size_t)a->count);
    return a->path && a->tangent && a->point && a->target && a->input && a->weight && a->first && a->spacing && a->lane;
}

static snStatus build(snAutoStrands *a, const snAutoStrandsDef *def, snError *error)
{
    a->ninput = def->ninput, a->samples = def->samples;
    a->count = def->count ? def->count : def->duplicates * def->ninput;
    a->control_points = def->control_points ? def->control_points : def->samples;
    a->stiffness = def->stiffness, a->repulsion = def->repulsion, a->attachment_radius = def->attachment_radius;
    if (!allocate(a)) return sn_fail_no_memory(error);
    snStatus status = copy_mesh(a, def->mesh, error);
    if (status == SN_OK) status = take_inputs(a, def, error);
    if (status == SN_OK) status = sn_autostrands_sample(a, SAMPLES_PER_STRAND * a->count, error);
    if (status != SN_OK) return status;
    if (def->count) sn_autostrands_share(a);
    for (int32_t s = 0; !def->count && s < a->count; ++s) a->input[s] = s / def->duplicates;
    sn_autostrands_begin(a);
    return SN_OK;
}

snStatus sn_autostrands_create(const snAutoStrandsDef *def, snAutoStrands **strands, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_autostrands_create without def");
    snAutoStrandsDef taken = sn_default_autostrands_def();
    if (SN_TAKE_DEF(def, snAutoStrandsDef, taken, error)) return SN_BAD_ARGUMENT;
    snStatus status = check_def(def, error);
    if (status != SN_OK) return status;
    snAutoStrands *a = SN_NEW(snAutoStrands);
    if (!a) return sn_fail_no_memory(error);
    status = build(a, def, error);
    if (status == SN_OK)
        *strands = a;
    else
        sn_autostrands_destroy(a);
    return status;
}

void sn_autostrands_destroy(snAutoStrands *a)
{
    if (!a) return;
    sn_bvh_destroy(a->tree);
    sn_mesh_side_free(&a->side);
    sn_trimesh_free(&a->mesh);
    void *block[] = {a->path,  a->tangent, a->point, a->target, a->input, a->weight,
                     a->first, a->spacing, a->place, a->owner,  a->lane};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_free(a);
}

snStatus sn_autostrands_tune(snAutoStrands *a, double stiffness, double repulsion, int32_t control_points,
                             snError *error)
{
    if (!a) return sn_fail_argument(error, "sn_autostrands_tune without strands");
    snStatus status = check_parameters(stiffness, repulsion, control_points, a->samples, error);
    if (status != SN_OK) return status;
    a->steps = 0;
    a->stiffness = stiffness, a->repulsion = repulsion;
    a->control_points = control_points ? control_points : a->samples;
    return SN_OK;
}

snAutoStrandsView sn_autostrands_view(const snAutoStrands *a)
{
    if (!a) return (snAutoStrandsView){0};
    return (snAutoStrandsView){.count = a->count,
                               .samples = a->samples,
                               .control_points = a->control_points,
                               .input = a->input,
                               .point = a->point};
}
