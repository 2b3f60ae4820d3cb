/* The strand-structured solver: strands are eliminated four by four in the lanes of a vector, batches run on the
 * threads of the pool, and what they leave is the small system of bodies, joint rows and link rows.
 *
 * 1. A batch writes only what belongs to it. Sums over strands are made by the calling thread, in the order of the
 *    batches, so results are bit-equal for any number of threads.
 * 2. Back substitution and residual of a strand happen while it is in the cache, so that knowing whether a solution is
 *    good enough costs little. A solve is two loops over the batches, each refinement two more.
 * 3. Right-hand sides that are attached are eliminated as soon as a batch is factored, while it is in the cache; a
 * solve for a mixture of them starts from the mixture of what that left. */
#include "system/strand_job.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

typedef snStrandJob Job;

/* Solving. -------------------------------------------------------------------------------------------------------- */

/* As lanes_in, with the points in an array of the solver. */
static snLaneVector lanes_at(const snKkt *k, const snBatch *b, double *vector, double *points)
{
    snLaneVector v = sn_lanes_in(k, b, vector);
    v.stride = 4;
    for (int l = 0; l < SN_LANES; ++l) v.point[l] = points + 4 * (int64_t)b->lane[l].point;
    return v;
}

/* What the lanes need of a reduced solution. */
static void load_borders(const snBatch *b, const double *red)
{
    for (int l = 0; l < SN_LANES; ++l) {
        const snLane *lane = &b->lane[l];
        for (int32_t i = 0; i < lane->nslot; ++i)
            memcpy(lane->border + 6 * i, red + lane->slot_at[i], 6 * sizeof(double));
        for (int32_t i = 0; i < lane->nlink; ++i) lane->border[6 * b->nslot + i] = red[lane->link_at[i]];
    }
}

static void subtract_border(const snBatch *b, int32_t l, const double *border, double *red)
{
    const snLane *lane = &b->lane[l];
    for (int32_t e = 0; e < 6 * lane->nslot; ++e) red[lane->slot_at[e / 6] + e % 6] -= border[e];
    for (int32_t e = 0; e < lane->nlink; ++e) red[lane->link_at[e]] -= border[6 * b->nslot + e];
}

static void subtract_borders(const snStrandSolver *s, double *red)
{
    for (int32_t i = 0; i < SN_LANES * s->nbatch; ++i) {
        const snBatch *b = &s->batch[i / SN_LANES];
        subtract_border(b, i % SN_LANES, b->lane[i % SN_LANES].border, red);
    }
}

static void forward_item(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    snLaneVector rhs = sn_lanes_in(job->k, &s->batch[item], job->rhs);
    s->lanes->forward(&s->data, &s->batch[item], &s->work[worker], &rhs);
}

static void add_lane(const snLane *lane, const snLaneVector *step, const snLaneVector *x, int l)
{
    for (int32_t i = 0; i < 4 * lane->npoint; ++i) x->point[l][i] += step->point[l][i];
    for (int32_t i = 0; i < lane->nown; ++i) x->row[l][i] += step->row[l][i];
}

/* to = rhs + level force */
static void mix(const double *restrict rhs, const double *restrict force, double level, int64_t from, int64_t count,
                double *restrict to)
{
    for (int64_t i = from; i < from + count; ++i) to[i] = rhs[i] + level * force[i];
}

/* What eliminating the strands of a batch has left, of both attached right-hand sides together. */
static void mix_kept(const snStrandSolver *s, const snBatch *b, const double *level)
{
    const snLaneData *kept = s->kept;
    for (int l = 0; l < SN_LANES; ++l) {
        const snLane *lane = &b->lane[l];
        if (lane->strand < 0) continue;
        double f = level[lane->strand];
        mix(kept[0].t, kept[1].t, f, 4 * (int64_t)lane->point, 4 * (int64_t)lane->npoint, s->data.t);
        mix(kept[0].w, kept[1].w, f, lane->own, lane->nown, s->data.w);
    }
}

/* Back substitution with s->red, and the residual unless this is the last round. */
static void backward_item(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    snBatch *b = &s->batch[item];
    snLaneVector x = lanes_at(job->k, b, s->x, s->x_point), step = lanes_at(job->k, b, s->step, s->step_point);
    snLaneVector res = lanes_at(job->k, b, s->res, s->res_point), rhs = sn_lanes_in(job->k, b, job->rhs);
    if (job->level && job->first) mix_kept(s, b, job->level);
    load_borders(b, s->red);
    s->lanes->backward(&s->data, b, &s->work[worker], job->first ? &x : &step);
    for (int l = 0; l < SN_LANES; ++l)
        if (b->lane[l].strand >= 0 && !job->first) add_lane(&b->lane[l], &step, &x, l);
    if (job->last) return;
    load_borders(b, s->total);
    b->off = s->lanes->residual(&s->data, b, &rhs, &x, &res, &b->size);
}

static void refine_item(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    snLaneVector res = lanes_at(job->k, &s->batch[item], s->res, s->res_point);
    s->lanes->forward(&s->data, &s->batch[item], &s->work[worker], &res);
}

/* red = the entries of a vector that belong to the reduced system; rows that are off get zero. */
static void to_reduced(const snKkt *k, const double *vector, double *red)
{
    const snStrandSolver *s = k->state;
    for (int32_t b = 0; b < k->pattern.nbody; ++b) memcpy(red + s->body_at[b], vector + 6 * b, 6 * sizeof *red);
    for (int32_t l = 0; l < k->pattern.nlink; ++l) red[s->link_at[l]] = k->values.link_on[l] ? vector[k->link0 + l] : 0;
    for (int32_t j = 0; j < k->pattern.njoint; ++j)
        red[s->joint_at[j]] = k->values.joint_on[j] ? vector[k->joint0 + j] : 0;
}

static void from_reduced(const snKkt *k, const double *red, double *vector)
{
    const snStrandSolver *s = k->state;
    for (int32_t b = 0; b < k->pattern.nbody; ++b) memcpy(vector + 6 * b, red + s->body_at[b], 6 * sizeof *red);
    for (int32_t l = 0; l < k->pattern.nlink; ++l) vector[k->link0 + l] = red[s->link_at[l]];
    for (int32_t j = 0; j < k->pattern.njoint; ++j) vector[k->joint0 + j] = red[s->joint_at[j]];
}

/* The residual of the bodies' equations, without the own rows, which the batches leave in border2. */
static void body_residual(const snKkt *k, const double *x, double *res)
{
    for (int32_t i = 0; i < 6 * k->pattern.nbody; ++i) {
        const double *a = k->values.body_A + 6 * i, *xb = x + i / 6 * 6;
        res[i] -= a[0] * xb[0] + a[1] * xb[1] + a[2] * xb[2] + a[3] * xb[3] + a[4] * xb[4] + a[5] * xb[5];
    }
    for (int32_t p = 0; p < k->pattern.npair; ++p) {
        int32_t a = 6 * k->pattern.pair_body[2 * p], b = 6 * k->pattern.pair_body[2 * p + 1];
        for (int32_t e = 0; e < 36; ++e) {
            double value = k->values.pair_A[36 * p + e];
            res[a + e / 6] -= value * x[b + e % 6];
            res[b + e % 6] -= value * x[a + e / 6];
        }
    }
}

static void joint_residual(const snKkt *k, const double *x, double *res)
{
    const snKktValues *v = &k->values;
    for (int32_t j = 0; j < k->pattern.njoint; ++j) {
        double y = x[k->joint0 + j], r = res[k->joint0 + j] + v->joint_D[j] * y;
        if (!v->joint_on[j]) continue;
        for (int32_t e = 0; e < 12; ++e) {
            int32_t body = k->pattern.joint_body[2 * j + e / 6];
            if (body < 0) continue;
            r -= v->joint_J[12 * j + e] * x[6 * body + e % 6];
            res[6 * body + e % 6] -= v->joint_J[12 * j + e] * y;
        }
        res[k->joint0 + j] = r;
    }
}

static void link_residual(const snKkt *k, const double *x, const double *points, double *res)
{
    const snKktValues *v = &k->values;
    for (int32_t l = 0; l < k->pattern.nlink; ++l) {
        if (!v->link_on[l]) continue;
        double r = res[k->link0 + l] + v->link_D[l] * x[k->link0 + l];
        for (int32_t e = k->pattern.link_partadr[l]; e < k->pattern.link_partadr[l + 1]; ++e) {
            const snKktPart *part = &v->part[e];
            const double *q =
                points + 4 * (k->pattern.strand_pointadr[k->pattern.part_strand[e]] + (int64_t)part->span);
            for (int32_t i = 0; i < 4; ++i, q += 4)
                r -= part->b[i] * (part->n[0] * q[0] + part->n[1] * q[1] + part->n[2] * q[2]);
        }
        res[k->link0 + l] = r;
    }
}

/* s->red = the residual of the reduced equations, at x. */
static void reduced_residual(const snKkt *k, const double *rhs)
{
    snStrandSolver *s = k->state;
    memcpy(s->res, rhs, (size_t)k->point0 * sizeof *rhs);
    memcpy(s->res + k->link0, rhs + k->link0, (size_t)(k->size - k->link0) * sizeof *rhs);
    from_reduced(k, s->total, s->x);
    body_residual(k, s->x, s->res);
    joint_residual(k, s->x, s->res);
    link_residual(k, s->x, s->x_point, s->res);
    to_reduced(k, s->res, s->red);
    for (int32_t i = 0; i < SN_LANES * s->nbatch; ++i) {
        const snLane *lane = &s->batch[i / SN_LANES].lane[i % SN_LANES];
        for (int32_t e = 0; e < 6 * lane->nslot; ++e) s->red[lane->slot_at[e / 6] + e % 6] -= lane->border2[e];
    }
}

/* Is the largest residual, strands and s->red, at most `enough` of the largest right-hand side of a point? */
static bool is_enough(const snStrandSolver *s, double enough)
{
    double off = 0, size = 0;
    for (int32_t b = 0; b < s->nbatch; ++b) {
        off = fmax(off, s->batch[b].off);
        size = fmax(size, s->batch[b].size);
    }
    for (int32_t i = 0; i < s->reduced.n; ++i) off = fmax(off, fabs(s->red[i]));
    return off <= enough * size;
}

static void give_out(const snKkt *k, double *solution)
{
    const snStrandSolver *s = k->state;
    from_reduced(k, s->total, solution);
    for (int32_t i = 0; i < 3 * k->pattern.npoint; ++i) solution[k->point0 + i] = s->x_point[4 * (i / 3) + i % 3];
    memcpy(solution + k->own0, s->x + k->own0, (size_t)k->pattern.nown * sizeof *solution);
}

/* From the borders of the strands, eliminated for job->rhs, on. */
static void solve_on(Job *job, double *solution, int32_t refine, double enough)
{
    snKkt *k = job->k;
    snStrandSolver *s = job->s;
    memset(s->total, 0, (size_t)s->reduced.n * sizeof *s->total);
    to_reduced(k, job->rhs, s->red);
    for (int32_t round = 0;; ++round) {
        subtract_borders(s, s->red);
        s->lanes->reduced_solve(&s->reduced, s->red);
        for (int32_t i = 0; i < s->reduced.n; ++i) s->total[i] += s->red[i];
        job->first = round == 0;
        job->last = round == refine;
        sn_strand_run(job, s->nbatch, backward_item);
        if (job->last) break;
        reduced_residual(k, job->rhs);
        if (is_enough(s, enough)) break;
        sn_strand_run(job, s->nbatch, refine_item);
    }
    give_out(k, solution);
}

static void strand_solve(snKkt *k, const double *rhs, double *solution, int32_t refine, double enough)
{
    Job job = {.k = k, .s = k->state, .rhs = rhs};
    sn_strand_run(&job, job.s->nbatch, forward_item);
    solve_on(&job, solution, refine, enough);
}

static void strand_solve_bodies(snKkt *k, const double *rhs, double *velocity)
{
    snStrandSolver *s = k->state;
    Job job = {.k = k, .s = s, .rhs = rhs};
    sn_strand_run(&job, s->nbatch, forward_item);
    to_reduced(k, rhs, s->red);
    subtract_borders(s, s->red);
    s->lanes->reduced_solve(&s->reduced, s->red);
    for (int32_t b = 0; b < k->pattern.nbody; ++b) memcpy(velocity + 6 * b, s->red + s->body_at[b], 6 * sizeof *rhs);
}

/* The response of the bodies. ------------------------------------------------------------------------------------- */

static int32_t next_force(const Job *job, int32_t strand, int32_t from)
{
    while (from < job->nforce && job->force_strand[from] != strand) ++from;
    return from;
}

/* The forces on the strands of one batch, as many rounds as the strand with the most has forces. */
static void response_forward(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    snBatch *b = &s->batch[item];
    int32_t next[SN_LANES] = {0};
    for (;;) {
        snLaneVector rhs = {.stride = 3};
        int found = 0;
        for (int l = 0; l < SN_LANES; ++l) {
            next[l] = b->lane[l].strand < 0 ? job->nforce : next_force(job, b->lane[l].strand, next[l]);
            if (next[l] >= job->nforce) continue;
            rhs.point[l] = (double *)job->force + job->force_adr[next[l]];
            ++found;
        }
        if (!found) return;
        s->lanes->forward(&s->data, b, &s->work[worker], &rhs);
        for (int l = 0; l < SN_LANES; ++l) {
            if (next[l] >= job->nforce) continue;
            memcpy(s->chunk + (int64_t)s->border_size * next[l], b->lane[l].border,
                   4 * (size_t)b->nbordergroup * sizeof(double));
            ++next[l];
        }
    }
}

/* Minus the border of one force into its place among the interleaved right-hand sides. */
static void load_force(const snStrandSolver *s, int32_t strand, const double *border, double *x, uint8_t *reached)
{
    const snBatch *b = &s->batch[s->strand_lane[strand] / SN_LANES];
    const snLane *lane = &b->lane[s->strand_lane[strand] % SN_LANES];
    for (int32_t i = 0; i < lane->nslot; ++i) {
        for (int32_t c = 0; c < 6; ++c) x[SN_MANY * (lane->slot_at[i] + c)] = -border[6 * i + c];
        reached[sn_reduced_node_of(&s->reduced, lane->slot_at[i])] = 1;
    }
    for (int32_t i = 0; i < lane->nlink; ++i) {
        x[SN_MANY * lane->link_at[i]] = -border[6 * b->nslot + i];
        reached[sn_reduced_node_of(&s->reduced, lane->link_at[i])] = 1;
    }
}

/* Several forces through the reduced system, interleaved. */
static void response_reduced(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    int32_t nbody = job->k->pattern.nbody, first = SN_MANY * item;
    int32_t count = job->nforce - first < SN_MANY ? job->nforce - first : SN_MANY;
    double *x = s->many + 2 * (int64_t)worker * SN_MANY * s->reduced.n,
           *out = job->response + 6 * (int64_t)nbody * first;
    uint8_t *reached = s->reached + (int64_t)worker * s->reduced.nnode;
    memset(x, 0, (size_t)SN_MANY * (size_t)s->reduced.n * sizeof *x);
    memset(reached, 0, (size_t)s->reduced.nnode);
    for (int32_t f = 0; f < count; ++f)
        load_force(s, job->force_strand[first + f], s->chunk + (int64_t)s->border_size * (first + f), x + f, reached);
    s->lanes->reduced_solve_many(&s->reduced, x, reached);
    for (int32_t f = 0; f < count; ++f)
        for (int32_t b = 0; b < nbody; ++b) {
            const double *from = x + SN_MANY * (int64_t)s->body_at[b] + f;
            for (int32_t c = 0; c < 6; ++c) *out++ = from[SN_MANY * c];
        }
}

static void strand_body_response(snKkt *k, int32_t nforce, const int32_t *force_strand, const int32_t *force_adr,
                                 const double *force, double *response)
{
    snStrandSolver *s = k->state;
    for (int32_t done = 0; done < nforce; done += s->nchunk) {
        Job job = {.k = k,
                   .s = s,
                   .nforce = nforce - done < s->nchunk ? nforce - done : s->nchunk,
                   .force_strand = force_strand + done,
                   .force_adr = force_adr + done,
                   .force = force,
                   .response = response + 6 * (int64_t)k->pattern.nbody * done};
        sn_strand_run(&job, s->nbatch, response_forward);
        sn_strand_run(&job, (job.nforce + SN_MANY - 1) / SN_MANY, response_reduced);
    }
}

static bool any_of_six(const double *x)
{
    return x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 || x[4] != 0 || x[5] != 0;
}

/* A force on one body into its place among the interleaved right-hand sides. */
static void load_wrench(const snStrandSolver *s, int32_t body, const double *force, double *x, uint8_t *reached)
{
    x += SN_MANY * (int64_t)s->body_at[body];
    for (int c = 0; c < 6; ++c) x[SN_MANY * c] = force[c];
    reached[sn_reduced_node_of(&s->reduced, s->body_at[body])] = 1;
}

/* SN_MANY forces on the bodies through the reduced system. */
static void respond_item(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    int32_t nbody = job->k->pattern.nbody, n = 6 * nbody, first = SN_MANY * item;
    int32_t count = job->nforce - first < SN_MANY ? job->nforce - first : SN_MANY;
    const int32_t *column = job->order + first;
    double *x = s->many + 2 * (int64_t)worker * SN_MANY * s->reduced.n;
    uint8_t *reached = s->reached + (int64_t)worker * s->reduced.nnode;
    memset(x, 0, (size_t)SN_MANY * (size_t)s->reduced.n * sizeof *x);
    memset(reached, 0, (size_t)s->reduced.nnode);
    for (int32_t f = 0; f < count; ++f) {
        const double *force = job->force + (int64_t)n * column[f];
        for (int32_t b = 0; b < nbody; ++b, force += 6)
            if (any_of_six(force)) load_wrench(s, b, force, x + f, reached);
    }
    s->lanes->reduced_solve_many(&s->reduced, x, reached);
    for (int32_t i = 0; i < n; ++i) {
        const double *from = x + SN_MANY * (int64_t)(s->body_at[i / 6] + i % 6);
        double *to = job->response + (int64_t)job->ld * i;
        for (int32_t f = 0; f < count; ++f) to[column[f]] = from[f];
    }
}

/* The first unknown of the reduced system that a force reaches. */
static int32_t first_reached(const snKkt *k, const double *force)
{
    const snStrandSolver *s = k->state;
    int32_t first = s->reduced.n;
    for (int32_t b = 0; b < k->pattern.nbody; ++b)
        if (s->body_at[b] < first && any_of_six(force + 6 * b)) first = s->body_at[b];
    return first;
}

/* Forces that reach the same nodes are answered together: those on one finger pass by the others. Which ones share a
 * batch changes no bit of an answer. */
static void strand_respond_bodies(snKkt *k, int32_t count, const double *force, int32_t ld, double *response)
{
    enum { WINDOW = 32 * SN_MANY };
    int32_t order[WINDOW], key[WINDOW], n = 6 * k->pattern.nbody;
    for (int32_t done = 0; done < count; done += WINDOW) {
        const double *here = force + (int64_t)n * done;
        Job job = {.k = k, .s = k->state, .force = here, .response = response + done, .ld = ld, .order = order};
        job.nforce = count - done < WINDOW ? count - done : WINDOW;
        for (int32_t f = 0; f < job.nforce; ++f) {
            int32_t at = f, own = first_reached(k, here + (int64_t)n * f);
            for (; at > 0 && key[at - 1] > own; --at) key[at] = key[at - 1], order[at] = order[at - 1];
            key[at] = own, order[at] = f;
        }
        sn_strand_run(&job, (job.nforce + SN_MANY - 1) / SN_MANY, respond_item);
    }
}

/* With right-hand sides attached. --------------------------------------------------------------------------------- */

static void strand_attach(snKkt *k)
{
    snStrandSolver *s = k->state;
    for (int32_t b = 0; b < s->nbatch; ++b) s->batch[b].kept = false;
}

/* s->red = the reduced right-hand side of the attached rhs. */
static void reduce_attached(const snKkt *k)
{
    snStrandSolver *s = k->state;
    to_reduced(k, k->attached_rhs, s->red);
    for (int32_t i = 0; i < SN_LANES * s->nbatch; ++i)
        subtract_border(&s->batch[i / SN_LANES], i % SN_LANES, sn_kept_border(s, i, 0), s->red);
}

/* SN_MANY columns of the response through the reduced system. */
static void attached_columns(Job *job, int32_t item, int32_t worker)
{
    snStrandSolver *s = job->s;
    int32_t first = SN_MANY * item, end = first + SN_MANY;
    double *x = s->many + 2 * (int64_t)worker * SN_MANY * s->reduced.n, *out = job->response + first;
    uint8_t *reached = s->reached + (int64_t)worker * s->reduced.nnode;
    memset(x, 0, (size_t)SN_MANY * (size_t)s->reduced.n * sizeof *x);
    memset(reached, end > job->nforce, (size_t)s->reduced.nnode);
    for (int32_t f = first; f < end && f < job->nforce; ++f) {
        int32_t strand = job->force_strand[f];
        load_force(s, strand, sn_kept_border(s, s->strand_lane[strand], 1), x + f - first, reached);
    }
    for (int32_t i = 0; i < s->reduced.n && end > job->nforce; ++i) x[SN_MANY * i + job->nforce - first] = s->red[i];
    s->lanes->reduced_solve_many(&s->reduced, x, reached);
    for (int32_t i = 0; i < 6 * job->k->pattern.nbody; ++i)
        memcpy(out + (int64_t)job->ld * i, x + SN_MANY * (int64_t)(s->body_at[i / 6] + i % 6), SN_MANY * sizeof *x);
}

static void strand_attached_response(snKkt *k, int32_t count, const int32_t *strand, int32_t ld, double *response)
{
    Job job = {.k = k, .s = k->state, .nforce = count, .force_strand = strand, .response = response, .ld = ld};
    reduce_attached(k);
    sn_strand_run(&job, count / SN_MANY + 1, attached_columns);
}

static void strand_attached_solve(snKkt *k, const double *level, const double *total, double *solution, int32_t refine,
                                  double enough)
{
    snStrandSolver *s = k->state;
    Job job = {.k = k, .s = s, .rhs = total, .level = level};
    for (int32_t i = 0; i < SN_LANES * s->nbatch; ++i) {
        const snLane *lane = &s->batch[i / SN_LANES].lane[i % SN_LANES];
        if (lane->strand >= 0)
            mix(sn_kept_border(s, i, 0), sn_kept_border(s, i, 1), level[lane->strand], 0,
                4 * (int64_t)s->batch[i / SN_LANES].nbordergroup, lane->border);
    }
    solve_on(&job, solution, refine, enough);
}

/* The strands' own factors stay as they are. */
static void strand_swap(snKkt *k)
{
    sn_reduced_swap(&((snStrandSolver *)k->state)->reduced);
}

static void strand_destroy(void *state)
{
    sn_strand_solver_destroy(state);
}
static const char *strand_simd_name(const void *state)
{
    return ((const snStrandSolver *)state)->lanes->name;
}

bool sn_kkt_strand_create(snKkt *k, bool portable)
{
    static const snKktSolver solver = {.destroy = strand_destroy,
                                       .factor = sn_strand_factor,
                                       .swap = strand_swap,
                                       .solve = strand_solve,
                                       .solve_bodies = strand_solve_bodies,
                                       .body_response = strand_body_response,
                                       .respond_bodies = strand_respond_bodies,
                                       .attached_response = strand_attached_response,
                                       .attached_solve = strand_attached_solve,
                                       .attach = strand_attach,
                                       .simd_name = strand_simd_name};
    const snLanes *lanes = portable ? NULL : sn_lanes_avx2();
    k->state = sn_strand_solver_create(k, lanes ? lanes : sn_lanes_portable());
    k->solver = &solver;
    return k->state != NULL;
}
