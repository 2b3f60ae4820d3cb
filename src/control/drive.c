/* Activations over time from levels of muscles and functions.
 *
 * Invariants:
 * 1. Channel c is muscle c of the model, or function c - nmuscle of the spec.
 * 2. part_muscle is negative where a function names a strand that has no muscle in this model (disabled or passive);
 *    sn_drive_find refuses such a function, so that it is never half of what its author meant.
 * 3. Evaluating allocates nothing. */
#include "control/drive.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/nearest.h"
#include "control/own/drive.h"
#include "motion/interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 256 };

/* Levels over time of one channel. */
typedef struct Course {
    int32_t channel, count;
    double *time, *level; /* one block, time first */
} Course;

struct snDrive {
    const snSpec *spec;
    const snModel *model;
    int32_t nmuscle, nfunction;
    int32_t *part_start;  /* nfunction + 1: first of each function's muscles in part_muscle */
    int32_t *part_muscle; /* muscle, negative: none */
    double *set, *sum;    /* per channel: by sn_drive_set; all that is asked for now */
    snDemand *demand;     /* per muscle */
    SN_ARRAY(Course) course;
};

/* ---- making --------------------------------------------------------------------------------- */

/* Copies the next word of a list and moves on; false at the end. */
static bool next_word(const char **at, char word[NAME])
{
    const char *c = *at + strspn(*at, " \t\r\n");
    size_t length = strcspn(c, " \t\r\n");
    *at = c + length;
    (void)snprintf(word, NAME, "%.*s", (int)length, c);
    return length > 0;
}

static int32_t count_words(const char *list)
{
    char word[NAME];
    int32_t n = 0;
    while (next_word(&list, word)) ++n;
    return n;
}

/* A muscle by its name or by that of one of its strands; -1: none. */
static int32_t find_muscle(const snModel *model, const char *name)
{
    int32_t muscle = sn_find(model, SN_ITEM_MUSCLE, name);
    int32_t strand = muscle < 0 ? sn_find(model, SN_ITEM_STRAND, name) : -1;
    return strand >= 0 ? sn_strand_muscle(model, strand) : muscle;
}

static const snFunctionDef *function_of(const snDrive *d, int32_t function)
{
    return sn_spec_function(d->spec, function + 1);
}

static bool resolve_functions(snDrive *d)
{
    char word[NAME];
    int32_t n = 0;
    d->part_start = SN_NEW_ARRAY(int32_t, d->nfunction + 1);
    if (!d->part_start) return false;
    for (int32_t f = 0; f < d->nfunction; ++f) d->part_start[f + 1] = n += count_words(function_of(d, f)->muscles);
    d->part_muscle = SN_NEW_ARRAY(int32_t, n);
    if (!d->part_muscle) return false;
    for (int32_t f = 0, k = 0; f < d->nfunction; ++f)
        for (const char *at = function_of(d, f)->muscles; next_word(&at, word);)
            d->part_muscle[k++] = find_muscle(d->model, word);
    return true;
}

snStatus sn_drive_create(const snSpec *spec, const snModel *model, snDrive **drive, snError *error)
{
    if (!spec || !model || !drive)
        return sn_fail_argument(error, "the spec, the model or the place for the drive is NULL");
    snDrive *d = SN_NEW(snDrive);
    if (!d) return sn_fail_no_memory(error);
    d->spec = spec, d->model = model;
    d->nmuscle = sn_count(model, SN_ITEM_MUSCLE);
    d->nfunction = sn_spec_count(spec, SN_KIND_FUNCTION);
    d->set = SN_NEW_ARRAY(double, d->nmuscle + d->nfunction);
    d->sum = SN_NEW_ARRAY(double, d->nmuscle + d->nfunction);
    d->demand = SN_NEW_ARRAY(snDemand, d->nmuscle);
    if (d->set && d->sum && d->demand && resolve_functions(d)) {
        *drive = d;
        return SN_OK;
    }
    sn_drive_destroy(d);
    return sn_fail_no_memory(error);
}

int32_t sn_drive_mark(const snDrive *d)
{
    return d->course.count;
}

void sn_drive_take_back(snDrive *d, int32_t mark)
{
    while (d->course.count > mark) sn_free(d->course.at[--d->course.count].time);
}

void sn_drive_destroy(snDrive *d)
{
    if (!d) return;
    sn_drive_take_back(d, 0);
    sn_array_free(&d->course);
    sn_free(d->part_start);
    sn_free(d->part_muscle);
    sn_free(d->set);
    sn_free(d->sum);
    sn_free(d->demand);
    sn_free(d);
}

/* ---- channels by name ----------------------------------------------------------------------- */

int32_t sn_drive_muscles(const snDrive *d)
{
    if (!d) return 0;
    return d->nmuscle;
}

int32_t sn_drive_functions(const snDrive *d)
{
    if (!d) return 0;
    return d->nfunction;
}

const char *sn_drive_name(const snDrive *d, int32_t channel)
{
    if (!d || channel < 0 || channel >= d->nmuscle + sn_drive_functions(d)) return NULL;
    if (channel < d->nmuscle) return sn_name(d->model, SN_ITEM_MUSCLE, channel);
    return function_of(d, channel - d->nmuscle)->name;
}

/* The rest of a name behind one of two prefixes, or NULL. */
static const char *behind(const char *name, const char *a, const char *b)
{
    if (strncmp(name, a, strlen(a)) == 0) return name + strlen(a);
    return strncmp(name, b, strlen(b)) == 0 ? name + strlen(b) : NULL;
}

/* The channel of this range whose name is nearest to the given one, if it is near; distance goes down to its own. */
static const char *nearest_in(const snDrive *d, int32_t from, int32_t to, const char *name, int *distance)
{
    const char *best = NULL;
    for (int32_t c = from; c < to; ++c) {
        int now = sn_name_distance(name, sn_drive_name(d, c));
        if (now < *distance) *distance = now, best = sn_drive_name(d, c);
    }
    return best;
}

static void list_functions(const snDrive *d, char *list, size_t size)
{
    size_t n = 0;
    list[0] = '\0';
    for (int32_t f = 0; f < d->nfunction && n < size; ++f)
        n += (size_t)snprintf(list + n, size - n, "%s%s", f ? " " : "", function_of(d, f)->name);
}

static snStatus unknown_function(const snDrive *d, const char *name, snError *error)
{
    char list[400];
    int distance = sn_name_near(name) + 1;
    list_functions(d, list, sizeof list);
    const char *near = nearest_in(d, d->nmuscle, d->nmuscle + d->nfunction, name, &distance);
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no function '%.60s'; it has %s%s", name,
                  d->nfunction ? "these: " : "none", list);
    if (near)
        sn_error_remedy(error, "did you mean '%.100s'?", near);
    else
        sn_error_remedy(error, "add a Function to the model, or name its muscles");
    return SN_BAD_INPUT;
}

static snStatus unknown_name(const snDrive *d, const char *name, bool functions, snError *error)
{
    int distance = sn_name_near(name) + 1;
    const char *near = nearest_in(d, 0, d->nmuscle + (functions ? d->nfunction : 0), name, &distance);
    int32_t strand = sn_find(d->model, SN_ITEM_STRAND, name);
    if (strand >= 0)
        (void)sn_fail(error, SN_BAD_INPUT, "strand '%.100s' has no muscle to activate", name);
    else
        (void)sn_fail(error, SN_BAD_INPUT, "the model has no muscle%s '%.100s'",
                      functions && d->nfunction ? " or function" : "", name);
    if (strand >= 0)
        sn_error_remedy(error, "give it a belly (belly_start, belly_end) and a force");
    else if (near)
        sn_error_remedy(error, "did you mean '%.100s'?", near);
    else
        sn_error_remedy(error, "sinew info --list names what there is");
    return SN_BAD_INPUT;
}

/* Refuses a function that has a muscle which is not there. */
static snStatus check_parts(const snDrive *d, int32_t function, snError *error)
{
    const char *at = function_of(d, function)->muscles;
    char word[NAME];
    for (int32_t k = d->part_start[function]; next_word(&at, word); ++k) {
        if (d->part_muscle[k] >= 0) continue;
        (void)sn_fail(error, SN_BAD_INPUT, "it activates '%.100s', but the model has no such muscle", word);
        sn_error_element(error, "function", function_of(d, function)->name);
        sn_error_remedy(error, "enable the strand, or take it out of the function");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static snStatus find_function(const snDrive *d, const char *name, int32_t *channel, snError *error)
{
    snId id = sn_spec_find(d->spec, SN_KIND_FUNCTION, name);
    if (!id) return unknown_function(d, name, error);
    snStatus status = check_parts(d, id - 1, error);
    if (status == SN_OK) *channel = d->nmuscle + id - 1;
    return status;
}

snStatus sn_drive_find(const snDrive *d, const char *name, int32_t *channel, snError *error)
{
    if (!d || !name) return sn_fail_argument(error, "sn_drive_find without drive or name");
    const char *function = behind(name, "function.", "function/"), *muscle = behind(name, "muscle.", "activation/");
    if (function) return find_function(d, function, channel, error);
    int32_t found = find_muscle(d->model, muscle ? muscle : name);
    bool both = found >= 0 && !muscle && sn_spec_find(d->spec, SN_KIND_FUNCTION, name);
    if (both) {
        (void)sn_fail(error, SN_BAD_INPUT, "both a muscle and a function are called '%.100s'", name);
        sn_error_remedy(error, "write muscle.%.60s or function.%.60s", name, name);
        return SN_BAD_INPUT;
    }
    if (found < 0 && !muscle && sn_spec_find(d->spec, SN_KIND_FUNCTION, name))
        return find_function(d, name, channel, error);
    if (found < 0) return unknown_name(d, muscle ? muscle : name, !muscle, error);
    *channel = found;
    return SN_OK;
}

/* ---- levels --------------------------------------------------------------------------------- */

static snStatus check_course(const snDrive *d, int32_t channel, int32_t count, const double *time, const double *level,
                             snError *error)
{
    snStatus status = SN_OK;
    if (count < 1) status = sn_fail(error, SN_BAD_INPUT, "there are no levels");
    for (int32_t i = 0; i < count && status == SN_OK; ++i) {
        if (!isfinite(time[i]) || (i && !(time[i] > time[i - 1])))
            status = sn_fail(error, SN_BAD_INPUT, "the time %g does not come after %g", time[i], i ? time[i - 1] : 0);
        else if (!(level[i] >= 0 && level[i] <= 1))
            status = sn_fail(error, SN_BAD_INPUT, "the level at %g s is %g, expected 0 to 1", time[i], level[i]);
    }
    if (status != SN_OK)
        sn_error_element(error, channel < d->nmuscle ? "muscle" : "function", sn_drive_name(d, channel));
    return status;
}

snStatus sn_drive_add(snDrive *d, int32_t channel, int32_t count, const double *time, const double *level,
                      snError *error)
{
    if (!d) return sn_fail_argument(error, "sn_drive_add without drive");
    snStatus status = check_course(d, channel, count, time, level, error);
    if (status != SN_OK) return status;
    double *block = SN_NEW_ARRAY(double, 2 * (size_t)count);
    if (!block) return sn_fail_no_memory(error);
    Course course = {channel, count, block, block + count};
    if (!sn_array_push(&d->course, course)) {
        sn_free(block);
        return sn_fail_no_memory(error);
    }
    memcpy(course.time, time, (size_t)count * sizeof *time);
    memcpy(course.level, level, (size_t)count * sizeof *level);
    return SN_OK;
}

void sn_drive_set(snDrive *d, int32_t channel, double level)
{
    if (!d || channel < 0 || channel >= d->nmuscle + sn_drive_functions(d)) return;
    d->set[channel] = level > 0 ? fmin(1, level) : 0;
}

double sn_drive_level(const snDrive *d, int32_t channel)
{
    return d && channel >= 0 && channel < d->nmuscle + sn_drive_functions(d) ? d->set[channel] : 0;
}

/* The key at or before t, and how far t is on the way to the next, 0 to 1. */
static int32_t find_key(int32_t count, const double *time, double t, double *part)
{
    *part = 0;
    if (t <= time[0]) return 0;
    if (t >= time[count - 1]) return count - 1;
    int32_t key = sn_find_interval(time, count, t);
    *part = (t - time[key]) / (time[key + 1] - time[key]);
    return key;
}

static double between(const double *value, int32_t stride, int32_t key, double part)
{
    const double *v = value + (int64_t)key * stride;
    return part > 0 ? v[0] + part * (v[stride] - v[0]) : v[0];
}

/* Adds what a function at this level asks of its muscles. */
static void add_function(snDrive *d, int32_t function, double time, double level)
{
    const snFunctionDef *def = function_of(d, function);
    int32_t first = d->part_start[function], n = d->part_start[function + 1] - first, key = 0;
    double part = 0;
    if (def->ntime) key = find_key(def->ntime, def->time, time, &part);
    for (int32_t i = 0; i < n; ++i)
        if (d->part_muscle[first + i] >= 0)
            d->sum[d->part_muscle[first + i]] += level * between(def->level + i, n, key, part);
}

int32_t sn_drive_at(snDrive *d, double time, double *activation)
{
    int32_t clamped = 0;
    double part;
    memcpy(d->sum, d->set, (size_t)(d->nmuscle + d->nfunction) * sizeof *d->sum);
    for (int32_t i = 0; i < d->course.count; ++i) {
        const Course *c = &d->course.at[i];
        int32_t key = find_key(c->count, c->time, time, &part);
        d->sum[c->channel] += between(c->level, 1, key, part);
    }
    for (int32_t f = 0; f < d->nfunction; ++f)
        if (d->sum[d->nmuscle + f] > 0) add_function(d, f, time, d->sum[d->nmuscle + f]);
    for (int32_t m = 0; m < d->nmuscle; ++m) {
        if (d->sum[m] > d->demand[m].most) d->demand[m] = (snDemand){d->sum[m], time};
        if (d->sum[m] > 1 + 1e-9) ++clamped;
        activation[m] = fmin(1, d->sum[m]);
    }
    return clamped;
}

snDemand sn_drive_demand(const snDrive *d, int32_t muscle)
{
    return d && muscle >= 0 && muscle < d->nmuscle ? d->demand[muscle] : (snDemand){0};
}
