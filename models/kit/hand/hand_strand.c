/* Strands of the hand: curves through the points of each path, fibres and tendon on one strand, eyelets, surfaces.
 *
 * Control points lie close where the strand slides through eyelets, including the stretch of strand that passes them
 * over the range of motion, and far apart elsewhere. They start on the polyline and are moved least so that the curve
 * meets every eyelet exactly: no overshoot, no path that differs from the table. */
#include "hand/hand.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"
#include "strand/strand.h"

#include <stdio.h>

enum { MAX_SPANS = 120 };

/* Tendons stretch by 8 % under the maximal force of their muscle: softer than living ones (3 to 5 %), which would need
 * closer control points, and the same to the eye. */
#define TENDON_FORCES 12.0

/* Optimal lengths a second at which fibres shorten without force: human muscle, mixed. */
#define MAX_VELOCITY 10.0

/* Two bends close together need closer control points when they are at least as sharp as this. */
#define TIGHT_KINK (30 * SN_DEG)

/* The passive law of the fibres is normalised by the length at which passive force begins. Below it they keep a tone of
 * a thousandth of the maximal force, so that strands neither sag nor go slack at any length. The active laws are
 * normalised by the optimal length. That of splines is Hill's below it and level above, since a falling branch lets the
 * pieces of a belly in series tear apart. A path has one belly in one piece: its law follows the overlap of the
 * filaments of a human sarcomere. With thick filaments as in the frog (no force at 1.27 um, a bend at 1.7 [Gordon et
 * al. 1966]) and longer thin ones (a plateau around the optimal 2.7 um, no overlap left at 4.2) the corners are at
 * 0.47, 0.63, 0.97 to 1.04 and 1.57; rounded, since fibres differ, and with nothing left at 0.5 and 1.6. */
static const double passive_stretch[] = {0.2, 0.6, 0.9, 1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5};
static const double passive_force[] = {0.0004, 0.0008, 0.0010, 0.0015, 0.006, 0.015, 0.032, 0.06, 0.16, 0.32, 0.55};
static const double active_stretch[] = {0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 2.0};
static const double overlap_stretch[] = {0.3, 0.5, 0.56, 0.63, 0.75, 0.87, 0.97, 1.04, 1.15, 1.3, 1.45, 1.6, 2.0};
static const double overlap_force[] = {0, 0, 0.22, 0.52, 0.74, 0.92, 1, 1, 0.86, 0.55, 0.24, 0, 0};
static const double active_force[] = {0.05, 0.336, 0.449, 0.574, 0.701, 0.819, 0.915, 0.978, 1.0, 1.0, 1.0};

/* Bands of the extensor hood are tendon above their rest length; below it they keep a little tension, so that they lie
 * still while the other slips carry the load. */
static const double band_stretch[] = {0.5, 0.8, 0.95, 0.99, 1.0, 1.01, 1.05, 1.1, 1.2, 1.5};
static const double band_force[] = {0.001, 0.002, 0.003, 0.005, 0.02, 0.1, 0.58, 1.18, 2.38, 5.98};

/* A path laid out: arc length of its points from the origin, and which piece of strand may pass each of them. */
typedef struct course {
    const snHandMuscle *muscle;
    int32_t n;
    v3 at[SN_HAND_MAX_PATH];
    double neutral[SN_HAND_MAX_PATH]; /* length from each point to the insertion into a bone */
    double x[SN_HAND_MAX_PATH], low[SN_HAND_MAX_PATH], high[SN_HAND_MAX_PATH];
    snHandBend bend[SN_HAND_MAX_PATH];
    double length, belly; /* belly: its length, from the origin */
    double fiber_neutral; /* over the optimal length */
    double fiber_slack;   /* the same where passive force begins */
    bool path;            /* a strand of kind path */
    double knot[MAX_SPANS + 8], point[3 * (MAX_SPANS + 4)];
    int32_t npoint;
} course;

/* The point of a polyline nearest to p. */
static v3 nearest_on(const snHand *hand, int32_t muscle, v3 p)
{
    const snHandMuscle *m = &hand->muscle.at[muscle];
    v3 best = hand->point.at[m->first].at;
    for (int32_t i = 1; i < m->npoint; ++i) {
        v3 a = hand->point.at[m->first + i - 1].at, d = v3_sub(hand->point.at[m->first + i].at, a);
        double t = v3_dot(v3_sub(p, a), d) / v3_len2(d);
        v3 c = v3_mad(a, t < 0 ? 0 : t > 1 ? 1 : t, d);
        if (v3_dist(c, p) < v3_dist(best, p)) best = c;
    }
    return best;
}

/* Passive force begins where single joints in the middle four fifths of their range stretch the fibres to, or most of
 * what they do together, and never below the optimal length. */
static void set_fibers(const snHand *hand, int32_t muscle, course *c)
{
    double least[SN_HAND_MAX_PATH], most[SN_HAND_MAX_PATH], together[SN_HAND_MAX_PATH];
    double optimal = c->muscle->fiber_length * cos(c->muscle->pennation);
    double neutral = c->path ? c->muscle->fiber_neutral_path : c->muscle->fiber_neutral;
    c->belly = neutral * optimal;
    if (c->length - c->belly < 0.008) c->belly = c->length, neutral = c->belly / optimal;
    sn_hand_excursion(hand, muscle, 0.8, false, least, most);
    sn_hand_excursion(hand, muscle, 0.8, true, least, together);
    double longest = fmax(most[0] - c->neutral[0], 0.7 * (together[0] - c->neutral[0]));
    c->fiber_neutral = neutral;
    c->fiber_slack = fmax(fmax(neutral + longest / optimal, 1.02 * neutral), 1);
}

static void lay_out(const snHand *hand, int32_t muscle, bool path, course *c)
{
    double least[SN_HAND_MAX_PATH], most[SN_HAND_MAX_PATH], q[SN_HAND_MAX_COORDINATE] = {0};
    double shortest[SN_HAND_MAX_PATH], longest[SN_HAND_MAX_PATH];
    rigid motion[SN_HAND_MAX_BODY];
    *c = (course){.muscle = &hand->muscle.at[muscle], .n = hand->muscle.at[muscle].npoint, .path = path};
    for (int32_t i = 0; i < c->n; ++i) {
        c->at[i] = hand->point.at[c->muscle->first + i].at;
        if (i == 0 && c->muscle->on >= 0) c->at[0] = nearest_on(hand, c->muscle->on, c->at[0]);
        if (i == c->n - 1 && c->muscle->into >= 0) c->at[i] = nearest_on(hand, c->muscle->into, c->at[i]);
        c->x[i] = i ? c->x[i - 1] + v3_dist(c->at[i - 1], c->at[i]) : 0;
    }
    c->length = c->x[c->n - 1];
    sn_hand_pose(hand, q, motion);
    sn_hand_path_length(hand, motion, muscle, c->neutral);
    sn_hand_excursion(hand, muscle, 0.5, true, least, most);
    sn_hand_excursion(hand, muscle, 1, false, shortest, longest);
    for (int32_t i = 0; i < c->n; ++i) {
        c->low[i] = c->x[i] + c->neutral[i] - fmax(most[i], longest[i]);
        c->high[i] = c->x[i] + c->neutral[i] - fmin(least[i], shortest[i]);
    }
    sn_hand_bends(hand, muscle, c->bend);
    set_fibers(hand, muscle, c);
}

/* Distance between control points that point i of the path asks for where strand passes it: a bend of a quarter turn or
 * more needs the finest, a straight run little. A bend that is near its neighbour is sharper still. */
static double spacing_at(const course *c, const snHandDef *def, int32_t i)
{
    double near = fmin(i ? c->x[i] - c->x[i - 1] : 1, i + 1 < c->n ? c->x[i + 1] - c->x[i] : 1);
    double fine = def->fine_spacing * fmax(1, 2.5 - c->bend[i].kink / (20 * SN_DEG));
    return fmin(fine, fmax(0.8 * near, 0.5 * def->fine_spacing));
}

static double beyond(double x, double low, double high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

/* Where a joint at the end of its range brings two eyelets close together, the strand that lies there then makes both
 * bends within a few millimetres; from there on to what further joints may pull in. */
static double spacing_when_tight(const course *c, const snHandDef *def, int32_t i, double x)
{
    const snHandBend *b = &c->bend[i];
    double at = c->x[i] + c->neutral[i] - b->from_end, middle = (c->low[i] + c->high[i]) / 2,
           rim = 0.5 * def->fine_spacing;
    if (b->kink < TIGHT_KINK || b->gap > def->fine_spacing) return INFINITY;
    double low = at < middle ? fmin(at, c->low[i]) : at, high = at < middle ? at : fmax(at, c->high[i]);
    return fmax(0.8 * b->gap, 0.5 * def->fine_spacing) + 0.5 * beyond(x, low - rim, high + rim);
}

static double spacing(const course *c, const snHandDef *def, double x)
{
    double s = def->coarse_spacing;
    for (int32_t i = 0; i < c->n; ++i) {
        s = fmin(s, spacing_at(c, def, i) + 0.5 * beyond(x, c->low[i], c->high[i]));
        s = fmin(s, spacing_when_tight(c, def, i, x));
    }
    /* stiffness turns from belly to tendon over four spans: keep them short */
    double edge = c->belly < c->length ? fabs(x - c->belly) : 1, blend = 0.4 * def->coarse_spacing;
    return fmin(s, blend + 0.5 * fmax(edge - 2 * blend, 0));
}

/* Spans of the wanted lengths, as knots from 0 to 1; returns the number of control points. */
static int32_t place_knots(const course *c, const snHandDef *def, double *knot)
{
    enum { STEPS = 1000 };
    double sum = 0, so_far = 0, dx = c->length / STEPS;
    for (int i = 0; i < STEPS; ++i) sum += dx / spacing(c, def, (i + 0.5) * dx);
    int32_t spans = (int32_t)fmin(fmax(ceil(sum - 0.3), 4), MAX_SPANS), k = 0;
    for (int i = 0; i < 3; ++i) knot[k++] = 0;
    knot[k++] = 0;
    for (int i = 0; i < STEPS && k < spans + 3; ++i) {
        double more = dx / spacing(c, def, (i + 0.5) * dx) * spans / sum;
        while (k < spans + 3 && so_far + more >= k - 3) {
            knot[k] = (i + (k - 3 - so_far) / more) / STEPS;
            ++k;
        }
        so_far += more;
    }
    for (int i = 0; i < 4; ++i) knot[k++] = 1;
    return spans + 3;
}

static v3 on_polyline(const course *c, double x)
{
    int32_t i = 1;
    while (i + 1 < c->n && c->x[i] < x) ++i;
    return v3_lerp(c->at[i - 1], c->at[i], (x - c->x[i - 1]) / (c->x[i] - c->x[i - 1]));
}

/* Moves the inner control points least so that the curve passes through the inner points of the path: the points move
 * by B' (B B')^-1 times the misses. */
static bool meet_points(const course *c, const double *knot, int32_t n, double *point)
{
    enum { M = SN_HAND_MAX_PATH };
    double b[M][4], gram[M * M], miss[3][M];
    int32_t span[M], m = c->n - 2;
    if (m < 1) return true;
    for (int32_t i = 0; i < m; ++i) {
        span[i] = spline_basis(knot, n, c->x[i + 1] / c->length, 0, b[i], NULL, NULL);
        v3 p = v3_of(0, 0, 0);
        for (int k = 0; k < 4; ++k) {
            p = v3_mad(p, b[i][k], v3_load(point + 3 * (span[i] + k)));
            if (span[i] + k == 0 || span[i] + k == n - 1) b[i][k] = 0; /* the ends stay */
        }
        v3 d = v3_sub(c->at[i + 1], p);
        miss[0][i] = d.x, miss[1][i] = d.y, miss[2][i] = d.z;
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int32_t i = 0; i < m; ++i)
            for (int32_t j = 0; j < m; ++j) {
                double sum = i == j ? 1e-9 : 0;
                for (int k = 0; k < 4; ++k) {
                    int32_t l = span[i] + k - span[j];
                    if (l >= 0 && l < 4) sum += b[i][k] * b[j][l];
                }
                gram[i * m + j] = sum;
            }
        if (!sn_small_cholesky_solve(gram, miss[axis], m, 1)) return false;
        for (int32_t i = 0; i < m; ++i)
            for (int k = 0; k < 4; ++k) point[3 * (span[i] + k) + axis] += b[i][k] * miss[axis][i];
    }
    return true;
}

static snStatus draw(course *c, const snHandDef *def, snError *error)
{
    c->npoint = place_knots(c, def, c->knot);
    for (int32_t i = 0; i < c->npoint; ++i) {
        double greville = (c->knot[i + 1] + c->knot[i + 2] + c->knot[i + 3]) / 3;
        v3_store(c->point + 3 * i, on_polyline(c, greville * c->length));
    }
    if (meet_points(c, c->knot, c->npoint, c->point)) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "points of the path coincide");
    sn_error_element(error, "muscle", c->muscle->name);
    return SN_BAD_INPUT;
}

static snStatus add_curve(const course *c, snSpec *spec, snId parent)
{
    snNodeDef node = sn_default_node_def();
    node.name = c->muscle->name;
    node.kind = SN_NODE_CURVE;
    node.parent = parent;
    node.degree = 3;
    node.npoint = c->npoint, node.point = c->point;
    node.nknot = c->npoint + 4, node.knot = c->knot;
    return sn_add_node(spec, &node, NULL);
}

/* Rest lengths of what is wholly belly and of the rest, which the blend from belly to tendon
 * makes as stiff as tendon. */
typedef struct parts {
    double fibers, tendon;
} parts;

static parts parts_of(const course *c, const snStrandDef *def, double belly_end, double belly_rest_scale)
{
    snGauss gauss[2 * MAX_SPANS];
    double mass[4 * (MAX_SPANS + 4)];
    snStrandParams params = {.density = 1,
                             .radius = def->radius,
                             .stiffness = def->stiffness,
                             .tendon_stiffness = def->tendon_stiffness,
                             .belly_end = belly_end,
                             .max_force = 1,
                             .passive_scale = 1,
                             .active_scale = 1,
                             .rest_scale = 1,
                             .belly_rest_scale = belly_rest_scale,
                             .fiber_rest = 1};
    parts p = {0, 0};
    sn_strand_setup(c->knot, c->npoint, c->point, &params, gauss, mass);
    for (int32_t i = 0; i < sn_strand_gauss_count(c->knot, c->npoint); ++i) {
        if (gauss[i].share > 0.999)
            p.fibers += gauss[i].weight;
        else
            p.tendon += gauss[i].weight;
    }
    return p;
}

/* Where the belly has to end, and its rest length over the drawn one, for the fibres to have the length that the table
 * gives them in the neutral pose: by bisection. */
static void set_belly(const course *c, snStrandDef *def)
{
    double wanted = c->fiber_neutral / c->fiber_slack, low = c->belly / c->length, high = 1;
    for (int i = 0; i < 40 && low < 1; ++i) {
        double end = (low + high) / 2;
        if (parts_of(c, def, end, 1).fibers < c->belly)
            low = end;
        else
            high = end;
    }
    def->belly_end = high;
    low = 0.2, high = 5;
    for (int i = 0; i < 40; ++i) {
        double scale = (low + high) / 2;
        parts p = parts_of(c, def, def->belly_end, scale);
        if ((c->length - p.tendon) / p.fibers > wanted)
            low = scale;
        else
            high = scale;
    }
    def->belly_rest_scale = (low + high) / 2;
}

/* What the passive law is multiplied by: the maximal force, or more where the tone would not hold the strand's weight.
 * A strand that sags transmits nothing when its muscle begins to pull. */
static double passive_unit(const course *c, const snStrandDef *def)
{
    const double tone = 0.001, hold = 6, gravity = 9.81;
    double weight = def->density * SN_PI * def->radius * def->radius * c->length * gravity;
    return fmax(def->max_force, hold * weight / tone);
}

static snStatus add_band(const course *c, snSpec *spec)
{
    snStrandDef def = sn_default_strand_def();
    def.name = c->muscle->name;
    def.radius = c->muscle->radius;
    def.max_force = c->muscle->max_force;
    def.active_scale = 0; /* no muscle */
    def.stiffness = c->muscle->max_force / (SN_PI * def.radius * def.radius);
    def.damping = 1.5e-3;
    def.belly_start = 0, def.belly_end = 1;
    def.tension_only = false;
    def.passive_fl = "band";
    if (c->path) def.kind = SN_STRAND_PATH;
    return sn_add_strand(spec, &def, NULL);
}

static snStatus add_strand(const course *c, const snHandDef *hand_def, snSpec *spec)
{
    if (c->muscle->band) return add_band(c, spec);
    const snHandMuscle *m = c->muscle;
    double area = SN_PI * m->radius * m->radius;
    snStrandDef def = sn_default_strand_def();
    def.name = m->name;
    def.label = m->label;
    def.radius = m->radius;
    def.max_force = m->max_force * cos(m->pennation);
    def.stiffness = passive_unit(c, &def) / area;
    def.tendon_stiffness = TENDON_FORCES * def.max_force / area;
    def.damping = 1.5e-3;
    if (c->path)
        def.kind = SN_STRAND_PATH, def.max_velocity = MAX_VELOCITY, def.belly_end = c->belly / c->length,
        def.belly_rest_scale = c->fiber_slack / c->fiber_neutral;
    else
        set_belly(c, &def);
    def.fiber_rest = c->fiber_slack;
    def.tension_only = false; /* the tone pulls at any length */
    def.passive_fl = "fiber-passive";
    def.active_fl = c->path ? "fiber-overlap" : "fiber-active";
    char belly[SN_HAND_NAME + 8];
    (void)snprintf(belly, sizeof belly, "%s.belly", m->name);
    if (hand_def->meshes) def.belly_mesh = belly;
    return sn_add_strand(spec, &def, NULL);
}

static snConstraintDef constraint(const course *c, snConstraintType type, const char *attachment, double x)
{
    snConstraintDef def = sn_default_constraint_def();
    def.type = type;
    def.strand = c->muscle->name;
    def.attachment = attachment;
    def.position = fmin(fmax(x / c->length, 0), 1);
    return def;
}

/* Contacts at a few points of the piece of strand that may come over the surface. */
static snStatus add_contacts(const snHand *hand, const course *c, int32_t i, snSpec *spec)
{
    const snHandSurface *s = &hand->surface.at[hand->point.at[c->muscle->first + i].surface];
    const double apart = 0.0045, clear = 0.002;
    double reach = 1.3 * (s->radius + c->muscle->radius);
    double from = fmax(fmax(c->low[i - 1], clear), c->low[i] - reach);
    double to = fmin(fmin(c->high[i + 1], c->length - clear), c->high[i] + reach);
    int32_t n = (int32_t)fmax(ceil((to - from) / apart), 1);
    if (c->path)
        from = to = c->x[i], n = 1; /* one constraint names the wrap; how much of it is touched, the path finds */
    snStatus status = SN_OK;
    for (int32_t k = 0; k <= n - c->path && status == SN_OK; ++k) {
        char name[80];
        snprintf(name, sizeof name, "%s.%s.%d", c->muscle->name, s->name, k + 1);
        snConstraintDef def = constraint(c, SN_CONSTRAINT_SURFACE, s->name, from + (to - from) * k / n);
        def.name = name;
        def.equality = SN_INEQUAL;
        def.side = SN_ABOVE;
        def.offset = c->muscle->radius;
        if (!c->path) def.lateral = s->lateral;
        status = sn_add_constraint(spec, &def, NULL);
    }
    return status;
}

/* One constraint names the surface that a path stays outside of between point i and the next. Splines go without: they
 * would need many contacts. */
static snStatus add_guard(const snHand *hand, const course *c, int32_t i, snSpec *spec)
{
    int32_t guard = hand->point.at[c->muscle->first + i].guard;
    if (guard < 0 || !c->path || i + 1 == c->n) return SN_OK;
    const snHandSurface *s = &hand->surface.at[guard];
    char name[80];
    snprintf(name, sizeof name, "%s.%s", c->muscle->name, s->name);
    snConstraintDef def = constraint(c, SN_CONSTRAINT_SURFACE, s->name, (c->x[i] + c->x[i + 1]) / 2);
    def.name = name;
    def.equality = SN_INEQUAL;
    def.side = SN_ABOVE;
    def.offset = c->muscle->radius;
    return sn_add_constraint(spec, &def, NULL);
}

static snStatus add_constraints(const snHand *hand, const course *c, snSpec *spec)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < c->n && status == SN_OK; ++i) {
        const snHandPoint *p = &hand->point.at[c->muscle->first + i];
        if (p->kind == SN_HAND_SURFACE) {
            status = add_contacts(hand, c, i, spec);
            continue;
        }
        int32_t on = i == 0 ? c->muscle->on : i == c->n - 1 ? c->muscle->into : -1;
        const char *to = on >= 0 ? hand->muscle.at[on].name : hand->bone.at[p->body].name;
        char name[80];
        if (p->kind == SN_HAND_SLIDING)
            snprintf(name, sizeof name, "%s.%d", c->muscle->name, i);
        else
            snprintf(name, sizeof name, "%s.%s", c->muscle->name, i ? "insertion" : "origin");
        snConstraintDef def =
            constraint(c, p->kind == SN_HAND_SLIDING ? SN_CONSTRAINT_SLIDING : SN_CONSTRAINT_FIXED, to, c->x[i]);
        def.name = name;
        if (c->path && on >= 0 && (i > 0 || c->muscle->band)) def.junction = SN_JUNCTION_FREE; /* the hood's */
        status = sn_add_constraint(spec, &def, NULL);
        if (status == SN_OK) status = add_guard(hand, c, i, spec);
    }
    return status;
}

static snStatus add_laws(snSpec *spec, bool paths)
{
    snForceLengthDef def = sn_default_force_length_def();
    def.name = "fiber-passive";
    def.npoint = (int32_t)(sizeof passive_stretch / sizeof *passive_stretch);
    def.stretch = passive_stretch, def.force = passive_force;
    snStatus status = sn_add_force_length(spec, &def, NULL);
    if (status != SN_OK) return status;
    if (paths) {
        def.name = "fiber-overlap";
        def.npoint = (int32_t)(sizeof overlap_stretch / sizeof *overlap_stretch);
        def.stretch = overlap_stretch, def.force = overlap_force;
    } else {
        def.name = "fiber-active";
        def.npoint = (int32_t)(sizeof active_stretch / sizeof *active_stretch);
        def.stretch = active_stretch, def.force = active_force;
    }
    status = sn_add_force_length(spec, &def, NULL);
    if (status != SN_OK) return status;
    def.name = "band";
    def.npoint = (int32_t)(sizeof band_stretch / sizeof *band_stretch);
    def.stretch = band_stretch, def.force = band_force;
    return sn_add_force_length(spec, &def, NULL);
}

static snStatus add_muscle(const snHand *hand, int32_t muscle, const snHandDef *def, snSpec *spec, snId parent,
                           snError *error)
{
    course c;
    lay_out(hand, muscle, sn_hand_has_paths(def), &c);
    snStatus status = draw(&c, def, error);
    if (status == SN_OK) status = add_curve(&c, spec, parent);
    if (status == SN_OK) status = add_strand(&c, def, spec);
    return status == SN_OK ? add_constraints(hand, &c, spec) : status;
}

snStatus sn_hand_add_strands(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error)
{
    snNodeDef group = sn_default_node_def();
    group.name = "strands";
    snId parent = 0;
    snStatus status = sn_add_node(spec, &group, &parent);
    if (status == SN_OK) status = add_laws(spec, sn_hand_has_paths(def));
    for (int32_t i = 0; i < hand->muscle.count && status == SN_OK; ++i)
        status = add_muscle(hand, i, def, spec, parent, error);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
