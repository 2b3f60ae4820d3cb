/* Paths as lines of straight pieces, for replays and pictures. */
#include "path/internal.h"

static bool has_wrap(const snPathSet *set, int32_t path, int32_t k)
{
    return set->point_wrap && k + 1 < set->pointadr[path + 1] && set->point_wrap[k] >= 0;
}

int32_t sn_path_drawn_count(const snPathSet *set, int32_t path)
{
    int32_t count = set->pointadr[path + 1] - set->pointadr[path];
    for (int32_t k = set->pointadr[path]; k < set->pointadr[path + 1]; ++k)
        if (has_wrap(set, path, k)) count += SN_PATH_ARC;
    return count;
}

static void draw_wrapped(const snPathSet *set, const snPathLinks *links, int32_t k, v3 a, v3 b, v3 *on)
{
    pathWrap wrap;
    if (path_wrap_at(set, links, k, &wrap) && path_segment(a, b, &wrap, false).touches) {
        path_arc(a, b, &wrap, SN_PATH_ARC, on);
        return;
    }
    for (int i = 0; i < SN_PATH_ARC; ++i) on[i] = v3_lerp(a, b, (i + 1.0) / (SN_PATH_ARC + 1));
}

void sn_path_drawn(const snPathSet *set, const snPathLinks *links, int32_t path, double *point)
{
    for (int32_t k = set->pointadr[path]; k < set->pointadr[path + 1]; ++k) {
        v3 a = path_placed(links, set->point_link[k], v3_load(set->point + 3 * k), true), on[SN_PATH_ARC];
        v3_store(point, a), point += 3;
        if (!has_wrap(set, path, k)) continue;
        v3 b = path_placed(links, set->point_link[k + 1], v3_load(set->point + 3 * k + 3), true);
        draw_wrapped(set, links, k, a, b, on);
        for (int i = 0; i < SN_PATH_ARC; ++i) v3_store(point, on[i]), point += 3;
    }
}
