/* Models of MuJoCo (MJCF, root element <mujoco>) into a spec on a tree.
 *
 * The file is read as a tree of elements with its includes in their place; defaults are looked up where a value is
 * asked for. MuJoCo's reference pose (qpos = ref) is our pose as drawn, so that our coordinate is qpos - ref. Bodies
 * without joints move with the body above and become part of it. What a spec cannot say is listed by mjcf_miss. */
#ifndef SN_IO_MJCF_H
#define SN_IO_MJCF_H

#include "base/array.h"
#include "io/foreign.h"
#include "io/xml_tree.h"
#include "math/vec.h"
#include "model/spec_internal.h"

enum { MJCF_CLASSES = 1000, MJCF_INCLUDES = 64 };

typedef struct mjcfBody {
    const char *called, *name; /* in the file; ours */
    const snXmlNode *node;
    const char *childclass;
    int32_t parent, owner; /* owner: the body that it is part of; 0: the world */
    rigid drawn;           /* world */
    double mass, inertia[6];
    v3 com; /* world; inertia about it in world axes: xx yy zz xy xz yz */
    bool estimated;
    snId group;
} mjcfBody;

typedef struct mjcfJoint {
    const char *called, *name;
    const snXmlNode *node;
    int32_t body;
    bool slides;
} mjcfJoint;

/* A site or a geom. */
typedef struct mjcfPlace {
    const char *called, *name; /* name: of the node that it became, NULL: none yet */
    const snXmlNode *node;
    int32_t body;
    rigid frame; /* world */
    const char *childclass;
} mjcfPlace;

typedef struct snMjcf {
    snSpec *spec;
    const char *file; /* owned by the spec */
    snArena *arena;
    const snXmlNode *root;
    int32_t includes;
    /* compiler */
    double degree; /* rad per unit of an angle */
    char eulerseq[4];
    const char *meshdir;
    bool limits_by_word, mass_by_geoms, mass_by_inertial;
    double least_mass, least_inertia;
    SN_ARRAY(mjcfBody) body;
    SN_ARRAY(mjcfJoint) joint;
    SN_ARRAY(mjcfPlace) site;
    SN_ARRAY(mjcfPlace) geom;
    int32_t nlaw;
    snError *error;
} snMjcf;

/* mjcf_values.c */
snOrigin mjcf_origin(const snMjcf *m, const snXmlNode *at);
snStatus mjcf_fail(snMjcf *m, const snXmlNode *at, const char *remedy, const char *format, ...) SN_PRINTF(4, 5);
snStatus mjcf_no_memory(snMjcf *m);
snStatus mjcf_miss(snMjcf *m, const snXmlNode *at, const char *format, ...) SN_PRINTF(3, 4);
const char *mjcf_name(const snXmlNode *node); /* "" without one */
/* An attribute, its own or of a default; otherwise where none has it. childclass may be NULL. */
const char *mjcf_get(const snMjcf *m, const snXmlNode *node, const char *childclass, const char *attribute,
                     const char *otherwise);
/* Up to `count` numbers of an attribute; value stays as it is where there is none. given may be NULL: how many. */
snStatus mjcf_numbers(snMjcf *m, const snXmlNode *node, const char *childclass, const char *attribute, int least,
                      int count, double *value, int *given);
/* pos, and quat, axisangle, xyaxes, zaxis or euler. */
snStatus mjcf_frame(snMjcf *m, const snXmlNode *node, const char *childclass, rigid *frame);
rigid mjcf_along(v3 from, v3 to); /* the middle, with z along */
/* The next section of the root of this tag behind `after`; NULL first. */
const snXmlNode *mjcf_section(const snMjcf *m, const char *tag, const snXmlNode *after);

snStatus mjcf_read_bodies(snMjcf *m);       /* mjcf_bodies.c */
snStatus mjcf_read_masses(snMjcf *m);       /* mjcf_mass.c */
snStatus mjcf_write_scene(snMjcf *m);       /* mjcf_scene.c */
snStatus mjcf_write_coordinates(snMjcf *m); /* mjcf_joints.c */
snStatus mjcf_write_muscles(snMjcf *m);     /* mjcf_muscles.c */
/* Node of the scene that a geom is, made when it is first asked for. */
snStatus mjcf_wrap_node(snMjcf *m, mjcfPlace *geom, bool cylinder, double radius, double half);

/* name is what errors call the file, and includes and meshes are looked for beside it. */
snStatus sn_mjcf_read(snSpec *spec, const char *name, const char *bytes, size_t size, snError *error);

#endif
