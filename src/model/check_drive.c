/* Whether muscles can move what they are asked to move: the sign of their arms in the drawn pose, straight paths. */
#include "model/check.h"
#include "model/tree_order.h"

#include <string.h>

static const double no_arm = 1e-5; /* m: less does not count as a way */

/* Parents of the bodies by id, 0: the world or a fixed body. NULL when out of memory. */
static snId *find_parents(snChecker *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_BODY) + 1;
    snId *parent = sn_arena_alloc(&c->memory, (size_t)n, sizeof *parent);
    if (!parent) {
        c->no_memory = true;
        return NULL;
    }
    for (snId k = 1; k <= sn_spec_count(c->spec, SN_KIND_COORDINATE); ++k) {
        const snCoordinateDef *d = sn_spec_coordinate(c->spec, k);
        parent[sn_spec_find(c->spec, SN_KIND_BODY, d->body)] = sn_spec_find(c->spec, SN_KIND_BODY, d->parent);
    }
    return parent;
}

static bool is_carried(const snId *parent, snId body, snId by)
{
    while (body && body != by) body = parent[body];
    return body == by;
}

/* dl/dq of a path in the drawn pose. */
static double slope_of(const snSpec *spec, const snId *parent, const snCoordinateDef *q, const snLineMuscleDef *m)
{
    char name[SN_NAME_MAX + 1];
    const char *list = m->bodies;
    snId moved = sn_spec_find(spec, SN_KIND_BODY, q->body);
    v3 axis = v3_load(q->axis), center = v3_load(q->center), before = {0, 0, 0};
    double sum = 0;
    for (int32_t i = 0; i < m->npoint && sn_next_name(&list, name); ++i) {
        v3 p = v3_load(m->point + 3 * i);
        v3 after = i + 1 < m->npoint ? v3_unit(v3_sub(v3_load(m->point + 3 * i + 3), p)) : v3_of(0, 0, 0);
        v3 rate = q->type == SN_COORDINATE_TURN ? v3_cross(axis, v3_sub(p, center)) : axis;
        if (is_carried(parent, sn_spec_find(spec, SN_KIND_BODY, name), moved))
            sum += v3_dot(v3_sub(before, after), rate);
        before = after;
    }
    return sum;
}

void sn_check_drive(snChecker *c)
{
    const snId *parent = find_parents(c);
    for (snId k = 1; parent && k <= sn_spec_count(c->spec, SN_KIND_COORDINATE); ++k) {
        const snCoordinateDef *q = sn_spec_coordinate(c->spec, k);
        bool up = false, down = false;
        for (snId id = 1; q->driven && id <= sn_spec_count(c->spec, SN_KIND_LINE_MUSCLE) && !(up && down); ++id) {
            const snLineMuscleDef *m = sn_spec_line_muscle(c->spec, id);
            double slope = m->enabled ? slope_of(c->spec, parent, q, m) : 0;
            up = up || slope < -no_arm;
            down = down || slope > no_arm;
        }
        if (!q->driven || (up && down)) continue;
        sn_check_warning(c, SN_KIND_COORDINATE, k, "add a muscle, or set driven to false",
                         up || down ? "muscles move it one way only" : "no muscle moves it");
    }
}
