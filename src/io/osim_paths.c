/* Paths of muscles. A moving point rides on a body of its own, which slides with the coordinate: lengths and arms are
 * those of the file. A point that is there in part of a range only is kept or left out, whichever is true for more of
 * the range. */
#include "io/osim.h"

#include "path/path.h"

#include <string.h>

static bool is_default(const snXmlNode *node)
{
    for (; node; node = node->parent)
        if (strcmp(node->tag, "defaults") == 0) return true;
    return false;
}

/* ---- moving points ------------------------------------------------------------------------ */

static const snXmlNode *coordinate_of(const snXmlNode *point, const char *axis)
{
    char tag[60];
    (void)snprintf(tag, sizeof tag, "socket_%scoordinate", axis);
    const snXmlNode *found = sn_xml_child(point, tag);
    (void)snprintf(tag, sizeof tag, "socket_%scoordinate_connectee_name", axis);
    if (!found) found = sn_xml_child(point, tag);
    (void)snprintf(tag, sizeof tag, "%scoordinate", axis);
    return found ? found : sn_xml_child(point, tag);
}

static snStatus add_carrier(snOsim *o, const snXmlNode *point)
{
    static const char *const location[] = {"x_location", "y_location", "z_location"},
                             *const axis[] = {"x_", "y_", "z_"}, *const name[] = {"x", "y", "z"};
    osimStep step[3];
    int32_t parent, body;
    rigid frame;
    snStatus status = osim_frame(o, point, "parent_frame", &parent, &frame);
    for (int k = 0; k < 3 && !status; ++k) {
        const snXmlNode *by = coordinate_of(point, axis[k]);
        step[k] = (osimStep){.slides = true, .axis = v3_of(k == 0, k == 1, k == 2), .coordinate = -1, .name = name[k]};
        status = osim_function(o, sn_xml_child(point, location[k]), &step[k].function);
        if (!status && !step[k].function.n) status = osim_constant(o, 0, &step[k].function);
        if (status || osim_is_constant(&step[k].function)) continue;
        step[k].coordinate = by ? osim_find_coordinate(o, by->text) : -1;
        if (step[k].coordinate < 0)
            return osim_fail(o, by ? by : point, "name a coordinate of the file",
                             "the point moves with \"%.100s\", which there is not", by ? by->text : "");
    }
    if (!status) status = osim_add_carrier(o, osim_name(point), point, parent, frame, step, &body);
    if (!status && !sn_array_push(&o->carrier, ((osimCarrier){point, body}))) status = osim_no_memory(o);
    return status;
}

snStatus osim_read_carriers(snOsim *o)
{
    snStatus status = SN_OK;
    for (const snXmlNode *node = o->model; node && !status; node = sn_xml_next(node, o->model))
        if (strcmp(node->tag, "MovingPathPoint") == 0 && !is_default(node)) status = add_carrier(o, node);
    return status;
}

/* ---- points ------------------------------------------------------------------------------- */

/* Whether a point that is there in part of a range is kept. */
static snStatus decide(snOsim *o, const snXmlNode *point, bool *keep)
{
    double range[2] = {0, 0};
    const snXmlNode *by = coordinate_of(point, "");
    int32_t i = by ? osim_find_coordinate(o, by->text) : -1;
    snStatus status = osim_vector(o, point, "range", 2, range);
    if (status) return status;
    if (i < 0)
        return osim_fail(o, by ? by : point, "name a coordinate of the file",
                         "the point depends on \"%.100s\", which there is not", by ? by->text : "");
    const osimCoordinate *c = &o->coordinate.at[i];
    const osimCoordinate *root = &o->coordinate.at[c->root];
    double low = c->range[0], high = c->range[1], unit = c->slides ? 1 : SN_DEG;
    if (c->coupler) {
        double a = osim_value(&c->curve, root->range[0]), b = osim_value(&c->curve, root->range[1]);
        low = fmin(a, b), high = fmax(a, b);
    }
    if (!(high - low < 100)) low = -SN_PI, high = SN_PI;
    double inside = fmin(high, range[1]) - fmax(low, range[0]);
    if (c->locked) inside = c->value >= range[0] && c->value <= range[1] ? high - low : 0;
    *keep = inside > (high - low) / 2;
    if (c->locked || inside >= high - low || inside <= 0) return SN_OK;
    return osim_miss(o, point, "the point is there only for %.60s from %.4g to %.4g%s: here it is %s", c->name,
                     range[0] / unit, range[1] / unit, c->slides ? " m" : " degrees",
                     *keep ? "always there" : "left out");
}

static snStatus read_point(snOsim *o, const snXmlNode *node, osimPoint *point, bool *keep)
{
    double location[3] = {0, 0, 0};
    rigid frame;
    *keep = true;
    if (strcmp(node->tag, "MovingPathPoint") == 0) {
        for (int32_t i = 0; i < o->carrier.count; ++i)
            if (o->carrier.at[i].point == node) point->body = o->carrier.at[i].body;
        point->at = v3_of(0, 0, 0);
        return SN_OK;
    }
    snStatus status = SN_OK;
    if (strcmp(node->tag, "ConditionalPathPoint") == 0) status = decide(o, node, keep);
    if (!status) status = osim_frame(o, node, "parent_frame", &point->body, &frame);
    if (!status) status = osim_vector(o, node, "location", 3, location);
    if (!status) point->at = rigid_apply(frame, v3_load(location));
    return status;
}

static v3 drawn_at(const snOsim *o, const osimPoint *p)
{
    return rigid_apply(o->body.at[p->body].drawn, p->at);
}

/* Neighbours that coincide say nothing where they ride on one body, and cannot be drawn otherwise. */
static bool is_new(const snOsim *o, const osimPath *path, const osimPoint *p)
{
    return path->npoint == 0 || v3_dist(drawn_at(o, &path->point[path->npoint - 1]), drawn_at(o, p)) > 1e-6;
}

static snStatus read_points(snOsim *o, osimPath *path, const snXmlNode *geometry)
{
    const snXmlNode *first = osim_objects(geometry, "PathPointSet");
    int32_t room = 1, number = 0;
    snStatus status = SN_OK;
    for (const snXmlNode *node = first; node; node = node->next) ++room;
    path->point = sn_arena_alloc(o->arena, (size_t)room, sizeof *path->point);
    path->wrap = sn_arena_alloc(o->arena, (size_t)room, sizeof *path->wrap);
    path->side = sn_arena_alloc(o->arena, 3 * (size_t)room, sizeof *path->side);
    if (!path->point || !path->wrap || !path->side) return osim_no_memory(o);
    for (const snXmlNode *node = first; node && !status; node = node->next) {
        if (!strstr(node->tag, "PathPoint") && !strstr(node->tag, "Station")) continue;
        osimPoint p = {.number = ++number};
        bool keep;
        status = read_point(o, node, &p, &keep);
        if (status || !keep) continue;
        if (!is_new(o, path, &p)) {
            if (p.body != path->point[path->npoint - 1].body)
                status =
                    osim_miss(o, node, "the point coincides with the one before it on another body: it is left out");
            continue;
        }
        path->wrap[path->npoint] = -1;
        path->point[path->npoint++] = p;
    }
    return status;
}

/* ---- length ------------------------------------------------------------------------------- */

/* As drawn, by the same code that will move it. */
static snStatus neutral_length(snOsim *o, const osimPath *path, double *length)
{
    int32_t n = path->npoint, adr[2] = {0, n};
    double *block = sn_arena_alloc(o->arena, 13 * (size_t)n, sizeof *block);
    int32_t *index = sn_arena_alloc(o->arena, 3 * (size_t)n, sizeof *index);
    snWrapKind *kind = sn_arena_alloc(o->arena, (size_t)n, sizeof *kind);
    if (!block || !index || !kind) return osim_no_memory(o);
    double *point = block, *centre = block + 3 * n, *axis = block + 6 * n, *side = block + 9 * n,
           *radius = block + 12 * n;
    int32_t *link = index, *wrap_of = index + n, *wrap_link = index + 2 * n, nwrap = 0;
    for (int32_t i = 0; i < n; ++i) {
        v3_store(point + 3 * i, drawn_at(o, &path->point[i]));
        link[i] = -1;
        wrap_of[i] = -1;
        if (path->wrap[i] < 0) continue;
        const osimWrap *w = &o->wrap.at[path->wrap[i]];
        rigid frame = rigid_mul(o->body.at[w->body].drawn, w->frame);
        v3 z = q_rotate(frame.q, v3_of(0, 0, 1)), way = v3_load(path->side + 3 * i);
        if (!(v3_len(way) > 0))
            way = v3_sub(v3_lerp(drawn_at(o, &path->point[i]), drawn_at(o, &path->point[i + 1]), 0.5), frame.p);
        kind[nwrap] = w->cylinder ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE;
        wrap_link[nwrap] = -1;
        v3_store(centre + 3 * nwrap, frame.p);
        v3_store(axis + 3 * nwrap, z);
        v3_store(side + 3 * nwrap, v3_unit(v3_mad(way, -v3_dot(way, z), z)));
        radius[nwrap] = w->radius;
        wrap_of[i] = nwrap++;
    }
    snPathSet set = {.npath = 1,
                     .npoint = n,
                     .nwrap = nwrap,
                     .pointadr = adr,
                     .point_link = link,
                     .point = point,
                     .point_wrap = wrap_of,
                     .wrap_kind = kind,
                     .wrap_link = wrap_link,
                     .wrap_centre = centre,
                     .wrap_axis = axis,
                     .wrap_radius = radius,
                     .wrap_side = side};
    *length = sn_path_neutral_length(&set, 0);
    return SN_OK;
}

/* ---- muscles ------------------------------------------------------------------------------ */

/* Appends a name to a list of them; false: no memory. */
static bool append(snOsim *o, char **list, size_t *used, size_t *room, const char *name)
{
    size_t n = strlen(name) + 1;
    if (*used + n + 1 > *room) {
        size_t more = 2 * (*room + n + 1);
        char *bigger = sn_arena_alloc(o->arena, more, 1);
        if (!bigger) return false;
        if (*used) memcpy(bigger, *list, *used);
        *list = bigger, *room = more;
    }
    if (*used) (*list)[(*used)++] = ' ';
    memcpy(*list + *used, name, n);
    *used += n - 1;
    return true;
}

static snStatus give_path(snOsim *o, const osimPath *path, snLineMuscleDef *def)
{
    int32_t n = path->npoint;
    double *point = sn_arena_alloc(o->arena, 3 * (size_t)n, sizeof *point);
    char *bodies = NULL, *wraps = NULL;
    size_t used[2] = {0, 0}, room[2] = {0, 0};
    bool wrapped = false, fine = point != NULL;
    for (int32_t i = 0; fine && i < n; ++i) {
        v3_store(point + 3 * i, drawn_at(o, &path->point[i]));
        fine = append(o, &bodies, &used[0], &room[0], o->body.at[path->point[i].body].name);
        if (i + 1 == n || !fine) continue;
        fine = append(o, &wraps, &used[1], &room[1], path->wrap[i] >= 0 ? o->wrap.at[path->wrap[i]].name : "-");
        wrapped = wrapped || path->wrap[i] >= 0;
    }
    if (!fine) return osim_no_memory(o);
    def->npoint = n, def->point = point, def->bodies = bodies;
    if (wrapped) def->wraps = wraps;
    if (path->sided) def->nside = n - 1, def->side = path->side;
    return SN_OK;
}

/* Whether a coordinate can move one of its points against another. */
static bool can_move(const snOsim *o, const osimPath *path)
{
    for (int32_t i = 1; i < path->npoint; ++i) {
        const osimBody *a = &o->body.at[path->point[0].body], *b = &o->body.at[path->point[i].body];
        if (a != b && (a->moves || b->moves)) return true;
    }
    return false;
}

static snStatus write_muscle(snOsim *o, const snXmlNode *node, const snXmlNode *geometry)
{
    osimPath path = {.muscle = node};
    snLineMuscleDef def = sn_default_line_muscle_def();
    double neutral = 0;
    snStatus status = read_points(o, &path, geometry);
    if (status) return status;
    if (path.npoint < 2) return osim_miss(o, node, "the muscle is left out: its path has %d points", (int)path.npoint);
    status = osim_route(o, &path);
    if (!status) status = neutral_length(o, &path, &neutral);
    if (!status) status = osim_muscle_law(o, node, neutral, &def);
    if (!status) status = give_path(o, &path, &def);
    if (status) return status;
    if (!(def.name = sn_foreign_name(o->spec, o->arena, SN_KIND_LINE_MUSCLE, osim_name(node))))
        return osim_no_memory(o);
    if (!can_move(o, &path)) {
        def.enabled = false;
        status = osim_miss(o, node, "no coordinate moves one of its points against another: it is not enabled");
    } else if (osim_flag(o, node, "isDisabled", false) || !osim_flag(o, node, "appliesForce", true)) {
        def.enabled = false;
        status = osim_miss(o, node, "the muscle is disabled in the file: it is not enabled");
    }
    if (status) return status;
    for (int32_t i = 1; i < path.npoint && def.enabled; ++i)
        osim_mark_pulled(o, path.point[0].body, path.point[i].body);
    return sn_spec_add(o->spec, SN_KIND_LINE_MUSCLE, &def, osim_origin(o, node), NULL) ? osim_no_memory(o) : SN_OK;
}

snStatus osim_write_muscles(snOsim *o)
{
    snStatus status = SN_OK;
    for (const snXmlNode *node = o->model; node && !status; node = sn_xml_next(node, o->model)) {
        bool muscle = strstr(node->tag, "Muscle") != NULL || strcmp(node->tag, "PathActuator") == 0;
        const snXmlNode *geometry = sn_xml_child(node, "GeometryPath");
        if (is_default(node)) continue;
        if (muscle && geometry)
            status = write_muscle(o, node, geometry);
        else if (geometry)
            status = osim_miss(o, node, "a %s is left out: its force is missing", node->tag);
        else if (muscle && sn_xml_child(node, "max_isometric_force"))
            status = osim_miss(o, node, "the muscle is left out: its path is not made of points");
    }
    return status;
}
