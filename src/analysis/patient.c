/* Patients: a case applied to a model. Every name of the case is looked up here, with the nearest one as remedy. */
#include "analysis/patient.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/nearest.h"
#include "sim/tree_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 1000 };

/* ---- names ---------------------------------------------------------------------------------- */

static snStatus unknown(const char *what, const char *name, int32_t count, const char *const *candidates,
                        snError *error)
{
    const char *names[MAX_NAMES + 1];
    int32_t n = count < MAX_NAMES ? count : MAX_NAMES;
    if (n) memcpy(names, candidates, sizeof *names * (size_t)n);
    names[n] = NULL;
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no %s called \"%.80s\"", what, name);
    const char *near = sn_nearest_name(name, names);
    if (near)
        sn_error_remedy(error, "did you mean %s?", near);
    else
        sn_error_remedy(error, "`sinew info MODEL --list` names what there is");
    return SN_BAD_INPUT;
}

static snStatus unknown_unit(const snPatient *p, const char *name, snError *error)
{
    const char *names[MAX_NAMES];
    int32_t n = 0;
    for (int32_t u = 0; u < p->nu && n < MAX_NAMES - 1; ++u) names[n++] = p->m->muscle_name[u];
    for (int32_t i = 0; i < p->np && n < MAX_NAMES - 1; ++i) names[n++] = p->s->path_name[i];
    return unknown("unit", name, n, names, error);
}

/* Joints by themselves and with their coordinates. */
static snStatus unknown_joint(const snPatient *p, const char *name, snError *error)
{
    const char *names[MAX_NAMES];
    char text[4000];
    int32_t n = 0;
    size_t used = 0;
    for (int32_t k = 0; k < p->nq && n < MAX_NAMES - 2; ++k) {
        size_t length = strcspn(p->m->coord_name[k], ".");
        names[n++] = p->m->coord_name[k];
        if (used + length + 1 > sizeof text) continue;
        memcpy(text + used, p->m->coord_name[k], length);
        text[used + length] = '\0';
        names[n++] = text + used;
        used += length + 1;
    }
    return unknown("joint", name, n, names, error);
}

/* Whether a blank-separated list has the word. */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool is_path(const snPatient *p, int32_t path, const char *name)
{
    return strcmp(p->s->path_name[path], name) == 0 || strcmp(p->m->muscle_name[p->s->path_unit[path]], name) == 0;
}

/* pip2 names all of its coordinates, pip2.flexion one. */
static bool is_coordinate(const snPatient *p, int32_t k, const char *name)
{
    const char *full = p->m->coord_name[k];
    size_t n = strlen(name);
    return strcmp(full, name) == 0 || (strncmp(full, name, n) == 0 && full[n] == '.');
}

/* ---- changes -------------------------------------------------------------------------------- */

static snStatus check_level(const snChange *c, double low, double high, snError *error)
{
    if (c->value >= low && c->value <= high) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "%s of %.80s is %g; it must be at least %g and at most %g",
                   sn_change_name(c->kind), c->name, c->value, low, high);
}

static snStatus change_paths(snPatient *p, const snChange *c, snError *error)
{
    bool found = false;
    for (int32_t i = 0; i < p->np; ++i) {
        if (!is_path(p, i, c->name)) continue;
        found = true;
        if (c->kind == SN_CHANGE_STRENGTH) p->strength[i] *= c->value;
        if (c->kind == SN_CHANGE_PASSIVE) p->passive[i] *= c->value;
        if (c->kind == SN_CHANGE_CUT) p->strength[i] = p->passive[i] = 0;
        if (c->kind == SN_CHANGE_COST) p->cost[p->s->path_unit[i]] = c->value * p->s->unit_effort[p->s->path_unit[i]];
    }
    return found ? SN_OK : unknown_unit(p, c->name, error);
}

/* There are few: the remedy names them all. */
static snStatus unknown_nerve(const snPatient *p, const char *name, snError *error)
{
    char list[400] = "";
    for (int32_t i = 0; i < p->np; ++i)
        for (const char *at = p->s->path_nerve[i]; *at;) {
            char word[80];
            size_t length = strcspn(at, " "), used = strlen(list);
            (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
            if (length && length < sizeof word && used + length + 2 < sizeof list && !lists(list, word))
                (void)snprintf(list + used, sizeof list - used, "%s%s", used ? " " : "", word);
            at += length + (at[length] == ' ');
        }
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no nerve lesion called \"%.80s\"", name);
    if (*list)
        sn_error_remedy(error, "use one of: %s", list);
    else
        sn_error_remedy(error, "its muscles name no nerves");
    return SN_BAD_INPUT;
}

static snStatus change_nerve(snPatient *p, const snChange *c, snError *error)
{
    bool found = false;
    for (int32_t i = 0; i < p->np; ++i)
        if (lists(p->s->path_nerve[i], c->name)) p->strength[i] *= c->value, found = true;
    if (found) return SN_OK;
    return unknown_nerve(p, c->name, error);
}

/* A joint of several coordinates is fused at this angle of its first one, with the others at 0. */
static snStatus change_fuse(snPatient *p, const snChange *c, snError *error)
{
    bool found = false;
    for (int32_t k = 0; k < p->nq; ++k) {
        if (!is_coordinate(p, k, c->name)) continue;
        double unit = p->s->tree.slides[k] ? 1 : SN_DEG, at = found ? 0 : c->value * unit;
        double low = p->s->tree.lower[k], high = p->s->tree.upper[k];
        if (!(at >= low - 1e-9 && at <= high + 1e-9)) {
            (void)sn_fail(error, SN_BAD_INPUT, "%.80s is to be fused at %g, but %s goes from %g to %g", c->name,
                          at / unit, p->m->coord_name[k], low / unit, high / unit);
            sn_error_remedy(error, "fuse it within its range");
            return SN_BAD_INPUT;
        }
        p->fused[k] = found = true;
        p->fused_at[k] = at;
    }
    return found ? SN_OK : unknown_joint(p, c->name, error);
}

static snStatus change_load(snPatient *p, const snChange *c, snError *error)
{
    int32_t body = sn_find(p->m, SN_ITEM_BODY, c->name);
    if (body < 0) return unknown("body", c->name, p->m->nbody, p->m->body_name, error);
    if (p->nload == SN_TREE_MAX_LOAD)
        return sn_fail(error, SN_BAD_INPUT, "the case has more than %d loads", SN_TREE_MAX_LOAD);
    for (int i = 0; i < 3; ++i)
        if (!(fabs(c->force[i]) <= 1e4))
            return sn_fail(error, SN_BAD_INPUT, "the load on %.80s is not a number, or over 10 kN", c->name);
    p->load[p->nload++] = (snLoad){
        .link = p->s->tree.body_link[body], .point = v3_load(p->s->tree.com + 3 * body), .force = v3_load(c->force)};
    return SN_OK;
}

static snStatus change_coupling(snPatient *p, const snChange *c, snError *error)
{
    static const char *const names[] = {"soft", "hard", "none", NULL};
    for (int i = 0; names[i]; ++i)
        if (strcmp(names[i], c->name) == 0) {
            p->coupling = (snCoupling)i;
            return SN_OK;
        }
    return sn_fail(error, SN_BAD_INPUT, "couple is \"%.40s\"; expected hard, soft or none", c->name);
}

static snStatus change(snPatient *p, const snChange *c, snError *error)
{
    snStatus status = SN_OK;
    switch (c->kind) {
    case SN_CHANGE_STRENGTH:
        status = check_level(c, 0, 1, error);
        return status ? status : change_paths(p, c, error);
    case SN_CHANGE_PASSIVE:
        status = check_level(c, 0, 10, error);
        return status ? status : change_paths(p, c, error);
    case SN_CHANGE_COST:
        status = check_level(c, 0.01, 1e6, error);
        return status ? status : change_paths(p, c, error);
    case SN_CHANGE_CUT:
        return change_paths(p, c, error);
    case SN_CHANGE_NERVE:
        status = check_level(c, 0, 1, error);
        return status ? status : change_nerve(p, c, error);
    case SN_CHANGE_FUSE:
        status = check_level(c, -360, 360, error);
        return status ? status : change_fuse(p, c, error);
    case SN_CHANGE_LOAD:
        return change_load(p, c, error);
    case SN_CHANGE_COUPLE:
        return change_coupling(p, c, error);
    case SN_CHANGE_TRANSFER:
        return SN_OK; /* is in the model already */
    }
    return status;
}

static snStatus apply(snPatient *p, const snCase *c, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < p->np; ++i) p->strength[i] = p->passive[i] = 1;
    for (int32_t u = 0; u < p->nu; ++u) p->cost[u] = p->s->unit_effort[u];
    for (int32_t i = 0; c && i < sn_case_count(c) && status == SN_OK; ++i) {
        status = change(p, sn_case_change(c, i), error);
        if (status != SN_OK && error) error->line = sn_case_change(c, i)->line;
    }
    if (status != SN_OK) return status;
    p->nz = 0;
    for (int32_t u = 0; u < p->nu; ++u) p->control[u] = -1;
    for (int32_t u = 0; u < p->nu; ++u) {
        for (int32_t k = 0; p->coupling == SN_COUPLE_HARD && k < p->s->ncouple; ++k)
            if (p->s->couple[2 * k + 1] == u) p->control[u] = p->control[p->s->couple[2 * k]];
        if (p->control[u] < 0) p->control[u] = p->nz++;
    }
    return SN_OK;
}

/* ---- life ----------------------------------------------------------------------------------- */

static double *take(double **at, size_t n)
{
    double *block = *at;
    *at += n;
    return block;
}

static bool reserve(snPatient *p, int32_t nload)
{
    size_t nq = (size_t)p->nq, nu = (size_t)p->nu, np = (size_t)p->np, nv = nu + nq;
    p->ld = sn_dense_ld((int32_t)nv);
    size_t ld = (size_t)p->ld, nc = (size_t)p->s->ncouple, ny = nq + nc, entries = nq * (nu + 1) + 2 * nc;
    p->ldy = sn_dense_ld((int32_t)ny);
    size_t ldy = (size_t)p->ldy;
    double *at = p->block =
        SN_NEW_ARRAY(double, ldy *(ldy + 2) + ld * (ld + nq + 6) + nq * (nu + 10) + 3 * nu + 4 * np + entries + ny);
    p->fused = SN_NEW_ARRAY(bool, 4 * nq);
    p->control = SN_NEW_ARRAY(int32_t, nu + 2 * nq + nv + 1 + entries);
    p->load = SN_NEW_ARRAY(snLoad, nload);
    p->tree = sn_tree_create(&p->s->tree);
    p->path = sn_path_create(&p->s->path, p->nq, p->s->tree.parent);
    p->qp = sn_boxqp_create((int32_t)nv);
    p->program = sn_dualqp_create((int32_t)ny, (int32_t)nv);
    if (!p->program || !at || !p->fused || !p->control || !p->load || !p->tree || !p->path || !p->qp) return false;
    p->metric = take(&at, ldy * ldy), p->Q = take(&at, ld * ld), p->H = take(&at, ld * nq); /* first: aligned */
    p->c = take(&at, ld), p->lo = take(&at, ld), p->hi = take(&at, ld), p->z = take(&at, ld);
    p->rhs = take(&at, ld > ldy ? ld : ldy);
    p->weight = take(&at, ld), p->y = take(&at, ldy), p->price = take(&at, ny), p->entry = take(&at, entries);
    p->q = take(&at, nq), p->v = take(&at, nq), p->zero = take(&at, nq), p->b = take(&at, nq), p->tau = take(&at, nq);
    p->fused_at = take(&at, nq), p->missing = take(&at, nq), p->stop_sign = take(&at, nq);
    p->A = take(&at, nq * nu);
    p->strength = take(&at, np), p->passive = take(&at, np), p->force = take(&at, np);
    p->cost = take(&at, nu), p->activation = take(&at, nu);
    p->clamped = p->fused + nq, p->ignored = p->clamped + nq, p->leaves = p->ignored + nq;
    p->row = p->control + nu, p->stop = p->row + nq;
    p->entryadr = p->stop + nq, p->entry_row = p->entryadr + nv + 1;
    return true;
}

snStatus sn_patient_create(const snSpec *spec, const snModel *model, const snCase *c, snPatient **patient,
                           snError *error)
{
    if (!spec || !model || !patient) return sn_fail_argument(error, "sn_patient_create without spec, model or patient");
    int32_t nload = 0;
    bool transfer = false;
    if (!model->skeleton) {
        (void)sn_fail(error, SN_BAD_INPUT, "the model is made of strands; this needs one on a tree");
        sn_error_remedy(error, "use hand-clinical, or a model with type=\"tree\"");
        return SN_BAD_INPUT;
    }
    for (int32_t i = 0; c && i < sn_case_count(c); ++i) {
        nload += sn_case_change(c, i)->kind == SN_CHANGE_LOAD;
        transfer = transfer || sn_case_change(c, i)->kind == SN_CHANGE_TRANSFER;
    }
    snPatient *p = SN_NEW(snPatient);
    if (!p) return sn_fail_no_memory(error);
    snStatus status = transfer ? sn_transfer_model(spec, c, &p->own, error) : SN_OK;
    p->spec = spec;
    p->m = p->own ? p->own : model, p->s = p->m->skeleton;
    p->nq = p->m->ncoord, p->nu = p->m->nmuscle, p->np = p->s->path.npath;
    p->gravity = p->upright = p->m->gravity;
    p->dense = sn_dense();
    p->load_scale = p->thrift = 1;
    if (status == SN_OK && !reserve(p, nload)) status = sn_fail_no_memory(error);
    if (status == SN_OK) status = apply(p, c, error);
    if (status != SN_OK) {
        sn_patient_destroy(p);
        return status;
    }
    p->links = (snPathLinks){.ndof = p->nq,
                             .parent = p->s->tree.parent,
                             .slides = p->s->tree.slides,
                             .rotation = p->tree->rotation,
                             .shift = p->tree->shift,
                             .S = p->tree->S,
                             .bend = p->tree->bend};
    *patient = p;
    return SN_OK;
}

void sn_patient_destroy(snPatient *p)
{
    if (!p) return;
    sn_boxqp_destroy(p->qp);
    sn_dualqp_destroy(p->program);
    sn_path_destroy(p->path);
    sn_tree_destroy(p->tree);
    sn_free(p->block);
    sn_free(p->fused);
    sn_free(p->control);
    sn_free(p->load);
    sn_model_destroy(p->own);
    sn_free(p);
}

const snModel *sn_patient_model(const snPatient *p)
{
    if (!p) return NULL;
    return p->m;
}

void sn_patient_gravity(snPatient *p, const double gravity[3])
{
    if (!p) return;
    p->gravity = p->upright = v3_load(gravity);
}

void sn_patient_turn(snPatient *p, double angle)
{
    if (!p) return;
    v3 axis = p->m->fixed_axis;
    p->gravity = v3_dot(axis, axis) > 0 ? q_rotate(q_axis_angle(v3_unit(axis), -angle), p->upright) : p->upright;
}

/* ---- forward dynamics ----------------------------------------------------------------------- */

void sn_patient_apply(const snPatient *p, snTreeSim *sim)
{
    memcpy(sim->strength, p->strength, sizeof *sim->strength * (size_t)p->np);
    memcpy(sim->weight, p->passive, sizeof *sim->weight * (size_t)p->np);
    sim->gravity = p->gravity;
    sim->nload = p->nload < SN_TREE_MAX_LOAD ? p->nload : SN_TREE_MAX_LOAD;
    for (int32_t i = 0; i < sim->nload; ++i) {
        sim->load[i] = (snTreeLoad){.link = p->load[i].link, .turns = true};
        v3_store(sim->load[i].point, p->load[i].point);
        v3_store(sim->load[i].force, v3_scale(p->load[i].force, p->load_scale));
    }
}

void sn_patient_drive(const snPatient *p, const double *activation, snTreeSim *sim)
{
    for (int32_t i = 0; i < p->np; ++i) sim->activation[i] = activation[p->s->path_unit[i]];
}

snTreeSim *sn_patient_sim(const snPatient *p)
{
    snTreeSim *sim = sn_treesim_create(&p->s->tree, &p->s->path);
    if (!sim) return NULL;
    sim->full = true, sim->fused = p->fused, sim->compression = p->s->compression;
    sn_patient_apply(p, sim);
    return sim;
}
