/* sinew completion SHELL: a script for bash, zsh or fish that completes commands, options and their values. Everything
 * in it comes from the table of commands. */
#include "cli.h"

#include "scenes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can stand where ---------------------------------------------------------------------------- */

/* The words between which a usage text lets you choose, such as [hand|hand-left], with blanks between them. */
static void add_choices(snText *t, const char *usage)
{
    for (const char *at = usage; *at;) {
        size_t skip = strspn(at, " []"), length = strcspn(at + skip, " []");
        const char *word = at + skip;
        if (memchr(word, '|', length) && islower((unsigned char)*word))
            for (size_t i = 0; i < length; ++i) text_add(t, "%c", word[i] == '|' ? ' ' : word[i]);
        at = word + length;
    }
}

/* What the arguments of a command can be apart from files. A model can be one of the scenes or one that is found by its
 * name. */
static void add_arguments(snText *t, const snCommand *command)
{
    add_choices(t, command->arguments);
    if (!strstr(command->arguments, "MODEL")) return;
    char models[2000];
    sn_list_models(models, sizeof models);
    text_add(t, "%s", models);
    for (int i = 0; sn_scene_info(i); ++i) text_add(t, " %s", sn_scene_info(i)->name);
}

static bool takes_files(const snOption *option)
{
    return option->kind == SN_OPTION_TEXT;
}

/* Text inside the quotes of a shell: without the characters that mean something to one of the shells there. */
static void add_plain(snText *t, const char *text)
{
    for (; *text; ++text)
        if (!strchr("'\"`$\\[]", *text)) text_add(t, "%c", *text == ':' ? ',' : *text);
}

typedef void (*option_writer)(snText *t, const snCommand *command, const snOption *option);

static void each_option(snText *t, const snCommand *command, option_writer write)
{
    const snOption *lists[] = {command->options, cli_common_options};
    for (int i = 0; i < 2; ++i)
        for (const snOption *option = lists[i]; option && option->name; ++option) write(t, command, option);
}

static const char *dash(const snOption *option)
{
    return option->name[1] ? "--" : "-";
}

/* ---- bash -------------------------------------------------------------------------------------------- */

static void bash_name(snText *t, const snCommand *command, const snOption *option)
{
    (void)command;
    text_add(t, " %s%s", dash(option), option->name);
}

static void bash_value(snText *t, const snCommand *command, const snOption *option)
{
    if (option->kind == SN_OPTION_FLAG) return;
    text_add(t, "    '%s %s%s') words='", command->name, dash(option), option->name);
    if (option->kind == SN_OPTION_CHOICE) add_choices(t, option->value);
    text_add(t, "' files=%s value=yes ;;\n", takes_files(option) ? "yes" : "");
}

static void write_bash(snText *t)
{
    text_add(
        t, "# Completion of sinew for bash, written by: sinew completion bash\n"
           "_sinew() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    local words= files= value=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='help");
    for (int i = 0; cli_commands[i]; ++i) text_add(t, " %s", cli_commands[i]->name);
    text_add(t, "'\n    else\n    case \"$command $previous\" in\n");
    for (int i = 0; cli_commands[i]; ++i) each_option(t, cli_commands[i], bash_value);
    text_add(t, "    esac\n    [ -n \"$value\" ] || case \"$command $current\" in\n");
    for (int i = 0; cli_commands[i]; ++i) {
        text_add(t, "    '%s -'*) words='", cli_commands[i]->name);
        each_option(t, cli_commands[i], bash_name);
        text_add(t, "' ;;\n    '%s '*) files=yes words='", cli_commands[i]->name);
        add_arguments(t, cli_commands[i]);
        text_add(t, "' ;;\n");
    }
    text_add(t, "    'help '*) words='");
    for (int i = 0; cli_commands[i]; ++i) text_add(t, " %s", cli_commands[i]->name);
    text_add(t, "' ;;\n    esac\n    fi\n"
                "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"\n"
                "        [ -z \"$files\" ] || compgen -f -- \"$current\")\n"
                "}\ncomplete -o filenames -F _sinew sinew\n");
}

/* ---- zsh --------------------------------------------------------------------------------------------- */

static void zsh_option(snText *t, const snCommand *command, const snOption *option)
{
    (void)command;
    text_add(t, " \\\n            '*%s%s[", dash(option), option->name);
    add_plain(t, option->help);
    text_add(t, "]");
    if (option->kind == SN_OPTION_CHOICE) {
        text_add(t, ":value:(");
        add_choices(t, option->value);
        text_add(t, ")");
    } else if (option->kind != SN_OPTION_FLAG) {
        text_add(t, ":");
        add_plain(t, option->value);
        text_add(t, ":%s", takes_files(option) ? "_files" : " ");
    }
    text_add(t, "'");
}

static void write_zsh(snText *t)
{
    text_add(t, "#compdef sinew\n# Completion of sinew for zsh, written by: sinew completion zsh\n"
                "_sinew() {\n    local -a commands\n    commands=(\n        'help:list the commands'\n");
    for (int i = 0; cli_commands[i]; ++i) {
        text_add(t, "        '%s:", cli_commands[i]->name);
        add_plain(t, cli_commands[i]->about);
        text_add(t, "'\n");
    }
    text_add(t, "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
                "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (int i = 0; cli_commands[i]; ++i) {
        text_add(t, "    %s)\n        _arguments", cli_commands[i]->name);
        each_option(t, cli_commands[i], zsh_option);
        text_add(t, " \\\n            '*:argument:{ _files; compadd -- ");
        add_arguments(t, cli_commands[i]);
        text_add(t, " }' ;;\n");
    }
    text_add(t, "    help) _describe command commands ;;\n    esac\n}\n"
                "[ \"$funcstack[1]\" = _sinew ] && _sinew \"$@\" || compdef _sinew sinew\n");
}

/* ---- fish -------------------------------------------------------------------------------------------- */

static void fish_option(snText *t, const snCommand *command, const snOption *option)
{
    text_add(t, "complete -c sinew -n '__fish_seen_subcommand_from %s' %s %s", command->name,
             option->name[1] ? "-l" : "-s", option->name);
    if (option->kind == SN_OPTION_CHOICE) {
        text_add(t, " -x -a '");
        add_choices(t, option->value);
        text_add(t, "'");
    } else if (option->kind != SN_OPTION_FLAG) {
        text_add(t, takes_files(option) ? " -r" : " -x");
    }
    text_add(t, " -d '");
    add_plain(t, option->help);
    text_add(t, "'\n");
}

static void write_fish(snText *t)
{
    text_add(t, "# Completion of sinew for fish, written by: sinew completion fish\n"
                "complete -c sinew -n __fish_use_subcommand -f -a help -d 'list the commands'\n");
    for (int i = 0; cli_commands[i]; ++i) {
        const snCommand *command = cli_commands[i];
        text_add(t, "complete -c sinew -n __fish_use_subcommand -f -a %s -d '", command->name);
        add_plain(t, command->about);
        text_add(t, "'\ncomplete -c sinew -n '__fish_seen_subcommand_from %s' -a '", command->name);
        add_arguments(t, command);
        text_add(t, "'\n");
        each_option(t, command, fish_option);
    }
}

/* ---- the command ------------------------------------------------------------------------------------- */

static snStatus run(snCli *cli)
{
    static const struct {
        const char *name;
        void (*write)(snText *t);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i) {
        if (strcmp(shells[i].name, cli->argument[0]) != 0) continue;
        snText t = {0};
        shells[i].write(&t);
        if (!t.text) return SN_NO_MEMORY;
        json_string(&cli->json, "shell", shells[i].name);
        json_string(&cli->json, "script", t.text);
        cli_say(cli, "%s", t.text);
        text_free(&t);
        return SN_OK;
    }
    return cli_fail(cli, SN_USAGE, "there is no completion for '%s': bash, zsh or fish", cli->argument[0]);
}

static const snOption options[] = {{NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0}};

const snCommand cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .about = "Print a script that makes a shell complete commands, options and models",
    .details = "make install puts the three scripts where the shells look for them. To try one without installing it,\n"
               "type: source <(sinew completion bash)",
    .example = "sinew completion bash",
    .output = "# Completion of sinew for bash, written by: sinew completion bash\n...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
