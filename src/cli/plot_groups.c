/* Means of the parts of muscles: see plot_groups.h. */
#include "plot_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160 };

typedef struct Groups {
    int32_t count, nscalar;
    char (*name)[NAME];
    const char **names;
    int32_t *of;     /* per scalar: its group, -1: not of the prefix */
    double *members; /* per group */
    double *sum;
} Groups;

static void group_name(const char *name, char *group)
{
    size_t n = strlen(name), end = n;
    bool side = n > 2 && name[n - 2] == '_' && (name[n - 1] == 'R' || name[n - 1] == 'L');
    const char *digit = strpbrk(name, "0123456789");
    if (side) end = n - 2;
    if (digit && digit > name) {
        end = (size_t)(digit - name);
        while (end > 0 && name[end] != '_') --end;
        if (end == 0) end = side ? n - 2 : n;
    }
    if (end > NAME - 30) end = NAME - 30;
    (void)snprintf(group, NAME - 20, "%.*s%s", (int)end, name, side ? name + n - 2 : "");
}

static int32_t find_group(Groups *g, const char *prefix, const char *group)
{
    char *name = g->name[g->count];
    (void)snprintf(name, NAME, "%.30s%.120s", prefix, group);
    for (int32_t i = 0; i < g->count; ++i)
        if (strcmp(g->name[i], name) == 0) return i;
    return g->count++;
}

static bool sort_out(const snTrack *track, const char *prefix, Groups *g)
{
    const snTrackDef *def = sn_track_def(track);
    size_t n = (size_t)def->nscalar + 1, length = strlen(prefix);
    g->nscalar = def->nscalar;
    g->name = calloc(n, sizeof *g->name), g->names = calloc(n, sizeof *g->names), g->of = calloc(n, sizeof *g->of);
    g->members = calloc(n, sizeof *g->members), g->sum = calloc(n, sizeof *g->sum);
    if (!g->name || !g->names || !g->of || !g->members || !g->sum) return false;
    for (int32_t i = 0; i < def->nscalar; ++i) {
        char group[NAME];
        g->of[i] = -1;
        if (strncmp(def->scalar_name[i], prefix, length) != 0) continue;
        group_name(def->scalar_name[i] + length, group);
        g->of[i] = find_group(g, prefix, group);
        g->members[g->of[i]] += 1;
    }
    for (int32_t i = 0; i < g->count; ++i) g->names[i] = g->name[i];
    return true;
}

snStatus cli_group_scalars(const snTrack *track, const char *prefix, snTrack **grouped)
{
    Groups g = {0};
    snStatus status = sort_out(track, prefix, &g) ? SN_OK : SN_NO_MEMORY;
    snTrackDef def = {
        .size = sizeof(snTrackDef), .model = sn_track_def(track)->model, .nscalar = g.count, .scalar_name = g.names};
    if (status == SN_OK) status = sn_track_create(&def, grouped);
    for (int32_t f = 0; status == SN_OK && f < sn_track_frames(track); ++f) {
        const double *value = sn_track_scalar(track, f);
        memset(g.sum, 0, sizeof *g.sum * (size_t)(g.count + 1));
        for (int32_t i = 0; i < g.nscalar; ++i)
            if (g.of[i] >= 0) g.sum[g.of[i]] += value[i] / g.members[g.of[i]];
        status = sn_track_append(*grouped, sn_track_time(track, f), NULL, NULL, g.sum);
    }
    free(g.name), free((void *)g.names), free(g.of), free(g.members), free(g.sum);
    return status;
}
