/* A cord: the stretch of a path strand between two of its material nodes, as a kernel over the poses of its bodies.
 *
 * It runs straight from point to point and over wraps, has one tension along all of its length and no unknowns of its
 * own, so that it slides through its points without friction by construction. Placing it gives nodes: its points and
 * the two ends of every arc, each carried by a body. With t the direction of a straight piece,
 *     g = dl/dv = sum over pieces of +t at the far node and -t at the near one;   force on the bodies = -T g
 * and arcs add nothing (the ends of an arc are chosen so that the length is least). Velocities are those of
 * body/body.h: six for each body, omega in body axes, then v in world axes.
 *
 * Belly and tendon stand in series. With the stretch x of the belly,
 *     T = passive P(x) + a active L(fiber x) = tendon ((l - x belly_rest) / tendon_rest - 1)
 * and T < 0 means that the cord is slack: no tension, no stiffness.
 *
 * Material flows past the nodes. phi is the share of the cord's stretching that lies before a node (by compliance:
 * nearly all of it in the belly), and material passes the node k at  c_k = phi_k dl/dt - ds_k/dt,  s_k the length up to
 * it. */
#ifndef SN_PATH_CORD_H
#define SN_PATH_CORD_H

#include "path/geodesic.h"
#include "path/path.h"

enum { SN_CORD_BODIES = 64 }; /* most bodies that one cord may touch; sn_check refuses more */
enum { SN_CORD_WRAPS = 4 };   /* most wraps between two points; loading a model refuses more */
enum { SN_CORD_GATES = 8 };   /* most gates on one wrap; the same */

typedef struct snCordPoint {
    int32_t slot; /* which of the cord's bodies carries it */
    int32_t wrap; /* first between this point and the next, -1: none */
    int32_t more; /* wraps that follow it in the order in which the cord passes them */
    v3 at;        /* in the body, m */
} snCordPoint;

/* Two walls that stand on a wrap and confine the cord sideways where it passes them, however high over the wrap. In the
 * plane of `aside` and `out` through `at`, the cord crosses where |aside . (x - at)| <= half. A cord that leans on a
 * wall touches the line at +-half aside + y out at the height y where it is shortest, not below the wrap. See gate.c.
 */
typedef struct snCordGate {
    v3 at, aside, out;  /* in the body; unit vectors */
    double half;        /* m, > 0 */
    double low[2];      /* m: where the walls at -half and +half begin, by sn_cord_gate_stand */
    snSurfaceHint near; /* the surface there, by the same; of a cylinder or a sphere, nothing */
} snCordGate;

typedef struct snCordWrap {
    snWrapKind kind;
    int32_t slot;
    v3 centre, axis, side;      /* in the body; see snPathSet */
    double radius;              /* m, with the offset that the cord keeps */
    const snGeodesicWrap *over; /* a surface: all there is to know instead */
    int32_t ngate;
    const snCordGate *gate; /* in the order in which the cord passes them */
} snCordWrap;

typedef struct snCord {
    int32_t npoint, nwrap, nslot;
    const snCordPoint *point;
    const snCordWrap *wrap;
    double tendon_rest, belly_rest; /* m; either may be 0, not both */
    double tendon_before;           /* m: of tendon_rest, what lies before the belly */
    double tendon;                  /* stiffness of the tendon, N */
    double passive, active, fiber;  /* of the belly: see strand/strand.h */
    double max_velocity;            /* of the fibres, optimal lengths a second; 0: force does not depend on speed */
    double line_mass;               /* kg per m of rest length */
    double alpha, beta;             /* damping by mass, 1/s, and by stiffness, s */
    bool tension_only;              /* the belly has no passive force below its rest length */
    snLaw passive_law, active_law;
} snCord;

typedef struct snCordNode {
    v3 p, r;               /* world; in its body */
    int32_t slot;          /* -1: a junction between two bodies */
    int32_t point;         /* of the cord, -1: end of an arc, or a junction */
    int32_t junction;      /* 1 + which junction of its knot it is, see knot.h; 0: none */
    bool arc;              /* what follows lies on a wrap */
    int32_t wrap;          /* of the cord, which one; where neither arc nor gate, nothing */
    int32_t gate;          /* 1 + which gate of that wrap it leans on; 0: none */
    snGeodesicState state; /* of an arc on a surface */
    double length;         /* of what follows, m; 0 at the last node */
    v3 t;                  /* direction of what follows; on an arc: at its start */
    v3 arrive;             /* direction of what comes before, at this node; at the first node as t */
} snCordNode;

/* Tension and its derivatives. */
typedef struct snCordPull {
    double tension; /* N, not below 0 */
    double slope;   /* dT/dl, N/m, not below 0 */
    double by_a;    /* dT/da, N */
    double x, y;    /* stretch of belly and tendon; of a slack cord both are what they would be without its bending */
    double share;   /* of a change of length, what the belly takes */
    double drag;    /* dT/d(dl/dt) of the active force, N s/m, not below 0 */
} snCordPull;

/* Most nodes that a cord can have. */
static inline int32_t sn_cord_nodes(const snCord *cord)
{
    int32_t n = cord->npoint + 2 * cord->nwrap;
    for (int32_t w = 0; w < cord->nwrap; ++w) n += 3 * cord->wrap[w].ngate;
    return n;
}

/* Where the walls of a gate begin; false: one of them does not meet the wrap. */
bool sn_cord_gate_stand(const snCordWrap *wrap, snCordGate *gate);
/* Whether the way over a wrap between two points (world) passes a gate of it at all. */
bool sn_cord_passes_gate(const snCord *cord, const rigid *pose, int32_t wrap, int32_t gate, v3 a, v3 b);

/* Places the cord at the poses of its bodies (by slot). Returns the number of nodes; *length is the cord's. */
int32_t sn_cord_place(const snCord *cord, const rigid *pose, snCordNode *node, double *length);
/* The same with its first and its last point given (world) where they are no points of bodies; NULL: as they are. */
int32_t sn_cord_place_between(const snCord *cord, const rigid *pose, const v3 *first, const v3 *last, snCordNode *node,
                              double *length);
/* g: 6 numbers for each slot, set. */
void sn_cord_gradient(const snCord *cord, const rigid *pose, int32_t nnode, const snCordNode *node, double *g);
/* Tension at a length and an activation. *x is the stretch of the belly to start from (any positive number) and comes
 * back as found. */
snCordPull sn_cord_pull(const snCord *cord, double length, double a, double *x);
/* What the force-velocity law leaves of the active force at a rate of the length (m/s), and the drag of it. */
typedef struct snCordSpeed {
    double left, drag;
} snCordSpeed;
snCordSpeed sn_cord_speed(const snCord *cord, const snCordPull *pull, double rate, double a);
/* The pull at a rate of the length: the active force follows the force-velocity law. */
snCordPull sn_cord_pull_at(const snCord *cord, double length, double rate, double a, double *x);
/* Elastic energy, J: its derivative by the length is the tension. */
double sn_cord_energy(const snCord *cord, double length, double a);

/* Length along the placed cord at which material lies that has this much tendon and belly (rest, m) before it. */
static inline double sn_cord_along(const snCordPull *pull, double tendon, double belly)
{
    return pull->y * tendon + pull->x * belly;
}
/* Its inverse: rest length before the place at a length along the cord, split into tendon and belly. */
void sn_cord_material(const snCord *cord, const snCordPull *pull, double along, double *tendon, double *belly);
/* phi at that material. */
double sn_cord_share(const snCord *cord, const snCordPull *pull, double tendon, double belly);
/* Both for many places of one cord: what they divide by is divided by once. */
typedef struct snCordScale {
    double first, middle;      /* m along: the tendon before the belly, the belly */
    double per_x, per_y;       /* 1 / stretch; 0 where there is none */
    double before, belly_rest; /* m */
    double belly, tendon;      /* phi per m of each */
} snCordScale;
snCordScale sn_cord_scale(const snCord *cord, const snCordPull *pull);
/* phi at a length along the cord; *rest is the rest length before it. */
static inline double sn_cord_scaled_share(const snCordScale *c, double along, double *rest)
{
    double past = along - c->first, tendon = along * c->per_y, belly = 0;
    if (past > c->middle)
        belly = c->belly_rest, tendon = c->before + (past - c->middle) * c->per_y;
    else if (past > 0)
        belly = past * c->per_x, tendon = c->before;
    *rest = tendon + belly;
    return c->belly * belly + c->tendon * tendon;
}
/* The point at a length along a placed cord. */
v3 sn_cord_point(const snCord *cord, const rigid *pose, int32_t nnode, const snCordNode *node, double along);

#endif
