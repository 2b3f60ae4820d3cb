/* See filling.h.
 *
 * The thread sleeps until it is told to start; then sn_fill_muscle runs and asks `watch` after every step, which
 * publishes what it sees, takes messages, and waits: sixty steps a second, so that eyes can follow. Starting again
 * while it runs, with another number of strands, gives up the one that runs and begins anew. */
#include "filling.h"

#include "passing.h"
#include "wire.h"
#include "worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 20, HEADER = 28, TEXT = 1200, MOST_STRANDS = 400, SAMPLES = 24 };
static const double TICK = 1.0 / 60;

/* What START says. */
typedef struct Order {
    uint32_t mesh, count, control_points, ninput, input[INPUTS];
    double stiffness, repulsion;
} Order;

struct snFilling {
    const snSpec *spec;
    void (*wake)(void *user);
    void *user;
    snWorker worker;
    /* under its lock */
    bool start, tune, pause, keep, give_up;
    Order order, tuned;
    unsigned char *snapshot;
    size_t size;
    uint32_t sequence;
    char *muscle, *scene; /* files of the result */
    size_t nmuscle, nscene;
};

/* ---- messages ----------------------------------------------------------------------------- */

static bool decode_start(const snFilling *f, const unsigned char *b, size_t size, Order *order)
{
    if (size < 28) return false;
    *order = (Order){.mesh = sn_wire_get(b + 4), .count = sn_wire_get(b + 8), .control_points = sn_wire_get(b + 12)};
    order->stiffness = sn_wire_get_float(b + 16), order->repulsion = sn_wire_get_float(b + 20);
    order->ninput = (uint32_t)((size - 24) / 4);
    if (order->ninput > INPUTS || size % 4 || order->count < 1 || order->count > MOST_STRANDS) return false;
    for (uint32_t i = 0; i < order->ninput; ++i) {
        order->input[i] = sn_wire_get(b + 24 + 4 * (size_t)i);
        if (order->input[i] >= (uint32_t)sn_spec_count(f->spec, SN_KIND_STRAND)) return false;
    }
    return order->mesh < (uint32_t)sn_spec_count(f->spec, SN_KIND_NODE);
}

bool sn_filling_message(snFilling *f, const unsigned char *bytes, size_t size)
{
    uint32_t op = size >= 4 ? sn_wire_get(bytes) : 0;
    Order order = {0};
    bool fits = (op == SN_FILL_START && decode_start(f, bytes, size, &order)) || (op == SN_FILL_TUNE && size == 16) ||
                (op == SN_FILL_PAUSE && size == 8) || ((op == SN_FILL_KEEP || op == SN_FILL_STOP) && size == 4);
    if (!fits) return false;
    pthread_mutex_lock(&f->worker.lock);
    if (op == SN_FILL_START)
        f->order = order, f->start = true, f->pause = f->keep = f->tune = false;
    else if (op == SN_FILL_TUNE)
        f->tuned = (Order){.control_points = sn_wire_get(bytes + 4),
                           .stiffness = sn_wire_get_float(bytes + 8),
                           .repulsion = sn_wire_get_float(bytes + 12)},
        f->tune = true;
    else if (op == SN_FILL_PAUSE)
        f->pause = sn_wire_get(bytes + 4) != 0;
    else if (op == SN_FILL_KEEP)
        f->keep = true;
    else
        f->give_up = true;
    pthread_cond_signal(&f->worker.changed);
    pthread_mutex_unlock(&f->worker.lock);
    return true;
}

/* ---- snapshots ---------------------------------------------------------------------------- */

/* State, step, how far it moved, strands, points of each, then the points (floats) and a text. */
static void publish(snFilling *f, snFillState state, int32_t step, double moved, const snAutoStrands *strands,
                    const char *text)
{
    int32_t count = strands ? sn_autostrands_view(strands).count : 0,
            per = strands ? sn_autostrands_view(strands).samples : 0;
    int64_t number = 3 * (int64_t)count * per;
    size_t length = strlen(text), size = HEADER + 4 * (size_t)number + length;
    unsigned char *made = malloc(size), *to = made;
    if (!made) return;
    to = sn_wire_put(to, 0x54534e53u); /* SNST */
    to = sn_wire_put(to, (uint32_t)state);
    to = sn_wire_put(to, (uint32_t)step);
    to = sn_wire_put_floats(to, &(double){fmin(moved, 1e30)}, 1);
    to = sn_wire_put(to, (uint32_t)count);
    to = sn_wire_put(to, (uint32_t)per);
    to = sn_wire_put(to, (uint32_t)length);
    if (strands) to = sn_wire_put_floats(to, sn_autostrands_view(strands).point, number);
    memcpy(to, text, length);
    pthread_mutex_lock(&f->worker.lock);
    free(f->snapshot);
    f->snapshot = made, f->size = size;
    ++f->sequence;
    pthread_mutex_unlock(&f->worker.lock);
    f->wake(f->user);
}

unsigned char *sn_filling_snapshot(snFilling *f, uint32_t *sequence, size_t *size)
{
    unsigned char *copy = NULL;
    pthread_mutex_lock(&f->worker.lock);
    if (f->snapshot && f->sequence != *sequence && (copy = malloc(f->size))) {
        memcpy(copy, f->snapshot, f->size);
        *size = f->size;
        *sequence = f->sequence;
    }
    pthread_mutex_unlock(&f->worker.lock);
    return copy;
}

char *sn_filling_result(snFilling *f, bool scene, size_t *size)
{
    pthread_mutex_lock(&f->worker.lock);
    const char *text = scene ? f->scene : f->muscle;
    char *copy = text ? malloc((scene ? f->nscene : f->nmuscle) + 1) : NULL;
    if (copy) memcpy(copy, text, *size = scene ? f->nscene : f->nmuscle);
    pthread_mutex_unlock(&f->worker.lock);
    return copy;
}

/* ---- one filling -------------------------------------------------------------------------- */

/* What the thread keeps while sn_fill_muscle runs. */
typedef struct Run {
    snFilling *f;
    Order order;
    bool paused;
} Run;

/* Waits for the next step; true when something was tuned. Called under the lock. */
static bool take_messages(Run *run, bool at_rest)
{
    snFilling *f = run->f;
    if (!f->tune && !f->worker.stop && !f->start && !f->keep && !f->give_up)
        (void)sn_worker_wait_until(&f->worker, sn_worker_clock() + (at_rest || f->pause ? 0.1 : TICK));
    bool tuned = f->tune;
    if (tuned) run->order.stiffness = f->tuned.stiffness, run->order.repulsion = f->tuned.repulsion;
    if (tuned) run->order.control_points = f->tuned.control_points;
    f->tune = false;
    run->paused = f->pause;
    return tuned;
}

static snFillAnswer watch(void *user, snAutoStrands *strands, int32_t step, double moved)
{
    Run *run = user;
    snFilling *f = run->f;
    bool at_rest = moved < SN_AUTOSTRANDS_CONVERGED;
    snFillState shown = SN_FILLING_IDLE;
    for (;;) {
        snFillState state = run->paused ? SN_FILLING_PAUSED : at_rest ? SN_FILLING_AT_REST : SN_FILLING_MOVING;
        if (state != shown) publish(f, state, step, moved, strands, "");
        shown = state;
        pthread_mutex_lock(&f->worker.lock);
        bool tuned = take_messages(run, at_rest), ends = f->worker.stop || f->start || f->give_up, keeps = f->keep;
        pthread_mutex_unlock(&f->worker.lock);
        if (ends) return SN_FILL_GIVE_UP;
        if (keeps) return SN_FILL_FINISH;
        if (tuned) {
            (void)sn_autostrands_tune(strands, run->order.stiffness, run->order.repulsion,
                                      (int32_t)fmin(run->order.control_points, 1e6),
                                      NULL); /* what cannot be changes nothing */
            at_rest = false;
        }
        if (!run->paused && !at_rest) return SN_FILL_STEP;
    }
}

/* The new model as text, by way of a folder that is removed again. */
static snStatus keep(snFilling *f, const snSpec *filled, snError *error)
{
    char folder[SN_PASSING_FOLDER], muscle[SN_PASSING_PATH], scene[SN_PASSING_PATH], *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    snStatus status = sn_passing_begin(folder, error);
    if (status != SN_OK) return status;
    sn_passing_path(muscle, folder, "strands.muscle.xml");
    sn_passing_path(scene, folder, "strands.scene.xml");
    status = sn_save_model(filled, muscle, error);
    if (status == SN_OK) texts[0] = sn_passing_read(muscle, &sizes[0]), texts[1] = sn_passing_read(scene, &sizes[1]);
    sn_passing_end(folder, muscle);
    sn_passing_end(folder, scene);
    if (status == SN_OK && (!texts[0] || !texts[1])) status = SN_NO_MEMORY;
    pthread_mutex_lock(&f->worker.lock);
    if (status == SN_OK) {
        free(f->muscle), free(f->scene);
        f->muscle = texts[0], f->scene = texts[1], f->nmuscle = sizes[0], f->nscene = sizes[1];
        texts[0] = texts[1] = NULL;
    }
    pthread_mutex_unlock(&f->worker.lock);
    free(texts[0]);
    free(texts[1]);
    return status;
}

static void describe(const snFillReport *report, char *text, size_t size)
{
    const snAutoStrandsQuality *q = &report->quality;
    snprintf(
        text, size,
        "%d strands after %d steps. Spacing %.2f mm, variation %.2f, %d crossings; at least %.2f mm from the wall. "
        "Volume %.2f cm\xc2\xb3, mean fibre length %.1f mm, physiological cross-section %.2f cm\xc2\xb2.",
        (int)report->strands, (int)report->steps, 1e3 * q->spacing, q->spacing_variation, (int)q->crossings,
        1e3 * q->wall_least, 1e6 * report->muscle.volume, 1e3 * report->muscle.fiber_length,
        1e4 * report->muscle.cross_section);
}

static void fill(snFilling *f, const Order *order)
{
    Run run = {.f = f, .order = *order};
    snFillDef def = sn_default_fill_def();
    snFillReport report = {0};
    snSpec *filled = NULL;
    snError error = {0};
    char names[INPUTS * 130] = "", group[160], text[TEXT] = "";
    for (uint32_t i = 0; i < order->ninput; ++i) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i ? " " : "",
                 sn_spec_strand(f->spec, (snId)order->input[i] + 1)->name);
    }
    def.mesh = sn_spec_node(f->spec, (snId)order->mesh + 1)->name, def.strands = names;
    snprintf(group, sizeof group, "%.120s_filled",
             order->ninput ? sn_spec_strand(f->spec, (snId)order->input[0] + 1)->name : "");
    def.group = group;
    def.fill.count = (int32_t)order->count, def.fill.samples = SAMPLES;
    def.fill.control_points = (int32_t)fmin(order->control_points, SAMPLES);
    def.fill.stiffness = order->stiffness, def.fill.repulsion = order->repulsion;
    def.watch = watch, def.watch_user = &run;
    snStatus status = sn_fill_muscle(f->spec, &def, (snProgress){0}, &filled, &report, &error);
    if (status == SN_OK) status = keep(f, filled, &error);
    if (filled) sn_spec_destroy(filled);
    if (status == SN_OK)
        describe(&report, text, sizeof text);
    else if (status != SN_CANCELLED)
        (void)sn_error_format(&error, text, sizeof text);
    if (status == SN_CANCELLED)
        publish(f, SN_FILLING_IDLE, 0, 0, NULL, "");
    else
        publish(f, status == SN_OK ? SN_FILLING_DONE : SN_FILLING_FAILED, report.steps, 0, NULL, text);
}

static void *run_thread(void *user)
{
    snFilling *f = user;
    publish(f, SN_FILLING_IDLE, 0, 0, NULL, "");
    for (;;) {
        pthread_mutex_lock(&f->worker.lock);
        while (!f->worker.stop && !f->start) pthread_cond_wait(&f->worker.changed, &f->worker.lock);
        Order order = f->order;
        bool stop = f->worker.stop;
        f->start = f->keep = f->give_up = f->tune = false;
        pthread_mutex_unlock(&f->worker.lock);
        if (stop) return NULL;
        fill(f, &order);
    }
}

/* ---- making and ending -------------------------------------------------------------------- */

snStatus sn_filling_create(const snSpec *spec, void (*wake)(void *user), void *user, snFilling **out)
{
    snFilling *f = calloc(1, sizeof *f);
    if (!f) return SN_NO_MEMORY;
    f->spec = spec, f->wake = wake, f->user = user;
    if (!sn_worker_start(&f->worker, run_thread, f)) {
        sn_filling_destroy(f);
        return SN_FAILED;
    }
    *out = f;
    return SN_OK;
}

void sn_filling_destroy(snFilling *f)
{
    if (!f) return;
    sn_worker_end(&f->worker);
    free(f->snapshot);
    free(f->muscle);
    free(f->scene);
    free(f);
}
