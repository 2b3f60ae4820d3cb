/* The linear system of a step, on the pattern of a hand: 54 strands of 12 control points over 17 bodies, and ten of
 * them. Prints the time of factoring and of solving with one refinement, for both solvers. The machine may be noisy:
 * compare minima, and ratios within one run.
 *
 *     bench_kkt [seconds per row, default 0.5] */
#include "base/alloc.h"
#include "base/clock.h"
#include "system/kkt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NSTRAND = 54, NPOINT = 12, NBODY = 17, NSLIDE = 10, NROW = 2 * NSLIDE + 6, NJOINT = NBODY * 5, MAXCOPY = 10 };

typedef struct Random {
    uint64_t state;
} Random;

static double uniform(Random *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(r->state >> 11) / 9007199254740992.0;
}

/* A palm and wrist of two bodies and five fingers of three. */
static int32_t parent_of(int32_t body)
{
    return body == 0 ? -1 : body == 1 ? 0 : (body - 2) % 3 ? body - 1 : 1;
}

static int32_t point_adr[NSTRAND * MAXCOPY + 1], own_adr[NSTRAND * MAXCOPY + 1], own_body[NSTRAND * NROW * MAXCOPY];
static int32_t link_adr[1], joint_body[2 * NJOINT * MAXCOPY];

/* Strand s runs from a body near the root to one further out, and each body on the way holds its share of the rows. */
static void strand_bodies(int32_t s, Random *r, int32_t base, int32_t *body)
{
    int32_t path[8], depth = 0, count;
    for (int32_t b = 2 + 3 * (s % 5) + (int32_t)(3 * uniform(r)); b >= 0; b = parent_of(b)) path[depth++] = b;
    if (uniform(r) < 0.3) path[depth++] = 2 + 3 * ((s + 1) % 5); /* a neighbouring finger: interossei, connexi */
    count = depth < 2 ? 2 : depth;
    for (int32_t i = 0; i < NROW; ++i) body[i] = base + path[(NROW - 1 - i) * count / NROW];
}

static snKktPattern make_pattern(int32_t copies)
{
    int32_t n = NSTRAND * copies;
    for (int32_t s = 0; s <= n; ++s) point_adr[s] = NPOINT * s, own_adr[s] = NROW * s;
    for (int32_t c = 0; c < copies; ++c) {
        Random r = {7};
        for (int32_t s = 0; s < NSTRAND; ++s) strand_bodies(s, &r, NBODY * c, own_body + NROW * (NSTRAND * c + s));
        for (int32_t j = 0; j < NJOINT; ++j) {
            int32_t *body = joint_body + 2 * (NJOINT * c + j), parent = parent_of(j / 5);
            body[0] = parent < 0 ? -1 : NBODY * c + parent;
            body[1] = NBODY * c + j / 5;
        }
    }
    return (snKktPattern){.nbody = NBODY * copies,
                          .nstrand = n,
                          .npoint = NPOINT * n,
                          .nown = NROW * n,
                          .njoint = NJOINT * copies,
                          .strand_pointadr = point_adr,
                          .strand_ownadr = own_adr,
                          .own_body = own_body,
                          .link_partadr = link_adr,
                          .joint_body = joint_body};
}

static void fill_part(snKktPart *part, double s, Random *r)
{
    double at = s * (NPOINT - 3), u;
    part->span = at >= NPOINT - 4 ? NPOINT - 4 : (int32_t)at;
    u = at - part->span > 1 ? 1 : at - part->span;
    part->b[0] = (1 - u) * (1 - u) * (1 - u) / 6;
    part->b[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
    part->b[2] = (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6;
    part->b[3] = u * u * u / 6;
    for (int c = 0; c < 3; ++c) part->n[c] = 2 * uniform(r) - 1;
}

static void fill_values(const snKktPattern *p, snKktValues *v)
{
    Random r = {5};
    for (int32_t i = 0; i < p->npoint; ++i)
        for (int e = 0; e < 36; ++e) v->point_A[36 * i + e] = e < 9 ? (e % 4 == 0) * 4.0 : 0.3 * uniform(&r);
    for (int32_t b = 0; b < p->nbody; ++b)
        for (int e = 0; e < 36; ++e) v->body_A[36 * b + e] = e % 7 == 0 ? 2 + uniform(&r) : 0.05;
    for (int32_t row = 0; row < p->nown; ++row) {
        int32_t i = row % NROW; /* three rows at each end, pairs in between */
        fill_part(&v->own[row], i < 3 ? 0 : i >= NROW - 3 ? 1 : ((i - 3) / 2 + 0.5) / NSLIDE, &r);
        for (int e = 0; e < 6; ++e) v->own_J[6 * row + e] = 2 * uniform(&r) - 1;
        v->own_D[row] = 1e-6;
    }
    for (int32_t j = 0; j < p->njoint; ++j) {
        for (int e = 0; e < 12; ++e) v->joint_J[12 * j + e] = 2 * uniform(&r) - 1;
        v->joint_D[j] = 1e-6;
    }
}

typedef struct Times {
    double minimum[4], median[4]; /* factor, solve, both, response; in microseconds */
} Times;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MAXROUND = 4000 };
static double sample[4][MAXROUND];

static void run_round(snKkt *k, const double *rhs, double *x, double *response, int32_t nstrand, int32_t round)
{
    static int32_t strand[NSTRAND * MAXCOPY], adr[NSTRAND * MAXCOPY];
    int32_t culprit = 0;
    for (int32_t s = 0; s < nstrand; ++s) strand[s] = s, adr[s] = 0;
    double t0 = sn_clock();
    if (sn_kkt_factor(k, NULL, &culprit) != SN_OK) exit(fprintf(stderr, "diverged at %d\n", (int)culprit) > 0);
    double t1 = sn_clock();
    sn_kkt_solve(k, rhs, x, 1);
    double t2 = sn_clock();
    if (response) sn_kkt_body_response(k, nstrand, strand, adr, rhs, response);
    double t3 = sn_clock();
    sample[0][round] = 1e6 * (t1 - t0), sample[1][round] = 1e6 * (t2 - t1), sample[2][round] = 1e6 * (t2 - t0);
    sample[3][round] = 1e6 * (t3 - t2);
}

static Times measure(snKktKind kind, int32_t copies, int32_t nthread, double seconds)
{
    snKktPattern p = make_pattern(copies);
    snPool *pool = nthread > 1 ? sn_pool_create(nthread) : NULL;
    snKkt *k = sn_kkt_create(&p, kind, pool);
    Times t = {{0}, {0}};
    if (!k) exit(fprintf(stderr, "out of memory\n") > 0);
    fill_values(&p, sn_kkt_values(k));
    int32_t n = sn_kkt_size(k), round = 0;
    double *rhs = SN_NEW_ARRAY(double, n), *x = SN_NEW_ARRAY(double, n), *res = SN_NEW_ARRAY(double, n);
    double *response = kind == SN_KKT_STRAND ? SN_NEW_ARRAY(double, (int64_t)6 * p.nbody * p.nstrand) : NULL;
    for (int32_t i = 0; i < n; ++i) rhs[i] = sin(i);
    for (double begin = sn_clock(); round < MAXROUND && (round < 5 || sn_clock() - begin < seconds); ++round)
        run_round(k, rhs, x, response, p.nstrand, round);
    for (int i = 0; i < 4; ++i) {
        qsort(sample[i], (size_t)round, sizeof(double), compare);
        t.minimum[i] = sample[i][0], t.median[i] = sample[i][round / 2];
    }
    printf("%-7s %-9s %5d %7d %7.0f %7.0f %7.0f %7.0f %8.0f %8.0f %8.0f %8.1e %6.1f\n",
           kind == SN_KKT_PLAIN ? "plain" : "strand", sn_kkt_simd_name(k), (int)nthread, (int)n, t.minimum[0],
           t.median[0], t.minimum[1], t.median[1], t.minimum[2], t.median[2], t.minimum[3],
           sn_kkt_residual(k, rhs, x, res), (double)sn_kkt_bytes(k) / 1048576);
    sn_free(rhs), sn_free(x), sn_free(res), sn_free(response);
    sn_kkt_destroy(k);
    sn_pool_destroy(pool);
    return t;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.5;
    printf(
        "microseconds          threads unknowns  factor        solve         factor+solve    response residual   MB\n");
    printf("                                         min  median     min  median      min   median      min\n");
    Times plain = measure(SN_KKT_PLAIN, 1, 1, seconds), one = measure(SN_KKT_STRAND, 1, 1, seconds);
    Times two = measure(SN_KKT_STRAND, 1, 2, seconds);
    sn_kkt_force_portable(true);
    Times portable = measure(SN_KKT_STRAND, 1, 1, seconds);
    sn_kkt_force_portable(false);
    measure(SN_KKT_PLAIN, 10, 1, seconds);
    Times ten = measure(SN_KKT_STRAND, 10, 1, seconds), ten2 = measure(SN_KKT_STRAND, 10, 2, seconds);
    printf("factor+solve, by minima: plain / strand %.2f, plain / portable %.2f, two threads %.2f, ten times the size "
           "%.2f, "
           "there two threads %.2f\n",
           plain.minimum[2] / one.minimum[2], plain.minimum[2] / portable.minimum[2], one.minimum[2] / two.minimum[2],
           ten.minimum[2] / one.minimum[2], ten.minimum[2] / ten2.minimum[2]);
    return 0;
}
