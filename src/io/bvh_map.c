/* The mapping file from the joints of a BVH file to the joint coordinates of a model, and rotations taken apart. */
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
    if (!strchr(line->coordinate, '.')) return sn_scan_fail(s, "\"%.80s\" is not joint.coordinate", line->coordinate);
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

/* rest FROM TO x y z */
static snStatus read_rest(snScan *s, snBvhMap *map)
{
    snBvhRest rest = {0};
    snWord word;
    double axis[3];
    (void)sn_scan_word(s, &word);
    if (map->nrest == 2) return sn_scan_fail(s, "more than two lines say how the joints rest");
    snStatus status = copy_word(s, map, "a BVH joint", &rest.from);
    if (status == SN_OK) status = copy_word(s, map, "a BVH joint", &rest.to);
    for (int k = 0; k < 3 && status == SN_OK; ++k) status = sn_scan_number(s, "a direction", &axis[k]);
    if (status != SN_OK) return status;
    if (v3_len(v3_load(axis)) < 1e-6) return sn_scan_fail(s, "the direction is zero");
    rest.direction = v3_unit(v3_load(axis));
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
        status = sn_word_is(word, "rest") ? read_rest(&scan, map) : read_line(&scan, map);
    }
    if (status == SN_OK && map->line.count == 0) status = sn_scan_fail(&scan, "the mapping has no lines");
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status != SN_OK) sn_bvh_map_free(map);
    return status;
}

void sn_bvh_map_free(snBvhMap *map)
{
    sn_array_free(&map->line);
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
