/* Moment arms by two ways: excursion of the path, and virtual work of the constraint forces.
 *
 * Without friction the tension T of an ideal strand is the same everywhere, so that its energy changes by T dL and the
 * torque about a coordinate is -T dL/dq: both ways give the same arm.
 *
 * A strand of finitely many control points does not bend sharply: at an eyelet with a kink single Gauss points are
 * stretched several times as much as the tension asks for, others are pressed, and they change as the strand slides by.
 * The plain length has that local stretch in it, a few hundredths of a millimetre, which is up to 1 mm of arm. It does
 * not reach the belly. So every piece of the strand counts by its share of the tension, dL = sum of T_i dl_i / T, which
 * is dE / T with the energy E of the strand; along an ideal strand this is the length. T is the tension at the end
 * where the belly is. What the plain length gives is kept beside it (path). A path has one tension and no such stretch:
 * there the length itself counts, which is also right where the tension changes much from pose to pose.
 *
 * A strand that begins on another strand (a lumbrical on its profundus tendon) ends at a point that itself moves when
 * the joint turns. That point counts as held by the body next to it: the work of its motion against this body is taken
 * out of T dL, and the force there is counted as one on this body, for the one strand and, reversed, for the other. A
 * path that carries another one does not bend there: what the other pulls across it goes to the bodies that hold that
 * piece of it, and is counted there. The tension of a strand that carries another one differs on both sides of the
 * junction; the one at the joint counts. */
#include "analysis/crossing.h"
#include "analysis/line_arms.h"
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "sim/plant.h"
#include "sinew/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SLACK = 1e-3;        /* N: less tension gives no arm */
static const double FIRST_SETTLE = 0.15; /* s */

typedef struct Sweep {
    const snModel *m;
    snArmDef def;
    snState *s;
    snArms *arms;
    double *drawn, *rest, *coord; /* ncoord */
    rigid *low, *high;            /* nbody */
    double *twist;                /* nbody * 6: velocity of each body per unit velocity of the coordinate */
    uint8_t *distal;              /* nbody */
    int32_t *link_body;           /* nconstraint: body next to a junction of two strands, -1 */
    int32_t njunction;
    int32_t first, count; /* curves of the coordinate at hand */
    double *energy;       /* per pose and curve of it: of the strand, J */
    v3 *junction;         /* per pose and junction: place and force in its body */
    double worst_depth;
    int32_t done;
} Sweep;

void sn_arms_destroy(snArms *arms)
{
    if (!arms) return;
    for (int32_t i = 0; arms->curve && i < arms->ncurve; ++i) sn_free(arms->curve[i].length);
    for (int32_t c = 0; arms->grid && c < arms->ncoordinate; ++c) sn_free(arms->grid[c]);
    sn_free(arms->curve);
    sn_free(arms->neutral);
    sn_free(arms->grid);
    sn_free(arms);
}

/* ---- who crosses what ----------------------------------------------------------------------- */

static void find_link_bodies(Sweep *w)
{
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        w->link_body[k] = sn_junction_body(w->m, k);
        w->njunction += w->link_body[k] >= 0;
    }
}

static bool crosses(const Sweep *w, int32_t strand)
{
    bool before = false, behind = false;
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        const snConstraint *c = &w->m->constraint[k];
        if (c->strand != strand) continue;
        int32_t body = c->body >= 0 ? c->body : w->link_body[k];
        if (body < 0) continue;
        if (w->distal[body])
            behind = true;
        else
            before = true;
    }
    return before && behind;
}

/* Parameter at which a strand goes over the joint: between the last constraint on one side and the first on the other.
 */
static double crossing(const Sweep *w, int32_t strand)
{
    const snModel *m = w->m;
    int32_t a = m->strand_constraintadr[strand], b = m->strand_constraintadr[strand + 1];
    for (int32_t k = a; k + 1 < b; ++k)
        if (w->distal[m->constraint[k].body] != w->distal[m->constraint[k + 1].body])
            return (m->constraint[k].s + m->constraint[k + 1].s) / 2;
    return a < b && w->distal[m->constraint[a].body] ? -INFINITY : INFINITY;
}

/* ---- one pose ------------------------------------------------------------------------------- */

static void find_twists(Sweep *w, int32_t coordinate)
{
    const double small = 1e-5;
    double q = w->coord[coordinate];
    w->coord[coordinate] = q - small, sn_pose_bodies(w->m, w->coord, w->low);
    w->coord[coordinate] = q + small, sn_pose_bodies(w->m, w->coord, w->high);
    w->coord[coordinate] = q;
    for (int32_t b = 0; b < w->m->nbody; ++b) {
        v3 turn = q_log(q_mul(w->high[b].q, q_conj(w->low[b].q)));
        v3_store(w->twist + 6 * b, q_unrotate(sn_plant_bodies(w->s)[b].q, v3_scale(turn, 0.5 / small)));
        v3_store(w->twist + 6 * b + 3, v3_scale(v3_sub(w->high[b].p, w->low[b].p), 0.5 / small));
    }
}

static v3 junction_place(const Sweep *w, int32_t constraint)
{
    v3 tangent;
    int32_t strand = w->m->constraint[constraint].strand;
    return sn_plant_strand_point(w->m, w->s, strand, sn_plant_parameter(w->s, constraint), &tangent);
}

/* Torque of the junctions of a strand, as forces on the bodies next to them. What a branch pulls across a path comes
 * back from both ends of the piece that it is on, and not as a force of the path's constraints. */
static double junction_torque(const Sweep *w, int32_t strand)
{
    double torque = 0;
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        const snConstraint *c = &w->m->constraint[k];
        int32_t b = w->link_body[k];
        if (b < 0 || (c->strand != strand && c->other != strand)) continue;
        if (c->other == strand && strand >= w->m->nspline) torque += sn_plant_across_power(w->m, w->s, k, w->twist);
        if (!w->distal[b]) continue;
        rigid body = sn_plant_bodies(w->s)[b];
        v3 velocity = sn_body_point_velocity(body.q, w->twist + 6 * b, rigid_unapply(body, junction_place(w, k)));
        torque += (c->strand == strand ? 1 : -1) * v3_dot(sn_plant_link_force(w->m, w->s, k), velocity);
    }
    return torque;
}

static double torque_of(const Sweep *w, int32_t strand)
{
    const snModel *m = w->m;
    double torque = junction_torque(w, strand);
    for (int32_t k = m->strand_constraintadr[strand]; k < m->strand_constraintadr[strand + 1]; ++k) {
        int32_t body = m->constraint[k].body;
        if (w->distal[body]) torque += sn_plant_power(m, w->s, k, w->twist + 6 * body);
    }
    return torque;
}

/* How much the strands that begin on a strand between two parameters pull along it, towards its insertion. */
static double pull_between(const Sweep *w, int32_t strand, double from, double to)
{
    double sum = 0;
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        const snConstraint *c = &w->m->constraint[k];
        if (!sn_is_junction(c) || c->other != strand || c->other_s < from || c->other_s > to) continue;
        v3 tangent;
        sn_plant_strand_point(w->m, w->s, strand, c->other_s, &tangent);
        sum += v3_dot(sn_plant_link_force(w->m, w->s, k), tangent);
    }
    return sum;
}

/* Tension on the side of the joint: that of the belly, less what other strands pull in between. The mean of both ends
 * where belly or tendon is at both. */
static double tension_of(const Sweep *w, int32_t strand)
{
    const snStrand *st = &w->m->strand[strand];
    bool held[2] = {sn_plant_end_is_held(w->s, strand, false), sn_plant_end_is_held(w->s, strand, true)};
    bool first = st->gauss[0].share > 0.5 && held[0], last = st->gauss[st->ngauss - 1].share > 0.5 && held[1];
    double at = crossing(w, strand);
    double origin = v3_len(sn_plant_strand_end(w->s, strand, false)) - pull_between(w, strand, -INFINITY, at);
    double insertion = v3_len(sn_plant_strand_end(w->s, strand, true)) + pull_between(w, strand, at, INFINITY);
    if (first != last) return first ? origin : insertion;
    int ends = held[0] + held[1];
    return ends ? (origin + insertion) / ends : 0;
}

/* Where the junctions are in their bodies, and with what force. */
static void note_junctions(Sweep *w, int32_t pose)
{
    v3 *at = w->junction + 2 * pose * w->njunction;
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        if (w->link_body[k] < 0) continue;
        rigid body = sn_plant_bodies(w->s)[w->link_body[k]];
        at[0] = rigid_unapply(body, junction_place(w, k));
        at[1] = q_unrotate(body.q, sn_plant_link_force(w->m, w->s, k));
        at += 2;
    }
}

static void note_wrong_side(Sweep *w)
{
    double depth;
    int32_t k = sn_wrong_side(w->m, w->s, &depth);
    if (k < 0) return;
    ++w->arms->wrong_sides;
    if (depth <= w->worst_depth) return;
    w->worst_depth = depth;
    snprintf(w->arms->wrong_side, sizeof w->arms->wrong_side, "%.48s, %.48s: %.1f mm",
             w->m->strand_name[w->m->constraint[k].strand], w->m->constraint_name[k], 1e3 * depth);
}

static snStatus settle_at(Sweep *w, int32_t coordinate, double q, double seconds)
{
    w->coord[coordinate] = q;
    snStatus status = sn_pose(w->m, w->s, w->coord);
    return status == SN_OK ? sn_settle(w->m, w->s, seconds) : status;
}

static snStatus measure_at(Sweep *w, int32_t coordinate, int32_t pose, double q)
{
    snStatus status = settle_at(w, coordinate, q, w->def.settle);
    if (status != SN_OK) return status;
    find_twists(w, coordinate);
    for (int32_t i = 0; i < w->count; ++i) {
        snArmCurve *curve = &w->arms->curve[w->first + i];
        double tension = tension_of(w, curve->strand);
        curve->length[pose] = sn_plant_strand_length(w->s, curve->strand);
        curve->tension[pose] = tension;
        curve->work[pose] = tension > SLACK ? torque_of(w, curve->strand) / tension : NAN;
        w->energy[pose * w->count + i] = sn_plant_strand_energy(w->m, w->s, curve->strand);
    }
    note_junctions(w, pose);
    note_wrong_side(w);
    return SN_OK;
}

/* From the pose as drawn to the one of the others in small moves, so that strands follow. */
static snStatus start_at_rest(Sweep *w, int32_t coordinate)
{
    enum { MOVES = 20 };
    snStatus status = SN_OK;
    sn_state_reset(w->m, w->s);
    for (int32_t k = 0; k < w->m->nmuscle; ++k) sn_plant_activation(w->s)[k] = w->def.activation;
    for (int move = 1; w->def.pose && status == SN_OK && move < MOVES; ++move) {
        for (int32_t c = 0; c < w->m->ncoord; ++c)
            w->coord[c] = w->drawn[c] + (w->rest[c] - w->drawn[c]) * move / MOVES;
        status = settle_at(w, coordinate, w->coord[coordinate], w->def.settle);
    }
    memcpy(w->coord, w->rest, sizeof(double) * (size_t)w->m->ncoord);
    return status == SN_OK ? settle_at(w, coordinate, w->rest[coordinate], FIRST_SETTLE) : status;
}

/* ---- one coordinate ------------------------------------------------------------------------- */

static snStatus make_grid(Sweep *w, int32_t coordinate, bool angle, int32_t *count, int32_t *rest)
{
    w->arms->grid[coordinate] = sn_arms_grid(w->m, &w->def, coordinate, angle, w->rest[coordinate], count, rest);
    return w->arms->grid[coordinate] ? SN_OK : SN_NO_MEMORY;
}

static snStatus make_curves(Sweep *w, int32_t coordinate, bool angle, int32_t count)
{
    for (int32_t i = 0; i < w->count; ++i) {
        snArmCurve *curve = &w->arms->curve[w->first + i];
        double *block = SN_NEW_ARRAY(double, 5 * (int64_t)count);
        if (!block) return SN_NO_MEMORY;
        curve->coordinate = coordinate;
        curve->count = count;
        curve->slides = !angle;
        curve->q = w->arms->grid[coordinate];
        curve->length = block;
        curve->tension = block + count;
        curve->excursion = block + 2 * count;
        curve->work = block + 3 * count;
        curve->path = block + 4 * count;
    }
    return SN_OK;
}

static snStatus sweep_side(Sweep *w, int32_t coordinate, int32_t from, int32_t to, int32_t total)
{
    const double *q = w->arms->grid[coordinate];
    int32_t way = to < from ? -1 : 1;
    snStatus status = start_at_rest(w, coordinate);
    for (int32_t k = from; status == SN_OK && k != to + way; k += way) {
        status = measure_at(w, coordinate, k, q[k]);
        snProgress p = w->def.progress;
        if (status == SN_OK && p.call && p.call(p.user, "moment arms", ++w->done, total)) status = SN_CANCELLED;
    }
    return status;
}

/* What a strand does on its way from pose a to pose b by moving its junctions in their bodies; own: only those that it
 * ends at, not those of strands that it carries. */
static double junction_work(const Sweep *w, int32_t strand, int32_t a, int32_t b, bool own)
{
    const v3 *at = w->junction + 2 * a * w->njunction, *bt = w->junction + 2 * b * w->njunction;
    double sum = 0;
    for (int32_t k = 0; k < w->m->nconstraint; ++k) {
        if (w->link_body[k] < 0) continue;
        const snConstraint *c = &w->m->constraint[k];
        double sign = c->strand == strand ? 1 : c->other == strand && !own ? -1 : 0;
        sum += sign * v3_dot(v3_scale(v3_add(at[1], bt[1]), 0.5), v3_sub(bt[0], at[0]));
        at += 2, bt += 2;
    }
    return sum;
}

/* An unbranched path: its plain length has no local stretch in it. */
static bool has_one_tension(const snModel *m, int32_t strand)
{
    return strand >= m->nspline && m->cord[m->strand_cordadr[strand]].knot < 0;
}

/* Arm from pose a to pose b: by the energy over the tension, and by the plain length. */
static void arm_between(const Sweep *w, int32_t i, int32_t a, int32_t b, double *excursion, double *path)
{
    const snArmCurve *c = &w->arms->curve[w->first + i];
    double tension = (c->tension[a] + c->tension[b]) / 2, turn = c->q[b] - c->q[a];
    double length = c->length[b] - c->length[a], energy = w->energy[b * w->count + i] - w->energy[a * w->count + i];
    bool taut = tension > SLACK;
    *path = -(length + (taut ? junction_work(w, c->strand, a, b, true) / tension : 0)) / turn;
    bool even = !taut || has_one_tension(w->m, c->strand);
    *excursion = even ? *path : -(energy + junction_work(w, c->strand, a, b, false)) / (tension * turn);
}

static void find_excursion(Sweep *w, int32_t i)
{
    snArmCurve *c = &w->arms->curve[w->first + i];
    int32_t last = c->count - 1;
    for (int32_t k = 0; k <= last; ++k) {
        int32_t a = k > 0 ? k - 1 : 0, b = k < last ? k + 1 : last;
        c->excursion[k] = c->path[k] = NAN;
        if (b > a) arm_between(w, i, a, b, &c->excursion[k], &c->path[k]);
    }
    if (last < 2) return; /* at the ends second order too: the straight line through the neighbouring differences */
    for (int end = 0; end < 2; ++end) {
        int32_t k = end ? last : 0, next = end ? last - 1 : 1;
        c->excursion[k] = 2 * c->excursion[k] - c->excursion[next];
        c->path[k] = 2 * c->path[k] - c->path[next];
    }
}

static void summarise(Sweep *w, int32_t i, int32_t rest)
{
    snArmCurve *c = &w->arms->curve[w->first + i];
    double sum = 0, apart = 0;
    int32_t n = 0;
    find_excursion(w, i);
    for (int32_t k = 0; k < c->count; ++k) {
        if (k) c->jump = fmax(c->jump, fabs(c->excursion[k] - c->excursion[k - 1]));
        if (!isfinite(c->work[k]) || !isfinite(c->excursion[k])) continue;
        double difference = fabs(c->work[k] - c->excursion[k]);
        sum += c->work[k], apart += difference, ++n;
        c->worst = fmax(c->worst, difference);
        c->stretch = fmax(c->stretch, fabs(c->path[k] - c->excursion[k]));
    }
    c->mean = n ? sum / n : NAN;
    c->difference = n ? apart / n : NAN;
    c->neutral = c->work[rest];
    if (isfinite(c->neutral))
        w->arms->neutral[(size_t)c->strand * (size_t)w->m->ncoord + (size_t)c->coordinate] = c->neutral;
}

static snStatus sweep_coordinate(Sweep *w, int32_t joint, int32_t dof, int32_t total)
{
    int32_t coordinate = w->m->joint_coordadr[joint] + dof, count, rest;
    bool angle = sn_joint_dof_is_angle(w->m->joint[joint].kind, dof);
    if (!sn_arms_want(&w->def, coordinate)) return SN_OK;
    snStatus status = make_grid(w, coordinate, angle, &count, &rest);
    w->first = w->arms->ncurve;
    w->count = 0;
    for (int32_t i = 0; i < w->m->nstrand; ++i)
        if (crosses(w, i)) w->arms->curve[w->first + w->count++].strand = i;
    w->arms->ncurve += w->count;
    if (status != SN_OK || !w->count) return status;
    w->energy = SN_NEW_ARRAY(double, (int64_t)count * w->count);
    w->junction = SN_NEW_ARRAY(v3, 2 * (int64_t)count * w->njunction + 1);
    status = w->energy && w->junction ? make_curves(w, coordinate, angle, count) : SN_NO_MEMORY;
    if (status == SN_OK) status = sweep_side(w, coordinate, rest, count - 1, total);
    if (status == SN_OK && rest > 0) status = sweep_side(w, coordinate, rest - 1, 0, total);
    for (int32_t i = 0; status == SN_OK && i < w->count; ++i) summarise(w, i, rest);
    sn_free(w->energy);
    sn_free(w->junction);
    w->energy = NULL;
    w->junction = NULL;
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool wanted(const Sweep *w, int32_t joint)
{
    return w->m->joint_b[joint] >= 0 && sn_body_is_free(w->m, w->m->joint_b[joint]) &&
           (w->def.joint < 0 || w->def.joint == joint);
}

static int32_t count_poses(const Sweep *w)
{
    double poses = 0;
    for (int32_t j = 0; j < w->m->njoint; ++j)
        for (int32_t c = w->m->joint_coordadr[j]; wanted(w, j) && c < w->m->joint_coordadr[j + 1]; ++c)
            poses += fmin(w->m->coord_upper[c] - w->m->coord_lower[c], SN_PI) / w->def.turn;
    return (int32_t)poses;
}

static bool allocate(Sweep *w)
{
    size_t nb = (size_t)w->m->nbody, nc = (size_t)w->m->ncoord, ns = (size_t)w->m->nstrand;
    return (w->drawn = SN_NEW_ARRAY(double, nc)) && (w->rest = SN_NEW_ARRAY(double, nc)) &&
           (w->coord = SN_NEW_ARRAY(double, nc)) && (w->low = SN_NEW_ARRAY(rigid, nb)) &&
           (w->high = SN_NEW_ARRAY(rigid, nb)) && (w->twist = SN_NEW_ARRAY(double, 6 * nb)) &&
           (w->distal = SN_NEW_ARRAY(uint8_t, nb)) && (w->link_body = SN_NEW_ARRAY(int32_t, w->m->nconstraint)) &&
           (w->arms = SN_NEW(snArms)) && (w->arms->curve = SN_NEW_ARRAY(snArmCurve, ns * nc)) &&
           (w->arms->neutral = SN_NEW_ARRAY(double, ns *nc)) && (w->arms->grid = SN_NEW_ARRAY(double *, nc));
}

static snStatus explain(const Sweep *w, snStatus status, snError *error)
{
    if (status == SN_DIVERGED)
        return sn_fail(error, status, "a pose could not be settled: %s diverges", sn_info(w->s)->culprit);
    if (status == SN_NO_MEMORY) return sn_fail_no_memory(error);
    return status == SN_OK ? SN_OK : sn_fail(error, status, "%s", sn_status_text(status));
}

static snStatus run(Sweep *w, snError *error)
{
    snSimDef sim = sn_default_sim_def();
    sim.gravity_scale = 0;
    sim.step = 1e-3; /* as settling does, so that multipliers and step belong together */
    sim.threads = w->def.threads;
    if (!allocate(w)) return sn_fail_no_memory(error);
    w->arms->nstrand = w->m->nstrand;
    w->arms->ncoordinate = w->m->ncoord;
    snStatus status = sn_state_create(w->m, &sim, &w->s, error);
    if (status != SN_OK) return status;
    memcpy(w->drawn, sn_plant_coordinates(w->s), sizeof(double) * (size_t)w->m->ncoord);
    memcpy(w->rest, w->def.pose ? w->def.pose : w->drawn, sizeof(double) * (size_t)w->m->ncoord);
    find_link_bodies(w);
    int32_t total = count_poses(w);
    for (int32_t j = 0; j < w->m->njoint; ++j) {
        if (!wanted(w, j)) continue;
        sn_mark_distal(w->m, j, w->distal);
        for (int32_t d = 0; status == SN_OK && d < sn_joint_dofs(w->m->joint[j].kind); ++d)
            status = sweep_coordinate(w, j, d, total);
    }
    return explain(w, status, error);
}

snStatus sn_moment_arms(const snModel *m, const snArmDef *def, snArms **arms, snError *error)
{
    if (!m || !arms) return sn_fail_argument(error, "the model or the place for the arms is NULL");
    snArmDef taken = sn_default_arm_def();
    if (def && SN_TAKE_DEF(def, snArmDef, taken, error)) return SN_BAD_ARGUMENT;
    Sweep w = {.m = m, .def = def ? *def : sn_default_arm_def()};
    if (m->skeleton) return sn_line_moment_arms(m, &w.def, arms, error);
    snStatus status = run(&w, error);
    sn_state_destroy(w.s);
    sn_free(w.drawn);
    sn_free(w.rest);
    sn_free(w.coord);
    sn_free(w.low);
    sn_free(w.high);
    sn_free(w.twist);
    sn_free(w.distal);
    sn_free(w.link_body);
    if (status == SN_OK)
        *arms = w.arms;
    else
        sn_arms_destroy(w.arms);
    return status;
}
