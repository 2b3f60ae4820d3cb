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

/* What is left of a polygon: corners in a ring of slots. A corner that cannot be cut because another one lies in its
 * triangle remembers that one, so that asking again costs nothing until it or a neighbour is gone: without that a
 * polygon of 10,000 corners takes minutes. */
typedef struct Ring {
    const int32_t *corner;
    int32_t *before, *after; /* slots; before is GONE where a corner was cut off */
    int32_t *witness;        /* slot, or one of the below */
} Ring;
enum { GONE = -1, UNKNOWN = -1, NOT_CONVEX = -2 };

/* Whether a corner is convex and no other one lies in its triangle. */
static bool is_ear(const snMeshBuild *b, const Ring *ring, int32_t i, v3 normal)
{
    int32_t before = ring->before[i], after = ring->after[i], known = ring->witness[i];
    if (known == NOT_CONVEX || (known >= 0 && ring->before[known] != GONE)) return false;
    v3 p = at(b, ring->corner[before]), q = at(b, ring->corner[i]), r = at(b, ring->corner[after]);
    ring->witness[i] = NOT_CONVEX;
    if (!(side(p, q, r, normal) > 0)) return false;
    for (int32_t k = ring->after[after]; k != before; k = ring->after[k]) {
        v3 x = at(b, ring->corner[k]);
        ring->witness[i] = k;
        if (side(p, q, x, normal) >= 0 && side(q, r, x, normal) >= 0 && side(r, p, x, normal) >= 0) return false;
    }
    ring->witness[i] = UNKNOWN;
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

/* Takes a corner off the ring. */
static bool cut(snMeshBuild *b, const Ring *ring, int32_t i)
{
    int32_t before = ring->before[i], after = ring->after[i];
    if (!push_triangle(b, ring->corner[before], ring->corner[i], ring->corner[after])) return false;
    ring->after[before] = after;
    ring->before[after] = before;
    ring->before[i] = GONE;
    ring->witness[before] = ring->witness[after] = UNKNOWN;
    return true;
}

bool sn_mesh_add_polygon(snMeshBuild *b, const int32_t *corner, int32_t count)
{
    if (count == 3) return push_triangle(b, corner[0], corner[1], corner[2]);
    b->ring.count = 0;
    if (count > INT32_MAX / 3 || !sn_array_reserve(&b->ring, 3 * count)) return false;
    Ring ring = {corner, b->ring.at, b->ring.at + count, b->ring.at + 2 * (size_t)count};
    for (int32_t k = 0; k < count; ++k) {
        ring.before[k] = (k + count - 1) % count;
        ring.after[k] = (k + 1) % count;
        ring.witness[k] = UNKNOWN;
    }
    v3 normal = newell_normal(b, corner, count);
    int32_t i = 0, tried = 0, left = count;
    while (left > 3) {
        /* a degenerate polygon has no ear left: any corner will do, so that it ends */
        bool ear = tried >= left || is_ear(b, &ring, i, normal);
        if (ear && !cut(b, &ring, i)) return false;
        if (ear) --left;
        tried = ear ? 0 : tried + 1;
        i = ring.after[i];
    }
    return push_triangle(b, corner[i], corner[ring.after[i]], corner[ring.before[i]]);
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
