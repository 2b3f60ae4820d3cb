/* A deformer over a replay, the skin of a model above all: what skin, export, studio and bench share. All surfaces of
 * the deformer are taken as one mesh. */
#ifndef SN_CLI_DEFORMED_H
#define SN_CLI_DEFORMED_H

#include "result.h"

#include "sinew/author.h"
#include "sinew/playback.h"

typedef struct snDeformed {
    const snTrack *replay;
    snModel *model;
    snDeformer *deformer;
    snSkin *skin; /* NULL: another kind of deformer */
    snPlayback *playback;
    int32_t nvertex, ntriangle;
    int32_t *triangle;
    double *vertex; /* 3 each, in the pose as drawn */
    int32_t *bone;  /* 4 per vertex: bodies of the model; of cli_deform_bind */
    double *weight;
    int32_t *page_bone; /* 4 per vertex: of cli_deform_for_page */
    snError error;      /* of the last frame */
    snCli *slow;        /* shows progress frame by frame; NULL: frames take no time */
} snDeformed;

bool cli_has_skin(const snSpec *spec);
/* Any deformer, which belongs to d from now on. Says what is wrong. `replay` may be NULL: only the pose as drawn is of
 * use. The spec must outlive it. */
snStatus cli_deform_open(snCli *cli, const snSpec *spec, const snTrack *replay, snDeformer *deformer, snDeformed *d);
/* The skin of the model, by a def with mesh, weights, influence, blend, prominence and belly. library: a file with soft
 * muscles that lift it, or NULL. */
snStatus cli_skin_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snModelSkinDef *def,
                       const char *library, snDeformed *d);
/* The soft muscles of a deformation library. */
snStatus cli_library_open(snCli *cli, const snSpec *spec, const snTrack *replay, const char *path, snDeformed *d);
void cli_deform_close(snDeformed *d); /* all zero is fine */
/* The vertices (3 each) at a time of the replay, as an snSkinAtFn, or at a frame of it; what is wrong is in d->error.
 */
snStatus cli_deform_at(void *deformed, double time, double *vertex);
snStatus cli_deform_frame(void *deformed, int32_t frame, double *vertex);
/* Soft tissue with the skin in it. The flesh is the deformer's; NULL where it was not made. */
snStatus cli_flesh_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snFleshDef *def, snFlesh **flesh,
                        snDeformed *d);
/* Number of tetrahedra and precision by the option `name`: draft, preview or final. */
void cli_flesh_quality(const snCli *cli, const char *name, snFleshDef *def);
/* A skin over a base that is given, 3 per vertex. */
void cli_skin_over(snDeformed *d, double time, const float *base, double *vertex);
/* Bones and weights for viewers that blend. */
snStatus cli_deform_bind(snCli *cli, snDeformed *d);
/* After cli_deform_bind: bodies (4 per vertex) as indices into the replay's bodies; free with free. */
int32_t *cli_deform_replay_bones(const snDeformed *d);
/* Poses of the replay's bodies in the pose as drawn, 7 each; free with free. */
double *cli_deform_replay_rest(const snDeformed *d);
/* As the studio's page takes it; lasts as long as d. */
snStatus cli_deform_for_page(snCli *cli, snDeformed *d, const snSpec *spec, snStudioSkin *skin);

#endif
