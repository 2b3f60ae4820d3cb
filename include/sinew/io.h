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
 * the file and line of every element, so that sn_check names them. Also accepts a bare *.scene.xml. */
SN_API snStatus sn_load_model(const char *path, snSpec **spec, snError *error);
/* The same for sn_check: values that cannot be read, unknown and missing attributes do not end the reading but are among
 * the problems that sn_check finds. Such a spec cannot be compiled. */
SN_API snStatus sn_load_model_to_check(const char *path, snSpec **spec, snError *error);
/* Writes muscle_path and, beside it, the scene under the name in snModelDef.scene (default: the same stem). */
SN_API snStatus sn_save_model(const snSpec *spec, const char *muscle_path, snError *error);

/* Writes the scene alone: plain nodes, nothing of muscles. */
SN_API snStatus sn_save_scene(const snSpec *spec, const char *path, snError *error);

/* A force-length curve at given stretches: the name of a built-in law, of a ForceLength of the spec (which may be NULL),
 * or a force-length file. SN_BAD_INPUT: no such law, or a table that is not a curve. */
SN_API snStatus sn_force_length_at(const snSpec *spec, const char *law, int32_t count, const double *stretch,
                                   double *force, snError *error);
SN_API const char *sn_force_length_name(int32_t index); /* of the built-in laws; NULL past the last */

/* Path of a model by path or by the name of a shipped one (models/NAME/NAME.muscle.xml, from SINEW_MODELS, the build
 * tree or the installed share folder). */
SN_API snStatus sn_find_model(const char *name_or_path, char *path, size_t size, snError *error);
/* The names of the models that are found so, each after a blank; as many as fit. */
SN_API void sn_list_models(char *list, size_t size);

/* Writes a whole file beside its name and renames it. */
SN_API snStatus sn_save_bytes(const char *path, const void *bytes, size_t size, snError *error);

/* A hash of everything that a model says, and one of every number of a track: equal hashes mean the same model or motion.
 * 0 and an error: a model that cannot be written. */
SN_API uint64_t sn_hash_model(const snSpec *spec, snError *error);
SN_API uint64_t sn_hash_track(const snTrack *track);

/* A run in progress on disk: its settings, its frames, and the state at the last one, so that a run that is killed at any
 * moment can be continued. After each frame the file is whole; at least every five seconds it is on the disk.
 * The settings are lines "name: value"; a journal is continued only with settings that are the same line by line. */
typedef struct snJournal snJournal;
typedef struct snJournalDef {
    size_t size; /* of this struct: set by its default function */
    const snTrackDef *columns;
    const char *settings;
    size_t checkpoint_size; /* bytes of the state; the same for every frame */
} snJournalDef;
static inline snJournalDef sn_default_journal_def(void)
{
    SN_DEF(snJournalDef, def);
    return def;
}
/* Whether a journal may be written there: there is no file, or a journal. SN_BAD_INPUT: some other file, which is left
 * alone. */
SN_API snStatus sn_journal_check(const char *path, snError *error);
/* A new journal, in place of one that is there. SN_BAD_INPUT as above, or a run that is still writing it. */
SN_API snStatus sn_journal_create(const snJournalDef *def, const char *path, snJournal **journal, snError *error);
/* To continue: frames behind the last whole state are dropped. SN_NO_FILE: there is none. SN_BAD_INPUT: it has other
 * settings (the message says which), or a run is still writing it. SN_BAD_FILE: not a journal, or damaged. */
SN_API snStatus sn_journal_open(const char *path, const char *settings, snJournal **journal, snError *error);
/* SN_BAD_INPUT names every setting that differs, as it was in `file` and as it is now. */
SN_API snStatus sn_compare_settings(const char *before, const char *now, const char *file, snError *error);
SN_API int32_t sn_journal_frames(const snJournal *journal);
/* The state at the last frame; NULL where there is no frame. Lives as long as the journal, until the next append. */
SN_API const void *sn_journal_checkpoint(const snJournal *journal, size_t *size);
/* A frame that was appended; its arrays live until the next call. */
SN_API snStatus sn_journal_frame(snJournal *journal, int32_t index, snTrackFrame *frame, snError *error);
SN_API snStatus sn_journal_append(snJournal *journal, const snTrackFrame *frame, const void *checkpoint, snError *error);
/* All frames as a replay (by the ending of the path, as sn_save_track) and as a table; memory for one frame only. */
SN_API snStatus sn_journal_save_track(snJournal *journal, const char *path, snError *error);
SN_API snStatus sn_journal_save_table(snJournal *journal, const char *path, snError *error);
SN_API void sn_journal_close(snJournal *journal);  /* keeps the file; NULL is fine */
SN_API void sn_journal_remove(snJournal *journal); /* closes it and deletes the file; NULL is fine */

/* Motion: *.control.xml, *.replay.xml, either compressed (*.replay.xml.gz), and the compact *.replay.bin, which keeps
 * positions to 0.05 micrometres, rotations to 5e-8 and scalars in single precision. Read piece by piece; a compressed file
 * is recognised whatever its name. Frames closer than 10 microseconds are refused as a mistake. */
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
/* Loads over time from such a table: columns BODY.fx, BODY.fy and BODY.fz in N, an axis without a column being 0, where BODY
 * may say @tip, @X,Y,Z and :world as in sn_loads_read; or a column grip. SN_BAD_INPUT, loads untouched: anything else. */
SN_API snStatus sn_load_loads(const char *path, snLoads *loads, snError *error);

/* Key poses (*.pose.csv with the columns time (s) and joint.coordinate (degrees), e.g. elbow.flexion; .sto and .mot in
 * degrees or radians as they say) begin and end at rest. sn_load_motion reads them. */

/* BVH motion capture. As joint coordinates, by a mapping file with a line for each coordinate:
 *     bvh_joint  joint.coordinate  x y z  [offset degrees]  [scale factor]
 * The rotation of the BVH joint against its parent is taken apart into turns about the axes given for it (in the BVH's
 * axes, in the order of the lines, the first one outermost); coordinate = scale * turn + offset. */

/* A motion for a model in any of the formats above, by path or by the name of one that is shipped with the model
 * (motions/NAME.* beside the model's file). Control and replay files are taken as they are; key poses and BVH become
 * poses of all bodies, sampled densely enough that the interpolation between the frames does not show.
 * Fails, naming file and place, when the motion names bodies or coordinates that the model does not have, when a BVH
 * has no joint of the mapping, and for everything that the readers refuse; an unknown name lists the motions there are.
 * Joints of a BVH are found by the names of the mapping, without their namespaces (mixamorig:), or by what the names of
 * Mixamo, Rokoko, Xsens, CMU, Unreal, Unity and Rigify mean; what the file lacks stays at rest. */
typedef struct snMotionSource {
    char path[1024];
    double frame_rate; /* frames per second in the file; 0: key poses, or a single frame */
    char beyond[400];  /* angles beyond half a turn, which poses of bodies cannot tell, and where they were held */
    /* of a BVH or glTF */
    int32_t wanted, found; /* coordinates that the mapping names, and those that the file moves */
    char held[400];        /* the others, which rest, with commas between; cut off where there is no room */
    int32_t unused;        /* joints of the file that move nothing */
    bool turned;           /* the file rests in another pose than the mapping supposes: its axes were turned with it */
} snMotionSource;

typedef struct snMotionDef {
    size_t size;            /* of this struct: set by its default function */
    const char *model;      /* name or path of the model, for motions by name and the mapping; NULL: only by path */
    const char *bvh_map;    /* mapping file for a BVH; NULL: the one of the model, STEM.bvhmap beside its file */
    double sample_rate;     /* samples per second of key poses and BVH */
    snMotionSource *source; /* if not NULL: where the motion was found */
} snMotionDef;
static inline snMotionDef sn_default_motion_def(void)
{
    SN_DEF(snMotionDef, def);
    def.sample_rate = 125;
    return def;
}
SN_API snStatus sn_load_motion(const snModel *model, const char *name_or_path, const snMotionDef *def, snTrack **motion,
                               snError *error);

/* Writes a mapping for a BVH of unknown names, to be filled in: lines of the model's own mapping with the joints that were
 * found, the others commented out, and all joints of the file. */
SN_API snStatus sn_save_starter_map(const char *motion, const snMotionDef *def, const char *path, snError *error);

/* The same as key poses, without a model to match: key poses, BVH, .sto and .mot. */
SN_API snStatus sn_load_motion_poses(const char *name_or_path, const snMotionDef *def, snPoses **poses, snError *error);

/* Results that depend on a model alone, in the user's cache folder ($XDG_CACHE_HOME/sinew, or ~/.cache/sinew): the settled
 * state (sn_state_save, for snSimDef.settled), the bound skin (sn_skin_bound). kind is a short word; key a hash of all that
 * the result depends on, such as sn_hash_model; version, build and machine are added to it. Reading gives NULL where there
 * is nothing, or nothing whole; writing that fails does nothing. */
SN_API void *sn_cache_read(const char *kind, uint64_t key, size_t *size); /* to be freed with sn_cache_free */
static inline void sn_cache_free(void *bytes)
{
    sn_release(bytes);
}
SN_API void sn_cache_write(const char *kind, uint64_t key, const void *bytes, size_t size);

/* A case: *.case.xml, root Case with a version and the name of its model, and a child for each change. */
SN_API snStatus sn_load_case(const char *path, snCase **c, snError *error);
SN_API snStatus sn_save_case(const snCase *c, const char *path, snError *error);

/* Published moment arms: tab-separated, lines that begin with # are ignored, the first other line names the columns
 * muscle, joint, motion, mean, lo, hi (m) and grade, and pose if there is one; others are ignored. joint.motion is a
 * coordinate of the model (see sn_find). */
typedef struct snArmFigure {
    char muscle[40], joint[40], motion[40];
    bool neutral;        /* compare the value in the rest pose, not the mean over the range: the column pose says neutral */
    double mean, lo, hi; /* m */
    char grade;          /* A: measured, B: literature, C: estimated */
    int32_t line;        /* in the file */
} snArmFigure;
SN_API snStatus sn_load_arm_figures(const char *path, snArmFigure **figure, int32_t *count, snError *error);
static inline void sn_arm_figures_free(snArmFigure *figure)
{
    sn_release(figure);
}

/* Triangle meshes: .obj, .ply (text, binary, vertex colours), .stl (text, binary) by the ending. Polygons become
 * triangles. Written: .obj as text, .ply and .stl binary (.stl keeps single precision and no colours). */
SN_API snStatus sn_load_mesh(const char *path, snMesh *mesh, snError *error);
SN_API snStatus sn_save_mesh(const snMesh *mesh, const char *path, snError *error);

/* Bone weights as text, one line per vertex: up to four times body name and weight, separated by commas; lines that
 * begin with # are ignored. body, weight: 4 per vertex. */
SN_API snStatus sn_save_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                                     const int32_t *body, const double *weight, snError *error);
SN_API snStatus sn_load_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                                     int32_t *body, double *weight, snError *error);
/* One number per vertex, from the first column of a .csv or the red of the colours of a mesh file. */
SN_API snStatus sn_load_skin_influence(const char *path, int32_t nvertex, double *influence, snError *error);

/* Point caches, frame by frame: PC2 (little-endian) and MDD (big-endian) for animation tools, or numbered OBJ files
 * (skin.obj gives skin.0001.obj, skin.0002.obj, ...). The PC2 or MDD file appears when it is finished; finished early it
 * holds the frames that are there. */
typedef enum snCacheFormat { SN_CACHE_PC2, SN_CACHE_MDD, SN_CACHE_OBJ } snCacheFormat;
typedef struct snCacheDef {
    size_t size; /* of this struct: set by its default function */
    snCacheFormat format;
    int32_t npoint;
    int32_t frames;          /* at most; MDD writes a table of that length first, the others may give 0: any number */
    double start;            /* first frame number; PC2 and OBJ */
    double rate;             /* frames per second; MDD */
    int32_t ntriangle;       /* OBJ only */
    const int32_t *triangle; /* 3 each; must outlive the writer */
} snCacheDef;
static inline snCacheDef sn_default_cache_def(void)
{
    SN_DEF(snCacheDef, def);
    def.format = SN_CACHE_PC2;
    def.start = 1;
    def.rate = 24;
    return def;
}
typedef struct snCacheWriter snCacheWriter;
SN_API snStatus sn_cache_create(const snCacheDef *def, const char *path, snCacheWriter **writer, snError *error);
SN_API snStatus sn_cache_append(snCacheWriter *writer, const double *point, snError *error); /* 3 npoint, finite */
SN_API snStatus sn_cache_finish(snCacheWriter *writer, snError *error); /* ends the writer in any case */
SN_API void sn_cache_abandon(snCacheWriter *writer);                    /* NULL is fine */

/* A PC2 file, frame by frame: memory for one. SN_BAD_FILE: not a PC2, cut off, a number that is not finite. */
typedef struct snCacheReader snCacheReader;
SN_API snStatus sn_cache_open(const char *path, snCacheReader **reader, snError *error);
/* Its points, frames and the number of its first frame. */
SN_API const snCacheDef *sn_cache_def(const snCacheReader *reader);
SN_API snStatus sn_cache_next(snCacheReader *reader, float *point, snError *error); /* 3 a point */
SN_API void sn_cache_close(snCacheReader *reader);                                  /* NULL is fine */

/* Plots: .svg or .png by the ending, legible at the width of a phone and in a column of a paper, colours that the
 * colour-blind can tell apart. */
typedef struct snPlotSeries {
    const char *name;
    int32_t count;
    const double *x, *y; /* x increases; a NaN in y breaks the line */
} snPlotSeries;
typedef struct snPlotBand { /* drawn behind the lines, in the colour of a series */
    int32_t series;
    int32_t count;
    const double *x, *lower, *upper;
} snPlotBand;
/* How large, and in which letters. */
typedef struct snPlotStyle {
    double width, height; /* points (PNG: 3 pixels each), 0: 360 and what the labels need; height: at least */
    double text;          /* size of ordinary text, points; 0: 9. The rest grows with it */
    const char *font;     /* a family that is installed; NULL: sans-serif */
} snPlotStyle;
typedef struct snPlotDef {
    size_t size;                           /* of this struct: set by its default function */
    const char *title, *x_label, *y_label; /* labels with units, such as "time (s)" */
    int32_t nseries, nband;
    const snPlotSeries *series; /* 24 at most */
    const snPlotBand *band;
    double y_low, y_high; /* NaN: as the values need; a range that is given still grows to hold them */
    snPlotStyle style;    /* of several panels that of the first counts */
} snPlotDef;
/* Whether the library was built with cairo. Without it every plot ends with SN_FAILED and says so. */
SN_API bool sn_plot_available(void);
static inline snPlotDef sn_default_plot_def(void)
{
    SN_DEF(snPlotDef, def);
    def.title = "";
    def.x_label = "";
    def.y_label = "";
    def.y_low = NAN;
    def.y_high = NAN;
    return def;
}
/* One or several of them one below the other, as wide as the first. */
enum { SN_PLOT_PANELS = 6 };
SN_API snStatus sn_plot_panels(const snPlotDef *def, int32_t count, const char *path, snError *error);
static inline snStatus sn_plot_lines(const snPlotDef *def, const char *path, snError *error)
{
    return sn_plot_panels(def, 1, path, error);
}

/* Scalars of a track over time. which: the prefix, such as "activation/", "force_insertion/" or "length/"; it decides
 * label, unit and range. names: blank-separated, NULL all. Lines where at most 24 are chosen and heat is false. The
 * scale ends at the next round value above the largest one: give another end to compare plots. */
typedef struct snTrackPlot {
    size_t size; /* of this struct: set by its default function */
    const char *which, *names, *title;
    bool heat;
    double top; /* in the unit of the plot; 0: as the values need */
    snPlotStyle style;
} snTrackPlot;
static inline snTrackPlot sn_default_track_plot(void)
{
    SN_DEF(snTrackPlot, def);
    def.which = "activation/";
    def.title = "";
    return def;
}
SN_API snStatus sn_plot_track_as(const snTrack *track, const snTrackPlot *plot, const char *path, snError *error);

/* An animation as one GLB file (glTF 2.0) that plays in any viewer: bones as moving nodes, strands as tubes whose colour
 * shows their activation (morph targets, colours included), the skin as a skinned mesh with morph targets for what the
 * bones do not explain, or as morph targets alone. */
typedef snStatus (*snSkinAtFn)(void *user, double time, double *vertex); /* fills 3 per vertex, world */
typedef struct snGlbDef {
    size_t size;                 /* of this struct: set by its default function */
    const snTrack *track;        /* bodies, strands, and scalars for the colours */
    const snMesh *body_mesh;     /* one for each body of the track, in the body's axes, may be empty; NULL: none */
    const double *strand_radius; /* m, one for each strand; NULL: 1 mm */
    const double *strand_belly;  /* 3 for each strand: radius (m), start and end (fractions of the parameter); NULL: none */
    const int32_t *strand_scalar; /* the activation of each strand, -1 none; NULL: activation/STRAND */
    bool straight_strands;       /* strands run straight from point to point; sn_save_model_glb: of a model on a tree */
    int32_t tube_sides;
    const snMesh *skin;          /* at rest, world; NULL: none */
    const double *rest_pose;     /* nbody x 7: bones while the skin is at rest; NULL: the first frame */
    const int32_t *skin_bone;    /* 4 for each vertex: bodies of the track; NULL: not skinned */
    const double *skin_weight;   /* 4 for each vertex, sum 1 */
    snSkinAtFn skin_at;          /* the deformed skin; NULL: what the bones do */
    void *skin_user;
    double skin_opacity;
    double start, end;  /* s; equal: all of the track */
    double rate;        /* keys of the bones per second */
    int32_t max_shapes; /* morph targets at most */
} snGlbDef;
static inline snGlbDef sn_default_glb_def(void)
{
    SN_DEF(snGlbDef, def);
    def.tube_sides = 5;
    def.skin_opacity = 1;
    def.rate = 30;
    def.max_shapes = 48;
    return def;
}
/* body_mesh, strand_radius and strand_scalar that are NULL come from the model. */
SN_API snStatus sn_save_model_glb(const snSpec *spec, const snGlbDef *def, const char *path, snError *error);
/* The visible meshes of a body as one, in the axes of its node, m; no triangles when it has none. */
SN_API snStatus sn_body_mesh(const snSpec *spec, const char *body, snMesh *mesh, snError *error);

#ifdef __cplusplus
}
#endif
#endif
