/* A sweep as a job array for Slurm: a task for each draw, on whatever machine Slurm chooses. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In single quotes, which keep everything but themselves. */
static void add_quoted(snText *t, const char *word)
{
    text_add(t, " '");
    for (; *word; ++word) *word == '\'' ? text_add(t, "'\\''") : text_add(t, "%c", *word);
    text_add(t, "'");
}

/* In directives of Slurm, % begins a number and line ends end them. */
static bool fits_directive(const char *path)
{
    return !strpbrk(path, "%\n\r\"\\");
}

snStatus sweep_write_slurm(snSweep *s, const char *path)
{
    const char *words[SWEEP_WORDS];
    char folder[SWEEP_PATH], draws[16];
    snText t = {0};
    if (!getcwd(folder, sizeof folder)) return cli_fail(s->cli, SN_FAILED, "the current folder no longer exists");
    snStatus status = cli_check_output(s->cli, path);
    if (status != SN_OK) return status;
    sweep_own_words(s, words, draws);
    text_add(&t, "#!/bin/sh\n# A sweep of sinew as a job array: submit it with sbatch. Every task runs one draw and "
                 "may be repeated.\n");
    text_add(&t,
             "#SBATCH --job-name=sinew-sweep\n#SBATCH --array=0-%d\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n",
             s->draws);
    bool absolute = s->out[0] == '/';
    if (fits_directive(s->out) && fits_directive(folder))
        text_add(&t, "#SBATCH --output=\"%s%s%s/slurm-%%a.txt\"\n", absolute ? "" : folder, absolute ? "" : "/",
                 s->out);
    text_add(&t, "cd");
    add_quoted(&t, folder);
    text_add(&t, " || exit 1\nexec");
    for (int i = 0; words[i]; ++i) add_quoted(&t, words[i]);
    text_add(&t, " --jobs 1 --task \"${SLURM_ARRAY_TASK_ID:?sbatch sets it}\"\n");
    status = t.text ? cli_save_text(s->cli, path, t.text) : cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
    text_free(&t);
    if (status != SN_OK) return status;
    cli_say(s->cli, "wrote %s: sbatch %s runs %d tasks; --gather instead of --slurm makes the tables afterwards\n",
            path, path, s->draws + 1);
    json_string(&s->cli->json, "file", path);
    json_integer(&s->cli->json, "tasks", s->draws + 1);
    return SN_OK;
}
