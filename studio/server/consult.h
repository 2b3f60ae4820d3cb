/* The clinical questions of the page, answered in a thread of their own: a pose and a case come in as messages, answers
 * go out as JSON (docs/studio.md). The newest question is answered; those that it overtook are not.
 *
 * Only the thread touches the patients; messages go in and answers come out under a lock that is held for a copy. */
#ifndef SN_STUDIO_CONSULT_H
#define SN_STUDIO_CONSULT_H

#include "sinew/sinew.h"

typedef struct snConsult snConsult;

/* What a page may ask: the number of the operation and its arguments, 4 bytes each, little-endian. */
typedef enum snConsultOp {
    SN_CONSULT_POSE = 1, /* id, then every coordinate (floats, rad or m) */
    SN_CONSULT_BEGIN,    /* a new case, empty */
    SN_CONSULT_CHANGE,   /* kind (snChangeKind), value, force (4 floats), then text: NAME or NAME>TO */
    SN_CONSULT_APPLY,    /* id, posture: 0 hanging, 1 palm down, 2 palm up, 3 thumb up */
    SN_CONSULT_ENDURE,   /* id, repetitions (0: none), work and rest (2 floats, s): final answers tell how both tire */
    SN_CONSULT_EXPLORE   /* id, what (0: nothing, else 1 + snExplore), count, seed, level and strength (2 floats), then
                          * text, the recipient of transfers: final answers rank it */
} snConsultOp;

enum { SN_CONSULT_COORDINATES = 29, SN_CONSULT_CHANGES = 64 }; /* what fits one message; changes of a case */

/* wake is called from the thread after every answer. Model and spec must outlive it. */
snStatus sn_consult_create(const snSpec *spec, const snModel *model, void (*wake)(void *user), void *user,
                           snConsult **consult, snError *error);
void sn_consult_destroy(snConsult *consult);
/* Takes a message; false when it is not one. Numbers that are not finite become 0. */
bool sn_consult_message(snConsult *consult, const unsigned char *bytes, size_t size);
/* What the thread does, for a program without threads: the next answer. False: all questions are answered. */
bool sn_consult_turn(snConsult *consult);
/* A copy of the newest answer if it is newer than *sequence, to be freed; NULL: nothing new, or no memory. */
unsigned char *sn_consult_answer(snConsult *consult, uint32_t *sequence, size_t *size);

#endif
