/* Models, their states, and errors: see core.h. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snError last;
static char said[2048];

snError *sn_core_error(void)
{
    last = (snError){0};
    return &last;
}

void *sn_core_fail(snStatus status)
{
    last.status = status;
    if (!last.message[0]) (void)snprintf(last.message, sizeof last.message, "%s", sn_status_text(status));
    return NULL;
}

/* ---- errors and memory -------------------------------------------------------------------- */

/* 0: all of it; 1: name of the status; 2: file; 3: element; 4: message; 5: remedy */
SN_EXPORT(sinew_error) const char *sinew_error(int32_t part);
const char *sinew_error(int32_t part)
{
    const char *const text[] = {"", sn_status_name(last.status), last.file, last.element, last.message, last.remedy};
    if (part > 0 && part < 6) return text[part];
    return sn_error_format(&last, said, sizeof said);
}

SN_EXPORT(sinew_error_line) int32_t sinew_error_line(void);
int32_t sinew_error_line(void)
{
    return last.line;
}

SN_EXPORT(sinew_error_column) int32_t sinew_error_column(void);
int32_t sinew_error_column(void)
{
    return last.column;
}

SN_EXPORT(sinew_alloc) void *sinew_alloc(size_t size);
void *sinew_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

SN_EXPORT(sinew_free) void sinew_free(void *memory);
void sinew_free(void *memory)
{
    free(memory);
}

SN_EXPORT(sinew_version) const char *sinew_version(void);
const char *sinew_version(void)
{
    return sn_version();
}

/* ---- models ------------------------------------------------------------------------------- */

SN_EXPORT(sinew_model_close) void sinew_model_close(snCore *core);
void sinew_model_close(snCore *core)
{
    if (!core) return;
    sn_model_destroy(core->model);
    sn_spec_destroy(core->spec);
    free(core);
}

/* The first problem of a spec; its message says how many more there are. */
static snStatus check(const snSpec *spec, snError *error)
{
    snProblems problems = {0};
    snStatus status = sn_check(spec, &problems);
    for (int32_t i = 0; status != SN_OK && i < problems.count; ++i) {
        if (problems.problem[i].status == SN_OK) continue;
        *error = problems.problem[i];
        size_t n = strlen(error->message);
        if (problems.nerror > 1)
            (void)snprintf(error->message + n, sizeof error->message - n, " (and %d more problems)",
                           (int)problems.nerror - 1);
        break;
    }
    sn_problems_free(&problems);
    return status;
}

SN_EXPORT(sinew_model_open) snCore *sinew_model_open(const char *name);
snCore *sinew_model_open(const char *name)
{
    snError *error = sn_core_error();
    snCore *core = calloc(1, sizeof *core);
    snStatus status = core ? sn_find_model(name, core->path, sizeof core->path, error) : SN_NO_MEMORY;
    if (status == SN_OK) status = sn_load_model(core->path, &core->spec, error);
    if (status == SN_OK) status = check(core->spec, error);
    if (status == SN_OK) status = sn_compile(core->spec, &core->model, error);
    if (status == SN_OK) return core;
    sinew_model_close(core);
    return sn_core_fail(status);
}

SN_EXPORT(sinew_count) int32_t sinew_count(const snCore *core, int32_t item);
int32_t sinew_count(const snCore *core, int32_t item)
{
    return sn_count(core->model, (snItem)item);
}

SN_EXPORT(sinew_name) const char *sinew_name(const snCore *core, int32_t item, int32_t index);
const char *sinew_name(const snCore *core, int32_t item, int32_t index)
{
    return item == SN_ITEM_COORDINATE ? sn_coordinate_title(core->model, index)
                                      : sn_name(core->model, (snItem)item, index);
}

SN_EXPORT(sinew_find) int32_t sinew_find(const snCore *core, int32_t item, const char *name);
int32_t sinew_find(const snCore *core, int32_t item, const char *name)
{
    return sn_find(core->model, (snItem)item, name);
}

SN_EXPORT(sinew_range) void sinew_range(const snCore *core, int32_t coordinate, double *range);
void sinew_range(const snCore *core, int32_t coordinate, double *range)
{
    sn_coordinate_range(core->model, coordinate, range);
}

SN_EXPORT(sinew_step_size) double sinew_step_size(const snCore *core);
double sinew_step_size(const snCore *core)
{
    return sn_model_step(core->model);
}

/* ---- states ------------------------------------------------------------------------------- */

SN_EXPORT(sinew_state_open) snState *sinew_state_open(const snCore *core);
snState *sinew_state_open(const snCore *core)
{
    snState *state = NULL;
    snSimDef def = sn_default_sim_def();
    snStatus status = sn_state_create(core->model, &def, &state, sn_core_error());
    return status == SN_OK ? state : sn_core_fail(status);
}

SN_EXPORT(sinew_state_close) void sinew_state_close(snState *state);
void sinew_state_close(snState *state)
{
    sn_state_destroy(state);
}

/* SN_OK, or what stopped it; sinew_error names the field or the part. */
SN_EXPORT(sinew_step) int32_t sinew_step(const snCore *core, snState *state, int32_t count);
int32_t sinew_step(const snCore *core, snState *state, int32_t count)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; status == SN_OK && i < count; ++i) status = sn_step(core->model, state);
    if (status == SN_OK) return SN_OK;
    snError *error = sn_core_error();
    (void)snprintf(error->message, sizeof error->message, "%s: %s", sn_status_text(status), sn_info(state)->culprit);
    (void)sn_core_fail(status);
    return (int32_t)status;
}

SN_EXPORT(sinew_time) double sinew_time(const snState *state);
double sinew_time(const snState *state)
{
    return sn_time(state);
}

SN_EXPORT(sinew_reset) int32_t sinew_reset(const snCore *core, snState *state);
int32_t sinew_reset(const snCore *core, snState *state)
{
    (void)sn_core_error();
    snStatus status = sn_state_reset(core->model, state);
    if (status != SN_OK) (void)sn_core_fail(status);
    return (int32_t)status;
}

SN_EXPORT(sinew_pose) int32_t sinew_pose(const snCore *core, snState *state, const double *coordinate);
int32_t sinew_pose(const snCore *core, snState *state, const double *coordinate)
{
    (void)sn_core_error();
    snStatus status = sn_pose(core->model, state, coordinate);
    if (status != SN_OK) (void)sn_core_fail(status);
    return (int32_t)status;
}

/* shape: rows, columns, whether it may be written. The numbers lie in the state's own memory. */
SN_EXPORT(sinew_field) double *sinew_field(const snCore *core, snState *state, const char *name, int32_t shape[3]);
double *sinew_field(const snCore *core, snState *state, const char *name, int32_t shape[3])
{
    snView view = {0};
    (void)sn_core_error();
    snStatus status = sn_field(core->model, state, name, &view);
    if (status != SN_OK) return sn_core_fail(status);
    shape[0] = view.rows, shape[1] = view.columns, shape[2] = view.writable;
    return view.data;
}
