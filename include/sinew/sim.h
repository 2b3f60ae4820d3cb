/* Make states of a model, step them, read their fields.
 * Many states share one model; each state belongs to one thread at a time. */
#ifndef SINEW_SIM_H
#define SINEW_SIM_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snState snState;

typedef enum snSolver { SN_SOLVER_STRAND, SN_SOLVER_PLAIN } snSolver;

typedef struct snSimDef {
    size_t size;     /* of this struct: set by its default function */
    double step;     /* s; 0: the model's */
    int32_t threads; /* 0: all cores */
    snSolver solver;
    double gravity_scale;
    int32_t contact_rounds; /* repairs of the set of active contacts per step at most */
    int32_t refine;         /* steps of iterative refinement */
    bool skip_settle;       /* start from the pose as drawn */
    const void *settled; /* sn_state_save of a state of the same model and step before its first step: settling is not
                            done again. Bytes that do not fit are not used. May be NULL */
    size_t settled_size;
} snSimDef;

static inline snSimDef sn_default_sim_def(void)
{
    SN_DEF(snSimDef, def);
    def.threads = 1;
    def.solver = SN_SOLVER_STRAND;
    def.gravity_scale = 1;
    def.contact_rounds = 6;
    def.refine = 1;
    return def;
}
/* Allocates everything a step needs and settles the rest pose (short damped steps) before time zero. Fails with
 * SN_BAD_INPUT when a strand ends up on the wrong side of one of its surfaces. */
SN_API snStatus sn_state_create(const snModel *model, const snSimDef *def, snState **state, snError *error);
SN_API void sn_state_destroy(snState *state);
SN_API snStatus sn_state_reset(const snModel *model, snState *state); /* back to the settled rest state, time 0 */

/* A state as bytes, for going on after an interruption: restored into a state of the same model and step, stepping goes
 * on bit for bit. Of this machine and version only. Saving gives the size; bytes may be NULL to ask for it.
 * SN_BAD_INPUT, state untouched: the bytes are damaged or belong to another model or step. */
SN_API size_t sn_state_save(const snModel *model, const snState *state, void *bytes);
SN_API snStatus sn_state_load(const snModel *model, snState *state, const void *bytes, size_t size);

/* What the last step did. */
typedef struct snStepInfo {
    int64_t steps;
    int32_t contact_rounds, active_contacts;
    double residual;         /* of the linear system, relative */
    double worst_gap;        /* of the equality constraints, m */
    char culprit[128];       /* constraint, joint or strand with the worst gap, or that diverged; or the value of a
                                field that was refused, with its range */
    double stage_seconds[8]; /* summed over all steps, by stage as sinew bench names them */
    int32_t substeps;        /* pieces that the step was taken in; 1: whole, as nearly always */
    int32_t unresolved;      /* of these, pieces that moved something too far, and yet no shorter ones are tried */
} snStepInfo;

/* SN_BAD_INPUT, state untouched: a writable field is outside its range (sn_field_info). SN_DIVERGED: the state is at
 * the last good step. sn_info(state)->culprit says which field or which part. */
SN_API snStatus sn_step(const snModel *model, snState *state);
SN_API const snStepInfo *sn_info(const snState *state);
/* SN_DIVERGED: after the last step a joint or an attachment is more than 2 cm apart, or the belly of a path
 * strand more than 1 cm into an eyelet that it lay before as drawn, although the step itself worked. The
 * message says which, by how much and when. */
SN_API snStatus sn_check_gaps(const snState *state, snError *error);
SN_API double sn_time(const snState *state);

/* Any field by name as an array. data stays valid as long as the state; writable ones may be written between steps.
 *   body.position            nbody x 3, m: of the node of the scene, not of the centre of mass
 *   body.rotation            nbody x 4
 *   body.velocity            nbody x 3, m/s
 *   body.angular_velocity    nbody x 3, rad/s, body axes
 *   body.force, body.torque  nbody x 3, N and N m: external, world axes; writable
 *   strand.point             npoint x 3, m
 *   strand.velocity          npoint x 3, m/s
 *   strand.length            nstrand, m
 *   strand.force_origin      nstrand x 3, N: reaction
 *   strand.force_insertion   nstrand x 3, N: reaction
 *   strand.tension           nstrand, N: mean at both ends
 *   muscle.activation        nmuscle; writable
 *   muscle.strength          nmuscle, 0 to 1: scales the active force; writable
 *   group.volume             ngroup, m^3: between start and end of the group, as the next two
 *   group.area               ngroup, m^2: mean cross-section
 *   group.length             ngroup, m: of the axis
 *   line.point               corners of all line muscles x 3, m
 *   line.length              nline, m
 *   line.tension             nline, N
 *   joint.coordinate         ncoordinate, rad or m
 *   constraint.force         nconstraint, N
 *   constraint.gap           nconstraint, m
 *   constraint.position      nconstraint: parameter on the strand */
typedef struct snView {
    double *data;
    int32_t rows, columns;
    bool writable;
} snView;
SN_API snStatus sn_field(const snModel *model, snState *state, const char *name, snView *view);
/* All fields by index: name, and what it is with shape and unit; both NULL past the last. sn_step refuses a value of a
 * writable field outside low to high. */
typedef struct snFieldInfo {
    const char *name, *doc;
    bool writable;
    double low, high;
} snFieldInfo;
SN_API snFieldInfo sn_field_info(int32_t index);
static inline const char *sn_field_name(int32_t index)
{
    return sn_field_info(index).name;
}
static inline const char *sn_field_doc(int32_t index)
{
    return sn_field_info(index).doc;
}

/* Give a kinematic body its pose at the end of the next step (world pose of its node). SN_BAD_INPUT: a body that is not
 * kinematic, a position that is not finite or beyond 1000 km, or a rotation far from unit length. */
SN_API snStatus sn_move_body(const snModel *model, snState *state, int32_t body, const double position[3],
                             const double rotation[4]);
/* Put all bodies at joint coordinates (rad, m; every joint of a tree), strands following rigidly. Velocities are
 * zeroed. */
SN_API snStatus sn_pose(const snModel *model, snState *state, const double *coordinate);
/* World poses of all bodies' nodes (nbody x 7: position, rotation w first) at joint coordinates, without a state. */
SN_API snStatus sn_body_poses(const snModel *model, const double *coordinate, double *pose);
/* The points of all line muscles one after the other (3 each, m) where the nodes of the bodies are at these poses: for
 * drawing, with or without a state. */
SN_API snStatus sn_line_points(const snModel *model, const double *pose, double *point);

#ifdef __cplusplus
}
#endif
#endif
