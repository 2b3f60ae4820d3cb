/* The mapping file from the joints of a BVH file to a model, and rotations taken apart. Its lines name bodies of the
 * model, whose joints then follow by geometry (retarget.h), or coordinates with their axes. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/bvh.h"
#include "io/file.h"
#include "io/scan.h"

#include <string.h>

enum { MAX_LINES = 10000, MAX_AXES = 3 };

/* ---- the mapping file ----------------------------------------------------------------------- */

static snStatus copy_word(snScan *s, snBvhMap *map, const char *what, const char **copy)
{
    snWord word;
    if (!sn_scan_word(s, &word)) return sn_scan_fail(s, "the line ends where %s was expected", what);
    if (memchr(word.at, 0, word.size)) return sn_scan_fail(s, "a name contains a zero byte");
    char *text = sn_arena_alloc(&map->arena, word.size + 1, 1);
    if (!text) return SN_NO_MEMORY;
    memcpy(text, word.at, word.size);
    *copy = text;
    return SN_OK;
}

static snStatus read_option(snScan *s, snBvhMapLine *line, snWord word)
{
    char text[40];
    double value;
    bool offset = sn_word_is(word, "offset"), scale = sn_word_is(word, "scale");
    if (!offset && !scale)
        return sn_scan_fail(s, "unknown option \"%s\", expected offset or scale",
                            sn_word_text(word, text, sizeof text));
    snStatus status = sn_scan_number(s, offset ? "the offset in degrees" : "the scale", &value);
    if (status != SN_OK) return status;
    if (offset)
        line->offset = value * SN_DEG;
    else
        line->scale = value;
    return SN_OK;
}

static snStatus check_line(snScan *s, const snBvhMap *map, const snBvhMapLine *line)
{
    int axes = 0;
    for (int32_t i = 0; i < map->line.count; ++i) {
        axes += !strcmp(map->line.at[i].bvh_joint, line->bvh_joint);
        if (!strcmp(map->line.at[i].coordinate, line->coordinate))
            return sn_scan_fail(s, "%.80s is mapped twice, first in line %d", line->coordinate, map->line.at[i].line);
    }
    if (axes == MAX_AXES) return sn_scan_fail(s, "%.80s has more than three axes", line->bvh_joint);
    if (map->bone.count)
        return sn_scan_fail(s, "the mapping has lines by bones, such as line %d: it cannot have axes too",
                            map->bone.at[0].line);
    return map->line.count < MAX_LINES ? SN_OK : sn_scan_fail(s, "more than %d lines", MAX_LINES);
}

static snStatus read_line(snScan *s, snBvhMap *map)
{
    snBvhMapLine line = {.scale = 1, .line = s->line};
    snWord word;
    double axis[3];
    snStatus status = copy_word(s, map, "a BVH joint", &line.bvh_joint);
    if (status == SN_OK) status = copy_word(s, map, "joint.coordinate", &line.coordinate);
    for (int k = 0; k < 3 && status == SN_OK; ++k) status = sn_scan_number(s, "an axis", &axis[k]);
    if (status != SN_OK) return status;
    if (v3_len(v3_load(axis)) < 1e-6) return sn_scan_fail(s, "the axis is zero");
    line.axis = v3_unit(v3_load(axis));
    while (status == SN_OK && sn_scan_word(s, &word)) status = read_option(s, &line, word);
    if (status == SN_OK) status = check_line(s, map, &line);
    if (status != SN_OK) return status;
    return sn_array_push(&map->line, line) ? SN_OK : SN_NO_MEMORY;
}

/* ---- bones: base, anchor, turn, aim, across ---------------------------------------------------- */

static const char *const bone_words[] = {"base", "anchor", "turn", "aim", "across"};
enum { NBONE_WORDS = sizeof bone_words / sizeof *bone_words };

static int bone_kind(snWord word)
{
    int kind = 0;
    while (kind < NBONE_WORDS && !sn_word_is(word, bone_words[kind])) ++kind;
    return kind;
}

static snStatus read_direction(snScan *s, v3 *direction)
{
    double x[3];
    snStatus status = SN_OK;
    for (int k = 0; k < 3 && status == SN_OK; ++k) status = sn_scan_number(s, "a direction", &x[k]);
    if (status != SN_OK) return status;
    if (v3_len(v3_load(x)) < 1e-6) return sn_scan_fail(s, "the direction is zero");
    *direction = v3_unit(v3_load(x));
    return SN_OK;
}

/* To a body, or a direction. */
static snStatus read_goal(snScan *s, snBvhMap *map, snBoneLine *line)
{
    snScan ahead = *s;
    snWord word;
    double value;
    if (line->kind == SN_BONE_AIM && sn_scan_word(&ahead, &word) && !sn_word_number(word, &value))
        return copy_word(s, map, "a body", &line->to_body);
    return read_direction(s, &line->direction);
}

static snStatus read_bone_option(snScan *s, snBoneLine *line, snWord word)
{
    char text[40];
    if (line->kind == SN_BONE_BASE && sn_word_is(word, "untwist")) {
        line->untwist = true;
        return SN_OK;
    }
    if (line->kind == SN_BONE_AIM && sn_word_is(word, "from")) {
        double x[3] = {0};
        snStatus status = SN_OK;
        for (int k = 0; k < 3 && status == SN_OK; ++k) status = sn_scan_number(s, "a place", &x[k]);
        line->placed = true, line->place = v3_load(x);
        return status;
    }
    if ((line->kind != SN_BONE_TURN && line->kind != SN_BONE_AIM) || !sn_word_is(word, "weight"))
        return sn_scan_fail(
            s, "unknown option \"%s\", expected weight after turn or aim, from after aim, untwist after base",
            sn_word_text(word, text, sizeof text));
    snStatus status = sn_scan_number(s, "the weight", &line->weight);
    if (status == SN_OK && !(line->weight >= 0 && line->weight <= 1))
        status = sn_scan_fail(s, "weight %g is outside 0 to 1", line->weight);
    return status;
}

static snStatus read_bone(snScan *s, snBvhMap *map)
{
    snBoneLine line = {.weight = 1, .line = s->line};
    snWord word;
    (void)sn_scan_word(s, &word);
    line.kind = (snBoneKind)bone_kind(word);
    bool two = line.kind == SN_BONE_AIM || line.kind == SN_BONE_ACROSS;
    snStatus status = copy_word(s, map, "a joint of the file", &line.joint);
    if (status == SN_OK && two) status = copy_word(s, map, "a second joint of the file", &line.to_joint);
    if (status == SN_OK) status = copy_word(s, map, "a body of the model", &line.body);
    if (status == SN_OK && two) status = read_goal(s, map, &line);
    while (status == SN_OK && sn_scan_word(s, &word)) status = read_bone_option(s, &line, word);
    if (status != SN_OK) return status;
    if (map->line.count)
        return sn_scan_fail(s, "the mapping has lines by axes, such as line %d: it cannot have bones too",
                            map->line.at[0].line);
    for (int32_t i = 0; i < map->bone.count && line.kind == SN_BONE_BASE; ++i)
        if (map->bone.at[i].kind == SN_BONE_BASE)
            return sn_scan_fail(s, "a second base, the first is in line %d", map->bone.at[i].line);
    if (map->bone.count >= MAX_LINES) return sn_scan_fail(s, "more than %d lines", MAX_LINES);
    return sn_array_push(&map->bone, line) ? SN_OK : SN_NO_MEMORY;
}

/* rest FROM TO x y z */
static snStatus read_rest(snScan *s, snBvhMap *map)
{
    snBvhRest rest = {0};
    snWord word;
    (void)sn_scan_word(s, &word);
    if (map->nrest == SN_BVH_RESTS) return sn_scan_fail(s, "more than %d lines say how the joints rest", SN_BVH_RESTS);
    snStatus status = copy_word(s, map, "a BVH joint", &rest.from);
    if (status == SN_OK) status = copy_word(s, map, "a BVH joint", &rest.to);
    if (status == SN_OK) status = read_direction(s, &rest.direction);
    if (status != SN_OK) return status;
    map->rest[map->nrest++] = rest;
    return SN_OK;
}

snStatus sn_parse_bvh_map(const char *file, const char *data, size_t size, snBvhMap *map, snError *error)
{
    snScan scan = sn_scan_begin(file, data, size, error);
    snStatus status = SN_OK;
    snWord word;
    *map = (snBvhMap){0};
    while (status == SN_OK && sn_scan_line(&scan)) {
        snScan ahead = scan;
        if (!sn_scan_word(&ahead, &word) || word.at[0] == '#') continue;
        status = sn_word_is(word, "rest")        ? read_rest(&scan, map)
                 : bone_kind(word) < NBONE_WORDS ? read_bone(&scan, map)
                                                 : read_line(&scan, map);
    }
    if (status == SN_OK && map->line.count + map->bone.count == 0) {
        status = sn_scan_fail(&scan, "the mapping has no lines");
        sn_error_remedy(error, "remove the # before the lines that you filled in");
    }
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status != SN_OK) sn_bvh_map_free(map);
    return status;
}

void sn_bvh_map_free(snBvhMap *map)
{
    sn_array_free(&map->line);
    sn_array_free(&map->bone);
    sn_arena_free(&map->arena);
}

/* ---- taking rotations apart ----------------------------------------------------------------- */

static quat product(const v3 *axis, int count, const double *angle)
{
    quat q = q_identity();
    for (int i = 0; i < count; ++i) q = q_mul(q, q_axis_angle(axis[i], angle[i]));
    return q;
}

/* One axis: the twist of q about it, the turn nearest to the guess. */
static double twist(quat q, v3 axis, double guess)
{
    double angle = 2 * atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w);
    return angle + 2 * SN_PI * round((guess - angle) / (2 * SN_PI));
}

/* Gauss-Newton on the rotation that is left over; columns of the Jacobian are the axes carried by the turns after. */
void sn_split_rotation(quat q, const v3 *axis, int count, double *angle)
{
    if (count == 1) {
        angle[0] = twist(q, axis[0], angle[0]);
        return;
    }
    for (int round = 0; round < 30; ++round) {
        v3 rest = q_log(q_mul(q_conj(product(axis, count, angle)), q)), column[MAX_AXES];
        double a[9], b[3];
        for (int i = 0; i < count; ++i)
            column[i] = q_unrotate(product(axis + i + 1, count - i - 1, angle + i + 1), axis[i]);
        for (int i = 0; i < count; ++i) {
            b[i] = v3_dot(column[i], rest);
            for (int k = 0; k < count; ++k) a[i * count + k] = v3_dot(column[i], column[k]) + (i == k ? 1e-9 : 0);
        }
        if (!sn_small_cholesky_solve(a, b, count, 1)) return;
        double step = 0;
        for (int i = 0; i < count; ++i) {
            angle[i] += b[i];
            step = fmax(step, fabs(b[i]));
        }
        if (step < 1e-14) return;
    }
}

snStatus sn_load_bvh_map(const char *path, snBvhMap *map, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read_text(path, true, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_bvh_map(path, data, size, map, error);
    sn_free(data);
    return status;
}
