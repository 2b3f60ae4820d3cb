/* The help of each command, on the terminal and as a page, from the one table. */
#include "cli.h"

#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every shipped model, with the motions that it has. */
static void print_models(void)
{
    enum { MOST = 100 };
    char models[1000];
    snMotionEntry *motion = calloc(MOST, sizeof *motion);
    sn_list_models(models, sizeof models);
    if (models[0]) printf("\nShipped models and their motions:\n");
    for (char *name = strtok(models, " "); name; name = strtok(NULL, " ")) {
        int32_t count = motion ? sn_list_motions(name, motion, MOST) : 0;
        printf("  %-18s", name);
        for (int32_t i = 0; i < count && i < MOST; ++i) printf("%s%s", i ? " " : "", motion[i].name);
        printf("\n");
    }
    free(motion);
}

void cli_print_overview(void)
{
    printf("sinew %s: muscles and tendons under the skin of an animated character\n\n", sn_version());
    printf("usage: sinew COMMAND ...\n\n");
    for (int i = 0; cli_commands[i]; ++i) printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->about);
    printf("\nsinew COMMAND --help shows the options and an example. MODEL is a path, a shipped model or a scene:\n");
    for (int i = 0; sn_scene_info(i); ++i) printf("  %-18s %s\n", sn_scene_info(i)->name, sn_scene_info(i)->about);
    print_models();
    printf("\nExit codes: 0 done, 1 the run failed, 2 wrong usage, 3 bad input.\n");
}

static void option_usage(const snOption *option, char *text, size_t size)
{
    const char *dash = option->name[1] ? "--" : "-";
    const char *blank = option->kind == SN_OPTION_FLAG ? "" : " ";
    (void)snprintf(text, size, "%s%s%s%s", dash, option->name, blank,
                   option->kind == SN_OPTION_FLAG ? "" : option->value);
}

static void print_options(const snOption *options)
{
    for (; options && options->name; ++options) {
        char usage[400];
        option_usage(options, usage, sizeof usage);
        if (strlen(usage) <= 26)
            printf("  %-26s %s\n", usage, options->help);
        else
            printf("  %s\n%29s%s\n", usage, "", options->help);
    }
}

/* Text with every line moved in by two blanks. */
static void print_indented(const char *text)
{
    bool start = true;
    for (; *text; ++text) {
        if (start && *text != '\n') printf("  ");
        putchar(*text);
        start = *text == '\n';
    }
    if (!start) putchar('\n');
}

void cli_print_help(const snCommand *command)
{
    printf("sinew %s %s\n\n%s\n", command->name, command->arguments, command->about);
    if (command->details[0]) printf("\n%s\n", command->details);
    printf("\noptions:\n");
    print_options(command->options);
    print_options(cli_common_options);
    printf("\nexample:\n  $ %s\n", command->example);
    print_indented(command->output);
}

static void markdown_options(const snOption *options)
{
    for (; options && options->name; ++options) {
        char usage[400];
        option_usage(options, usage, sizeof usage);
        printf("| `");
        for (const char *c = usage; *c; ++c) printf(*c == '|' ? "\\|" : "%c", *c);
        printf("` | %s |\n", options->help);
    }
}

void cli_print_markdown(void)
{
    printf("# Commands\n\n"
           "This page is written by `make docs` from the table of the command itself; the same text is in\n"
           "`sinew COMMAND --help`.\n\n"
           "MODEL is a path to a `*.muscle.xml`, `*.scene.xml` or `*.osim`, the name of a shipped model, or one of the "
           "scenes:\n\n"
           "| scene | what it is |\n|---|---|\n");
    for (int i = 0; sn_scene_info(i); ++i) printf("| `%s` | %s |\n", sn_scene_info(i)->name, sn_scene_info(i)->about);
    printf(
        "\nExit codes: 0 done, 1 the run failed, 2 wrong usage, 3 bad input. Ctrl-C stops cleanly and keeps what is\n"
        "finished. Output files get their names only when they are complete, so none is ever left half-written.\n"
        "Errors and progress go to stderr. With `--progress json` each line is an object with `stage`, `done` and\n"
        "`total`.\n\n## Options of every command\n\n| option | meaning |\n|---|---|\n");
    markdown_options(cli_common_options);
    for (int i = 0; cli_commands[i]; ++i) {
        const snCommand *command = cli_commands[i];
        printf("\n## sinew %s %s\n\n%s.\n", command->name, command->arguments, command->about);
        if (command->details[0]) printf("\n%s\n", command->details);
        if (command->options[0].name) printf("\n| option | meaning |\n|---|---|\n");
        markdown_options(command->options);
        printf("\n    $ %s\n", command->example);
        bool start = true;
        for (const char *c = command->output; *c; ++c) {
            if (start) printf("    ");
            putchar(*c);
            start = *c == '\n';
        }
        if (!start) putchar('\n');
    }
}
