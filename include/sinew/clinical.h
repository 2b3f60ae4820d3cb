/* What a limb can still do, and who takes over: statics and inverse dynamics of models on a tree, healthy and as a
 * case.
 *
 * Not a medical device: the answers are those of a model that nothing clinical was compared with.
 *
 * A case is a list of changes. A patient is a model with a case applied; it answers questions about poses (can it be
 * held, how nearly, by whom) and motions (who compensates, which frames fail). Angles in rad, SI units. Arrays by
 * coordinate, unit and path are in the order of sn_name of the patient's model (units are SN_ITEM_MUSCLE). */
#ifndef SINEW_CLINICAL_H
#define SINEW_CLINICAL_H

#include "sinew/model.h"
#include "sinew/motion.h"
#include "sinew/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cases -------------------------------------------------------------------------------------- */

typedef enum snChangeKind {
    SN_CHANGE_STRENGTH, /* name (unit or path): active force times value, 0 to 1: weak, disused, paralysed */
    SN_CHANGE_PASSIVE,  /* name: passive force times value, 0 to 10: above 1 a contracture */
    SN_CHANGE_COST,     /* name (unit): effort counts value times, 0.01 to 1e6: above 1 tired */
    SN_CHANGE_CUT,      /* name: neither active nor passive force */
    SN_CHANGE_NERVE, /* name of a lesion: all paths that list it keep value of their active force, 0 to 1; 0: paralysed */
    SN_CHANGE_FUSE, /* name (joint or coordinate): held at value, deg, within its range; of a joint its first coordinate, others at 0 */
    SN_CHANGE_LOAD,     /* name (body): force, N, in the axes of the drawn pose turning with the body, at its centre */
    SN_CHANGE_TRANSFER, /* name: donor, to: recipient, value: fibre length over the optimal one as drawn (0: the
                           donor's) */
    SN_CHANGE_COUPLE    /* name: hard, soft or none: how coupled units act together */
} snChangeKind;

typedef struct snChange {
    snChangeKind kind;
    const char *name, *to; /* to: transfers only */
    double value;
    double force[3]; /* loads only */
    int32_t line;    /* of the case file, for messages; 0: none */
} snChange;

typedef struct snCase snCase;
SN_API snCase *sn_case_create(const char *model); /* model that it is for, "": any; NULL when out of memory */
SN_API void sn_case_destroy(snCase *c);           /* NULL is fine */
SN_API snStatus sn_case_add(snCase *c,
                            const snChange *change); /* copies; wrong names and values are found by sn_patient_create */
/* What is in it, until it is changed. */
typedef struct snCaseInfo {
    const char *model;
    int32_t count;
    const snChange *change;
} snCaseInfo;
SN_API snCaseInfo sn_case_info(const snCase *c);
static inline const char *sn_case_model(const snCase *c)
{
    return sn_case_info(c).model;
}
static inline int32_t sn_case_count(const snCase *c)
{
    return sn_case_info(c).count;
}
static inline const snChange *sn_case_change(const snCase *c, int32_t index)
{
    return &sn_case_info(c).change[index];
}
SN_API const char *sn_change_name(snChangeKind kind); /* strength, passive, ... NULL past the last */

/* ---- patients ----------------------------------------------------------------------------------- */

typedef struct snPatient snPatient;
/* spec and model belong together, stay the caller's and must outlive the patient; c may be NULL: healthy. SN_BAD_INPUT:
 * no model on a tree, an unknown name (the nearest one is in the remedy), a value out of range, a transfer that cannot
 * be. */
SN_API snStatus sn_patient_create(const snSpec *spec, const snModel *model, const snCase *c, snPatient **patient,
                                  snError *error);
SN_API void sn_patient_destroy(snPatient *patient);
/* The model as it is solved: another one than that given where tendons were transferred. */
SN_API const snModel *sn_patient_model(const snPatient *patient);
SN_API void sn_patient_gravity(snPatient *patient, const double gravity[3]); /* world, m/s^2 */
/* Turns the joint that the model holds still to an angle (rad), the forearm of a hand: gravity turns the other way
 * about snModelDef.fixed_axis. sn_patient_gravity is what it is at 0. */
SN_API void sn_patient_turn(snPatient *patient, double angle);

typedef enum snVerdict { SN_VERDICT_YES, SN_VERDICT_MARGINAL, SN_VERDICT_NO } snVerdict;
static inline const char *sn_verdict_name(snVerdict verdict)
{
    return verdict == SN_VERDICT_YES ? "yes" : verdict == SN_VERDICT_NO ? "no" : "marginal";
}

/* What it takes to hold a pose, or to pass it with a velocity and an acceleration. Arrays belong to the patient and
 * live until its next question. */
typedef struct snHeld {
    double unmet;             /* largest missing torque of a driven coordinate over its tolerance: 1 is the limit */
    double unmet_torque;      /* largest missing torque, N m or N */
    int32_t worst;            /* the coordinate that misses unmet; -1: none misses anything */
    double effort;            /* sum of cost times activation squared */
    double reserve;           /* 1 - largest activation */
    int32_t iterations;       /* of the quadratic program */
    double residual;          /* of its optimality conditions */
    const double *activation; /* per unit */
    const double *force;      /* per path, N: tension, passive part included */
    const double *missing;    /* per coordinate, N m or N: what activations from 0 to 1 cannot give; passive ones: 0 */
    const double *pose;       /* per coordinate: the pose answered for, clamped to the ranges and to fused joints */
    const bool *clamped;      /* per coordinate: the target lay beyond its range */
} snHeld;

/* velocity and acceleration may be NULL for none. SN_FAILED: the program did not converge;
 * SN_BAD_INPUT: not a number. */
SN_API snStatus sn_hold(snPatient *patient, const double *q, const double *velocity, const double *acceleration,
                        snHeld *hold);
/* Least and largest activation of every unit that leaves the torques of the last sn_hold as they are. */
SN_API snStatus sn_ranges(snPatient *patient, double *low, double *high);
/* Largest factor on the loads of the case for which the pose of the last sn_hold still
 * holds; infinite without loads. */
SN_API snStatus sn_load_factor(snPatient *patient, const double *q, double *factor);

/* The nearest pose that can be held. */
typedef struct snNearest {
    double *pose;          /* per coordinate; the caller's */
    double *activation;    /* per unit; the caller's */
    double error;          /* largest distance of a driven coordinate from the target, rad or m */
    int32_t worst;         /* that coordinate */
    double rms;            /* over the driven coordinates */
    double unbalanced;     /* largest torque that is left, N m */
    int32_t starts, agree; /* tried; ended within 0.5 deg of the best */
} snNearest;
/* Where only some coordinates are asked for, as by an examiner: the others may go where they are drawn to, at
 * a thousandth of the cost, and do not count in error, worst and rms. asked: per coordinate; NULL: all. */
SN_API snStatus sn_attempt(snPatient *patient, const double *q, const bool *asked, snNearest *nearest);
static inline snStatus sn_nearest(snPatient *patient, const double *q, snNearest *nearest)
{
    return sn_attempt(patient, q, NULL, nearest);
}
/* How a limb lies when it is relaxed: it is let go as drawn, with gravity and the loads of the case, and comes to rest
 * by its passive tissue and by the tone of its muscles (per unit, 0 to 1; NULL: that of the model). A paralysed muscle
 * has no tone.
 * pose: per coordinate, the caller's. unbalanced (may be NULL): largest torque that is left, N m. SN_FAILED: it has not
 * come to rest within a minute. */
SN_API snStatus sn_rest(snPatient *patient, const double *tone, double *pose, double *unbalanced);
/* yes: at most 2 mN m missing; no: more than the tolerance missing and a joint of the nearest pose off by more than 10
 * deg; marginal otherwise. Limits are ours and uncalibrated. nearest may be NULL: then more
 * than the tolerance is a no. */
SN_API snVerdict sn_verdict(const snPatient *patient, const snHeld *hold, const snNearest *nearest);

/* Holding a pose again and again while muscles tire (three-compartment model, rates of each muscle). */
typedef struct snEndureDef {
    size_t size;       /* of this struct: set by its default function */
    double work, rest; /* s: held that long, then let go for that long */
    int32_t repeat;
} snEndureDef;
static inline snEndureDef sn_default_endure_def(void)
{
    SN_DEF(snEndureDef, def);
    def.work = 2;
    def.rest = 4;
    def.repeat = 60;
    return def;
}
typedef struct snEndurance {
    int32_t count;                 /* moments that were solved: every second of work, at least one a repetition */
    double *time, *unmet;          /* s; largest missing torque over its tolerance */
    double *activation, *fatigued; /* count x units: activation; share of fatigued motor units */
    double fails_at;               /* s: more is missing than the tolerance; -1: never */
    int32_t fails_in, worst;       /* repetition, from 1; coordinate */
    void *memory;
} snEndurance;
SN_API snStatus sn_endure(snPatient *patient, const double *q, const snEndureDef *def, snEndurance *endurance,
                          snError *error);
SN_RELEASED(sn_endurance_free, snEndurance)

/* ---- motions ------------------------------------------------------------------------------------ */

/* A motion of a model's coordinates, sampled: frames x coordinates. */
typedef struct snTargets {
    int32_t nframe, ncoordinate;
    double *time, *q, *v, *a; /* s, rad or m and their rates */
    void *memory;
    double *turn; /* frames: angle of the joint that the model holds still, see sn_patient_turn; NULL: none */
} snTargets;
/* rate: frames a second; 0: the keys of the poses only. ignored (may be NULL, size characters): columns of
 * joints that the model holds still (snModelDef.fixed) and that turn nothing. SN_BAD_INPUT: a column that the model
 * lacks. */
SN_API snStatus sn_targets_create(const snModel *model, const snPoses *poses, double rate, snTargets *targets,
                                  char *ignored, size_t size, snError *error);
SN_RELEASED(sn_targets_free, snTargets)
/* The frame farthest from rest, which is what a motion is named after. */
SN_API int32_t sn_targets_peak(const snTargets *targets);

/* What a unit does in a healthy limb and in the case, over a motion. */
typedef struct snUnitChange {
    int32_t unit;
    double healthy, changed; /* mean activation */
    double force;            /* N: change of the mean tension of its paths */
    double impulse;          /* N s: integral of the change of tension */
    double most;             /* largest rise of the activation in a frame */
    double low, high;        /* range of the activation in the case, in the frame where it rises most */
    bool must;               /* that range lies at least 0.02 above the healthy activation: it must compensate */
    bool rises;              /* it works more: by 0.01 in some frame */
} snUnitChange;

typedef struct snCompared {
    int32_t count;
    snUnitChange *unit;                 /* every unit of the case; largest rise of force first */
    double healthy_unmet, case_unmet;   /* largest missing torque over its tolerance, in any frame */
    double healthy_torque, case_torque; /* N m */
    int32_t worst, worst_frame;         /* coordinate and frame of case_unmet; -1: nothing is missing */
    void *memory;
} snCompared;
/* Both must have been made from one model; units are those of the case's model. */
SN_API snStatus sn_compare(snPatient *healthy, snPatient *changed, const snTargets *targets, snCompared *comparison);
SN_RELEASED(sn_compared_free, snCompared)

/* Stretches of a motion that cannot be done. */
typedef struct snImpossible {
    int32_t first, last; /* frames */
    int32_t worst_frame, coordinate;
    double torque;     /* N m missing there */
    double distance;   /* rad: how far the nearest pose is off there */
    snVerdict verdict; /* marginal or no */
} snImpossible;
typedef struct snMotionCheck {
    int32_t nframe, nbad; /* frames; of these with more missing than the tolerance */
    int32_t nclamped;     /* frames with a target beyond a range */
    bool *clamped;        /* per coordinate: in some frame */
    int32_t count;
    snImpossible *stretch;
    void *memory;
} snMotionCheck;
SN_API snStatus sn_check_motion(snPatient *patient, const snTargets *targets, snMotionCheck *check);
SN_RELEASED(sn_motion_check_free, snMotionCheck)

/* The nearest motion that passes that check: failing frames are drawn to the nearest pose that holds, their neighbours
 * with them so that the change is smooth. */
typedef struct snNearestMotion {
    double *q;                  /* frames x coordinates; the caller's */
    int32_t failing, left;      /* frames that lacked torque in the motion; that still do */
    double error, rms;          /* largest and root mean square change of a driven coordinate, rad or m */
    int32_t worst, worst_frame; /* where the largest is; -1: nothing had to change */
} snNearestMotion;
SN_API snStatus sn_nearest_motion(snPatient *patient, const snTargets *targets, snNearestMotion *nearest,
                                  snProgress progress, snError *error);

/* Following a motion by forward dynamics: activations are chosen anew at every control step and the limb moves by the
 * implicit step
 *     (M + h D + h^2 K) dv = h (tau - C) - h^2 K v,  v += dv,  q += h v. */
typedef enum snPursuit {
    SN_PURSUE_TORQUE, /* torques of the wanted acceleration, at every step of 1/240 s */
    SN_PURSUE_STEP,   /* the pose one control step of 1/24 s ahead */
    SN_PURSUE_PAPER /* [Tsang 2005]: joints by themselves at 24 steps a second, relative forces, L-BFGS-B, wrist last */
} snPursuit;
typedef struct snPursue snPursue; /* a run in progress, as the receiver of its frames sees it */
typedef struct snPursueDef {
    size_t size; /* of this struct: set by its default function */
    snPursuit method;
    double step;         /* s, of the dynamics; 0: 1/240 */
    double control_rate; /* 1/s; 0: at every step for torque, 24 otherwise */
    double frame_rate;   /* 1/s, of the replay; 0: 24 */
    double feedback;     /* 1/s: how fast errors are worked off; 0: 20 */
    bool fatigue;        /* strength falls by the three-compartment model as muscles work */
    int32_t repeat;      /* times that the motion is done; 0: 1 */
    double rest;         /* s between repetitions */
    const char *model_name;
    const double *activations; /* frames of stored activations (units each) to play instead of choosing, one per step */
    int32_t nactivation;
    /* choose activations at the keys of the poses and move them in straight lines; not for the paper's */
    bool keys_only;
    snProgress progress;
    /* Receives each finished frame, with the columns of the replay. Anything but SN_OK ends the run. */
    snStatus (*frame)(void *user, const snPursue *run, const snTrackDef *columns, const snTrackFrame *frame);
    void *user;
    /* of an interrupted run with the same settings: continue after its last frame, bit for bit */
    const void *checkpoint;
    size_t checkpoint_size;
    bool skip_step_check; /* repeat no frames at half the step: the report lacks step_error, a run is a tenth faster */
} snPursueDef;
static inline snPursueDef sn_default_pursue_def(void)
{
    SN_DEF(snPursueDef, def);
    return def;
}
typedef struct snPursueReport {
    size_t size;                       /* set by the run */
    int32_t frames, steps, full_steps; /* of the replay; of the dynamics; with the full stiffness */
    double simulated, seconds;         /* s */
    double *rms;                       /* per coordinate, rad or m */
    snTrust trust;                     /* errors, activations, missing torques */
    double unmet;                      /* largest missing torque over its tolerance */
    double *fatigued;                  /* per unit: share of fatigued motor units at the end */
    double *final_pose;                /* per coordinate */
    bool *clamped;                     /* per coordinate: a target lay beyond its range */
    int32_t repetitions;
    int32_t resumed; /* frames of the interrupted run that this one continued; counted in `frames` */
    double *stored;  /* steps x units: activations of every step; NULL where frames are handed over */
    void *memory;
} snPursueReport;
/* poses: columns that the model lacks are ignored. replay may be NULL. SN_DIVERGED, SN_CANCELLED: the replay has
 * the frames that are finished. */
SN_API snStatus sn_pursue(snPatient *patient, const snPoses *poses, const snPursueDef *def, snTrack **replay,
                          snPursueReport *report, snError *error);
/* The run at its last finished frame as bytes, for def->checkpoint of a later one. Gives the size, which does not
 * change during a run; bytes may be NULL. */
SN_API size_t sn_pursue_save(const snPursue *run, void *bytes);
SN_TRACKED(sn_pursue_report_free, snPursueReport)

/* What is lost when one thing after the other is taken away, or what transfers give back. */
typedef enum snExplore {
    SN_EXPLORE_UNIT,      /* each unit cut */
    SN_EXPLORE_NERVE,     /* each nerve lesion */
    SN_EXPLORE_JOINT,     /* each joint fused where it is drawn */
    SN_EXPLORE_TRANSFER,  /* each muscle transferred to the recipient */
    SN_EXPLORE_TOP,       /* the `count` most used units weakened together */
    SN_EXPLORE_THRESHOLD, /* all units used more than `level` weakened together */
    SN_EXPLORE_RANDOM     /* `count` units by chance, weakened together */
} snExplore;
typedef struct snExploreDef {
    size_t size; /* of this struct: set by its default function */
    snExplore each;
    const char *recipient; /* transfers */
    int32_t count;
    double level;    /* threshold, on the largest activation */
    double strength; /* what weakened units keep, 0 to 1 */
    uint64_t seed;
} snExploreDef;
static inline snExploreDef sn_default_explore_def(void)
{
    SN_DEF(snExploreDef, def);
    return def;
}
typedef struct snFinding {
    char name[96];
    double missing;     /* mean over the frames of the sum of missing torques over their tolerances */
    double change;      /* of missing, against the base: above 0 something is lost, below something is given back */
    double torque;      /* largest missing torque, N m */
    int32_t coordinate; /* where; -1: nothing is missing */
} snFinding;
typedef struct snFindings {
    int32_t count;
    snFinding *finding; /* largest change first; transfers: largest gain first */
    double base;        /* missing of the base */
    void *memory;
} snFindings;
/* base: the case to start from, NULL: healthy. */
SN_API snStatus sn_explore(const snSpec *spec, const snModel *model, const snCase *base, const snExploreDef *def,
                           const snTargets *targets, const double gravity[3], snFindings *findings, snProgress progress,
                           snError *error);
SN_RELEASED(sn_findings_free, snFindings)

#ifdef __cplusplus
}
#endif
#endif
