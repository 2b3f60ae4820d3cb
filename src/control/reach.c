#include "control/reach.h"

#include "base/alloc.h"

#include <math.h>

struct snReach {
    const snModel *m;
    int32_t n;
    int32_t *joint;  /* those to clamp, parents first */
    double *scratch; /* ncoord */
};

static bool is_held(const snModel *m, int32_t body)
{
    return body < 0 || !sn_body_is_free(m, body);
}

snReach *sn_reach_create(const snModel *m, const uint8_t *has_target)
{
    snReach *r = SN_NEW(snReach);
    if (!r) return NULL;
    r->m = m;
    r->joint = SN_NEW_ARRAY(int32_t, m->njoint);
    r->scratch = SN_NEW_ARRAY(double, m->ncoord);
    uint8_t *known = SN_NEW_ARRAY(uint8_t, m->nbody), *used = SN_NEW_ARRAY(uint8_t, m->njoint);
    bool ok = r->joint && r->scratch && known && used;
    for (bool more = ok; more;) {
        more = false;
        for (int32_t j = 0; j < m->njoint; ++j) {
            int32_t a = m->joint_a[j], b = m->joint_b[j];
            if (used[j] || b < 0 || is_held(m, b) || known[b] || !has_target[b]) continue;
            if (!is_held(m, a) && !known[a]) continue;
            r->joint[r->n++] = j;
            used[j] = known[b] = 1;
            more = true;
        }
    }
    sn_free(known);
    sn_free(used);
    if (ok) return r;
    sn_reach_destroy(r);
    return NULL;
}

void sn_reach_destroy(snReach *r)
{
    if (!r) return;
    sn_free(r->joint);
    sn_free(r->scratch);
    sn_free(r);
}

static rigid pose_of(const rigid *body, int32_t b)
{
    return b < 0 ? rigid_identity() : body[b];
}

/* Two passes: all coordinates are read from the poses as given before the first parent is moved. */
void sn_reach_clamp(const snReach *r, rigid *body, double *worst)
{
    const snModel *m = r->m;
    double row[12 * SN_JOINT_MAX_DOF];
    for (int32_t i = 0; i < r->n; ++i) {
        int32_t j = r->joint[i], c0 = m->joint_coordadr[j];
        sn_joint_coordinates(&m->joint[j], pose_of(body, m->joint_a[j]), pose_of(body, m->joint_b[j]), r->scratch + c0,
                             row);
        for (int32_t c = c0; c < m->joint_coordadr[j + 1]; ++c) {
            double value = fmin(fmax(r->scratch[c], m->coord_lower[c]), m->coord_upper[c]);
            worst[c] = fmax(worst[c], fabs(r->scratch[c] - value));
            r->scratch[c] = value;
        }
    }
    for (int32_t i = 0; i < r->n; ++i) {
        int32_t j = r->joint[i];
        body[m->joint_b[j]] =
            sn_joint_place(&m->joint[j], pose_of(body, m->joint_a[j]), r->scratch + m->joint_coordadr[j]);
    }
}
