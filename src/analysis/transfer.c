/* Tendon transfers: the model with a donor's belly on a recipient's tendon.
 *
 * The donor keeps origin, fibres, force and nerve and loses its own tendon. Where the recipient starts on a bone that
 * is fixed (the forearm), the new path runs from the donor's origin to the recipient's last pulley there and on along
 * the recipient; otherwise along the donor to the bone where the recipient starts, through the recipient's origin as a
 * pulley, and on. A recipient may be a unit, a path or a coupled group (ED): the donor then splits, with one
 * activation. Meshes are left out: nothing that is solved needs them. */
#include "analysis/patient.h"
#include "model/check.h"
#include "model/copy.h"
#include "model/tree_order.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_POINT = 32, MAX_LIST = MAX_POINT * (SN_NAME_MAX + 1), NAME = 2 * SN_NAME_MAX };

static const double least_apart = 1e-4; /* m: a pulley nearer than this to the point before it is the same one */

typedef struct Route {
    int32_t n;
    double point[3 * MAX_POINT];
    char bodies[MAX_LIST];
} Route;

static const char *unit_of(const snLineMuscleDef *d)
{
    return *d->unit ? d->unit : d->name;
}

static bool is_donor(const snLineMuscleDef *d, const char *name)
{
    return strcmp(d->name, name) == 0 || strcmp(unit_of(d), name) == 0;
}

static bool is_recipient(const snLineMuscleDef *d, const char *name)
{
    return d->enabled && (is_donor(d, name) || strcmp(d->coupled, name) == 0);
}

static int32_t count(const snSpec *spec, const char *name, bool recipient)
{
    int32_t n = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        n += recipient ? is_recipient(d, name) : is_donor(d, name);
    }
    return n;
}

/* Whether the lesion paralyses a head of the donor. */
static bool is_denervated(const snSpec *spec, const char *donor, const char *lesion)
{
    char word[SN_NAME_MAX + 1];
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        if (!is_donor(d, donor)) continue;
        for (const char *list = d->nerve; sn_next_name(&list, word);)
            if (strcmp(word, lesion) == 0) return true;
    }
    return false;
}

/* A remedy: the muscle with the name nearest to this one, or where names are listed. */
static const char *nearest(const snSpec *spec, const char *name, char text[120])
{
    const char *best = NULL;
    int least = sn_name_near(name) + 1;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++id) {
        const char *unit = unit_of(sn_spec_line_muscle(spec, id));
        int d = sn_name_distance(name, unit);
        if (d < least) least = d, best = unit;
    }
    if (best)
        (void)snprintf(text, 120, "did you mean %.80s?", best);
    else
        (void)snprintf(text, 120, "`sinew info MODEL --list` names the muscles");
    return text;
}

/* ---- what cannot be ------------------------------------------------------------------------- */

static snStatus refuse(const snChange *t, snError *error, const char *why, const char *remedy)
{
    (void)sn_fail(error, SN_BAD_INPUT, "transfer %.60s to %.60s: %s", t->name, t->to, why);
    sn_error_remedy(error, "%s", remedy);
    return SN_BAD_INPUT;
}

static snStatus check(const snSpec *spec, const snCase *c, int32_t index, snError *error)
{
    const snChange *t = sn_case_change(c, index);
    char list[120];
    if (strcmp(t->name, t->to) == 0) return refuse(t, error, "the donor is its own recipient", "name another one");
    if (!count(spec, t->name, false)) return refuse(t, error, "there is no such donor", nearest(spec, t->name, list));
    if (!count(spec, t->to, true)) return refuse(t, error, "there is no such recipient", nearest(spec, t->to, list));
    if (t->value != 0 && !(t->value >= 0.5 && t->value <= 1.5))
        return refuse(t, error, "the fibre length is outside 0.5 to 1.5", "0 keeps the donor's");
    for (int32_t i = 0; i < sn_case_count(c); ++i) {
        const snChange *other = sn_case_change(c, i);
        if (i != index && other->kind == SN_CHANGE_TRANSFER && strcmp(other->name, t->name) == 0)
            return refuse(t, error, "the donor is used twice", "name another donor, or a group as the recipient");
        if (other->kind == SN_CHANGE_CUT && strcmp(other->name, t->name) == 0)
            return refuse(t, error, "the donor is cut", "remove the cut, or name another donor");
        if (other->kind == SN_CHANGE_NERVE && other->value < 0.5 && is_denervated(spec, t->name, other->name)) {
            char why[160];
            (void)snprintf(why, sizeof why, "the donor is paralysed by the lesion %.80s", other->name);
            return refuse(t, error, why, "name a donor that another nerve supplies");
        }
    }
    return SN_OK;
}

/* ---- the new path --------------------------------------------------------------------------- */

static bool add_point(Route *r, const double *p, const char *body)
{
    if (r->n && v3_dist(v3_load(r->point + 3 * (r->n - 1)), v3_load(p)) < least_apart) return true;
    size_t used = strlen(r->bodies);
    int n = snprintf(r->bodies + used, sizeof r->bodies - used, "%s%s", used ? " " : "", body);
    if (r->n == MAX_POINT || n < 0 || (size_t)n >= sizeof r->bodies - used) return false;
    memcpy(r->point + 3 * r->n++, p, 3 * sizeof *p);
    return true;
}

/* Adds points first to last (exclusive) of a muscle. */
static bool add_points(Route *r, const snLineMuscleDef *d, int32_t first, int32_t last)
{
    char name[SN_NAME_MAX + 1];
    const char *list = d->bodies;
    for (int32_t i = 0; i < last && sn_next_name(&list, name); ++i)
        if (i >= first && !add_point(r, d->point + 3 * i, name)) return false;
    return true;
}

/* Index of the last point before the path first reaches a bone that moves; -1: it starts on one. */
static int32_t last_fixed(const snSpec *spec, const snLineMuscleDef *d)
{
    char name[SN_NAME_MAX + 1];
    int32_t i = 0;
    for (const char *list = d->bodies; sn_next_name(&list, name) && !*sn_tree_carrier(spec, name);) ++i;
    return i - 1;
}

/* Points of the donor up to the first one on the bone; all but the insertion where it never gets there. */
static int32_t reach(const snLineMuscleDef *d, const char *bone)
{
    char name[SN_NAME_MAX + 1];
    int32_t i = 0;
    for (const char *list = d->bodies; sn_next_name(&list, name); ++i)
        if (strcmp(name, bone) == 0) return i + 1;
    return d->npoint - 1;
}

static bool lay_out(const snSpec *spec, const snLineMuscleDef *donor, const snLineMuscleDef *to, Route *r)
{
    char bone[SN_NAME_MAX + 1];
    const char *list = to->bodies;
    int32_t pulley = last_fixed(spec, to);
    if (pulley >= to->npoint - 1) pulley = -1;
    if (pulley >= 0) return add_points(r, donor, 0, 1) && add_points(r, to, pulley, to->npoint);
    return sn_next_name(&list, bone) && add_points(r, donor, 0, reach(donor, bone)) && add_points(r, to, 0, to->npoint);
}

static snStatus add_transferred(const snSpec *from, const snChange *t, const snLineMuscleDef *donor, snSpec *to,
                                snError *error)
{
    int32_t parts = count(from, t->to, true);
    for (snId id = 1; id <= sn_spec_count(from, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *recipient = sn_spec_line_muscle(from, id);
        if (!is_recipient(recipient, t->to)) continue;
        snLineMuscleDef d = *donor;
        Route r = {0};
        char name[NAME];
        if (!lay_out(from, donor, recipient, &r))
            return refuse(t, error, "the path has too many points", "use fewer pulleys");
        (void)snprintf(name, sizeof name, "%.100s>%.100s", donor->name, recipient->name);
        d.name = name, d.unit = unit_of(donor);
        d.enabled = true;
        d.npoint = r.n, d.point = r.point, d.bodies = r.bodies, d.wraps = "";
        d.max_force /= parts, d.pcsa /= parts;
        if (t->value > 0) d.fiber_neutral = t->value;
        if (sn_add_line_muscle(to, &d, NULL) != SN_OK) return sn_fail_no_memory(error);
    }
    return SN_OK;
}

/* ---- the copy ------------------------------------------------------------------------------- */

typedef struct Copy {
    const snSpec *from;
    snSpec *to;
} Copy;

static snStatus copy_one(void *user, snKind kind, snId id)
{
    const Copy *c = user;
    if (kind == SN_KIND_LINE_MUSCLE) return SN_OK;                       /* added later, transferred or as they are */
    if (kind == SN_KIND_GROUP || kind == SN_KIND_FUNCTION) return SN_OK; /* may name a muscle that is split */
    if (kind != SN_KIND_NODE) return sn_copy_element(c->from, c->to, kind, id);
    snNodeDef node = *sn_spec_node(c->from, id);
    if (node.kind == SN_NODE_MESH) node.kind = SN_NODE_LOCATOR; /* keeps the ids of parents */
    return sn_add_node(c->to, &node, NULL);
}

static snStatus copy_rest(const snSpec *from, snSpec *to)
{
    snModelDef model = *sn_spec_model(from);
    model.skin = "";
    snStatus status = sn_set_scene(to, sn_spec_scene(from));
    if (status == SN_OK) status = sn_set_model(to, &model);
    if (status == SN_OK) status = sn_copy_elements(from, copy_one, &(Copy){from, to});
    return status;
}

static const snChange *transfer_of(const snCase *c, const snLineMuscleDef *d)
{
    for (int32_t i = 0; i < sn_case_count(c); ++i) {
        const snChange *t = sn_case_change(c, i);
        if (t->kind == SN_CHANGE_TRANSFER && is_donor(d, t->name)) return t;
    }
    return NULL;
}

snStatus sn_transfer_model(const snSpec *spec, const snCase *c, snModel **model, snError *error)
{
    snSpec *to = sn_spec_create();
    snStatus status = to && copy_rest(spec, to) == SN_OK ? SN_OK : sn_fail_no_memory(error);
    for (int32_t i = 0; i < sn_case_count(c) && status == SN_OK; ++i)
        if (sn_case_change(c, i)->kind == SN_CHANGE_TRANSFER) {
            status = check(spec, c, i, error);
            if (status != SN_OK && error) error->line = sn_case_change(c, i)->line;
        }
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE) && status == SN_OK; ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
        const snChange *t = transfer_of(c, d);
        if (t)
            status = add_transferred(spec, t, d, to, error);
        else if (sn_add_line_muscle(to, d, NULL) != SN_OK)
            status = sn_fail_no_memory(error);
    }
    if (status == SN_OK) status = sn_compile(to, model, error);
    sn_spec_destroy(to);
    return status;
}
