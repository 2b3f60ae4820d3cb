/* Lines that come in on stdin while a command works. No line may be longer than the buffer: what is, is thrown away. */
#include "cli.h"

#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *skip_blanks(const char *c)
{
    while (isspace((unsigned char)*c)) ++c;
    return c;
}

/* A name in quotes, without escapes. NULL if there is none. */
static const char *read_name(const char *c, char name[32])
{
    size_t length;
    if (*c++ != '"' || (length = strcspn(c, "\"\\")) >= 32 || c[length] != '"') return NULL;
    memcpy(name, c, length);
    name[length] = '\0';
    return c + length + 1;
}

static const char *read_value(const char *c, double *value)
{
    char *end;
    if (strncmp(c, "true", 4) == 0) return *value = 1, c + 4;
    if (strncmp(c, "false", 5) == 0) return *value = 0, c + 5;
    if (!isdigit((unsigned char)*c) && *c != '-') return NULL;
    *value = strtod(c, &end);
    return end == c ? NULL : end;
}

static bool parse_line(const char *text, snTalkLine *line)
{
    const char *c = skip_blanks(text);
    line->count = 0;
    if (*c++ != '{') return false;
    c = skip_blanks(c);
    while (*c != '}') {
        if (line->count == CLI_TALK_MAX) return false;
        if (!(c = read_name(c, line->name[line->count]))) return false;
        c = skip_blanks(c);
        if (*c++ != ':' || !(c = read_value(skip_blanks(c), &line->value[line->count]))) return false;
        ++line->count;
        c = skip_blanks(c);
        if (*c == ',') {
            c = skip_blanks(c + 1);
            if (*c == '}') return false;
        } else if (*c != '}') {
            return false;
        }
    }
    return !*skip_blanks(c + 1);
}

/* Waits for input and takes in what is there. */
static void listen_for(snTalk *talk, double seconds)
{
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&wait, 1, (int)(1000 * seconds)) <= 0) return;
    if (talk->length == sizeof talk->buffer - 1) talk->length = 0;
    ssize_t got = read(STDIN_FILENO, talk->buffer + talk->length, sizeof talk->buffer - 1 - talk->length);
    if (got <= 0)
        talk->ended = true;
    else
        talk->length += (size_t)got;
}

static bool take_line(snCli *cli, snTalk *talk, snTalkLine *line)
{
    char *end;
    while ((end = memchr(talk->buffer, '\n', talk->length))) {
        char text[sizeof talk->buffer];
        size_t length = (size_t)(end - talk->buffer);
        memcpy(text, talk->buffer, length);
        text[length] = '\0';
        talk->length -= length + 1;
        memmove(talk->buffer, end + 1, talk->length);
        if (parse_line(text, line)) return true;
        cli_warn(cli, "ignored a line that is not a flat JSON object: %.60s", text);
    }
    return false;
}

bool cli_talk(snCli *cli, snTalk *talk, double seconds, snTalkLine *line)
{
    double until = cli_seconds() + seconds, left = seconds;
    while (!take_line(cli, talk, line)) {
        if (talk->ended || cli_interrupted() || left < 0) return false;
        listen_for(talk, left); /* at least once, also when there is no time */
        left = until - cli_seconds();
    }
    return true;
}
