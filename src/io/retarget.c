#include "io/retarget.h"

#include "base/alloc.h"
#include "base/error.h"
#include "control/ik.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STEP = 1e-8;           /* rad: steps this small end the search of a frame */
static const double FAR_OFF = 15 * SN_DEG; /* missed by more: look for another way from elsewhere */
static const double MUCH_BETTER = 0.7;     /* of the squares missed: what another way must come to */
static const double FASTEST = 25;          /* rad/s: joints turn no faster, about twice what arms do */
static const double NEAR = 0.5 * SN_DEG;   /* missed by less: followed */
static const double AT_WALL = 1e-5;        /* rad */
static const double WHOLE = 0.1;           /* weight from which a turn counts as followed whole */
enum { ROUNDS = 40, WIDE_ROUNDS = 15, MAX_VALUES = 50 * 1000 * 1000 };

/* Targets that share coordinates, and are searched for together. */
typedef struct Group {
    int32_t anchor, count; /* line that they are measured from; targets */
    int32_t *line;         /* count: of the mapping */
    bool *free;            /* ndof */
    snIk *ik, *wide;       /* within the ranges; without them */
    double *goal, *q, *trial;
    double *last; /* goals of the frame before */
} Group;

typedef struct Row { /* of the report: a body */
    int32_t body, joint;
    double sum, worst, clamped;
} Row;

typedef struct Run {
    snAligned a;
    snTree wide, near;     /* without ranges; within them and what a frame leaves time for */
    double *lower, *upper; /* ndof: of near */
    int32_t ngroup, nrow, ncolumn, wanted;
    Group *group;
    Row *row;
    int32_t *column; /* ndof: of the poses, -1 */
    bool *asked;     /* ndof: lines of the mapping move it, the file may lack the joints */
    bool *mark;      /* ndof */
    snTreeWork *work;
} Run;

#define NEW(type, n) ((type *)sn_arena_alloc(&r->a.arena, (size_t)(n) + 1, sizeof(type)))

/* ---- targets and groups ------------------------------------------------------------------------ */

static bool is_target(const snTied *t)
{
    snBoneKind kind = t->line->kind;
    return kind == SN_BONE_ANCHOR || ((kind == SN_BONE_TURN || kind == SN_BONE_AIM) && t->line->weight > 0);
}

/* Coordinates between a body and the one it is measured from (-1: all above). */
static void mark_way(const snAligned *a, const snTied *t, int32_t from, bool *mark)
{
    const snTree *tree = &a->tree.tree;
    int32_t link = a->tree.link[t->body], end = from >= 0 ? a->tree.link[from] : -1;
    if (t->line->kind == SN_BONE_AIM) (void)sn_aligned_far(a, t, &link);
    for (int32_t i = link; i >= 0 && i != end; i = tree->parent[i])
        if (tree->driven[i]) mark[tree->follows ? tree->follows[i] : i] = true;
}

static bool overlap(const bool *a, const bool *b, int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        if (a[i] && b[i]) return true;
    return false;
}

static void join(Group *to, Group *from, int32_t n)
{
    for (int32_t i = 0; i < from->count; ++i) to->line[to->count++] = from->line[i];
    for (int32_t i = 0; i < n; ++i) to->free[i] = to->free[i] || from->free[i];
    from->count = 0;
}

static bool add_target(Run *r, int32_t line, int32_t anchor)
{
    int32_t n = r->a.tree.tree.ndof;
    Group *g = &r->group[r->ngroup++];
    *g = (Group){.anchor = anchor, .count = 1, .line = NEW(int32_t, r->a.count), .free = NEW(bool, n)};
    if (!g->line || !g->free) return false;
    g->line[0] = line;
    mark_way(&r->a, &r->a.tied[line], r->a.tied[anchor].body, g->free);
    for (int32_t k = 0; k + 1 < r->ngroup; ++k)
        if (r->group[k].count && r->group[k].anchor == anchor && overlap(r->group[k].free, g->free, n))
            join(g, &r->group[k], n);
    return true;
}

static bool find_groups(Run *r)
{
    int32_t n = r->a.tree.tree.ndof;
    r->group = NEW(Group, r->a.count), r->row = NEW(Row, r->a.count);
    r->asked = NEW(bool, n), r->mark = NEW(bool, n), r->column = NEW(int32_t, n);
    if (!r->group || !r->row || !r->asked || !r->mark || !r->column) return false;
    for (int32_t i = 0; i < r->a.count; ++i) {
        const snTied *t = &r->a.tied[i];
        int32_t anchor = is_target(t) ? sn_aligned_anchor(&r->a, t->body) : -1, k = 0;
        if (!is_target(t)) continue;
        mark_way(&r->a, t, -1, r->asked);
        while (k < r->nrow && r->row[k].body != t->body) ++k;
        if (k == r->nrow) r->row[r->nrow++] = (Row){.body = t->body, .joint = -1};
        bool found = t->joint >= 0 && (t->line->kind != SN_BONE_AIM || t->to_joint >= 0);
        if (!found || anchor < 0) continue;
        r->row[k].joint = t->joint;
        if (!add_target(r, i, anchor)) return false;
    }
    return true;
}

static snIkTarget ik_target(const snAligned *a, const snTied *t)
{
    snIkTarget k = {
        .kind = SN_IK_TURN, .link = a->tree.link[t->body], .wanted = {true, true, true}, .weight = t->line->weight};
    if (t->line->kind != SN_BONE_AIM) return k;
    k.kind = SN_IK_AIM;
    v3_store(k.point, sn_aligned_near(a, t));
    v3_store(k.far, sn_aligned_far(a, t, &k.far_link));
    return k;
}

static bool open_group(Run *r, Group *g)
{
    int32_t n = r->a.tree.tree.ndof;
    snIkTarget *target = NEW(snIkTarget, g->count);
    g->goal = NEW(double, 3 * g->count), g->last = NEW(double, 3 * g->count), g->q = NEW(double, n),
    g->trial = NEW(double, n);
    if (!target || !g->goal || !g->last || !g->q || !g->trial) return false;
    for (int32_t k = 0; k < g->count; ++k) target[k] = ik_target(&r->a, &r->a.tied[g->line[k]]);
    g->ik = sn_ik_create(&r->near, g->count, target, g->free);
    g->wide = sn_ik_create(&r->wide, g->count, target, g->free);
    if (!g->ik || !g->wide) return false;
    sn_ik_limit(g->ik, STEP, ROUNDS);
    sn_ik_limit(g->wide, 1e-4, WIDE_ROUNDS);
    return true;
}

static bool open_run(Run *r)
{
    int32_t n = r->a.tree.tree.ndof;
    double *lower = NEW(double, n), *upper = NEW(double, n);
    r->lower = NEW(double, n), r->upper = NEW(double, n);
    if (!lower || !upper || !r->lower || !r->upper || !(r->work = sn_tree_create(&r->a.tree.tree)) || !find_groups(r))
        return false;
    for (int32_t i = 0; i < n; ++i) lower[i] = -SN_PI, upper[i] = SN_PI, r->column[i] = -1;
    r->wide = r->a.tree.tree, r->wide.lower = lower, r->wide.upper = upper;
    r->near = r->a.tree.tree, r->near.lower = r->lower, r->near.upper = r->upper;
    for (int32_t k = 0; k < r->ngroup; ++k)
        if (r->group[k].count && !open_group(r, &r->group[k])) return false;
    for (int32_t i = 0; i < n; ++i) {
        bool moved = false;
        for (int32_t k = 0; k < r->ngroup; ++k) moved = moved || (r->group[k].count && r->group[k].free[i]);
        if (moved) r->column[i] = r->ncolumn++;
        r->wanted += r->asked[i] || moved;
    }
    return true;
}

static void close_run(Run *r)
{
    for (int32_t k = 0; k < r->ngroup; ++k) sn_ik_destroy(r->group[k].ik), sn_ik_destroy(r->group[k].wide);
    sn_tree_destroy(r->work);
    sn_aligned_free(&r->a);
}

/* ---- the search -------------------------------------------------------------------------------- */

/* The base moves under a bone that starts on it: pronation is about an axis beside the hand, so the line from elbow to
 * hand swings to and fro on the ulna, and the ulna must swing back for the line to lie as in the file. */
static quat swing_of_base(const Run *r, const Group *g)
{
    for (int32_t i = 0; i < r->a.count; ++i) {
        const snTied *t = &r->a.tied[i];
        int32_t link;
        if (t->line->kind != SN_BONE_AIM || t->body != r->a.tied[g->anchor].body || t->to_body < 0) continue;
        v3 from = sn_aligned_near(&r->a, t), to = sn_aligned_far(&r->a, t, &link);
        sn_tree_place(&r->a.tree.tree, r->work, g->q);
        v3 now = v3_unit(v3_sub(sn_tree_point(r->work, link, to), from));
        return sn_shortest_turn(now, v3_unit(v3_sub(to, from)));
    }
    return q_identity();
}

static void set_goals(const Run *r, Group *g)
{
    quat anchor = sn_aligned_turn(&r->a, g->anchor);
    if (g->anchor == r->a.base && r->a.tied[g->anchor].line->untwist) anchor = q_mul(anchor, swing_of_base(r, g));
    for (int32_t k = 0; k < g->count; ++k) {
        const snTied *t = &r->a.tied[g->line[k]];
        v3 goal = t->line->kind == SN_BONE_AIM ? q_unrotate(anchor, sn_aligned_direction(&r->a, g->line[k]))
                                               : q_log(q_mul(q_conj(anchor), sn_aligned_turn(&r->a, g->line[k])));
        v3_store(g->goal + 3 * k, goal);
    }
}

/* Sum of the squares missed, and the most. */
static double missed_by(const Run *r, Group *g, const double *q, double *most)
{
    double sum = 0;
    *most = 0;
    for (int32_t k = 0; k < g->count; ++k) {
        double weight = r->a.tied[g->line[k]].line->weight, missed = sn_ik_missed(g->ik, g->goal, q, k);
        sum += weight * missed * missed;
        if (weight >= WHOLE) *most = fmax(*most, missed);
    }
    return sum;
}

/* A search that ends far off may be caught at a wall that it could have gone round: try from two other poses, and take
 * what comes much nearer. */
static void look_elsewhere(const Run *r, Group *g)
{
    const snTree *tree = &r->a.tree.tree;
    double most, best = missed_by(r, g, g->q, &most);
    int32_t rounds;
    for (int start = 0; start < 2 && most > FAR_OFF; ++start) {
        for (int32_t i = 0; i < tree->ndof; ++i)
            g->trial[i] = g->free[i] ? start * (tree->lower[i] + tree->upper[i]) / 2 : 0;
        if (sn_ik_solve(g->ik, g->goal, g->trial, &rounds) != SN_OK) continue;
        double sum = missed_by(r, g, g->trial, &most);
        if (sum < MUCH_BETTER * best) best = sum, memcpy(g->q, g->trial, sizeof *g->q * (size_t)tree->ndof);
        (void)missed_by(r, g, g->q, &most);
    }
}

static Row *row_of(Run *r, int32_t body)
{
    for (int32_t k = 0; k < r->nrow; ++k)
        if (r->row[k].body == body) return &r->row[k];
    return NULL;
}

/* Body whose joint a link is part of, among those of the report; NULL: none of them. */
static Row *row_of_link(Run *r, int32_t link)
{
    const snModelTree *t = &r->a.tree;
    for (int32_t k = 0; k < r->nrow; ++k)
        for (int32_t i = t->link[r->row[k].body]; i >= 0; i = t->tree.parent[i]) {
            if (i == link) return &r->row[k];
            if (i == t->first[r->row[k].body] && t->above[r->row[k].body] >= 0 && row_of(r, t->above[r->row[k].body]))
                break;
        }
    return NULL;
}

/* How far the ranges are left where the search ends at one and misses something: by searching on without them. A range
 * whose excess the neighbours take up is not left. */
static void see_clamped(Run *r, Group *g)
{
    const snTree *tree = &r->a.tree.tree;
    int32_t rounds;
    bool wall = false;
    double most;
    (void)missed_by(r, g, g->q, &most);
    if (most < NEAR) return;
    for (int32_t i = 0; i < tree->ndof; ++i)
        wall = wall || (g->free[i] && (g->q[i] < tree->lower[i] + AT_WALL || g->q[i] > tree->upper[i] - AT_WALL));
    if (!wall) return;
    memcpy(g->trial, g->q, sizeof *g->q * (size_t)tree->ndof);
    if (sn_ik_solve(g->wide, g->goal, g->trial, &rounds) != SN_OK) return;
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double beyond = fmax(tree->lower[i] - g->trial[i], g->trial[i] - tree->upper[i]);
        Row *row = g->free[i] && beyond > AT_WALL ? row_of_link(r, i) : NULL;
        if (row) row->clamped = fmax(row->clamped, beyond);
    }
}

/* What a body missed: its turn where it was to be followed, or else its direction. */
static void see_discarded(Run *r, Group *g)
{
    for (int32_t k = 0; k < g->count; ++k) {
        const snTied *t = &r->a.tied[g->line[k]];
        bool turn = t->line->kind != SN_BONE_AIM, better = false;
        for (int32_t i = 0; i < g->count; ++i) {
            const snTied *o = &r->a.tied[g->line[i]];
            bool whole = o->line->kind != SN_BONE_AIM && o->line->weight >= WHOLE;
            bool aim = o->line->kind == SN_BONE_AIM;
            better = better ||
                     (o != t && o->body == t->body && ((!turn && whole) || (turn && aim && t->line->weight < WHOLE)));
        }
        if (better) continue;
        Row *row = row_of(r, t->body);
        double missed = sn_ik_missed(g->ik, g->goal, g->q, k);
        row->joint = t->joint, row->sum += missed * missed, row->worst = fmax(row->worst, missed);
    }
}

/* Whether the file itself leaps since the frame before: a cut, or a first frame that is the rest pose. */
static bool leaps(const Run *r, const Group *g, double most)
{
    for (int32_t k = 0; k < g->count; ++k) {
        v3 a = v3_load(g->last + 3 * k), b = v3_load(g->goal + 3 * k);
        bool aim = r->a.tied[g->line[k]].line->kind == SN_BONE_AIM;
        double way = aim ? v3_len(v3_sub(a, b)) : v3_len(q_log(q_mul(q_conj(q_exp(a)), q_exp(b))));
        if (way > most) return true;
    }
    return false;
}

/* Bounds of a frame: the ranges, and how far a joint gets since the frame before. Where a range bars the short way, the
 * long one is then gone in several frames instead of one. */
static void set_bounds(Run *r, const Group *g, bool free)
{
    const snTree *tree = &r->a.tree.tree;
    double far = FASTEST * r->a.def->bvh->frame_time;
    for (int32_t i = 0; i < tree->ndof; ++i) {
        r->lower[i] = free ? tree->lower[i] : fmax(tree->lower[i], g->q[i] - far);
        r->upper[i] = free ? tree->upper[i] : fmin(tree->upper[i], g->q[i] + far);
    }
}

/* The swing of the base hangs on the answer, by a factor of about 0.07: four passes leave nothing. */
static bool follow(Run *r, Group *g, bool first)
{
    int32_t rounds, passes = r->a.tied[g->anchor].line->untwist ? 4 : 1;
    set_goals(r, g);
    bool free = first || leaps(r, g, 2 * FASTEST * r->a.def->bvh->frame_time);
    set_bounds(r, g, free);
    for (int32_t k = 0; k < passes; ++k) {
        if (k) set_goals(r, g);
        if (sn_ik_solve(g->ik, g->goal, g->q, &rounds) != SN_OK) return false;
    }
    if (free) look_elsewhere(r, g);
    memcpy(g->last, g->goal, 3 * sizeof *g->last * (size_t)g->count);
    return true;
}

static snStatus search(Run *r, double *value, snError *error)
{
    const snBvhFile *bvh = r->a.def->bvh;
    int32_t n = r->a.tree.tree.ndof;
    for (int32_t f = 0; f < bvh->frames; ++f) {
        sn_aligned_frame(&r->a, f);
        for (int32_t k = 0; k < r->ngroup; ++k) {
            Group *g = &r->group[k];
            if (!g->count) continue;
            if (!follow(r, g, f == 0)) {
                sn_fail(error, SN_BAD_FILE, "frame %d has positions that are no pose", f + 1);
                sn_error_place(error, r->a.def->file, 0, 0);
                return SN_BAD_FILE;
            }
            see_clamped(r, g);
            see_discarded(r, g);
            for (int32_t i = 0; i < n; ++i)
                if (g->free[i]) value[(size_t)f * (size_t)r->ncolumn + (size_t)r->column[i]] = g->q[i];
        }
    }
    return SN_OK;
}

/* ---- names and report -------------------------------------------------------------------------- */

/* Of joints that the model holds still: the first of their names, first coordinate. */
static const char *name_of(Run *r, int32_t link)
{
    const snModel *m = r->a.def->model;
    int32_t c = r->a.tree.coordinate[link];
    if (c >= 0) return sn_coordinate_title(m, c);
    size_t n = strcspn(m->fixed, " ");
    char *name = NEW(char, n + 2);
    if (name) memcpy(name, m->fixed, n), memcpy(name + n, ".0", 3);
    return name;
}

static void report(Run *r, snMotionSource *note)
{
    const snBvhFile *bvh = r->a.def->bvh;
    bool *used = NEW(bool, bvh->joint.count);
    note->wanted = r->wanted, note->found = r->ncolumn, note->turned = r->a.turned;
    note->first_frame = r->a.first_frame, note->held[0] = '\0', note->njoint = 0;
    for (int32_t i = 0; used && i < r->a.count; ++i) {
        if (r->a.tied[i].joint >= 0) used[r->a.tied[i].joint] = true;
        if (r->a.tied[i].to_joint >= 0) used[r->a.tied[i].to_joint] = true;
    }
    note->unused = sn_bvh_list_joints(bvh, used, note->unused_joints, sizeof note->unused_joints);
    for (int32_t i = 0; i < r->a.tree.tree.ndof; ++i) {
        size_t n = strlen(note->held), room = sizeof note->held - n;
        const char *name = r->asked[i] && r->column[i] < 0 ? name_of(r, i) : NULL;
        if (name && strlen(name) + 3 < room) (void)snprintf(note->held + n, room, "%s%s", n ? ", " : "", name);
    }
    for (int32_t k = 0; k < r->nrow && note->njoint < SN_MOTION_JOINTS; ++k) {
        const Row *row = &r->row[k];
        snMotionJoint *j = &note->joint[note->njoint++];
        *j = (snMotionJoint){
            .discarded_rms = sqrt(row->sum / bvh->frames), .discarded_worst = row->worst, .clamped = row->clamped};
        (void)snprintf(j->body, sizeof j->body, "%s", sn_name(r->a.def->model, SN_ITEM_BODY, row->body));
        if (row->joint >= 0) (void)snprintf(j->matched, sizeof j->matched, "%s", bvh->joint.at[row->joint].name);
    }
}

static snStatus make_poses(Run *r, snPoses **poses, snMotionSource *note, snError *error)
{
    const snBvhFile *bvh = r->a.def->bvh;
    if ((int64_t)bvh->frames * r->ncolumn > MAX_VALUES) {
        sn_fail(error, SN_BAD_FILE, "%d frames are too many", bvh->frames);
        sn_error_place(error, r->a.def->file, 0, 0);
        sn_error_remedy(error, "split the motion");
        return SN_BAD_FILE;
    }
    double *value = SN_NEW_ARRAY(double, (int64_t)bvh->frames * r->ncolumn), *time = SN_NEW_ARRAY(double, bvh->frames);
    const char **name = NEW(const char *, r->ncolumn);
    snStatus status = value && time && name ? SN_OK : sn_fail_no_memory(error);
    for (int32_t i = 0; status == SN_OK && i < r->a.tree.tree.ndof; ++i)
        if (r->column[i] >= 0 && !(name[r->column[i]] = name_of(r, i))) status = sn_fail_no_memory(error);
    for (int32_t f = 0; status == SN_OK && f < bvh->frames; ++f) time[f] = f * bvh->frame_time;
    if (status == SN_OK) status = search(r, value, error);
    if (status == SN_OK && note) report(r, note);
    if (status == SN_OK) status = sn_poses_create(r->ncolumn, name, bvh->frames, time, value, false, poses, error);
    sn_free(value);
    sn_free(time);
    return status;
}

snStatus sn_retarget(const snRetarget *def, snPoses **poses, snMotionSource *note, snError *error)
{
    Run run = {0};
    if (!def->model) {
        sn_fail(error, SN_BAD_INPUT, "the mapping names bodies of a model, and no model is given");
        sn_error_place(error, def->map_file, def->map->bone.at[0].line, 0);
        sn_error_remedy(error, "name the model that the mapping is for (--model MODEL)");
        return SN_BAD_INPUT;
    }
    snStatus status = sn_align(def, &run.a, error);
    if (status == SN_OK && !open_run(&run)) status = sn_fail_no_memory(error);
    if (status == SN_OK && run.ncolumn == 0) status = sn_bvh_fail_unmatched(def->bvh, def->file, error);
    if (status == SN_OK) status = make_poses(&run, poses, note, error);
    close_run(&run);
    return status;
}
