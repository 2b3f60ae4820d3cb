/* A sweep: the same motion tracked with models that differ a little. In its folder:
 *
 *   sweep.txt               the settings, lines "name: value"; a sweep is continued only with the same ones
 *   0000.*, 0001.*, ...     the draws, 0 the model as it is: NAME.replay.bin, NAME.sto, NAME.report.txt as track writes
 *                           them, NAME.json (what track said; it is there when the draw is finished), NAME.log (its
 *                           messages), and NAME.resume while it runs
 *   sweep.tsv               a row for each draw
 *   muscles.tsv             a row for each muscle
 *   histogram.svg           how many muscles change how much
 *
 * A draw is a process of its own, `sinew track`, whoever starts it: this command, or a task of a Slurm job array. */
#ifndef SN_CLI_SWEEP_H
#define SN_CLI_SWEEP_H

#include "cli.h"

enum { SWEEP_PATH = 4096 };

typedef struct snSweep {
    snCli *cli;
    const char *out; /* folder */
    snVariation variation[CLI_MAX_VARY];
    int32_t nvariation, draws; /* draws with the model as it is: draws + 1 tasks */
    int32_t jobs;              /* at the same time */
    char hopeless[300];        /* why draw 0 failed; nothing: it has not */
    char program[SWEEP_PATH];
    snText settings;
} snSweep;

/* The path of a file of a draw, such as out/0007.json. */
void sweep_path(const snSweep *sweep, int32_t draw, const char *ending, char path[SWEEP_PATH]);
bool sweep_is_finished(const snSweep *sweep, int32_t draw);
/* The words of the command that runs a draw, the program first; NULL ends them. out, number: room for words. */
enum { SWEEP_WORDS = 2 * CLI_MAX_OPTION + 32 };
void sweep_words(const snSweep *sweep, int32_t draw, const char *words[SWEEP_WORDS], char out[SWEEP_PATH],
                 char number[16]);
/* Runs the draws from first to last that are not finished. Says what is wrong; draws that fail do not stop others. */
snStatus sweep_run(snSweep *sweep, int32_t first, int32_t last);
/* Tables, histogram and what they say, from the draws that are finished. Says what is wrong. */
snStatus sweep_gather(snSweep *sweep);
/* A job array for Slurm, and what to type. Says what is wrong. */
snStatus sweep_write_slurm(snSweep *sweep, const char *path);
/* The words of the sweep itself, without those that only tell what to do with it; the program first, NULL ends them. */
void sweep_own_words(const snSweep *sweep, const char *words[SWEEP_WORDS], char draws[16]);

#endif
