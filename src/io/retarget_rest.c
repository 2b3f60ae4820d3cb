/* Which joint stands for which body, what pose the file rests in, and the alignment of that pose with the model's. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/retarget.h"

#include <math.h>
#include <string.h>

static const double FIRM = 0.5;  /* weight from which an aim also says how what hangs on it rests */
static const double STILL = 0.1; /* sine of the angle below which two directions do not make a frame */

#define NEW(type, n) ((type *)sn_arena_alloc(&a->arena, (size_t)(n) + 1, sizeof(type)))

/* ---- finding ----------------------------------------------------------------------------------- */

static snStatus find_body(snAligned *a, const char *name, int line, int32_t *body, snError *error)
{
    *body = name ? sn_find(a->def->model, SN_ITEM_BODY, name) : -1;
    if (!name || *body >= 0) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the model has no body \"%.80s\"", name);
    sn_error_place(error, a->def->map_file, line, 0);
    sn_error_remedy(error, "`sinew info MODEL --list` names the bodies of a model");
    return SN_BAD_INPUT;
}

static snStatus tie_lines(snAligned *a, snError *error)
{
    const snBvhMap *map = a->def->map;
    snStatus status = SN_OK;
    a->count = map->bone.count, a->base = -1;
    if (!(a->tied = NEW(snTied, a->count))) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < a->count && status == SN_OK; ++i) {
        const snBoneLine *l = &map->bone.at[i];
        snTied *t = &a->tied[i];
        *t = (snTied){.line = l, .joint = sn_bvh_find(a->def->bvh, l->joint), .to_joint = -1};
        if (l->to_joint) t->to_joint = sn_bvh_find(a->def->bvh, l->to_joint);
        status = find_body(a, l->body, l->line, &t->body, error);
        if (status == SN_OK) status = find_body(a, l->to_body, l->line, &t->to_body, error);
        if (l->kind == SN_BONE_BASE) a->base = i;
    }
    return status;
}

/* A base without a joint of its name: whatever the joints that are measured from it hang on. */
static void guess_base(snAligned *a)
{
    if (a->base < 0 || a->tied[a->base].joint >= 0) return;
    for (int32_t i = 0; i < a->count; ++i) {
        const snTied *t = &a->tied[i];
        if (i == a->base || t->line->kind == SN_BONE_ACROSS || t->body == a->tied[a->base].body || t->joint < 0)
            continue;
        a->tied[a->base].joint = a->def->bvh->joint.at[t->joint].parent;
        break;
    }
    for (int32_t i = 0; i < a->count; ++i) /* how the base rests */
        if (a->tied[i].body == a->tied[a->base].body && a->tied[i].joint < 0) a->tied[i].joint = a->tied[a->base].joint;
}

/* ---- the rest pose ----------------------------------------------------------------------------- */

static bool new_pose(snAligned *a, snJointPose *pose)
{
    pose->turn = NEW(quat, a->def->bvh->joint.count), pose->place = NEW(v3, a->def->bvh->joint.count);
    return pose->turn && pose->place;
}

static void pose_at(const snBvhFile *bvh, int32_t frame, snJointPose *pose)
{
    for (int32_t i = 0; i < bvh->joint.count; ++i) {
        int32_t parent = bvh->joint.at[i].parent;
        rigid local = sn_bvh_local(bvh, i, frame);
        if (parent >= 0) local = rigid_mul((rigid){pose->turn[parent], pose->place[parent]}, local);
        pose->turn[i] = q_unit(local.q), pose->place[i] = local.p;
    }
}

static bool direction_between(const snJointPose *pose, int32_t from, int32_t to, v3 *direction)
{
    *direction = v3_sub(pose->place[to], pose->place[from]);
    if (!(v3_len(*direction) > 0)) return false;
    *direction = v3_unit(*direction);
    return true;
}

/* Some programs write offsets all along one axis: that is no pose of a body. Arms must lead away from each other. */
static bool is_pose_of_body(const snAligned *a)
{
    const snBvhFile *bvh = a->def->bvh;
    int32_t left = sn_bvh_find(bvh, "LeftArm"), right = sn_bvh_find(bvh, "RightArm");
    int32_t left_elbow = sn_bvh_find(bvh, "LeftForeArm"), right_elbow = sn_bvh_find(bvh, "RightForeArm");
    int32_t hips = sn_bvh_find(bvh, "Hips"), neck = sn_bvh_find(bvh, "Neck");
    v3 across, up, arm[2];
    if (left < 0 || right < 0 || left_elbow < 0 || right_elbow < 0 || hips < 0 || neck < 0) return true;
    if (!direction_between(&a->rest, left, right, &across) || !direction_between(&a->rest, hips, neck, &up) ||
        !direction_between(&a->rest, left, left_elbow, &arm[0]) ||
        !direction_between(&a->rest, right, right_elbow, &arm[1]))
        return false;
    return fabs(v3_dot(across, up)) < 0.7 && v3_dot(arm[0], across) < 0.5 && v3_dot(arm[1], across) > -0.5;
}

/* As most programs write it: y up, facing z, so that the right arm is on the side of -x. The first two rest lines of a
 * mapping are up and to the right. */
static quat usual_turn(const snBvhMap *map)
{
    v3 up = map->nrest > 1 ? map->rest[0].direction : v3_of(0, 1, 0);
    v3 right = map->nrest > 1 ? map->rest[1].direction : v3_of(-1, 0, 0);
    m3 model = m3_columns(up, right, v3_cross(up, right));
    m3 file = m3_columns(v3_of(0, 1, 0), v3_of(-1, 0, 0), v3_of(0, 0, 1));
    return q_mul(q_from_m3(&file), q_conj(q_from_m3(&model)));
}

static void find_rest(snAligned *a)
{
    const snBvhFile *bvh = a->def->bvh;
    quat turn, usual;
    for (int32_t i = 0; i < bvh->joint.count; ++i)
        a->rest.turn[i] = q_identity(), a->rest.place[i] = sn_bvh_rest_place(bvh, i);
    if (!is_pose_of_body(a)) {
        a->first_frame = true;
        pose_at(bvh, 0, &a->rest);
    }
    turn = usual = usual_turn(a->def->map);
    (void)sn_bvh_rest_turn(bvh, a->def->map, a->rest.place, !a->first_frame, &turn);
    a->axes = q_conj(turn);
    a->turned = v3_len(q_log(q_mul(turn, q_conj(usual)))) > 1e-9;
}

/* ---- alignment --------------------------------------------------------------------------------- */

static v3 joint_centre(const snAligned *a, int32_t body)
{
    int32_t link = a->tree.link[body];
    return link >= 0 ? v3_load(a->tree.tree.centre + 3 * link) : v3_of(0, 0, 0);
}

v3 sn_aligned_near(const snAligned *a, const snTied *t)
{
    return t->line->placed ? t->line->place : joint_centre(a, t->body);
}

v3 sn_aligned_far(const snAligned *a, const snTied *t, int32_t *link)
{
    *link = a->tree.link[t->body];
    if (t->to_body < 0) return v3_add(sn_aligned_near(a, t), t->line->direction);
    *link = a->tree.link[t->to_body] >= 0 ? a->tree.tree.parent[a->tree.link[t->to_body]] : -1;
    return joint_centre(a, t->to_body);
}

quat sn_shortest_turn(v3 from, v3 to)
{
    v3 axis = v3_cross(from, to);
    double sine = v3_len(axis), cosine = v3_dot(from, to);
    if (sine < 1e-9) return cosine > 0 ? q_identity() : q_axis_angle(v3_unit(v3_perp(from)), SN_PI);
    return q_axis_angle(v3_scale(axis, 1 / sine), atan2(sine, cosine));
}

static v3 rest_direction(const snAligned *a, const snTied *t)
{
    v3 d;
    if (t->joint < 0 || t->to_joint < 0 || !direction_between(&a->rest, t->joint, t->to_joint, &d))
        return v3_of(0, 0, 0);
    return q_rotate(a->axes, d);
}

/* D of the nearest body above that has one of its own and passes it on. */
static quat inherited(const snAligned *a, int32_t body)
{
    for (int32_t b = a->tree.above[body]; b >= 0; b = a->tree.above[b]) {
        bool firm = false;
        for (int32_t i = 0; i < a->count; ++i)
            firm = firm || (a->tied[i].body == b && a->tied[i].joint >= 0 && a->tied[i].line->kind != SN_BONE_ACROSS &&
                            (a->tied[i].line->weight >= FIRM || a->tied[i].line->weight == 0));
        if (a->aligned[b] && firm) return a->align[b];
    }
    int32_t base = a->base >= 0 ? a->tied[a->base].body : -1;
    return base >= 0 && base != body && a->aligned[base] ? a->align[base] : q_identity();
}

/* About the bone, until what lies across it at rest lies across it in the model. */
static quat roll(const snAligned *a, int32_t body, quat align, v3 along)
{
    for (int32_t i = 0; i < a->count; ++i) {
        const snTied *t = &a->tied[i];
        if (t->line->kind != SN_BONE_ACROSS || t->body != body) continue;
        v3 is = q_rotate(align, rest_direction(a, t)), wanted = t->line->direction;
        is = v3_mad(is, -v3_dot(is, along), along), wanted = v3_mad(wanted, -v3_dot(wanted, along), along);
        if (v3_len(is) < STILL || v3_len(wanted) < STILL) continue;
        double angle = atan2(v3_dot(along, v3_cross(is, wanted)), v3_dot(is, wanted));
        return q_mul(q_axis_angle(along, angle), align);
    }
    return align;
}

static void align_body(snAligned *a, int32_t body)
{
    quat align = inherited(a, body);
    for (int32_t i = 0; i < a->count; ++i) {
        const snTied *t = &a->tied[i];
        v3 d = rest_direction(a, t);
        int32_t link;
        if (t->line->kind != SN_BONE_AIM || t->body != body || v3_len(d) < 0.5) continue;
        v3 along = v3_unit(v3_sub(sn_aligned_far(a, t, &link), sn_aligned_near(a, t)));
        align = roll(a, body, q_mul(sn_shortest_turn(q_rotate(align, d), along), align), along);
        break;
    }
    a->align[body] = q_unit(align), a->aligned[body] = true;
}

/* Lines name what is above before what hangs on it; the base comes first. */
static void align_bodies(snAligned *a)
{
    if (a->base >= 0) align_body(a, a->tied[a->base].body);
    for (int32_t i = 0; i < a->count; ++i)
        if (a->tied[i].joint >= 0 && !a->aligned[a->tied[i].body]) align_body(a, a->tied[i].body);
}

snStatus sn_align(const snRetarget *def, snAligned *a, snError *error)
{
    *a = (snAligned){.def = def};
    bool enough = sn_model_tree_make(def->model, &a->tree);
    a->align = NEW(quat, def->model->nbody), a->aligned = NEW(bool, def->model->nbody);
    if (!enough || !a->align || !a->aligned || !new_pose(a, &a->rest) || !new_pose(a, &a->now))
        return sn_fail_no_memory(error);
    snStatus status = tie_lines(a, error);
    if (status == SN_OK && a->base < 0) {
        sn_fail(error, SN_BAD_INPUT, "the mapping has no base: the body from which the others are measured");
        sn_error_place(error, def->map_file, 0, 0);
        sn_error_remedy(error, "add a line such as `base Hips pelvis`: a joint of the file and the body that stays");
        status = SN_BAD_INPUT;
    }
    if (status != SN_OK) return status;
    guess_base(a);
    find_rest(a);
    align_bodies(a);
    return SN_OK;
}

void sn_aligned_free(snAligned *a)
{
    sn_model_tree_free(&a->tree);
    sn_arena_free(&a->arena);
}

/* ---- frames ------------------------------------------------------------------------------------ */

void sn_aligned_frame(snAligned *a, int32_t frame)
{
    pose_at(a->def->bvh, frame, &a->now);
}

/* Rotation of a joint from its rest pose, model axes; of none, nothing. */
static quat turned(const snAligned *a, int32_t joint)
{
    if (joint < 0) return q_identity();
    quat e = q_mul(a->now.turn[joint], q_conj(a->rest.turn[joint]));
    return q_mul(q_mul(a->axes, e), q_conj(a->axes));
}

/* The part of a rotation that is about an axis. */
static quat twist(quat q, v3 axis)
{
    double s = q.x * axis.x + q.y * axis.y + q.z * axis.z, n = sqrt(q.w * q.w + s * s);
    return n > 1e-9 ? (quat){q.w / n, s * axis.x / n, s * axis.y / n, s * axis.z / n} : q_identity();
}

quat sn_aligned_turn(const snAligned *a, int32_t tied)
{
    const snTied *t = &a->tied[tied];
    quat e = turned(a, t->joint);
    for (int32_t i = 0; t->line->untwist && i < a->count; ++i) {
        v3 d = rest_direction(a, &a->tied[i]);
        if (a->tied[i].line->kind != SN_BONE_AIM || a->tied[i].body != t->body || v3_len(d) < 0.5) continue;
        quat parent = turned(a, a->def->bvh->joint.at[t->joint].parent);
        e = q_mul(e, q_conj(twist(q_mul(q_conj(parent), e), d)));
        break;
    }
    return q_unit(q_mul(e, q_conj(a->align[t->body])));
}

v3 sn_aligned_direction(const snAligned *a, int32_t tied)
{
    v3 d = {0, 0, 0};
    (void)direction_between(&a->now, a->tied[tied].joint, a->tied[tied].to_joint, &d);
    return q_rotate(a->axes, d);
}

int32_t sn_aligned_anchor(const snAligned *a, int32_t body)
{
    for (int32_t b = a->tree.above[body]; b >= 0; b = a->tree.above[b])
        for (int32_t i = 0; i < a->count; ++i)
            if (a->tied[i].line->kind == SN_BONE_ANCHOR && a->tied[i].body == b && a->tied[i].joint >= 0) return i;
    return a->base >= 0 && a->tied[a->base].joint >= 0 ? a->base : -1;
}
