/* The clinical page in the studio's data: what can be chosen, and the answers that a page without a server brings. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "page/html_pack.h"

#include <string.h>

/* Loads and coupling are not what the limb has lost: the healthy one has them too. */
static snStatus healthy_case(const snCase *c, snCase **out)
{
    snCase *same = sn_case_create("");
    snStatus status = same ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; c && status == SN_OK && i < sn_case_count(c); ++i) {
        const snChange *change = sn_case_change(c, i);
        if (change->kind == SN_CHANGE_LOAD || change->kind == SN_CHANGE_COUPLE) status = sn_case_add(same, change);
    }
    if (status == SN_OK)
        *out = same;
    else
        sn_case_destroy(same);
    return status;
}

snStatus sn_clinic_patients(const snSpec *spec, const snModel *model, const snCase *c, const double gravity[3],
                            snPatient **healthy, snPatient **changed, snError *error)
{
    snCase *same = NULL;
    snPatient *a = NULL, *b = NULL;
    snStatus status = healthy_case(c, &same);
    if (status != SN_OK) return sn_fail_no_memory(error);
    status = sn_patient_create(spec, model, same, &a, error);
    if (status == SN_OK && c && sn_case_count(c) > sn_case_count(same))
        status = sn_patient_create(spec, model, c, &b, error);
    sn_case_destroy(same);
    if (status != SN_OK) {
        sn_patient_destroy(a);
        return status;
    }
    sn_patient_gravity(a, gravity);
    if (b) sn_patient_gravity(b, gravity);
    *healthy = a, *changed = b;
    return SN_OK;
}

/* ---- what can be chosen ------------------------------------------------------------------- */

/* Appends a name to a list of names unless it is there. */
static void put_once(snPack *p, size_t start, const char *name, size_t n)
{
    snBytes quoted = {0};
    char text[160];
    if (!n || n >= sizeof text) return;
    memcpy(text, name, n);
    text[n] = '\0';
    sn_json_string(&quoted, text);
    bool there = false;
    for (size_t i = start; !quoted.failed && !p->head.failed && !there && i + quoted.size <= p->head.size; ++i)
        there = memcmp(p->head.at + i, quoted.at, quoted.size) == 0;
    if (!there && p->head.size > start) sn_json_text(&p->head, ",");
    if (!there) sn_json_string(&p->head, text);
    sn_bytes_free(&quoted);
}

static void put_choices(snPack *p)
{
    const snSpec *spec = p->def->spec;
    const snSkeleton *s = p->model->skeleton;
    sn_json_text(&p->head, ",\"nerves\":[");
    size_t start = p->head.size;
    for (int32_t i = 0; i < s->path.npath; ++i)
        for (const char *at = s->path_nerve[i]; at && *at;) {
            size_t n = strcspn(at, " ");
            put_once(p, start, at, n);
            at += n + strspn(at + n, " ");
        }
    sn_json_text(&p->head, "],\"groups\":[");
    start = p->head.size;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const char *group = sn_spec_line_muscle(spec, id)->coupled;
        put_once(p, start, group, strlen(group));
    }
    sn_json_text(&p->head, "],\"donors\":[");
    start = p->head.size;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        const char *unit = *d->unit ? d->unit : d->name;
        if (!d->enabled) put_once(p, start, unit, strlen(unit));
    }
    sn_json_text(&p->head, "]");
}

static void put_poses(snPack *p)
{
    const snClinicDef *c = p->def->clinic;
    int32_t n = p->model->ncoord;
    sn_json_text(&p->head, ",\"poses\":[");
    for (int32_t i = 0; i < c->npose; ++i) {
        sn_json_text(&p->head, i ? ",{\"name\":" : "{\"name\":");
        sn_json_string(&p->head, c->pose_name[i]);
        if (c->pose_time) sn_pack_member(p, "time"), sn_json_number(&p->head, c->pose_time[i]);
        sn_pack_member(p, "q");
        sn_json_numbers(&p->head, c->pose + (int64_t)i * n, n);
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]");
}

/* ---- cases -------------------------------------------------------------------------------- */

static void put_changes(snPack *p, const snCase *c)
{
    sn_pack_member(p, "changes");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < sn_case_count(c); ++i) {
        const snChange *change = sn_case_change(c, i);
        sn_json_text(&p->head, i ? ",{\"kind\":" : "{\"kind\":");
        sn_json_string(&p->head, sn_change_name(change->kind));
        sn_pack_member(p, "name");
        sn_json_string(&p->head, change->name);
        sn_pack_member(p, "to");
        sn_json_string(&p->head, change->to);
        sn_pack_member(p, "value");
        sn_json_number(&p->head, change->value);
        sn_pack_member(p, "force");
        sn_json_numbers(&p->head, change->force, 3);
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]");
}

/* Whether a pose is one of a motion rather than one by itself. */
static bool is_frame(const snClinicDef *def, int32_t i)
{
    bool before = i > 0 && strcmp(def->pose_name[i], def->pose_name[i - 1]) == 0;
    return before || (i + 1 < def->npose && strcmp(def->pose_name[i], def->pose_name[i + 1]) == 0);
}

static snStatus put_answers(snPack *p, const snCase *c)
{
    const snClinicDef *def = p->def->clinic;
    snPatient *healthy = NULL, *changed = NULL;
    const snClinicMore more = {.endure = def->endure};
    snStatus status = sn_clinic_patients(p->def->spec, def->model, c, def->gravity, &healthy, &changed, p->error);
    if (status != SN_OK) return status;
    sn_pack_member(p, "answers");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; status == SN_OK && i < def->npose; ++i) {
        char *json = NULL;
        size_t size = 0;
        const double *q = def->pose + (int64_t)i * p->model->ncoord;
        status = sn_clinic_answer(def->model, healthy, changed, q, true, is_frame(def, i) ? NULL : &more, (uint32_t)i,
                                  &json, &size);
        if (status != SN_OK) (void)sn_fail(p->error, status, "the pose %.60s could not be solved", def->pose_name[i]);
        if (i) sn_json_text(&p->head, ",");
        if (status == SN_OK) sn_bytes_add(&p->head, json, size);
        sn_free(json);
    }
    sn_json_text(&p->head, "]");
    sn_patient_destroy(healthy);
    sn_patient_destroy(changed);
    return status;
}

snStatus sn_pack_clinic(snPack *p)
{
    const snClinicDef *def = p->def->clinic;
    snStatus status = SN_OK;
    snClinicDef taken = sn_default_clinic_def();
    if (SN_TAKE_DEF(def, snClinicDef, taken, p->error)) return SN_BAD_ARGUMENT;
    if (!p->model->skeleton) return sn_fail(p->error, SN_BAD_INPUT, "the clinical page needs a model on a tree");
    sn_pack_member(p, "clinic");
    sn_json_text(&p->head, "{\"posture\":");
    sn_json_string(&p->head, def->posture ? def->posture : "");
    put_choices(p);
    put_poses(p);
    sn_pack_member(p, "cases");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; status == SN_OK && i < def->ncase; ++i) {
        sn_json_text(&p->head, i ? ",{\"name\":" : "{\"name\":");
        sn_json_string(&p->head, def->case_name[i]);
        put_changes(p, def->cases[i]);
        status = put_answers(p, def->cases[i]);
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]}");
    return status;
}
