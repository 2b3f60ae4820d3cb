/* Inverse dynamics with the bones on a motion: which activations a motion takes, and what is missing.
 *
 * All bones are driven exactly along the motion, the strands follow. At each step the equation of the step itself says
 * which torque about each joint coordinate the motion demands beyond what gravity, inertia, passive joints and the
 * strands as they are give, and what each muscle adds per activation. Activations in [0, 1] that meet the demand best
 * are found and applied to the strands; what remains is unmet. No feedback and no tracking is involved, so that the
 * answer says something about the model and the motion only. */
#ifndef SN_CONTROL_INVERSE_H
#define SN_CONTROL_INVERSE_H

#include "model/model.h"
#include "sinew/motion.h"
#include "sinew/sim.h"

typedef struct snInverse snInverse;

/* The bodies of the model hang on joints that lead to held bodies, and all of them can be driven. */
bool sn_inverse_applies(const snModel *m);
/* Drives all free bodies of the state until it is destroyed; then the state steps as before. every: steps from one
 * choice of activations to the next. NULL: out of memory. */
snInverse *sn_inverse_create(const snModel *m, snState *s, int32_t every);
void sn_inverse_destroy(snInverse *inverse); /* before the state; NULL is fine */
/* From now on stops push about the coordinates that lie on an end of their range here; NULL: none does. */
void sn_inverse_lean(snInverse *inverse, const double *coordinate);
/* From now on the activations are those that leave the least |root unmet|: ncoord x ncoord, lower triangular, kept by
 * the caller; NULL: the least |unmet|. */
void sn_inverse_measure(snInverse *inverse, const double *root);
/* One step to the given poses (nbody, body frames). */
snStatus sn_inverse_step(snInverse *inverse, const rigid *next);
/* ncoord: torques (N m, N) that no activations give, at the last choice. */
const double *sn_inverse_unmet(const snInverse *inverse);

#endif
