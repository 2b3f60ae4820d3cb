/* Skin over bones: what the blending of bones draws into a bone is pushed out of it again, and no bulge enters one.
 *
 * Distances are exact, to the bones' meshes. A vertex looks again only when it may have come near: since its last look
 * at a bone, the distance has changed by no more than it has moved in that bone's frame. */
#ifndef SN_SKIN_CONTACT_H
#define SN_SKIN_CONTACT_H

#include "base/memo.h"
#include "geom/bvh.h"
#include "skin/chords.h"
#include "skin/skin.h"

enum { SN_CONTACT_LOOKS = 6 }; /* kept per vertex */

typedef struct snContactBone {
    int32_t body;
    snTriMesh mesh; /* at rest */
    snBvh *tree;
    snMeshSide side;
    v3 middle, half; /* of its box at rest */
    double radius;   /* of the ball around that */
    rigid back;      /* from the world as it is now to that at rest */
    m3 turn;         /* the same turn as a matrix */
    v3 now;          /* where the middle is now */
} snContactBone;

/* Vertices are kept in clusters, clusters in rows of SN_LANES, the last row of each filled up with its last vertex. A
 * place is where a vertex stands in these rows. */
typedef struct snContact {
    int32_t nbone, ncluster, nrow;
    snContactBone *bone;
    int32_t *start;        /* ncluster + 1: first place of each cluster */
    int32_t *count;        /* vertices of each cluster */
    int32_t *member;       /* vertex at each place */
    snSeen *seen;          /* SN_CONTACT_LOOKS per row: the last looks of its vertices */
    int32_t *triangle;     /* the same, per vertex of the row: nearest then; -1: none */
    float *margin;         /* per place: what it keeps off bones, m; negative: it lies in a bone at rest, let it be */
    float *clear;          /* per place: no bone is nearer than this, m */
    int32_t *near;         /* nbone: scratch, those near a cluster */
    snSeenBone *seen_bone; /* the same, as seen from it */
    int64_t looks;         /* exact distances since the start */
    const snChords *chords;
} snContact; /* zeroed memory holds no bones */

/* Bones that are no closed mesh are left out. Free also after a failure. */
snStatus sn_contact_create(const snTriMesh *skin, int32_t nbone, const snSkinBone *bone, snMemo *memo,
                           snContact *contact, snError *error);
void sn_contact_free(snContact *contact);
/* Takes the bodies' poses (7 each) and moves vertices (3 each) that are in a bone to its surface. */
void sn_contact_push(snContact *contact, const double *rest, const double *pose, double *vertex);
/* Shortens offsets along the normals that would end in a bone; vertices as sn_contact_push left them. */
void sn_contact_limit(snContact *contact, const double *vertex, const double *normal, double *offset);

#endif
