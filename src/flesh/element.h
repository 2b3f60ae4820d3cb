/* The material of flesh on octahedra of four tetrahedra: energy, gradient, Hessian [Lee 2009, equations 8 to 11].
 *
 *   per tetrahedron  mu10 (a I1 - 3) + mu01 (b I2 - 3) + kown / 2 (J - 1)^2 + sum over its muscles of share psi(lambda)
 *   per octahedron   kappa / 2 log^2 of the mean J
 *
 * with C = F'F, I1 = tr C, I2 = (I1^2 - tr C^2) / 2, a = J^(-2/3), b = J^(-4/3), lambda^2 = a |F f|^2 of the fibre f.
 * One pressure for the four tetrahedra cures the locking of linear tetrahedra; the small term in each one's own J keeps
 * single ones from collapsing beside a neighbour that swells, and below J = 0.4 each one has a wall 10 kappa (0.4 -
 * J)^3 that it hardly ever passes. The wall counts for the whole tetrahedron even where little of it is filled: the
 * corners of such a one are pushed by its full neighbours. Below J = 0.4, a, b and the volume term go on as parabolas,
 * so that everything is finite, has continuous second derivatives and pushes back when an element is inverted.
 *
 * F is taken in the tetrahedron's own frame (along the octahedron's axis, outwards, along the outer edge): then all
 * tetrahedra have the same F = [B+ - B-, A + A' - B- - B+, A' - A] / h, and fibres are stored in that frame.
 *
 * Eight octahedra are worked on side by side. Written once and compiled for each instruction set. */
#ifndef SN_FLESH_ELEMENT_H
#define SN_FLESH_ELEMENT_H

#include "sinew/base.h"

enum { SN_OCTS = 8, SN_OCT_FIBERS = 2, SN_OCT_PAIRS = 21 };

#define SN_J_WALL 0.4
#define SN_WALL 10.0     /* of kappa */
#define SN_J_CRUSHED 0.1 /* below it an element is projected in any case */

/* Lanes past the last octahedron repeat it with no weight. */
typedef struct snOctBatch {
    int32_t node[6][SN_OCTS];
    float weight[4][SN_OCTS]; /* m^3 of material in each tetrahedron */
    int32_t size;             /* all of them have the spacing times 2^size */
    int32_t nfiber, fiber;    /* fibres of each tetrahedron (0 to SN_OCT_FIBERS), first record: 4 * nfiber of them */
} snOctBatch;

typedef struct snFiberLanes {
    float direction[3][SN_OCTS]; /* unit, in the tetrahedron's frame */
    float share[SN_OCTS];        /* of the tetrahedron's material that is this muscle */
    int32_t muscle[SN_OCTS];
} snFiberLanes;

typedef struct snFleshMaterial {
    double mu10, mu01; /* Pa */
    double kappa;      /* Pa: bulk modulus */
    double own;        /* of kappa: part that each tetrahedron has for itself, 0 to 1 */
    double stress;     /* Pa: peak stress of muscle */
    double optimum;    /* stretch of the fibre at which it is strongest, of muscles that do not say */
} snFleshMaterial;

/* A muscle at this moment. Tendons between bones that move leave its belly another length than it was drawn with: its
 * fibres follow, against the flesh around them. */
typedef struct snFiberState {
    double activation; /* 0 to 1 */
    double optimum;    /* stretch at which it is strongest */
    double follow;     /* stress over the peak stress by which it is drawn to `length`, per unit of stretch; 0: none */
    double length;     /* stretch that the tendons leave it */
} snFiberState;

typedef struct snElements {
    int32_t noct, nbatch;
    double spacing; /* m: of the smallest */
    snFleshMaterial material;
    const snOctBatch *batch;
    const snFiberLanes *fiber;
    const snFiberState *muscle;
} snElements;

static inline double sn_batch_spacing(const snElements *e, const snOctBatch *b)
{
    return e->spacing * (1 << b->size);
}

/* Results of one batch, lane by lane. */
typedef struct snOctGradient {
    double value[6][3][SN_OCTS];
} snOctGradient;
typedef struct snOctHessian {
    float value[SN_OCT_PAIRS][9][SN_OCTS]; /* pairs (0,0) (0,1) .. (0,5) (1,1) ..; each by columns */
} snOctHessian;
typedef struct snOctMeasure {
    double energy;        /* J */
    double least, volume; /* least J; material now, m^3 */
    int32_t inverted;     /* tetrahedra with J <= 0 */
} snOctMeasure;

/* x: four doubles a node. gradient may be NULL. */
typedef struct snElementKernels {
    void (*gradient)(const snElements *e, int32_t batch, const double *x, snOctGradient *gradient,
                     snOctMeasure *measure);
    /* project: positive semidefinite, eigenvalues replaced by their absolute values; elements that are nearly crushed
     * are projected in any case */
    void (*hessian)(const snElements *e, int32_t batch, const double *x, bool project, snOctHessian *hessian);
    const char *name;
} snElementKernels;

const snElementKernels *sn_elements_portable(void);
const snElementKernels *sn_elements_avx2(void); /* NULL where it cannot run */
const snElementKernels *sn_elements_best(void);

/* Energy density of a fibre over the peak stress, and its derivatives by the stretch. */
typedef struct snFiberLaw {
    double energy, force, slope;
} snFiberLaw;
snFiberLaw sn_fiber_law(double stretch, const snFiberState *muscle);
/* kappa / 2 log^2 J and its derivatives, continued outside 0.4 to 2. */
typedef struct snVolumeLaw {
    double energy, pressure, slope;
} snVolumeLaw;
snVolumeLaw sn_volume_law(double j, double kappa);

/* Where the pair (a, b), a <= b, stands in an snOctHessian. */
static inline int sn_oct_pair(int a, int b)
{
    return a * 6 - a * (a - 1) / 2 + b - a;
}

#endif
