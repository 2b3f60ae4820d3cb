#include "hand/slice.h"

#include <string.h>

enum { ROUNDS = 90, MOVES = 6, CROSSINGS = 64 };
/* How far a belly may lie beside its path, m: cells get rounder when their centres move into their middle. */
static const double AWAY = 0.010;
enum { FREE = -1, OUT = -2 };

static double column_x(const snSlice *s, int i)
{
    return s->x + (i + 0.5 - SLICE_PIXELS / 2) * SLICE_PIXEL;
}

static double row_z(const snSlice *s, int j)
{
    return s->z + (j + 0.5 - SLICE_PIXELS / 2) * SLICE_PIXEL;
}

void sn_slice_clear(snSlice *slice, double x, double z)
{
    slice->x = x, slice->z = z, slice->nsite = 0;
    memset(slice->owner, OUT, sizeof slice->owner);
}

void sn_slice_flesh(snSlice *slice, double x, double z, double half_x, double half_z, double power, double arch)
{
    for (int j = 0; j < SLICE_PIXELS; ++j)
        for (int i = 0; i < SLICE_PIXELS; ++i) {
            double dx = column_x(slice, i) - x, dz = row_z(slice, j) - z + arch * dx * dx;
            if (pow(fabs(dx / half_x), power) + pow(fabs(dz / half_z), power) < 1)
                slice->owner[j * SLICE_PIXELS + i] = FREE;
        }
}

/* Where a row of pixels enters and leaves a mesh in the plane y = level, in increasing order. */
static int crossings(const snTriMesh *mesh, double level, double z, double *x)
{
    int n = 0;
    for (int32_t t = 0; t < mesh->ntriangle && n < CROSSINGS; ++t) {
        v3 cut[2];
        int cuts = 0;
        for (int c = 0; c < 3; ++c) {
            v3 a = sn_trimesh_corner(mesh, t, c), b = sn_trimesh_corner(mesh, t, (c + 1) % 3);
            if ((a.y < level) == (b.y < level) || cuts == 2) continue;
            cut[cuts++] = v3_lerp(a, b, (level - a.y) / (b.y - a.y));
        }
        if (cuts < 2 || (cut[0].z < z) == (cut[1].z < z)) continue;
        x[n++] = cut[0].x + (cut[1].x - cut[0].x) * (z - cut[0].z) / (cut[1].z - cut[0].z);
    }
    for (int i = 1; i < n; ++i)
        for (int k = i; k > 0 && x[k] < x[k - 1]; --k) {
            double swap = x[k];
            x[k] = x[k - 1], x[k - 1] = swap;
        }
    return n;
}

void sn_slice_bone(snSlice *slice, const snTriMesh *mesh, double level, double margin)
{
    double low = INFINITY, high = -INFINITY, x[CROSSINGS];
    for (int32_t v = 0; v < mesh->nvertex; ++v) {
        double y = mesh->vertex[3 * v + 1];
        low = y < low ? y : low, high = y > high ? y : high;
    }
    if (level <= low || level >= high) return;
    for (int j = 0; j < SLICE_PIXELS; ++j) {
        int n = crossings(mesh, level, row_z(slice, j), x);
        for (int i = 0; i < SLICE_PIXELS; ++i)
            for (int k = 0; k + 1 < n; k += 2)
                if (column_x(slice, i) > x[k] - margin && column_x(slice, i) < x[k + 1] + margin)
                    slice->owner[j * SLICE_PIXELS + i] = OUT;
    }
}

/* Gives each pixel of flesh to the site of least power that reaches it. */
static void assign(snSlice *s)
{
    for (int k = 0; k < s->nsite; ++k) s->site[k].got = 0;
    for (int j = 0; j < SLICE_PIXELS; ++j)
        for (int i = 0; i < SLICE_PIXELS; ++i) {
            int8_t *owner = s->owner + j * SLICE_PIXELS + i;
            if (*owner == OUT) continue;
            double x = column_x(s, i), z = row_z(s, j), least = 0;
            *owner = FREE;
            for (int k = 0; k < s->nsite; ++k) {
                const snSliceSite *t = s->site + k;
                double power = (x - t->x) * (x - t->x) + (z - t->z) * (z - t->z) - t->weight;
                if (power < least) least = power, *owner = (int8_t)k;
            }
            if (*owner >= 0) s->site[*owner].got += SLICE_PIXEL * SLICE_PIXEL;
        }
}

static int owner_at(const snSlice *s, double x, double z)
{
    int i = (int)floor((x - s->x) / SLICE_PIXEL + SLICE_PIXELS / 2),
        j = (int)floor((z - s->z) / SLICE_PIXEL + SLICE_PIXELS / 2);
    return i >= 0 && j >= 0 && i < SLICE_PIXELS && j < SLICE_PIXELS ? s->owner[j * SLICE_PIXELS + i] : OUT;
}

/* Corners of a cell are rounded as those of a belly are: each radius takes half of the mean of its neighbours. */
static void smooth_outline(double *radius)
{
    double was[SLICE_ANGLES];
    memcpy(was, radius, sizeof was);
    for (int a = 0; a < SLICE_ANGLES; ++a)
        radius[a] = 0.6 * was[a] + 0.2 * (was[(a + 1) % SLICE_ANGLES] + was[(a + SLICE_ANGLES - 1) % SLICE_ANGLES]);
}

static void middle_of(const snSlice *s, int k, snSliceSite *site)
{
    double n = 0, x = 0, z = 0;
    for (int j = 0; j < SLICE_PIXELS; ++j)
        for (int i = 0; i < SLICE_PIXELS; ++i)
            if (s->owner[j * SLICE_PIXELS + i] == k) ++n, x += column_x(s, i), z += row_z(s, j);
    site->cx = n > 0 ? x / n : site->x, site->cz = n > 0 ? z / n : site->z;
}

/* Half way to the middle of its cell, but not further than AWAY from the path. */
static void move_site(snSliceSite *t)
{
    double x = 0.5 * (t->x + t->cx), z = 0.5 * (t->z + t->cz), far = hypot(x - t->path_x, z - t->path_z);
    double keep = far > AWAY ? AWAY / far : 1;
    t->x = t->path_x + keep * (x - t->path_x), t->z = t->path_z + keep * (z - t->path_z);
}

/* Outline of a cell about its middle, stretched to the area that it should have. */
static void outline(const snSlice *s, int k, snSliceSite *site)
{
    double area = 0;
    middle_of(s, k, site);
    for (int a = 0; a < SLICE_ANGLES; ++a) {
        double c = cos(2 * SN_PI * a / SLICE_ANGLES), w = sin(2 * SN_PI * a / SLICE_ANGLES), r = 0;
        for (double t = 0; t < 0.05; t += SLICE_PIXEL / 4)
            if (owner_at(s, site->cx + t * c, site->cz + t * w) == k)
                r = t;
            else if (t > r + 2 * SLICE_PIXEL)
                break;
        site->radius[a] = fmax(r + SLICE_PIXEL / 4, SLICE_PIXEL);
    }
    smooth_outline(site->radius);
    for (int a = 0; a < SLICE_ANGLES; ++a)
        area += 0.5 * sin(2 * SN_PI / SLICE_ANGLES) * site->radius[a] * site->radius[(a + 1) % SLICE_ANGLES];
    double stretch = area > 0 && site->area > 0 ? fmin(sqrt(site->area / area), 1.2) : 1;
    for (int a = 0; a < SLICE_ANGLES; ++a) site->radius[a] *= stretch;
}

void sn_slice_share(snSlice *slice)
{
    for (int k = 0; k < slice->nsite; ++k) {
        snSliceSite *t = slice->site + k;
        t->weight = t->area / SN_PI, t->path_x = t->x, t->path_z = t->z;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        assign(slice);
        bool move = round % (ROUNDS / (MOVES + 1)) == ROUNDS / (MOVES + 1) - 1 && round < ROUNDS - 12;
        for (int k = 0; k < slice->nsite; ++k) {
            snSliceSite *t = slice->site + k;
            if (move) middle_of(slice, k, t), move_site(t);
            t->weight += 0.6 * (t->area - t->got) / SN_PI;
        }
    }
    assign(slice);
    for (int k = 0; k < slice->nsite; ++k) outline(slice, k, slice->site + k);
}
