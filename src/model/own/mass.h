/* Masses of bodies before a model is compiled. */
#ifndef SN_MODEL_OWN_MASS_H
#define SN_MODEL_OWN_MASS_H

#include "sinew/spec.h"

/* Mass, centre of mass and inertia of a body of the spec, as sn_compile takes them: given, from its closed meshes and
 * its density, or as a cylinder along y. All in the frame of the body's node, kg and m. */
typedef struct snBodyMass {
    double mass, center[3];
    double inertia[9]; /* tensor about the centre of mass, row by row */
    snMassFrom shape;  /* where centre and inertia come from: SN_MASS_MESH or SN_MASS_CYLINDER, before what is given */
} snBodyMass;
snStatus sn_measure_body(const snSpec *spec, snId body, snBodyMass *mass, snError *error);

#endif
