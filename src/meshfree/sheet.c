/* sheet.h: the least extent of the matter around some places, by its moments. */
#include "meshfree/sheet.h"

#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 600, LEAST = 12 };
static const double RADIUS = 1.5;  /* of the ball looked at, over the spacing of points in a cube */
static const double LAYERS = 2.5;  /* of points across */
static const double STEEPEST = 12; /* largest stretch */

void sn_soft_sheet_free(snSoftSheet *s)
{
    sn_free(s->at), sn_free(s->mean), sn_free(s->normal), sn_free(s->stretch);
    *s = (snSoftSheet){0};
}

/* Moments of the matter within a radius: middle, normal, thickness of a slab with the same moment. */
static void look(int32_t n, const double *x, v3 at, double radius, v3 *mean, v3 *normal, double *thickness)
{
    double sum[3] = {0}, second[6] = {0}, value[3];
    int32_t count = 0;
    m3 vectors;
    for (int32_t i = 0; i < n; ++i) {
        double a = x[3 * (size_t)i] - at.x, b = x[3 * (size_t)i + 1] - at.y, c = x[3 * (size_t)i + 2] - at.z;
        if (a * a + b * b + c * c > radius * radius) continue;
        sum[0] += a, sum[1] += b, sum[2] += c, ++count;
        second[0] += a * a, second[1] += a * b, second[2] += a * c;
        second[3] += b * b, second[4] += b * c, second[5] += c * c;
    }
    *mean = at, *normal = v3_of(0, 0, 1), *thickness = radius;
    if (count < LEAST) return;
    double f = 1.0 / count, m[3] = {f * sum[0], f * sum[1], f * sum[2]};
    m3 spread = {{f * second[0] - m[0] * m[0], f * second[1] - m[0] * m[1], f * second[2] - m[0] * m[2],
                  f * second[1] - m[0] * m[1], f * second[3] - m[1] * m[1], f * second[4] - m[1] * m[2],
                  f * second[2] - m[0] * m[2], f * second[4] - m[1] * m[2], f * second[5] - m[2] * m[2]}};
    m3_eigen_symmetric(&spread, value, &vectors);
    *mean = v3_add(at, v3_load(m));
    *normal = v3_of(vectors.m[0], vectors.m[3], vectors.m[6]);
    *thickness = sqrt(12 * fmax(value[0], 1e-16));
}

static int by_value(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static double median(int32_t n, const double *value, double *scratch)
{
    memcpy(scratch, value, (size_t)n * sizeof *value);
    qsort(scratch, (size_t)n, sizeof *scratch, by_value);
    return scratch[n / 2];
}

bool sn_soft_sheet_create(int32_t n, const double *x, double volume, int32_t count, double squeeze, snSoftSheet *s)
{
    size_t places = (size_t)(n < PLACES ? n : PLACES);
    double radius = RADIUS * cbrt(volume / count);
    double *scratch = SN_NEW_ARRAY(double, places);
    *s = (snSoftSheet){.n = (int32_t)places};
    s->at = SN_NEW_ARRAY(double, 3 * places), s->mean = SN_NEW_ARRAY(double, 3 * places);
    s->normal = SN_NEW_ARRAY(double, 3 * places), s->stretch = SN_NEW_ARRAY(double, places);
    bool ok = scratch && s->at && s->mean && s->normal && s->stretch;
    for (size_t k = 0; k < places && ok; ++k) {
        v3 mean, normal, at = v3_load(x + 3 * (k * (size_t)n / places));
        look(n, x, at, radius, &mean, &normal, s->stretch + k);
        v3_store(s->at + 3 * k, at), v3_store(s->mean + 3 * k, mean), v3_store(s->normal + 3 * k, normal);
    }
    if (ok) {
        s->thickness = median(s->n, s->stretch, scratch);
        /* so that the thickness, stretched, is LAYERS spacings of points in the stretched and squeezed volume */
        for (size_t k = 0; k < places; ++k) {
            double stretch = pow(LAYERS / s->stretch[k], 1.5) * sqrt(squeeze * volume / count);
            s->stretch[k] = fmin(fmax(stretch, 1), STEEPEST);
        }
    } else
        sn_soft_sheet_free(s);
    sn_free(scratch);
    return ok;
}

int32_t sn_soft_sheet_nearest(const snSoftSheet *s, v3 place)
{
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t k = 0; k < s->n; ++k) {
        double d = v3_len2(v3_sub(v3_load(s->at + 3 * k), place));
        if (d < least) least = d, best = k;
    }
    return best;
}

v3 sn_soft_sheet_unfold(const snSoftSheet *s, v3 place)
{
    if (s->n == 0) return place;
    int32_t k = sn_soft_sheet_nearest(s, place);
    v3 normal = v3_load(s->normal + 3 * k);
    return v3_mad(place, (s->stretch[k] - 1) * v3_dot(v3_sub(place, v3_load(s->mean + 3 * k)), normal), normal);
}
