/* Rigid bodies and joints as kernels over arrays, in maximal coordinates. Knows no model.
 *
 * Body: configuration E = (q, x) with x the centre of mass and q turning body axes into world axes;
 * velocity = (omega in body axes, v of the centre of mass in WORLD axes). The body-frame linear velocity of
 * [Sueda 2008] makes a tumbling body gain speed; the world-frame one is exact. Inertia is diagonal in the
 * body axes used here: compile chooses the principal frame. */
#ifndef SN_BODY_BODY_H
#define SN_BODY_BODY_H

#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Row of the velocity of a point r (body frame) along the world direction n: six coefficients. */
void sn_body_point_row(quat q, v3 r, v3 n, double row[6]);
v3 sn_body_point_velocity(quat q, const double velocity[6], v3 r);

/* Adds mass to the 6x6 block (row-major) and to the impulse (6) the momentum that the body has after h of free rotation
 * and fall: block velocity_new = impulse + h force. The gyroscopic term is wholly in the impulse (body.c says how), so
 * the block is diagonal and symmetric. */
void sn_body_inertia(double mass, v3 inertia, const double velocity[6], v3 gravity, double h, double block[36],
                     double impulse[6]);
/* New position and orientation after h with the given velocity (exponential map). */
void sn_body_advance(quat *q, v3 *x, const double velocity[6], double h);
double sn_body_kinetic_energy(double mass, v3 inertia, const double velocity[6]);

typedef enum snJointKind {
    SN_JOINT_BALL,  /* 3 rotations: about z of A, then the carried y, then the carried x */
    SN_JOINT_HINGE, /* rotation about z */
    SN_JOINT_RIGID,
    SN_JOINT_CYLINDRICAL, /* rotation about and translation along z */
    SN_JOINT_UNIVERSAL,   /* rotation about z of A, then about y of B: z_A . y_B = 0 */
    SN_JOINT_PRISMATIC    /* translation along z */
} snJointKind;

enum { SN_JOINT_MAX_DOF = 3, SN_JOINT_MAX_ROW = 6 };

/* Frames of the joint in both bodies; they coincide when all coordinates are zero. */
typedef struct snJoint {
    snJointKind kind;
    rigid frame_a, frame_b;
} snJoint;

int32_t sn_joint_dofs(snJointKind kind);
int32_t sn_joint_rows(snJointKind kind); /* 6 - dofs */
bool sn_joint_dof_is_angle(snJointKind kind, int32_t dof);

/* Length that turns angular rows into m: 1 cm. */
#define SN_JOINT_ANGLE_SCALE 0.01

/* Constraint rows at the current configuration: gap[r] (m), row[12 r ..] (first body's six, second body's six), with
 * d gap / dt = row . (velocity_a, velocity_b) at any configuration. Gaps in length are along the axes of A's frame. */
void sn_joint_rows_at(const snJoint *joint, rigid a, rigid b, double *gap, double *row);
/* Coordinates (rad or m) and their velocity rows, 12 each: d coordinate / dt = row . (velocity_a, velocity_b). Angles
 * lie in (-pi, pi], the second one of a ball in [-pi/2, pi/2]: at its ends the other two are not defined and their
 * rows are finite but mean nothing. */
void sn_joint_coordinates(const snJoint *joint, rigid a, rigid b, double *coordinate, double *row);
/* Of a ball: angle between a unit direction in A's frame and x of B's frame, 0 to pi, and the turn about x that is left
 * when the shortest rotation from x of A to x of B is undone, in (-pi, pi]; rad, with their velocity rows. Rows of the
 * swing vanish at 0 and pi; the twist is undefined where x is turned round. */
double sn_joint_swing(const snJoint *joint, rigid a, rigid b, v3 center, double row[12]);
double sn_joint_twist(const snJoint *joint, rigid a, rigid b, double row[12]);
/* Pose of B that gives the coordinates, for a pose of A. */
rigid sn_joint_place(const snJoint *joint, rigid a, const double *coordinate);

#endif
