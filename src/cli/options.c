/* The option parser. Options may stand anywhere; --name VALUE and --name=VALUE are the same; -- ends them. */
#include "cli.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const snOption cli_common_options[] = {
    {"json", SN_OPTION_FLAG, "", "print one JSON object as the last line, and no other text", 0, 0},
    {"progress", SN_OPTION_CHOICE, "bar|json|none", "how to show progress, on stderr (bar on a terminal)", 0, 0},
    {"quiet", SN_OPTION_FLAG, "", "print errors only", 0, 0},
    {"threads", SN_OPTION_COUNT, "N", "threads to use; 0: all cores", 0, 1024},
    {"no-cache", SN_OPTION_FLAG, "", "neither read nor write the cache folder", 0, 0},
    {"help", SN_OPTION_FLAG, "", "this text", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

static const snOption *find_in(const snOption *options, const char *name, size_t length)
{
    for (; options && options->name; ++options)
        if (strlen(options->name) == length && memcmp(options->name, name, length) == 0) return options;
    return NULL;
}

static const snOption *find_option(const snCli *cli, const char *name, size_t length)
{
    const snOption *option = find_in(cli->command->options, name, length);
    return option ? option : find_in(cli_common_options, name, length);
}

static snStatus fail_unknown(snCli *cli, const char *word, const char *name, size_t length)
{
    const snOption *const lists[] = {cli->command->options, cli_common_options};
    for (int k = 0; k < 2; ++k)
        for (const snOption *o = lists[k]; o && o->name && length > 2; ++o)
            if (text_nearly(name, length, o->name))
                return cli_fail(cli, SN_USAGE, "unknown option %s; did you mean --%s?", word, o->name);
    return cli_fail(cli, SN_USAGE, "unknown option %s; see sinew %s --help", word, cli->command->name);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *c = choices; c; c = strchr(c, '|')) {
        if (*c == '|') ++c;
        if (strncmp(c, value, length) == 0 && (c[length] == '|' || c[length] == '\0')) return length > 0;
    }
    return false;
}

static bool parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* A number up to one of the characters of `stop` or the end; moves *text there. */
static bool take_number(const char **text, const char *stop, double *value)
{
    char *end;
    *value = strtod(*text, &end);
    bool fine = end != *text && isfinite(*value) && (*end == '\0' || strchr(stop, *end));
    *text = end;
    return fine;
}

/* LEVEL, or TIME:LEVEL,TIME:LEVEL,... into a course; what is wrong with it, or NULL. */
static const char *parse_course(const snOption *option, const char *text, snCourse *course)
{
    static const char *const form = "needs NAME=LEVEL or NAME=TIME:LEVEL,TIME:LEVEL,...";
    bool constant = !strchr(text, ':');
    double time = 0, level;
    course->count = 0;
    for (const char *c = text;; ++c) {
        if (course->count == CLI_MAX_KEY) return "has too many times; put them into a file and use --activations";
        if (!constant && (!take_number(&c, ":", &time) || *c++ != ':')) return form;
        if (!take_number(&c, constant ? "" : ",", &level)) return form;
        if (level < option->low || level > option->high) return "is out of range: the level must be between 0 and 1";
        if (course->count && time <= course->time[course->count - 1]) return "has times that do not increase";
        course->time[course->count] = time;
        course->level[course->count++] = level;
        if (!*c) return NULL;
    }
}

static snStatus check_course(snCli *cli, const snOption *option, const char *value)
{
    snCourse course;
    const char *equals = strrchr(value, '=');
    const char *wrong = equals && equals != value ? parse_course(option, equals + 1, &course) : "needs NAME=LEVEL";
    return wrong ? cli_fail(cli, SN_USAGE, "--%s '%s' %s", option->name, value, wrong) : SN_OK;
}

static snStatus check_value(snCli *cli, const snOption *option, const char *value)
{
    double number;
    const char *dash = option->name[1] ? "--" : "-";
    switch (option->kind) {
    case SN_OPTION_NUMBER:
    case SN_OPTION_COUNT:
        if (!parse_number(value, &number) || (option->kind == SN_OPTION_COUNT && number != floor(number)))
            return cli_fail(cli, SN_USAGE, "%s%s needs a %snumber, not '%s'", dash, option->name,
                            option->kind == SN_OPTION_COUNT ? "whole " : "", value);
        if ((option->low != 0 || option->high != 0) && (number < option->low || number > option->high))
            return cli_fail(cli, SN_USAGE, "%s%s must be between %g and %g, not %s", dash, option->name, option->low,
                            option->high, value);
        return SN_OK;
    case SN_OPTION_PAIR: {
        const char *equals = strrchr(value, '=');
        if (!equals || equals == value || !parse_number(equals + 1, &number))
            return cli_fail(cli, SN_USAGE, "%s%s needs NAME=LEVEL, not '%s'", dash, option->name, value);
        if (number < option->low || number > option->high)
            return cli_fail(cli, SN_USAGE, "%s%s: the level must be between %g and %g, not %s", dash, option->name,
                            option->low, option->high, equals + 1);
        return SN_OK;
    }
    case SN_OPTION_COURSE:
        return check_course(cli, option, value);
    case SN_OPTION_CHOICE:
        if (!is_choice(option->value, value))
            return cli_fail(cli, SN_USAGE, "%s%s is one of %s, not '%s'", dash, option->name, option->value, value);
        return SN_OK;
    default:
        return SN_OK;
    }
}

/* One option at argv[*i]; moves *i over its value. */
static snStatus parse_option(snCli *cli, int argc, char **argv, int *i)
{
    const char *word = argv[*i];
    const char *name = word[1] == '-' ? word + 2 : word + 1;
    const char *equals = word[1] == '-' ? strchr(name, '=') : NULL;
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const snOption *option = find_option(cli, name, length);
    if (!option || (length == 1) == (word[1] == '-')) return fail_unknown(cli, word, name, length);
    const char *value = "";
    if (option->kind != SN_OPTION_FLAG) {
        if (equals)
            value = equals + 1;
        else if (*i + 1 < argc)
            value = argv[++*i];
        else
            return cli_fail(cli, SN_USAGE, "%s needs a value: %s %s", word, word, option->value);
        snStatus status = check_value(cli, option, value);
        if (status != SN_OK) return status;
    } else if (equals) {
        return cli_fail(cli, SN_USAGE, "--%s takes no value", option->name);
    }
    if (cli->nset == CLI_MAX_OPTION) return cli_fail(cli, SN_USAGE, "more than %d options", CLI_MAX_OPTION);
    cli->set[cli->nset] = option;
    cli->set_value[cli->nset++] = value;
    return SN_OK;
}

/* Turns the options that all commands share into fields. --json goes first, so that errors obey it. */
static void apply_common(snCli *cli, bool terminal)
{
    cli->quiet = cli_given(cli, "quiet");
    cli->threads = (int32_t)cli_option_number(cli, "threads", 0);
    const char *mode = cli_option_text(cli, "progress", terminal ? "bar" : "none");
    cli->progress = strcmp(mode, "json") == 0  ? SN_PROGRESS_JSON
                    : strcmp(mode, "bar") == 0 ? SN_PROGRESS_BAR
                                               : SN_PROGRESS_NONE;
    if (cli->quiet) cli->progress = SN_PROGRESS_NONE;
}

static snStatus check_arguments(snCli *cli)
{
    const snCommand *command = cli->command;
    if (cli->nargument < command->least)
        return cli_fail(cli, SN_USAGE, "an argument is missing: sinew %s %s", command->name, command->arguments);
    if (cli->nargument > command->most)
        return cli_fail(cli, SN_USAGE, "too many arguments, from '%s' on: sinew %s %s", cli->argument[command->most],
                        command->name, command->arguments);
    return SN_OK;
}

snStatus cli_parse(snCli *cli, int argc, char **argv, bool *want_help)
{
    bool only_arguments = false;
    for (int i = 0; i < argc; ++i) cli->want_json = cli->want_json || strcmp(argv[i], "--json") == 0;
    for (int i = 0; i < argc; ++i) {
        if (!only_arguments && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
            snStatus status = parse_option(cli, argc, argv, &i);
            if (status != SN_OK) return status;
        } else {
            if (cli->nargument == CLI_MAX_ARGUMENT) return cli_fail(cli, SN_USAGE, "too many arguments");
            cli->argument[cli->nargument++] = argv[i];
        }
    }
    *want_help = cli_given(cli, "help");
    apply_common(cli, cli->progress == SN_PROGRESS_BAR);
    return *want_help ? SN_OK : check_arguments(cli);
}

bool cli_given(const snCli *cli, const char *name)
{
    return cli_option_text(cli, name, NULL) != NULL;
}

const char *cli_option_text(const snCli *cli, const char *name, const char *otherwise)
{
    assert(find_option(cli, name, strlen(name)));
    for (int i = cli->nset - 1; i >= 0; --i)
        if (strcmp(cli->set[i]->name, name) == 0) return cli->set_value[i];
    return otherwise;
}

const char *cli_option_nth(const snCli *cli, const char *name, int index)
{
    for (int i = 0; i < cli->nset; ++i)
        if (strcmp(cli->set[i]->name, name) == 0 && index-- == 0) return cli->set_value[i];
    return NULL;
}

double cli_option_number(const snCli *cli, const char *name, double otherwise)
{
    const char *text = cli_option_text(cli, name, NULL);
    return text ? strtod(text, NULL) : otherwise;
}

bool cli_option_pair(const snCli *cli, const char *option, int index, char *name, size_t size, double *level)
{
    for (int i = 0; i < cli->nset; ++i) {
        if (strcmp(cli->set[i]->name, option) != 0 || index-- > 0) continue;
        const char *value = cli->set_value[i], *equals = strrchr(value, '=');
        (void)snprintf(name, size, "%.*s", (int)(equals - value), value);
        *level = strtod(equals + 1, NULL);
        return true;
    }
    return false;
}

bool cli_option_course(const snCli *cli, const char *option, int index, snCourse *course)
{
    for (int i = 0; i < cli->nset; ++i) {
        if (strcmp(cli->set[i]->name, option) != 0 || index-- > 0) continue;
        const char *value = cli->set_value[i], *equals = strrchr(value, '=');
        (void)snprintf(course->name, sizeof course->name, "%.*s", (int)(equals - value), value);
        return parse_course(cli->set[i], equals + 1, course) == NULL;
    }
    return false;
}
