/* Text, errors, progress and signals. The flag set by the signal handler is the program's only mutable global. */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    /* A second Ctrl-C ends the program at once. */
    interrupted = 1;
    (void)signal(number, SIG_DFL);
}

void cli_catch_signals(void)
{
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
#ifdef SIGXFSZ
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, not the end */
#endif
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

double cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_say(snCli *cli, const char *format, ...)
{
    if (cli->quiet || cli->want_json) return;
    cli_progress_end(cli);
    va_list arguments;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

void cli_json_error(snJson *json, const snError *error)
{
    json_string(json, "status", sn_status_name(error->status));
    if (error->file[0]) json_string(json, "file", error->file);
    if (error->line > 0) json_integer(json, "line", error->line);
    if (error->column > 0) json_integer(json, "column", error->column);
    if (error->element[0]) json_string(json, "element", error->element);
    json_string(json, "message", error->message);
    if (error->remedy[0]) json_string(json, "remedy", error->remedy);
}

snStatus cli_fail_error(snCli *cli, const snError *error)
{
    char text[1400];
    cli_progress_end(cli);
    (void)fprintf(stderr, "sinew: %s\n", sn_error_format(error, text, sizeof text));
    if (!cli->failed_said) {
        cli->failed_said = true;
        json_open(&cli->json, "error", '{');
        cli_json_error(&cli->json, error);
        json_close(&cli->json, '}');
    }
    return error->status;
}

snStatus cli_fail_file(snCli *cli, snStatus status, snError *error, const char *path)
{
    if (status == SN_OK) return SN_OK;
    error->status = status;
    if (!error->file[0]) (void)snprintf(error->file, sizeof error->file, "%s", path);
    if (!error->message[0]) (void)snprintf(error->message, sizeof error->message, "%s", sn_status_text(status));
    return cli_fail_error(cli, error);
}

snStatus cli_fail(snCli *cli, snStatus status, const char *format, ...)
{
    snError error = {.status = status};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    return cli_fail_error(cli, &error);
}

void cli_warn(snCli *cli, const char *format, ...)
{
    if (cli->quiet) return;
    cli_progress_end(cli);
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "sinew: note: ");
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, "\n");
    va_end(arguments);
}

static void draw_bar(const char *stage, double fraction)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    int full = (int)(fraction * WIDTH);
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = '\0';
    (void)fprintf(stderr, "\r%-10s [%s] %3.0f %%", stage, bar, 100 * fraction);
    (void)fflush(stderr);
}

int cli_progress(snCli *cli, const char *stage, double done, double total)
{
    if (cli->progress == SN_PROGRESS_NONE) return cli_interrupted();
    double now = cli_seconds();
    if (now - cli->shown_at < 0.1 && done < total) return cli_interrupted();
    cli->shown_at = now;
    if (cli->progress == SN_PROGRESS_BAR) {
        draw_bar(stage, total > 0 ? fmin(1, fmax(0, done / total)) : 0);
        cli->bar_shown = true;
    } else {
        snJson json = {0};
        json_open(&json, NULL, '{');
        json_string(&json, "stage", stage);
        json_number(&json, "done", done);
        json_number(&json, "total", total);
        json_close(&json, '}');
        if (json_text(&json)) (void)fprintf(stderr, "%s\n", json_text(&json));
        json_free(&json);
    }
    return cli_interrupted();
}

void cli_progress_end(snCli *cli)
{
    if (cli->bar_shown) (void)fprintf(stderr, "\r%60s\r", "");
    cli->bar_shown = false;
}

static int report(void *user, const char *stage, double done, double total)
{
    return cli_progress(user, stage, done, total);
}

snProgress cli_progress_callback(snCli *cli)
{
    return (snProgress){report, cli};
}
