#include "io/model_tree.h"

#include "sim/plant.h"

#include <math.h>
#include <string.h>

static const double PROBE = 0.5; /* rad or m: how far a coordinate is moved to see its axis */

/* The arrays of the tree while they are filled. */
typedef struct Links {
    int32_t *parent, *follows;
    bool *slides, *driven;
    double *axis, *centre, *stiffness, *lower, *upper;
    snCurve *curve;
    int32_t count;
} Links;

#define NEW(type, n) ((type *)sn_arena_alloc(&t->arena, (size_t)(n) + 1, sizeof(type)))

static bool reserve(snModelTree *t, Links *l, int32_t n)
{
    const snModel *m = t->model;
    l->parent = NEW(int32_t, n), l->follows = NEW(int32_t, n), l->slides = NEW(bool, n), l->driven = NEW(bool, n);
    l->axis = NEW(double, 3 * n), l->centre = NEW(double, 3 * n), l->stiffness = NEW(double, n);
    l->lower = NEW(double, n), l->upper = NEW(double, n), l->curve = NEW(snCurve, n);
    t->coordinate = NEW(int32_t, n), t->link = NEW(int32_t, m->nbody);
    t->first = NEW(int32_t, m->nbody), t->above = NEW(int32_t, m->nbody);
    if (!l->parent || !l->follows || !l->slides || !l->driven || !l->axis || !l->centre || !l->stiffness || !l->lower ||
        !l->upper || !l->curve || !t->coordinate || !t->link || !t->first || !t->above)
        return false;
    for (int32_t b = 0; b < m->nbody; ++b) t->link[b] = t->first[b] = t->above[b] = -1;
    return true;
}

static void add_link(snModelTree *t, Links *l, int32_t parent, int32_t coordinate, v3 axis, v3 centre)
{
    int32_t i = l->count++;
    l->parent[i] = parent, l->follows[i] = i, l->driven[i] = true, l->stiffness[i] = 1;
    l->lower[i] = -SN_PI / 2, l->upper[i] = SN_PI / 2;
    v3_store(l->axis + 3 * i, axis), v3_store(l->centre + 3 * i, centre);
    t->coordinate[i] = coordinate;
    if (coordinate < 0) return;
    l->lower[i] = fmax(t->model->coord_lower[coordinate], -SN_PI);
    l->upper[i] = fmin(t->model->coord_upper[coordinate], SN_PI);
    l->stiffness[i] = t->model->coord_stiffness[coordinate];
}

/* ---- models on a tree -------------------------------------------------------------------------- */

static void copy_tree(snModelTree *t, Links *l)
{
    const snTree *from = &t->model->skeleton->tree;
    int32_t before = l->count;
    for (int32_t i = 0; i < from->ndof; ++i) {
        int32_t to = l->count;
        add_link(t, l, from->parent[i] >= 0 ? from->parent[i] + before : before - 1, i, v3_load(from->axis + 3 * i),
                 v3_load(from->centre + 3 * i));
        l->slides[to] = from->slides[i], l->driven[to] = from->driven[i] && !from->slides[i];
        if (from->follows) l->follows[to] = from->follows[i] + before, l->curve[to] = from->curve[i];
    }
    for (int32_t b = 0; b < t->model->nbody; ++b)
        t->link[b] = from->body_link[b] >= 0 ? from->body_link[b] + before : -1;
}

/* ---- models of strands ------------------------------------------------------------------------- */

static void add_joint(snModelTree *t, Links *l, int32_t joint, const rigid *body)
{
    const snModel *m = t->model;
    const snJoint *j = &m->joint[joint];
    int32_t a = m->joint_a[joint], b = m->joint_b[joint], parent = a >= 0 ? t->link[a] : -1;
    rigid base = a >= 0 ? body[a] : rigid_identity();
    double q[SN_JOINT_MAX_DOF] = {0};
    for (int32_t k = 0; k < sn_joint_dofs(j->kind); ++k) {
        bool turns = sn_joint_dof_is_angle(j->kind, k);
        q[k] = PROBE;
        rigid moved = sn_joint_place(j, base, q);
        q[k] = 0;
        v3 axis = turns ? q_log(q_mul(moved.q, q_conj(body[b].q))) : v3_sub(moved.p, body[b].p);
        add_link(t, l, parent, m->joint_coordadr[joint] + k, v3_unit(axis), rigid_apply(base, j->frame_a.p));
        parent = l->count - 1;
        l->slides[parent] = !turns, l->driven[parent] = turns;
    }
    t->link[b] = parent;
}

/* Joints may be listed in any order: again and again, those whose first body is placed. A body that a second joint
 * holds keeps to the first. */
static bool walk_joints(snModelTree *t, Links *l)
{
    const snModel *m = t->model;
    double *zero = NEW(double, m->ncoord);
    rigid *body = NEW(rigid, m->nbody);
    bool *placed = NEW(bool, m->nbody);
    if (!zero || !body || !placed) return false;
    sn_pose_bodies(m, zero, body);
    for (int32_t b = 0; b < m->nbody; ++b) {
        placed[b] = true;
        for (int32_t j = 0; j < m->njoint; ++j) placed[b] = placed[b] && (m->joint_b[j] != b || m->body_free[b] < 0);
    }
    for (bool more = true; more;) {
        more = false;
        for (int32_t j = 0; j < m->njoint; ++j) {
            int32_t a = m->joint_a[j], b = m->joint_b[j];
            if (b < 0 || placed[b] || (a >= 0 && !placed[a])) continue;
            add_joint(t, l, j, body);
            placed[b] = more = true;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ */

/* Which bodies hang on which, and where the links of each begin. */
static bool relate_bodies(snModelTree *t, const Links *l)
{
    int32_t *rider = NEW(int32_t, l->count);
    if (!rider) return false;
    for (int32_t i = 0; i < l->count; ++i) rider[i] = -1;
    for (int32_t b = 0; b < t->model->nbody; ++b)
        if (t->link[b] >= 0 && rider[t->link[b]] < 0) rider[t->link[b]] = b;
    for (int32_t b = 0; b < t->model->nbody; ++b) {
        int32_t i = t->link[b];
        if (i < 0) continue;
        while (l->parent[i] >= 0 && rider[l->parent[i]] < 0) i = l->parent[i];
        t->first[b] = i, t->above[b] = l->parent[i] >= 0 ? rider[l->parent[i]] : -1;
    }
    return true;
}

bool sn_model_tree_make(const snModel *m, snModelTree *t)
{
    Links l = {0};
    *t = (snModelTree){.model = m};
    if (!reserve(t, &l, m->ncoord + 1)) return false;
    if (v3_len(m->fixed_axis) > 0) add_link(t, &l, -1, -1, v3_unit(m->fixed_axis), v3_of(0, 0, 0));
    if (m->skeleton)
        copy_tree(t, &l);
    else if (!walk_joints(t, &l))
        return false;
    t->tree = (snTree){.ndof = l.count,
                       .parent = l.parent,
                       .slides = l.slides,
                       .axis = l.axis,
                       .centre = l.centre,
                       .stiffness = l.stiffness,
                       .lower = l.lower,
                       .upper = l.upper,
                       .driven = l.driven};
    if (m->skeleton && m->skeleton->tree.follows) t->tree.follows = l.follows, t->tree.curve = l.curve;
    return relate_bodies(t, &l);
}

void sn_model_tree_free(snModelTree *t)
{
    sn_arena_free(&t->arena);
    *t = (snModelTree){0};
}
