/* Factoring of the strand-structured solver: each batch by its lanes, then the sum of what the strands leave, the
 * blocks of the bodies and the rows between them, then the reduced system.
 *
 * 1. Contributions are added by the calling thread in the order of the batches: bit-equal for any number of threads.
 * 2. A batch is factored again when one of its strands is marked dirty, or when a link row on it has changed. */
#include "system/strand_job.h"

#include <string.h>

typedef snStrandJob Job;

/* Member by member: the padding between them is anything. */
static bool same_part(const snKktPart *a, const snKktPart *b)
{
    return a->span == b->span && memcmp(a->b, b->b, sizeof a->b) == 0 && memcmp(a->n, b->n, sizeof a->n) == 0;
}

static bool links_changed(const snKkt *k, const snStrandSolver *s, const snLane *lane)
{
    for (int32_t p = 0; p < lane->nlinkpart; ++p) {
        const snLinkPart *link = &lane->linkpart[p];
        if (s->old_on[link->link] != k->values.link_on[link->link]) return true;
        if (!same_part(&s->old_part[link->part], &k->values.part[link->part])) return true;
    }
    return false;
}

static bool needs_factor(const Job *job, const snBatch *b)
{
    if (!job->dirty || !job->s->factored || b->bad) return true;
    for (int l = 0; l < SN_LANES; ++l)
        if (b->lane[l].strand >= 0 && (job->dirty[b->lane[l].strand] || links_changed(job->k, job->s, &b->lane[l])))
            return true;
    return false;
}

/* to, columns ld apart, += the rectangle at `row` and `column` of the block. Inlined with constants for the usual 6
 * x 6. */
static inline void add_along(double *restrict to, int32_t ld, const double *restrict block, const snTarget *t,
                             int32_t height, int32_t width)
{
    for (int32_t i = 0; i < height; ++i, to += ld) {
        const double *from = block + sn_block_row(t->row + i) + t->column;
        for (int32_t j = 0; j < width; ++j) to[j] += from[j];
    }
}

static inline void add_across(double *restrict to, int32_t ld, const double *restrict block, const snTarget *t,
                              int32_t height, int32_t width)
{
    for (int32_t i = 0; i < height; ++i) {
        const double *from = block + sn_block_row(t->row + i) + t->column;
        for (int32_t j = 0; j < width; ++j) to[(int64_t)ld * j + i] += from[j];
    }
}

static inline void add_triangle(double *restrict to, int32_t ld, const double *restrict block, const snTarget *t,
                                int32_t height)
{
    for (int32_t i = 0; i < height; ++i) {
        const double *from = block + sn_block_row(t->row + i) + t->column;
        for (int32_t j = 0; j <= i; ++j) to[(int64_t)ld * j + i] += from[j];
    }
}

static void add_target(const snTarget *t, const double *block, double *panel)
{
    double *to = panel + t->at;
    bool six = t->height == 6 && t->width == 6;
    if (t->kind == SN_TARGET_TRIANGLE && six)
        add_triangle(to, t->ld, block, t, 6);
    else if (t->kind == SN_TARGET_TRIANGLE)
        add_triangle(to, t->ld, block, t, t->height);
    else if (t->kind == SN_TARGET_ALONG && six)
        add_along(to, t->ld, block, t, 6, 6);
    else if (t->kind == SN_TARGET_ALONG)
        add_along(to, t->ld, block, t, t->height, t->width);
    else if (six)
        add_across(to, t->ld, block, t, 6, 6);
    else
        add_across(to, t->ld, block, t, t->height, t->width);
}

static void add_batch(snStrandSolver *s, int32_t batch)
{
    for (int32_t i = SN_LANES * batch; i < SN_LANES * (batch + 1); ++i) {
        const double *block = s->batch[batch].lane[i % SN_LANES].block;
        for (int32_t t = s->targetadr[i]; t < s->targetadr[i + 1]; ++t)
            add_target(&s->target[t], block, s->reduced.panel);
    }
}

static void keep_batch(const snKkt *k, snStrandSolver *s, int32_t item, int32_t worker)
{
    snBatch *b = &s->batch[item];
    snLaneVector rhs[2] = {sn_lanes_in(k, b, k->attached_rhs), {.stride = 3}};
    double *border[2][SN_LANES];
    for (int l = 0; l < SN_LANES; ++l) {
        rhs[1].point[l] = (double *)k->attached_force + 3 * (int64_t)b->lane[l].point;
        for (int r = 0; r < 2; ++r) border[r][l] = sn_kept_border(s, SN_LANES * item + l, r);
    }
    s->lanes->forward_two(s->kept, b, &s->work[worker], rhs, (double *const(*)[SN_LANES])border);
    b->kept = true;
}

static void factor_item(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    snBatch *b = &s->batch[item];
    if (needs_factor(job, b)) {
        s->lanes->factor(&s->data, b, &s->work[worker]);
        b->kept = false;
    }
    if (job->k->attached_rhs && !b->kept && !b->bad) keep_batch(job->k, s, item, worker);
}

static int32_t worst_strand(const snStrandSolver *s)
{
    int32_t worst = -1;
    for (int32_t b = 0; b < s->nbatch; ++b)
        for (int l = 0; l < SN_LANES; ++l) {
            int32_t strand = s->batch[b].lane[l].strand;
            if ((s->batch[b].bad >> l & 1) && (worst < 0 || strand < worst)) worst = strand;
        }
    return worst;
}

static void add_bodies(const snKkt *k, snStrandSolver *s)
{
    for (int32_t b = 0; b < k->pattern.nbody; ++b) {
        double *to = s->reduced.panel + s->body_to[b];
        for (int32_t c = 0; c < 6; ++c)
            for (int32_t i = c; i < 6; ++i) to[s->body_ld[b] * c + i] += k->values.body_A[36 * b + 6 * c + i];
    }
    for (int32_t p = 0; p < k->pattern.npair; ++p) {
        bool along = s->body_at[k->pattern.pair_body[2 * p]] < s->body_at[k->pattern.pair_body[2 * p + 1]];
        int32_t ld = s->pair_ld[p];
        double *to = s->reduced.panel + s->pair_to[p];
        for (int32_t e = 0; e < 36; ++e)
            to[along ? ld * (e / 6) + e % 6 : ld * (e % 6) + e / 6] += k->values.pair_A[36 * p + e];
    }
}

static void add_rows(const snKkt *k, snStrandSolver *s)
{
    double *panel = s->reduced.panel;
    const snKktValues *v = &k->values;
    for (int32_t j = 0; j < k->pattern.njoint; ++j) {
        const int64_t *to = s->joint_to + 3 * j;
        panel[to[2]] += v->joint_on[j] ? -v->joint_D[j] : -1;
        if (!v->joint_on[j]) continue;
        int32_t host = s->joint_host[j], ld = s->body_ld[k->pattern.joint_body[2 * j + host]];
        const double *J = v->joint_J + 12 * j;
        for (int32_t c = 0; c < 6; ++c) panel[to[0] + ld * c] += J[6 * host + c];
        if (k->pattern.joint_body[2 * j + !host] < 0) continue;
        for (int32_t c = 0; c < 6; ++c) panel[to[1] + c] += J[6 * !host + c];
    }
    for (int32_t l = 0; l < k->pattern.nlink; ++l) panel[s->link_to[l]] += v->link_on[l] ? -v->link_D[l] : -1;
}

snStatus sn_strand_factor(snKkt *k, const uint8_t *strand_dirty, int32_t *culprit)
{
    snStrandSolver *s = k->state;
    Job job = {.k = k, .s = s, .dirty = strand_dirty};
    memset(s->reduced.panel, 0, (size_t)s->reduced.paneladr[s->reduced.nnode] * sizeof(double));
    add_bodies(k, s);
    add_rows(k, s);
    sn_strand_run(&job, s->nbatch, factor_item);
    memcpy(s->old_part, k->values.part, (size_t)k->pattern.npart * sizeof *s->old_part);
    memcpy(s->old_on, k->values.link_on, (size_t)k->pattern.nlink);
    s->factored = true;
    if ((*culprit = worst_strand(s)) >= 0) return SN_DIVERGED;
    for (int32_t b = 0; b < s->nbatch; ++b) add_batch(s, b);
    int32_t bad = s->lanes->reduced_factor(&s->reduced);
    if (bad < 0) return SN_OK;
    *culprit = s->owner[bad];
    return SN_DIVERGED;
}
