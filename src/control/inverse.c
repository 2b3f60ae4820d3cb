/* Activations that a step of driven bodies demands: R a = need about every joint coordinate, 0 <= a <= 1. */
#include "control/inverse.h"

#include "base/alloc.h"
#include "opt/boxqp.h"
#include "opt/dense.h"
#include "sim/plant.h"

#include <math.h>
#include <string.h>

static const double UNIT = 1e-3;  /* N m (N): what counts as one */
static const double PRICE = 1e-3; /* of activation 1, in squared units: breaks ties and gives up no demand */
static const double PUSH = 1e-9;  /* the same of a stop that pushes with one unit */

struct snInverse {
    const snModel *m;
    snState *s;
    int32_t every;
    snEffort *effort;
    double *R, *need;   /* ncoord x nmuscle, ncoord: in units */
    const double *root; /* ncoord x ncoord, of whoever measures otherwise; NULL */
    int32_t npush;      /* stops that push */
    int32_t *push;      /* ncoord: their coordinates */
    double *side;       /* ncoord: 1: pushes up, from the lower end of the range; -1 */
    int32_t ld;         /* from one row of A or Q to the next */
    double *A, *b, *Q;  /* ncoord rows: what muscles and stops give and what is needed, as it is measured; A'A */
    double *c, *x, *upper, *lower; /* of muscles, then stops */
    double *unmet;
    snBoxQp *qp;
    bool acts;           /* on the state */
    snController before; /* what the state had */
};

/* ---- one choice of activations -------------------------------------------------------------- */

/* Stops are forces about one coordinate each. */
static void gather(snInverse *v)
{
    int32_t n = v->m->nmuscle, nc = v->m->ncoord;
    memset(v->A, 0, sizeof(double) * (size_t)nc * (size_t)v->ld);
    for (int32_t r = 0; r < nc; ++r)
        memcpy(v->A + (size_t)r * (size_t)v->ld, v->R + (size_t)r * (size_t)n, sizeof(double) * (size_t)n);
    for (int32_t k = 0; k < v->npush; ++k) v->A[(size_t)v->push[k] * (size_t)v->ld + (size_t)(n + k)] = v->side[k];
    memcpy(v->b, v->need, sizeof(double) * (size_t)nc);
}

/* Rows times the root, which is lower triangular: from the last row to the first, in place. */
static void measure(snInverse *v)
{
    size_t nc = (size_t)v->m->ncoord, ld = (size_t)v->ld;
    for (size_t r = nc; v->root && r-- > 0;) {
        double *row = v->A + r * ld, own = v->root[r * nc + r];
        v->b[r] *= own;
        for (size_t i = 0; i < ld; ++i) row[i] *= own;
        for (size_t k = 0; k < r; ++k) {
            double part = v->root[r * nc + k];
            v->b[r] += part * v->b[k];
            for (size_t i = 0; i < ld && part != 0; ++i) row[i] += part * v->A[k * ld + i];
        }
    }
}

static void form_qp(snInverse *v)
{
    size_t nm = (size_t)v->m->nmuscle, n = nm + (size_t)v->npush, ld = (size_t)v->ld;
    memset(v->Q, 0, sizeof(double) * ld * ld);
    memset(v->c, 0, sizeof(double) * ld);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *A = v->A + (size_t)r * ld;
        for (size_t i = 0; i < n; ++i) {
            if (A[i] == 0) continue;
            for (size_t j = 0; j <= i; ++j) v->Q[i * ld + j] += A[i] * A[j];
            v->c[i] -= A[i] * v->b[r];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) v->Q[j * ld + i] = v->Q[i * ld + j];
        v->Q[i * ld + i] += i < nm ? PRICE : PUSH;
    }
}

static void find_activations(snInverse *v)
{
    int32_t n = v->m->nmuscle;
    double *activation = sn_plant_activation(v->s);
    gather(v);
    measure(v);
    form_qp(v);
    memset(v->x, 0, sizeof(double) * (size_t)v->ld);
    memcpy(v->x, activation, sizeof(double) * (size_t)n);
    snBoxQpProblem problem = {.n = n + v->npush, .Q = v->Q, .ld = v->ld, .c = v->c, .lo = v->lower, .hi = v->upper};
    sn_boxqp_solve(v->qp, &problem, v->x, NULL);
    memcpy(activation, v->x, sizeof(double) * (size_t)n);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *R = v->R + (size_t)r * (size_t)n;
        double unmet = v->need[r];
        for (int32_t i = 0; i < n; ++i) unmet -= R[i] * activation[i];
        v->unmet[r] = unmet * UNIT;
    }
    for (int32_t k = 0; k < v->npush; ++k) v->unmet[v->push[k]] -= v->side[k] * v->x[n + k] * UNIT;
}

static bool is_due(const snInverse *v)
{
    return sn_info(v->s)->steps % v->every == 0;
}

static void choose(void *context, const snModel *m, snState *s)
{
    (void)m, (void)s;
    snInverse *v = context;
    if (!is_due(v)) return;
    sn_effort_find(v->effort, UNIT, v->R, v->need);
    find_activations(v);
}

snStatus sn_inverse_step(snInverse *v, const rigid *next)
{
    const snModel *m = v->m;
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_mode[b] != SN_BODY_PINNED) sn_plant_aim(v->s, b, next[b]);
    return sn_step(m, v->s);
}

void sn_inverse_lean(snInverse *v, const double *coordinate)
{
    const snModel *m = v->m;
    v->npush = 0;
    for (int32_t c = 0; c < m->ncoord && coordinate; ++c) {
        bool low = coordinate[c] <= m->coord_lower[c];
        if (!sn_plant_has_stop(m, c) || (!low && coordinate[c] < m->coord_upper[c])) continue;
        v->side[v->npush] = low ? 1 : -1;
        v->push[v->npush++] = c;
    }
}

void sn_inverse_measure(snInverse *v, const double *root)
{
    v->root = root;
}

const double *sn_inverse_unmet(const snInverse *v)
{
    return v->unmet;
}

/* ---- set-up --------------------------------------------------------------------------------- */

bool sn_inverse_applies(const snModel *m)
{
    int32_t reached = 0, nfree = 0;
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t joints = 0;
        for (int32_t j = 0; j < m->njoint; ++j) joints += m->joint_b[j] == b && m->joint_a[j] != b;
        nfree += sn_body_is_free(m, b);
        reached += sn_body_is_free(m, b) && joints == 1;
    }
    return reached == nfree && m->nmuscle > 0 && m->ncoord > 0;
}

static bool allocate(snInverse *v)
{
    size_t nc = (size_t)v->m->ncoord, nm = (size_t)v->m->nmuscle;
    size_t ld = (size_t)(v->ld = sn_dense_ld(v->m->nmuscle + v->m->ncoord));
    return (v->R = SN_NEW_ARRAY(double, nc *nm)) && (v->need = SN_NEW_ARRAY(double, nc)) &&
           (v->push = SN_NEW_ARRAY(int32_t, nc)) && (v->side = SN_NEW_ARRAY(double, nc)) &&
           (v->A = SN_NEW_ARRAY(double, nc *ld)) && (v->b = SN_NEW_ARRAY(double, nc)) &&
           (v->Q = SN_NEW_ARRAY(double, ld *ld)) && (v->c = SN_NEW_ARRAY(double, ld)) &&
           (v->x = SN_NEW_ARRAY(double, ld)) && (v->lower = SN_NEW_ARRAY(double, ld)) &&
           (v->upper = SN_NEW_ARRAY(double, ld)) && (v->unmet = SN_NEW_ARRAY(double, nc)) &&
           (v->qp = sn_boxqp_create(v->m->nmuscle + v->m->ncoord)) && (v->effort = sn_effort_create(v->m, v->s));
}

static void drive(snInverse *v, bool on)
{
    for (int32_t b = 0; b < v->m->nbody; ++b) sn_plant_drive(v->m, v->s, b, on);
}

snInverse *sn_inverse_create(const snModel *m, snState *s, int32_t every)
{
    snInverse *v = SN_NEW(snInverse);
    if (!v) return NULL;
    v->m = m, v->s = s, v->every = every;
    if (!allocate(v)) {
        sn_inverse_destroy(v);
        return NULL;
    }
    drive(v, true);
    for (int32_t k = 0; k < v->ld; ++k) v->upper[k] = k < m->nmuscle ? 1 : HUGE_VAL;
    v->before = sn_plant_control(s, (snController){choose, v});
    v->acts = true;
    return v;
}

void sn_inverse_destroy(snInverse *v)
{
    if (!v) return;
    if (v->acts) {
        drive(v, false);
        sn_plant_control(v->s, v->before);
    }
    sn_effort_destroy(v->effort);
    void *block[] = {v->R, v->need, v->push, v->side, v->A, v->b, v->Q, v->c, v->x, v->lower, v->upper, v->unmet};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_boxqp_destroy(v->qp);
    sn_free(v);
}
