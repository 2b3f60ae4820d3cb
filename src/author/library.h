/* Making a deformation library: what its parts share.
 *
 * A soft muscle is made of a mesh, the strands in it, and the bones that these are attached to (library_muscle.c). Its
 * samples are solved level by level, each from a neighbour that is solved already, so that the result does not depend
 * on the number of threads (library_flood.c). */
#ifndef SN_AUTHOR_LIBRARY_H
#define SN_AUTHOR_LIBRARY_H

#include "author/fibres.h"
#include "base/parallel.h"
#include "meshfree/library.h"
#include "meshfree/soft.h"
#include "sinew/meshfree.h"

enum { SN_SOFT_BONES = 8 };

typedef struct snSoftMuscle {
    char name[SN_LIBRARY_NAME], mesh_name[SN_LIBRARY_NAME];
    snFibres fibres;
    snTriMesh mesh; /* world, as drawn */
    snSoftPoints points;
    snSoftQuads quads;
    snSoftMaterial *material;
    int32_t *attached;
    int32_t nattached; /* bones that something is attached to: the first ones */
    int32_t nbone;
    int32_t bone[SN_SOFT_BONES]; /* bodies of the model */
    int32_t insertion;           /* bone */
    snSoftBone soft_bone[SN_SOFT_BONES];
    snSoftBody *body;
    snSoftEmbedding embedding;
    double area; /* m^2: mean cross-section */
} snSoftMuscle;

/* Distance grids of the model's bodies, made when they are first asked for. */
typedef struct snBoneDistances {
    const snSpec *spec;
    const snModel *model;
    int32_t n;
    uint8_t *known;
    snDistance *distance;
    v3 *low, *high; /* box of the mesh, world, as drawn; low above high: no mesh */
} snBoneDistances;

bool sn_bone_distances_create(const snSpec *spec, const snModel *model, snBoneDistances *distances);
void sn_bone_distances_free(snBoneDistances *distances);

/* The muscle `name` (a mesh node or a group). poses: 7 per body, as drawn. pool: may be NULL. */
snStatus sn_soft_muscle_create(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                               const double *poses, snBoneDistances *distances, snPool *pool, snSoftMuscle *muscle,
                               snError *error);
/* The same muscle in hexahedral elements instead of points: mesh, fibres, laws and attachments are the same. */
snStatus sn_soft_muscle_elements(const snSpec *spec, const snLibraryDef *def, const snSoftMuscle *points,
                                 const double *poses, snBoneDistances *distances, snSoftMuscle *muscle, snError *error);
/* Only its names, fibres and mesh. */
snStatus sn_soft_muscle_outline(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                                snSoftMuscle *muscle, snError *error);
void sn_soft_muscle_free(snSoftMuscle *muscle);
/* Names of the strands of a muscle, separated by blanks, to be freed; NULL: out of memory or none. mesh: its node, 0:
 * none.
 */
char *sn_muscle_strands(const snSpec *spec, const char *name, const char *mesh_name, snId *mesh);

/* Solves all samples and fills `out` but for its name. */
snStatus sn_library_flood(const snModel *model, const snSoftMuscle *muscle, const snLibraryDef *def, snPool *pool,
                          snLibrary *totals, snLibraryMuscle *out, snError *error);

/* Bodies' node poses (7 each) to rigid motions. */
static inline rigid sn_pose_at(const double *pose, int32_t body)
{
    return (rigid){q_load(pose + 7 * body + 3), v3_load(pose + 7 * body)};
}

#endif
