/* How far the result of a tracking run can be trusted: the same figures from every controller.
 *
 * A motion is reached when every coordinate that muscles are asked for stays within 3 degrees (3 mm) of its target at
 * every frame. Targets are those within the ranges of the joints: a motion that leaves them is reported as clamped. */
#ifndef SINEW_TRUST_H
#define SINEW_TRUST_H

#include "sinew/model.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snTrust {
    size_t size; /* of this struct, set by the run */
    int32_t ncoordinate, nmuscle;
    double mean_distance, worst_distance; /* m: vertices of the bones from where the motion as given has them */
    double worst_distance_time;           /* s */
    double mean_angle, worst_angle;       /* rad: coordinates that are angles from their targets within the ranges */
    double worst_angle_time;              /* s */
    int32_t worst_angle_coordinate;       /* -1: none was off at all */
    double max_activation;
    double unmet_torque; /* N m or N: the most that the motion took and muscles did not give. Models on a tree: what
                                 the controller asked for, feedback included, at every choice. Strands: by inverse dynamics
                                 where the motion was missed most; 0 where it was reached; NaN where bodies do not hang on a
                                 tree of joints. [Tsang 2005] chooses without torques: NaN */
    double unmet_time;   /* s */
    int32_t unmet_coordinate; /* -1: nothing is missing */
    double step;              /* s, of the dynamics */
    double step_error;   /* change of the activations, relative, rms, where one frame in `check_every` is repeated at
                                 half the step from the state that it began with; NaN: no frame was */
    double conditioning; /* 0 to 1: by how much an activation could change at the same torques, mean over up to 12
                                 muscles in the middle of the run. 0: the torques leave no choice; near 1: activations
                                 are a choice of the method. NaN: not found */
    bool reached;
    double *off;                  /* ncoordinate: largest distance from the target, rad or m */
    double *off_from, *off_until; /* ncoordinate: s: the first and the last frame beyond the tolerance; NaN: none */
    double *unmet;                /* ncoordinate: largest missing torque, N m or N */
    double *saturated;            /* nmuscle: s at full activation */
    void *memory;
} snTrust;

/* Defines a function that frees a report with such a part. */
#define SN_TRACKED(function, type)                                                                                     \
    static inline void function(type *report)                                                                          \
    {                                                                                                                  \
        if (!report) return;                                                                                           \
        sn_release(report->trust.memory);                                                                              \
        sn_release(report->memory);                                                                                    \
        memset(report, 0, sizeof *report);                                                                             \
    }

#ifdef __cplusplus
}
#endif
#endif
