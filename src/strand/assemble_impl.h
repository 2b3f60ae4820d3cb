/* The whole of a strand in one pass. Included by the file of each instruction set, after math/vd_*.h.
 *
 * Point by point along the strand. A span's two Gauss points have made their terms when the first point of the span is
 * reached; a point gathers from the four spans that touch it and is written once, so that nothing is cleared and added
 * to. Of the nine numbers of a symmetric 3 x 3 block the first four, the next four and the last go three ways. */
#include "strand/assemble.h"
#include "strand/pull.h"

enum { SPANS = 4 }; /* that are begun together */

/* The terms of one Gauss point. */
typedef struct Term {
    vd first, second; /* stiffness: numbers 0 to 3, 4 to 7 */
    vd pull, unit;    /* -weight tension t, passive and of activation 1 */
    double last;      /* stiffness: number 8 */
    double d[7];      /* derivatives of the basis, then zeros */
} Term;

typedef struct Pass {
    const snStrand *strand;
    const double *q;
    double a, axial, lateral; /* factors on the two parts of the stiffness */
    pull_near near;
    const snGauss *next;     /* the first that has not been reached */
    Term term[2 * SPANS][2]; /* by span modulo 2 SPANS */
    vd velocity[8];          /* by point modulo 8: with the fall of a step */
} Pass;

VD_INLINE vd load_point(const double *x, int32_t i, int32_t n)
{
    if (i + 1 < n) return vd_get(x + 3 * i);
    return (vd){x[3 * i], x[3 * i + 1], x[3 * i + 2], 0};
}

static inline void make_term(Pass *k, const snGauss *g, vd u, double stretch, double inverse, Term *term)
{
    pull r = pull_of(k->strand, g, stretch, inverse, k->a, &k->near);
    double lateral = g->weight * k->lateral * r.lateral, c = g->weight * k->axial * r.axial - lateral;
    vd t = u * vd_all(inverse), ct = t * vd_all(c), diagonal = {lateral, 0, 0, 0};
    vd x = __builtin_shufflevector(ct, ct, 0, 0, 0, 1), y = __builtin_shufflevector(t, t, 0, 1, 2, 0);
    term->first = vd_madd(x, y, diagonal);
    x = __builtin_shufflevector(ct, ct, 1, 1, 2, 2), y = __builtin_shufflevector(t, t, 1, 2, 0, 1);
    term->second = vd_madd(x, y, diagonal);
    term->last = ct[2] * t[2] + lateral;
    term->pull = t * vd_all(-g->weight * r.passive);
    term->unit = t * vd_all(-g->weight * r.unit);
    vd_put(term->d, vd_get(g->d));
}

/* The stretch vectors of the Gauss points g[0] and g[1] of a span. */
static inline void stretch_span(const snGauss *g, const double *q, int32_t n, vd u[2])
{
    vd p[4];
    for (int32_t i = 0; i < 4; ++i) p[i] = load_point(q, g->span + i, n);
    for (int j = 0; j < 2; ++j) {
        const double *d = g[j].d;
        u[j] = vd_madd(vd_all(d[1]), p[1], vd_all(d[0]) * p[0]) + vd_madd(vd_all(d[3]), p[3], vd_all(d[2]) * p[2]);
    }
}

/* Lengths of four vectors. */
VD_INLINE vd lengths(const vd u[4])
{
    vd a = u[0] * u[0], b = u[1] * u[1], c = u[2] * u[2], d = u[3] * u[3];
    vd ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, -1, -1);
    vd cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, -1, -1);
    vd xy = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), z = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    z = __builtin_shufflevector(z, __builtin_shufflevector(c, d, 2, 6, 2, 6), 0, 1, 4, 5);
    return vd_sqrt(xy + z);
}

VD_INLINE vd inverse_lengths(vd length)
{
    for (int i = 0; i < 4; ++i) length[i] = length[i] > least_stretch ? length[i] : least_stretch;
    return 1 / length;
}

/* The terms of four spans at a time, so that the roots and the laws of many points go side by side. A span without a
 * length has none. */
static inline void make_spans(Pass *k, int32_t first)
{
    const snGauss *end = k->strand->gauss + k->strand->ngauss, *g = k->next;
    vd u[2 * SPANS];
    double length[2 * SPANS], inverse[2 * SPANS];
    Term *term[2 * SPANS];
    int count = 0;
    for (int32_t span = first; span < first + SPANS; ++span) {
        Term *pair = k->term[span % (2 * SPANS)];
        if (k->next == end || k->next->span != span) {
            vd_put(pair[0].d, vd_all(0)), vd_put(pair[1].d, vd_all(0));
            continue;
        }
        stretch_span(k->next, k->q, k->strand->n, u + count);
        term[count] = &pair[0], term[count + 1] = &pair[1];
        count += 2, k->next += 2;
    }
    for (int i = count; i % 4; ++i) u[i] = vd_all(1);
    for (int i = 0; i < count; i += 4) {
        vd four = lengths(u + i);
        vd_put(length + i, four);
        vd_put(inverse + i, inverse_lengths(four));
    }
    for (int i = 0; i < count; ++i) make_term(k, g + i, u[i], length[i], inverse[i], term[i]);
}

/* What one point has gathered: the blocks with itself and the three after it. */
typedef struct Row {
    vd first[4], second[4], last, pull, unit;
} Row;

VD_INLINE void gather_term(const Term *term, int place, Row *r)
{
    vd d = vd_all(term->d[place]), first = d * term->first, second = d * term->second;
#pragma GCC unroll 4
    for (int m = 0; m < 4 - place; ++m) {
        vd e = vd_all(term->d[place + m]);
        r->first[m] = vd_madd(e, first, r->first[m]);
        r->second[m] = vd_madd(e, second, r->second[m]);
    }
    r->last = vd_madd(vd_get(term->d + place), d * vd_all(term->last), r->last);
    r->pull = vd_madd(d, term->pull, r->pull);
    r->unit = vd_madd(d, term->unit, r->unit);
}

/* Point i from its four spans, written out so that what it gathers stays in registers. */
VD_INLINE void gather_spans(const Pass *k, int32_t i, Row *r)
{
    const Term *pair = k->term[i % (2 * SPANS)];
    gather_term(pair, 0, r), gather_term(pair + 1, 0, r);
    pair = k->term[(i + 2 * SPANS - 1) % (2 * SPANS)];
    gather_term(pair, 1, r), gather_term(pair + 1, 1, r);
    pair = k->term[(i + 2 * SPANS - 2) % (2 * SPANS)];
    gather_term(pair, 2, r), gather_term(pair + 1, 2, r);
    pair = k->term[(i + 2 * SPANS - 3) % (2 * SPANS)];
    gather_term(pair, 3, r), gather_term(pair + 1, 3, r);
}

/* Mass times velocity of point i, what it has with the points before it and after it. */
static inline vd momentum(const Pass *k, int32_t i)
{
    const double *mass = k->strand->mass + 4 * i;
    vd sum = vd_all(mass[0]) * k->velocity[i & 7];
    for (int32_t m = 1; m < 4; ++m) {
        sum = vd_madd(vd_all(mass[m]), k->velocity[(i + m) & 7], sum);
        if (i >= m) sum = vd_madd(vd_all(mass[m - 4 * m]), k->velocity[(i - m) & 7], sum);
    }
    return sum;
}

static inline void put_point(double *x, int32_t i, int32_t n, vd value)
{
    if (i + 1 < n)
        vd_put(x + 3 * i, value);
    else
        for (int c = 0; c < 3; ++c) x[3 * i + c] = value[c];
}

/* The blocks of a point with those after it, of which there are `left` with itself. */
VD_INLINE void put_blocks(double *block, int32_t left, const Row *r)
{
#pragma GCC unroll 4
    for (int m = 0; m < 4; ++m) {
        vd_put(block + 9 * m, r->first[m]);
        vd_put(block + 9 * m + 4, r->second[m]);
        block[9 * m + 8] = r->last[m];
    }
    for (int e = 9 * left; e < 36; ++e) block[e] = 0;
}

static void assemble(const snStrand *strand, const double *q, const double *qdot, double a, double h, v3 gravity,
                     double *impulse, double *force_active, double *point_A)
{
    int32_t n = strand->n;
    double grow = 1 + h * strand->alpha;
    vd fall = {h * gravity.x, h * gravity.y, h * gravity.z, 0};
    Pass k = {.strand = strand, .q = q, .a = a, .next = strand->gauss};
    k.axial = h * h + h * strand->beta, k.lateral = h * h;
    for (int32_t i = 0; i < 3; ++i) k.velocity[i] = load_point(qdot, i, n) + fall;
    for (int32_t i = 0; i < n; ++i) {
        Row r = {.last = {0}};
        const double *mass = strand->mass + 4 * i;
        if (i % SPANS == 0) make_spans(&k, i);
        k.velocity[(i + 3) & 7] = i + 3 < n ? load_point(qdot, i + 3, n) + fall : vd_all(0);
#pragma GCC unroll 4
        for (int m = 0; m < 4; ++m) r.first[m] = r.second[m] = (vd){grow * mass[m], 0, 0, 0};
        r.last = vd_get(mass) * vd_all(grow);
        gather_spans(&k, i, &r);
        put_blocks(point_A + 36 * (int64_t)i, n - i, &r);
        put_point(impulse, i, n, vd_madd(r.pull, vd_all(h), momentum(&k, i)));
        if (force_active) put_point(force_active, i, n, r.unit);
    }
}

static double length(const snStrand *strand, const double *q)
{
    const snGauss *g = strand->gauss, *end = g + strand->ngauss;
    vd sum = {0};
    for (; g < end; g += 4) {
        vd u[4] = {{0}}, weight = {g[0].weight, g[1].weight, 0, 0};
        stretch_span(g, q, strand->n, u);
        if (g + 2 < end) {
            stretch_span(g + 2, q, strand->n, u + 2);
            weight[2] = g[2].weight, weight[3] = g[3].weight;
        }
        sum = vd_madd(weight, lengths(u), sum);
    }
    return vd_sum(sum);
}

static const snStrandKernels kernels = {assemble, length};
