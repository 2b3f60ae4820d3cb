/* The parts of sn_compile. Each returns SN_OK or sets the error. */
#ifndef SN_MODEL_COMPILE_H
#define SN_MODEL_COMPILE_H

#include "model/model.h"
#include "model/nodes.h"

typedef struct snCompiler {
    const snSpec *spec;
    snModel *m;
    snError *error;
    int32_t *body_of;    /* spec body id - 1 -> body, -1 when disabled */
    int32_t *strand_of;  /* spec strand id - 1 -> strand, -1 when disabled */
    int32_t *surface_of; /* spec node id - 1 -> surface + 1, 0 while it has none */
} snCompiler;

/* Zeroed array in the model's arena; sets c->error when out of memory. */
void *sn_compile_alloc(snCompiler *c, int64_t count, size_t size);
#define COMPILE_ARRAY(c, pointer, count) (((pointer) = sn_compile_alloc(c, count, sizeof *(pointer))) != NULL)
const char *sn_compile_text(snCompiler *c, const char *text);

snStatus sn_compile_bodies(snCompiler *c);
snStatus sn_compile_joints(snCompiler *c);
/* Names of the coordinates of a joint from its attribute motions. */
snStatus sn_compile_motions(snCompiler *c, int32_t joint, const snJointDef *def);
snStatus sn_compile_strands(snCompiler *c);
snStatus sn_compile_muscles(snCompiler *c);
snStatus sn_compile_constraints(snCompiler *c);
snStatus sn_compile_cords(snCompiler *c); /* path strands; after the constraints */
snStatus sn_compile_knots(snCompiler *c); /* where they meet; after them */
snStatus sn_compile_pattern(snCompiler *c);
snStrandParams sn_compile_params(const snStrandDef *def);
snStatus sn_compile_tree(snCompiler *c);  /* coordinates and springs of a model on a tree; after the bodies */
snStatus sn_compile_paths(snCompiler *c); /* its line muscles */

/* The law of that name: built in, or a ForceLength element; fallback where the name is empty. */
snStatus sn_compile_law(snCompiler *c, const char *name, snLawKind fallback, snLaw *law);
/* Link that a body of a tree rides on, -1: fixed. */
int32_t sn_compile_link(const snCompiler *c, const char *body);

/* Mass, inertia tensor about the centre of mass and the centre of mass, in the node's frame. */
typedef struct snMass {
    double mass;
    v3 center;
    m3 inertia;
} snMass;
snStatus sn_body_mass(const snSpec *spec, snId body, snMass *mass, snError *error);

#endif
