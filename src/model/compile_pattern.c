/* The pattern of the KKT system: which row touches whom. */
#include "model/compile.h"

static snStatus own_rows(snCompiler *c)
{
    snModel *m = c->m;
    snKktPattern *p = &m->pattern;
    int32_t nlast = m->strand_constraintadr[m->nspline], nown = 0;
    for (int32_t i = 0; i < nlast; ++i) nown += m->constraint[i].nrow;
    int32_t *body, *adr;
    if (!COMPILE_ARRAY(c, body, nown) || !COMPILE_ARRAY(c, adr, m->nspline + 1)) return SN_NO_MEMORY;
    int32_t row = 0;
    for (int32_t s = 0; s < m->nspline; ++s) {
        adr[s] = row;
        for (int32_t i = m->strand_constraintadr[s]; i < m->strand_constraintadr[s + 1]; ++i) {
            snConstraint *k = &m->constraint[i];
            k->row = row;
            for (int32_t r = 0; r < k->nrow; ++r) body[row++] = m->body_free[k->body];
        }
    }
    adr[m->nspline] = row;
    p->nown = nown, p->own_body = body, p->strand_ownadr = adr;
    return SN_OK;
}

static snStatus link_rows(snCompiler *c)
{
    snModel *m = c->m;
    int32_t first = m->strand_constraintadr[m->nstrand], nlink = 0, npart = 0;
    for (int32_t i = first; i < m->nconstraint; ++i)
        nlink += m->constraint[i].nlink, npart += 2 * m->constraint[i].nlink;
    for (int32_t i = 0; i < m->ndivision; ++i)
        ++nlink, npart += 2 * m->division[i].nstation * m->volume[m->division[i].group].nstrand;
    int32_t *adr, *strand, link = 0, part = 0;
    if (!COMPILE_ARRAY(c, adr, nlink + 1) || !COMPILE_ARRAY(c, strand, npart)) return SN_NO_MEMORY;
    for (int32_t i = first; i < m->nconstraint; ++i) {
        snConstraint *k = &m->constraint[i];
        k->link = link;
        for (int32_t r = 0; r < k->nlink; ++r) {
            adr[link++] = part;
            strand[part++] = k->strand;
            strand[part++] = k->other;
        }
    }
    for (int32_t i = 0; i < m->ndivision; ++i) {
        snDivision *d = &m->division[i];
        const snVolume *v = &m->volume[d->group];
        d->link = link;
        adr[link++] = part;
        for (int32_t k = 0; k < 2 * d->nstation * v->nstrand; ++k) /* point and tangent of each strand */
            strand[part++] = v->strand[k / 2 % v->nstrand];
    }
    adr[link] = part;
    m->pattern.nlink = link, m->pattern.npart = part;
    m->pattern.link_partadr = adr, m->pattern.part_strand = strand;
    return SN_OK;
}

static int32_t free_body(const snModel *m, int32_t body)
{
    return body < 0 ? -1 : m->body_free[body];
}

static int32_t number_joint_rows(snModel *m)
{
    int32_t row = 0;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_rowadr[j] < 0) continue;
        m->joint_rowadr[j] = row;
        row += sn_joint_rows(m->joint[j].kind);
    }
    for (int32_t j = 0; j < m->njoint; ++j)
        for (int32_t k = m->joint_coordadr[j]; k < m->joint_coordadr[j + 1]; ++k) {
            bool limited = m->joint_rowadr[j] >= 0 && (m->coord_lower[k] > -1e300 || m->coord_upper[k] < 1e300);
            m->coord_limit_row[k] = limited ? row++ : -1;
        }
    for (int32_t j = 0; j < m->njoint; ++j) {
        snCone *cone = &m->joint_cone[j];
        cone->swing_row = m->joint_rowadr[j] >= 0 && cone->swings ? row++ : -1;
        cone->twist_row = m->joint_rowadr[j] >= 0 && cone->twists ? row++ : -1;
    }
    return row;
}

static void set_bodies(const snModel *m, int32_t *body, int32_t row, int32_t joint)
{
    body[2 * row] = free_body(m, m->joint_a[joint]);
    body[2 * row + 1] = free_body(m, m->joint_b[joint]);
}

static snStatus joint_rows(snCompiler *c)
{
    snModel *m = c->m;
    int32_t n = number_joint_rows(m), *body;
    if (!COMPILE_ARRAY(c, body, 2 * n)) return SN_NO_MEMORY;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_rowadr[j] < 0) continue;
        for (int32_t r = 0; r < sn_joint_rows(m->joint[j].kind); ++r) set_bodies(m, body, m->joint_rowadr[j] + r, j);
        for (int32_t k = m->joint_coordadr[j]; k < m->joint_coordadr[j + 1]; ++k)
            if (m->coord_limit_row[k] >= 0) set_bodies(m, body, m->coord_limit_row[k], j);
        if (m->joint_cone[j].swing_row >= 0) set_bodies(m, body, m->joint_cone[j].swing_row, j);
        if (m->joint_cone[j].twist_row >= 0) set_bodies(m, body, m->joint_cone[j].twist_row, j);
    }
    m->pattern.njoint = n;
    m->pattern.joint_body = body;
    return SN_OK;
}

static bool has_spring(const snModel *m, int32_t j)
{
    for (int32_t k = m->joint_coordadr[j]; k < m->joint_coordadr[j + 1]; ++k)
        if (m->coord_stiffness[k] != 0 || m->coord_damping[k] != 0) return true;
    return false;
}

/* The block of two free bodies, made where it is not there yet; -1 where one of them is not
 * free or both are the same. */
static int32_t find_pair(snModel *m, int32_t *pair, int32_t a, int32_t b)
{
    int32_t k = 0, low = a < b ? a : b, high = a < b ? b : a;
    if (low < 0 || low == high) return -1;
    while (k < m->pattern.npair && (pair[2 * k] != low || pair[2 * k + 1] != high)) ++k;
    if (k == m->pattern.npair) pair[2 * k] = low, pair[2 * k + 1] = high, ++m->pattern.npair;
    return k;
}

/* All bodies along a cord pull at each other. */
static snStatus cord_pairs(snCompiler *c, int32_t *pair)
{
    snModel *m = c->m;
    for (int32_t i = 0; i < m->ncord; ++i) {
        snPathCord *k = &m->cord[i];
        int32_t n = k->cord.nslot, *table;
        if (!COMPILE_ARRAY(c, table, n * n)) return SN_NO_MEMORY;
        for (int32_t e = 0; e < n * n; ++e)
            table[e] = find_pair(m, pair, m->body_free[k->body[e / n]], m->body_free[k->body[e % n]]);
        k->pair = table;
    }
    return SN_OK;
}

/* One 6x6 block per pair of free bodies with a joint spring or a cord between them; several may share one. */
static snStatus pairs(snCompiler *c)
{
    snModel *m = c->m;
    int32_t *pair;
    int64_t most = m->njoint;
    for (int32_t i = 0; i < m->ncord; ++i) most += m->cord[i].cord.nslot * (m->cord[i].cord.nslot - 1) / 2;
    if (!COMPILE_ARRAY(c, pair, 2 * most)) return SN_NO_MEMORY;
    m->pattern.npair = 0;
    for (int32_t j = 0; j < m->njoint; ++j) {
        int32_t a = free_body(m, m->joint_a[j]), b = free_body(m, m->joint_b[j]);
        m->joint_pair[j] = has_spring(m, j) ? find_pair(m, pair, a, b) : -1;
    }
    m->pattern.pair_body = pair;
    return cord_pairs(c, pair);
}

snStatus sn_compile_pattern(snCompiler *c)
{
    snModel *m = c->m;
    m->pattern.nbody = m->nfree;
    m->pattern.nstrand = m->nspline;
    m->pattern.npoint = m->nspline_point;
    m->pattern.strand_pointadr = m->strand_pointadr;
    snStatus status = own_rows(c);
    if (status == SN_OK) status = link_rows(c);
    if (status == SN_OK) status = joint_rows(c);
    if (status == SN_OK) status = pairs(c);
    return status;
}
