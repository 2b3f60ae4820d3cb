/* Bellies as closed meshes. Volume: PCSA times fibre length, as published from cadavers, times one factor to living
 * muscle. Long muscles are packed side by side in slices across the arm (slice.h) and lofted; short ones that run
 * across it are flat spindles about their path. Tables: bellies.tsv for extents, skin_sections.tsv for the room that
 * there is. */
#include "author/table.h"
#include "hand/hand.h"
#include "hand/slice.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 160, RINGS = 96, SPINDLE_RINGS = 11, MAX_MUSCLE = 80, MAX_BONE = 64, MAX_SECTION = 24, EXTRAS = 2 };

/* Living over cadaver volume, one factor for all. The muscles that move the wrist and the fingers make up 16.0 % of the
 * muscle of the upper limb, 1427 to 4426 cm^3 in ten adults (Holzbaur 2007); for a man of median stature we take 3000,
 * which is 480 cm^3 where PCSA times fibre length of muscles.tsv sums to 251 cm^3. */
static const double LIVING = 1.9;
static const double STEP = 8e-3;                  /* m, between slices */
static const double TOP = 0.428, BOTTOM = -0.085; /* m: levels of the first and last slice */
static const double COVER = 3e-3;                 /* m, skin and fat over the outermost belly */
static const double BONE_MARGIN = 5e-4;           /* m */

typedef struct belly {
    const snHandMuscle *muscle; /* NULL: an extra, without a strand */
    char name[SN_HAND_NAME + 8];
    double start, length, flat, volume; /* m, m, width over thickness, m^3 */
    double wide;                        /* m: length as the table gives it */
    double total;                       /* m, of the path */
    v3 at[SAMPLES];                     /* of the path */
    double along[SAMPLES];              /* m, from the origin */
    int32_t nring;
    v3 middle[RINGS];                   /* of its rings */
    double radius[RINGS][SLICE_ANGLES]; /* m, in the plane of the slice */
} belly;

typedef struct bellies {
    int32_t count, nbone, nsection;
    belly *at;
    snTriMesh bone[MAX_BONE]; /* world */
    struct {
        v3 center;
        double half_x, half_z, power, arch;
    } section[MAX_SECTION]; /* of the arm's skin, from the top down */
    snSlice slice;
} bellies;

double sn_hand_belly_volume(const snHandMuscle *muscle)
{
    return LIVING * muscle->pcsa * muscle->fiber_length;
}

/* ---- what there is ------------------------------------------------------------------------------- */

static void sample_path(const snNodeDef *curve, belly *b)
{
    int32_t span = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        double w[4], t = (double)i / (SAMPLES - 1);
        span = spline_basis(curve->knot, curve->npoint, t, span, w, NULL, NULL);
        b->at[i] = v3_of(0, 0, 0);
        for (int k = 0; k < 4; ++k) b->at[i] = v3_mad(b->at[i], w[k], v3_load(curve->point + 3 * (span + k)));
        b->along[i] = i ? b->along[i - 1] + v3_dist(b->at[i], b->at[i - 1]) : 0;
    }
    b->total = b->along[SAMPLES - 1];
    b->start = fmin(b->start, 0.1 * b->total);
    b->length = fmin(b->length, 0.98 * b->total - b->start);
}

/* A sheet whose fibres run across the arm fills its length of the arm, about the middle of its path. */
static void turn_along_arm(belly *b)
{
    v3 middle = {0};
    for (int i = 0; i < SAMPLES; ++i) middle = v3_mad(middle, 1.0 / SAMPLES, b->at[i]);
    for (int i = 0; i < SAMPLES; ++i) {
        b->along[i] = b->wide * i / (SAMPLES - 1);
        b->at[i] = v3_add(middle, v3_of(0, b->wide / 2 - b->along[i], 0));
    }
    b->start = 0, b->length = b->total = b->wide, b->flat = 0;
}

static snStatus read_bellies(const snHand *hand, const snHandDef *def, const snSpec *spec, bellies *all, snError *error)
{
    snFigures t = {0};
    snStatus status = sn_figures_load(&t, def->tables, "bellies.tsv");
    for (int32_t row = 0; status == SN_OK && row < t.nrow && all->count < MAX_MUSCLE; ++row) {
        belly *b = all->at + all->count;
        char name[SN_HAND_NAME];
        sn_figures_name(&t, row, "muscle", name, sizeof name);
        b->start = sn_figures_number(&t, row, "start"), b->length = sn_figures_number(&t, row, "length");
        b->flat = sn_figures_number(&t, row, "flat");
        for (int32_t i = 0; i < hand->muscle.count; ++i)
            if (strcmp(hand->muscle.at[i].name, name) == 0) b->muscle = &hand->muscle.at[i];
        snId node = sn_spec_find(spec, SN_KIND_NODE, name);
        if (!b->muscle || !node) continue; /* the hood's variant has other strands */
        (void)snprintf(b->name, sizeof b->name, "%s.belly", name);
        b->volume = sn_hand_belly_volume(b->muscle);
        b->wide = b->length;
        sample_path(sn_spec_node(spec, node), b);
        if (b->flat < 0) turn_along_arm(b);
        if (!(b->length > 0)) sn_figures_complain(&t, row, "length must be above 0");
        ++all->count;
    }
    status = t.error.status;
    if (status != SN_OK && error) *error = t.error;
    sn_figures_free(&t);
    return status;
}

static snStatus read_sections(const snHandDef *def, bellies *all, snError *error)
{
    snFigures t = {0};
    snStatus status = sn_figures_load(&t, def->tables, "skin_sections.tsv");
    for (int32_t row = 0; status == SN_OK && row < t.nrow && all->nsection < MAX_SECTION; ++row) {
        const char *segment = sn_figures_text(&t, row, "segment");
        if (!strstr("upper_arm forearm wrist palm", segment)) continue;
        all->section[all->nsection].center = sn_figures_v3(&t, row, "center");
        all->section[all->nsection].half_x = sn_figures_number(&t, row, "breadth") / 2;
        all->section[all->nsection].half_z = sn_figures_number(&t, row, "depth") / 2;
        all->section[all->nsection].power = sn_figures_number(&t, row, "exponent");
        all->section[all->nsection++].arch = sn_figures_number(&t, row, "arch");
    }
    status = t.error.status;
    if (status != SN_OK && error) *error = t.error;
    sn_figures_free(&t);
    return status;
}

/* A place of a node in the world; nodes of the kit are not scaled. */
static v3 to_world(const snSpec *spec, const snNodeDef *node, v3 p)
{
    for (;; node = sn_spec_node(spec, node->parent)) {
        p = rigid_apply((rigid){q_load(node->rotate), v3_load(node->translate)}, p);
        if (!node->parent) return p;
    }
}

static snStatus read_bones(const snSpec *spec, bellies *all, snError *error)
{
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE) && all->nbone < MAX_BONE; ++id) {
        const snNodeDef *node = sn_spec_node(spec, id);
        if (node->kind != SN_NODE_MESH || node->ntriangle < 1) continue;
        snTriMesh *mesh = all->bone + all->nbone++;
        if (!sn_trimesh_alloc(mesh, node->nvertex, node->ntriangle)) return sn_fail_no_memory(error);
        memcpy(mesh->triangle, node->triangle, 3 * sizeof *mesh->triangle * (size_t)node->ntriangle);
        for (int32_t v = 0; v < node->nvertex; ++v)
            v3_store(mesh->vertex + 3 * v, to_world(spec, node, v3_load(node->vertex + 3 * v)));
    }
    return SN_OK;
}

/* Triceps and brachialis do not move the hand, so they have no strands: shapes only, along straight lines, with areas
 * (m^2) at both ends and in the middle. Authored (C). */
static void add_extras(bellies *all)
{
    static const struct {
        const char *name;
        double from[3], to[3], volume;
    } extra[EXTRAS] = {{"triceps", {-0.045, 0.428, -0.040}, {-0.036, 0.272, -0.046}, 1.9e-4},
                       {"brachialis", {-0.008, 0.428, -0.058}, {-0.010, 0.245, -0.048}, 1.05e-4}};
    for (int e = 0; e < EXTRAS && all->count < MAX_MUSCLE; ++e) {
        belly *b = all->at + all->count++;
        (void)snprintf(b->name, sizeof b->name, "%s", extra[e].name);
        for (int i = 0; i < SAMPLES; ++i) {
            b->at[i] = v3_lerp(v3_load(extra[e].from), v3_load(extra[e].to), (double)i / (SAMPLES - 1));
            b->along[i] = i ? b->along[i - 1] + v3_dist(b->at[i], b->at[i - 1]) : 0;
        }
        b->volume = extra[e].volume, b->total = b->length = b->along[SAMPLES - 1];
    }
}

/* ---- slices -------------------------------------------------------------------------------------- */

/* Area across the path at a fraction of the belly, over volume / length: a spindle, blunter at its origin, that tapers
 * into its tendon; the extras are cut where the skin ends. */
static double profile(const belly *b, double t)
{
    double rise = b->muscle ? pow(t, 0.75) : 0.55 + 0.45 * fmin(1, 3 * t), fall = pow(1 - t, b->muscle ? 1.3 : 0.9);
    return (b->muscle ? 1.0 / 0.1678 : 1.0 / 0.4589) * rise * fall; /* the integrals of the two from 0 to 1 */
}

/* Where the belly's path crosses a level, and the area that it wants in the slice. */
static bool cross_level(const belly *b, double level, snSliceSite *site)
{
    for (int i = 1; i < SAMPLES; ++i) {
        v3 p = b->at[i - 1], q = b->at[i];
        if ((p.y < level) == (q.y < level)) continue;
        double part = (level - p.y) / (q.y - p.y);
        double t = (b->along[i - 1] + part * (b->along[i] - b->along[i - 1]) - b->start) / b->length;
        if (t < 0.015 || t > 0.985) return false; /* the tips are points */
        double slope = fmax(fabs(q.y - p.y) / fmax(v3_dist(p, q), 1e-9), 0.5);
        v3 at = v3_lerp(p, q, part);
        *site = (snSliceSite){.x = at.x, .z = at.z, .area = b->volume / b->length * profile(b, t) / slope};
        return true;
    }
    return false;
}

/* The room under the skin at a level. */
static void mark_flesh(bellies *all, double level)
{
    int32_t i = 1;
    while (i + 1 < all->nsection && all->section[i].center.y > level) ++i;
    double above = all->section[i - 1].center.y, below = all->section[i].center.y;
    double t = fmin(fmax((above - level) / (above - below), 0), 1), cover = COVER;
    v3 c = v3_lerp(all->section[i - 1].center, all->section[i].center, t);
#define MIX(field) (all->section[i - 1].field + t * (all->section[i].field - all->section[i - 1].field))
    sn_slice_clear(&all->slice, c.x, c.z);
    sn_slice_flesh(&all->slice, c.x, c.z, MIX(half_x) - cover, MIX(half_z) - cover, MIX(power), MIX(arch));
#undef MIX
    for (int32_t b = 0; b < all->nbone; ++b) sn_slice_bone(&all->slice, all->bone + b, level, BONE_MARGIN);
}

static void take_slice(bellies *all, double level)
{
    int32_t of[SLICE_SITES];
    mark_flesh(all, level);
    for (int32_t i = 0; i < all->count && all->slice.nsite < SLICE_SITES; ++i)
        if (all->at[i].flat <= 0 && cross_level(all->at + i, level, all->slice.site + all->slice.nsite))
            of[all->slice.nsite++] = i;
    sn_slice_share(&all->slice);
    for (int k = 0; k < all->slice.nsite; ++k) {
        belly *b = all->at + of[k];
        const snSliceSite *site = all->slice.site + k;
        if (b->nring >= RINGS) continue;
        b->middle[b->nring] = v3_of(site->cx, level, site->cz);
        memcpy(b->radius[b->nring++], site->radius, sizeof site->radius);
    }
}

/* ---- meshes -------------------------------------------------------------------------------------- */

static v3 path_at(const belly *b, double along)
{
    int i = 1;
    while (i + 1 < SAMPLES && b->along[i] < along) ++i;
    return v3_lerp(b->at[i - 1], b->at[i], (along - b->along[i - 1]) / (b->along[i] - b->along[i - 1]));
}

/* Rings follow each other without steps: each takes half of the mean of its neighbours. */
static void smooth_rings(belly *b)
{
    for (int round = 0; round < 2; ++round) {
        double before[SLICE_ANGLES];
        v3 was = b->middle[0];
        memcpy(before, b->radius[0], sizeof before);
        for (int32_t r = 1; r + 1 < b->nring; ++r) {
            v3 here = b->middle[r];
            b->middle[r] = v3_lerp(here, v3_lerp(was, b->middle[r + 1], 0.5), 0.5);
            was = here;
            for (int a = 0; a < SLICE_ANGLES; ++a) {
                double own = b->radius[r][a];
                b->radius[r][a] = 0.5 * own + 0.25 * (before[a] + b->radius[r + 1][a]);
                before[a] = own;
            }
        }
    }
}

static void place_ring(const belly *b, int32_t r, double scale, double *position)
{
    for (int a = 0; a < SLICE_ANGLES; ++a) {
        double angle = 2 * SN_PI * a / SLICE_ANGLES, radius = scale * b->radius[r][a];
        v3_store(position + 3 * a, v3_add(b->middle[r], v3_of(radius * cos(angle), 0, radius * sin(angle))));
    }
}

/* An ellipse across the path, wide along the arm or the palm and thin towards its back. */
static void place_spindle_ring(const belly *b, int32_t r, double scale, double *position)
{
    double t = (r + 1.0) / (SPINDLE_RINGS + 1), here = b->start + t * b->length, step = 0.02 * b->length;
    double area = b->volume / b->length * profile(b, t), thick = scale * sqrt(area / SN_PI / b->flat);
    v3 at = path_at(b, here), way = v3_unit(v3_sub(path_at(b, here + step), path_at(b, here - step)));
    v3 thin = v3_unit(v3_mad(v3_of(0, 0, 1), -way.z, way)), wide = v3_cross(way, thin);
    for (int a = 0; a < SLICE_ANGLES; ++a) {
        double angle = 2 * SN_PI * a / SLICE_ANGLES;
        v3 out = v3_mad(v3_scale(wide, b->flat * thick * cos(angle)), thick * sin(angle), thin);
        v3_store(position + 3 * a, v3_add(at, out));
    }
}

static snStatus loft(const belly *b, bool spindle, double scale, snTriMesh *mesh, double *volume, snError *error)
{
    double position[RINGS * SLICE_ANGLES * 3];
    int32_t nring = spindle ? SPINDLE_RINGS : b->nring;
    v3 first = path_at(b, b->start), last = path_at(b, b->start + b->length);
    for (int32_t r = 0; r < nring; ++r)
        (spindle ? place_spindle_ring : place_ring)(b, r, scale, position + (ptrdiff_t)3 * SLICE_ANGLES * r);
    snStatus status = sn_trimesh_loft(nring, SLICE_ANGLES, position, b->muscle ? &first : NULL, &last, mesh, error);
    if (status != SN_OK) return status;
    sn_trimesh_integrals(mesh, volume, NULL, NULL);
    for (int32_t t = 0; *volume < 0 && t < mesh->ntriangle; ++t) {
        int32_t swap = mesh->triangle[3 * t];
        mesh->triangle[3 * t] = mesh->triangle[3 * t + 1], mesh->triangle[3 * t + 1] = swap;
    }
    *volume = fabs(*volume);
    return SN_OK;
}

static snStatus add_mesh(belly *b, snSpec *spec, snId parent, snError *error)
{
    snTriMesh mesh = {0};
    bool spindle = b->nring < 3;
    double scale = 1, volume = 0;
    snStatus status = SN_OK;
    if (!spindle) smooth_rings(b);
    for (int round = 0; round < 4 && status == SN_OK; ++round) {
        sn_trimesh_free(&mesh);
        status = loft(b, spindle, scale, &mesh, &volume, error);
        if (status == SN_OK && volume > 0) scale *= sqrt(b->volume / volume);
    }
    snNodeDef node = sn_default_node_def();
    node.name = b->name, node.kind = SN_NODE_MESH, node.parent = parent;
    node.nvertex = mesh.nvertex, node.vertex = mesh.vertex;
    node.ntriangle = mesh.ntriangle, node.triangle = mesh.triangle;
    node.visible = b->muscle == NULL; /* pictures show those of strands moving with them */
    node.color[0] = 0.56, node.color[1] = 0.18, node.color[2] = 0.16; /* muscle, as in page/tissue.h */
    for (int32_t i = 0; i < 3 * mesh.nvertex; ++i) mesh.vertex[i] = round(1e6 * mesh.vertex[i]) / 1e6; /* short files */
    if (status == SN_OK) status = sn_add_node(spec, &node, NULL);
    sn_trimesh_free(&mesh);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}

static snStatus add_all(bellies *all, snSpec *spec, snError *error)
{
    snNodeDef group = sn_default_node_def();
    group.name = "bellies";
    snId parent = 0;
    for (double level = TOP; level > BOTTOM; level -= STEP) take_slice(all, level);
    snStatus status = sn_add_node(spec, &group, &parent);
    for (int32_t i = 0; i < all->count && status == SN_OK; ++i) status = add_mesh(all->at + i, spec, parent, error);
    return status;
}

snStatus sn_hand_add_bellies(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error)
{
    bellies *all = SN_NEW(bellies);
    if (!all) return sn_fail_no_memory(error);
    all->at = SN_NEW_ARRAY(belly, MAX_MUSCLE);
    snStatus status = all->at ? read_bellies(hand, def, spec, all, error) : sn_fail_no_memory(error);
    if (status == SN_OK) status = read_sections(def, all, error);
    if (status == SN_OK) status = read_bones(spec, all, error);
    if (status == SN_OK) add_extras(all);
    if (status == SN_OK) status = add_all(all, spec, error);
    for (int32_t b = 0; b < all->nbone; ++b) sn_trimesh_free(all->bone + b);
    sn_free(all->at), sn_free(all);
    return status;
}
