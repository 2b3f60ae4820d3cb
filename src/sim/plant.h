/* The plant: all that a controller or an analysis may see of a simulation.
 *
 * A controller is a function that sn_step calls once per factorisation, before the solve; it sets activations. What it
 * may ask then is how the velocities of the bodies would answer to each muscle (snResponse), or what torques a driven
 * motion demands and each muscle gives (snEffort). Between steps it may read poses and coordinates, aim and drive
 * bodies, and set the step. How the answers come about (the linear system, masses, rows of joints) stays in this
 * module.
 *
 * Bodies are given by their frames in the model (centre of mass, principal axes), world poses; velocities are omega in
 * body axes, then v in world axes. */
#ifndef SN_SIM_PLANT_H
#define SN_SIM_PLANT_H

#include "model/model.h"
#include "sinew/sim.h"

/* ---- reading and setting, between steps ------------------------------------------------------ */

double sn_plant_step(const snState *s); /* s */
void sn_plant_set_step(snState *s, double h);
const rigid *sn_plant_bodies(const snState *s);       /* nbody */
const double *sn_plant_coordinates(const snState *s); /* ncoord, rad or m, after the last step */
double *sn_plant_activation(snState *s);              /* nmuscle */
double *sn_plant_strength(snState *s);                /* nmuscle */
double *sn_plant_force(snState *s);                   /* nbody x 3: from outside, at the centre of mass, world, N */
double *sn_plant_torque(snState *s);                  /* nbody x 3: the same, N m */
struct snTreeSim *sn_plant_tree(snState *s); /* of a model on a tree: coordinates, loads, the system; else NULL */
/* World pose of a body's scene node. */
rigid sn_node_pose(const snModel *m, const snState *s, int32_t body);

/* A body that is not pinned: its pose at the end of the next step, if it is kinematic or driven. */
void sn_plant_aim(snState *s, int32_t body, rigid pose);
/* A free body follows its aim exactly from now on, whatever pulls at it; off: it is simulated again. */
void sn_plant_drive(const snModel *m, snState *s, int32_t body, bool on);
/* Puts things somewhere, with velocities. point and pointdot are those of all strands, 3 per control point. */
void sn_plant_put_body(snState *s, int32_t body, rigid pose, const double velocity[6]);
void sn_plant_put_points(const snModel *m, snState *s, const double *point, const double *pointdot);

/* Strand points that ended on the wrong side of their surface: index of the worst constraint, or -1. */
int32_t sn_wrong_side(const snModel *m, const snState *s, double *depth);
/* Short damped steps with all bodies held. */
snStatus sn_settle(const snModel *m, snState *s, double seconds);

/* ---- kinematics, without a state -------------------------------------------------------------- */

/* Poses of all bodies at joint coordinates; bodies that no joint reaches stay at rest. */
void sn_pose_bodies(const snModel *m, const double *coordinate, rigid *body);
/* Joint coordinates of poses. */
void sn_pose_coordinates(const snModel *m, const rigid *body, double *coordinate);

/* ---- controllers ------------------------------------------------------------------------------ */

/* Sets activations; called once per factorisation, possibly several times within a step. */
typedef void (*snActivationFn)(void *context, const snModel *m, snState *s);
typedef struct snController {
    snActivationFn choose; /* NULL: activations stay as they are */
    void *context;
} snController;
/* Returns the one that was there. */
snController sn_plant_control(snState *s, snController controller);

/* A coordinate has stops; it lies against one and is held there. */
bool sn_plant_has_stop(const snModel *m, int32_t coordinate);
bool sn_plant_at_stop(const snModel *m, const snState *s, int32_t coordinate);

/* ---- response: what activations do to velocities, in a controller ------------------------------ */

typedef struct snResponse snResponse;

/* While it exists, steps prepare for it. One at a time per state. NULL: out of memory. */
snResponse *sn_response_create(const snModel *m, snState *s);
void sn_response_destroy(snResponse *r); /* before the state; NULL is fine */
/* Finds the response at hand. The stops of the coordinates in `released` are left out (a joint that is held by its stop
 * answers to no muscle) and answered for as if they were muscles that push. */
void sn_response_find(snResponse *r, int32_t nreleased, const int32_t *released);
/* Six rows, ld apart, for the velocities of a free body: in column k what activation 1 of muscle k adds, in column
 * nmuscle + i what the stop of released coordinate i adds when it pushes with 1 N at the arm of its row
 * (SN_JOINT_ANGLE_SCALE where the coordinate is an angle), behind them the velocity without any. What is behind that is
 * zero. */
void sn_response_of_body(const snResponse *r, int32_t body, int32_t ld, double *rows);

/* ---- effort: what a driven motion takes, in a controller ---------------------------------------- */

typedef struct snEffort snEffort;

/* For models whose free bodies hang on trees of joints, with all of them driven. NULL: out of memory. */
snEffort *sn_effort_create(const snModel *m, snState *s);
void sn_effort_destroy(snEffort *e); /* NULL is fine */
/* In units of `unit` (N m, or N where the coordinate is a length): torque (ncoord x nmuscle), what activation 1 of each
 * muscle gives about each coordinate; need (ncoord), what the motion takes beyond gravity, inertia, passive joints,
 * external forces and the strands as they are. */
void sn_effort_find(snEffort *e, double unit, double *torque, double *need);

/* ---- strands, for analyses --------------------------------------------------------------------- */

/* Point of a strand at a parameter, and the unit tangent there. */
v3 sn_plant_strand_point(const snModel *m, const snState *s, int32_t strand, double parameter, v3 *tangent);
double sn_plant_strand_energy(const snModel *m, const snState *s, int32_t strand); /* J */
/* Reaction at an end of a strand, N; zero if nothing holds it. */
v3 sn_plant_strand_end(const snState *s, int32_t strand, bool insertion);
bool sn_plant_end_is_held(const snState *s, int32_t strand, bool insertion);
double sn_plant_strand_length(const snState *s, int32_t strand);
double sn_plant_parameter(const snState *s, int32_t constraint); /* where it is on its strand now */
/* Of a constraint that fixes two strands to each other: force on the first, N. */
v3 sn_plant_link_force(const snModel *m, const snState *s, int32_t constraint);
/* Of a constraint that fixes a path to another one: power (W) of what it pulls across the other, which goes to all
 * bodies that hold that piece of the other, at velocities of all bodies (6 each). */
double sn_plant_across_power(const snModel *m, const snState *s, int32_t constraint, const double *velocity);
/* Power of the force of a strand's constraint on its body (W) at a velocity of the body. */
double sn_plant_power(const snModel *m, const snState *s, int32_t constraint, const double velocity[6]);

#endif
