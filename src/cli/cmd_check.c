/* sinew check: every problem of a model at once. */
#include "check_motion.h"
#include "clinic.h"

#include <stdio.h>

static void say_problem(snCli *cli, const snError *problem)
{
    char text[1400];
    bool warning = problem->status == SN_OK;
    (void)sn_error_format(problem, text, sizeof text);
    cli_say(cli, "%s: %s\n", warning ? "warning" : "error", text);
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "severity", warning ? "warning" : "error");
    cli_json_error(&cli->json, problem);
    json_close(&cli->json, '}');
}

static snStatus run(snCli *cli)
{
    snSpec *spec = NULL;
    snProblems problems = {0};
    if (cli->nargument == 2) return cli_check_motion(cli);
    json_string(&cli->json, "model", cli->argument[0]);
    snStatus status = cli_load_model_to_check(cli, cli->argument[0], &spec);
    if (status != SN_OK) return status;
    status = sn_check(spec, &problems);
    int32_t warnings = problems.count - problems.nerror;
    json_integer(&cli->json, "errors", problems.nerror);
    json_integer(&cli->json, "warnings", warnings);
    json_open(&cli->json, "problems", '[');
    for (int32_t i = 0; i < problems.count; ++i) say_problem(cli, &problems.problem[i]);
    json_close(&cli->json, ']');
    cli_say(cli, "%s: %d errors, %d warnings\n", cli->argument[0], problems.nerror, warnings);
    /* The problems were the message. */
    if (status == SN_BAD_INPUT) cli->failed_said = true;
    sn_problems_free(&problems);
    sn_spec_destroy(spec);
    return status;
}

static const snOption options[] = {
    {"frame-rate", SN_OPTION_NUMBER, "F", "with MOTION: frames a second that are checked (50)", 1, 1000},
    {"nearest", SN_OPTION_TEXT, "OUT.pose.csv", "with MOTION: write the nearest motion that passes", 0, 0},
    CLINIC_OPTIONS,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_check = {
    .name = "check",
    .arguments = "MODEL [MOTION]",
    .about = "Report every problem of a model at once, each with file, line, element and remedy",
    .details =
        "Exits with 3 if there is an error, and with 0 if there are only warnings. With MOTION and a model on a tree\n"
        "(hand-clinical), it says which frames of the motion the muscles cannot produce and how far off the nearest "
        "pose is\n"
        "that they can hold; the other options describe a clinical case.",
    .example = "sinew check pulley",
    .output = "pulley: 0 errors, 0 warnings",
    .least = 1,
    .most = 2,
    .options = options,
    .run = run,
};
