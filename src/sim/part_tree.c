/* A tree with line muscles as a part of a state: tree_sim.h does the work, the state keeps coordinates and rates.
 *
 * Invariants
 * 1. Bodies of a tree have no unknowns of their own: this part moves them after each step, and they stand there.
 * 2. Activation and strength are by muscle; a muscle hands both to all lines that it pulls by. */
#include "sim/state.h"
#include "sim/tree_pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int32_t sn_tree_drawn(const snModel *m)
{
    int32_t count = 0;
    for (int32_t i = 0; m->skeleton && i < m->skeleton->path.npath; ++i)
        count += sn_path_drawn_count(&m->skeleton->path, i);
    return count;
}

bool sn_tree_begin(const snModel *m, snState *s)
{
    if (!m->skeleton) return true;
    s->tree = sn_treesim_create(&m->skeleton->tree, &m->skeleton->path);
    if (!s->tree) return false;
    s->tree->compression = m->skeleton->compression;
    return true;
}

/* Bodies where the placed tree has them, with the velocities of their frames. */
static void carry_bodies(const snModel *m, snState *s)
{
    const snTreeWork *work = s->tree->work;
    sn_pose_placed(m, work, s->body_target);
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t link = m->skeleton->tree.body_link[b];
        v3 omega = link < 0 ? v3_of(0, 0, 0) : v3_load(work->V + 6 * link);
        v3 velocity = sn_tree_point_velocity(work, link, m->body_rest[b].p);
        s->body[b] = s->body_target[b];
        v3_store(s->velocity + 6 * b, q_unrotate(s->body[b].q, omega));
        v3_store(s->velocity + 6 * b + 3, link < 0 ? v3_of(0, 0, 0) : velocity);
    }
}

static void start(const snModel *m, snState *s)
{
    if (!m->skeleton) return;
    memset(s->tree->q, 0, sizeof(double) * (size_t)m->ncoord);
    memset(s->tree->v, 0, sizeof(double) * (size_t)m->ncoord);
}

/* What the next step of the tree takes from the state. */
static void hand_over(const snModel *m, snState *s)
{
    snTreeSim *t = s->tree;
    t->h = s->h, t->time = s->time, t->gravity = sn_gravity(m, s);
    for (int32_t p = 0; p < t->paths->npath; ++p) {
        int32_t unit = m->skeleton->path_unit[p];
        t->strength[p] = s->strength[unit], t->activation[p] = s->activation[unit];
    }
}

/* External forces at the centres of mass, and torques: half a metre of lever makes a pair of forces of each torque. */
static void push_bodies(const snModel *m, snState *s)
{
    snTreeSim *t = s->tree;
    memset(t->external, 0, sizeof(double) * (size_t)m->ncoord);
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t link = m->skeleton->tree.body_link[b];
        v3 force = v3_load(s->force + 3 * b), torque = v3_load(s->torque + 3 * b), at = m->body_rest[b].p;
        if (v3_len2(force) > 0) sn_tree_push(t->tree, t->work, link, at, force, t->external);
        if (!(v3_len2(torque) > 0)) continue;
        v3 side = v3_unit(v3_perp(v3_unit(torque))), pair = v3_cross(torque, side);
        v3 arm = q_unrotate(sn_tree_motion(t->work, link).q, v3_scale(side, 0.5));
        sn_tree_push(t->tree, t->work, link, v3_add(at, arm), pair, t->external);
        sn_tree_push(t->tree, t->work, link, v3_sub(at, arm), v3_neg(pair), t->external);
    }
}

static void prepare(const snModel *m, snState *s)
{
    if (!s->tree) return;
    hand_over(m, s);
    sn_treesim_prepare(s->tree);
    push_bodies(m, s);
}

static void evaluate(const snModel *m, snState *s)
{
    (void)m;
    if (s->tree) sn_treesim_evaluate(s->tree);
}

static void activate(const snModel *m, snState *s)
{
    for (int32_t p = 0; s->tree && p < s->tree->paths->npath; ++p)
        s->tree->activation[p] = s->activation[m->skeleton->path_unit[p]];
}

static void solve(const snModel *m, snState *s)
{
    (void)m;
    if (s->tree) s->tree_status = sn_treesim_solve(s->tree);
}

static snStatus check(const snModel *m, snState *s)
{
    if (!s->tree || s->tree_status == SN_OK) return SN_OK;
    const snTreeSim *t = s->tree;
    int32_t worst = 0;
    for (int32_t i = 1; i < m->ncoord; ++i) /* a number that is not one stays */
        if (!(fabs(t->v[i] + t->x[i]) <= fabs(t->v[worst] + t->x[worst]))) worst = i;
    (void)snprintf(s->info.culprit, sizeof s->info.culprit, "coordinate \"%s\"", m->coord_name[worst]);
    return SN_DIVERGED;
}

static void advance(const snModel *m, snState *s)
{
    if (!s->tree) return;
    sn_treesim_move(s->tree);
    sn_treesim_prepare(s->tree);
    carry_bodies(m, s);
}

void sn_tree_put(const snModel *m, snState *s, const double *coordinate)
{
    memcpy(s->tree->q, coordinate, sizeof(double) * (size_t)m->ncoord);
    memset(s->tree->v, 0, sizeof(double) * (size_t)m->ncoord);
    sn_treesim_prepare(s->tree);
    carry_bodies(m, s);
}

static void measure(const snModel *m, snState *s)
{
    if (!s->tree) return;
    snTreeSim *t = s->tree;
    double *point = s->out_line_point;
    hand_over(m, s);
    sn_treesim_prepare(t);
    snPathLinks links = {.ndof = m->ncoord, .rotation = t->work->rotation, .shift = t->work->shift};
    memcpy(s->out_coordinate, t->q, sizeof(double) * (size_t)m->ncoord);
    memcpy(s->out_line_length, t->line->length, sizeof(double) * (size_t)t->paths->npath);
    sn_treesim_tensions(t, s->out_line_tension);
    if (s->quiet) return;
    for (int32_t i = 0; i < t->paths->npath; ++i) {
        sn_path_drawn(t->paths, &links, i, point);
        point += 3 * (int64_t)sn_path_drawn_count(t->paths, i);
    }
}

static void energy(const snModel *m, const snState *s, snEnergy *sum)
{
    if (!s->tree) return;
    const snTreeSim *t = s->tree;
    double momentum[6];
    sum->kinetic += sn_tree_kinetic_energy(t->tree, t->work);
    sum->potential += sn_tree_potential_energy(t->tree, t->work, sn_gravity(m, s));
    sum->elastic += sn_tree_passive_energy(t->tree, t->work, t->q) + sn_treesim_stretched(t);
    sn_tree_momentum(t->tree, t->work, momentum);
    for (int k = 0; k < 3; ++k) sum->angular_momentum[k] += momentum[k], sum->momentum[k] += momentum[3 + k];
}

const snPart sn_part_tree = {.name = "tree",
                             .start = start,
                             .prepare = prepare,
                             .evaluate = evaluate,
                             .activate = activate,
                             .solve = solve,
                             .check = check,
                             .advance = advance,
                             .measure = measure,
                             .energy = energy};
