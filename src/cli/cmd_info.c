/* sinew info: what a model or a replay contains. */
#include "cli.h"
#include "info_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const joint_types[] = {"ball", "hinge", "rigid", "cylindrical", "universal", "prismatic"};
static const int joint_freedoms[] = {3, 1, 0, 2, 2, 1};
static const char *const constraint_types[] = {"fixed", "sliding", "surface", "strut"};

static int32_t strand_points(const snSpec *spec, const snStrandDef *strand)
{
    snId node = sn_spec_find(spec, SN_KIND_NODE, strand->node && strand->node[0] ? strand->node : strand->name);
    return node ? sn_spec_node(spec, node)->npoint : strand->npoint;
}

static bool is_muscle(const snStrandDef *strand)
{
    return strand->belly_end > strand->belly_start && strand->active_scale > 0;
}

typedef struct snTotals {
    int32_t pinned, freedoms, muscles, paths, points, meshes, by_type[4];
} snTotals;

static snTotals add_up(const snSpec *spec)
{
    snTotals t = {0};
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_BODY); ++i) t.pinned += sn_spec_body(spec, i)->pinned;
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_JOINT); ++i)
        t.freedoms += joint_freedoms[sn_spec_joint(spec, i)->type];
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_STRAND); ++i) {
        t.muscles += is_muscle(sn_spec_strand(spec, i));
        t.paths += sn_spec_strand(spec, i)->kind == SN_STRAND_PATH;
        t.points += strand_points(spec, sn_spec_strand(spec, i));
    }
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_NODE); ++i)
        t.meshes += sn_spec_node(spec, i)->kind == SN_NODE_MESH;
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_CONSTRAINT); ++i) ++t.by_type[sn_spec_constraint(spec, i)->type];
    return t;
}

static bool is_tree(const snSpec *spec)
{
    return sn_spec_model(spec)->type == SN_MODEL_TREE;
}

static void say_totals(snCli *cli, const snSpec *spec)
{
    snTotals t = add_up(spec);
    int32_t bodies = sn_spec_count(spec, SN_KIND_BODY), joints = sn_spec_count(spec, SN_KIND_JOINT);
    int32_t strands = sn_spec_count(spec, SN_KIND_STRAND), constraints = sn_spec_count(spec, SN_KIND_CONSTRAINT);
    int32_t groups = sn_spec_count(spec, SN_KIND_GROUP), functions = sn_spec_count(spec, SN_KIND_FUNCTION);
    cli_say(cli, "bodies       %d (%d held)\n", bodies, t.pinned);
    if (is_tree(spec)) info_tree_totals(cli, spec);
    if (!is_tree(spec)) cli_say(cli, "joints       %d (%d degrees of freedom)\n", joints, t.freedoms);
    if (!is_tree(spec))
        cli_say(cli, "strands      %d (%d with muscle), %d control points\n", strands, t.muscles, t.points);
    if (!is_tree(spec))
        cli_say(cli, "constraints  %d (%d fixed, %d sliding, %d surface, %d strut)\n", constraints, t.by_type[0],
                t.by_type[1], t.by_type[2], t.by_type[3]);
    if (groups > 0) cli_say(cli, "groups       %d\n", groups);
    if (functions > 0) cli_say(cli, "functions    %d\n", functions);
    json_integer(&cli->json, "bodies", bodies);
    json_integer(&cli->json, "held_bodies", t.pinned);
    json_integer(&cli->json, "joints", joints);
    json_integer(&cli->json, "degrees_of_freedom",
                 is_tree(spec) ? sn_spec_count(spec, SN_KIND_COORDINATE) : t.freedoms);
    json_integer(&cli->json, "strands", strands);
    json_integer(&cli->json, "path_strands", t.paths);
    json_number(&cli->json, "step_s", sn_spec_model(spec)->step);
    json_integer(&cli->json, "strands_with_muscle", t.muscles);
    json_integer(&cli->json, "points", t.points);
    json_integer(&cli->json, "groups", groups);
    json_integer(&cli->json, "functions", functions);
    json_integer(&cli->json, "nodes", sn_spec_count(spec, SN_KIND_NODE));
    json_integer(&cli->json, "meshes", t.meshes);
    json_open(&cli->json, "constraints", '{');
    for (int i = 0; i < 4; ++i) json_integer(&cli->json, constraint_types[i], t.by_type[i]);
    json_close(&cli->json, '}');
}

static void list_bodies_and_joints(snCli *cli, const snSpec *spec)
{
    cli_say(cli, "\nbodies\n");
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_BODY); ++i) {
        const snBodyDef *body = sn_spec_body(spec, i);
        if (body->mass > 0 && !body->pinned)
            cli_say(cli, "  %-24s %.4g kg\n", body->name, body->mass);
        else
            cli_say(cli, "  %-24s %s\n", body->name, body->pinned ? "held" : "mass from its shape");
    }
    cli_say(cli, "joints\n");
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_JOINT); ++i) {
        const snJointDef *joint = sn_spec_joint(spec, i);
        cli_say(cli, "  %-24s %s, %s to %s\n", joint->name, joint_types[joint->type], joint->body_a, joint->body_b);
    }
}

/* The k-th of several words with blanks between; "": there are fewer. */
static void word_of(const char *words, int k, char *word, size_t size)
{
    word[0] = '\0';
    for (; words && k >= 0; --k) {
        words += strspn(words, " ");
        int n = (int)strcspn(words, " ");
        (void)snprintf(word, size, "%.*s", k ? 0 : n, words);
        words += n;
    }
}

/* Names as motions, --joint and --moment-arms take them, with their ranges. */
static void list_coordinates(snCli *cli, const snSpec *spec, bool say)
{
    if (say) cli_say(cli, "coordinates\n");
    json_open(&cli->json, "coordinate_names", '[');
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_JOINT); ++i) {
        const snJointDef *joint = sn_spec_joint(spec, i);
        for (int k = 0; joint->enabled && k < joint_freedoms[joint->type]; ++k) {
            char word[64], name[200];
            bool slides =
                joint->type == SN_JOINT_TYPE_PRISMATIC || (joint->type == SN_JOINT_TYPE_CYLINDRICAL && k == 1);
            word_of(joint->motions, k, word, sizeof word);
            if (word[0])
                (void)snprintf(name, sizeof name, "%s.%s", joint->name, word);
            else
                (void)snprintf(name, sizeof name, "%s.%d", joint->name, k);
            json_string(&cli->json, NULL, name);
            if (say && joint->limited)
                cli_say(cli, "  %-24s %g to %g %s\n", name, joint->lower[k], joint->upper[k], slides ? "m" : "degrees");
            else if (say)
                cli_say(cli, "  %-24s not limited\n", name);
        }
    }
    json_close(&cli->json, ']');
}

static void list_strands(snCli *cli, const snSpec *spec)
{
    cli_say(cli, "strands\n");
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_STRAND); ++i) {
        const snStrandDef *strand = sn_spec_strand(spec, i);
        cli_say(cli, "  %-24s %d points, radius %.3g mm%s\n", strand->name, strand_points(spec, strand),
                1000 * strand->radius, is_muscle(strand) ? ", muscle" : "");
    }
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_FUNCTION); ++i)
        cli_say(cli, "function %s: %s\n", sn_spec_function(spec, i)->name, sn_spec_function(spec, i)->muscles);
}

static const char *mass_source(const snBodyDef *body, snMassFrom shape)
{
    const char *from = shape == SN_MASS_MESH ? "meshes" : "cylinder";
    bool all = body->inertia[0] > 0 && body->inertia[1] > 0 && body->inertia[2] > 0;
    if (all && body->mass > 0) return "given";
    return body->mass > 0 && body->mass_from != SN_MASS_MESH
               ? (shape == SN_MASS_MESH ? "given, shape of the meshes" : "given, shape of the cylinder")
               : from;
}

static void add_numbers(snJson *json, const char *key, const double *value, int count)
{
    json_open(json, key, '[');
    for (int i = 0; i < count; ++i) json_number(json, NULL, value[i]);
    json_close(json, ']');
}

/* Mass, centre and inertia of every body, as they are simulated. */
static snStatus list_masses(snCli *cli, const snSpec *spec)
{
    snStatus status = SN_OK;
    cli_say(cli, "\nbody                     mass kg   centre of mass mm, in its node       inertia kg mm^2: xx yy zz, "
                 "xy xz yz\n");
    json_open(&cli->json, "masses", '[');
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_BODY) && status == SN_OK; ++id) {
        const snBodyDef *body = sn_spec_body(spec, id);
        snBodyMass m;
        snError error = {0};
        status = sn_measure_body(spec, id, &m, &error);
        error.status = status;
        if (status != SN_OK) return cli_fail_error(cli, &error);
        const char *from = mass_source(body, m.shape);
        const double *t = m.inertia;
        cli_say(cli, "%-24s %8.4g  %9.3g %9.3g %9.3g  %9.4g %9.4g %9.4g, %9.3g %9.3g %9.3g  %s%s\n", body->name, m.mass,
                1e3 * m.center[0], 1e3 * m.center[1], 1e3 * m.center[2], 1e6 * t[0], 1e6 * t[4], 1e6 * t[8], 1e6 * t[1],
                1e6 * t[2], 1e6 * t[5], from, body->pinned ? ", held" : "");
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "body", body->name);
        json_number(&cli->json, "mass", m.mass);
        add_numbers(&cli->json, "center", m.center, 3);
        add_numbers(&cli->json, "inertia", m.inertia, 9);
        json_string(&cli->json, "from", from);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    return status;
}

static void name_list(snCli *cli, const snSpec *spec, const char *key, snKind kind)
{
    json_open(&cli->json, key, '[');
    for (snId i = 1; i <= sn_spec_count(spec, kind); ++i) {
        const char *name = kind == SN_KIND_BODY     ? sn_spec_body(spec, i)->name
                           : kind == SN_KIND_JOINT  ? sn_spec_joint(spec, i)->name
                           : kind == SN_KIND_STRAND ? sn_spec_strand(spec, i)->name
                                                    : sn_spec_function(spec, i)->name;
        json_string(&cli->json, NULL, name);
    }
    json_close(&cli->json, ']');
}

/* Where the files of the model lie, for programs that read them; nothing for a scene that has none. */
static void add_path(snCli *cli, const char *name)
{
    char path[4096];
    snError error = {0};
    char *whole = sn_find_model(name, path, sizeof path, &error) == SN_OK ? realpath(path, NULL) : NULL;
    if (whole) json_string(&cli->json, "path", whole);
    free(whole);
}

static snStatus model_info(snCli *cli)
{
    snSpec *spec = NULL;
    snStatus status = cli_load_model(cli, cli->argument[0], &spec);
    if (status != SN_OK) return status;
    json_string(&cli->json, "model", cli->argument[0]);
    add_path(cli, cli->argument[0]);
    say_totals(cli, spec);
    name_list(cli, spec, "body_names", SN_KIND_BODY);
    name_list(cli, spec, "joint_names", SN_KIND_JOINT);
    name_list(cli, spec, "strand_names", SN_KIND_STRAND);
    name_list(cli, spec, "function_names", SN_KIND_FUNCTION);
    if (!is_tree(spec) && !cli_given(cli, "list")) list_coordinates(cli, spec, false);
    if (cli_given(cli, "list")) {
        list_bodies_and_joints(cli, spec);
        if (!is_tree(spec)) list_coordinates(cli, spec, true);
        list_strands(cli, spec);
        if (is_tree(spec)) info_tree_list(cli, spec);
    }
    if (cli_given(cli, "mass")) status = list_masses(cli, spec);
    sn_spec_destroy(spec);
    return status;
}

static snStatus track_info(snCli *cli)
{
    snTrack *track = NULL;
    snError error = {0};
    snStatus status = sn_load_track(cli->argument[0], &track, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, cli->argument[0]);
    const snTrackDef *def = sn_track_def(track);
    int32_t frames = sn_track_frames(track);
    double first = frames > 0 ? sn_track_time(track, 0) : 0, last = frames > 0 ? sn_track_time(track, frames - 1) : 0;
    cli_say(cli, "model        %s\n", def->model && def->model[0] ? def->model : "(not named)");
    cli_say(cli, "frames       %d, from %.4g s to %.4g s\n", frames, first, last);
    cli_say(cli, "bodies       %d\nstrands      %d\nscalars      %d\n", def->nbody, def->nstrand, def->nscalar);
    for (int32_t i = 0; cli_given(cli, "list") && i < def->nscalar; ++i) cli_say(cli, "  %s\n", def->scalar_name[i]);
    json_string(&cli->json, "track", cli->argument[0]);
    json_integer(&cli->json, "frames", frames);
    json_number(&cli->json, "start_s", first);
    json_number(&cli->json, "end_s", last);
    json_integer(&cli->json, "bodies", def->nbody);
    json_integer(&cli->json, "strands", def->nstrand);
    json_integer(&cli->json, "scalars", def->nscalar);
    sn_track_destroy(track);
    return SN_OK;
}

/* ---- the schema --------------------------------------------------------------------------- */

static void add_default(snJson *json, const snAttributeInfo *a)
{
    if (strcmp(a->type, "bool") == 0) {
        json_boolean(json, "default", a->initial[0] != 0);
    } else if (strcmp(a->type, "enum") == 0) {
        json_string(json, "default", a->names[(int)a->initial[0]]);
    } else if (strcmp(a->type, "int") == 0) {
        json_integer(json, "default", (int64_t)a->initial[0]);
    } else if (strcmp(a->type, "number") == 0) {
        json_number(json, "default", a->initial[0]);
    } else if (strcmp(a->type, "vector") == 0) {
        json_open(json, "default", '[');
        for (int i = 0; i < a->width; ++i) json_number(json, NULL, a->initial[i]);
        json_close(json, ']');
    }
}

static void add_attribute(snJson *json, const snAttributeInfo *a)
{
    json_open(json, NULL, '{');
    json_string(json, "name", a->name);
    json_string(json, "type", a->type);
    if (a->width) json_integer(json, "width", a->width);
    add_default(json, a);
    if (a->names) {
        json_open(json, "names", '[');
        for (int i = 0; a->names[i]; ++i) json_string(json, NULL, a->names[i]);
        json_close(json, ']');
    }
    if (isfinite(a->min) && a->min < a->max) json_number(json, "min", a->min);
    if (isfinite(a->max) && a->min < a->max) json_number(json, "max", a->max);
    if (a->required) json_boolean(json, "required", true);
    if (a->above_min) json_boolean(json, "above_min", true);
    if (a->child) json_boolean(json, "child", true);
    json_string(json, "unit", a->unit);
    json_string(json, "doc", a->doc);
    json_close(json, '}');
}

static snStatus schema_info(snCli *cli)
{
    snElementInfo element;
    snAttributeInfo attribute;
    json_open(&cli->json, "elements", '[');
    for (int i = 0; sn_schema_element(i, &element); ++i) {
        cli_say(cli, "%s: %s\n", element.tag, element.doc);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "tag", element.tag);
        json_boolean(&cli->json, "node", element.node);
        json_string(&cli->json, "doc", element.doc);
        json_open(&cli->json, "attributes", '[');
        for (int k = 0; sn_schema_attribute(i, k, &attribute); ++k) {
            cli_say(cli, "  %-20s %-8s %s\n", attribute.name, attribute.type, attribute.doc);
            add_attribute(&cli->json, &attribute);
        }
        json_close(&cli->json, ']');
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    return SN_OK;
}

static snStatus run(snCli *cli)
{
    if (cli_given(cli, "schema")) return schema_info(cli);
    if (cli->nargument < 1) return cli_fail(cli, SN_USAGE, "MODEL or REPLAY is missing: sinew info MODEL");
    const char *name = cli->argument[0];
    bool track = cli_is_track(name);
    static const char *const only_arms[] = {"table", "joint", "csv"};
    for (int i = 0; i < 3; ++i)
        if (cli_given(cli, only_arms[i]) && !cli_given(cli, "moment-arms"))
            return cli_fail(cli, SN_USAGE, "--%s belongs to --moment-arms", only_arms[i]);
    if (cli_given(cli, "moment-arms")) return cli_moment_arms(cli);
    return track ? track_info(cli) : model_info(cli);
}

static const snOption options[] = {
    {"list", SN_OPTION_FLAG, "", "list everything by name", 0, 0},
    {"mass", SN_OPTION_FLAG, "",
     "mass, centre of mass and inertia of every body: given, of its meshes, or as a cylinder", 0, 0},
    {"schema", SN_OPTION_FLAG, "", "every element and attribute of scene and muscle files instead", 0, 0},
    {"moment-arms", SN_OPTION_FLAG, "", "moment arms of all strands about all joints, over their ranges", 0, 0},
    {"joint", SN_OPTION_TEXT, "J", "with --moment-arms: about this joint only", 0, 0},
    {"table", SN_OPTION_TEXT, "FILE", "with --moment-arms: published figures to compare with (the model's own)", 0, 0},
    {"csv", SN_OPTION_TEXT, "FILE", "with --moment-arms: write the arms at every pose", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_info = {
    .name = "info",
    .arguments = "MODEL|REPLAY",
    .about = "Show what a model or a replay contains",
    .details = "--moment-arms moves every joint coordinate through its range in steps of a degree, the others at rest "
               "and all muscles\n"
               "slightly active, and finds the moment arm of each strand in two ways that must agree: from the change "
               "of the length of\n"
               "its path (mm per radian, positive where the strand drives the coordinate up), and from the torque of "
               "its constraint\n"
               "forces over its tension. Columns: mean over the range and value at rest, mean and worst difference of "
               "the two ways,\n"
               "largest jump from pose to pose, mm. Then the published figures, if there are any, and what the muscles "
               "must do to hold\n"
               "a torque about one coordinate alone.",
    .example = "sinew info crane",
    .output = "bodies       3 (1 held)\n"
              "joints       1 (1 degrees of freedom)\n"
              "strands      2 (1 with muscle), 98 control points\n"
              "constraints  6 (4 fixed, 2 sliding, 0 surface, 0 strut)",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
