/* A muscle of flesh alone: its mesh filled with the lattice, all of it muscle with the directions of its strands, the
 * ends of the strands held by their bones. Constants and law are those of sinew flesh; stress and optimum are the
 * strands': their force over the mean section, strongest as drawn. */
#include "author/compare_flesh.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "geom/bvh.h"
#include "sinew/flesh.h"

#include <string.h>

enum { BINS = 8 };

void sn_fleshed_free(snFleshedMuscle *f)
{
    sn_tissue_free(&f->tissue);
    sn_array_free(&f->fiber);
    sn_array_free(&f->hold);
    sn_free(f->samples.flag), sn_free(f->along), sn_free(f->rest);
    *f = (snFleshedMuscle){0};
}

static size_t count_of(const snSamples *s)
{
    return (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
}

static v3 sample_at(const snSamples *s, int32_t i)
{
    return sn_sample_point(s, i / (s->n[1] * s->n[2]), i / s->n[2] % s->n[1], i % s->n[2]);
}

static bool lay_samples(const snTriMesh *mesh, double h, snSamples *s)
{
    v3 low = sn_trimesh_point(mesh, 0), high = low;
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    s->low = v3_sub(low, v3_of(h, h, h)), s->spacing = h / SN_LATTICE_FINE;
    for (int d = 0; d < 3; ++d) s->n[d] = SN_LATTICE_FINE * ((int32_t)ceil(size[d] / h) + 2);
    s->flag = SN_NEW_ARRAY(uint8_t, count_of(s));
    return s->flag != NULL;
}

static void link_samples(snSamples *s)
{
    int32_t step[3] = {s->n[1] * s->n[2], s->n[2],
                       1}; /* a rim of one cell is outside: no neighbour is beyond the grid */
    for (int32_t i = 0; i < (int32_t)count_of(s); ++i)
        for (int d = 0; d < 3 && s->flag[i] & SN_SAMPLE_INSIDE; ++d)
            if (s->flag[i + step[d]] & SN_SAMPLE_INSIDE) s->flag[i] |= (uint8_t)(1 << d);
}

/* Fraction of a strand at each end that its bone holds: as far as the points of the muscle are held. */
static double held_share(const snSoftMuscle *m)
{
    double share = 0;
    for (int32_t i = 0; i < m->quads.nnode; ++i) {
        double along = 0;
        if (m->attached[i] < 0) continue;
        (void)sn_fibres_direction(&m->fibres, v3_load(m->quads.rest + 3 * i), NULL, &along);
        share = fmax(share, fmin(along, 1 - along));
    }
    return share;
}

static bool add_sample(snFleshedMuscle *f, int32_t i, double share, double hold)
{
    const snSoftMuscle *m = f->muscle;
    int32_t which = 0;
    double along = 0;
    v3 p = sample_at(&f->samples, i), d = sn_fibres_direction(&m->fibres, p, &which, &along);
    f->samples.flag[i] = SN_SAMPLE_INSIDE;
    if (!sn_array_push(&f->fiber, ((snMuscleSample){i, 0, {(float)d.x, (float)d.y, (float)d.z}}))) return false;
    int end = along < share ? 0 : along > 1 - share ? 1 : -1;
    for (int32_t b = 0; end >= 0 && b < m->nbone; ++b)
        if (m->bone[b] == m->fibres.fibre[which].body[end])
            return sn_array_push(&f->hold, ((snBoneSample){i, b, p, hold}));
    return true;
}

static snStatus fill(snFleshedMuscle *f, snError *error)
{
    const snSoftMuscle *m = f->muscle;
    snBvh *tree = sn_bvh_create(&m->mesh);
    double share = held_share(m), hold = sn_default_flesh_def().hold * pow(f->samples.spacing, 3);
    bool fine = tree != NULL;
    for (int32_t i = 0; fine && i < (int32_t)count_of(&f->samples); ++i)
        if (sn_bvh_inside(tree, sample_at(&f->samples, i))) fine = add_sample(f, i, share, hold);
    sn_bvh_destroy(tree);
    link_samples(&f->samples);
    f->along = SN_NEW_ARRAY(double, f->fiber.count + 1);
    if (!fine || !f->along) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < f->fiber.count; ++k)
        (void)sn_fibres_direction(&m->fibres, sample_at(&f->samples, f->fiber.at[k].sample), NULL, f->along + k);
    return SN_OK;
}

static snStatus make_tissue(snFleshedMuscle *f, snError *error)
{
    const snSoftMuscle *m = f->muscle;
    snFleshDef flesh = sn_default_flesh_def();
    double force = 0;
    for (int32_t i = 0; i < m->fibres.n; ++i) force += m->fibres.fibre[i].force;
    f->rest = SN_NEW_ARRAY(double, 7 * m->nbone + 1);
    if (!f->rest) return sn_fail_no_memory(error);
    for (int32_t b = 0; b < m->nbone; ++b)
        v3_store(f->rest + 7 * b, m->soft_bone[b].rest.p), q_store(f->rest + 7 * b + 3, m->soft_bone[b].rest.q);
    snTissueDef def = {.samples = &f->samples,
                       .nmuscle = 1,
                       .nmuscle_sample = f->fiber.count,
                       .muscle_sample = f->fiber.at,
                       .nbone = m->nbone,
                       .nbone_sample = f->hold.count,
                       .bone_sample = f->hold.at,
                       .bone_rest = f->rest,
                       .material = {flesh.mu10, flesh.mu01, flesh.kappa, 0.02, force / m->area, 1},
                       .density = flesh.density,
                       .least_fill = 0.05};
    return sn_tissue_create(&def, &f->tissue, error);
}

/* Where a sample is now, and the volume ratio of its tetrahedron. */
static v3 place_sample(const snFleshedMuscle *f, int32_t sample, double *j)
{
    const snLattice *l = &f->tissue.lattice;
    v3 p = sample_at(&f->samples, sample), now = {0}, x[4];
    int32_t face[4], tet = sn_lattice_locate(l, 0, p, face), node[4];
    double weight[4];
    sn_tet_weights(l, face, tet, p, weight);
    sn_oct_tet(l->oct_node + 6 * (size_t)l->sample_oct[sample], tet, node);
    for (int i = 0; i < 4; ++i) {
        x[i] = v3_load(f->tissue.x + 4 * (size_t)node[i]);
        now = v3_mad(now, weight[i], x[i]);
    }
    double now6 = v3_dot(v3_sub(x[1], x[0]), v3_cross(v3_sub(x[2], x[0]), v3_sub(x[3], x[0])));
    *j = fabs(now6) / (0.5 * l->spacing * l->spacing * l->spacing); /* a twelfth of the cube */
    return now;
}

/* The belly in BINS pieces: volume over the length of the line through their middles. volume: of all samples. */
static double mean_section(const snFleshedMuscle *f, double *volume)
{
    double part[BINS] = {0}, belly = 0, length = 0, size = pow(f->samples.spacing, 3);
    v3 middle[BINS] = {{0, 0, 0}};
    *volume = 0;
    for (int32_t k = 0; k < f->fiber.count; ++k) {
        int32_t sample = f->fiber.at[k].sample;
        if (f->tissue.lattice.sample_oct[sample] < 0) continue;
        double j;
        v3 at = place_sample(f, sample, &j);
        int32_t bin = (int32_t)floor(BINS * (f->along[k] - f->start) / (f->end - f->start));
        *volume += size * j;
        if (bin < 0 || bin >= BINS) continue;
        part[bin] += size * j, belly += size * j;
        middle[bin] = v3_mad(middle[bin], size * j, at);
    }
    for (int k = 0; k < BINS; ++k) {
        if (!(part[k] > 0)) return NAN;
        middle[k] = v3_scale(middle[k], 1 / part[k]);
        if (k > 0) length += v3_dist(middle[k], middle[k - 1]);
    }
    return belly / (length * BINS / (BINS - 1));
}

snStatus sn_fleshed_create(const snSoftMuscle *m, double start, double end, int32_t tetrahedra, snFleshedMuscle *f,
                           snError *error)
{
    double volume;
    *f = (snFleshedMuscle){.muscle = m, .start = start, .end = end};
    sn_trimesh_integrals(&m->mesh, &volume, NULL, NULL);
    if (!lay_samples(&m->mesh, cbrt(12 * volume / tetrahedra), &f->samples)) return sn_fail_no_memory(error);
    snStatus status = fill(f, error);
    if (status == SN_OK) status = make_tissue(f, error);
    if (status == SN_OK) f->rest_section = mean_section(f, &f->rest_volume);
    return status;
}

/* Positive: it pulls the bone towards its middle. */
static double force_on(const snFleshedMuscle *f, int32_t bone, rigid now)
{
    rigid motion = rigid_mul(now, rigid_inverse(f->muscle->soft_bone[bone].rest));
    v3 sum = {0}, end = {0}, middle = {0};
    int32_t count = 0;
    for (int32_t k = 0; k < f->hold.count; ++k) {
        const snBoneSample *h = &f->hold.at[k];
        double j;
        if (h->bone != bone || f->tissue.lattice.sample_oct[h->sample] < 0) continue;
        v3 at = rigid_apply(motion, h->point);
        sum = v3_mad(sum, h->stiffness, v3_sub(place_sample(f, h->sample, &j), at));
        end = v3_add(end, at), ++count;
    }
    for (int32_t i = 0; i < f->tissue.n; ++i)
        middle = v3_mad(middle, 1.0 / f->tissue.n, v3_load(f->tissue.x + 4 * (size_t)i));
    return copysign(v3_len(sum), v3_dot(sum, v3_mad(middle, -1.0 / fmax(count, 1), end)));
}

void sn_fleshed_solve(snFleshedMuscle *f, const rigid *bone, double activation, snFidelity *out)
{
    snTissueSettings settings = sn_default_tissue_settings();
    snTissueReport report = {0};
    double began = sn_clock_thread(), volume, pose[7 * SN_SOFT_BONES];
    settings.tolerance = 1e-7, settings.project = true;
    for (int32_t b = 0; b < f->muscle->nbone; ++b)
        v3_store(pose + 7 * b, bone[b].p), q_store(pose + 7 * b + 3, bone[b].q);
    sn_tissue_pose(&f->tissue, pose);
    f->tissue.muscle[0] = (snFiberState){.activation = activation, .optimum = 1};
    report = sn_tissue_solve(&f->tissue, &settings);
    double section = mean_section(f, &volume);
    *out = (snFidelity){report.converged && report.inverted == 0,
                        force_on(f, f->muscle->insertion, bone[f->muscle->insertion]),
                        section,
                        section / f->rest_section,
                        volume / f->rest_volume,
                        sn_clock_thread() - began};
}
