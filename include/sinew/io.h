/* Files. Readers leave their outputs untouched on failure and say where and what; writers write beside
 * the name and rename, so that no file is ever half there. */
#ifndef SINEW_IO_H
#define SINEW_IO_H

#include "sinew/clinical.h"
#include "sinew/drive.h"
#include "sinew/load.h"
#include "sinew/mesh.h"
#include "sinew/model.h"
#include "sinew/motion.h"
#include "sinew/spec.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model: the muscle file names its scene file. Force-length tables and meshes by file are read too. The spec keeps
 * the file and line of every element, so that sn_check names them. Also accepts a bare *.scene.xml, and models of OpenSim (*.osim): what a spec
 * cannot say of those is among the warnings of sn_check. */
SN_API snStatus sn_load_model(const char *path, snSpec **spec, snError *error);
/* Writes muscle_path and, beside it, the scene under the name in snModelDef.scene (default: the same stem). */
SN_API snStatus sn_save_model(const snSpec *spec, const char *muscle_path, snError *error);

/* Path of a model by path or by the name of a shipped one (models/NAME/NAME.muscle.xml, from SINEW_MODELS, the build
 * tree or the installed share folder). */
SN_API snStatus sn_find_model(const char *name_or_path, char *path, size_t size, snError *error);
/* The names of the models that are found so, each after a blank; as many as fit. */
SN_API void sn_list_models(char *list, size_t size);

/* Motion: *.control.xml, *.replay.xml, either compressed (*.replay.xml.gz), and the compact *.replay.bin, which keeps
 * positions to 0.05 micrometres, rotations to 5e-8 and scalars in single precision. Read piece by piece; a compressed
 * file is recognised whatever its name. Frames closer than 10 microseconds are refused as a mistake. */
SN_API snStatus sn_load_track(const char *path, snTrack **track, snError *error);
/* The form is chosen by the ending. A name that ends in .control.xml or .control.xml.gz keeps the bodies only. */
SN_API snStatus sn_save_track(const snTrack *track, const char *path, snError *error);

/* Scalars of a track as OpenSim .sto or .csv, by the ending; which: prefix filter such as "activation/", NULL all. */
SN_API snStatus sn_save_table(const snTrack *track, const char *path, const char *which, snError *error);

/* A time series as a table: OpenSim .sto and .mot, or .csv (comma, semicolon or tab; lines that begin with # are passed
 * over). The first column must be the time; times must increase and every value must be finite. */
typedef struct snTable {
    int32_t rows, columns; /* columns without the time */
    char **name;           /* per column */
    double *time;          /* per row */
    double *value;         /* rows x columns */
    int32_t *line;         /* per row: its line in the file */
    bool in_degrees;       /* as a .sto or .mot says */
} snTable;
SN_API snStatus sn_load_table(const char *path, snTable *table, snError *error);
SN_API void sn_table_free(snTable *table);

/* Activations over time from such a table: a column for each muscle or function, named as sn_drive_find reads it,
 * levels 0 to 1. Columns of results that sn_save_table writes (length/NAME and so on) are ignored. end, if not NULL:
 * the last time. SN_BAD_INPUT, drive untouched, with file and line: unknown names, levels outside 0 to 1. */
SN_API snStatus sn_load_activations(const char *path, snDrive *drive, double *end, snError *error);
/* Loads over time from such a table: columns BODY.fx, BODY.fy and BODY.fz in N, an axis without a column being 0, where
 * BODY may say @tip, @X,Y,Z and :world as in sn_loads_read; or a column grip. SN_BAD_INPUT, loads untouched: anything
 * else. */
SN_API snStatus sn_load_loads(const char *path, snLoads *loads, snError *error);

/* Key poses (*.pose.csv with the columns time (s) and joint.coordinate (degrees), e.g. elbow.flexion; .sto and .mot in
 * degrees or radians as they say) begin and end at rest. sn_load_motion reads them. */

/* BVH motion capture and glTF animations (.glb, .gltf). As joint coordinates, by a mapping file (docs/files.md) that
 * ties joints of the file to bodies of the model, whose coordinates are then found by inverse kinematics; or by one
 * with a line for each coordinate:
 *     joint_of_the_file  joint.coordinate  x y z  [offset degrees]  [scale factor]
 * There the rotation of the file's joint against its parent is taken apart into turns about the axes given for it (in
 * the file's axes at rest, in the order of the lines, the first one outermost); coordinate = scale * turn + offset. */

#define SN_MOTION_JOINTS 64
/* What became of the turns of a joint of the file. */
typedef struct snMotionJoint {
    char body[48];                         /* of the model: what the joint moves */
    char matched[64];                      /* the joint of the file; empty: the file has none of its own */
    double discarded_rms, discarded_worst; /* rad: what the joints of the model could not follow, over the frames */
    double clamped;                        /* rad: farthest that the file is beyond the ranges of the body's joint */
} snMotionJoint;

/* A motion for a model in any of the formats above, by path or by the name of one that is shipped with the model
 * (motions/NAME.* beside the model's file). Control and replay files are taken as they are; key poses, BVH and glTF
 * become poses of all bodies, sampled densely enough that the interpolation between the frames does not show. Fails,
 * naming file and place, when the motion names bodies or coordinates that the model does not have, when a BVH or glTF
 * has no joint of the mapping, and for everything that the readers refuse; an unknown name lists the motions there are.
 * Joints of a BVH or glTF are found by the names of the mapping, without their namespaces (mixamorig:), or by what the
 * names of Mixamo, Rokoko, Xsens, CMU, Bandai-Namco, Unreal, Unity, VRM, Rigify and WebXR mean; what the file
 * lacks stays at rest. */
typedef struct snMotionSource {
    char path[1024];
    double frame_rate; /* frames per second in the file; 0: key poses, or a single frame */
    int32_t gaps;      /* empty cells of key poses, which are filled in */
    char beyond[400];  /* angles beyond half a turn, which poses of bodies cannot tell, and where they were held */
    /* of a BVH or glTF */
    int32_t wanted, found; /* coordinates that the mapping names, and those that the file moves */
    char held[400];        /* the others, which rest, with commas between; cut off where there is no room */
    int32_t unused;        /* joints of the file that move nothing */
    bool turned;           /* the file rests in another pose than the mapping supposes: its axes were turned with it */
    char unused_joints[400]; /* their names, with commas between */
    bool first_frame;        /* the file's rest pose is no pose of a body: its first frame stands for it */
    int32_t njoint;          /* of a mapping by bones */
    snMotionJoint joint[SN_MOTION_JOINTS];
} snMotionSource;

typedef struct snMotionDef {
    size_t size;         /* of this struct: set by its default function */
    const char *model;   /* name or path of the model, for motions by name and the mapping; NULL: only by path */
    const char *bvh_map; /* mapping file for a BVH or glTF; NULL: the one of the model, STEM.bvhmap beside its file */
    double sample_rate;  /* samples per second of key poses, BVH and glTF */
    snMotionSource *source;  /* if not NULL: where the motion was found */
    const snModel *compiled; /* the model itself, where it is at hand; NULL: loaded by its name where it is needed */
} snMotionDef;
static inline snMotionDef sn_default_motion_def(void)
{
    SN_DEF(snMotionDef, def);
    def.sample_rate = 125;
    return def;
}
SN_API snStatus sn_load_motion(const snModel *model, const char *name_or_path, const snMotionDef *def, snTrack **motion,
                               snError *error);

/* The same as key poses, without a model to match: key poses, BVH, glTF, .sto and .mot; and back into a *.pose.csv. */
SN_API snStatus sn_load_motion_poses(const char *name_or_path, const snMotionDef *def, snPoses **poses, snError *error);
SN_API snStatus sn_save_poses(const snPoses *poses, const char *path, snError *error);

/* A case: *.case.xml, root Case with a version and the name of its model, and a child for each change. */
SN_API snStatus sn_load_case(const char *path, snCase **c, snError *error);
SN_API snStatus sn_save_case(const snCase *c, const char *path, snError *error);

/* Triangle meshes: .obj, .ply (text, binary, vertex colours), .stl (text, binary), .vtp (read only) by the ending.
 * Polygons become triangles. Written: .obj as text, .ply and .stl binary (.stl keeps single precision and no colours). */
SN_API snStatus sn_load_mesh(const char *path, snMesh *mesh, snError *error);
SN_API snStatus sn_save_mesh(const snMesh *mesh, const char *path, snError *error);

#ifdef __cplusplus
}
#endif
#endif
