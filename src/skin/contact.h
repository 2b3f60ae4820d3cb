/* Skin over bones: what the blending of bones draws into a bone is pushed out of it again, and no bulge enters one.
 *
 * Distances are exact, to the bones' meshes. A vertex looks again only when it may have come near: since its last look
 * at a bone, the distance has changed by no more than it has moved in that bone's frame. */
#ifndef SN_SKIN_CONTACT_H
#define SN_SKIN_CONTACT_H

#include "geom/bvh.h"
#include "sinew/skin.h"

/* The last look of a vertex at a bone. */
typedef struct snContactLook {
    double at[3];     /* in the bone's frame at rest, m */
    double distance;  /* at least this */
    int32_t bone;     /* -1: none yet */
    int32_t triangle; /* of the bone, nearest then; -1: none */
} snContactLook;

enum { SN_CONTACT_LOOKS = 6 }; /* kept per vertex */

typedef struct snContactBone {
    int32_t body;
    snTriMesh mesh; /* at rest */
    snBvh *tree;
    snMeshSide side;
    v3 low, high;
    rigid back; /* from the world as it is now to that at rest */
} snContactBone;

typedef struct snContact {
    int32_t nvertex, nbone, ncluster;
    snContactBone *bone;
    int32_t *start, *member; /* vertices of cluster i: member[start[i]] .. */
    snContactLook *look;     /* SN_CONTACT_LOOKS per vertex */
    double *margin; /* per vertex: what it keeps off bones, m; negative: it lies in a bone at rest, let it be */
    double *clear;  /* per vertex: no bone is nearer than this, m */
    int32_t *near;  /* nbone: scratch, those near a cluster */
    int64_t looks;  /* exact distances since the start */
} snContact;        /* zeroed memory holds no bones */

/* Bones that are no closed mesh are left out. Free also after a failure. */
snStatus sn_contact_create(const snTriMesh *skin, int32_t nbone, const snSkinBone *bone, snContact *contact,
                           snError *error);
void sn_contact_free(snContact *contact);
/* Takes the bodies' poses (7 each) and moves vertices (3 each) that are in a bone to its surface. */
void sn_contact_push(snContact *contact, const double *rest, const double *pose, double *vertex);
/* Shortens offsets along the normals that would end in a bone; vertices as sn_contact_push left them. */
void sn_contact_limit(snContact *contact, const double *vertex, const double *normal, double *offset);

#endif
