/* The processes of a sweep. A draw belongs to whoever holds the lock on its log, which the process that runs it shares:
 * two sweeps, or a sweep and a task of Slurm, never run the same draw at the same time. When this process is killed,
 * the system kills its draws with it; what they had finished is in their NAME.resume. */
#include "result.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };
static const double LOCK_SECONDS = 5; /* until a draw of a sweep that was killed has gone */

typedef struct Task {
    pid_t process; /* 0: none */
    int32_t draw;
    int log;
} Task;

void sweep_path(const snSweep *s, int32_t draw, const char *ending, char path[SWEEP_PATH])
{
    (void)snprintf(path, SWEEP_PATH, "%.4000s/%04d%s", s->out, draw, ending);
}

bool sweep_is_finished(const snSweep *s, int32_t draw)
{
    char path[SWEEP_PATH];
    sweep_path(s, draw, ".json", path);
    return cli_file_size(path) > 0;
}

static void nap(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    (void)nanosleep(&t, NULL);
}

/* The log of a draw, locked and empty; -1: somebody else runs the draw, or it cannot be written. */
static int open_log(const snSweep *s, int32_t draw)
{
    char path[SWEEP_PATH];
    sweep_path(s, draw, ".log", path);
    int log = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    double end = cli_seconds() + LOCK_SECONDS;
    while (log >= 0 && flock(log, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK && cli_seconds() < end && !cli_interrupted()) {
            nap(0.02);
            continue;
        }
        close(log);
        return -1;
    }
    if (log >= 0 && ftruncate(log, 0) != 0) return close(log), -1;
    return log;
}

/* Becomes the process of a draw; does not return. */
static void become(const snSweep *s, int32_t draw, int log, pid_t parent)
{
    const char *words[SWEEP_WORDS];
    char out[SWEEP_PATH], part[SWEEP_PATH], number[16];
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); /* it has gone already */
    sweep_path(s, draw, ".json.part", part);
    int json = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (json < 0 || dup2(json, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0) _exit(1);
    close(json);
    sweep_words(s, draw, words, out, number);
    union {
        const char **given;
        char *const *taken;
    } argv = {.given = words};
    (void)execv(s->program, argv.taken);
    _exit(127);
}

static snStatus start(snSweep *s, int32_t draw, Task *task)
{
    pid_t parent = getpid();
    int log = open_log(s, draw);
    if (log < 0) {
        cli_warn(s->cli, "draw %d is being run by another process, or its log cannot be written: skipped", draw);
        return SN_OK;
    }
    if (sweep_is_finished(s, draw)) return close(log), SN_OK; /* since we looked */
    (void)fflush(NULL);
    pid_t process = fork();
    if (process == 0) become(s, draw, log, parent);
    if (process < 0) {
        close(log);
        return cli_fail(s->cli, SN_FAILED, "draw %d cannot be started: %s", draw, strerror(errno));
    }
    *task = (Task){.process = process, .draw = draw, .log = log};
    return SN_OK;
}

/* The last message of ours in the log. */
static void last_words(const snSweep *s, int32_t draw, char *text, size_t size)
{
    char path[SWEEP_PATH];
    size_t length = 0;
    sweep_path(s, draw, ".log", path);
    char *all = cli_read_bytes(path, &length);
    text[0] = '\0';
    for (size_t from = 0, end; all && from < length; from = end + 1) {
        const char *stop = memchr(all + from, '\n', length - from);
        end = stop ? (size_t)(stop - all) : length;
        if (end - from > 7 && memcmp(all + from, "sinew: ", 7) == 0)
            (void)snprintf(text, size, "%.*s", (int)(end - from - 7), all + from + 7);
    }
    free(all);
}

/* Takes what a draw said as its result. A motion on which the model diverges is a result; other errors are not. */
static void finish(snSweep *s, Task *task, int how)
{
    char part[SWEEP_PATH], path[SWEEP_PATH], text[300];
    size_t length = 0;
    sweep_path(s, task->draw, ".json.part", part);
    sweep_path(s, task->draw, ".json", path);
    char *bytes = cli_read_bytes(part, &length);
    snText said = {0};
    text_add(&said, "%.*s", bytes ? (int)length : 0, bytes ? bytes : "");
    bool result = said.text && strstr(said.text, "\"replay\":") && WIFEXITED(how) &&
                  (WEXITSTATUS(how) == 0 || strstr(said.text, "\"diverged\": true"));
    text_free(&said);
    if (result)
        result = cli_save_bytes(s->cli, path, bytes, length) == SN_OK; /* waits for the disk; renaming does not */
    (void)unlink(part);
    free(bytes);
    if (!result && !cli_interrupted()) {
        last_words(s, task->draw, text, sizeof text);
        const char *why = text[0] ? text : "it was killed";
        /* without the model as it is there is nothing to compare with */
        if (task->draw == 0)
            (void)snprintf(s->hopeless, sizeof s->hopeless, "%s", why);
        else
            cli_warn(s->cli, "draw %d failed: %s", task->draw, why);
    }
    close(task->log);
    *task = (Task){0};
}

/* Waits for one to end. True: it has, or none is there. */
static bool reap(snSweep *s, Task *task)
{
    int how;
    pid_t ended = waitpid(-1, &how, WNOHANG);
    for (int i = 0; ended > 0 && i < s->jobs; ++i)
        if (task[i].process == ended) finish(s, &task[i], how);
    return ended != 0;
}

static bool busy(const snSweep *s, const Task *task)
{
    for (int i = 0; i < s->jobs; ++i)
        if (task[i].process) return true;
    return false;
}

snStatus sweep_run(snSweep *s, int32_t first, int32_t last)
{
    Task task[MOST_JOBS] = {{0}};
    snStatus status = SN_OK;
    bool told = false;
    if (s->jobs > MOST_JOBS) s->jobs = MOST_JOBS;
    for (int32_t next = first; next <= last || busy(s, task);) {
        bool stop =
            status != SN_OK || s->hopeless[0] || cli_progress(s->cli, "draws", next - first, last - first + 1) != 0;
        if (stop) next = last + 1;
        for (int i = 0; stop && !told && i < s->jobs; ++i)
            if (task[i].process) (void)kill(task[i].process, SIGTERM);
        told = stop;
        for (int i = 0; i < s->jobs && next <= last; ++i) {
            if (task[i].process) continue;
            while (next <= last && sweep_is_finished(s, next)) ++next;
            if (next <= last && status == SN_OK) status = start(s, next++, &task[i]);
        }
        if (busy(s, task) && !reap(s, task)) nap(0.02);
    }
    if (status == SN_OK && cli_interrupted())
        status = cli_fail(s->cli, SN_CANCELLED, "stopped; run the same command with --resume to continue");
    if (status == SN_OK && s->hopeless[0])
        status = cli_fail(s->cli, SN_FAILED, "draw 0, the unchanged model, failed: %s", s->hopeless);
    return status;
}
