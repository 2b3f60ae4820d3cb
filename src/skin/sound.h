/* Meshes that were found sound once, remembered by their contents: a check takes longer than to compare them. */
#ifndef SN_SKIN_SOUND_H
#define SN_SKIN_SOUND_H

#include "base/hash.h"
#include "base/memo.h"
#include "geom/mesh.h"

static inline uint64_t sn_sound_key(const snTriMesh *m)
{
    uint64_t key = sn_checksum((uint64_t)m->nvertex, m->vertex, 3 * sizeof *m->vertex * (size_t)m->nvertex);
    key = sn_checksum(key, m->triangle, 3 * sizeof *m->triangle * (size_t)m->ntriangle);
    return key ? key : 1;
}

/* True if this very mesh was kept as sound. */
static inline bool sn_sound_known(snMemo *memo, const snTriMesh *mesh)
{
    uint64_t key = 0;
    return sn_memo_take(memo, &key, sizeof key) && key == sn_sound_key(mesh);
}

static inline void sn_sound_keep(snMemo *memo, const snTriMesh *mesh, bool sound)
{
    uint64_t key = sound ? sn_sound_key(mesh) : 0;
    sn_memo_keep(memo, &key, sizeof key);
}

#endif
