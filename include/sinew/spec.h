/* A model as its author describes it: a scene, and what its nodes mean as muscles and bones.
 *
 * Fill a def (start from its default), add it, keep the id; zero is the null id. A spec is checked as
 * a whole by sn_check and turned into an immutable snModel by sn_compile. The attributes of every
 * def, with unit, range and default, are listed in docs/reference.md, which is made from the same
 * table as the readers and writers of the files.
 *
 * Lengths of the scene are in the scene's units; everything else is SI, angles in degrees.
 * Quaternions are w first. Strings and arrays given in a def are copied. */
#ifndef SINEW_SPEC_H
#define SINEW_SPEC_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snSpec snSpec;
typedef int32_t snId; /* index + 1 within its kind */

/* ---- scene -------------------------------------------------------------------------------- */

typedef enum snNodeKind {
    SN_NODE_GROUP,
    SN_NODE_MESH,
    SN_NODE_CURVE,
    SN_NODE_SURFACE,
    SN_NODE_SHAPE,
    SN_NODE_LOCATOR
} snNodeKind;
typedef enum snUnits { SN_UNITS_M, SN_UNITS_CM, SN_UNITS_MM, SN_UNITS_IN } snUnits;
typedef enum snAxis { SN_AXIS_Y, SN_AXIS_Z } snAxis;
typedef enum snShapeKind { SN_SHAPE_PLANE, SN_SHAPE_SPHERE, SN_SHAPE_CYLINDER, SN_SHAPE_ELLIPSOID } snShapeKind;

typedef struct snSceneDef {
    size_t size;   /* of this struct: set by its default function */
    snUnits units; /* of all lengths in the scene */
    snAxis up;
} snSceneDef;

/* A node of the scene. Arrays that do not belong to its kind are ignored. */
typedef struct snNodeDef {
    size_t size;      /* of this struct: set by its default function */
    const char *name; /* unique within the scene */
    snNodeKind kind;
    snId parent; /* node, 0: the scene itself; must exist already */
    double translate[3], rotate[4], scale[3];
    bool visible;
    double color[3];
    /* mesh: inline, or by file (path relative to the scene file; filled in on loading) */
    const char *file;
    int32_t nvertex, ntriangle;
    const double *vertex;    /* 3 each */
    const int32_t *triangle; /* 3 each, zero-based, counter-clockwise seen from outside */
    double grid_spacing;     /* of the distance grid where strands lie on the mesh; 0: chosen */
    /* curve: npoint points; surface: nu * nv points, v fastest */
    int32_t degree, degree_v;
    bool closed, closed_v;
    int32_t npoint, nu, nv;
    const double *point; /* 3 each */
    int32_t nknot, nknot_v;
    const double *knot; /* count + degree + 1; 0 of them: clamped uniform (uniform when closed) */
    const double *knot_v;
    int32_t nweight;
    const double *weight; /* 0 of them: all one */
    /* shape */
    snShapeKind shape;
    double extent[3]; /* sphere, cylinder: radius in [0]; cylinder: drawn length in [1]; ellipsoid: half axes; plane:
                         drawn size */
} snNodeDef;

/* ---- muscles ------------------------------------------------------------------------------ */

typedef enum snMassFrom { SN_MASS_AUTO, SN_MASS_GIVEN, SN_MASS_MESH, SN_MASS_CYLINDER } snMassFrom;

/* Strands: bodies held by joint rows, muscles as splines. Tree: bodies moved by coordinates, muscles as lines. */
typedef enum snModelType { SN_MODEL_STRANDS, SN_MODEL_TREE } snModelType;

/* How sinew track chooses activations of a model on a tree where nobody says otherwise: by the torques of its
 * coordinates (sn_pursue), or for all muscles and passive coordinates at once (sn_steer). */
typedef enum snModelMethod { SN_METHOD_TORQUE, SN_METHOD_BODY } snModelMethod;

typedef struct snModelDef {
    size_t size; /* of this struct: set by its default function */
    snModelType type;
    const char *scene;             /* file name of the scene, relative to the muscle file */
    double gravity[3];             /* m/s^2, world; the default is 9.81 down the scene's up axis (NaN means default) */
    double step;                   /* s, suggested step */
    double settle;                 /* s of settling before time zero */
    double compliance;             /* regularisation of the constraint rows, 1/kg */
    bool ahead;                    /* joints are linearised at the predicted pose also where no strand is a path */
    double skin_a, skin_b, skin_c; /* tendon bulge: height, lateral and normal falloff (see docs) */
    const char *skin;              /* mesh node that is the skin, may be empty */
    const char *fixed; /* joints that a motion may move but this model holds still, separated by blanks; may be empty */
    const char *views; /* names of views, the opening one first: "Anterior=+x Posterior=-x"; may be empty */
    double fixed_axis[3]; /* world: a motion of the fixed joint turns gravity about it, the other way; 0: is ignored */
    snModelMethod method; /* of sinew track, on a tree */
} snModelDef;

typedef struct snBodyDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    const char *node;      /* group of the scene; empty: the node called like the body */
    double density;        /* kg/m^3 */
    bool pinned;           /* held in place */
    bool kinematic;        /* follows a given motion exactly */
    double radius, length; /* m, bounding cylinder */
    bool enabled;
    snMassFrom mass_from; /* auto: given if mass > 0, else meshes if there are any and closed, else cylinder along the
                             longest side */
    double mass;          /* kg */
    const char *center_of_mass; /* locator node, may be empty: from the meshes, or the node's origin */
    double inertia[3];          /* kg m^2, about the node's axes through the centre of mass; 0: from the shape */
    double inertia_products[3]; /* xy, xz, yz of the tensor, kg m^2; used with inertia */
    /* in-code only: pose of a group made for this body when no node of that name exists */
    double position[3], rotation[4];
} snBodyDef;

typedef enum snJointType {
    SN_JOINT_TYPE_BALL,
    SN_JOINT_TYPE_HINGE,
    SN_JOINT_TYPE_RIGID,
    SN_JOINT_TYPE_CYLINDRICAL,
    SN_JOINT_TYPE_UNIVERSAL,
    SN_JOINT_TYPE_PRISMATIC
} snJointType;

typedef struct snJointDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    const char *node; /* locator or group whose frame is the joint's; empty: the node called like the joint */
    snJointType type;
    const char *body_a, *body_b;
    bool enabled;
    bool limited;
    double lower[3], upper[3];                /* per coordinate: deg or m */
    double stiffness[3], damping[3], rest[3]; /* N m/rad and N m s/rad, or N/m and N s/m; deg or m */
    /* ball only: limits without the gaps of angles about three axes */
    double swing;           /* deg: largest angle of x of the second body from swing_center; 0: no limit */
    double swing_center[3]; /* direction in the joint's frame on the first body */
    double twist[2];        /* deg: least and largest turn about x; both 0: no limit */
    const char *motions;    /* names of the motions, one per coordinate, separated by blanks; for tools, may be empty */
    const char *label;      /* what people call it; for tools, may be empty */
    /* in-code only: frame of a locator made for this joint (world) */
    double position[3], rotation[4];
} snJointDef;

/* Spline: a body of its own that moves, with control points as unknowns. Path: one tension along straight pieces and
 * wraps between the points it is held at; slides without friction and has no unknowns. */
typedef enum snStrandKind { SN_STRAND_SPLINE, SN_STRAND_PATH } snStrandKind;

typedef struct snStrandDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    snStrandKind kind;
    const char *node;    /* NURBS curve of degree 3; empty: the node called like the strand */
    double density;      /* kg/m^3 */
    double damping;      /* s: stiffness-proportional */
    double mass_damping; /* 1/s */
    double passive_scale, active_scale;
    const char *passive_fl, *active_fl; /* built-in law, name of a ForceLength element, or file; empty: default */
    double max_velocity; /* 1/s, path: optimal lengths a second at which no active force is left; 0: at every speed the
                            same */
    double radius;       /* m */
    bool enabled;
    double stiffness;                    /* Pa, belly (the whole strand without a tendon) */
    double tendon_stiffness;             /* Pa */
    double belly_start, belly_end;       /* fractions of the parameter; equal: pure tendon or ligament */
    double max_force;                    /* N; 0: 0.3 MPa times the cross-section */
    double rest_scale, belly_rest_scale; /* rest length over drawn length */
    double fiber_rest;                   /* normalised fibre length at strain zero */
    bool tension_only;
    const char *color;      /* free text for tools, may be empty */
    const char *label;      /* what people call it; for tools, may be empty */
    const char *belly_mesh; /* closed mesh of the scene with the shape of the belly as drawn; for tools, may be empty */
    /* in-code only: control points of a curve made for this strand when no node of that name exists */
    int32_t npoint;
    const double *point;
} snStrandDef;

typedef enum snGroupType { SN_GROUP_VOLUMETRIC, SN_GROUP_SHEET } snGroupType;

typedef struct snGroupDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    snGroupType type;
    int32_t divisions;
    double start, end;   /* fractions of the parameter */
    double kp, kd;       /* spring and damper of volume preservation, or of the struts of a sheet */
    const char *strands; /* names, separated by blanks */
    bool preserve;       /* volume preservation on */
    int32_t struts;      /* sheet only: between each two neighbouring strands, from start to end */
} snGroupDef;

typedef enum snConstraintType {
    SN_CONSTRAINT_FIXED,
    SN_CONSTRAINT_SLIDING,
    SN_CONSTRAINT_SURFACE,
    SN_CONSTRAINT_STRUT
} snConstraintType;
typedef enum snEquality { SN_EQUAL, SN_INEQUAL } snEquality;
typedef enum snSide { SN_ABOVE, SN_BELOW } snSide;
typedef enum snStrutMode { SN_STRUT_SPRING, SN_STRUT_ROW } snStrutMode;
typedef enum snJunction { SN_JUNCTION_LINE, SN_JUNCTION_FREE } snJunction;

typedef struct snConstraintDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    snConstraintType type;
    const char *strand;
    double position;        /* fraction of the parameter */
    const char *attachment; /* fixed: body or strand; sliding: body; surface: surface, shape or closed mesh node; strut:
                               strand */
    double attachment_position; /* on the other strand; negative: the nearest point */
    bool enabled;
    snEquality equality; /* surface only */
    snSide side;         /* surface only */
    double lateral;      /* surface, m: half width of sideways play; negative: not confined */
    double offset;       /* surface only, m: distance that the strand's axis keeps */
    snStrutMode mode;    /* strut only */
    double length;       /* strut only, m; 0: as drawn */
    double kp, kd;       /* strut only, N/m and N s/m */
    snJunction
        junction; /* fixed, between two paths: where they meet is on the line of the other one, or free in space */
} snConstraintDef;

typedef struct snForceLengthDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    const char *file; /* two columns, stretch and force; empty: inline */
    int32_t npoint;
    const double *stretch, *force;
} snForceLengthDef;

/* A named anatomical function: level 1 of it means these activations, constant or over time. */
typedef struct snFunctionDef {
    size_t size;         /* of this struct: set by its default function */
    const char *name;    /* e.g. elbow.flexion */
    const char *muscles; /* names, separated by blanks */
    int32_t nlevel;
    const double *level; /* 0 to 1, one per muscle; with times: one per muscle for each time in turn */
    int32_t ntime;       /* 0: constant */
    const double *time;  /* s, increasing; linear between, held before the first and after the last */
} snFunctionDef;

/* ---- models on a tree ------------------------------------------------------------------------ */

typedef enum snCoordinateType {
    SN_COORDINATE_TURN,
    SN_COORDINATE_SLIDE,
    SN_COORDINATE_NONE /* moves nothing itself: others follow it; an angle */
} snCoordinateType;

/* What the values of a coordinate that follows another are. */
typedef enum snFollowing {
    SN_FOLLOWING_POLYNOMIAL, /* coefficients, the constant first */
    SN_FOLLOWING_TABLE,      /* pairs of both values, straight between them */
    SN_FOLLOWING_SPLINE      /* pairs, a cubic spline between them; both go on straight beyond the ends */
} snFollowing;

/* One degree of freedom between two bodies. Several with the same parent and body make one joint and compose in the
 * order in which they are added: the first is fixed to the parent, the last carries the body. */
typedef struct snCoordinateDef {
    size_t size;      /* of this struct: set by its default function */
    const char *name; /* joint.motion, e.g. elbow.flexion */
    snCoordinateType type;
    const char *parent;              /* body, or world */
    const char *body;                /* the body that it moves */
    double axis[3];                  /* unit vector, world, as drawn */
    double center[3];                /* m: a point on the axis, world, as drawn */
    double range[2];                 /* deg or m; NaN: no limit */
    double stiffness, damping, rest; /* passive: N m/rad and N m s/rad, or N/m and N s/m; deg or m */
    double stop_stiffness;           /* beyond the range, N m/rad or N/m */
    double stop_damping;             /* N m s/rad at a depth of 1 rad (N s/m at 1 m) */
    double compression;              /* m/rad: stiffness for each newton of tension across it */
    double tolerance;                /* N m or N: torque that may be missing before a pose counts as out of reach */
    bool driven;                     /* muscles are asked for it; false: passive */
    const char *follows;             /* coordinate that this one is a function of; empty: moves by itself */
    snFollowing function;            /* what Values are: see there */
    int32_t nvalue;
    const double *value; /* deg or m of this one over deg or m of the other */
    const char *label;   /* what people call it; for tools, may be empty */
    bool yields;         /* passive, but motions may name it: muscles move it as far as that costs little */
} snCoordinateDef;

/* A spring of length zero between two bodies: closes what a tree cannot. */
typedef struct snSpringDef {
    size_t size; /* of this struct: set by its default function */
    const char *name, *body_a, *body_b;
    double point[3];           /* m: where both ends are, world, as drawn */
    double stiffness, damping; /* N/m, N s/m */
} snSpringDef;

/* A muscle along points fixed on bodies, straight between them or over a wrap. */
typedef struct snLineMuscleDef {
    size_t size; /* of this struct: set by its default function */
    const char *name;
    const char *bodies; /* body of each point, separated by blanks; world: fixed */
    const char *wraps;  /* for each stretch between two points: a Shape (cylinder or sphere) or -; may be empty */
    int32_t npoint;
    const double *point; /* 3 each: world, m, as drawn */
    const char *passes;  /* for each stretch: how it passes its wrap, see the schema; may be empty */
    int32_t nside;
    const double *side;   /* 3 for each stretch: on which side of a cylinder; world, as drawn; 0: where it is drawn */
    bool enabled;         /* false: kept as a donor of tendon transfers */
    double max_force;     /* N; 0: 0.3 MPa times pcsa */
    double pcsa;          /* m^2 */
    double fiber_length;  /* m, optimal */
    double fiber_neutral; /* fibre length over the optimal one as drawn */
    double pennation;     /* deg */
    double slack_length;  /* m: path length at which passive force begins; 0: the passive law is over the fibres */
    double passive_rest;  /* fibre length over the optimal one at which the passive law begins, without slack_length */
    double passive_scale; /* passive force over max_force times the law */
    double passive_damping; /* s: damper of the passive part over max_force */
    /* 1/s: optimal lengths a second at which no active force is left; 0: at every speed the same */
    double max_velocity;
    const char *active_fl,
        *passive_fl;     /* built-in law, or name of a ForceLength element; empty: hill-active, hill-passive */
    double radius;       /* m, for drawing */
    const char *unit;    /* muscles with the same unit have one activation; empty: the name */
    const char *coupled; /* group of units that tend to act together; may be empty */
    const char *nerve;   /* names of the lesions that paralyse it, separated by blanks; may be empty */
    const char *part;    /* region of the body; may be empty */
    double relative_force,
        relative_fiber; /* % of the tension of all muscles, and the fibre length of the same source, m; 0: none */
    double fatigue[3];  /* 1/s, 1/s, times: fatigue, recovery, faster recovery at rest */
    const char *label;  /* what people call it; may be empty */
    double tone;        /* activation at rest, 0 to 1: of its unit, where it is the first of that unit */
    double effort;      /* how much its squared activation counts where muscles share a task: 1 */
} snLineMuscleDef;

SN_API snSpec *sn_spec_create(void); /* NULL when out of memory */
SN_API void sn_spec_destroy(snSpec *spec);

/* What a spec consists of: any number of each kind, and the scene and the model themselves,
 * of which there is one each. */
typedef enum snKind {
    SN_KIND_NODE,
    SN_KIND_BODY,
    SN_KIND_JOINT,
    SN_KIND_STRAND,
    SN_KIND_GROUP,
    SN_KIND_CONSTRAINT,
    SN_KIND_FORCE_LENGTH,
    SN_KIND_FUNCTION,
    SN_KIND_COORDINATE,
    SN_KIND_SPRING,
    SN_KIND_LINE_MUSCLE,
    SN_KIND_SCENE,
    SN_KIND_MODEL
} snKind;
enum { SN_KINDS = SN_KIND_LINE_MUSCLE + 1 };

/* Three functions for all of them; the typed ones below say the same with the compiler's help, such as
 * sn_default_strand_def(), sn_add_strand(spec, &def, &id) and sn_spec_strand(spec, id).
 * Fills a def (size bytes) with the defaults of its kind. */
SN_API void sn_default_def(snKind kind, void *def, size_t size);
/* Copies the def and gives its id, which may be NULL; a scene or a model takes the place of the one before. Wrong
 * values are found by sn_check; this fails when out of memory, and with SN_BAD_ARGUMENT for a def of unknown size. */
SN_API snStatus sn_add(snSpec *spec, snKind kind, const void *def, snId *id);
/* The def as stored, until the spec is changed or destroyed; NULL for an id that there is not. */
SN_API const void *sn_spec_def(const snSpec *spec, snKind kind, snId id);
SN_API int32_t sn_spec_count(const snSpec *spec, snKind kind);
SN_API snId sn_spec_find(const snSpec *spec, snKind kind, const char *name); /* 0 when absent */

#define SN_TYPED_DEF(default_def, type, kind)                                                                          \
    static inline type default_def(void)                                                                               \
    {                                                                                                                  \
        type def;                                                                                                      \
        sn_default_def(kind, &def, sizeof def);                                                                        \
        return def;                                                                                                    \
    }
#define SN_TYPED_KIND(default_def, add, read, type, kind)                                                              \
    SN_TYPED_DEF(default_def, type, kind)                                                                              \
    static inline snStatus add(snSpec *spec, const type *def, snId *id)                                                \
    {                                                                                                                  \
        return sn_add(spec, kind, def, id);                                                                            \
    }                                                                                                                  \
    static inline const type *read(const snSpec *spec, snId id)                                                        \
    {                                                                                                                  \
        return (const type *)sn_spec_def(spec, kind, id);                                                              \
    }
SN_TYPED_KIND(sn_default_node_def, sn_add_node, sn_spec_node, snNodeDef, SN_KIND_NODE)
SN_TYPED_KIND(sn_default_body_def, sn_add_body, sn_spec_body, snBodyDef, SN_KIND_BODY)
SN_TYPED_KIND(sn_default_joint_def, sn_add_joint, sn_spec_joint, snJointDef, SN_KIND_JOINT)
SN_TYPED_KIND(sn_default_strand_def, sn_add_strand, sn_spec_strand, snStrandDef, SN_KIND_STRAND)
SN_TYPED_KIND(sn_default_group_def, sn_add_group, sn_spec_group, snGroupDef, SN_KIND_GROUP)
SN_TYPED_KIND(sn_default_constraint_def, sn_add_constraint, sn_spec_constraint, snConstraintDef, SN_KIND_CONSTRAINT)
SN_TYPED_KIND(sn_default_force_length_def, sn_add_force_length, sn_spec_force_length, snForceLengthDef,
              SN_KIND_FORCE_LENGTH)
SN_TYPED_KIND(sn_default_function_def, sn_add_function, sn_spec_function, snFunctionDef, SN_KIND_FUNCTION)
SN_TYPED_KIND(sn_default_coordinate_def, sn_add_coordinate, sn_spec_coordinate, snCoordinateDef, SN_KIND_COORDINATE)
SN_TYPED_KIND(sn_default_spring_def, sn_add_spring, sn_spec_spring, snSpringDef, SN_KIND_SPRING)
SN_TYPED_KIND(sn_default_line_muscle_def, sn_add_line_muscle, sn_spec_line_muscle, snLineMuscleDef, SN_KIND_LINE_MUSCLE)
SN_TYPED_DEF(sn_default_scene_def, snSceneDef, SN_KIND_SCENE)
SN_TYPED_DEF(sn_default_model_def, snModelDef, SN_KIND_MODEL)

static inline snStatus sn_set_scene(snSpec *spec, const snSceneDef *def)
{
    return sn_add(spec, SN_KIND_SCENE, def, NULL);
}
static inline snStatus sn_set_model(snSpec *spec, const snModelDef *def)
{
    return sn_add(spec, SN_KIND_MODEL, def, NULL);
}
static inline const snSceneDef *sn_spec_scene(const snSpec *spec)
{
    return (const snSceneDef *)sn_spec_def(spec, SN_KIND_SCENE, 0);
}
static inline const snModelDef *sn_spec_model(const snSpec *spec)
{
    return (const snModelDef *)sn_spec_def(spec, SN_KIND_MODEL, 0);
}

/* Every problem of a spec at once. Warnings have status SN_OK; among them is all that the file of another program
 * (OpenSim) says and a spec cannot. */
typedef struct snProblems {
    int32_t count, nerror;
    const snError *problem;
    void *memory;
} snProblems;
SN_API snStatus sn_check(const snSpec *spec, snProblems *problems); /* SN_OK, SN_BAD_INPUT or SN_NO_MEMORY */
SN_RELEASED(sn_problems_free, snProblems)

#ifdef __cplusplus
}
#endif
#endif
