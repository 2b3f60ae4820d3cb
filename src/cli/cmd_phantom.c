/* sinew phantom: slice images of a muscle whose contours and volume are known. */
#include "slices.h"

#include <stdio.h>
#include <string.h>

static snStatus read_def(snCli *cli, snPhantomDef *def)
{
    *def = sn_default_phantom_def();
    if (!sn_phantom_find(cli->argument[0], &def->kind))
        return cli_fail(cli, SN_USAGE, "%s: unknown phantom; expected spindle, bent, heads or branching",
                        cli->argument[0]);
    const char *text = cli_option_text(cli, "spacing", NULL);
    double number[3];
    if (text) {
        snStatus status = cli_numbers(cli, "spacing", text, 3, number);
        if (status != SN_OK) return status;
        for (int c = 0; c < 3; ++c) def->spacing[c] = 1e-3 * number[c];
    }
    text = cli_option_text(cli, "size", NULL);
    if (text) {
        snStatus status = cli_numbers(cli, "size", text, 3, number);
        if (status != SN_OK) return status;
        for (int c = 0; c < 3; ++c) {
            if (!(number[c] >= 1 && number[c] <= 4096))
                return cli_fail(cli, SN_USAGE, "--size %s: expected 1 to 4096", text);
            def->n[c] = (int32_t)number[c];
        }
    }
    def->noise = cli_option_number(cli, "noise", def->noise);
    def->bias = cli_option_number(cli, "bias", def->bias);
    def->holes = (int32_t)cli_option_number(cli, "holes", def->holes);
    def->gaps = (int32_t)cli_option_number(cli, "gaps", def->gaps);
    def->seed = (uint64_t)cli_option_number(cli, "random", (double)def->seed);
    def->neighbour = !cli_given(cli, "alone");
    return SN_OK;
}

/* A seed in the widest slice. */
static void suggest_seed(const snOutline *truth, int32_t seed[3])
{
    int32_t widest = 0;
    for (int32_t k = 1; k < truth->nslice; ++k)
        if (sn_slice_area(truth->slice + k) > sn_slice_area(truth->slice + widest)) widest = k;
    const snLoop *loop = truth->slice[widest].loop;
    double x = 0, y = 0;
    for (int32_t i = 0; i < loop->npoint; ++i)
        x += loop->point[2 * i] / loop->npoint, y += loop->point[2 * i + 1] / loop->npoint;
    seed[0] = (int32_t)(x + 0.5), seed[1] = (int32_t)(y + 0.5), seed[2] = widest;
}

static snStatus save(snCli *cli, const snStack *stack, const snContours *truth, const char *out)
{
    snError error = {0};
    char path[CLI_SLICES_PATH];
    snStatus status = sn_save_stack(stack, out, cli_option_text(cli, "format", "png"), &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, out);
    if (!cli_truth_path(out, path)) return cli_fail(cli, SN_USAGE, "-o %s: the name is too long", out);
    status = sn_save_contours(truth, path, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, path);
    int32_t seed[3];
    suggest_seed(truth->muscle, seed);
    int32_t slices = truth->muscle->nslice - sn_outline_count(truth->muscle, SN_SLICE_EMPTY);
    cli_say(cli, "%s: %d x %d pixels, %d slices, the muscle in %d of them, %.2f cm^3\n", out, (int)stack->place.n[0],
            (int)stack->place.n[1], (int)stack->place.n[2], (int)slices, truth->muscle->volume * 1e6);
    cli_say(cli, "%s\ngrow it with: sinew contours %s --seed %d,%d,%d -o %s.contours.xml\n", path, out, (int)seed[0],
            (int)seed[1], (int)seed[2], cli->argument[0]);
    json_string(&cli->json, "stack", out);
    json_string(&cli->json, "truth", path);
    json_integer(&cli->json, "slices", stack->place.n[2]);
    json_integer(&cli->json, "muscle_slices", slices);
    json_number(&cli->json, "volume", truth->muscle->volume);
    json_open(&cli->json, "seed", '[');
    for (int c = 0; c < 3; ++c) json_integer(&cli->json, NULL, seed[c]);
    json_close(&cli->json, ']');
    return SN_OK;
}

static snStatus run(snCli *cli)
{
    const char *out = cli_option_text(cli, "o", NULL);
    snPhantomDef def;
    snStack stack = {0};
    snContours truth = {0};
    snError error = {0};
    if (!out) return cli_fail(cli, SN_USAGE, "-o FOLDER is missing");
    snStatus status = cli_check_output(cli, out);
    if (status == SN_OK) status = read_def(cli, &def);
    if (status != SN_OK) return status;
    status = sn_make_phantom(&def, &stack, &truth, &error);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    status = save(cli, &stack, &truth, out);
    sn_stack_free(&stack);
    sn_contours_free(&truth);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "STACK", "a folder of slices, or a .nii, .nii.gz or .nrrd file", 0, 0},
    {"format", SN_OPTION_CHOICE, "png|pgm", "file format of the slices in a folder (png)", 0, 0},
    {"size", SN_OPTION_TEXT, "X,Y,Z", "columns, rows and slices (192,144,60)", 0, 0},
    {"spacing", SN_OPTION_TEXT, "X,Y,Z", "spacing of columns, rows and slices in mm (0.5,0.5,5)", 0, 0},
    {"noise", SN_OPTION_NUMBER, "S", "standard deviation of the noise; muscle is 100, fat 180 (15)", 0, 1000},
    {"bias", SN_OPTION_NUMBER, "B", "share by which brightness varies over the stack (0.1)", 0, 0.9},
    {"holes", SN_OPTION_COUNT, "N", "slices in which the fascia to the neighbour has a hole (3)", 0, 1000},
    {"gaps", SN_OPTION_COUNT, "N", "missing slices, left black (0)", 0, 100},
    {"alone", SN_OPTION_FLAG, "", "no neighbouring muscle and no bone", 0, 0},
    {"random", SN_OPTION_COUNT, "N", "random seed (1)", 0, 1e9},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_phantom = {
    .name = "phantom",
    .arguments = "KIND -o STACK",
    .about = "Make slice images of a muscle whose shape is known",
    .details =
        "KIND is spindle (an ellipsoid), bent (one along an arc), heads (two heads that join) or branching (a "
        "belly that\n"
        "divides into three tails). The true contours and the volume are written to STACK.truth.contours.xml beside\n"
        "the stack; sinew contours compares its result with them.",
    .example = "sinew phantom heads --noise 20 -o heads",
    .output = "heads: 192 x 144 pixels, 60 slices, the muscle in 49 of them, 105.30 cm^3\n...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
