/* sinew check MODEL MOTION: which frames of a motion no activations can make. */
#include "check_motion.h"

#include "clinic.h"

#include <stdlib.h>

static const double RATE = 50, DEGREES = 57.29577951308232;

static void say_stretch(snClinic *c, const snImpossible *s)
{
    snJson *json = &c->cli->json;
    const char *where = sn_name(c->model, SN_ITEM_COORDINATE, s->coordinate);
    const double *time = c->targets.time;
    cli_say(c->cli, "%s: %.2f to %.2f s, %s lacks %.1f mN m at %.2f s; the nearest pose is %.1f deg off\n",
            sn_verdict_name(s->verdict), time[s->first], time[s->last], where, 1e3 * s->torque, time[s->worst_frame],
            DEGREES * s->distance);
    json_open(json, NULL, '{');
    json_string(json, "verdict", sn_verdict_name(s->verdict));
    json_number(json, "from_s", time[s->first]);
    json_number(json, "to_s", time[s->last]);
    json_string(json, "worst", where);
    json_number(json, "worst_s", time[s->worst_frame]);
    json_number(json, "unmet_mNm", 1e3 * s->torque);
    json_number(json, "distance_deg", DEGREES * s->distance);
    json_close(json, '}');
}

/* A *.pose.csv of every frame, deg. */
static snStatus write_poses(snClinic *c, const char *path, const double *q)
{
    snText t = {0};
    int32_t n = sn_count(c->model, SN_ITEM_COORDINATE);
    text_add(&t, "# The nearest motion to %s that the muscles can make. %s.\ntime", c->motion, clinic_notice);
    for (int32_t k = 0; k < n; ++k) text_add(&t, ",%s", sn_name(c->model, SN_ITEM_COORDINATE, k));
    text_add(&t, "\n");
    for (int32_t i = 0; i < c->targets.nframe; ++i) {
        text_add(&t, "%.4f", c->targets.time[i]);
        for (int32_t k = 0; k < n; ++k) text_add(&t, ",%.3f", DEGREES * q[(size_t)i * (size_t)n + (size_t)k] + 0.0);
        text_add(&t, "\n");
    }
    snStatus status = t.text ? cli_save_text(c->cli, path, t.text) : SN_NO_MEMORY;
    text_free(&t);
    return status;
}

/* --nearest FILE: what could be done instead. */
static snStatus find_nearest(snClinic *c, const char *path)
{
    snCli *cli = c->cli;
    snError error = {0};
    snNearestMotion near = {.q = calloc((size_t)c->targets.nframe * (size_t)c->targets.ncoordinate, sizeof(double))};
    snStatus status = near.q ? cli_check_output(cli, path) : cli_fail(cli, SN_NO_MEMORY, "out of memory");
    if (status == SN_OK) {
        status = sn_nearest_motion(c->patient, &c->targets, &near, cli_progress_callback(cli), &error);
        cli_progress_end(cli);
        if (status != SN_OK) error.status = status, (void)cli_fail_error(cli, &error);
    }
    if (status == SN_OK) status = write_poses(c, path, near.q);
    if (status == SN_OK) {
        const char *worst = near.worst < 0 ? "" : sn_name(c->model, SN_ITEM_COORDINATE, near.worst);
        double when = near.worst_frame < 0 ? 0 : c->targets.time[near.worst_frame];
        if (near.worst < 0)
            cli_say(cli, "wrote %s: the motion as it is\n", path);
        else
            cli_say(cli,
                    "wrote %s: the nearest motion is %.1f deg rms off, at most %.1f deg (%s at %.2f s); %d frames "
                    "still fail\n",
                    path, DEGREES * near.rms, DEGREES * near.error, worst, when, near.left);
        json_open(&cli->json, "nearest", '{');
        json_string(&cli->json, "path", path);
        json_number(&cli->json, "rms_deg", DEGREES * near.rms);
        json_number(&cli->json, "largest_deg", DEGREES * near.error);
        json_string(&cli->json, "worst", worst);
        json_number(&cli->json, "worst_s", when);
        json_integer(&cli->json, "failing_frames", near.left);
        json_close(&cli->json, '}');
    }
    free(near.q);
    return status;
}

snStatus cli_check_motion(snCli *cli)
{
    snClinic c;
    snMotionCheck r = {0};
    snStatus status = clinic_open(cli, &c);
    if (status == SN_OK) status = clinic_motion(&c, cli->argument[1], cli_option_number(cli, "frame-rate", RATE));
    if (status == SN_OK) {
        status = sn_check_motion(c.patient, &c.targets, &r);
        if (status != SN_OK) (void)cli_fail(cli, status, "%s", sn_status_text(status));
    }
    if (status == SN_OK) {
        json_string(&cli->json, "model", cli->argument[0]);
        json_string(&cli->json, "motion", c.motion);
        clinic_say_case(&c);
        if (c.gaps)
            cli_say(cli, "%d empty %s interpolated from the values before and after\n", c.gaps,
                    c.gaps == 1 ? "cell is" : "cells are");
        json_integer(&cli->json, "empty_cells", c.gaps);
        json_integer(&cli->json, "frames", r.nframe);
        json_integer(&cli->json, "failing_frames", r.nbad);
        json_integer(&cli->json, "clamped_frames", r.nclamped);
        json_open(&cli->json, "intervals", '[');
        for (int32_t i = 0; i < r.count; ++i) say_stretch(&c, &r.stretch[i]);
        json_close(&cli->json, ']');
        if (r.nclamped)
            cli_say(cli, "in %d frames a target lies outside the range of a joint; it was clamped\n", r.nclamped);
        clinic_say_clamped(&c, r.clamped);
        cli_say(cli, "%s: %d of %d frames out of reach\n", cli->argument[1], r.nbad, r.nframe);
        const char *nearest = cli_option_text(cli, "nearest", NULL);
        if (nearest) status = find_nearest(&c, nearest);
        cli_say(cli, "%s\n", clinic_notice);
        json_string(&cli->json, "notice", clinic_notice);
    }
    sn_motion_check_free(&r);
    clinic_close(&c);
    return status;
}
