/* Swept bones. */
#include "common/bone.h"

#include "base/alloc.h"

void sn_bone_free(snBoneMesh *mesh)
{
    sn_array_free(&mesh->vertex);
    sn_array_free(&mesh->triangle);
}

rigid sn_bone_frame(v3 proximal, v3 distal, v3 dorsal)
{
    v3 y = v3_unit(v3_sub(proximal, distal)), x = v3_unit(v3_cross(y, dorsal));
    m3 axes = m3_columns(x, y, v3_cross(x, y));
    return (rigid){q_from_m3(&axes), proximal};
}

static bool add_vertex(snBoneMesh *mesh, v3 p)
{
    if (!sn_array_reserve(&mesh->vertex, 3)) return false;
    v3_store(mesh->vertex.at + mesh->vertex.count, p);
    mesh->vertex.count += 3;
    return true;
}

static bool add_triangle(snBoneMesh *mesh, int32_t a, int32_t b, int32_t c)
{
    if (!sn_array_reserve(&mesh->triangle, 3)) return false;
    int32_t *t = mesh->triangle.at + mesh->triangle.count;
    t[0] = a, t[1] = b, t[2] = c;
    mesh->triangle.count += 3;
    return true;
}

/* Six times the volume that the triangles from `first` on enclose, seen from one of their vertices. */
static double volume6(const snBoneMesh *mesh, int32_t first)
{
    v3 o = v3_load(mesh->vertex.at + 3 * mesh->triangle.at[first]);
    double sum = 0;
    for (int32_t i = first; i < mesh->triangle.count; i += 3) {
        v3 p[3];
        for (int k = 0; k < 3; ++k) p[k] = v3_sub(v3_load(mesh->vertex.at + 3 * mesh->triangle.at[i + k]), o);
        sum += v3_dot(p[0], v3_cross(p[1], p[2]));
    }
    return sum;
}

static void orient(snBoneMesh *mesh, int32_t first)
{
    if (volume6(mesh, first) >= 0) return;
    for (int32_t i = first; i < mesh->triangle.count; i += 3) {
        int32_t swap = mesh->triangle.at[i];
        mesh->triangle.at[i] = mesh->triangle.at[i + 1];
        mesh->triangle.at[i + 1] = swap;
    }
}

/* Triangles of `rings` rings of `around` vertices from base on, with a pole before and one after them. */
static bool skin_rings(snBoneMesh *mesh, int32_t base, int32_t rings, int32_t around)
{
    int32_t first = mesh->triangle.count, south = base, ring = base + 1, north = ring + rings * around;
    bool ok = true;
    for (int32_t j = 0; j < around; ++j) {
        int32_t k = (j + 1) % around, top = ring + (rings - 1) * around;
        ok = ok && add_triangle(mesh, south, ring + k, ring + j) && add_triangle(mesh, north, top + j, top + k);
        for (int32_t i = 0; i + 1 < rings; ++i) {
            int32_t a = ring + i * around + j, b = ring + i * around + k;
            ok = ok && add_triangle(mesh, a, b, a + around) && add_triangle(mesh, b, b + around, a + around);
        }
    }
    if (ok) orient(mesh, first);
    return ok;
}

/* One ring about a position, as wide as `wide` times the half axes. */
static bool add_ring(snBoneMesh *mesh, v3 at, v3 along, v3 out, double wide, double half_side, double half_out,
                     int32_t around)
{
    v3 side = v3_unit(v3_cross(along, out)), up = v3_cross(side, v3_unit(along));
    bool ok = true;
    for (int32_t j = 0; j < around; ++j) {
        double angle = 2 * SN_PI * j / around;
        v3 p = v3_mad(v3_mad(at, wide * half_side * cos(angle), side), wide * half_out * sin(angle), up);
        ok = ok && add_vertex(mesh, p);
    }
    return ok;
}

bool sn_bone_sweep(snBoneMesh *mesh, const v3 *at, const v3 *out, int32_t n, double half_side, double half_out,
                   int32_t around)
{
    const double wide_end = 0.7; /* of the rings before the poles */
    int32_t base = mesh->vertex.count / 3;
    double ahead = 0.8 * fmin(half_side, half_out);
    v3 from = v3_unit(v3_sub(at[0], at[1])), to = v3_unit(v3_sub(at[n - 1], at[n - 2]));
    bool ok = add_vertex(mesh, v3_mad(at[0], 1.2 * ahead, from));
    ok = ok &&
         add_ring(mesh, v3_mad(at[0], 0.7 * ahead, from), v3_neg(from), out[0], wide_end, half_side, half_out, around);
    for (int32_t i = 0; i < n; ++i) {
        v3 along = v3_sub(at[i + 1 < n ? i + 1 : i], at[i > 0 ? i - 1 : i]);
        ok = ok && add_ring(mesh, at[i], along, out[i], 1, half_side, half_out, around);
    }
    ok =
        ok && add_ring(mesh, v3_mad(at[n - 1], 0.7 * ahead, to), to, out[n - 1], wide_end, half_side, half_out, around);
    ok = ok && add_vertex(mesh, v3_mad(at[n - 1], 1.2 * ahead, to));
    return ok && skin_rings(mesh, base, n + 2, around);
}
