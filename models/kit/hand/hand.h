/* The hand as its tables describe it, and its paths as polylines: what the generator and its tests share.
 * World frame of the tables: right hand, origin at the wrist centre, +X radial, +Y proximal, +Z dorsal, metres.
 *
 * Invariants: a joint's parent comes before its child in the order of the joints; every path begins with its
 * origin and ends with its insertion. */
#ifndef SN_KIT_HAND_H
#define SN_KIT_HAND_H

#include "base/array.h"
#include "math/vec.h"
#include "sinew/author.h"

/* The hand and forearm: 17 moving bones, 2 pinned ones, 23 degrees of freedom, 54 musculotendons. */
typedef struct snHandDef {
    const char *tables;    /* folder of bones.tsv, joints.tsv, muscles.tsv, points.tsv and surfaces.tsv */
    const char *scene;     /* name of the scene file that the model names; NULL: hand.scene.xml */
    bool left;             /* mirrored */
    bool hood;             /* extensor hoods that branch, from hood_strands.tsv and hood_points.tsv: a variant */
    bool splines;          /* strands as splines over tubes; otherwise they are paths, their wraps cylinders */
    bool meshes;           /* with meshes of the bones */
    double fine_spacing;   /* m, between control points where a strand slides through eyelets */
    double coarse_spacing; /* m, elsewhere at most */
} snHandDef;

snHandDef sn_default_hand_def(void);
static inline bool sn_hand_has_paths(const snHandDef *def)
{
    return !def->splines;
}
/* Fails with SN_NO_FILE or SN_BAD_FILE when a table is missing or wrong, naming file and line. */
snStatus sn_author_hand(const snHandDef *def, snSpec **spec, snError *error);

enum { SN_HAND_NAME = 24, SN_HAND_MAX_BODY = 32, SN_HAND_MAX_COORDINATE = 48, SN_HAND_MAX_PATH = 16 };

typedef struct snHandBone {
    char name[SN_HAND_NAME];
    bool moving;
    v3 proximal, distal, center_of_mass;
    double proximal_ml, proximal_dp, distal_ml, distal_dp; /* widths of the bone: radio-ulnar, dorso-palmar */
    double mass, girth_radius;
    rigid frame; /* of the body in the world, neutral pose */
} snHandBone;

typedef struct snHandJoint {
    char name[SN_HAND_NAME], motion[2][SN_HAND_NAME];
    int32_t parent, child, dofs, first; /* bodies; first coordinate */
    v3 center, axis[2];
    double lower[2], upper[2]; /* deg */
    double stiffness[2], damping[2];
} snHandJoint;

typedef enum snHandKind { SN_HAND_ORIGIN, SN_HAND_SLIDING, SN_HAND_SURFACE, SN_HAND_INSERTION } snHandKind;

typedef struct snHandPoint {
    int32_t body, surface; /* surface: -1 for other kinds */
    int32_t guard;         /* surface that a path stays outside of on its way to the next point, -1: none */
    snHandKind kind;
    v3 at; /* world, neutral pose */
} snHandPoint;

typedef struct snHandMuscle {
    char name[SN_HAND_NAME], label[64];
    int32_t on;   /* strand that it starts on, -1: a bone */
    int32_t into; /* strand that it ends on, -1: a bone */
    bool band;    /* passive slip of the extensor hood */
    int32_t first, npoint;
    double max_force, fiber_length, fiber_neutral, pennation, radius; /* pennation in rad */
    double fiber_neutral_path;                                        /* of a strand of kind path */
    double pcsa;                                                      /* m^2, as published */
} snHandMuscle;

/* A tube around a straight axis, slightly wider at its ends so that strands do not run off. */
typedef struct snHandSurface {
    char name[SN_HAND_NAME];
    int32_t body;
    v3 center, axis;
    double radius, end_radius, length;
    double lateral; /* half width of the sideways play of strands on it; negative: not confined */
} snHandSurface;

typedef struct snHand {
    SN_ARRAY(snHandBone) bone;
    SN_ARRAY(snHandJoint) joint;
    SN_ARRAY(snHandMuscle) muscle;
    SN_ARRAY(snHandPoint) point;
    SN_ARRAY(snHandSurface) surface;
    int32_t ncoordinate;
} snHand;

/* Zeroed memory is an empty hand; free it also after a failure. */
snStatus sn_hand_read(snHand *hand, const char *folder, snError *error);
/* Replaces the paths that make up the extensor hood by those of hood_strands.tsv and
 * hood_points.tsv, and adds bands. */
snStatus sn_hand_read_hood(snHand *hand, const char *folder, snError *error);
void sn_hand_free(snHand *hand);

/* Where every body is, as motions from the neutral pose, at joint coordinates in rad. */
void sn_hand_pose(const snHand *hand, const double *coordinate, rigid *motion);
/* Length of a path: straight between eyelets, tight around its surfaces and guards. from_end (SN_HAND_MAX_PATH, may be
 * NULL): length from each point to the insertion. A strand on another one is taken to start from a fixed point; one
 * that ends on another one goes on along that one. */
double sn_hand_path_length(const snHand *hand, const rigid *motion, int32_t muscle, double *from_end);
/* Moment arm -dL/dq of a muscle about a coordinate, at joint coordinates in rad. */
double sn_hand_moment_arm(const snHand *hand, const double *coordinate, int32_t muscle, int32_t about);
/* Range of a coordinate, rad. */
void sn_hand_range(const snHand *hand, int32_t coordinate, double *lower, double *upper);

/* Least and largest of what single-joint motions over the middle `share` of each range make of the length from each
 * point of a path to its insertion. sum: of all joints together instead of the worst one. Arrays of npoint. */
void sn_hand_excursion(const snHand *hand, int32_t muscle, double share, bool sum, double *least, double *most);

/* How a path bends at a point when single joints move over their ranges: the largest angle, and the least distance to
 * the next point before or behind it, with the length of strand to the insertion in that pose. */
typedef struct snHandBend {
    double kink, gap, from_end;
} snHandBend;

/* Array of npoint; the ends of the path do not bend. */
void sn_hand_bends(const snHand *hand, int32_t muscle, snHandBend *bend);

/* Adds scene nodes and bodies of the bones to the spec (hand_bone.c), strands and constraints (hand_strand.c). */
snStatus sn_hand_add_bones(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error);
snStatus sn_hand_add_strands(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error);
/* Closed meshes of the bellies, packed side by side, for the strands that are there (hand_belly.c). */
snStatus sn_hand_add_bellies(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error);
/* Volume that a belly is given: PCSA times fibre length times the factor from cadaver to living muscle, m^3. */
double sn_hand_belly_volume(const snHandMuscle *muscle);

#endif
