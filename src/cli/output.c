/* Text, errors, progress and signals. The flag set by the signal handler is the program's only mutable global. */
#include "cli.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, noticed, answer_json;

/* Work that looks for the flag ends by itself and keeps what is finished. Other work, such as reading a large mesh or
 * settling, is ended here: files have no name before they are whole, so that nothing is left half done. */
static void on_alarm(int number)
{
    static const char text[] = "sinew: stopped\n";
    static const char json[] = "{\"error\": {\"status\": \"SN_CANCELLED\", \"message\": \"stopped\"}}\n";
    (void)number;
    if (noticed) return;
    ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);
    if (answer_json) told += write(STDOUT_FILENO, json, sizeof json - 1);
    (void)told;
    _exit(1);
}

static void on_signal(int number)
{
    /* A second Ctrl-C ends the program at once. */
    struct itimerval soon = {.it_value = {.tv_usec = 300000}};
    interrupted = 1;
    (void)signal(number, SIG_DFL);
    /* setitimer is not on POSIX's list of what a handler may call, but a plain system call. */
    (void)setitimer(ITIMER_REAL, &soon, NULL); /* NOLINT(bugprone-signal-handler) */
}

/* A program may be started with its standard streams closed. The next file that is opened would take their numbers, and
 * what is meant for the terminal would go into it. */
void cli_open_streams(void)
{
    for (int i = 0; i < 3; ++i)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(1); /* takes the lowest number, which is i */
}

/* What was ignored when the program was started stays ignored: that is what nohup means. */
static void catch_signal(int number)
{
    if (signal(number, on_signal) == SIG_IGN) (void)signal(number, SIG_IGN);
}

void cli_catch_signals(void)
{
    (void)signal(SIGALRM, on_alarm);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    (void)signal(SIGPIPE, SIG_IGN); /* nobody reads the text any more: the files are still wanted */
#ifdef SIGXFSZ
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write, not the end */
#endif
}

void cli_answer_json(void)
{
    answer_json = 1;
}

bool cli_interrupted(void)
{
    if (interrupted) noticed = 1;
    return interrupted != 0;
}

double cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Length of the UTF-8 character here, 0 for a byte that belongs to none. */
static size_t character(const unsigned char *c)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } form[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < 4; ++n) {
        if ((c[0] & form[n].mask) != form[n].lead) continue;
        uint32_t code = (uint32_t)(c[0] & ~form[n].mask & 0xff);
        for (size_t i = 1; i <= n; ++i) {
            if ((c[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (c[i] & 0x3f);
        }
        bool fine = code >= form[n].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        return fine ? n + 1 : 0;
    }
    return 0;
}

size_t cli_character(const char *text)
{
    return character((const unsigned char *)text);
}

void cli_make_plain(char *text)
{
    unsigned char *to = (unsigned char *)text, *from = to;
    while (*from) {
        size_t n = character(from);
        bool control = n == 0 || (*from < 0x20 && *from != '\n' && *from != '\t') || *from == 0x7f ||
                       (n == 2 && from[0] == 0xc2 && from[1] < 0xa0); /* the other half of the control characters */
        if (control)
            *to++ = '?';
        else
            for (size_t i = 0; i < n; ++i) *to++ = from[i];
        from += n ? n : 1;
    }
    *to = '\0';
}

/* Names come from files, and a file must not be able to command the terminal. */
static void print_plain(FILE *stream, const char *format, va_list arguments)
{
    char text[2048], *all = text;
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(text, sizeof text, format, arguments);
    if (n >= (int)sizeof text && (all = malloc((size_t)n + 1))) (void)vsnprintf(all, (size_t)n + 1, format, again);
    va_end(again);
    if (!all) all = text;
    cli_make_plain(all);
    (void)fputs(all, stream);
    if (all != text) free(all);
}

void cli_say(snCli *cli, const char *format, ...)
{
    if (cli->quiet || cli->want_json) return;
    cli_progress_end(cli);
    va_list arguments;
    va_start(arguments, format);
    print_plain(stdout, format, arguments);
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
    (void)sn_error_format(error, text, sizeof text);
    cli_make_plain(text);
    (void)fprintf(stderr, "sinew: %s\n", text);
    if (!cli->failed_said) cli->failed_said = true, cli->failure = *error;
    return error->status;
}

void cli_close_json(snCli *cli)
{
    json_leave(&cli->json);
    if (cli->failure.status != SN_OK) {
        json_open(&cli->json, "error", '{');
        cli_json_error(&cli->json, &cli->failure);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, '}');
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
    print_plain(stderr, format, arguments);
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
