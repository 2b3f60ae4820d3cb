/* Steering a model on a tree: activations of all its line muscles that make it follow key poses.
 *
 * Each step, the accelerations that follow the target are turned into torques by solving the step backwards (passive
 * joints included), and the torques into activations by one quadratic program over all muscles. What muscles cannot
 * give is reported per coordinate. */
#ifndef SINEW_STEER_H
#define SINEW_STEER_H

#include "sinew/drive.h"
#include "sinew/motion.h"
#include "sinew/sim.h"
#include "sinew/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Coactivation of a part of the body: its muscles work against each other as well, at the same torques. */
typedef struct snSteerPart {
    const char *part;
    double level; /* 0 and above; 1: as much as both tasks take together */
} snSteerPart;

/* A weight at the centre of mass of a body, kg over increasing times; held before the first and after the last. */
typedef struct snSteerLoad {
    int32_t body, count;
    const double *time, *kg;
} snSteerLoad;

typedef struct snSteer snSteer; /* a run in progress, as the receiver of its frames sees it */

typedef struct snSteerDef {
    size_t size;            /* of this struct: set by its default function */
    double step;            /* s, at most; 0: the model's */
    double frame_rate;      /* frames a second of the result */
    double start, end;      /* s of the motion; end <= start: all of it */
    double stiffness;       /* 1/s^2: how hard errors are worked off */
    double damping;         /* 1/s */
    double control_rate;    /* 1/s: activations are chosen so often, reached within 7 ms, then held; 0: every 7 ms */
    double sensor;          /* 1/s: how fast loads are felt; 0: at once */
    double relaxation;      /* of the program: small is exact, but all or nothing where torques are out of reach */
    bool paper;             /* the inverse dynamics of [Lee 2009], for comparison */
    bool geometric;         /* steps with the turning of levers */
    const double *strength; /* one per muscle, 0 to 1, or NULL */
    int32_t npart, nload;
    const snSteerPart *part;
    const snSteerLoad *load;
    snDrive *drive;        /* activations to stay near while following, or NULL */
    const snPoses *breath; /* one breath, added to the motion over and over; NULL: none */
    double breath_depth;   /* rad: largest value of a breath */
    double breath_period;  /* s; 0: as long as it is given */
    snProgress progress;
    /* Receives each finished frame: the state at that time. Anything but SN_OK ends the run. */
    snStatus (*frame)(void *user, const snSteer *run, snState *state, double time);
    void *user;
    /* of an interrupted run with the same settings: continue after its last frame, bit for bit */
    const void *checkpoint;
    size_t checkpoint_size;
    bool skip_step_check; /* repeat no frames at half the step: the report lacks step_error, a run is a tenth faster */
} snSteerDef;

/* A place, a turn or a direction of a body that the motion asks for. */
typedef struct snSteerAim {
    char name[80];      /* as the columns begin: place.skull */
    bool turns;         /* figures are rad, not m */
    double unreachable; /* by how much the joints, within their ranges, cannot get there, at worst */
    double error;       /* by how much the simulated body missed it, at worst */
} snSteerAim;

enum { SN_STEER_MOST_AIMS = 16 };

typedef struct snSteerReport {
    size_t size; /* set by the run */
    int32_t frames, resumed;
    snTrust trust;   /* errors, activations, missing torques */
    double *clamped; /* per coordinate: by how much its target left the range, rad or m */
    double activation_step_rms;
    double asymmetry;            /* largest difference of muscles that are called NAME_R and NAME_L, in the last step */
    double rounds, worst_rounds; /* of the program, per step */
    double seconds, simulated, real_time_factor;
    double step_mean, step_worst; /* s of processor time: a controlled step */
    double step_cold;             /* the very first one, whose program starts from nothing */
    double stage[4];              /* s of processor time per step: inverse, torques of the muscles, program, rest */
    bool diverged;
    char culprit[128];
    int32_t naim;
    snSteerAim aim[SN_STEER_MOST_AIMS];
    void *memory;
} snSteerReport;

static inline snSteerDef sn_default_steer_def(void)
{
    SN_DEF(snSteerDef, def);
    def.frame_rate = 24;
    def.stiffness = 100;
    def.damping = 20;
    def.relaxation = 0.1;
    return def;
}
/* Columns of poses are coordinates of the model, load.BODY (kg), activation.MUSCLE (0 to 1, to stay near), and what
 * bodies are to do: place.BODY.x y z (m that its centre of mass is moved, axes left out are free), turn.BODY.x y z
 * (rotation vector), look.BODY.x y z (point that it faces). Coordinates between the root and such a body that have no
 * column of their own follow by inverse kinematics. SN_BAD_INPUT: a column that the model lacks or a passive
 * coordinate; a part, a body or a muscle that is not there; a negative level. */
SN_API snStatus sn_steer(const snModel *model, const snPoses *poses, const snSteerDef *def, snSteerReport *report,
                         snError *error);
/* The run at its last finished frame as bytes, for def->checkpoint of a later one. Gives the size, which does not
 * change during a run; bytes may be NULL to ask for it. Of this machine and version only. */
SN_API size_t sn_steer_save(const snSteer *run, void *bytes);
SN_TRACKED(sn_steer_report_free, snSteerReport)

#ifdef __cplusplus
}
#endif
#endif
