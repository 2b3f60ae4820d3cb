/* Files that the commands read and write beside those of sinew/io.h. */
#ifndef SN_IO_OWN_FILES_H
#define SN_IO_OWN_FILES_H

#include "sinew/io.h"

/* sn_load_model for sn_check: values that cannot be read, unknown and missing attributes do not end the reading but are
 * among the problems that sn_check finds. Such a spec cannot be compiled. */
snStatus sn_load_model_to_check(const char *path, snSpec **spec, snError *error);
/* The muscle file alone, without its scene and meshes: enough to see what kind of model it is. Empty for a scene. */
snStatus sn_load_muscle_alone(const char *path, snSpec **spec, snError *error);
/* Writes the scene alone: plain nodes, nothing of muscles. */
snStatus sn_save_scene(const snSpec *spec, const char *path, snError *error);

/* Writes the model into a folder, made if need be: NAME.muscle.xml, NAME.scene.xml, NAME_meshes with a .ply in place of each file
 * that a mesh names, and NAME.missing.txt with the notes (of sn_spec_missing), if there are any. */
snStatus sn_save_model_folder(snSpec *spec, const char *folder, const char *name, int32_t nmissing,
                              const snError *missing, snError *error);

/* A force-length curve at given stretches: the name of a built-in law, of a ForceLength of the spec (which may be
 * NULL), or a force-length file. SN_BAD_INPUT: no such law, or a table that is not a curve. */
snStatus sn_force_length_at(const snSpec *spec, const char *law, int32_t count, const double *stretch, double *force,
                            snError *error);
const char *sn_force_length_name(int32_t index); /* of the built-in laws; NULL past the last */

/* Writes a mapping for a BVH or glTF of unknown names, to be filled in: lines of the model's own mapping with the
 * joints that were found, the others commented out, and all joints of the file. */
snStatus sn_save_starter_map(const char *motion, const snMotionDef *def, const char *path, snError *error);

/* Published moment arms: tab-separated, lines that begin with # are ignored, the first other line names the columns
 * muscle, joint, motion, mean, lo, hi (m) and grade, and pose if there is one; others are ignored. joint.motion is a
 * coordinate of the model (see sn_find). */
typedef struct snArmFigure {
    char muscle[40], joint[40], motion[40];
    bool neutral; /* compare the value in the rest pose, not the mean over the range: the column pose says neutral */
    double mean, lo, hi; /* m */
    char grade;          /* A: measured, B: literature, C: estimated */
    int32_t line;        /* in the file */
} snArmFigure;
snStatus sn_load_arm_figures(const char *path, snArmFigure **figure, int32_t *count, snError *error);
static inline void sn_arm_figures_free(snArmFigure *figure)
{
    sn_release(figure);
}

/* Bone weights as text, one line per vertex: up to four times body name and weight, separated by commas; lines that
 * begin with # are ignored. body, weight: 4 per vertex. */
snStatus sn_save_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                              const int32_t *body, const double *weight, snError *error);
snStatus sn_load_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                              int32_t *body, double *weight, snError *error);
/* One number per vertex, from the first column of a .csv or the red of the colours of a mesh file. */
snStatus sn_load_skin_influence(const char *path, int32_t nvertex, double *influence, snError *error);

#endif
