/* Coordinates, springs and line muscles of a model on a tree. */
#include "model/check.h"

#include "base/alloc.h"
#include "model/nodes.h"
#include "model/tree_order.h"

#include <math.h>
#include <string.h>

static const double unit_tolerance = 1e-3; /* tables have four decimals */
static const double same_point = 1e-7;     /* m */
static const double steep_middle = 75;     /* deg: beyond it the outer two of three axes nearly coincide */
static const double longest_step = 0.014;  /* s: muscles stay stable up to here */

static bool is_tree(const snChecker *c)
{
    return sn_spec_model(c->spec)->type == SN_MODEL_TREE;
}

/* ---- the type of the model ------------------------------------------------------------------ */

static void check_type(snChecker *c)
{
    static const snKind of_tree[] = {SN_KIND_COORDINATE, SN_KIND_SPRING, SN_KIND_LINE_MUSCLE},
                        of_strands[] = {SN_KIND_JOINT, SN_KIND_STRAND, SN_KIND_CONSTRAINT};
    const snKind *strange = is_tree(c) ? of_strands : of_tree;
    for (int i = 0; i < 3; ++i) {
        if (!sn_spec_count(c->spec, strange[i])) continue;
        sn_check_error(c, (int)strange[i], 1,
                       is_tree(c) ? "use Coordinate and LineMuscle, or type=\"strands\" on the root"
                                  : "set type=\"tree\" on the root element",
                       "a model of type %s has no %s elements", is_tree(c) ? "tree" : "strands",
                       sn_element((int)strange[i])->tag);
    }
    if (is_tree(c) && sn_spec_model(c->spec)->step > longest_step)
        sn_check_warning(c, SN_ELEMENT_MODEL, 0, "use 0.007 s or less",
                         "a step of %g s is too long for muscles on a tree", sn_spec_model(c->spec)->step);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static bool check_end(snChecker *c, snKind kind, snId id, const char *attribute, const char *body, bool world)
{
    if (world && sn_tree_is_world(c->spec, body)) return true;
    snId found = sn_spec_find(c->spec, SN_KIND_BODY, body);
    if (!found) sn_check_dangling(c, (int)kind, id, attribute, body, SN_KIND_BODY, "body");
    if (found && !sn_spec_body(c->spec, found)->enabled)
        sn_check_error(c, (int)kind, id, "enable it: a tree has no gaps", "body \"%.100s\" is disabled", body);
    return found != 0;
}

static void check_axis(snChecker *c, snId id, const snCoordinateDef *d)
{
    double length = v3_len(v3_load(d->axis));
    if (!(fabs(length - 1) <= unit_tolerance))
        sn_check_error(c, SN_KIND_COORDINATE, id, "divide it by its length",
                       "axis has the length %g; expected a unit vector", length);
    if (*d->follows) return;
    if (d->range[0] > d->range[1])
        sn_check_error(c, SN_KIND_COORDINATE, id, "exchange them",
                       "range has its lower limit %g above the upper one %g", d->range[0], d->range[1]);
    else if (d->range[0] > 0 || d->range[1] < 0)
        sn_check_warning(c, SN_KIND_COORDINATE, id, "the drawn pose is 0; move the limits or draw another pose",
                         "the drawn pose is outside the range %g to %g", d->range[0], d->range[1]);
}

/* Numbers of a function, in the form that it needs. */
static void check_values(snChecker *c, snId id, const snCoordinateDef *d)
{
    bool pairs = d->function != SN_FOLLOWING_POLYNOMIAL;
    if (d->nvalue == 0 || (pairs && d->nvalue % 2 != 0))
        sn_check_error(c, SN_KIND_COORDINATE, id,
                       pairs ? "give pairs of the other's and this one's value" : "give at least one coefficient",
                       "Values has %d numbers", (int)d->nvalue);
    for (int32_t i = 2; pairs && i + 1 < d->nvalue; i += 2)
        if (!(d->value[i] > d->value[i - 2])) {
            sn_check_error(c, SN_KIND_COORDINATE, id, "sort the pairs, each value of the other once",
                           "Values goes from %g to %g in the coordinate that it follows", d->value[i - 2], d->value[i]);
            return;
        }
}

/* A coordinate that is a function of another one. */
static bool check_follows(snChecker *c, snId id, const snCoordinateDef *d)
{
    if (!*d->follows) {
        if (d->nvalue)
            sn_check_warning(c, SN_KIND_COORDINATE, id, "name it in follows, or remove Values",
                             "Values are given, but no coordinate to follow");
        return true;
    }
    snId other = sn_spec_find(c->spec, SN_KIND_COORDINATE, d->follows);
    if (!other) {
        sn_check_dangling(c, SN_KIND_COORDINATE, id, "follows", d->follows, SN_KIND_COORDINATE, "coordinate");
        return false;
    }
    if (*sn_spec_coordinate(c->spec, other)->follows)
        sn_check_error(c, SN_KIND_COORDINATE, id, "follow the coordinate that moves by itself",
                       "it follows \"%.80s\", which follows \"%.80s\" itself", d->follows,
                       sn_spec_coordinate(c->spec, other)->follows);
    if (d->type == SN_COORDINATE_NONE)
        sn_check_error(c, SN_KIND_COORDINATE, id, "set type to turn or slide", "it moves nothing and follows \"%.80s\"",
                       d->follows);
    check_values(c, id, d);
    return true;
}

/* The first coordinate of the body says who its parent is. */
static void check_parent(snChecker *c, snId id, const snCoordinateDef *d)
{
    const snCoordinateDef *first = sn_spec_coordinate(c->spec, sn_tree_first(c->spec, d->body));
    snId body = sn_spec_find(c->spec, SN_KIND_BODY, d->body);
    if (strcmp(d->parent, d->body) == 0)
        sn_check_error(c, SN_KIND_COORDINATE, id, "name another parent", "body \"%.100s\" is its own parent", d->body);
    else if (strcmp(first->parent, d->parent) != 0)
        sn_check_error(c, SN_KIND_COORDINATE, id, "give all coordinates of a body the same parent",
                       "parent is \"%.80s\", but that of \"%.80s\", which moves the same body, is \"%.80s\"", d->parent,
                       first->name, first->parent);
    if (body && sn_spec_body(c->spec, body)->pinned)
        sn_check_error(c, SN_KIND_COORDINATE, id, "free the body, or remove the coordinate",
                       "body \"%.100s\" is pinned, so nothing can move it", d->body);
}

/* Of three turns of one body the second one. */
static void check_middle(snChecker *c, snId id, const snCoordinateDef *d)
{
    int32_t before = 0, after = 0;
    for (snId k = 1; k <= sn_spec_count(c->spec, SN_KIND_COORDINATE); ++k) {
        const snCoordinateDef *other = sn_spec_coordinate(c->spec, k);
        if (k == id || other->type != SN_COORDINATE_TURN || strcmp(other->body, d->body) != 0) continue;
        ++*(k < id ? &before : &after);
    }
    double widest = fmax(fabs(d->range[0]), fabs(d->range[1]));
    if (before == 1 && after == 1 && d->type == SN_COORDINATE_TURN && widest > steep_middle)
        sn_check_warning(c, SN_KIND_COORDINATE, id, "narrow its range, or list the axes in another order",
                         "the second of three turns goes to %g deg; beyond 75 deg the other two axes nearly coincide",
                         widest);
}

static bool check_coordinates(snChecker *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_COORDINATE);
    bool sound = true;
    for (snId id = 1; id <= n; ++id) {
        const snCoordinateDef *d = sn_spec_coordinate(c->spec, id);
        bool parent = check_end(c, SN_KIND_COORDINATE, id, "parent", d->parent, true);
        bool body = check_end(c, SN_KIND_COORDINATE, id, "body", d->body, false);
        check_axis(c, id, d);
        check_middle(c, id, d);
        if (body) check_parent(c, id, d);
        bool other = check_follows(c, id, d);
        sound = sound && parent && body && other;
    }
    if (!sound || !n) return false;
    int32_t *order = SN_NEW_ARRAY(int32_t, n);
    if (!order) {
        c->no_memory = true;
        return false;
    }
    int32_t placed = sn_tree_order(c->spec, order);
    snId stuck = placed < n ? order[placed] : 0;
    sn_free(order);
    if (stuck)
        sn_check_error(c, SN_KIND_COORDINATE, stuck, "let one of the bodies start from world",
                       "the parents of body \"%.100s\" form a cycle", sn_spec_coordinate(c->spec, stuck)->body);
    return !stuck;
}

/* ---- springs -------------------------------------------------------------------------------- */

static void check_springs(snChecker *c)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_SPRING); ++id) {
        const snSpringDef *d = sn_spec_spring(c->spec, id);
        bool a = check_end(c, SN_KIND_SPRING, id, "body_a", d->body_a, true);
        bool b = check_end(c, SN_KIND_SPRING, id, "body_b", d->body_b, true);
        bool world = sn_tree_is_world(c->spec, d->body_a) && sn_tree_is_world(c->spec, d->body_b);
        if (a && b && (world || strcmp(d->body_a, d->body_b) == 0))
            sn_check_error(c, SN_KIND_SPRING, id, "name two different bodies",
                           "both ends of the spring are on \"%.100s\"", *d->body_a ? d->body_a : "world");
    }
}

/* ---- line muscles --------------------------------------------------------------------------- */

static int32_t count_names(const char *list)
{
    char name[SN_NAME_MAX + 1];
    int32_t n = 0;
    while (sn_next_name(&list, name)) ++n;
    return n;
}

static bool check_bodies(snChecker *c, snId id, const snLineMuscleDef *d)
{
    char name[SN_NAME_MAX + 1];
    bool sound = true;
    for (const char *list = d->bodies; sn_next_name(&list, name);)
        sound = check_end(c, SN_KIND_LINE_MUSCLE, id, "bodies", name, true) && sound;
    int32_t n = count_names(d->bodies);
    if (d->npoint < 2)
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "give at least origin and insertion", "the path has %d points",
                       (int)d->npoint);
    else if (n != d->npoint)
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "name one body per point", "there are %d bodies for %d points",
                       (int)n, (int)d->npoint);
    for (int32_t i = 1; i < d->npoint; ++i)
        if (v3_dist(v3_load(d->point + 3 * i - 3), v3_load(d->point + 3 * i)) <= same_point) {
            sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "remove one of them", "points %d and %d of the path coincide",
                           (int)i, (int)i + 1);
            break;
        }
    return sound && d->npoint >= 2 && n == d->npoint;
}

static void check_passes(snChecker *c, snId id, const snLineMuscleDef *d)
{
    static const char *const known[] = {"-", "side", "shorter", "inside"};
    char name[SN_NAME_MAX + 1];
    int32_t n = count_names(d->passes);
    if (n && n != d->npoint - 1)
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "give one word per stretch between two points",
                       "there are %d passes for %d stretches", (int)n, (int)d->npoint - 1);
    for (const char *list = d->passes; sn_next_name(&list, name);) {
        int i = 0;
        while (i < 4 && strcmp(known[i], name) != 0) ++i;
        if (i == 4)
            sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "they are -, side, shorter and inside", "passes says \"%.100s\"",
                           name);
    }
}

static void check_wraps(snChecker *c, snId id, const snLineMuscleDef *d)
{
    char name[SN_NAME_MAX + 1];
    if (d->nside && d->nside != d->npoint - 1)
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "give three numbers per stretch between two points",
                       "Sides has %d directions for %d stretches", (int)d->nside, (int)d->npoint - 1);
    check_passes(c, id, d);
    if (!*d->wraps) return;
    int32_t n = count_names(d->wraps);
    if (n != d->npoint - 1)
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "name one Shape, or -, per stretch between two points",
                       "there are %d wraps for %d stretches", (int)n, (int)d->npoint - 1);
    for (const char *list = d->wraps; sn_next_name(&list, name);) {
        if (strcmp(name, "-") == 0) continue;
        snId node = sn_spec_find(c->spec, SN_KIND_NODE, name);
        if (!node) {
            sn_check_dangling(c, SN_KIND_LINE_MUSCLE, id, "wraps", name, SN_KIND_NODE, "node");
            continue;
        }
        const snNodeDef *shape = sn_spec_node(c->spec, node);
        if (shape->kind != SN_NODE_SHAPE || (shape->shape != SN_SHAPE_CYLINDER && shape->shape != SN_SHAPE_SPHERE))
            sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "name a Shape that is a cylinder or a sphere",
                           "wraps names \"%.100s\", which a line muscle cannot pass over", name);
    }
}

/* Whether some coordinate moves part of the path. */
static bool moves(const snSpec *spec, const snLineMuscleDef *d)
{
    char name[SN_NAME_MAX + 1], first[SN_NAME_MAX + 1] = "";
    for (const char *list = d->bodies; sn_next_name(&list, name);) {
        const char *root = sn_tree_carrier(spec, name);
        if (!*first)
            memcpy(first, *root ? root : "world", strlen(*root ? root : "world") + 1);
        else if (strcmp(first, *root ? root : "world") != 0)
            return true;
    }
    return false;
}

static void check_fibers(snChecker *c, snId id, const snLineMuscleDef *d)
{
    if (!(d->max_force > 0) && !(d->pcsa > 0))
        sn_check_error(c, SN_KIND_LINE_MUSCLE, id, "give one of them", "neither max_force nor pcsa is above 0");
    if (d->fiber_neutral < 0.3 || d->fiber_neutral > 1.8)
        sn_check_warning(c, SN_KIND_LINE_MUSCLE, id, "fibres work between 0.3 and 1.8 of their optimal length",
                         "fiber_neutral is %g", d->fiber_neutral);
    sn_check_law(c, SN_KIND_LINE_MUSCLE, id, "active_fl", d->active_fl);
    sn_check_law(c, SN_KIND_LINE_MUSCLE, id, "passive_fl", d->passive_fl);
}

/* Whether every path is sound. */
static bool check_line_muscles(snChecker *c, bool sound)
{
    bool all = sound;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_LINE_MUSCLE); ++id) {
        const snLineMuscleDef *d = sn_spec_line_muscle(c->spec, id);
        bool path = check_bodies(c, id, d);
        all = all && path;
        check_wraps(c, id, d);
        check_fibers(c, id, d);
        if (sound && path && d->enabled && !moves(c->spec, d))
            sn_check_error(c, SN_KIND_LINE_MUSCLE, id,
                           "attach its ends to bodies that move against each other, or disable it",
                           "no coordinate moves one of its points against another");
    }
    return all;
}

void sn_check_tree(snChecker *c)
{
    check_type(c);
    if (!is_tree(c)) return;
    bool sound = check_coordinates(c);
    check_springs(c);
    if (check_line_muscles(c, sound) && sn_spec_count(c->spec, SN_KIND_LINE_MUSCLE)) sn_check_drive(c);
}
