/* The symbolic work of the strand-structured solver, done once.
 *
 * 1. The border of a strand: the bodies its rows touch, in the order of the rows along it, so that their columns begin
 *    with many zeros; and the link rows that have a part on it.
 * 2. The reduced system: bodies and groups of link rows that touch the same strands, ordered by minimum degree; a joint
 *    row comes right after the first of its bodies, never before, so that its pivot is not its compliance alone.
 * 3. Batches of four strands: strand_batches.c.
 * 4. Where everything goes: the rectangles of each strand's contribution, the blocks of pairs and joint rows. */
#include "system/strand_setup.h"

#include "base/alloc.h"
#include "sparse/ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef snSetup Setup;

/* 1. Borders. ----------------------------------------------------------------------------------------------------- */

static void find_slots(Setup *u)
{
    const snKktPattern *p = u->p;
    int32_t count = 0;
    for (int32_t b = 0; b < p->nbody; ++b) u->mark[b] = -1;
    for (int32_t s = 0; s < p->nstrand; ++s) {
        u->slotadr[s] = count;
        for (int32_t r = p->strand_ownadr[s]; r < p->strand_ownadr[s + 1]; ++r) {
            int32_t b = p->own_body[r];
            if (b >= 0 && (u->mark[b] < u->slotadr[s])) u->mark[b] = count, u->slot_body[count++] = b;
            u->s->own_slot[r] = b >= 0 ? u->mark[b] - u->slotadr[s] : -1;
        }
    }
    u->slotadr[p->nstrand] = count;
}

/* Each link row once for each strand it touches, in the order of the rows. */
static void find_links(Setup *u)
{
    const snKktPattern *p = u->p;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t s = 0; s < p->nstrand; ++s) u->mark[s] = -1, u->filled[s] = u->linkadr[s];
        for (int32_t l = 0; l < p->nlink; ++l)
            for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e) {
                int32_t s = p->part_strand[e];
                if (u->mark[s] == l) continue;
                u->mark[s] = l;
                if (pass)
                    u->link[u->filled[s]++] = l;
                else
                    ++u->linkadr[s + 1];
            }
        for (int32_t s = 0; !pass && s < p->nstrand; ++s) u->linkadr[s + 1] += u->linkadr[s];
    }
}

static bool on_strand(const snKktPattern *p, int32_t l, int32_t strand)
{
    for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e)
        if (p->part_strand[e] == strand) return true;
    return false;
}

static bool same_strands(const snKktPattern *p, int32_t l, int32_t m)
{
    for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e)
        if (!on_strand(p, m, p->part_strand[e])) return false;
    for (int32_t e = p->link_partadr[m]; e < p->link_partadr[m + 1]; ++e)
        if (!on_strand(p, l, p->part_strand[e])) return false;
    return true;
}

/* Link rows on the same strands are one node of the reduced system. */
static void group_links(Setup *u)
{
    const snKktPattern *p = u->p;
    for (int32_t s = 0; s < p->nstrand; ++s) u->head[s] = -1;
    for (int32_t l = 0; l < p->nlink; ++l) {
        int32_t lowest = p->nstrand, g;
        for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e)
            lowest = p->part_strand[e] < lowest ? p->part_strand[e] : lowest;
        for (g = u->head[lowest]; g >= 0 && !same_strands(p, u->first_link[g], l);) g = u->next[g];
        if (g < 0) {
            g = u->ngroup++;
            u->first_link[g] = l;
            u->next[g] = u->head[lowest];
            u->head[lowest] = g;
        }
        u->node[l] = p->nbody + g;
    }
    u->nnode = p->nbody + u->ngroup;
}

/* 2. The reduced system. ------------------------------------------------------------------------------------------ */

static int32_t border_node(const Setup *u, int32_t strand, int32_t i)
{
    int32_t nslot = u->slotadr[strand + 1] - u->slotadr[strand];
    return i < nslot ? u->slot_body[u->slotadr[strand] + i] : u->node[u->link[u->linkadr[strand] + i - nslot]];
}

static inline void add_edge(Setup *u, int32_t i, int32_t j)
{
    if (i == j) return;
    if (u->edge_i) u->edge_i[u->nedge] = i, u->edge_j[u->nedge] = j;
    ++u->nedge;
}

static void list_edges(Setup *u)
{
    const snKktPattern *p = u->p;
    u->nedge = 0;
    for (int32_t s = 0; s < p->nstrand; ++s) {
        int32_t count = u->slotadr[s + 1] - u->slotadr[s] + u->linkadr[s + 1] - u->linkadr[s];
        for (int32_t i = 0; i < count; ++i)
            for (int32_t j = 0; j < i; ++j) add_edge(u, border_node(u, s, i), border_node(u, s, j));
    }
    for (int32_t c = 0; c < p->npair; ++c) add_edge(u, p->pair_body[2 * c], p->pair_body[2 * c + 1]);
    for (int32_t j = 0; j < p->njoint; ++j)
        if (p->joint_body[2 * j] >= 0 && p->joint_body[2 * j + 1] >= 0)
            add_edge(u, p->joint_body[2 * j], p->joint_body[2 * j + 1]);
}

static bool order_nodes(Setup *u)
{
    list_edges(u);
    u->edge_i = SN_NEW_ARRAY(int32_t, u->nedge);
    u->edge_j = SN_NEW_ARRAY(int32_t, u->nedge);
    if (!u->edge_i || !u->edge_j) return false;
    list_edges(u);
    snOrder order;
    if (!sn_order_create(&order, u->nnode, u->nedge)) return false;
    sn_order_amd(&order, u->nedge, u->edge_i, u->edge_j, u->perm);
    sn_order_destroy(&order);
    for (int32_t k = 0; k < u->nnode; ++k) u->place[u->perm[k]] = k;
    return true;
}

/* The body that a joint row is eliminated with: the one that goes first. */
static void choose_hosts(Setup *u)
{
    for (int32_t j = 0; j < u->p->njoint; ++j) {
        const int32_t *body = u->p->joint_body + 2 * j;
        bool second = body[0] < 0 || (body[1] >= 0 && u->place[body[1]] < u->place[body[0]]);
        u->s->joint_host[j] = second;
        ++u->width[body[second]];
    }
}

static void number_unknowns(Setup *u)
{
    snStrandSolver *s = u->s;
    const snKktPattern *p = u->p;
    const int32_t *start = s->reduced.start;
    for (int32_t b = 0; b < p->nbody; ++b) {
        s->body_at[b] = start[u->place[b]];
        u->filled[b] = 6;
        for (int c = 0; c < 6; ++c) s->reduced.sign[s->body_at[b] + c] = 1, s->owner[s->body_at[b] + c] = -1 - b;
    }
    for (int32_t g = 0; g < u->ngroup; ++g) u->filled[p->nbody + g] = 0;
    for (int32_t j = 0; j < p->njoint; ++j) {
        int32_t b = p->joint_body[2 * j + s->joint_host[j]];
        s->joint_at[j] = s->body_at[b] + u->filled[b]++;
        s->reduced.sign[s->joint_at[j]] = -1, s->owner[s->joint_at[j]] = -1 - b;
    }
    for (int32_t l = 0; l < p->nlink; ++l) {
        s->link_at[l] = start[u->place[u->node[l]]] + u->filled[u->node[l]]++;
        s->reduced.sign[s->link_at[l]] = -1, s->owner[s->link_at[l]] = p->part_strand[p->link_partadr[l]];
    }
}

static bool build_reduced(Setup *u)
{
    snStrandSolver *s = u->s;
    if (!order_nodes(u)) return false;
    for (int32_t b = 0; b < u->p->nbody; ++b) u->width[b] = 6;
    for (int32_t l = 0; l < u->p->nlink; ++l) ++u->width[u->node[l]];
    memcpy(u->filled, u->width, (size_t)u->nnode * sizeof *u->width); /* what earlier nodes can meet: no joint rows */
    choose_hosts(u);
    if (!sn_reduced_create(&s->reduced, u->nnode, u->perm, u->width, u->filled, u->nedge, u->edge_i, u->edge_j))
        return false;
    s->owner = SN_NEW_ARRAY(int32_t, s->reduced.n);
    s->red = SN_NEW_ARRAY(double, s->reduced.n);
    s->total = SN_NEW_ARRAY(double, s->reduced.n);
    if (!s->owner || !s->red || !s->total) return false;
    number_unknowns(u);
    return true;
}

/* 4. Where everything goes. --------------------------------------------------------------------------------------- */

/* The first row group of each border group that any body side of the batch is in. */
static void find_first_rows(const snStrandSolver *s, snBatch *b)
{
    for (int32_t g = 0; g < b->nbordergroup; ++g) b->first_row[g] = b->nrowgroup;
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 0; r < b->lane[l].nown; ++r) {
            int32_t slot = s->own_slot[b->lane[l].own + r];
            if (slot < 0) continue;
            for (int32_t g = 6 * slot / 4; g <= (6 * slot + 5) / 4; ++g)
                if (r / 4 < b->first_row[g]) b->first_row[g] = r / 4;
        }
}

static void sort_by_unknown(int32_t *link, int32_t count, const int32_t *at)
{
    for (int32_t i = 1; i < count; ++i)
        for (int32_t j = i; j > 0 && at[link[j]] < at[link[j - 1]]; --j) {
            int32_t t = link[j];
            link[j] = link[j - 1], link[j - 1] = t;
        }
}

/* The unknowns of the lane's border and its link parts, appended to the lists of all lanes. */
static void fill_lane(Setup *u, const snBatch *b, snLane *lane, int32_t **index, snLinkPart **part)
{
    snStrandSolver *s = u->s;
    int32_t strand = lane->strand, *link = u->link + u->linkadr[strand];
    lane->slot_at = *index;
    for (int32_t i = 0; i < lane->nslot; ++i) *(*index)++ = s->body_at[u->slot_body[u->slotadr[strand] + i]];
    lane->link_at = *index;
    lane->linkpart = *part;
    sort_by_unknown(link, lane->nlink, s->link_at);
    for (int32_t i = 0; i < lane->nlink; ++i) {
        *(*index)++ = s->link_at[link[i]];
        for (int32_t e = u->p->link_partadr[link[i]]; e < u->p->link_partadr[link[i] + 1]; ++e)
            if (u->p->part_strand[e] == strand) *(*part)++ = (snLinkPart){e, link[i], 6 * b->nslot + i};
    }
    lane->nlinkpart = (int32_t)(*part - lane->linkpart);
}

static bool fill_lanes(Setup *u)
{
    snStrandSolver *s = u->s;
    int32_t *index = s->index = SN_NEW_ARRAY(int32_t, u->slotadr[u->p->nstrand] + u->linkadr[u->p->nstrand]);
    snLinkPart *part = s->linkpart = SN_NEW_ARRAY(snLinkPart, u->p->npart);
    if (!index || !part) return false;
    for (int32_t b = 0; b < s->nbatch; ++b) {
        for (int l = 0; l < SN_LANES; ++l)
            if (s->batch[b].lane[l].strand >= 0) fill_lane(u, &s->batch[b], &s->batch[b].lane[l], &index, &part);
        find_first_rows(s, &s->batch[b]);
    }
    return true;
}

typedef struct Segment {
    int32_t column, width, at; /* border columns, unknowns */
} Segment;

/* A body, or a run of link columns that are neighbours in one node. Returns false after the last. */
static bool next_segment(const snStrandSolver *s, const snBatch *b, const snLane *lane, int32_t *i, Segment *segment)
{
    if (*i < lane->nslot) {
        *segment = (Segment){6 * *i, 6, lane->slot_at[*i]};
        ++*i;
        return true;
    }
    int32_t first = *i - lane->nslot, end = first + 1;
    if (first >= lane->nlink) return false;
    int32_t node = sn_reduced_node_of(&s->reduced, lane->link_at[first]);
    while (end < lane->nlink && lane->link_at[end] == lane->link_at[end - 1] + 1 &&
           lane->link_at[end] < s->reduced.start[node + 1])
        ++end;
    *segment = (Segment){6 * b->nslot + first, end - first, lane->link_at[first]};
    *i = lane->nslot + end;
    return true;
}

static snTarget make_target(const snReduced *r, Segment p, Segment q)
{
    bool along = p.at < q.at;
    int32_t column = along ? p.at : q.at, row = along ? q.at : p.at;
    return (snTarget){.row = p.column,
                      .column = q.column,
                      .height = p.width,
                      .width = q.width,
                      .ld = r->ld[sn_reduced_node_of(r, column)],
                      .kind = p.at == q.at ? SN_TARGET_TRIANGLE
                              : along      ? SN_TARGET_ALONG
                                           : SN_TARGET_ACROSS,
                      .at = sn_reduced_index(r, row, column)};
}

/* With list NULL it only counts. */
static int32_t list_targets(const snStrandSolver *s, const snBatch *b, const snLane *lane, snTarget *list)
{
    int32_t count = 0, i = 0;
    Segment p, q;
    while (next_segment(s, b, lane, &i, &p)) {
        int32_t j = 0;
        do {
            next_segment(s, b, lane, &j, &q);
            if (list) list[count] = make_target(&s->reduced, p, q);
            ++count;
        } while (q.column != p.column);
    }
    return count;
}

static bool make_targets(snStrandSolver *s)
{
    int32_t nlane = SN_LANES * s->nbatch;
    if (!(s->targetadr = SN_NEW_ARRAY(int32_t, nlane + 1))) return false;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < nlane; ++i) {
            const snBatch *b = &s->batch[i / SN_LANES];
            const snLane *lane = &b->lane[i % SN_LANES];
            if (pass)
                list_targets(s, b, lane, s->target + s->targetadr[i]);
            else
                s->targetadr[i + 1] = s->targetadr[i] + list_targets(s, b, lane, NULL);
        }
        if (!pass && !(s->target = SN_NEW_ARRAY(snTarget, s->targetadr[nlane]))) return false;
    }
    return true;
}

static int32_t panel_ld(const snReduced *r, int32_t unknown)
{
    return r->ld[sn_reduced_node_of(r, unknown)];
}

static void place_blocks(Setup *u)
{
    snStrandSolver *s = u->s;
    const snKktPattern *p = u->p;
    const snReduced *r = &s->reduced;
    for (int32_t b = 0; b < p->nbody; ++b) {
        s->body_to[b] = sn_reduced_index(r, s->body_at[b], s->body_at[b]);
        s->body_ld[b] = panel_ld(r, s->body_at[b]);
    }
    for (int32_t c = 0; c < p->npair; ++c) {
        int32_t a = s->body_at[p->pair_body[2 * c]], b = s->body_at[p->pair_body[2 * c + 1]];
        s->pair_to[c] = sn_reduced_index(r, larger(a, b), a < b ? a : b);
        s->pair_ld[c] = panel_ld(r, a < b ? a : b);
    }
    for (int32_t j = 0; j < p->njoint; ++j) {
        int32_t host = s->joint_host[j], other = p->joint_body[2 * j + !host], at = s->joint_at[j];
        s->joint_to[3 * j] = sn_reduced_index(r, at, s->body_at[p->joint_body[2 * j + host]]);
        if (other >= 0) s->joint_to[3 * j + 1] = sn_reduced_index(r, s->body_at[other], at);
        s->joint_to[3 * j + 2] = sn_reduced_index(r, at, at);
    }
    for (int32_t l = 0; l < p->nlink; ++l) s->link_to[l] = sn_reduced_index(r, s->link_at[l], s->link_at[l]);
}

/* Memory. ---------------------------------------------------------------------------------------------------------- */

static bool make_work(snStrandSolver *s)
{
    int64_t y = 0, u = 0, v = 0, x = 0, row = 0, group = 0;
    for (int32_t i = 0; i < s->nbatch; ++i) {
        const snBatch *b = &s->batch[i];
        int64_t n = b->npoint, m = b->nrowgroup, g = b->nbordergroup;
        y = m * n * 48 > y ? m * n * 48 : y;
        u = b->nlink && g * n * 48 > u ? g * n * 48 : u;
        v = g * m * 64 > v ? g * m * 64 : v;
        x = 8 * (3 * n + 4) > x ? 8 * (3 * n + 4) : x; /* two right-hand sides */
        row = 32 * m > row ? 32 * m : row;
        group = m + g > group ? m + g : group;
    }
    int64_t each = y + u + v + x + row + (group + 15) / 16 * 8; /* in doubles; multiples of 4 */
    s->scratch = SN_NEW_ARRAY(double, s->nworker *each);
    s->work = SN_NEW_ARRAY(snLaneWork, s->nworker);
    if (!s->scratch || !s->work) return false;
    for (int32_t i = 0; i < s->nworker; ++i) {
        double *at = s->scratch + i * each;
        s->work[i] = (snLaneWork){
            at, at + y, at + y + u, at + y + u + v, at + y + u + v + x, (int32_t *)(void *)(at + y + u + v + x + row)};
    }
    return true;
}

/* Scratch of the attached right-hand sides; q is not used in eliminating. */
static bool keep_vectors(snStrandSolver *s, int64_t point, int64_t row)
{
    s->kept_vector = SN_NEW_ARRAY(double, 2 * (point + (2 * row + 3) / 4 * 4));
    s->kept_border = SN_NEW_ARRAY(double, 2 * SN_LANES * (int64_t)s->nbatch * s->border_size);
    return s->kept_vector && s->kept_border;
}

static bool make_vectors(Setup *u)
{
    snStrandSolver *s = u->s;
    int64_t point = 4 * (int64_t)u->p->npoint, row = u->p->nown, size = u->k->size;
    int32_t border = 0;
    for (int32_t b = 0; b < s->nbatch; ++b) border = larger(border, 4 * s->batch[b].nbordergroup);
    s->border_size = border;
    s->nchunk = larger(64, u->p->nstrand);
    s->vector = SN_NEW_ARRAY(double, 5 * point + 2 * row);
    s->x = SN_NEW_ARRAY(double, size);
    s->res = SN_NEW_ARRAY(double, size);
    s->step = SN_NEW_ARRAY(double, size);
    s->old_part = SN_NEW_ARRAY(snKktPart, u->p->npart);
    s->old_on = SN_NEW_ARRAY(uint8_t, u->p->nlink);
    s->chunk = SN_NEW_ARRAY(double, (int64_t)s->nchunk *border);
    s->many = SN_NEW_ARRAY(double, (int64_t)s->nworker * 2 * SN_MANY * s->reduced.n);
    s->reached = SN_NEW_ARRAY(uint8_t, (int64_t)s->nworker * s->reduced.nnode);
    if (!s->vector || !s->x || !s->res || !s->step || !s->old_part || !s->old_on || !s->chunk || !s->many ||
        !s->reached)
        return false;
    if (!keep_vectors(s, point, row)) return false;
    s->x_point = s->vector + 2 * point;
    s->res_point = s->vector + 3 * point;
    s->step_point = s->vector + 4 * point;
    s->data = (snLaneData){.values = &u->k->values,
                           .own_slot = s->own_slot,
                           .t = s->vector,
                           .q = s->vector + point,
                           .w = s->vector + 5 * point,
                           .y = s->vector + 5 * point + row};
    double *at = s->kept_vector;
    for (int r = 0; r < 2; ++r, at += point + (2 * row + 3) / 4 * 4) {
        s->kept[r] = s->data;
        s->kept[r].t = at, s->kept[r].w = at + point, s->kept[r].y = at + point + row;
    }
    return true;
}

static bool begin(Setup *u)
{
    const snKktPattern *p = u->p;
    snStrandSolver *s = u->s;
    int32_t nnode = p->nbody + p->nlink, most = larger(nnode, p->nstrand);
    return (s->body_at = SN_NEW_ARRAY(int32_t, p->nbody)) && (s->link_at = SN_NEW_ARRAY(int32_t, p->nlink)) &&
           (s->joint_at = SN_NEW_ARRAY(int32_t, p->njoint)) && (s->joint_host = SN_NEW_ARRAY(int32_t, p->njoint)) &&
           (s->own_slot = SN_NEW_ARRAY(int32_t, p->nown)) && (s->strand_lane = SN_NEW_ARRAY(int32_t, p->nstrand)) &&
           (s->pair_to = SN_NEW_ARRAY(int64_t, p->npair)) && (s->joint_to = SN_NEW_ARRAY(int64_t, 3 * p->njoint)) &&
           (s->link_to = SN_NEW_ARRAY(int64_t, p->nlink)) && (s->body_to = SN_NEW_ARRAY(int64_t, p->nbody)) &&
           (s->body_ld = SN_NEW_ARRAY(int32_t, p->nbody)) && (s->pair_ld = SN_NEW_ARRAY(int32_t, p->npair)) &&
           (u->slotadr = SN_NEW_ARRAY(int32_t, p->nstrand + 1)) && (u->slot_body = SN_NEW_ARRAY(int32_t, p->nown)) &&
           (u->linkadr = SN_NEW_ARRAY(int32_t, p->nstrand + 1)) && (u->link = SN_NEW_ARRAY(int32_t, p->npart)) &&
           (u->node = SN_NEW_ARRAY(int32_t, p->nlink)) && (u->head = SN_NEW_ARRAY(int32_t, p->nstrand)) &&
           (u->next = SN_NEW_ARRAY(int32_t, p->nlink)) && (u->first_link = SN_NEW_ARRAY(int32_t, p->nlink)) &&
           (u->width = SN_NEW_ARRAY(int32_t, nnode)) && (u->perm = SN_NEW_ARRAY(int32_t, nnode)) &&
           (u->place = SN_NEW_ARRAY(int32_t, nnode)) && (u->mark = SN_NEW_ARRAY(int32_t, most)) &&
           (u->filled = SN_NEW_ARRAY(int32_t, most)) && (u->size = SN_NEW_ARRAY(snSetupSize, p->nstrand));
}

static void end(Setup *u)
{
    void *block[] = {u->slotadr, u->slot_body, u->linkadr, u->link, u->node,   u->head, u->next,   u->first_link,
                     u->width,   u->perm,      u->place,   u->mark, u->filled, u->size, u->edge_i, u->edge_j};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
}

static bool build(Setup *u)
{
    find_slots(u);
    find_links(u);
    group_links(u);
    if (!build_reduced(u) || !sn_setup_batches(u) || !fill_lanes(u) || !make_targets(u->s)) return false;
    place_blocks(u);
    return make_work(u->s) && make_vectors(u);
}

snStrandSolver *sn_strand_solver_create(const snKkt *k, const snLanes *lanes)
{
    snStrandSolver *s = SN_NEW(snStrandSolver);
    if (!s) return NULL;
    Setup u = {.k = k, .p = &k->pattern, .s = s};
    s->lanes = lanes;
    s->nworker = sn_pool_threads(k->pool);
    bool ok = begin(&u) && build(&u);
    end(&u);
    if (ok) return s;
    sn_strand_solver_destroy(s);
    return NULL;
}

void sn_strand_solver_destroy(snStrandSolver *s)
{
    if (!s) return;
    void *block[] = {s->batch,    s->work,    s->body_at,  s->link_at,   s->joint_at,  s->joint_host,  s->owner,
                     s->own_slot, s->index,   s->linkpart, s->first_row, s->targetadr, s->target,      s->pair_to,
                     s->joint_to, s->link_to, s->body_to,  s->body_ld,   s->pair_ld,   s->memory,      s->scratch,
                     s->vector,   s->x,       s->res,      s->step,      s->red,       s->total,       s->strand_lane,
                     s->old_part, s->old_on,  s->chunk,    s->many,      s->reached,   s->kept_vector, s->kept_border};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_reduced_destroy(&s->reduced);
    sn_free(s);
}
