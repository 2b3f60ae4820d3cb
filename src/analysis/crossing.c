/* Strands and joints: see crossing.h. */
#include "analysis/crossing.h"

#include <math.h>
#include <string.h>

void sn_mark_distal(const snModel *m, int32_t joint, uint8_t *distal)
{
    memset(distal, 0, (size_t)m->nbody);
    distal[m->joint_b[joint]] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int32_t j = 0; j < m->njoint; ++j) {
            int32_t a = m->joint_a[j], b = m->joint_b[j];
            if (j == joint || a < 0 || b < 0 || !distal[a] || distal[b]) continue;
            distal[b] = 1;
            more = true;
        }
    }
}

int32_t sn_body_near(const snModel *m, int32_t strand, double s)
{
    int32_t body = -1;
    double best = INFINITY;
    for (int32_t k = m->strand_constraintadr[strand]; k < m->strand_constraintadr[strand + 1]; ++k) {
        double far = fabs(m->constraint[k].s - s);
        if (far < best) best = far, body = m->constraint[k].body;
    }
    return body;
}

bool sn_is_junction(const snConstraint *c)
{
    return c->type == SN_CONSTRAINT_FIXED && c->other >= 0;
}

int32_t sn_junction_body(const snModel *m, int32_t constraint)
{
    const snConstraint *c = &m->constraint[constraint];
    return sn_is_junction(c) ? sn_body_near(m, c->other, c->other_s) : -1;
}
