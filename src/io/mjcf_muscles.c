/* Spatial tendons with muscle actuators as line muscles.
 *
 * MuJoCo's muscle: the fibres work over range[0] to range[1] of their optimal length L0 while the tendon goes from
 * lengthrange[0] to lengthrange[1], so L0 = (lengthrange[1] - lengthrange[0]) / (range[1] - range[0]) and the rest of
 * the length is a rigid tendon. Force-length and passive laws become tables; of force-velocity there is the straight
 * line of our muscles. */
#include "io/mjcf.h"

#include "path/path.h"

#include <string.h>

enum { MOST_POINTS = 200, LAW_POINTS = 61 };

typedef struct Route {
    int32_t npoint;
    v3 point[MOST_POINTS], side[MOST_POINTS];
    int32_t owner[MOST_POINTS]; /* of points */
    mjcfPlace *wrap[MOST_POINTS];
    double radius[MOST_POINTS];
    bool cylinder[MOST_POINTS];
    const char *pass[MOST_POINTS]; /* of the stretch behind a point */
} Route;

typedef struct Law {
    double range[2], force, scale, lmin, lmax, vmax, fpmax;
} Law;

/* ---- routes ------------------------------------------------------------------------------- */

static mjcfPlace *find_site(snMjcf *m, const char *called)
{
    for (int32_t i = 0; called && i < m->site.count; ++i)
        if (strcmp(m->site.at[i].called, called) == 0) return &m->site.at[i];
    return NULL;
}

static mjcfPlace *find_geom(snMjcf *m, const char *called)
{
    for (int32_t i = 0; called && i < m->geom.count; ++i)
        if (strcmp(m->geom.at[i].called, called) == 0) return &m->geom.at[i];
    return NULL;
}

static snStatus add_site(snMjcf *m, const snXmlNode *at, Route *r)
{
    const char *name = sn_xml_attribute(at->attribute, "site");
    const mjcfPlace *site = find_site(m, name);
    if (!site) return mjcf_fail(m, at, "name one of the sites", "there is no site \"%.80s\"", name ? name : "");
    int32_t owner = m->body.at[site->body].owner, n = r->npoint;
    if (n == MOST_POINTS) return mjcf_fail(m, at, "leave some out", "the tendon has more than %d points", MOST_POINTS);
    /* a point on the one before it changes nothing */
    if (n && !r->wrap[n - 1] && r->owner[n - 1] == owner && v3_dist(r->point[n - 1], site->frame.p) < 1e-9)
        return SN_OK;
    r->point[n] = site->frame.p;
    r->owner[n] = owner;
    r->wrap[n] = NULL;
    r->pass[n] = "-";
    r->side[n] = v3_of(0, 0, 0);
    ++r->npoint;
    return SN_OK;
}

static snStatus choose_side(snMjcf *m, const snXmlNode *at, Route *r, const mjcfPlace *geom, int32_t k)
{
    const char *name = sn_xml_attribute(at->attribute, "sidesite");
    const mjcfPlace *site = find_site(m, name);
    r->pass[k] = "shorter";
    if (!name) return SN_OK;
    if (!site) return mjcf_fail(m, at, "name one of the sites", "there is no site \"%.80s\"", name);
    r->side[k] = v3_sub(site->frame.p, geom->frame.p);
    r->pass[k] = v3_len(r->side[k]) < r->radius[k] ? "inside" : "side";
    if (m->body.at[site->body].owner == m->body.at[geom->body].owner) return SN_OK;
    return mjcf_miss(m, at, "sidesite %.80s is on another body than geom %.80s: the side stays as drawn", name,
                     geom->called);
}

static snStatus add_wrap(snMjcf *m, const snXmlNode *at, Route *r)
{
    const char *name = sn_xml_attribute(at->attribute, "geom");
    mjcfPlace *geom = find_geom(m, name);
    int32_t k = r->npoint - 1;
    double size[3] = {0};
    if (!geom) return mjcf_fail(m, at, "name one of the geoms", "there is no geom \"%.80s\"", name ? name : "");
    if (k < 0 || r->wrap[k]) return mjcf_fail(m, at, "put a site between", "a wrap stands where a site must be");
    const char *type = mjcf_get(m, geom->node, geom->childclass, "type", "sphere");
    r->cylinder[k] = strcmp(type, "cylinder") == 0;
    if (!r->cylinder[k] && strcmp(type, "sphere") != 0)
        return mjcf_fail(m, at, "MuJoCo wraps over spheres and cylinders", "geom %.80s is a %.40s", name, type);
    snStatus status = mjcf_numbers(m, geom->node, geom->childclass, "size", 1, 3, size, NULL);
    if (status) return status;
    if (!(size[0] > 1e-9 && size[0] < 100))
        return mjcf_fail(m, geom->node, "give a radius", "its radius is %g m", size[0]);
    r->radius[k] = size[0];
    r->wrap[k] = geom;
    status = choose_side(m, at, r, geom, k);
    return status ? status : mjcf_wrap_node(m, geom, r->cylinder[k], size[0], size[1]);
}

static snStatus read_route(snMjcf *m, const snXmlNode *tendon, Route *r)
{
    snStatus status = SN_OK;
    r->npoint = 0;
    for (const snXmlNode *p = tendon->child; p && !status; p = p->next) {
        if (strcmp(p->tag, "site") == 0)
            status = add_site(m, p, r);
        else if (strcmp(p->tag, "geom") == 0)
            status = add_wrap(m, p, r);
        else if (strcmp(p->tag, "pulley") == 0) {
            status = mjcf_miss(m, p,
                               "tendon %.80s branches at a pulley: what comes behind it is left out, so that its "
                               "length and its arms there are wrong",
                               mjcf_name(tendon));
            break;
        }
    }
    if (status) return status;
    if (r->npoint && r->wrap[r->npoint - 1])
        return mjcf_fail(m, tendon, "end it with a site", "the tendon ends on a geom");
    if (r->npoint < 2) return mjcf_fail(m, tendon, "give two sites or more", "the tendon has %d sites", r->npoint);
    return SN_OK;
}

/* Its length as drawn, by the same code that will simulate it. */
static double drawn_length(const Route *r)
{
    double point[3 * MOST_POINTS], centre[3 * MOST_POINTS], axis[3 * MOST_POINTS], side[3 * MOST_POINTS];
    int32_t link[MOST_POINTS], of[MOST_POINTS], adr[2] = {0, r->npoint}, n = 0;
    snWrapKind kind[MOST_POINTS];
    snWrapRule rule[MOST_POINTS];
    double radius[MOST_POINTS];
    for (int32_t k = 0; k < r->npoint; ++k) {
        v3_store(point + 3 * k, r->point[k]);
        link[k] = -1, of[k] = r->wrap[k] ? n : -1;
        if (!r->wrap[k]) continue;
        v3_store(centre + 3 * n, r->wrap[k]->frame.p);
        v3_store(axis + 3 * n, q_rotate(r->wrap[k]->frame.q, v3_of(0, 0, 1)));
        v3_store(side + 3 * n, v3_len(r->side[k]) > 0 ? v3_unit(r->side[k]) : r->side[k]);
        kind[n] = r->cylinder[k] ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE;
        rule[n] = strcmp(r->pass[k], "inside") == 0 ? SN_WRAP_INSIDE : SN_WRAP_TANGENT;
        radius[n++] = r->radius[k];
    }
    snPathSet set = {.npath = 1,
                     .npoint = r->npoint,
                     .nwrap = n,
                     .pointadr = adr,
                     .point_link = link,
                     .point = point,
                     .point_wrap = of,
                     .wrap_kind = kind,
                     .wrap_link = link,
                     .wrap_centre = centre,
                     .wrap_axis = axis,
                     .wrap_radius = radius,
                     .wrap_side = side,
                     .wrap_rule = rule};
    return sn_path_neutral_length(&set, 0);
}

/* ---- laws --------------------------------------------------------------------------------- */

static double active_at(const Law *w, double x)
{
    double a = (w->lmin + 1) / 2, b = (1 + w->lmax) / 2, s;
    if (x <= w->lmin || x >= w->lmax) return 0;
    if (x <= a) return s = (x - w->lmin) / (a - w->lmin), s * s / 2;
    if (x <= 1) return s = (1 - x) / (1 - a), 1 - s * s / 2;
    if (x <= b) return s = (x - 1) / (b - 1), 1 - s * s / 2;
    return s = (w->lmax - x) / (w->lmax - b), s * s / 2;
}

static double passive_at(const Law *w, double x)
{
    double b = (1 + w->lmax) / 2, s;
    if (x <= 1) return 0;
    return s = (x - 1) / (b - 1), x <= b ? s * s / 2 : 0.5 + (x - b) / (b - 1);
}

/* A table of the law, once for all muscles that have the same; gives its name. */
static snStatus add_law(snMjcf *m, const Law *w, bool passive, const char **name)
{
    double x[LAW_POINTS], y[LAW_POINTS], low = passive ? 0.5 : w->lmin, high = passive ? 2 * w->lmax : w->lmax;
    snForceLengthDef def = sn_default_force_length_def();
    if (!(*name = sn_foreign_text(m->arena, "mujoco-%s-%g-%g", passive ? "passive" : "active", w->lmin, w->lmax)))
        return mjcf_no_memory(m);
    if (sn_spec_find(m->spec, SN_KIND_FORCE_LENGTH, *name)) return SN_OK;
    for (int k = 0; k < LAW_POINTS; ++k) {
        x[k] = low + (high - low) * k / (LAW_POINTS - 1);
        y[k] = passive ? passive_at(w, x[k]) : active_at(w, x[k]);
    }
    def.name = *name, def.npoint = LAW_POINTS, def.stretch = x, def.force = y;
    return sn_spec_add(m->spec, SN_KIND_FORCE_LENGTH, &def, mjcf_origin(m, m->root), NULL) ? mjcf_no_memory(m) : SN_OK;
}

static snStatus read_law(snMjcf *m, const snXmlNode *a, Law *w)
{
    *w = (Law){{0.75, 1.05}, -1, 200, 0.5, 1.6, 1.5, 1.3};
    double prm[10] = {w->range[0], w->range[1], w->force, w->scale, w->lmin, w->lmax, w->vmax, w->fpmax, 0, 0};
    snStatus status = mjcf_numbers(m, a, NULL, "gainprm", 0, 10, prm, NULL);
    *w = (Law){{prm[0], prm[1]}, prm[2], prm[3], prm[4], prm[5], prm[6], prm[7]};
    if (strcmp(a->tag, "muscle") == 0) {
        if (!status) status = mjcf_numbers(m, a, NULL, "range", 2, 2, w->range, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "force", 1, 1, &w->force, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "scale", 1, 1, &w->scale, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "lmin", 1, 1, &w->lmin, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "lmax", 1, 1, &w->lmax, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "vmax", 1, 1, &w->vmax, NULL);
        if (!status) status = mjcf_numbers(m, a, NULL, "fpmax", 1, 1, &w->fpmax, NULL);
    }
    if (status) return status;
    if (!(w->range[0] < w->range[1] && w->lmin >= 0 && w->lmin < 1 && w->lmax > 1 && w->lmax < 100 && w->vmax >= 0 &&
          w->fpmax >= 0))
        return mjcf_fail(m, a, "see MuJoCo's muscle: lmin < 1 < lmax and range[0] < range[1]",
                         "its muscle parameters are not those of a muscle");
    return SN_OK;
}

/* ---- muscles ------------------------------------------------------------------------------ */

static const snXmlNode *find_tendon(const snMjcf *m, const char *name)
{
    for (const snXmlNode *s = NULL; (s = mjcf_section(m, "tendon", s));)
        for (const snXmlNode *t = s->child; t; t = t->next)
            if (strcmp(mjcf_name(t), name) == 0) return t;
    return NULL;
}

/* Words of each stretch or point with blanks between, in the arena. */
static const char *join_words(snMjcf *m, const Route *r, int what)
{
    size_t room = 1;
    for (int pass = 0;; ++pass) {
        char *text = pass ? sn_arena_alloc(m->arena, room, 1) : NULL;
        size_t n = 0;
        if (pass && !text) return NULL;
        for (int32_t k = 0; k < r->npoint - (what > 0); ++k) {
            const char *word = what == 0   ? m->body.at[r->owner[k]].name
                               : what == 1 ? (r->wrap[k] ? r->wrap[k]->name : "-")
                                           : r->pass[k];
            size_t length = strlen(word);
            if (text && k) text[n] = ' ';
            n += k > 0;
            if (text) memcpy(text + n, word, length);
            n += length;
        }
        if (pass) return text;
        room = n + 1;
    }
}

static snStatus set_fibres(snMjcf *m, const snXmlNode *a, const Law *w, const Route *r, snLineMuscleDef *def)
{
    double range[2] = {0, 0}, length = drawn_length(r);
    int given = 0;
    snStatus status = mjcf_numbers(m, a, NULL, "lengthrange", 2, 2, range, &given);
    if (status) return status;
    def->max_force = w->force;
    if (!(w->force > 0)) {
        def->max_force = fmax(w->scale, 1);
        status = mjcf_miss(m, a, "its peak force is not in the file (MuJoCo finds it from scale %g): %g N stand for it",
                           w->scale, def->max_force);
    }
    if (given && range[1] > range[0]) {
        def->fiber_length = (range[1] - range[0]) / (w->range[1] - w->range[0]);
        def->fiber_neutral = w->range[0] + (length - range[0]) / def->fiber_length;
    } else if (!status) {
        def->fiber_length = length / 2;
        status = mjcf_miss(m, a,
                           "lengthrange is not in the file: fibres of half the length as drawn, %.3g m, optimal "
                           "there, stand for it",
                           def->fiber_length);
    }
    def->passive_scale = w->fpmax;
    def->max_velocity = w->vmax;
    return status;
}

static bool is_moved(const Route *r)
{
    for (int32_t k = 1; k < r->npoint; ++k)
        if (r->owner[k] != r->owner[0]) return true;
    return false;
}

static snStatus write_muscle(snMjcf *m, const snXmlNode *a, const snXmlNode *tendon, Route *r)
{
    snLineMuscleDef def = sn_default_line_muscle_def();
    Law law;
    double gear[6] = {1, 0, 0, 0, 0, 0}, point[3 * MOST_POINTS], side[3 * MOST_POINTS];
    const char *called = *mjcf_name(a) ? mjcf_name(a) : mjcf_name(tendon);
    snStatus status = read_route(m, tendon, r);
    if (!status) status = read_law(m, a, &law);
    if (!status) status = mjcf_numbers(m, a, NULL, "gear", 1, 6, gear, NULL);
    if (!status) status = set_fibres(m, a, &law, r, &def);
    if (!status) status = add_law(m, &law, false, &def.active_fl);
    if (!status) status = add_law(m, &law, true, &def.passive_fl);
    if (!status && gear[0] != 1) status = mjcf_miss(m, a, "gear %g is left out", gear[0]);
    if (status) return status;
    for (int32_t k = 0; k < r->npoint; ++k) v3_store(point + 3 * k, r->point[k]), v3_store(side + 3 * k, r->side[k]);
    def.name = sn_foreign_name(m->spec, m->arena, SN_KIND_LINE_MUSCLE, called);
    def.bodies = join_words(m, r, 0), def.wraps = join_words(m, r, 1), def.passes = join_words(m, r, 2);
    if (!def.name || !def.bodies || !def.wraps || !def.passes) return mjcf_no_memory(m);
    def.npoint = r->npoint, def.point = point;
    def.nside = r->npoint - 1, def.side = side;
    def.enabled = is_moved(r);
    if (!def.enabled) status = mjcf_miss(m, a, "muscle %.80s is disabled: all of its points are on one body", called);
    if (status) return status;
    return sn_spec_add(m->spec, SN_KIND_LINE_MUSCLE, &def, mjcf_origin(m, a), NULL) ? mjcf_no_memory(m) : SN_OK;
}

static snStatus write_actuator(snMjcf *m, const snXmlNode *a, Route *r)
{
    const char *gain = mjcf_get(m, a, NULL, "gaintype", "fixed"), *name = sn_xml_attribute(a->attribute, "tendon");
    bool muscle = strcmp(a->tag, "muscle") == 0 || strcmp(gain, "muscle") == 0;
    const snXmlNode *tendon = name ? find_tendon(m, name) : NULL;
    if (!muscle || !name) return mjcf_miss(m, a, "a %s is left out: only muscles on tendons are read", a->tag);
    if (!tendon) return mjcf_fail(m, a, "name one of the tendons", "there is no tendon \"%.80s\"", name);
    if (strcmp(tendon->tag, "spatial") != 0)
        return mjcf_miss(m, a, "it pulls on tendon %.80s, which is not spatial, and is left out", name);
    return write_muscle(m, a, tendon, r);
}

static bool has_actuator(const snMjcf *m, const char *tendon)
{
    for (const snXmlNode *s = NULL; (s = mjcf_section(m, "actuator", s));)
        for (const snXmlNode *a = s->child; a; a = a->next) {
            const char *name = sn_xml_attribute(a->attribute, "tendon");
            if (name && strcmp(name, tendon) == 0) return true;
        }
    return false;
}

static snStatus say_tendons(snMjcf *m)
{
    snStatus status = SN_OK;
    for (const snXmlNode *s = NULL; !status && (s = mjcf_section(m, "tendon", s));)
        for (const snXmlNode *t = s->child; t && !status; t = t->next)
            if (!has_actuator(m, mjcf_name(t)))
                status = mjcf_miss(m, t, "no muscle pulls on this tendon: it is left out%s",
                                   mjcf_get(m, t, NULL, "stiffness", NULL) ? ", with its stiffness" : "");
    return status;
}

snStatus mjcf_write_muscles(snMjcf *m)
{
    Route *r = sn_arena_alloc(m->arena, 1, sizeof *r);
    snStatus status = r ? SN_OK : mjcf_no_memory(m);
    for (const snXmlNode *s = NULL; !status && (s = mjcf_section(m, "actuator", s));)
        for (const snXmlNode *a = s->child; a && !status; a = a->next) status = write_actuator(m, a, r);
    int32_t count = sn_spec_count(m->spec, SN_KIND_LINE_MUSCLE);
    if (!status && count)
        status = mjcf_miss(m, mjcf_section(m, "actuator", NULL),
                           "%d muscles: force falls in a straight line with the speed of shortening and does not rise "
                           "while they lengthen; delays of activation and ctrlrange are left out",
                           (int)count);
    return status ? status : say_tendons(m);
}
