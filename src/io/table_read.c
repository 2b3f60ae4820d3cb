/* Time series: OpenSim .sto and .mot (a header of key=value lines up to "endheader", column labels, numbers between
 * blanks) and CSV (column labels, numbers between separators). */
#include "io/table_read.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/file.h"
#include "io/scan.h"

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 100000 };

typedef struct tableReader {
    snScan scan;
    bool csv, gaps; /* empty cells are NaN */
    char separator; /* of a CSV */
    double min_step;
    snTable table;
    SN_ARRAY(char *) name;
    SN_ARRAY(double) time, value;
    SN_ARRAY(int32_t) line;
    snNameMap names;
    int64_t rows_promised, columns_promised; /* negative: not said */
} tableReader;

/* ---- header --------------------------------------------------------------------------------- */

static snStatus read_promise(tableReader *r, snWord line)
{
    static const char *const keys[] = {"nRows", "nColumns"};
    const char *equals = memchr(line.at, '=', line.size);
    if (!equals) return SN_OK;
    snWord key = {line.at, (size_t)(equals - line.at)}, value = {equals + 1, line.size - key.size - 1};
    while (key.size && key.at[key.size - 1] == ' ') --key.size;
    while (value.size && *value.at == ' ') ++value.at, --value.size;
    if (sn_word_is_any_case(key, "inDegrees")) r->table.in_degrees = sn_word_is_any_case(value, "yes");
    for (int i = 0; i < 2; ++i) {
        if (!sn_word_is_any_case(key, keys[i])) continue;
        int64_t n;
        if (!sn_word_integer(value, &n) || n < 0) return sn_scan_fail(&r->scan, "%s is not a count", keys[i]);
        *(i == 0 ? &r->rows_promised : &r->columns_promised) = n;
    }
    return SN_OK;
}

/* The line as it is, without blanks at its end. */
static snWord whole_line(const snScan *s)
{
    snWord line = {s->line_start, (size_t)(s->line_end - s->line_start)};
    while (line.size && (line.at[line.size - 1] == ' ' || line.at[line.size - 1] == '\t')) --line.size;
    return line;
}

static snStatus read_sto_header(tableReader *r)
{
    while (sn_scan_line(&r->scan)) {
        snWord line = whole_line(&r->scan);
        if (sn_word_is_any_case(line, "endheader")) return SN_OK;
        snStatus status = read_promise(r, line);
        if (status != SN_OK) return status;
    }
    return sn_scan_fail(&r->scan, "the header has no line \"endheader\"");
}

static bool next_filled_line(tableReader *r)
{
    while (sn_scan_line(&r->scan)) {
        snWord line = whole_line(&r->scan);
        if (line.size && !(r->csv && *line.at == '#')) return true;
    }
    return false;
}

static char find_separator(const snScan *s)
{
    for (const char *p = s->line_start; p < s->line_end; ++p)
        if (*p == ',' || *p == ';' || *p == '\t') return *p;
    return ',';
}

static bool next_cell(tableReader *r, snWord *word, bool *more)
{
    return r->csv ? sn_scan_field(&r->scan, r->separator, word, more) : sn_scan_word(&r->scan, word);
}

static snStatus add_label(tableReader *r, snWord word)
{
    char *name = sn_alloc(word.size + 1, 1);
    if (!name) return SN_NO_MEMORY;
    memcpy(name, word.at, word.size);
    if (!sn_array_push(&r->name, name)) {
        sn_free(name);
        return SN_NO_MEMORY;
    }
    char text[80];
    if (word.size == 0) return sn_scan_fail(&r->scan, "column %d has no name", r->name.count + 1);
    if (memchr(word.at, 0, word.size)) return sn_scan_fail(&r->scan, "a column name contains a zero byte");
    if (sn_map_get(&r->names, name) >= 0)
        return sn_scan_fail(&r->scan, "two columns are called \"%s\"", sn_word_text(word, text, sizeof text));
    return sn_map_put(&r->names, name, r->name.count - 1) ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_labels(tableReader *r)
{
    snWord word;
    bool more = false, first = true;
    if (!next_filled_line(r)) return sn_scan_fail(&r->scan, "the file has no line of column names");
    r->separator = find_separator(&r->scan);
    while (next_cell(r, &word, &more)) {
        char text[40];
        if (first && !sn_word_is_any_case(word, "time") && !sn_word_is_any_case(word, "time_s"))
            return sn_scan_fail(&r->scan, "the first column is \"%s\", expected \"time\"",
                                sn_word_text(word, text, sizeof text));
        if (r->name.count >= MAX_COLUMNS) return sn_scan_fail(&r->scan, "more than %d columns", MAX_COLUMNS);
        snStatus status = first ? SN_OK : add_label(r, word);
        if (status != SN_OK) return status;
        first = false;
    }
    if (r->columns_promised >= 0 && r->columns_promised != r->name.count + 1)
        return sn_scan_fail(&r->scan, "%d columns, but the header says nColumns=%lld", r->name.count + 1,
                            (long long)r->columns_promised);
    return r->name.count ? SN_OK : sn_scan_fail(&r->scan, "the file has no column besides the time");
}

/* ---- rows ----------------------------------------------------------------------------------- */

static snStatus read_cell(tableReader *r, snWord word, int32_t column)
{
    char text[40];
    double value;
    const char *name = column ? r->name.at[column - 1] : "time";
    if (word.size == 0 && column && r->gaps) return sn_array_push(&r->value, NAN) ? SN_OK : SN_NO_MEMORY;
    if (word.size == 0) return sn_scan_fail(&r->scan, "column \"%s\" is empty: gaps are not filled in", name);
    if (!sn_word_number(word, &value))
        return sn_scan_fail(&r->scan, "\"%s\" in column \"%s\" is not a number", sn_word_text(word, text, sizeof text),
                            name);
    if (!isfinite(value))
        return sn_scan_fail(&r->scan, "column \"%s\" is %s, expected a finite number", name,
                            sn_word_text(word, text, sizeof text));
    if (column) return sn_array_push(&r->value, value) ? SN_OK : SN_NO_MEMORY;
    if (r->time.count && value <= r->time.at[r->time.count - 1])
        return sn_scan_fail(&r->scan, "the time %g does not come after %g", value, r->time.at[r->time.count - 1]);
    if (r->time.count && value - r->time.at[r->time.count - 1] < r->min_step)
        return sn_scan_fail(&r->scan, "%g s after the row before: more than %g rows a second",
                            value - r->time.at[r->time.count - 1], 1 / r->min_step);
    return sn_array_push(&r->time, value) ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_row(tableReader *r)
{
    snWord word;
    bool more = false;
    int32_t column = 0, expected = r->name.count + 1;
    while (next_cell(r, &word, &more)) {
        if (column == expected)
            return sn_scan_fail(&r->scan, "more than %d values, one for each column name", expected);
        snStatus status = read_cell(r, word, column++);
        if (status != SN_OK) return status;
    }
    if (column < expected) return sn_scan_fail(&r->scan, "%d values, expected %d", column, expected);
    return sn_array_push(&r->line, r->scan.line) ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_rows(tableReader *r)
{
    while (next_filled_line(r)) {
        snStatus status = read_row(r);
        if (status != SN_OK) return status;
    }
    if (r->time.count == 0) return sn_scan_fail(&r->scan, "the table has no rows");
    if (r->rows_promised >= 0 && r->rows_promised != r->time.count)
        return sn_scan_fail(&r->scan, "%d rows, but the header says nRows=%lld", r->time.count,
                            (long long)r->rows_promised);
    return SN_OK;
}

snStatus sn_parse_table(const char *file, const char *data, size_t size, bool csv, double min_step, snTable *table,
                        snError *error)
{
    return sn_parse_gappy_table(file, data, size, csv, min_step, false, table, error);
}

snStatus sn_parse_gappy_table(const char *file, const char *data, size_t size, bool csv, double min_step, bool gaps,
                              snTable *table, snError *error)
{
    tableReader r = {.scan = sn_scan_begin(file, data, size, error),
                     .csv = csv,
                     .gaps = csv && gaps,
                     .min_step = min_step,
                     .rows_promised = -1,
                     .columns_promised = -1};
    snStatus status = csv ? SN_OK : read_sto_header(&r);
    if (status == SN_OK) status = read_labels(&r);
    if (status == SN_OK) status = read_rows(&r);
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    sn_map_free(&r.names);
    r.table.rows = r.time.count;
    r.table.columns = r.name.count;
    r.table.name = r.name.at;
    r.table.time = r.time.at;
    r.table.value = r.value.at;
    r.table.line = r.line.at;
    if (status == SN_OK)
        *table = r.table;
    else
        sn_table_free(&r.table);
    return status;
}

void sn_table_free(snTable *table)
{
    if (!table) return;
    for (int32_t i = 0; i < table->columns; ++i) sn_free(table->name[i]);
    sn_free(table->name);
    sn_free(table->time);
    sn_free(table->value);
    sn_free(table->line);
    *table = (snTable){0};
}

snStatus sn_load_table(const char *path, snTable *table, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read_text(path, false, &data, &size, error);
    if (status != SN_OK) return status;
    bool csv = !sn_path_ends(path, ".sto") && !sn_path_ends(path, ".mot");
    status = sn_parse_table(path, data, size, csv, 0, table, error);
    sn_free(data);
    return status;
}
