/* Reading of tab-separated tables. */
#include "author/table.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No table of ours is larger; a larger file is not a table. */
static const long largest_file = 16 << 20;

static snStatus no_memory(snFigures *table)
{
    return sn_fail_no_memory(&table->error);
}

/* The whole file as one string in the arena. */
static char *slurp(snFigures *table)
{
    FILE *file = fopen(table->file, "rb");
    if (!file) {
        sn_fail(&table->error, SN_NO_FILE, "cannot be opened: %s", strerror(errno));
        sn_error_place(&table->error, table->file, 0, 0);
        return NULL;
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = NULL;
    if (size < 0 || size > largest_file) {
        sn_fail(&table->error, SN_BAD_FILE, "is not a table: %ld bytes", size);
        sn_error_place(&table->error, table->file, 0, 0);
    } else if (!(text = sn_arena_alloc(&table->arena, (size_t)size + 1, 1))) {
        no_memory(table);
    } else {
        rewind(file);
        size_t got = fread(text, 1, (size_t)size, file);
        text[got] = 0;
    }
    fclose(file);
    return text;
}

static int32_t count_char(const char *text, char c)
{
    int32_t n = 0;
    for (; *text; ++text) n += *text == c;
    return n;
}

/* Cuts the line into cells in place; false when their number is wrong. */
static bool split(char *line, const char **cell, int32_t n)
{
    if (count_char(line, '\t') + 1 != n) return false;
    for (int32_t i = 0; i < n; ++i) {
        cell[i] = line;
        line += strcspn(line, "\t");
        if (*line) *line++ = 0;
    }
    return true;
}

static bool take_line(snFigures *table, char *line, int32_t number)
{
    size_t length = strlen(line);
    if (length && line[length - 1] == '\r') line[length - 1] = 0;
    if (!*line || *line == '#') return true;
    if (!table->ncolumn) {
        table->ncolumn = count_char(line, '\t') + 1;
        table->column = sn_arena_alloc(&table->arena, (size_t)table->ncolumn, sizeof *table->column);
        if (!table->column) return no_memory(table), false;
        return split(line, table->column, table->ncolumn);
    }
    int32_t row = table->nrow++, found = count_char(line, '\t') + 1;
    table->line[row] = number;
    if (split(line, table->cell + (size_t)row * (size_t)table->ncolumn, table->ncolumn)) return true;
    sn_figures_complain(table, row, "has %d cells, expected %d", found, table->ncolumn);
    return false;
}

/* Room for as many rows as there are lines, each as wide as the widest. */
static bool reserve(snFigures *table, const char *text)
{
    int32_t lines = count_char(text, '\n') + 1, widest = 1, tabs = 0;
    for (const char *c = text; *c; ++c) {
        tabs = *c == '\n' ? 0 : tabs + (*c == '\t');
        if (tabs + 1 > widest) widest = tabs + 1;
    }
    table->line = sn_arena_alloc(&table->arena, (size_t)lines, sizeof *table->line);
    table->cell = sn_arena_alloc(&table->arena, (size_t)lines * (size_t)widest, sizeof *table->cell);
    if (!table->line || !table->cell) return no_memory(table), false;
    return true;
}

snStatus sn_figures_load(snFigures *table, const char *folder, const char *name)
{
    memset(table, 0, sizeof *table);
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = sn_arena_alloc(&table->arena, size, 1);
    if (!path) return no_memory(table);
    snprintf(path, size, "%s/%s", folder, name);
    table->file = path;
    char *text = slurp(table);
    if (!text || !reserve(table, text)) return table->error.status;
    for (int32_t number = 1; *text; ++number) {
        char *line = text;
        text += strcspn(text, "\n");
        if (*text) *text++ = 0;
        if (!take_line(table, line, number)) return table->error.status;
    }
    if (!table->nrow) {
        sn_fail(&table->error, SN_BAD_FILE, "has no rows");
        sn_error_place(&table->error, table->file, 0, 0);
    }
    return table->error.status;
}

void sn_figures_free(snFigures *table)
{
    sn_arena_free(&table->arena);
}

void sn_figures_complain(snFigures *table, int32_t row, const char *format, ...)
{
    if (table->error.status != SN_OK) return;
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sn_fail(&table->error, SN_BAD_FILE, "%s", message);
    sn_error_place(&table->error, table->file, row >= 0 ? table->line[row] : 0, 0);
}

static const char *find_cell(const snFigures *table, int32_t row, const char *column)
{
    for (int32_t i = 0; i < table->ncolumn; ++i)
        if (strcmp(table->column[i], column) == 0) return table->cell[(size_t)row * (size_t)table->ncolumn + (size_t)i];
    return NULL;
}

bool sn_figures_has(snFigures *table, int32_t row, const char *column)
{
    const char *cell = find_cell(table, row, column);
    return cell && *cell && strcmp(cell, "-") != 0;
}

const char *sn_figures_text(snFigures *table, int32_t row, const char *column)
{
    const char *cell = find_cell(table, row, column);
    if (!cell) sn_figures_complain(table, row, "has no column %s", column);
    return cell ? cell : "";
}

/* The next number of a cell, and where it ends. */
static double next_number(snFigures *table, int32_t row, const char *column, const char **at)
{
    char *end;
    double value = strtod(*at, &end);
    if (end == *at || !isfinite(value)) {
        sn_figures_complain(table, row, "column %s: expected a number, found \"%.40s\"", column, *at);
        return 0;
    }
    *at = end;
    return value;
}

static void expect_end(snFigures *table, int32_t row, const char *column, const char *at)
{
    if (at[strspn(at, " ")]) sn_figures_complain(table, row, "column %s: more than expected: \"%.40s\"", column, at);
}

double sn_figures_number(snFigures *table, int32_t row, const char *column)
{
    const char *at = sn_figures_text(table, row, column);
    double value = next_number(table, row, column, &at);
    expect_end(table, row, column, at);
    return value;
}

v3 sn_figures_v3(snFigures *table, int32_t row, const char *column)
{
    const char *at = sn_figures_text(table, row, column);
    v3 v;
    v.x = next_number(table, row, column, &at);
    v.y = next_number(table, row, column, &at);
    v.z = next_number(table, row, column, &at);
    expect_end(table, row, column, at);
    return v;
}

void sn_figures_name(snFigures *table, int32_t row, const char *column, char *name, size_t size)
{
    const char *text = sn_figures_text(table, row, column);
    if (!*text || strlen(text) >= size) sn_figures_complain(table, row, "column %s: name expected", column);
    snprintf(name, size, "%s", text);
}

const char *sn_figures_numbered(char text[32], const char *column, int32_t number)
{
    snprintf(text, 32, "%s%d", column, (int)number);
    return text;
}

snFiguresTurn sn_figures_turn(snFigures *table, int32_t row, int32_t number)
{
    char column[32];
    snFiguresTurn turn = {0};
    turn.lower = sn_figures_number(table, row, sn_figures_numbered(column, "lower", number));
    turn.upper = sn_figures_number(table, row, sn_figures_numbered(column, "upper", number));
    turn.stiffness = sn_figures_number(table, row, sn_figures_numbered(column, "stiffness", number));
    turn.damping = sn_figures_number(table, row, sn_figures_numbered(column, "damping", number));
    if (!(turn.lower < turn.upper)) sn_figures_complain(table, row, "the range of motion is empty");
    return turn;
}
