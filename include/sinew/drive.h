/* Activations over time: levels of muscles and of named anatomical functions, mixed.
 *
 * A drive has channels: the muscles of the model, then the functions of the spec. Each channel may get levels over
 * time, several times over. At a time, the levels of a channel are interpolated linearly, held before the first and
 * after the last, and summed; a function at level x activates its muscles by x times their levels in the function
 * (which may change over time too, see Function in docs/reference.md); what several channels ask of a muscle is summed
 * and kept within 0 and 1. */
#ifndef SINEW_DRIVE_H
#define SINEW_DRIVE_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snDrive snDrive;

/* The model is the one compiled from the spec; both must outlive the drive. */
SN_API snStatus sn_drive_create(const snSpec *spec, const snModel *model, snDrive **drive, snError *error);
SN_API void sn_drive_destroy(snDrive *drive); /* NULL is fine */

/* The channel that a name means: function.NAME or function/NAME; muscle.NAME, activation/NAME; or NAME alone where it
 * is unique. A strand stands for the muscle it belongs to. SN_BAD_INPUT lists functions or names the nearest. */
SN_API snStatus sn_drive_find(const snDrive *drive, const char *name, int32_t *channel, snError *error);

/* Levels of a channel at increasing times, s. SN_BAD_INPUT, drive untouched: a level outside 0 to 1, times that do not
 * increase, none. A single one is constant. */
SN_API snStatus sn_drive_add(snDrive *drive, int32_t channel, int32_t count, const double *time, const double *level,
                             snError *error);
/* A further constant level that may be changed while it runs (0 at first); for sliders. Kept within 0 and 1. */
SN_API void sn_drive_set(snDrive *drive, int32_t channel, double level);

/* Activations of all muscles at a time; allocates nothing. Returns how many of them were asked for more than 1. */
SN_API int32_t sn_drive_at(snDrive *drive, double time, double *activation);

#ifdef __cplusplus
}
#endif
#endif
