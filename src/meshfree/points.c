/* points.h: voxels and k-means. One file, because all of it works on the voxels. */
#include "meshfree/consistent.h"
#include "meshfree/neighbours.h"
#include "meshfree/sheet.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    PER_POINT = 60,
    ROUNDS = 24,
    CUBE = 3,
    RUN = 27,
    RUNS = 6,
    SLABS = 32,
    MOST_VOXELS = 4000000,
    SHEET_VOXELS = 300000,
    DEPTHS = 8000,
    HELD = 6, /* points that a bone gets, at least */
    WALLS = 64
};
static const double ACROSS = 5;  /* voxels across a sheet, unless that makes too many */
static const double THIN = 1.5;  /* power of the local radius in the density of points */
static const double APART = 100; /* m: between voxels of different bones, for k-means */
static const double DENSEST = 8; /* largest weight of a voxel over the least */

snSoftPointsDef sn_default_soft_points_def(void)
{
    return (snSoftPointsDef){.count = 400, .axis = {0, 0, 1}, .squeeze = 0.5, .neighbours = 14, .seed = 1};
}

typedef struct voxels {
    int32_t n;
    double size;
    double *x;     /* 3 each */
    double *y;     /* 3 x n: thin parts unfolded, squeezed; one coordinate after the other */
    double *depth; /* n: of about DEPTHS of them, else 0 */
    double *weight;
    int32_t *bone; /* n: that it belongs to, or -1; NULL: no bones */
    int32_t *owner;
    int32_t *order; /* n: by cubes of voxels, so that those next to each other are near */
    snSoftSheet sheet;
} voxels;

static void voxels_free(voxels *v)
{
    sn_free(v->x), sn_free(v->y), sn_free(v->depth), sn_free(v->weight), sn_free(v->owner), sn_free(v->order);
    sn_free(v->bone);
    sn_soft_sheet_free(&v->sheet);
    *v = (voxels){0};
}

static double uniform(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void box_of(const snTriMesh *mesh, v3 *low, v3 *high)
{
    *low = *high = sn_trimesh_point(mesh, 0);
    for (int32_t i = 1; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        *low = v3_of(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = v3_of(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

static int by_value(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Where a line along z passes through the wall, ascending; -1: it grazes an edge, or there are too many. */
static int32_t crossings(const snBvh *tree, v3 from, double length, double z[WALLS])
{
    const snTriMesh *mesh = sn_bvh_mesh(tree);
    int32_t hit[WALLS], count = sn_bvh_segment_hits(tree, from, v3_add(from, v3_of(0, 0, length)), hit, WALLS);
    if (count == WALLS || count % 2) return -1;
    for (int32_t k = 0; k < count; ++k) {
        v3 a = sn_trimesh_corner(mesh, hit[k], 0);
        v3 n = v3_cross(v3_sub(sn_trimesh_corner(mesh, hit[k], 1), a), v3_sub(sn_trimesh_corner(mesh, hit[k], 2), a));
        if (n.z == 0) return -1;
        z[k] = from.z + v3_dot(v3_sub(a, from), n) / n.z;
    }
    qsort(z, (size_t)count, sizeof *z, by_value);
    return count;
}

/* Centres of the cubes of the given size inside the mesh. One line through each column of cubes tells all of it. */
static bool fill(const snBvh *tree, v3 low, v3 high, double size, voxels *v)
{
    SN_ARRAY(v3) inside = {0};
    double wall[WALLS];
    int32_t nx = (int32_t)((high.x - low.x) / size) + 1, ny = (int32_t)((high.y - low.y) / size) + 1,
            nz = (int32_t)((high.z - low.z) / size) + 1;
    bool ok = true;
    for (int32_t i = 0; i < nx; ++i)
        for (int32_t j = 0; j < ny; ++j) {
            v3 foot = v3_add(low, v3_of((i + 0.5) * size, (j + 0.5) * size, -size));
            int32_t count = crossings(tree, foot, (nz + 2) * size, wall), passed = 0;
            for (int32_t k = 0; k < nz && ok && count; ++k) {
                v3 p = v3_add(foot, v3_of(0, 0, (k + 1.5) * size));
                while (passed < count && wall[passed] < p.z) ++passed;
                if (count < 0 ? sn_bvh_inside(tree, p) : passed % 2) ok = sn_array_push(&inside, p);
            }
        }
    size_t n = (size_t)inside.count;
    v->n = inside.count;
    v->x = SN_NEW_ARRAY(double, 3 * n), v->y = SN_NEW_ARRAY(double, 3 * n), v->depth = SN_NEW_ARRAY(double, n);
    v->weight = SN_NEW_ARRAY(double, n), v->owner = SN_NEW_ARRAY(int32_t, n), v->order = SN_NEW_ARRAY(int32_t, n);
    ok = ok && v->x && v->y && v->depth && v->weight && v->owner && v->order;
    for (size_t i = 0; i < n && ok; ++i) {
        v3_store(v->x + 3 * i, inside.at[i]);
        if (i % (n / DEPTHS + 1) == 0) v->depth[i] = sn_bvh_closest(tree, inside.at[i], INFINITY).distance;
    }
    sn_array_free(&inside);
    return ok;
}

/* The density of points follows the depth of the deepest voxel in the same slab across the axis. */
static void weigh(const snSoftPointsDef *def, voxels *v)
{
    double low = INFINITY, high = -INFINITY, deepest[SLABS] = {0}, largest = 0;
    for (int32_t i = 0; i < v->n; ++i) {
        double t = v3_dot(v3_load(v->x + 3 * (size_t)i), def->axis);
        low = fmin(low, t), high = fmax(high, t);
        largest = fmax(largest, v->depth[i]);
    }
    double scale = (SLABS - 1) / fmax(high - low, 1e-12);
    for (int32_t i = 0; i < v->n; ++i) {
        int slab = (int)((v3_dot(v3_load(v->x + 3 * (size_t)i), def->axis) - low) * scale);
        deepest[slab] = fmax(deepest[slab], v->depth[i]);
    }
    for (int32_t i = 0; i < v->n; ++i) {
        v3 p = v3_load(v->x + 3 * (size_t)i),
           y = sn_soft_squeeze(def->axis, def->squeeze, sn_soft_sheet_unfold(&v->sheet, p));
        int slab = (int)((v3_dot(p, def->axis) - low) * scale);
        v->weight[i] = fmin(pow(largest / deepest[slab], THIN), DENSEST);
        v->y[i] = y.x, v->y[(size_t)v->n + (size_t)i] = y.y, v->y[2 * (size_t)v->n + (size_t)i] = y.z;
    }
}

typedef struct cube {
    int64_t key;
    int32_t voxel;
} cube;

static int by_cube(const void *a, const void *b)
{
    const cube *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->voxel > q->voxel) - (p->voxel < q->voxel);
}

static bool sort_by_cubes(v3 low, voxels *v)
{
    cube *list = SN_NEW_ARRAY(cube, v->n);
    if (!list) return false;
    for (int32_t i = 0; i < v->n; ++i) {
        v3 p = v3_scale(v3_sub(v3_load(v->x + 3 * (size_t)i), low), 1 / (CUBE * v->size));
        int64_t bone = v->bone ? v->bone[i] + 1 : 0;
        list[i] = (cube){(bone << 58) + ((int64_t)p.x << 40) + ((int64_t)p.y << 20) + (int64_t)p.z, i};
    }
    qsort(list, (size_t)v->n, sizeof *list, by_cube);
    for (int32_t i = 0; i < v->n; ++i) v->order[i] = list[i].voxel;
    sn_free(list);
    return true;
}

/* Finds the thin parts; in finer voxels where these would be too few across. */
static bool unfold(const snSoftPointsDef *def, const snBvh *tree, v3 low, v3 high, double volume, voxels *v)
{
    if (!sn_soft_sheet_create(v->n, v->x, volume, def->count, def->squeeze, &v->sheet)) return false;
    double finer = fmax(v->sheet.thickness / ACROSS, cbrt(volume / SHEET_VOXELS));
    if (v->size <= finer) return true;
    voxels_free(v);
    v->size = finer;
    return fill(tree, low, high, v->size, v) &&
           sn_soft_sheet_create(v->n, v->x, volume, def->count, def->squeeze, &v->sheet);
}

/* What a bone holds lies far from all else, so that no point owns both. */
static bool label(const snSoftPointsDef *def, voxels *v)
{
    v->bone = SN_NEW_ARRAY(int32_t, v->n);
    if (!v->bone) return false;
    for (int32_t i = 0; i < v->n; ++i) {
        v3 border;
        v->bone[i] = def->bone(def->context, v3_load(v->x + 3 * (size_t)i), &border);
        v->y[i] += APART * (v->bone[i] + 1);
    }
    return true;
}

/* How many points each bone (the first for none) gets: by its weight, but some at least where it has the voxels. */
static void share_points(const voxels *v, int32_t k, int32_t count[SN_SOFT_HOLDERS + 1])
{
    double weight[SN_SOFT_HOLDERS + 1] = {0}, all = 0;
    int32_t voxel[SN_SOFT_HOLDERS + 1] = {0};
    for (int32_t i = 0; i < v->n; ++i) {
        int b = v->bone ? v->bone[i] + 1 : 0;
        weight[b] += v->weight[i], all += v->weight[i];
        ++voxel[b];
    }
    count[0] = k;
    for (int b = 1; b <= SN_SOFT_HOLDERS; ++b) {
        int32_t least = voxel[b] / 8 < HELD ? voxel[b] / 8 : HELD;
        count[b] = (int32_t)lround(k * weight[b] / all);
        count[b] = voxel[b] == 0 ? 0 : count[b] < least ? least : count[b] < 1 ? 1 : count[b];
        count[0] -= count[b];
    }
}

/* Random voxels, each of the bone it should have. */
static void start(const voxels *v, int32_t k, uint64_t seed, double *centre)
{
    int32_t count[SN_SOFT_HOLDERS + 1];
    int bone = 0;
    share_points(v, k, count);
    for (int32_t c = 0; c < k; ++c) {
        size_t i;
        while (bone < SN_SOFT_HOLDERS && count[bone] <= 0) ++bone;
        do i = (size_t)(uniform(&seed) * v->n);
        while (v->bone && v->bone[i] + 1 != bone);
        --count[bone];
        for (int e = 0; e < 3; ++e)
            centre[e * k + c] = v->y[(size_t)e * (size_t)v->n + i] + 1e-3 * v->size * uniform(&seed);
    }
}

static snStatus voxelise(const snSoftPointsDef *def, const snBvh *tree, bool thin, voxels *v, snError *error)
{
    double volume;
    v3 low, high;
    sn_trimesh_integrals(def->mesh, &volume, NULL, NULL);
    box_of(def->mesh, &low, &high);
    v->size = cbrt(volume / ((double)PER_POINT * def->count));
    v3 side = v3_scale(v3_sub(high, low), 1 / v->size);
    if (side.x * side.y * side.z > MOST_VOXELS * 16.0)
        return sn_fail(error, SN_BAD_INPUT, "the muscle mesh is too thin in its bounding box to be filled with points");
    if (!fill(tree, low, high, v->size, v)) return sn_fail_no_memory(error);
    if (thin && !unfold(def, tree, low, high, volume, v)) return sn_fail_no_memory(error);
    if (v->n < 8 * def->count)
        return sn_fail(error, SN_BAD_INPUT, "only %d voxels of the muscle mesh for %d points", v->n, def->count);
    weigh(def, v);
    if (def->bone && !label(def, v)) return sn_fail_no_memory(error);
    if (v->bone && memchr(v->bone, -1, (size_t)v->n) == NULL)
        return sn_fail(error, SN_BAD_INPUT, "bones hold all of the muscle");
    return sort_by_cubes(low, v) ? SN_OK : sn_fail_no_memory(error);
}

/* The largest squared distance of some voxels from what owns them. */
static double farthest(const voxels *v, const int32_t *voxel, size_t count, int32_t k, const double *centre)
{
    double most = 0;
    for (size_t at = 0; at < count; ++at) {
        size_t i = (size_t)voxel[at], n = (size_t)v->n;
        const double *c = centre + v->owner[i];
        double dx = v->y[i] - c[0], dy = v->y[n + i] - c[k], dz = v->y[2 * n + i] - c[2 * k];
        double d = dx * dx + dy * dy + dz * dz;
        most = d > most ? d : most;
    }
    return most;
}

/* Centres that may be the nearest to one of some voxels: those whose least distance to the box of the
 * voxels is not above the least of the greatest distances, nor above what is known to be far enough. */
static int32_t candidates(const voxels *v, const int32_t *voxel, size_t count, int32_t k, const double *centre,
                          double enough, double *near, int32_t *list)
{
    size_t n = (size_t)v->n;
    double low[3], high[3], reach = enough;
    int32_t found = 0;
    for (int e = 0; e < 3; ++e) {
        const double *y = v->y + (size_t)e * n;
        low[e] = high[e] = y[voxel[0]];
        for (size_t i = 1; i < count; ++i) {
            double at = y[voxel[i]];
            low[e] = at < low[e] ? at : low[e], high[e] = at > high[e] ? at : high[e];
        }
    }
    for (int32_t c = 0; c < k; ++c) {
        double least = 0, most = 0;
        for (int e = 0; e < 3; ++e) {
            double a = low[e] - centre[e * k + c], b = centre[e * k + c] - high[e];
            double out = a > b ? a : b, far = -(a < b ? a : b);
            out = out > 0 ? out : 0;
            least += out * out, most += far * far;
        }
        near[c] = least;
        reach = most < reach ? most : reach;
    }
    for (int32_t c = 0; c < k; ++c)
        if (near[c] <= reach * (1 + 1e-12)) list[found++] = c;
    return found;
}

/* The nearest centre of each voxel. Centres are stored one coordinate after the other. Voxels next to each other share
 * their candidates, which are chosen from those of some more of them; the owners so far tell how far these may be.
 * near, list: 4 k and 2 k numbers of scratch for each share of the work. */
typedef struct assignment {
    voxels *v;
    int32_t k, shares;
    const double *centre;
    double *near;
    int32_t *list;
} assignment;

/* The nearest of m centres for each of some voxels; name: what the centres are called. */
static void assign(voxels *v, const int32_t *voxel, size_t count, int32_t m, const double *centre, const int32_t *name,
                   double enough, double *near, int32_t *list)
{
    size_t n = (size_t)v->n;
    int32_t found = candidates(v, voxel, count, m, centre, enough, near, list);
    for (size_t at = 0; at < count; ++at) {
        size_t i = (size_t)voxel[at];
        double x = v->y[i], y = v->y[n + i], z = v->y[2 * n + i], best = INFINITY;
        for (int32_t j = 0; j < found; ++j) {
            int32_t c = list[j];
            double dx = x - centre[c], dy = y - centre[m + c], dz = z - centre[2 * m + c];
            double d = dx * dx + dy * dy + dz * dz;
            if (d < best) best = d, v->owner[i] = name[c];
        }
    }
}

static void assign_share(void *context, int32_t item)
{
    const assignment *a = context;
    size_t k = (size_t)a->k, n = (size_t)a->v->n, all = (size_t)RUN * RUNS;
    int32_t *list = a->list + 2 * (size_t)item * k, *some = list + k;
    double *near = a->near + 4 * (size_t)item * k, *centre = near + k;
    for (size_t first = (size_t)item * all; first < n; first += (size_t)a->shares * all) {
        const int32_t *voxel = a->v->order + first;
        size_t count = first + all < n ? all : n - first;
        double enough[RUNS], most = 0;
        for (size_t r = 0; r * RUN < count; ++r) {
            size_t left = count - r * RUN;
            enough[r] = farthest(a->v, voxel + r * RUN, left < RUN ? left : RUN, a->k, a->centre);
            most = enough[r] > most ? enough[r] : most;
        }
        int32_t m = candidates(a->v, voxel, count, a->k, a->centre, most, near, list);
        for (int32_t e = 0; e < 3; ++e)
            for (int32_t c = 0; c < m; ++c) centre[e * m + c] = a->centre[e * a->k + list[c]];
        for (size_t r = 0; r * RUN < count; ++r) {
            size_t left = count - r * RUN;
            assign(a->v, voxel + r * RUN, left < RUN ? left : RUN, m, centre, list, enough[r], near, some);
        }
    }
}

/* Weighted means of the owned voxels; a centre that owns none keeps its place. sum: 4 k numbers of scratch. */
static void centres(const voxels *v, int32_t k, double *centre, double *sum)
{
    memset(sum, 0, 4 * (size_t)k * sizeof *sum);
    for (size_t i = 0, n = (size_t)v->n; i < n; ++i) {
        double *s = sum + 4 * v->owner[i];
        for (int e = 0; e < 3; ++e) s[e] += v->weight[i] * v->y[(size_t)e * n + i];
        s[3] += v->weight[i];
    }
    for (int32_t c = 0; c < k; ++c)
        for (int e = 0; e < 3; ++e)
            if (sum[4 * c + 3] > 0) centre[e * k + c] = sum[4 * c + e] / sum[4 * c + 3];
}

/* Points are the voxels nearest to the centres, so that all are inside; volumes by what each centre owns. */
static bool take(const voxels *v, const snBvh *tree, int32_t k, const double *centre, double mesh_volume,
                 snSoftPoints *p, double *nearest)
{
    double *mean = SN_NEW_ARRAY(double, 4 * (size_t)k);
    if (!mean) return false;
    for (int32_t c = 0; c < k; ++c) nearest[c] = INFINITY, p->volume[c] = 0;
    for (size_t i = 0, n = (size_t)v->n; i < n; ++i) {
        int32_t c = v->owner[i];
        double dx = v->y[i] - centre[c], dy = v->y[n + i] - centre[k + c], dz = v->y[2 * n + i] - centre[2 * k + c];
        double d = dx * dx + dy * dy + dz * dz, *m = mean + 4 * c;
        p->volume[c] += mesh_volume / v->n;
        if (v->bone) p->attached[c] = v->bone[i];
        for (size_t e = 0; e < 3; ++e) m[e] += v->weight[i] * v->x[3 * i + e];
        m[3] += v->weight[i];
        if (d >= nearest[c]) continue;
        nearest[c] = d;
        memcpy(p->x + 3 * c, v->x + 3 * i, 3 * sizeof *p->x);
    }
    /* the mean itself where it is inside its own voxel: no pattern of the grid is left. In a curved sheet it may lie
     * outside the mesh, where no other point would see it */
    for (int32_t c = 0; c < k; ++c) {
        double apart = p->attached ? APART * (p->attached[c] + 1) : 0;
        v3 y = v3_of(centre[c] - apart, centre[k + c], centre[2 * k + c]);
        v3 x = v->sheet.n > 0 ? v3_scale(v3_load(mean + 4 * c), 1 / mean[4 * c + 3])
                              : sn_soft_squeeze(p->axis, 1 / p->squeeze, y);
        if (v3_dist(x, v3_load(p->x + 3 * c)) < v->size && sn_bvh_inside(tree, x)) v3_store(p->x + 3 * c, x);
    }
    sn_free(mean);
    return true;
}

/* The metric of each point, after they were sorted. */
static bool take_sheet(const snSoftSheet *sheet, snSoftPoints *p)
{
    if (sheet->n == 0) return true;
    p->metric = SN_NEW_ARRAY(double, 9 * p->n);
    if (!p->metric) return false;
    for (int32_t i = 0; i < p->n; ++i) {
        int32_t k = sn_soft_sheet_nearest(sheet, v3_load(p->x + 3 * i));
        const double *normal = sheet->normal + 3 * k;
        for (int r = 0; r < 9; ++r)
            p->metric[9 * i + r] = (r % 4 == 0) + (sheet->stretch[k] - 1) * normal[r / 3] * normal[r % 3];
    }
    return true;
}

static bool alloc_points(snSoftPoints *p, int32_t n, bool bones)
{
    p->n = n;
    if (bones && !(p->attached = SN_NEW_ARRAY(int32_t, n))) return false;
    p->x = SN_NEW_ARRAY(double, 3 * n), p->volume = SN_NEW_ARRAY(double, n), p->depth = SN_NEW_ARRAY(double, n);
    p->first = SN_NEW_ARRAY(int32_t, n + 1);
    return p->x && p->volume && p->depth && p->first;
}

static snStatus k_means(const snSoftPointsDef *def, const snBvh *tree, bool thin, snSoftPoints *p, snError *error)
{
    voxels v = {0};
    int32_t k = def->count;
    size_t shares = (size_t)(def->pool ? sn_pool_threads(def->pool) : 1);
    double volume, *centre = SN_NEW_ARRAY(double, 3 * k), *sum = SN_NEW_ARRAY(double, 4 * shares * (size_t)k);
    int32_t *list = SN_NEW_ARRAY(int32_t, 2 * shares * (size_t)k);
    assignment all = {&v, k, (int32_t)shares, centre, sum, list};
    snStatus status = centre && sum && list && alloc_points(p, k, def->bone) ? voxelise(def, tree, thin, &v, error)
                                                                             : sn_fail_no_memory(error);
    if (status == SN_OK) {
        sn_trimesh_integrals(def->mesh, &volume, NULL, NULL);
        start(&v, k, def->seed, centre);
        for (int round = 0; round < ROUNDS; ++round) {
            sn_pool_loop(def->pool, all.shares, assign_share, &all);
            centres(&v, k, centre, sum);
        }
        sn_pool_loop(def->pool, all.shares, assign_share, &all);
        if (!take(&v, tree, k, centre, volume, p, sum) || !sn_soft_sort(p) || !take_sheet(&v.sheet, p))
            status = sn_fail_no_memory(error);
        for (int32_t c = 0; c < k && status == SN_OK; ++c)
            if (!(p->volume[c] > 0)) status = sn_fail(error, SN_BAD_INPUT, "a point of the muscle owns no volume");
    }
    voxels_free(&v);
    sn_free(centre);
    sn_free(sum);
    sn_free(list);
    return status;
}

static snStatus finish(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *p, snError *error)
{
    double volume = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        volume += p->volume[i];
        p->depth[i] = tree ? sn_bvh_closest(tree, v3_load(p->x + 3 * i), INFINITY).distance : 0;
    }
    p->spacing = cbrt(volume / p->n);
    snStatus status = sn_soft_neighbours(def, tree, p, error);
    if (status == SN_OK && p->attached) status = sn_soft_hold(def, tree, p, error);
    if (status == SN_OK && def->mesh && !sn_soft_wall(def, p)) status = sn_fail_no_memory(error);
    return status;
}

snStatus sn_soft_points_create(const snSoftPointsDef *def, snSoftPoints *points, snError *error)
{
    snStatus status = sn_trimesh_require(def->mesh, true, "muscle", error);
    if (status != SN_OK) return *points = (snSoftPoints){0}, status;
    snBvh *tree = sn_bvh_create(def->mesh);
    snError first;
    for (int thin = 0; thin < 2; ++thin) {
        snError *say = thin ? error : &first; /* too thin as it is: once more with its thin parts unfolded */
        *points = (snSoftPoints){.axis = def->axis, .squeeze = def->squeeze};
        status = tree ? k_means(def, tree, thin, points, say) : sn_fail_no_memory(say);
        if (status == SN_OK) status = finish(def, tree, points, say);
        if (status == SN_OK) break;
        sn_soft_points_free(points);
        if (status != SN_BAD_INPUT) {
            if (error && !thin) *error = first;
            break;
        }
    }
    sn_bvh_destroy(tree);
    return status;
}

snStatus sn_soft_points_of(const snSoftPointsDef *def, const double *x, const double *volume, snSoftPoints *points,
                           snError *error)
{
    *points = (snSoftPoints){.axis = def->axis, .squeeze = def->squeeze};
    snBvh *tree = def->mesh ? sn_bvh_create(def->mesh) : NULL;
    snStatus status =
        (tree || !def->mesh) && alloc_points(points, def->count, false) ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) {
        memcpy(points->x, x, 3 * (size_t)def->count * sizeof *x);
        memcpy(points->volume, volume, (size_t)def->count * sizeof *volume);
        status = sn_soft_sort(points) ? finish(def, tree, points, error) : sn_fail_no_memory(error);
    }
    if (status != SN_OK) sn_soft_points_free(points);
    sn_bvh_destroy(tree);
    return status;
}

void sn_soft_points_free(snSoftPoints *p)
{
    sn_free(p->x), sn_free(p->volume), sn_free(p->depth), sn_free(p->wall), sn_free(p->metric);
    sn_free(p->attached);
    sn_free(p->first), sn_free(p->neighbour), sn_free(p->weight);
    *p = (snSoftPoints){0};
}
