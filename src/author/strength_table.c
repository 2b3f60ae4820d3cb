/* Published strengths from a table: see own/strength_table.h. */
#include "author/own/strength_table.h"

#include "author/table.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 80 };

typedef struct Loaded {
    snStrengthTable table; /* first, so that it is what the caller has */
    snFigures figures;
} Loaded;

static double *numbers(snFigures *t, int32_t n)
{
    return sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof(double));
}

/* NAME=VALUE with blanks between, into an array by coordinate. */
static void read_pairs(snFigures *t, int32_t row, const char *column, const snModel *m, double scale, double *value)
{
    char word[MAX_WORD];
    int used;
    for (const char *at = sn_figures_text(t, row, column); sscanf(at, "%79s%n", word, &used) == 1; at += used) {
        char *equal = strchr(word, '='), *end = NULL;
        double x = equal ? strtod(equal + 1, &end) : NAN;
        if (!equal || end == equal + 1 || *end || !isfinite(x)) {
            sn_figures_complain(t, row, "%s: expected COORDINATE=NUMBER, found \"%.60s\"", column, word);
            return;
        }
        *equal = 0;
        int32_t i = sn_find(m, SN_ITEM_COORDINATE, word);
        if (i < 0) {
            sn_figures_complain(t, row, "%s: the model has no coordinate called \"%.60s\"", column, word);
            return;
        }
        value[i] = scale * x;
    }
}

static void read_balanced(snFigures *t, int32_t row, const snModel *m, bool *balanced)
{
    char word[MAX_WORD];
    int used;
    for (const char *at = sn_figures_text(t, row, "balanced"); sscanf(at, "%79s%n", word, &used) == 1; at += used) {
        size_t n = strlen(word);
        bool any = word[n - 1] == '*', found = false;
        for (int32_t i = 0; i < sn_count(m, SN_ITEM_COORDINATE); ++i) {
            const char *name = sn_name(m, SN_ITEM_COORDINATE, i);
            if (any ? strncmp(name, word, n - 1) == 0 : strcmp(name, word) == 0) balanced[i] = found = true;
        }
        if (!found) sn_figures_complain(t, row, "balanced: the model has no coordinate called \"%.60s\"", word);
    }
}

static bool read_row(snFigures *t, int32_t k, const snModel *m, snStrengthRow *row)
{
    int32_t n = sn_count(m, SN_ITEM_COORDINATE), directed = 0;
    double *q = numbers(t, n), *direction = numbers(t, n);
    bool *balanced = sn_arena_alloc(&t->arena, (size_t)n + 1, sizeof *balanced);
    if (!q || !direction || !balanced) return false;
    if (sn_figures_has(t, k, "pose")) read_pairs(t, k, "pose", m, 0.017453292519943295, q);
    read_pairs(t, k, "torque", m, 1, direction);
    if (sn_figures_has(t, k, "balanced")) read_balanced(t, k, m, balanced);
    for (int32_t i = 0; i < n; ++i) directed += direction[i] != 0;
    if (!directed) sn_figures_complain(t, k, "torque: no coordinate has a share");
    *row = (snStrengthRow){.joint = sn_figures_text(t, k, "joint"),
                           .action = sn_figures_text(t, k, "action"),
                           .posture = sn_figures_text(t, k, "posture"),
                           .band = sn_figures_text(t, k, "band"),
                           .seen = sn_figures_text(t, k, "seen"),
                           .source = sn_figures_text(t, k, "source"),
                           .published = sn_figures_number(t, k, "published"),
                           .lower = sn_figures_number(t, k, "lower"),
                           .upper = sn_figures_number(t, k, "upper"),
                           .q = q,
                           .direction = direction,
                           .balanced = balanced};
    if (!(row->published > 0 && row->lower <= row->published && row->published <= row->upper))
        sn_figures_complain(t, k, "published must be above 0 and between lower and upper");
    return true;
}

static snStatus read_table(const char *path, const snModel *m, Loaded *l)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (slash) (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    snFigures *t = &l->figures;
    snStatus status = sn_figures_load(t, folder, name);
    if (status != SN_OK) return status;
    l->table.row = sn_arena_alloc(&t->arena, (size_t)t->nrow + 1, sizeof *l->table.row);
    if (!l->table.row) return SN_NO_MEMORY;
    for (int32_t k = 0; k < t->nrow; ++k)
        if (!read_row(t, k, m, &l->table.row[k])) return SN_NO_MEMORY;
    l->table.count = t->nrow;
    return t->error.status;
}

snStatus sn_load_strengths(const char *path, const snModel *model, snStrengthTable **table, snError *error)
{
    Loaded *l = SN_NEW(Loaded);
    if (!l) return sn_fail_no_memory(error);
    snStatus status = read_table(path, model, l);
    if (status == SN_OK) {
        *table = &l->table;
        return SN_OK;
    }
    if (error && l->figures.error.status != SN_OK) *error = l->figures.error;
    sn_strengths_free(&l->table);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}

void sn_strengths_free(snStrengthTable *table)
{
    if (!table) return;
    Loaded *l = (Loaded *)(void *)table;
    sn_figures_free(&l->figures);
    sn_free(l);
}
