/* The certificate of a model: arms by two ways, and where lengths and arms jump.
 *
 * From pose to pose a smooth length changes by h (P_a + P_b) / 2 up to h^3 l''' / 12, which at a degree is 1e-8 m; what
 * is left over beyond that, or a change of P that differs much from those beside it, is looked into. On a tree the step
 * is halved thirty times, each time on the side where more is left: a jump stays as large as it was, while a bend
 * that is only sharp shrinks with the step. Strands settle with a remainder of their own, so that there the step
 * itself is the measure, against thresholds that are wide enough for it. */
#include "analysis/own/certify.h"
#include "analysis/line_arms.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 30, FIRST_LOOK = 8 };
static const double LEFT_OVER = 1e-6;                        /* m: more than any smooth path leaves in a degree */
static const double STRAND_LENGTH = 5e-4, STRAND_ARM = 1e-3; /* m: smallest jumps that strands are trusted with */
static const double WIDEST = SN_PI / 2, WIDEST_SLIDE = 0.02; /* of random values without limits */

typedef struct Certify {
    const snModel *m;
    snCertifyDef def;
    snLineArms at; /* on a tree */
    double *pose;  /* ncoord */
    snCertificate *out;
    int32_t jump_capacity;
} Certify;

void sn_certificate_destroy(snCertificate *c)
{
    if (!c) return;
    sn_free(c->pair);
    sn_free(c->jump);
    sn_free(c);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

static snStatus add_jump(Certify *c, snJump jump)
{
    if (c->out->njump == c->jump_capacity) {
        int32_t more = 2 * c->jump_capacity + 64;
        snJump *room = sn_realloc(c->out->jump, (size_t)c->jump_capacity, (size_t)more, sizeof *room);
        if (!room) return SN_NO_MEMORY;
        c->out->jump = room, c->jump_capacity = more;
    }
    c->out->jump[c->out->njump++] = jump;
    return SN_OK;
}

/* A pose on the way, as seen by one path about one coordinate: value, length, dl/dq. */
typedef struct Sample {
    double q, length, slope;
} Sample;

static Sample sample_at(Certify *c, const snArmCurve *curve, double q)
{
    Sample s = {.q = q};
    c->at.q[curve->coordinate] = q;
    s.length = sn_line_at(&c->at, curve->strand, curve->coordinate, &s.slope);
    return s;
}

static double left_over(Sample a, Sample b)
{
    return fabs(b.length - a.length - (b.q - a.q) * (a.slope + b.slope) / 2);
}

/* Both kinds of jump count: of the half without one there is next to nothing. */
static double roughness(Sample a, Sample b)
{
    return left_over(a, b) + (b.q - a.q) * fabs(b.slope - a.slope);
}

/* Halves a step until a jump is all that is left of it. */
static snStatus look_into(Certify *c, const snArmCurve *curve, Sample a, Sample b, int32_t pose)
{
    double length = left_over(a, b), slope = fabs(b.slope - a.slope), q = c->at.q[curve->coordinate];
    bool smooth = false;
    for (int i = 0; i < HALVINGS && !smooth; ++i) {
        Sample middle = sample_at(c, curve, (a.q + b.q) / 2);
        if (roughness(a, middle) > roughness(middle, b))
            b = middle;
        else
            a = middle;
        smooth = i == FIRST_LOOK && left_over(a, b) < length / 16 && fabs(b.slope - a.slope) < slope / 16;
    }
    c->at.q[curve->coordinate] = q;
    if (smooth) return SN_OK;
    snJump jump = {.kind = SN_JUMP_LENGTH,
                   .strand = curve->strand,
                   .coordinate = curve->coordinate,
                   .slides = curve->slides,
                   .value = (a.q + b.q) / 2,
                   .size = left_over(a, b),
                   .before = a.length,
                   .after = b.length,
                   .pose = pose};
    if (jump.size >= c->def.length_jump) return add_jump(c, jump);
    jump.kind = SN_JUMP_ARM, jump.before = -a.slope, jump.after = -b.slope;
    jump.size = fabs(b.slope - a.slope);
    return jump.size >= c->def.arm_jump ? add_jump(c, jump) : SN_OK;
}

static double step_of(const snArmCurve *curve, int32_t k)
{
    return k < 0 || k + 1 >= curve->count ? NAN : curve->work[k + 1] - curve->work[k];
}

static snStatus look_at_lines(Certify *c, const snArmCurve *curve, int32_t pose)
{
    snStatus status = SN_OK;
    for (int32_t k = 0; status == SN_OK && k + 1 < curve->count; ++k) {
        Sample a = {curve->q[k], curve->length[k], -curve->work[k]};
        Sample b = {curve->q[k + 1], curve->length[k + 1], -curve->work[k + 1]};
        double step = step_of(curve, k), before = step_of(curve, k - 1), after = step_of(curve, k + 1);
        bool odd = fabs(step - before) > c->def.arm_jump / 2 || fabs(step - after) > c->def.arm_jump / 2;
        if (odd || left_over(a, b) > LEFT_OVER) status = look_into(c, curve, a, b, pose);
    }
    return status;
}

static snStatus look_at_strand(Certify *c, const snArmCurve *curve, int32_t pose)
{
    double least_length = fmax(STRAND_LENGTH, c->def.length_jump), least_arm = fmax(STRAND_ARM, c->def.arm_jump);
    snStatus status = SN_OK;
    for (int32_t k = 0; status == SN_OK && k + 1 < curve->count; ++k) {
        Sample a = {curve->q[k], curve->length[k], -curve->path[k]};
        Sample b = {curve->q[k + 1], curve->length[k + 1], -curve->path[k + 1]};
        snJump jump = {.kind = SN_JUMP_LENGTH,
                       .strand = curve->strand,
                       .coordinate = curve->coordinate,
                       .slides = curve->slides,
                       .value = (a.q + b.q) / 2,
                       .size = left_over(a, b),
                       .before = a.length,
                       .after = b.length,
                       .pose = pose};
        if (jump.size < least_length) {
            jump.kind = SN_JUMP_ARM, jump.before = curve->excursion[k], jump.after = curve->excursion[k + 1];
            jump.size = fabs(jump.after - jump.before);
            if (!(jump.size >= least_arm)) continue;
        }
        status = add_jump(c, jump);
    }
    return status;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static snCertifyPair *pair_of(Certify *c, int32_t strand, int32_t coordinate)
{
    for (int32_t i = 0; i < c->out->npair; ++i)
        if (c->out->pair[i].strand == strand && c->out->pair[i].coordinate == coordinate) return &c->out->pair[i];
    return NULL;
}

static void compare_at(Certify *c, snCertifyPair *pair, double a, double b)
{
    if (!isfinite(a) || !isfinite(b)) {
        ++c->out->slack;
        return;
    }
    ++c->out->measured;
    double difference = fabs(a - b);
    pair->worst = fmax(pair->worst, difference);
    if (difference <= c->out->worst_difference) return;
    c->out->worst_difference = difference;
    c->out->worst_pair = (int32_t)(pair - c->out->pair);
}

static void compare_curve(Certify *c, snCertifyPair *pair, const snArmCurve *curve)
{
    for (int32_t k = 0; k < curve->count; ++k) compare_at(c, pair, curve->work[k], curve->excursion[k]);
}

static snStatus look_at(Certify *c, const snArmCurve *curve, int32_t pose)
{
    return c->m->skeleton ? look_at_lines(c, curve, pose) : look_at_strand(c, curve, pose);
}

static snArmDef arm_def(const Certify *c)
{
    snArmDef def = sn_default_arm_def();
    def.turn = c->def.turn, def.slide = c->def.slide, def.threads = c->def.threads;
    def.whole = true;
    return def;
}

/* Every coordinate by itself. */
static snStatus certify_alone(Certify *c, snError *error)
{
    snArmDef def = arm_def(c);
    snArms *arms = NULL;
    def.progress = c->def.progress;
    snStatus status = sn_moment_arms(c->m, &def, &arms, error);
    if (status != SN_OK) return status;
    c->out->pair = SN_NEW_ARRAY(snCertifyPair, arms->ncurve);
    if (!c->out->pair) status = sn_fail_no_memory(error);
    for (int32_t i = 0; status == SN_OK && i < arms->ncurve; ++i) {
        const snArmCurve *curve = &arms->curve[i];
        snCertifyPair *pair = &c->out->pair[c->out->npair++];
        *pair = (snCertifyPair){.strand = curve->strand,
                                .coordinate = curve->coordinate,
                                .slides = curve->slides,
                                .range = {curve->q[0], curve->q[curve->count - 1]},
                                .mean = curve->mean,
                                .neutral = curve->neutral,
                                .steepest = curve->jump};
        compare_curve(c, pair, curve);
        if (look_at(c, curve, 0) != SN_OK) status = sn_fail_no_memory(error);
    }
    sn_arms_destroy(arms);
    return status;
}

/* ---- random poses --------------------------------------------------------------------------- */

static void draw_pose(Certify *c, int32_t number)
{
    const snModel *m = c->m;
    for (int32_t i = 0; i < m->ncoord; ++i) {
        uint64_t bits = sn_mix(sn_mix(sn_mix(c->def.seed) + (uint64_t)number) + (uint64_t)i);
        bool slides = m->skeleton && m->skeleton->tree.slides[i];
        double widest = slides ? WIDEST_SLIDE : WIDEST;
        double rest = fmin(fmax(0, m->coord_lower[i]), m->coord_upper[i]);
        double lower = isfinite(m->coord_lower[i]) ? m->coord_lower[i] : rest - widest;
        double upper = isfinite(m->coord_upper[i]) ? m->coord_upper[i] : rest + widest;
        c->pose[i] = lower + (upper - lower) * ((double)(bits >> 11) * 0x1p-53);
    }
}

/* On a tree: the arms about all coordinates at the pose itself. */
static void compare_pose(Certify *c)
{
    int32_t pair = 0;
    memcpy(c->at.q, c->pose, (size_t)c->m->ncoord * sizeof(double));
    for (int32_t i = 0; i < c->m->ncoord; ++i) {
        if (pair == c->out->npair || c->out->pair[pair].coordinate != i) continue;
        sn_line_measure(&c->at, i);
        for (; pair < c->out->npair && c->out->pair[pair].coordinate == i; ++pair) {
            int32_t p = c->out->pair[pair].strand;
            compare_at(c, &c->out->pair[pair], c->at.derivative[p], c->at.quotient[p]);
        }
    }
}

/* One coordinate through its range from there. */
static snStatus certify_pose(Certify *c, int32_t number, int32_t coordinate, snError *error)
{
    snArmDef def = arm_def(c);
    snArms *arms = NULL;
    def.pose = c->pose, def.coordinate = &coordinate, def.ncoordinate = 1;
    snStatus status = sn_moment_arms(c->m, &def, &arms, error);
    for (int32_t i = 0; status == SN_OK && i < arms->ncurve; ++i) {
        snCertifyPair *pair = pair_of(c, arms->curve[i].strand, coordinate);
        if (pair) compare_curve(c, pair, &arms->curve[i]);
        if (pair && look_at(c, &arms->curve[i], number) != SN_OK) status = sn_fail_no_memory(error);
    }
    sn_arms_destroy(arms);
    return status;
}

/* The coordinate whose turn it is: the next one that some pair has. */
static int32_t next_coordinate(const Certify *c, int32_t *pair)
{
    int32_t last = c->out->pair[*pair].coordinate;
    while (*pair < c->out->npair && c->out->pair[*pair].coordinate == last) ++*pair;
    if (*pair == c->out->npair) *pair = 0;
    return last;
}

static snStatus certify_random(Certify *c, snError *error)
{
    snProgress p = c->def.progress;
    snStatus status = SN_OK;
    for (int32_t k = 1, pair = 0; status == SN_OK && k <= c->def.poses; ++k) {
        draw_pose(c, k);
        if (c->m->skeleton) compare_pose(c);
        status = certify_pose(c, k, next_coordinate(c, &pair), error);
        c->out->poses += status == SN_OK;
        if (p.call && p.call(p.user, "random poses", k, c->def.poses))
            status = sn_fail(error, SN_CANCELLED, "%s", sn_status_text(SN_CANCELLED));
    }
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    double x = ((const snJump *)a)->size, y = ((const snJump *)b)->size;
    bool first = ((const snJump *)a)->kind == SN_JUMP_LENGTH, second = ((const snJump *)b)->kind == SN_JUMP_LENGTH;
    if (first != second) return first ? -1 : 1;
    return x > y ? -1 : x < y;
}

static snStatus certify(Certify *c, snError *error)
{
    c->out = SN_NEW(snCertificate);
    c->pose = SN_NEW_ARRAY(double, c->m->ncoord);
    if (!c->out || !c->pose || (c->m->skeleton && !sn_line_arms_create(c->m, &c->at))) return sn_fail_no_memory(error);
    snStatus status = certify_alone(c, error);
    if (status == SN_OK && c->out->npair) status = certify_random(c, error);
    if (status != SN_OK) return status;
    if (!c->out->measured) {
        sn_fail(error, SN_BAD_INPUT,
                c->out->npair ? "nothing was measured: every muscle is slack at every pose"
                              : "nothing was measured: no muscle crosses a joint of the model");
        sn_error_remedy(error, "sinew info MODEL --list shows what the model contains");
        return SN_BAD_INPUT;
    }
    if (c->out->njump) qsort(c->out->jump, (size_t)c->out->njump, sizeof *c->out->jump, by_size);
    for (int32_t i = 0; i < c->out->njump; ++i) ++pair_of(c, c->out->jump[i].strand, c->out->jump[i].coordinate)->njump;
    return SN_OK;
}

snStatus sn_certify(const snModel *m, const snCertifyDef *def, snCertificate **certificate, snError *error)
{
    if (!m || !certificate) return sn_fail_argument(error, "the model or the place for the certificate is NULL");
    Certify c = {.m = m, .def = sn_default_certify_def()};
    if (def && SN_TAKE_DEF(def, snCertifyDef, c.def, error)) return SN_BAD_ARGUMENT;
    if (!(c.def.turn > 0 && c.def.slide > 0 && c.def.length_jump > 0 && c.def.arm_jump > 0 && c.def.poses >= 0))
        return sn_fail_argument(error, "steps and smallest jumps must be above 0, the poses not below 0");
    snStatus status = certify(&c, error);
    sn_line_arms_free(&c.at);
    sn_free(c.pose);
    if (status == SN_OK)
        *certificate = c.out;
    else
        sn_certificate_destroy(c.out);
    return status;
}
