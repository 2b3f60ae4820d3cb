/* What `sinew info` says of a model on a tree. */
#include "info_tree.h"

#include <string.h>

/* mcp2.flexion and mcp2.deviation belong to the joint mcp2. */
static bool same_joint(const char *a, const char *b)
{
    const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');
    if (!dot_a || !dot_b) return strcmp(a, b) == 0;
    return dot_a - a == dot_b - b && strncmp(a, b, (size_t)(dot_a - a)) == 0;
}

static int32_t count_joints(const snSpec *spec)
{
    int32_t count = 0;
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_COORDINATE); ++i) {
        snId k = 1;
        while (k < i && !same_joint(sn_spec_coordinate(spec, k)->name, sn_spec_coordinate(spec, i)->name)) ++k;
        count += k == i;
    }
    return count;
}

static const char *unit_of(const snSpec *spec, snId muscle)
{
    const snLineMuscleDef *d = sn_spec_line_muscle(spec, muscle);
    return *d->unit ? d->unit : d->name;
}

void info_tree_totals(snCli *cli, const snSpec *spec)
{
    int32_t coordinates = sn_spec_count(spec, SN_KIND_COORDINATE), muscles = sn_spec_count(spec, SN_KIND_LINE_MUSCLE);
    int32_t driven = 0, units = 0, paths = 0, joints = count_joints(spec);
    for (snId i = 1; i <= coordinates; ++i) driven += sn_spec_coordinate(spec, i)->driven;
    for (snId i = 1; i <= muscles; ++i) {
        snId k = 1;
        if (!sn_spec_line_muscle(spec, i)->enabled) continue;
        ++paths;
        while (k < i && (!sn_spec_line_muscle(spec, k)->enabled || strcmp(unit_of(spec, k), unit_of(spec, i)) != 0))
            ++k;
        units += k == i;
    }
    cli_say(cli, "tree         %d joints, %d coordinates (%d driven), %d springs\n", joints, coordinates, driven,
            sn_spec_count(spec, SN_KIND_SPRING));
    cli_say(cli, "muscles      %d units, %d paths", units, paths);
    cli_say(cli, muscles > paths ? ", %d kept as donors of transfers\n" : "\n", muscles - paths);
    json_open(&cli->json, "tree", '{');
    json_integer(&cli->json, "joints", joints);
    json_integer(&cli->json, "coordinates", coordinates);
    json_integer(&cli->json, "driven", driven);
    json_integer(&cli->json, "springs", sn_spec_count(spec, SN_KIND_SPRING));
    json_integer(&cli->json, "units", units);
    json_integer(&cli->json, "paths", paths);
    json_close(&cli->json, '}');
    json_integer(&cli->json, "muscles", units);
}

void info_tree_list(snCli *cli, const snSpec *spec)
{
    cli_say(cli, "coordinates\n");
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_COORDINATE); ++i) {
        const snCoordinateDef *d = sn_spec_coordinate(spec, i);
        cli_say(cli, "  %-24s %s to %s, %g to %g%s\n", d->name, d->parent, d->body, d->range[0], d->range[1],
                d->driven ? "" : ", passive");
    }
    cli_say(cli, "muscles\n");
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++i) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, i);
        cli_say(cli, "  %-24s unit %s, %d points, %g N, fibres %g mm%s\n", d->name, unit_of(spec, i), d->npoint,
                d->max_force, 1000 * d->fiber_length, d->enabled ? "" : ", donor only");
    }
}
