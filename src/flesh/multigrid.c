#include "flesh/multigrid.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

enum { COARSEST = 48, GATHERERS = 64 }; /* nodes that a dense factor takes; chunks of rows gathered at once */

/* ---- setting up ---------------------------------------------------------------------------- */

static snStatus list_children(int32_t n, const int32_t *parent, int32_t ncoarse, snGridLevel *coarse)
{
    int32_t *start = SN_NEW_ARRAY(int32_t, ncoarse + 2), *child = SN_NEW_ARRAY(int32_t, 2 * (size_t)n);
    coarse->child_start = start, coarse->child = child;
    if (!start || !child) return SN_NO_MEMORY;
    for (int32_t i = 0; i < 2 * n; ++i) ++start[parent[i] + 2];
    for (int32_t i = 2; i < ncoarse + 2; ++i) start[i] += start[i - 1];
    for (int32_t i = 0; i < 2 * n; ++i) child[start[parent[i] + 1]++] = i / 2;
    return SN_OK;
}

static snStatus make_room(snGridLevel *l)
{
    size_t n = 4 * (size_t)l->matrix.n;
    l->x = SN_NEW_ARRAY(float, n), l->b = SN_NEW_ARRAY(float, n), l->r = SN_NEW_ARRAY(float, n);
    if (!l->x || !l->b || !l->r) return SN_NO_MEMORY;
    return sn_blocks_allocate(&l->matrix);
}

/* One level from the one above it. The coarse lattice's numbering is that of its rows in the end. */
static snStatus add_level(const snSamples *s, snMultigrid *g, const snLattice *fine, snLattice *coarse)
{
    snGridLevel *above = &g->level[g->nlevel - 1], *here = &g->level[g->nlevel];
    snStatus status = sn_lattice_create(s, g->nlevel, coarse);
    if (status != SN_OK) return status;
    above->parent = SN_NEW_ARRAY(int32_t, 2 * (size_t)fine->nnode);
    int32_t *number = SN_NEW_ARRAY(int32_t, coarse->nnode);
    if (!above->parent || !number) return sn_free(number), SN_NO_MEMORY;
    ++g->nlevel;
    status = sn_lattice_parents(s, fine, coarse, above->parent);
    if (status == SN_OK) status = sn_blocks_coarse_pattern(&above->matrix, above->parent, coarse->nnode, &here->matrix);
    if (status == SN_OK) status = sn_blocks_color(&here->matrix, number);
    if (status == SN_OK) status = sn_lattice_renumber(coarse, number);
    if (status == SN_OK) {
        for (int32_t i = 0; i < 2 * fine->nnode; ++i) above->parent[i] = number[above->parent[i]];
        status = list_children(fine->nnode, above->parent, coarse->nnode, here);
    }
    sn_free(number);
    return status;
}

/* Nodes of an octahedron meet; where corners hang, the nodes that they hang on. */
static snStatus find_pattern(const snLattice *l, snBlocks *m)
{
    if (l->nhang == 0) return sn_blocks_pattern(l->nnode, l->noct, 6, l->oct_node, m);
    int32_t *row = SN_NEW_ARRAY(int32_t, 12 * (size_t)l->noct);
    if (!row) return SN_NO_MEMORY;
    for (size_t i = 0; i < 6 * (size_t)l->noct; ++i) sn_lattice_rows(l, l->oct_node[i], row + 2 * i);
    snStatus status = sn_blocks_pattern(l->nnode, l->noct, 12, row, m);
    sn_free(row);
    return status;
}

static snStatus add_finest(const snSamples *s, snMultigrid *g, snLattice *finest)
{
    snStatus status = sn_lattice_create(s, 0, finest);
    if (status != SN_OK) return status;
    int32_t *number = SN_NEW_ARRAY(int32_t, finest->nnode);
    if (!number) return SN_NO_MEMORY;
    g->nlevel = 1;
    status = find_pattern(finest, &g->level[0].matrix);
    if (status == SN_OK) status = sn_blocks_color(&g->level[0].matrix, number);
    if (status == SN_OK) status = sn_lattice_renumber(finest, number);
    sn_free(number);
    return status;
}

static snStatus add_workspace(snMultigrid *g)
{
    size_t dense = 3 * (size_t)g->level[g->nlevel - 1].matrix.n;
    snStatus status = SN_OK;
    for (int32_t i = 0; status == SN_OK && i < g->nlevel; ++i) status = make_room(&g->level[i]);
    g->factor = SN_NEW_ARRAY(double, dense *dense + 1), g->work = SN_NEW_ARRAY(double, dense + 1);
    g->slot = SN_NEW_ARRAY(int32_t *, GATHERERS);
    if (status != SN_OK || !g->factor || !g->work || !g->slot) return SN_NO_MEMORY;
    g->nslot = GATHERERS;
    for (int32_t i = 0; i < GATHERERS; ++i) {
        g->slot[i] = SN_NEW_ARRAY(int32_t, g->nlevel > 1 ? g->level[1].matrix.n : 1);
        if (!g->slot[i]) return SN_NO_MEMORY;
    }
    return SN_OK;
}

snStatus sn_multigrid_create(const snSamples *s, snPool *pool, snLattice *finest, snMultigrid *g)
{
    snLattice lattice[SN_GRID_LEVELS] = {{.noct = 0}};
    *g = (snMultigrid){.pool = pool};
    snStatus status = add_finest(s, g, finest);
    for (int32_t i = 1; status == SN_OK && i < SN_GRID_LEVELS; ++i) {
        int32_t n = g->level[i - 1].matrix.n;
        if (n <= COARSEST || (i > 2 && n > g->level[i - 2].matrix.n - 8)) break; /* copies keep the rest apart */
        status = add_level(s, g, i == 1 ? finest : &lattice[i - 1], &lattice[i]);
        if (i > 1) sn_lattice_free(&lattice[i - 1]);
    }
    for (int32_t i = 1; i < SN_GRID_LEVELS; ++i) sn_lattice_free(&lattice[i]);
    if (status == SN_OK) status = add_workspace(g);
    if (status != SN_OK) sn_multigrid_free(g), sn_lattice_free(finest);
    return status;
}

void sn_multigrid_free(snMultigrid *g)
{
    for (int32_t i = 0; i < g->nlevel; ++i) {
        snGridLevel *l = &g->level[i];
        sn_blocks_free(&l->matrix);
        sn_free(l->parent);
        sn_free(l->child_start);
        sn_free(l->child);
        sn_free(l->x);
        sn_free(l->b);
        sn_free(l->r);
    }
    for (int32_t i = 0; i < g->nslot; ++i) sn_free(g->slot[i]);
    sn_free(g->slot);
    sn_free(g->factor);
    sn_free(g->work);
    *g = (snMultigrid){0};
}

int64_t sn_multigrid_bytes(const snMultigrid *g)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < g->nlevel; ++i) {
        int64_t n = g->level[i].matrix.n;
        bytes += sn_blocks_bytes(&g->level[i].matrix) + n * (int64_t)(12 * sizeof(float) + 4 * sizeof(int32_t));
    }
    if (g->nlevel > 1) bytes += (int64_t)g->nslot * g->level[1].matrix.n * (int64_t)sizeof(int32_t);
    return bytes;
}

/* ---- Galerkin ------------------------------------------------------------------------------ */

typedef struct {
    const snGridLevel *fine;
    snGridLevel *coarse;
    snMultigrid *grid;
} Galerkin;

/* to += factor * from, nine numbers. */
static inline void add_block(float *to, float factor, const float *from)
{
    snF4Any *a = (snF4Any *)(void *)to, *b = (snF4Any *)(void *)(to + 4);
    const snF4Any *p = (const snF4Any *)(const void *)from, *q = (const snF4Any *)(const void *)(from + 4);
    *a += factor * *p, *b += factor * *q;
    to[8] += factor * from[8];
}

/* Row `row` of P' A P from the rows of its children. Children at both of whose parents stand twice in the list. */
static void gather_row(const Galerkin *g, int32_t row, int32_t *slot)
{
    snBlocks *c = &g->coarse->matrix;
    const snBlocks *f = &g->fine->matrix;
    memset(c->block + 9 * (size_t)c->start[row], 0, 9 * sizeof(float) * (size_t)(c->start[row + 1] - c->start[row]));
    for (int32_t k = c->start[row]; k < c->start[row + 1]; ++k) slot[c->column[k]] = k;
    for (int32_t k = g->coarse->child_start[row]; k < g->coarse->child_start[row + 1]; ++k) {
        int32_t i = g->coarse->child[k];
        for (int32_t e = f->start[i]; e < f->start[i + 1]; ++e) {
            const int32_t *p = g->fine->parent + 2 * (size_t)f->column[e];
            const float *from = f->block + 9 * (size_t)e;
            if (p[0] == p[1]) {
                add_block(c->block + 9 * (size_t)slot[p[0]], 0.5f, from);
            } else {
                add_block(c->block + 9 * (size_t)slot[p[0]], 0.25f, from);
                add_block(c->block + 9 * (size_t)slot[p[1]], 0.25f, from);
            }
        }
    }
}

static void gather_rows(void *context, int32_t part)
{
    const Galerkin *g = context;
    int64_t n = g->coarse->matrix.n;
    int32_t first = (int32_t)(n * part / GATHERERS), last = (int32_t)(n * (part + 1) / GATHERERS);
    for (int32_t i = first; i < last; ++i) gather_row(g, i, g->grid->slot[part]);
}

/* ---- coarsest ------------------------------------------------------------------------------ */

static void fill_dense(const snBlocks *m, double *a)
{
    size_t n = 3 * (size_t)m->n;
    memset(a, 0, n * n * sizeof *a);
    for (int32_t i = 0; i < m->n; ++i)
        for (int32_t k = m->start[i]; k < m->start[i + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r)
                    a[(3 * (size_t)i + (size_t)r) * n + 3 * (size_t)m->column[k] + (size_t)c] =
                        (double)m->block[9 * (size_t)k + (size_t)(3 * c + r)];
    for (size_t i = 0; i < n; ++i)
        if (a[i * n + i] == 0) a[i * n + i] = 1; /* a corner that nothing leans on */
}

static bool factorise(double *a, size_t n)
{
    for (size_t j = 0; j < n; ++j) {
        double d = a[j * n + j], least = 1e-10 * fabs(d);
        for (size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k];
        if (!(d > least)) return false;
        d = 1 / sqrt(d);
        a[j * n + j] = d; /* inverted */
        for (size_t i = j + 1; i < n; ++i) {
            double s = a[i * n + j];
            for (size_t k = 0; k < j; ++k) s -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = s * d;
        }
    }
    return true;
}

static void solve_dense(const double *a, size_t n, double *x)
{
    for (size_t i = 0; i < n; ++i) {
        double s = x[i];
        for (size_t k = 0; k < i; ++k) s -= a[i * n + k] * x[k];
        x[i] = s * a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] *= a[i * n + i];
        for (size_t k = 0; k < i; ++k) x[k] -= a[i * n + k] * x[i];
    }
}

void sn_multigrid_refresh(snMultigrid *g)
{
    (void)sn_blocks_invert(&g->level[0].matrix, g->pool);
}

bool sn_multigrid_coarsen(snMultigrid *g)
{
    for (int32_t i = 1; i < g->nlevel; ++i) {
        Galerkin work = {&g->level[i - 1], &g->level[i], g};
        sn_pool_loop(g->pool, GATHERERS, gather_rows, &work);
        (void)sn_blocks_invert(&g->level[i].matrix, g->pool);
    }
    const snBlocks *last = &g->level[g->nlevel - 1].matrix;
    fill_dense(last, g->factor);
    return factorise(g->factor, 3 * (size_t)last->n);
}

/* ---- the cycle ----------------------------------------------------------------------------- */

typedef struct {
    const snGridLevel *fine;
    snGridLevel *coarse;
    float *x;
} Transfer;

static void restrict_rows(void *context, int32_t first, int32_t last)
{
    const Transfer *t = context;
    for (int32_t i = first; i < last; ++i) {
        snF4 sum = {0};
        for (int32_t k = t->coarse->child_start[i]; k < t->coarse->child_start[i + 1]; ++k)
            sum += *(const snF4 *)(const void *)(t->fine->r + 4 * (size_t)t->coarse->child[k]);
        *(snF4 *)(void *)(t->coarse->b + 4 * (size_t)i) = 0.5f * sum;
    }
}

static void prolong_rows(void *context, int32_t first, int32_t last)
{
    const Transfer *t = context;
    for (int32_t i = first; i < last; ++i) {
        const int32_t *p = t->fine->parent + 2 * (size_t)i;
        snF4 *x = (snF4 *)(void *)(t->x + 4 * (size_t)i);
        *x += 0.5f * (*(const snF4 *)(const void *)(t->coarse->x + 4 * (size_t)p[0]) +
                      *(const snF4 *)(const void *)(t->coarse->x + 4 * (size_t)p[1]));
    }
}

static void solve_coarsest(snMultigrid *g, const float *b, float *x)
{
    int32_t n = g->level[g->nlevel - 1].matrix.n;
    for (int32_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) g->work[3 * i + d] = (double)b[4 * i + d];
    solve_dense(g->factor, 3 * (size_t)n, g->work);
    for (int32_t i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) x[4 * i + d] = (float)g->work[3 * i + d];
        x[4 * i + 3] = 0;
    }
}

static void cycle(snMultigrid *g, int32_t at, const float *b, float *x)
{
    snGridLevel *l = &g->level[at];
    if (at == g->nlevel - 1) {
        solve_coarsest(g, b, x);
        return;
    }
    snGridLevel *coarse = l + 1;
    Transfer t = {l, coarse, x};
    sn_blocks_first_sweep(&l->matrix, g->pool, b, x, l->r);
    sn_rows_loop(g->pool, 0, coarse->matrix.n, restrict_rows, &t);
    cycle(g, at + 1, coarse->b, coarse->x);
    sn_rows_loop(g->pool, 0, l->matrix.n, prolong_rows, &t);
    sn_blocks_back_sweep(&l->matrix, g->pool, b, x);
}

void sn_multigrid_cycle(snMultigrid *g, const float *r, float *z)
{
    cycle(g, 0, r, z);
}
