/* sinew bench --rung hand-clinical: how long the clinical questions take, on one core. */
#include "bench_clinical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POSES = 10, ROUNDS = 201 };

typedef struct snClinicalBench {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snPatient *patient;
    snPoses *poses;
    snTargets targets;
    int32_t frame[POSES]; /* spread evenly over the motion */
} snClinicalBench;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Processor time of this program, which has one thread here: what others take of the machine does not count. */
static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const double *pose(const snClinicalBench *b, int i)
{
    return b->targets.q + (size_t)b->frame[i % POSES] * (size_t)b->targets.ncoordinate;
}

/* Time of a hold that a part of them stays under (0.5: the median), s: warm, frame after frame of the motion with its
 * velocities; or cold, another pose each time.
 */
static double hold_time(snClinicalBench *b, bool warm, double part)
{
    const snTargets *t = &b->targets;
    double time[ROUNDS];
    snHeld held;
    for (int i = 0; i < ROUNDS; ++i) {
        size_t at = (size_t)((t->nframe / 4 + i) % t->nframe) * (size_t)t->ncoordinate;
        double start = processor_seconds();
        (void)sn_hold(b->patient, warm ? t->q + at : pose(b, i), warm ? t->v + at : NULL, warm ? t->a + at : NULL,
                      &held);
        time[i] = processor_seconds() - start;
    }
    qsort(time, ROUNDS, sizeof *time, ascending);
    return time[(int)(part * (ROUNDS - 1))];
}

static double ranges_time(snClinicalBench *b)
{
    double low[256], high[256], least = 1e9;
    snHeld held;
    for (int i = 0; i < POSES && sn_count(b->model, SN_ITEM_MUSCLE) <= 256; ++i) {
        (void)sn_hold(b->patient, pose(b, i), NULL, NULL, &held);
        double start = processor_seconds();
        (void)sn_ranges(b->patient, low, high);
        double took = processor_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

static double nearest_time(snClinicalBench *b)
{
    double q[256], activation[256], least = 1e9;
    snNearest near = {.pose = q, .activation = activation};
    for (int i = 0; i < 3 && sn_count(b->model, SN_ITEM_COORDINATE) <= 256; ++i) {
        double start = processor_seconds();
        (void)sn_nearest(b->patient, pose(b, 5), &near);
        double took = processor_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

/* 41 cuts over ten poses. */
static double explore_time(snClinicalBench *b)
{
    size_t n = (size_t)b->targets.ncoordinate;
    double *block = calloc(3 * n * POSES + POSES, sizeof *block);
    if (!block) return 0;
    snTargets ten = {.nframe = POSES,
                     .ncoordinate = b->targets.ncoordinate,
                     .q = block,
                     .v = block + n * POSES,
                     .a = block + 2 * n * POSES,
                     .time = block + 3 * n * POSES};
    for (int i = 0; i < POSES; ++i) memcpy(ten.q + (size_t)i * n, pose(b, i), n * sizeof *block);
    snExploreDef def = sn_default_explore_def();
    def.each = SN_EXPLORE_UNIT;
    snFindings found = {0};
    double start = processor_seconds();
    (void)sn_explore(b->spec, b->model, NULL, &def, &ten, NULL, &found, (snProgress){0}, NULL);
    double took = processor_seconds() - start;
    sn_findings_free(&found);
    free(block);
    return took;
}

static double track_factor(snClinicalBench *b, snPursuit method)
{
    snPursueDef def = sn_default_pursue_def();
    def.skip_step_check = true;
    def.method = method;
    snPursueReport report;
    snError error = {0};
    double best = 0;
    for (int i = 0; i < 3; ++i) {
        double start = processor_seconds();
        snStatus status = sn_pursue(b->patient, b->poses, &def, NULL, &report, &error);
        double took = processor_seconds() - start;
        if (status == SN_OK && took > 0) best = fmax(best, report.simulated / took);
        sn_pursue_report_free(&report);
    }
    return best;
}

/* A step of the simulation alone: activations that were found are simulated again. */
static double step_time(snClinicalBench *b)
{
    snPursueDef def = sn_default_pursue_def();
    def.skip_step_check = true;
    snPursueReport found, again;
    double best = INFINITY;
    if (sn_pursue(b->patient, b->poses, &def, NULL, &found, NULL) == SN_OK) {
        def.activations = found.stored, def.nactivation = found.steps;
        for (int i = 0; i < 3; ++i) {
            double start = processor_seconds();
            snStatus status = sn_pursue(b->patient, b->poses, &def, NULL, &again, NULL);
            double took = processor_seconds() - start;
            if (status == SN_OK && again.steps) best = fmin(best, took / again.steps);
            sn_pursue_report_free(&again);
        }
    }
    sn_pursue_report_free(&found);
    return best;
}

static void say(snCli *cli, const char *what, const char *key, double value, const char *unit)
{
    cli_say(cli, "%-44s %9.3f %s\n", what, value, unit);
    json_number(&cli->json, key, value);
}

static snStatus open_bench(snClinicalBench *b)
{
    snMotionDef def = sn_default_motion_def();
    snError error = {0};
    const char *motion = cli_option_text(b->cli, "motion", "fist");
    def.model = "hand-clinical";
    snStatus status = cli_compile_model(b->cli, "hand-clinical", &b->spec, &b->model);
    if (status == SN_OK)
        status = cli_fail_file(b->cli, sn_load_motion_poses(motion, &def, &b->poses, &error), &error, motion);
    if (status != SN_OK) return status;
    status = sn_targets_create(b->model, b->poses, 50, &b->targets, NULL, 0, &error);
    if (status == SN_OK) status = sn_patient_create(b->spec, b->model, NULL, &b->patient, &error);
    if (status != SN_OK) return cli_fail(b->cli, status, "%s", error.message);
    for (int i = 0; i < POSES; ++i) b->frame[i] = (int32_t)((int64_t)i * b->targets.nframe / POSES);
    return SN_OK;
}

snStatus cli_bench_clinical(snCli *cli)
{
    snClinicalBench b = {.cli = cli};
    snStatus status = open_bench(&b);
    if (status == SN_OK) {
        cli_say(cli, "processor time of one core, ten poses of the motion; medians, or the best of several\n");
        say(cli, "step of the simulation, full stiffness", "step_us", 1e6 * step_time(&b), "us");
        say(cli, "torque solve, frame after frame", "torque_solve_us", 1e6 * hold_time(&b, true, 0.5), "us");
        say(cli, "the same, 99 of 100 take less", "torque_solve_p99_us", 1e6 * hold_time(&b, true, 0.99), "us");
        say(cli, "hold, another pose each time", "hold_us", 1e6 * hold_time(&b, false, 0.5), "us");
        say(cli, "ranges of all units", "ranges_ms", 1e3 * ranges_time(&b), "ms");
        say(cli, "nearest pose, eight starts", "nearest_ms", 1e3 * nearest_time(&b), "ms");
        say(cli, "explorer, each unit cut in ten poses", "explore_s", explore_time(&b), "s");
        say(cli, "tracking by torques, 240 a second", "real_time_factor", track_factor(&b, SN_PURSUE_TORQUE),
            "x real time");
        say(cli, "tracking by the pose a step ahead, 24", "real_time_factor_step", track_factor(&b, SN_PURSUE_STEP),
            "x real time");
    }
    sn_patient_destroy(b.patient);
    sn_targets_free(&b.targets);
    if (b.poses) sn_poses_destroy(b.poses);
    if (b.model) sn_model_destroy(b.model);
    if (b.spec) sn_spec_destroy(b.spec);
    return status;
}
