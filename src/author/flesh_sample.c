/* Samples of the material inside a surface: which neighbours the surface parts, which are muscle, which are bone. */
#include "author/flesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/grid.h"

#include <string.h>

/* N/m^3: how firmly the surface of a bone holds the flesh on it, over how firmly its inside does. With it a thin bone
 * (the blade of the scapula) holds too. */
static const double SURFACE_HOLD = 2e-3;

enum { DEEP = 2 * SN_LATTICE_FINE }; /* samples: two small cells between the skin and larger ones */

typedef struct {
    const snFleshSampling *def;
    snMeshSide side;
    snGrid grid;
    snFleshSamples *to;
    int8_t *owner; /* per sample: 0 flesh, 1 bone, 2 muscle */
} Work;

static double skin_distance(const void *context, v3 p, double limit)
{
    const Work *w = context;
    return sn_mesh_depth(w->def->tree, &w->side, p, limit);
}

void sn_flesh_samples_free(snFleshSamples *s)
{
    sn_free(s->grid.flag);
    sn_free(s->grid.size);
    sn_free(s->depth);
    sn_array_free(&s->muscle);
    sn_array_free(&s->bone);
    *s = (snFleshSamples){0};
}

static int32_t index_of(const snSamples *s, int32_t x, int32_t y, int32_t z)
{
    return (x * s->n[1] + y) * s->n[2] + z;
}

static size_t count_of(const snSamples *s)
{
    return (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
}

static snStatus lay_grid(Work *w, snError *error)
{
    const snTriMesh *skin = &w->def->anatomy->skin;
    v3 low = sn_trimesh_point(skin, 0), high = low;
    snSamples *s = &w->to->grid;
    double h = w->def->spacing;
    for (int32_t i = 0; i < skin->nvertex; ++i) {
        v3 p = sn_trimesh_point(skin, i);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    s->low = v3_sub(low, v3_of(h, h, h)), s->spacing = h / SN_LATTICE_FINE;
    double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    for (int d = 0; d < 3; ++d) s->n[d] = SN_LATTICE_FINE * ((int32_t)ceil(size[d] / h) + 2);
    if ((double)s->n[0] * s->n[1] * s->n[2] > 5e8)
        return sn_fail(error, SN_BAD_INPUT, "a spacing of %g m needs %g samples for this surface", h,
                       (double)s->n[0] * s->n[1] * s->n[2]);
    s->flag = SN_NEW_ARRAY(uint8_t, count_of(s));
    w->to->depth = SN_NEW_ARRAY(float, count_of(s)), w->owner = SN_NEW_ARRAY(int8_t, count_of(s));
    return s->flag && w->to->depth && w->owner ? SN_OK : sn_fail_no_memory(error);
}

static snStatus measure_depth(Work *w, snError *error)
{
    snSamples *s = &w->to->grid;
    v3 low = sn_sample_point(s, 0, 0, 0), high = sn_sample_point(s, s->n[0], s->n[1], s->n[2]);
    snGridDef def = {
        .low = low, .high = high, .spacing = s->spacing, .distance = skin_distance, .context = w, .pool = w->def->pool};
    if (!sn_mesh_side_create(&w->def->anatomy->skin, &w->side)) return sn_fail_no_memory(error);
    snStatus status = sn_grid_create(&def, &w->grid, error);
    if (status != SN_OK) return status;
    for (int32_t x = 0, i = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z, ++i) {
                size_t at = ((size_t)x * (size_t)w->grid.n[1] + (size_t)y) * (size_t)w->grid.n[2] + (size_t)z;
                w->to->depth[i] = w->grid.value[at];
                if (w->to->depth[i] < 0) s->flag[i] = SN_SAMPLE_INSIDE;
            }
    return SN_OK;
}

/* Neighbours that are inside are linked unless the surface runs between them. */
static void link_layer(void *context, int32_t x)
{
    Work *w = context;
    snSamples *s = &w->to->grid;
    float near = (float)s->spacing;
    for (int32_t y = 0; y < s->n[1]; ++y)
        for (int32_t z = 0; z < s->n[2]; ++z) {
            int32_t i = index_of(s, x, y, z);
            if (!(s->flag[i] & SN_SAMPLE_INSIDE)) continue;
            for (int d = 0; d < 3; ++d) {
                int32_t at[3] = {x + (d == 0), y + (d == 1), z + (d == 2)};
                if (at[d] >= s->n[d]) continue;
                int32_t j = index_of(s, at[0], at[1], at[2]);
                if (!(s->flag[j] & SN_SAMPLE_INSIDE)) continue;
                if (w->to->depth[i] > -near && w->to->depth[j] > -near &&
                    sn_bvh_segment_crosses(w->def->tree, sn_sample_point(s, x, y, z),
                                           sn_sample_point(s, at[0], at[1], at[2])))
                    continue;
                s->flag[i] |= (uint8_t)(1 << d);
            }
        }
}

/* ---- bones --------------------------------------------------------------------------------- */

/* Samples of the grid that a box holds. */
static void box_range(const snSamples *s, v3 low, v3 high, int32_t first[3], int32_t last[3])
{
    double a[3] = {low.x - s->low.x, low.y - s->low.y, low.z - s->low.z};
    double b[3] = {high.x - s->low.x, high.y - s->low.y, high.z - s->low.z};
    for (int d = 0; d < 3; ++d) {
        first[d] = (int32_t)fmax(0, floor(a[d] / s->spacing) - 1);
        last[d] = (int32_t)fmin(s->n[d] - 1, ceil(b[d] / s->spacing) + 1);
    }
}

static void mesh_box(const snTriMesh *mesh, v3 *low, v3 *high)
{
    *low = v3_of(INFINITY, INFINITY, INFINITY), *high = v3_neg(*low);
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        *low = v3_of(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = v3_of(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

typedef struct {
    Work *w;
    const snBvh *tree;
    int8_t mark;
    int32_t first[3], last[3];
} Marking;

static void mark_layer(void *context, int32_t layer)
{
    Marking *m = context;
    snSamples *s = &m->w->to->grid;
    int32_t x = m->first[0] + layer;
    for (int32_t y = m->first[1]; y <= m->last[1]; ++y)
        for (int32_t z = m->first[2]; z <= m->last[2]; ++z) {
            int32_t i = index_of(s, x, y, z);
            if (s->flag[i] & SN_SAMPLE_INSIDE && m->w->owner[i] == 0 &&
                sn_bvh_inside(m->tree, sn_sample_point(s, x, y, z)))
                m->w->owner[i] = m->mark;
        }
}

/* Marks the free samples inside a mesh. */
static Marking mark_mesh(Work *w, const snTriMesh *mesh, const snBvh *tree, int8_t mark)
{
    Marking m = {.w = w, .tree = tree, .mark = mark};
    v3 low, high;
    mesh_box(mesh, &low, &high);
    box_range(&w->to->grid, low, high, m.first, m.last);
    if (m.last[0] >= m.first[0]) sn_pool_loop(w->def->pool, m.last[0] - m.first[0] + 1, mark_layer, &m);
    return m;
}

/* The sample nearest to a point that is inside, within one cell around it; -1. */
static int32_t sample_near(const snSamples *s, v3 p)
{
    int32_t best = -1,
            at[3] = {(int32_t)floor((p.x - s->low.x) / s->spacing), (int32_t)floor((p.y - s->low.y) / s->spacing),
                     (int32_t)floor((p.z - s->low.z) / s->spacing)};
    double least = INFINITY;
    for (int32_t x = at[0] - 1; x <= at[0] + 1; ++x)
        for (int32_t y = at[1] - 1; y <= at[1] + 1; ++y)
            for (int32_t z = at[2] - 1; z <= at[2] + 1; ++z) {
                if (x < 0 || y < 0 || z < 0 || x >= s->n[0] || y >= s->n[1] || z >= s->n[2]) continue;
                int32_t i = index_of(s, x, y, z);
                double d = v3_dist(p, sn_sample_point(s, x, y, z));
                if (s->flag[i] & SN_SAMPLE_INSIDE && d < least) best = i, least = d;
            }
    return best;
}

static bool add_bone(Work *w, int32_t bone, double *deepest, int32_t *count)
{
    const snFleshBone *b = &w->def->anatomy->bone[bone];
    snSamples *s = &w->to->grid;
    Marking m = mark_mesh(w, &b->mesh, b->tree, 3);
    double volume = s->spacing * s->spacing * s->spacing;
    for (int32_t x = m.first[0]; x <= m.last[0]; ++x)
        for (int32_t y = m.first[1]; y <= m.last[1]; ++y)
            for (int32_t z = m.first[2]; z <= m.last[2]; ++z) {
                int32_t i = index_of(s, x, y, z);
                if (w->owner[i] != 3) continue;
                w->owner[i] = 1;
                *deepest = fmax(*deepest, -(double)w->to->depth[i]), ++*count;
                snBoneSample sample = {i, b->body, sn_sample_point(s, x, y, z), w->def->hold * volume};
                if (!sn_array_push(&w->to->bone, sample)) return false;
            }
    double share = SURFACE_HOLD * w->def->hold * sn_trimesh_area(&b->mesh) / b->mesh.nvertex;
    for (int32_t v = 0; v < b->mesh.nvertex; ++v) {
        v3 p = sn_trimesh_point(&b->mesh, v);
        int32_t i = sample_near(s, p);
        if (i < 0) continue;
        *deepest = fmax(*deepest, -(double)w->to->depth[i]), ++*count;
        if (!sn_array_push(&w->to->bone, ((snBoneSample){i, b->body, p, share}))) return false;
    }
    return true;
}

/* A part that is less than 1.2 cells thick around its bone cannot bend or bulge. deepest: of the thinnest part. */
static snStatus check_thinnest(const Work *w, const snFleshBone *b, double deepest, snError *error)
{
    if (!b || deepest >= 0.6 * w->def->spacing) return SN_OK;
    w->to->needed = deepest / 0.6;
    (void)sn_fail(error, SN_BAD_INPUT,
                  "the flesh around \"%.100s\" is only %.1f mm thick, too thin for a spacing of %.1f mm", b->name,
                  2e3 * deepest, 1e3 * w->def->spacing);
    sn_error_remedy(error, "use a spacing of at most %.1f mm", floor(1e4 * w->to->needed) / 10);
    return SN_BAD_INPUT;
}

static snStatus add_bones(Work *w, snError *error)
{
    const snAnatomy *a = w->def->anatomy;
    const snFleshBone *thinnest = NULL;
    double least = INFINITY;
    for (int32_t b = 0; b < a->nbone; ++b) {
        double deepest = 0;
        int32_t count = 0;
        if (!add_bone(w, b, &deepest, &count)) return sn_fail_no_memory(error);
        if (count > 0 && deepest < least) least = deepest, thinnest = &a->bone[b];
    }
    if (w->to->bone.count > 0) return check_thinnest(w, thinnest, least, error);
    (void)sn_fail(error, SN_BAD_INPUT, "no bone lies inside the surface \"%.100s\"", a->skin_name);
    sn_error_remedy(error, "check that surface and bones are drawn in the same pose and units");
    return SN_BAD_INPUT;
}

/* ---- muscles ------------------------------------------------------------------------------- */

/* Distance to the strand's belly and its direction there. */
static double strand_distance(const snFleshStrand *s, v3 p, double limit, v3 *direction)
{
    double best = limit;
    if (p.x < s->low.x - limit || p.y < s->low.y - limit || p.z < s->low.z - limit || p.x > s->high.x + limit ||
        p.y > s->high.y + limit || p.z > s->high.z + limit)
        return best;
    for (int32_t i = 0; i + 1 < s->npoint; ++i) {
        v3 d = v3_sub(s->point[i + 1], s->point[i]), q = v3_sub(p, s->point[i]);
        double t = fmin(fmax(v3_dot(q, d) / fmax(v3_len2(d), 1e-20), 0), 1), far = v3_len(v3_mad(q, -t, d));
        if (far < best) best = far, *direction = v3_unit(d);
    }
    return best;
}

static bool push_muscle(Work *w, int32_t sample, int32_t muscle, v3 d)
{
    snMuscleSample s = {sample, muscle, {(float)d.x, (float)d.y, (float)d.z}};
    w->to->muscle_volume += w->to->grid.spacing * w->to->grid.spacing * w->to->grid.spacing;
    return sn_array_push(&w->to->muscle, s);
}

/* The strand of a mesh (or of none) that is nearest to a sample. */
static bool nearest_strand(Work *w, int32_t mesh, int32_t sample, v3 p)
{
    const snAnatomy *a = w->def->anatomy;
    double least = mesh >= 0 ? 1 : INFINITY;
    int32_t muscle = -1;
    v3 direction = {0};
    for (int32_t i = 0; i < a->nstrand; ++i) {
        const snFleshStrand *s = &a->strand[i];
        v3 d = {0};
        if (s->mesh != mesh) continue;
        double limit = mesh >= 0 ? least : s->radius, far = strand_distance(s, p, limit, &d);
        if (far >= limit) continue;
        if (mesh < 0) far /= s->radius; /* the one whose axis is relatively nearer */
        if (far < least) least = far, muscle = s->fibers, direction = d;
    }
    return muscle < 0 || push_muscle(w, sample, muscle, direction);
}

static bool add_mesh_muscle(Work *w, int32_t muscle, int32_t *count)
{
    const snFleshMuscle *f = &w->def->anatomy->muscle[muscle];
    snSamples *s = &w->to->grid;
    Marking m = mark_mesh(w, &f->mesh, f->tree, 4);
    for (int32_t x = m.first[0]; x <= m.last[0]; ++x)
        for (int32_t y = m.first[1]; y <= m.last[1]; ++y)
            for (int32_t z = m.first[2]; z <= m.last[2]; ++z) {
                int32_t i = index_of(s, x, y, z);
                if (w->owner[i] != 4) continue;
                w->owner[i] = 2, ++*count;
                if (f->nstrand > 0 && !nearest_strand(w, muscle, i, sn_sample_point(s, x, y, z))) return false;
            }
    return true;
}

static void note_outside(Work *w, const char *name)
{
    if (w->to->outside++ == 0) w->to->first_outside = name;
}

/* A belly that no sample lies in: the surface does not hold it, or it fits between the samples. */
static void note_missed(Work *w, const snFleshStrand *s)
{
    for (int32_t i = 0; i < s->npoint; ++i)
        if (sn_bvh_inside(w->def->tree, s->point[i])) {
            /* samples a radius of two over the root of three apart leave no ball out */
            double spacing = SN_LATTICE_FINE * 2 / sqrt(3) * s->radius;
            if (w->to->thin++ == 0 || spacing < w->to->thin_spacing)
                w->to->thinnest = s->name, w->to->thin_spacing = spacing;
            return;
        }
    note_outside(w, s->name);
}

/* Bellies around strands that fill no mesh. */
static snStatus add_grown_muscles(Work *w, snError *error)
{
    const snAnatomy *a = w->def->anatomy;
    snSamples *s = &w->to->grid;
    int32_t *seen = SN_NEW_ARRAY(int32_t, a->nstrand + 1);
    if (!seen) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < a->nstrand; ++k) {
        if (a->strand[k].mesh >= 0) continue;
        int32_t first[3], last[3];
        v3 r = v3_of(a->strand[k].radius, a->strand[k].radius, a->strand[k].radius), d;
        box_range(s, v3_sub(a->strand[k].low, r), v3_add(a->strand[k].high, r), first, last);
        for (int32_t x = first[0]; x <= last[0]; ++x)
            for (int32_t y = first[1]; y <= last[1]; ++y)
                for (int32_t z = first[2]; z <= last[2]; ++z) {
                    int32_t i = index_of(s, x, y, z);
                    if (!(s->flag[i] & SN_SAMPLE_INSIDE)) continue;
                    v3 p = sn_sample_point(s, x, y, z);
                    if (strand_distance(&a->strand[k], p, r.x, &d) >= r.x) continue;
                    ++seen[k];
                    if (w->owner[i] != 0) continue;
                    w->owner[i] = 2;
                    if (!nearest_strand(w, -1, i, p)) return sn_free(seen), sn_fail_no_memory(error);
                }
    }
    for (int32_t k = 0; k < a->nstrand; ++k)
        if (a->strand[k].mesh < 0 && seen[k] == 0) note_missed(w, &a->strand[k]);
    sn_free(seen);
    return SN_OK;
}

static snStatus add_muscles(Work *w, snError *error)
{
    const snAnatomy *a = w->def->anatomy;
    for (int32_t m = 0; m < a->nmuscle; ++m) {
        int32_t count = 0;
        if (!add_mesh_muscle(w, m, &count)) return sn_fail_no_memory(error);
        if (count == 0 && a->muscle[m].nstrand > 0) note_outside(w, a->muscle[m].name);
    }
    return add_grown_muscles(w, error);
}

static snStatus drop_loose(Work *w, snError *error)
{
    uint8_t *mark = SN_NEW_ARRAY(uint8_t, count_of(&w->to->grid));
    if (!mark) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < w->to->bone.count; ++i) mark[w->to->bone.at[i].sample] = 1;
    w->to->dropped = sn_samples_keep_marked(&w->to->grid, mark);
    sn_free(mark);
    return w->to->dropped < 0 ? sn_fail_no_memory(error) : SN_OK;
}

/* Samples where a bone ends: cells around them stay small, since the flesh turns with the bone there. */
static void keep_bones(const Work *w, uint8_t *keep)
{
    const snSamples *s = &w->to->grid;
    int32_t step[3] = {s->n[1] * s->n[2], s->n[2], 1};
    for (size_t i = 0; i < count_of(s); ++i)
        for (int d = 0; d < 3; ++d)
            if (s->flag[i] & (1 << d) && (w->owner[i] == 1) != (w->owner[i + (size_t)step[d]] == 1)) keep[i] = 1;
}

static snStatus grade(Work *w, snError *error)
{
    uint8_t *keep = SN_NEW_ARRAY(uint8_t, count_of(&w->to->grid));
    if (!keep) return sn_fail_no_memory(error);
    keep_bones(w, keep);
    snStatus status = sn_samples_grade(&w->to->grid, w->def->sizes, DEEP, keep);
    sn_free(keep);
    return status == SN_OK ? SN_OK : sn_fail_no_memory(error);
}

static bool told(const snFleshSampling *s, double done)
{
    return s->progress.call && s->progress.call(s->progress.user, "sample", done, 4) != 0;
}

snStatus sn_flesh_sample(const snFleshSampling *def, snFleshSamples *to, snError *error)
{
    Work w = {.def = def, .to = to};
    *to = (snFleshSamples){0};
    snStatus status = lay_grid(&w, error);
    if (status == SN_OK) status = measure_depth(&w, error);
    if (status == SN_OK && told(def, 1)) status = SN_CANCELLED;
    if (status == SN_OK) sn_pool_loop(def->pool, to->grid.n[0], link_layer, &w);
    if (status == SN_OK) status = add_bones(&w, error);
    if (status == SN_OK && told(def, 2)) status = SN_CANCELLED;
    if (status == SN_OK) status = add_muscles(&w, error);
    if (status == SN_OK && told(def, 3)) status = SN_CANCELLED;
    if (status == SN_OK) status = drop_loose(&w, error);
    if (status == SN_OK && def->sizes > 1) status = grade(&w, error);
    sn_mesh_side_free(&w.side);
    sn_grid_free(&w.grid);
    sn_free(w.owner);
    double needed = to->needed;
    if (status != SN_OK) sn_flesh_samples_free(to);
    to->needed = needed;
    return status;
}
