/* A replay, its model, its motion and its frames. */
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

snStatus cli_load_replay(snCli *cli, const char *path, snTrack **replay)
{
    snError error = {0};
    snStatus status = sn_load_track(path, replay, &error);
    if (status == SN_OK && sn_track_frames(*replay) < 1) {
        sn_track_destroy(*replay);
        *replay = NULL;
        return cli_fail(cli, SN_BAD_INPUT, "%s has no frames", path);
    }
    return cli_fail_file(cli, status, &error, path);
}

static snStatus table_to_track(const snTable *table, snTrack **track)
{
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = "",
                      .nscalar = table->columns,
                      .scalar_name = (const char *const *)table->name};
    snTrack *made = NULL;
    snStatus status = sn_track_create(&def, &made);
    for (int32_t i = 0; status == SN_OK && i < table->rows; ++i)
        status = sn_track_append(made, table->time[i], NULL, NULL, table->value + (int64_t)i * table->columns);
    if (status == SN_OK)
        *track = made;
    else if (made)
        sn_track_destroy(made);
    return status;
}

snStatus cli_load_table(snCli *cli, const char *path, snTrack **track)
{
    snTable table = {0};
    snError error = {0};
    snStatus status = sn_load_table(path, &table, &error);
    if (status == SN_OK) status = table_to_track(&table, track);
    sn_table_free(&table);
    return cli_fail_file(cli, status, &error, path);
}

/* A model path that was written down somewhere else may still lie beside the replay. */
static void find_beside(const char *replay_path, const char *name, char *found, size_t size)
{
    const char *slash = strrchr(replay_path, '/');
    (void)snprintf(found, size, "%s", name);
    if (!slash || !cli_ends_with(name, ".xml") || name[0] == '/' || access(name, R_OK) == 0) return;
    char beside[4096];
    int n = snprintf(beside, sizeof beside, "%.*s/%s", (int)(slash - replay_path), replay_path, name);
    if (n < (int)sizeof beside && access(beside, R_OK) == 0) (void)snprintf(found, size, "%s", beside);
}

static snStatus check_fits(snCli *cli, const snTrack *replay, const snSpec *spec, const char *path, const char *name)
{
    const snTrackDef *def = sn_track_def(replay);
    for (int32_t i = 0; i < def->nbody; ++i)
        if (!sn_spec_find(spec, SN_KIND_BODY, def->body_name[i]))
            return cli_fail(cli, SN_BAD_INPUT, "%s is not of the model %s, which has no body \"%s\"", path, name,
                            def->body_name[i]);
    for (int32_t i = 0; i < def->nstrand; ++i)
        if (!sn_spec_find(spec, SN_KIND_STRAND, def->strand_name[i]) &&
            !sn_spec_find(spec, SN_KIND_LINE_MUSCLE, def->strand_name[i]))
            return cli_fail(cli, SN_BAD_INPUT, "%s is not of the model %s, which has no strand \"%s\"", path, name,
                            def->strand_name[i]);
    return SN_OK;
}

snStatus cli_replay_model(snCli *cli, const snTrack *replay, const char *path, const char *name, snSpec **spec)
{
    char found[4096];
    if (!name) name = sn_track_def(replay)->model;
    if (!name || !*name)
        return cli_fail(cli, SN_BAD_INPUT, "%s does not say which model it belongs to: give --model MODEL", path);
    find_beside(path, name, found, sizeof found);
    snStatus status = cli_load_model(cli, found, spec);
    if (status == SN_OK) status = check_fits(cli, replay, *spec, path, name);
    return status;
}

snStatus cli_replay_motion(snCli *cli, const snTrack *replay, const char *model_name, const snSpec *spec,
                           const char *motion_name, snTrack **motion)
{
    snMotionDef def = sn_default_motion_def();
    snModel *model = NULL;
    snError error = {0};
    def.model = model_name ? model_name : sn_track_def(replay)->model;
    snStatus status = sn_compile(spec, &model, &error);
    if (status == SN_OK) status = sn_load_motion(model, motion_name, &def, motion, &error);
    if (model) sn_model_destroy(model);
    return cli_fail_file(cli, status, &error, motion_name);
}

bool cli_report_motion(const char *report_path, char *motion, size_t size)
{
    size_t length;
    char *report = cli_read_bytes(report_path, &length);
    char *line = report ? memchr(report, '\n', length) : NULL; /* the second line has it */
    char *end = line ? memchr(line + 1, '\n', length - (size_t)(line + 1 - report)) : NULL;
    if (end) *end = '\0';
    const char *found = end ? strstr(line, ", motion ") : NULL;
    if (found) (void)snprintf(motion, size, "%s", found + strlen(", motion "));
    free(report);
    return found != NULL;
}

/* The number behind a word at the beginning of a line, 0 where there is none. */
static int32_t number_of(const char *text, const char *word)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, word, strlen(word)) == 0) return (int32_t)strtol(line + strlen(word), NULL, 10);
    return 0;
}

snStatus cli_report_matches(snCli *cli, const char *path, const char *settings, int32_t *frames)
{
    size_t length;
    snText text = {0}, before = {0};
    snError error = {0};
    snStatus status = SN_OK;
    char *bytes = cli_read_bytes(path, &length);
    *frames = 0;
    if (!bytes) return SN_OK;
    text_add(&text, "%.*s", (int)length, bytes);
    free(bytes);
    const char *line = text.text ? strstr(text.text, "\n# Settings\n") : NULL;
    if (line) {
        *frames = number_of(text.text, "frames ");
        for (line += strlen("\n# Settings\n"); strncmp(line, "# ", 2) == 0; line += strcspn(line, "\n") + 1) {
            text_add(&before, "%.*s\n", (int)strcspn(line + 2, "\n"), line + 2);
            if (!line[strcspn(line, "\n")]) break;
        }
        status = before.text ? sn_compare_settings(before.text, settings, path, &error) : SN_NO_MEMORY;
    }
    text_free(&text);
    text_free(&before);
    return cli_fail_file(cli, status, &error, path);
}

const char *cli_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool cli_followed_motion(const char *replay_path, char *motion, size_t size)
{
    char report[4200];
    cli_stem(replay_path, report, sizeof report - 16);
    (void)strcat(report, ".report.txt");
    if (!cli_report_motion(report, motion, size)) return false;
    if (access(motion, R_OK) == 0) return true;
    /* a shipped motion of a tree that was moved, or one beside the replay */
    const char *slash = strrchr(motion, '/'), *folder = strrchr(replay_path, '/');
    bool shipped = slash != NULL;
    memmove(motion, slash ? slash + 1 : motion, strlen(slash ? slash + 1 : motion) + 1);
    int n =
        snprintf(report, sizeof report, "%.*s%s", folder ? (int)(folder + 1 - replay_path) : 0, replay_path, motion);
    if (n < (int)sizeof report && (size_t)n < size && access(report, R_OK) == 0) return strcpy(motion, report) != NULL;
    motion[strcspn(motion, ".")] = '\0';
    return shipped;
}

void cli_load_followed(const snTrack *replay, const char *path, const char *model_name, const snSpec *spec,
                       snTrack **motion)
{
    snMotionDef def = sn_default_motion_def();
    snModel *model = NULL;
    snError error = {0};
    char name[4096];
    if (!cli_followed_motion(path, name, sizeof name)) return;
    def.model = model_name ? model_name : sn_track_def(replay)->model;
    if (sn_compile(spec, &model, &error) == SN_OK) (void)sn_load_motion(model, name, &def, motion, &error);
    if (model) sn_model_destroy(model);
}

snFrames cli_frames(const snTrack *replay, double rate)
{
    int32_t n = sn_track_frames(replay);
    double length = sn_track_time(replay, n - 1) - sn_track_time(replay, 0);
    snFrames frames = {.replay = replay, .count = n, .own = !(rate > 0)};
    frames.rate = rate > 0 ? rate : n > 1 ? (n - 1) / length : 24;
    if (!frames.own) frames.count = sn_frame_count(length, rate);
    return frames;
}

const char *cli_cache_name(const char *to, int32_t frames, char *text, size_t size)
{
    size_t n = strlen(to);
    if (n < 4 || strcmp(to + n - 4, ".obj") != 0) return to;
    int stem = (int)n - 4;
    (void)snprintf(text, size, "%.*s.0001.obj to %.*s.%04d.obj", stem, to, stem, to, (int)frames);
    if (frames == 1) (void)snprintf(text, size, "%.*s.0001.obj", stem, to);
    return text;
}

double cli_frame_time(const snFrames *frames, int32_t index)
{
    if (frames->own) return sn_track_time(frames->replay, index);
    return sn_track_time(frames->replay, 0) + index / frames->rate;
}

snStatus cli_choose_frames(snCli *cli, const snTrack *replay, snFrames *frames, int32_t *first, int32_t *count)
{
    const char *text = cli_option_text(cli, "frames", ":");
    *frames = cli_frames(replay, cli_option_number(cli, "frame-rate", 0));
    int32_t last = frames->count - 1;
    char *end;
    long from = strtol(text, &end, 10), to = last;
    if (*end++ != ':') return cli_fail(cli, SN_USAGE, "--frames needs FIRST:LAST, not '%s'", text);
    if (*end) to = strtol(end, &end, 10);
    if (*end) return cli_fail(cli, SN_USAGE, "--frames needs FIRST:LAST, not '%s'", text);
    if (from < 0 || to < from || to > last)
        return cli_fail(cli, SN_BAD_INPUT, "--frames %s: the frames go from 0 to %d", text, (int)last);
    *first = (int32_t)from, *count = (int32_t)(to - from) + 1;
    return SN_OK;
}

bool cli_is_replay(const char *path)
{
    return cli_ends_with(path, ".replay.xml") || cli_ends_with(path, ".replay.xml.gz") ||
           cli_ends_with(path, ".replay.bin");
}

bool cli_is_track(const char *path)
{
    return cli_is_replay(path) || cli_ends_with(path, ".control.xml") || cli_ends_with(path, ".control.xml.gz");
}

void cli_stem(const char *path, char *stem, size_t size)
{
    static const char *const endings[] = {".replay.xml.gz", ".replay.xml", ".replay.bin", ".control.xml.gz",
                                          ".control.xml",   ".sto",        ".csv",        ".xml"};
    (void)snprintf(stem, size, "%s", path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        if (!cli_ends_with(stem, endings[i])) continue;
        stem[strlen(stem) - strlen(endings[i])] = '\0';
        return;
    }
}

int64_t cli_file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}
