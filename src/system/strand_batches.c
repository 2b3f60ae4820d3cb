/* Batches of the strand-structured solver: four strands of like size, since each costs what the largest of every count
 * asks for. Sorted by cost, grouped greedily, then improved by exchanges. */
#include "system/strand_setup.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef snSetup Setup;
typedef snSetupSize Size;

/* Strands that are looked at for a lane, rounds of exchanges: more find nothing better. */
enum { CANDIDATES = 48, EXCHANGES = 8 };

/* What a batch of this size costs, counted in products of vectors: the band, its forward solves, R, V, V'V. */
static double cost_of(const Size *z)
{
    double n = z->npoint, r = (z->nown + 3) / 4, l = z->nlink ? (z->nlink + 6) / 4 : 0; /* groups of four */
    double w = (6 * z->nslot + z->nlink + 3) / 4;
    return n * (95 + 66 * r + 8 * r * r + l * (66 + 24 * r)) + r * r * (11 * r + 20 * w) + 16 * r * w * w;
}

static int compare_sizes(const void *a, const void *b)
{
    const Size *x = a, *y = b;
    double cost_x = cost_of(x), cost_y = cost_of(y);
    if (cost_x != cost_y) return cost_x < cost_y ? 1 : -1;
    if (x->npoint != y->npoint) return x->npoint < y->npoint ? 1 : -1;
    return (x->strand > y->strand) - (x->strand < y->strand);
}

static Size enclose(const Size *x, const Size *y)
{
    return (Size){larger(x->npoint, y->npoint), larger(x->nown, y->nown), larger(x->nslot, y->nslot),
                  larger(x->nlink, y->nlink), -1};
}

/* Among `count` sizes the one that a batch gains most from: its own cost less what it adds to the batch's. */
static int32_t best_partner(const Size *batch, const Size *size, int32_t count)
{
    int32_t best = 0;
    double most = -INFINITY;
    for (int32_t i = 0; i < count && i < CANDIDATES; ++i) {
        Size both = enclose(batch, &size[i]);
        double gain = cost_of(&size[i]) - cost_of(&both);
        if (gain > most) most = gain, best = i;
    }
    return best;
}

/* From the costliest on, each batch takes the strands that fit it best. */
static void group_strands(Size *size, int32_t count)
{
    for (int32_t first = 0; first < count; first += SN_LANES) {
        Size batch = size[first];
        for (int32_t at = first + 1; at < first + SN_LANES && at < count; ++at) {
            int32_t best = at + best_partner(&batch, size + at, count - at);
            Size chosen = size[best];
            memmove(size + at + 1, size + at, (size_t)(best - at) * sizeof *size);
            size[at] = chosen;
            batch = enclose(&batch, &chosen);
        }
    }
}

/* The batch of lane i with the strand `other` in the place of its own. */
static double cost_with(const Size *size, int32_t count, int32_t i, const Size *other)
{
    int32_t first = i / SN_LANES * SN_LANES;
    Size batch = *other;
    for (int32_t l = first; l < first + SN_LANES && l < count; ++l)
        if (l != i) batch = enclose(&batch, &size[l]);
    return cost_of(&batch);
}

/* Swaps strands of batches near each other as long as that makes them cheaper. */
static void exchange_strands(Size *size, int32_t count)
{
    bool better = true;
    for (int round = 0; better && round < EXCHANGES; ++round) {
        better = false;
        for (int32_t i = 0; i < count; ++i)
            for (int32_t j = (i / SN_LANES + 1) * SN_LANES; j < count && j < i + CANDIDATES; ++j) {
                double before = cost_with(size, count, i, &size[i]) + cost_with(size, count, j, &size[j]);
                double after = cost_with(size, count, i, &size[j]) + cost_with(size, count, j, &size[i]);
                if (!(after < before)) continue;
                Size swap = size[i];
                size[i] = size[j], size[j] = swap;
                better = true;
            }
    }
}

static void sort_strands(Setup *u)
{
    const snKktPattern *p = u->p;
    for (int32_t s = 0; s < p->nstrand; ++s)
        u->size[s] =
            (Size){p->strand_pointadr[s + 1] - p->strand_pointadr[s], p->strand_ownadr[s + 1] - p->strand_ownadr[s],
                   u->slotadr[s + 1] - u->slotadr[s], u->linkadr[s + 1] - u->linkadr[s], s};
    qsort(u->size, (size_t)p->nstrand, sizeof *u->size, compare_sizes);
    group_strands(u->size, p->nstrand);
    exchange_strands(u->size, p->nstrand);
}

static void fill_batch(Setup *u, snBatch *b, const Size *size, int32_t count)
{
    for (int32_t l = 0; l < SN_LANES; ++l) {
        b->lane[l].strand = -1;
        if (l >= count) continue;
        int32_t strand = size[l].strand;
        b->lane[l] = (snLane){.strand = strand,
                              .npoint = size[l].npoint,
                              .nown = size[l].nown,
                              .point = u->p->strand_pointadr[strand],
                              .own = u->p->strand_ownadr[strand],
                              .nslot = size[l].nslot,
                              .nlink = size[l].nlink};
        b->npoint = larger(b->npoint, size[l].npoint);
        b->nrow = larger(b->nrow, size[l].nown);
        b->nslot = larger(b->nslot, size[l].nslot);
        b->nlink = larger(b->nlink, size[l].nlink);
    }
    b->nrowgroup = (b->nrow + 3) / 4;
    b->nbordergroup = (6 * b->nslot + b->nlink + 3) / 4;
}

static int64_t border_room(const snBatch *b)
{
    return (4 * (int64_t)b->nbordergroup + 7) / 8 * 8;
}
static int64_t band_room(const snBatch *b)
{
    return SN_LANES * ((SN_BAND * (int64_t)b->npoint + 1) / 2 * 2);
}
static int64_t rows_room(const snBatch *b)
{
    return SN_LANES * 8 * (int64_t)b->nrowgroup * (b->nrowgroup + 1);
}
static int64_t coupling_room(const snBatch *b)
{
    return 4 * SN_LANES * (int64_t)b->nlink * b->nrowgroup;
}
static int64_t block_room(const snBatch *b)
{
    return 8 * (int64_t)b->nbordergroup * (b->nbordergroup + 1);
}

/* Numbers that a batch owns; all parts are whole cache lines. */
static int64_t batch_room(const snBatch *b)
{
    return band_room(b) + rows_room(b) + coupling_room(b) + SN_LANES * (2 * border_room(b) + block_room(b));
}

static void cut_batch(snBatch *b, double *memory)
{
    b->L = memory;
    b->R = memory += band_room(b);
    b->C = memory += rows_room(b);
    memory += coupling_room(b);
    for (int l = 0; l < SN_LANES; ++l) {
        b->lane[l].border = memory;
        b->lane[l].border2 = memory += border_room(b);
        b->lane[l].block = memory += border_room(b);
        memory += block_room(b);
    }
}

bool sn_setup_batches(snSetup *u)
{
    snStrandSolver *s = u->s;
    int64_t used = 0, groups = 0;
    sort_strands(u);
    s->nbatch = (u->p->nstrand + SN_LANES - 1) / SN_LANES;
    if (!(s->batch = SN_NEW_ARRAY(snBatch, s->nbatch))) return false;
    for (int32_t i = 0; i < u->p->nstrand; ++i) s->strand_lane[u->size[i].strand] = i;
    for (int32_t b = 0; b < s->nbatch; ++b) {
        int32_t left = u->p->nstrand - SN_LANES * b;
        fill_batch(u, &s->batch[b], u->size + SN_LANES * b, left < SN_LANES ? left : SN_LANES);
        used += batch_room(&s->batch[b]);
        groups += s->batch[b].nbordergroup;
    }
    s->memory = SN_NEW_ARRAY(double, used);
    s->first_row = SN_NEW_ARRAY(int32_t, groups);
    if (!s->memory || !s->first_row) return false;
    used = groups = 0;
    for (int32_t b = 0; b < s->nbatch; ++b) {
        cut_batch(&s->batch[b], s->memory + used);
        used += batch_room(&s->batch[b]);
        s->batch[b].first_row = s->first_row + groups;
        groups += s->batch[b].nbordergroup;
    }
    return true;
}
