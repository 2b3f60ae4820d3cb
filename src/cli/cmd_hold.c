/* sinew hold: can this pose be held, by whom, how nearly. */
#include "clinic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;
static const double WORTH_SAYING = 3; /* deg off: a joint that is named */
enum { SHOWN = 8 };

typedef struct snAnswer {
    snClinic clinic;
    snHeld held;
    snNearest near;
    bool looked; /* near is filled */
    double *low, *high, factor;
    snVerdict verdict;
} snAnswer;

/* The units that work most: those above 0.005, at most SHOWN. */
static void say_units(snAnswer *a)
{
    const snModel *m = sn_patient_model(a->clinic.patient);
    int32_t n = sn_count(m, SN_ITEM_MUSCLE);
    double last = 2;
    for (int k = 0; k < SHOWN; ++k) {
        int32_t best = -1;
        for (int32_t u = 0; u < n; ++u) {
            double x = a->held.activation[u];
            if (x > 0.005 && x < last && (best < 0 || x > a->held.activation[best])) best = u;
        }
        if (best < 0) break;
        last = a->held.activation[best];
        cli_say(a->clinic.cli, "  %-6s %.3f", sn_name(m, SN_ITEM_MUSCLE, best), last);
        if (a->low) cli_say(a->clinic.cli, "  (any level from %.3f to %.3f will do)", a->low[best], a->high[best]);
        cli_say(a->clinic.cli, "\n");
    }
}

static void say_missing(snAnswer *a)
{
    const snModel *m = sn_patient_model(a->clinic.patient);
    for (int32_t k = 0; k < sn_count(m, SN_ITEM_COORDINATE); ++k) {
        const char *name = sn_name(m, SN_ITEM_COORDINATE, k);
        if (a->held.clamped[k]) cli_say(a->clinic.cli, "  %s: target outside its range, clamped\n", name);
        if (fabs(a->held.missing[k]) > 2e-3)
            cli_say(a->clinic.cli, "  %s lacks %.1f mN m\n", name, 1e3 * a->held.missing[k]);
    }
    if (!a->looked) return;
    cli_say(a->clinic.cli, "nearest pose that holds: %s is %.1f deg off, %.1f deg rms (%d of %d searches agree)\n",
            a->near.worst >= 0 ? sn_name(m, SN_ITEM_COORDINATE, a->near.worst) : "nothing", DEGREES * a->near.error,
            DEGREES * a->near.rms, a->near.agree, a->near.starts);
    for (int32_t k = 0; k < sn_count(m, SN_ITEM_COORDINATE); ++k) {
        char joint[80], found[80], asked[80];
        const char *name = sn_name(m, SN_ITEM_COORDINATE, k);
        if (fabs(a->near.pose[k] - a->held.pose[k]) * DEGREES < WORTH_SAYING) continue;
        clinic_joint(a->clinic.spec, name, joint);
        clinic_describe(name, DEGREES * a->near.pose[k], found);
        clinic_describe(name, DEGREES * a->held.pose[k], asked);
        cli_say(a->clinic.cli, "  %s ends up %s, asked for %s\n", joint, found, asked);
    }
}

static void json_values(snJson *json, const char *key, const snModel *m, snItem item, const double *value, double scale)
{
    json_open(json, key, '{');
    for (int32_t i = 0; i < sn_count(m, item); ++i) json_number(json, sn_name(m, item, i), scale * value[i]);
    json_close(json, '}');
}

/* --fatigue: when the pose is lost, and who is tired by then. */
static snStatus endure(snAnswer *a, const double *q)
{
    snCli *cli = a->clinic.cli;
    snJson *json = &cli->json;
    const snModel *m = sn_patient_model(a->clinic.patient);
    snEndureDef def = clinic_endure(cli);
    snEndurance e;
    snError error = {0};
    snStatus status = sn_endure(a->clinic.patient, q, &def, &e, &error);
    if (status != SN_OK) return error.status = status, cli_fail_error(cli, &error);
    int32_t nu = sn_count(m, SN_ITEM_MUSCLE), most = 0;
    const double *last = e.fatigued + (size_t)(e.count - 1) * (size_t)nu;
    for (int32_t u = 1; u < nu; ++u)
        if (last[u] > last[most]) most = u;
    const char *worst = e.worst >= 0 ? sn_name(m, SN_ITEM_COORDINATE, e.worst) : "";
    if (e.fails_at >= 0)
        cli_say(cli, "held %g s, rest %g s: lost after %.0f s, in repetition %d of %d (%s)\n", def.work, def.rest,
                e.fails_at, e.fails_in, def.repeat, worst);
    else
        cli_say(cli, "held %g s, rest %g s: lasts for all %d repetitions\n", def.work, def.rest, def.repeat);
    cli_say(cli, "most tired in the end: %s, %.1f %% of its motor units\n", sn_name(m, SN_ITEM_MUSCLE, most),
            100 * last[most]);
    json_open(json, "endurance", '{');
    json_number(json, "work_s", def.work);
    json_number(json, "rest_s", def.rest);
    json_integer(json, "repetitions", def.repeat);
    json_number(json, "fails_at_s", e.fails_at);
    json_integer(json, "fails_in", e.fails_in);
    json_string(json, "worst", worst);
    json_values(json, "fatigued", m, SN_ITEM_MUSCLE, last, 1);
    json_close(json, '}');
    sn_endurance_free(&e);
    return SN_OK;
}

static void tell(snAnswer *a, int32_t frame)
{
    snClinic *c = &a->clinic;
    snJson *json = &c->cli->json;
    const snModel *m = sn_patient_model(c->patient);
    cli_say(c->cli, "%s at %.3g s: %s\n", c->cli->argument[1], c->targets.time[frame], sn_verdict_name(a->verdict));
    clinic_say_case(c);
    cli_say(c->cli, "unmet %.3f mN m, effort %.4f, reserve %.0f %%", 1e3 * a->held.unmet_torque, a->held.effort,
            100 * a->held.reserve);
    if (isfinite(a->factor)) cli_say(c->cli, ", holds %.2f times the load", a->factor);
    cli_say(c->cli, "\n");
    say_missing(a);
    say_units(a);
    json_string(json, "model", c->cli->argument[0]);
    json_string(json, "pose", c->motion);
    json_number(json, "time_s", c->targets.time[frame]);
    json_string(json, "verdict", sn_verdict_name(a->verdict));
    json_values(json, "unmet_mNm", m, SN_ITEM_COORDINATE, a->held.missing, 1e3);
    json_number(json, "largest_unmet_mNm", 1e3 * a->held.unmet_torque);
    json_number(json, "effort", a->held.effort);
    json_number(json, "reserve", a->held.reserve);
    json_number(json, "load_factor", a->factor);
    json_values(json, "activation", m, SN_ITEM_MUSCLE, a->held.activation, 1);
    if (a->low) json_values(json, "activation_low", m, SN_ITEM_MUSCLE, a->low, 1);
    if (a->low) json_values(json, "activation_high", m, SN_ITEM_MUSCLE, a->high, 1);
    json_open(json, "clamped", '[');
    for (int32_t k = 0; k < sn_count(m, SN_ITEM_COORDINATE); ++k)
        if (a->held.clamped[k]) json_string(json, NULL, sn_name(m, SN_ITEM_COORDINATE, k));
    json_close(json, ']');
    if (a->looked) {
        json_open(json, "nearest", '{');
        json_number(json, "error_deg", DEGREES * a->near.error);
        json_string(json, "worst", a->near.worst >= 0 ? sn_name(m, SN_ITEM_COORDINATE, a->near.worst) : "");
        json_number(json, "rms_deg", DEGREES * a->near.rms);
        json_number(json, "unbalanced_mNm", 1e3 * a->near.unbalanced);
        json_integer(json, "starts", a->near.starts);
        json_integer(json, "agree", a->near.agree);
        json_values(json, "pose_deg", m, SN_ITEM_COORDINATE, a->near.pose, DEGREES);
        json_close(json, '}');
    }
    json_string(json, "notice", clinic_notice);
}

/* The nearest pose is looked for when asked for, and where it decides the verdict. */
static snStatus answer(snAnswer *a, const double *q)
{
    snClinic *c = &a->clinic;
    const snModel *m = sn_patient_model(c->patient);
    size_t nu = (size_t)sn_count(m, SN_ITEM_MUSCLE), nq = (size_t)sn_count(m, SN_ITEM_COORDINATE);
    snStatus status = sn_hold(c->patient, q, NULL, NULL, &a->held);
    if (status == SN_OK && (cli_given(c->cli, "nearest") || a->held.unmet_torque > 2e-3)) {
        a->near.pose = calloc(nq, sizeof *a->near.pose);
        a->near.activation = calloc(nu, sizeof *a->near.activation);
        status = a->near.pose && a->near.activation ? sn_nearest(c->patient, q, &a->near) : SN_NO_MEMORY;
        a->looked = status == SN_OK;
    }
    if (status == SN_OK) status = sn_load_factor(c->patient, q, &a->factor);
    if (status == SN_OK) status = sn_hold(c->patient, q, NULL, NULL, &a->held);
    a->verdict = sn_verdict(c->patient, &a->held, a->looked ? &a->near : NULL);
    if (status == SN_OK && cli_given(c->cli, "ranges")) {
        a->low = calloc(2 * nu, sizeof *a->low);
        a->high = a->low ? a->low + nu : NULL;
        status = a->low ? sn_ranges(c->patient, a->low, a->high) : SN_NO_MEMORY;
    }
    return status == SN_OK ? SN_OK
                           : cli_fail(c->cli, status, "the pose could not be solved: %s", sn_status_text(status));
}

static snStatus run(snCli *cli)
{
    snAnswer a = {.factor = INFINITY};
    int32_t frame = 0;
    snStatus status = clinic_open(cli, &a.clinic);
    if (status == SN_OK) status = clinic_motion(&a.clinic, cli->argument[1], cli_given(cli, "at") ? 240 : 0);
    if (status == SN_OK) status = clinic_frame(&a.clinic, &frame);
    if (status == SN_OK) sn_patient_turn(a.clinic.patient, a.clinic.targets.turn[frame]);
    if (status == SN_OK) status = answer(&a, clinic_pose(&a.clinic, frame));
    if (status == SN_OK) tell(&a, frame);
    if (status == SN_OK && cli_given(cli, "fatigue")) status = endure(&a, clinic_pose(&a.clinic, frame));
    if (status == SN_OK) cli_say(cli, "%s\n", clinic_notice);
    free(a.near.pose);
    free(a.near.activation);
    free(a.low);
    clinic_close(&a.clinic);
    return status;
}

static const snOption options[] = {
    {"at", SN_OPTION_NUMBER, "S", "the pose at this time of a motion (the one farthest from rest)", -1e9, 1e9},
    {"ranges", SN_OPTION_FLAG, "", "lowest and highest activation of each unit that still holds the pose", 0, 0},
    {"nearest", SN_OPTION_FLAG, "", "look for the nearest pose that can be held", 0, 0},
    CLINIC_ENDURE_OPTIONS,
    CLINIC_OPTIONS,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_hold = {
    .name = "hold",
    .arguments = "MODEL POSE",
    .about = "Say whether a pose can be held, healthy or as a case, by which muscles, and what is missing",
    .details =
        "MODEL is on a tree (hand-clinical). POSE is a motion of the model or a file of key poses; if it has several\n"
        "poses, the one farthest from rest is examined, or the one at --at. The answer is yes if no joint lacks more "
        "than\n"
        "2 mN m; no if a joint lacks more than its tolerance (20 mN m, wrist 100) and the nearest pose that can be "
        "held is\n"
        "more than 10 degrees away; otherwise marginal.\n"
        "These limits are ours and uncalibrated; this is not a medical device.",
    .example = "sinew hold hand-clinical fist --cut FDP2",
    .output = "fist at 1.5 s: no\n"
              "case: cut FDP2\n"
              "...",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
