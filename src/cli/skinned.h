/* The skin of a model over a replay: what skin, export and demo share. */
#ifndef SN_CLI_SKINNED_H
#define SN_CLI_SKINNED_H

#include "result.h"

#include "sinew/author.h"

typedef struct snSkinned {
    const snTrack *replay;
    snModel *model;
    snSkin *skin;
    int32_t nvertex, ntriangle;
    const int32_t *triangle; /* the spec's */
    double *vertex;          /* 3 each, in the pose as drawn */
    int32_t nbody;           /* of the model */
    double *rest;            /* 7 per body of the model, in the pose as drawn */
    int32_t *body_at;        /* per body of the model: in the replay, -1 */
    int32_t *point_at;       /* per strand of the model: its first point in the replay */
    double *pose, *point, *all;
    int32_t *page_bone; /* 4 per vertex: of cli_skin_for_page */
} snSkinned;

bool cli_has_skin(const snSpec *spec);
/* A def with mesh, weights, influence, blend, prominence and belly; without a replay only its bones are of use. Says
 * what is wrong. The spec must outlive it. */
snStatus cli_skin_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snModelSkinDef *def, snSkinned *s);
void cli_skin_close(snSkinned *s); /* all zero is fine */
/* The skin at a time of the replay, 3 per vertex; as an snSkinAtFn. */
snStatus cli_skin_at(void *skinned, double time, double *vertex);
/* The same over a base that is given, 3 per vertex. */
void cli_skin_over(snSkinned *s, double time, const float *base, double *vertex);
/* The same at a frame of the replay. */
snStatus cli_skin_frame(void *skinned, int32_t frame, double *vertex);
/* Bodies (4 per vertex) as indices into the replay's bodies, or into the spec's; free with free. */
int32_t *cli_skin_replay_bones(const snSkinned *s);
int32_t *cli_skin_spec_bones(const snSkinned *s, const snSpec *spec);
/* As the studio's page takes it; lasts as long as the skin. */
snStatus cli_skin_for_page(snSkinned *s, const snSpec *spec, snStudioSkin *skin);
/* Poses of the replay's bodies in the pose as drawn, 7 each; free with free. */
double *cli_skin_replay_rest(const snSkinned *s);

#endif
