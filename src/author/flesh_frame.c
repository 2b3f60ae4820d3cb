/* Frames of flesh: prediction by the bones, the rest that follows, smaller steps where it does not come. */
#include "author/flesh_model.h"

#include "author/own/flesh.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "geom/deform.h"
#include "sinew/sim.h"

#include <string.h>

enum { CONTACT_ROUNDS = 5 };

/* How firmly a belly follows its tendons: twice and a half as stiff along its fibres as the flesh around it. */
static const double FOLLOW = 4;

typedef struct {
    snFlesh *f;
    const double *pose;
    double *to;
} Skinning;

static void skin_rows(void *context, int32_t first, int32_t last)
{
    const Skinning *s = context;
    const snFlesh *f = s->f;
    for (int32_t i = first; i < last; ++i) {
        v3 sum = {0}, p = v3_load(f->tissue.rest + 4 * (size_t)i);
        for (int k = 0; k < SN_FLESH_BONES; ++k) {
            size_t at = SN_FLESH_BONES * (size_t)i + (size_t)k;
            const double *rest = f->anatomy.rest + 7 * f->body[at], *now = s->pose + 7 * f->body[at];
            v3 local = q_unrotate(q_load(rest + 3), v3_sub(p, v3_load(rest)));
            sum = v3_mad(sum, f->weight[at], v3_add(v3_load(now), q_rotate(q_load(now + 3), local)));
        }
        v3_store(s->to + 4 * (size_t)i, sum);
    }
}

/* Gravity beyond what the drawn shape carries: that shape turns with the nearest bone. */
static void weigh_rows(void *context, int32_t first, int32_t last)
{
    const Skinning *s = context;
    snFlesh *f = s->f;
    v3 g = v3_load(f->gravity);
    for (int32_t i = first; i < last; ++i) {
        int32_t body = f->body[SN_FLESH_BONES * (size_t)i];
        quat turn = q_mul(q_load(s->pose + 7 * body + 3), q_conj(q_load(f->anatomy.rest + 7 * body + 3)));
        v3_store(f->tissue.weight_force + 4 * (size_t)i, v3_scale(v3_sub(g, q_rotate(turn, g)), f->tissue.mass[i]));
    }
}

void sn_flesh_restart(snFlesh *f)
{
    size_t n = 4 * (size_t)f->tissue.n * sizeof(double);
    memcpy(f->tissue.x, f->tissue.rest, n), memcpy(f->predicted, f->tissue.rest, n);
    memcpy(f->good, f->tissue.rest, n), memcpy(f->before, f->tissue.rest, n);
    memcpy(f->pose, f->anatomy.rest, 7 * (size_t)f->anatomy.nbody * sizeof *f->pose);
    for (int32_t i = 0; i < f->ndrive; ++i) f->drive[i] = i < sn_count(f->anatomy.model, SN_ITEM_MUSCLE) ? 0 : 1;
    f->started = false, f->frames_moved = 0;
}

/* Stretch of every belly that tendons leave it in a pose: those of line muscles do not stretch, so that the belly takes
 * up all of the path's change. Beyond the limits a belly folds or its tendon gives way. */
static snStatus find_lengths(snFlesh *f, const double *pose, double *length)
{
    const snAnatomy *a = &f->anatomy;
    snStatus status = sn_line_points(a->model, pose, f->line);
    for (int32_t i = 0; i < a->nstrand && status == SN_OK; ++i) {
        const snFleshStrand *s = &a->strand[i];
        if (s->line < 0) continue;
        double longer = sn_line_length(f->line + s->path_start, s->path_count) - s->path_length;
        length[i] = fmin(fmax(1 + longer / s->length, 0.5), 1.5);
    }
    return status;
}

static void set_muscles(snFlesh *f, const double *drive)
{
    const snAnatomy *a = &f->anatomy;
    int32_t nmuscle = sn_count(a->model, SN_ITEM_MUSCLE);
    for (int32_t m = 0; m < nmuscle; ++m) f->tissue.muscle[m].activation = drive[m];
    for (int32_t i = 0; i < a->nstrand; ++i) {
        const snFleshStrand *s = &a->strand[i];
        if (s->line >= 0)
            f->tissue.muscle[s->fibers] = (snFiberState){drive[s->muscle], s->optimum, FOLLOW, drive[nmuscle + i]};
    }
}

/* Moves the bones; the nodes go as the bones take them. */
static void move_bones(snFlesh *f, const double *pose, const double *drive)
{
    snTissue *t = &f->tissue;
    double *next = t->trial;
    Skinning s = {f, pose, next};
    sn_rows_loop(f->pool, 0, t->n, skin_rows, &s);
    for (int32_t i = 0; i < t->n; ++i)
        for (int d = 0; d < 3; ++d) {
            size_t at = 4 * (size_t)i + (size_t)d;
            t->x[at] += next[at] - f->predicted[at];
            f->predicted[at] = next[at];
        }
    if (f->def.gravity) sn_rows_loop(f->pool, 0, t->n, weigh_rows, &s);
    set_muscles(f, drive);
    sn_tissue_pose(t, pose);
}

/* What the flesh has moved beside the bones since the frame before, and how that has changed, for the next one to go on
 * with. */
static void note_drift(snFlesh *f)
{
    for (int32_t i = 0; i < 4 * f->tissue.n; ++i) {
        double beside = f->tissue.x[i] - f->predicted[i], drift = f->frames_moved >= 2 ? beside - f->beside[i] : 0;
        f->turn[i] = f->frames_moved >= 3 ? drift - f->drift[i] : 0;
        f->drift[i] = drift;
        f->beside[i] = beside;
    }
}

/* Goes on with one more part of the drift where that is nearer to rest. */
static void follow(snFlesh *f, const double *way, double *energy)
{
    snTissue *t = &f->tissue;
    for (int32_t i = 0; i < 4 * t->n; ++i) t->trial[i] = t->x[i] + way[i];
    double there = sn_tissue_evaluate(t, t->trial, NULL).energy;
    if (!(there < *energy)) return;
    double *old = t->x;
    t->x = t->trial, t->trial = old, *energy = there;
}

static void follow_drift(snFlesh *f)
{
    if (f->frames_moved < 2) return;
    sn_flesh_contact_forget(f);
    double energy = sn_tissue_evaluate(&f->tissue, f->tissue.x, NULL).energy;
    follow(f, f->drift, &energy);
    if (f->frames_moved >= 3) follow(f, f->turn, &energy);
}

static void note(snFlesh *f, const snTissueReport *r)
{
    snFleshInfo *i = &f->info;
    i->newton += r->newton, i->cg += r->cg, i->projected += r->projected, i->halvings += r->halvings;
    i->energy = r->energy, i->least_j = r->least, i->inverted = r->inverted, i->step = r->step,
    i->residual = r->residual;
    i->converged = r->converged;
    i->evaluate_s += r->evaluate_s, i->assemble_s += r->assemble_s, i->coarsen_s += r->coarsen_s, i->cg_s += r->cg_s;
}

/* Rest under these bones, with what touches found anew until the flesh stays, a few times at most: single points at the
 * rim of a part may change planes for ever. Until then no more precision is asked for than the planes have. */
static bool settle(snFlesh *f)
{
    snTissueSettings s = sn_default_tissue_settings();
    sn_flesh_contact_forget(f);
    f->info.contacts = 0;
    for (int round = 0;; ++round) {
        bool last = !f->def.contact || sn_flesh_contact_update(f) == 0 || round == CONTACT_ROUNDS;
        s.tolerance = last ? f->def.tolerance : fmax(f->def.tolerance, 1e-4 / (1 << round));
        s.project = round == 0;
        snTissueReport r = sn_tissue_solve(&f->tissue, &s);
        note(f, &r);
        if (!r.converged) return false;
        if (last || r.first <= f->def.tolerance) return true;
    }
}

/* From where it was to the new bones in equal parts. */
static bool go_by_parts(snFlesh *f, const double *pose, const double *drive, int32_t parts)
{
    for (int32_t k = 1; k <= parts; ++k) {
        double t = (double)k / parts;
        for (int32_t b = 0; b < f->anatomy.nbody; ++b) {
            const double *a = f->pose + 7 * b, *c = pose + 7 * b;
            quat turn = q_mul(q_load(c + 3), q_conj(q_load(a + 3)));
            v3_store(f->part_pose + 7 * b, v3_lerp(v3_load(a), v3_load(c), t));
            q_store(f->part_pose + 7 * b + 3, q_unit(q_mul(q_exp(v3_scale(q_log(turn), t)), q_load(a + 3))));
        }
        for (int32_t m = 0; m < f->ndrive; ++m) f->part_drive[m] = f->drive[m] + t * (drive[m] - f->drive[m]);
        move_bones(f, k == parts ? pose : f->part_pose, k == parts ? drive : f->part_drive);
        if (parts == 1) follow_drift(f);
        f->info.substeps = parts;
        if (!settle(f) && k == parts) return false;
    }
    return true;
}

/* The state at the end of the frame before. */
static void go_back(snFlesh *f)
{
    memcpy(f->tissue.x, f->good, 4 * (size_t)f->tissue.n * sizeof(double));
    Skinning s = {f, f->pose, f->predicted};
    sn_rows_loop(f->pool, 0, f->tissue.n, skin_rows, &s);
}

/* Tries the whole way, then smaller steps, then from the drawn pose; the first frame comes from there anyway. */
static bool find_rest(snFlesh *f, const double *pose, const double *drive)
{
    static const int32_t parts[] = {1, 4, 16};
    memcpy(f->good, f->tissue.x, 4 * (size_t)f->tissue.n * sizeof(double));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (i > 0) go_back(f);
        if (go_by_parts(f, pose, drive, parts[i]) && f->info.inverted == 0) return true;
    }
    if (!f->started) return false;
    double moved = f->frames_moved;
    sn_flesh_restart(f);
    f->frames_moved = moved;
    return go_by_parts(f, pose, drive, parts[2]);
}

/* The parts of a state, in the order in which they are stored: what a frame leaves to the next. */
enum { STATE_PARTS = 8 };
typedef struct {
    void *at;
    size_t size;
} Part;

static void list_state(snFlesh *f, Part part[STATE_PARTS])
{
    size_t n = 4 * (size_t)f->tissue.n * sizeof(double);
    part[0] = (Part){f->tissue.x, n}, part[1] = (Part){f->predicted, n}, part[2] = (Part){f->before, n};
    part[3] = (Part){f->pose, 7 * (size_t)f->anatomy.nbody * sizeof(double)};
    part[6] = (Part){f->beside, n}, part[7] = (Part){f->drift, n};
    part[4] = (Part){f->drive, (size_t)f->ndrive * sizeof(double)},
    part[5] = (Part){&f->frames_moved, sizeof f->frames_moved};
}

size_t sn_flesh_save(const snFlesh *flesh, void *bytes)
{
    if (!flesh) return 0;
    Part part[STATE_PARTS];
    snFlesh view = *flesh; /* what list_state points to may be changed, the flesh is not */
    size_t size = 0;
    list_state(&view, part);
    for (int i = 0; i < STATE_PARTS; size += part[i++].size)
        if (bytes) memcpy((char *)bytes + size, part[i].at, part[i].size);
    return size;
}

snStatus sn_flesh_load(snFlesh *flesh, const void *bytes, size_t size, snError *error)
{
    if (!flesh || !bytes) return sn_fail_argument(error, "sn_flesh_load without flesh or bytes");
    if (size != sn_flesh_save(flesh, NULL))
        return sn_fail(error, SN_BAD_INPUT, "a state of %zu bytes does not fit this flesh", size);
    Part part[STATE_PARTS];
    list_state(flesh, part);
    const char *at = bytes;
    for (int i = 0; i < STATE_PARTS; at += part[i++].size) memcpy(part[i].at, at, part[i].size);
    flesh->started = flesh->frames_moved > 0;
    return SN_OK;
}

static double volume_of(const snDeformSurface *s, const double *point)
{
    double sum = 0;
    for (int32_t t = 0; t < s->ntriangle; ++t) {
        const int32_t *c = s->triangle + 3 * t;
        sum += v3_dot(v3_load(point + 3 * c[0]), v3_cross(v3_load(point + 3 * c[1]), v3_load(point + 3 * c[2]))) / 6;
    }
    return sum;
}

typedef struct {
    const snFlesh *f;
    double *point;
} Output;

static void place_points(void *context, int32_t first, int32_t last)
{
    const Output *o = context;
    for (int32_t i = first; i < last; ++i)
        v3_store(o->point + 3 * (size_t)i, sn_embedded_at(&o->f->tissue.lattice, &o->f->embedded[i], o->f->tissue.x));
}

/* Where the nodes would go by themselves, for the inertia. */
static void throw_nodes(snFlesh *f)
{
    snTissue *t = &f->tissue;
    t->step = f->def.jiggle > 0 && f->frames_moved >= 1 ? f->def.jiggle : 0;
    for (int32_t i = 0; i < 4 * t->n; ++i) {
        t->inertia_at[i] = f->frames_moved >= 2 ? 2 * t->x[i] - f->before[i] : t->x[i];
        f->before[i] = t->x[i];
    }
}

static snStatus deform(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error)
{
    snFlesh *f = self;
    double start = sn_clock();
    int32_t nmuscle = sn_count(f->anatomy.model, SN_ITEM_MUSCLE);
    f->info = (snFleshInfo){0};
    if (frame->restart) sn_flesh_restart(f);
    throw_nodes(f);
    note_drift(f);
    for (int32_t b = 0; b < 7 * f->anatomy.nbody; ++b)
        if (!isfinite(frame->pose[b])) return sn_fail(error, SN_BAD_INPUT, "the pose of a bone is not a number");
    for (int32_t m = 0; m < nmuscle; ++m) f->target[m] = frame->activation ? frame->activation[m] : 0;
    if (find_lengths(f, frame->pose, f->target + nmuscle) != SN_OK) return sn_fail_no_memory(error);
    (void)find_rest(f, frame->pose, f->target);
    memcpy(f->pose, frame->pose, 7 * (size_t)f->anatomy.nbody * sizeof *f->pose);
    memcpy(f->drive, f->target, (size_t)f->ndrive * sizeof *f->target);
    f->started = true, ++f->frames_moved;
    Output output = {f, point};
    sn_rows_loop(f->pool, 0, f->npoint, place_points, &output);
    f->info.deepest = sn_flesh_contact_deepest(f);
    f->info.volume_ratio = volume_of(&f->surface[0], point) / f->volume;
    f->info.seconds = sn_clock() - start;
    info->iterations = f->info.newton, info->converged = f->info.converged, info->residual = f->info.residual;
    return SN_OK;
}

static void destroy(void *self)
{
    sn_flesh_destroy(self);
}

snStatus sn_flesh_deformer(snFlesh *flesh, snDeformer **deformer, snError *error)
{
    if (!flesh) return sn_fail_argument(error, "sn_flesh_deformer without flesh");
    snDeformerDef def = sn_default_deformer_def();
    def.nsurface = flesh->nsurface, def.surface = flesh->surface, def.self = flesh;
    def.deform = deform, def.destroy = destroy;
    return sn_deformer_create(&def, deformer, error);
}
