/* Named views of a model: "Anterior=+x Posterior=-x": what people call the picture seen from that side. */
#ifndef SN_MODEL_VIEWS_H
#define SN_MODEL_VIEWS_H

#include <stdbool.h>

typedef struct snNamedView {
    char name[32];
    int axis;    /* 0, 1 or 2: the eye is on this axis of the world */
    double sign; /* 1 or -1: on which side */
} snNamedView;

/* Takes the next view off the text at *at. False at the end, or when what is there is no view: *at then stands on it.
 */
bool sn_next_view(const char **at, snNamedView *view);

#endif
