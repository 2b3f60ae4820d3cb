/* A shoulder: tables in, spec out.
 *
 * The drawn pose is made the rest pose: with the joints held by stiff springs and the muscles at their tone, the torque
 * about each coordinate is what the springs carry; the passive springs of the model then get the rest angles that carry
 * the same torque at zero. */
#include "shoulder/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sinew/sim.h"

static const double HELD_STIFFNESS = 4000, HELD_DAMPING = 40; /* N m/rad, N m s/rad */
static const double HELD_STEP = 0.002, HELD_TIME = 0.6;       /* s */

snShoulderDef sn_default_shoulder_def(void)
{
    return (snShoulderDef){.tables = "", .meshes = true, .calibrate = true};
}

static snStatus build(const snShoulder *s, const snShoulderDef *def, snSpec **spec, snError *error)
{
    snSpec *made = sn_spec_create();
    if (!made) return sn_fail_no_memory(error);
    snModelDef model = sn_default_model_def();
    model.scene = def->scene ? def->scene : "shoulder.scene.xml";
    model.settle = 0.4;
    model.views = "Anterior=+x Posterior=-x Lateral=+z Medial=-z Superior=+y";
    snStatus status = sn_set_model(made, &model);
    if (status == SN_OK) status = sn_shoulder_add_bodies(s, def, made, error);
    if (status == SN_OK) status = sn_shoulder_add_strands(s, made, error);
    if (status == SN_OK) status = sn_shoulder_add_functions(s, made);
    if (status == SN_OK && def->meshes) status = sn_shoulder_add_muscles(s, made, error);
    if (status == SN_OK)
        *spec = made;
    else
        sn_spec_destroy(made);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}

/* Steps a model to rest; deflection: of each coordinate, rad. */
static snStatus hang(const snModel *model, snState *state, double *deflection, snError *error)
{
    snStatus status = SN_OK;
    for (double t = 0; t < HELD_TIME && status == SN_OK; t += HELD_STEP) status = sn_step(model, state);
    if (status != SN_OK)
        return sn_fail(error, status, "the shoulder does not come to rest: %s", sn_info(state)->culprit);
    snView view;
    status = sn_field(model, state, "joint.coordinate", &view);
    for (int32_t i = 0; i < view.rows && status == SN_OK; ++i) deflection[i] = view.data[i];
    return status;
}

static snStatus find_deflection(const snShoulder *held, double *deflection, snError *error)
{
    snShoulderDef def = {.meshes = false};
    snSimDef sim = sn_default_sim_def();
    snSpec *spec = NULL;
    snModel *model = NULL;
    snState *state = NULL;
    sim.step = HELD_STEP, sim.threads = 1;
    snStatus status = build(held, &def, &spec, error);
    if (status == SN_OK) status = sn_compile(spec, &model, error);
    if (status == SN_OK) status = sn_state_create(model, &sim, &state, error);
    if (status == SN_OK) status = hang(model, state, deflection, error);
    sn_state_destroy(state);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
    return status;
}

/* Sets the rest angles of the joint springs. The stiff springs give a little; in the second round they are set back by
 * as much, so that the torque is that of the drawn pose. */
static snStatus calibrate(snShoulder *s, snError *error)
{
    enum { MAX_JOINTS = 8, ROUNDS = 2 };
    double deflection[3 * MAX_JOINTS], torque[MAX_JOINTS][3];
    snShoulderJoint kept[MAX_JOINTS];
    int32_t n = s->joint.count;
    if (n > MAX_JOINTS) return sn_fail(error, SN_BAD_INPUT, "more than %d joints", MAX_JOINTS);
    for (int32_t j = 0; j < n; ++j) kept[j] = s->joint.at[j];
    snStatus status = SN_OK;
    for (int round = 0; round < ROUNDS && status == SN_OK; ++round) {
        for (int32_t i = 0; i < 3 * n; ++i) {
            snShoulderJoint *j = &s->joint.at[i / 3];
            j->stiffness[i % 3] = HELD_STIFFNESS, j->damping[i % 3] = HELD_DAMPING;
            j->rest[i % 3] = round ? -torque[i / 3][i % 3] / HELD_STIFFNESS / SN_DEG : 0;
        }
        status = find_deflection(s, deflection, error);
        for (int32_t i = 0; i < 3 * n && status == SN_OK; ++i)
            torque[i / 3][i % 3] = HELD_STIFFNESS * (deflection[i] - SN_DEG * s->joint.at[i / 3].rest[i % 3]);
    }
    for (int32_t j = 0; j < n; ++j) {
        s->joint.at[j] = kept[j];
        for (int k = 0; k < 3 && status == SN_OK; ++k)
            s->joint.at[j].rest[k] = -torque[j][k] / kept[j].stiffness[k] / SN_DEG;
    }
    return status;
}

snStatus sn_author_shoulder(const snShoulderDef *def, snSpec **spec, snError *error)
{
    snShoulder shoulder = {0};
    snStatus status = sn_shoulder_read(&shoulder, def->tables, error);
    if (status == SN_OK && def->calibrate) status = calibrate(&shoulder, error);
    if (status == SN_OK) status = build(&shoulder, def, spec, error);
    sn_shoulder_free(&shoulder);
    return status;
}
