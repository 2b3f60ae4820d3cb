/* Morph targets of a mesh: the first shape as it is, the others as differences from it. */
#include "page/glb.h"

#include "base/alloc.h"

#include <string.h>

bool sn_morph_create(snMorph *m, size_t nvertex, int32_t nshape)
{
    *m = (snMorph){.nvertex = nvertex, .first = {-1, -1}, .least = {5e-6, 0.02}};
    bool fine = true;
    for (int k = 0; k < 2; ++k) {
        m->base[k] = SN_NEW_ARRAY(double, 3 * nvertex);
        m->shape[k] = SN_NEW_ARRAY(double, 3 * nvertex);
        m->target[k] = SN_NEW_ARRAY(int32_t, nshape);
        fine = fine && m->base[k] && m->shape[k] && m->target[k];
    }
    return fine;
}

void sn_morph_free(snMorph *m)
{
    for (int k = 0; k < 2; ++k) {
        sn_free(m->base[k]);
        sn_free(m->shape[k]);
        sn_free(m->target[k]);
    }
}

void sn_morph_add(snGltf *g, snMorph *m, int32_t i)
{
    for (int k = 0; k < 2; ++k) {
        if (i == 0) {
            memcpy(m->base[k], m->shape[k], 3 * m->nvertex * sizeof(double));
            m->first[k] = sn_gltf_vectors(g, m->base[k], m->nvertex, 3, 34962);
            continue;
        }
        for (size_t j = 0; j < 3 * m->nvertex; ++j) m->shape[k][j] -= m->base[k][j];
        m->target[k][i - 1] = sn_gltf_sparse(g, m->shape[k], m->nvertex, 3, m->least[k]);
    }
}

snShapes sn_morph_shapes(const snMorph *m, const glbWriter *w, int32_t nshape)
{
    return (snShapes){.count = nshape - 1, .time = w->shape_time, .position = m->target[0], .normal = m->target[1]};
}
