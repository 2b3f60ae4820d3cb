/* sinew clinic: the clinical page as one file to hand over, with every case answered for every pose. */
#include "clinic.h"
#include "clinic_page.h"

#include <stdio.h>
#include <string.h>

typedef struct snHandout {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snPoseList poses;
    int32_t ncase;
    snCase *cases[CLINIC_CASES];
    char name[CLINIC_CASES][CLINIC_NAME];
} snHandout;

static snStatus keep(snHandout *h, snCase *c, const char *name)
{
    if (!c) return cli_fail(h->cli, SN_NO_MEMORY, "out of memory");
    if (h->ncase == CLINIC_CASES) {
        sn_case_destroy(c);
        return cli_fail(h->cli, SN_USAGE, "at most %d cases fit one page: write a second one", CLINIC_CASES);
    }
    (void)snprintf(h->name[h->ncase], CLINIC_NAME, "%s", name);
    h->cases[h->ncase++] = c;
    return SN_OK;
}

/* A case of one change. */
static snStatus add_change(snHandout *h, snChangeKind kind, const char *of)
{
    char name[CLINIC_NAME];
    snChange change = {.kind = kind, .name = of};
    snCase *c = sn_case_create(h->cli->argument[0]);
    if (c && sn_case_add(c, &change) != SN_OK) sn_case_destroy(c), c = NULL;
    (void)snprintf(name, sizeof name, "%s %.60s", sn_change_name(kind), of);
    return keep(h, c, name);
}

static snStatus add_file(snHandout *h, const char *path)
{
    snError error = {0};
    snCase *c = NULL;
    char name[CLINIC_NAME];
    const char *slash = strrchr(path, '/');
    snStatus status = cli_fail_file(h->cli, sn_load_case(path, &c, &error), &error, path);
    if (status != SN_OK) return status;
    const char *of = sn_case_model(c);
    if (*of && strcmp(of, h->cli->argument[0]) != 0) {
        status =
            cli_fail(h->cli, SN_BAD_INPUT, "%s is a case of the model %s, not of %s", path, of, h->cli->argument[0]);
        sn_case_destroy(c);
        return status;
    }
    (void)snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = '\0';
    return keep(h, c, name);
}

/* Without any, the lesions that every textbook has. */
static snStatus choose_cases(snHandout *h)
{
    static const char *const usual[] = {"ulnar-low", "ulnar-high", "median-low", "median-high", "radial"};
    snStatus status = SN_OK;
    const char *text;
    for (int i = 0; status == SN_OK && (text = cli_option_nth(h->cli, "case", i)); ++i) status = add_file(h, text);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(h->cli, "nerve", i)); ++i)
        status = add_change(h, SN_CHANGE_NERVE, text);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(h->cli, "cut", i)); ++i)
        status = add_change(h, SN_CHANGE_CUT, text);
    size_t wanted = h->ncase == 0 ? sizeof usual / sizeof *usual : 0;
    for (size_t k = 0; status == SN_OK && k < wanted; ++k) status = add_change(h, SN_CHANGE_NERVE, usual[k]);
    return status;
}

static snStatus choose_poses(snHandout *h)
{
    const char *model = h->cli->argument[0], *text;
    snStatus status = clinic_poses_shipped(h->cli, model, h->model, &h->poses);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(h->cli, "motion", i)); ++i)
        status = clinic_poses_motion(h->cli, model, h->model, text, CLINIC_RATE, &h->poses);
    return status;
}

static snStatus save(snHandout *h, const char *path)
{
    snError error = {0};
    const char *names[CLINIC_CASES];
    snStudioDef def = sn_default_studio_def();
    snClinicDef clinic = sn_default_clinic_def();
    clinic.model = h->model, clinic.ncase = h->ncase, clinic.case_name = names;
    clinic.cases = (const snCase *const *)h->cases;
    clinic.posture = cli_option_text(h->cli, "posture", "hanging");
    clinic_gravity(clinic.posture, clinic.gravity);
    snEndureDef endure = clinic_endure(h->cli);
    if (cli_given(h->cli, "fatigue")) clinic.endure = &endure;
    for (int32_t i = 0; i < h->ncase; ++i) names[i] = h->name[i];
    def.spec = h->spec, def.name = h->cli->argument[0], def.clinic = &clinic;
    snStatus status = clinic_poses_into(h->cli, &h->poses, &clinic);
    if (status == SN_OK) status = cli_check_output(h->cli, path);
    if (status != SN_OK) return status;
    status = sn_save_html(&def, path, &error);
    if (status != SN_OK) return cli_fail_error(h->cli, &error);
    cli_say(h->cli, "wrote %s: %d cases in %d poses\nnot a medical device\n", path, (int)h->ncase, (int)h->poses.count);
    json_string(&h->cli->json, "file", path);
    json_integer(&h->cli->json, "cases", h->ncase);
    json_integer(&h->cli->json, "poses", h->poses.count);
    return SN_OK;
}

static snStatus run(snCli *cli)
{
    snHandout h = {.cli = cli};
    const char *out = cli_option_text(cli, "o", NULL);
    if (!out) return cli_fail(cli, SN_USAGE, "-o FILE.html is missing: the page to write");
    snStatus status = cli_compile_model(cli, cli->argument[0], &h.spec, &h.model);
    if (status == SN_OK && sn_count(h.model, SN_ITEM_LINE) == 0)
        status =
            cli_fail(cli, SN_BAD_INPUT, "%s is not a model on a tree: use one such as hand-clinical", cli->argument[0]);
    if (status == SN_OK) status = choose_cases(&h);
    if (status == SN_OK) status = choose_poses(&h);
    if (status == SN_OK) status = save(&h, out);
    for (int32_t i = 0; i < h.ncase; ++i) sn_case_destroy(h.cases[i]);
    clinic_poses_free(&h.poses);
    if (h.model) sn_model_destroy(h.model);
    if (h.spec) sn_spec_destroy(h.spec);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "FILE", "the page to write, such as ulnar.html", 0, 0},
    {"case", SN_OPTION_TEXT, "FILE", "a *.case.xml; may be repeated: each is a case of its own", 0, 0},
    {"nerve", SN_OPTION_TEXT, "LESION", "a nerve lesion as a case of its own; may be repeated", 0, 0},
    {"cut", SN_OPTION_TEXT, "UNIT", "a cut tendon as a case of its own; may be repeated", 0, 0},
    {"motion", SN_OPTION_TEXT, "NAME", "a motion to play, 12 frames a second; may be repeated", 0, 0},
    CLINIC_ENDURE_OPTIONS,
    {"posture", SN_OPTION_CHOICE, "hanging|palm-down|palm-up|thumb-up", "where gravity pulls (hanging)", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_clinic = {
    .name = "clinic",
    .arguments = "MODEL -o FILE.html",
    .about = "Write the clinical page as one file to hand over: healthy and case side by side",
    .details =
        "The file has up to eight cases (without any: five nerve lesions) solved for the pose farthest from rest of\n"
        "every motion of the model, and for all frames of each --motion. It opens in any browser and needs no\n"
        "server. To change cases and move the joints freely: sinew studio MODEL. Not a medical device.",
    .example = "sinew clinic hand-clinical --nerve ulnar-low --nerve ulnar-high -o ulnar.html",
    .output = "wrote ulnar.html: 2 cases in ... poses\nnot a medical device",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
