/* Targets of bodies in a motion: columns place.BODY.x, turn.BODY.x, look.BODY.x. Before the run they are turned into
 * coordinates at every key and RATE times a second in between; the run then follows coordinates as it always does. */
#include "control/steer.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double RATE = 40; /* 1/s: ten times what a fast movement of the trunk has */
enum { MOST_SAMPLES = 200000 };

static const struct {
    const char *word;
    snIkKind kind;
} kinds[] = {{"place.", SN_IK_PLACE}, {"turn.", SN_IK_TURN}, {"look.", SN_IK_LOOK}};

static int kind_of(const char *column)
{
    for (int k = 0; k < 3; ++k)
        if (strncmp(column, kinds[k].word, strlen(kinds[k].word)) == 0) return k;
    return -1;
}

bool sn_steer_is_reach(const char *column)
{
    return kind_of(column) >= 0;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static int32_t find_target(snSteerReach *reach, snIkKind kind, int32_t body)
{
    for (int32_t k = 0; k < reach->ntarget; ++k)
        if (reach->target[k].kind == kind && reach->body[k] == body) return k;
    return -1;
}

static snStatus add_target(snSteer *run, snIkKind kind, int32_t body, int32_t *k, snError *error)
{
    snSteerReach *reach = &run->reach;
    const snTree *tree = &run->m->skeleton->tree;
    snSteerAim *aim = &run->report->aim[reach->ntarget];
    const char *name = sn_name(run->m, SN_ITEM_BODY, body);
    if (reach->ntarget == SN_STEER_MOST_AIMS)
        return sn_fail(error, SN_BAD_INPUT, "the motion has more than %d targets of bodies", SN_STEER_MOST_AIMS);
    if (tree->body_link[body] < 0)
        return sn_fail(error, SN_BAD_INPUT, "the body %.80s is fixed and cannot have a target", name);
    *k = reach->ntarget++;
    snIkTarget *t = &reach->target[*k];
    *t = (snIkTarget){.kind = kind, .link = tree->body_link[body]};
    v3_store(t->point, run->m->body_rest[body].p);
    reach->body[*k] = body;
    for (int a = 0; a < 3; ++a) reach->column[3 * *k + a] = -1;
    (void)snprintf(aim->name, sizeof aim->name, "%s%s", kinds[kind].word, name);
    aim->turns = kind != SN_IK_PLACE;
    run->report->naim = reach->ntarget;
    return SN_OK;
}

static snStatus take_column(snSteer *run, int32_t c, snError *error)
{
    const char *name = sn_poses_name(run->poses, c), *dot = strrchr(name, '.');
    int kind = kind_of(name), axis = dot[1] && !dot[2] ? dot[1] - 'x' : -1;
    const char *first = name + strlen(kinds[kind].word);
    char word[128];
    if (axis < 0 || axis > 2 || dot <= first) {
        (void)sn_fail(error, SN_BAD_INPUT, "the column \"%.80s\" names no axis", name);
        sn_error_remedy(error, "call it %sBODY.x, .y or .z", kinds[kind].word);
        return SN_BAD_INPUT;
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)(dot - first), first);
    int32_t body = sn_find(run->m, SN_ITEM_BODY, word);
    if (body < 0) return sn_steer_unknown(run->m, SN_ITEM_BODY, "body", word, error);
    int32_t k = find_target(&run->reach, kinds[kind].kind, body);
    snStatus status = k < 0 ? add_target(run, kinds[kind].kind, body, &k, error) : SN_OK;
    if (status == SN_OK) run->reach.column[3 * k + axis] = c;
    return status;
}

static snStatus complete(snSteer *run, snError *error)
{
    snSteerReach *reach = &run->reach;
    for (int32_t k = 0; k < reach->ntarget; ++k)
        for (int a = 0; a < 3; ++a) {
            bool there = reach->column[3 * k + a] >= 0;
            reach->target[k].wanted[a] = there || reach->target[k].kind != SN_IK_PLACE;
            if (there || reach->target[k].kind != SN_IK_LOOK) continue;
            return sn_fail(error, SN_BAD_INPUT, "%s lacks a column: a point to look at needs .x, .y and .z",
                           run->report->aim[k].name);
        }
    return SN_OK;
}

/* Driven coordinates between the root and a target that have no column. */
static void choose_free(const snSteer *run, bool *free)
{
    const snTree *tree = &run->m->skeleton->tree;
    for (int32_t k = 0; k < run->reach.ntarget; ++k)
        for (int32_t i = run->reach.target[k].link; i >= 0; i = tree->parent[i]) free[i] = tree->driven[i];
    for (int32_t c = 0; c < sn_poses_columns(run->poses); ++c) {
        int32_t i = sn_find(run->m, SN_ITEM_COORDINATE, sn_poses_name(run->poses, c));
        if (i >= 0) free[i] = false;
    }
}

/* ---- over time -------------------------------------------------------------------------------- */

static void aim_at(snSteer *run, double time)
{
    snSteerReach *reach = &run->reach;
    sn_poses_at(reach->asked, time, reach->row, NULL, NULL);
    for (int32_t k = 0; k < reach->ntarget; ++k)
        for (int a = 0; a < 3; ++a) {
            const snIkTarget *t = &reach->target[k];
            int32_t c = reach->column[3 * k + a];
            reach->goal[3 * k + a] = (c < 0 ? 0 : reach->row[c]) + (t->kind == SN_IK_PLACE ? t->point[a] : 0);
        }
}

static double inside(const snModel *m, int32_t i, double q)
{
    return fmin(fmax(q, m->coord_lower[i]), m->coord_upper[i]);
}

/* Times of the keys and in between. */
static int32_t sample_times(const snPoses *asked, double *time)
{
    int32_t n = 0;
    for (int32_t f = 0; f < sn_poses_frames(asked); ++f) {
        double begin = sn_poses_time(asked, f);
        int32_t parts = 1;
        if (f + 1 < sn_poses_frames(asked))
            parts = (int32_t)fmax(1, ceil((sn_poses_time(asked, f + 1) - begin) * RATE - 1e-9));
        for (int32_t i = 0; i < parts && n < MOST_SAMPLES; ++i, ++n)
            if (time) time[n] = i == 0 ? begin : begin + (sn_poses_time(asked, f + 1) - begin) * i / parts;
    }
    return n;
}

/* One row: columns that are no targets as they stand, then the free coordinates. */
static snStatus solve_row(snSteer *run, double time, const int32_t *plain, int32_t nplain, const int32_t *free,
                          int32_t nfree, double *q, double *last, bool first, double *value)
{
    snSteerReach *reach = &run->reach;
    int32_t rounds;
    aim_at(run, time);
    bool same = !first;
    for (int32_t c = 0; c < sn_poses_columns(reach->asked); ++c) {
        int32_t i = sn_find(run->m, SN_ITEM_COORDINATE, sn_poses_name(reach->asked, c));
        same = same && reach->row[c] == last[c];
        last[c] = reach->row[c];
        if (i >= 0) q[i] = inside(run->m, i, reach->row[c]);
    }
    if (!same && sn_ik_solve(reach->ik, reach->goal, q, &rounds) != SN_OK) return SN_FAILED; /* else it stands still */
    for (int32_t k = 0; k < nplain; ++k) value[k] = reach->row[plain[k]];
    for (int32_t k = 0; k < nfree; ++k) value[nplain + k] = q[free[k]];
    for (int32_t k = 0; k < reach->ntarget; ++k) {
        snSteerAim *aim = &run->report->aim[k];
        aim->unreachable = fmax(aim->unreachable, sn_ik_missed(reach->ik, reach->goal, q, k));
    }
    return SN_OK;
}

/* Memory of the translation. */
typedef struct Sheet {
    int32_t *plain, *free, nplain, nfree, rows;
    const char **name;
    double *time, *value, *q, *last;
} Sheet;

static bool open_sheet(const snSteer *run, const bool *is_free, Sheet *s)
{
    const snPoses *asked = run->reach.asked;
    int32_t nc = sn_poses_columns(asked), n = run->m->ncoord;
    s->rows = sample_times(asked, NULL);
    s->plain = SN_NEW_ARRAY(int32_t, nc), s->free = SN_NEW_ARRAY(int32_t, n);
    s->name = SN_NEW_ARRAY(const char *, nc + n);
    s->time = SN_NEW_ARRAY(double, s->rows), s->q = SN_NEW_ARRAY(double, n), s->last = SN_NEW_ARRAY(double, nc);
    if (!s->plain || !s->free || !s->name || !s->time || !s->q || !s->last) return false;
    (void)sample_times(asked, s->time);
    for (int32_t c = 0; c < nc; ++c)
        if (!sn_steer_is_reach(sn_poses_name(asked, c))) s->plain[s->nplain++] = c;
    for (int32_t i = 0; i < n; ++i)
        if (is_free[i]) s->free[s->nfree++] = i;
    for (int32_t k = 0; k < s->nplain; ++k) s->name[k] = sn_poses_name(asked, s->plain[k]);
    for (int32_t k = 0; k < s->nfree; ++k) s->name[s->nplain + k] = sn_name(run->m, SN_ITEM_COORDINATE, s->free[k]);
    s->value = SN_NEW_ARRAY(double, (size_t)s->rows *(size_t)(s->nplain + s->nfree));
    return s->value != NULL;
}

static void close_sheet(Sheet *s)
{
    sn_free(s->plain);
    sn_free(s->free);
    sn_free((void *)s->name);
    sn_free(s->time);
    sn_free(s->value);
    sn_free(s->q);
    sn_free(s->last);
}

static snStatus translate(snSteer *run, const bool *is_free, snError *error)
{
    Sheet s = {0};
    snStatus status = open_sheet(run, is_free, &s) ? SN_OK : sn_fail_no_memory(error);
    size_t width = (size_t)(s.nplain + s.nfree);
    for (int32_t r = 0; r < s.rows && status == SN_OK; ++r) {
        status = solve_row(run, s.time[r], s.plain, s.nplain, s.free, s.nfree, s.q, s.last, r == 0,
                           s.value + (size_t)r * width);
        if (status != SN_OK) (void)sn_fail(error, status, "no pose meets the targets of bodies at %.4g s", s.time[r]);
    }
    if (status == SN_OK)
        status = sn_poses_create(s.nplain + s.nfree, s.name, s.rows, s.time, s.value, true, &run->reach.found, error);
    close_sheet(&s);
    return status;
}

snStatus sn_steer_open_reach(snSteer *run, snError *error)
{
    snSteerReach *reach = &run->reach;
    snStatus status = SN_OK;
    reach->asked = run->poses;
    for (int32_t c = 0; c < sn_poses_columns(run->poses) && status == SN_OK; ++c)
        if (sn_steer_is_reach(sn_poses_name(run->poses, c))) status = take_column(run, c, error);
    if (status != SN_OK || reach->ntarget == 0) return status;
    status = complete(run, error);
    if (status != SN_OK) return status;
    bool *is_free = SN_NEW_ARRAY(bool, run->m->ncoord);
    reach->row = SN_NEW_ARRAY(double, sn_poses_columns(run->poses));
    if (is_free) choose_free(run, is_free);
    if (is_free) reach->ik = sn_ik_create(&run->m->skeleton->tree, reach->ntarget, reach->target, is_free);
    status = is_free && reach->row && reach->ik ? translate(run, is_free, error) : sn_fail_no_memory(error);
    sn_free(is_free);
    if (status == SN_OK) run->poses = reach->found;
    return status;
}

void sn_steer_close_reach(snSteer *run)
{
    sn_ik_destroy(run->reach.ik);
    sn_poses_destroy(run->reach.found);
    sn_free(run->reach.row);
}

void sn_steer_note_reach(snSteer *run, double time)
{
    snSteerReach *reach = &run->reach;
    if (!reach->ik) return;
    aim_at(run, time);
    for (int32_t k = 0; k < reach->ntarget; ++k)
        run->at.missed[k] = fmax(run->at.missed[k], sn_ik_missed(reach->ik, reach->goal, run->sim->q, k));
}
