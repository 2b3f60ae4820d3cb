/* The tracking controller, [Sueda 2008] equations 15 to 18, with bounded feedback on the position error.
 *
 * Velocity targets alone would keep an initial error for ever, and the full matrix logarithm each step saturates and
 * disturbs the neighbours; so v_x = v_ref + feedback * error with a feedback of the order of 100/s.
 *
 * The price of activation is a pull towards slack muscles that only an error can balance. Near a pose that takes
 * co-contraction the bones then drift, and some poses do not come back: as the pose changes so do the arms of the
 * tendons, until no muscle leads the right way any more. So tracking weighs more as the error falls; where a
 * target cannot be reached, the full price keeps the activations smooth.
 *
 * Stops. A joint that lies against its stop answers to no muscle: the row holds in both directions as long as it is on.
 * So nothing would ever pull a finger out of full extension. And where the target lies on the stop itself, muscles that
 * must balance each other cost far more than muscles that lean on it (an extensor of a straight finger: 0.94 against
 * 0.28), while leaning whenever the row happens to be on leaves it to rounding which of the two comes out. So the stop
 * is left out of the response, and takes part in the program as a force of its own: it pushes one way and costs
 * nothing where the target lies on the stop, and ever more as the target leaves it. */
#include "control/follower.h"
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "opt/boxqp.h"
#include "opt/dense.h"
#include "sim/plant.h"
#include "sinew/control.h"

#include <math.h>
#include <string.h>

enum { MAX_ROWS = 6 };
static const double LEAST_PRICE = 0.01; /* of activation and its change where there is no error */
/* s: step for which the weight of smoothness is given. What lingers where muscles may share otherwise goes down by
 * activation / (activation + smoothness) in a step, so that the weight goes with 1 / step: else a quarter of the step
 * would be four times as quick. Models of splines alone take the weight as it is given: a
 * finger of splines at 2 ms is followed half as well with twice the weight, and slack tendons make more of rounding. */
static const double SMOOTH_STEP = 4e-3;
static const double LEFT_STOP = 1e-3; /* rad or m: a target this far inside the range has left the stop */
static const double PAST_STOP = 2e-3; /* rad or m: a target this far beyond the range asks for the stop */
/* Price of a push on a stop, over what it does to the targets: far below that of any activation on the stop, 1 at
 * DEAR_STOP (rad or m) and growing with the fourth power: motions leave a stop slowly at first, so that several steps
 * lie between a push for nothing and one that is never worth it, whose price is that at LEFT_STOP. */
static const double FREE_PUSH = 1e-9, DEAR_STOP = 2e-4;

struct snFollower {
    const snModel *m;
    snState *s;
    snFollowerDef def;
    int32_t ntarget, nrow;
    snTargetDef *target;
    rigid *now, *next; /* node poses, or points */
    snResponse *response;
    /* Matrices as in opt/dense.h: a column for each muscle, for each stop, then one for the velocity that they are to
     * make */
    const snDense *dense;
    int32_t ld;
    double *body_H; /* 6 rows: what unit activations do to the velocities of a body, and minus its free velocity */
    double *H;      /* nrow rows, weights included; the last column is v_x - v_f */
    double *Q;      /* ld rows: H'H, with the weights of activation on its diagonal */
    double *x, *c, *lower, *upper, *diagonal; /* of muscles, then stops */
    double *last;
    double *cost; /* nmuscle: of activation, 1 on average */
    snBoxQp *qp;
    int32_t *body_target; /* nbody: index of the pose target of a body, -1 */
    int32_t nstop;
    int32_t *released; /* ncoord: coordinates whose stops the response leaves out for now */
    double *push_cost; /* ncoord: of each of them, over its part of H'H */
    bool acts;         /* on the state */
    int64_t step;      /* of which `last` holds the activations at the start */
};

/* ---- rows of a target ----------------------------------------------------------------------- */

/* Weighted rows over the six velocities of the body: 3 angular and 3 linear (of the node), or 3 of the point. */
static int32_t target_rows(const snFollower *t, const snTargetDef *target, double row[MAX_ROWS][6])
{
    const rigid *body = &sn_plant_bodies(t->s)[target->body];
    rigid node = t->m->body_node[target->body];
    v3 r = target->point ? rigid_apply(node, v3_load(target->offset)) : node.p;
    double weight = sqrt(target->weight);
    int32_t n = 0;
    for (int k = 0; k < 3 && !target->point; ++k, ++n)
        for (int i = 0; i < 6; ++i) row[n][i] = i == k ? weight * t->def.length : 0;
    for (int k = 0; k < 3; ++k, ++n) {
        v3 axis = {k == 0, k == 1, k == 2};
        sn_body_point_row(body->q, r, axis, row[n]);
        for (int i = 0; i < 6; ++i) row[n][i] *= weight;
    }
    return n;
}

static v3 bounded(v3 v, double limit)
{
    double n = v3_len(v);
    return n > limit ? v3_scale(v, limit / n) : v;
}

/* Wanted velocities in the same rows, weighted. */
static void wanted(const snFollower *t, int32_t index, double v[MAX_ROWS])
{
    const snTargetDef *target = &t->target[index];
    rigid body = sn_plant_bodies(t->s)[target->body], node = t->m->body_node[target->body], is = rigid_mul(body, node);
    rigid now = t->now[index], next = t->next[index];
    double h = sn_plant_step(t->s), weight = sqrt(target->weight), gain = fmin(t->def.feedback, 1 / h);
    v3 at = target->point ? rigid_apply(is, v3_load(target->offset)) : is.p;
    v3 linear = v3_scale(v3_sub(next.p, now.p), 1 / h);
    linear = v3_add(linear, bounded(v3_scale(v3_sub(now.p, at), gain), t->def.max_feedback));
    v3_store(v + (target->point ? 0 : 3), v3_scale(linear, weight));
    if (target->point) return;
    /* Angular velocities in world axes, then in those of the body. */
    v3 turn = v3_scale(q_log(q_mul(next.q, q_conj(now.q))), 1 / h);
    v3 back = v3_scale(q_log(q_mul(now.q, q_conj(is.q))), gain);
    turn = v3_add(turn, bounded(back, t->def.max_feedback / t->def.length));
    v3_store(v, v3_scale(q_unrotate(body.q, turn), weight * t->def.length));
}

/* ---- one choice of activations -------------------------------------------------------------- */

static void gather_body(snFollower *t, int32_t body)
{
    int32_t last = t->m->nmuscle + t->nstop;
    sn_response_of_body(t->response, body, t->ld, t->body_H);
    for (int k = 0; k < 6; ++k) t->body_H[k * t->ld + last] = -t->body_H[k * t->ld + last];
}

/* H = rows times body_H; of a pose the first three rows only scale. */
static void product_of(const snFollower *t, int32_t n, double row[MAX_ROWS][6], double *H)
{
    int32_t turns = n - 3, size = turns * t->ld;
    double *restrict to = H, scale = row[0][0];
    const double *restrict from = t->body_H;
    for (int32_t i = 0; i < size; ++i) to[i] = scale * from[i];
    t->dense->product(3, 6, row[turns], t->body_H, t->ld, H + size);
}

static void gather_rows(snFollower *t)
{
    double *H = t->H;
    int32_t gathered = -1;
    for (int32_t i = 0; i < t->ntarget; ++i) {
        double row[MAX_ROWS][6], v[MAX_ROWS];
        int32_t n = target_rows(t, &t->target[i], row), body = t->target[i].body;
        wanted(t, i, v);
        if (body != gathered) gather_body(t, body);
        gathered = body;
        product_of(t, n, row, H);
        for (int32_t r = 0; r < n; ++r, H += t->ld) H[t->m->nmuscle + t->nstop] += v[r];
    }
}

/* The k-th smallest of n numbers, k from 0; changes their order. */
static double smallest(double *x, int32_t n, int32_t k)
{
    for (int32_t low = 0, high = n - 1; low < high;) {
        double pivot = x[k];
        int32_t i = low, j = high;
        do {
            while (x[i] < pivot) ++i;
            while (pivot < x[j]) --j;
            if (i <= j) {
                double swap = x[i];
                x[i++] = x[j], x[j--] = swap;
            }
        } while (i <= j);
        if (j < k) low = i;
        if (k < i) high = j;
    }
    return x[k];
}

/* Median of the diagonal of H'H over the muscles that do anything. */
static double median_diagonal(snFollower *t)
{
    int32_t n = 0;
    for (int32_t i = 0; i < t->m->nmuscle; ++i) {
        double q = t->Q[(size_t)i * (size_t)t->ld + (size_t)i];
        if (q > 0) t->diagonal[n++] = q;
    }
    return n ? smallest(t->diagonal, n, n / 2) : 1;
}

/* Part of the weights of activation and smoothness that counts at the present error of the targets. */
static double price(const snFollower *t)
{
    double sum = 0, angle2 = t->def.length * t->def.length, limit = t->def.tolerance;
    if (limit <= 0) return 1;
    for (int32_t i = 0; i < t->ntarget; ++i) {
        const snTargetDef *target = &t->target[i];
        rigid is = sn_node_pose(t->m, t->s, target->body), now = t->now[i];
        v3 at = target->point ? rigid_apply(is, v3_load(target->offset)) : is.p;
        sum += v3_len2(v3_sub(now.p, at));
        if (!target->point) sum += angle2 * v3_len2(q_log(q_mul(now.q, q_conj(is.q))));
    }
    return fmin(fmax(sum / (t->ntarget * limit * limit), LEAST_PRICE), 1);
}

static void form_qp(snFollower *t)
{
    int32_t n = t->m->nmuscle, all = n + t->nstop;
    t->dense->gram(t->nrow, all + 1, t->H, t->ld, t->Q);
    double unit = median_diagonal(t) * price(t), wa = t->def.activation_weight * unit;
    double wd = t->def.smoothness_weight * unit * (t->m->ncord > 0 ? SMOOTH_STEP / sn_plant_step(t->s) : 1);
    const double *wish = t->Q + (size_t)all * (size_t)t->ld;
    for (int32_t i = 0; i < n; ++i) {
        t->Q[(size_t)i * (size_t)t->ld + (size_t)i] += t->cost[i] * (wa + wd);
        t->c[i] = -wish[i] - t->cost[i] * wd * t->last[i];
    }
    for (int32_t i = n; i < all; ++i) {
        t->Q[(size_t)i * (size_t)t->ld + (size_t)i] *= 1 + t->push_cost[i - n];
        t->c[i] = -wish[i];
    }
}

/* Of the way to full or no excitation, what a step goes with this time constant. */
static double part_within(const snFollower *t, double time)
{
    return time > 0 ? 1 - exp(-sn_plant_step(t->s) / time) : 0;
}

/* Muscles take tens of milliseconds to come and go: what an activation may do within a step. */
static void limit_rates(snFollower *t)
{
    double change = t->def.max_rate * sn_plant_step(t->s);
    double rise = part_within(t, t->def.rise_time), fall = part_within(t, t->def.fall_time);
    for (int32_t k = 0; k < t->m->nmuscle; ++k) {
        double up = t->def.rise_time > 0 ? fmin(change, rise * (1 - t->last[k])) : change;
        double down = t->def.fall_time > 0 ? fmin(change, fall * t->last[k]) : change;
        t->lower[k] = fmax(0, t->last[k] - down);
        t->upper[k] = fmax(t->lower[k], fmin(t->def.max_activation, t->last[k] + up));
    }
}

/* ---- stops ---------------------------------------------------------------------------------- */

static rigid target_pose(const snFollower *t, int32_t body)
{
    if (body < 0) return rigid_identity();
    int32_t i = t->body_target[body];
    return i < 0 ? sn_plant_bodies(t->s)[body] : rigid_mul(t->next[i], rigid_inverse(t->m->body_node[body]));
}

static void target_coordinates(const snFollower *t, int32_t joint, double *q)
{
    double row[12 * SN_JOINT_MAX_DOF];
    const snModel *m = t->m;
    sn_joint_coordinates(&m->joint[joint], target_pose(t, m->joint_a[joint]), target_pose(t, m->joint_b[joint]), q,
                         row);
}

/* How far a coordinate is inside its range, from the stop that the joint is nearer to: the one that its row is about.
 */
static double inside_stop(const snFollower *t, int32_t c, double x)
{
    double lower = t->m->coord_lower[c], upper = t->m->coord_upper[c], now = sn_plant_coordinates(t->s)[c];
    return now - lower < upper - now ? x - lower : upper - x;
}

/* What a push costs where the target is this far inside the range. */
static double push_cost(double inside)
{
    double far = fmin(fmax(inside, 0), LEFT_STOP) / DEAR_STOP;
    return FREE_PUSH + far * far * far * far;
}

/* Stops that the targets lie on, whether the joints are there by now or not: where one is not there yet, muscles that
 * lean on the stop bring it there. A target beyond keeps the stop as it is. */
static void find_stops(snFollower *t)
{
    const snModel *m = t->m;
    t->nstop = 0;
    for (int32_t j = 0; j < m->njoint; ++j) {
        double q[SN_JOINT_MAX_DOF];
        bool known = false;
        for (int32_t c = m->joint_coordadr[j]; c < m->joint_coordadr[j + 1]; ++c) {
            if (!sn_plant_has_stop(m, c)) continue;
            if (!known) target_coordinates(t, j, q), known = true;
            double inside = inside_stop(t, c, q[c - m->joint_coordadr[j]]);
            if (inside < -PAST_STOP || (inside > LEFT_STOP && !sn_plant_at_stop(m, t->s, c))) continue;
            t->push_cost[t->nstop] = push_cost(inside);
            t->released[t->nstop++] = c;
        }
    }
}

/* The search begins with the last activations and with the stops that are on pushing. */
static void start_from(snFollower *t, const double *activation)
{
    int32_t n = t->m->nmuscle;
    memcpy(t->x, activation, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < t->nstop; ++i) {
        t->x[n + i] = sn_plant_at_stop(t->m, t->s, t->released[i]) ? 1 : 0;
        t->lower[n + i] = 0, t->upper[n + i] = HUGE_VAL;
    }
}

static void choose(void *context, const snModel *m, snState *s)
{
    snFollower *t = context;
    double *activation = sn_plant_activation(s);
    if (t->step != sn_info(s)->steps) { /* not a repeat within the same step */
        memcpy(t->last, activation, sizeof(double) * (size_t)m->nmuscle);
        t->step = sn_info(s)->steps;
    }
    find_stops(t);
    sn_response_find(t->response, t->nstop, t->released);
    gather_rows(t);
    form_qp(t);
    limit_rates(t);
    start_from(t, activation);
    snBoxQpProblem problem = {
        .n = m->nmuscle + t->nstop, .Q = t->Q, .ld = t->ld, .c = t->c, .lo = t->lower, .hi = t->upper};
    sn_boxqp_solve(t->qp, &problem, t->x, NULL); /* at worst the best point found: still within the bounds */
    memcpy(activation, t->x, sizeof(double) * (size_t)m->nmuscle);
}

/* ---- set-up --------------------------------------------------------------------------------- */

/* Volume of a muscle but for the specific tension: force times length of its belly. */
static double volume_of(const snModel *m, int32_t muscle)
{
    double sum = 0;
    for (int32_t k = m->muscle_strandadr[muscle]; k < m->muscle_strandadr[muscle + 1]; ++k) {
        const snStrand *st = &m->strand[m->muscle_strand[k]];
        for (int32_t g = 0; g < st->ngauss; ++g)
            sum += m->strand_force[m->muscle_strand[k]] * st->gauss[g].weight * st->gauss[g].share;
    }
    return sum;
}

static void find_costs(snFollower *t)
{
    int32_t n = t->m->nmuscle;
    double sum = 0;
    for (int32_t k = 0; k < n; ++k) sum += t->cost[k] = t->def.cost_by_volume ? volume_of(t->m, k) : 1;
    for (int32_t k = 0; k < n && t->def.cost_by_volume; ++k) t->cost[k] *= n / sum;
}

static bool allocate(snFollower *t)
{
    size_t nm = (size_t)t->m->nmuscle, nt = (size_t)t->ntarget, nc = (size_t)t->m->ncoord, nx = nm + nc;
    size_t ld = (size_t)(t->ld = sn_dense_ld(t->m->nmuscle + t->m->ncoord + 1));
    t->dense = sn_dense();
    return (t->target = SN_NEW_ARRAY(snTargetDef, nt)) && (t->now = SN_NEW_ARRAY(rigid, nt)) &&
           (t->next = SN_NEW_ARRAY(rigid, nt)) && (t->body_H = SN_NEW_ARRAY(double, 6 * ld)) &&
           (t->H = SN_NEW_ARRAY(double, MAX_ROWS *nt *ld)) && (t->Q = SN_NEW_ARRAY(double, ld *ld)) &&
           (t->x = SN_NEW_ARRAY(double, nx)) && (t->c = SN_NEW_ARRAY(double, nx)) &&
           (t->lower = SN_NEW_ARRAY(double, nx)) && (t->upper = SN_NEW_ARRAY(double, nx)) &&
           (t->last = SN_NEW_ARRAY(double, nm)) && (t->body_target = SN_NEW_ARRAY(int32_t, t->m->nbody)) &&
           (t->released = SN_NEW_ARRAY(int32_t, nc)) && (t->push_cost = SN_NEW_ARRAY(double, nc)) &&
           (t->diagonal = SN_NEW_ARRAY(double, nm)) && (t->cost = SN_NEW_ARRAY(double, nm)) &&
           (t->qp = sn_boxqp_create(t->m->nmuscle + t->m->ncoord)) && (t->response = sn_response_create(t->m, t->s));
}

static void list_targets(snFollower *t)
{
    int32_t n = 0;
    if (t->def.ntarget) {
        memcpy(t->target, t->def.target, sizeof *t->target * (size_t)t->ntarget);
    } else {
        for (int32_t b = 0; b < t->m->nbody; ++b)
            if (sn_body_is_free(t->m, b)) t->target[n++] = (snTargetDef){.body = b, .weight = 1};
    }
    for (int32_t b = 0; b < t->m->nbody; ++b) t->body_target[b] = -1;
    for (int32_t i = 0; i < t->ntarget; ++i) {
        t->nrow += t->target[i].point ? 3 : 6;
        if (!t->target[i].point) t->body_target[t->target[i].body] = i;
        rigid node = sn_node_pose(t->m, t->s, t->target[i].body);
        if (t->target[i].point) node.p = rigid_apply(node, v3_load(t->target[i].offset));
        t->now[i] = t->next[i] = node;
    }
}

static snStatus check_targets(const snModel *m, const snFollowerDef *def, snError *error)
{
    for (int32_t i = 0; i < def->ntarget; ++i) {
        int32_t b = def->target[i].body;
        if (b < 0 || b >= m->nbody)
            return sn_fail(error, SN_BAD_INPUT, "target %d names body %d of %d", i, b, m->nbody);
        if (sn_body_is_free(m, b)) continue;
        sn_fail(error, SN_BAD_INPUT, "body \"%s\" is pinned or kinematic and cannot be tracked", m->body_name[b]);
        return SN_BAD_INPUT;
    }
    if (m->nmuscle == 0) return sn_fail(error, SN_BAD_INPUT, "the model has no muscle that could follow a motion");
    if (!(def->max_activation > 0 && def->max_activation <= 1))
        return sn_fail(error, SN_BAD_INPUT, "max_activation is %g; the range is above 0 to 1", def->max_activation);
    return SN_OK;
}

static int32_t count_free(const snModel *m)
{
    int32_t n = 0;
    for (int32_t b = 0; b < m->nbody; ++b) n += sn_body_is_free(m, b);
    return n;
}

snStatus sn_follower_create(const snModel *m, snState *s, const snFollowerDef *def, snFollower **out, snError *error)
{
    if (!m || !s || !out) return sn_fail_argument(error, "the model, the state or the place for the follower is NULL");
    snView own;
    if (sn_field(m, s, "body.position", &own) == SN_BAD_ARGUMENT)
        return sn_fail_argument(error, "the state belongs to another model");
    snFollowerDef taken = sn_default_follower_def();
    if (def && SN_TAKE_DEF(def, snFollowerDef, taken, error)) return SN_BAD_ARGUMENT;
    snFollowerDef d = def ? *def : sn_default_follower_def();
    snStatus status = check_targets(m, &d, error);
    if (status != SN_OK) return status;
    snFollower *t = SN_NEW(snFollower);
    if (!t) return sn_fail_no_memory(error);
    t->m = m, t->s = s, t->def = d, t->step = -1;
    t->ntarget = d.ntarget ? d.ntarget : count_free(m);
    if (!allocate(t)) {
        sn_follower_destroy(t);
        return sn_fail_no_memory(error);
    }
    list_targets(t);
    find_costs(t);
    sn_plant_control(s, (snController){choose, t});
    t->acts = true;
    *out = t;
    return SN_OK;
}

/* Unless another controller has taken over. */
static void stop_acting(snFollower *t)
{
    snController now = sn_plant_control(t->s, (snController){0});
    if (now.context != t) sn_plant_control(t->s, now);
}

void sn_follower_destroy(snFollower *t)
{
    if (!t) return;
    if (t->acts) stop_acting(t);
    sn_response_destroy(t->response);
    void *block[] = {t->target, t->now,   t->next, t->H,        t->body_H,      t->Q,        t->x,         t->c,
                     t->lower,  t->upper, t->last, t->diagonal, t->body_target, t->released, t->push_cost, t->cost};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_boxqp_destroy(t->qp);
    sn_free(t);
}

const double *sn_follower_response(const snFollower *t, int32_t *nrow, int32_t *ld)
{
    *nrow = t->nrow, *ld = t->ld;
    return t->H;
}

int32_t sn_follower_targets(const snFollower *t)
{
    if (!t) return 0;
    return t->ntarget;
}
int32_t sn_follower_target_body(const snFollower *t, int32_t i)
{
    return t && i >= 0 && i < sn_follower_targets(t) ? t->target[i].body : -1;
}

void sn_follower_aim(snFollower *t, int32_t i, const double now[7], const double next[7])
{
    if (!t || !now || !next || i < 0 || i >= sn_follower_targets(t)) return;
    t->now[i] = (rigid){q_unit(q_load(now + 3)), v3_load(now)};
    t->next[i] = (rigid){q_unit(q_load(next + 3)), v3_load(next)};
}
