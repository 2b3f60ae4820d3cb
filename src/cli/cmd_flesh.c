/* sinew flesh: soft tissue of a model over a replay, with the skin embedded in it, as a point cache. */
#include "flesh_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct snFleshRun {
    snCli *cli;
    const char *to;
    snSpec *spec;
    snTrack *replay;
    snFlesh *flesh; /* the deformer's */
    snDeformed deformed;
    snCacheDef cache;
    snFleshDef def;
    snFrames frames;
    int32_t first, count, kept; /* frames to do; of them in OUT already, by an earlier run */
    snCacheReader *old;         /* that */
    snJournal *journal;         /* OUT.resume: the frames after those, and the state at the last one */
    int32_t resumed;            /* frames that were in it */
    char journal_path[4200];
    void *state;
    snText report;
    double start, seconds, low, high, least, deepest; /* what came out */
    int32_t done, unconverged, inverted, contacts;
    snFleshTape tape;
} snFleshRun;

static const char HEADING[] =
    "frame,time_s,newton,cg,energy_J,volume_ratio,least_J,inverted,largest_step_mm,contacts,converged,seconds,"
    "deepest_mm,section_cm2\n";

static snStatus read_format(snFleshRun *run)
{
    run->cache = sn_default_cache_def();
    if (cli_ends_with(run->to, ".pc2"))
        run->cache.format = SN_CACHE_PC2;
    else if (cli_ends_with(run->to, ".mdd"))
        run->cache.format = SN_CACHE_MDD;
    else if (cli_ends_with(run->to, ".obj"))
        run->cache.format = SN_CACHE_OBJ;
    else
        return cli_fail(run->cli, SN_USAGE, "-o %s: flesh is written as .pc2, .mdd or .obj", run->to);
    return SN_OK;
}

static snStatus read_options(snFleshRun *run)
{
    snCli *cli = run->cli;
    snFleshDef *d = &run->def;
    run->to = cli_option_text(cli, "o", NULL);
    if (!run->to) return cli_fail(cli, SN_USAGE, "-o OUT is missing: a .pc2, .mdd or .obj to write");
    snStatus status = read_format(run);
    if (status != SN_OK) return status;
    *d = sn_default_flesh_def();
    cli_flesh_quality(cli, "quality", d);
    d->mesh = cli_option_text(cli, "mesh", NULL);
    d->tetrahedra = (int32_t)cli_option_number(cli, "tetrahedra", d->tetrahedra);
    d->spacing = cli_option_number(cli, "spacing", 0) / 1e3;
    d->sizes = (int32_t)cli_option_number(cli, "cell-sizes", d->sizes);
    d->kappa = cli_option_number(cli, "bulk", d->kappa / 1e6) * 1e6;
    d->mu10 *= cli_option_number(cli, "stiffness", 1), d->mu01 *= cli_option_number(cli, "stiffness", 1);
    d->muscle_stress = cli_option_number(cli, "muscle-stress", d->muscle_stress / 1e6) * 1e6;
    d->cover = cli_option_number(cli, "cover", d->cover * 1e3) / 1e3;
    d->tolerance = cli_option_number(cli, "tolerance", d->tolerance * 1e3) / 1e3;
    d->gravity = !cli_given(cli, "no-gravity"), d->contact = !cli_given(cli, "no-contact");
    d->muscles = cli_given(cli, "muscles");
    d->threads = cli->threads;
    status = cli_tape_read(run->cli, &run->tape);
    return status == SN_OK ? cli_check_output(cli, run->to) : status;
}

static void tell_size(snFleshRun *run)
{
    snCli *cli = run->cli;
    snFleshSize size = sn_flesh_size(run->flesh);
    cli_say(cli, "%d tetrahedra of %.2f mm, %d nodes, %d bones, %.3g of %.3g l muscle, %.0f MB; made in %.3g s\n",
            size.tetrahedra, 1e3 * size.spacing, size.nodes, size.bones, 1e3 * size.muscle_volume, 1e3 * size.volume,
            (double)size.bytes / 1e6, cli_seconds() - run->start);
    if (run->def.sizes > 1)
        cli_say(cli, "cells of %d sizes: %d tetrahedra of %.2f mm, %d of %.2f mm, %d of %.2f mm\n", run->def.sizes,
                size.tetrahedra_of[0], 1e3 * size.spacing, size.tetrahedra_of[1], 2e3 * size.spacing,
                size.tetrahedra_of[2], 4e3 * size.spacing);
    if (size.muscles_outside > 0)
        cli_warn(cli, "muscles outside the surface, which have no effect: %d, such as %s", size.muscles_outside,
                 size.first_outside);
    if (size.muscles_thin > 0)
        cli_warn(cli,
                 "muscles thinner than the cells, which have no effect: %d; the thinnest, %s, needs --spacing %.2g",
                 size.muscles_thin, size.thinnest, 1e3 * size.thin_spacing);
    if (size.parts_dropped > 0) cli_warn(cli, "left out loose parts that no bone holds: %d", size.parts_dropped);
    json_integer(&cli->json, "tetrahedra", size.tetrahedra);
    json_number(&cli->json, "spacing_mm", 1e3 * size.spacing);
    json_open(&cli->json, "tetrahedra_of_size", '[');
    for (int i = 0; i < 3; ++i) json_integer(&cli->json, NULL, size.tetrahedra_of[i]);
    json_close(&cli->json, ']');
    json_integer(&cli->json, "nodes", size.nodes);
    json_number(&cli->json, "volume_l", 1e3 * size.volume);
    json_number(&cli->json, "muscle_l", 1e3 * size.muscle_volume);
    json_integer(&cli->json, "muscles_outside", size.muscles_outside);
    json_integer(&cli->json, "muscles_thin", size.muscles_thin);
    json_number(&cli->json, "bytes", (double)size.bytes);
}

static snStatus make_flesh(snFleshRun *run)
{
    snStatus status = cli_flesh_open(run->cli, run->spec, run->replay, &run->def, &run->flesh, &run->deformed);
    if (status == SN_OK) tell_size(run);
    if (status == SN_OK) status = cli_tape_start(run->cli, &run->tape, run->flesh, run->deformed.vertex);
    return status;
}

/* The surface as drawn, for programs that play the cache on it. */
static snStatus save_surface(snFleshRun *run)
{
    const char *path = cli_option_text(run->cli, "surface", NULL);
    snError error = {0};
    if (!path) return SN_OK;
    snMesh mesh = {.nvertex = run->deformed.nvertex,
                   .ntriangle = run->deformed.ntriangle,
                   .vertex = run->deformed.vertex,
                   .triangle = run->deformed.triangle};
    snStatus status = sn_save_mesh(&mesh, path, &error);
    if (status == SN_OK) cli_say(run->cli, "wrote %s\n", path);
    return cli_fail_file(run->cli, status, &error, path);
}

/* Frames that an interrupted run has left. */
static snStatus read_old(snFleshRun *run)
{
    snCli *cli = run->cli;
    snError error = {0};
    if (!cli_given(cli, "resume") || cli_file_size(run->to) == 0 || run->cache.format != SN_CACHE_PC2) return SN_OK;
    snStatus status = cli_fail_file(cli, sn_cache_open(run->to, &run->old, &error), &error, run->to);
    if (status != SN_OK) return status;
    int32_t points = sn_cache_def(run->old)->npoint, frames = sn_cache_def(run->old)->frames;
    if (points != run->deformed.nvertex)
        return cli_fail(cli, SN_BAD_INPUT, "%s has %d points, this flesh has %d: it cannot be continued", run->to,
                        (int)points, (int)run->deformed.nvertex);
    run->kept = frames < run->count ? frames : run->count;
    return SN_OK;
}

/* ---- the journal ---------------------------------------------------------------------------- */

/* What a frame is told by, in this order; the report has the same columns. */
enum { ROW = 13 };
static const char *const row_name[ROW] = {"frame",   "newton",   "cg",     "energy",   "volume_ratio",
                                          "least_j", "inverted", "step",   "contacts", "converged",
                                          "seconds", "section",  "deepest"};

/* What makes this run this run. Which options were given is taken as it stands. */
static snStatus list_settings(snFleshRun *run, int32_t after, snText *s)
{
    static const char *const other[] = {"o",       "frames", "resume",   "report", "surface",
                                        "threads", "json",   "progress", "quiet"};
    snCli *cli = run->cli;
    snStatus status = cli_list_run(cli, s, "flesh", run->spec);
    if (status != SN_OK) return status;
    text_add(s, "replay: %s (%016llx)\nfirst frame: %d\nafter: %d\n", cli_file_name(cli->argument[1]),
             (unsigned long long)sn_hash_track(run->replay), run->first, after);
    for (int i = 0; i < cli->nset; ++i) {
        bool matters = true;
        for (size_t k = 0; k < sizeof other / sizeof *other; ++k)
            matters = matters && strcmp(cli->set[i]->name, other[k]) != 0;
        if (matters) text_add(s, "%s: %s\n", cli->set[i]->name, cli->set_value[i][0] ? cli->set_value[i] : "yes");
    }
    return s->text ? SN_OK : cli_fail(cli, SN_NO_MEMORY, "out of memory");
}

/* SN_NO_FILE: there is none, and nothing is said. */
static snStatus continue_journal(snFleshRun *run, int32_t after, snError *error)
{
    snText settings = {0};
    snStatus status = list_settings(run, after, &settings);
    if (status == SN_OK) status = sn_journal_open(run->journal_path, settings.text, &run->journal, error);
    text_free(&settings);
    return status;
}

static snStatus begin_journal(snFleshRun *run)
{
    snError error = {0};
    snText settings = {0};
    const char *name = "surface";
    snTrackDef columns = sn_default_track_def();
    columns.model = "", columns.nstrand = 1, columns.strand_name = &name;
    columns.strand_npoint = &run->deformed.nvertex, columns.nscalar = ROW, columns.scalar_name = row_name;
    snStatus status = list_settings(run, run->kept, &settings);
    snJournalDef def = sn_default_journal_def();
    def.columns = &columns, def.settings = settings.text, def.checkpoint_size = sn_flesh_save(run->flesh, NULL);
    if (status == SN_OK)
        status = cli_fail_file(run->cli, sn_journal_create(&def, run->journal_path, &run->journal, &error), &error,
                               run->journal_path);
    text_free(&settings);
    return status;
}

/* Continues what was killed or stopped; else begins, after the frames of an earlier run where --resume asks for it. */
static snStatus open_journal(snFleshRun *run)
{
    snCli *cli = run->cli;
    snError error = {0};
    (void)snprintf(run->journal_path, sizeof run->journal_path, "%.4096s.resume", run->to);
    run->state = malloc(sn_flesh_save(run->flesh, NULL) + 1);
    if (!run->state) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = cli_given(cli, "resume") ? continue_journal(run, 0, &error) : SN_NO_FILE;
    if (status == SN_BAD_INPUT && run->kept > 0 && continue_journal(run, run->kept, &error) == SN_OK)
        status = SN_OK;
    else if (status == SN_OK)
        run->kept = 0;
    if (status == SN_NO_FILE) return begin_journal(run);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, run->journal_path);
    run->resumed = sn_journal_frames(run->journal);
    if (run->resumed > run->count - run->kept)
        return cli_fail(cli, SN_BAD_INPUT,
                        "--resume: the interrupted run has %d frames already, but the range has only %d", run->resumed,
                        run->count - run->kept);
    if (run->resumed > 0) cli_say(cli, "continued after frame %d\n", run->resumed);
    size_t size = 0;
    const void *state = sn_journal_checkpoint(run->journal, &size);
    status = run->resumed > 0 ? sn_flesh_load(run->flesh, state, size, &error) : SN_OK;
    return cli_fail_file(cli, status, &error, run->journal_path);
}

static snStatus keep_frame(snFleshRun *run, int32_t frame, double time, const double *vertex, snError *error)
{
    snFleshInfo i = sn_flesh_info(run->flesh);
    const double row[ROW] = {frame,     i.newton,       i.cg,           i.energy,   i.volume_ratio,
                             i.least_j, i.inverted,     1e3 * i.step,   i.contacts, i.converged,
                             i.seconds, run->tape.area, 1e3 * i.deepest};
    snTrackFrame kept = {time, NULL, vertex, row};
    if (!i.converged)
        cli_warn(run->cli, "frame %d did not reach equilibrium (largest step %.3g mm)", frame, 1e3 * i.step);
    (void)sn_flesh_save(run->flesh, run->state);
    return sn_journal_append(run->journal, &kept, run->state, error);
}

/* ---- the report ------------------------------------------------------------------------------- */

/* The rows that belong to the frames of an earlier run. */
static void read_old_report(snFleshRun *run)
{
    const char *path = cli_option_text(run->cli, "report", NULL);
    size_t size = 0;
    char *text = path && run->kept > 0 ? cli_read_bytes(path, &size) : NULL;
    text_add(&run->report, "%s", HEADING);
    const char *at = text, *end = text ? text + size : NULL;
    for (int32_t row = 0; at && at < end && row <= run->kept; ++row) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        if (!line) break;
        if (row > 0) text_add(&run->report, "%.*s\n", (int)(line - at), at);
        at = line + 1;
    }
    free(text);
}

static void note_frame(snFleshRun *run, const snTrackFrame *frame)
{
    const double *r = frame->scalar;
    run->low = fmin(run->low, r[4]), run->high = fmax(run->high, r[4]);
    run->least = fmin(run->least, r[5]);
    run->unconverged += r[9] == 0, run->inverted += (int32_t)r[6];
    if ((int32_t)r[8] > run->contacts) run->contacts = (int32_t)r[8];
    text_add(&run->report, "%.0f,%.6g,%.0f,%.0f,%.6g,%.6f,%.4f,%.0f,%.5f,%.0f,%.0f,%.4f", r[0], frame->time, r[1], r[2],
             r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10]);
    text_add(&run->report, ",%.3f", r[12]);
    if (r[11] > 0) text_add(&run->report, ",%.3f\n", 1e4 * r[11]);
    if (!(r[11] > 0)) text_add(&run->report, ",\n");
    run->deepest = fmax(run->deepest, r[12]);
    cli_tape_note(&run->tape, r[11]);
}

/* Shows how far it is and how long the rest will take at the pace so far. */
static int show_progress(snFleshRun *run, int32_t frame)
{
    char stage[64] = "flesh";
    double left = run->seconds / fmax(run->done, 1) * (run->count - frame);
    if (run->cli->progress == SN_PROGRESS_BAR)
        (void)snprintf(stage, sizeof stage, "flesh, %d:%02d left", (int)(left / 60), (int)fmod(left, 60));
    return cli_progress(run->cli, stage, frame, run->count);
}

/* The frames that are there already, one after the other. */
static snStatus copy_old(snFleshRun *run, snCacheWriter *writer, double *vertex, snError *error)
{
    size_t n = 3 * (size_t)run->deformed.nvertex;
    float *point = run->kept > 0 ? malloc(n * sizeof *point) : NULL;
    snStatus status = run->kept > 0 && !point ? SN_NO_MEMORY : SN_OK;
    for (int32_t k = 0; k < run->kept && status == SN_OK; ++k) {
        status = sn_cache_next(run->old, point, error);
        for (size_t i = 0; i < n && status == SN_OK; ++i) vertex[i] = (double)point[i];
        if (status == SN_OK) status = sn_cache_append(writer, vertex, error);
    }
    free(point);
    return status;
}

/* Makes the frames that are not there yet; each is in the journal before the next one begins. */
static snStatus make_frames(snFleshRun *run, double *vertex, snError *error)
{
    for (int32_t k = run->kept + run->resumed; k < run->count; ++k) {
        double time = cli_frame_time(&run->frames, run->first + k), before = cli_seconds();
        snFrame frame = *sn_playback_at(run->deformed.playback, time);
        frame.restart = k == run->kept;
        snStatus status = sn_deform(run->deformed.deformer, &frame, vertex, error);
        if (status == SN_OK) status = cli_tape_measure(&run->tape, run->flesh, vertex, error);
        if (status == SN_OK) status = keep_frame(run, run->first + k, time, vertex, error);
        if (status != SN_OK) return status;
        run->seconds += cli_seconds() - before;
        ++run->done;
        if (show_progress(run, k + 1)) return SN_CANCELLED;
    }
    return SN_OK;
}

static snStatus copy_journal(snFleshRun *run, snCacheWriter *writer, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t k = 0; k < sn_journal_frames(run->journal) && status == SN_OK; ++k) {
        snTrackFrame frame;
        status = sn_journal_frame(run->journal, k, &frame, error);
        if (status == SN_OK) note_frame(run, &frame);
        if (status == SN_OK) status = sn_cache_append(writer, frame.point, error);
    }
    return status;
}

/* All frames so far under the name that was asked for. */
static snStatus write_cache(snFleshRun *run, double *vertex, snError *error)
{
    const snDeformed *d = &run->deformed;
    snCacheWriter *writer = NULL;
    run->cache.npoint = d->nvertex, run->cache.ntriangle = d->ntriangle, run->cache.triangle = d->triangle;
    run->cache.frames = run->count, run->cache.rate = run->frames.rate;
    run->low = run->least = INFINITY;
    read_old_report(run);
    snStatus status = sn_cache_create(&run->cache, run->to, &writer, error);
    if (status != SN_OK) return status;
    status = copy_old(run, writer, vertex, error);
    if (status == SN_OK) status = copy_journal(run, writer, error);
    if (status == SN_OK)
        status = sn_cache_finish(writer, error);
    else
        sn_cache_abandon(writer);
    const char *path = cli_option_text(run->cli, "report", NULL);
    if (status == SN_OK && path)
        status = run->report.text ? cli_save_text(run->cli, path, run->report.text) : SN_NO_MEMORY;
    return status;
}

static snStatus simulate(snFleshRun *run)
{
    snError error = {0};
    double *vertex = malloc(3 * (size_t)run->deformed.nvertex * sizeof *vertex);
    snStatus status = vertex ? make_frames(run, vertex, &error) : SN_NO_MEMORY;
    if (status == SN_OK || status == SN_CANCELLED) { /* what is finished is kept */
        snStatus written = write_cache(run, vertex, &error);
        if (written != SN_OK) status = written;
    }
    free(vertex);
    cli_progress_end(run->cli);
    if (status == SN_OK) sn_journal_remove(run->journal), run->journal = NULL;
    return cli_fail_file(run->cli, status, &error, run->to);
}

static void tell(snFleshRun *run)
{
    snCli *cli = run->cli;
    double mean = run->done > 0 ? run->seconds / run->done : 0;
    if (run->resumed + run->done == 0) run->low = run->high = run->least = 1;
    cli_say(cli, "%d frames of %d points, %.3g s each; volume %.2f to %.2f %%, least J %.2f\n",
            run->kept + run->resumed + run->done, run->deformed.nvertex, mean, 100 * run->low, 100 * run->high,
            run->least);
    if (run->unconverged > 0) cli_say(cli, "%d frames did not reach equilibrium\n", run->unconverged);
    if (run->contacts > 0 || run->deepest > 0)
        cli_say(cli, "up to %d points touch another part; the deepest is %.2g mm inside it\n", run->contacts,
                run->deepest);
    cli_tape_tell(cli, &run->tape);
    char name[CLI_CACHE_NAME];
    cli_say(cli, "wrote %s\n", cli_cache_name(run->to, run->kept + run->resumed + run->done, name, sizeof name));
    json_string(&cli->json, "file", run->to);
    json_integer(&cli->json, "frames", run->kept + run->resumed + run->done);
    json_integer(&cli->json, "frames_kept", run->kept + run->resumed);
    json_integer(&cli->json, "points", run->deformed.nvertex);
    json_number(&cli->json, "seconds", cli_seconds() - run->start);
    json_number(&cli->json, "frame_s_mean", mean);
    json_number(&cli->json, "volume_ratio_min", run->low);
    json_number(&cli->json, "volume_ratio_max", run->high);
    json_number(&cli->json, "least_j", run->least);
    json_integer(&cli->json, "inverted", run->inverted);
    json_integer(&cli->json, "contacts", run->contacts);
    json_number(&cli->json, "deepest_mm", run->deepest);
    json_integer(&cli->json, "unconverged_frames", run->unconverged);
}

static snStatus set_up(snFleshRun *run)
{
    snCli *cli = run->cli;
    run->start = cli_seconds();
    snStatus status = read_options(run);
    if (status == SN_OK) status = cli_load_replay(cli, cli->argument[1], &run->replay);
    if (status == SN_OK) status = cli_replay_model(cli, run->replay, cli->argument[1], cli->argument[0], &run->spec);
    if (status == SN_OK) status = cli_choose_frames(cli, run->replay, &run->frames, &run->first, &run->count);
    if (status == SN_OK && cli_given(cli, "jiggle")) run->def.jiggle = 1 / run->frames.rate;
    if (status == SN_OK) status = make_flesh(run);
    if (status == SN_OK) status = save_surface(run);
    if (status == SN_OK) status = read_old(run);
    if (status == SN_OK) status = open_journal(run);
    return status;
}

static snStatus run_command(snCli *cli)
{
    snFleshRun run = {.cli = cli};
    snStatus status = set_up(&run);
    if (status == SN_OK) {
        status = simulate(&run);
        if (status == SN_OK || status == SN_CANCELLED) tell(&run);
    }
    cli_deform_close(&run.deformed);
    sn_cache_close(run.old);
    sn_journal_close(run.journal);
    free(run.state);
    text_free(&run.report);
    if (run.replay) sn_track_destroy(run.replay);
    if (run.spec) sn_spec_destroy(run.spec);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "the .pc2, .mdd or .obj to write", 0, 0},
    {"quality", SN_OPTION_CHOICE, "draft|preview|final",
     "25,000 tetrahedra, 0.2 mm; 50,000, 0.05 mm; 100,000, 0.01 mm (final)", 0, 0},
    {"tetrahedra", SN_OPTION_COUNT, "N",
     "approximate number of tetrahedra (100000), or as many as the thinnest part needs", 100, 1e8},
    {"spacing", SN_OPTION_NUMBER, "MM", "edge of the lattice cubes, instead of --tetrahedra", 0.01, 1000},
    {"cell-sizes", SN_OPTION_COUNT, "N",
     "sizes of cells (1): 2 adds cells of twice the spacing deep inside, 3 also of four times", 1, 3},
    {"frames", SN_OPTION_TEXT, "FIRST:LAST",
     "only these frames, counted from 0; leave out either for all before or after", 0, 0},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second, interpolated (the replay's own)", 1, 1000},
    {"resume", SN_OPTION_FLAG, "", "continue after the last frame of an interrupted run, or of a shorter one in a .pc2",
     0, 0},
    {"report", SN_OPTION_TEXT, "FILE", "write a .csv with energy, iterations, volume and least J of each frame", 0, 0},
    {"section", SN_OPTION_TEXT, "BONE[@PLACE]",
     "measure the skin across this bone, 0 to 1 of the way down it (0.5), in each frame", 0, 0},
    {"surface", SN_OPTION_TEXT, "FILE", "write the surface as drawn (.obj .ply .stl), to play the cache on", 0, 0},
    {"muscles", SN_OPTION_FLAG, "", "write the muscle meshes of the scene too, after the skin", 0, 0},
    {"mesh", SN_OPTION_TEXT, "NODE", "closed mesh of the scene that is the surface (the model's skin)", 0, 0},
    {"cover", SN_OPTION_NUMBER, "MM", "flesh over bones and muscles of a model without skin (5)", 0.1, 100},
    {"stiffness", SN_OPTION_NUMBER, "X", "factor on the stiffness of the flesh (1: 20 and 60 kPa)", 1e-3, 1e3},
    {"bulk", SN_OPTION_NUMBER, "MPA", "bulk modulus (10)", 1e-3, 1e4},
    {"muscle-stress", SN_OPTION_NUMBER, "MPA", "stress of fully active muscle (0.3)", 0, 10},
    {"tolerance", SN_OPTION_NUMBER, "MM", "how far a frame may be from equilibrium (by quality)", 1e-6, 10},
    {"jiggle", SN_OPTION_FLAG, "", "with inertia: the flesh swings after the bones", 0, 0},
    {"no-gravity", SN_OPTION_FLAG, "", "without gravity", 0, 0},
    {"no-contact", SN_OPTION_FLAG, "", "parts of the skin may pass through each other", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_flesh = {
    .name = "flesh",
    .arguments = "MODEL REPLAY -o OUT",
    .about = "Simulate soft tissue by finite elements, with the skin embedded in it",
    .details = "The surface is filled with tetrahedra, held by the bones and pulled by the muscles; each frame is "
               "their equilibrium.\n"
               "A model without skin gets a surface grown over its bones and muscles; --surface saves it.\n"
               "While it runs, every finished frame is in OUT.resume. After Ctrl-C, a crash or a power failure run the "
               "same command\n"
               "with --resume: it continues after the last frame kept, and the result is the same bit for bit.",
    .example = "sinew flesh hand out.replay.xml -o out.pc2 --quality preview --frame-rate 24",
    .output = "... tetrahedra of ... mm, ... nodes, 19 bones, ... of ... l muscle, ... MB; made in ... s\n"
              "82 frames of 19027 points, ... s each; volume ... to ... %, least J ...\n"
              "wrote out.pc2",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run_command,
};
