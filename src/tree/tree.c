/* Setting up a tree, its kinematics and its books. Matrices of links are kept as nine and three numbers, because the
 * inertia of a link and the points of muscles are turned by them far more often than they are composed. */
#include "tree/internal.h"

#include "base/alloc.h"

#include <assert.h>

/* Links above a, bits of `mark` in which 1 stands for above a and 2 for above b. */
static void mark_chains(const snTree *tree, int32_t spring, uint8_t *mark)
{
    memset(mark, 0, (size_t)tree->ndof);
    for (int32_t i = tree->spring_a[spring]; i >= 0; i = tree->parent[i]) mark[i] |= 1;
    for (int32_t i = tree->spring_b[spring]; i >= 0; i = tree->parent[i]) mark[i] |= 2;
}

/* Entries of all springs; writes them where work is given. */
static int32_t spring_chains(const snTree *tree, uint8_t *mark, snTreeWork *work)
{
    int32_t count = 0;
    for (int32_t s = 0; s < tree->nspring; ++s) {
        mark_chains(tree, s, mark);
        if (work) work->spring_adr[s] = count;
        for (int32_t i = tree->ndof - 1; i >= 0; --i) {
            if (mark[i] != 1 && mark[i] != 2) continue;
            if (work) work->spring_link[count] = i, work->spring_sign[count] = mark[i] == 1 ? 1 : -1;
            ++count;
        }
    }
    if (work) work->spring_adr[tree->nspring] = count;
    return count;
}

/* Mass, centre and inertia of all bodies on each link. */
static void join_bodies(const snTree *tree, double *neutral)
{
    for (int32_t b = 0; b < tree->nbody; ++b) { /* first about the origin, as sums */
        int32_t i = tree->body_link[b];
        if (i < 0) continue;
        double *at = neutral + SN_INERTIA_SIZE * i;
        v3 c = v3_load(tree->com + 3 * b);
        at[0] += tree->mass[b];
        v3_store(at + 1, v3_mad(v3_load(at + 1), tree->mass[b], c));
        for (int k = 0; k < 6; ++k) at[4 + k] += tree->inertia[6 * b + k];
        sym_add_steiner(at + 4, tree->mass[b], c);
    }
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double *at = neutral + SN_INERTIA_SIZE * i;
        if (!(at[0] > 0)) continue;
        v3 c = v3_scale(v3_load(at + 1), 1 / at[0]);
        v3_store(at + 1, c);
        sym_add_steiner(at + 4, -at[0], c);
    }
}

static void neutral_axes(const snTree *tree, double *S0)
{
    for (int32_t i = 0; i < tree->ndof; ++i) {
        assert(tree->parent[i] < i);
        v3 u = v3_load(tree->axis + 3 * i), c = v3_load(tree->centre + 3 * i);
        assert(fabs(v3_len(u) - 1) < 1e-6 || v3_len2(u) == 0);
        sp_store(S0 + 6 * i, tree->slides[i] ? (spatial){{0, 0, 0}, u} : (spatial){u, v3_cross(c, u)});
    }
}

snTreeWork *sn_tree_create(const snTree *tree)
{
    snTreeWork *work = SN_NEW(snTreeWork);
    uint8_t *mark = SN_NEW_ARRAY(uint8_t, tree->ndof);
    if (!work || !mark) {
        sn_free(work), sn_free(mark);
        return NULL;
    }
    size_t n = (size_t)tree->ndof, entries = (size_t)spring_chains(tree, mark, NULL), springs = (size_t)tree->nspring;
    size_t doubles = n * (9 + 3 + 1 + 6 + 6 + 10 + 6 + 6 + 10 + 6 + SN_TREE_SCRATCH) + entries;
    size_t dense = tree->follows ? n * n : 0;
    work->block = sn_alloc((doubles + dense) * sizeof(double) + (entries + springs + 1) * sizeof(int32_t), 1);
    if (!work->block) {
        sn_free(work), sn_free(mark);
        return NULL;
    }
    double *at = work->block;
    work->rotation = at, at += 9 * n;
    work->shift = at, at += 3 * n;
    work->value = at, at += n;
    work->S = at, at += 6 * n;
    work->bend = at, at += 6 * n;
    work->inertia = at, at += 10 * n;
    work->V = at, at += 6 * n;
    work->bias = at, at += 6 * n;
    work->neutral = at, at += 10 * n;
    work->S0 = at, at += 6 * n;
    work->spring_sign = at, at += entries;
    work->scratch = at, at += SN_TREE_SCRATCH * n;
    work->mass = at, at += dense;
    work->spring_adr = (int32_t *)(void *)at;
    work->spring_link = work->spring_adr + springs + 1;
    spring_chains(tree, mark, work);
    sn_free(mark);
    join_bodies(tree, work->neutral);
    neutral_axes(tree, work->S0);
    return work;
}

void sn_tree_destroy(snTreeWork *work)
{
    if (!work) return;
    sn_free(work->block);
    sn_free(work);
}

/* Kinematics. ------------------------------------------------------------------------------------------------------ */

static const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, unmoved[3] = {0, 0, 0};

/* Turn about the unit vector u by the angle a, row-major. */
static m3 turn_about(v3 u, double a)
{
    double c = cos(a), s = sin(a), t = 2 * sin(a / 2) * sin(a / 2); /* 1 - c without cancelling */
    return (m3){{c + t * u.x * u.x, t * u.x * u.y - s * u.z, t * u.x * u.z + s * u.y, t * u.x * u.y + s * u.z,
                 c + t * u.y * u.y, t * u.y * u.z - s * u.x, t * u.x * u.z - s * u.y, t * u.y * u.z + s * u.x,
                 c + t * u.z * u.z}};
}

/* Inertia of a link's bodies in the world, about the world origin. */
static void place_inertia(const double *neutral, const double *R, const double *p, double *now)
{
    double m = now[0] = neutral[0];
    if (!(m > 0)) {
        memset(now, 0, SN_INERTIA_SIZE * sizeof *now);
        return;
    }
    v3 c = place_point(R, p, v3_load(neutral + 1));
    v3_store(now + 1, v3_scale(c, m));
    sym_turn(R, neutral + 4, now + 4);
    sym_add_steiner(now + 4, m, c);
}

/* Where a link is, and what its axis counts for: the axis becomes dX/ds of the coordinate s that it follows. */
static double follow(const snTree *tree, snTreeWork *work, const double *q, int32_t i)
{
    double at[3], *S = work->S + 6 * i;
    sn_curve_eval(&tree->curve[i], q[tree->follows[i]], at);
    for (int k = 0; k < 6; ++k) work->bend[6 * i + k] = at[2] * S[k], S[k] *= at[1];
    return at[0];
}

static void place_axis(snTreeWork *work, int32_t i, const m3 *parent, v3 shift)
{
    v3 w = m3_mulv(parent, v3_load(work->S0 + 6 * i)), v = m3_mulv(parent, v3_load(work->S0 + 6 * i + 3));
    sp_store(work->S + 6 * i, (spatial){w, v3_add(v, v3_cross(shift, w))});
}

void sn_tree_place(const snTree *tree, snTreeWork *work, const double *q)
{
    for (int32_t i = 0; i < tree->ndof; ++i) {
        int32_t p = tree->parent[i];
        const double *Rp = p < 0 ? unturned : work->rotation + 9 * p, *pp = p < 0 ? unmoved : work->shift + 3 * p;
        double *R = work->rotation + 9 * i, *shift = work->shift + 3 * i;
        v3 u = v3_load(tree->axis + 3 * i), c = v3_load(tree->centre + 3 * i);
        m3 parent;
        memcpy(parent.m, Rp, sizeof parent.m);
        place_axis(work, i, &parent, v3_load(pp));
        double at = work->value[i] = column_of(tree, i) == i ? q[i] : follow(tree, work, q, i);
        if (tree->slides[i] || v3_len2(u) == 0) {
            memcpy(R, Rp, sizeof parent.m);
            v3_store(shift, v3_mad(v3_load(pp), at, m3_mulv(&parent, u)));
        } else {
            m3 turn = turn_about(u, at), all = m3_mul(&parent, &turn);
            memcpy(R, all.m, sizeof all.m);
            v3_store(shift, v3_add(m3_mulv(&parent, v3_sub(c, m3_mulv(&turn, c))), v3_load(pp)));
        }
        place_inertia(work->neutral + SN_INERTIA_SIZE * i, R, shift, work->inertia + SN_INERTIA_SIZE * i);
    }
}

void sn_tree_move(const snTree *tree, snTreeWork *work, const double *q_rate)
{
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double rate = q_rate[column_of(tree, i)];
        spatial V = velocity_above(tree, work, i), Sv = sp_scale(sp_load(work->S + 6 * i), rate);
        spatial bias = sp_cross(V, Sv);
        if (column_of(tree, i) != i) bias = sp_mad(bias, rate * rate, sp_load(work->bend + 6 * i));
        sp_store(work->bias + 6 * i, bias);
        sp_store(work->V + 6 * i, sp_add(V, Sv));
    }
}

void sn_tree_couple(const snTree *tree, double *q, double *v)
{
    for (int32_t i = 0; tree->follows && i < tree->ndof; ++i) {
        double at[3];
        int32_t of = tree->follows[i];
        if (of == i) continue;
        sn_curve_eval(&tree->curve[i], q[of], at);
        q[i] = at[0];
        if (v) v[i] = at[1] * v[of];
    }
}

v3 sn_tree_point(const snTreeWork *work, int32_t link, v3 neutral)
{
    return link < 0 ? neutral : place_point(work->rotation + 9 * link, work->shift + 3 * link, neutral);
}

v3 sn_tree_point_velocity(const snTreeWork *work, int32_t link, v3 neutral)
{
    return link < 0 ? v3_of(0, 0, 0) : sp_at(sp_load(work->V + 6 * link), sn_tree_point(work, link, neutral));
}

rigid sn_tree_motion(const snTreeWork *work, int32_t link)
{
    if (link < 0) return rigid_identity();
    m3 R;
    memcpy(R.m, work->rotation + 9 * link, sizeof R.m);
    return (rigid){q_from_m3(&R), v3_load(work->shift + 3 * link)};
}

void sn_tree_point_jacobian(const snTree *tree, const snTreeWork *work, int32_t link, v3 neutral, double *J, int32_t ld)
{
    v3 p = sn_tree_point(work, link, neutral);
    for (int r = 0; r < 3; ++r) memset(J + (int64_t)r * ld, 0, (size_t)tree->ndof * sizeof *J);
    for (int32_t i = link; i >= 0; i = tree->parent[i]) {
        v3 d = sp_at(sp_load(work->S + 6 * i), p);
        int32_t c = column_of(tree, i);
        J[c] += d.x, J[ld + c] += d.y, J[2 * (int64_t)ld + c] += d.z;
    }
}

void sn_tree_push(const snTree *tree, const snTreeWork *work, int32_t link, v3 neutral, v3 force, double *tau)
{
    spatial wrench = sp_wrench(sn_tree_point(work, link, neutral), force);
    for (int32_t i = link; i >= 0; i = tree->parent[i])
        tau[column_of(tree, i)] += sp_dot(sp_load(work->S + 6 * i), wrench);
}

/* Books. ----------------------------------------------------------------------------------------------------------- */

double sn_tree_kinetic_energy(const snTree *tree, const snTreeWork *work)
{
    double sum = 0;
    for (int32_t i = 0; i < tree->ndof; ++i) {
        spatial V = sp_load(work->V + 6 * i);
        sum += sp_dot(V, sp_inertia_mul(work->inertia + SN_INERTIA_SIZE * i, V)) / 2;
    }
    return sum;
}

double sn_tree_potential_energy(const snTree *tree, const snTreeWork *work, v3 gravity)
{
    double sum = 0;
    for (int32_t i = 0; i < tree->ndof; ++i) sum -= v3_dot(gravity, v3_load(work->inertia + SN_INERTIA_SIZE * i + 1));
    return sum;
}

void sn_tree_momentum(const snTree *tree, const snTreeWork *work, double momentum[6])
{
    spatial sum = sp_zero();
    for (int32_t i = 0; i < tree->ndof; ++i)
        sum = sp_add(sum, sp_inertia_mul(work->inertia + SN_INERTIA_SIZE * i, sp_load(work->V + 6 * i)));
    sp_store(momentum, sum);
}

v3 sn_tree_centre_of_mass(const snTree *tree, const snTreeWork *work, double *mass)
{
    v3 moment = {0, 0, 0};
    double sum = 0;
    for (int32_t i = 0; i < tree->ndof; ++i) {
        moment = v3_add(moment, v3_load(work->inertia + SN_INERTIA_SIZE * i + 1));
        sum += work->inertia[SN_INERTIA_SIZE * i];
    }
    if (mass) *mass = sum;
    return sum > 0 ? v3_scale(moment, 1 / sum) : moment;
}
