/* Parts of the reader of OpenSim models, versions 1.9 to 4. From the tree of the file to a spec:
 *     functions   osim_function.c   what a joint's axis or a point is of a coordinate
 *     skeleton    osim_joints.c     bodies, joints, coordinates, couplers; where everything is at given values
 *     scene       osim_scene.c      bodies as nodes, wraps as shapes, meshes
 *     muscles     osim_paths.c, osim_muscles.c
 * Everything here is in rad and m. The drawn pose of the spec is the pose of the file with all coordinates 0, so that
 * values are the same in both. A joint is a list of steps from the parent's frame to the child's, each a turn or a slide
 * by a function of one coordinate; a step that does not change becomes part of the drawn pose, every other one a
 * Coordinate of the spec. */
#ifndef SN_IO_OSIM_H
#define SN_IO_OSIM_H

#include "base/array.h"
#include "io/foreign.h"
#include "io/xml_tree.h"
#include "math/curve.h"
#include "math/vec.h"
#include "model/spec_internal.h"

typedef struct osimCoordinate {
    const char *name;
    const snXmlNode *node;
    double value, range[2]; /* default value; rad or m */
    bool slides;            /* what carries it is a slide (or, with nothing that is it itself, it is called one) */
    bool carried;           /* some step is the coordinate itself */
    bool locked, clamped;
    bool pulled; /* a muscle that is enabled crosses it */
    /* a coupled one is a function of root, after osim_couple; else root is itself */
    int32_t root;
    snCurve curve;
    const snXmlNode *coupler;
    int visited; /* by osim_couple: 1 under way, 2 done */
} osimCoordinate;

typedef struct osimStep {
    bool slides;
    v3 axis;            /* unit vector in the frame before it */
    int32_t coordinate; /* -1: constant */
    snCurve function;
    const char *name; /* rotation1, translation2: what a Coordinate for it is called after its joint */
    /* by osim_draw: the same as a function of a coordinate that follows none; root -1: constant */
    int32_t root;
    snCurve resolved;
    double sign; /* +-1: it is the coordinate itself, about its axis or the other way; 0: it is not */
} osimStep;

enum { OSIM_STEPS = 6 };

typedef struct osimBody {
    const char *name;      /* of ours */
    const char *called;    /* in the file */
    const snXmlNode *node; /* NULL: carries a moving point */
    /* the joint that moves it */
    const snXmlNode *joint;
    const char *joint_name;
    int32_t parent; /* 0: the ground */
    rigid in_parent, in_child;
    int32_t nstep;
    osimStep step[OSIM_STEPS];
    bool has_joint, placed, moves; /* moves: a coordinate of the spec moves it */
    rigid drawn, now;              /* world: all coordinates 0; by osim_place */
    snId group;
} osimBody;

typedef struct osimWrap {
    const char *called;
    const snXmlNode *node;
    const char *name; /* of its Shape; NULL: a kind that no line muscle passes over */
    int32_t body;
    rigid frame; /* in the body, z along the axis of a cylinder */
    double radius, length;
    bool cylinder, active;
    v3 side; /* in the frame: quadrant; 0: all */
} osimWrap;

/* The body that stands for a moving point. */
typedef struct osimCarrier {
    const snXmlNode *point;
    int32_t body;
} osimCarrier;

/* A point of a path. */
typedef struct osimPoint {
    int32_t body, number; /* number: of the file, from 1 */
    v3 at;                /* in the body */
} osimPoint;

typedef struct osimPath {
    const snXmlNode *muscle;
    int32_t npoint;
    osimPoint *point;
    int32_t *wrap; /* npoint: wrap between this point and the next, -1: none */
    double *side;  /* 3 npoint: world, as drawn; 0: where the stretch is drawn */
    bool sided;
} osimPath;

typedef struct snOsim {
    snSpec *spec;
    const char *file;
    snArena *arena;
    const snXmlNode *model;
    SN_ARRAY(osimBody) body; /* the ground first */
    SN_ARRAY(osimCoordinate) coordinate;
    SN_ARRAY(osimWrap) wrap;
    SN_ARRAY(osimCarrier) carrier;
    int32_t *order; /* bodies, each after its parent; by osim_draw */
    snError *error;
} snOsim;

/* ---- what all parts use (osim_values.c) ---- */

/* SN_BAD_FILE at a place of the file. */
snStatus osim_fail(snOsim *o, const snXmlNode *at, const char *remedy, const char *format, ...) SN_PRINTF(4, 5);
snStatus osim_no_memory(snOsim *o);
/* Something that the spec cannot say, and what that changes. SN_OK or SN_NO_MEMORY. */
snStatus osim_miss(snOsim *o, const snXmlNode *at, const char *format, ...) SN_PRINTF(3, 4);

const char *osim_name(const snXmlNode *node); /* its attribute, "" when it has none */
snOrigin osim_origin(const snOsim *o, const snXmlNode *node);
/* A property of an object: its own, else that of the default object of its class. NULL: neither. */
const snXmlNode *osim_property(const snOsim *o, const snXmlNode *object, const char *tag);
/* Their values; left alone where the property is absent. */
snStatus osim_number(snOsim *o, const snXmlNode *object, const char *tag, double *value);
snStatus osim_vector(snOsim *o, const snXmlNode *object, const char *tag, int count, double *value);
bool osim_flag(const snOsim *o, const snXmlNode *object, const char *tag, bool otherwise);
/* All numbers of an element, in the arena. */
snStatus osim_numbers(snOsim *o, const snXmlNode *node, int32_t *count, double **values);
/* A place: translation and rotation by three angles about x, y, z, each about the axes turned so far. */
rigid osim_place_of(const double translation[3], const double angle[3]);
/* Objects of a set: SET/objects/... or SET/...; NULL: empty. Go on with ->next. */
const snXmlNode *osim_objects(const snXmlNode *parent, const char *set);
/* The last part of a path such as /jointset/hip_r/femur_offset. */
const char *osim_last(const char *path);

/* ---- functions ---- */

/* The function that stands in an element, directly or in <function>. SN_OK with n of 0: there is none. */
snStatus osim_function(snOsim *o, const snXmlNode *in, snCurve *curve);
snStatus osim_constant(snOsim *o, double value, snCurve *curve);
double osim_value(const snCurve *curve, double x);
bool osim_is_constant(const snCurve *curve);
/* Whether it is slope x + offset. */
bool osim_is_line(const snCurve *curve, double *slope, double *offset);
/* x -> outer(inner(x)). Exact where one of them is a line or both are polynomials, else a spline over the range. */
snStatus osim_compose(snOsim *o, const snXmlNode *at, const snCurve *outer, const snCurve *inner, const double range[2],
                      snCurve *result);

/* ---- skeleton ---- */

/* Sets of the model that bodies and joints stand in. */
enum { OSIM_SETS = 3 };
extern const char *const osim_body_sets[OSIM_SETS], *const osim_joint_sets[OSIM_SETS];

snStatus osim_read_bodies(snOsim *o);
snStatus osim_read_joints(snOsim *o);
snStatus osim_couple(snOsim *o);
/* Frame that a point or a wrap is given in: body and place in it. context: the object that names it. */
snStatus osim_frame(snOsim *o, const snXmlNode *context, const char *tag, int32_t *body, rigid *place);
int32_t osim_find_body(const snOsim *o, const char *called);             /* -1: none */
int32_t osim_find_coordinate(const snOsim *o, const char *name_or_path); /* -1: none */
/* Adds a body that carries a moving point: three steps from a frame of another body. */
snStatus osim_add_carrier(snOsim *o, const char *name, const snXmlNode *at, int32_t parent, rigid frame,
                          const osimStep step[3], int32_t *body);
/* now of all bodies, at values of the coordinates that follow none (rad, m; NULL: all 0). */
void osim_place(snOsim *o, const double *value);
/* Resolves all steps and sets drawn of all bodies; fails where parents form a cycle. */
snStatus osim_draw(snOsim *o);
/* What a step does at given values of the coordinates (NULL: all 0). */
rigid osim_motion(const osimStep *step, const double *value);
snStatus osim_write_coordinates(snOsim *o);
/* Marks the coordinates that change the way between two bodies. */
void osim_mark_pulled(snOsim *o, int32_t a, int32_t b);
/* Springs for coordinates that no muscle crosses: a pelvis that nothing holds would fall. */
snStatus osim_hold_rest(snOsim *o);

/* ---- scene and muscles ---- */

snStatus osim_read_wraps(snOsim *o);
snStatus osim_write_scene(snOsim *o);
/* In two turns: carriers of moving points are bodies and must be there before the scene is written. */
snStatus osim_read_carriers(snOsim *o);
snStatus osim_write_muscles(snOsim *o);
/* Which stretch of a path passes over which wrap. */
snStatus osim_route(snOsim *o, osimPath *path);
/* Figures and laws of a muscle; neutral: length of its path as drawn. */
snStatus osim_muscle_law(snOsim *o, const snXmlNode *muscle, double neutral, snLineMuscleDef *def);

/* Adds what the bytes describe. name is what errors and origins call the file. */
snStatus sn_osim_read(snSpec *spec, const char *name, const char *bytes, size_t size, snError *error);

#endif
