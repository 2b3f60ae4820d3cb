/* Couplers, where everything is, and the steps of all joints as Coordinates of the spec. */
#include "io/osim.h"

#include "base/alloc.h"

#include <string.h>

/* ---- couplers ----------------------------------------------------------------------------- */

static const char *text_of(const snXmlNode *node, const char *tag)
{
    const snXmlNode *child = sn_xml_child(node, tag);
    return child ? child->text : "";
}

static snStatus read_coupler(snOsim *o, const snXmlNode *node)
{
    const char *who = text_of(node, "dependent_coordinate_name"), *on = text_of(node, "independent_coordinate_names");
    double scale = 1;
    if (osim_flag(o, node, "isDisabled", false) || !osim_flag(o, node, "isEnforced", true)) return SN_OK;
    int32_t dependent = osim_find_coordinate(o, who);
    if (dependent < 0)
        return osim_fail(o, node, "name a coordinate of the file", "the coupler moves \"%.100s\", which there is not",
                         who);
    if (strpbrk(on, " \t\n"))
        return osim_miss(o, node, "\"%.80s\" follows several coordinates (%.150s): it moves by itself", who, on);
    int32_t independent = osim_find_coordinate(o, on);
    if (independent < 0)
        return osim_fail(o, node, "name a coordinate of the file", "the coupler follows \"%.100s\", which there is not",
                         on);
    osimCoordinate *c = &o->coordinate.at[dependent];
    if (c->coupler) return osim_miss(o, node, "a second coupler of \"%.80s\" is left out", who);
    snCurve plain, outer = {0};
    snStatus status = osim_function(o, sn_xml_child(node, "coupled_coordinates_function"), &plain);
    if (!status) status = osim_number(o, node, "scale_factor", &scale);
    if (status) return status;
    if (!plain.n) return osim_fail(o, node, NULL, "the coupler has no function");
    double line[] = {0, scale};
    outer = (snCurve){.kind = SN_CURVE_POLYNOMIAL, .n = 2, .y = line};
    double range[2] = {0, 0};
    c->coupler = node;
    c->root = independent;
    return osim_compose(o, node, &outer, &plain, range, &c->curve);
}

/* Follows a coordinate to the one that follows none. */
static snStatus chase(snOsim *o, int32_t i, int depth)
{
    enum { DEEPEST = 100 };
    osimCoordinate *c = &o->coordinate.at[i], *other;
    if (!c->coupler || c->visited == 2) return SN_OK;
    if (c->visited == 1 || depth > DEEPEST)
        return osim_fail(o, c->coupler, "remove one of the couplers",
                         "couplers follow each other in a circle at \"%.100s\"", c->name);
    c->visited = 1;
    snStatus status = chase(o, c->root, depth + 1);
    other = &o->coordinate.at[c->root];
    if (!status && other->coupler) {
        snCurve whole;
        status = osim_compose(o, c->coupler, &c->curve, &other->curve, o->coordinate.at[other->root].range, &whole);
        c->curve = whole;
        c->root = other->root;
    }
    c->visited = 2;
    return status;
}

snStatus osim_couple(snOsim *o)
{
    snStatus status = SN_OK;
    for (const snXmlNode *node = osim_objects(o->model, "ConstraintSet"); node && !status; node = node->next) {
        if (strcmp(node->tag, "CoordinateCouplerConstraint") == 0)
            status = read_coupler(o, node);
        else if (strstr(node->tag, "Constraint"))
            status = osim_miss(o, node, "a %s is left out: what it holds together is free", node->tag);
    }
    for (int32_t i = 0; i < o->coordinate.count && !status; ++i) status = chase(o, i, 0);
    return status;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* A coordinate as a function of one that follows none, which may be a number. */
static snStatus resolve(snOsim *o, const snXmlNode *at, osimStep *step)
{
    double slope = 0, offset;
    step->root = -1;
    step->sign = 0;
    if (step->coordinate < 0 || osim_is_constant(&step->function))
        return osim_constant(o, osim_value(&step->function, 0), &step->resolved);
    osimCoordinate *c = &o->coordinate.at[step->coordinate], *root = &o->coordinate.at[c->root];
    if (root->locked || (c->locked && !c->coupler)) {
        double value = c->coupler ? osim_value(&c->curve, root->value) : c->value;
        return osim_constant(o, osim_value(&step->function, value), &step->resolved);
    }
    snStatus status = SN_OK;
    step->resolved = step->function;
    if (c->coupler) status = osim_compose(o, at, &step->function, &c->curve, root->range, &step->resolved);
    if (status || osim_is_constant(&step->resolved)) return status;
    step->root = c->root;
    if (!c->carried && osim_is_line(&step->function, &slope, &offset) && fabs(slope) == 1) {
        step->sign = slope;
        c->carried = true;
        c->slides = step->slides;
    }
    return SN_OK;
}

rigid osim_motion(const osimStep *step, const double *value)
{
    double x = osim_value(&step->resolved, step->root >= 0 && value ? value[step->root] : 0);
    rigid m = rigid_identity();
    if (step->slides)
        m.p = v3_scale(step->axis, x);
    else
        m.q = q_axis_angle(step->axis, x);
    return m;
}

void osim_place(snOsim *o, const double *value)
{
    for (int32_t k = 0; k < o->body.count; ++k) {
        osimBody *b = &o->body.at[o->order[k]];
        if (o->order[k] == 0) continue;
        rigid at = rigid_mul(o->body.at[b->parent].now, b->in_parent);
        for (int32_t i = 0; i < b->nstep; ++i) at = rigid_mul(at, osim_motion(&b->step[i], value));
        b->now = rigid_mul(at, rigid_inverse(b->in_child));
    }
}

static snStatus find_order(snOsim *o)
{
    int32_t n = o->body.count, placed = 1;
    if (!(o->order = sn_arena_alloc(o->arena, (size_t)n, sizeof *o->order))) return osim_no_memory(o);
    o->body.at[0].placed = true;
    for (bool more = true; more;) {
        more = false;
        for (int32_t i = 1; i < n; ++i) {
            osimBody *b = &o->body.at[i];
            if (b->placed || !o->body.at[b->parent].placed) continue;
            b->placed = more = true;
            b->moves = o->body.at[b->parent].moves;
            for (int32_t k = 0; k < b->nstep; ++k) b->moves = b->moves || b->step[k].root >= 0;
            o->order[placed++] = i;
        }
    }
    for (int32_t i = 1; i < n; ++i)
        if (!o->body.at[i].placed)
            return osim_fail(o, o->body.at[i].joint, "connect one of the bodies to ground",
                             "the parents of body \"%.100s\" form a cycle", o->body.at[i].called);
    return SN_OK;
}

snStatus osim_draw(snOsim *o)
{
    snStatus status = SN_OK;
    for (int32_t i = 1; i < o->body.count && !status; ++i)
        for (int32_t k = 0; k < o->body.at[i].nstep && !status; ++k)
            status = resolve(o, o->body.at[i].joint, &o->body.at[i].step[k]);
    if (!status) status = find_order(o);
    if (status) return status;
    osim_place(o, NULL);
    for (int32_t i = 0; i < o->body.count; ++i) {
        o->body.at[i].drawn = o->body.at[i].now;
        v3 p = o->body.at[i].now.p;
        if (!(fabs(p.x) < 900 && fabs(p.y) < 900 && fabs(p.z) < 900))
            return osim_fail(o, o->body.at[i].joint, "lengths are in metres", "body \"%.100s\" is more than 900 m away",
                             o->body.at[i].called);
    }
    return SN_OK;
}

/* ---- Coordinates -------------------------------------------------------------------------- */

static double unit_of(bool slides)
{
    return slides ? 1 : SN_DEG;
}

/* Whether a Coordinate of its own slides: one that nothing carries is an angle. */
static bool root_slides(const osimCoordinate *c)
{
    return c->carried && c->slides;
}

/* The function less its value at 0, in degrees and metres. */
static snStatus give_values(snOsim *o, const snCurve *f, const osimCoordinate *root, bool slides, snCoordinateDef *def)
{
    double in = unit_of(root_slides(root)), out = unit_of(slides), zero = osim_value(f, 0), power = 1 / out;
    bool pairs = f->kind != SN_CURVE_POLYNOMIAL;
    int32_t n = pairs ? 2 * f->n : f->n;
    double *value = sn_arena_alloc(o->arena, (size_t)n, sizeof *value);
    if (!value) return osim_no_memory(o);
    for (int32_t i = 0; i < f->n; ++i, power *= in) {
        if (pairs)
            value[2 * i] = f->x[i] / in, value[2 * i + 1] = (f->y[i] - zero) / out;
        else
            value[i] = (f->y[i] - (i ? 0 : zero)) * power;
    }
    def->follows = root->name;
    def->driven = false;
    def->function = f->kind == SN_CURVE_SPLINE  ? SN_FOLLOWING_SPLINE
                    : f->kind == SN_CURVE_TABLE ? SN_FOLLOWING_TABLE
                                                : SN_FOLLOWING_POLYNOMIAL;
    def->nvalue = n;
    def->value = value;
    return SN_OK;
}

static void give_range(const osimCoordinate *c, snCoordinateDef *def)
{
    enum { WIDEST = 10000 };
    double unit = unit_of(root_slides(c));
    for (int i = 0; i < 2; ++i)
        if (fabs(c->range[i] / unit) < WIDEST) def->range[i] = c->range[i] / unit;
    if (!c->clamped) def->stop_stiffness = 0;
}

static snStatus add_coordinate(snOsim *o, const snXmlNode *at, const snCoordinateDef *def)
{
    return sn_spec_add(o->spec, SN_KIND_COORDINATE, def, osim_origin(o, at), NULL) ? osim_no_memory(o) : SN_OK;
}

static snCoordinateDef coordinate_of(const snOsim *o, const osimBody *b)
{
    snCoordinateDef def = sn_default_coordinate_def();
    def.parent = o->body.at[b->parent].name;
    def.body = b->name;
    return def;
}

/* One step; at is the frame before it, as drawn. */
static snStatus write_step(snOsim *o, const osimBody *b, const osimStep *s, rigid at)
{
    const osimCoordinate *c = &o->coordinate.at[s->coordinate], *root = &o->coordinate.at[s->root];
    snCoordinateDef def = coordinate_of(o, b);
    const snXmlNode *node = s->sign != 0 && c->node ? c->node : b->joint;
    snStatus status = SN_OK;
    def.type = s->slides ? SN_COORDINATE_SLIDE : SN_COORDINATE_TURN;
    v3_store(def.axis, q_rotate(at.q, v3_scale(s->axis, s->sign != 0 ? s->sign : 1)));
    v3_store(def.center, at.p);
    if (s->sign != 0) {
        def.name = c->name;
        if (c->coupler)
            status = give_values(o, &c->curve, root, s->slides, &def);
        else
            give_range(c, &def);
    } else {
        const char *name = sn_foreign_text(o->arena, "%s.%s", b->joint_name, s->name);
        def.name = name ? sn_foreign_name(o->spec, o->arena, SN_KIND_COORDINATE, name) : NULL;
        status = def.name ? give_values(o, &s->resolved, root, s->slides, &def) : osim_no_memory(o);
    }
    return status ? status : add_coordinate(o, node, &def);
}

/* A body that is fixed to one that moves: a turn that stays 0. */
static snStatus write_weld(snOsim *o, const osimBody *b, rigid at)
{
    static const double zero = 0;
    snCoordinateDef def = coordinate_of(o, b);
    int32_t root = -1;
    for (const osimBody *up = b; root < 0; up = &o->body.at[up->parent])
        for (int32_t k = 0; k < up->nstep && root < 0; ++k) root = up->step[k].root;
    const char *name = sn_foreign_text(o->arena, "%s.fixed", b->joint_name);
    def.name = name ? sn_foreign_name(o->spec, o->arena, SN_KIND_COORDINATE, name) : NULL;
    if (!def.name) return osim_no_memory(o);
    v3_store(def.center, at.p);
    def.follows = o->coordinate.at[root].name;
    def.driven = false;
    def.nvalue = 1;
    def.value = &zero;
    return add_coordinate(o, b->joint, &def);
}

static bool is_used(const snOsim *o, int32_t coordinate)
{
    for (int32_t i = 1; i < o->body.count; ++i)
        for (int32_t k = 0; k < o->body.at[i].nstep; ++k)
            if (o->body.at[i].step[k].root == coordinate) return true;
    return false;
}

static bool is_within(const snXmlNode *node, const snXmlNode *above)
{
    while (node && node != above) node = node->parent;
    return node && node == above;
}

/* Coordinates of a joint that no step is itself: others follow them. */
static snStatus write_hidden(snOsim *o, const osimBody *b)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < o->coordinate.count && !status; ++i) {
        const osimCoordinate *c = &o->coordinate.at[i];
        if (!c->node || !b->node || !is_within(c->node, b->joint)) continue;
        if (c->locked && !c->coupler) {
            status = osim_miss(o, c->node, "locked at %.6g%s: it is not a coordinate here",
                               c->value / unit_of(c->slides), c->slides ? " m" : " degrees");
            continue;
        }
        if (c->carried) continue;
        if (c->coupler || !is_used(o, i)) {
            status = osim_miss(o, c->node,
                               c->coupler ? "it follows another and no axis is it itself: what it moves "
                                            "follows that one, and it is not a coordinate here"
                                          : "it moves nothing: it is not a coordinate here");
            continue;
        }
        snCoordinateDef def = coordinate_of(o, b);
        def.name = c->name;
        def.type = SN_COORDINATE_NONE;
        give_range(c, &def);
        v3_store(def.center, b->drawn.p);
        status = add_coordinate(o, c->node, &def);
        if (!status && c->slides)
            status = osim_miss(o, c->node, "a length that no axis is itself: 1 m is 57.3 of its degrees here");
    }
    return status;
}

/* A list of names that ends in dots where it is too long. room: at least 100. */
static void add_to_list(char *list, size_t room, const char *item)
{
    size_t n = strlen(list);
    if (n < room - 70)
        (void)snprintf(list + n, room - n, "%s%.50s", n ? ", " : "", item);
    else if (list[n - 1] != '.')
        strcat(list, ", ...");
}

/* In one line: values that the file starts with. */
static snStatus say_defaults(snOsim *o)
{
    char list[300] = "";
    int32_t count = 0;
    for (int32_t i = 0; i < o->coordinate.count; ++i) {
        const osimCoordinate *c = &o->coordinate.at[i];
        if (c->locked || c->coupler || fabs(c->value) < 1e-9 || !is_used(o, i)) continue;
        ++count;
        char item[100];
        (void)snprintf(item, sizeof item, "%.50s %.4g", c->name, c->value / unit_of(root_slides(c)));
        add_to_list(list, sizeof list, item);
    }
    if (!count) return SN_OK;
    return osim_miss(o, o->model, "poses begin at 0, not at the default values of the file (%d; degrees, m): %s",
                     (int)count, list);
}

snStatus osim_write_coordinates(snOsim *o)
{
    snStatus status = SN_OK;
    for (int32_t i = 1; i < o->body.count && !status; ++i) {
        const osimBody *b = &o->body.at[i];
        rigid at = rigid_mul(o->body.at[b->parent].drawn, b->in_parent);
        bool own = false;
        status = write_hidden(o, b);
        for (int32_t k = 0; k < b->nstep && !status; ++k) {
            if (b->step[k].root >= 0) status = write_step(o, b, &b->step[k], at);
            own = own || b->step[k].root >= 0;
            at = rigid_mul(at, osim_motion(&b->step[k], NULL));
        }
        if (!status && b->moves && !own) status = write_weld(o, b, at);
    }
    return status ? status : say_defaults(o);
}

/* ---- what no muscle holds ----------------------------------------------------------------- */

/* Steps between a body and the ground that follow a coordinate. */
static int32_t count_steps(const snOsim *o, int32_t body, int32_t coordinate)
{
    int32_t count = 0;
    for (; body; body = o->body.at[body].parent)
        for (int32_t k = 0; k < o->body.at[body].nstep; ++k) count += o->body.at[body].step[k].root == coordinate;
    return count;
}

void osim_mark_pulled(snOsim *o, int32_t a, int32_t b)
{
    for (int32_t i = 0; a != b && i < o->coordinate.count; ++i)
        if (!o->coordinate.at[i].pulled && count_steps(o, a, i) != count_steps(o, b, i))
            o->coordinate.at[i].pulled = true;
}

snStatus osim_hold_rest(snOsim *o)
{
    /* a body of 75 kg sags by 7 mm; a trunk that leans by 10 degrees, by a third of a degree */
    static const double turn[2] = {1e4, 1e2}, slide[2] = {1e5, 1e3};
    char list[300] = "";
    int32_t count = 0;
    if (!sn_spec_count(o->spec, SN_KIND_LINE_MUSCLE)) return SN_OK;
    for (int32_t i = 0; i < o->coordinate.count; ++i) {
        const osimCoordinate *c = &o->coordinate.at[i];
        snId id = c->pulled || c->coupler ? 0 : sn_spec_find(o->spec, SN_KIND_COORDINATE, c->name);
        if (!id) continue;
        snCoordinateDef *def = sn_spec_edit(o->spec, SN_KIND_COORDINATE, id);
        const double *spring = def->type == SN_COORDINATE_SLIDE ? slide : turn;
        def->stiffness = spring[0], def->damping = spring[1];
        def->driven = false;
        add_to_list(list, sizeof list, c->name);
        ++count;
    }
    if (!count) return SN_OK;
    return osim_miss(o, o->model,
                     "no muscle moves these coordinates (%d): springs of 1e4 N m/rad or 1e5 N/m hold them at 0: %s",
                     (int)count, list);
}
