/* How strands run as drawn: distances to what they are constrained to, joints that they cross, and the rule for
 * eyelets: an eyelet must sit further along the bone from the joint's axis than r tan(q / 2), r being its distance from
 * the axis across the bone and q the largest angle towards its side. Nearer, the eyelets of both bones pass each other
 * when the joint closes, and the tendon loses its arm.
 *
 * Everything here is advice: warnings, never errors. */
#include "model/check.h"

#include "base/alloc.h"
#include "base/array.h"
#include "model/node_surface.h"
#include "model/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAR_FROM_SURFACE = 0.05; /* m */
static const double OFF_SURFACE = 0.005;     /* m: an equality pulls the strand this far at the start */
static const double WRONG_SIDE = 0.001;      /* m */
static const double LEAST_ARM = 0.004;       /* m: a strand with a smaller one hardly moves the joint as drawn */
static const double FAR_STRANDS = 0.005;     /* m between two points that are fixed together */

/* ---- distances ---------------------------------------------------------------------------- */

static bool patch_is_sound(const snNodeDef *d)
{
    if (d->degree != 3 || d->degree_v != 3 || d->nu < 4 - d->closed || d->nv < 4 - d->closed_v) return false;
    if ((int64_t)d->nu * d->nv != d->npoint) return false;
    for (int64_t i = 0; i < 3 * (int64_t)d->npoint; ++i)
        if (!isfinite(d->point[i])) return false;
    return sn_knots_are_sound(d->nknot, d->knot, d->nu + (d->closed ? 3 : 0)) &&
           sn_knots_are_sound(d->nknot_v, d->knot_v, d->nv + (d->closed_v ? 3 : 0));
}

static bool surface_is_sound(const snSpec *spec, snId node)
{
    const snNodeDef *d = sn_spec_node(spec, node);
    if (d->kind == SN_NODE_SURFACE) return patch_is_sound(d);
    return d->kind == SN_NODE_SHAPE && (unsigned)d->shape <= SN_SHAPE_ELLIPSOID && d->extent[0] > 0 &&
           d->extent[1] > 0 && d->extent[2] > 0;
}

void sn_check_distance(snChecker *c, snId id, double distance)
{
    const snConstraintDef *d = sn_spec_constraint(c->spec, id);
    double above = (d->side == SN_ABOVE ? distance : -distance) - d->offset;
    const char *side = d->side == SN_ABOVE ? "above" : "below";
    if (d->equality == SN_EQUAL && fabs(above) > OFF_SURFACE)
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "draw the strand on the surface, or set offset",
                         "the strand is drawn %.1f mm from where it must be, %s the surface", 1e3 * fabs(above), side);
    else if (d->equality == SN_INEQUAL && above < -WRONG_SIDE)
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "draw the strand on its side of the surface",
                         "the strand must be %s the surface but is drawn %.1f mm on the wrong side", side,
                         -1e3 * above);
    else if (d->equality == SN_INEQUAL && above > FAR_FROM_SURFACE)
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "check the name of the surface and the position",
                         "the strand is drawn %.0f mm away from the surface", 1e3 * above);
}

static void check_distance(snChecker *c, snId id, const snConstraintDef *d)
{
    snId node = sn_spec_find(c->spec, SN_KIND_NODE, d->attachment);
    if (!node || !surface_is_sound(c->spec, node)) return;
    snArena arena = {0};
    snSurface surface;
    snSurfaceHint hint = {0};
    if (sn_node_surface(c->spec, node, rigid_identity(), &arena, &surface, NULL) == SN_OK) {
        v3 p = sn_strand_drawn_point(c->spec, sn_spec_find(c->spec, SN_KIND_STRAND, d->strand), d->position);
        sn_check_distance(c, id, sn_surface_closest(&surface, p, &hint).distance);
    } else
        c->no_memory = true;
    sn_arena_free(&arena);
}

static double nearest_on(const snSpec *spec, snId strand, v3 p)
{
    double best = INFINITY;
    for (int i = 0; i <= 100; ++i) best = fmin(best, v3_dist(p, sn_strand_drawn_point(spec, strand, i / 100.0)));
    return best;
}

/* Strand to strand: fixed points must nearly meet as drawn. */
static void check_meeting(snChecker *c, snId id, const snConstraintDef *d)
{
    snId strand = sn_spec_find(c->spec, SN_KIND_STRAND, d->strand);
    snId other = sn_spec_find(c->spec, SN_KIND_STRAND, d->attachment);
    if (sn_spec_find(c->spec, SN_KIND_BODY, d->attachment) || other == strand || !sn_strand_is_sound(c->spec, other))
        return;
    v3 p = sn_strand_drawn_point(c->spec, strand, d->position);
    double gap = d->attachment_position < 0 ? nearest_on(c->spec, other, p)
                                            : v3_dist(p, sn_strand_drawn_point(c->spec, other, d->attachment_position));
    if (gap > FAR_STRANDS)
        sn_check_warning(c, SN_KIND_CONSTRAINT, id, "draw the strands so that they meet",
                         "the strand is drawn %.1f mm from strand \"%.80s\", to which it is fixed", 1e3 * gap,
                         d->attachment);
}

static void check_distances(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        if (!d->enabled || !sn_strand_is_sound(c->spec, sn_spec_find(c->spec, SN_KIND_STRAND, d->strand))) continue;
        if (d->type == SN_CONSTRAINT_SURFACE) check_distance(c, id, d);
        if (d->type == SN_CONSTRAINT_FIXED) check_meeting(c, id, d);
    }
}

/* ---- the way of a strand ------------------------------------------------------------------ */

typedef struct Stop {
    double position;
    snId constraint, body; /* body 0: held by another strand */
    snConstraintType type;
} Stop;

typedef struct Way {
    Stop *at;
    int32_t count, capacity;
} Way;

static int by_position(const void *a, const void *b)
{
    const Stop *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->constraint < y->constraint ? -1 : x->constraint > y->constraint;
}

/* Enabled constraints of a strand in their order along it; false when out of memory. */
static bool find_way(const snChecker *c, snId strand, Way *way)
{
    way->count = 0;
    for (int32_t v = c->first_visit[strand - 1]; v >= 0; v = c->visit[v].next) {
        snId id = c->visit[v].constraint;
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        Stop stop = {d->position, id, c->visit[v].linked ? 0 : c->constraint_body[id - 1], d->type};
        if (!sn_array_push(way, stop)) return false;
    }
    if (way->count) qsort(way->at, (size_t)way->count, sizeof *way->at, by_position);
    return true;
}

static void check_crossing(snChecker *c, snId strand, const Way *way)
{
    snId body = way->count ? way->at[0].body : 0;
    if (!body) return;
    for (int32_t i = 0; i < way->count; ++i)
        if (way->at[i].body != body) return; /* another body, or another strand that may lead to one */
    sn_check_warning(c, SN_KIND_STRAND, strand, "attach one end to a body beyond a joint",
                     "the strand crosses no joint: all its constraints are on body \"%.100s\"",
                     sn_spec_body(c->spec, body)->name);
}

/* ---- eyelets ------------------------------------------------------------------------------ */

static bool connects(const snSpec *spec, const snJointDef *d, snId a, snId b)
{
    return strcmp(d->body_a, sn_spec_body(spec, a)->name) == 0 && strcmp(d->body_b, sn_spec_body(spec, b)->name) == 0;
}

/* World axis of a coordinate that turns, in the drawn pose where both frames coincide; false for one that slides. */
static bool turning_axis(const snJointDef *d, int32_t coordinate, quat frame, v3 *axis)
{
    static const v3 z = {0, 0, 1}, y = {0, 1, 0}, x = {1, 0, 0};
    switch (d->type) {
    case SN_JOINT_TYPE_BALL:
        *axis = coordinate == 0 ? z : coordinate == 1 ? y : x;
        break;
    case SN_JOINT_TYPE_UNIVERSAL:
        if (coordinate > 1) return false;
        *axis = coordinate == 0 ? z : y;
        break;
    case SN_JOINT_TYPE_HINGE:
    case SN_JOINT_TYPE_CYLINDRICAL:
        if (coordinate > 0) return false;
        *axis = z;
        break;
    default:
        return false;
    }
    *axis = q_rotate(frame, *axis);
    return true;
}

static v3 across(v3 v, v3 unit)
{
    return v3_mad(v, -v3_dot(v, unit), unit);
}

/* One eyelet against one axis; r: from the axis to the eyelet. along: direction of the strand from body A to body B, at
 * right angles to the axis; sign: +1 for an eyelet on B, -1 on A. */
static void check_eyelet(snChecker *c, const Stop *stop, snId joint, v3 r, v3 axis, v3 along, double sign, double lower,
                         double upper)
{
    double distance = sign * v3_dot(r, along);
    v3 arm = across(r, along);
    /* which way the joint must turn to close on this side */
    double q = v3_dot(v3_cross(axis, along), arm) > 0 ? upper : -lower;
    if (q <= 0 || stop->type != SN_CONSTRAINT_SLIDING) return;
    double needed = v3_len(arm) * tan(fmin(q, 170) * SN_DEG / 2);
    if (distance >= needed) return;
    sn_check_warning(
        c, SN_KIND_CONSTRAINT, stop->constraint, "move the eyelet away from the joint, or nearer to the bone",
        "the eyelet is %.1f mm along the bone from the axis of joint \"%.60s\"; with its arm of %.1f mm and "
        "%.0f degrees it needs %.1f mm",
        1e3 * distance, sn_spec_joint(c->spec, joint)->name, 1e3 * v3_len(arm), q, 1e3 * needed);
}

/* Signed distance from the axis, across it, of the straight line from a to b; positive on the side of `arm`. */
static double line_arm(v3 a, v3 b, v3 axis, v3 arm, v3 along)
{
    v3 t = v3_unit(across(v3_sub(b, a), axis));
    double side = v3_dot(v3_cross(axis, along), arm) > 0 ? 1 : -1;
    return side * v3_dot(v3_cross(axis, t), a);
}

/* The least arm about an axis through `centre` that a surface leaves to a strand on its outside. Only
 * cylinders along the axis and spheres say it in one number, others are trusted. */
static double held_arm(const snSpec *spec, const Stop *over, v3 centre, v3 axis)
{
    if (!over) return -INFINITY;
    const snConstraintDef *d = sn_spec_constraint(spec, over->constraint);
    snId node = sn_spec_find(spec, SN_KIND_NODE, d->attachment);
    if (!node || d->side != SN_ABOVE) return INFINITY;
    const snNodeDef *shape = sn_spec_node(spec, node);
    rigid frame = sn_node_frame(spec, node);
    v3 along = q_rotate(frame.q, v3_of(0, 0, 1));
    bool cylinder = shape->kind == SN_NODE_SHAPE && shape->shape == SN_SHAPE_CYLINDER;
    bool sphere = shape->kind == SN_NODE_SHAPE && shape->shape == SN_SHAPE_SPHERE;
    if (!sphere && !(cylinder && fabs(v3_dot(along, axis)) > 0.9)) return INFINITY;
    return shape->extent[0] + d->offset - v3_len(across(v3_sub(frame.p, centre), axis));
}

/* A strand and a joint that it passes: the stops on both bodies, and the surface between them, if there is one. */
typedef struct Passage {
    const Stop *a, *b, *over; /* a before the joint, b behind it */
    snId strand, joint;
    v3 centre, ra, rb; /* from the axis to both stops */
    v3 axis, along;
} Passage;

/* The side that opens: without a surface the strand cuts the corner and its arm shrinks. */
static void check_lost_arm(snChecker *c, const Passage *p, double lower, double upper)
{
    v3 arm = across(v3_scale(v3_add(p->ra, p->rb), 0.5), p->along);
    double q = v3_dot(v3_cross(p->axis, p->along), arm) > 0 ? lower : upper;
    double drawn = line_arm(p->ra, p->rb, p->axis, arm, p->along);
    v3 turned = q_rotate(q_axis_angle(p->axis, q * SN_DEG), p->rb);
    double left = fmax(line_arm(p->ra, turned, p->axis, arm, p->along), held_arm(c->spec, p->over, p->centre, p->axis));
    if (drawn < LEAST_ARM || left > drawn / 4) return;
    sn_check_warning(c, SN_KIND_CONSTRAINT, p->a->constraint, "let the strand run over a surface around the joint",
                     "the strand's arm about joint \"%.60s\" falls from %.1f mm as drawn to %.1f mm at %.0f degrees",
                     sn_spec_joint(c->spec, p->joint)->name, 1e3 * drawn, 1e3 * left, q);
}

static bool find_passage(const snSpec *spec, int32_t coordinate, Passage *p)
{
    rigid frame = sn_node_frame(spec, sn_joint_node(spec, p->joint));
    v3 pa = sn_strand_drawn_point(spec, p->strand, p->a->position);
    v3 pb = sn_strand_drawn_point(spec, p->strand, p->b->position);
    if (!turning_axis(sn_spec_joint(spec, p->joint), coordinate, frame.q, &p->axis)) return false;
    p->centre = frame.p;
    p->ra = across(v3_sub(pa, frame.p), p->axis), p->rb = across(v3_sub(pb, frame.p), p->axis);
    v3 along = across(v3_sub(pb, pa), p->axis);
    if (v3_len(along) < 0.6 * v3_dist(pa, pb)) return false; /* runs along the axis: twisting closes nothing */
    p->along = v3_unit(along);
    return true;
}

static double drawn_arm(const Passage *p)
{
    return fabs(v3_dot(v3_cross(p->axis, p->along), p->ra));
}

/* Two stops on the bodies of a joint, neighbours but for surfaces. About an axis that it lies near, compared with
 * another one of the same joint, a tendon may lose its arm and change sides without cutting a corner. */
static void check_pair(snChecker *c, Passage *p)
{
    const snJointDef *d = sn_spec_joint(c->spec, p->joint);
    double largest = 0;
    for (int32_t k = 0; k < 3; ++k)
        if (find_passage(c->spec, k, p)) largest = fmax(largest, drawn_arm(p));
    for (int32_t k = 0; k < 3; ++k) {
        if (!find_passage(c->spec, k, p)) continue;
        if (!p->over) { /* else the surface carries the strand around the joint */
            check_eyelet(c, p->a, p->joint, p->ra, p->axis, p->along, -1, d->lower[k], d->upper[k]);
            check_eyelet(c, p->b, p->joint, p->rb, p->axis, p->along, +1, d->lower[k], d->upper[k]);
        }
        if (drawn_arm(p) > largest / 2) check_lost_arm(c, p, d->lower[k], d->upper[k]);
    }
}

static void check_eyelets(snChecker *c, snId strand, const Way *way)
{
    const Stop *a = NULL, *over = NULL;
    for (int32_t i = 0; i < way->count; ++i) {
        const Stop *b = &way->at[i];
        if (b->type == SN_CONSTRAINT_SURFACE) {
            over = b;
            continue;
        }
        for (snId joint = 1; a && a->body && b->body && joint <= sn_spec_count(c->spec, SN_KIND_JOINT); ++joint) {
            const snJointDef *d = sn_spec_joint(c->spec, joint);
            if (!d->enabled || !d->limited || !sn_joint_node(c->spec, joint)) continue;
            Passage there = {.a = a, .b = b, .over = over, .strand = strand, .joint = joint};
            Passage back = {.a = b, .b = a, .over = over, .strand = strand, .joint = joint};
            if (connects(c->spec, d, a->body, b->body)) check_pair(c, &there);
            if (connects(c->spec, d, b->body, a->body)) check_pair(c, &back);
        }
        a = b, over = NULL;
    }
}

void sn_check_routing(snChecker *c)
{
    Way way = {0};
    check_distances(c);
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_STRAND) && !c->no_memory; ++id) {
        const snStrandDef *d = sn_spec_strand(c->spec, id);
        if (!d->enabled) continue;
        if (!find_way(c, id, &way)) {
            c->no_memory = true;
            break;
        }
        check_crossing(c, id, &way);
        if (sn_strand_is_sound(c->spec, id)) check_eyelets(c, id, &way);
    }
    sn_array_free(&way);
}
