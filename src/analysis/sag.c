/* The way down: lack, metric, step. With W the mean over the vertices of J'J (J: their velocities by those of the
 * coordinates, over SPAN) and u what is unmet, activations leave the least u' W^-1 u, and the coordinates go along
 * -W^-1 u. */
#include "analysis/sag.h"

#include "base/alloc.h"
#include "control/inverse.h"
#include "sim/plant.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 400, ARRIVE = 10 }; /* poses at most; steps until nothing tells of the pose before */
static const double HELD = 5e-5;    /* N m, N: so little is nothing; a passive joint moves by 0.2 degrees for it */
static const double STRIDE = 2e-5;  /* m, rms over the vertices: a step along the way */
static const double TURNED = 2e-7;  /* m: shorter steps have found where the lack turns round */
static const double SPAN = 0.03;    /* m per rad: a mean lever that W counts as one */
static const double SMALL = 1e-5;   /* rad, m: of a coordinate, for central differences */
static const double FIRM = 1e-6;    /* part of W that is added to its diagonal */

/* Moments of the vertices of a body, in its frame. */
typedef struct Shape {
    double count;
    v3 sum;
    m3 square;
} Shape;

struct snSag {
    const snModel *m;
    double most;
    snState *s;
    snInverse *inverse;
    Shape *shape;                        /* nbody; empty where a body is not free */
    double count;                        /* of all vertices */
    rigid *wanted, *body, *low, *high;   /* nbody: as asked for, as it is, for differences */
    double *shift, *coord, *way, *lever; /* ncoord; lever: root times what is unmet */
    double *twist;                       /* ncoord x 6 nbody, in axes of the bodies */
    double *root;                        /* ncoord x ncoord: inverse of the lower Cholesky factor of W */
    double *factor;
};

/* ---- the metric ------------------------------------------------------------------------------- */

static Shape shape_of(const snModel *m, int32_t b)
{
    Shape p = {0};
    for (int32_t k = m->body_vertexadr[b]; k < m->body_vertexadr[b + 1]; ++k) {
        const double *x = m->body_vertex + 3 * k;
        p.count += 1;
        p.sum = v3_add(p.sum, v3_load(x));
        for (int i = 0; i < 9; ++i) p.square.m[i] += x[i / 3] * x[i % 3];
    }
    return p;
}

/* Sum over the vertices of the product of two velocities: omega and v each. */
static double product(const Shape *p, const double *a, const double *b)
{
    v3 wa = v3_load(a), va = v3_load(a + 3), wb = v3_load(b), vb = v3_load(b + 3);
    double trace = p->square.m[0] + p->square.m[4] + p->square.m[8];
    return p->count * v3_dot(va, vb) + v3_dot(va, v3_cross(wb, p->sum)) + v3_dot(vb, v3_cross(wa, p->sum)) +
           trace * v3_dot(wa, wb) - v3_dot(wa, m3_mulv(&p->square, wb));
}

static void find_twists(snSag *g, const double *coordinate)
{
    const snModel *m = g->m;
    memcpy(g->coord, coordinate, sizeof *g->coord * (size_t)m->ncoord);
    for (int32_t c = 0; c < m->ncoord; ++c) {
        g->coord[c] = coordinate[c] - SMALL, sn_pose_bodies(m, g->coord, g->low);
        g->coord[c] = coordinate[c] + SMALL, sn_pose_bodies(m, g->coord, g->high);
        g->coord[c] = coordinate[c];
        for (int32_t b = 0; b < m->nbody; ++b) {
            double *twist = g->twist + 6 * ((size_t)c * (size_t)m->nbody + (size_t)b), rate = 0.5 / SMALL;
            quat at = g->low[b].q;
            v3_store(twist, v3_scale(q_log(q_mul(q_conj(at), g->high[b].q)), rate));
            v3_store(twist + 3, v3_scale(q_unrotate(at, v3_sub(g->high[b].p, g->low[b].p)), rate));
        }
    }
}

static double metric(const snSag *g, int32_t i, int32_t j)
{
    int32_t nb = g->m->nbody;
    const double *a = g->twist + 6 * (size_t)i * (size_t)nb, *b = g->twist + 6 * (size_t)j * (size_t)nb;
    double sum = 0;
    for (int32_t k = 0; k < nb; ++k)
        if (g->shape[k].count > 0) sum += product(&g->shape[k], a + 6 * k, b + 6 * k);
    return sum / (g->count * SPAN * SPAN);
}

/* W = L L'. Coordinates that move nothing keep their place: FIRM holds the diagonal above zero. */
static void factor_metric(snSag *g)
{
    int32_t n = g->m->ncoord;
    double largest = SMALL, *L = g->factor;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j) L[i * n + j] = metric(g, i, j);
    for (int32_t i = 0; i < n; ++i) largest = fmax(largest, L[i * n + i]);
    for (int32_t i = 0; i < n; ++i) L[i * n + i] += FIRM * largest;
    (void)sn_small_cholesky_solve(L, g->root, n, 0); /* the factor is all that is asked for */
}

static void invert_factor(snSag *g)
{
    int32_t n = g->m->ncoord;
    const double *L = g->factor;
    memset(g->root, 0, sizeof(double) * (size_t)(n * n));
    for (int32_t c = 0; c < n; ++c)
        for (int32_t i = c; i < n; ++i) {
            double sum = i == c;
            for (int32_t k = c; k < i; ++k) sum -= L[i * n + k] * g->root[k * n + c];
            g->root[i * n + c] = sum / L[i * n + i];
        }
}

static void find_metric(snSag *g, const double *coordinate)
{
    find_twists(g, coordinate);
    factor_metric(g);
    invert_factor(g);
}

/* ---- poses ------------------------------------------------------------------------------------ */

/* One step to a pose with the coordinates shifted, as far as they may. */
static snStatus step_to(snSag *g, const double *coordinate)
{
    const snModel *m = g->m;
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double lower = m->coord_lower[c] - coordinate[c], upper = m->coord_upper[c] - coordinate[c];
        g->shift[c] = fmin(fmax(g->shift[c], lower), upper);
        g->coord[c] = coordinate[c] + g->shift[c];
    }
    sn_pose_bodies(m, g->coord, g->body);
    sn_inverse_lean(g->inverse, g->coord);
    return sn_inverse_step(g->inverse, g->body);
}

/* What lacks at the shifted pose: three steps that belong together, and others before them. */
static snStatus judge(snSag *g, const double *const coordinate[3], int before)
{
    snStatus status = SN_OK;
    for (int k = -before; k < 3 && status == SN_OK; ++k) status = step_to(g, coordinate[k < 0 ? 0 : k]);
    return status;
}

static double mean_distance(const snSag *g)
{
    const snModel *m = g->m;
    double sum = 0;
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (!(g->shape[b].count > 0)) continue;
        for (int32_t k = m->body_vertexadr[b]; k < m->body_vertexadr[b + 1]; ++k) {
            v3 at = v3_load(m->body_vertex + 3 * k);
            sum += v3_dist(rigid_apply(g->body[b], at), rigid_apply(g->wanted[b], at));
        }
    }
    return sum / g->count;
}

static double largest_unmet(const snSag *g)
{
    const double *unmet = sn_inverse_unmet(g->inverse);
    double most = 0;
    for (int32_t c = 0; c < g->m->ncoord; ++c) most = fmax(most, fabs(unmet[c]));
    return most;
}

/* ---- the way ---------------------------------------------------------------------------------- */

/* The way down, of length 1 as W counts. Below 0: it has turned round. */
static double find_way(snSag *g)
{
    int32_t n = g->m->ncoord;
    const double *unmet = sn_inverse_unmet(g->inverse);
    double length = 0, along = 0;
    for (int32_t r = 0; r < n; ++r) {
        g->lever[r] = 0;
        for (int32_t k = 0; k <= r; ++k) g->lever[r] += g->root[r * n + k] * unmet[k];
        length += g->lever[r] * g->lever[r];
    }
    for (int32_t c = 0; c < n; ++c) along -= g->way[c] * unmet[c];
    for (int32_t c = 0; c < n; ++c) {
        g->way[c] = 0;
        for (int32_t r = c; r < n; ++r) g->way[c] -= g->root[r * n + c] * g->lever[r] / sqrt(length);
    }
    return along;
}

snStatus sn_sag_find(snSag *g, const double *const coordinate[3], double *away)
{
    int32_t n = g->m->ncoord;
    double stride = STRIDE;
    memset(g->shift, 0, sizeof *g->shift * (size_t)n);
    memset(g->way, 0, sizeof *g->way * (size_t)n);
    memset(sn_plant_activation(g->s), 0, sizeof(double) * (size_t)g->m->nmuscle); /* nothing of an earlier search */
    find_metric(g, coordinate[2]);
    sn_inverse_measure(g->inverse, g->root);
    for (int round = 0; round < ROUNDS; ++round) {
        snStatus status = judge(g, coordinate, round ? 0 : ARRIVE);
        if (status != SN_OK) return status;
        if (round == 0) memcpy(g->wanted, g->body, sizeof *g->body * (size_t)g->m->nbody);
        *away = mean_distance(g);
        if (*away >= g->most) break;
        if (largest_unmet(g) <= HELD || stride < TURNED) return SN_OK;
        if (find_way(g) < 0) stride *= 0.5;
        for (int32_t c = 0; c < n; ++c) g->shift[c] += stride / SPAN * g->way[c];
    }
    *away = g->most;
    return SN_OK;
}

/* ---- set-up ----------------------------------------------------------------------------------- */

double sn_sag_step(const snSag *g)
{
    return sn_plant_step(g->s);
}

static bool allocate(snSag *g)
{
    size_t nb = (size_t)g->m->nbody, nc = (size_t)g->m->ncoord;
    return (g->shape = SN_NEW_ARRAY(Shape, nb)) && (g->wanted = SN_NEW_ARRAY(rigid, nb)) &&
           (g->body = SN_NEW_ARRAY(rigid, nb)) && (g->low = SN_NEW_ARRAY(rigid, nb)) &&
           (g->high = SN_NEW_ARRAY(rigid, nb)) && (g->shift = SN_NEW_ARRAY(double, nc)) &&
           (g->coord = SN_NEW_ARRAY(double, nc)) && (g->way = SN_NEW_ARRAY(double, nc)) &&
           (g->lever = SN_NEW_ARRAY(double, nc)) && (g->twist = SN_NEW_ARRAY(double, 6 * nc * nb)) &&
           (g->root = SN_NEW_ARRAY(double, nc *nc)) && (g->factor = SN_NEW_ARRAY(double, nc *nc));
}

snSag *sn_sag_create(const snModel *m, const snSimDef *sim, double most)
{
    snSag *g = SN_NEW(snSag);
    if (!g) return NULL;
    g->m = m, g->most = most;
    if (!allocate(g) || sn_state_create(m, sim, &g->s, NULL) != SN_OK ||
        !(g->inverse = sn_inverse_create(m, g->s, 1))) {
        sn_sag_destroy(g);
        return NULL;
    }
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (sn_body_is_free(m, b)) g->shape[b] = shape_of(m, b);
        g->count += g->shape[b].count;
    }
    g->count = fmax(g->count, 1); /* without vertices nothing moves */
    return g;
}

void sn_sag_destroy(snSag *g)
{
    if (!g) return;
    sn_inverse_destroy(g->inverse);
    sn_state_destroy(g->s);
    void *block[] = {g->shape, g->wanted, g->body,  g->low,   g->high, g->shift,
                     g->coord, g->way,    g->lever, g->twist, g->root, g->factor};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_free(g);
}
