/* The explorer: one thing after the other is taken away, or given back, and ranked by what is then missing. Cuts,
 * lesions and fusions change a few numbers of one patient; only transfers need a patient each. */
#include "analysis/patient.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Explorer {
    const snSpec *spec;
    const snModel *model;
    const snCase *base;
    const snExploreDef *def;
    const snTargets *targets;
    const double *gravity;
    snPatient *p;
    double *strength, *passive; /* of the base, per path */
    bool *fused;
    double *used; /* per unit: largest activation of the base, then the sum */
    snFindings *out;
    int32_t room;
    snError *error;
} Explorer;

/* ---- one trial ------------------------------------------------------------------------------ */

static snStatus measure(snPatient *p, const snTargets *t, snFinding *f, double *used)
{
    snStatus status = SN_OK;
    f->missing = f->torque = 0, f->coordinate = -1;
    for (int32_t i = 0; i < t->nframe && status == SN_OK; ++i) {
        size_t at = (size_t)i * (size_t)t->ncoordinate;
        snHeld h;
        sn_patient_frame(p, t, i);
        status = sn_hold(p, t->q + at, t->v + at, t->a + at, &h);
        if (status == SN_FAILED) status = SN_OK;
        for (int32_t k = 0; k < p->nq; ++k) {
            double missing = fabs(p->missing[k]);
            f->missing += missing / p->s->tolerance[k] / t->nframe;
            if (missing > f->torque + 1e-12) f->torque = missing, f->coordinate = k;
        }
        for (int32_t u = 0; used && u < p->nu; ++u) {
            used[u] = fmax(used[u], p->activation[u]);
            used[p->nu + u] += p->activation[u];
        }
    }
    return status;
}

static void restore(Explorer *e)
{
    memcpy(e->p->strength, e->strength, sizeof *e->strength * (size_t)e->p->np);
    memcpy(e->p->passive, e->passive, sizeof *e->passive * (size_t)e->p->np);
    memcpy(e->p->fused, e->fused, sizeof *e->fused * (size_t)e->p->nq);
}

static snStatus add_finding(Explorer *e, const char *name, snPatient *p)
{
    if (e->out->count == e->room) return SN_OK;
    snFinding *f = &e->out->finding[e->out->count];
    snStatus status = measure(p, e->targets, f, NULL);
    (void)snprintf(f->name, sizeof f->name, "%.90s", name);
    f->change = f->missing - e->out->base;
    if (status == SN_OK) ++e->out->count;
    return status;
}

/* ---- what is tried -------------------------------------------------------------------------- */

static snStatus each_unit(Explorer *e, int32_t u)
{
    restore(e);
    for (int32_t i = 0; i < e->p->np; ++i)
        if (e->p->s->path_unit[i] == u) e->p->strength[i] = e->p->passive[i] = 0;
    return add_finding(e, e->p->m->muscle_name[u], e->p);
}

/* The index-th different word of all lists of lesions; false past the last. */
static bool nerve_at(const snPatient *p, int32_t index, char name[96])
{
    char known[64][96];
    int32_t n = 0;
    for (int32_t i = 0; i < p->np; ++i)
        for (const char *at = p->s->path_nerve[i]; *at;) {
            size_t length = strcspn(at, " ");
            int32_t k = 0;
            (void)snprintf(name, 96, "%.*s", (int)(length < 90 ? length : 90), at);
            while (k < n && strcmp(known[k], name) != 0) ++k;
            if (length && k == n && n < 64) {
                if (n == index) return true;
                memcpy(known[n++], name, 96);
            }
            at += length + (at[length] == ' ');
        }
    return false;
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static snStatus each_nerve(Explorer *e, const char *name)
{
    restore(e);
    for (int32_t i = 0; i < e->p->np; ++i)
        if (has_word(e->p->s->path_nerve[i], name)) e->p->strength[i] = 0;
    return add_finding(e, name, e->p);
}

/* Length of the joint's part of a coordinate's name. */
static size_t joint_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

static snStatus each_joint(Explorer *e, int32_t k)
{
    snPatient *p = e->p;
    const char *name = p->m->coord_name[k];
    size_t n = joint_length(name);
    char joint[96];
    if (k > 0 && joint_length(p->m->coord_name[k - 1]) == n && strncmp(p->m->coord_name[k - 1], name, n) == 0)
        return SN_OK;
    restore(e);
    for (int32_t j = 0; j < p->nq; ++j)
        if (joint_length(p->m->coord_name[j]) == n && strncmp(p->m->coord_name[j], name, n) == 0) p->fused[j] = true;
    (void)snprintf(joint, sizeof joint, "%.*s", (int)(n < 90 ? n : 90), name);
    return add_finding(e, joint, p);
}

static snStatus each_transfer(Explorer *e, const char *donor)
{
    snCase *c = sn_case_create("");
    snPatient *p = NULL;
    char name[200];
    snStatus status = c ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; e->base && i < sn_case_count(e->base) && status == SN_OK; ++i)
        status = sn_case_add(c, sn_case_change(e->base, i));
    snChange change = {.kind = SN_CHANGE_TRANSFER, .name = donor, .to = e->def->recipient};
    if (status == SN_OK) status = sn_case_add(c, &change);
    if (status == SN_OK) status = sn_patient_create(e->spec, e->model, c, &p, e->error);
    if (status == SN_OK && e->gravity) sn_patient_gravity(p, e->gravity);
    (void)snprintf(name, sizeof name, "%.40s>%.40s", donor, e->def->recipient);
    if (status == SN_OK) status = add_finding(e, name, p);
    sn_patient_destroy(p);
    sn_case_destroy(c);
    return status;
}

static bool is_paralysed(const Explorer *e, int32_t u)
{
    for (int32_t i = 0; i < e->p->np; ++i)
        if (e->p->s->path_unit[i] == u && e->strength[i] > 0) return false;
    return true;
}

/* A donor that cannot give, such as one that the base has already moved, is passed over; it is an error where none can.
 */
static snStatus all_transfers(Explorer *e, snProgress progress)
{
    snStatus status = SN_OK, refused = SN_OK;
    int32_t n = sn_spec_count(e->spec, SN_KIND_LINE_MUSCLE);
    const char *last = "";
    for (snId id = 1; id <= n && status == SN_OK; ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(e->spec, id);
        const char *donor = *d->unit ? d->unit : d->name;
        int32_t u = sn_map_get(&e->p->m->muscle_map, donor);
        bool same = strcmp(donor, e->def->recipient) == 0 || strcmp(d->coupled, e->def->recipient) == 0;
        if (strcmp(donor, last) == 0 || same || (u >= 0 && is_paralysed(e, u))) continue;
        last = donor;
        if (progress.call && progress.call(progress.user, "explore", id, n)) return SN_CANCELLED;
        status = each_transfer(e, donor);
        if (status == SN_BAD_INPUT) refused = status, status = SN_OK;
    }
    return status == SN_OK && e->out->count == 0 ? refused : status;
}

/* ---- sets ----------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Weakens a set of units together, adding one after the other: each finding is the set up to there. */
static snStatus weaken(Explorer *e, int32_t u, int32_t number)
{
    char name[96];
    for (int32_t i = 0; i < e->p->np; ++i)
        if (e->p->s->path_unit[i] == u) e->p->strength[i] = e->strength[i] * e->def->strength;
    (void)snprintf(name, sizeof name, "%s%.60s", number ? "+ " : "", e->p->m->muscle_name[u]);
    return add_finding(e, name, e->p);
}

static snStatus sets(Explorer *e)
{
    int32_t n = e->p->nu, count = e->def->count;
    bool *taken = SN_NEW_ARRAY(bool, n);
    uint64_t seed = e->def->seed;
    snStatus status = taken ? SN_OK : SN_NO_MEMORY;
    restore(e);
    if (e->def->each == SN_EXPLORE_THRESHOLD) count = n;
    for (int32_t k = 0; k < count && k < n && status == SN_OK; ++k) {
        int32_t best = -1;
        const double *by = e->used + (e->def->each == SN_EXPLORE_TOP ? n : 0);
        if (e->def->each == SN_EXPLORE_RANDOM) {
            do best = (int32_t)(next_random(&seed) % (uint64_t)n);
            while (taken[best]);
        } else
            for (int32_t u = 0; u < n; ++u)
                if (!taken[u] && (best < 0 || by[u] > by[best])) best = u;
        if (e->def->each == SN_EXPLORE_THRESHOLD && !(e->used[best] > e->def->level)) break;
        taken[best] = true;
        status = weaken(e, best, k);
    }
    sn_free(taken);
    return status;
}

static int by_change(const void *a, const void *b)
{
    const snFinding *x = a, *y = b;
    return x->change > y->change ? -1 : x->change < y->change ? 1 : strcmp(x->name, y->name);
}

static int by_gain(const void *a, const void *b)
{
    return by_change(b, a);
}

static snStatus run(Explorer *e, snProgress progress)
{
    char name[96];
    snStatus status = SN_OK;
    snFindings *out = e->out;
    switch (e->def->each) {
    case SN_EXPLORE_UNIT:
        for (int32_t u = 0; u < e->p->nu && status == SN_OK; ++u)
            status =
                progress.call && progress.call(progress.user, "explore", u, e->p->nu) ? SN_CANCELLED : each_unit(e, u);
        break;
    case SN_EXPLORE_NERVE:
        for (int32_t i = 0; status == SN_OK && nerve_at(e->p, i, name); ++i) status = each_nerve(e, name);
        break;
    case SN_EXPLORE_JOINT:
        for (int32_t k = 0; k < e->p->nq && status == SN_OK; ++k) status = each_joint(e, k);
        break;
    case SN_EXPLORE_TRANSFER:
        status = all_transfers(e, progress);
        qsort(out->finding, (size_t)out->count, sizeof *out->finding, by_gain);
        return status;
    default:
        return sets(e); /* in the order in which units were added */
    }
    qsort(out->finding, (size_t)out->count, sizeof *out->finding, by_change);
    return status;
}

static snStatus prepare(Explorer *e)
{
    snStatus status = sn_patient_create(e->spec, e->model, e->base, &e->p, e->error);
    if (status != SN_OK) return status;
    if (e->gravity) sn_patient_gravity(e->p, e->gravity);
    e->room = sn_spec_count(e->spec, SN_KIND_LINE_MUSCLE) + e->p->nq + 64;
    e->strength = SN_NEW_ARRAY(double, 2 * (size_t)e->p->np + 2 * (size_t)e->p->nu);
    e->fused = SN_NEW_ARRAY(bool, e->p->nq);
    e->out->memory = e->out->finding = SN_NEW_ARRAY(snFinding, e->room);
    if (!e->strength || !e->fused || !e->out->finding) return sn_fail_no_memory(e->error);
    e->passive = e->strength + e->p->np, e->used = e->passive + e->p->np;
    memcpy(e->strength, e->p->strength, sizeof *e->strength * (size_t)e->p->np);
    memcpy(e->passive, e->p->passive, sizeof *e->passive * (size_t)e->p->np);
    memcpy(e->fused, e->p->fused, sizeof *e->fused * (size_t)e->p->nq);
    snFinding base = {.coordinate = -1};
    status = measure(e->p, e->targets, &base, e->used);
    e->out->base = base.missing;
    return status;
}

snStatus sn_explore(const snSpec *spec, const snModel *model, const snCase *base, const snExploreDef *def,
                    const snTargets *targets, const double gravity[3], snFindings *findings, snProgress progress,
                    snError *error)
{
    if (!spec || !model || !def || !targets || !findings)
        return sn_fail_argument(error, "sn_explore without spec, model, def, targets or findings");
    snExploreDef taken = sn_default_explore_def();
    if (SN_TAKE_DEF(def, snExploreDef, taken, error)) return SN_BAD_ARGUMENT;
    *findings = (snFindings){0};
    Explorer e = {.spec = spec,
                  .model = model,
                  .base = base,
                  .def = def,
                  .targets = targets,
                  .gravity = gravity,
                  .out = findings,
                  .error = error};
    snStatus status = prepare(&e);
    if (status == SN_OK) status = run(&e, progress);
    sn_patient_destroy(e.p);
    sn_free(e.strength);
    sn_free(e.fused);
    if (status != SN_OK && status != SN_CANCELLED) sn_findings_free(findings);
    return status;
}
