/* The immutable runtime model: flat arrays and plain indices, SI units, world axes of the scene.
 *
 * Invariants
 * 1. Bodies keep the order of the spec (disabled ones left out). A body's own frame here has its origin in the centre
 *    of mass and its axes along the principal axes; body_node gives the scene node's frame in it.
 * 2. Constraints are sorted by strand and by position along it, so that the own rows of a strand are contiguous
 *    and run along it.
 * 3. Strands that are paths come after all splines, so that splines, their points and their constraints have the same
 *    numbers in the model and in the linear system, where paths do not appear.
 * 4. The pattern of the KKT system is made here once: own and link rows of a constraint in snConstraint, those of a
 *    division in snDivision; joint rows from joint_rowadr, one row per limited coordinate behind them. */
#ifndef SN_MODEL_MODEL_H
#define SN_MODEL_MODEL_H

#include "base/arena.h"
#include "base/hash.h"
#include "body/body.h"
#include "geom/surface.h"
#include "path/knot.h"
#include "sinew/model.h"
#include "strand/section.h"
#include "strand/strand.h"
#include "system/kkt.h"
#include "tree/tree.h"

typedef enum snBodyMode { SN_BODY_FREE, SN_BODY_PINNED, SN_BODY_KINEMATIC } snBodyMode;

/* One constraint. Which fields count depends on the type. */
typedef struct snConstraint {
    snConstraintType type;
    int32_t strand;
    double s;      /* parameter of the strand at rest */
    int32_t body;  /* body it is fixed to or slides through, or that owns the surface; -1: another strand */
    v3 point;      /* in the body, m: where the strand is held, or passes at rest (lateral anchor) */
    int32_t other; /* fixed to strand, strut: the other strand, else -1 */
    double other_s;
    bool free;       /* two paths that meet in a point which is free in space */
    int32_t surface; /* index into surface, -1 */
    bool one_sided;
    double side;     /* +1 above, -1 below */
    double offset;   /* m */
    double lateral;  /* m; negative: none */
    v3 lateral_axis; /* in the body, unit */
    v3 rest_normal;  /* in the body: the surface's where the strand lay at rest, to tell a strand that went through */
    bool spring;     /* strut by spring rather than by row */
    double length, kp, kd;
    int32_t row, nrow;   /* own rows */
    int32_t link, nlink; /* link rows */
} snConstraint;

/* Limits of a ball joint as a cone and a twist. */
typedef struct snCone {
    v3 center;                    /* unit, in the joint's frame on the first body */
    double swing;                 /* rad: largest angle from the centre */
    double twist[2];              /* rad */
    bool swings, twists;          /* whether there is a limit */
    int32_t swing_row, twist_row; /* joint rows, -1 */
} snCone;

/* Where a strand of a group passes a station: constant weights of its control points. */
typedef struct snCrossing {
    double b[4], d[4]; /* basis, and its derivative by the fraction of the parameter */
    int32_t span;
} snCrossing;

/* One cross-section of a group: a point of the quadrature of its volume. */
typedef struct snStation {
    int32_t group;
    double position;            /* fraction of the parameter */
    double weight;              /* fraction of the parameter that it stands for */
    const snCrossing *crossing; /* nstrand of the group */
    double rest_speed;          /* length of the axis per unit of the fraction as drawn, m */
    double fill;                /* area of the section as drawn over that of its hull; 0: measured without the hull */
} snStation;

/* A piece of a group whose volume is kept: some stations, one link row. */
typedef struct snDivision {
    int32_t group, link, station, nstation;
    double rest_length; /* of the axis as drawn, m */
    double rest_radius; /* of the cylinder with its volume and that length as drawn, m */
} snDivision;

/* A muscle group: the strands that are enabled, and its stations from start to end. Group g is muscle g. */
typedef struct snVolume {
    int32_t nstrand, station, nstation;
    const int32_t *strand;
    double kp, kd;
    double disc; /* see sn_section, m^2 */
} snVolume;

/* What an activation acts on: an element of a part of the model. A muscle is one activation and has one or more of them
 * (the strands of a group). Controllers know muscles only; each part knows the actuators that pull through it. */
typedef enum snThrough { SN_THROUGH_STRAND, SN_THROUGH_PATH } snThrough;
typedef struct snActuator {
    int32_t muscle;
    snThrough through;
    int32_t index; /* the strand */
    double force;  /* at activation 1, N */
} snActuator;

/* A stretch of a path strand between two of its fixed constraints or junctions. */
typedef struct snPathCord {
    snCord cord;
    int32_t strand;
    int32_t knot;              /* that it belongs to, -1: none; then body is the knot's */
    double from, to;           /* parameters of the strand, as drawn */
    const int32_t *body;       /* nslot */
    const int32_t *pair;       /* nslot * nslot: block of two free bodies, -1 */
    const int32_t *constraint; /* npoint: which constraint a point is */
    int32_t node, slot;        /* where its nodes and its slots begin among those of all cords */
    int32_t first_eyelet;      /* points of it from this one on lie behind the belly as drawn; npoint: none */
} snPathCord;

/* Path strands that begin or end on each other. */
typedef struct snPathKnot {
    snKnot knot;
    const int32_t *cord;       /* ncord */
    const int32_t *constraint; /* njunction: the one that makes it */
    const int32_t *body;       /* nslot */
    int32_t junction;          /* its first unknown among those of all knots */
    int32_t row;               /* where the velocities of its junctions begin, 3 * 6 * nslot numbers each */
} snPathKnot;

/* Where a control point of a path strand lies in its material. */
typedef struct snPathPoint {
    int32_t cord;
    double tendon, belly; /* m of rest length before it */
} snPathPoint;

/* A model on a tree: link k is coordinate k of the model, body b of the tree is body b, path i is the i-th enabled
 * LineMuscle, and muscle u of the model is a unit: the paths that share an activation. The bodies of such a model are
 * kinematic, so that the system of rows has nothing to solve for. */
typedef struct snSkeleton {
    snTree tree;
    snPathSet path;
    double *compression; /* ndof: stiffness per newton of tension across it, m/rad */
    double *tolerance;   /* ndof: torque that may be missing, N m or N */
    bool *yields;        /* ndof: passive, but motions may name it */
    /* paths */
    const char **path_name, **path_nerve, **path_part;
    int32_t *path_unit;
    double *path_radius;                     /* m */
    double *relative_force, *relative_fiber; /* %, m; 0: none */
    /* units (nmuscle of the model) */
    int32_t *unit_pathadr; /* nmuscle + 1 */
    int32_t *unit_path;
    double *unit_fatigue; /* 3 nmuscle: F, R (1/s), r */
    double *unit_tone;    /* nmuscle: activation at rest */
    double *unit_effort;  /* nmuscle: how much its squared activation counts */
    int32_t ncouple;
    int32_t *couple; /* 2 ncouple: neighbouring units of a coupled group */
} snSkeleton;

struct snModel {
    snArena memory;
    snSkeleton *skeleton; /* NULL: a model of strands */
    int32_t nbody, nfree, njoint, ncoord, nstrand, npoint, nmuscle, nconstraint, nsurface, nvolume, nstation, ndivision,
        nactuator;
    int32_t nspline, nspline_point; /* strands that are splines, and their points: the first ones */
    int32_t ncord, ncord_node, ncord_slot;
    int32_t nknot, njunction_s, njunction_row;
    v3 gravity;
    double step, settle, compliance;
    const char *fixed; /* joints that motions may move but the model holds still */
    v3 fixed_axis;     /* about which they turn gravity; 0: they do nothing */
    bool ahead;        /* see sn_predicts */

    /* bodies (nbody) */
    const char **body_name;
    uint8_t *body_mode;
    int32_t *body_free; /* index among the free bodies, -1 */
    double *body_mass;
    v3 *body_inertia;        /* principal, kg m^2 */
    rigid *body_node;        /* scene node's frame in the body's */
    rigid *body_rest;        /* world pose of the body's frame at rest */
    int32_t *body_vertexadr; /* nbody + 1: vertices of its meshes, body frame: where tracking errors are measured */
    double *body_vertex;

    /* joints (njoint) */
    const char **joint_name;
    snJoint *joint;
    int32_t *joint_a, *joint_b; /* bodies, -1: the world */
    int32_t *joint_rowadr;      /* first joint row, -1: both sides are held, no rows */
    int32_t *joint_coordadr;    /* njoint + 1 */
    int32_t *joint_pair;        /* pair block of its springs, -1 */
    snCone *joint_cone;

    /* coordinates of the joints (ncoord) */
    const char **coord_name;
    const char **coord_title;          /* joint.word with the model's word for it, or the name */
    double *coord_lower, *coord_upper; /* rad or m; infinite: free */
    double *coord_stiffness, *coord_damping, *coord_rest;
    int32_t *coord_limit_row; /* joint row of its limit, -1 */

    /* strands (nstrand) */
    const char **strand_name;
    snStrand *strand;
    int32_t *strand_pointadr;      /* nstrand + 1 */
    int32_t *strand_constraintadr; /* nstrand + 1: those with own rows and those of paths, sorted along the strand */
    int32_t *strand_muscle;        /* -1: passive */
    double *strand_radius;
    double *strand_force;    /* largest active force, N */
    double *rest_point;      /* npoint * 3, world, as drawn */
    snPathCord *cord;        /* ncord: of the path strands, in their order */
    int32_t *strand_cordadr; /* nstrand + 1 */
    snPathKnot *knot;        /* nknot */
    double *junction_start;  /* njunction_s: as drawn, length of the trunk up to it, or its place, m */
    snPathPoint *path_point; /* npoint - nspline_point */

    /* muscles (nmuscle): a group, or a single strand that can contract */
    const char **muscle_name;
    int32_t *muscle_strandadr; /* nmuscle + 1 */
    int32_t *muscle_strand;
    snActuator *actuator; /* nactuator: by what they pull through, then by its index */

    snVolume *volume; /* nvolume: of each group */
    snStation *station;
    snDivision *division; /* of the groups that keep their volume */

    /* constraints: first those with own rows by strand and position, then those with link rows only */
    const char **constraint_name;
    snConstraint *constraint;
    snSurface *surface;

    snKktPattern pattern;
    snNameMap body_map, joint_map, coord_map, strand_map, muscle_map, constraint_map;
};

/* Muscles can move it, whichever part it belongs to: neither pinned nor kinematic. */
static inline bool sn_body_is_free(const snModel *m, int32_t body)
{
    return m->body_mode[body] == SN_BODY_FREE;
}

/* Parameter of a strand at a fraction of its range. */
static inline double sn_strand_parameter(const snStrand *strand, double fraction)
{
    return strand->knot[3] + fraction * (strand->knot[strand->n] - strand->knot[3]);
}

/* Points and tangents (3 each per strand of the group) of a station, at the control points of all strands. */
static inline void sn_station_cross(const snModel *m, const snStation *station, const double *q, double *point,
                                    double *tangent)
{
    const snVolume *v = &m->volume[station->group];
    for (int32_t i = 0; i < v->nstrand; ++i) {
        const snCrossing *x = &station->crossing[i];
        const double *at = q + 3 * (m->strand_pointadr[v->strand[i]] + x->span);
        v3 p = {0, 0, 0}, t = {0, 0, 0};
        for (int k = 0; k < 4; ++k)
            p = v3_mad(p, x->b[k], v3_load(at + 3 * k)), t = v3_mad(t, x->d[k], v3_load(at + 3 * k));
        v3_store(point + 3 * i, p), v3_store(tangent + 3 * i, t);
    }
}

/* Control points of a strand: the first and how many. */
int32_t sn_strand_first_point(const snModel *model, int32_t strand);
int32_t sn_strand_point_count(const snModel *model, int32_t strand);

/* Line muscles as they are drawn and recorded: straight from point to point, as many points in every pose. */
int32_t sn_line_point_count(const snModel *model, int32_t line);
int32_t sn_line_muscle(const snModel *model, int32_t line);
const char *sn_line_part(const snModel *model, int32_t line); /* part of the body, "" when the model has none */
double sn_line_radius(const snModel *model, int32_t line);    /* m */

/* Whether a column joint.motion is of a joint that the model holds still though motions may move it. */
bool sn_model_holds(const snModel *m, const char *column);

#endif
