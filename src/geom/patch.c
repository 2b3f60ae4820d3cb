/* Bicubic tubes through sections: periodic interpolation around, then clamped interpolation along with
 * knots averaged from the parameters (de Boor), for which the collocation matrix is totally positive and
 * elimination needs no pivots. */
#include "geom/patch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"

#include <string.h>

/* Row of control points whose closed uniform cubic passes through the n positions at its knots:
 * (p[i-1] + 4 p[i] + p[i+1]) / 6 = position[i]. Point i + 1 of the row is the one nearest to position i.
 * Gauss-Seidel contracts by more than half a sweep, so 60 sweeps reach rounding. */
static void fit_closed_row(const double *position, int32_t n, double *row)
{
    memcpy(row, position, sizeof(double) * 3 * (size_t)n);
    for (int sweep = 0; sweep < 60; ++sweep)
        for (int32_t i = 0; i < n; ++i) {
            const double *before = row + 3 * ((i + n - 1) % n), *after = row + 3 * ((i + 1) % n);
            for (int c = 0; c < 3; ++c) row[3 * i + c] = (6 * position[3 * i + c] - before[c] - after[c]) / 4;
        }
}

/* The patch wants the first span to start at position 0, so point 0 is the one before position 0. */
static void store_closed_row(const double *row, int32_t n, double *point)
{
    for (int32_t j = 0; j < n + 3; ++j) memcpy(point + 3 * j, row + 3 * ((j + n - 1) % n), 3 * sizeof(double));
}

static void averaged_knots(const double *parameter, int32_t n, double *knot)
{
    for (int i = 0; i < 4; ++i) knot[i] = 0, knot[n + i] = 1;
    for (int32_t j = 1; j + 3 < n; ++j) knot[j + 3] = (parameter[j] + parameter[j + 1] + parameter[j + 2]) / 3;
}

/* Solves the collocation equations along u for all rows at once: a is n x n, row holds width doubles per row. */
static void solve_along(double *a, int32_t n, double *row, int32_t width)
{
    for (int32_t k = 0; k < n; ++k)
        for (int32_t i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0) continue;
            for (int32_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            for (int32_t j = 0; j < width; ++j) row[i * width + j] -= factor * row[k * width + j];
        }
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t k = i + 1; k < n; ++k)
            for (int32_t j = 0; j < width; ++j) row[i * width + j] -= a[i * n + k] * row[k * width + j];
        for (int32_t j = 0; j < width; ++j) row[i * width + j] /= a[i * n + i];
    }
}

/* Chord-length parameters of the sections, averaged around them. False when two sections coincide. */
static bool ring_parameters(int32_t nring, int32_t nangle, const double *position, double *parameter)
{
    parameter[0] = 0;
    for (int32_t r = 1; r < nring; ++r) {
        double chord = 0;
        for (int32_t j = 0; j < 3 * nangle; j += 3)
            chord += v3_dist(v3_load(position + 3 * r * nangle + j), v3_load(position + 3 * (r - 1) * nangle + j));
        parameter[r] = parameter[r - 1] + chord;
        if (!(parameter[r] > parameter[r - 1]) || !isfinite(parameter[r])) return false;
    }
    double whole = parameter[nring - 1];
    for (int32_t r = 0; r < nring; ++r) parameter[r] /= whole;
    return true;
}

/* +1 when du x dv points away from the centres of the sections, judged where the tube is widest. */
static double outward_sign(const snPatch *patch)
{
    snSurface s = sn_patch_surface(patch, rigid_identity());
    double sum = 0;
    enum { AROUND = 8 };
    for (int i = 1; i < 4; ++i) {
        v3 p[AROUND], n[AROUND], centre = {0};
        for (int j = 0; j < AROUND; ++j) {
            p[j] = sn_surface_patch_eval(&s, 0.25 * i, (double)j / AROUND, &n[j]);
            centre = v3_mad(centre, 1.0 / AROUND, p[j]);
        }
        for (int j = 0; j < AROUND; ++j) sum += v3_dot(v3_sub(p[j], centre), n[j]);
    }
    return sum < 0 ? -1 : 1;
}

/* Two or three sections become four, on the line or parabola through them, which the cubic reproduces. */
static void raise_to_four(int32_t nring, const double *parameter, const double *row, int32_t width, double *four)
{
    for (int i = 0; i < 4; ++i) {
        double t = i / 3.0;
        for (int32_t j = 0; j < width; ++j) four[i * width + j] = 0;
        for (int32_t r = 0; r < nring; ++r) {
            double lagrange = 1;
            for (int32_t k = 0; k < nring; ++k)
                if (k != r) lagrange *= (t - parameter[k]) / (parameter[r] - parameter[k]);
            for (int32_t j = 0; j < width; ++j) four[i * width + j] += lagrange * row[r * width + j];
        }
    }
}

static bool fit_along(snPatch *patch, int32_t nring, const double *parameter, const double *row)
{
    static const double thirds[4] = {0, 1.0 / 3, 2.0 / 3, 1};
    int32_t n = patch->nu, width = 3 * patch->nv;
    double *a = SN_NEW_ARRAY(double, n *n), b[4];
    if (!a) return false;
    if (nring < 4)
        raise_to_four(nring, parameter, row, width, patch->point), parameter = thirds;
    else
        memcpy(patch->point, row, sizeof(double) * (size_t)(n * width));
    averaged_knots(parameter, n, patch->knot_u);
    for (int32_t i = 0; i < n; ++i) {
        int32_t span = spline_basis(patch->knot_u, n, parameter[i], 0, b, NULL, NULL);
        for (int k = 0; k < 4; ++k) a[i * n + span + k] = b[k];
    }
    solve_along(a, n, patch->point, width);
    sn_free(a);
    return true;
}

static bool build_loft(int32_t nring, int32_t nangle, const double *position, const double *parameter, double *row,
                       snPatch *patch)
{
    patch->nu = nring < 4 ? 4 : nring, patch->nv = nangle + 3;
    patch->knot_u = SN_NEW_ARRAY(double, patch->nu + 4);
    patch->knot_v = SN_NEW_ARRAY(double, patch->nv + 4);
    patch->point = SN_NEW_ARRAY(double, 3 * patch->nu * patch->nv);
    if (!patch->knot_u || !patch->knot_v || !patch->point) return false;
    double *fitted = row + 3 * nring * patch->nv;
    for (int32_t r = 0; r < nring; ++r) {
        fit_closed_row(position + 3 * r * nangle, nangle, fitted);
        store_closed_row(fitted, nangle, row + 3 * r * patch->nv);
    }
    spline_uniform_knots(patch->knot_v, patch->nv);
    if (!fit_along(patch, nring, parameter, row)) return false;
    patch->flip = 1;
    patch->flip = outward_sign(patch);
    return true;
}

snStatus sn_patch_loft(int32_t nring, int32_t nangle, const double *position, snPatch *patch, snError *error)
{
    if (nring < 2 || nangle < 4 || nring > 10000 || nangle > 10000)
        return sn_fail(error, SN_BAD_INPUT, "%d sections of %d points; a tube needs 2 or more of 4 or more", (int)nring,
                       (int)nangle);
    double *parameter = SN_NEW_ARRAY(double, nring), *row = SN_NEW_ARRAY(double, 3 * (nring * (nangle + 3) + nangle));
    snPatch made = {0};
    snStatus status = SN_OK;
    bool room = parameter && row;
    if (room && !ring_parameters(nring, nangle, position, parameter))
        status = sn_fail(error, SN_BAD_INPUT, "two neighbouring sections of the tube coincide or are not finite");
    else if (!room || !build_loft(nring, nangle, position, parameter, row, &made))
        status = sn_fail_no_memory(error);
    sn_free(parameter), sn_free(row);
    if (status == SN_OK)
        *patch = made;
    else
        sn_patch_free(&made);
    return status;
}

snStatus sn_patch_tube(const snTubeDef *def, snPatch *patch, snError *error)
{
    v3 axis = v3_sub(def->end, def->start), z = v3_unit(axis);
    v3 x = v3_unit(v3_mad(def->x, -v3_dot(def->x, z), z)), y = v3_cross(z, x);
    if (!(v3_len2(x) > 0.5) || !(v3_len2(axis) > 0) || def->nring < 2 || def->nangle < 4)
        return sn_fail(error, SN_BAD_INPUT,
                       "a tube needs an axis with a length, an x direction off the axis, 2 sections and 4 radii");
    for (int32_t i = 0; i < def->nring * def->nangle; ++i)
        if (!(def->radius[i] > 0))
            return sn_fail(error, SN_BAD_INPUT, "radius %d of section %d is %g, expected a positive length",
                           (int)(i % def->nangle), (int)(i / def->nangle), def->radius[i]);
    double *position = SN_NEW_ARRAY(double, 3 * def->nring * def->nangle);
    if (!position) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < def->nring * def->nangle; ++i) {
        double angle = 2 * SN_PI * (i % def->nangle) / def->nangle;
        v3 centre = v3_mad(def->start, def->station[i / def->nangle], axis);
        v3 out = v3_add(v3_scale(x, cos(angle)), v3_scale(y, sin(angle)));
        v3_store(position + 3 * i, v3_mad(centre, def->radius[i], out));
    }
    snStatus status = sn_patch_loft(def->nring, def->nangle, position, patch, error);
    sn_free(position);
    return status;
}

void sn_patch_free(snPatch *patch)
{
    sn_free(patch->knot_u), sn_free(patch->knot_v), sn_free(patch->point);
    *patch = (snPatch){0};
}

snSurface sn_patch_surface(const snPatch *patch, rigid frame)
{
    return (snSurface){.kind = SN_SURFACE_PATCH,
                       .frame = frame,
                       .nu = patch->nu,
                       .nv = patch->nv,
                       .knot_u = patch->knot_u,
                       .knot_v = patch->knot_v,
                       .point = patch->point,
                       .closed_v = true,
                       .flip = patch->flip};
}
