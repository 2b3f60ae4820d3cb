/* Small models made in code, shared by tests, benchmarks, docs and the command: `sinew simulate pulley`.
 * They are built on the public headers only, so that each is an example of building a model in code. */
#ifndef SN_SCENES_H
#define SN_SCENES_H

#include "sinew/spec.h"

typedef struct snSceneInfo {
    const char *name;
    const char *about; /* one line */
} snSceneInfo;

/* The scenes in order of size; NULL past the last. */
const snSceneInfo *sn_scene_info(int32_t index);

/* A new spec of that name, or NULL when there is no such scene or no memory. */
snSpec *sn_scene(const char *name);
/* The scene "spindle" with another number of strands, at most 99. */
snSpec *sn_scene_spindle_of(int32_t strands);

/* Two bones of 20 and 10 g with a flexor through six eyelets and an extensor over two knuckles, both of them paths,
 * with tendons of that modulus (Pa). Not one of the list. */
snSpec *sn_scene_path_finger(double stiffness);
/* The same with a branching extensor hood: a central slip, two lateral bands, a lumbrical and an interosseous. */
snSpec *sn_scene_path_hood(double stiffness);

/* Numbers that analytic results need. */
#define SN_SCENE_PENDULUM_LENGTH 0.5 /* m, of the rod, hinged at one end */
#define SN_SCENE_CABLE_SPAN 0.2      /* m */
#define SN_SCENE_CABLE_LENGTH 0.3    /* m, at rest */
#define SN_SCENE_STRING_LENGTH 0.5   /* m, between the ends */
#define SN_SCENE_STRING_STRAIN 0.02
#define SN_SCENE_PULLEY_LOAD 1.0 /* kg */
/* c of the catenary y = c cosh(x / c) of the cable's span and length, m. */
double sn_scene_catenary(void);

#endif
