/* Force-length files: two columns of numbers, or a ForceLength document. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "io/model_files.h"
#include "io/number.h"

#include <math.h>
#include <string.h>

typedef struct Lines {
    const char *name, *at, *end;
    int line;
    bool headed; /* the line of headings has been */
    snError *error;
} Lines;

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

static snStatus fail_line(Lines *l, const char *at, const char *start, const char *what)
{
    sn_fail(l->error, SN_BAD_FILE, "%s", what);
    sn_error_place(l->error, l->name, l->line, (int)(at - start) + 1);
    sn_error_remedy(l->error, "each line holds a stretch and a force");
    return SN_BAD_FILE;
}

static bool push(snNumbers *n, double value)
{
    if (n->count == INT32_MAX) return false;
    if (!sn_array_grow_((void **)(void *)&n->number, &n->capacity, n->count + 1, sizeof *n->number)) return false;
    n->number[n->count++] = value;
    return true;
}

/* Numbers of one line, at most two; -1: something else stands there, -2: a third column. *at is where. */
static int read_columns(const char **at, const char *end, double value[2])
{
    int n = 0;
    for (;;) {
        while (*at < end && is_gap(**at)) ++*at;
        if (*at == end) return n;
        if (n == 2) return -2;
        const char *behind = sn_number_parse(*at, end, &value[n]);
        if (!behind || (behind < end && !is_gap(*behind)) || !isfinite(value[n])) return -1;
        *at = behind;
        ++n;
    }
}

static snStatus read_line(Lines *l, const char *start, const char *stop, snNumbers *stretch, snNumbers *force)
{
    const char *at = start;
    double value[2];
    while (at < stop && is_gap(*at)) ++at;
    if (at == stop || *at == '#') return SN_OK;
    int n = read_columns(&at, stop, value);
    if (n == -1 && stretch->count == 0 && !l->headed) {
        l->headed = true;
        return SN_OK;
    }
    if (n == -1) return fail_line(l, at, start, "not a finite number");
    if (n == -2) return fail_line(l, at, start, "more than two columns");
    if (n != 2) return fail_line(l, at, start, "one number; expected two");
    return push(stretch, value[0]) && push(force, value[1]) ? SN_OK : sn_fail_no_memory(l->error);
}

static snStatus read_text(Lines *l, snNumbers *stretch, snNumbers *force)
{
    while (l->at < l->end) {
        const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at)), *stop = newline ? newline : l->end;
        ++l->line;
        snStatus status = read_line(l, l->at, stop, stretch, force);
        if (status) return status;
        l->at = newline ? newline + 1 : l->end;
    }
    if (stretch->count) return SN_OK;
    ++l->line;
    return fail_line(l, l->at, l->at, "the file has no numbers");
}

static snStatus read_document(const char *name, const char *bytes, size_t size, snNumbers *stretch, snNumbers *force,
                              snError *error)
{
    snSpec *spec = sn_spec_create();
    if (!spec) return sn_fail_no_memory(error);
    snStatus status = sn_model_read(spec, SN_DOCUMENT_FORCE_LENGTH, name, bytes, size, error);
    const snForceLengthDef *curve = status ? NULL : sn_spec_force_length(spec, 1);
    for (int32_t i = 0; curve && i < curve->npoint && !status; ++i)
        if (!push(stretch, curve->stretch[i]) || !push(force, curve->force[i])) status = sn_fail_no_memory(error);
    if (!status && stretch->count == 0) {
        status = sn_fail(error, SN_BAD_FILE, "the curve has no points");
        sn_error_place(error, name, 0, 0);
        sn_error_remedy(error, "add <Stretch> and <Force>");
    }
    sn_spec_destroy(spec);
    return status;
}

snStatus sn_force_length_parse(const char *name, const char *bytes, size_t size, snNumbers *stretch, snNumbers *force,
                               snError *error)
{
    size_t i = 0;
    while (i < size && (is_gap(bytes[i]) || bytes[i] == '\n')) ++i;
    if (i < size && bytes[i] == '<') return read_document(name, bytes, size, stretch, force, error);
    Lines lines = {.name = name, .at = bytes, .end = bytes + size, .error = error};
    return read_text(&lines, stretch, force);
}

snStatus sn_force_length_read(const char *path, snNumbers *stretch, snNumbers *force, snError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read_text(path, true, &bytes, &size, error);
    if (status) return status;
    status = sn_force_length_parse(path, bytes, size, stretch, force, error);
    sn_free(bytes);
    return status;
}
