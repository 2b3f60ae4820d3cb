/* Playing a library: joint coordinates and activation of a frame to weights, weights to surfaces. */
#ifndef SN_AUTHOR_LIBRARY_PLAYER_H
#define SN_AUTHOR_LIBRARY_PLAYER_H

#include "author/library.h"
#include "geom/deform.h"

typedef struct snLibraryPart {
    snTriMesh mesh;
    float *rest;                                          /* 3 planes */
    int32_t body[SN_LIBRARY_BODIES];                      /* of the model */
    rigid back[SN_LIBRARY_BODIES];                        /* inverse of its pose as drawn */
    int32_t joint[SN_LIBRARY_AXES], dof[SN_LIBRARY_AXES]; /* joint -1: activation */
    int32_t nmuscle, *muscle;                             /* muscles of the model whose mean activation counts */
    int32_t *viewer_body;                                 /* 4 per vertex */
    double *viewer_weight;
} snLibraryPart;

typedef struct snLibraryPlayer {
    snLibrary *library;
    snModel *model;
    snLibraryPart *part;
    snDeformSurface *surface;
} snLibraryPlayer;

/* The library belongs to the player unless this fails. */
snStatus sn_library_player_create(const snSpec *spec, snLibrary *library, snLibraryPlayer **player, snError *error);
void sn_library_player_destroy(snLibraryPlayer *player); /* with its library; NULL is fine */
void sn_library_player_release(snLibraryPlayer *player); /* without it */
/* Vertices (3 each) of muscle i at a frame; bones (may be NULL): the same where the muscle only follows the bones. */
void sn_library_play(const snLibraryPlayer *player, int32_t i, const snFrame *frame, double *vertex, double *bones);

#endif
