/* Shapes of samples in the frame of the bones: differences, fitted weights, errors of the blend, 16 bits. */
#include "author/library_grid.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { SECTIONS = 24 };
static const double FLATTEST = 0.02; /* determinant of the blended motion below which a vertex has no frame */

static void motions(const snLibraryGrid *g, const snLibraryPoint *p, rigid *motion)
{
    for (int32_t b = 0; b < g->muscle->nattached; ++b)
        motion[b] = rigid_mul(p->bone[b], rigid_inverse(g->muscle->soft_bone[b].rest));
}

static void inverse(const m3 *a, m3 *out)
{
    const double *m = a->m;
    double d = 1 / m3_det(a);
    double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                   m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; ++i) out->m[i] = d * c[i];
}

/* delta = B^-1 x - X. */
void sn_library_localise(const snLibraryGrid *g, snLibraryPoint *p)
{
    rigid motion[SN_LIBRARY_BODIES];
    motions(g, p, motion);
    for (int32_t v = 0; v < g->frame.nvertex; ++v) {
        double B[12];
        sn_library_frame(&g->frame, v, motion, B);
        m3 a = {{B[0], B[1], B[2], B[4], B[5], B[6], B[8], B[9], B[10]}}, back;
        v3 x = v3_sub(v3_load(p->vertex + 3 * v), v3_of(B[3], B[7], B[11]));
        if (m3_det(&a) < FLATTEST) a = m3_from_q(motion[0].q);
        inverse(&a, &back);
        v3_store(p->delta + 3 * v, v3_sub(m3_mulv(&back, x), sn_trimesh_point(&g->muscle->mesh, v)));
    }
}

double sn_library_apart(const snLibraryGrid *g, const snLibraryPoint *p, const snLibraryPoint *q)
{
    double most = 0;
    for (int32_t v = 0; v < g->frame.nvertex; ++v)
        most = fmax(most, v3_len2(v3_sub(v3_load(p->delta + 3 * v), v3_load(q->delta + 3 * v))));
    return sqrt(most);
}

/* ---- fitted weights ---- */

/* The share of bone 1 that carries each vertex nearest to where it is in a sample, averaged over sections across the
 * muscle, which are told apart by the share they had before. */
static void fit_two(snLibraryGrid *g, const snLibraryPoint *p)
{
    rigid motion[SN_LIBRARY_BODIES];
    double sum[SECTIONS + 1] = {0}, count[SECTIONS + 1] = {0};
    int32_t n = g->frame.nvertex;
    float *w0 = g->frame.weight, *w1 = g->frame.weight + n;
    motions(g, p, motion);
    for (int32_t v = 0; v < n; ++v) {
        v3 X = sn_trimesh_point(&g->muscle->mesh, v), a = rigid_apply(motion[0], X),
           d = v3_sub(rigid_apply(motion[1], X), a);
        double size = v3_len2(d), share = size > 0 ? v3_dot(v3_sub(v3_load(p->vertex + 3 * v), a), d) / size : 0;
        double at = (double)w1[v] * SECTIONS;
        int k = at < SECTIONS ? (int)at : SECTIONS - 1;
        double t = at - k;
        share = fmin(fmax(share, 0), 1);
        sum[k] += size * (1 - t) * share, count[k] += size * (1 - t);
        sum[k + 1] += size * t * share, count[k + 1] += size * t;
    }
    double last = 0;
    for (int k = 0; k <= SECTIONS; ++k) last = sum[k] = count[k] > 0 ? sum[k] / count[k] : last;
    for (int32_t v = 0; v < n; ++v) {
        double at = (double)w1[v] * SECTIONS;
        int k = at < SECTIONS ? (int)at : SECTIONS - 1;
        w1[v] = (float)(sum[k] + (sum[k + 1] - sum[k]) * (at - k));
        w0[v] = 1 - w1[v];
    }
}

snStatus sn_library_fit(snLibraryGrid *g, snError *error)
{
    (void)error;
    int32_t total = sn_library_total(g);
    const snLibraryPoint *far = NULL;
    double most = 0;
    for (int32_t i = 0; i < total; ++i) {
        double moved = 0;
        rigid motion[SN_LIBRARY_BODIES];
        motions(g, g->point[i], motion);
        for (int32_t b = 1; b < g->muscle->nattached; ++b)
            moved += v3_len(q_log(q_mul(q_conj(motion[0].q), motion[b].q))) + v3_dist(motion[0].p, motion[b].p);
        if (g->point[i]->info.converged && moved > most + 1e-9) most = moved, far = g->point[i];
    }
    if (far && g->muscle->nattached == 2) fit_two(g, far);
    for (int32_t i = 0; i < total; ++i) sn_library_localise(g, g->point[i]);
    return SN_OK;
}

/* ---- errors ---- */

double sn_library_blend_error(const snLibraryGrid *g, const snLibraryPlane *plane, int32_t i, double *rms)
{
    /* the same weights as when the library is played: cubic along joint coordinates, linear along the activation */
    const snLibraryPoint *truth = plane->point[i];
    snLibraryMuscle axes = {.naxis = g->naxis};
    memcpy(axes.axis, g->axis, sizeof axes.axis);
    snLibraryMix mix = sn_library_mix(&axes, truth->at);
    double most = 0, sum = 0;
    for (int32_t v = 0; v < g->frame.nvertex; ++v) {
        v3 d = v3_neg(v3_load(truth->delta + 3 * v));
        for (int32_t s = 0; s < mix.count; ++s)
            d = v3_mad(d, (double)mix.weight[s], v3_load(g->point[mix.sample[s]]->delta + 3 * v));
        most = fmax(most, v3_len2(d)), sum += v3_len2(d);
    }
    *rms = sqrt(sum / g->frame.nvertex);
    return sqrt(most);
}

/* The worst of the axes along which a sample has neighbours on both sides: the line between them against it. */
static double left_out(const snLibraryGrid *g, int32_t flat)
{
    int32_t index[3], other[3];
    double worst = 0;
    sn_library_unflat(g, flat, index);
    for (int32_t a = 0; a < g->naxis; ++a) {
        int32_t k = index[a];
        if (k == 0 || k + 1 == g->axis[a].n) continue;
        const double *value = g->axis[a].value;
        double t = (value[k] - value[k - 1]) / (value[k + 1] - value[k - 1]), most = 0;
        memcpy(other, index, sizeof other);
        other[a] = k - 1;
        const snLibraryPoint *p = g->point[sn_library_flat(g, other)], *at = g->point[flat];
        other[a] = k + 1;
        const snLibraryPoint *q = g->point[sn_library_flat(g, other)];
        for (int32_t v = 0; v < 3 * g->frame.nvertex; v += 3) {
            v3 line = v3_lerp(v3_load(p->delta + v), v3_load(q->delta + v), t);
            most = fmax(most, v3_len2(v3_sub(line, v3_load(at->delta + v))));
        }
        worst = fmax(worst, sqrt(most));
    }
    return worst;
}

/* ---- packing ---- */

static void pack_sample(const snLibraryGrid *g, int32_t i, snLibraryMuscle *out)
{
    const snLibraryPoint *p = g->point[i];
    size_t n = (size_t)out->nvertex;
    out->contact_depth = fmax(out->contact_depth, p->info.contact_depth);
    int16_t *to = out->delta + 3 * (size_t)i * n;
    for (size_t v = 0; v < n; ++v)
        for (size_t e = 0; e < 3; ++e) to[e * n + v] = (int16_t)lrint(p->delta[3 * v + e] / out->unit);
    out->sample[i] = (snLibrarySample){.residual = (float)p->info.residual,
                                       .energy = (float)p->info.energy,
                                       .least = (float)p->info.least_J,
                                       .volume = (float)p->info.volume,
                                       .force = (float)p->force,
                                       .jump = (float)sn_library_jump(g, i),
                                       .step = (float)sn_library_step(g, i),
                                       .left_out = (float)left_out(g, i)};
}

/* Middles within the box that is left. */
static void pack_middles(const snLibraryGrid *g, snLibraryMuscle *out)
{
    double worst = 0, sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < g->middle.count; ++i) {
        const snLibraryMiddle *m = g->middle.at + i;
        bool inside = true;
        for (int32_t a = 0; a < g->naxis; ++a)
            inside = inside && m->at[a] >= g->axis[a].value[0] && m->at[a] <= g->axis[a].value[g->axis[a].n - 1];
        if (!inside) continue;
        worst = fmax(worst, m->most), sum += m->rms * m->rms, ++count;
    }
    out->midpoint_max = (float)worst, out->midpoint_rms = (float)(count > 0 ? sqrt(sum / count) : 0);
}

snStatus sn_library_pack(snLibraryGrid *g, snLibraryMuscle *out, snError *error)
{
    double most = 1e-6;
    out->nvertex = g->frame.nvertex, out->nbody = g->muscle->nattached;
    out->naxis = g->naxis, out->nsample = sn_library_total(g);
    memcpy(out->axis, g->axis, sizeof out->axis);
    out->delta = SN_NEW_ARRAY(int16_t, 3 * (size_t)out->nsample * (size_t)out->nvertex);
    out->sample = SN_NEW_ARRAY(snLibrarySample, out->nsample);
    if (!out->delta || !out->sample) return sn_fail_no_memory(error);
    out->weight = g->frame.weight, g->frame.weight = NULL;
    for (int32_t b = 0; b < out->nbody; ++b)
        (void)snprintf(out->body[b], sizeof out->body[b], "%s", sn_name(g->model, SN_ITEM_BODY, g->muscle->bone[b]));
    out->hash = sn_library_hash(&g->muscle->mesh);
    for (int32_t i = 0; i < out->nsample; ++i)
        for (int32_t v = 0; v < 3 * out->nvertex; ++v) most = fmax(most, fabs(g->point[i]->delta[v]));
    out->unit = most / 32767;
    for (int32_t i = 0; i < out->nsample; ++i) pack_sample(g, i, out);
    pack_middles(g, out);
    return SN_OK;
}
