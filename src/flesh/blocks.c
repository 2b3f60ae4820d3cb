/* Pattern and colours of a block matrix. */
#include "flesh/blocks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void sn_blocks_free(snBlocks *m)
{
    sn_free(m->start);
    sn_free(m->column);
    sn_free(m->diagonal);
    sn_free(m->block);
    sn_free(m->inverse);
    *m = (snBlocks){0};
}

int64_t sn_blocks_bytes(const snBlocks *m)
{
    return m->n ? (int64_t)m->start[m->n] * (int64_t)(9 * sizeof(float) + sizeof(int32_t)) +
                      (int64_t)m->n * (int64_t)(12 * sizeof(float) + 2 * sizeof(int32_t))
                : 0;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Which items each of n targets is named by: list[start[t]] .. */
typedef struct {
    int32_t *start, *list;
} Backward;

static bool backward(int32_t n, int32_t nitem, int32_t per, const int32_t *target, Backward *b)
{
    b->start = SN_NEW_ARRAY(int32_t, n + 2);
    b->list = SN_NEW_ARRAY(int32_t, (size_t)nitem * (size_t)per);
    if (!b->start || !b->list) return false;
    for (int32_t i = 0; i < nitem * per; ++i) ++b->start[target[i] + 2];
    for (int32_t i = 2; i < n + 2; ++i) b->start[i] += b->start[i - 1];
    for (int32_t i = 0; i < nitem * per; ++i) b->list[b->start[target[i] + 1]++] = i / per;
    return true;
}

static void backward_free(Backward *b)
{
    sn_free(b->start);
    sn_free(b->list);
}

/* Collects the columns of one row, each once. */
typedef struct {
    int32_t *seen, row;   /* per column: row + 1 that saw it last */
    int32_t *list, count; /* of this row */
    int32_t room;
} Row;

static bool row_add(Row *r, int32_t column)
{
    if (r->seen[column] == r->row + 1) return true;
    r->seen[column] = r->row + 1;
    if (r->count == r->room) {
        int32_t *more = sn_realloc(r->list, (size_t)r->room, 2 * (size_t)r->room + 64, sizeof *more);
        if (!more) return false;
        r->list = more, r->room = 2 * r->room + 64;
    }
    r->list[r->count++] = column;
    return true;
}

typedef bool (*GatherFn)(const void *context, Row *row);

/* Row by row, twice: once to count, once to fill in. */
static snStatus build(int32_t n, GatherFn gather, const void *context, snBlocks *m)
{
    Row row = {.seen = SN_NEW_ARRAY(int32_t, n)};
    bool fine = row.seen != NULL;
    m->n = n;
    m->start = SN_NEW_ARRAY(int32_t, n + 1), m->diagonal = SN_NEW_ARRAY(int32_t, n);
    fine = fine && m->start && m->diagonal;
    int32_t room = 32 * n + 64;
    m->column = SN_NEW_ARRAY(int32_t, room);
    fine = fine && m->column;
    for (row.row = 0; fine && row.row < n; ++row.row) {
        row.count = 0;
        fine = row_add(&row, row.row) && gather(context, &row);
        if (!fine) break;
        qsort(row.list, (size_t)row.count, sizeof *row.list, by_number);
        int32_t at = m->start[row.row];
        if (at + row.count > room) {
            int32_t *more = sn_realloc(m->column, (size_t)room, 2 * (size_t)room, sizeof *more);
            if (!(fine = more != NULL)) break;
            m->column = more, room *= 2;
        }
        memcpy(m->column + at, row.list, (size_t)row.count * sizeof *row.list);
        for (int32_t k = 0; k < row.count; ++k)
            if (row.list[k] == row.row) m->diagonal[row.row] = at + k;
        m->start[row.row + 1] = at + row.count;
    }
    sn_free(row.seen);
    sn_free(row.list);
    if (!fine) sn_blocks_free(m);
    return fine ? SN_OK : SN_NO_MEMORY;
}

typedef struct {
    Backward of;
    int32_t size;
    const int32_t *group;
} Groups;

static bool gather_groups(const void *context, Row *row)
{
    const Groups *g = context;
    for (int32_t k = g->of.start[row->row]; k < g->of.start[row->row + 1]; ++k)
        for (int32_t i = 0; i < g->size; ++i)
            if (!row_add(row, g->group[(size_t)g->of.list[k] * (size_t)g->size + (size_t)i])) return false;
    return true;
}

snStatus sn_blocks_pattern(int32_t n, int32_t ngroup, int32_t size, const int32_t *group, snBlocks *m)
{
    Groups g = {.size = size, .group = group};
    *m = (snBlocks){0};
    snStatus status = backward(n, ngroup, size, group, &g.of) ? build(n, gather_groups, &g, m) : SN_NO_MEMORY;
    backward_free(&g.of);
    return status;
}

typedef struct {
    Backward of;
    const snBlocks *fine;
    const int32_t *parent;
} Children;

static bool gather_children(const void *context, Row *row)
{
    const Children *c = context;
    for (int32_t k = c->of.start[row->row]; k < c->of.start[row->row + 1]; ++k) {
        int32_t i = c->of.list[k];
        for (int32_t e = c->fine->start[i]; e < c->fine->start[i + 1]; ++e)
            for (int p = 0; p < 2; ++p)
                if (!row_add(row, c->parent[2 * c->fine->column[e] + p])) return false;
    }
    return true;
}

snStatus sn_blocks_coarse_pattern(const snBlocks *fine, const int32_t *parent, int32_t ncoarse, snBlocks *m)
{
    Children c = {.fine = fine, .parent = parent};
    *m = (snBlocks){0};
    snStatus status =
        backward(ncoarse, fine->n, 2, parent, &c.of) ? build(ncoarse, gather_children, &c, m) : SN_NO_MEMORY;
    backward_free(&c.of);
    return status;
}

/* The least colour that no neighbour has yet. */
static int32_t free_color(const snBlocks *m, const int8_t *color, int32_t row)
{
    uint64_t taken = 0;
    for (int32_t k = m->start[row]; k < m->start[row + 1]; ++k)
        if (color[m->column[k]] >= 0) taken |= 1ull << color[m->column[k]];
    for (int32_t c = 0; c < SN_BLOCKS_COLORS; ++c)
        if (!(taken >> c & 1)) return c;
    return -1;
}

static void renumber(const snBlocks *old, const int32_t *number, snBlocks *m)
{
    for (int32_t i = 0; i < m->n; ++i) m->start[number[i] + 1] = old->start[i + 1] - old->start[i];
    for (int32_t i = 0; i < m->n; ++i) m->start[i + 1] += m->start[i];
    for (int32_t i = 0; i < m->n; ++i) {
        int32_t row = number[i], at = m->start[row], count = m->start[row + 1] - at;
        for (int32_t k = 0; k < count; ++k) m->column[at + k] = number[old->column[old->start[i] + k]];
        qsort(m->column + at, (size_t)count, sizeof *m->column, by_number);
        for (int32_t k = at; k < at + count; ++k)
            if (m->column[k] == row) m->diagonal[row] = k;
    }
}

snStatus sn_blocks_color(snBlocks *m, int32_t *number)
{
    int8_t *color = SN_NEW_ARRAY(int8_t, m->n + 1);
    snBlocks sorted = {.n = m->n};
    int32_t count[SN_BLOCKS_COLORS + 1] = {0};
    if (!color) return SN_NO_MEMORY;
    memset(color, -1, (size_t)m->n + 1);
    for (int32_t i = 0; i < m->n; ++i) {
        int32_t c = free_color(m, color, i);
        if (c < 0) return sn_free(color), SN_BAD_INPUT;
        color[i] = (int8_t)c, ++count[c + 1];
        if (c >= sorted.ncolor) sorted.ncolor = c + 1;
    }
    for (int32_t c = 0; c < SN_BLOCKS_COLORS; ++c) count[c + 1] += count[c];
    memcpy(sorted.color, count, sizeof count);
    for (int32_t i = 0; i < m->n; ++i) number[i] = count[color[i]]++;
    sn_free(color);
    sorted.start = SN_NEW_ARRAY(int32_t, m->n + 1), sorted.diagonal = SN_NEW_ARRAY(int32_t, m->n);
    sorted.column = SN_NEW_ARRAY(int32_t, m->start[m->n]);
    if (!sorted.start || !sorted.diagonal || !sorted.column) return sn_blocks_free(&sorted), SN_NO_MEMORY;
    renumber(m, number, &sorted);
    sn_blocks_free(m);
    *m = sorted;
    return SN_OK;
}

snStatus sn_blocks_allocate(snBlocks *m)
{
    m->block = SN_NEW_ARRAY(float, 9 * (size_t)m->start[m->n] + 16);
    m->inverse = SN_NEW_ARRAY(float, 12 * (size_t)m->n);
    return m->block && m->inverse ? SN_OK : SN_NO_MEMORY;
}

int32_t sn_blocks_find(const snBlocks *m, int32_t row, int32_t column)
{
    int32_t low = m->start[row], high = m->start[row + 1] - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (m->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
