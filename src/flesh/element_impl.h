/* Energy and gradient, four octahedra at a time in double. Included by element_portable.c and element_avx2.c only,
 * after the vectors (math/vd_*.h). */
#include "flesh/element.h"

#include <math.h>
#include <string.h>

typedef struct {
    vd x, y, z;
} w3;

VD_INLINE w3 w_add(w3 a, w3 b)
{
    return (w3){a.x + b.x, a.y + b.y, a.z + b.z};
}
VD_INLINE w3 w_sub(w3 a, w3 b)
{
    return (w3){a.x - b.x, a.y - b.y, a.z - b.z};
}
VD_INLINE w3 w_scale(w3 a, vd s)
{
    return (w3){a.x * s, a.y * s, a.z * s};
}
VD_INLINE w3 w_mad(w3 a, vd s, w3 b)
{
    return (w3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
VD_INLINE vd w_dot(w3 a, w3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
VD_INLINE w3 w_cross(w3 a, w3 b)
{
    return (w3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
VD_INLINE vd vd_choose(vmask mask, vd yes, vd no)
{
    return (vd)(((vmask)yes & mask) | ((vmask)no & ~mask));
}

/* Positions of one corner of four octahedra. */
VD_INLINE w3 corner_of(const double *x, const int32_t *node)
{
    vd r[4] = {vd_get(x + 4 * (size_t)node[0]), vd_get(x + 4 * (size_t)node[1]), vd_get(x + 4 * (size_t)node[2]),
               vd_get(x + 4 * (size_t)node[3])};
    vd_transpose(r);
    return (w3){r[0], r[1], r[2]};
}

VD_INLINE vd floats_of(const float *a)
{
    return (vd){(double)a[0], (double)a[1], (double)a[2], (double)a[3]};
}

typedef float vfour __attribute__((vector_size(16)));
typedef int32_t vifour __attribute__((vector_size(16)));

/* J^(-1/3) of J within 0.4 to 60: a third of the exponent's bits is a guess within 4 %, Newton's method on y^-3 = J
 * squares the error four times. */
VD_INLINE vd inverse_cube_root(vd j)
{
    vifour bits = (vifour) __builtin_convertvector(j, vfour);
    bits = 0x54a21d2a - __builtin_convertvector(__builtin_convertvector(bits, vfour) * (1.f / 3), vifour);
    vd y = __builtin_convertvector((vfour)bits, vd);
    for (int i = 0; i < 4; ++i) y = y * (vd_all(4) - j * y * y * y) * vd_all(1.0 / 3);
    return y;
}

/* a and b with their first derivatives. */
typedef struct {
    vd a, b, da, db;
} Powers;

VD_INLINE Powers powers_of(vd j)
{
    vd at = vd_choose((vmask)(j < vd_all(0.4)), vd_all(0.4), j), beyond = j - at;
    at = vd_choose((vmask)(at > vd_all(60)), vd_all(60), at); /* no further: the pressure has long taken over */
    vd y = inverse_cube_root(at), a = y * y, b = a * a, inverse = y * a;
    Powers p = {.da = vd_all(-2.0 / 3) * a * inverse, .db = vd_all(-4.0 / 3) * b * inverse};
    vd low = vd_choose((vmask)(beyond < vd_all(0)), beyond, vd_all(0));
    vd dda = vd_all(-5.0 / 3) * p.da * inverse * low, ddb = vd_all(-7.0 / 3) * p.db * inverse * low;
    p.a = a + beyond * p.da + vd_all(0.5) * low * dda, p.b = b + beyond * p.db + vd_all(0.5) * low * ddb;
    p.da += dda, p.db += ddb;
    return p;
}

/* A tetrahedron's F by columns and cofactors. */
typedef struct {
    w3 c[3], g[3];
    vd j;
} Tet;

VD_INLINE void tet_of(const w3 corner[6], int k, double scale, Tet *t)
{
    vd inverse = vd_all(scale);
    w3 p = corner[2 + k], q = corner[2 + (k + 1) % 4];
    t->c[0] = w_scale(w_sub(corner[1], corner[0]), inverse);
    t->c[1] = w_scale(w_sub(w_add(p, q), w_add(corner[0], corner[1])), inverse);
    t->c[2] = w_scale(w_sub(q, p), inverse);
    t->g[0] = w_cross(t->c[1], t->c[2]), t->g[1] = w_cross(t->c[2], t->c[0]), t->g[2] = w_cross(t->c[0], t->c[1]);
    t->j = w_dot(t->c[0], t->g[0]);
}

/* One muscle of a tetrahedron: adds to the stress by columns, to the factor of the cofactors; returns the energy. */
static vd add_fiber(const snElements *e, const snFiberLanes *f, int lane, const Tet *t, const Powers *p, w3 stress[3],
                    vd *by_j)
{
    vd d[3] = {floats_of(f->direction[0] + lane), floats_of(f->direction[1] + lane), floats_of(f->direction[2] + lane)};
    w3 along = w_mad(w_mad(w_scale(t->c[0], d[0]), d[1], t->c[1]), d[2], t->c[2]);
    vd i4 = w_dot(along, along), energy = vd_all(0), phi = vd_all(0);
    for (int l = 0; l < 4; ++l) {
        double share = (double)f->share[lane + l] * e->material.stress;
        if (share <= 0) continue;
        double square = p->a[l] * i4[l], stretch = sqrt(square > 1e-6 ? square : 1e-6);
        snFiberLaw law = sn_fiber_law(stretch, &e->muscle[f->muscle[lane + l]]);
        energy[l] = share * law.energy;
        phi[l] = 0.5 * share * law.force / stretch;
    }
    w3 pull = w_scale(along, vd_all(2) * phi * p->a);
    for (int c = 0; c < 3; ++c) stress[c] = w_mad(stress[c], d[c], pull);
    *by_j += phi * p->da * i4;
    return energy;
}

/* Energy density, and stress by columns but for the cofactors, whose factor is by_j. whole: tetrahedron over its
 * material. */
VD_INLINE vd stress_of(const snFleshMaterial *m, const Tet *t, const Powers *p, vd whole, w3 stress[3], vd *by_j)
{
    vd c00 = w_dot(t->c[0], t->c[0]), c11 = w_dot(t->c[1], t->c[1]), c22 = w_dot(t->c[2], t->c[2]);
    vd c01 = w_dot(t->c[0], t->c[1]), c12 = w_dot(t->c[1], t->c[2]), c02 = w_dot(t->c[0], t->c[2]);
    vd i1 = c00 + c11 + c22, i2 = c00 * c11 + c11 * c22 + c22 * c00 - c01 * c01 - c12 * c12 - c02 * c02;
    vd one = vd_all(2 * m->mu10) * p->a, two = vd_all(2 * m->mu01) * p->b, own = t->j - vd_all(1);
    stress[0] = w_mad(w_mad(w_scale(t->c[0], one + two * (i1 - c00)), -two * c01, t->c[1]), -two * c02, t->c[2]);
    stress[1] = w_mad(w_mad(w_scale(t->c[1], one + two * (i1 - c11)), -two * c01, t->c[0]), -two * c12, t->c[2]);
    stress[2] = w_mad(w_mad(w_scale(t->c[2], one + two * (i1 - c22)), -two * c02, t->c[0]), -two * c12, t->c[1]);
    vd k = vd_all(m->own * m->kappa), wall = vd_all(SN_WALL * m->kappa) * whole, low = vd_all(SN_J_WALL) - t->j;
    low = vd_choose((vmask)(low > vd_all(0)), low, vd_all(0));
    *by_j = vd_all(m->mu10) * p->da * i1 + vd_all(m->mu01) * p->db * i2 + k * own - vd_all(3) * wall * low * low;
    return vd_all(m->mu10) * (p->a * i1 - vd_all(3)) + vd_all(m->mu01) * (p->b * i2 - vd_all(3)) +
           vd_all(0.5) * k * own * own + wall * low * low * low;
}

/* Pressure and energy of the octahedra from the mean J. */
static void volumes_of(const snElements *e, vd total, vd sum, vd *pressure, vd *energy)
{
    double kappa = e->material.kappa * (1 - e->material.own);
    for (int l = 0; l < 4; ++l) {
        snVolumeLaw law = sn_volume_law(total[l] > 0 ? sum[l] / total[l] : 1, kappa);
        (*pressure)[l] = law.pressure, (*energy)[l] = total[l] * law.energy;
    }
}

/* Least J and number of inverted ones, over lanes with weight. */
static void measure_tets(const Tet tet[4], const vd weight[4], snOctMeasure *m)
{
    for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 4; ++l) {
            if (weight[k][l] <= 0) continue;
            m->least = tet[k].j[l] < m->least ? tet[k].j[l] : m->least;
            m->inverted += tet[k].j[l] <= 0;
            m->volume += weight[k][l] * tet[k].j[l];
        }
}

static void gradient_half(const snElements *e, const snOctBatch *b, int lane, const double *x, snOctGradient *gradient,
                          snOctMeasure *m)
{
    w3 corner[6], force[6], stress[3];
    Tet tet[4];
    double spacing = sn_batch_spacing(e, b);
    vd weight[4], total = vd_all(0), sum = vd_all(0), pressure, energy, by_j, inverse = vd_all(1 / spacing);
    vd volume = vd_all(spacing * spacing * spacing / 12);
    for (int i = 0; i < 6; ++i) corner[i] = corner_of(x, b->node[i] + lane), force[i] = w_scale(corner[i], vd_all(0));
    for (int k = 0; k < 4; ++k) {
        tet_of(corner, k, 1 / spacing, &tet[k]);
        weight[k] = floats_of(b->weight[k] + lane);
        total += weight[k], sum += weight[k] * tet[k].j;
    }
    volumes_of(e, total, sum, &pressure, &energy);
    for (int k = 0; k < 4; ++k) {
        const Tet *t = &tet[k];
        Powers p = powers_of(t->j);
        vd whole = vd_choose((vmask)(weight[k] > vd_all(0)), volume / weight[k], vd_all(0));
        vd density = stress_of(&e->material, t, &p, whole, stress, &by_j), scale = weight[k] * inverse;
        for (int f = 0; f < b->nfiber; ++f)
            density += add_fiber(e, e->fiber + b->fiber + k * b->nfiber + f, lane, t, &p, stress, &by_j);
        by_j += pressure;
        energy += weight[k] * density;
        for (int c = 0; c < 3; ++c) stress[c] = w_scale(w_mad(stress[c], by_j, t->g[c]), scale);
        int i = 2 + k, j = 2 + (k + 1) % 4;
        force[0] = w_sub(w_sub(force[0], stress[0]), stress[1]);
        force[1] = w_sub(w_add(force[1], stress[0]), stress[1]);
        force[i] = w_sub(w_add(force[i], stress[1]), stress[2]);
        force[j] = w_add(w_add(force[j], stress[1]), stress[2]);
    }
    m->energy += vd_sum(energy);
    measure_tets(tet, weight, m);
    for (int i = 0; gradient && i < 6; ++i) {
        vd_put(gradient->value[i][0] + lane, force[i].x);
        vd_put(gradient->value[i][1] + lane, force[i].y);
        vd_put(gradient->value[i][2] + lane, force[i].z);
    }
}

static void gradient_loop(const snElements *e, int32_t batch, const double *x, snOctGradient *gradient, snOctMeasure *m)
{
    *m = (snOctMeasure){.least = INFINITY};
    gradient_half(e, e->batch + batch, 0, x, gradient, m);
    gradient_half(e, e->batch + batch, 4, x, gradient, m);
}
