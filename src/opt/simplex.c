/* Bounded simplex method: see simplex.h. Variables n to n + m - 1 are artificial: unit columns that stay at 0. */
#include "opt/simplex.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static const double TINY =
    1e-11; /* of a reduced cost, over the largest cost; of a pivot, over the largest in its column */

typedef struct Tableau {
    const snSimplexProblem *p;
    double *inverse; /* m * m, of the basis */
    double *column;  /* m: of the entering variable, in the basis */
    double *y, *x;   /* m; n + m */
    int32_t *basis;  /* m: variables */
    bool *is_basic;  /* n + m */
    double scale;    /* of costs */
    int32_t still;   /* pivots in a row that moved nothing */
} Tableau;

static double lower(const Tableau *t, int32_t v)
{
    return v < t->p->n ? t->p->lo[v] : 0;
}

static double upper(const Tableau *t, int32_t v)
{
    return v < t->p->n ? t->p->hi[v] : 0;
}

static double cost(const Tableau *t, int32_t v)
{
    return v < t->p->n ? t->p->c[v] : 0;
}

static void find_prices(Tableau *t)
{
    int32_t m = t->p->m;
    memset(t->y, 0, sizeof(double) * (size_t)m);
    for (int32_t i = 0; i < m; ++i)
        for (int32_t k = 0; k < m; ++k) t->y[k] += cost(t, t->basis[i]) * t->inverse[(size_t)i * (size_t)m + (size_t)k];
}

static double reduced_cost(const Tableau *t, int32_t v)
{
    const double *column = t->p->At + (size_t)v * (size_t)t->p->m;
    double d = t->p->c[v];
    for (int32_t k = 0; k < t->p->m; ++k) d -= t->y[k] * column[k];
    return d;
}

/* The variable that gains most, or the first that gains; -1: none. way: whether it is to rise or fall. */
static int32_t entering(const Tableau *t, double *way)
{
    bool first = t->still > 2 * t->p->m;
    int32_t best = -1;
    double most = TINY * t->scale;
    for (int32_t v = 0; v < t->p->n; ++v) {
        if (t->is_basic[v]) continue;
        double d = reduced_cost(t, v);
        if (!(fabs(d) > most) || (d > 0 ? !(t->x[v] < t->p->hi[v]) : !(t->x[v] > t->p->lo[v]))) continue;
        best = v, *way = d > 0 ? 1 : -1;
        if (first) break;
        most = fabs(d);
    }
    return best;
}

static void find_column(Tableau *t, int32_t v)
{
    int32_t m = t->p->m;
    const double *column = t->p->At + (size_t)v * (size_t)m;
    for (int32_t i = 0; i < m; ++i) {
        t->column[i] = 0;
        for (int32_t k = 0; k < m; ++k) t->column[i] += t->inverse[(size_t)i * (size_t)m + (size_t)k] * column[k];
    }
}

/* How far the entering variable goes, and the row that stops it: -1 for its own bound. Of equals the largest pivot. */
static double step_length(const Tableau *t, int32_t v, double way, int32_t *row)
{
    double far = way > 0 ? t->p->hi[v] - t->x[v] : t->x[v] - t->p->lo[v], largest = 0, pivot = 0;
    *row = -1;
    for (int32_t i = 0; i < t->p->m; ++i) largest = fmax(largest, fabs(t->column[i]));
    for (int32_t i = 0; i < t->p->m; ++i) {
        double rate = -way * t->column[i]; /* of the basic variable */
        int32_t b = t->basis[i];
        if (!(fabs(rate) > TINY * largest)) continue;
        double room = fmax(rate > 0 ? upper(t, b) - t->x[b] : t->x[b] - lower(t, b), 0) / fabs(rate);
        if (room < far || (room == far && *row >= 0 && fabs(rate) > pivot)) far = room, *row = i, pivot = fabs(rate);
    }
    return far;
}

static void exchange(Tableau *t, int32_t row, int32_t v)
{
    int32_t m = t->p->m;
    double *pivot = t->inverse + (size_t)row * (size_t)m;
    for (int32_t k = 0; k < m; ++k) pivot[k] /= t->column[row];
    for (int32_t i = 0; i < m; ++i) {
        double *other = t->inverse + (size_t)i * (size_t)m;
        for (int32_t k = 0; i != row && k < m; ++k) other[k] -= t->column[i] * pivot[k];
    }
    t->is_basic[t->basis[row]] = false, t->is_basic[v] = true;
    t->basis[row] = v;
}

/* False: unbounded. */
static bool move(Tableau *t, int32_t v, double way)
{
    int32_t row;
    find_column(t, v);
    double far = step_length(t, v, way, &row);
    if (!isfinite(far)) return false;
    t->still = far > 0 ? 0 : t->still + 1;
    for (int32_t i = 0; i < t->p->m; ++i) t->x[t->basis[i]] -= way * far * t->column[i];
    t->x[v] += way * far;
    if (row < 0) {
        t->x[v] = way > 0 ? t->p->hi[v] : t->p->lo[v];
        return true;
    }
    int32_t left = t->basis[row]; /* exactly on the bound that stopped it */
    t->x[left] = -way * t->column[row] > 0 ? upper(t, left) : lower(t, left);
    exchange(t, row, v);
    return true;
}

static void certify(const Tableau *t, snSimplexInfo *info)
{
    info->value = info->bound = info->residual = 0;
    for (int32_t v = 0; v < t->p->n; ++v) {
        double d = reduced_cost(t, v);
        info->value += t->p->c[v] * t->x[v];
        if (fabs(d) > TINY * t->scale) info->bound += d * (d > 0 ? t->p->hi[v] : t->p->lo[v]);
    }
    for (int32_t k = 0; k < t->p->m; ++k) {
        double sum = 0;
        for (int32_t v = 0; v < t->p->n; ++v) sum += t->p->At[(size_t)v * (size_t)t->p->m + (size_t)k] * t->x[v];
        info->residual = fmax(info->residual, fabs(sum));
    }
}

static snStatus optimise(Tableau *t, snSimplexInfo *info)
{
    double way = 1;
    for (info->pivots = 0; info->pivots < 50 * (t->p->m + t->p->n); ++info->pivots) {
        find_prices(t);
        int32_t v = entering(t, &way);
        if (v < 0) {
            certify(t, info);
            return SN_OK;
        }
        if (!move(t, v, way)) return SN_FAILED;
    }
    return SN_FAILED;
}

snStatus sn_simplex_solve(const snSimplexProblem *p, double *x, double *y, snSimplexInfo *info)
{
    size_t m = (size_t)p->m, n = (size_t)p->n;
    double *block = SN_NEW_ARRAY(double, m *m + 3 * m + n + 1);
    int32_t *basis = SN_NEW_ARRAY(int32_t, m + 1);
    bool *is_basic = SN_NEW_ARRAY(bool, n + m + 1);
    snStatus status = block && basis && is_basic ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        Tableau t = {.p = p, .inverse = block, .column = block + m * m, .basis = basis, .is_basic = is_basic};
        t.y = t.column + m, t.x = t.y + m;
        for (size_t i = 0; i < m; ++i)
            t.inverse[i * m + i] = 1, t.basis[i] = (int32_t)(n + i), t.is_basic[n + i] = true;
        for (size_t v = 0; v < n; ++v) t.scale = fmax(t.scale, fabs(p->c[v]));
        status = optimise(&t, info);
        memcpy(x, t.x, n * sizeof *x);
        memcpy(y, t.y, m * sizeof *y);
    }
    sn_free(is_basic);
    sn_free(basis);
    sn_free(block);
    return status;
}
