/* The flesh of a model: made once, then one rest after the other. */
#include "author/flesh_model.h"

#include "author/own/flesh.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/error.h"
#include "model/nodes.h"

#include <string.h>
#include <unistd.h>

/* ---- making -------------------------------------------------------------------------------- */

static snStatus check(const snFleshDef *d, snError *error)
{
    const struct {
        const char *name;
        double value;
    } positive[] = {{"mu10", d->mu10},
                    {"mu01", d->mu01},
                    {"kappa", d->kappa},
                    {"the density", d->density},
                    {"the hold", d->hold},
                    {"the optimal stretch", d->optimum},
                    {"the tolerance", d->tolerance},
                    {"the cover", d->cover}};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; ++i)
        if (!(positive[i].value > 0 && isfinite(positive[i].value)))
            return sn_fail(error, SN_BAD_INPUT, "flesh: %s is %g; it must be positive", positive[i].name,
                           positive[i].value);
    if (!(d->muscle_stress >= 0) || !(d->spacing >= 0) || !(d->jiggle >= 0))
        return sn_fail(error, SN_BAD_INPUT, "flesh: muscle stress, spacing and jiggle must not be negative");
    if (d->spacing == 0 && d->tetrahedra < 100)
        return sn_fail(error, SN_BAD_INPUT, "flesh: %d tetrahedra are too few; ask for at least 100",
                       (int)d->tetrahedra);
    if (d->sizes < 1 || d->sizes > SN_LATTICE_SIZES)
        return sn_fail(error, SN_BAD_INPUT, "flesh: %d sizes of cells; it must be 1 to %d", (int)d->sizes,
                       SN_LATTICE_SIZES);
    return SN_OK;
}

/* The spacing that gives about the wished number: cells that the surface cuts count whole. */
static double spacing_for(double volume, double area, int32_t tetrahedra)
{
    double h = cbrt(12 * volume / tetrahedra);
    for (int i = 0; i < 40; ++i) h = cbrt(12 * (volume + 0.25 * area * h) / tetrahedra);
    return h;
}

/* Bytes that setting up will take at its height, against what the machine has. */
static snStatus check_memory(const snFlesh *f, snError *error)
{
    const snTriMesh *skin = &f->anatomy.skin;
    double volume = f->volume, area = sn_trimesh_area(skin), h = f->spacing;
    v3 low = sn_trimesh_point(skin, 0), high = low;
    for (int32_t i = 0; i < skin->nvertex; ++i) {
        v3 p = sn_trimesh_point(skin, i);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    double sample = h / SN_LATTICE_FINE,
           box = (high.x - low.x + 2 * h) * (high.y - low.y + 2 * h) * (high.z - low.z + 2 * h);
    double tets = 12 * (volume + 0.25 * area * h) / (h * h * h),
           bytes = 700 * tets + 26 * box / (sample * sample * sample);
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (!(there > 0) || bytes < 0.9 * there) return SN_OK;
    (void)sn_fail(error, SN_BAD_INPUT,
                  "flesh with a spacing of %.2f mm (%.3g tetrahedra) needs about %.1f GB; this machine has %.1f GB",
                  1e3 * h, tets, bytes / 1e9, there / 1e9);
    sn_error_remedy(error, "use a spacing of %.2f mm or more", 1e3 * h * cbrt(bytes / (0.8 * there)));
    return SN_BAD_INPUT;
}

static snStatus find_surface(snFlesh *f, snError *error)
{
    snAnatomy *a = &f->anatomy;
    snStatus status = SN_OK;
    if (a->skin.nvertex == 0) status = sn_anatomy_grow_skin(a, f->def.cover, 0.005, f->pool, error);
    if (status != SN_OK) return status;
    f->tree = sn_bvh_create(&a->skin);
    if (!f->tree) return sn_fail_no_memory(error);
    int32_t pair[2], crossings = a->grown ? 0 : sn_bvh_self_intersections(f->tree, pair, 1);
    if (crossings > 0) {
        v3 p = sn_trimesh_corner(&a->skin, pair[0], 0);
        (void)sn_fail(error, SN_BAD_INPUT,
                      "the surface \"%.100s\" crosses itself in %d places, first near %.4f %.4f %.4f m", a->skin_name,
                      (int)crossings, p.x, p.y, p.z);
        sn_error_remedy(error, "repair the mesh so that no triangles pass through each other");
        return SN_BAD_INPUT;
    }
    sn_trimesh_integrals(&a->skin, &f->volume, NULL, NULL);
    double area = sn_trimesh_area(&a->skin);
    f->spacing = f->def.spacing > 0 ? f->def.spacing : spacing_for(f->volume, area, f->def.tetrahedra);
    return check_memory(f, error);
}

static snStatus make_tissue(snFlesh *f, snError *error)
{
    const snFleshDef *d = &f->def;
    snTissueDef def = {.samples = &f->samples.grid,
                       .nmuscle = f->anatomy.nfibers,
                       .nmuscle_sample = f->samples.muscle.count,
                       .nbone = f->anatomy.nbody,
                       .nbone_sample = f->samples.bone.count,
                       .muscle_sample = f->samples.muscle.at,
                       .bone_sample = f->samples.bone.at,
                       .bone_rest = f->anatomy.rest,
                       .material = {d->mu10, d->mu01, d->kappa, 0.02, d->muscle_stress, d->optimum},
                       .density = d->density,
                       .least_fill = 0.05,
                       .pool = f->pool};
    return sn_tissue_create(&def, &f->tissue, error);
}

typedef struct {
    snFlesh *f;
    const uint8_t *held; /* per body */
} Weighting;

/* Four nearest bones by the third power of the distance. */
static void weight_node(void *context, int32_t node)
{
    const Weighting *w = context;
    snFlesh *f = w->f;
    int32_t body[SN_FLESH_BONES] = {0};
    double near[SN_FLESH_BONES] = {INFINITY, INFINITY, INFINITY, INFINITY}, sum = 0;
    v3 p = v3_load(f->tissue.rest + 4 * (size_t)node);
    for (int32_t b = 0; b < f->anatomy.nbone; ++b) {
        const snFleshBone *bone = &f->anatomy.bone[b];
        if (!w->held[bone->body]) continue;
        snMeshHit hit = sn_bvh_closest(bone->tree, p, near[SN_FLESH_BONES - 1]);
        if (hit.triangle < 0 || hit.distance >= near[SN_FLESH_BONES - 1]) continue;
        int k = SN_FLESH_BONES - 1;
        for (; k > 0 && near[k - 1] > hit.distance; --k) near[k] = near[k - 1], body[k] = body[k - 1];
        near[k] = hit.distance, body[k] = bone->body;
    }
    double *weight = f->weight + SN_FLESH_BONES * (size_t)node;
    for (int k = 0; k < SN_FLESH_BONES; ++k) {
        double d = near[k] + 1e-3;
        weight[k] = near[k] < INFINITY ? 1 / (d * d * d) : 0, sum += weight[k];
        f->body[SN_FLESH_BONES * (size_t)node + (size_t)k] = body[k];
    }
    for (int k = 0; k < SN_FLESH_BONES; ++k) weight[k] /= sum;
}

static snStatus weight_nodes(snFlesh *f)
{
    size_t n = (size_t)f->tissue.n;
    uint8_t *held = SN_NEW_ARRAY(uint8_t, f->anatomy.nbody + 1);
    Weighting w = {f, held};
    f->body = SN_NEW_ARRAY(int32_t, SN_FLESH_BONES * n), f->weight = SN_NEW_ARRAY(double, SN_FLESH_BONES *n);
    f->predicted = SN_NEW_ARRAY(double, 4 * n), f->before = SN_NEW_ARRAY(double, 4 * n),
    f->good = SN_NEW_ARRAY(double, 4 * n), f->beside = SN_NEW_ARRAY(double, 4 * n),
    f->drift = SN_NEW_ARRAY(double, 4 * n), f->turn = SN_NEW_ARRAY(double, 4 * n);
    f->pose = SN_NEW_ARRAY(double, 7 * (size_t)f->anatomy.nbody + 1),
    f->part_pose = SN_NEW_ARRAY(double, 7 * (size_t)f->anatomy.nbody + 1);
    f->ndrive = sn_count(f->anatomy.model, SN_ITEM_MUSCLE) + f->anatomy.nstrand;
    f->drive = SN_NEW_ARRAY(double, f->ndrive + 1), f->part_drive = SN_NEW_ARRAY(double, f->ndrive + 1),
    f->target = SN_NEW_ARRAY(double, f->ndrive + 1);
    f->line = SN_NEW_ARRAY(double, 3 * (size_t)f->anatomy.nline_point + 1);
    if (!held || !f->body || !f->weight || !f->predicted || !f->before || !f->good || !f->beside || !f->drift ||
        !f->turn || !f->pose || !f->part_pose || !f->drive || !f->part_drive || !f->target || !f->line)
        return sn_free(held), SN_NO_MEMORY;
    for (int32_t i = 0; i < f->samples.bone.count; ++i) held[f->samples.bone.at[i].bone] = 1;
    for (int32_t b = 0; b < f->anatomy.nbody; ++b) f->held += held[b];
    sn_pool_loop(f->pool, f->tissue.n, weight_node, &w);
    sn_free(held);
    return SN_OK;
}

/* The skin, and the muscles where they are wanted, as surfaces of a deformer. */
static snStatus embed_surfaces(snFlesh *f)
{
    const snAnatomy *a = &f->anatomy;
    int32_t nmuscle = f->def.muscles ? a->nmuscle : 0, npoint = a->skin.nvertex;
    for (int32_t m = 0; m < nmuscle; ++m) npoint += a->muscle[m].mesh.nvertex;
    double *normal = SN_NEW_ARRAY(double, 3 * (size_t)a->skin.nvertex);
    f->surface = SN_NEW_ARRAY(snDeformSurface, nmuscle + 1), f->embedded = SN_NEW_ARRAY(snEmbedded, npoint);
    if (!normal || !f->surface || !f->embedded) return sn_free(normal), SN_NO_MEMORY;
    sn_trimesh_normals(&a->skin, normal);
    f->npoint = npoint, f->nsurface = nmuscle + 1;
    f->surface[0] = (snDeformSurface){.name = a->skin_name,
                                      .nvertex = a->skin.nvertex,
                                      .ntriangle = a->skin.ntriangle,
                                      .vertex = a->skin.vertex,
                                      .triangle = a->skin.triangle};
    memcpy(f->surface[0].color, a->skin_color, sizeof a->skin_color);
    snStatus status =
        sn_flesh_embed(&f->samples, f->tree, &f->tissue.lattice, a->skin.nvertex, a->skin.vertex, normal, f->embedded);
    npoint = a->skin.nvertex;
    for (int32_t m = 0; status == SN_OK && m < nmuscle; ++m) {
        const snTriMesh *mesh = &a->muscle[m].mesh;
        f->surface[1 + m] = (snDeformSurface){.name = a->muscle[m].name,
                                              .nvertex = mesh->nvertex,
                                              .ntriangle = mesh->ntriangle,
                                              .vertex = mesh->vertex,
                                              .triangle = mesh->triangle};
        memcpy(f->surface[1 + m].color, a->muscle[m].color, sizeof a->muscle[m].color);
        status = sn_flesh_embed(&f->samples, f->tree, &f->tissue.lattice, mesh->nvertex, mesh->vertex, NULL,
                                f->embedded + npoint);
        npoint += mesh->nvertex;
    }
    sn_free(normal);
    return status;
}

static snStatus build(snFlesh *f, const snSpec *spec, snProgress progress, snError *error)
{
    snStatus status = check(&f->def, error);
    if (status == SN_OK) status = sn_anatomy_create(spec, f->def.mesh, &f->anatomy, error);
    f->pool = sn_pool_create(f->def.threads > 0 ? f->def.threads : sn_hardware_threads());
    if (status == SN_OK && f->def.muscles && f->anatomy.nmuscle == 0) {
        status =
            sn_fail(error, SN_BAD_INPUT, "the scene has no closed mesh of a muscle that could deform with the flesh");
        sn_error_remedy(error, "leave out the muscles, or add their meshes to the scene (sinew surface)");
    }
    if (status == SN_OK) status = find_surface(f, error);
    if (status != SN_OK) return status;
    snFleshSampling sampling = {.anatomy = &f->anatomy,
                                .tree = f->tree,
                                .spacing = f->spacing,
                                .sizes = f->def.sizes,
                                .hold = f->def.hold,
                                .pool = f->pool,
                                .progress = progress};
    v3_store(f->gravity, sn_spec_gravity(spec));
    status = sn_flesh_sample(&sampling, &f->samples, error);
    if (f->samples.needed > 0 && f->def.spacing == 0) { /* as many tetrahedra as the thinnest part needs */
        f->spacing = sampling.spacing = 0.98 * f->samples.needed;
        status = check_memory(f, error);
        if (status == SN_OK) status = sn_flesh_sample(&sampling, &f->samples, error);
    }
    if (status == SN_OK) status = make_tissue(f, error);
    if (status != SN_OK) return status;
    status = weight_nodes(f);
    if (status == SN_OK) status = embed_surfaces(f);
    if (status == SN_OK) status = sn_flesh_contact_create(f);
    if (status != SN_OK) return sn_fail_no_memory(error);
    sn_lattice_forget(&f->tissue.lattice);
    f->outside = f->samples.outside, f->first_outside = f->samples.first_outside;
    f->thin = f->samples.thin, f->thinnest = f->samples.thinnest, f->thin_spacing = f->samples.thin_spacing;
    f->dropped = f->samples.dropped, f->muscle_volume = f->samples.muscle_volume;
    sn_flesh_samples_free(&f->samples);
    sn_flesh_restart(f);
    return SN_OK;
}

snStatus sn_create_model_flesh(const snSpec *spec, const snFleshDef *def, snProgress progress, snFlesh **flesh,
                               snError *error)
{
    if (!spec || !def || !flesh) return sn_fail_argument(error, "sn_create_model_flesh without spec, def or flesh");
    snFleshDef taken = sn_default_flesh_def();
    if (SN_TAKE_DEF(def, snFleshDef, taken, error)) return SN_BAD_ARGUMENT;
    snFlesh *f = SN_NEW(snFlesh);
    *flesh = NULL;
    if (!f) return sn_fail_no_memory(error);
    f->def = *def;
    snStatus status = build(f, spec, progress, error);
    if (status == SN_OK)
        *flesh = f;
    else
        sn_flesh_destroy(f);
    return status;
}

void sn_flesh_destroy(snFlesh *f)
{
    if (!f) return;
    sn_flesh_contact_free(f);
    sn_tissue_free(&f->tissue);
    sn_flesh_samples_free(&f->samples);
    sn_bvh_destroy(f->tree);
    sn_anatomy_free(&f->anatomy);
    sn_pool_destroy(f->pool);
    void *block[] = {f->body,       f->weight, f->predicted, f->before,  f->good,     f->pose,   f->part_pose, f->drive,
                     f->part_drive, f->target, f->line,      f->surface, f->embedded, f->beside, f->drift,     f->turn};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) sn_free(block[i]);
    sn_free(f);
}

void sn_flesh_set_tolerance(snFlesh *f, double tolerance)
{
    if (!f) return;
    f->def.tolerance = tolerance;
}

snFleshSize sn_flesh_size(const snFlesh *f)
{
    if (!f) return (snFleshSize){0};
    return (snFleshSize){.tetrahedra = f->tissue.ntet[0] + f->tissue.ntet[1] + f->tissue.ntet[2],
                         .tetrahedra_of = {f->tissue.ntet[0], f->tissue.ntet[1], f->tissue.ntet[2]},
                         .hanging = f->tissue.lattice.nhang,
                         .nodes = f->tissue.n,
                         .levels = f->tissue.grid.nlevel,
                         .bones = f->held,
                         .muscles = sn_count(f->anatomy.model, SN_ITEM_MUSCLE),
                         .colors = f->tissue.grid.level[0].matrix.ncolor,
                         .spacing = f->spacing,
                         .volume = f->volume,
                         .muscle_volume = f->muscle_volume,
                         .bytes = sn_tissue_bytes(&f->tissue),
                         .parts_dropped = f->dropped,
                         .muscles_outside = f->outside,
                         .first_outside = f->first_outside,
                         .muscles_thin = f->thin,
                         .thinnest = f->thinnest,
                         .thin_spacing = f->thin_spacing};
}

snFleshInfo sn_flesh_info(const snFlesh *f)
{
    if (!f) return (snFleshInfo){0};
    return f->info;
}
