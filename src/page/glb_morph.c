/* Morph targets of a mesh: the first shape as it is, the others as differences from it. */
#include "page/glb.h"

#include "base/alloc.h"

#include <math.h>

enum { LONGEST_GAP = 24 }; /* shapes: bounds the work of looking for those that may be left out */

bool sn_morph_create(snMorph *m, size_t nvertex, int32_t nshape)
{
    *m = (snMorph){
        .nvertex = nvertex, .nshape = nshape, .first = {-1, -1}, .least = {5e-6, 0.02}, .tolerance = {3e-5, 0.04}};
    bool fine = true;
    for (int k = 0; k < 2; ++k) {
        m->all[k] = SN_NEW_ARRAY(double, 3 * nvertex * (size_t)nshape);
        m->target[k] = SN_NEW_ARRAY(int32_t, nshape);
        m->shape[k] = m->all[k];
        fine = fine && m->all[k] && m->target[k];
    }
    m->time = SN_NEW_ARRAY(double, nshape);
    m->work = SN_NEW_ARRAY(double, 3 * nvertex);
    return fine && m->time && m->work;
}

void sn_morph_free(snMorph *m)
{
    for (int k = 0; k < 2; ++k) {
        sn_free(m->all[k]);
        sn_free(m->target[k]);
    }
    sn_free(m->time);
    sn_free(m->work);
}

void sn_morph_add(snMorph *m, int32_t i)
{
    size_t next = i + 1 < m->nshape ? (size_t)i + 1 : 0;
    for (int k = 0; k < 2; ++k) m->shape[k] = m->all[k] + 3 * m->nvertex * next;
}

/* Whether the straight way from shape a to shape b comes near every shape between them. */
static bool straight(const snMorph *m, int32_t a, int32_t b)
{
    for (int32_t i = a + 1; i < b; ++i) {
        double t = (double)(i - a) / (b - a);
        for (int k = 0; k < 2; ++k) {
            const double *from = m->all[k] + 3 * m->nvertex * (size_t)a, *to = m->all[k] + 3 * m->nvertex * (size_t)b,
                         *here = m->all[k] + 3 * m->nvertex * (size_t)i;
            double most = m->tolerance[k] * m->tolerance[k];
            for (size_t j = 0; j < 3 * m->nvertex; j += 3) {
                v3 way = v3_lerp(v3_load(from + j), v3_load(to + j), t);
                if (v3_len2(v3_sub(way, v3_load(here + j))) > most) return false;
            }
        }
    }
    return true;
}

/* A normal is made a unit one after the shapes were mixed, so a shorter one points the same way: as long as it can be
 * with no component of the difference beyond 1. false: there is none, or it would be too short. */
static bool shorten(const double *base, const double *here, double *difference)
{
    for (double s = 1; s > 0.2; s -= 0.1) {
        double most = 0;
        for (int k = 0; k < 3; ++k) {
            difference[k] = s * here[k] - base[k];
            most = fmax(most, fabs(difference[k]));
        }
        if (most <= 1) return true;
    }
    return false;
}

/* Differences from the first shape. */
static void write_target(snMorph *m, glbWriter *w, int32_t shape, int32_t count)
{
    for (int k = 0; k < 2; ++k) {
        double *value = m->work;
        const double *here = m->all[k] + 3 * m->nvertex * (size_t)shape;
        for (size_t j = 0; j < 3 * m->nvertex; ++j) value[j] = here[j] - m->all[k][j];
        for (size_t j = 0; k == 1 && j < 3 * m->nvertex; j += 3)
            if (!shorten(m->all[k] + j, here + j, value + j) && m->creased)
                for (size_t c = j; c < j + 3; ++c) value[c] = fmin(fmax(value[c], -1), 1);
        m->target[k][count - 1] = sn_gltf_differences(&w->gltf, value, m->nvertex, m->least[k], k == 1);
    }
    m->time[count] = w->shape_time[shape];
}

snShapes sn_morph_write(snMorph *m, glbWriter *w)
{
    snShapes shapes = {.time = m->time, .position = m->target[0], .normal = m->target[1]};
    for (int k = 0; k < 2; ++k) m->first[k] = sn_gltf_vectors(&w->gltf, m->all[k], m->nvertex, 3, 34962);
    m->time[0] = w->shape_time[0];
    int32_t last = 0;
    for (int32_t i = 1; i < m->nshape; ++i) {
        bool end = i + 1 == m->nshape || i + 1 - last > LONGEST_GAP;
        if (!end && straight(m, last, i + 1)) continue;
        write_target(m, w, i, ++shapes.count);
        last = i;
    }
    return shapes;
}
