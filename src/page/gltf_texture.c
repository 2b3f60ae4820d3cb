/* Texture coordinates for meshes that bring none: around the longest axis and along it. The way around goes from 0 to 1
 * and back, so that no triangle crosses a seam and no vertex is needed twice; front and back show the same texture,
 * mirrored. */
#include "page/gltf.h"

#include "base/alloc.h"

#include <math.h>

typedef struct Axes {
    v3 centre, along, x, y;
} Axes;

static Axes principal_axes(size_t count, const double *vertex)
{
    Axes a = {.centre = {0, 0, 0}};
    m3 spread = {{0}}, axis;
    double size[3];
    for (size_t i = 0; i < count; ++i) a.centre = v3_mad(a.centre, 1.0 / (double)count, v3_load(vertex + 3 * i));
    for (size_t i = 0; i < count; ++i) {
        double d[3];
        v3_store(d, v3_sub(v3_load(vertex + 3 * i), a.centre));
        for (int k = 0; k < 9; ++k) spread.m[k] += d[k / 3] * d[k % 3];
    }
    m3_eigen_symmetric(&spread, size, &axis);
    a.along = v3_of(axis.m[2], axis.m[5], axis.m[8]);
    a.x = v3_of(axis.m[1], axis.m[4], axis.m[7]);
    a.y = v3_cross(a.along, a.x);
    return a;
}

void sn_mesh_texture(size_t count, const double *vertex, double *uv)
{
    Axes a = principal_axes(count, vertex);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        v3 d = v3_sub(v3_load(vertex + 3 * i), a.centre);
        uv[2 * i] = fabs(atan2(v3_dot(d, a.y), v3_dot(d, a.x))) / SN_PI;
        uv[2 * i + 1] = v3_dot(d, a.along);
        low = fmin(low, uv[2 * i + 1]), high = fmax(high, uv[2 * i + 1]);
    }
    for (size_t i = 0; i < count; ++i) uv[2 * i + 1] = high > low ? (uv[2 * i + 1] - low) / (high - low) : 0;
}

int32_t sn_gltf_mesh_texture(snGltf *g, const double *vertex, size_t count)
{
    double *uv = SN_NEW_ARRAY(double, 2 * count);
    if (!uv) {
        g->failed = true;
        return -1;
    }
    sn_mesh_texture(count, vertex, uv);
    int32_t accessor = sn_gltf_texture(g, uv, count);
    sn_free(uv);
    return accessor;
}
