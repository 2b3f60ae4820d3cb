/* Files. Readers leave their outputs untouched on failure and say where and what; writers write beside
 * the name and rename, so that no file is ever half there. */
#ifndef SINEW_IO_H
#define SINEW_IO_H

#include "sinew/motion.h"
#include "sinew/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model: the muscle file names its scene file. Force-length tables and meshes by file are read too. The spec keeps
 * the file and line of every element, so that sn_check names them. Also accepts a bare *.scene.xml. */
SN_API snStatus sn_load_model(const char *path, snSpec **spec, snError *error);
/* Writes muscle_path and, beside it, the scene under the name in snModelDef.scene (default: the same stem). */
SN_API snStatus sn_save_model(const snSpec *spec, const char *muscle_path, snError *error);

/* Path of a model by path or by the name of a shipped one (models/NAME/NAME.muscle.xml, from SINEW_MODELS, the build
 * tree or the installed share folder). */
SN_API snStatus sn_find_model(const char *name_or_path, char *path, size_t size, snError *error);

SN_API snStatus sn_load_track(const char *path, snTrack **track, snError *error); /* *.control.xml, *.replay.xml */
SN_API snStatus sn_save_track(const snTrack *track, const char *path, snError *error);
/* Scalars of a track as OpenSim .sto or .csv, by the ending; which: prefix filter such as "activation/", NULL all. */
SN_API snStatus sn_save_table(const snTrack *track, const char *path, const char *which, snError *error);

/* Triangle meshes: .obj, .ply, .stl by the ending. */
typedef struct snMesh {
    int32_t nvertex, ntriangle;
    double *vertex;    /* 3 each */
    int32_t *triangle; /* 3 each */
    double *color;     /* 3 each, 0 to 1, or NULL */
} snMesh;
SN_API snStatus sn_load_mesh(const char *path, snMesh *mesh, snError *error);
SN_API snStatus sn_save_mesh(const snMesh *mesh, const char *path, snError *error);
SN_API void sn_mesh_free(snMesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
