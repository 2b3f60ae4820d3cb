/* The mutable side of a simulation, shared by the files of this module. Controllers see plant.h instead.
 *
 * Invariants
 * 1. Everything is allocated in sn_state_create; a step allocates nothing.
 * 2. A step that fails leaves positions and velocities as they were.
 * 3. Parallel loops run over strands; a strand writes only its own points, rows and constraints.
 * 4. Arrays stand in state_table.h and nowhere else; what is not an array and has to
 * survive saving is in snapshot.c. */
#ifndef SN_SIM_STATE_H
#define SN_SIM_STATE_H

#include "base/parallel.h"
#include "sim/measure.h"
#include "sim/parts.h"
#include "sim/plant.h"
#include "sim/state_table.h"
#include "sim/tree_sim.h"

/* kg and kg m^2: the mass with which a driven body enters the system, so that it does not feel the strands. Only this
 * module knows: plant.h speaks of driving bodies and of the forces on them. */
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

struct snState {
    const snModel *model;
    snSimDef def;
    double h, time;
    snPool *pool;
    snKkt *kkt;
    snKktValues *value;
    snTreeSim *tree;                     /* of a model on a tree, else NULL */
    snStatus tree_status;                /* of its last solve */
    int32_t size;                        /* of a KKT vector */
    int32_t point0, own0, link0, joint0; /* where the parts of a vector start */

#define X(type, name, rows, columns, flags, field, doc) type *name;
    SN_STATE_TABLE(X)
#undef X
    int64_t rows[SN_ARRAY_COUNT]; /* of each array */

    snActivationFn choose;
    void *choose_context;
    unsigned char *before, *good; /* what a step that is taken again goes back to: its start, its last good piece */
    double mend;                  /* s: within which gaps are closed; h, unless the step is taken in pieces */
    int32_t piece;                /* that the next step begins with, in SN_STEP_PIECES of a step */
    double settle_damping;        /* factor on all strand velocities after each step; 1: none */
    unsigned char *settled;       /* the settled rest state as sn_state_save gives it, for sn_state_reset */
    size_t settled_size;

    bool cords_placed;  /* nodes of the cords are where the bodies are now */
    double points_late; /* s since the control points of path strands were placed: 0 but for quiet steps */
    bool quiet;         /* steps leave them there, and do not fill what fields show of path strands, nor draw lines */
    double lap;         /* clock at the end of the last stage */
    snStepInfo info;
};

/* ---- state.c: the table at run time */
typedef struct snStateArray {
    const char *name;
    size_t offset, size; /* of the pointer in snState, of an item */
    int32_t columns;
    unsigned flags;
    const char *field, *doc;
} snStateArray;
extern const snStateArray sn_state_array[SN_ARRAY_COUNT];
void *sn_state_data(const snState *s, int32_t array);
size_t sn_state_data_bytes(const snState *s, int32_t array);

/* ---- fields.c: numbers that come in from outside, checked once */
#define SN_LEAST_STEP 1e-7 /* s */
#define SN_MOST_STEP 0.1
#define SN_MOST_PLACE 1e6 /* m or rad: of a body or a coordinate that a caller gives */
/* SN_BAD_INPUT where a writable field is outside the range that the table gives it; the culprit says which and where. */
snStatus sn_check_inputs(const snModel *m, snState *s);
snStatus sn_check_sim_def(const snSimDef *def, snError *error);
bool sn_all_within(const double *value, int32_t count, double most); /* false also for NaN */

/* ---- snapshot.c: what sn_state_save wrote for this very state, not checked again */
void sn_state_restore(const snModel *m, snState *s, const void *bytes);
/* The same within a step, without the hashes: memory of the size that sn_state_save gives. */
void sn_state_keep(snState *s, void *bytes);
void sn_state_put_back(snState *s, const void *bytes);

/* ---- rows_strand.c, rows_joint.c: constraint rows at the current configuration */
void sn_rows_of_strand(const snModel *m, snState *s, int32_t strand);
void sn_rows_of_links(const snModel *m, snState *s);
void sn_rows_of_joints(const snModel *m, snState *s);
/* Velocity for a gap: closes it within the step, at most a few millimetres. A one-sided row may be far away on its free
 * side. */
double sn_rows_correction(const snState *s, double gap, bool one_sided);
/* A link row as a spring and damper on its gap, implicit. */
void sn_rows_link_spring(snState *s, int32_t link, double gap, double kp, double kd);

/* ---- contact.c: which one-sided rows push. Each returns how many changed; strands are marked dirty. */
int32_t sn_contact_repair_strands(const snModel *m, snState *s);
int32_t sn_contact_repair_joints(const snModel *m, snState *s);

/* ---- eyelet.c: adds the geometric stiffness of sliding constraints to point_A and impulse; keeps their forces. */
void sn_eyelet_stiffness(const snModel *m, snState *s, int32_t strand);
void sn_eyelet_remember(const snModel *m, snState *s, int32_t strand);

/* ---- part_bodies.c, part_strands.c */
snStatus sn_blame_body(const snModel *m, snState *s, int32_t free_body); /* names the culprit; gives SN_DIVERGED */
snStatus sn_blame_strand(const snModel *m, snState *s, int32_t strand);
/* The joint with the largest gap, -1 when none is above *largest. */
int32_t sn_worst_joint(const snModel *m, const snState *s, double *largest);
/* The same over all equality constraints of strands; counts the contacts that push. */
snWorst sn_worst_constraint(const snModel *m, const snState *s);
/* Mass, momentum and moment of momentum at a place. */
void sn_energy_add_mass(snEnergy *e, double mass, v3 x, v3 v, v3 gravity);

/* ---- part_tree.c */
bool sn_tree_begin(const snModel *m, snState *s); /* allocates; true also without a tree */
int32_t sn_tree_drawn(const snModel *m);          /* corners of all line muscles */
/* Puts the tree at coordinates, at rest. */
void sn_tree_put(const snModel *m, snState *s, const double *coordinate);

/* ---- pose.c */
/* Moves the strands along with bodies that go from one set of poses to another. */
void sn_carry_strands(const snModel *m, snState *s, const rigid *from, const rigid *to);

/* ---- step.c */
void sn_measure(const snModel *m, snState *s);

static inline v3 sn_gravity(const snModel *m, const snState *s)
{
    return v3_scale(m->gravity, s->def.gravity_scale);
}

/* Activation times strength of the muscle that a strand belongs to, 0 without one. */
static inline double sn_drive_of_strand(const snModel *m, const snState *s, int32_t strand)
{
    int32_t muscle = m->strand_muscle[strand];
    return muscle < 0 ? 0 : s->activation[muscle] * s->strength[muscle];
}

/* The step linearises what bodies do to each other at the pose ahead (s->ahead) rather than at the one it begins with:
 * rows meet v - v0 then. Models of splines alone keep to the pose they begin with
 * unless they ask for it. */
static inline bool sn_predicts(const snModel *m)
{
    return m->ncord > 0 || m->ahead;
}

/* Whether both are there and the state was made of this model. */
static inline bool sn_fits(const snModel *m, const snState *s)
{
    return m && s && s->model == m;
}

#endif
