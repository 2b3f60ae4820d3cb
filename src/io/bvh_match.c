/* Which joint of a BVH or glTF file moves which coordinate of a model, and the motion that results.
 *
 * The axes of a mapping suppose a pose in which all rotations are zero, and may say so by one or two directions between
 * joints. Where the file rests otherwise (arms hanging, another axis up), the axes are turned with it. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/bvh.h"
#include "io/file.h"
#include "io/gltf_read.h"
#include "io/retarget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_AXES = 3 };
static const double SAME_REST = 15 * SN_DEG; /* bones of real hands differ by this much from directions as drawn */

/* ---- which joints --------------------------------------------------------------------------- */

int32_t sn_bvh_list_joints(const snBvhFile *bvh, const bool *used, char *list, size_t size)
{
    size_t n = 0;
    int32_t count = 0, left = 0;
    list[0] = '\0';
    for (int32_t i = 0; i < bvh->joint.count; ++i) {
        if (used && used[i]) continue;
        const char *name = bvh->joint.at[i].name;
        ++count;
        if (left || n + strnlen(name, 60) + 26 > size)
            ++left;
        else
            n += (size_t)snprintf(list + n, size - n, "%s%.60s", n ? ", " : "", name);
    }
    if (left) (void)snprintf(list + n, size - n, " and %d more", left);
    return count;
}

snStatus sn_bvh_fail_unmatched(const snBvhFile *bvh, const char *file, snError *error)
{
    char list[400];
    (void)sn_bvh_list_joints(bvh, NULL, list, sizeof list);
    sn_fail(error, SN_BAD_INPUT, "no joint of the file has a name that the model's mapping knows; the file has %s",
            list);
    sn_error_place(error, file, 0, 0);
    sn_error_remedy(error,
                    "`sinew convert FILE my.bvhmap --model MODEL` writes a mapping to fill in; use it with --bvh-map");
    return SN_BAD_INPUT;
}

/* ---- how the file rests --------------------------------------------------------------------- */

v3 sn_bvh_rest_place(const snBvhFile *bvh, int32_t joint)
{
    v3 p = {0, 0, 0};
    for (; joint >= 0; joint = bvh->joint.at[joint].parent) p = v3_add(p, bvh->joint.at[joint].offset);
    return p;
}

static bool rest_direction(const snBvhFile *bvh, const snBvhRest *rest, const v3 *place, v3 *direction)
{
    int32_t from = sn_bvh_find(bvh, rest->from), to = sn_bvh_find(bvh, rest->to);
    if (from < 0 || to < 0) return false;
    *direction =
        place ? v3_sub(place[to], place[from]) : v3_sub(sn_bvh_rest_place(bvh, to), sn_bvh_rest_place(bvh, from));
    if (!(v3_len(*direction) > 0)) return false;
    *direction = v3_unit(*direction);
    return true;
}

/* The frame whose x axis is a and in whose x-y plane b lies. */
static bool frame_of(v3 a, v3 b, quat *q)
{
    v3 c = v3_cross(a, b);
    if (v3_len(c) < 0.1) return false;
    c = v3_unit(c), b = v3_cross(c, a);
    m3 columns = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    *q = q_from_m3(&columns);
    return true;
}

/* The turn that only exchanges axes (y up or z up, facing anywhere) where one is near. */
static quat whole_turn(quat turn)
{
    static const v3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}};
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            quat q;
            if (frame_of(axis[i], axis[k], &q) && v3_len(q_log(q_mul(turn, q_conj(q)))) < SAME_REST) return q;
        }
    return turn;
}

bool sn_bvh_rest_turn(const snBvhFile *bvh, const snBvhMap *map, const v3 *place, bool near, quat *turn)
{
    for (int i = 0; i + 1 < map->nrest; i += 2) {
        const snBvhRest *rest = &map->rest[i];
        v3 a, b;
        quat supposed, is;
        if (!rest_direction(bvh, &rest[0], place, &a) || !rest_direction(bvh, &rest[1], place, &b)) continue;
        if (!frame_of(rest[0].direction, rest[1].direction, &supposed) || !frame_of(a, b, &is)) continue;
        *turn = q_mul(is, q_conj(supposed));
        if (near) *turn = whole_turn(*turn);
        return true;
    }
    return false;
}

snStatus sn_bvh_match(const snBvhFile *bvh, const snBvhMap *map, const char *file, snBvhMatch *match, snError *error)
{
    *match = (snBvhMatch){.joint = SN_NEW_ARRAY(int32_t, map->line.count)};
    if (!match->joint) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < map->line.count; ++i) {
        match->joint[i] = sn_bvh_find(bvh, map->line.at[i].bvh_joint);
        match->found += match->joint[i] >= 0;
    }
    if (!sn_bvh_rest_turn(bvh, map, NULL, true, &match->turn)) match->turn = q_identity();
    match->turned = v3_len(q_log(match->turn)) > 1e-9;
    if (match->found > 0) return SN_OK;
    sn_bvh_match_free(match);
    return sn_bvh_fail_unmatched(bvh, file, error);
}

void sn_bvh_match_free(snBvhMatch *match)
{
    sn_free(match->joint);
    match->joint = NULL;
}

static bool describe(const snBvhFile *bvh, const snBvhMap *map, const snBvhMatch *match, snMotionSource *note)
{
    bool *used = SN_NEW_ARRAY(bool, bvh->joint.count);
    if (!used) return false;
    for (int32_t i = 0; i < map->line.count; ++i)
        if (match->joint[i] >= 0) used[match->joint[i]] = true;
    note->wanted = map->line.count, note->found = match->found, note->turned = match->turned;
    note->held[0] = '\0';
    note->unused = sn_bvh_list_joints(bvh, used, note->unused_joints, sizeof note->unused_joints);
    sn_free(used);
    for (int32_t i = 0; i < map->line.count; ++i) {
        size_t n = strlen(note->held), room = sizeof note->held - n;
        if (match->joint[i] < 0 && strlen(map->line.at[i].coordinate) + 3 < room)
            (void)snprintf(note->held + n, room, "%s%s", n ? ", " : "", map->line.at[i].coordinate);
    }
    return true;
}

/* ---- poses ---------------------------------------------------------------------------------- */

/* The lines of the mapping that share the joint of `first`, which is the first of them. */
static int gather(const snBvhMap *map, const snBvhMatch *match, int32_t first, int32_t line[MAX_AXES],
                  v3 axis[MAX_AXES])
{
    int count = 0;
    for (int32_t i = first; i < map->line.count && count < MAX_AXES; ++i) {
        if (match->joint[i] != match->joint[first]) continue;
        line[count] = i;
        axis[count++] = q_rotate(match->turn, map->line.at[i].axis);
    }
    return count;
}

static bool is_first(const snBvhMatch *match, int32_t line)
{
    for (int32_t i = 0; i < line; ++i)
        if (match->joint[i] == match->joint[line]) return false;
    return match->joint[line] >= 0;
}

/* column: of each line of the mapping among those that have a joint. */
static void convert(const snBvhFile *bvh, const snBvhMap *map, const snBvhMatch *match, const int32_t *column,
                    double *value)
{
    size_t columns = (size_t)match->found;
    for (int32_t i = 0; i < map->line.count; ++i) {
        int32_t line[MAX_AXES];
        v3 axis[MAX_AXES];
        if (!is_first(match, i)) continue;
        int count = gather(map, match, i, line, axis);
        double angle[MAX_AXES] = {0};
        for (int32_t f = 0; f < bvh->frames; ++f) {
            sn_split_rotation(sn_bvh_local(bvh, match->joint[i], f).q, axis, count, angle);
            for (int k = 0; k < count; ++k) {
                const snBvhMapLine *l = &map->line.at[line[k]];
                value[(size_t)f * columns + (size_t)column[line[k]]] = l->scale * angle[k] + l->offset;
            }
        }
    }
}

snStatus sn_bvh_to_poses(const snBvhFile *bvh, const snBvhMap *map, const char *file, snPoses **poses,
                         snMotionSource *note, snError *error)
{
    snBvhMatch match;
    snStatus status = sn_bvh_match(bvh, map, file, &match, error);
    if (status != SN_OK) return status;
    double *value = SN_NEW_ARRAY(double, (int64_t)bvh->frames *match.found), *time = SN_NEW_ARRAY(double, bvh->frames);
    const char **name = SN_NEW_ARRAY(const char *, match.found);
    int32_t *column = SN_NEW_ARRAY(int32_t, map->line.count), n = 0;
    if (value && time && name && column) {
        for (int32_t f = 0; f < bvh->frames; ++f) time[f] = f * bvh->frame_time;
        for (int32_t i = 0; i < map->line.count; ++i) {
            column[i] = match.joint[i] >= 0 ? n : -1;
            if (match.joint[i] >= 0) name[n++] = map->line.at[i].coordinate;
        }
        convert(bvh, map, &match, column, value);
        if (note && !describe(bvh, map, &match, note)) status = sn_fail_no_memory(error);
        if (status == SN_OK) status = sn_poses_create(match.found, name, bvh->frames, time, value, false, poses, error);
    } else
        status = sn_fail_no_memory(error);
    sn_free(value);
    sn_free(time);
    sn_free(column);
    sn_free((void *)name);
    sn_bvh_match_free(&match);
    return status;
}

snStatus sn_load_skeleton(const char *path, snBvhFile *bvh, snError *error)
{
    char *data;
    size_t size;
    if (sn_is_gltf(path, &size)) return sn_load_gltf_file(path, bvh, error);
    snStatus status = sn_file_read_text(path, true, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_bvh(path, data, size, bvh, error);
    sn_free(data);
    return status;
}

snStatus sn_load_bvh_poses(const char *path, const char *map_path, const snModel *model, snPoses **poses,
                           snMotionSource *note, snError *error)
{
    snBvhFile bvh = {0};
    snBvhMap map = {0};
    snStatus status = sn_load_skeleton(path, &bvh, error);
    if (status == SN_OK) status = sn_load_bvh_map(map_path, &map, error);
    if (status == SN_OK && map.bone.count)
        status = sn_retarget(&(snRetarget){&bvh, &map, model, path, map_path}, poses, note, error);
    else if (status == SN_OK)
        status = sn_bvh_to_poses(&bvh, &map, path, poses, note, error);
    sn_bvh_free(&bvh);
    sn_bvh_map_free(&map);
    return status;
}
