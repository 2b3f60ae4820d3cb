/* sinew compensate: a healthy limb against a case, over a motion: who takes over. */
#include "clinic.h"

#include <stdio.h>
#include <string.h>

static const double RATE = 50; /* frames a second */

static void say_unit(snClinic *c, const snUnitChange *u, const char *name)
{
    cli_say(c->cli, "  %-6s %s  activation %.3f -> %.3f, up to %+.3f; force %+.2f N, %+.2f N s", name,
            u->must ? "must" : "may ", u->healthy, u->changed, u->most, u->force, u->impulse);
    cli_say(c->cli, u->low >= 0 ? "; any level from %.3f to %.3f will do\n" : "\n", u->low, u->high);
}

static void json_unit(snJson *json, const snUnitChange *u, const char *name)
{
    json_open(json, NULL, '{');
    json_string(json, "unit", name);
    json_number(json, "healthy", u->healthy);
    json_number(json, "case", u->changed);
    json_number(json, "change", u->changed - u->healthy);
    json_number(json, "largest_rise", u->most);
    json_number(json, "force_N", u->force);
    json_number(json, "impulse_Ns", u->impulse);
    json_number(json, "low", u->low);
    json_number(json, "high", u->high);
    json_close(json, '}');
}

static int list(snClinic *c, const snCompared *r, bool must)
{
    const snModel *m = sn_patient_model(c->patient);
    int count = 0;
    json_open(&c->cli->json, must ? "must" : "may", '[');
    for (int32_t i = 0; i < r->count; ++i) {
        const snUnitChange *u = &r->unit[i];
        if (!u->rises || u->must != must || !(u->force > 0)) continue;
        if (must || count < 10) say_unit(c, u, sn_name(m, SN_ITEM_MUSCLE, u->unit));
        json_unit(&c->cli->json, u, sn_name(m, SN_ITEM_MUSCLE, u->unit));
        ++count;
    }
    json_close(&c->cli->json, ']');
    return count;
}

static void tell(snClinic *c, const snCompared *r)
{
    snJson *json = &c->cli->json;
    const snModel *m = sn_patient_model(c->patient);
    json_string(json, "model", c->cli->argument[0]);
    json_string(json, "motion", c->motion);
    json_integer(json, "frames", c->targets.nframe);
    clinic_say_case(c);
    cli_say(c->cli, "missing torque: healthy %.1f mN m, case %.1f mN m", 1e3 * r->healthy_torque, 1e3 * r->case_torque);
    if (r->worst >= 0 && r->case_unmet > 0.1)
        cli_say(c->cli, " (%s at %.2f s)", sn_name(m, SN_ITEM_COORDINATE, r->worst), c->targets.time[r->worst_frame]);
    cli_say(c->cli, "\n");
    json_number(json, "healthy_unmet_mNm", 1e3 * r->healthy_torque);
    json_number(json, "case_unmet_mNm", 1e3 * r->case_torque);
    json_string(json, "worst", r->worst >= 0 ? sn_name(m, SN_ITEM_COORDINATE, r->worst) : "");
    int count = list(c, r, true);
    count += list(c, r, false);
    if (!count) cli_say(c->cli, "nobody compensates\n");
    cli_say(c->cli, "%s\n", clinic_notice);
    json_string(json, "notice", clinic_notice);
}

/* Every unit with its figures, for spreadsheets. */
static snStatus save(snClinic *c, const snCompared *r, const char *out)
{
    const snModel *m = sn_patient_model(c->patient);
    char path[4096];
    snText text = {0};
    text_add(&text, "# %s\nunit,healthy,case,largest_rise,force_N,impulse_Ns,low,high,must\n", clinic_notice);
    for (int32_t i = 0; i < r->count; ++i) {
        const snUnitChange *u = &r->unit[i];
        text_add(&text, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d\n", sn_name(m, SN_ITEM_MUSCLE, u->unit), u->healthy,
                 u->changed, u->most, u->force, u->impulse, u->low, u->high, u->must);
    }
    (void)snprintf(path, sizeof path, "%.4000s.csv", out);
    snStatus status = text.failed ? cli_fail(c->cli, SN_NO_MEMORY, "out of memory") : cli_check_output(c->cli, path);
    if (status == SN_OK) status = cli_save_text(c->cli, path, text.text);
    if (status == SN_OK) cli_say(c->cli, "wrote %s\n", path);
    if (status == SN_OK) json_string(&c->cli->json, "table", path);
    text_free(&text);
    return status;
}

static snStatus run(snCli *cli)
{
    snClinic c;
    snCompared r = {0};
    const char *out = cli_option_text(cli, "o", NULL);
    snStatus status = clinic_open(cli, &c);
    if (status == SN_OK && sn_case_count(c.changes) == 0)
        status = cli_fail(cli, SN_USAGE,
                          "there is nothing to compare: give a case, such as --nerve ulnar-low or --cut FDP2");
    if (status == SN_OK) status = clinic_healthy(&c);
    if (status == SN_OK) status = clinic_motion(&c, cli->argument[1], cli_option_number(cli, "frame-rate", RATE));
    if (status == SN_OK) {
        status = sn_compare(c.healthy, c.patient, &c.targets, &r);
        if (status != SN_OK) (void)cli_fail(cli, status, "%s", sn_status_text(status));
    }
    if (status == SN_OK) tell(&c, &r);
    if (status == SN_OK && out) status = save(&c, &r, out);
    sn_compared_free(&r);
    clinic_close(&c);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "write OUT.csv with the figures of every unit", 0, 0},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second that are compared (50)", 1, 1000},
    CLINIC_OPTIONS,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_compensate = {
    .name = "compensate",
    .arguments = "MODEL MOTION [-o OUT]",
    .about = "Show who takes over when muscles are lost: a healthy limb against a case",
    .details =
        "Both are solved along the motion by inverse dynamics. A unit must compensate where every way to give the "
        "torques of\n"
        "the case asks more of it than the healthy limb did, by 0.02 or more; otherwise it may. Loads and coupling "
        "count "
        "for both.",
    .example = "sinew compensate hand-clinical fist --nerve ulnar-high -o out",
    .output = "case: nerve ulnar-high\n"
              "missing torque: healthy ... mN m, case ... mN m (...)\n"
              "...",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
