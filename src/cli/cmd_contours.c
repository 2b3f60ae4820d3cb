/* sinew contours: a muscle's contours in a stack of slices, grown from a seed. */
#include "slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 256 };

typedef struct Work {
    snStack stack;
    snContours contours; /* those of the output file, where there is one */
    snContours truth;
    double seed[3 * MOST], wall[5 * MOST];
    snGrowDef def;
    char name[SN_MUSCLE_NAME];
} Work;

/* Numbers of an option that may be repeated, behind those that are there. */
static snStatus gather(snCli *cli, const char *option, int width, double *number, int32_t *count)
{
    const char *text;
    for (int i = 0; (text = cli_option_nth(cli, option, i)) != NULL; ++i) {
        if (*count == MOST) return cli_fail(cli, SN_USAGE, "--%s can be given %d times at most", option, MOST);
        snStatus status = cli_numbers(cli, option, text, width, number + width * *count);
        if (status != SN_OK) return status;
        ++*count;
    }
    return SN_OK;
}

/* Which muscle of the file is meant where neither a name nor a seed says so: the only one. */
static snStatus name_muscle(snCli *cli, Work *w, const char *path)
{
    if (cli_given(cli, "muscle") || cli_given(cli, "seed") || sn_contours_find(&w->contours, w->def.name)) return SN_OK;
    if (w->contours.nmuscle > 1)
        return cli_fail(cli, SN_USAGE, "%s has %d muscles: choose one, such as --muscle %s", path,
                        (int)w->contours.nmuscle, w->contours.muscle[0].name);
    if (w->contours.nmuscle == 1) {
        snprintf(w->name, sizeof w->name, "%s", w->contours.muscle[0].name);
        w->def.name = w->name;
    }
    return SN_OK;
}

/* Seeds, walls, grey values and slices drawn by hand of an earlier run. */
static snStatus continue_from(snCli *cli, Work *w, const char *path)
{
    const snStackPlace *a = &w->stack.place, *b = &w->contours.place;
    for (int c = 0; c < 3; ++c)
        if (a->n[c] != b->n[c] || fabs(a->spacing[c] - b->spacing[c]) > 1e-6)
            return cli_fail(cli, SN_BAD_INPUT,
                            "%s belongs to another stack: %d x %d pixels, %d slices (choose another -o)", path,
                            (int)b->n[0], (int)b->n[1], (int)b->n[2]);
    snStatus status = name_muscle(cli, w, path);
    if (status != SN_OK) return status;
    const snOutline *old = sn_contours_find(&w->contours, w->def.name);
    if (!old) return SN_OK;
    w->def.kept = old;
    if (cli_given(cli, "fresh")) {
        w->def.kept = NULL;
        return SN_OK;
    }
    if (old->nseed > MOST / 2 || old->nwall > MOST / 2)
        return cli_fail(cli, SN_BAD_INPUT, "%s: more than %d seeds or walls", path, MOST / 2);
    memcpy(w->seed, old->seed, 3 * (size_t)old->nseed * sizeof(double));
    memcpy(w->wall, old->wall, 5 * (size_t)old->nwall * sizeof(double));
    w->def.nseed = old->nseed, w->def.nwall = old->nwall;
    return SN_OK;
}

static snStatus read_def(snCli *cli, Work *w)
{
    snGrowDef *def = &w->def;
    def->seed = w->seed, def->wall = w->wall;
    snStatus status = gather(cli, "seed", 3, w->seed, &def->nseed);
    if (status == SN_OK) status = gather(cli, "wall", 5, w->wall, &def->nwall);
    if (status != SN_OK) return status;
    if (def->nseed == 0)
        return cli_fail(cli, SN_USAGE, "--seed X,Y,SLICE is missing: a pixel inside the muscle, counted from 0");
    def->low = cli_option_number(cli, "low", NAN);
    def->high = cli_option_number(cli, "high", NAN);
    def->opening = (int32_t)cli_option_number(cli, "opening", def->opening);
    def->jump = cli_option_number(cli, "jump", def->jump);
    def->bridge = (int32_t)cli_option_number(cli, "bridge", def->bridge);
    def->progress = cli_progress_callback(cli);
    return SN_OK;
}

static snStatus load(snCli *cli, Work *w, const char *out)
{
    const char *path = cli->argument[0], *text = cli_option_text(cli, "spacing", NULL);
    snError error = {0};
    double spacing[3];
    snStatus status = text ? cli_numbers(cli, "spacing", text, 3, spacing) : SN_OK;
    if (status != SN_OK) return status;
    for (int c = 0; c < 3; ++c) spacing[c] *= 1e-3;
    status = sn_load_stack(path, text ? spacing : NULL, &w->stack, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, path);
    status = sn_load_contours(out, &w->contours, &error);
    if (status == SN_NO_FILE) {
        w->contours.place = w->stack.place;
        status = SN_OK;
    } else if (status == SN_OK) {
        status = continue_from(cli, w, out);
    } else {
        status = cli_fail_file(cli, status, &error, out);
    }
    return status == SN_OK ? read_def(cli, w) : status;
}

/* The truth, if it is known: --truth, or the file beside the stack. */
static snStatus load_truth(snCli *cli, Work *w)
{
    char beside[CLI_SLICES_PATH];
    const char *path = cli_option_text(cli, "truth", NULL);
    snError error = {0};
    if (!path && cli_truth_path(cli->argument[0], beside)) {
        snStatus status = sn_load_contours(beside, &w->truth, &error);
        return status == SN_NO_FILE ? SN_OK : cli_fail_file(cli, status, &error, beside);
    }
    return path ? cli_fail_file(cli, sn_load_contours(path, &w->truth, &error), &error, path) : SN_OK;
}

static void say_slices(snCli *cli, const snOutline *m, snSliceState state, const char *text)
{
    if (sn_outline_count(m, state) == 0) return;
    cli_say(cli, "%s:", text);
    for (int32_t k = 0; k < m->nslice; ++k)
        if (m->slice[k].state == state) cli_say(cli, " %d", (int)k);
    cli_say(cli, "\n");
}

static void json_slices(snCli *cli, const snOutline *m, const char *key, snSliceState state)
{
    json_open(&cli->json, key, '[');
    for (int32_t k = 0; k < m->nslice; ++k)
        if (m->slice[k].state == state) json_integer(&cli->json, NULL, k);
    json_close(&cli->json, ']');
}

static void report(snCli *cli, const Work *w, const snOutline *m, const char *out)
{
    int32_t slices = m->nslice - sn_outline_count(m, SN_SLICE_EMPTY), leaking = sn_outline_count(m, SN_SLICE_LEAKING);
    cli_say(cli, "%s: contours in %d of %d slices, grey values %.4g to %.4g\n", m->name, (int)slices, (int)m->nslice,
            m->low, m->high);
    say_slices(cli, m, SN_SLICE_LEAKING, "leaking slices, please check");
    say_slices(cli, m, SN_SLICE_BRIDGED, "bridged slices");
    say_slices(cli, m, SN_SLICE_HAND, "slices drawn by hand");
    json_string(&cli->json, "muscle", m->name);
    json_integer(&cli->json, "slices", slices);
    json_integer(&cli->json, "leaking", leaking);
    json_slices(cli, m, "leaking_slices", SN_SLICE_LEAKING);
    json_slices(cli, m, "bridged_slices", SN_SLICE_BRIDGED);
    json_slices(cli, m, "hand_slices", SN_SLICE_HAND);
    json_number(&cli->json, "low", m->low);
    json_number(&cli->json, "high", m->high);
    const snOutline *truth = w->truth.nmuscle ? sn_contours_find(&w->truth, NULL) : NULL;
    if (truth && truth->nslice == m->nslice) {
        double dice = sn_outline_dice(m, truth);
        cli_say(cli, "Dice %.4f against the truth\n", dice);
        json_number(&cli->json, "dice", dice);
        json_open(&cli->json, "slice_dice", '[');
        for (int32_t k = 0; k < m->nslice; ++k)
            json_number(&cli->json, NULL, sn_slice_dice(m->slice + k, truth->slice + k));
        json_close(&cli->json, ']');
    }
    cli_say(cli, "%s\n", out);
    json_string(&cli->json, "contours", out);
}

static snStatus grow(snCli *cli, Work *w, const char *out)
{
    snOutline made = {0};
    snError error = {0};
    snStatus status = sn_grow_contours(&w->stack, &w->def, &made, &error);
    cli_progress_end(cli);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    status = sn_contours_put(&w->contours, &made, &error);
    sn_outline_free(&made);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    const char *picture = cli_option_text(cli, "picture", NULL);
    const snOutline *m = sn_contours_find(&w->contours, w->def.name);
    status = cli_fail_file(cli, sn_save_contours(&w->contours, out, &error), &error, out);
    if (status == SN_OK && picture)
        status = cli_fail_file(cli, sn_save_contour_picture(&w->stack, m, picture, &error), &error, picture);
    if (status == SN_OK) report(cli, w, m, out);
    return status;
}

/* A picture among the slices would be taken for one of them, and the contours must not replace the true ones. */
static snStatus check_places(snCli *cli, const char *out, const char *picture)
{
    const char *stack = cli->argument[0], *slash = picture ? strrchr(picture, '/') : NULL;
    char folder[CLI_SLICES_PATH], truth[CLI_SLICES_PATH];
    struct stat a, b;
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - picture) + 1 : 1, slash ? picture : ".");
    if (picture && stat(folder, &a) == 0 && stat(stack, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return cli_fail(cli, SN_USAGE, "--picture %s would lie among the slices of %s: put it elsewhere", picture,
                        stack);
    if (cli_truth_path(stack, truth) && stat(out, &a) == 0 && stat(truth, &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        return cli_fail(cli, SN_USAGE, "%s holds the true contours: give the output another name", out);
    return cli_check_output(cli, out);
}

static snStatus run(snCli *cli)
{
    const char *out = cli_option_text(cli, "o", NULL), *picture = cli_option_text(cli, "picture", NULL);
    if (!out) return cli_fail(cli, SN_USAGE, "-o FILE.contours.xml is missing");
    if (!cli_ends_with(out, ".contours.xml")) return cli_fail(cli, SN_USAGE, "-o %s: expected a .contours.xml", out);
    if (picture && !cli_ends_with(picture, ".png"))
        return cli_fail(cli, SN_USAGE, "--picture %s: expected a .png", picture);
    Work *w = calloc(1, sizeof *w);
    if (!w) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    w->def = sn_default_grow_def();
    w->def.name = cli_option_text(cli, "muscle", w->def.name);
    snStatus status = strlen(w->def.name) < SN_MUSCLE_NAME ? check_places(cli, out, picture)
                                                           : cli_fail(cli, SN_USAGE, "--muscle: the name is too long");
    if (status == SN_OK) status = load(cli, w, out);
    if (status == SN_OK) status = load_truth(cli, w);
    if (status == SN_OK) status = grow(cli, w, out);
    sn_stack_free(&w->stack);
    sn_contours_free(&w->contours);
    sn_contours_free(&w->truth);
    free(w);
    return status;
}

static const snOption options[] = {
    {"seed", SN_OPTION_TEXT, "X,Y,SLICE", "a pixel inside the muscle, counted from 0; may be repeated", 0, 0},
    {"o", SN_OPTION_TEXT, "FILE", "where to write the contours, a .contours.xml; its other muscles are kept", 0, 0},
    {"muscle", SN_OPTION_TEXT, "NAME", "name of the muscle in that file (the only one in it, or muscle)", 0, 0},
    {"wall", SN_OPTION_TEXT, "X,Y,X,Y,SLICE", "a line that the muscle does not cross in a slice; may be repeated", 0,
     0},
    {"fresh", SN_OPTION_FLAG, "", "ignore the seeds, walls and hand-drawn slices in the file", 0, 0},
    {"spacing", SN_OPTION_TEXT, "X,Y,Z", "spacing of columns, rows and slices in mm (the stack's own)", 0, 0},
    {"low", SN_OPTION_NUMBER, "V", "lowest grey value of the muscle (half-way to the next tissue)", 0, 0},
    {"high", SN_OPTION_NUMBER, "V", "highest grey value of the muscle (half-way to the next tissue)", 0, 0},
    {"opening", SN_OPTION_COUNT, "N", "cut necks narrower than 2 N pixels (4)", 0, 100},
    {"jump", SN_OPTION_NUMBER, "SHARE", "a slice leaks if more than this share of it is off its neighbour (0.08)", 0,
     10},
    {"bridge", SN_OPTION_COUNT, "N", "interpolate over at most N missing slices in a row (2)", 0, 20},
    {"picture", SN_OPTION_TEXT, "FILE.png", "also draw the slices with their contours", 0, 0},
    {"truth", SN_OPTION_TEXT, "FILE", "true contours to compare with (STACK.truth.contours.xml, if there is one)", 0,
     0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_contours = {
    .name = "contours",
    .arguments = "STACK --seed X,Y,SLICE -o FILE.contours.xml",
    .about = "Find the contours of a muscle in a stack of slice images",
    .details = "STACK is a folder of .png, .pgm or .ppm slices, or a .nii, .nii.gz or .nrrd file. The muscle is grown "
               "from the\n"
               "seed through the slices; slices in which it runs into its surroundings are cut there and reported as "
               "leaking.\n"
               "To correct a slice, draw a --wall, or edit its loops in the file and set state=\"hand\"; then run the "
               "command\n"
               "again with the same -o: seeds, walls and hand-drawn slices are taken from the file.",
    .example = "sinew contours heads --seed 99,72,22 --muscle biceps -o arm.contours.xml",
    .output = "biceps: contours in 49 of 60 slices, grey values 59.17 to 141.9\n...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
