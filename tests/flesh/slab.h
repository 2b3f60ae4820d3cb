/* A box of flesh for tests: samples inside low to high, none elsewhere. */
#ifndef SN_TESTS_FLESH_SLAB_H
#define SN_TESTS_FLESH_SLAB_H

#include "base/alloc.h"
#include "flesh/tissue.h"

#include <string.h>

static inline int32_t slab_at(const snSamples *s, int32_t x, int32_t y, int32_t z)
{
    return (x * s->n[1] + y) * s->n[2] + z;
}

/* Links of all neighbours that are both inside. */
static inline void slab_link(snSamples *s)
{
    for (int32_t x = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z) {
                uint8_t *f = &s->flag[slab_at(s, x, y, z)];
                if (!(*f & SN_SAMPLE_INSIDE)) continue;
                if (x + 1 < s->n[0] && s->flag[slab_at(s, x + 1, y, z)] & SN_SAMPLE_INSIDE) *f |= 1;
                if (y + 1 < s->n[1] && s->flag[slab_at(s, x, y + 1, z)] & SN_SAMPLE_INSIDE) *f |= 2;
                if (z + 1 < s->n[2] && s->flag[slab_at(s, x, y, z + 1)] & SN_SAMPLE_INSIDE) *f |= 4;
            }
}

/* cells: cubes of the lattice; with a rim of two cubes around. */
static inline snSamples slab_create(int32_t nx, int32_t ny, int32_t nz, double spacing)
{
    int32_t cells[3] = {nx, ny, nz}, rim = 2 * SN_LATTICE_FINE;
    snSamples s = {.spacing = spacing / SN_LATTICE_FINE};
    for (int d = 0; d < 3; ++d) s.n[d] = cells[d] * SN_LATTICE_FINE + 2 * rim;
    s.low = v3_of(-2 * spacing, -2 * spacing, -2 * spacing);
    s.flag = SN_NEW_ARRAY(uint8_t, (size_t)s.n[0] * (size_t)s.n[1] * (size_t)s.n[2]);
    for (int32_t x = rim; x < s.n[0] - rim; ++x)
        for (int32_t y = rim; y < s.n[1] - rim; ++y)
            for (int32_t z = rim; z < s.n[2] - rim; ++z) s.flag[slab_at(&s, x, y, z)] = SN_SAMPLE_INSIDE;
    slab_link(&s);
    return s;
}

static inline snTissueDef slab_def(const snSamples *s)
{
    static const double rest[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    return (snTissueDef){.samples = s,
                         .material = {2e4, 6e4, 1e7, 0.02, 3e5, 1.4},
                         .density = 1000,
                         .least_fill = 0.05,
                         .nbone = 2,
                         .bone_rest = rest};
}

/* Bone samples at the samples whose x lies below low (bone 0) or above high (bone 1); returns their number. */
static inline int32_t slab_hold(const snSamples *s, double low, double high, double stiffness, snBoneSample *to)
{
    int32_t n = 0;
    for (int32_t x = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z) {
                int32_t i = slab_at(s, x, y, z);
                v3 p = sn_sample_point(s, x, y, z);
                if (!(s->flag[i] & SN_SAMPLE_INSIDE) || (p.x > low && p.x < high)) continue;
                if (to) to[n] = (snBoneSample){i, p.x >= high, p, stiffness};
                ++n;
            }
    return n;
}

#endif
