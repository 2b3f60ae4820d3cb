/* Where the bodies and the line muscles of a model on a tree are. */
#ifndef SN_SIM_TREE_POSE_H
#define SN_SIM_TREE_POSE_H

#include "model/model.h"

/* Frames of the bodies at joint coordinates. */
snStatus sn_pose_tree(const snModel *m, const double *coordinate, rigid *body);
/* The same where a tree has been placed, without allocating. */
void sn_pose_placed(const snModel *m, const snTreeWork *work, rigid *body);

#endif
