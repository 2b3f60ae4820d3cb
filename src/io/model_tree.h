/* The joints of any model as one tree of single degrees of freedom, for inverse kinematics.
 *
 * Invariants: parents come before their children; the neutral pose is that of all coordinates zero. A model that holds
 * joints still and turns gravity about them instead (Model fixed, fixed_axis) gets a first link for them. */
#ifndef SN_IO_MODEL_TREE_H
#define SN_IO_MODEL_TREE_H

#include "base/arena.h"
#include "model/model.h"
#include "tree/tree.h"

typedef struct snModelTree {
    const snModel *model;
    snTree tree; /* without bodies and springs: it is for kinematics alone */
    snArena arena;
    int32_t *coordinate; /* ndof: of the model; -1: the joints that it holds still */
    int32_t *link;       /* nbody of the model: link that it rides on, -1: none */
    int32_t *first;      /* nbody: first link of the joint that carries it, -1: none */
    int32_t *above;      /* nbody: nearest body that it hangs on, -1: none */
} snModelTree;

/* False: out of memory. The model must outlive it; sn_model_tree_free in either case. */
bool sn_model_tree_make(const snModel *model, snModelTree *t);
void sn_model_tree_free(snModelTree *t);

#endif
