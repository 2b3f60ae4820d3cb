/* Loads from text, as the command line, the studio and scripts write them. */
#include "control/load.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/nearest.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const FORM = "write BODY=X,Y,Z in newtons, BODY=2kg, BODY=TIME:X,Y,Z/TIME:X,Y,Z or grip=N";

static snStatus misread(const char *text, snError *error)
{
    (void)sn_fail(error, SN_BAD_INPUT, "cannot read the load '%.150s'", text);
    sn_error_remedy(error, "%s", FORM);
    return SN_BAD_INPUT;
}

/* `count` numbers with commas between; moves *at behind the last. */
static bool read_numbers(const char **at, int count, double *number)
{
    for (int i = 0; i < count; ++i) {
        char *end;
        number[i] = strtod(*at, &end);
        if (end == *at || !isfinite(number[i])) return false;
        *at = end;
        if (i + 1 < count && *(*at)++ != ',') return false;
    }
    return true;
}

/* ---- where ---------------------------------------------------------------------------------- */

snStatus sn_loads_read_place(const snLoads *l, const char *text, size_t length, snLoadPlace *place, snError *error)
{
    char word[256];
    *place = (snLoadPlace){.tip = false};
    if (!length || length >= sizeof word) return misread(text, error);
    memcpy(word, text, length);
    word[length] = '\0';
    char *at = strrchr(word, '@'), *end = strrchr(at ? at : word, ':');
    if (end && strcmp(end, ":world") == 0) place->world = true, *end = '\0';
    if (at) {
        const char *number = at + 1;
        *at = '\0';
        place->tip = strcmp(number, "tip") == 0;
        place->at_point = !place->tip;
        if (place->at_point && (!read_numbers(&number, 3, place->point) || *number)) {
            (void)sn_fail(error, SN_BAD_INPUT, "cannot read the point of the load '%.150s'", text);
            sn_error_remedy(error, "write BODY@tip or BODY@X,Y,Z, in metres as drawn");
            return SN_BAD_INPUT;
        }
    }
    if (!word[0] || strlen(word) >= sizeof place->body) return misread(text, error);
    memcpy(place->body, word, strlen(word) + 1);
    place->grip = strcmp(word, "grip") == 0 && !at && sn_find(sn_loads_model(l), SN_ITEM_BODY, "grip") < 0;
    return SN_OK;
}

static snStatus unknown_body(const snModel *m, const char *name, snError *error)
{
    int nearest = sn_name_near(name) + 1;
    const char *near = NULL;
    for (int32_t b = 0; b < m->nbody; ++b) {
        int distance = sn_name_distance(name, m->body_name[b]);
        if (distance < nearest) nearest = distance, near = m->body_name[b];
    }
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no body '%.100s'", name);
    if (near)
        sn_error_remedy(error, "did you mean '%.100s'?", near);
    else
        sn_error_remedy(error, "sinew info --list names the bodies");
    return SN_BAD_INPUT;
}

static snStatus add_to_body(snLoads *l, int32_t body, const snLoadPlace *place, int32_t count, const double *time,
                            const double *force, snError *error)
{
    snLoadDef def = {
        .size = sizeof def, .body = body, .world = place->world, .count = count, .time = time, .force = force};
    def.at_point = place->at_point || place->tip;
    memcpy(def.point, place->point, sizeof def.point);
    if (place->tip && !sn_loads_tip(l, body, def.point)) {
        (void)sn_fail(error, SN_BAD_INPUT, "the body \"%.100s\" has no tip: it hangs on no single joint or has no mesh",
                      sn_loads_model(l)->body_name[body]);
        sn_error_remedy(error, "give the point as BODY@X,Y,Z");
        return SN_BAD_INPUT;
    }
    return sn_loads_add(l, &def, error);
}

snStatus sn_loads_add_at(snLoads *l, const snLoadPlace *place, int32_t count, const double *time, const double *force,
                         snError *error)
{
    const snModel *m = sn_loads_model(l);
    int32_t mark = sn_loads_mark(l), body = sn_find(m, SN_ITEM_BODY, place->body);
    if (place->grip) return sn_loads_add_grip(l, count, time, force, error);
    if (body >= 0) return add_to_body(l, body, place, count, time, force, error);
    snStatus status = SN_OK;
    for (int32_t b = 0; b < m->nbody && status == SN_OK; ++b)
        if (sn_body_is_free(m, b) && fnmatch(place->body, m->body_name[b], 0) == 0)
            status = add_to_body(l, b, place, count, time, force, error);
    if (status == SN_OK && sn_loads_mark(l) == mark) return unknown_body(m, place->body, error);
    if (status != SN_OK) sn_loads_take_back(l, mark);
    return status;
}

/* ---- how much ------------------------------------------------------------------------------- */

typedef struct Course {
    SN_ARRAY(double) time, force;
} Course;

/* X,Y,Z or one number, possibly behind TIME:, again and again behind slashes. SN_BAD_INPUT without a message: anything
 * else. */
static snStatus read_course(const char *at, int columns, Course *c)
{
    bool timed = strchr(at, ':') != NULL;
    for (;; ++at) {
        double time = 0, force[3] = {0, 0, 0};
        if (timed && (!read_numbers(&at, 1, &time) || *at++ != ':')) return SN_BAD_INPUT;
        if (!read_numbers(&at, columns, force)) return SN_BAD_INPUT;
        bool kept = sn_array_push(&c->time, time);
        for (int k = 0; k < columns; ++k) kept = kept && sn_array_push(&c->force, force[k]);
        if (!kept) return SN_NO_MEMORY;
        if (!*at) return SN_OK;
        if (*at != '/' || !timed) return SN_BAD_INPUT;
    }
}

/* 2kg as a force along gravity; false: it is no mass. */
static bool read_mass(const snModel *m, const char *at, double force[3])
{
    char *end;
    double mass = strtod(at, &end);
    if (end == at || strcmp(end, "kg") != 0 || !isfinite(mass)) return false;
    v3_store(force, v3_scale(m->gravity, mass));
    return true;
}

snStatus sn_loads_read(snLoads *l, const char *text, snError *error)
{
    if (!l || !text) return sn_fail_argument(error, "the loads or the text is NULL");
    const char *equals = strchr(text, '=');
    snLoadPlace place;
    Course c = {0};
    double zero = 0, force[3];
    if (!equals) return misread(text, error);
    snStatus status = sn_loads_read_place(l, text, (size_t)(equals - text), &place, error);
    if (status != SN_OK) return status;
    if (!place.grip && read_mass(sn_loads_model(l), equals + 1, force)) {
        place.world = true;
        return sn_loads_add_at(l, &place, 1, &zero, force, error);
    }
    status = read_course(equals + 1, place.grip ? 1 : 3, &c);
    if (status == SN_OK)
        status = sn_loads_add_at(l, &place, c.time.count, c.time.at, c.force.at, error);
    else
        status = status == SN_NO_MEMORY ? sn_fail_no_memory(error) : misread(text, error);
    sn_array_free(&c.time);
    sn_array_free(&c.force);
    return status;
}
