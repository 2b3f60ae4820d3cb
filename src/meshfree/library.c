/* library.h. */
#include "meshfree/library.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "meshfree/blend.h"

#include <string.h>

void sn_library_muscle_free(snLibraryMuscle *m)
{
    sn_free(m->weight), sn_free(m->delta), sn_free(m->sample);
    *m = (snLibraryMuscle){0};
}

void sn_library_clear(snLibrary *library)
{
    for (int32_t i = 0; i < library->nmuscle; ++i) sn_library_muscle_free(library->muscle + i);
    sn_free(library->muscle), sn_free(library->left_out);
    *library = (snLibrary){0};
}

uint64_t sn_library_hash(const snTriMesh *mesh)
{
    uint64_t hash = sn_hash_bytes(0, mesh->triangle, 3 * (size_t)mesh->ntriangle * sizeof *mesh->triangle);
    for (int32_t i = 0; i < 3 * mesh->nvertex; ++i) {
        int64_t micrometres = (int64_t)llround(mesh->vertex[i] * 1e6);
        hash = sn_hash_bytes(hash, &micrometres, sizeof micrometres);
    }
    return hash;
}

/* Up to four samples and weights along one axis. */
static int along(const snLibraryAxis *axis, double at, bool cubic, int32_t index[4], double weight[4])
{
    int32_t n = axis->n, k = 0;
    at = fmin(fmax(at, axis->value[0]), axis->value[n - 1]);
    while (k + 2 < n && at >= axis->value[k + 1]) ++k;
    if (n == 1) return index[0] = 0, weight[0] = 1, 1;
    double h = axis->value[k + 1] - axis->value[k], t = (at - axis->value[k]) / h;
    if (!cubic || n < 3) {
        index[0] = k, index[1] = k + 1;
        weight[0] = 1 - t, weight[1] = t;
        return 2;
    }
    /* Hermite with slopes from the three values around a sample, one-sided at the ends */
    double h00 = (1 + 2 * t) * (1 - t) * (1 - t), h10 = t * (1 - t) * (1 - t), h01 = t * t * (3 - 2 * t),
           h11 = t * t * (t - 1);
    double w[4] = {0, h00, h01, 0};
    for (int end = 0; end < 2; ++end) {
        int32_t i = k + end;
        double f = h * (end ? h11 : h10), *c = w + 1 + end;
        if (i == 0 || i == n - 1) {
            c[i == 0 ? 1 : -1] += (i == 0 ? f : -f) / h, c[0] += (i == 0 ? -f : f) / h;
            continue;
        }
        double before = axis->value[i] - axis->value[i - 1], after = axis->value[i + 1] - axis->value[i];
        double p = after / (before + after), q = before / (before + after); /* slope = p (left) + q (right) */
        c[-1] -= f * p / before, c[0] += f * (p / before - q / after), c[1] += f * q / after;
    }
    int count = 0;
    for (int j = 0; j < 4; ++j)
        if (w[j] != 0) index[count] = k - 1 + j, weight[count++] = w[j];
    return count;
}

snLibraryMix sn_library_mix(const snLibraryMuscle *m, const double *coordinate)
{
    snLibraryMix mix = {1, {0}, {1}};
    for (int32_t a = 0; a < m->naxis; ++a) {
        snLibraryMix next = {0};
        int32_t index[4];
        double weight[4];
        bool activation = strcmp(m->axis[a].name, "activation") == 0;
        int count = along(m->axis + a, coordinate[a], !activation, index, weight);
        for (int32_t i = 0; i < mix.count; ++i)
            for (int j = 0; j < count; ++j) {
                if (weight[j] == 0 || next.count == 32) continue;
                next.sample[next.count] = mix.sample[i] * m->axis[a].n + index[j];
                next.weight[next.count++] = mix.weight[i] * (float)weight[j];
            }
        mix = next;
    }
    return mix;
}

void sn_library_frame(const snLibraryMuscle *m, int32_t vertex, const rigid *motion, double B[12])
{
    memset(B, 0, 12 * sizeof *B);
    for (int32_t b = 0; b < m->nbody; ++b) {
        double w = (double)m->weight[(size_t)b * (size_t)m->nvertex + (size_t)vertex];
        m3 r = m3_from_q(motion[b].q);
        double p[3] = {motion[b].p.x, motion[b].p.y, motion[b].p.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) B[4 * i + j] += w * r.m[3 * i + j];
            B[4 * i + 3] += w * p[i];
        }
    }
}

void sn_library_blend(const snLibraryMuscle *m, const snLibraryMix *mix, const float *rest, const rigid *motion,
                      double *vertex)
{
    const snBlendKernel *kernel = sn_blend_avx2() ? sn_blend_avx2() : sn_blend_portable();
    float R[SN_LIBRARY_BODIES][12], shape[3][SN_BLEND_BLOCK], scaled[32];
    const int16_t *delta[32];
    const float *weight[SN_LIBRARY_BODIES];
    size_t n = (size_t)m->nvertex;
    for (int32_t s = 0; s < mix->count; ++s) scaled[s] = mix->weight[s] * (float)m->unit;
    for (int32_t b = 0; b < m->nbody; ++b) {
        m3 r = m3_from_q(motion[b].q);
        double p[3] = {motion[b].p.x, motion[b].p.y, motion[b].p.z};
        for (int i = 0; i < 12; ++i) R[b][i] = (float)(i % 4 < 3 ? r.m[i / 4 * 3 + i % 4] : p[i / 4]);
    }
    for (int32_t first = 0; first < m->nvertex; first += SN_BLEND_BLOCK) {
        int32_t count = m->nvertex - first < SN_BLEND_BLOCK ? m->nvertex - first : SN_BLEND_BLOCK;
        for (size_t e = 0; e < 3; ++e) {
            for (int32_t s = 0; s < mix->count; ++s) delta[s] = m->delta + (3 * (size_t)mix->sample[s] + e) * n + first;
            kernel->mix(count, mix->count, delta, scaled, rest + e * n + first, shape[e]);
        }
        for (int32_t b = 0; b < m->nbody; ++b) weight[b] = m->weight + (size_t)b * n + first;
        kernel->place(count, m->nbody, weight, R, shape, vertex + 3 * (size_t)first);
    }
}
