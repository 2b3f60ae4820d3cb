/* Setting up a body of flesh: batches of octahedra in slabs, places in the matrix, springs to the bones. */
#include "flesh/fractions.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* How far octahedra reach along the axis of the layers, in half spacings; what hangs reaches where it hangs. */
typedef struct {
    int32_t low, high;
} Reach;

static Reach reach_of(const snLattice *l, int32_t oct)
{
    Reach r = {INT32_MAX, INT32_MIN};
    for (int i = 0; i < 6; ++i) {
        int32_t row[2];
        sn_lattice_rows(l, l->oct_node[6 * (size_t)oct + (size_t)i], row);
        for (int k = 0; k < 2; ++k) {
            int32_t at = l->node_at[3 * (size_t)row[k] + (size_t)l->axis];
            r.low = at < r.low ? at : r.low, r.high = at > r.high ? at : r.high;
        }
    }
    return r;
}

static int32_t layer_of(const snLattice *l, int32_t oct)
{
    return l->oct_face[4 * (size_t)oct + 1 + (size_t)l->axis] << sn_oct_size(l, oct);
}

/* Slabs of whole layers with about the same number of octahedra. slab[i]: first octahedron. Only neighbouring slabs
 * share nodes. */
static int32_t cut_slabs(const snLattice *l, int32_t *slab)
{
    int32_t n = 0, wished = l->noct / 256 + 1, back = 0, high = INT32_MIN, before = INT32_MIN;
    if (wished > SN_TISSUE_SLABS) wished = SN_TISSUE_SLABS;
    for (int32_t o = 0; o < l->noct; ++o) {
        int32_t below = 2 * layer_of(l, o) - reach_of(l, o).low;
        back = below > back ? below : back;
    }
    for (int32_t o = 0; o < l->noct; ++o) {
        bool layer = o > 0 && layer_of(l, o) != layer_of(l, o - 1) && 2 * layer_of(l, o) - back > before;
        if (o == 0 || (layer && n < wished && (int64_t)o * wished >= (int64_t)n * l->noct))
            slab[n++] = o, before = high, high = INT32_MIN;
        Reach r = reach_of(l, o);
        high = r.high > high ? r.high : high;
    }
    slab[n] = l->noct;
    return n;
}

static bool has_hanging(const snLattice *l, int32_t oct)
{
    for (int i = 0; i < 6; ++i)
        if (l->oct_node[6 * (size_t)oct + (size_t)i] >= l->nnode) return true;
    return false;
}

/* Octahedra in the order of their lanes: by slabs, within a slab by size and without those that hang and with. A batch
 * has one kind. Returns the number of batches; order and slab may be NULL. */
static int32_t order_octs(snTissue *t, const int32_t *cut, int32_t *order)
{
    const snLattice *l = &t->lattice;
    int32_t lane = 0;
    for (int32_t i = 0; i < t->nslab; ++i) {
        t->slab[i] = lane / SN_OCTS;
        for (int32_t kind = 0; kind < 2 * SN_LATTICE_SIZES; ++kind) {
            for (int32_t o = cut[i]; o < cut[i + 1]; ++o) {
                if (2 * sn_oct_size(l, o) + has_hanging(l, o) != kind) continue;
                if (order) order[lane] = o;
                ++lane;
            }
            for (; lane % SN_OCTS; ++lane)
                if (order) order[lane] = -1;
        }
    }
    return t->slab[t->nslab] = lane / SN_OCTS;
}

static int32_t fibers_of(const snFractions *f, const int32_t *oct)
{
    int32_t most = 0;
    for (int32_t lane = 0; lane < SN_OCTS && oct[lane] >= 0; ++lane)
        for (int32_t t = 4 * oct[lane]; t < 4 * oct[lane] + 4; ++t) {
            int32_t count = (f->share[SN_OCT_FIBERS * t] > 0) + (f->share[SN_OCT_FIBERS * t + 1] > 0);
            if (count > most) most = count;
        }
    return most;
}

static void fill_fibers(const snLattice *l, const snFractions *f, int32_t oct, int32_t lane, const snOctBatch *b,
                        snFiberLanes *fiber)
{
    for (int32_t k = 0; k < 4; ++k) {
        v3 frame[3];
        sn_tet_frame(sn_oct_axis(l, oct), k, frame);
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

static void fill_batch(snTissue *t, const snFractions *f, int32_t batch)
{
    const snLattice *l = &t->lattice;
    const int32_t *lane_oct = t->lane_oct + (size_t)SN_OCTS * (size_t)batch;
    snOctBatch *b = &t->batch[batch];
    b->size = sn_oct_size(l, lane_oct[0]);
    double spacing = l->spacing * (1 << b->size), volume = spacing * spacing * spacing / 12;
    for (int32_t lane = 0, oct = 0; lane < SN_OCTS; ++lane) {
        if (lane_oct[lane] >= 0) oct = lane_oct[lane];
        for (int i = 0; i < 6; ++i)
            b->node[i][lane] = t->batch_rows[batch] < 0 ? l->oct_node[6 * (size_t)oct + (size_t)i] : i * SN_OCTS + lane;
        if (lane_oct[lane] < 0) continue;
        for (int k = 0; k < 4; ++k) {
            b->weight[k][lane] = (float)(volume * (double)f->fill[4 * oct + k]);
            t->ntet[b->size] += f->fill[4 * oct + k] > 0;
        }
        fill_fibers(l, f, oct, lane, b, t->fiber);
    }
}

static snStatus fill_batches(snTissue *t, const snFractions *f)
{
    int32_t cut[SN_TISSUE_SLABS + 1], nfiber = 0;
    t->nslab = cut_slabs(&t->lattice, cut);
    int32_t nbatch = order_octs(t, cut, NULL);
    t->batch = SN_NEW_ARRAY(snOctBatch, nbatch), t->batch_rows = SN_NEW_ARRAY(int32_t, nbatch);
    t->lane_oct = SN_NEW_ARRAY(int32_t, (size_t)SN_OCTS * (size_t)nbatch);
    t->slab_measure = SN_NEW_ARRAY(snOctMeasure, t->nslab);
    if (!t->batch || !t->batch_rows || !t->lane_oct || !t->slab_measure) return SN_NO_MEMORY;
    (void)order_octs(t, cut, t->lane_oct);
    for (int32_t b = 0; b < nbatch; ++b) {
        const int32_t *oct = t->lane_oct + (size_t)SN_OCTS * (size_t)b;
        t->batch[b].nfiber = fibers_of(f, oct), t->batch[b].fiber = nfiber;
        nfiber += 4 * t->batch[b].nfiber;
        t->batch_rows[b] = has_hanging(&t->lattice, oct[0]) ? t->nrows : -1;
        for (int32_t l = 0; t->batch_rows[b] >= 0 && l < SN_OCTS; ++l) t->nrows += oct[l] >= 0;
    }
    t->fiber = SN_NEW_ARRAY(snFiberLanes, nfiber);
    if (!t->fiber) return SN_NO_MEMORY;
    for (int32_t b = 0; b < nbatch; ++b) fill_batch(t, f, b);
    t->elements.noct = t->lattice.noct, t->elements.nbatch = nbatch;
    t->elements.batch = t->batch, t->elements.fiber = t->fiber;
    return SN_OK;
}

/* ---- places in the matrix ------------------------------------------------------------------ */

static void find_rows(const snTissue *t, int32_t oct, snOctRows *r)
{
    for (int i = 0; i < 6; ++i) {
        int32_t node = t->lattice.oct_node[6 * (size_t)oct + (size_t)i], row[2];
        sn_lattice_rows(&t->lattice, node, row);
        for (int k = 0; k <= (node >= t->lattice.nnode); ++k) {
            r->row[r->n] = row[k], r->corner[r->n] = (uint8_t)i;
            r->share[r->n++] = node >= t->lattice.nnode ? 0.5f : 1;
        }
    }
    for (int32_t a = 0; a < r->n; ++a)
        for (int32_t b = 0; b < r->n; ++b)
            r->place[r->n * a + b] = sn_blocks_find(&t->grid.level[0].matrix, r->row[a], r->row[b]);
}

static snStatus find_places(snTissue *t)
{
    t->place = SN_NEW_ARRAY(int32_t, 36 * (size_t)t->lattice.noct), t->rows = SN_NEW_ARRAY(snOctRows, t->nrows);
    if (!t->place || !t->rows) return SN_NO_MEMORY;
    for (int32_t lane = 0, rows = 0; lane < SN_OCTS * t->elements.nbatch; ++lane) {
        int32_t o = t->lane_oct[lane];
        if (o < 0) continue;
        if (t->batch_rows[lane / SN_OCTS] >= 0) {
            find_rows(t, o, &t->rows[rows++]);
            continue;
        }
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

/* One spring into the scalar matrix, the holds and the bone's own sums. Returns the number of holds. */
static int32_t add_spring(const snTissueDef *def, snTissue *t, const snBoneSample *s, double *value, NodeHold *hold)
{
    const snLattice *l = &t->lattice;
    int32_t oct = l->sample_oct[s->sample], face[4], row[8];
    double weight[4], w[8];
    int32_t tet = sn_lattice_locate(l, sn_oct_size(l, oct), s->point, face);
    if (memcmp(face, l->oct_face + 4 * (size_t)oct, sizeof face) !=
        0) { /* beside it: of the sample's own tetrahedron */
        tet = sn_lattice_locate(l, sn_oct_size(l, oct), sn_sample_at(def->samples, s->sample), face);
    }
    sn_tet_weights(l, face, tet, s->point, weight);
    int32_t n = sn_lattice_spread(l, oct, tet, weight, row, w);
    const double *rest = def->bone_rest + 7 * (size_t)s->bone;
    v3 local = q_unrotate(q_load(rest + 3), v3_sub(s->point, v3_load(rest)));
    for (int32_t a = 0; a < n; ++a) {
        double k = s->stiffness * w[a];
        for (int32_t b = 0; b < n; ++b) value[sn_blocks_find(&t->grid.level[0].matrix, row[a], row[b])] += k * w[b];
        hold[a] = (NodeHold){row[a], {s->bone, k, {k * local.x, k * local.y, k * local.z}}};
    }
    double *m = t->bone_moment + 5 * (size_t)s->bone;
    m[0] += s->stiffness, m[1] += s->stiffness * local.x, m[2] += s->stiffness * local.y,
        m[3] += s->stiffness * local.z;
    m[4] += s->stiffness * v3_len2(local);
    return n;
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
    NodeHold *hold = SN_NEW_ARRAY(NodeHold, (t->lattice.nhang > 0 ? 8 : 4) * (size_t)def->nbone_sample);
    int32_t count = 0;
    t->nbone = def->nbone;
    t->bone_rest = SN_NEW_ARRAY(double, 7 * (size_t)def->nbone),
    t->bone_moment = SN_NEW_ARRAY(double, 5 * (size_t)def->nbone);
    snStatus status = value && hold && t->bone_rest && t->bone_moment ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        memcpy(t->bone_rest, def->bone_rest, 7 * (size_t)def->nbone * sizeof *t->bone_rest);
        for (int32_t i = 0; i < def->nbone_sample; ++i) {
            if (t->lattice.sample_oct[def->bone_sample[i].sample] < 0) continue;
            count += add_spring(def, t, &def->bone_sample[i], value, hold + count);
        }
        status = merge_holds(t, hold, count);
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
    for (int32_t lane = 0; lane < SN_OCTS * t->elements.nbatch; ++lane)
        for (int32_t k = 0; k < 4 && t->lane_oct[lane] >= 0; ++k) {
            static const double middle[4] = {0.25, 0.25, 0.25, 0.25};
            double mass = def->density * (double)t->batch[lane / SN_OCTS].weight[k][lane % SN_OCTS], share[8];
            int32_t row[8], n = sn_lattice_spread(&t->lattice, t->lane_oct[lane], k, middle, row, share);
            for (int32_t i = 0; i < n; ++i) {
                t->mass[row[i]] += share[i] * mass;
                for (int d = 0; d < 3; ++d)
                    t->weight_force[4 * (size_t)row[i] + (size_t)d] += share[i] * mass * def->gravity[d];
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
    snFractions fractions = {0};
    *t = (snTissue){.pool = def->pool, .kernels = def->kernels ? def->kernels : sn_elements_best()};
    snStatus status = check(def, error);
    if (status != SN_OK) return status;
    status = sn_multigrid_create(def->samples, def->pool, &t->lattice, &t->grid);
    if (status != SN_OK) return sn_fail_no_memory(error);
    t->n = t->lattice.nnode;
    t->elements.spacing = t->lattice.spacing, t->elements.material = def->material;
    status = sn_fractions_create(def, &t->lattice, &fractions);
    if (status == SN_OK) status = fill_batches(t, &fractions);
    sn_fractions_free(&fractions);
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
    void *block[] = {t->batch,  t->fiber,        t->muscle,       t->lane_oct,      t->batch_rows,
                     t->rows,   t->place,        t->spring_start, t->spring_column, t->spring_place,
                     t->spring, t->hold_start,   t->hold,         t->bone_rest,     t->bone_moment,
                     t->pull,   t->weight_force, t->mass,         t->inertia_at,    t->rest,
                     t->x,      t->trial,        t->gradient,     t->cg_r,          t->cg_z,
                     t->cg_p,   t->cg_q,         t->cg_x,         t->sums,          t->slab_measure};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) sn_free(block[i]);
    sn_multigrid_free(&t->grid);
    sn_lattice_free(&t->lattice);
    *t = (snTissue){0};
}

int64_t sn_tissue_bytes(const snTissue *t)
{
    int64_t n = t->n, bytes = sn_multigrid_bytes(&t->grid);
    bytes += t->elements.nbatch * (int64_t)sizeof(snOctBatch) + t->lattice.noct * (int64_t)(47 * sizeof(int32_t)) +
             t->nrows * (int64_t)sizeof(snOctRows);
    bytes += n * (int64_t)(29 * sizeof(double) + 20 * sizeof(float) + 3 * sizeof(int32_t));
    if (t->elements.nbatch) {
        const snOctBatch *last = &t->batch[t->elements.nbatch - 1];
        bytes += (int64_t)(last->fiber + 4 * last->nfiber) * (int64_t)sizeof(snFiberLanes);
    }
    if (t->spring_start) bytes += t->spring_start[n] * (int64_t)(sizeof(double) + 2 * sizeof(int32_t));
    if (t->hold_start) bytes += t->hold_start[n] * (int64_t)sizeof(snBoneHold);
    return bytes;
}
