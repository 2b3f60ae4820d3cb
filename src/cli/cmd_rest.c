/* sinew rest: how a relaxed limb lies, beside a healthy one. */
#include "clinic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

/* --tone, by unit of the patient: those that are named, the others none; a name that is not there is bad input. */
static snStatus read_tone(const snClinic *c, const snPatient *patient, double *tone)
{
    const snModel *m = sn_patient_model(patient);
    char name[128];
    double level;
    for (int i = 0; cli_option_pair(c->cli, "tone", i, name, sizeof name, &level); ++i) {
        int32_t unit = sn_find(m, SN_ITEM_MUSCLE, name);
        if (unit < 0)
            return cli_fail(c->cli, SN_BAD_INPUT,
                            "--tone: the model has no unit called \"%s\"; `sinew info MODEL --list` names them", name);
        tone[unit] = level;
    }
    return SN_OK;
}

static snStatus lie(const snClinic *c, snPatient *patient, double *pose, double *unbalanced)
{
    double *tone = calloc((size_t)sn_count(sn_patient_model(patient), SN_ITEM_MUSCLE) + 1, sizeof *tone);
    snStatus status = tone ? read_tone(c, patient, tone) : cli_fail(c->cli, SN_NO_MEMORY, "out of memory");
    if (status == SN_OK) {
        status = sn_rest(patient, cli_given(c->cli, "tone") ? tone : NULL, pose, unbalanced);
        if (status != SN_OK)
            status = cli_fail(c->cli, status, "%s",
                              status == SN_FAILED ? "the limb does not come to rest within a minute"
                                                  : sn_status_text(status));
    }
    free(tone);
    return status;
}

static void tell(const snClinic *c, const double *pose, const double *healthy, double unbalanced)
{
    const snModel *m = c->model;
    snJson *json = &c->cli->json;
    for (int32_t k = 0; k < sn_count(m, SN_ITEM_COORDINATE); ++k) {
        char joint[80], here[80], there[80];
        const char *name = sn_name(m, SN_ITEM_COORDINATE, k);
        clinic_joint(c->spec, name, joint);
        clinic_describe(name, DEGREES * pose[k], here);
        clinic_describe(name, DEGREES * healthy[k], there);
        bool differs = fabs(pose[k] - healthy[k]) * DEGREES >= 1;
        cli_say(c->cli, "  %-28s%s", joint, here);
        if (differs) cli_say(c->cli, "%*shealthy: %s", 36 - (int)strlen(here), "", there);
        cli_say(c->cli, "\n");
    }
    for (int pass = 0; pass < 2; ++pass) {
        json_open(json, pass ? "healthy_pose_deg" : "pose_deg", '{');
        for (int32_t k = 0; k < sn_count(m, SN_ITEM_COORDINATE); ++k)
            json_number(json, sn_name(m, SN_ITEM_COORDINATE, k), DEGREES * (pass ? healthy : pose)[k]);
        json_close(json, '}');
    }
    json_number(json, "unbalanced_mNm", 1e3 * unbalanced);
    json_string(json, "notice", clinic_notice);
}

static snStatus rest(snCli *cli)
{
    snClinic c;
    double *pose = NULL, unbalanced = 0, ignored;
    snStatus status = clinic_open(cli, &c);
    if (status == SN_OK) status = clinic_healthy(&c);
    if (status == SN_OK) {
        size_t n = (size_t)sn_count(c.model, SN_ITEM_COORDINATE);
        pose = calloc(2 * n + 1, sizeof *pose);
        status = pose ? lie(&c, c.patient, pose, &unbalanced) : cli_fail(cli, SN_NO_MEMORY, "out of memory");
        if (status == SN_OK) status = lie(&c, c.healthy, pose + n, &ignored);
        json_string(&cli->json, "model", cli->argument[0]);
        if (status == SN_OK) {
            cli_say(cli, "at rest, %s\n", cli_option_text(cli, "posture", "hanging"));
            clinic_say_case(&c);
            tell(&c, pose, pose + n, unbalanced);
            cli_say(cli, "%s\n", clinic_notice);
        }
    }
    free(pose);
    clinic_close(&c);
    return status;
}

static const snOption options[] = {
    {"tone", SN_OPTION_PAIR, "UNIT=LEVEL",
     "activation of a muscle at rest, instead of the tone of the model; may be repeated", 0, 1},
    CLINIC_OPTIONS,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_rest = {
    .name = "rest",
    .arguments = "MODEL",
    .about = "Show how a relaxed limb lies, healthy or as a case",
    .details =
        "MODEL is on a tree (hand-clinical). The limb is let go as drawn and comes to rest by its passive tissue, by\n"
        "gravity (--posture) and by the tone of its muscles (the model's, or --tone). A paralysed muscle has no "
        "tone, a\n"
        "cut one no pull at all. Where the case differs from a healthy limb by a degree or more, both are shown.\n"
        "This is not a medical device.",
    .example = "sinew rest hand-clinical --nerve radial --posture palm-down",
    .output = "at rest, palm-down\n"
              "case: nerve radial\n"
              "...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = rest,
};
