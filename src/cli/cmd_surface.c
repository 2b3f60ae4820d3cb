/* sinew surface: contours to a closed mesh, and to a muscle of a model. */
#include "slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 12 };

static bool is_mesh(const char *path)
{
    return cli_ends_with(path, ".obj") || cli_ends_with(path, ".ply") || cli_ends_with(path, ".stl");
}

static void report(snCli *cli, const snOutline *m, const snMesh *mesh, const snSurfaceReport *r, const char *out)
{
    cli_say(cli, "%s: %d vertices, %d triangles, %d closed part%s\n", m->name, (int)mesh->nvertex, (int)mesh->ntriangle,
            (int)r->parts, r->parts == 1 ? "" : "s");
    cli_say(cli, "volume %.2f cm^3 (contours alone %.2f), edges %.2f mm, worst aspect %.1f\n", r->volume * 1e6,
            r->contour_volume * 1e6, r->edge * 1e3, r->worst_aspect);
    if (m->volume > 0)
        cli_say(cli, "true volume %.2f cm^3: off by %+.2f %%\n", m->volume * 1e6, 100 * (r->volume / m->volume - 1));
    if (r->parts > 1)
        cli_warn(cli, "%s is in %d parts; look at slices that are empty or leaking", m->name, (int)r->parts);
    json_string(&cli->json, "muscle", m->name);
    json_integer(&cli->json, "vertices", mesh->nvertex);
    json_integer(&cli->json, "triangles", mesh->ntriangle);
    json_integer(&cli->json, "parts", r->parts);
    json_integer(&cli->json, "slices", r->slices);
    json_integer(&cli->json, "interpolated", r->filled);
    json_number(&cli->json, "volume", r->volume);
    json_number(&cli->json, "contour_volume", r->contour_volume);
    json_number(&cli->json, "edge", r->edge);
    json_number(&cli->json, "worst_aspect", r->worst_aspect);
    if (m->volume > 0) json_number(&cli->json, "volume_error", r->volume / m->volume - 1);
    json_string(&cli->json, "output", out);
}

static snStatus save_points(snCli *cli, const snMesh *mesh, const char *path)
{
    int32_t count = (int32_t)cli_option_number(cli, "count", 400);
    double *point = malloc((size_t)count * 4 * sizeof *point), *volume = point ? point + 3 * (size_t)count : NULL;
    snError error = {0};
    snText text = {0};
    if (!point) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = sn_fill_points(mesh, count, point, volume, &error);
    if (status == SN_OK) {
        text_add(&text, "x,y,z,volume\n");
        for (int32_t i = 0; i < count; ++i) {
            for (int c = 0; c < 3; ++c) text_add_number(&text, "", point[3 * i + c], ",");
            text_add_number(&text, "", volume[i], "\n");
        }
        status = text.text ? cli_save_text(cli, path, text.text) : cli_fail(cli, SN_NO_MEMORY, "out of memory");
        json_string(&cli->json, "points", path);
    } else {
        status = cli_fail_error(cli, &error);
    }
    text_free(&text);
    free(point);
    return status;
}

/* "BODY" or "BODY:X,Y,Z" (mm). */
static snStatus read_end(snCli *cli, const char *option, char *body, size_t size, double point[3], bool *placed)
{
    const char *text = cli_option_text(cli, option, NULL);
    if (!text) return cli_fail(cli, SN_USAGE, "--%s is missing: the body that the muscle is fixed to", option);
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length >= size) return cli_fail(cli, SN_USAGE, "--%s: the name is too long", option);
    (void)snprintf(body, size, "%.*s", (int)length, text);
    *placed = colon != NULL;
    if (!colon) return SN_OK;
    snStatus status = cli_numbers(cli, option, colon + 1, 3, point);
    for (int c = 0; status == SN_OK && c < 3; ++c) point[c] *= 1e-3;
    return status;
}

static snStatus add_muscle(snCli *cli, const snContours *contours, const snOutline *m, const snMesh *mesh,
                           const char *out)
{
    char origin[128], insertion[128];
    double line[3 * LINE], from[3], to[3];
    bool placed_from, placed_to;
    snSpec *spec = NULL;
    snError error = {0};
    snStatus status = read_end(cli, "origin", origin, sizeof origin, from, &placed_from);
    if (status == SN_OK) status = read_end(cli, "insertion", insertion, sizeof insertion, to, &placed_to);
    if (status == SN_OK && placed_from != placed_to)
        status = cli_fail(cli, SN_USAGE, "give the points of both --origin and --insertion, or of neither");
    if (status == SN_OK) status = cli_load_model(cli, cli_option_text(cli, "into", NULL), &spec);
    if (status != SN_OK) return status;
    status = sn_contour_line(contours, m->name, LINE, line, &error);
    snSurfaceMuscleDef def = {.size = sizeof def,
                              .name = cli_option_text(cli, "name", m->name),
                              .mesh = mesh,
                              .npoint = LINE,
                              .line = line,
                              .reverse = cli_given(cli, "reverse"),
                              .origin = origin,
                              .insertion = insertion,
                              .origin_point = placed_from ? from : NULL,
                              .insertion_point = placed_to ? to : NULL,
                              .max_force = cli_option_number(cli, "max-force", 0)};
    if (status == SN_OK) status = sn_add_surface_muscle(spec, &def, &error);
    if (status != SN_OK)
        status = cli_fail_error(cli, &error);
    else
        status = cli_fail_file(cli, sn_save_model(spec, out, &error), &error, out);
    if (status == SN_OK) {
        cli_say(cli, "mesh %s_muscle and strand %s, from %s to %s\n", def.name, def.name, origin, insertion);
        json_string(&cli->json, "strand", def.name);
    }
    sn_spec_destroy(spec);
    return status;
}

static snStatus make(snCli *cli, const snContours *contours, const char *out)
{
    const char *points = cli_option_text(cli, "points", NULL);
    snSurfaceDef def = sn_default_surface_def();
    snSurfaceReport r;
    snMesh mesh = {0};
    snError error = {0};
    def.muscle = cli_option_text(cli, "muscle", NULL);
    def.edge = 1e-3 * cli_option_number(cli, "edge", 0);
    def.threads = cli->threads;
    snStatus status = sn_make_surface(contours, &def, &mesh, &r, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, cli->argument[0]);
    const snOutline *m = sn_contours_find(contours, def.muscle);
    status = is_mesh(out) ? cli_fail_file(cli, sn_save_mesh(&mesh, out, &error), &error, out)
                          : add_muscle(cli, contours, m, &mesh, out);
    if (status == SN_OK && points) status = save_points(cli, &mesh, points);
    if (status == SN_OK) {
        report(cli, m, &mesh, &r, out);
        cli_say(cli, "%s\n", out);
    }
    sn_mesh_free(&mesh);
    return status;
}

static snStatus run(snCli *cli)
{
    const char *out = cli_option_text(cli, "o", NULL), *points = cli_option_text(cli, "points", NULL);
    bool into = cli_given(cli, "into");
    snContours contours = {0};
    snError error = {0};
    if (!out) return cli_fail(cli, SN_USAGE, "-o MESH is missing");
    if (into && !cli_ends_with(out, ".muscle.xml"))
        return cli_fail(cli, SN_USAGE, "-o %s: --into writes a .muscle.xml", out);
    if (!into && !is_mesh(out)) return cli_fail(cli, SN_USAGE, "-o %s: expected a .obj, .ply or .stl", out);
    snStatus status = cli_check_output(cli, out);
    if (status == SN_OK && points) status = cli_check_output(cli, points);
    if (status != SN_OK) return status;
    status = sn_load_contours(cli->argument[0], &contours, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, cli->argument[0]);
    status = make(cli, &contours, out);
    sn_contours_free(&contours);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "the mesh, a .obj, .ply or .stl; with --into the new model, a .muscle.xml", 0, 0},
    {"muscle", SN_OPTION_TEXT, "NAME", "muscle of the contours (the first)", 0, 0},
    {"edge", SN_OPTION_NUMBER, "MM", "length of the triangles' edges (from the volume, at least two pixels)", 0.01,
     100},
    {"points", SN_OPTION_TEXT, "FILE.csv", "also write points inside, with the volume that each stands for", 0, 0},
    {"count", SN_OPTION_COUNT, "N", "how many points (400)", 20, 100000},
    {"into", SN_OPTION_TEXT, "MODEL", "add the muscle to a copy of this model: mesh, strand and attachments", 0, 0},
    {"origin", SN_OPTION_TEXT, "BODY[:X,Y,Z]", "with --into: body of the lower end, and where it goes (mm)", 0, 0},
    {"insertion", SN_OPTION_TEXT, "BODY[:X,Y,Z]", "with --into: body of the upper end, and where it goes (mm)", 0, 0},
    {"reverse", SN_OPTION_FLAG, "", "with --into: the origin is the end in the highest slice", 0, 0},
    {"name", SN_OPTION_TEXT, "NAME", "with --into: name of the strand (the muscle's)", 0, 0},
    {"max-force", SN_OPTION_NUMBER, "N", "with --into: greatest force (0.3 MPa times the mean section)", 0, 1e6},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_surface = {
    .name = "surface",
    .arguments = "FILE.contours.xml -o MESH",
    .about = "Make a closed muscle mesh from contours, or a muscle of a model",
    .details =
        "The surface goes through the contours of every slice, smoothly between them; heads may join and tails may "
        "part.\n"
        "Slices without contours between others are interpolated. The mesh is in metres, in the coordinates of the "
        "stack.\n"
        "With --into the muscle becomes part of a model: fill it with sinew strands, then make it soft with sinew "
        "library.\n"
        "Points given with --origin and --insertion move, turn and scale it so that its ends lie there.",
    .example = "sinew surface arm.contours.xml --muscle biceps -o biceps.obj",
    .output = "biceps: 4658 vertices, 9312 triangles, 1 closed part\n...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
