/* A muscle being filled with strands (AutoStrands) in a thread of its own, driven by messages and seen through
 * snapshots.
 *
 * Only the thread touches the strands; messages go in and snapshots come out under a lock that is held for a copy. The
 * result is the text of a new model's two files; nothing is written where the model lies. */
#ifndef SN_STUDIO_FILLING_H
#define SN_STUDIO_FILLING_H

#include "sinew/author.h"
#include "sinew/sinew.h"

typedef struct snFilling snFilling;

/* What a page may ask for: the number of the operation and its arguments, 4 bytes each, little-endian. */
typedef enum snFillOp {
    SN_FILL_START =
        1,        /* mesh node, strands in all, control points (0: as samples), stiffness, repulsion (floats), inputs */
    SN_FILL_TUNE, /* control points, stiffness, repulsion (floats) */
    SN_FILL_PAUSE, /* 0 or 1 */
    SN_FILL_KEEP,  /* take the strands as they are and make the model */
    SN_FILL_STOP   /* throw them away */
} snFillOp;

typedef enum snFillState {
    SN_FILLING_IDLE,
    SN_FILLING_MOVING,
    SN_FILLING_PAUSED,
    SN_FILLING_AT_REST, /* converged; tuning makes it move again */
    SN_FILLING_DONE,    /* the model can be fetched */
    SN_FILLING_FAILED
} snFillState;

/* wake is called from the thread after every new snapshot. The spec must outlive it. */
snStatus sn_filling_create(const snSpec *spec, void (*wake)(void *user), void *user, snFilling **filling);
void sn_filling_destroy(snFilling *filling);
/* Takes a message; false when it is not one. */
bool sn_filling_message(snFilling *filling, const unsigned char *bytes, size_t size);
/* A copy of the newest snapshot if it is newer than *sequence, to be freed; NULL: nothing new, or no memory. */
unsigned char *sn_filling_snapshot(snFilling *filling, uint32_t *sequence, size_t *size);
/* A copy of a file of the result, to be freed; NULL: there is none. scene: the scene file, else the muscle file. */
char *sn_filling_result(snFilling *filling, bool scene, size_t *size);

#endif
