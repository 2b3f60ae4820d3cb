/* The manual page sinew(1), from the table that the help is made of. */
#include "cli.h"

#include "scenes.h"

#include <stdio.h>
#include <string.h>

/* Text as roff takes it: blanks and dashes as they are, and no line that begins like a request. */
static void roff(const char *text)
{
    bool start = true;
    for (; *text; ++text) {
        if (start && (*text == '.' || *text == '\'')) printf("\\&");
        if (*text == '-')
            printf("\\-");
        else if (*text == '\\')
            printf("\\e");
        else
            putchar(*text);
        start = *text == '\n';
    }
}

/* Paragraphs, which the help separates by empty lines. */
static void paragraphs(const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        char part[4000];
        size_t length = end ? (size_t)(end - text) : strlen(text);
        (void)snprintf(part, sizeof part, "%.*s", (int)length, text);
        printf(".PP\n");
        roff(part);
        printf("\n");
        text += length + (end ? 2 : 0);
    }
}

static void options(const snOption *option)
{
    for (; option && option->name; ++option) {
        printf(".TP\n\\fB%s", option->name[1] ? "\\-\\-" : "\\-");
        roff(option->name);
        printf("\\fR");
        if (option->kind != SN_OPTION_FLAG) {
            printf(" \\fI");
            roff(option->value);
            printf("\\fR");
        }
        printf("\n");
        roff(option->help);
        printf("\n");
    }
}

static void command_section(const snCommand *command)
{
    printf(".SS \"sinew %s", command->name);
    if (command->arguments[0]) printf(" ");
    roff(command->arguments);
    printf("\"\n");
    roff(command->about);
    printf(".\n");
    paragraphs(command->details);
    options(command->options);
    printf(".PP\nExample:\n.PP\n.nf\n.RS\n\\fB$ ");
    roff(command->example);
    printf("\\fR\n");
    roff(command->output);
    printf("\n.RE\n.fi\n");
}

void cli_print_man(void)
{
    printf(".\\\" Written by sinew help --man.\n.TH SINEW 1 \"\" \"sinew %s\" \"User Commands\"\n", sn_version());
    printf(".SH NAME\nsinew \\- muscles and tendons under the skin of an animated character\n");
    printf(".SH SYNOPSIS\n.B sinew\n.I COMMAND\n.RI [ ARGUMENT ...]\n.RI [ OPTION ...]\n.br\n.B sinew help\n"
           ".RI [ COMMAND ]\n.SH DESCRIPTION\n");
    printf(
        "MODEL is a path to a *.muscle.xml, *.scene.xml or *.osim file, the name of a shipped model, or one of these "
        "scenes:\n");
    for (int i = 0; sn_scene_info(i); ++i) {
        printf(".TP\n.B ");
        roff(sn_scene_info(i)->name);
        printf("\n");
        roff(sn_scene_info(i)->about);
        printf("\n");
    }
    printf(".SH COMMANDS\n");
    for (int i = 0; cli_commands[i]; ++i) command_section(cli_commands[i]);
    printf(".SH OPTIONS OF EVERY COMMAND\n");
    options(cli_common_options);
    printf(
        ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe run failed\n.TP\n.B 2\nwrong usage\n.TP\n.B 3\nbad input\n");
    printf(".SH FILES\nOutput files are written beside their names and renamed, so that none is ever left "
           "half-written. Ctrl\\-C "
           "stops cleanly and keeps what is finished.\n");
}
