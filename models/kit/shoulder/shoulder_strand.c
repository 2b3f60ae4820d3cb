/* Strands of the shoulder: curves through the points of each path, a force-length law for each part, ends, eyelets and
 * contacts.
 *
 * A strand is contractile over its whole length. Its laws are written for the stretch of the whole strand as those of
 * fibres in series with a tendon that does not give: fibre length = length - tendon, with the tendon taking up what the
 * path at rest has more than the optimal fibre. So the force depends on the length as it should, and a strand of a
 * dozen control points needs no blend from belly to tendon. */
#include "shoulder/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/surface.h"
#include "math/spline.h"

#include <stdio.h>
#include <string.h>

enum { MAX_POINTS = 40, LAW_POINTS = 13 };

#define MUSCLE_DENSITY 1060.0 /* kg/m^3 */
/* Thickest strand axis offset: the layers between scapula and ribs are about 1 cm thick. */
static const double MAX_OFFSET = 0.0045;

static const double MAX_VELOCITY = 10; /* optimal fibre lengths a second, as in the hand */

/* ---- laws -------------------------------------------------------------------------------------- */

/* Active force over fibre length: that of Hill below the optimal length, level above it, since a falling branch lets
 * the pieces of a strand in series tear apart. Passive force over fibre length beyond where it begins. */
static const double active_at[LAW_POINTS] = {0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.4, 1.7, 2.0};
static const double active_force[LAW_POINTS] = {0.02,  0.10, 0.26, 0.48, 0.68, 0.82, 0.92,
                                                0.978, 1.0,  1.0,  1.0,  1.0,  1.0};
static const double passive_at[LAW_POINTS] = {-0.9, -0.5, -0.3, -0.2, -0.1, -0.03, 0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6};
static const double passive_force[LAW_POINTS] = {0, 0, 0, 0, 0, 0, 0.001, 0.01, 0.025, 0.08, 0.17, 0.30, 0.70};

/* Mean length of the paths of a part. */
static double mean_length(const snShoulder *s, const snShoulderPart *p)
{
    double sum = 0;
    for (int32_t i = 0; i < p->nstrand; ++i) sum += sn_shoulder_path_length(&s->strand.at[p->first + i]);
    return sum / p->nstrand;
}

/* Fibre length over the optimal one in the neutral pose: 1 where there is path enough, else all of the path is fibre.
 */
static double neutral_fiber(const snShoulderPart *p, double length)
{
    double optimal = p->fiber_length * cos(p->pennation);
    return optimal < 0.98 * length ? 1 : 0.98 * length / optimal;
}

/* Stretch of the strand at which the fibres have this length over the optimal one. */
static double strand_stretch(const snShoulderPart *p, double length, double fiber)
{
    return 1 + (fiber - neutral_fiber(p, length)) * p->fiber_length * cos(p->pennation) / length;
}

static snStatus add_law(snSpec *spec, const char *part, const char *kind, int32_t n, const double *x, const double *y)
{
    char name[SN_SHOULDER_NAME + 16];
    snForceLengthDef def = sn_default_force_length_def();
    snprintf(name, sizeof name, "%s-%s", part, kind);
    def.name = name;
    def.npoint = n, def.stretch = x, def.force = y;
    return sn_add_force_length(spec, &def, NULL);
}

/* The tone pulls at any length, a little more when stretched, so that no strand sags. */
static double tone_at(const snShoulderPart *p, double stretch)
{
    return p->tone * fmax(1 + 1.5 * (stretch - 1), 0.3);
}

static snStatus add_laws(const snShoulder *s, const snShoulderPart *p, snSpec *spec)
{
    double x[LAW_POINTS], y[LAW_POINTS], length = mean_length(s, p);
    int32_t n = 0;
    for (int i = 0; i < LAW_POINTS; ++i) {
        double at = strand_stretch(p, length, active_at[i]);
        if (at > 0.02) x[n] = at, y[n++] = active_force[i];
    }
    snStatus status = add_law(spec, p->name, "active", n, x, y);
    n = 0;
    for (int i = 0; i < LAW_POINTS; ++i) {
        double at = strand_stretch(p, length, p->passive_from + passive_at[i]);
        if (at > 0.02) x[n] = at, y[n++] = passive_force[i] + tone_at(p, at);
    }
    return status == SN_OK ? add_law(spec, p->name, "passive", n, x, y) : status;
}

/* ---- curves ------------------------------------------------------------------------------------ */

typedef struct curve {
    const snShoulderStrand *strand;
    double length, x[SN_SHOULDER_MAX_PATH]; /* arc length at each point of the path */
    int32_t npoint;
    double point[3 * MAX_POINTS];
} curve;

static v3 on_path(const curve *c, double x)
{
    const snShoulderStrand *s = c->strand;
    int32_t i = 1;
    while (i + 1 < s->npoint && c->x[i] < x) ++i;
    return v3_lerp(s->at[i - 1], s->at[i], fmin((x - c->x[i - 1]) / (c->x[i] - c->x[i - 1]), 1));
}

/* Control points of a clamped uniform cubic at their Greville abscissae on the polyline. */
static void draw(const snShoulderStrand *s, double spacing, curve *c)
{
    *c = (curve){.strand = s};
    for (int32_t i = 1; i < s->npoint; ++i) c->x[i] = c->x[i - 1] + v3_dist(s->at[i - 1], s->at[i]);
    c->length = c->x[s->npoint - 1];
    int32_t spans = (int32_t)fmin(fmax(round(c->length / spacing), 2), MAX_POINTS - 3);
    c->npoint = spans + 3;
    for (int32_t i = 0; i < c->npoint; ++i) {
        double sum = 0;
        for (int32_t k = 1; k <= 3; ++k) sum += fmin(fmax(i + k - 3, 0), spans);
        v3_store(c->point + 3 * i, on_path(c, c->length * sum / (3 * spans)));
    }
}

static snStatus add_curve(const curve *c, snSpec *spec, snId parent)
{
    snNodeDef node = sn_default_node_def();
    node.name = c->strand->name;
    node.kind = SN_NODE_CURVE;
    node.parent = parent;
    node.degree = 3;
    node.npoint = c->npoint, node.point = c->point;
    return sn_add_node(spec, &node, NULL);
}

/* ---- strands ----------------------------------------------------------------------------------- */

/* Radius that gives the strand the volume of its fibres. */
static double radius_of(const snShoulderPart *p, double length)
{
    double area = p->area / p->nstrand * fmin(p->fiber_length / length, 1);
    return sqrt(area / SN_PI);
}

static snStatus add_muscle_strand(const snShoulderPart *p, const curve *c, snSpec *spec)
{
    char passive[SN_SHOULDER_NAME + 16], active[SN_SHOULDER_NAME + 16];
    snprintf(passive, sizeof passive, "%s-passive", p->name);
    snprintf(active, sizeof active, "%s-active", p->name);
    snStrandDef def = sn_default_strand_def();
    def.name = c->strand->name;
    def.radius = radius_of(p, c->length);
    def.density = MUSCLE_DENSITY;
    def.max_force = p->max_force * cos(p->pennation) / p->nstrand;
    def.stiffness = def.max_force / (SN_PI * def.radius * def.radius); /* the passive law counts in maximal forces */
    def.damping = 2e-3;
    def.mass_damping = 10;
    def.tension_only = false; /* the tone pulls at any length */
    def.passive_fl = passive, def.active_fl = active;
    /* of the fibres, while the laws count in lengths of the strand */
    if (p->path) def.kind = SN_STRAND_PATH, def.max_velocity = MAX_VELOCITY * fmin(p->fiber_length / c->length, 1);
    return sn_add_strand(spec, &def, NULL);
}

static snStatus add_ligament_strand(const curve *c, snSpec *spec)
{
    snStrandDef def = sn_default_strand_def();
    def.name = c->strand->name;
    def.radius = 0.0015;
    def.belly_start = def.belly_end = 0;
    def.rest_scale = c->strand->slack;
    def.stiffness = def.tendon_stiffness = c->strand->stiffness * c->length / (SN_PI * def.radius * def.radius);
    def.damping = 2e-3;
    def.mass_damping = 50;
    def.color = "ligament";
    return sn_add_strand(spec, &def, NULL);
}

static snStatus add_constraint(const curve *c, snSpec *spec, const char *what, snConstraintDef *def)
{
    char name[2 * SN_SHOULDER_NAME + 32];
    snprintf(name, sizeof name, "%s.%s", c->strand->name, what);
    def->name = name;
    def->strand = c->strand->name;
    return sn_add_constraint(spec, def, NULL);
}

static snStatus attach(const snShoulder *s, const curve *c, snSpec *spec, snConstraintType type, int32_t body,
                       double place, const char *what)
{
    snConstraintDef def = sn_default_constraint_def();
    def.type = type;
    def.attachment = s->bone.at[body].name;
    def.position = place;
    return add_constraint(c, spec, what, &def);
}

static snStatus add_ends(const snShoulder *s, const curve *c, snSpec *spec)
{
    const snShoulderStrand *strand = c->strand;
    snStatus status = attach(s, c, spec, SN_CONSTRAINT_FIXED, strand->origin, 0, "origin");
    for (int32_t i = 1; i + 1 < strand->npoint && status == SN_OK; ++i) {
        char what[16];
        snprintf(what, sizeof what, "eyelet%d", (int)i);
        if (strand->eyelet[i] >= 0)
            status = attach(s, c, spec, SN_CONSTRAINT_SLIDING, strand->eyelet[i], c->x[i] / c->length, what);
    }
    return status == SN_OK ? attach(s, c, spec, SN_CONSTRAINT_FIXED, strand->insertion, 1, "insertion") : status;
}

static double offset_of(const snShoulderPart *p, const curve *c)
{
    return fmin(radius_of(p, c->length), MAX_OFFSET);
}

static double contact_place(const snShoulderContact *contact, int32_t k)
{
    return contact->count > 1 ? contact->from + (contact->to - contact->from) * k / (contact->count - 1)
                              : contact->from;
}

/* The curve at a place, and how much each control point from *span on counts there; the ends stay. */
static v3 curve_at(const curve *c, double place, int32_t *span, double b[4], double *sum)
{
    double knot[MAX_POINTS + 4];
    int32_t n = c->npoint, spans = n - 3;
    v3 at = v3_of(0, 0, 0);
    for (int32_t i = 0; i < n + 4; ++i) knot[i] = fmin(fmax(i - 3, 0), spans) / (double)spans;
    *span = spline_basis(knot, n, place, 0, b, NULL, NULL), *sum = 0;
    for (int k = 0; k < 4; ++k) {
        at = v3_mad(at, b[k], v3_load(c->point + 3 * (*span + k)));
        if (*span + k == 0 || *span + k == n - 1) b[k] = 0;
        *sum += b[k] * b[k];
    }
    return at;
}

/* Moves the control points least so that the curve moves by so much at one place. */
static void shift_curve(curve *c, double place, v3 by)
{
    double b[4], sum;
    int32_t span;
    curve_at(c, place, &span, b, &sum);
    for (int k = 0; k < 4 && sum > 1e-9; ++k) {
        double *q = c->point + 3 * (span + k);
        v3_store(q, v3_mad(v3_load(q), b[k] / sum, by));
    }
}

/* So that the curve keeps its distance at one place. Returns by how much it was short. */
static double clear_place(const snSurface *surface, double side, double offset, double place, curve *c)
{
    double b[4], sum;
    int32_t span;
    snSurfaceHint hint = {0};
    snSurfaceHit hit = sn_surface_closest(surface, curve_at(c, place, &span, b, &sum), &hint);
    double missing = offset - side * hit.distance;
    if (missing <= 0 || sum < 1e-9) return 0;
    shift_curve(c, place, v3_scale(hit.normal, side * missing));
    return missing;
}

/* So that the curve goes through its eyelets. Returns by how much it missed one. */
static double meet_eyelets(curve *c)
{
    double worst = 0, b[4], sum;
    int32_t span;
    for (int32_t i = 1; i + 1 < c->strand->npoint; ++i) {
        double place = c->x[i] / c->length;
        if (c->strand->eyelet[i] < 0) continue;
        v3 miss = v3_sub(c->strand->at[i], curve_at(c, place, &span, b, &sum));
        shift_curve(c, place, miss);
        worst = fmax(worst, v3_len(miss));
    }
    return worst;
}

/* Draws the strand on its side of its surfaces. */
static void clear_surfaces(const snShoulder *s, const snShoulderPart *p, curve *c)
{
    static const snSurfaceKind kind[] = {SN_SURFACE_PLANE, SN_SURFACE_SPHERE, SN_SURFACE_CYLINDER,
                                         SN_SURFACE_ELLIPSOID};
    enum { ROUNDS = 100 };
    double worst = 1;
    for (int round = 0; round < ROUNDS && worst > 1e-5; ++round) {
        worst = meet_eyelets(c);
        for (int32_t i = 0; i < p->ncontact; ++i) {
            const snShoulderSurface *f = &s->surface.at[p->contact[i].surface];
            snSurface surface = {.kind = kind[f->shape], .frame = f->frame, .size = f->size};
            for (int32_t k = 0; k < p->contact[i].count; ++k)
                worst = fmax(worst, clear_place(&surface, p->contact[i].side == SN_ABOVE ? 1 : -1, offset_of(p, c),
                                                contact_place(&p->contact[i], k), c));
        }
    }
}

static snStatus add_contacts(const snShoulder *s, const snShoulderPart *p, const curve *c, snSpec *spec)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < p->ncontact; ++i)
        for (int32_t k = 0; k < p->contact[i].count && status == SN_OK && !p->contact[i].drawn; ++k) {
            const snShoulderContact *contact = &p->contact[i];
            const char *surface = s->surface.at[contact->surface].name;
            char what[SN_SHOULDER_NAME + 16];
            snprintf(what, sizeof what, "%s.%d", surface, (int)k + 1);
            snConstraintDef def = sn_default_constraint_def();
            def.type = SN_CONSTRAINT_SURFACE;
            def.attachment = surface;
            def.equality = SN_INEQUAL;
            def.side = contact->side;
            def.offset = p->path ? 0 : offset_of(p, c); /* surfaces of paths lie where the axes of strands run */
            def.position = contact_place(contact, k);
            status = add_constraint(c, spec, what, &def);
        }
    return status;
}

static snStatus add_strand(const snShoulder *s, const snShoulderStrand *strand, snSpec *spec, snId parent)
{
    const snShoulderPart *p = strand->part >= 0 ? &s->part.at[strand->part] : NULL;
    curve c;
    draw(strand, p ? p->spacing : 0.01, &c);
    if (p) clear_surfaces(s, p, &c);
    snStatus status = add_curve(&c, spec, parent);
    if (status == SN_OK) status = p ? add_muscle_strand(p, &c, spec) : add_ligament_strand(&c, spec);
    if (status == SN_OK) status = add_ends(s, &c, spec);
    return status == SN_OK && p ? add_contacts(s, p, &c, spec) : status;
}

static snStatus add_group(const snShoulder *s, const snShoulderPart *p, snSpec *spec)
{
    char names[1024] = "";
    for (int32_t i = 0; i < p->nstrand; ++i) {
        if (strlen(names) + SN_SHOULDER_NAME + 2 > sizeof names) break;
        if (i) strcat(names, " ");
        strcat(names, s->strand.at[p->first + i].name);
    }
    snGroupDef def = sn_default_group_def();
    def.name = p->name, def.type = SN_GROUP_SHEET, def.strands = names;
    return sn_add_group(spec, &def, NULL);
}

snStatus sn_shoulder_add_strands(const snShoulder *s, snSpec *spec, snError *error)
{
    snNodeDef group = sn_default_node_def();
    group.name = "strands";
    snId parent = 0;
    snStatus status = sn_add_node(spec, &group, &parent);
    for (int32_t i = 0; i < s->part.count && status == SN_OK; ++i) status = add_laws(s, &s->part.at[i], spec);
    for (int32_t i = 0; i < s->strand.count && status == SN_OK; ++i)
        status = add_strand(s, &s->strand.at[i], spec, parent);
    for (int32_t i = 0; i < s->part.count && status == SN_OK; ++i) status = add_group(s, &s->part.at[i], spec);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}

snStatus sn_shoulder_add_functions(const snShoulder *s, snSpec *spec)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < s->function.count && status == SN_OK; ++i) {
        const snShoulderFunction *f = &s->function.at[i];
        char names[SN_SHOULDER_MAX_LEVEL * (SN_SHOULDER_NAME + 1)] = "";
        for (int32_t k = 0; k < f->count; ++k) {
            if (k) strcat(names, " ");
            strcat(names, s->part.at[f->part[k]].name);
        }
        snFunctionDef def = sn_default_function_def();
        def.name = f->name, def.muscles = names, def.nlevel = f->count, def.level = f->level;
        status = sn_add_function(spec, &def, NULL);
    }
    return status;
}
