/* Setting up a body of flesh: weights and fibres of the elements, springs to the bones, slabs. */
#include "flesh/tissue.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Fractions of the tetrahedra, 4 per octahedron. */
typedef struct {
    float *fill;
    float *share;     /* SN_OCT_FIBERS per tetrahedron */
    float *direction; /* 3 per share, world */
    int32_t *muscle;  /* per share, -1 */
} Fractions;

static void fractions_free(Fractions *f)
{
    sn_free(f->fill);
    sn_free(f->share);
    sn_free(f->direction);
    sn_free(f->muscle);
}

static v3 sample_at(const snSamples *s, int32_t sample)
{
    return sn_sample_point(s, sample / (s->n[1] * s->n[2]), sample / s->n[2] % s->n[1], sample % s->n[2]);
}

/* Samples that a whole tetrahedron holds, by axis and number: the grid repeats itself from cube to cube. */
static void whole_counts(const snSamples *s, const snLattice *l, int32_t count[3][4])
{
    memset(count, 0, 12 * sizeof count[0][0]);
    for (int32_t x = 0; x < SN_LATTICE_FINE; ++x)
        for (int32_t y = 0; y < SN_LATTICE_FINE; ++y)
            for (int32_t z = 0; z < SN_LATTICE_FINE; ++z) {
                int32_t face[4], tet = sn_lattice_locate(l, sn_sample_point(s, x, y, z), face);
                ++count[face[0]][tet];
            }
}

static void fill_fractions(const snTissueDef *def, const snLattice *l, Fractions *f)
{
    int32_t whole[3][4], face[4], n = def->samples->n[0] * def->samples->n[1] * def->samples->n[2];
    whole_counts(def->samples, l, whole);
    for (int32_t v = 0; v < n; ++v)
        if (l->sample_oct[v] >= 0)
            f->fill[4 * (size_t)l->sample_oct[v] + (size_t)sn_lattice_locate(l, sample_at(def->samples, v), face)] += 1;
    for (int32_t o = 0; o < l->noct; ++o)
        for (int32_t k = 0; k < 4; ++k) {
            float *fill = f->fill + 4 * (size_t)o + k;
            *fill = fminf(fmaxf(*fill / (float)whole[l->oct_face[4 * (size_t)o]][k], (float)def->least_fill), 1);
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
static void keep_share(Fractions *f, int32_t tet, int32_t muscle, float share, v3 direction)
{
    int32_t at = SN_OCT_FIBERS * tet, to = at;
    if (f->share[at + 1] < f->share[at]) to = at + 1;
    if (share <= f->share[to]) return;
    f->share[to] = share, f->muscle[to] = muscle;
    v3 unit = v3_unit(direction);
    f->direction[3 * to] = (float)unit.x, f->direction[3 * to + 1] = (float)unit.y,
                     f->direction[3 * to + 2] = (float)unit.z;
}

static snStatus fiber_fractions(const snTissueDef *def, const snLattice *l, Fractions *f)
{
    int32_t whole[3][4], face[4], n = 0;
    Placed *placed = SN_NEW_ARRAY(Placed, def->nmuscle_sample);
    if (!placed) return SN_NO_MEMORY;
    whole_counts(def->samples, l, whole);
    for (int32_t i = 0; i < def->nmuscle_sample; ++i) {
        const snMuscleSample *s = &def->muscle_sample[i];
        if (l->sample_oct[s->sample] < 0) continue;
        int32_t tet = sn_lattice_locate(l, sample_at(def->samples, s->sample), face);
        placed[n++] = (Placed){4 * l->sample_oct[s->sample] + tet, s->muscle, s};
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
        int32_t axis = l->oct_face[4 * (size_t)(placed[i].tet / 4)];
        if (v3_len2(sum) > 0)
            keep_share(f, placed[i].tet, placed[i].muscle, (float)(end - i) / (float)whole[axis][placed[i].tet % 4],
                       sum);
    }
    sn_free(placed);
    return SN_OK;
}

static snStatus find_fractions(const snTissueDef *def, const snLattice *l, Fractions *f)
{
    size_t n = 4 * (size_t)l->noct, m = n * SN_OCT_FIBERS;
    f->fill = SN_NEW_ARRAY(float, n), f->share = SN_NEW_ARRAY(float, m);
    f->direction = SN_NEW_ARRAY(float, 3 * m), f->muscle = SN_NEW_ARRAY(int32_t, m);
    if (!f->fill || !f->share || !f->direction || !f->muscle) return SN_NO_MEMORY;
    fill_fractions(def, l, f);
    return fiber_fractions(def, l, f);
}

/* Slabs of whole layers with about the same number of octahedra. slab[i]: first octahedron. */
static int32_t cut_slabs(const snLattice *l, int32_t *slab)
{
    int32_t n = 0, wished = l->noct / 256 + 1;
    if (wished > SN_TISSUE_SLABS) wished = SN_TISSUE_SLABS;
    for (int32_t o = 0; o < l->noct; ++o) {
        bool layer = o == 0 || l->oct_face[4 * (size_t)o + 1 + (size_t)l->axis] !=
                                   l->oct_face[4 * (size_t)o - 3 + (size_t)l->axis];
        if (o == 0 || (layer && n < wished && (int64_t)o * wished >= (int64_t)n * l->noct)) slab[n++] = o;
    }
    slab[n] = l->noct;
    return n;
}

static int32_t fibers_of(const Fractions *f, int32_t first, int32_t last)
{
    int32_t most = 0;
    for (int32_t t = 4 * first; t < 4 * last; ++t) {
        int32_t count = (f->share[SN_OCT_FIBERS * t] > 0) + (f->share[SN_OCT_FIBERS * t + 1] > 0);
        if (count > most) most = count;
    }
    return most;
}

static void fill_fibers(const snLattice *l, const Fractions *f, int32_t oct, int32_t lane, const snOctBatch *b,
                        snFiberLanes *fiber)
{
    for (int32_t k = 0; k < 4; ++k) {
        v3 frame[3];
        sn_tet_frame(l->oct_face[4 * (size_t)oct], k, frame);
        int32_t at = SN_OCT_FIBERS * (4 * oct + k), used = 0;
        for (int32_t s = 0; s < SN_OCT_FIBERS; ++s) {
            if (f->share[at + s] <= 0 || used == b->nfiber) continue;
            snFiberLanes *to = &fiber[b->fiber + k * b->nfiber + used++];
            v3 d = v3_of((double)f->direction[3 * (at + s)], (double)f->direction[3 * (at + s) + 1],
                         (double)f->direction[3 * (at + s) + 2]);
            for (int i = 0; i < 3; ++i) to->direction[i][lane] = (float)v3_dot(d, frame[i]);
            to->share[lane] = fminf(f->share[at + s] / f->fill[4 * oct + k], 1), to->muscle[lane] = f->muscle[at + s];
        }
    }
}

static void fill_batch(snTissue *t, const Fractions *f, int32_t first, int32_t last, snOctBatch *b)
{
    const snLattice *l = &t->lattice;
    double volume = l->spacing * l->spacing * l->spacing / 12;
    for (int32_t lane = 0; lane < SN_OCTS; ++lane) {
        int32_t oct = first + lane < last ? first + lane : last - 1;
        for (int i = 0; i < 6; ++i) b->node[i][lane] = l->oct_node[6 * (size_t)oct + (size_t)i];
        if (first + lane >= last) continue;
        for (int k = 0; k < 4; ++k) b->weight[k][lane] = (float)(volume * (double)f->fill[4 * oct + k]);
        fill_fibers(l, f, oct, lane, b, t->fiber);
    }
}

static snStatus fill_batches(snTissue *t, const Fractions *f)
{
    int32_t slab[SN_TISSUE_SLABS + 1], nbatch = 0, nfiber = 0;
    t->nslab = cut_slabs(&t->lattice, slab);
    for (int32_t i = 0; i < t->nslab; ++i) nbatch += (slab[i + 1] - slab[i] + SN_OCTS - 1) / SN_OCTS;
    t->batch = SN_NEW_ARRAY(snOctBatch, nbatch), t->batch_oct = SN_NEW_ARRAY(int32_t, nbatch + 1);
    t->slab_measure = SN_NEW_ARRAY(snOctMeasure, t->nslab);
    if (!t->batch || !t->batch_oct || !t->slab_measure) return SN_NO_MEMORY;
    nbatch = 0;
    for (int32_t i = 0; i < t->nslab; ++i) {
        t->slab[i] = nbatch;
        for (int32_t o = slab[i]; o < slab[i + 1]; o += SN_OCTS) {
            int32_t end = o + SN_OCTS < slab[i + 1] ? o + SN_OCTS : slab[i + 1];
            t->batch[nbatch].nfiber = fibers_of(f, o, end), t->batch[nbatch].fiber = nfiber;
            nfiber += 4 * t->batch[nbatch].nfiber;
            t->batch_oct[nbatch++] = o;
        }
    }
    t->slab[t->nslab] = nbatch, t->batch_oct[nbatch] = t->lattice.noct;
    t->fiber = SN_NEW_ARRAY(snFiberLanes, nfiber);
    if (!t->fiber) return SN_NO_MEMORY;
    for (int32_t i = 0; i < nbatch; ++i) fill_batch(t, f, t->batch_oct[i], t->batch_oct[i + 1], &t->batch[i]);
    t->elements.noct = t->lattice.noct, t->elements.nbatch = nbatch;
    t->elements.batch = t->batch, t->elements.fiber = t->fiber;
    return SN_OK;
}

static snStatus find_places(snTissue *t)
{
    t->place = SN_NEW_ARRAY(int32_t, 36 * (size_t)t->lattice.noct);
    if (!t->place) return SN_NO_MEMORY;
    for (int32_t o = 0; o < t->lattice.noct; ++o) {
        const int32_t *node = t->lattice.oct_node + 6 * (size_t)o;
        for (int a = 0; a < 6; ++a)
            for (int b = 0; b < 6; ++b)
                t->place[36 * (size_t)o + (size_t)(6 * a + b)] =
                    sn_blocks_find(&t->grid.level[0].matrix, node[a], node[b]);
    }
    return SN_OK;
}

/* ---- springs ------------------------------------------------------------------------------- */

typedef struct {
    int32_t node;
    snBoneHold hold;
} NodeHold;

static int by_node(const void *a, const void *b)
{
    const NodeHold *p = a, *q = b;
    if (p->node != q->node) return p->node < q->node ? -1 : 1;
    return (p->hold.bone > q->hold.bone) - (p->hold.bone < q->hold.bone);
}

/* One spring into the scalar matrix, the holds and the bone's own sums. */
static void add_spring(const snTissueDef *def, snTissue *t, const snBoneSample *s, double *value, NodeHold *hold)
{
    const snLattice *l = &t->lattice;
    int32_t oct = l->sample_oct[s->sample], face[4], node[4];
    double w[4];
    int32_t tet = sn_lattice_locate(l, s->point, face);
    if (memcmp(face, l->oct_face + 4 * (size_t)oct, sizeof face) !=
        0) { /* beside it: of the sample's own tetrahedron */
        tet = sn_lattice_locate(l, sample_at(def->samples, s->sample), face);
    }
    sn_tet_weights(l, face, tet, s->point, w);
    sn_oct_tet(l->oct_node + 6 * (size_t)oct, tet, node);
    const double *rest = def->bone_rest + 7 * (size_t)s->bone;
    v3 local = q_unrotate(q_load(rest + 3), v3_sub(s->point, v3_load(rest)));
    for (int a = 0; a < 4; ++a) {
        double k = s->stiffness * w[a];
        for (int b = 0; b < 4; ++b) value[sn_blocks_find(&t->grid.level[0].matrix, node[a], node[b])] += k * w[b];
        hold[a] = (NodeHold){node[a], {s->bone, k, {k * local.x, k * local.y, k * local.z}}};
    }
    double *m = t->bone_moment + 5 * (size_t)s->bone;
    m[0] += s->stiffness, m[1] += s->stiffness * local.x, m[2] += s->stiffness * local.y,
        m[3] += s->stiffness * local.z;
    m[4] += s->stiffness * v3_len2(local);
}

/* Adds up what belongs to the same node and bone. */
static snStatus merge_holds(snTissue *t, NodeHold *hold, int32_t n)
{
    qsort(hold, (size_t)n, sizeof *hold, by_node);
    t->hold_start = SN_NEW_ARRAY(int32_t, t->n + 1), t->hold = SN_NEW_ARRAY(snBoneHold, n);
    if (!t->hold_start || !t->hold) return SN_NO_MEMORY;
    int32_t count = 0, last = -1;
    for (int32_t i = 0; i < n; ++i) {
        if (i == 0 || hold[i].node != last || hold[i].hold.bone != t->hold[count - 1].bone) {
            t->hold[count++] = hold[i].hold;
            ++t->hold_start[hold[i].node + 1];
            last = hold[i].node;
            continue;
        }
        snBoneHold *to = &t->hold[count - 1];
        to->stiffness += hold[i].hold.stiffness;
        for (int d = 0; d < 3; ++d) to->moment[d] += hold[i].hold.moment[d];
    }
    for (int32_t i = 0; i < t->n; ++i) t->hold_start[i + 1] += t->hold_start[i];
    return SN_OK;
}

static snStatus keep_springs(snTissue *t, const double *value)
{
    const snBlocks *m = &t->grid.level[0].matrix;
    int32_t count = 0;
    for (int32_t k = 0; k < m->start[m->n]; ++k) count += value[k] != 0;
    t->spring_start = SN_NEW_ARRAY(int32_t, m->n + 1), t->spring_column = SN_NEW_ARRAY(int32_t, count);
    t->spring_place = SN_NEW_ARRAY(int32_t, count), t->spring = SN_NEW_ARRAY(double, count);
    if (!t->spring_start || !t->spring_column || !t->spring_place || !t->spring) return SN_NO_MEMORY;
    count = 0;
    for (int32_t i = 0; i < m->n; ++i) {
        for (int32_t k = m->start[i]; k < m->start[i + 1]; ++k) {
            if (value[k] == 0) continue;
            t->spring_column[count] = m->column[k], t->spring_place[count] = k, t->spring[count++] = value[k];
        }
        t->spring_start[i + 1] = count;
    }
    return SN_OK;
}

static snStatus add_springs(const snTissueDef *def, snTissue *t)
{
    const snBlocks *m = &t->grid.level[0].matrix;
    double *value = SN_NEW_ARRAY(double, m->start[m->n]);
    NodeHold *hold = SN_NEW_ARRAY(NodeHold, 4 * (size_t)def->nbone_sample);
    int32_t count = 0;
    t->nbone = def->nbone;
    t->bone_rest = SN_NEW_ARRAY(double, 7 * (size_t)def->nbone),
    t->bone_moment = SN_NEW_ARRAY(double, 5 * (size_t)def->nbone);
    snStatus status = value && hold && t->bone_rest && t->bone_moment ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        memcpy(t->bone_rest, def->bone_rest, 7 * (size_t)def->nbone * sizeof *t->bone_rest);
        for (int32_t i = 0; i < def->nbone_sample; ++i) {
            if (t->lattice.sample_oct[def->bone_sample[i].sample] < 0) continue;
            add_spring(def, t, &def->bone_sample[i], value, hold + 4 * (size_t)count++);
        }
        status = merge_holds(t, hold, 4 * count);
    }
    if (status == SN_OK) status = keep_springs(t, value);
    sn_free(value);
    sn_free(hold);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static snStatus make_room(const snTissueDef *def, snTissue *t)
{
    size_t n = 4 * (size_t)t->n;
    t->muscle = SN_NEW_ARRAY(snFiberState, def->nmuscle + 1);
    t->pull = SN_NEW_ARRAY(double, n), t->weight_force = SN_NEW_ARRAY(double, n), t->mass = SN_NEW_ARRAY(double, t->n);
    t->inertia_at = SN_NEW_ARRAY(double, n);
    t->rest = SN_NEW_ARRAY(double, n), t->x = SN_NEW_ARRAY(double, n), t->trial = SN_NEW_ARRAY(double, n);
    t->gradient = SN_NEW_ARRAY(double, n);
    t->cg_r = SN_NEW_ARRAY(float, n), t->cg_z = SN_NEW_ARRAY(float, n), t->cg_p = SN_NEW_ARRAY(float, n);
    t->cg_q = SN_NEW_ARRAY(float, n), t->cg_x = SN_NEW_ARRAY(float, n);
    t->sums = SN_NEW_ARRAY(double, 4 * (size_t)sn_rows_chunks(t->n) + 4);
    if (!t->muscle || !t->pull || !t->weight_force || !t->mass || !t->inertia_at || !t->rest || !t->x || !t->trial ||
        !t->gradient || !t->cg_r || !t->cg_z || !t->cg_p || !t->cg_q || !t->cg_x || !t->sums)
        return SN_NO_MEMORY;
    for (int32_t m = 0; m <= def->nmuscle; ++m) t->muscle[m].optimum = def->material.optimum;
    t->elements.muscle = t->muscle;
    return SN_OK;
}

static void fill_nodes(const snTissueDef *def, snTissue *t)
{
    for (int32_t i = 0; i < t->n; ++i) {
        v3 p = sn_lattice_point(&t->lattice, i);
        v3_store(t->rest + 4 * (size_t)i, p), v3_store(t->x + 4 * (size_t)i, p);
    }
    for (int32_t b = 0; b < t->elements.nbatch; ++b)
        for (int32_t l = 0; l < SN_OCTS; ++l)
            for (int32_t k = 0; k < 4; ++k) {
                double share = 0.25 * def->density * (double)t->batch[b].weight[k][l];
                int corner[4] = {0, 1, 2 + k, 2 + (k + 1) % 4};
                for (int c = 0; c < 4; ++c) {
                    int32_t node = t->batch[b].node[corner[c]][l];
                    t->mass[node] += share;
                    for (int d = 0; d < 3; ++d)
                        t->weight_force[4 * (size_t)node + (size_t)d] += share * def->gravity[d];
                }
            }
}

static snStatus check(const snTissueDef *def, snError *error)
{
    const snFleshMaterial *m = &def->material;
    const struct {
        const char *name;
        double value;
    } positive[] = {{"mu10", m->mu10},
                    {"mu01", m->mu01},
                    {"kappa", m->kappa},
                    {"the optimal stretch", m->optimum},
                    {"the density", def->density}};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; ++i)
        if (!(positive[i].value > 0 && isfinite(positive[i].value)))
            return sn_fail(error, SN_BAD_INPUT, "flesh: %s is %g; it must be positive", positive[i].name,
                           positive[i].value);
    if (!(m->own >= 0 && m->own <= 1 && m->stress >= 0))
        return sn_fail(
            error, SN_BAD_INPUT,
            "flesh: the part of kappa of single tetrahedra must be within 0 to 1, the muscle stress at least 0");
    return SN_OK;
}

snStatus sn_tissue_create(const snTissueDef *def, snTissue *t, snError *error)
{
    Fractions fractions = {0};
    *t = (snTissue){.pool = def->pool, .kernels = def->kernels ? def->kernels : sn_elements_best()};
    snStatus status = check(def, error);
    if (status != SN_OK) return status;
    status = sn_multigrid_create(def->samples, def->pool, &t->lattice, &t->grid);
    if (status != SN_OK) return sn_fail_no_memory(error);
    t->n = t->lattice.nnode;
    t->elements.spacing = t->lattice.spacing, t->elements.material = def->material;
    status = find_fractions(def, &t->lattice, &fractions);
    if (status == SN_OK) status = fill_batches(t, &fractions);
    fractions_free(&fractions);
    if (status == SN_OK) status = find_places(t);
    if (status == SN_OK) status = make_room(def, t);
    if (status == SN_OK) status = add_springs(def, t);
    if (status != SN_OK) return sn_tissue_free(t), sn_fail_no_memory(error);
    fill_nodes(def, t);
    sn_tissue_pose(t, t->bone_rest);
    return SN_OK;
}

void sn_tissue_free(snTissue *t)
{
    void *block[] = {
        t->batch,        t->fiber,  t->muscle,     t->batch_oct, t->place,     t->spring_start, t->spring_column,
        t->spring_place, t->spring, t->hold_start, t->hold,      t->bone_rest, t->bone_moment,  t->pull,
        t->weight_force, t->mass,   t->inertia_at, t->rest,      t->x,         t->trial,        t->gradient,
        t->cg_r,         t->cg_z,   t->cg_p,       t->cg_q,      t->cg_x,      t->sums,         t->slab_measure};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) sn_free(block[i]);
    sn_multigrid_free(&t->grid);
    sn_lattice_free(&t->lattice);
    *t = (snTissue){0};
}

int64_t sn_tissue_bytes(const snTissue *t)
{
    int64_t n = t->n, bytes = sn_multigrid_bytes(&t->grid);
    bytes += t->elements.nbatch * (int64_t)sizeof(snOctBatch) + t->lattice.noct * (int64_t)(46 * sizeof(int32_t));
    bytes += n * (int64_t)(29 * sizeof(double) + 20 * sizeof(float) + 3 * sizeof(int32_t));
    if (t->elements.nbatch) {
        const snOctBatch *last = &t->batch[t->elements.nbatch - 1];
        bytes += (int64_t)(last->fiber + 4 * last->nfiber) * (int64_t)sizeof(snFiberLanes);
    }
    if (t->spring_start) bytes += t->spring_start[n] * (int64_t)(sizeof(double) + 2 * sizeof(int32_t));
    if (t->hold_start) bytes += t->hold_start[n] * (int64_t)sizeof(snBoneHold);
    return bytes;
}
