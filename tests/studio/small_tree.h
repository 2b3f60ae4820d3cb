/* A forearm of two bones with a flexor and an extensor, for tests of the clinical questions. */
#ifndef SN_TESTS_SMALL_TREE_H
#define SN_TESTS_SMALL_TREE_H

#include "sinew/sinew.h"

static inline snSpec *small_tree(void)
{
    static const double flexor[6] = {0, 0.02, 0, 0.3, 0.02, 0}, extensor[6] = {0, -0.02, 0, 0.3, -0.02, 0};
    snSpec *spec = sn_spec_create();
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE;
    snBodyDef base = sn_default_body_def(), fore = base;
    base.name = "base", base.mass = 1, base.pinned = true;
    fore.name = "fore", fore.mass = 1, fore.inertia[0] = fore.inertia[1] = fore.inertia[2] = 0.01,
    fore.position[0] = 0.2;
    snCoordinateDef elbow = sn_default_coordinate_def();
    elbow.name = "elbow.flexion", elbow.parent = "base", elbow.body = "fore", elbow.center[0] = 0.1;
    elbow.axis[0] = 0, elbow.axis[1] = 0, elbow.axis[2] = 1, elbow.range[0] = -90, elbow.range[1] = 90;
    snLineMuscleDef a = sn_default_line_muscle_def();
    a.name = "flexor", a.bodies = "base fore", a.npoint = 2, a.point = flexor, a.max_force = 500, a.fiber_length = 0.2;
    a.nerve = "one-nerve";
    snLineMuscleDef b = a;
    b.name = "extensor", b.point = extensor, b.nerve = "other-nerve";
    bool fine = spec && !sn_set_model(spec, &model) && !sn_add_body(spec, &base, NULL) &&
                !sn_add_body(spec, &fore, NULL) && !sn_add_coordinate(spec, &elbow, NULL) &&
                !sn_add_line_muscle(spec, &a, NULL) && !sn_add_line_muscle(spec, &b, NULL);
    return fine ? spec : NULL;
}

#endif
