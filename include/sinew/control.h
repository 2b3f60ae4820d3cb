/* Controllers: from a motion of the bones to activations of the muscles ([Sueda 2008] section 4).
 *
 * Each step the follower asks how the target bodies would answer to each muscle (H) and where they would go
 * without any (v_f), and chooses activations in [0, 1] that minimise
 *     tracking |H a + v_f - v_x|^2 + activation |a|^2 + smoothness |a - a_last|^2.
 * Angles count through a length, and the last two weights are relative to the median diagonal of H'H, so
 * that the same numbers mean the same for a finger and for a body. */
#ifndef SINEW_CONTROL_H
#define SINEW_CONTROL_H

#include "sinew/load.h"
#include "sinew/motion.h"
#include "sinew/sim.h"
#include "sinew/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snFollower snFollower;

/* What a follower follows: the whole pose of a body, or one of its points. */
typedef struct snTargetDef {
    int32_t body;
    bool point;       /* only the point, not the orientation */
    double offset[3]; /* point: in the node's frame, m */
    double weight;    /* relative to the other targets */
} snTargetDef;

typedef struct snFollowerDef {
    size_t size;     /* of this struct: set by its default function */
    int32_t ntarget; /* 0: the poses of all free bodies */
    const snTargetDef *target;
    double activation_weight; /* relative to the median diagonal of H'H */
    double smoothness_weight; /* the same, at a step of 4 ms: at others so that it smooths over as much time */
    double feedback;          /* 1/s: how fast an error is corrected */
    double max_feedback;      /* m/s and, divided by `length`, rad/s: bound of what feedback asks for */
    double length;            /* m: what one radian counts */
    double max_activation;    /* above 0 to 1 */
    double max_rate;          /* 1/s: how fast an activation may rise or fall */
    double rise_time,
        fall_time;       /* s: activation dynamics: time constants at full and at no excitation; 0: max_rate only */
    bool cost_by_volume; /* the price of activation counts by the volume of the muscle, so that dividing a muscle in
                            two does not change who works; otherwise every muscle counts the same */
    double tolerance;    /* m: at this rms error of the targets (or more) the weights of activation and smoothness
                            count in full, below with the square of the error, down to a hundredth; 0: always */
} snFollowerDef;

static inline snFollowerDef sn_default_follower_def(void)
{
    SN_DEF(snFollowerDef, def);
    def.activation_weight = 5e-4;
    def.smoothness_weight = 1e-2;
    def.feedback = 100;
    def.max_feedback = 0.5;
    def.length = 0.05;
    def.max_activation = 1;
    def.max_rate = 30;
    def.tolerance = 2e-4;
    return def;
}
/* The follower acts on this state from now on: each sn_step chooses activations. */
SN_API snStatus sn_follower_create(const snModel *model, snState *state, const snFollowerDef *def,
                                   snFollower **follower, snError *error);
SN_API void sn_follower_destroy(snFollower *follower); /* before the state */
SN_API int32_t sn_follower_targets(const snFollower *follower);
SN_API int32_t sn_follower_target_body(const snFollower *follower, int32_t target);
/* Where target i is to be now and at the end of the next step: pose of its node (position, rotation w first; of a
 * point target only the position counts, that of the point). */
SN_API void sn_follower_aim(snFollower *follower, int32_t target, const double now[7], const double next[7]);

/* ---- following a whole motion ---------------------------------------------------------------- */

/* A run in progress, as the receiver of its frames sees it. */
typedef struct snFollow snFollow;

typedef struct snFollowDef {
    size_t size; /* of this struct: set by its default function */
    snSimDef sim;
    snFollowerDef follower;
    double frame_rate;      /* frames per second of the result; 0: as the motion, but at least 24 */
    double start, end;      /* s of the motion; end <= start: all of it */
    double lead;            /* s of approach from the rest pose to the first frame, not recorded */
    bool keep_input_motion; /* keep the bones exactly on the input motion */
    const double *strength; /* one per muscle, 0 to 1, or NULL */
    const snLoads *loads;   /* what the motion has to carry, at times of the motion; NULL: nothing */
    snProgress progress;
    const char *model_name; /* what the replay says it belongs to; NULL: what the motion says */
    /* Receives each finished frame: the state at that time, before the next step. Anything but SN_OK ends the run. */
    snStatus (*frame)(void *user, const snFollow *run, snState *state, double time);
    void *user;
    /* of an interrupted run with the same settings: continue after its last frame, bit for bit */
    const void *checkpoint;
    size_t checkpoint_size;
    const snTrack *resume; /* sn_follow only: the frames that the interrupted run recorded */
    bool skip_step_check;  /* repeat no frames at half the step: the report lacks step_error, a run is a tenth faster */
} snFollowDef;

typedef struct snFollowBody {
    double mean, rms, worst; /* m, over vertices and frames */
    double worst_time;       /* s */
} snFollowBody;

typedef struct snFollowReport {
    size_t size; /* set by the run */
    int32_t frames, nbody;
    snFollowBody all;
    snFollowBody *body; /* nbody: of each body; all zero where it has no target */
    double seconds, simulated, real_time_factor;
    double max_activation, activation_step_rms;
    int32_t clamped_targets; /* joint coordinates that left their range */
    double *clamped;         /* one per coordinate: by how much at most, rad or m */
    snFollowBody within; /* as all, but against the motion clamped to the ranges; as all where nothing was clamped */
    bool diverged;
    char culprit[128];
    int32_t wrong_sides;  /* frames at which a strand lay on the wrong side of a surface */
    char wrong_side[128]; /* the first of them: strand, constraint, depth */
    int32_t resumed;      /* frames of the interrupted run; 0: began at the beginning */
    void *checkpoint;     /* after SN_CANCELLED: the state at the last frame, or NULL */
    size_t checkpoint_size;
    snTrust trust;
} snFollowReport;

static inline snFollowDef sn_default_follow_def(void)
{
    SN_DEF(snFollowDef, def);
    def.sim = sn_default_sim_def();
    def.follower = sn_default_follower_def();
    def.lead = 0.5;
    return def;
}
/* Follows the bodies named in `motion` and hands each frame to def->frame; memory does not grow with their number.
 * SN_BAD_INPUT: the checkpoint is damaged, or of another model, motion range, frame rate or step. */
SN_API snStatus sn_follow_frames(const snModel *model, const snTrack *motion, const snFollowDef *def,
                                 snFollowReport *report, snError *error);
/* The run at its last finished frame as bytes, for def->checkpoint of a later one. Gives the size, which does not
 * change during a run; bytes may be NULL to ask for it. Of this machine and version only. */
SN_API size_t sn_follow_save(const snFollow *run, void *bytes);
SN_API void sn_follow_report_free(snFollowReport *report);

/* A motion of the bodies from joint coordinates: count rows of all coordinates of the model (rad, m) at increasing
 * times. */
SN_API snStatus sn_motion_from_coordinates(const snModel *model, int32_t count, const double *time,
                                           const double *coordinate, snTrack **motion);

/* ---- what the fascicles did ------------------------------------------------------------------ */

/* Forces, lengths and moments over the frames of a replay [Kaufman 2008, figure 4.16]. */
typedef struct snAnalysisDef {
    size_t size; /* of this struct: set by its default function */
    int32_t nstrand;
    const int32_t *strand; /* which ones; NULL: all of the model */
    int32_t coordinate;    /* of a joint: contributions to its moment; -1: none */
} snAnalysisDef;

static inline snAnalysisDef sn_default_analysis_def(void)
{
    SN_DEF(snAnalysisDef, def);
    def.coordinate = -1;
    return def;
}
/* A track with the frames of the replay and these scalars, strands and muscles being the chosen ones:
 *   force_insertion/STRAND (N), length/STRAND (m); sum_force/MUSCLE, the sum of the former, mean_length/MUSCLE;
 *   with a coordinate, for strands that cross its joint: moment/STRAND (N m, or N where the coordinate is a length),
 *   sum_moment/MUSCLE and sum_moment/all, positive where they drive the coordinate up.
 * The moment of a strand is that of its tension where it goes over the joint, that is the mean of the reactions at its
 * ends (the one on the joint's side where other strands pull in between). It leaves out the inertia of the strand.
 * SN_BAD_INPUT: the replay lacks strands or forces of the model, or no chosen strand crosses the joint. */
SN_API snStatus sn_analyse(const snModel *model, const snTrack *replay, const snAnalysisDef *def, snTrack **result,
                           snError *error);

/* ---- moment arms ------------------------------------------------------------------------------ */

/* Moment arms r = -dL/dq of strands about joint coordinates, positive where the strand drives the coordinate up. Each
 * coordinate goes through its range in small steps, the others at rest, all muscles slightly active so that tendons are
 * taut, strands settled at every pose. Two ways that must agree: the derivative of the length of the path, each piece
 * counted by its share of the tension (energy over tension; along an ideal strand the length itself), and virtual work,
 * that is the torque of the strand's constraint forces on the bodies behind the joint, over its tension. On a tree
 * nothing has to settle: the two ways are differences of the length of the path over 2e-5 rad, and the derivative that
 * the simulation itself uses; there is no tension, and a coordinate that follows another counts with that one. */
typedef struct snArmDef {
    size_t size;        /* of this struct: set by its default function */
    double activation;  /* of all muscles */
    double turn, slide; /* rad, m: from pose to pose, about a degree */
    double settle;      /* s of damped motion allowed at each pose */
    int32_t joint;      /* only this one; -1: all */
    int32_t threads;    /* 0: all cores */
    snProgress progress;
    const double *pose; /* ncoord, rad or m: of the coordinates that rest; NULL: as drawn */
    int32_t ncoordinate;
    const int32_t *coordinate; /* which ones; NULL: all */
    bool whole; /* the whole range of a coordinate that has limits; false: at most 90 degrees or 20 mm from rest */
} snArmDef;

/* One strand about one coordinate that it crosses; of a model on a tree, one line muscle. */
typedef struct snArmCurve {
    int32_t strand, coordinate, count; /* strand: index of the strand, on a tree of the line (SN_ITEM_LINE) */
    bool slides;                       /* the coordinate is a length */
    const double *q;                   /* count: rad or m; belongs to the snArms */
    double *length;                    /* count: of the path, m */
    double *tension;                   /* count: where the strand crosses the joint, N */
    double *excursion;                 /* count: arm from the derivative of the length, pieces by their tension, m */
    double *work;                      /* count: arm from virtual work, m; NaN where the strand is slack */
    double mean, neutral;              /* of the virtual work: over the range, at rest */
    double difference, worst;          /* between the two ways: mean and largest, m */
    double jump;                       /* largest change of the excursion arm from pose to pose, m */
    double *path;                      /* count: arm from the plain length, which sharp bends stretch locally, m */
    double stretch;                    /* largest difference between path and excursion, m */
} snArmCurve;

typedef struct snArms {
    int32_t ncurve, nstrand, ncoordinate;
    snArmCurve *curve;
    double *neutral;      /* nstrand x ncoordinate: virtual work at rest; 0 where a strand does not cross */
    double **grid;        /* ncoordinate: poses of each coordinate, or NULL */
    int32_t wrong_sides;  /* poses at which a strand lay on the wrong side of a surface */
    char wrong_side[128]; /* the worst of them */
} snArms;

static inline snArmDef sn_default_arm_def(void)
{
    SN_DEF(snArmDef, def);
    def.activation = 0.05;
    def.turn = 0.017453292519943295; /* a degree */
    def.slide = 5e-4;
    def.settle = 0.1;
    def.joint = -1;
    def.threads = 1;
    return def;
}
SN_API snStatus sn_moment_arms(const snModel *model, const snArmDef *def, snArms **arms, snError *error);
SN_API void sn_arms_destroy(snArms *arms);

#ifdef __cplusplus
}
#endif
#endif
