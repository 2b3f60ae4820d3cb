/* Fractions by counting samples. */
#include "flesh/fractions.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void whole_counts(const snSamples *s, const snLattice *l, snWholeTets *w)
{
    *w = (snWholeTets){0};
    for (int32_t size = 0; size < SN_LATTICE_SIZES; ++size)
        for (int32_t x = 0, per = SN_LATTICE_FINE << size; x < per; ++x)
            for (int32_t y = 0; y < per; ++y)
                for (int32_t z = 0; z < per; ++z) {
                    int32_t face[4], tet = sn_lattice_locate(l, size, sn_sample_point(s, x, y, z), face);
                    int32_t at[3] = {x - per * face[1], y - per * face[2], z - per * face[3]};
                    ++w->count[size][sn_face_axis(face)][tet];
                    memcpy(w->sample[size][sn_face_axis(face)][tet], at, sizeof at);
                }
}

/* Tetrahedron of a sample's cell that it lies in. */
static int32_t tet_of(const snTissueDef *def, const snLattice *l, int32_t sample)
{
    int32_t face[4], oct = l->sample_oct[sample];
    return 4 * oct + sn_lattice_locate(l, sn_oct_size(l, oct), sn_sample_at(def->samples, sample), face);
}

/* Whether a tetrahedron lies in a larger one. */
static bool is_covered(const snSamples *s, const snLattice *l, const snWholeTets *w, int32_t oct, int32_t tet)
{
    const int32_t *face = l->oct_face + 4 * (size_t)oct, size = sn_oct_size(l, oct),
                  *by = w->sample[size][sn_oct_axis(l, oct)][tet];
    int32_t at[3];
    for (int d = 0; d < 3; ++d) {
        at[d] = (SN_LATTICE_FINE << size) * face[1 + d] + by[d];
        if (at[d] < 0 || at[d] >= s->n[d]) return false;
    }
    int32_t there = l->sample_oct[(at[0] * s->n[1] + at[1]) * s->n[2] + at[2]];
    return there >= 0 && sn_oct_size(l, there) > size;
}

void sn_fractions_free(snFractions *f)
{
    sn_free(f->fill);
    sn_free(f->share);
    sn_free(f->direction);
    sn_free(f->muscle);
}

static void fill_fractions(const snTissueDef *def, const snLattice *l, snFractions *f)
{
    int32_t n = def->samples->n[0] * def->samples->n[1] * def->samples->n[2];
    for (int32_t v = 0; v < n; ++v)
        if (l->sample_oct[v] >= 0) f->fill[tet_of(def, l, v)] += 1;
    for (int32_t o = 0; o < l->noct; ++o)
        for (int32_t k = 0; k < 4; ++k) {
            float *fill = f->fill + 4 * (size_t)o + k,
                  whole = (float)f->whole.count[sn_oct_size(l, o)][sn_oct_axis(l, o)][k];
            if (!is_covered(def->samples, l, &f->whole, o, k))
                *fill = fminf(fmaxf(*fill / whole, (float)def->least_fill), 1);
        }
}

/* A muscle sample with its tetrahedron, to be sorted. */
typedef struct {
    int32_t tet, muscle;
    const snMuscleSample *sample;
} Placed;

static int by_tet(const void *a, const void *b)
{
    const Placed *p = a, *q = b;
    if (p->tet != q->tet) return p->tet < q->tet ? -1 : 1;
    if (p->muscle != q->muscle) return p->muscle < q->muscle ? -1 : 1;
    return p->sample->sample < q->sample->sample ? -1 : p->sample->sample > q->sample->sample;
}

/* One muscle in one tetrahedron: keeps it when it has more than what is there. */
static void keep_share(snFractions *f, int32_t tet, int32_t muscle, float share, v3 direction)
{
    int32_t at = SN_OCT_FIBERS * tet, to = at;
    if (f->share[at + 1] < f->share[at]) to = at + 1;
    if (share <= f->share[to]) return;
    f->share[to] = share, f->muscle[to] = muscle;
    v3 unit = v3_unit(direction);
    f->direction[3 * to] = (float)unit.x, f->direction[3 * to + 1] = (float)unit.y,
                     f->direction[3 * to + 2] = (float)unit.z;
}

static snStatus fiber_fractions(const snTissueDef *def, const snLattice *l, snFractions *f)
{
    int32_t n = 0;
    Placed *placed = SN_NEW_ARRAY(Placed, def->nmuscle_sample);
    if (!placed) return SN_NO_MEMORY;
    for (int32_t i = 0; i < def->nmuscle_sample; ++i) {
        const snMuscleSample *s = &def->muscle_sample[i];
        if (l->sample_oct[s->sample] < 0) continue;
        placed[n++] = (Placed){tet_of(def, l, s->sample), s->muscle, s};
    }
    qsort(placed, (size_t)n, sizeof *placed, by_tet);
    for (int32_t i = 0, end; i < n; i = end) {
        v3 sum = {0}, first = {0};
        for (end = i; end < n && placed[end].tet == placed[i].tet && placed[end].muscle == placed[i].muscle; ++end) {
            const float *d = placed[end].sample->direction;
            v3 way = v3_of((double)d[0], (double)d[1], (double)d[2]);
            if (end == i) first = way;
            sum = v3_mad(sum, v3_dot(way, first) < 0 ? -1 : 1, way); /* fibres have no sense of direction */
        }
        int32_t oct = placed[i].tet / 4,
                whole = f->whole.count[sn_oct_size(l, oct)][sn_oct_axis(l, oct)][placed[i].tet % 4];
        if (v3_len2(sum) > 0) keep_share(f, placed[i].tet, placed[i].muscle, (float)(end - i) / (float)whole, sum);
    }
    sn_free(placed);
    return SN_OK;
}

snStatus sn_fractions_create(const snTissueDef *def, const snLattice *l, snFractions *f)
{
    size_t n = 4 * (size_t)l->noct, m = n * SN_OCT_FIBERS;
    f->fill = SN_NEW_ARRAY(float, n), f->share = SN_NEW_ARRAY(float, m);
    f->direction = SN_NEW_ARRAY(float, 3 * m), f->muscle = SN_NEW_ARRAY(int32_t, m);
    if (!f->fill || !f->share || !f->direction || !f->muscle) return SN_NO_MEMORY;
    whole_counts(def->samples, l, &f->whole);
    fill_fractions(def, l, f);
    return fiber_fractions(def, l, f);
}
