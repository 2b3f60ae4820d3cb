/* sinew/meshfree.h: one muscle as strands, points, elements and flesh, at the same poses and activations.
 *
 * Bones are held. For the strands that is done by bodies a million times heavier and no gravity; strands come to rest
 * by their own damping. The others are solved for equilibrium, each pose from the one before. */
#include "author/compare_flesh.h"
#include "author/library_grid.h"

#include "author/own/library.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/error.h"
#include "model/model.h"
#include "sinew/sim.h"

#include <stdio.h>
#include <string.h>

enum { BINS = 8, QUIET = 25, MOST_STEPS = 4000, FLESH = 25 }; /* FLESH: tetrahedra for each point */
static const double HEAVY = 1e6;
static const double STILL = 2e-5; /* relative change of the force in a step below which a strand is at rest */

/* What all of them share. */
typedef struct bench {
    const snModel *model;
    const snLibraryGrid *grid;
    double start, end; /* of the belly, fractions */
    double *coordinate, *pose;
} bench;

/* ---- strands ---- */

typedef struct group {
    snModel *model;
    snState *state;
    int32_t nmuscle, *muscle;
    double rest_volume, rest_section;
} group;

static bool belongs(const char *muscle, const char *name)
{
    size_t n = strlen(muscle);
    return strncmp(muscle, name, n) == 0 && (name[n] == 0 || name[n] == '_');
}

static void group_close(group *g)
{
    if (g->state) sn_state_destroy(g->state);
    if (g->model) sn_model_destroy(g->model);
    sn_free(g->muscle);
}

static const double *field(group *g, const char *name)
{
    snView view;
    return sn_field(g->model, g->state, name, &view) == SN_OK ? view.data : NULL;
}

/* Volume and mean section of the muscle's groups; NaN without. */
static void group_shape(group *g, double *volume, double *section)
{
    const double *v = field(g, "group.volume"), *length = field(g, "group.length");
    double long_way = 0;
    *volume = 0;
    for (int32_t i = 0; i < g->nmuscle && v && length; ++i) {
        if (g->muscle[i] >= g->model->nvolume) continue;
        *volume += v[g->muscle[i]], long_way += v[g->muscle[i]] * length[g->muscle[i]];
    }
    *section = *volume > 0 ? *volume * *volume / long_way : NAN; /* length weighted by volume */
    if (!(*volume > 0)) *volume = NAN;
}

static snStatus group_open(const snSpec *spec, const char *name, group *g, snError *error)
{
    snStatus status = sn_compile(spec, &g->model, error);
    if (status != SN_OK) return status;
    if (g->model->nstrand == 0 || g->model->skeleton)
        return sn_fail(error, SN_BAD_INPUT, "the model has no strands that could be compared");
    for (int32_t b = 0; b < g->model->nbody; ++b) {
        g->model->body_mass[b] *= HEAVY;
        g->model->body_inertia[b] = v3_scale(g->model->body_inertia[b], HEAVY);
    }
    g->muscle = SN_NEW_ARRAY(int32_t, g->model->nmuscle + 1);
    if (!g->muscle) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < g->model->nmuscle; ++k)
        if (strcmp(g->model->muscle_name[k], name) == 0) g->muscle[g->nmuscle++] = k;
    for (int32_t k = 0; k < g->model->nmuscle && g->nmuscle == 0; ++k)
        if (belongs(name, g->model->muscle_name[k])) g->muscle[g->nmuscle++] = k;
    snSimDef def = sn_default_sim_def();
    def.gravity_scale = 0;
    status = sn_state_create(g->model, &def, &g->state, error);
    if (status == SN_OK) group_shape(g, &g->rest_volume, &g->rest_section);
    return status;
}

static double group_force(group *g)
{
    const double *force = field(g, "strand.force_insertion");
    v3 sum = {0, 0, 0};
    for (int32_t k = 0; k < g->nmuscle && force; ++k)
        for (int32_t i = g->model->muscle_strandadr[g->muscle[k]]; i < g->model->muscle_strandadr[g->muscle[k] + 1];
             ++i)
            sum = v3_add(sum, v3_load(force + 3 * g->model->muscle_strand[i]));
    return v3_len(sum);
}

static snStatus group_solve(const bench *b, group *g, const double *at, double activation, snFidelity *out,
                            snError *error)
{
    double began = sn_clock_thread(), before = 0, force = 0, volume;
    int32_t quiet = 0;
    memset(b->coordinate, 0, (size_t)b->model->ncoord * sizeof *b->coordinate);
    if (b->grid->coord[0] >= 0) b->coordinate[b->grid->coord[0]] = at[0];
    snStatus status = sn_pose(g->model, g->state, b->coordinate);
    snView level;
    if (status == SN_OK) status = sn_field(g->model, g->state, "muscle.activation", &level);
    for (int32_t k = 0; k < g->nmuscle && status == SN_OK; ++k) level.data[g->muscle[k]] = activation;
    for (int32_t i = 0; i < MOST_STEPS && quiet < QUIET && status == SN_OK; ++i) {
        status = sn_step(g->model, g->state);
        force = group_force(g);
        quiet = fabs(force - before) <= STILL * fmax(force, 1e-3) ? quiet + 1 : 0;
        before = force;
    }
    if (status != SN_OK)
        return sn_fail(error, status, "the strands of \"%s\" do not come to rest", b->grid->muscle->name);
    out->converged = quiet >= QUIET;
    out->force = force;
    group_shape(g, &volume, &out->section);
    out->volume = volume / g->rest_volume, out->bulge = out->section / g->rest_section;
    out->seconds = sn_clock_thread() - began;
    return SN_OK;
}

/* ---- points and elements ---- */

typedef struct matter {
    snSoftMuscle *muscle;
    snSoftState *state;
    double *along;             /* of each quadrature point: fraction of its strand */
    double *first, *before;    /* positions at the least activation of the pose before; of the last solve */
    rigid pose[SN_SOFT_BONES]; /* of first */
    double rest_section;
} matter;

static void matter_close(matter *m)
{
    sn_soft_state_destroy(m->state);
    sn_free(m->along), sn_free(m->first), sn_free(m->before);
}

/* The belly in BINS pieces from start to end: volume over the length of the line through their middles. */
static double mean_section(const bench *b, const matter *m)
{
    const snSoftQuads *q = &m->muscle->quads;
    double volume[BINS] = {0}, total = 0, length = 0;
    v3 middle[BINS] = {{0, 0, 0}};
    for (int32_t e = 0; e < q->n; ++e) {
        int32_t bin = (int32_t)floor(BINS * (m->along[e] - b->start) / (b->end - b->start));
        if (q->part[e] == SN_SOFT_SHAPE || bin < 0 || bin >= BINS) continue;
        int32_t count = q->first[e + 1] - q->first[e];
        bool point = q->n == q->nnode; /* which is a node itself */
        v3 at = point ? v3_load(m->state->x + 3 * e) : v3_of(0, 0, 0);
        m3 F;
        sn_soft_quads_gradient(q, e, m->state->x, F.m);
        for (int32_t k = 0; k < count && !point; ++k)
            at = v3_mad(at, 1.0 / count, v3_load(m->state->x + 3 * q->node[q->first[e] + k]));
        double V = q->volume[e] * m3_det(&F);
        volume[bin] += V, total += V;
        middle[bin] = v3_mad(middle[bin], V, at);
    }
    for (int k = 0; k < BINS; ++k) {
        if (!(volume[k] > 0)) return NAN;
        middle[k] = v3_scale(middle[k], 1 / volume[k]);
        if (k > 0) length += v3_dist(middle[k], middle[k - 1]);
    }
    return total / (length * BINS / (BINS - 1));
}

static snStatus matter_open(const bench *b, snSoftMuscle *muscle, matter *m, snError *error)
{
    size_t n = 3 * (size_t)muscle->quads.nnode;
    m->muscle = muscle;
    m->along = SN_NEW_ARRAY(double, muscle->quads.n);
    m->first = SN_NEW_ARRAY(double, n), m->before = SN_NEW_ARRAY(double, n);
    if (!m->along || !m->first || !m->before) return sn_fail_no_memory(error);
    memcpy(m->first, muscle->quads.rest, n * sizeof *m->first);
    for (int32_t k = 0; k < muscle->nbone; ++k) m->pose[k] = muscle->soft_bone[k].rest;
    for (int32_t q = 0; q < muscle->quads.n; ++q)
        (void)sn_fibres_direction(&muscle->fibres, v3_load(muscle->quads.centre + 3 * q), NULL, m->along + q);
    snStatus status = sn_soft_state_create(muscle->body, &m->state, error);
    if (status == SN_OK) m->rest_section = mean_section(b, m);
    return status;
}

/* From the state's positions to a pose and activation in so many steps; the first ones need not converge. */
static snSoftInfo approach(matter *m, const rigid *to, double activation, int steps)
{
    snSoftSolveDef def = sn_default_soft_solve_def();
    snSoftInfo info = {0};
    rigid from[SN_SOFT_BONES], bone[SN_SOFT_BONES];
    double level = m->state->activation;
    memcpy(from, m->state->pose, (size_t)m->muscle->nbone * sizeof *from);
    for (int k = 1; k <= steps; ++k) {
        double t = (double)k / steps;
        for (int32_t i = 0; i < m->muscle->nbone; ++i)
            bone[i] = (rigid){q_mul(from[i].q, q_exp(v3_scale(q_log(q_mul(q_conj(from[i].q), to[i].q)), t))),
                              v3_lerp(from[i].p, to[i].p, t)};
        sn_soft_move_bones(m->muscle->body, m->state, bone);
        m->state->activation = level + t * (activation - level);
        info = sn_soft_solve(m->muscle->body, m->state, &def);
    }
    return info;
}

static void matter_solve(const bench *b, matter *m, const double *at, double activation, bool anew, snFidelity *out)
{
    size_t n = 3 * (size_t)m->muscle->quads.nnode;
    rigid bone[SN_SOFT_BONES], old[SN_SOFT_BONES];
    double force[3], contact[3], began = sn_clock_thread(), level = anew ? activation : m->state->activation;
    snSoftInfo info = {0};
    memset(b->coordinate, 0, (size_t)b->model->ncoord * sizeof *b->coordinate);
    if (b->grid->coord[0] >= 0) b->coordinate[b->grid->coord[0]] = at[0];
    (void)sn_body_poses(b->model, b->coordinate, b->pose);
    for (int32_t i = 0; i < m->muscle->nbone; ++i) bone[i] = sn_pose_at(b->pose, m->muscle->bone[i]);
    memcpy(m->before, anew ? m->first : m->state->x, n * sizeof *m->before);
    memcpy(old, anew ? m->pose : m->state->pose, (size_t)m->muscle->nbone * sizeof *old);
    for (int steps = 1; steps <= 4 && !info.converged; steps *= 2) {
        memcpy(m->state->x, m->before, n * sizeof *m->before);
        memcpy(m->state->pose, old, (size_t)m->muscle->nbone * sizeof *old);
        m->state->activation = level;
        info = approach(m, bone, activation, steps);
    }
    if (anew) {
        memcpy(m->first, m->state->x, n * sizeof *m->first);
        memcpy(m->pose, bone, sizeof bone);
    }
    sn_soft_bone_force(m->muscle->body, m->state, m->muscle->insertion, force, contact);
    double section = mean_section(b, m);
    *out = (snFidelity){info.converged, v3_len(v3_load(force)),   section, section / m->rest_section,
                        info.volume,    sn_clock_thread() - began};
}

/* ---- flesh ---- */

static void flesh_solve(const bench *b, snFleshedMuscle *f, const double *at, double activation, snFidelity *out)
{
    rigid bone[SN_SOFT_BONES];
    memset(b->coordinate, 0, (size_t)b->model->ncoord * sizeof *b->coordinate);
    if (b->grid->coord[0] >= 0) b->coordinate[b->grid->coord[0]] = at[0];
    (void)sn_body_poses(b->model, b->coordinate, b->pose);
    for (int32_t i = 0; i < f->muscle->nbone; ++i) bone[i] = sn_pose_at(b->pose, f->muscle->bone[i]);
    sn_fleshed_solve(f, bone, activation, out);
}

/* ---- all of them ---- */

static snStatus compare(const snSpec *spec, const snLibraryDef *def, bench *b, snSoftMuscle soft[2], snFidelities *row,
                        int32_t *rows, snError *error)
{
    const snLibraryGrid *grid = b->grid;
    int32_t total = sn_library_total(grid), levels = grid->activation >= 0 ? grid->axis[grid->activation].n : 1;
    group g = {0};
    matter m[2] = {{0}, {0}};
    snFleshedMuscle flesh = {0};
    snStatus status = group_open(spec, soft[0].name, &g, error);
    for (int k = 0; k < 2 && status == SN_OK; ++k) status = matter_open(b, soft + k, m + k, error);
    if (status == SN_OK) status = sn_fleshed_create(soft, b->start, b->end, FLESH * soft[0].quads.nnode, &flesh, error);
    for (int32_t i = 0; i < total && status == SN_OK; ++i) {
        const double *at = grid->point[i]->at;
        double activation = grid->activation >= 0 ? at[grid->activation] : grid->tone;
        snFidelities *r = row + i;
        *r = (snFidelities){.coordinate = grid->coord[0] >= 0 ? at[0] : 0, .activation = activation};
        status = group_solve(b, &g, at, activation, r->of, error);
        for (int k = 0; k < 2 && status == SN_OK; ++k)
            matter_solve(b, m + k, at, activation, i % levels == 0, r->of + 1 + k);
        if (status == SN_OK) flesh_solve(b, &flesh, at, activation, r->of + 3);
        if (status == SN_OK && def->progress.call && def->progress.call(def->progress.user, "poses", i + 1, total))
            status = SN_CANCELLED;
        *rows = i + 1;
    }
    matter_close(m), matter_close(m + 1);
    sn_fleshed_free(&flesh);
    group_close(&g);
    return status;
}

/* The belly that the groups of the muscle declare. */
static void find_belly(const snSpec *spec, const char *name, double *start, double *end)
{
    *start = 0.05, *end = 0.95;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_GROUP); ++id) {
        const snGroupDef *d = sn_spec_group(spec, id);
        if (belongs(name, d->name) && d->end > d->start) *start = d->start, *end = d->end;
    }
}

static snStatus run(const snSpec *spec, const snModel *model, const snLibraryDef *def, snFidelities *row, int32_t *rows,
                    char *axis, bool *angle, snError *error)
{
    snSoftMuscle soft[2] = {{.nbone = 0}, {.nbone = 0}};
    snBoneDistances distances = {0};
    snLibraryGrid grid = {0};
    bench b = {.model = model, .grid = &grid};
    b.coordinate = SN_NEW_ARRAY(double, model->ncoord + 1), b.pose = SN_NEW_ARRAY(double, 7 * model->nbody + 1);
    snStatus status = b.coordinate && b.pose && sn_bone_distances_create(spec, model, &distances)
                          ? sn_body_poses(model, b.coordinate, b.pose)
                          : sn_fail_no_memory(error);
    find_belly(spec, def->muscle, &b.start, &b.end);
    if (status == SN_OK)
        status = sn_soft_muscle_create(spec, model, def, def->muscle, b.pose, &distances, NULL, soft, error);
    if (status == SN_OK) status = sn_soft_muscle_elements(spec, def, soft, b.pose, &distances, soft + 1, error);
    if (status == SN_OK) status = sn_library_grid_create(model, soft, def, NULL, &grid, error);
    if (status == SN_OK) {
        (void)snprintf(axis, SN_LIBRARY_NAME, "%s", grid.coord[0] >= 0 ? grid.axis[0].name : "");
        *angle = grid.coord[0] >= 0 && grid.axis[0].angle;
        status = compare(spec, def, &b, soft, row, rows, error);
    }
    sn_library_grid_free(&grid);
    sn_soft_muscle_free(soft), sn_soft_muscle_free(soft + 1);
    sn_bone_distances_free(&distances);
    sn_free(b.coordinate), sn_free(b.pose);
    return status;
}

snStatus sn_compare_muscle(const snSpec *spec, const snLibraryDef *def, snFidelities *row, int32_t *rows, char *axis,
                           bool *angle, snError *error)
{
    if (!spec || !def || !row || !rows || !axis || !angle)
        return sn_fail_argument(error, "sn_compare_muscle without spec, def or room for the result");
    snLibraryDef taken = sn_default_library_def();
    if (SN_TAKE_DEF(def, snLibraryDef, taken, error)) return SN_BAD_ARGUMENT;
    *rows = 0;
    if (!def->muscle) return sn_fail(error, SN_BAD_INPUT, "name the muscle to compare");
    if (def->naxis > 1) return sn_fail(error, SN_BAD_INPUT, "a comparison has one joint coordinate at most");
    snModel *model = NULL;
    snStatus status = sn_compile(spec, &model, error);
    if (status == SN_OK) status = run(spec, model, def, row, rows, axis, angle, error);
    if (model) sn_model_destroy(model);
    return status;
}
