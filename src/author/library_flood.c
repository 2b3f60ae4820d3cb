/* Samples of a library: flooded over a grid from the drawn pose at tone, refined, and restricted where no continuous
 * sheet of equilibria is found.
 *
 * A muscle that snaps between two samples remembers: going back leads elsewhere. So each sample is solved again from
 * every neighbour, and how far that ends from it is the jump between the two. On one sheet it is about the tolerance of
 * the solver, however much the shapes themselves differ. */
#include "author/library_grid.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "sinew/sim.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { REPAIRS = 2, HALVINGS = 3 };

/* ---- one sample ---- */

static void bone_poses(const snLibraryGrid *g, const double *coordinate, double *full, double *pose, rigid *bone)
{
    memset(full, 0, (size_t)g->ncoord * sizeof *full);
    for (int32_t a = 0; a < g->naxis; ++a)
        if (g->coord[a] >= 0) full[g->coord[a]] = coordinate[a];
    (void)sn_body_poses(g->model, full, pose);
    for (int32_t b = 0; b < g->muscle->nbone; ++b) bone[b] = sn_pose_at(pose, g->muscle->bone[b]);
}

static double activation_of(const snLibraryGrid *g, const double *coordinate)
{
    return g->activation >= 0 ? coordinate[g->activation] : g->tone;
}

/* From one set of coordinates to another in so many equal steps. known: an equilibrium there, or NULL. */
static snSoftInfo walk(const snLibraryGrid *g, snLibraryWorker *w, const double *from, const double *to, int steps,
                       const double *known, snLibraryPoint *p)
{
    snSoftSolveDef solve = sn_default_soft_solve_def();
    snSoftInfo info = {0};
    rigid bone[SN_SOFT_BONES];
    for (int k = 1; k <= steps; ++k) {
        double at[SN_LIBRARY_AXES];
        for (int32_t a = 0; a < g->naxis; ++a) at[a] = from[a] + (to[a] - from[a]) * k / steps;
        bone_poses(g, at, w->coordinate, w->pose, bone);
        sn_soft_move_bones(g->muscle->body, w->state, bone);
        w->state->activation = activation_of(g, at);
        solve.known = k == steps ? known : NULL;
        info = sn_soft_solve(g->muscle->body, w->state, &solve);
        p->solves += 1, p->seconds += info.seconds, p->worst = fmax(p->worst, info.seconds);
        if (!info.converged && k < steps) break;
    }
    return info;
}

static void keep(const snLibraryGrid *g, snLibraryWorker *w, const snSoftInfo *info, snLibraryPoint *p)
{
    size_t n = 3 * (size_t)g->muscle->quads.nnode;
    double force[3], contact[3];
    memcpy(p->x, w->state->x, n * sizeof *p->x);
    bone_poses(g, p->at, w->coordinate, w->pose, p->bone);
    sn_soft_embedding_apply(&g->muscle->embedding, p->x, p->vertex);
    sn_soft_bone_force(g->muscle->body, w->state, g->muscle->insertion, force, contact);
    sn_library_localise(g, p);
    p->info = *info;
    p->force = v3_len(v3_load(force));
    p->solved = true;
}

/* Solves a point from a solved one: in one step, or in more where that does not converge. */
static void solve(const snLibraryGrid *g, snLibraryWorker *w, const snLibraryPoint *from, int halving,
                  const double *known, snLibraryPoint *p)
{
    size_t n = 3 * (size_t)g->muscle->quads.nnode;
    snSoftInfo info = {0};
    for (; halving <= HALVINGS; ++halving) {
        memcpy(w->state->x, from ? from->x : g->muscle->quads.rest, n * sizeof *from->x);
        for (int32_t b = 0; b < g->muscle->nbone; ++b)
            w->state->pose[b] = from ? from->bone[b] : g->muscle->soft_bone[b].rest;
        info = walk(g, w, from ? from->at : p->at, p->at, 1 << halving, known, p);
        keep(g, w, &info, p);
        p->parent = halving == 0 ? from : NULL;
        if (info.converged) break;
    }
}

/* Solves a point half-way between two solved ones from the mean of both; false: that does not converge. */
static bool solve_between(const snLibraryGrid *g, snLibraryWorker *w, const snLibraryPoint *from,
                          const snLibraryPoint *other, snLibraryPoint *p)
{
    size_t n = 3 * (size_t)g->muscle->quads.nnode;
    const snLibraryPoint *side[2] = {from, other};
    rigid bone[SN_SOFT_BONES];
    bone_poses(g, p->at, w->coordinate, w->pose, bone);
    for (int k = 0; k < 2; ++k) {
        memcpy(w->state->x, side[k]->x, n * sizeof *w->state->x);
        memcpy(w->state->pose, side[k]->bone, (size_t)g->muscle->nbone * sizeof *bone);
        sn_soft_move_bones(g->muscle->body, w->state, bone);
        for (size_t i = 0; i < n; ++i) p->x[i] = (k ? p->x[i] : 0) + w->state->x[i] / 2;
    }
    memcpy(w->state->x, p->x, n * sizeof *p->x);
    snSoftInfo info = walk(g, w, p->at, p->at, 1, NULL, p);
    keep(g, w, &info, p);
    return info.converged;
}

/* other: with from on both sides of the point, or NULL. */
typedef struct job {
    snLibraryPoint *from, *other, *to;
} job;

typedef struct jobs {
    const snLibraryGrid *grid;
    job *list;
    int32_t count;
    atomic_int next;
} jobs;

/* Item: worker; takes what comes next. A sample does not depend on who solves it. */
static void run_share(void *context, int32_t item)
{
    jobs *j = context;
    snLibraryWorker *w = j->grid->worker + item;
    for (int32_t k; (k = atomic_fetch_add(&j->next, 1)) < j->count;) {
        const job *one = j->list + k;
        if (one->other && solve_between(j->grid, w, one->from, one->other, one->to)) continue;
        solve(j->grid, w, one->from, 0, NULL, one->to);
    }
}

static snStatus run_jobs(snLibraryGrid *g, job *list, int32_t count, const char *stage)
{
    jobs all = {.grid = g};
    int32_t done = 0;
    /* in slices, so that progress shows and Ctrl-C is heard */
    for (; done < count; done += 4 * g->nworker) {
        all.list = list + done;
        atomic_store(&all.next, 0);
        all.count = count - done < 4 * g->nworker ? count - done : 4 * g->nworker;
        sn_pool_loop(g->pool, g->nworker, run_share, &all);
        g->done += all.count;
        if (g->progress.call &&
            g->progress.call(g->progress.user, stage, g->done, fmax(g->done + count - done - all.count, g->expected)))
            return SN_CANCELLED;
    }
    return SN_OK;
}

/* ---- flooding ---- */

static int32_t distance_from(const snLibraryGrid *g, const int32_t start[3], const int32_t index[3])
{
    int32_t d = 0;
    for (int32_t a = 0; a < g->naxis; ++a) d += index[a] > start[a] ? index[a] - start[a] : start[a] - index[a];
    return d;
}

/* The neighbour nearer to the start, along the last axis that still differs: activation rises before the joint moves.
 */
static snLibraryPoint *parent_of(const snLibraryGrid *g, const int32_t start[3], const int32_t index[3])
{
    int32_t at[3] = {index[0], index[1], index[2]};
    for (int32_t a = g->naxis - 1; a >= 0; --a)
        if (at[a] != start[a]) {
            at[a] += at[a] < start[a] ? 1 : -1;
            return g->point[sn_library_flat(g, at)];
        }
    return NULL;
}

static snStatus flood(snLibraryGrid *g, snError *error)
{
    int32_t start[3] = {0, 0, 0}, most = 0, total = sn_library_total(g), index[3];
    job *list = SN_NEW_ARRAY(job, total);
    snStatus status = list ? SN_OK : sn_fail_no_memory(error);
    for (int32_t a = 0; a < g->naxis; ++a) {
        for (int32_t k = 0; k < g->axis[a].n; ++k)
            if (a != g->activation && fabs(g->axis[a].value[k]) < fabs(g->axis[a].value[start[a]])) start[a] = k;
        most += g->axis[a].n;
    }
    for (int32_t level = 0; level <= most && status == SN_OK; ++level) {
        int32_t count = 0;
        for (int32_t i = 0; i < total; ++i) {
            sn_library_unflat(g, i, index);
            if (distance_from(g, start, index) == level && !g->point[i]->solved)
                list[count++] = (job){parent_of(g, start, index), NULL, g->point[i]};
        }
        status = run_jobs(g, list, count, "samples");
    }
    sn_free(list);
    return status;
}

/* ---- jumps ---- */

/* Solves a point again from a neighbour into the worker's spare one; how far it is from what was there. In one step,
 * and in small ones where that ends elsewhere: a long step may leave the sheet that a short one follows. */
static double again(const snLibraryGrid *g, snLibraryWorker *w, const snLibraryPoint *from, const snLibraryPoint *p)
{
    memcpy(w->spare->at, p->at, sizeof p->at);
    w->spare->solves = 0, w->spare->seconds = w->spare->worst = 0;
    for (int halving = 0; halving <= HALVINGS; halving += HALVINGS) {
        solve(g, w, from, halving, p->info.converged ? p->x : NULL, w->spare);
        w->spare->parent = NULL;
        double off = w->spare->info.converged ? sn_library_apart(g, w->spare, p) : INFINITY;
        if (off <= g->limit || halving == HALVINGS) return off;
    }
    return INFINITY;
}

typedef struct pairs {
    const snLibraryGrid *grid;
    atomic_int next;
} pairs;

/* Jumps of the samples to their next neighbours, there and back. Item: worker. */
static void compare_share(void *context, int32_t item)
{
    pairs *all = context;
    const snLibraryGrid *g = all->grid;
    snLibraryWorker *w = g->worker + item;
    int32_t index[3];
    for (int32_t k; (k = atomic_fetch_add(&all->next, 1)) < g->naxis * sn_library_total(g);) {
        snLibraryPoint *p = g->point[k / g->naxis];
        int32_t a = k % g->naxis;
        sn_library_unflat(g, k / g->naxis, index);
        if (++index[a] >= g->axis[a].n) continue;
        const snLibraryPoint *q = g->point[sn_library_flat(g, index)];
        p->jump[a] = INFINITY;
        if (!p->info.converged || !q->info.converged) continue;
        /* the way that a sample was found need not be gone again */
        p->jump[a] = fmax(q->parent == p ? 0 : again(g, w, p, q), p->parent == q ? 0 : again(g, w, q, p));
    }
}

/* Where two branches were found, the sample on the one of less energy stays: solved again from the neighbour. */
static void mend(snLibraryGrid *g)
{
    int32_t near[2 * SN_LIBRARY_AXES], index[3];
    for (int32_t i = 0; i < sn_library_total(g); ++i) {
        bool torn = !g->point[i]->info.converged;
        sn_library_unflat(g, i, index);
        for (int32_t a = 0; a < g->naxis; ++a)
            torn = torn || (index[a] + 1 < g->axis[a].n && g->point[i]->jump[a] > g->limit);
        int32_t count = torn ? sn_library_neighbours(g, i, near) : 0;
        for (int32_t k = 0; k < count; ++k) {
            snLibraryPoint *p = g->point[i];
            if (!g->point[near[k]]->info.converged) continue;
            double off = again(g, g->worker, g->point[near[k]], p);
            const snLibraryPoint *s = g->worker->spare;
            if (s->info.converged && (!p->info.converged || (off > g->limit && s->info.energy < p->info.energy)))
                sn_library_copy(g, s, p);
        }
    }
    for (int32_t i = 0; i < sn_library_total(g); ++i) g->point[i]->parent = NULL; /* what was found may be gone */
}

/* Fills the jumps of all samples; then, unless this is the last time, mends what is torn. mended: it did. */
static snStatus compare_pairs(snLibraryGrid *g, bool repair, bool *mended)
{
    bool torn = false;
    int32_t total = sn_library_total(g), index[3];
    pairs all = {.grid = g};
    sn_pool_loop(g->pool, g->nworker, compare_share, &all);
    for (int32_t i = 0; i < total; ++i) {
        sn_library_unflat(g, i, index);
        for (int32_t a = 0; a < g->naxis; ++a)
            torn = torn || (index[a] + 1 < g->axis[a].n && g->point[i]->jump[a] > g->limit);
    }
    *mended = torn && repair;
    if (*mended) mend(g);
    g->done += total;
    if (g->progress.call && g->progress.call(g->progress.user, "jumps", g->done, fmax(g->done, g->expected)))
        return SN_CANCELLED;
    return SN_OK;
}

/* ---- refinement ---- */

/* Solves the planes in the middle of some intervals of an axis, all at once. */
static snStatus solve_planes(snLibraryGrid *g, int32_t count, const snLibraryPlane *plane, snError *error)
{
    int32_t each = plane[0].count;
    job *list = SN_NEW_ARRAY(job, (size_t)count * (size_t)each);
    if (!list) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < count * each; ++k) {
        const snLibraryPlane *own = plane + k / each;
        list[k] = (job){own->below[k % each], own->above[k % each], own->point[k % each]};
    }
    snStatus status = run_jobs(g, list, count * each, "middles");
    sn_free(list);
    return status;
}

/* Remembers how far the blend is off in a plane; or keeps the plane, where it is off by too much and there is room. */
static snStatus judge_plane(snLibraryGrid *g, snLibraryPlane *plane, double allowed, bool room, bool *kept,
                            snError *error)
{
    double worst = 0;
    snStatus status = SN_OK;
    for (int32_t i = 0; i < plane->count; ++i) worst = fmax(worst, sn_library_blend_error(g, plane, i, &(double){0}));
    *kept = room && worst > allowed;
    if (*kept) return sn_library_insert(g, plane, error);
    for (int32_t i = 0; i < plane->count && status == SN_OK; ++i) {
        snLibraryMiddle middle = {{0}, 0, 0};
        memcpy(middle.at, plane->point[i]->at, sizeof middle.at);
        middle.most = sn_library_blend_error(g, plane, i, &middle.rms);
        if (!sn_array_push(&g->middle, middle)) status = sn_fail_no_memory(error);
    }
    return status;
}

/* Refines `count` intervals of an axis from `first` on, each in turn with what it is divided into. */
static snStatus refine_intervals(snLibraryGrid *g, const snLibraryDef *def, int32_t a, int32_t first, int32_t count,
                                 snError *error)
{
    snLibraryPlane plane[SN_LIBRARY_VALUES] = {{0}};
    int32_t most = def->most_samples < SN_LIBRARY_VALUES ? def->most_samples : SN_LIBRARY_VALUES;
    snStatus status = SN_OK;
    for (int32_t k = 0; k < count && status == SN_OK; ++k)
        status = sn_library_plane_create(g, a, first + k, plane + k, error);
    if (status == SN_OK) status = solve_planes(g, count, plane, error);
    for (int32_t k = 0; k < count && status == SN_OK; ++k) {
        int32_t before = g->axis[a].n;
        bool kept;
        plane[k].interval = first;
        status = judge_plane(g, plane + k, def->midpoint, before < most, &kept, error);
        if (status == SN_OK && kept) status = refine_intervals(g, def, a, first, 2, error);
        first += 1 + g->axis[a].n - before;
    }
    for (int32_t k = 0; k < count; ++k) sn_library_plane_free(plane + k);
    return status;
}

static snStatus refine(snLibraryGrid *g, const snLibraryDef *def, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t a = 0; a < g->naxis && status == SN_OK; ++a)
        if (g->axis[a].n > 1) status = refine_intervals(g, def, a, 0, g->axis[a].n - 1, error);
    return status;
}

/* ---- restriction ---- */

static snStatus restrict_box(snLibraryGrid *g, char note[SN_LIBRARY_NOTE], snError *error)
{
    int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    if (sn_library_sound_box(g, low, high) == 0)
        return sn_fail(error, SN_FAILED, "the muscle \"%s\" did not reach equilibrium in any pose", g->muscle->name);
    note[0] = 0;
    for (int32_t a = 0; a < g->naxis; ++a) {
        const snLibraryAxis *x = g->axis + a;
        double unit = x->angle ? 180 / SN_PI : 1;
        size_t used = strlen(note);
        if (low[a] == 0 && high[a] == x->n - 1) continue;
        (void)snprintf(note + used, SN_LIBRARY_NOTE - used, "%s%s restricted to %.4g..%.4g of %.4g..%.4g%s",
                       used ? "; " : "", x->name, unit * x->value[low[a]], unit * x->value[high[a]], unit * x->value[0],
                       unit * x->value[x->n - 1], unit > 1 ? " deg" : "");
    }
    return sn_library_cut(g, low, high, error);
}

/* ---- all of it ---- */

snStatus sn_library_flood(const snModel *model, const snSoftMuscle *muscle, const snLibraryDef *def, snPool *pool,
                          snLibrary *totals, snLibraryMuscle *out, snError *error)
{
    snLibraryGrid g;
    bool mended = true;
    double began = sn_clock();
    snStatus status = sn_library_grid_create(model, muscle, def, pool, &g, error);
    if (status == SN_OK) status = flood(&g, error);
    totals->flood_seconds += sn_clock() - began;
    if (status == SN_OK) status = sn_library_fit(&g, error);
    if (status == SN_OK) status = refine(&g, def, error);
    for (int round = 0; round < REPAIRS && status == SN_OK && mended; ++round)
        status = compare_pairs(&g, round + 1 < REPAIRS, &mended);
    if (status == SN_OK) status = restrict_box(&g, out->note, error);
    if (status == SN_OK) status = sn_library_pack(&g, out, error);
    if (status == SN_OK) {
        double all = totals->solve_mean * totals->solves + g.spent_seconds;
        totals->solves += g.spent_solves;
        totals->solve_mean = totals->solves > 0 ? all / totals->solves : 0;
        totals->solve_worst = fmax(totals->solve_worst, g.spent_worst);
    }
    sn_library_grid_free(&g);
    return status;
}
