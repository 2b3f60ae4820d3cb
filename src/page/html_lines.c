/* Line muscles of the studio's data. A line runs over points that ride on bodies, and over wraps: the page draws it
 * from the poses of the bodies alone, so that a replay carries no curve and grows by nothing. */
#include "base/alloc.h"
#include "base/error.h"
#include "page/html_pack.h"
#include "page/tissue.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A belly is longer than its fibres, which begin one behind the other; 1.5 is a look, not a measurement. */
static const double STAGGER = 1.5;
/* Where a model gives a force but no cross-section, Pa: that of the hand's tables. */
static const double TENSION = 1.0e6;

/* A body that rides on a link, as the page counts; -1: fixed in the world. */
static int32_t rider(const snModel *m, int32_t link)
{
    for (int32_t b = 0; link >= 0 && b < m->nbody; ++b)
        if (m->skeleton->tree.body_link[b] == link) return b;
    return -1;
}

static v3 local(const snPack *p, int32_t body, v3 at)
{
    return body < 0 ? at : rigid_unapply(sn_pack_rest(p, body), at);
}

static v3 local_direction(const snPack *p, int32_t body, v3 direction)
{
    return body < 0 ? direction : q_rotate(q_conj(sn_pack_rest(p, body).q), direction);
}

/* ---- coordinates -------------------------------------------------------------------------- */

/* Some body that a link moves. */
static int32_t moved_body(const snModel *m, int32_t link)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        for (int32_t k = m->skeleton->tree.body_link[b]; k >= link; k = m->skeleton->tree.parent[k])
            if (k == link) return b;
    return 0;
}

/* A name joint.motion in its two parts, and the label without the motion: thumb CMC of thumb CMC flexion. */
static void put_coordinate_names(snPack *p, const char *name, const char *label)
{
    const char *dot = strrchr(name, '.'), *motion = dot ? dot + 1 : "";
    size_t n = strlen(label), k = strlen(motion);
    char joint[128], title[128];
    snprintf(joint, sizeof joint, "%.*s", dot ? (int)(dot - name) : 120, name);
    bool ends = k && n > k && strcmp(label + n - k, motion) == 0 && label[n - k - 1] == ' ';
    snprintf(title, sizeof title, "%.*s", (int)(ends ? n - k - 1 : 120), label);
    sn_json_string(&p->head, name);
    sn_pack_member(p, "joint");
    sn_json_string(&p->head, joint);
    sn_pack_member(p, "jointLabel");
    sn_json_string(&p->head, title);
    sn_pack_member(p, "motion");
    sn_json_string(&p->head, motion);
}

void sn_pack_tree_coordinates(snPack *p)
{
    const snModel *m = p->model;
    for (int32_t k = 0; m->skeleton && k < m->ncoord; ++k) {
        const snTree *tree = &m->skeleton->tree;
        snId id = sn_spec_find(p->def->spec, SN_KIND_COORDINATE, m->coord_name[k]);
        const char *label = id ? sn_spec_coordinate(p->def->spec, id)->label : NULL;
        sn_json_text(&p->head, k ? ",{\"name\":" : "{\"name\":");
        put_coordinate_names(p, m->coord_name[k], label ? label : "");
        sn_pack_member(p, "lower");
        sn_json_number(&p->head, tree->lower[k]);
        sn_pack_member(p, "upper");
        sn_json_number(&p->head, tree->upper[k]);
        sn_json_text(&p->head, tree->slides[k] ? ",\"unit\":\"m\"" : ",\"unit\":\"rad\"");
        sn_json_text(&p->head, tree->driven[k] ? ",\"driven\":true" : ",\"driven\":false");
        sn_pack_member(p, "body");
        sn_json_int(&p->head, moved_body(m, k));
        sn_json_text(&p->head, "}");
    }
}

/* ---- wraps -------------------------------------------------------------------------------- */

static void put_vector(snPack *p, const char *member, v3 value)
{
    double number[3];
    v3_store(number, value);
    sn_pack_member(p, member);
    sn_json_numbers(&p->head, number, 3);
}

static void put_wraps(snPack *p)
{
    const snPathSet *set = &p->model->skeleton->path;
    sn_pack_member(p, "wraps");
    sn_json_text(&p->head, "[");
    for (int32_t w = 0; w < set->nwrap; ++w) {
        int32_t body = rider(p->model, set->wrap_link[w]);
        sn_json_text(&p->head, w ? ",{\"kind\":" : "{\"kind\":");
        sn_json_string(&p->head, set->wrap_kind[w] == SN_WRAP_CYLINDER ? "cylinder" : "sphere");
        sn_pack_member(p, "body");
        sn_json_int(&p->head, body);
        sn_pack_member(p, "radius");
        sn_json_number(&p->head, set->wrap_radius[w]);
        put_vector(p, "centre", local(p, body, v3_load(set->wrap_centre + 3 * w)));
        put_vector(p, "axis", local_direction(p, body, v3_load(set->wrap_axis + 3 * w)));
        put_vector(p, "side", local_direction(p, body, v3_load(set->wrap_side + 3 * w)));
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]");
}

/* ---- lines -------------------------------------------------------------------------------- */

/* The belly as a share of the line as drawn: at the origin where most is tendon, in the middle where little is. */
static void find_belly(const snLineMuscleDef *def, double length, double belly[2], double *radius)
{
    double fibres = def->fiber_length * def->fiber_neutral * cos(def->pennation * SN_DEG);
    double share = length > 0 ? fmin(STAGGER * fibres / length, 0.94) : 0;
    double middle = fmin(fmax((share - 0.35) / 0.3, 0), 1);
    double start = 0.015 + (0.985 - share) * 0.5 * middle;
    double area = def->pcsa > 0 ? def->pcsa : def->max_force / TENSION;
    belly[0] = start, belly[1] = fmin(start + share, 0.985);
    *radius = fmin(fmax(sqrt(area / STAGGER / SN_PI), 0.0012), 0.03);
}

static void put_course(snPack *p, int32_t path)
{
    const snPathSet *set = &p->model->skeleton->path;
    int32_t first = set->pointadr[path], last = set->pointadr[path + 1];
    sn_pack_member(p, "bodies");
    sn_json_text(&p->head, "[");
    for (int32_t k = first; k < last; ++k) {
        if (k > first) sn_json_text(&p->head, ",");
        sn_json_int(&p->head, rider(p->model, set->point_link[k]));
    }
    sn_json_text(&p->head, "],\"points\":[");
    for (int32_t k = first; k < last; ++k) {
        v3 at = local(p, rider(p->model, set->point_link[k]), v3_load(set->point + 3 * k));
        double number[3] = {at.x, at.y, at.z};
        for (int i = 0; i < 3; ++i) {
            if (k > first || i) sn_json_text(&p->head, ",");
            sn_json_number(&p->head, round(1e7 * number[i]) / 1e7 + 0.0);
        }
    }
    sn_json_text(&p->head, "],\"over\":[");
    for (int32_t k = first; k + 1 < last; ++k) {
        if (k > first) sn_json_text(&p->head, ",");
        sn_json_int(&p->head, set->point_wrap ? set->point_wrap[k] : -1);
    }
    sn_json_text(&p->head, "]");
}

/* The coordinates that a line turns most as drawn, with its moment arms; largest first, none below a twentieth of it.
 */
static void put_acts(snPack *p, const snPathWork *w, int32_t path)
{
    enum { MOST = 5 };
    double largest = 0, before = INFINITY;
    int32_t count = 0;
    for (int32_t k = w->rowadr[path]; k < w->rowadr[path + 1]; ++k) largest = fmax(largest, fabs(w->P[k]));
    sn_pack_member(p, "acts");
    sn_json_text(&p->head, "[");
    for (; count < MOST; ++count) {
        int32_t best = -1;
        for (int32_t k = w->rowadr[path]; k < w->rowadr[path + 1]; ++k)
            if (fabs(w->P[k]) < before && (best < 0 || fabs(w->P[k]) > fabs(w->P[best]))) best = k;
        if (best < 0 || !(fabs(w->P[best]) > 0.05 * largest)) break;
        before = fabs(w->P[best]);
        sn_json_text(&p->head, count ? ",[" : "[");
        sn_json_int(&p->head, w->col[best]);
        sn_json_text(&p->head, ",");
        sn_json_number(&p->head, round(-1e6 * w->P[best]) / 1e6);
        sn_json_text(&p->head, "]");
    }
    sn_json_text(&p->head, "]");
}

static void put_line(snPack *p, const snPathWork *work, int32_t i)
{
    const snSkeleton *s = p->model->skeleton;
    snId id = sn_spec_find(p->def->spec, SN_KIND_LINE_MUSCLE, s->path_name[i]);
    snLineMuscleDef def = id ? *sn_spec_line_muscle(p->def->spec, id) : sn_default_line_muscle_def();
    double belly[2], radius;
    find_belly(&def, sn_path_neutral_length(&s->path, i), belly, &radius);
    sn_json_text(&p->head, i ? ",{\"name\":" : "{\"name\":");
    sn_json_string(&p->head, s->path_name[i]);
    sn_pack_member(p, "label");
    sn_json_string(&p->head, def.label);
    sn_pack_member(p, "nerve");
    sn_json_string(&p->head, s->path_nerve[i]);
    sn_pack_member(p, "part");
    sn_json_string(&p->head, s->path_part[i]);
    sn_pack_member(p, "muscle");
    sn_json_int(&p->head, s->path_unit[i]);
    sn_pack_member(p, "radius");
    sn_json_number(&p->head, s->path_radius[i]);
    sn_pack_member(p, "maxForce");
    sn_json_number(&p->head, def.max_force);
    sn_pack_member(p, "belly");
    sn_json_numbers(&p->head, belly, 2);
    sn_pack_member(p, "bellyRadius");
    sn_json_number(&p->head, radius);
    put_acts(p, work, i);
    put_course(p, i);
    sn_json_text(&p->head, "}");
}

/* Paths and their derivatives as drawn; NULL when out of memory. */
static snPathWork *drawn_paths(const snSkeleton *s)
{
    const snTree *tree = &s->tree;
    snTreeWork *w = sn_tree_create(tree);
    snPathWork *path = sn_path_create(&s->path, tree->ndof, tree->parent);
    double *q = SN_NEW_ARRAY(double, tree->ndof);
    bool fine = w && path && q;
    if (fine) {
        sn_tree_place(tree, w, q);
        snPathLinks links = {.ndof = tree->ndof,
                             .parent = tree->parent,
                             .slides = tree->slides,
                             .rotation = w->rotation,
                             .shift = w->shift,
                             .S = w->S};
        sn_path_lengths(&s->path, &links, path);
    } else {
        sn_path_destroy(path);
    }
    sn_tree_destroy(w);
    sn_free(q);
    return fine ? path : NULL;
}

snStatus sn_pack_lines(snPack *p)
{
    const snSkeleton *s = p->model->skeleton;
    if (!s) return SN_OK;
    snPathWork *work = drawn_paths(s);
    if (!work) return sn_fail_no_memory(p->error);
    put_wraps(p);
    sn_pack_member(p, "lines");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < s->path.npath; ++i) put_line(p, work, i);
    sn_json_text(&p->head, "]");
    sn_path_destroy(work);
    return SN_OK;
}
