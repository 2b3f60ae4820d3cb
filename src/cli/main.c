/* sinew COMMAND ...: finds the command, parses its options, runs it, prints its JSON object, turns its status into an
 * exit code. */
#include "cli.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const snCommand *cli_find_command(const char *name)
{
    for (int i = 0; cli_commands[i]; ++i)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR)) return code; /* as in | head: nobody wants the rest */
    (void)fprintf(stderr, "sinew: the output could not be written: is the disk full?\n");
    return code ? code : sn_status_exit_code(SN_WRITE_FAILED);
}

static int run(const snCommand *command, int argc, char **argv)
{
    snCli cli = {.command = command};
    bool want_help = false;
    cli.progress = isatty(STDERR_FILENO) ? SN_PROGRESS_BAR : SN_PROGRESS_NONE;
    json_open(&cli.json, NULL, '{');
    snStatus status = cli_parse(&cli, argc, argv, &want_help);
    if (status == SN_OK && want_help) {
        cli_print_help(command);
        json_free(&cli.json);
        return finish(0);
    }
    if (cli.want_json) cli_answer_json();
    if (status == SN_OK) status = cli_check_outputs(&cli);
    if (status == SN_OK) status = command->run(&cli);
    cli_progress_end(&cli);
    if (status != SN_OK && !cli.failed_said) (void)cli_fail(&cli, status, "%s", sn_status_text(status));
    cli_close_json(&cli);
    if (cli.want_json) {
        const char *text = json_text(&cli.json);
        printf("%s\n", text ? text : "{\"error\": {\"message\": \"out of memory\"}}");
    }
    json_free(&cli.json);
    return finish(sn_status_exit_code(status));
}

static int help(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "--markdown") == 0) {
        cli_print_markdown();
        return finish(0);
    }
    if (argc > 0 && strcmp(argv[0], "--man") == 0) {
        cli_print_man();
        return finish(0);
    }
    const snCommand *command = argc > 0 ? cli_find_command(argv[0]) : NULL;
    if (command)
        cli_print_help(command);
    else
        cli_print_overview();
    return finish(argc > 0 && !command ? sn_status_exit_code(SN_USAGE) : 0);
}

/* A test links the command behind a main of its own. */
#ifndef SN_CLI_MAIN
#define SN_CLI_MAIN main
#endif
int SN_CLI_MAIN(int argc, char **argv);

int SN_CLI_MAIN(int argc, char **argv)
{
    cli_open_streams();
    cli_catch_signals();
    cli_locate_models(argv[0]);
    if (argc < 2) {
        cli_print_overview();
        return finish(sn_status_exit_code(SN_USAGE));
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("sinew %s\n", sn_version());
        return finish(0);
    }
    const snCommand *command = cli_find_command(name);
    if (command) return run(command, argc - 2, argv + 2);
    char shown[80];
    (void)snprintf(shown, sizeof shown, "%.70s", name);
    cli_make_plain(shown);
    const snCommand *const *near = cli_commands;
    while (*near && !text_nearly(name, strlen(name), (*near)->name)) ++near;
    if (*near)
        (void)fprintf(stderr, "sinew: there is no command '%s'; did you mean %s?\n", shown, (*near)->name);
    else
        (void)fprintf(stderr, "sinew: there is no command '%s'; sinew help lists them\n", shown);
    return sn_status_exit_code(SN_USAGE);
}
