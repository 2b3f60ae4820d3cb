/* The mutable side of a simulation, shared by the files of this module and by the controllers.
 *
 * Invariants
 * 1. Everything is allocated in sn_state_create; a step allocates nothing.
 * 2. A step that fails leaves positions and velocities as they were.
 * 3. Parallel loops run over strands; a strand writes only its own points, rows and constraints. */
#ifndef SN_SIM_STATE_H
#define SN_SIM_STATE_H

#include "base/parallel.h"
#include "model/model.h"
#include "sinew/sim.h"

/* kg and kg m^2: a driven body does not feel the strands */
#define SN_HEAVY 1e6

/* Stages of a step, timed. */
#define SN_STAGE_TABLE(X)                                                                                              \
    X(SN_STAGE_CONTACTS, "contacts")                                                                                   \
    X(SN_STAGE_FORCES, "forces")                                                                                       \
    X(SN_STAGE_ASSEMBLY, "assembly")                                                                                   \
    X(SN_STAGE_FACTOR, "factor")                                                                                       \
    X(SN_STAGE_CONTROL, "control")                                                                                     \
    X(SN_STAGE_SOLVE, "solve")                                                                                         \
    X(SN_STAGE_INTEGRATE, "integrate")                                                                                 \
    X(SN_STAGE_RECORD, "record")
enum {
#define X(name, text) name,
    SN_STAGE_TABLE(X)
#undef X
        SN_STAGE_COUNT
};

/* The largest gap among the equality constraints of a strand. */
typedef struct snWorst {
    double gap;
    int32_t constraint, contacts; /* contacts that push */
} snWorst;

/* Called once per factorisation, before the solve: sets s->activation. */
typedef void (*snActivationFn)(void *context, const snModel *m, snState *s);

struct snState {
    const snModel *model;
    snSimDef def;
    double h, time;
    snPool *pool;
    snKkt *kkt;
    snKktValues *value;
    int32_t size; /* of a KKT vector */
    int32_t point0, own0, link0, joint0; /* where the parts of a vector start */

    /* bodies: pose of the centre-of-mass frame, velocity (omega in body axes, v in world axes) */
    rigid *body;
    double *velocity;     /* nbody * 6 */
    rigid *body_target;   /* kinematic and driven bodies: pose at the end of the next step */
    uint8_t *driven;      /* a free body that follows body_target exactly for now */
    double *force, *torque; /* external, world, nbody * 3 */

    /* strands */
    double *point, *pointdot; /* npoint * 3 */

    /* constraints */
    double *s;            /* current parameter on the strand */
    int32_t *span, *other_span;
    snSurfaceHint *hint;
    uint8_t *flips;       /* nown + njoint rows: changes of side within this step */
    double *own_gap, *link_gap, *joint_gap; /* m */
    uint8_t *own_sided, *joint_sided;       /* row may only push */
    double *eyelet_force; /* nconstraint * 3: of sliding constraints on their strands at the last step, N */
    double *joint_row;    /* ncoord * 12: velocity rows of the coordinates */

    /* muscles */
    double *activation, *strength; /* nmuscle */
    double *stiff_activation;      /* nstrand: at which the stiffness was taken */
    double *active;                /* npoint * 3: force of activation 1, strength not included */
    double *level;                 /* nstrand: impulse of the step over that force; 0 without a muscle */

    /* right-hand side without active forces, with them, and the solution */
    double *impulse, *rhs, *solution;
    double *residual; /* scratch, only looked at when a step diverges */
    uint8_t *strand_dirty;

    snActivationFn choose;
    void *choose_context;

    double *section;       /* nstrand * 9, scratch: points, tangents and gradients of one cross-section */
    double settle_damping; /* factor on all strand velocities after each step; 1: none */

    /* derived, filled after each step (see sn_field) */
    double *out_position, *out_rotation, *out_velocity, *out_angular;
    double *out_coordinate;
    double *out_length, *out_tension, *out_origin, *out_insertion;
    double *out_force, *out_gap, *out_s;
    double *out_volume, *out_area, *out_axis; /* nvolume */
    snWorst *worst; /* nstrand */
    int32_t *origin, *insertion; /* nstrand: constraint that holds each end, -1 */

    /* settled rest state, for sn_state_reset */
    double *settled_point, *settled_s, *settled_solution;
    int32_t *settled_span;
    snSurfaceHint *settled_hint;

    snStepInfo info;
};

/* ---- rows.c: constraint rows at the current configuration */
void sn_rows_of_strand(const snModel *m, snState *s, int32_t strand);
void sn_rows_of_links(const snModel *m, snState *s);
void sn_rows_of_joints(const snModel *m, snState *s);
/* Pose at the end of the step and velocity over it, of bodies that are moved rather than simulated. */
void sn_rows_move_bodies(const snModel *m, snState *s);

/* A link row as a spring and damper on its gap, implicit. */
void sn_rows_link_spring(snState *s, int32_t link, double gap, double kp, double kd);

/* ---- group.c: muscle groups */
void sn_rows_of_groups(const snModel *m, snState *s);
void sn_measure_groups(const snModel *m, snState *s);
double sn_group_energy(const snModel *m, const snState *s); /* of the springs that keep volume, J */

/* ---- contact.c: which one-sided rows push. Returns how many changed; marks their strands dirty. */
int32_t sn_contact_repair(const snModel *m, snState *s);

/* ---- eyelet.c: adds the geometric stiffness of sliding constraints to point_A and impulse; keeps their forces. */
void sn_eyelet_stiffness(const snModel *m, snState *s, int32_t strand);
void sn_eyelet_remember(const snModel *m, snState *s, int32_t strand);

/* ---- step.c */
/* s->rhs = impulse + h active . activation. */
void sn_sim_add_active(const snModel *m, snState *s);

/* ---- settle.c */
/* Short damped steps with all bodies held. */
snStatus sn_settle(const snModel *m, snState *s, double seconds);
/* Strand points that ended on the wrong side of their surface: index of the worst constraint, or -1. */
int32_t sn_wrong_side(const snModel *m, const snState *s, double *depth);

/* ---- pose.c */
/* Poses of all bodies (centre-of-mass frames) at joint coordinates; bodies that no joint reaches stay at rest. */
void sn_pose_bodies(const snModel *m, const double *coordinate, rigid *body);
/* Moves the strands along with bodies that go from one set of poses to another. */
void sn_carry_strands(const snModel *m, snState *s, const rigid *from, const rigid *to);

/* ---- measure.c */
void sn_measure(const snModel *m, snState *s);
/* World pose of a body's scene node. */
static inline rigid sn_node_pose(const snModel *m, const snState *s, int32_t body)
{
    return rigid_mul(s->body[body], m->body_node[body]);
}

#endif
