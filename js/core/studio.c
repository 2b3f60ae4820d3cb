/* The studio's live simulation and its clinical questions without a server: the same messages go in, the same snapshots
 * and answers come out (docs/studio.md). Whoever calls takes turns in place of a thread. */
#include "core.h"

#include "studio/server/consult.h"
#include "studio/server/live.h"
#include "studio/server/worker.h"

#include <stdlib.h>
#include <time.h>

/* ---- the worker of a program without threads ---------------------------------------------- */

double sn_worker_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sn_worker_start(snWorker *w, void *(*run)(void *user), void *user)
{
    (void)run, (void)user;
    w->stop = false;
    return w->started = true;
}

void sn_worker_end(snWorker *w)
{
    w->stop = true, w->started = false;
}

bool sn_worker_wait_until(snWorker *w, double until)
{
    (void)w, (void)until;
    return false;
}

static void nobody_waits(void *user)
{
    (void)user;
}

/* ---- clinical questions ------------------------------------------------------------------- */

SN_EXPORT(sinew_consult_open) snConsult *sinew_consult_open(const snCore *core);
snConsult *sinew_consult_open(const snCore *core)
{
    snConsult *consult = NULL;
    snStatus status = sn_consult_create(core->spec, core->model, nobody_waits, NULL, &consult, sn_core_error());
    return status == SN_OK ? consult : sn_core_fail(status);
}

SN_EXPORT(sinew_consult_close) void sinew_consult_close(snConsult *consult);
void sinew_consult_close(snConsult *consult)
{
    sn_consult_destroy(consult);
}

SN_EXPORT(sinew_consult_message)
bool sinew_consult_message(snConsult *consult, const unsigned char *bytes, size_t size);
bool sinew_consult_message(snConsult *consult, const unsigned char *bytes, size_t size)
{
    return sn_consult_message(consult, bytes, size);
}

/* False: nothing is left to answer. */
SN_EXPORT(sinew_consult_turn) bool sinew_consult_turn(snConsult *consult);
bool sinew_consult_turn(snConsult *consult)
{
    return sn_consult_turn(consult);
}

/* To be freed; NULL: none is newer than *sequence. */
SN_EXPORT(sinew_consult_answer)
unsigned char *sinew_consult_answer(snConsult *consult, uint32_t *sequence, size_t *size);
unsigned char *sinew_consult_answer(snConsult *consult, uint32_t *sequence, size_t *size)
{
    return sn_consult_answer(consult, sequence, size);
}

/* ---- the live simulation ------------------------------------------------------------------ */

SN_EXPORT(sinew_live_open) snLive *sinew_live_open(const snCore *core);
snLive *sinew_live_open(const snCore *core)
{
    snLive *live = NULL;
    snStatus status = sn_live_create(core->spec, core->model, NULL, 1, nobody_waits, NULL, &live, sn_core_error());
    return status == SN_OK ? live : sn_core_fail(status);
}

SN_EXPORT(sinew_live_close) void sinew_live_close(snLive *live);
void sinew_live_close(snLive *live)
{
    sn_live_destroy(live);
}

SN_EXPORT(sinew_live_message) bool sinew_live_message(snLive *live, const unsigned char *bytes, size_t size);
bool sinew_live_message(snLive *live, const unsigned char *bytes, size_t size)
{
    return sn_live_message(live, bytes, size);
}

/* Seconds until it is due again. */
SN_EXPORT(sinew_live_turn) double sinew_live_turn(snLive *live);
double sinew_live_turn(snLive *live)
{
    return sn_live_turn(live);
}

SN_EXPORT(sinew_live_size) size_t sinew_live_size(const snLive *live);
size_t sinew_live_size(const snLive *live)
{
    return sn_live_size(live);
}

SN_EXPORT(sinew_live_snapshot) size_t sinew_live_snapshot(snLive *live, uint32_t *sequence, unsigned char *bytes);
size_t sinew_live_snapshot(snLive *live, uint32_t *sequence, unsigned char *bytes)
{
    return sn_live_snapshot(live, sequence, bytes);
}
