#include "base/alloc.h"
#include "io/mesh_read.h"
#include "math/vec.h"

#include <string.h>

static v3 at(const snMeshBuild *b, int32_t vertex)
{
    return v3_load(b->vertex.at + 3 * (size_t)vertex);
}

static v3 newell_normal(const snMeshBuild *b, const int32_t *corner, int32_t count)
{
    v3 n = {0, 0, 0}, origin = at(b, corner[0]);
    for (int32_t i = 0; i < count; ++i) {
        v3 p = v3_sub(at(b, corner[i]), origin), q = v3_sub(at(b, corner[(i + 1) % count]), origin);
        n = v3_add(n, v3_cross(p, q));
    }
    return n;
}

static double side(v3 p, v3 q, v3 r, v3 normal)
{
    return v3_dot(v3_cross(v3_sub(q, p), v3_sub(r, p)), normal);
}

/* Whether corner i of the ring is convex and no other corner lies in its triangle. */
static bool is_ear(const snMeshBuild *b, const int32_t *ring, int32_t n, int32_t i, v3 normal)
{
    int32_t before = (i + n - 1) % n, after = (i + 1) % n;
    v3 p = at(b, ring[before]), q = at(b, ring[i]), r = at(b, ring[after]);
    if (!(side(p, q, r, normal) > 0)) return false;
    for (int32_t k = 0; k < n; ++k) {
        if (k == before || k == i || k == after) continue;
        v3 x = at(b, ring[k]);
        if (side(p, q, x, normal) >= 0 && side(q, r, x, normal) >= 0 && side(r, p, x, normal) >= 0) return false;
    }
    return true;
}

static bool push_triangle(snMeshBuild *b, int32_t i, int32_t j, int32_t k)
{
    if (!sn_array_reserve(&b->triangle, 3)) return false;
    int32_t *to = b->triangle.at + b->triangle.count;
    to[0] = i, to[1] = j, to[2] = k;
    b->triangle.count += 3;
    return true;
}

/* Takes corner i off the ring. */
static bool cut(snMeshBuild *b, int32_t *ring, int32_t *n, int32_t i)
{
    if (!push_triangle(b, ring[(i + *n - 1) % *n], ring[i], ring[(i + 1) % *n])) return false;
    memmove(ring + i, ring + i + 1, (size_t)(*n - i - 1) * sizeof *ring);
    --*n;
    return true;
}

bool sn_mesh_add_polygon(snMeshBuild *b, const int32_t *corner, int32_t count)
{
    if (count == 3) return push_triangle(b, corner[0], corner[1], corner[2]);
    b->ring.count = 0;
    if (!sn_array_reserve(&b->ring, count)) return false;
    int32_t *ring = b->ring.at, n = count, i = 0, tried = 0;
    memcpy(ring, corner, (size_t)count * sizeof *ring);
    v3 normal = newell_normal(b, corner, count);
    while (n > 3) {
        /* a degenerate polygon has no ear left: any corner will do, so that it ends */
        if (tried >= n || is_ear(b, ring, n, i, normal)) {
            if (!cut(b, ring, &n, i)) return false;
            tried = 0;
        } else {
            ++tried;
            ++i;
        }
        i %= n;
    }
    return push_triangle(b, ring[0], ring[1], ring[2]);
}

void sn_mesh_finish(snMeshBuild *b, snMesh *mesh)
{
    *mesh = (snMesh){.nvertex = b->vertex.count / 3,
                     .ntriangle = b->triangle.count / 3,
                     .vertex = b->vertex.at,
                     .triangle = b->triangle.at,
                     .color = b->color.at};
    b->vertex.at = b->color.at = NULL;
    b->triangle.at = NULL;
    sn_mesh_abandon(b);
}

void sn_mesh_abandon(snMeshBuild *b)
{
    sn_array_free(&b->vertex);
    sn_array_free(&b->color);
    sn_array_free(&b->triangle);
    sn_array_free(&b->ring);
}
