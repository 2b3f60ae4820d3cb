/* See consult.h.
 *
 * A question is answered twice: at once without the nearest pose and the compensators (less than a millisecond), then
 * with them, unless a newer question has come in between. A case that cannot be is answered with what is wrong, and the
 * one before stays. */
#include "consult.h"

#include "page/own/studio.h"
#include "wire.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 104, ERROR = 700 };

typedef struct Change {
    uint32_t kind;
    double value, force[3];
    char text[TEXT];
} Change;

typedef struct Question {
    uint32_t id, posture, nchange;
    Change change[SN_CONSULT_CHANGES];
    double q[SN_CONSULT_COORDINATES];
    snEndureDef endure; /* repeat 0: not asked for */
    bool explores;
    snExploreDef explore;
    char recipient[TEXT];
} Question;

struct snConsult {
    const snSpec *spec;
    const snModel *model;
    void (*wake)(void *user);
    void *user;
    int32_t ncoord;
    /* of the thread */
    snPatient *healthy, *changed;
    snCase *told; /* that of changed */
    Question now;
    bool more; /* it has had its first answer only */
    snWorker worker;
    /* under its lock */
    Question asked, draft; /* draft: a case being told */
    bool pose, apply;      /* something of `asked` is new */
    unsigned char *answer;
    size_t size;
    uint32_t sequence;
};

/* ---- messages ----------------------------------------------------------------------------- */

static bool read_change(snConsult *c, const unsigned char *b, size_t size)
{
    Question *d = &c->draft;
    if (size <= 24 || size - 24 >= TEXT || d->nchange >= SN_CONSULT_CHANGES || !sn_change_name(sn_wire_get(b + 4)))
        return false;
    Change *change = &d->change[d->nchange++];
    *change = (Change){.kind = sn_wire_get(b + 4), .value = sn_wire_get_float(b + 8)};
    for (int i = 0; i < 3; ++i) change->force[i] = sn_wire_get_float(b + 12 + 4 * i);
    memcpy(change->text, b + 24, size - 24);
    return true;
}

static bool read_pose(snConsult *c, const unsigned char *b, size_t size)
{
    if (size != 8 + 4 * (size_t)c->ncoord) return false;
    for (int32_t k = 0; k < c->ncoord; ++k) c->asked.q[k] = sn_wire_get_float(b + 8 + 4 * k);
    c->asked.id = sn_wire_get(b + 4);
    c->pose = true;
    return true;
}

static bool read_apply(snConsult *c, const unsigned char *b, size_t size)
{
    if (size != 12 || sn_wire_get(b + 8) > 3) return false;
    c->asked.id = sn_wire_get(b + 4);
    c->asked.posture = sn_wire_get(b + 8);
    c->asked.nchange = c->draft.nchange;
    memcpy(c->asked.change, c->draft.change, sizeof c->asked.change);
    c->apply = true;
    return true;
}

static bool read_endure(snConsult *c, const unsigned char *b, size_t size)
{
    snEndureDef def = sn_default_endure_def();
    if (size != 20) return false;
    def.repeat = (int32_t)sn_wire_get(b + 8);
    def.work = sn_wire_get_float(b + 12), def.rest = sn_wire_get_float(b + 16);
    bool sound = def.repeat >= 0 && def.repeat <= 1000 && def.work >= 0.5 && def.work <= 600 && def.rest >= 0 &&
                 def.rest <= 600 && def.repeat * (def.work + def.rest) <= 7200;
    if (!sound) return false;
    c->asked.endure = def;
    c->asked.id = sn_wire_get(b + 4);
    c->pose = true;
    return true;
}

static bool read_explore(snConsult *c, const unsigned char *b, size_t size)
{
    snExploreDef def = sn_default_explore_def();
    if (size < 28 || size - 28 >= TEXT) return false;
    uint32_t what = sn_wire_get(b + 8), count = sn_wire_get(b + 12);
    def.each = (snExplore)(what ? what - 1 : 0), def.count = (int32_t)count, def.seed = sn_wire_get(b + 16);
    def.level = sn_wire_get_float(b + 20), def.strength = sn_wire_get_float(b + 24);
    bool sound = what <= SN_EXPLORE_RANDOM + 1 && count <= 1000 && def.level >= 0 && def.level <= 1 &&
                 def.strength >= 0 && def.strength <= 1;
    if (!sound || (what == SN_EXPLORE_TRANSFER + 1 && size == 28)) return false;
    c->asked.explores = what > 0;
    c->asked.explore = def;
    memset(c->asked.recipient, 0, TEXT);
    memcpy(c->asked.recipient, b + 28, size - 28);
    c->asked.id = sn_wire_get(b + 4);
    c->pose = true;
    return true;
}

bool sn_consult_message(snConsult *c, const unsigned char *bytes, size_t size)
{
    uint32_t op = size >= 4 ? sn_wire_get(bytes) : 0;
    bool fits = false;
    pthread_mutex_lock(&c->worker.lock);
    if (op == SN_CONSULT_POSE)
        fits = read_pose(c, bytes, size);
    else if (op == SN_CONSULT_BEGIN && size == 4)
        c->draft.nchange = 0, fits = true;
    else if (op == SN_CONSULT_CHANGE)
        fits = read_change(c, bytes, size);
    else if (op == SN_CONSULT_APPLY)
        fits = read_apply(c, bytes, size);
    else if (op == SN_CONSULT_ENDURE)
        fits = read_endure(c, bytes, size);
    else if (op == SN_CONSULT_EXPLORE)
        fits = read_explore(c, bytes, size);
    pthread_cond_signal(&c->worker.changed);
    pthread_mutex_unlock(&c->worker.lock);
    return fits;
}

/* ---- answers ------------------------------------------------------------------------------ */

static void publish(snConsult *c, const char *text, size_t size)
{
    unsigned char *copy = malloc(size);
    if (!copy) return;
    memcpy(copy, text, size);
    pthread_mutex_lock(&c->worker.lock);
    free(c->answer);
    c->answer = copy, c->size = size;
    ++c->sequence;
    pthread_mutex_unlock(&c->worker.lock);
    c->wake(c->user);
}

unsigned char *sn_consult_answer(snConsult *c, uint32_t *sequence, size_t *size)
{
    unsigned char *copy = NULL;
    pthread_mutex_lock(&c->worker.lock);
    if (c->answer && c->sequence != *sequence && (copy = malloc(c->size))) {
        memcpy(copy, c->answer, c->size);
        *size = c->size;
        *sequence = c->sequence;
    }
    pthread_mutex_unlock(&c->worker.lock);
    return copy;
}

/* What is wrong, as JSON: quotes and controls become blanks. */
static void publish_error(snConsult *c, uint32_t id, snError *error, snStatus status)
{
    char said[ERROR], text[ERROR + 80];
    if (!error->message[0]) (void)snprintf(error->message, sizeof error->message, "%s", sn_status_text(status));
    (void)snprintf(said, sizeof said, "%.300s%s%.300s", error->message, error->remedy[0] ? ": " : "", error->remedy);
    for (char *at = said; *at; ++at)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ') *at = ' ';
    int n = snprintf(text, sizeof text, "{\"id\":%u,\"error\":\"%s\"}", (unsigned)id, said);
    publish(c, text, (size_t)n);
}

/* ---- the thread --------------------------------------------------------------------------- */

static snStatus make_case(const Question *q, snCase **out)
{
    snCase *made = sn_case_create("");
    snStatus status = made ? SN_OK : SN_NO_MEMORY;
    for (uint32_t i = 0; status == SN_OK && i < q->nchange; ++i) {
        char name[TEXT];
        (void)snprintf(name, sizeof name, "%s", q->change[i].text);
        char *to = strchr(name, '>');
        if (to) *to++ = '\0';
        snChange change = {
            .kind = (snChangeKind)q->change[i].kind, .name = name, .to = to ? to : "", .value = q->change[i].value};
        memcpy(change.force, q->change[i].force, sizeof change.force);
        status = sn_case_add(made, &change);
    }
    if (status == SN_OK)
        *out = made;
    else
        sn_case_destroy(made);
    return status;
}

static const double gravity[4][3] = {{0, -9.81, 0}, {0, 0, -9.81}, {0, 0, 9.81}, {-9.81, 0, 0}}; /* by posture */

static snStatus apply(snConsult *c, snError *error)
{
    snCase *made = NULL;
    snPatient *healthy = NULL, *changed = NULL;
    snStatus status = make_case(&c->now, &made);
    if (status == SN_OK)
        status = sn_clinic_patients(c->spec, c->model, made, gravity[c->now.posture], &healthy, &changed, error);
    if (status != SN_OK) {
        sn_case_destroy(made);
        return status;
    }
    sn_patient_destroy(c->healthy);
    sn_patient_destroy(c->changed);
    sn_case_destroy(c->told);
    c->healthy = healthy, c->changed = changed, c->told = made;
    return SN_OK;
}

static snStatus answer(snConsult *c, bool nearest)
{
    char *json = NULL;
    size_t size = 0;
    c->now.explore.recipient = c->now.recipient;
    snClinicMore more = {.endure = c->now.endure.repeat ? &c->now.endure : NULL,
                         .explore = c->now.explores ? &c->now.explore : NULL,
                         .spec = c->spec,
                         .base = c->told,
                         .gravity = gravity[c->now.posture]};
    snStatus status =
        sn_clinic_answer(c->model, c->healthy, c->changed, c->now.q, nearest, &more, c->now.id, &json, &size);
    if (status == SN_OK) publish(c, json, size);
    sn_studio_free(json);
    return status;
}

/* The newest question, if nobody has answered it yet. */
static bool take_question(snConsult *c, bool *new_case)
{
    pthread_mutex_lock(&c->worker.lock);
    bool any = c->pose || c->apply;
    *new_case = c->apply;
    if (any) c->now = c->asked;
    c->pose = c->apply = false;
    pthread_mutex_unlock(&c->worker.lock);
    return any;
}

bool sn_consult_turn(snConsult *c)
{
    snError error = {0};
    snStatus status = SN_OK;
    bool new_case = false;
    if (take_question(c, &new_case)) {
        if (new_case) status = apply(c, &error);
        if (status == SN_OK) status = answer(c, false);
        c->more = status == SN_OK;
    } else if (c->more) {
        c->more = false;
        status = answer(c, true);
    } else {
        return false;
    }
    if (status != SN_OK) publish_error(c, c->now.id, &error, status);
    return true;
}

/* Waits for a question; false: stop. */
static bool wait_for_question(snConsult *c)
{
    pthread_mutex_lock(&c->worker.lock);
    while (!c->worker.stop && !c->more && !c->pose && !c->apply) pthread_cond_wait(&c->worker.changed, &c->worker.lock);
    bool stop = c->worker.stop;
    pthread_mutex_unlock(&c->worker.lock);
    return !stop;
}

static void *run(void *user)
{
    snConsult *c = user;
    while (wait_for_question(c)) (void)sn_consult_turn(c);
    return NULL;
}

/* ---- making and ending -------------------------------------------------------------------- */

snStatus sn_consult_create(const snSpec *spec, const snModel *model, void (*wake)(void *user), void *user,
                           snConsult **out, snError *error)
{
    snConsult *c = calloc(1, sizeof *c);
    if (!c) return SN_NO_MEMORY;
    c->spec = spec, c->model = model, c->wake = wake, c->user = user;
    c->ncoord = sn_count(model, SN_ITEM_COORDINATE);
    snStatus status = c->ncoord <= SN_CONSULT_COORDINATES ? apply(c, error) : SN_BAD_ARGUMENT;
    if (status == SN_OK && !sn_worker_start(&c->worker, run, c)) status = SN_FAILED;
    if (status == SN_OK)
        *out = c;
    else
        sn_consult_destroy(c);
    return status;
}

void sn_consult_destroy(snConsult *c)
{
    if (!c) return;
    sn_worker_end(&c->worker);
    sn_patient_destroy(c->healthy);
    sn_patient_destroy(c->changed);
    sn_case_destroy(c->told);
    free(c->answer);
    free(c);
}
