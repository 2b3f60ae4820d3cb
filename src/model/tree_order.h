/* Who moves whom in the coordinates of a spec. */
#ifndef SN_MODEL_TREE_ORDER_H
#define SN_MODEL_TREE_ORDER_H

#include "sinew/spec.h"

/* "world" or empty, unless a body is called so. */
bool sn_tree_is_world(const snSpec *spec, const char *body);
/* First and last coordinate of the file that moves a body; 0: none does. */
snId sn_tree_first(const snSpec *spec, const char *body);
snId sn_tree_last(const snSpec *spec, const char *body);
/* The body itself where a coordinate moves it, "" where it is fixed. */
const char *sn_tree_carrier(const snSpec *spec, const char *body);
/* Ids of all coordinates, every one after those that move its parent and after those of its body that stand before it
 * in the file; otherwise in the order of the file. Returns how many could be placed; fewer than all: there is a cycle,
 * and order[that number] is the first of the file that could not. */
int32_t sn_tree_order(const snSpec *spec, snId *order);

#endif
