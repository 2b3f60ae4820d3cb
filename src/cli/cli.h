/* What every command shares: options, output, progress, models by name.
 *
 * A command is a file cmd_NAME.c that defines an snCommand, and a line in commands.c. Rules that all of them keep:
 *   1. Human text goes to stdout through cli_say; with --json only the object at the end does.
 *   2. Errors and progress go to stderr.
 *   3. A run function returns a status; its exit code is sn_status_exit_code of it.
 *   4. Long work calls cli_progress often and stops when it returns non-zero, keeping what is finished. */
#ifndef SN_CLI_CLI_H
#define SN_CLI_CLI_H

#include "json.h"

/* Beside the public headers, what the library has for our own programs. */
#include "analysis/own/certify.h"
#include "analysis/own/muscles.h"
#include "author/own/flesh.h"
#include "author/own/library.h"
#include "author/own/skin_mesh.h"
#include "author/own/strands.h"
#include "author/own/surface.h"
#include "author/own/variants.h"
#include "control/own/drive.h"
#include "control/own/load.h"
#include "control/own/pilot.h"
#include "image/own/image.h"
#include "io/own/files.h"
#include "io/own/journal.h"
#include "io/own/kept.h"
#include "io/own/motions.h"
#include "io/own/point_cache.h"
#include "model/own/mass.h"
#include "model/own/missing.h"
#include "model/own/schema.h"
#include "page/own/glb.h"
#include "page/own/studio.h"
#include "plot/own/plot.h"
#include "record/own/playback.h"
#include "sim/own/state.h"
#include "sinew/sinew.h"
#include "skin/own/skin.h"

typedef enum snOptionKind {
    SN_OPTION_FLAG,
    SN_OPTION_TEXT,
    SN_OPTION_NUMBER,
    SN_OPTION_COUNT,  /* a whole number */
    SN_OPTION_PAIR,   /* NAME=LEVEL */
    SN_OPTION_COURSE, /* NAME=LEVEL, or NAME=TIME:LEVEL,TIME:LEVEL,... */
    SN_OPTION_CHOICE  /* one of the words in `value`, separated by | */
} snOptionKind;

typedef struct snOption {
    const char *name; /* without the dashes; "o" is -o */
    snOptionKind kind;
    const char *value; /* what stands for the value in the help, or the choices */
    const char *help;
    double low, high; /* number and count: both zero means any */
} snOption;

typedef struct snCli snCli;

typedef struct snCommand {
    const char *name;
    const char *arguments; /* e.g. "MODEL -o OUT" */
    const char *about;     /* one line */
    const char *details;   /* paragraphs for the help, may be empty */
    const char *example, *output;
    int least, most;         /* positional arguments */
    const snOption *options; /* ends with a NULL name */
    snStatus (*run)(snCli *cli);
} snCommand;

/* The table of commands, ending with NULL. */
extern const snCommand *const cli_commands[];
const snCommand *cli_find_command(const char *name);

typedef enum snProgressMode { SN_PROGRESS_NONE, SN_PROGRESS_BAR, SN_PROGRESS_JSON } snProgressMode;

enum { CLI_MAX_ARGUMENT = 16, CLI_MAX_OPTION = 256 };

struct snCli {
    const snCommand *command;
    int nargument;
    const char *argument[CLI_MAX_ARGUMENT];
    int nset; /* options given, in order */
    const snOption *set[CLI_MAX_OPTION];
    const char *set_value[CLI_MAX_OPTION];

    bool want_json, quiet;
    int32_t threads; /* 0: not given */
    snProgressMode progress;
    double shown_at; /* when progress was last shown, s */
    bool bar_shown;
    snJson json;      /* open object that the command fills; printed at the end with --json */
    bool failed_said; /* an error has been printed */
    snError failure;  /* the first of them, for the answer; its status is SN_OK where there is none */
};

/* ---- options.c ---------------------------------------------------------------------------- */

extern const snOption cli_common_options[];
/* Fills cli from the words after the command. On wrong usage says what is wrong. want_help is set by --help. */
snStatus cli_parse(snCli *cli, int argc, char **argv, bool *want_help);
bool cli_given(const snCli *cli, const char *name);
const char *cli_option_text(const snCli *cli, const char *name, const char *otherwise); /* the last one given */
const char *cli_option_nth(const snCli *cli, const char *name, int index); /* NULL past the last one given */
double cli_option_number(const snCli *cli, const char *name, double otherwise);
/* The index-th NAME=LEVEL given for an option; false past the last. */
bool cli_option_pair(const snCli *cli, const char *option, int index, char *name, size_t size, double *level);
/* The index-th NAME=LEVEL or NAME=TIME:LEVEL,... given for an option; false past the last. */
enum { CLI_MAX_KEY = 200 };
typedef struct snCourse {
    char name[128];
    int32_t count;
    double time[CLI_MAX_KEY], level[CLI_MAX_KEY];
} snCourse;
bool cli_option_course(const snCli *cli, const char *option, int index, snCourse *course);

/* ---- help.c ------------------------------------------------------------------------------- */

void cli_print_overview(void);
void cli_print_help(const snCommand *command);
/* The reference page of all commands (docs/commands.md). */
void cli_print_markdown(void);
/* The manual page sinew(1) in roff: manual.c. */
void cli_print_man(void);

/* ---- output.c ----------------------------------------------------------------------------- */

void cli_say(snCli *cli, const char *format, ...) SN_PRINTF(2, 3);
/* Prints "sinew: message" to stderr (and keeps it for --json); returns status. */
snStatus cli_fail(snCli *cli, snStatus status, const char *format, ...) SN_PRINTF(3, 4);
snStatus cli_fail_error(snCli *cli, const snError *error);
/* The same for a reader or writer of `path`; SN_OK says nothing. Names the file where the error does not. */
snStatus cli_fail_file(snCli *cli, snStatus status, snError *error, const char *path);
void cli_warn(snCli *cli, const char *format, ...) SN_PRINTF(2, 3);
void cli_json_error(snJson *json, const snError *error);
/* Ends the answer: what is still open, the error if there was one, the object itself. */
void cli_close_json(snCli *cli);
/* Shows progress a few times a second. Non-zero when the user has pressed Ctrl-C. */
int cli_progress(snCli *cli, const char *stage, double done, double total);
void cli_progress_end(snCli *cli);
/* The same as an snProgress for the library. */
snProgress cli_progress_callback(snCli *cli);
/* Whether the user has pressed Ctrl-C. Work that does not ask within 0.3 s of it is ended then and there. */
bool cli_interrupted(void);
void cli_answer_json(void); /* work that is ended prints a JSON object */
void cli_catch_signals(void);
void cli_open_streams(void); /* before anything else: descriptors 0 to 2 are there */
/* Control characters and bytes that are not UTF-8 become question marks; line ends and tabs stay. */
void cli_make_plain(char *text);
size_t cli_character(const char *text); /* length of the UTF-8 character here, 0 if there is none */
double cli_seconds(void);               /* wall clock */

/* ---- models.c ----------------------------------------------------------------------------- */

/* Tells the library where the shipped models lie, seen from the program's own place. */
void cli_locate_models(const char *program);
/* A model by path, by the name of a shipped one or of a scene. Says what is wrong. */
snStatus cli_load_model(snCli *cli, const char *name, snSpec **spec);
/* The same with what cannot be read among the problems that sn_check finds. */
snStatus cli_load_model_to_check(snCli *cli, const char *name, snSpec **spec);
/* The same, checked as a whole (every error is said) and compiled. spec may be NULL. */
snStatus cli_compile_model(snCli *cli, const char *name, snSpec **spec, snModel **model);
bool cli_ends_with(const char *text, const char *ending);
bool cli_is_replay(const char *path); /* by its ending */
bool cli_is_track(const char *path);  /* the same, or a control file */
/* Writes text beside the path and renames it. Says what is wrong. */
snStatus cli_save_text(snCli *cli, const char *path, const char *text);
snStatus cli_save_bytes(snCli *cli, const char *path, const void *bytes, size_t size);
/* The whole file, to be freed; NULL where there is none, or too much of it. */
void *cli_read_bytes(const char *path, size_t *size);
/* Lines without the blanks at their ends, the first `most` of them; # begins a comment. How many there are, which may be
 * more: 0 where there is no such file. */
enum { CLI_NAME = 80 };
int32_t cli_read_names(const char *path, int32_t most, char (*name)[CLI_NAME]);

/* ---- outputs.c ---------------------------------------------------------------------------- */

/* Each says what is wrong. Whether a file of this path could be written: its folder exists and lets us, and it is none
 * of the inputs. */
snStatus cli_check_output(snCli *cli, const char *path);
/* That no option names a file to write which the command reads, or two the same. Before any command. */
snStatus cli_check_outputs(snCli *cli);
/* That none of them is a part of a model, which is read from this path. */
snStatus cli_check_parts(snCli *cli, const char *path, const snSpec *spec);

/* ---- record.c ----------------------------------------------------------------------------- */

/* A run that keeps its frames on disk as they come, in OUT.resume, and continues there after an interruption. */
typedef struct snRunFile snRunFile;
/* Says what is wrong. To be closed also when it fails. model NULL: for cli_run_keep. resume: continue the journal if
 * there is one; it must have been made with the same settings, lines "name: value". */
snStatus cli_run_open(snCli *cli, const snModel *model, const snLoads *loads, const char *out, const char *settings,
                      bool resume, snRunFile **run);
bool cli_run_found(const snRunFile *run); /* there is a journal, opened or begun */
int32_t cli_run_frames(const snRunFile *run);
const void *cli_run_checkpoint(const snRunFile *run, size_t *size); /* NULL: begin at the beginning */
/* Room for the state that goes with the next frame, the same size every time; NULL: no memory. */
void *cli_run_state(snRunFile *run, size_t size);
snStatus cli_run_frame(snRunFile *run, snState *state, double time);
/* The same for a run that makes its frames itself: opened without a model. */
snStatus cli_run_keep(snRunFile *run, const snTrackDef *columns, const snTrackFrame *frame);
const snError *cli_run_error(const snRunFile *run); /* of cli_run_frame */
/* All frames so far as a replay and a table. Says what is wrong. */
snStatus cli_run_save(snRunFile *run, const char *replay, const char *table);
void cli_run_close(snRunFile *run, bool finished); /* finished: OUT.resume is not needed any more. NULL is fine */

/* The option that chooses the form of a replay, and the ending that it means. */
#define CLI_REPLAY_OPTION                                                                                              \
    {                                                                                                                  \
        "replay", SN_OPTION_CHOICE, "xml|gz|bin", "form of the replay: .replay.xml, .replay.xml.gz or .replay.bin", 0, \
            0                                                                                                          \
    }
const char *cli_replay_ending(const snCli *cli);
const char *cli_file_name(const char *path); /* without the folder */

/* ---- drive.c ------------------------------------------------------------------------------ */

/* Activations from --activations, --function and --activation. end: last time of the file, untouched without one. The
 * drive is to be destroyed also when this fails. Says what is wrong. */
snStatus cli_read_drive(snCli *cli, const snSpec *spec, const snModel *model, snDrive **drive, double *end);
/* Notes which muscles were asked for more than they have. */
void cli_say_demands(snCli *cli, const snDrive *drive);

/* ---- loads.c ------------------------------------------------------------------------------ */

#define CLI_LOADS_OPTION                                                                                               \
    {                                                                                                                  \
        "loads", SN_OPTION_TEXT, "FILE",                                                                               \
            "loads over time: .csv or .sto with columns time, BODY.fx, BODY.fy, BODY.fz or grip", 0, 0                 \
    }
/* Loads from --load and --loads; stays NULL without any. To be destroyed also when this fails. Says what is wrong. */
snStatus cli_read_loads(snCli *cli, const snModel *model, snLoads **loads);

/* ---- strengths.c --------------------------------------------------------------------------- */

/* A strength for each muscle, 1 where --strength says nothing; to be freed also when this fails. Says what is wrong. */
snStatus cli_read_strengths(snCli *cli, const snModel *model, double **strength);

/* ---- motion_note.c ------------------------------------------------------------------------- */

/* Which coordinates a BVH or glTF moves, and angles that had to be held. */
void cli_say_match(snCli *cli, const snMotionSource *source);
/* The part of it that a BVH or glTF has, warnings included; and its table of joints. */
void cli_say_bones(snCli *cli, const snMotionSource *source);
void cli_say_joints(snCli *cli, const snMotionSource *source);

/* ---- moment_arms.c ------------------------------------------------------------------------ */

snStatus cli_moment_arms(snCli *cli); /* sinew info MODEL --moment-arms */

/* ---- vary.c ------------------------------------------------------------------------------- */

enum { CLI_MAX_VARY = 16 };
/* --vary WHAT=PERCENT, as often as given. Says what is wrong. */
snStatus cli_read_variations(snCli *cli, snVariation variation[CLI_MAX_VARY], int32_t *count);
/* Makes the model that of --draw: each command that has this option loads its model so. Says what is wrong. */
snStatus cli_vary(snCli *cli, snSpec *spec);
#define CLI_VARY_OPTION                                                                                                \
    {                                                                                                                  \
        "vary", SN_OPTION_TEXT, "WHAT=P%",                                                                             \
            "change pcsa, via, fiber, slack, mass or stiffness at random; may be repeated", 0, 0                       \
    }
#define CLI_SEED_OPTION                                                                                                \
    {                                                                                                                  \
        "seed", SN_OPTION_COUNT, "N", "random seed of --vary (1)", 0, 1e15                                             \
    }

/* ---- talk.c ------------------------------------------------------------------------------- */

/* Lines on stdin while a command works: each a flat JSON object of numbers and booleans, such as {"stiffness": 5}. */
typedef struct snTalk {
    char buffer[4096];
    size_t length;
    bool ended; /* nobody talks any more */
} snTalk;
enum { CLI_TALK_MAX = 16 };
typedef struct snTalkLine {
    int count;
    char name[CLI_TALK_MAX][32];
    double value[CLI_TALK_MAX]; /* true is 1, false 0 */
} snTalkLine;
/* The next line, waiting for it at most so many seconds; false when there is none. A line that is none such is noted
 * and passed over. */
bool cli_talk(snCli *cli, snTalk *talk, double seconds, snTalkLine *line);

/* ---- text.c ------------------------------------------------------------------------------- */

/* Text that grows. Out of memory makes it NULL from then on. */
typedef struct snText {
    char *text;
    size_t length, room;
    bool failed;
} snText;
void text_add(snText *text, const char *format, ...) SN_PRINTF(2, 3);
/* The number with as few digits as read back the same. */
/* Whether one key stroke too many, too few, wrong or in the wrong order turns one word into the other. */
bool text_nearly(const char *a, size_t length, const char *b);
void text_add_number(snText *text, const char *before, double value, const char *after);
void text_free(snText *text);

/* Lines of settings that --resume compares, in record.c: version, command and model; then each option with its values.
 */
snStatus cli_list_run(snCli *cli, snText *settings, const char *command, const snSpec *spec);
void cli_list_options(const snCli *cli, snText *settings, const char *const *option, size_t count);
/* A line of settings for a file that a run depends on: its name and a hash of what it holds. path NULL: none. */
void cli_list_file(snText *settings, const char *name, const char *path);
/* The loads as lines of the settings that --resume compares: in loads.c. */
snStatus cli_list_loads(snCli *cli, snText *settings);

#endif
