/* See live.h.
 *
 * The thread wakes sixty times a second, applies what came in, makes as many steps as real time asks for, and publishes
 * a snapshot. When the machine is too slow for real time it falls behind instead of catching up for ever; the page
 * shows the factor.
 * One file, because it is what one thread does. */
#include "live.h"

#include "control/own/drive.h"
#include "control/own/pilot.h"
#include "loading.h"
#include "sim/own/state.h"
#include "wire.h"
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TICK = 1.0 / 60; /* s between snapshots */
static const double LONGEST = 0.1;   /* s of real time that one tick makes up for at most */
static const double SPEED = 2.5;     /* rad/s (m/s: a tenth) at which the target moves to where a slider was put */

enum { QUEUE = 256, HEADER = 24 };

typedef struct Command {
    uint32_t op;
    uint32_t index;
    double value[6];
} Command;

struct snLive {
    const snModel *model;
    snState *state;
    snFollower *follower; /* while following */
    snPilot *pilot;       /* the same on a tree */
    snSteerDef steer;     /* what it starts from */
    bool tree;
    snDrive *drive;    /* what the sliders ask for, while not */
    snLoading loading; /* what the page presses on the bones */
    int32_t nfunction;
    double *level; /* of the functions, for snapshots */
    int32_t nbody, npoint, nstrand, nmuscle, ncoord;
    double h;
    snView position, rotation, point, length, tension, activation, strength, coordinate;

    double *goal, *aim;           /* joint coordinates: where the sliders are, where the target is on its way there */
    double *pose_now, *pose_next; /* of the target, nbody x 7 */
    double *probe, *probe_pose;   /* for dragging */
    bool paused, diverged;
    double due, factor; /* s not yet simulated; simulated over real time, smoothed */
    double last, next;  /* s of the clock: the tick before, the one to come */

    snWorker worker;
    /* under its lock */
    bool watched;
    Command queue[QUEUE];
    int nqueue;
    unsigned char *snapshot;
    uint32_t sequence;

    size_t size;
    unsigned char *draft; /* snapshot being written, the thread's */
    void (*wake)(void *user);
    void *user;
};

static double clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high); /* a NaN becomes low */
}

/* ---- the sliders -------------------------------------------------------------------------- */

static void relax(snLive *live)
{
    for (int32_t i = 0; i < live->nmuscle + live->nfunction; ++i) sn_drive_set(live->drive, i, 0);
    for (int32_t i = 0; i < live->nmuscle; ++i) live->activation.data[i] = 0;
}

/* The sliders go on from where the controller leaves the muscles. */
static void take_over(snLive *live)
{
    for (int32_t i = 0; i < live->nfunction; ++i) sn_drive_set(live->drive, live->nmuscle + i, 0);
    for (int32_t i = 0; i < live->nmuscle; ++i) sn_drive_set(live->drive, i, live->activation.data[i]);
}

static void apply_levels(snLive *live)
{
    (void)sn_drive_at(live->drive, sn_time(live->state), live->activation.data);
}

/* A muscle's slider says what the muscle is to have in all; what the functions give it already is not given twice. */
static void drive_muscle(snLive *live, int32_t muscle, double level)
{
    sn_drive_set(live->drive, muscle, 0);
    apply_levels(live);
    sn_drive_set(live->drive, muscle, level - live->activation.data[muscle]);
    apply_levels(live); /* also while it is paused */
}

/* ---- the target --------------------------------------------------------------------------- */

static double limited(const snLive *live, int32_t coordinate, double value)
{
    double range[2];
    sn_coordinate_range(live->model, coordinate, range);
    return clamp(value, fmax(range[0], -2 * M_PI), fmin(range[1], 2 * M_PI));
}

static void take_pose(snLive *live)
{
    for (int32_t i = 0; i < live->ncoord; ++i)
        live->goal[i] = live->aim[i] = limited(live, i, live->coordinate.data[i]);
    (void)sn_body_poses(live->model, live->aim, live->pose_next);
    memcpy(live->pose_now, live->pose_next, 7 * (size_t)live->nbody * sizeof(double));
}

static bool can_follow(const snLive *live)
{
    return live->nmuscle > 0 && live->ncoord > 0;
}

static bool follows(const snLive *live)
{
    return live->follower || live->pilot;
}

static void set_follow(snLive *live, bool on)
{
    if (on == follows(live) || (on && !can_follow(live))) return;
    if (!on) {
        sn_follower_destroy(live->follower);
        sn_pilot_destroy(live->pilot);
        live->follower = NULL, live->pilot = NULL;
        take_over(live);
        return;
    }
    snFollowerDef def = sn_default_follower_def();
    take_pose(live);
    if (live->tree && sn_pilot_create(live->model, live->state, &live->steer, &live->pilot, NULL) != SN_OK)
        live->pilot = NULL;
    if (live->tree) return;
    if (sn_follower_create(live->model, live->state, &def, &live->follower, NULL) != SN_OK) live->follower = NULL;
}

/* Where the target of a pilot ends up; how it goes there is the pilot's. */
static void aim_pilot(snLive *live)
{
    if (memcmp(live->goal, live->aim, sizeof *live->goal * (size_t)live->ncoord) == 0) return;
    memcpy(live->aim, live->goal, sizeof *live->goal * (size_t)live->ncoord);
    sn_pilot_aim(live->pilot, live->goal);
    (void)sn_body_poses(live->model, live->goal, live->pose_next);
}

/* Moves the target on its way by one step and tells the controller. */
static void aim_follower(snLive *live)
{
    size_t bytes = 7 * (size_t)live->nbody * sizeof(double);
    bool moved = false;
    for (int32_t i = 0; i < live->ncoord; ++i) {
        double left = live->goal[i] - live->aim[i], most = SPEED * live->h;
        moved = moved || left != 0;
        /* Slows down before it arrives, so that the target does not stop dead. */
        live->aim[i] =
            fabs(left) < 1e-6 ? live->goal[i] : live->aim[i] + clamp(left * fmin(1, 12 * live->h), -most, most);
    }
    memcpy(live->pose_now, live->pose_next, bytes);
    if (moved) (void)sn_body_poses(live->model, live->aim, live->pose_next);
    for (int32_t t = 0; t < sn_follower_targets(live->follower); ++t) {
        int32_t body = sn_follower_target_body(live->follower, t);
        sn_follower_aim(live->follower, t, live->pose_now + 7 * body, live->pose_next + 7 * body);
    }
}

static void place_of(const double *pose, const double local[3], double at[3])
{
    const double *q = pose + 3;
    double t[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2 * (q[1 + j] * local[k] - q[1 + k] * local[j]);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        at[i] = pose[i] + local[i] + q[0] * t[i] + q[1 + j] * t[k] - q[1 + k] * t[j];
    }
}

/* x with (J J' + damping) x = e for the 3 x n matrix J; by Cramer's rule, the matrix is positive definite. */
static void damped_solve(const double *J, int32_t n, double damping, const double e[3], double x[3])
{
    double a[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            a[i][j] = i == j ? damping : 0;
            for (int32_t k = 0; k < n; ++k) a[i][j] += J[i * n + k] * J[j * n + k];
        }
    double det = 0;
    for (int i = 0; i < 3; ++i)
        det += a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3]);
    for (int i = 0; i < 3; ++i) {
        x[i] = 0;
        for (int j = 0; j < 3; ++j) {
            int r = (j + 1) % 3, s = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
            x[i] += (a[r][p] * a[s][q] - a[r][q] * a[s][p]) * e[j] / det;
        }
    }
}

/* Brings a place of a body nearer to where the pointer is, by the joint coordinates of the target: a few damped
 * Gauss-Newton steps with differences for derivatives. */
static void drag(snLive *live, int32_t body, const double local[3], const double to[3])
{
    int32_t n = live->ncoord;
    const double difference = 1e-5, damping = 1e-4; /* rad; m^2, a centimetre squared */
    double *J = live->probe + n, *q = live->probe;
    for (int round = 0; round < 4; ++round) {
        double at[3], e[3], x[3];
        memcpy(q, live->goal, (size_t)n * sizeof *q);
        if (sn_body_poses(live->model, q, live->probe_pose) != SN_OK) return;
        place_of(live->probe_pose + 7 * body, local, at);
        for (int32_t k = 0; k < n; ++k) {
            double moved[3];
            q[k] += difference;
            if (sn_body_poses(live->model, q, live->probe_pose) != SN_OK) return;
            q[k] -= difference;
            place_of(live->probe_pose + 7 * body, local, moved);
            for (int i = 0; i < 3; ++i) J[i * n + k] = (moved[i] - at[i]) / difference;
        }
        for (int i = 0; i < 3; ++i) e[i] = clamp(to[i] - at[i], -0.05, 0.05);
        damped_solve(J, n, damping, e, x);
        for (int32_t k = 0; k < n; ++k) {
            double step = J[k] * x[0] + J[n + k] * x[1] + J[2 * n + k] * x[2];
            live->goal[k] = limited(live, k, live->goal[k] + clamp(step, -0.3, 0.3));
        }
    }
}

/* ---- commands ----------------------------------------------------------------------------- */

static void reset(snLive *live)
{
    bool following = follows(live) || live->tree; /* a body on a tree falls if nobody holds it */
    set_follow(live, false);
    (void)sn_state_reset(live->model, live->state);
    relax(live);
    for (int32_t i = 0; i < live->nmuscle; ++i) live->strength.data[i] = 1;
    sn_loading_clear(&live->loading);
    live->diverged = false;
    live->due = 0;
    take_pose(live);
    set_follow(live, following);
}

static void apply(snLive *live, const Command *c)
{
    switch ((snLiveOp)c->op) {
    case SN_LIVE_DRIVE:
        if (!follows(live)) drive_muscle(live, (int32_t)c->index, c->value[0]);
        break;
    case SN_LIVE_PAUSE:
        live->paused = c->index != 0;
        break;
    case SN_LIVE_RESET:
        reset(live);
        break;
    case SN_LIVE_GRAVITY:
        sn_set_gravity_scale(live->state, clamp(c->value[0], -2, 2));
        break;
    case SN_LIVE_FOLLOW:
        set_follow(live, c->index != 0);
        break;
    case SN_LIVE_AIM:
        live->goal[c->index] = limited(live, (int32_t)c->index, c->value[0]);
        break;
    case SN_LIVE_DRAG:
        drag(live, (int32_t)c->index, c->value, c->value + 3);
        break;
    case SN_LIVE_RELAX:
        relax(live);
        break;
    case SN_LIVE_STRENGTH:
        live->strength.data[c->index] = clamp(c->value[0], 0, 1);
        break;
    case SN_LIVE_FUNCTION:
        if (follows(live)) break;
        sn_drive_set(live->drive, live->nmuscle + (int32_t)c->index, c->value[0]);
        apply_levels(live);
        break;
    case SN_LIVE_GRIP:
        sn_loading_grip(&live->loading, c->value[0]);
        break;
    case SN_LIVE_LOAD:
        sn_loading_push(&live->loading, (int32_t)c->index, c->value);
        break;
    case SN_LIVE_DIAL:
        if (live->pilot) sn_pilot_dial(live->pilot, c->index ? SN_PILOT_BREATHING : SN_PILOT_COACTIVATION, c->value[0]);
        break;
    case SN_LIVE_WEIGHT:
        if (live->pilot) sn_pilot_load(live->pilot, (int32_t)c->index, c->value[0]);
        break;
    }
}

/* Arguments of each operation: whether it has an index, how many numbers follow. */
static const struct {
    bool index;
    int numbers;
} shape[SN_LIVE_LAST + 1] = {
    [SN_LIVE_DRIVE] = {true, 1},    [SN_LIVE_PAUSE] = {true, 0},  [SN_LIVE_RESET] = {false, 0},
    [SN_LIVE_GRAVITY] = {false, 1}, [SN_LIVE_FOLLOW] = {true, 0}, [SN_LIVE_AIM] = {true, 1},
    [SN_LIVE_DRAG] = {true, 6},     [SN_LIVE_RELAX] = {false, 0}, [SN_LIVE_STRENGTH] = {true, 1},
    [SN_LIVE_FUNCTION] = {true, 1}, [SN_LIVE_GRIP] = {false, 1},  [SN_LIVE_LOAD] = {true, 3},
    [SN_LIVE_DIAL] = {true, 1},     [SN_LIVE_WEIGHT] = {true, 1},
};

/* How many things the index of an operation counts. */
static uint32_t bound_of(const snLive *live, uint32_t op)
{
    switch (op) {
    case SN_LIVE_DRIVE:
    case SN_LIVE_STRENGTH:
        return (uint32_t)live->nmuscle;
    case SN_LIVE_FUNCTION:
        return (uint32_t)live->nfunction;
    case SN_LIVE_AIM:
        return (uint32_t)live->ncoord;
    case SN_LIVE_DRAG:
        return live->ncoord ? (uint32_t)live->nbody : 0;
    case SN_LIVE_LOAD:
    case SN_LIVE_WEIGHT:
        return (uint32_t)live->nbody;
    default:
        return 2;
    }
}

static bool decode(const snLive *live, const unsigned char *bytes, size_t size, Command *c)
{
    if (size < 4) return false;
    *c = (Command){.op = sn_wire_get(bytes)};
    if (c->op < 1 || c->op > SN_LIVE_LAST) return false;
    bool index = shape[c->op].index;
    size_t at = index ? 8 : 4;
    if (size != at + 4 * (size_t)shape[c->op].numbers) return false;
    if (index) c->index = sn_wire_get(bytes + 4);
    for (int i = 0; i < shape[c->op].numbers; ++i) c->value[i] = sn_wire_get_float(bytes + at + 4 * (size_t)i);
    return !index || c->index < bound_of(live, c->op);
}

/* A slider that is dragged sends more than a tick takes in: only the last of its messages counts. */
static bool replaces(const Command *a, const Command *b)
{
    bool steady = a->op == SN_LIVE_DRIVE || a->op == SN_LIVE_AIM || a->op == SN_LIVE_DRAG || a->op == SN_LIVE_GRAVITY ||
                  a->op == SN_LIVE_STRENGTH || a->op == SN_LIVE_FUNCTION || a->op == SN_LIVE_GRIP ||
                  a->op == SN_LIVE_LOAD || a->op == SN_LIVE_DIAL || a->op == SN_LIVE_WEIGHT;
    return steady && a->op == b->op && a->index == b->index;
}

bool sn_live_message(snLive *live, const unsigned char *bytes, size_t size)
{
    Command c;
    if (!decode(live, bytes, size, &c)) return false;
    pthread_mutex_lock(&live->worker.lock);
    if (live->nqueue && replaces(&live->queue[live->nqueue - 1], &c))
        live->queue[live->nqueue - 1] = c;
    else if (live->nqueue < QUEUE)
        live->queue[live->nqueue++] = c;
    pthread_cond_signal(&live->worker.changed);
    pthread_mutex_unlock(&live->worker.lock);
    return true;
}

/* ---- snapshots ---------------------------------------------------------------------------- */

static void write_snapshot(const snLive *live, uint32_t sequence, unsigned char *to)
{
    uint32_t flags = (live->paused ? SN_LIVE_PAUSED : 0) | (follows(live) ? SN_LIVE_FOLLOWING : 0) |
                     (live->diverged ? SN_LIVE_DIVERGED : 0) | (can_follow(live) ? SN_LIVE_CAN_FOLLOW : 0) |
                     (live->loading.can_grip ? SN_LIVE_CAN_GRIP : 0) | (live->tree ? SN_LIVE_CAN_DIAL : 0);
    double time = sn_time(live->state);
    uint64_t bits;
    memcpy(&bits, &time, 8);
    to = sn_wire_put(to, 0x564c4e53u); /* SNLV */
    to = sn_wire_put(to, flags);
    to = sn_wire_put(to, sequence);
    to = sn_wire_put_floats(to, &live->factor, 1);
    to = sn_wire_put(sn_wire_put(to, (uint32_t)bits), (uint32_t)(bits >> 32));
    to = sn_wire_put_floats(to, live->position.data, 3 * (int64_t)live->nbody);
    to = sn_wire_put_floats(to, live->rotation.data, 4 * (int64_t)live->nbody);
    to = sn_wire_put_floats(to, live->point.data, 3 * (int64_t)live->npoint);
    to = sn_wire_put_floats(to, live->activation.data, live->nmuscle);
    to = sn_wire_put_floats(to, live->tension.data, live->nstrand);
    to = sn_wire_put_floats(to, live->length.data, live->nstrand);
    to = sn_wire_put_floats(to, live->coordinate.data, live->ncoord);
    to = sn_wire_put_floats(to, live->goal, live->ncoord);
    to = sn_wire_put_floats(to, live->pose_next, 7 * (int64_t)live->nbody);
    for (int32_t i = 0; i < live->nfunction; ++i) live->level[i] = sn_drive_level(live->drive, live->nmuscle + i);
    (void)sn_wire_put_floats(to, live->level, live->nfunction);
}

static void publish(snLive *live)
{
    write_snapshot(live, live->sequence + 1, live->draft);
    pthread_mutex_lock(&live->worker.lock);
    memcpy(live->snapshot, live->draft, live->size);
    ++live->sequence;
    pthread_mutex_unlock(&live->worker.lock);
    live->wake(live->user);
}

size_t sn_live_size(const snLive *live)
{
    return live->size;
}

size_t sn_live_snapshot(snLive *live, uint32_t *sequence, unsigned char *bytes)
{
    size_t size = 0;
    pthread_mutex_lock(&live->worker.lock);
    if (live->sequence != *sequence) {
        *sequence = live->sequence;
        memcpy(bytes, live->snapshot, live->size);
        size = live->size;
    }
    pthread_mutex_unlock(&live->worker.lock);
    return size;
}

/* ---- the thread --------------------------------------------------------------------------- */

/* Steps for the time that has passed; gives up what it cannot do in one tick. */
static void advance(snLive *live, double elapsed)
{
    double started = sn_worker_clock(), done = 0;
    live->due = live->paused || live->diverged ? 0 : live->due + fmin(elapsed, LONGEST);
    while (live->due >= live->h && !live->diverged) {
        if (live->pilot)
            aim_pilot(live);
        else if (live->follower)
            aim_follower(live);
        else
            apply_levels(live);
        sn_loading_apply(&live->loading, live->state);
        if (sn_step(live->model, live->state) != SN_OK) {
            live->diverged = true;
            relax(live);
        }
        live->due -= live->h;
        done += live->h;
        if (sn_worker_clock() - started > 2 * TICK) live->due = 0;
    }
    if (!live->paused && elapsed > 0) live->factor += 0.08 * (fmin(done / elapsed, 2) - live->factor);
}

static int take_commands(snLive *live, Command *taken)
{
    pthread_mutex_lock(&live->worker.lock);
    int n = live->nqueue;
    if (n > 0) memcpy(taken, live->queue, (size_t)n * sizeof *taken);
    live->nqueue = 0;
    pthread_mutex_unlock(&live->worker.lock);
    return n;
}

double sn_live_turn(snLive *live)
{
    Command taken[QUEUE];
    int n = take_commands(live, taken);
    for (int i = 0; i < n; ++i) apply(live, &taken[i]);
    double now = sn_worker_clock();
    if (now >= live->next) {
        advance(live, now - live->last);
        live->last = now;
        live->next = fmax(live->next + TICK, now);
        publish(live);
    }
    return fmax(live->next - sn_worker_clock(), 0);
}

/* Waits for the next tick or a command; false: stop. */
static bool wait_for_work(snLive *live)
{
    pthread_mutex_lock(&live->worker.lock);
    while (!live->worker.stop && !live->nqueue) {
        if (!live->watched)
            pthread_cond_wait(&live->worker.changed, &live->worker.lock);
        else if (!sn_worker_wait_until(&live->worker, live->next))
            break;
    }
    bool stop = live->worker.stop;
    pthread_mutex_unlock(&live->worker.lock);
    return !stop;
}

static void *run(void *user)
{
    snLive *live = user;
    publish(live);
    while (wait_for_work(live)) (void)sn_live_turn(live);
    return NULL;
}

/* ---- making and ending -------------------------------------------------------------------- */

static bool find_fields(snLive *live)
{
    const snModel *m = live->model;
    snState *s = live->state;
    return sn_field(m, s, "body.position", &live->position) == SN_OK &&
           sn_field(m, s, "body.rotation", &live->rotation) == SN_OK &&
           sn_field(m, s, "strand.point", &live->point) == SN_OK &&
           sn_field(m, s, live->tree ? "line.length" : "strand.length", &live->length) == SN_OK &&
           sn_field(m, s, live->tree ? "line.tension" : "strand.tension", &live->tension) == SN_OK &&
           sn_field(m, s, "muscle.activation", &live->activation) == SN_OK &&
           sn_field(m, s, "muscle.strength", &live->strength) == SN_OK &&
           sn_field(m, s, "joint.coordinate", &live->coordinate) == SN_OK;
}

static bool allocate(snLive *live)
{
    size_t n = (size_t)live->ncoord + 1, poses = 7 * (size_t)live->nbody + 1;
    live->goal = calloc(n, sizeof(double));
    live->aim = calloc(n, sizeof(double));
    live->probe = calloc(4 * n, sizeof(double));
    live->pose_now = calloc(poses, sizeof(double));
    live->pose_next = calloc(poses, sizeof(double));
    live->probe_pose = calloc(poses, sizeof(double));
    live->level = calloc((size_t)live->nfunction + 1, sizeof(double));
    live->size = HEADER + 4 * (14 * (size_t)live->nbody + 3 * (size_t)live->npoint + (size_t)live->nmuscle +
                               2 * (size_t)live->nstrand + 2 * (size_t)live->ncoord + (size_t)live->nfunction);
    live->snapshot = calloc(live->size, 1);
    live->draft = calloc(live->size, 1);
    return live->goal && live->aim && live->probe && live->pose_now && live->pose_next && live->probe_pose &&
           live->level && live->snapshot && live->draft;
}

static snStatus fail(snError *error, snStatus status, const char *message)
{
    if (!error) return status;
    *error = (snError){.status = status};
    strcpy(error->message, message);
    return status;
}

snStatus sn_live_create(const snSpec *spec, const snModel *model, const snSteerDef *steer, int32_t threads,
                        void (*wake)(void *user), void *user, snLive **out, snError *error)
{
    snLive *live = calloc(1, sizeof *live);
    if (!live) return fail(error, SN_NO_MEMORY, "out of memory");
    snSimDef def = sn_default_sim_def();
    if (threads > 0) def.threads = threads;
    live->model = model, live->wake = wake, live->user = user, live->factor = 1;
    live->h = sn_model_step(model);
    live->last = live->next = sn_worker_clock();
    live->nbody = sn_count(model, SN_ITEM_BODY), live->npoint = sn_count(model, SN_ITEM_POINT);
    live->tree = sn_count(model, SN_ITEM_LINE) > 0;
    live->steer = steer ? *steer : sn_default_steer_def();
    live->nstrand = sn_count(model, live->tree ? SN_ITEM_LINE : SN_ITEM_STRAND),
    live->nmuscle = sn_count(model, SN_ITEM_MUSCLE);
    live->ncoord = sn_count(model, SN_ITEM_COORDINATE);
    snStatus status = sn_state_create(model, &def, &live->state, error);
    if (status == SN_OK) status = sn_drive_create(spec, model, &live->drive, error);
    if (status == SN_OK) status = sn_loading_create(model, live->state, &live->loading, error);
    if (status == SN_OK) live->nfunction = sn_drive_functions(live->drive);
    if (status == SN_OK && (!find_fields(live) || !allocate(live))) status = fail(error, SN_NO_MEMORY, "out of memory");
    if (status == SN_OK) take_pose(live);
    if (status == SN_OK && live->tree) set_follow(live, true);
    if (status == SN_OK && !sn_worker_start(&live->worker, run, live))
        status = fail(error, SN_FAILED, "cannot start a thread for the simulation");
    if (status == SN_OK)
        *out = live;
    else
        sn_live_destroy(live);
    return status;
}

void sn_live_watch(snLive *live, bool watched)
{
    pthread_mutex_lock(&live->worker.lock);
    live->watched = watched;
    pthread_cond_signal(&live->worker.changed);
    pthread_mutex_unlock(&live->worker.lock);
}

void sn_live_destroy(snLive *live)
{
    if (!live) return;
    sn_worker_end(&live->worker);
    sn_follower_destroy(live->follower);
    sn_pilot_destroy(live->pilot);
    sn_drive_destroy(live->drive);
    sn_loading_destroy(&live->loading);
    sn_state_destroy(live->state);
    double *arrays[] = {live->level,    live->goal,      live->aim,       live->probe,
                        live->pose_now, live->pose_next, live->probe_pose};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
    free(live->snapshot);
    free(live->draft);
    free(live);
}
