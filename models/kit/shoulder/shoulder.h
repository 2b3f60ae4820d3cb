/* The shoulder as its tables describe it: what the files of its generator and its tests share.
 * World frame of the tables: right shoulder, origin at the jugular notch, +X anterior, +Y up, +Z right, metres.
 *
 * Invariants: a joint's parent comes before its child in the order of the joints; the strands of a part follow each
 * other in the order of its origin line; every path begins with its origin and ends with its insertion. */
#ifndef SN_KIT_SHOULDER_H
#define SN_KIT_SHOULDER_H

#include "base/array.h"
#include "common/bone.h"
#include "geom/mesh.h"
#include "math/vec.h"
#include "sinew/author.h"

/* The right shoulder: thorax, clavicle, scapula and humerus, three ball joints, 16 muscles as 120 strands, 3 ligaments
 * as 12 strands, twelve functions. Nothing but the muscles holds the scapula on the thorax. */
typedef struct snShoulderDef {
    const char *tables; /* folder of bones.tsv, joints.tsv, muscles.tsv, strands.tsv, ... */
    const char *body;   /* folder of the body's tables, for the bones of the thorax; NULL: ../body from there */
    const char *scene;  /* name of the scene file that the model names; NULL: shoulder.scene.xml */
    bool meshes;        /* with meshes of the bones */
    bool calibrate;     /* joint springs so that the drawn pose is at rest: simulates a moment */
} snShoulderDef;

snShoulderDef sn_default_shoulder_def(void);
/* Fails with SN_NO_FILE or SN_BAD_FILE when a table is missing or wrong, naming file and line. */
snStatus sn_author_shoulder(const snShoulderDef *def, snSpec **spec, snError *error);

enum { SN_SHOULDER_NAME = 40, SN_SHOULDER_MAX_PATH = 10, SN_SHOULDER_MAX_CONTACT = 4, SN_SHOULDER_MAX_LEVEL = 16 };
enum { SN_SHOULDER_MUSCLE_TRIANGLES = 400 }; /* fewer than that in the mesh of a part */

typedef struct snShoulderBone {
    char name[SN_SHOULDER_NAME];
    bool moving;
    v3 origin, end, center_of_mass;
    double mass, girth_radius;
    rigid frame; /* of the body in the world, neutral pose */
} snShoulderBone;

typedef struct snShoulderJoint {
    char name[SN_SHOULDER_NAME], motion[3][SN_SHOULDER_NAME];
    int32_t parent, child;
    rigid frame;                              /* first coordinate about z, then y, then x */
    double lower[3], upper[3];                /* deg */
    double stiffness[3], damping[3], rest[3]; /* rest in deg: found by calibration, 0 in the tables */
} snShoulderJoint;

typedef struct snShoulderSurface {
    char name[SN_SHOULDER_NAME];
    int32_t body;
    snShapeKind shape;
    rigid frame; /* in the world */
    v3 size;
} snShoulderSurface;

/* Contacts of every strand of a part with a surface, evenly between two places along the strand. */
typedef struct snShoulderContact {
    int32_t surface, count;
    snSide side;
    bool drawn; /* the strand is drawn above the surface, and knows nothing of it later */
    double from, to;
} snShoulderContact;

typedef struct snShoulderPart {
    char name[SN_SHOULDER_NAME], muscle[SN_SHOULDER_NAME];
    int32_t origin, insertion;                       /* bodies */
    int32_t nstrand, first;                          /* its strands */
    double area, max_force, fiber_length, pennation; /* of all its strands together; pennation in rad */
    double tone, passive_from; /* passive force at rest over max_force; fibre length from which it rises */
    double spacing;            /* m, of control points */
    bool path;                 /* its strands slide: kind path */
    snShoulderContact contact[SN_SHOULDER_MAX_CONTACT];
    int32_t ncontact;
} snShoulderPart;

typedef struct snShoulderStrand {
    char name[SN_SHOULDER_NAME];
    int32_t part; /* -1: a ligament */
    int32_t origin, insertion;
    int32_t npoint;
    v3 at[SN_SHOULDER_MAX_PATH];
    int32_t eyelet[SN_SHOULDER_MAX_PATH]; /* body of an eyelet, -1: drawn there only */
    double stiffness;                     /* of a ligament, N/m */
    double slack;                         /* of a ligament: length at which it is taut over that in the neutral pose */
} snShoulderStrand;

typedef struct snShoulderLandmark {
    char name[SN_SHOULDER_NAME];
    v3 at;
} snShoulderLandmark;

typedef struct snShoulderFunction {
    char name[SN_SHOULDER_NAME];
    int32_t count, part[SN_SHOULDER_MAX_LEVEL];
    double level[SN_SHOULDER_MAX_LEVEL];
} snShoulderFunction;

typedef struct snShoulder {
    SN_ARRAY(snShoulderBone) bone;
    SN_ARRAY(snShoulderJoint) joint;
    SN_ARRAY(snShoulderSurface) surface;
    SN_ARRAY(snShoulderPart) part;
    SN_ARRAY(snShoulderStrand) strand; /* of muscles, then of ligaments */
    SN_ARRAY(snShoulderLandmark) landmark;
    SN_ARRAY(snShoulderFunction) function;
} snShoulder;

/* Zeroed memory is an empty shoulder; free it also after a failure. */
snStatus sn_shoulder_read(snShoulder *shoulder, const char *folder, snError *error);
void sn_shoulder_free(snShoulder *shoulder);
/* A landmark that the table must have; the origin where it has not (sn_shoulder_read has complained). */
v3 sn_shoulder_landmark(const snShoulder *shoulder, const char *name);
double sn_shoulder_path_length(const snShoulderStrand *strand);

/* Adds scene nodes, bodies, joints and surfaces to the spec (shoulder_body.c), strands and constraints
 * (shoulder_strand.c), the functions (shoulder_strand.c). */
snStatus sn_shoulder_add_bodies(const snShoulder *shoulder, const snShoulderDef *def, snSpec *spec, snError *error);
snStatus sn_shoulder_add_strands(const snShoulder *shoulder, snSpec *spec, snError *error);
snStatus sn_shoulder_add_functions(const snShoulder *shoulder, snSpec *spec);
/* Adds hidden meshes around the strands of the muscles, which must be in the spec: "<part>_muscle" for every part
 * (shoulder_muscle.c). */
snStatus sn_shoulder_add_muscles(const snShoulder *shoulder, snSpec *spec, snError *error);
/* Meshes in world coordinates of the neutral pose. A moving bone from the rows of shapes.tsv in `folder`
 * (shoulder_bone.c); the bones of the thorax, skull and pelvis among them, one after the other, from the tables of
 * models/body in `folder` (shoulder_thorax.c). */
snStatus sn_shoulder_shape(const snShoulder *shoulder, const char *folder, const char *bone, snBoneMesh *mesh,
                           snError *error);
typedef snStatus (*snShoulderMeshFn)(void *context, const char *bone, const double color[3], snBoneMesh *mesh);
snStatus sn_shoulder_thorax(const snShoulder *shoulder, const char *folder, snShoulderMeshFn add, void *context,
                            snError *error);

#endif
