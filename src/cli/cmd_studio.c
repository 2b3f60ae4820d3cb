/* sinew studio: the page with a model, its replay and a live simulation, for this machine only. */
#include "clinic_page.h"
#include "deformed.h"
#include "postures.h"

#include "studio/server/server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct snStudio {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snTrack *replay, *target;
    snDeformed skinned;
    snStudioSkin skin;
    snPostures postures;
    char *page;
    void *scene;
    size_t page_size, scene_size;
    snServer *server;
    bool clinical; /* a model on a tree that is small enough to be asked about */
    snPoseList poses;
    snClinicDef clinic;
    double ends; /* clock, s */
} snStudio;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file's name without its endings: shown above the picture. */
static void title_of(const char *path, char *title, size_t size)
{
    (void)snprintf(title, size, "%s", base_name(path));
    char *dot = strchr(title, '.');
    if (dot && dot != title) *dot = '\0';
}

static snStatus load_tracks(snStudio *s)
{
    snError error = {0};
    const char *target = cli_option_text(s->cli, "target", NULL);
    snStatus status = SN_OK;
    if (s->cli->nargument > 1) status = sn_load_track(s->cli->argument[1], &s->replay, &error);
    snMotionDef def = sn_default_motion_def();
    def.model = s->cli->argument[0];
    if (status == SN_OK && target) status = sn_load_motion(s->model, target, &def, &s->target, &error);
    if (status == SN_OK && !target && s->replay)
        cli_load_followed(s->replay, s->cli->argument[1], def.model, s->spec, &s->target);
    error.status = status;
    return status == SN_OK ? SN_OK : cli_fail_error(s->cli, &error);
}

static void describe(snStudio *s, bool live, snStudioDef *def, char *name, char *title, size_t size)
{
    *def = sn_default_studio_def();
    title_of(s->cli->argument[0], name, size);
    title[0] = '\0';
    if (s->cli->nargument > 1) title_of(s->cli->argument[1], title, size);
    def->spec = s->spec, def->name = name, def->title = title;
    def->replay = s->replay, def->target = s->target, def->live = live;
}

/* The skin with the tendons under it where there is a replay; in the live mode it follows the bones. */
static snStatus add_skin(snStudio *s, snStudioDef *def)
{
    snModelSkinDef skin = sn_default_model_skin_def();
    if (!cli_has_skin(s->spec) || cli_given(s->cli, "no-skin")) return SN_OK;
    snStatus status = cli_skin_open(s->cli, s->spec, s->replay, &skin, &s->skinned);
    if (status == SN_OK) status = cli_deform_for_page(s->cli, &s->skinned, s->spec, &s->skin);
    def->skin = &s->skin;
    return status;
}

static bool should_stop(void *user)
{
    snStudio *s = user;
    return cli_interrupted() || cli_seconds() > s->ends;
}

static snStatus serve(snStudio *s, const snStudioDef *def)
{
    snError error = {0};
    snStatus status = sn_load_page(&s->page, &s->page_size, &error);
    if (status == SN_OK) status = sn_pack_studio(def, &s->scene, &s->scene_size, &error);
    bool tree = sn_count(s->model, SN_ITEM_LINE) > 0;
    snServerDef server = {.model = tree ? NULL : s->model,
                          .clinic = s->clinical ? s->model : NULL,
                          .spec = s->spec,
                          .page = s->page,
                          .page_size = s->page_size,
                          .scene = s->scene,
                          .scene_size = s->scene_size,
                          .port = (int)cli_option_number(s->cli, "port", 8137),
                          .threads = s->cli->threads};
    if (status == SN_OK) status = sn_server_create(&server, &s->server, &error);
    if (status != SN_OK) return cli_fail_error(s->cli, &error);
    double timeout = cli_option_number(s->cli, "timeout", 0);
    s->ends = timeout > 0 ? cli_seconds() + timeout : INFINITY;
    char address[80];
    sn_server_address(s->server, address, sizeof address);
    cli_say(s->cli, "%s\nCtrl-C ends it.\n", address);
    if (s->cli->quiet || s->cli->want_json) (void)fprintf(stderr, "%s\n", address); /* without it the page is closed */
    (void)fflush(stdout);
    json_string(&s->cli->json, "address", address);
    json_integer(&s->cli->json, "port", sn_server_port(s->server));
    return sn_server_run(s->server, should_stop, s);
}

/* The clinical page: poses to choose from; what they mean is asked of the server. */
static snStatus add_clinic(snStudio *s, snStudioDef *def)
{
    enum { MOST_COORDINATES = 29 }; /* what one message to the server holds */
    s->clinical = sn_count(s->model, SN_ITEM_LINE) > 0 && sn_count(s->model, SN_ITEM_COORDINATE) <= MOST_COORDINATES;
    if (!s->clinical) return SN_OK;
    snStatus status = clinic_poses_shipped(s->cli, s->cli->argument[0], s->model, &s->poses);
    s->clinic = sn_default_clinic_def();
    s->clinic.model = s->model;
    if (status == SN_OK) status = clinic_poses_into(s->cli, &s->poses, &s->clinic);
    def->clinic = &s->clinic;
    return status;
}

static snStatus save(snStudio *s, const snStudioDef *def, const char *path)
{
    snError error = {0};
    if (sn_save_html(def, path, &error) != SN_OK) return cli_fail_error(s->cli, &error);
    cli_say(s->cli, "wrote %s\n", path);
    json_string(&s->cli->json, "file", path);
    return SN_OK;
}

static snStatus run(snCli *cli)
{
    snStudio s = {.cli = cli};
    snStudioDef def;
    char name[256], title[256];
    const char *out = cli_option_text(cli, "save", NULL);
    snStatus status = cli_compile_model(cli, cli->argument[0], &s.spec, &s.model);
    if (status == SN_OK) status = load_tracks(&s);
    bool tree = status == SN_OK && sn_spec_model(s.spec)->type == SN_MODEL_TREE;
    describe(&s, !out && !tree, &def, name, title, sizeof name);
    if (status == SN_OK && def.live) status = cli_load_postures(cli, cli->argument[0], s.model, &s.postures);
    def.nposture = s.postures.count, def.posture_name = s.postures.name, def.posture = s.postures.value;
    if (status == SN_OK) status = add_skin(&s, &def);
    if (status == SN_OK && !out) status = add_clinic(&s, &def);
    if (status == SN_OK) status = out ? save(&s, &def, out) : serve(&s, &def);
    sn_server_destroy(s.server);
    clinic_poses_free(&s.poses);
    cli_deform_close(&s.skinned);
    cli_free_postures(&s.postures);
    sn_studio_free(s.page);
    sn_studio_free(s.scene);
    sn_track_destroy(s.target);
    sn_track_destroy(s.replay);
    sn_model_destroy(s.model);
    sn_spec_destroy(s.spec);
    return status;
}

static const snOption options[] = {
    {"port", SN_OPTION_COUNT, "N", "port on 127.0.0.1 (8137); 0: any that is free", 0, 65535},
    {"target", SN_OPTION_TEXT, "MOTION", "motion that the replay follows, shown as a wireframe (the one its report names)", 0, 0},
    {"no-skin", SN_OPTION_FLAG, "", "without the skin, which takes a few seconds to prepare", 0, 0},
    {"save", SN_OPTION_TEXT, "FILE", "write the page as one file instead of serving it", 0, 0},
    {"timeout", SN_OPTION_NUMBER, "S", "end after S seconds", 0, 1e9},
    {0},
};

const snCommand cmd_studio = {
    .name = "studio",
    .arguments = "MODEL [REPLAY]",
    .about = "The interactive page, served on this machine only",
    .details =
        "Open the printed address in a browser. It holds a key: other users of this machine, who do not know it,\n"
        "are refused. The page plays the replay; Live simulates the model behind it; Clinic (a model on a\n"
        "tree, such as hand-clinical) answers which poses a hand can hold, healthy and as a case.\n"
        "The skin shows its tendons in the replay; in the live mode it follows the bones.",
    .example = "sinew studio finger --timeout 0.1",
    .output = "http://127.0.0.1:8137/.../\nCtrl-C ends it.",
    .least = 1,
    .most = 2,
    .options = options,
    .run = run,
};
