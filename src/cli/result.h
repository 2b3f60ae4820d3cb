/* A replay together with the model that it belongs to: what the commands that show and hand on results share. */
#ifndef SN_CLI_RESULT_H
#define SN_CLI_RESULT_H

#include "cli.h"

/* A replay or control file. Says what is wrong. */
snStatus cli_load_replay(snCli *cli, const char *path, snTrack **replay);
/* A table (.sto .mot .csv) as a track of scalars. Says what is wrong. */
snStatus cli_load_table(snCli *cli, const char *path, snTrack **track);
/* The model of a replay: `name` if given, else the one that the replay names, by name or by path, seen from here or
 * from the folder of the replay. Says what is wrong, also when bodies or strands of the replay are not the model's. */
snStatus cli_replay_model(snCli *cli, const snTrack *replay, const char *path, const char *name, snSpec **spec);
/* The motion that a replay follows, by path or by the name of one that is shipped with the model. */
snStatus cli_replay_motion(snCli *cli, const snTrack *replay, const char *model_name, const snSpec *spec,
                           const char *motion_name, snTrack **motion);

/* The motion that a report of sinew track names; false where there is no such report. */
bool cli_report_motion(const char *report_path, char *motion, size_t size);
/* The same from the report beside a replay, where that motion can still be found: its path, or the name of a shipped
 * one. */
bool cli_followed_motion(const char *replay_path, char *motion, size_t size);
/* That motion, if there is one and it can be read; nobody asked for it, so nothing is said. */
void cli_load_followed(const snTrack *replay, const char *path, const char *model_name, const snSpec *spec,
                       snTrack **motion);

/* Frames at a rate: those of the replay itself, or evenly spaced ones that are interpolated. */
typedef struct snFrames {
    const snTrack *replay;
    int32_t count;
    double rate; /* frames a second */
    bool own;    /* the replay's */
} snFrames;
snFrames cli_frames(const snTrack *replay, double rate); /* 0: its own */
double cli_frame_time(const snFrames *frames, int32_t index);
/* What a point cache is called: an OBJ is a file for each frame, NAME.0001.obj and so on. */
enum { CLI_CACHE_NAME = 2 * 4096 + 32 };
const char *cli_cache_name(const char *to, int32_t frames, char *text, size_t size);
/* The options --frame-rate and --frames FIRST:LAST, both ends included, either may be left out. Says what is wrong. */
snStatus cli_choose_frames(snCli *cli, const snTrack *replay, snFrames *frames, int32_t *first, int32_t *count);

/* Path without the endings of the files that we write. */
void cli_stem(const char *path, char *stem, size_t size);
int64_t cli_file_size(const char *path); /* 0: there is none */

/* Whether a report of an earlier run has these settings. Says which differ. frames: how many it has; 0 without one. */
snStatus cli_report_matches(snCli *cli, const char *path, const char *settings, int32_t *frames);

#endif
