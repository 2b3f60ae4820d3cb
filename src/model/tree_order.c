#include "model/tree_order.h"

#include <string.h>

bool sn_tree_is_world(const snSpec *spec, const char *body)
{
    return !*body || (strcmp(body, "world") == 0 && !sn_spec_find(spec, SN_KIND_BODY, body));
}

static bool moves(const snSpec *spec, snId coordinate, const char *body)
{
    return strcmp(sn_spec_coordinate(spec, coordinate)->body, body) == 0;
}

snId sn_tree_first(const snSpec *spec, const char *body)
{
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_COORDINATE); ++id)
        if (moves(spec, id, body)) return id;
    return 0;
}

snId sn_tree_last(const snSpec *spec, const char *body)
{
    for (snId id = sn_spec_count(spec, SN_KIND_COORDINATE); id > 0; --id)
        if (moves(spec, id, body)) return id;
    return 0;
}

const char *sn_tree_carrier(const snSpec *spec, const char *body)
{
    return sn_tree_first(spec, body) ? body : "";
}

static bool is_placed(const snId *order, int32_t n, snId id)
{
    for (int32_t i = 0; i < n; ++i)
        if (order[i] == id) return true;
    return false;
}

/* The coordinate that must stand before: the one before it of its body, or the last one of its parent; 0: none. */
static snId needed(const snSpec *spec, snId id)
{
    const snCoordinateDef *d = sn_spec_coordinate(spec, id);
    for (snId k = id - 1; k > 0; --k)
        if (moves(spec, k, d->body)) return k;
    return sn_tree_last(spec, d->parent);
}

int32_t sn_tree_order(const snSpec *spec, snId *order)
{
    int32_t n = sn_spec_count(spec, SN_KIND_COORDINATE), placed = 0;
    for (bool more = true; more;) {
        more = false;
        for (snId id = 1; id <= n; ++id) {
            if (is_placed(order, placed, id)) continue;
            snId before = needed(spec, id);
            if (before && !is_placed(order, placed, before)) continue;
            order[placed++] = id;
            more = true;
        }
    }
    for (snId id = 1; id <= n && placed < n; ++id)
        if (!is_placed(order, placed, id)) {
            order[placed] = id;
            break;
        }
    return placed;
}
