/* The motion library of a model: its own motions (the folder motions beside its file) and the user's.
 *
 * The user's folder is SINEW_MOTIONS/STEM, or sinew/motions/STEM in XDG_DATA_HOME (~/.local/share); STEM is the name of
 * the model's file without .muscle.xml. sn_load_motion finds motions of both by name, the model's own first. */
#ifndef SN_IO_OWN_MOTIONS_H
#define SN_IO_OWN_MOTIONS_H

#include "sinew/model.h"

typedef struct snMotionEntry {
    char name[64];
    char path[1024];
    bool own; /* in the user's folder */
} snMotionEntry;

/* At most `most` entries in order of their names, the model's own first; returns how many there are. model: name or
 * path. */
int32_t sn_list_motions(const char *model, snMotionEntry *entry, int32_t most);

/* What a motion is like on a model. */
typedef struct snMotionSummary {
    double seconds;
    int32_t frames;      /* in the file: keys or frames */
    double frame_rate;   /* of the file; 0: key poses */
    int32_t coordinates; /* that it moves; 0: it has poses of bodies */
    double fastest;      /* rad/s or m/s of a coordinate */
    char fastest_name[64];
    double beyond; /* rad or m: how far a coordinate leaves its range at most; 0: none does */
    char beyond_name[64];
    double beyond_time; /* s */
} snMotionSummary;
/* Fails as sn_load_motion does. model_name: name or path of the model. */
snStatus sn_examine_motion(const snModel *model, const char *model_name, const char *motion, snMotionSummary *summary,
                           snError *error);

/* Where sn_add_motion puts motions: beside a model that was given by its path, the user's folder for a shipped one. */
snStatus sn_motion_folder(const char *model_name, char *path, size_t size, snError *error);
/* Copies a motion into the library, under a new name if one is given (NULL: as the file is called). path: what was
 * written; may be NULL. SN_BAD_INPUT, nothing written: the motion does not fit the model, or the name is taken and
 * replace is false. */
snStatus sn_add_motion(const snModel *model, const char *model_name, const char *file, const char *name, bool replace,
                       char *path, size_t size, snError *error);

#endif
