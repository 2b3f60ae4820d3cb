/* What a run leaves behind: the journal OUT.resume while it runs, then the replay and the table.
 *
 * 1. A frame is in the journal before the next one is simulated, so that nothing is lost when the process is killed.
 * 2. The journal is removed only after every file that is made from it has its name. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct snRunFile {
    snCli *cli;
    snRecorder *recorder;
    snJournal *journal;
    char *settings;
    void *checkpoint;
    size_t checkpoint_size;
    char path[4200];
    snError error; /* of the first frame that could not be kept */
};

const char *cli_replay_ending(const snCli *cli)
{
    const char *form = cli_option_text(cli, "replay", "xml");
    return strcmp(form, "gz") == 0 ? ".replay.xml.gz" : strcmp(form, "bin") == 0 ? ".replay.bin" : ".replay.xml";
}

/* FNV-1a of what a file holds; 0 where it cannot be read. */
static uint64_t hash_file(const char *path)
{
    unsigned char bytes[4096];
    uint64_t hash = 14695981039346656037u;
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        for (size_t i = 0; i < n; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
    bool fine = !ferror(file);
    (void)fclose(file);
    return fine ? hash : 0;
}

void cli_list_file(snText *settings, const char *name, const char *path)
{
    if (path)
        text_add(settings, "%s: %s (%016llx)\n", name, cli_file_name(path), (unsigned long long)hash_file(path));
    else
        text_add(settings, "%s:\n", name);
}

void cli_list_options(const snCli *cli, snText *settings, const char *const *option, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        text_add(settings, "%s:", option[k]);
        const char *value;
        for (int i = 0; (value = cli_option_nth(cli, option[k], i)); ++i)
            text_add(settings, " %s", *value ? value : "yes"); /* a flag has none */
        text_add(settings, "\n");
    }
}

snStatus cli_list_run(snCli *cli, snText *settings, const char *command, const snSpec *spec)
{
    snError error = {0};
    uint64_t model = sn_hash_model(spec, &error);
    if (!model) return cli_fail_error(cli, &error);
    text_add(settings, "version: %s\ncommand: %s\nmodel: %s (%016llx)\n", sn_version(), command, cli->argument[0],
             (unsigned long long)model);
    return SN_OK;
}

snStatus cli_run_open(snCli *cli, const snModel *model, const snLoads *loads, const char *out, const char *settings,
                      bool resume, snRunFile **run)
{
    snError error = {0};
    snRunFile *r = calloc(1, sizeof *r);
    if (!r) return SN_NO_MEMORY;
    *run = r;
    r->cli = cli;
    (void)snprintf(r->path, sizeof r->path, "%s.resume", out);
    r->settings = malloc(strlen(settings) + 1);
    if (!r->settings) return SN_NO_MEMORY;
    (void)strcpy(r->settings, settings);
    snStatus status = model ? sn_recorder_create_loaded(model, cli->argument[0], loads, &r->recorder) : SN_OK;
    if (status == SN_OK && !resume) status = cli_fail_file(cli, sn_journal_check(r->path, &error), &error, r->path);
    if (status != SN_OK || !resume) return status;
    status = sn_journal_open(r->path, settings, &r->journal, &error);
    if (status == SN_NO_FILE) return SN_OK;
    return cli_fail_file(cli, status, &error, r->path);
}

bool cli_run_found(const snRunFile *r)
{
    return r->journal != NULL;
}

const void *cli_run_checkpoint(const snRunFile *r, size_t *size)
{
    *size = 0;
    return r->journal ? sn_journal_checkpoint(r->journal, size) : NULL;
}

int32_t cli_run_frames(const snRunFile *r)
{
    return r->journal ? sn_journal_frames(r->journal) : 0;
}

void *cli_run_state(snRunFile *r, size_t size)
{
    if (size != r->checkpoint_size || !r->checkpoint) {
        free(r->checkpoint);
        r->checkpoint = malloc(size + 1);
        r->checkpoint_size = size;
    }
    return r->checkpoint;
}

snStatus cli_run_frame(snRunFile *r, snState *state, double time)
{
    snTrackFrame frame;
    snStatus status = sn_recorder_read(r->recorder, state, time, &frame);
    return status == SN_OK ? cli_run_keep(r, sn_recorder_def(r->recorder), &frame) : status;
}

snStatus cli_run_keep(snRunFile *r, const snTrackDef *columns, const snTrackFrame *frame)
{
    snStatus status = SN_OK;
    if (!r->journal) {
        snJournalDef def = sn_default_journal_def();
        def.columns = columns, def.settings = r->settings, def.checkpoint_size = r->checkpoint_size;
        status = sn_journal_create(&def, r->path, &r->journal, &r->error);
    }
    return status == SN_OK ? sn_journal_append(r->journal, frame, r->checkpoint, &r->error) : status;
}

const snError *cli_run_error(const snRunFile *r)
{
    return &r->error;
}

snStatus cli_run_save(snRunFile *r, const char *replay, const char *table)
{
    snError error = {0};
    snStatus status = cli_fail_file(r->cli, sn_journal_save_track(r->journal, replay, &error), &error, replay);
    if (status != SN_OK) return status;
    return cli_fail_file(r->cli, sn_journal_save_table(r->journal, table, &error), &error, table);
}

void cli_run_close(snRunFile *r, bool finished)
{
    if (!r) return;
    if (finished || cli_run_frames(r) == 0)
        sn_journal_remove(r->journal);
    else
        sn_journal_close(r->journal);
    sn_recorder_destroy(r->recorder);
    free(r->settings);
    free(r->checkpoint);
    free(r);
}
