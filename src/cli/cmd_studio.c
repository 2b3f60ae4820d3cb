/* sinew studio: the page with a model, its replay and a live simulation, for this machine only. */
#include "body_options.h"
#include "deformed.h"
#include "live_page.h"
#include "studio_slices.h"

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
    snLibrary *library;
    char *page;
    void *scene;
    size_t page_size, scene_size;
    snServer *server;
    snBodyOptions body;
    snSteerDef steer;
    snLivePage live;
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

static void describe(snStudio *s, snStudioDef *def, char *name, char *title, size_t size)
{
    *def = sn_default_studio_def();
    title_of(s->cli->argument[0], name, size);
    title[0] = '\0';
    if (s->cli->nargument > 1) title_of(s->cli->argument[1], title, size);
    def->spec = s->spec, def->name = name, def->title = title;
    def->replay = s->replay, def->target = s->target;
}

/* Soft muscles, which the page blends itself. */
static snStatus add_library(snStudio *s, snStudioDef *def)
{
    const char *path = cli_option_text(s->cli, "library", NULL);
    snError error = {0};
    if (!path) return SN_OK;
    snStatus status = sn_load_library(path, &s->library, &error);
    def->library = s->library;
    return cli_fail_file(s->cli, status, &error, path);
}

/* The skin with the tendons under it where there is a replay; in the live mode it follows the bones. */
static snStatus add_skin(snStudio *s, snStudioDef *def)
{
    snModelSkinDef skin = sn_default_model_skin_def();
    if (!cli_has_skin(s->spec) || cli_given(s->cli, "no-skin")) return SN_OK;
    snStatus status = cli_skin_open(s->cli, s->spec, s->replay, &skin, NULL, &s->skinned);
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
    snServerDef server = {.model = def->live ? s->model : NULL,
                          .steer = &s->steer,
                          .clinic = s->live.clinical ? s->model : NULL,
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
    cli_say(s->cli, "%s\nPress Ctrl-C to stop.\n", address);
    if (s->cli->quiet || s->cli->want_json) (void)fprintf(stderr, "%s\n", address); /* without it the page is closed */
    (void)fflush(stdout);
    json_string(&s->cli->json, "address", address);
    json_integer(&s->cli->json, "port", sn_server_port(s->server));
    return sn_server_run(s->server, should_stop, s);
}

/* How a model on a tree is held: at first as the options say, then as the dials of the page do. */
static snStatus read_steer(snStudio *s, bool tree)
{
    static const char *const mine[] = {"load", "coactivation", "breathing"};
    snError error = {0};
    s->steer = sn_default_steer_def();
    for (size_t i = 0; i < sizeof mine / sizeof *mine && !tree; ++i)
        if (cli_given(s->cli, mine[i]))
            return cli_fail(s->cli, SN_USAGE, "--%s is for models on a tree, such as body", mine[i]);
    if (!tree) return SN_OK;
    snStatus status = cli_read_body_options(s->cli, s->model, &s->body, &s->steer);
    if (status != SN_OK || s->steer.breath) return status;
    /* breathing can be turned on later */
    snMotionDef motion = sn_default_motion_def();
    motion.model = s->cli->argument[0];
    if (sn_load_motion_poses("breath", &motion, &s->body.breath, &error) != SN_OK) return SN_OK;
    s->steer.breath = s->body.breath, s->steer.breath_depth = 1e-9;
    return SN_OK;
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
    if (cli_given(cli, "slices")) return cli_studio_slices(cli);
    if (cli->nargument == 0) return cli_fail(cli, SN_USAGE, "MODEL is missing: see sinew studio --help");
    snStudioDef def;
    char name[256], title[256];
    const char *out = cli_option_text(cli, "save", NULL);
    if (cli_given(cli, "live") && !out)
        return cli_fail(cli, SN_USAGE, "--live is for --save FILE: a page that is served simulates anyway");
    snStatus status = cli_compile_model(cli, cli->argument[0], &s.spec, &s.model);
    if (status == SN_OK) status = load_tracks(&s);
    bool tree = status == SN_OK && sn_spec_model(s.spec)->type == SN_MODEL_TREE;
    if (status == SN_OK) status = read_steer(&s, tree);
    bool asks = !out || cli_given(cli, "live"); /* something simulates: the server, or the solver in the page */
    describe(&s, &def, name, title, sizeof name);
    def.solver = out && asks;
    if (status == SN_OK && asks) status = cli_live_page(cli, cli->argument[0], s.spec, s.model, &s.live, &def);
    if (status == SN_OK) status = add_library(&s, &def);
    if (status == SN_OK) status = add_skin(&s, &def);
    if (status == SN_OK) status = out ? save(&s, &def, out) : serve(&s, &def);
    sn_server_destroy(s.server);
    cli_live_page_free(&s.live);
    cli_free_body_options(&s.body);
    cli_deform_close(&s.skinned);
    sn_library_destroy(s.library);
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
    {"target", SN_OPTION_TEXT, "MOTION",
     "motion that the replay follows, shown as a wireframe (the one its report names)", 0, 0},
    {"load", SN_OPTION_TEXT, "BODY=KG", "a model on a tree: a weight at a body, also over time: BODY=T:KG,T:KG", 0, 0},
    {"coactivation", SN_OPTION_PAIR, "PART=X", "a model on a tree: co-contract the muscles of a part; may be repeated",
     0, 100},
    {"breathing", SN_OPTION_TEXT, "DEG[:S]", "a model on a tree: angle of the ribs, seconds a breath (4)", 0, 0},
    {"no-skin", SN_OPTION_FLAG, "", "without the skin, which takes a few seconds to prepare", 0, 0},
    {"library", SN_OPTION_TEXT, "FILE", "soft muscles of this deformation library, also live (sinew library)", 0, 0},
    {"save", SN_OPTION_TEXT, "FILE", "write the page as one file instead of serving it", 0, 0},
    {"live", SN_OPTION_FLAG, "", "with --save: the page simulates by itself, without a server", 0, 0},
    {"slices", SN_OPTION_TEXT, "STACK", "instead of a model: find a muscle in a stack of slice images", 0, 0},
    {"muscle", SN_OPTION_TEXT, "NAME", "with --slices: name of the muscle (muscle)", 0, 0},
    {"spacing", SN_OPTION_TEXT, "X,Y,Z", "with --slices: spacing of columns, rows and slices in mm (the stack's own)",
     0, 0},
    {"timeout", SN_OPTION_NUMBER, "S", "end after S seconds", 0, 1e9},
    {0},
};

const snCommand cmd_studio = {
    .name = "studio",
    .arguments = "MODEL [REPLAY] | --slices STACK",
    .about = "Serve the interactive page, on this machine only",
    .details = "Open the printed address in a browser. It contains a key, so that other users of this machine are "
               "refused. The page\n"
               "plays the replay; Live simulates the model behind it; Clinic (for a model on a tree, such as "
               "hand-clinical) shows\n"
               "which poses a hand can hold, healthy and as a case. In the replay the skin shows its tendons; in the "
               "live mode it\n"
               "only follows the bones. With --slices the page shows a stack of images: click into a muscle, correct "
               "its contours,\n"
               "download them.",
    .example = "sinew studio finger --timeout 0.1",
    .output = "http://127.0.0.1:8137/.../\nPress Ctrl-C to stop.",
    .least = 0,
    .most = 2,
    .options = options,
    .run = run,
};
