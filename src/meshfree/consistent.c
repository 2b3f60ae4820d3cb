/* consistent.h. */
#include "meshfree/consistent.h"
#include "meshfree/neighbours.h"

#include "base/alloc.h"

#include <string.h>

enum { MOST_STEPS = 2000, FINEST = 12, CUT = 8 };
static const double PIECE = 0.5;       /* longest side of a piece of the wall, over the spacing of points */
static const double RIDGE = 0.02;      /* of the moments of the points on the wall around one */
static const double LEAST = 0.5;       /* of a volume that may be left when it is corrected */
static const double TOLERANCE = 1e-10; /* of the residual of conjugate gradients */

/* ---- the wall ---- */

/* The free point next to a place. */
static int32_t nearest(const snSoftPoints *p, v3 at)
{
    double best = INFINITY;
    int32_t to = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        v3 d = sn_soft_squeeze(p->axis, p->squeeze, v3_sub(v3_load(p->x + 3 * i), at));
        if (v3_len2(d) < best && !(p->attached && p->attached[i] >= 0)) best = v3_len2(d), to = i;
    }
    return to;
}

/* Pieces of the wall that are next to a point: their area, outwards, and its first moments about the point. */
typedef struct patch {
    v3 area;
    m3 moment; /* area_i d_j */
    bool any;
} patch;

/* The faces between the bones and what is free: their area, inwards to the bones, and the points that share it. */
typedef struct faces {
    v3 area[SN_SOFT_HOLDERS];
    int32_t count[SN_SOFT_HOLDERS];
    double moment; /* of the wall of what is free, area . place */
} faces;

/* Whether the corners of a triangle belong to different bones. */
static bool at_border(const snSoftPointsDef *def, int32_t t)
{
    v3 border;
    int32_t bone = def->bone(def->context, sn_trimesh_corner(def->mesh, t, 0), &border);
    for (int k = 1; k < 3; ++k)
        if (def->bone(def->context, sn_trimesh_corner(def->mesh, t, k), &border) != bone) return true;
    return false;
}

/* How much of a piece of the wall is free, and its middle then; the rest goes to the bones. size: of the piece over the
 * triangle with the sides u and v, negative: turned round; cut: a border may pass through it. */
static double free_part(const snSoftPointsDef *def, bool cut, v3 piece, double size, v3 u, v3 v, v3 *at, faces *f)
{
    int n = cut ? CUT : 1, found = 0;
    v3 border, sum = {0, 0, 0}, corner = v3_mad(v3_mad(*at, -size / 3, u), -size / 3, v);
    for (int i = 0; i < n; ++i)
        for (int j = 0; i + j < n; ++j)
            for (int up = 0; up < 2 && i + j + up < n; ++up) {
                double s = (i + (1.0 + up) / 3) / n, r = (j + (1.0 + up) / 3) / n;
                v3 place = v3_mad(v3_mad(corner, size * s, u), size * r, v);
                int32_t bone = def->bone(def->context, place, &border);
                if (bone >= 0)
                    f->area[bone] = v3_mad(f->area[bone], 1.0 / (n * n), piece);
                else
                    sum = v3_add(sum, place), ++found;
            }
    if (found > 0) *at = v3_scale(sum, 1.0 / found);
    return (double)found / (n * n);
}

/* A free piece of the wall goes to the nearest point. */
static void add_piece(const snSoftPoints *p, v3 piece, v3 at, patch *patches, faces *f)
{
    int32_t to = nearest(p, at);
    v3 d = v3_sub(at, v3_load(p->x + 3 * to));
    double w[3] = {piece.x, piece.y, piece.z}, c[3] = {d.x, d.y, d.z};
    f->moment += v3_dot(piece, at);
    patches[to].area = v3_add(patches[to].area, piece), patches[to].any = true;
    for (int e = 0; e < 9; ++e) patches[to].moment.m[e] += w[e / 3] * c[e % 3];
}

/* A triangle in small ones, each with its middle: exact for linear fields. What belongs to a bone goes to `bones`. */
static void share_triangle(const snSoftPointsDef *def, int32_t t, const snSoftPoints *p, patch *patches, faces *f)
{
    const snTriMesh *mesh = def->mesh;
    v3 a = sn_trimesh_corner(mesh, t, 0), u = v3_sub(sn_trimesh_corner(mesh, t, 1), a),
       v = v3_sub(sn_trimesh_corner(mesh, t, 2), a);
    double side = sqrt(fmax(fmax(v3_len2(u), v3_len2(v)), v3_len2(v3_sub(u, v))));
    int n = (int)ceil(fmin(side / (PIECE * p->spacing), FINEST));
    n = n < 1 ? 1 : n;
    bool cut = p->attached && at_border(def, t);
    v3 piece = v3_scale(v3_cross(u, v), 0.5 / (n * n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; i + j < n; ++j)
            for (int up = 0; up < 2 && i + j + up < n; ++up) {
                double s = (i + (1.0 + up) / 3) / n, r = (j + (1.0 + up) / 3) / n;
                v3 at = v3_mad(v3_mad(a, s, u), r, v);
                double part = p->attached ? free_part(def, cut, piece, (up ? -1.0 : 1.0) / n, u, v, &at, f) : 1;
                if (part > 0) add_piece(p, v3_scale(piece, part), at, patches, f);
            }
}

/* The wall is outside of the points: what its first moments about them are is a small dipole between a point and the
 * others on the wall around it, by moving least squares over these. Where they lie in a plane the dipole across it is
 * left to share_rest. */
static void spread(const snSoftPoints *p, const patch *patches, int32_t i)
{
    double A[9] = {0}, reach = 0, right[27];
    v3 at = v3_load(p->x + 3 * i);
    for (int32_t k = p->first[i]; k < p->first[i + 1]; ++k)
        reach =
            fmax(reach, v3_len2(sn_soft_squeeze(p->axis, p->squeeze, v3_sub(v3_load(p->x + 3 * p->neighbour[k]), at))));
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t b = 0; b < p->n; ++b) {
            v3 d = v3_sub(v3_load(p->x + 3 * b), at);
            double q = 1 - v3_len2(sn_soft_squeeze(p->axis, p->squeeze, d)) / (1.5 * reach);
            if (b == i || q <= 0 || !patches[b].any) continue;
            double w = q * q * q, c[3] = {d.x, d.y, d.z};
            for (int r = 0; r < 9 && pass == 0; ++r) A[r] += w * c[r / 3] * c[r % 3];
            for (int r = 0; r < 9 && pass == 1; ++r) {
                /* moment_e . (A^-1 d), three directions e of the area */
                double move =
                    patches[i].moment.m[r] * w *
                    (right[3 * (r % 3)] * c[0] + right[3 * (r % 3) + 1] * c[1] + right[3 * (r % 3) + 2] * c[2]);
                p->wall[3 * b + r / 3] += move;
                p->wall[3 * i + r / 3] -= move;
            }
        }
        double ridge = RIDGE * (A[0] + A[4] + A[8]);
        for (int r = 0; r < 3 && pass == 0; ++r) A[4 * r] += ridge;
        for (int r = 0; r < 9 && pass == 0; ++r) right[r] = r % 4 == 0;
        if (pass == 0 && !sn_small_cholesky_solve(A, right, 3, 3)) return;
    }
}

/* The rest of sum W_a = 0 and sum W_a X_a' = V I, in proportion to what each point has: W_a += |W_a| (1, X_a) c for
 * each direction of the area. */
static void share_rest(snSoftPoints *p)
{
    double volume = 0;
    v3 middle = {0, 0, 0};
    for (int32_t i = 0; i < p->n; ++i) {
        volume += p->attached && p->attached[i] >= 0 ? 0 : p->volume[i];
        middle = v3_mad(middle, 1.0 / p->n, v3_load(p->x + 3 * i));
    }
    for (int e = 0; e < 3; ++e) {
        double moment[16] = {0}, right[4] = {0};
        for (int pass = 0; pass < 2; ++pass) {
            for (int32_t i = 0; i < p->n; ++i) {
                v3 X = v3_scale(v3_sub(v3_load(p->x + 3 * i), middle), 1 / p->spacing);
                double Y[4] = {1, X.x, X.y, X.z}, *W = p->wall + 3 * i + e, w = fabs(*W);
                for (int r = 0; r < 16 && pass == 0; ++r) moment[r] += w * Y[r / 4] * Y[r % 4];
                for (int r = 0; r < 4; ++r)
                    if (pass == 0)
                        right[r] -= *W * Y[r];
                    else
                        *W += w * Y[r] * right[r];
            }
            if (pass == 0) right[1 + e] += volume / p->spacing;
            if (pass == 0 && !sn_small_cholesky_solve(moment, right, 4, 1)) return;
        }
    }
}

/* The face between a bone and what is free, in equal shares to the attached points there. */
static void share_faces(const snSoftPoints *p, faces *f, patch *patches)
{
    for (int32_t a = 0; a < p->n; ++a) {
        patches[a].any = patches[a].any || sn_soft_at_border(p, a);
        if (p->attached[a] >= 0) f->count[p->attached[a]] += patches[a].any;
    }
    for (int32_t a = 0; a < p->n; ++a) {
        if (p->attached[a] < 0 || !patches[a].any) continue;
        patches[a].area = v3_scale(f->area[p->attached[a]], 1.0 / f->count[p->attached[a]]);
        f->moment += v3_dot(patches[a].area, v3_load(p->x + 3 * a));
    }
}

/* What is free has the volume that its wall and these faces enclose: voxels at the border belong to one side or the
 * other as a whole. The rest is with the bones. */
static void correct_volumes(const faces *f, snSoftPoints *p)
{
    double sum[2] = {0, 0};
    for (int32_t i = 0; i < p->n; ++i) sum[p->attached[i] >= 0] += p->volume[i];
    double scale[2] = {f->moment / 3 / sum[0], (sum[0] + sum[1] - f->moment / 3) / sum[1]};
    if (!(scale[0] > LEAST && scale[1] > LEAST)) return;
    for (int32_t i = 0; i < p->n; ++i) p->volume[i] *= scale[p->attached[i] >= 0];
}

bool sn_soft_wall(const snSoftPointsDef *def, snSoftPoints *p)
{
    patch *patches = SN_NEW_ARRAY(patch, p->n);
    faces f = {.moment = 0};
    p->wall = SN_NEW_ARRAY(double, 3 * p->n);
    if (!patches || !p->wall) return sn_free(patches), false;
    for (int32_t t = 0; t < def->mesh->ntriangle; ++t) share_triangle(def, t, p, patches, &f);
    if (p->attached) share_faces(p, &f, patches), correct_volumes(&f, p);
    for (int32_t i = 0; i < p->n; ++i) v3_store(p->wall + 3 * i, v3_add(v3_load(p->wall + 3 * i), patches[i].area));
    for (int32_t i = 0; i < p->n; ++i)
        if (patches[i].any && !(p->attached && p->attached[i] >= 0)) spread(p, patches, i);
    share_rest(p);
    sn_free(patches);
    return true;
}

/* ---- the gradients ---- */

/* Everything conjugate gradients need of a quadrature point: its weights and Y in the metric where these are well
 * conditioned, times the inverse of the Cholesky factor of Y' w Y, so that P_q = w - (w Z)(w Z)'. */
typedef struct fit {
    double weight[SN_SOFT_MAX_STENCIL];
    double Z[SN_SOFT_MAX_STENCIL][4];
} fit;

static bool make_fit(const snSoftPoints *p, int32_t i, fit *f)
{
    int32_t from = p->first[i], count = p->first[i + 1] - from + 1;
    v3 at = v3_load(p->x + 3 * i);
    double A[4][4] = {{0}};
    for (int32_t k = 0; k < count; ++k) {
        v3 y = k ? sn_soft_metric(p, i, v3_sub(v3_load(p->x + 3 * p->neighbour[from + k - 1]), at)) : v3_of(0, 0, 0);
        double Y[4] = {1, y.x / p->spacing, y.y / p->spacing, y.z / p->spacing};
        f->weight[k] = k ? p->weight[from + k - 1] : 1;
        memcpy(f->Z[k], Y, sizeof Y);
        for (int r = 0; r < 16; ++r) A[r / 4][r % 4] += f->weight[k] * Y[r / 4] * Y[r % 4];
    }
    for (int c = 0; c < 4; ++c) { /* A = L L', lower half */
        for (int k = 0; k < c; ++k) A[c][c] -= A[c][k] * A[c][k];
        if (!(A[c][c] > 0)) return false;
        A[c][c] = sqrt(A[c][c]);
        for (int r = c + 1; r < 4; ++r) {
            for (int k = 0; k < c; ++k) A[r][c] -= A[r][k] * A[c][k];
            A[r][c] /= A[c][c];
        }
    }
    for (int32_t k = 0; k < count; ++k)
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < r; ++c) f->Z[k][r] -= A[r][c] * f->Z[k][c];
            f->Z[k][r] /= A[r][r];
        }
    return true;
}

/* dg = P_q m for one quadrature point, 3 numbers a node. */
static void change(const fit *f, const int32_t *node, int32_t count, const double *m, double *dg)
{
    double s[4][3] = {{0}};
    for (int32_t k = 0; k < count; ++k)
        for (int r = 0; r < 12; ++r) s[r / 3][r % 3] += f->weight[k] * f->Z[k][r / 3] * m[3 * node[k] + r % 3];
    for (int32_t k = 0; k < count; ++k)
        for (int e = 0; e < 3; ++e) {
            double fitted = 0;
            for (int r = 0; r < 4; ++r) fitted += f->Z[k][r] * s[r][e];
            dg[3 * k + e] = f->weight[k] * (m[3 * node[k] + e] - fitted);
        }
}

/* Takes out what rounding left of sum_a dg = 0 and sum_a dg X' = 0. */
static void clean(const fit *f, int32_t count, double *dg)
{
    double s[4][3] = {{0}};
    for (int32_t k = 0; k < count; ++k)
        for (int r = 0; r < 12; ++r) s[r / 3][r % 3] += f->Z[k][r / 3] * dg[3 * k + r % 3];
    for (int32_t k = 0; k < count; ++k)
        for (int r = 0; r < 12; ++r) dg[3 * k + r % 3] -= f->weight[k] * f->Z[k][r / 3] * s[r / 3][r % 3];
}

static void leave_out_attached(int32_t n, const int32_t *attached, double *r)
{
    for (int32_t i = 0; i < n && attached; ++i)
        if (attached[i] >= 0) v3_store(r + 3 * i, v3_of(0, 0, 0));
}

/* out = sum over q of V_q P_q m */
static void multiply(const snSoftQuads *q, const int32_t *attached, const fit *fits, const double *m, double *out)
{
    double dg[3 * SN_SOFT_MAX_STENCIL];
    memset(out, 0, 3 * (size_t)q->nnode * sizeof *out);
    for (int32_t e = 0; e < q->n; ++e) {
        const int32_t *node = q->node + q->first[e];
        int32_t count = q->first[e + 1] - q->first[e];
        change(fits + e, node, count, m, dg);
        for (int32_t k = 0; k < 3 * count; ++k) out[3 * node[k / 3] + k % 3] += q->volume[e] * dg[k];
    }
    leave_out_attached(q->nnode, attached, out);
}

static double dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients for all three directions at once: m from the residual r; p, Ap: scratch. Without
 * attached points the matrix has the affine fields as its kernel, to which r is orthogonal. */
static void solve(const snSoftQuads *quads, const int32_t *attached, const fit *fits, double *r, double *m, double *p,
                  double *Ap)
{
    int32_t n = 3 * quads->nnode;
    double rr = dot(n, r, r), least = TOLERANCE * TOLERANCE * rr;
    memcpy(p, r, (size_t)n * sizeof *p);
    for (int step = 0; step < MOST_STEPS && rr > least; ++step) {
        multiply(quads, attached, fits, p, Ap);
        double curvature = dot(n, p, Ap), old = rr;
        if (!(curvature > 0)) break;
        for (int32_t i = 0; i < n; ++i) m[i] += rr / curvature * p[i], r[i] -= rr / curvature * Ap[i];
        rr = dot(n, r, r);
        for (int32_t i = 0; i < n; ++i) p[i] = r[i] + rr / old * p[i];
    }
}

bool sn_soft_make_consistent(const snSoftPoints *p, snSoftQuads *q)
{
    const int32_t *attached = p->attached;
    size_t n = 3 * (size_t)q->nnode;
    fit *fits = SN_NEW_ARRAY(fit, q->n);
    double *r = SN_NEW_ARRAY(double, 4 * n), dg[3 * SN_SOFT_MAX_STENCIL];
    bool ok = fits && r, sound = ok;
    for (int32_t e = 0; e < q->n && sound; ++e)
        if (q->first[e] < q->first[e + 1]) sound = make_fit(p, e, fits + e);
    if (sound) {
        memcpy(r, p->wall, n * sizeof *r);
        for (int32_t e = 0; e < q->n; ++e)
            for (int32_t k = 3 * q->first[e]; k < 3 * q->first[e + 1]; ++k)
                r[3 * q->node[k / 3] + k % 3] -= q->volume[e] * q->gradient[k];
        leave_out_attached(q->nnode, attached, r);
        solve(q, attached, fits, r, r + n, r + 2 * n, r + 3 * n);
        for (int32_t e = 0; e < q->n; ++e) {
            int32_t at = q->first[e], count = q->first[e + 1] - at;
            change(fits + e, q->node + at, count, r + n, dg);
            clean(fits + e, count, dg);
            for (int32_t k = 0; k < 3 * count; ++k) q->gradient[3 * at + k] += dg[k];
        }
    }
    sn_free(fits);
    sn_free(r);
    return ok;
}
