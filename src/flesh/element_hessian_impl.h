/* The Hessian, eight octahedra at a time in single precision. Included after element_impl.h only. */
typedef float vf __attribute__((vector_size(32)));
typedef float vf_any __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(32)));

typedef struct {
    vf c[3][3], g[3][3]; /* columns of F and of its cofactors */
    vf j;
} TetF;

/* What multiplies what in the Hessian of one tetrahedron, all times its weight / spacing^2. */
typedef struct {
    vf psi1, psi2, by_j;
    vf q[3][3]; /* Hessian += g q' + q g' */
    vf i1, cc[3][3], bb[3][3];
} Coefficients;

VD_INLINE vf vf_all(float a)
{
    return (vf){a, a, a, a, a, a, a, a};
}
VD_INLINE vf vf_get(const float *a)
{
    return *(const vf_any *)(const void *)a;
}
VD_INLINE vf vf_choose(vi mask, vf yes, vf no)
{
    return (vf)(((vi)yes & mask) | ((vi)no & ~mask));
}
VD_INLINE vf vf_max(vf a, vf b)
{
    return vf_choose((vi)(a > b), a, b);
}
VD_INLINE vf vf_abs(vf a)
{
    return (vf)((vi)a & 0x7fffffff);
}
static inline vf vf_sqrt(vf a)
{
    for (int l = 0; l < 8; ++l) a[l] = sqrtf(a[l]);
    return a;
}

VD_INLINE void vf_cross(const vf a[3], const vf b[3], vf to[3])
{
    to[0] = a[1] * b[2] - a[2] * b[1], to[1] = a[2] * b[0] - a[0] * b[2], to[2] = a[0] * b[1] - a[1] * b[0];
}
VD_INLINE vf vf_dot(const vf a[3], const vf b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Differences in double, kept in single precision. */
static void load_tets(const snElements *e, const snOctBatch *b, const double *x, TetF tet[4])
{
    float column[4][3][3][8];
    double inverse = 1 / sn_batch_spacing(e, b);
    for (int lane = 0; lane < 8; lane += 4) {
        w3 corner[6];
        for (int i = 0; i < 6; ++i) corner[i] = corner_of(x, b->node[i] + lane);
        for (int k = 0; k < 4; ++k) {
            Tet t;
            tet_of(corner, k, inverse, &t);
            for (int c = 0; c < 3; ++c)
                for (int l = 0; l < 4; ++l) {
                    column[k][c][0][lane + l] = (float)t.c[c].x[l];
                    column[k][c][1][lane + l] = (float)t.c[c].y[l];
                    column[k][c][2][lane + l] = (float)t.c[c].z[l];
                }
        }
    }
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < 3; ++i) tet[k].c[c][i] = vf_get(column[k][c][i]);
        for (int c = 0; c < 3; ++c) vf_cross(tet[k].c[(c + 1) % 3], tet[k].c[(c + 2) % 3], tet[k].g[c]);
        tet[k].j = vf_dot(tet[k].c[0], tet[k].g[0]);
    }
}

/* a, b with two derivatives: as powers_of. */
typedef struct {
    vf a, b, da, db, dda, ddb;
} PowersF;

static PowersF powers_f(vf j)
{
    vi low = (vi)(j < vf_all(0.4f));
    vf at = vf_choose(low, vf_all(0.4f), j), y, beyond = j - at;
    at = vf_choose((vi)(at > vf_all(60)), vf_all(60), at);
    vi bits = 0x54a21d2a - __builtin_convertvector(__builtin_convertvector((vi)at, vf) * (1.f / 3), vi);
    y = (vf)bits; /* as inverse_cube_root */
    for (int i = 0; i < 3; ++i) y = y * (vf_all(4) - at * y * y * y) * vf_all(1.f / 3);
    vf a = y * y, b = a * a, inverse = a * y;
    PowersF p = {.da = vf_all(-2.f / 3) * a * inverse, .db = vf_all(-4.f / 3) * b * inverse};
    p.dda = vf_all(10.f / 9) * a * inverse * inverse, p.ddb = vf_all(28.f / 9) * b * inverse * inverse;
    vf more = vf_choose(low, beyond, vf_all(0));
    p.a = a + beyond * p.da + vf_all(0.5f) * more * more * p.dda;
    p.b = b + beyond * p.db + vf_all(0.5f) * more * more * p.ddb;
    p.da += more * p.dda, p.db += more * p.ddb;
    return p;
}

/* whole: the scale of a tetrahedron that is full. */
static void coefficients_of(const snFleshMaterial *m, const TetF *t, const PowersF *p, vf pressure, vf scale,
                            float whole, Coefficients *k)
{
    for (int r = 0; r < 3; ++r)
        for (int c = r; c < 3; ++c) {
            k->cc[r][c] = k->cc[c][r] = vf_dot(t->c[r], t->c[c]);
            k->bb[r][c] = k->bb[c][r] = t->c[0][r] * t->c[0][c] + t->c[1][r] * t->c[1][c] + t->c[2][r] * t->c[2][c];
        }
    vf i1 = k->cc[0][0] + k->cc[1][1] + k->cc[2][2];
    vf i2 = k->cc[0][0] * k->cc[1][1] + k->cc[1][1] * k->cc[2][2] + k->cc[2][2] * k->cc[0][0] -
            k->cc[0][1] * k->cc[0][1] - k->cc[1][2] * k->cc[1][2] - k->cc[0][2] * k->cc[0][2];
    vf m1 = vf_all((float)m->mu10) * scale, m2 = vf_all((float)m->mu01) * scale;
    vf own = vf_all((float)(m->own * m->kappa)) * scale;
    vf wall = vf_all((float)(SN_WALL * m->kappa) * whole), low = vf_all((float)SN_J_WALL) - t->j;
    low = vf_choose((vi)((low > vf_all(0)) & (scale > vf_all(0))), low, vf_all(0));
    k->i1 = i1, k->psi1 = m1 * p->a, k->psi2 = m2 * p->b;
    k->by_j =
        m1 * p->da * i1 + m2 * p->db * i2 + own * (t->j - vf_all(1)) - vf_all(3) * wall * low * low + pressure * scale;
    vf half = vf_all(0.5f) * (m1 * p->dda * i1 + m2 * p->ddb * i2 + own + vf_all(6) * wall * low),
       one = vf_all(2) * m1 * p->da, two = vf_all(2) * m2 * p->db;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i) {
            vf fc = t->c[0][i] * k->cc[0][c] + t->c[1][i] * k->cc[1][c] + t->c[2][i] * k->cc[2][c];
            k->q[c][i] = (one + two * i1) * t->c[c][i] - two * fc + half * t->g[c][i];
        }
}

/* Fibres: what they add beside a rank-one term, which is kept in gs and factor. */
typedef struct {
    vf gs[3][3], factor, diagonal[3][3]; /* += factor gs gs', += diagonal[p][q] identity */
} FiberTerm;

static void fiber_term(const snElements *e, const snFiberLanes *f, const TetF *t, const PowersF *p, vf scale,
                       bool project, Coefficients *k, FiberTerm *term)
{
    vf d[3] = {vf_get(f->direction[0]), vf_get(f->direction[1]), vf_get(f->direction[2])}, along[3];
    vf first = vf_all(0), second = vf_all(0);
    for (int i = 0; i < 3; ++i) along[i] = t->c[0][i] * d[0] + t->c[1][i] * d[1] + t->c[2][i] * d[2];
    vf i4 = vf_dot(along, along);
    for (int l = 0; l < 8; ++l) {
        double share = (double)f->share[l] * e->material.stress;
        if (share <= 0) continue;
        double square = (double)(p->a[l] * i4[l]), stretch = sqrt(square > 1e-6 ? square : 1e-6);
        snFiberLaw law = sn_fiber_law(stretch, &e->muscle[f->muscle[l]]);
        double slope = project ? fmax(law.slope, 0) : law.slope;
        first[l] = (float)(0.5 * share * law.force / stretch);
        second[l] = (float)(0.25 * share * (slope - law.force / stretch) / (stretch * stretch));
    }
    first *= scale, second *= scale;
    vf keep = project ? vf_all(0) : vf_all(1);
    term->factor = second;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i) {
            vf g4 = vf_all(2) * along[i] * d[c];
            term->gs[c][i] = p->a * g4 + keep * p->da * i4 * t->g[c][i];
            term->diagonal[c][i] = vf_all(2) * first * p->a * d[c] * d[i];
            k->q[c][i] += keep * first * (p->da * g4 + vf_all(0.5f) * p->dda * i4 * t->g[c][i]);
        }
    k->by_j += keep * first * p->da * i4;
}

/* Block of columns (p, q) of the Hessian by F: to[i][j]. */
VD_INLINE void plain_block(const TetF *t, const Coefficients *k, int p, int q, vf to[3][3])
{
    static const float turn[3] = {1, -1, 1}; /* sign of the third column between (0,1), (0,2), (1,2) */
    vf two = k->psi2 + k->psi2, four = two + two;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            vf v = four * t->c[p][i] * t->c[q][j] - two * t->c[q][i] * t->c[p][j] + t->g[p][i] * k->q[q][j] +
                   k->q[p][i] * t->g[q][j];
            if (i == j) v -= two * k->cc[p][q];
            if (p == q) v -= two * k->bb[i][j];
            if (i == j && p == q) v += two * k->i1 + k->psi1 + k->psi1;
            to[i][j] = v;
        }
    if (p == q) return;
    const vf *r = t->c[3 - p - q];
    vf s = vf_all(-turn[p + q - 1]) * k->by_j; /* -[r]x for (0,1) and (1,2), +[r]x for (0,2) */
    to[0][1] -= s * r[2], to[0][2] += s * r[1];
    to[1][0] += s * r[2], to[1][2] -= s * r[0];
    to[2][0] -= s * r[1], to[2][1] += s * r[0];
}

static void plain_hessian(const TetF *t, const Coefficients *k, vf h[6][3][3])
{
    for (int p = 0, at = 0; p < 3; ++p)
        for (int q = p; q < 3; ++q, ++at) plain_block(t, k, p, q, h[at]);
}

static void add_fiber_term(const FiberTerm *f, vf h[6][3][3])
{
    for (int p = 0, at = 0; p < 3; ++p)
        for (int q = p; q < 3; ++q, ++at)
            for (int i = 0; i < 3; ++i) {
                vf left = f->factor * f->gs[p][i];
                for (int j = 0; j < 3; ++j) h[at][i][j] += left * f->gs[q][j];
                h[at][i][i] += f->diagonal[p][q];
            }
}

/* Adds row node a, column node b, given by their coefficients of the three columns of F. */
VD_INLINE void add_pair(vf h[6][3][3], const int a[3], const int b[3], float *to)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            vf sum = vf_all(0);
            for (int p = 0; p < 3; ++p)
                for (int q = 0; q < 3; ++q) {
                    int sign = a[p] * b[q];
                    if (sign == 0) continue;
                    vf v = p <= q ? h[at[p][q]][i][j] : h[at[p][q]][j][i];
                    if (sign > 0)
                        sum += v;
                    else
                        sum -= v;
                }
            vf_any *cell = (vf_any *)(void *)(to + 8 * (3 * j + i));
            *cell += sum;
        }
}

static const int CORNER[4][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, -1}, {0, 1, 1}};

/* The ten pairs of a tetrahedron's corners into the octahedron's. */
static void add_tet(vf h[6][3][3], int k, snOctHessian *to)
{
    int i = 2 + k, j = 2 + (k + 1) % 4;
    add_pair(h, CORNER[0], CORNER[0], to->value[sn_oct_pair(0, 0)][0]);
    add_pair(h, CORNER[0], CORNER[1], to->value[sn_oct_pair(0, 1)][0]);
    add_pair(h, CORNER[1], CORNER[1], to->value[sn_oct_pair(1, 1)][0]);
    add_pair(h, CORNER[0], CORNER[2], to->value[sn_oct_pair(0, i)][0]);
    add_pair(h, CORNER[0], CORNER[3], to->value[sn_oct_pair(0, j)][0]);
    add_pair(h, CORNER[1], CORNER[2], to->value[sn_oct_pair(1, i)][0]);
    add_pair(h, CORNER[1], CORNER[3], to->value[sn_oct_pair(1, j)][0]);
    add_pair(h, CORNER[2], CORNER[2], to->value[sn_oct_pair(i, i)][0]);
    add_pair(h, CORNER[3], CORNER[3], to->value[sn_oct_pair(j, j)][0]);
    if (i < j)
        add_pair(h, CORNER[2], CORNER[3], to->value[sn_oct_pair(i, j)][0]);
    else
        add_pair(h, CORNER[3], CORNER[2], to->value[sn_oct_pair(j, i)][0]);
}

/* The rank-one term of the octahedron's own pressure: slope / total n n', n the gradient of the weighted sum of J. */
static void add_volume(const TetF tet[4], const vf weight[4], vf factor, snOctHessian *to)
{
    vf n[6][3];
    memset(n, 0, sizeof n);
    for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 4; ++c) {
            int at = c < 2 ? c : c == 2 ? 2 + k : 2 + (k + 1) % 4;
            for (int p = 0; p < 3; ++p)
                for (int i = 0; CORNER[c][p] && i < 3; ++i)
                    n[at][i] += vf_all((float)CORNER[c][p]) * weight[k] * tet[k].g[p][i];
        }
    for (int a = 0; a < 6; ++a)
        for (int b = a; b < 6; ++b)
            for (int j = 0; j < 3; ++j) {
                vf right = factor * n[b][j];
                for (int i = 0; i < 3; ++i) {
                    vf_any *cell = (vf_any *)(void *)to->value[sn_oct_pair(a, b)][3 * j + i];
                    *cell += n[a][i] * right;
                }
            }
}

#include "flesh/element_project_impl.h"

/* Elements that are nearly crushed or twice their size have negative eigenvalues: they are projected in any case. */
static bool is_crushed(const snOctBatch *b, const TetF tet[4])
{
    for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 8; ++l)
            if (b->weight[k][l] > 0 && tet[k].j[l] < (float)SN_J_CRUSHED) return true;
    return false;
}

static void hessian_loop(const snElements *e, int32_t batch, const double *x, bool project, snOctHessian *to)
{
    const snOctBatch *b = e->batch + batch;
    TetF tet[4];
    vf weight[4], total = vf_all(0), sum = vf_all(0), pressure = vf_all(0), factor = vf_all(0), h[6][3][3];
    double spacing = sn_batch_spacing(e, b);
    float inverse2 = (float)(1 / (spacing * spacing)), whole = (float)(spacing / 12);
    memset(to, 0, sizeof *to);
    load_tets(e, b, x, tet);
    project = project || is_crushed(b, tet);
    for (int k = 0; k < 4; ++k) {
        weight[k] = vf_get(b->weight[k]);
        total += weight[k], sum += weight[k] * tet[k].j;
    }
    for (int l = 0; l < 8; ++l) {
        if (!(total[l] > 0)) continue;
        snVolumeLaw law = sn_volume_law((double)(sum[l] / total[l]), e->material.kappa * (1 - e->material.own));
        pressure[l] = (float)law.pressure, factor[l] = (float)law.slope / total[l] * inverse2;
    }
    for (int k = 0; k < 4; ++k) {
        vf scale = weight[k] * vf_all(inverse2);
        PowersF p = powers_f(tet[k].j);
        Coefficients c;
        FiberTerm fiber[SN_OCT_FIBERS];
        coefficients_of(&e->material, &tet[k], &p, pressure, scale, whole, &c);
        for (int f = 0; f < b->nfiber; ++f)
            fiber_term(e, e->fiber + b->fiber + k * b->nfiber + f, &tet[k], &p, scale, project, &c, &fiber[f]);
        if (project)
            projected_hessian(&tet[k], &c, h);
        else
            plain_hessian(&tet[k], &c, h);
        for (int f = 0; f < b->nfiber; ++f) add_fiber_term(&fiber[f], h);
        add_tet(h, k, to);
    }
    add_volume(tet, weight, factor, to);
}
