/* What steering follows: key poses, breathing on top, loads and activations to stay near over time. */
#include "control/steer.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NOTABLE = 1e-3; /* rad or m: a target that leaves its range by this much is said */

static const double INSISTENCE = 100; /* how much more it counts to stay near an activation that was asked for */

/* ---- names ---------------------------------------------------------------------------------- */

snStatus sn_steer_unknown(const snModel *m, snItem item, const char *what, const char *name, snError *error)
{
    enum { MOST = 2000 };
    int32_t n = sn_count(m, item);
    const char **names = SN_NEW_ARRAY(const char *, n + 1);
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no %s called \"%.80s\"", what, name);
    for (int32_t i = 0; names && i < n && n < MOST; ++i) names[i] = sn_name(m, item, i);
    const char *near = names ? sn_nearest_name(name, names) : NULL;
    if (near)
        sn_error_remedy(error, "did you mean %s?", near);
    else
        sn_error_remedy(error, "`sinew info MODEL --list` names what there is");
    sn_free((void *)names);
    return SN_BAD_INPUT;
}

static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

/* ---- columns -------------------------------------------------------------------------------- */

snStatus sn_steer_take_load(snSteer *run, int32_t column, const char *body, snError *error)
{
    int32_t b = sn_find(run->m, SN_ITEM_BODY, body);
    if (b < 0) return sn_steer_unknown(run->m, SN_ITEM_BODY, "body", body, error);
    if (run->sim->nload == SN_TREE_MAX_LOAD)
        return sn_fail(error, SN_BAD_INPUT, "there are more than %d loads", SN_TREE_MAX_LOAD);
    snTreeLoad *l = &run->sim->load[run->sim->nload++];
    *l = (snTreeLoad){.link = run->m->skeleton->tree.body_link[b]};
    v3_store(l->point, run->m->body_rest[b].p);
    if (column >= 0) run->target.load_column[run->target.nload++] = column;
    return SN_OK;
}

static snStatus take_activation(snSteer *run, int32_t column, const char *muscle, snError *error)
{
    int32_t u = sn_find(run->m, SN_ITEM_MUSCLE, muscle);
    if (u < 0) return sn_steer_unknown(run->m, SN_ITEM_MUSCLE, "muscle", muscle, error);
    run->control->weight[u] = INSISTENCE * run->m->skeleton->unit_effort[u];
    run->target.activation_unit[run->target.nactivation] = u;
    run->target.activation_column[run->target.nactivation++] = column;
    return SN_OK;
}

static snStatus take_coordinate(snSteer *run, int32_t column, const char *name, int32_t *columns, snError *error)
{
    int32_t i = sn_find(run->m, SN_ITEM_COORDINATE, name);
    if (i < 0) return sn_steer_unknown(run->m, SN_ITEM_COORDINATE, "coordinate", name, error);
    if (!run->sim->tree->driven[i] && !run->m->skeleton->yields[i]) {
        (void)sn_fail(error, SN_BAD_INPUT, "the coordinate %.80s is passive: no muscle is asked to move it", name);
        sn_error_remedy(error, "leave its column out");
        return SN_BAD_INPUT;
    }
    if (!run->sim->tree->driven[i]) run->control->asked[i] = 1;
    columns[i] = column;
    return SN_OK;
}

static snStatus match(snSteer *run, const snPoses *poses, int32_t *columns, snError *error)
{
    for (int32_t i = 0; i < run->m->ncoord; ++i) columns[i] = -1;
    for (int32_t c = 0; c < sn_poses_columns(poses); ++c) {
        const char *name = sn_poses_name(poses, c), *body = behind(name, "load."),
                   *muscle = behind(name, "activation.");
        snStatus status = body     ? sn_steer_take_load(run, c, body, error)
                          : muscle ? take_activation(run, c, muscle, error)
                                   : take_coordinate(run, c, name, columns, error);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

/* ---- options -------------------------------------------------------------------------------- */

static snStatus take_parts(snSteer *run, snError *error)
{
    const snSkeleton *k = run->m->skeleton;
    for (int32_t i = 0; i < run->def->npart; ++i) {
        const snSteerPart *p = &run->def->part[i];
        bool found = false;
        if (!(p->level >= 0 && p->level <= 100))
            return sn_fail(error, SN_BAD_INPUT, "coactivation of %.80s is %g; it must lie in 0 to 100", p->part,
                           p->level);
        for (int32_t line = 0; line < k->path.npath; ++line)
            if (strcmp(k->path_part[line], p->part) == 0 || strcmp(p->part, "all") == 0)
                run->control->gamma[k->path_unit[line]] = p->level, found = true;
        if (found) continue;
        char list[200] = "all";
        for (int32_t line = 0; line < k->path.npath; ++line)
            if (*k->path_part[line] && !strstr(list, k->path_part[line]) &&
                strlen(list) + strlen(k->path_part[line]) + 3 < sizeof list)
                strcat(strcat(list, ", "), k->path_part[line]);
        (void)sn_fail(error, SN_BAD_INPUT, "the model has no part called \"%.80s\"", p->part);
        sn_error_remedy(error, "the parts are: %s", list);
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static snStatus take_loads(snSteer *run, snError *error)
{
    for (int32_t i = 0; i < run->def->nload; ++i) {
        const snSteerLoad *l = &run->def->load[i];
        for (int32_t k = 0; k < l->count; ++k)
            if (!(l->kg[k] >= 0 && l->kg[k] <= 1000))
                return sn_fail(error, SN_BAD_INPUT, "a load of %g kg; it must lie in 0 to 1000", l->kg[k]);
        snStatus status = sn_steer_take_load(run, -1, sn_name(run->m, SN_ITEM_BODY, l->body), error);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

static snStatus take_breath(snSteer *run, snError *error)
{
    snSteerTarget *t = &run->target;
    const snPoses *breath = run->def->breath;
    double most = 0;
    if (!breath) return SN_OK;
    int32_t loads = t->nload, activations = t->nactivation;
    snStatus status = match(run, breath, t->breath_column, error);
    if (status != SN_OK) return status;
    if (t->nload != loads || t->nactivation != activations)
        return sn_fail(error, SN_BAD_INPUT, "a breath may only move coordinates");
    for (int32_t f = 0; f < sn_poses_frames(breath); ++f)
        for (int32_t c = 0; c < sn_poses_columns(breath); ++c) most = fmax(most, fabs(sn_poses_key(breath, f)[c]));
    t->breath_length = sn_poses_time(breath, sn_poses_frames(breath) - 1) - sn_poses_time(breath, 0);
    if (!(most > 0) || !(t->breath_length > 0)) return sn_fail(error, SN_BAD_INPUT, "the breath moves nothing");
    t->breath_scale = run->def->breath_depth / most;
    t->breath_stretch = run->def->breath_period > 0 ? t->breath_length / run->def->breath_period : 1;
    return SN_OK;
}

snStatus sn_steer_open_targets(snSteer *run, snError *error)
{
    snSteerTarget *t = &run->target;
    size_t n = (size_t)run->m->ncoord, nu = (size_t)run->m->nmuscle, nc = (size_t)sn_poses_columns(run->poses);
    size_t nb = run->def->breath ? (size_t)sn_poses_columns(run->def->breath) : 0;
    double *at = t->block = SN_NEW_ARRAY(double, 8 * n + nu + nc + nb);
    int32_t *index = t->index = SN_NEW_ARRAY(int32_t, 2 * n + 3 * (nc + nb));
    if (!at || !index) return sn_fail_no_memory(error);
    t->q = at, t->v = at + n, t->a = at + 2 * n, t->before = at + 3 * n, t->after = at + 4 * n;
    t->here = at + 5 * n, t->then = at + 6 * n, t->moved = at + 7 * n;
    t->base = at + 8 * n, t->row = t->base + nu, t->breath_row = t->row + nc;
    t->column = index, t->breath_column = index + n, t->load_column = index + 2 * n;
    t->activation_column = t->load_column + nc + nb, t->activation_unit = t->activation_column + nc + nb;
    snStatus status = match(run, run->poses, t->column, error);
    if (status == SN_OK) status = take_loads(run, error);
    if (status == SN_OK) status = take_parts(run, error);
    if (status == SN_OK) status = take_breath(run, error);
    return status;
}

void sn_steer_close_targets(snSteer *run)
{
    sn_free(run->target.block);
    sn_free(run->target.index);
}

/* ---- at a time ------------------------------------------------------------------------------ */

static void add_breath(snSteer *run, double time, double *q)
{
    snSteerTarget *t = &run->target;
    const snPoses *breath = run->def->breath;
    double at = fmod((time - run->begin) * t->breath_stretch, t->breath_length);
    if (at < 0) at = 0;
    sn_poses_at(breath, sn_poses_time(breath, 0) + at, t->breath_row, NULL, NULL);
    for (int32_t i = 0; i < run->m->ncoord; ++i)
        if (t->breath_column[i] >= 0) q[i] += t->breath_scale * t->breath_row[t->breath_column[i]];
}

void sn_steer_given(snSteer *run, double time, double *q)
{
    snSteerTarget *t = &run->target;
    sn_poses_at(run->poses, time, t->row, NULL, NULL);
    for (int32_t i = 0; i < run->m->ncoord; ++i) q[i] = t->column[i] < 0 ? 0 : t->row[t->column[i]];
    if (run->def->breath) add_breath(run, time, q);
}

void sn_steer_pose(snSteer *run, double time, double *q)
{
    sn_steer_given(run, time, q);
    for (int32_t i = 0; i < run->m->ncoord; ++i) {
        double inside = fmin(fmax(q[i], run->m->coord_lower[i]), run->m->coord_upper[i]), by = fabs(q[i] - inside);
        if (by > NOTABLE) run->report->clamped[i] = fmax(run->report->clamped[i], by);
        q[i] = inside;
    }
}

/* kg at a time: straight between the times. */
static double load_at(const snSteerLoad *l, double time)
{
    int32_t k = 0;
    while (k < l->count && l->time[k] <= time) ++k;
    if (k == 0) return l->kg[0];
    if (k == l->count) return l->kg[l->count - 1];
    double share = (time - l->time[k - 1]) / (l->time[k] - l->time[k - 1]);
    return l->kg[k - 1] + share * (l->kg[k] - l->kg[k - 1]);
}

/* Loads of the motion come first, then those of the options. t->row is the motion's at this time. */
static void hang_loads(snSteer *run, double time)
{
    const snSteerTarget *t = &run->target;
    for (int32_t k = 0; k < t->nload + run->def->nload; ++k) {
        double kg = k < t->nload ? t->row[t->load_column[k]] : load_at(&run->def->load[k - t->nload], time);
        v3_store(run->sim->load[k].force, v3_scale(run->m->gravity, kg));
    }
}

static void ask_activations(snSteer *run, double time)
{
    const snSteerTarget *t = &run->target;
    snTreeControl *c = run->control;
    if (!run->def->drive && !t->nactivation) return;
    memset(t->base, 0, sizeof *t->base * (size_t)run->m->nmuscle);
    if (run->def->drive) (void)sn_drive_at(run->def->drive, time, t->base);
    for (int32_t u = 0; u < run->m->nmuscle; ++u)
        if (t->base[u] > 0) c->weight[u] = INSISTENCE * run->m->skeleton->unit_effort[u];
    for (int32_t k = 0; k < t->nactivation; ++k) t->base[t->activation_unit[k]] += t->row[t->activation_column[k]];
    for (int32_t u = 0; u < run->m->nmuscle; ++u) c->target[u] = fmin(fmax(t->base[u], 0), 1);
}

void sn_steer_aim(snSteer *run, double time)
{
    snSteerTarget *t = &run->target;
    double h = run->h * run->ahead;
    sn_steer_pose(run, time - h, t->before);
    sn_steer_pose(run, time + h, t->after);
    sn_steer_pose(run, time, t->q);
    for (int32_t i = 0; i < run->m->ncoord; ++i) {
        t->v[i] = (t->q[i] - t->before[i]) / h;
        t->a[i] = (t->after[i] - 2 * t->q[i] + t->before[i]) / (h * h);
    }
    hang_loads(run, time);
    ask_activations(run, time);
}
