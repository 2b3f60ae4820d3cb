/* Sums up what sinew/trust.h reports, for whoever follows a motion. */
#ifndef SN_CONTROL_TRUST_H
#define SN_CONTROL_TRUST_H

#include "model/model.h"
#include "sim/tree_sim.h"
#include "sinew/trust.h"

enum { SN_TRUST_EVERY = 20 }; /* one frame in so many is repeated at half the step */

struct snSpread;

typedef struct snTrustRun {
    const snModel *m;
    snTrust *out;
    struct {
        double distance, distances, angle, angles; /* sums, and of how many */
        double changed2, size2;                    /* of activations at half the step */
    } sum;
    snTreeWork *tree;        /* models on a tree: where the bones are; NULL */
    rigid *body;             /* nbody */
    struct snSpread *spread; /* of activations */
    double *row;             /* models on a tree: ncoord rows of nmuscle */
    double *once;            /* nmuscle: activations at the end of a frame at half the step */
    void *kept;              /* room for what is put aside meanwhile */
    size_t room;
} snTrustRun;

/* False: out of memory; close it then too. kept: bytes that the run puts aside to repeat a frame. */
bool sn_trust_open(snTrustRun *t, const snModel *m, snTrust *out, double step, size_t kept);
void sn_trust_close(snTrustRun *t); /* out stays */

/* After a step of dt, s. */
void sn_trust_note_activation(snTrustRun *t, double dt, const double *activation);
/* At a frame: a coordinate and its target. */
void sn_trust_note_coordinate(snTrustRun *t, double time, int32_t c, double off);
/* At a frame of a model on a tree: its bones at coordinates, against those that the motion gives. */
void sn_trust_note_bones(snTrustRun *t, double time, const double *q, const double *given);
/* What is missing about a coordinate, N m or N. */
void sn_trust_note_unmet(snTrustRun *t, double time, int32_t c, double torque);
/* Whether frame number `frame` is one to repeat at half the step first. */
bool sn_trust_repeats(const snTrustRun *t, int32_t frame);
/* Activations at the end of a frame at half the step; then those of the frame as it is. */
void sn_trust_halved(snTrustRun *t, const double *activation);
void sn_trust_whole(snTrustRun *t, const double *activation);
/* What activations a (nmuscle) could be at the same torques: R is nrow rows of what each muscle gives, ld apart. */
void sn_trust_note_spread(snTrustRun *t, int32_t nrow, const double *R, int32_t ld, const double *a);
/* The same of a model on a tree, about its driven coordinates, with the levers and forces that sim was prepared for. */
void sn_trust_note_lines(snTrustRun *t, const snTreeSim *sim, const double *a);
void sn_trust_finish(snTrustRun *t);

/* What has been summed up so far as bytes, to go on with; bytes may be NULL to ask for the size. */
size_t sn_trust_save(const snTrustRun *t, void *bytes);
void sn_trust_load(snTrustRun *t, const void *bytes);

/* Distances of the vertices of a body from where they should be; of its centre where it has none. */
typedef struct snBoneDistance {
    double sum, sum2, worst;
    int32_t count;
} snBoneDistance;
snBoneDistance sn_body_distance(const snModel *m, int32_t body, rigid is, rigid should);

#endif
