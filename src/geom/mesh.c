/* Checks and integrals of triangle meshes. Edges are found through the fans of their vertices, so that
 * every check is linear in the size of the mesh (for bounded fans). */
#include "geom/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sinew/mesh.h"

#include <stdio.h>
#include <string.h>

bool sn_trimesh_alloc(snTriMesh *mesh, int32_t nvertex, int32_t ntriangle)
{
    *mesh = (snTriMesh){nvertex, ntriangle, SN_NEW_ARRAY(double, 3 * (size_t)nvertex),
                        SN_NEW_ARRAY(int32_t, 3 * (size_t)ntriangle)};
    if (mesh->vertex && mesh->triangle) return true;
    sn_trimesh_free(mesh);
    return false;
}

void sn_trimesh_free(snTriMesh *mesh)
{
    sn_free(mesh->vertex), sn_free(mesh->triangle);
    *mesh = (snTriMesh){0};
}

bool sn_fans_create(const snTriMesh *mesh, snFans *fans)
{
    int32_t n = 3 * mesh->ntriangle;
    *fans = (snFans){SN_NEW_ARRAY(int32_t, mesh->nvertex + 2), SN_NEW_ARRAY(int32_t, n)};
    if (!fans->start || !fans->list) {
        sn_fans_free(fans);
        return false;
    }
    int32_t *fill = fans->start + 1; /* becomes start once every triangle is in its places */
    for (int32_t i = 0; i < n; ++i) ++fill[mesh->triangle[i] + 1];
    for (int32_t v = 0; v < mesh->nvertex; ++v) fill[v + 1] += fill[v];
    for (int32_t i = 0; i < n; ++i) fans->list[fill[mesh->triangle[i]]++] = i / 3;
    return true;
}

void sn_fans_free(snFans *fans)
{
    sn_free(fans->start), sn_free(fans->list);
    *fans = (snFans){0};
}

/* ---- checks ----------------------------------------------------------------------------------- */

static snMeshPlace at_triangle(snMeshDefect defect, int32_t triangle)
{
    return (snMeshPlace){defect, triangle, {-1, -1}};
}

static snMeshPlace check_values(const snTriMesh *m)
{
    if (m->ntriangle < 1 || m->nvertex < 1) return at_triangle(SN_MESH_EMPTY, -1);
    for (int32_t v = 0; v < m->nvertex; ++v)
        for (int c = 0; c < 3; ++c)
            if (!isfinite(m->vertex[3 * v + c])) return (snMeshPlace){SN_MESH_NOT_FINITE, -1, {v, -1}};
    for (int32_t t = 0; t < m->ntriangle; ++t) {
        const int32_t *k = m->triangle + 3 * t;
        for (int c = 0; c < 3; ++c)
            if (k[c] < 0 || k[c] >= m->nvertex) return at_triangle(SN_MESH_BAD_INDEX, t);
        v3 a = sn_trimesh_corner(m, t, 0), b = sn_trimesh_corner(m, t, 1), c = sn_trimesh_corner(m, t, 2);
        double area = v3_len(v3_cross(v3_sub(b, a), v3_sub(c, a)));
        double side = fmax(v3_len2(v3_sub(b, a)), fmax(v3_len2(v3_sub(c, b)), v3_len2(v3_sub(a, c))));
        if (k[0] == k[1] || k[1] == k[2] || k[2] == k[0] || !(area > 1e-12 * side))
            return at_triangle(SN_MESH_DEGENERATE, t);
    }
    return at_triangle(SN_MESH_SOUND, -1);
}

/* How often the edge from a to b occurs in that direction among the triangles around a. */
static int count_edge(const snTriMesh *m, const snFans *fans, int32_t a, int32_t b)
{
    int count = 0;
    for (int32_t i = fans->start[a]; i < fans->start[a + 1]; ++i) {
        const int32_t *k = m->triangle + 3 * fans->list[i];
        for (int c = 0; c < 3; ++c) count += k[c] == a && k[(c + 1) % 3] == b;
    }
    return count;
}

static snMeshPlace check_edges(const snTriMesh *m, const snFans *fans, bool closed)
{
    for (int32_t t = 0; t < m->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) {
            int32_t a = m->triangle[3 * t + c], b = m->triangle[3 * t + (c + 1) % 3];
            int same = count_edge(m, fans, a, b), other = count_edge(m, fans, b, a);
            snMeshDefect defect = same + other > 2       ? SN_MESH_CROWDED_EDGE
                                  : same > 1             ? SN_MESH_FLIPPED_EDGE
                                  : other == 0 && closed ? SN_MESH_OPEN_EDGE
                                                         : SN_MESH_SOUND;
            if (defect != SN_MESH_SOUND) return (snMeshPlace){defect, t, {a, b}};
        }
    return at_triangle(SN_MESH_SOUND, -1);
}

/* The vertex after v in triangle t, or the one after that. */
static int32_t around(const snTriMesh *m, int32_t t, int32_t v, int step)
{
    const int32_t *k = m->triangle + 3 * t;
    int c = k[0] == v ? 0 : k[1] == v ? 1 : 2;
    return k[(c + step) % 3];
}

/* Number of triangles met when walking round the fan of v from its first triangle, both ways when there is a rim. */
static int32_t walk_fan(const snTriMesh *m, const snFans *fans, int32_t v)
{
    int32_t first = fans->list[fans->start[v]], size = fans->start[v + 1] - fans->start[v], count = 1;
    for (int back = 0; back < 2; ++back) {
        int32_t from = around(m, first, v, back ? 1 : 2), end = around(m, first, v, back ? 2 : 1);
        for (bool found = true; found && from != end && count < size;) {
            found = false;
            for (int32_t i = fans->start[v]; i < fans->start[v + 1] && !found; ++i)
                if (around(m, fans->list[i], v, back ? 2 : 1) == from) {
                    from = around(m, fans->list[i], v, back ? 1 : 2);
                    ++count, found = true;
                }
        }
        if (from == end) break; /* a full turn */
    }
    return count;
}

static snMeshPlace check_fans(const snTriMesh *m, const snFans *fans)
{
    for (int32_t v = 0; v < m->nvertex; ++v) {
        int32_t size = fans->start[v + 1] - fans->start[v];
        if (size && walk_fan(m, fans, v) != size) return (snMeshPlace){SN_MESH_PINCHED_VERTEX, -1, {v, -1}};
    }
    return at_triangle(SN_MESH_SOUND, -1);
}

snStatus sn_trimesh_check(const snTriMesh *mesh, bool closed, snMeshPlace *place)
{
    *place = check_values(mesh);
    if (place->defect != SN_MESH_SOUND) return SN_OK;
    snFans fans;
    if (!sn_fans_create(mesh, &fans)) return SN_NO_MEMORY;
    *place = check_edges(mesh, &fans, closed);
    if (place->defect == SN_MESH_SOUND) *place = check_fans(mesh, &fans);
    sn_fans_free(&fans);
    if (place->defect != SN_MESH_SOUND || !closed) return SN_OK;
    double volume;
    sn_trimesh_integrals(mesh, &volume, NULL, NULL);
    if (!(volume > 0)) place->defect = SN_MESH_INSIDE_OUT;
    return SN_OK;
}

snStatus sn_trimesh_require(const snTriMesh *mesh, bool closed, const char *name, snError *error)
{
    static const char *const text[] = {
#define X(defect, words) words,
        SN_MESH_DEFECT_TABLE(X)
#undef X
    };
    snMeshPlace place;
    if (sn_trimesh_check(mesh, closed, &place) != SN_OK) return sn_fail_no_memory(error);
    if (place.defect == SN_MESH_SOUND) return SN_OK;
    char where[128] = "";
    if (place.vertex[1] >= 0) {
        v3 p = v3_lerp(sn_trimesh_point(mesh, place.vertex[0]), sn_trimesh_point(mesh, place.vertex[1]), 0.5);
        snprintf(where, sizeof where, " (edge of vertices %d and %d, near %.4g %.4g %.4g)", (int)place.vertex[0],
                 (int)place.vertex[1], p.x, p.y, p.z);
    } else if (place.vertex[0] >= 0) {
        snprintf(where, sizeof where, " (vertex %d)", (int)place.vertex[0]);
    } else if (place.triangle >= 0) {
        snprintf(where, sizeof where, " (triangle %d)", (int)place.triangle);
    }
    sn_fail(error, SN_BAD_INPUT, "%s%s", text[place.defect], where);
    sn_error_element(error, "Mesh", name);
    return SN_BAD_INPUT;
}

/* ---- integrals and normals ---------------------------------------------------------------------- */

double sn_trimesh_area(const snTriMesh *mesh)
{
    double sum = 0;
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 a = sn_trimesh_corner(mesh, t, 0);
        sum +=
            0.5 * v3_len(v3_cross(v3_sub(sn_trimesh_corner(mesh, t, 1), a), v3_sub(sn_trimesh_corner(mesh, t, 2), a)));
    }
    return sum;
}

/* Sums over the tetrahedra from an origin near the mesh to each triangle: for a tetrahedron with corners 0, a, b, c the
 * second moment is det / 120 * (s s' + a a' + b b' + c c') with s = a + b + c. */
void sn_trimesh_integrals(const snTriMesh *mesh, double *volume, v3 *centre, m3 *inertia)
{
    v3 origin = sn_trimesh_point(mesh, mesh->triangle[0]), first = {0};
    double six = 0, second[9] = {0};
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 k[4];
        for (int c = 0; c < 3; ++c) k[c] = v3_sub(sn_trimesh_corner(mesh, t, c), origin);
        k[3] = v3_add(k[0], v3_add(k[1], k[2]));
        double det = v3_dot(k[0], v3_cross(k[1], k[2]));
        six += det;
        first = v3_mad(first, det, k[3]);
        for (int c = 0; c < 4; ++c) {
            double x[3] = {k[c].x, k[c].y, k[c].z};
            for (int i = 0; i < 9; ++i) second[i] += det * x[i / 3] * x[i % 3];
        }
    }
    double v = six / 6;
    v3 mean = six != 0 ? v3_scale(first, 1 / (4 * six)) : v3_of(0, 0, 0);
    double m[3] = {mean.x, mean.y, mean.z}, trace = 0;
    for (int i = 0; i < 9; ++i) second[i] = second[i] / 120 - v * m[i / 3] * m[i % 3];
    for (int i = 0; i < 3; ++i) trace += second[4 * i];
    if (volume) *volume = v;
    if (centre) *centre = v3_add(origin, mean);
    if (inertia)
        for (int i = 0; i < 9; ++i) inertia->m[i] = (i % 4 == 0 ? trace : 0) - second[i];
}

void sn_trimesh_normals(const snTriMesh *mesh, double *normal)
{
    memset(normal, 0, sizeof(double) * 3 * (size_t)mesh->nvertex);
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        const int32_t *k = mesh->triangle + 3 * t;
        v3 a = sn_trimesh_corner(mesh, t, 0);
        v3 n = v3_cross(v3_sub(sn_trimesh_corner(mesh, t, 1), a), v3_sub(sn_trimesh_corner(mesh, t, 2), a));
        for (int c = 0; c < 3; ++c) {
            double *to = normal + 3 * k[c];
            to[0] += n.x, to[1] += n.y, to[2] += n.z;
        }
    }
    for (int32_t v = 0; v < mesh->nvertex; ++v) v3_store(normal + 3 * v, v3_unit(v3_load(normal + 3 * v)));
}

double sn_triangle_aspect(v3 a, v3 b, v3 c)
{
    double longest = fmax(v3_len2(v3_sub(b, a)), fmax(v3_len2(v3_sub(c, b)), v3_len2(v3_sub(a, c))));
    double twice_area = v3_len(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    /* the shortest altitude stands on the longest edge: twice the area over it */
    return twice_area > 0 ? 0.5 * sqrt(3.0) * longest / twice_area : INFINITY;
}

double sn_trimesh_worst_aspect(const snTriMesh *mesh, int32_t *triangle)
{
    double worst = 0;
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        double aspect = sn_triangle_aspect(sn_trimesh_corner(mesh, t, 0), sn_trimesh_corner(mesh, t, 1),
                                           sn_trimesh_corner(mesh, t, 2));
        if (!(aspect > worst)) continue;
        worst = aspect;
        if (triangle) *triangle = t;
    }
    return worst;
}

/* ---- lofted solids ------------------------------------------------------------------------------ */

static v3 ring_centre(const double *position, int32_t n)
{
    v3 sum = {0};
    for (int32_t i = 0; i < n; ++i) sum = v3_add(sum, v3_load(position + 3 * i));
    return v3_scale(sum, 1.0 / n);
}

static int32_t *put(int32_t *at, int32_t a, int32_t b, int32_t c)
{
    at[0] = a, at[1] = b, at[2] = c;
    return at + 3;
}

snStatus sn_trimesh_loft(int32_t nring, int32_t nangle, const double *position, const v3 *first_tip, const v3 *last_tip,
                         snTriMesh *mesh, snError *error)
{
    if (nring < 2 || nangle < 3)
        return sn_fail(error, SN_BAD_INPUT, "a loft needs 2 sections of 3 points, not %d of %d", (int)nring,
                       (int)nangle);
    snTriMesh made;
    int32_t n = nring * nangle;
    if (!sn_trimesh_alloc(&made, n + 2, 2 * n)) return sn_fail_no_memory(error);
    memcpy(made.vertex, position, sizeof(double) * 3 * (size_t)n);
    v3_store(made.vertex + 3 * n, first_tip ? *first_tip : ring_centre(position, nangle));
    v3_store(made.vertex + 3 * n + 3, last_tip ? *last_tip : ring_centre(position + 3 * (n - nangle), nangle));
    int32_t *at = made.triangle;
    for (int32_t j = 0; j < nangle; ++j) {
        int32_t k = (j + 1) % nangle;
        for (int32_t r = 0; r + 1 < nring; ++r) {
            int32_t a = r * nangle + j, b = r * nangle + k, c = a + nangle, d = b + nangle;
            at = put(at, a, b, d);
            at = put(at, a, d, c);
        }
        at = put(at, n, k, j);
        at = put(at, n + 1, n - nangle + j, n - nangle + k);
    }
    *mesh = made;
    return SN_OK;
}

void sn_mesh_free(snMesh *mesh)
{
    if (!mesh) return;
    sn_free(mesh->vertex);
    sn_free(mesh->triangle);
    sn_free(mesh->color);
    *mesh = (snMesh){0};
}
