/* Which stretch of a muscle's path passes over which wrap. OpenSim tries every stretch within the range of the PathWrap
 * in each pose and takes the best; here each wrap belongs to one stretch. It is the one that runs through the wrap in
 * most of a set of poses: all coordinates 0, and each alone at points of its range. */
#include "io/osim.h"

#include <string.h>

enum { ALONE = 6 }; /* poses of each coordinate */

typedef struct Trial {
    int32_t stretch;
    int32_t crossings, beyond; /* poses in which the straight line is inside; of these, past the end of the cylinder */
    double nearest;            /* smallest distance from the surface over the poses */
} Trial;

/* Distance of a straight line from the middle of the wrap less the radius; *along: where on the axis. */
static double clearance(const osimWrap *w, v3 a, v3 b, double *along)
{
    v3 flat_a = a, flat_b = b;
    if (w->cylinder) flat_a.z = flat_b.z = 0;
    v3 way = v3_sub(flat_b, flat_a);
    double length = v3_len2(way), t = length > 0 ? -v3_dot(flat_a, way) / length : 0;
    t = fmin(1, fmax(0, t));
    *along = a.z + t * (b.z - a.z);
    return v3_len(v3_lerp(flat_a, flat_b, t)) - w->radius;
}

static double outside(const osimWrap *w, v3 a)
{
    if (w->cylinder) a.z = 0;
    return v3_len(a) - w->radius;
}

static void look(const snOsim *o, const osimPath *path, const osimWrap *w, Trial *trial)
{
    const osimPoint *from = &path->point[trial->stretch], *to = from + 1;
    rigid frame = rigid_mul(o->body.at[w->body].now, w->frame);
    v3 a = rigid_unapply(frame, rigid_apply(o->body.at[from->body].now, from->at));
    v3 b = rigid_unapply(frame, rigid_apply(o->body.at[to->body].now, to->at));
    double along, gap = clearance(w, a, b, &along);
    if (outside(w, a) < 0 || outside(w, b) < 0) return; /* an end inside: straight in both programs */
    trial->nearest = fmin(trial->nearest, gap);
    trial->crossings += gap < 0;
    trial->beyond += gap < 0 && w->cylinder && fabs(along) > w->length / 2;
}

/* Whether the coordinate moves anything between ground and one of the bodies of the path or the wrap. */
static bool matters(const snOsim *o, const osimPath *path, const osimWrap *w, int32_t coordinate)
{
    for (int32_t i = -1; i < path->npoint; ++i)
        for (int32_t b = i < 0 ? w->body : path->point[i].body; b; b = o->body.at[b].parent)
            for (int32_t k = 0; k < o->body.at[b].nstep; ++k)
                if (o->body.at[b].step[k].root == coordinate) return true;
    return false;
}

static void look_at_all(snOsim *o, const osimPath *path, const osimWrap *w, int32_t count, Trial *trial, double *value)
{
    memset(value, 0, (size_t)o->coordinate.count * sizeof *value);
    osim_place(o, value);
    for (int32_t k = 0; k < count; ++k) look(o, path, w, &trial[k]);
    for (int32_t i = 0; i < o->coordinate.count; ++i) {
        const osimCoordinate *c = &o->coordinate.at[i];
        double low = fmax(c->range[0], -SN_PI), high = fmin(c->range[1], SN_PI);
        if (c->coupler || c->locked || !(high > low) || !matters(o, path, w, i)) continue;
        for (int pose = 0; pose < ALONE; ++pose) {
            value[i] = low + (high - low) * pose / (ALONE - 1);
            osim_place(o, value);
            for (int32_t k = 0; k < count; ++k) look(o, path, w, &trial[k]);
        }
        value[i] = 0;
    }
}

static int32_t find_wrap(const snOsim *o, const char *called)
{
    for (int32_t i = 0; i < o->wrap.count; ++i)
        if (strcmp(o->wrap.at[i].called, called) == 0) return i;
    return -1;
}

/* First and last stretch that a PathWrap may act on. Numbers of its range count the points of the file. */
static snStatus limits(snOsim *o, const snXmlNode *node, const osimPath *path, int32_t *first, int32_t *last)
{
    double range[2] = {-1, -1};
    snStatus status = osim_vector(o, node, "range", 2, range);
    *first = 0, *last = path->npoint - 2;
    for (int32_t i = 0; i < path->npoint; ++i) {
        if (range[0] > 0 && path->point[i].number <= range[0]) *first = i;
        if (range[1] > 0 && path->point[i].number <= range[1]) *last = i - 1;
    }
    return status;
}

static void give_side(snOsim *o, osimPath *path, int32_t stretch, const osimWrap *w)
{
    if (!w->cylinder || !(v3_len(v3_of(w->side.x, w->side.y, 0)) > 0)) return;
    rigid frame = rigid_mul(o->body.at[w->body].drawn, w->frame);
    v3_store(path->side + 3 * stretch, q_rotate(frame.q, w->side));
    path->sided = true;
}

/* What the stretch that was chosen cannot say. */
static snStatus say_rest(snOsim *o, const snXmlNode *node, const osimPath *path, const osimWrap *w, const Trial *best,
                         int32_t others)
{
    snStatus status = SN_OK;
    int first = path->point[best->stretch].number, next = path->point[best->stretch + 1].number;
    if (others)
        status = osim_miss(o, node, "wrap \"%.60s\" may act on %d other stretches: here between points %d and %d only",
                           w->called, (int)others, first, next);
    if (!status && best->beyond)
        status = osim_miss(o, node,
                           "the path passes the end of wrap \"%.60s\", %.3g m long, in %d of the %d poses where it "
                           "meets it: here the cylinder is endless",
                           w->called, w->length, (int)best->beyond, (int)best->crossings);
    if (!status && !w->cylinder && v3_len(w->side) > 0)
        status = osim_miss(o, node,
                           "the quadrant of wrap \"%.60s\" is ignored: the path takes the shorter way round the "
                           "sphere",
                           w->called);
    return status;
}

/* A PathWrap that takes part, with what was seen of it. */
typedef struct Candidate {
    const snXmlNode *node;
    int32_t wrap, first, count; /* stretches first .. first + count - 1 */
    int32_t most;               /* crossings of its best stretch */
    Trial *trial;
    bool done;
} Candidate;

static snStatus look_at(snOsim *o, const osimPath *path, Candidate *c, double *value)
{
    int32_t last;
    snStatus status = limits(o, c->node, path, &c->first, &last);
    c->count = last >= c->first ? last - c->first + 1 : 0;
    c->trial = sn_arena_alloc(o->arena, (size_t)c->count + 1, sizeof *c->trial);
    if (status) return status;
    if (!c->trial) return osim_no_memory(o);
    for (int32_t k = 0; k < c->count; ++k) c->trial[k] = (Trial){.stretch = c->first + k, .nearest = HUGE_VAL};
    look_at_all(o, path, &o->wrap.at[c->wrap], c->count, c->trial, value);
    for (int32_t k = 0; k < c->count; ++k)
        if (c->trial[k].crossings > c->most) c->most = c->trial[k].crossings;
    return SN_OK;
}

/* The stretch for one wrap, of those that have none yet. */
static snStatus choose(snOsim *o, osimPath *path, const Candidate *c)
{
    const osimWrap *w = &o->wrap.at[c->wrap];
    int32_t others = 0;
    const Trial *best = NULL, *taken = NULL;
    for (const Trial *t = c->trial; t < c->trial + c->count; ++t) {
        bool has = path->wrap[t->stretch] >= 0;
        if (has && (!taken || t->crossings > taken->crossings)) taken = t;
        others += t->crossings > 0;
        if (has) continue;
        if (!best || t->crossings > best->crossings || (t->crossings == best->crossings && t->nearest < best->nearest))
            best = t;
    }
    if (taken && (!best || (best->crossings == 0 && taken->crossings > 0)))
        return osim_miss(o, c->node,
                         "wrap \"%.60s\" is left out: the stretch between points %d and %d passes over \"%.60s\" more "
                         "often, and has one wrap here",
                         w->called, (int)path->point[taken->stretch].number,
                         (int)path->point[taken->stretch + 1].number, o->wrap.at[path->wrap[taken->stretch]].called);
    if (!best) return osim_miss(o, c->node, "wrap \"%.60s\" is left out: its range has no stretch", w->called);
    path->wrap[best->stretch] = c->wrap;
    give_side(o, path, best->stretch, w);
    return say_rest(o, c->node, path, w, best, others - (best->crossings > 0));
}

/* Whether a PathWrap takes part; says why not. */
static snStatus find_candidate(snOsim *o, const snXmlNode *node, Candidate *c, bool *found)
{
    const snXmlNode *name = sn_xml_child(node, "wrap_object");
    *found = false;
    if (strcmp(node->tag, "PathWrap") != 0 || !name) return SN_OK;
    int32_t wrap = find_wrap(o, osim_last(name->text));
    if (wrap < 0) return osim_fail(o, name, "name a wrap of a body", "there is no wrap object \"%.100s\"", name->text);
    if (!o->wrap.at[wrap].name)
        return osim_miss(o, node, "%s \"%.60s\" is left out: the path runs straight there", o->wrap.at[wrap].node->tag,
                         o->wrap.at[wrap].called);
    *found = o->wrap.at[wrap].active;
    *c = (Candidate){.node = node, .wrap = wrap};
    return SN_OK;
}

snStatus osim_route(snOsim *o, osimPath *path)
{
    const snXmlNode *first = osim_objects(sn_xml_child(path->muscle, "GeometryPath"), "PathWrapSet");
    int32_t room = 1, count = 0;
    for (const snXmlNode *node = first; node; node = node->next) ++room;
    Candidate *list = sn_arena_alloc(o->arena, (size_t)room, sizeof *list);
    double *value = sn_arena_alloc(o->arena, (size_t)o->coordinate.count + 1, sizeof *value);
    snStatus status = list && value ? SN_OK : osim_no_memory(o);
    for (const snXmlNode *node = first; node && !status; node = node->next) {
        bool found;
        status = find_candidate(o, node, &list[count], &found);
        if (!status && found) status = look_at(o, path, &list[count++], value);
    }
    for (int32_t turn = 0; turn < count && !status; ++turn) {
        Candidate *next = NULL; /* those that are met most first */
        for (int32_t i = 0; i < count; ++i)
            if (!list[i].done && (!next || list[i].most > next->most)) next = &list[i];
        next->done = true;
        status = choose(o, path, next);
    }
    return status;
}
