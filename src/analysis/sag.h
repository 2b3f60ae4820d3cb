/* How far a pose sags that muscles cannot quite hold: what a lack of torque means.
 *
 * The same lack matters little where a joint gives way by a degree and is then held, and all where a tendon loses its
 * arm on the way. So the bones are led along the lack until nothing lacks any more. At each pose inverse dynamics finds
 * the activations with which the bones would move least, as the mean square over the vertices counts, and they move on
 * that way. Joints that come to lie on a stop are held by it. Nothing is followed, and no controller takes part: the
 * answer says something about the model and the pose only.
 *
 * For models of paths: strands that have points of their own would have to be settled at each pose. */
#ifndef SN_ANALYSIS_SAG_H
#define SN_ANALYSIS_SAG_H

#include "model/model.h"
#include "sinew/sim.h"

typedef struct snSag snSag;

/* most (m): no way is followed further than this. NULL: out of memory. */
snSag *sn_sag_create(const snModel *model, const snSimDef *sim, double most);
void sn_sag_destroy(snSag *sag); /* NULL is fine */
/* Coordinates at three moments, a step apart: the last is judged, with the velocities and accelerations of the three.
 * *away: mean distance (m) of the vertices of free bodies from there to where they come to rest, to 0.02 mm; `most`
 * where there is no rest before that. */
snStatus sn_sag_find(snSag *sag, const double *const coordinate[3], double *away);
double sn_sag_step(const snSag *sag); /* s */

#endif
