/* A simulation that runs in real time in a thread of its own, driven by messages and seen through snapshots.
 *
 * Only the thread touches model state; messages go in and snapshots come out under a lock that is held for a copy. */
#ifndef SN_STUDIO_LIVE_H
#define SN_STUDIO_LIVE_H

#include "sinew/sinew.h"

typedef struct snLive snLive;

/* What a page may ask for. A message is the number of the operation and its arguments, 4 bytes each, little-endian. */
typedef enum snLiveOp {
    SN_LIVE_DRIVE = 1, /* muscle, level 0 to 1 (float) */
    SN_LIVE_PAUSE,     /* 0 or 1 */
    SN_LIVE_RESET,
    SN_LIVE_GRAVITY,  /* scale (float), -2 to 2 */
    SN_LIVE_FOLLOW,   /* 0 or 1: the controller */
    SN_LIVE_AIM,      /* coordinate, value (float), rad or m */
    SN_LIVE_DRAG,     /* body, place in the body (3 floats), where it should be (3 floats, world) */
    SN_LIVE_RELAX,    /* all activations to zero */
    SN_LIVE_STRENGTH, /* muscle, 0 to 1 (float) */
    SN_LIVE_FUNCTION, /* function of the model, level 0 to 1 (float) */
    SN_LIVE_GRIP,     /* N on every digit (float), 0 to 200 */
    SN_LIVE_LOAD,     /* body, force in N (3 floats), as drawn, turning with the body; -200 to 200 each */
    SN_LIVE_DIAL,     /* of a model on a tree: 0 coactivation, 1 breathing; value (float): level, or rad */
    SN_LIVE_WEIGHT,   /* of a model on a tree: body, kg (float), 0 to 100 */
    SN_LIVE_LAST = SN_LIVE_WEIGHT
} snLiveOp;

enum { SN_LIVE_MAX_ARGUMENT = 7 };

typedef enum snLiveFlag {
    SN_LIVE_PAUSED = 1,
    SN_LIVE_FOLLOWING = 2,
    SN_LIVE_DIVERGED = 4,
    SN_LIVE_CAN_FOLLOW = 8,
    SN_LIVE_CAN_GRIP = 16,
    SN_LIVE_CAN_DIAL = 32
} snLiveFlag;

/* wake is called from the thread after every new snapshot. The model is the one compiled from the spec. steer: how a
 * model on a tree is held, which it is from the beginning; NULL: as sn_default_steer_def says. It must outlive the
 * simulation. */
snStatus sn_live_create(const snSpec *spec, const snModel *model, const snSteerDef *steer, int32_t threads,
                        void (*wake)(void *user), void *user, snLive **live, snError *error);
void sn_live_destroy(snLive *live);
/* Somebody looks: without, the simulation rests. */
void sn_live_watch(snLive *live, bool watched);
/* What the thread does, for a program without threads: takes the messages in and makes up for the time that has passed.
 * Gives the seconds until it is due again. */
double sn_live_turn(snLive *live);
/* Takes a message; false when it is not one. Numbers out of range are clamped, indices out of range refused. */
bool sn_live_message(snLive *live, const unsigned char *bytes, size_t size);
/* Copies the newest snapshot if it is newer than *sequence. Returns its size, 0: nothing new. room: sn_live_size. */
size_t sn_live_snapshot(snLive *live, uint32_t *sequence, unsigned char *bytes);
size_t sn_live_size(const snLive *live);

#endif
