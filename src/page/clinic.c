/* What a healthy limb and a case say to one pose, as JSON for the page; and the poses and cases that a page brings
 * along.
 *
 * Arrays by unit and by line are in the order of the model as the page knows it, whatever tendons the case has moved:
 * lines that the case has not are in `lost`, those that it has beyond the model in `grafts`. */
#include "base/alloc.h"
#include "base/error.h"
#include "page/html_pack.h"
#include "sinew/clinical.h"
#include "sinew/sim.h"

#include <math.h>
#include <string.h>

static const double DEGREES = 180 / SN_PI;

typedef struct Answer {
    snBytes out;
    const snModel *model; /* the page's */
    snPatient *healthy, *changed;
    const double *q;
    double *pose; /* 7 nbody: scratch */
    const snClinicMore *more;
} Answer;

static void put_key(Answer *a, const char *name)
{
    sn_json_text(&a->out, ",\"");
    sn_json_text(&a->out, name);
    sn_json_text(&a->out, "\":");
}

/* Rounded: the page draws them, nothing is solved with them. */
static void put_rounded(Answer *a, double value, double unit)
{
    sn_json_number(&a->out, isfinite(value) ? round(value * unit) / unit + 0.0 : value);
}

static void put_number(Answer *a, const char *name, double value, double unit)
{
    put_key(a, name);
    put_rounded(a, value, unit);
}

static void put_list(Answer *a, const char *name, const double *value, int32_t count, double scale, double unit)
{
    put_key(a, name);
    sn_json_text(&a->out, "[");
    for (int32_t i = 0; i < count; ++i) {
        if (i) sn_json_text(&a->out, ",");
        put_rounded(a, scale * value[i], unit);
    }
    sn_json_text(&a->out, "]");
}

/* Values of another model by the names of the page's; what the other lacks is zero. */
static void put_named(Answer *a, const char *name, const snModel *other, snItem item, const double *value)
{
    put_key(a, name);
    sn_json_text(&a->out, "[");
    for (int32_t i = 0; i < sn_count(a->model, item); ++i) {
        int32_t at = other == a->model ? i : sn_find(other, item, sn_name(a->model, item, i));
        if (i) sn_json_text(&a->out, ",");
        put_rounded(a, at >= 0 ? value[at] : 0, 1e4);
    }
    sn_json_text(&a->out, "]");
}

static snStatus put_bodies(Answer *a, const char *name, const double *q)
{
    snStatus status = sn_body_poses(a->model, q, a->pose);
    if (status == SN_OK) put_list(a, name, a->pose, 7 * a->model->nbody, 1, 1e6);
    return status;
}

/* What does not converge has its best point within the bounds. */
static snStatus hold(snPatient *patient, const double *q, snHeld *held)
{
    snStatus status = sn_hold(patient, q, NULL, NULL, held);
    return status == SN_FAILED ? SN_OK : status;
}

/* ---- one limb ----------------------------------------------------------------------------- */

static void put_held(Answer *a, const snPatient *patient, const snHeld *held, const snNearest *nearest)
{
    const snModel *m = sn_patient_model(patient);
    sn_json_text(&a->out, "{\"verdict\":");
    sn_json_string(&a->out, sn_verdict_name(sn_verdict(patient, held, nearest)));
    put_number(a, "unmet", 1e3 * held->unmet_torque, 1e3);
    put_number(a, "worst", held->worst, 1);
    put_number(a, "effort", held->effort, 1e5);
    put_number(a, "reserve", held->reserve, 1e4);
    put_list(a, "missing", held->missing, a->model->ncoord, 1e3, 1e2);
    put_list(a, "pose", held->pose, a->model->ncoord, 1, 1e5);
    put_named(a, "activation", m, SN_ITEM_MUSCLE, held->activation);
    put_named(a, "force", m, SN_ITEM_LINE, held->force);
}

/* Where the limb ends up that cannot hold the pose. */
static snStatus put_nearest(Answer *a, const snNearest *nearest)
{
    sn_json_text(&a->out, ",\"nearest\":{\"error\":");
    put_rounded(a, DEGREES * nearest->error, 1e2);
    put_number(a, "rms", DEGREES * nearest->rms, 1e2);
    put_number(a, "worst", nearest->worst, 1);
    put_number(a, "starts", nearest->starts, 1);
    put_number(a, "agree", nearest->agree, 1);
    put_list(a, "pose", nearest->pose, a->model->ncoord, 1, 1e5);
    snStatus status = put_bodies(a, "bodies", nearest->pose);
    sn_json_text(&a->out, "}");
    return status;
}

/* Lines that the case has beyond those of the model, where they run in the pose that is shown. */
static snStatus put_grafts(Answer *a, const double *q)
{
    const snModel *m = sn_patient_model(a->changed);
    int32_t total = 0, at = 0;
    bool first = true;
    for (int32_t i = 0; i < sn_count(m, SN_ITEM_LINE); ++i) total += sn_line_point_count(m, i);
    double *point = SN_NEW_ARRAY(double, 3 * total);
    snStatus status = point ? sn_body_poses(a->model, q, a->pose) : SN_NO_MEMORY;
    if (status == SN_OK) status = sn_line_points(m, a->pose, point);
    sn_json_text(&a->out, ",\"grafts\":[");
    for (int32_t i = 0; status == SN_OK && i < sn_count(m, SN_ITEM_LINE); at += sn_line_point_count(m, i++)) {
        const char *name = sn_name(m, SN_ITEM_LINE, i);
        if (sn_find(a->model, SN_ITEM_LINE, name) >= 0) continue;
        sn_json_text(&a->out, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        sn_json_string(&a->out, name);
        put_key(a, "unit");
        sn_json_string(&a->out, sn_name(m, SN_ITEM_MUSCLE, sn_line_muscle(m, i)));
        put_list(a, "points", point + 3 * at, 3 * sn_line_point_count(m, i), 1, 1e5);
        sn_json_text(&a->out, "}");
    }
    sn_json_text(&a->out, "],\"lost\":[");
    first = true;
    for (int32_t i = 0; i < sn_count(a->model, SN_ITEM_LINE); ++i) {
        if (sn_find(m, SN_ITEM_LINE, sn_name(a->model, SN_ITEM_LINE, i)) >= 0) continue;
        if (!first) sn_json_text(&a->out, ",");
        sn_json_int(&a->out, i), first = false;
    }
    sn_json_text(&a->out, "]");
    sn_free(point);
    return status;
}

static snStatus put_case(Answer *a, bool look)
{
    snHeld held;
    snNearest nearest = {0};
    bool looked = false;
    int32_t nu = sn_count(sn_patient_model(a->changed), SN_ITEM_MUSCLE);
    double *memory = SN_NEW_ARRAY(double, a->model->ncoord + nu);
    snStatus status = memory ? hold(a->changed, a->q, &held) : SN_NO_MEMORY;
    if (status == SN_OK && look && held.unmet_torque > 2e-3) {
        nearest.pose = memory, nearest.activation = memory + a->model->ncoord;
        looked = sn_nearest(a->changed, a->q, &nearest) == SN_OK;
        status = hold(a->changed, a->q, &held);
    }
    if (status == SN_OK) {
        put_held(a, a->changed, &held, looked ? &nearest : NULL);
        if (looked) status = put_nearest(a, &nearest);
        if (status == SN_OK && sn_patient_model(a->changed) != a->model)
            status = put_grafts(a, looked ? nearest.pose : held.pose);
        sn_json_text(&a->out, "}");
    }
    sn_free(memory);
    return status;
}

/* ---- who takes over ----------------------------------------------------------------------- */

static void put_unit(Answer *a, const snUnitChange *u, bool first)
{
    const char *name = sn_name(sn_patient_model(a->changed), SN_ITEM_MUSCLE, u->unit);
    sn_json_text(&a->out, first ? "{\"unit\":" : ",{\"unit\":");
    sn_json_string(&a->out, name);
    put_number(a, "muscle", sn_find(a->model, SN_ITEM_MUSCLE, name), 1);
    put_number(a, "healthy", u->healthy, 1e4);
    put_number(a, "case", u->changed, 1e4);
    put_number(a, "force", u->force, 1e3);
    put_number(a, "low", u->low, 1e4);
    put_number(a, "high", u->high, 1e4);
    sn_json_text(&a->out, u->must ? ",\"must\":true}" : ",\"must\":false}");
}

/* The pose of the question at time 0, at rest; still: a zero for each coordinate. */
static snTargets held_pose(const Answer *a, double *still)
{
    return (snTargets){.nframe = 1,
                       .ncoordinate = a->model->ncoord,
                       .time = still,
                       .q = (double *)(uintptr_t)a->q,
                       .v = still,
                       .a = still};
}

static snStatus put_compensators(Answer *a)
{
    double *still = SN_NEW_ARRAY(double, a->model->ncoord);
    snTargets one = held_pose(a, still);
    snCompared r = {0};
    snStatus status = still ? sn_compare(a->healthy, a->changed, &one, &r) : SN_NO_MEMORY;
    bool first = true;
    put_key(a, "compensators");
    sn_json_text(&a->out, "[");
    for (int32_t i = 0; status == SN_OK && i < r.count; ++i) {
        if (!r.unit[i].rises || !(r.unit[i].force > 0)) continue;
        put_unit(a, &r.unit[i], first);
        first = false;
    }
    sn_json_text(&a->out, "]");
    sn_compared_free(&r);
    sn_free(still);
    return status;
}

/* ---- over time ------------------------------------------------------------------------------ */

enum { CURVES = 5, MOMENTS = 80 }; /* muscles shown; moments sent of each */

/* The next of the units that tire most, -1: none left that does. */
static int32_t next_tired(const snEndurance *e, int32_t nu, const int32_t *had, int32_t nhad)
{
    const double *last = e->fatigued + (size_t)(e->count - 1) * (size_t)nu;
    int32_t best = -1;
    for (int32_t u = 0; u < nu; ++u) {
        bool old = false;
        for (int32_t i = 0; i < nhad; ++i) old = old || had[i] == u;
        if (!old && last[u] > 0.005 && (best < 0 || last[u] > last[best])) best = u;
    }
    return best;
}

/* Every so many moments of one column; the last one is always among them. */
static void put_curve(Answer *a, const char *name, const snEndurance *e, const double *value, int32_t stride,
                      double unit)
{
    int32_t every = (e->count + MOMENTS - 1) / MOMENTS;
    put_key(a, name);
    sn_json_text(&a->out, "[");
    for (int32_t i = (e->count - 1) % every; i < e->count; i += every) {
        if (i >= every) sn_json_text(&a->out, ",");
        put_rounded(a, value[(size_t)i * (size_t)stride], unit);
    }
    sn_json_text(&a->out, "]");
}

static snStatus put_endurance(Answer *a, const char *name, snPatient *patient)
{
    snEndurance e;
    const snModel *m = sn_patient_model(patient);
    int32_t nu = sn_count(m, SN_ITEM_MUSCLE), had[CURVES], n = 0;
    snStatus status = sn_endure(patient, a->q, a->more->endure, &e, NULL);
    if (status != SN_OK) return status;
    put_key(a, name);
    sn_json_text(&a->out, "{\"fails\":");
    put_rounded(a, e.fails_at, 10);
    put_number(a, "repetition", e.fails_in, 1);
    put_number(a, "worst", e.worst, 1);
    put_curve(a, "time", &e, e.time, 1, 10);
    put_curve(a, "unmet", &e, e.unmet, 1, 1e3);
    put_key(a, "units");
    sn_json_text(&a->out, "[");
    for (int32_t u; n < CURVES && (u = next_tired(&e, nu, had, n)) >= 0; had[n++] = u) {
        sn_json_text(&a->out, n ? ",{\"unit\":" : "{\"unit\":");
        sn_json_string(&a->out, sn_name(m, SN_ITEM_MUSCLE, u));
        put_curve(a, "activation", &e, e.activation + u, nu, 1e3);
        put_curve(a, "fatigued", &e, e.fatigued + u, nu, 1e3);
        sn_json_text(&a->out, "}");
    }
    sn_json_text(&a->out, "]}");
    sn_endurance_free(&e);
    return SN_OK;
}

static snStatus put_over_time(Answer *a)
{
    put_key(a, "over");
    sn_json_text(&a->out, "{\"work\":");
    put_rounded(a, a->more->endure->work, 10);
    put_number(a, "rest", a->more->endure->rest, 10);
    put_number(a, "repeat", a->more->endure->repeat, 1);
    snStatus status = put_endurance(a, "healthy", a->healthy);
    if (status == SN_OK && a->changed) status = put_endurance(a, "case", a->changed);
    sn_json_text(&a->out, "}");
    return status;
}

/* ---- what matters most ---------------------------------------------------------------------- */

enum { FINDINGS = 24 }; /* that the page is told */

/* An exploration that cannot be says why and leaves the rest of the answer. */
static snStatus put_explored(Answer *a)
{
    double *still = SN_NEW_ARRAY(double, a->model->ncoord);
    snTargets one = held_pose(a, still);
    snFindings found = {0};
    snError error = {0};
    if (!still) return SN_NO_MEMORY;
    snStatus status = sn_explore(a->more->spec, a->model, a->more->base, a->more->explore, &one, a->more->gravity,
                                 &found, (snProgress){0}, &error);
    put_key(a, "explore");
    sn_json_text(&a->out, "{\"base\":");
    put_rounded(a, found.base, 1e4);
    put_key(a, "error");
    sn_json_string(&a->out, status == SN_OK ? "" : error.message[0] ? error.message : sn_status_text(status));
    put_key(a, "findings");
    sn_json_text(&a->out, "[");
    for (int32_t i = 0; status == SN_OK && i < found.count && i < FINDINGS; ++i) {
        sn_json_text(&a->out, i ? ",{\"name\":" : "{\"name\":");
        sn_json_string(&a->out, found.finding[i].name);
        put_number(a, "missing", found.finding[i].missing, 1e4);
        put_number(a, "change", found.finding[i].change, 1e4);
        put_number(a, "torque", 1e3 * found.finding[i].torque, 10);
        put_number(a, "worst", found.finding[i].coordinate, 1);
        sn_json_text(&a->out, "}");
    }
    sn_json_text(&a->out, "]}");
    sn_findings_free(&found);
    sn_free(still);
    return status == SN_NO_MEMORY ? status : SN_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static snStatus answer(Answer *a, bool look)
{
    snHeld held;
    snStatus status = hold(a->healthy, a->q, &held);
    if (status != SN_OK) return status;
    sn_json_text(&a->out, "\"healthy\":");
    put_held(a, a->healthy, &held, NULL);
    sn_json_text(&a->out, "}");
    put_list(a, "q", a->q, a->model->ncoord, 1, 1e5);
    status = put_bodies(a, "bodies", held.pose);
    if (status == SN_OK && a->changed) {
        put_key(a, "case");
        status = put_case(a, look);
        if (status == SN_OK && look) status = put_compensators(a);
    }
    if (status == SN_OK && look && a->more && a->more->endure) status = put_over_time(a);
    if (status == SN_OK && look && a->more && a->more->explore) status = put_explored(a);
    return status;
}

snStatus sn_clinic_answer(const snModel *model, snPatient *healthy, snPatient *changed, const double *q, bool nearest,
                          const snClinicMore *more, uint32_t id, char **json, size_t *size)
{
    if (!model || !healthy || !q || !json || !size) return SN_BAD_ARGUMENT;
    Answer a = {.model = model, .healthy = healthy, .changed = changed, .q = q, .more = more};
    a.pose = SN_NEW_ARRAY(double, 7 * model->nbody);
    if (!a.pose) return SN_NO_MEMORY;
    sn_json_text(&a.out, "{\"id\":");
    sn_json_int(&a.out, id);
    sn_json_text(&a.out, nearest ? ",\"final\":true," : ",\"final\":false,");
    snStatus status = answer(&a, nearest);
    sn_json_text(&a.out, "}");
    sn_free(a.pose);
    if (status == SN_OK && a.out.failed) status = SN_NO_MEMORY;
    if (status == SN_OK)
        *json = a.out.at, *size = a.out.size;
    else
        sn_bytes_free(&a.out);
    return status;
}
