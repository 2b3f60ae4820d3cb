/* soft.h: making a body and its states. */
#include "meshfree/soft.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

snSoftDef sn_default_soft_def(void)
{
    snSoftDef def = {.stabilisation = 1.5, .contact_stiffness = 2e4, .density = 1060};
    def.law.passive.kind = SN_LAW_HILL_PASSIVE;
    def.law.active.kind = SN_LAW_HILL_ACTIVE;
    def.law.prestretch = def.law.optimal = 1;
    def.law.plateau = true;
    return def;
}

typedef struct place {
    double key;
    int32_t node;
} place;

static int by_key(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static v3 long_side(int32_t n, const double *x)
{
    v3 mean = {0, 0, 0};
    m3 spread = {{0}}, vectors;
    double value[3];
    for (int32_t i = 0; i < n; ++i) mean = v3_mad(mean, 1.0 / n, v3_load(x + 3 * i));
    for (int32_t i = 0; i < n; ++i) {
        v3 d = v3_sub(v3_load(x + 3 * i), mean);
        double c[3] = {d.x, d.y, d.z};
        for (int r = 0; r < 9; ++r) spread.m[r] += c[r / 3] * c[r % 3];
    }
    m3_eigen_symmetric(&spread, value, &vectors);
    return v3_of(vectors.m[2], vectors.m[5], vectors.m[8]);
}

/* Free nodes along the longest side, and the skyline that follows. */
static bool order_nodes(snSoftBody *body)
{
    const snSoftQuads *q = body->quads;
    place *list = SN_NEW_ARRAY(place, q->nnode);
    int32_t *reach = NULL, n = 0;
    bool ok = list != NULL;
    if (ok) {
        v3 side = long_side(q->nnode, q->rest);
        for (int32_t i = 0; i < q->nnode; ++i) {
            body->order[i] = -1;
            if (body->attached[i] < 0) list[n++] = (place){v3_dot(v3_load(q->rest + 3 * i), side), i};
        }
        qsort(list, (size_t)n, sizeof *list, by_key);
        for (int32_t k = 0; k < n; ++k) body->order[list[k].node] = k;
        body->nfree = n;
        reach = SN_NEW_ARRAY(int32_t, 3 * n);
        ok = reach != NULL;
    }
    for (int32_t i = 0; i < 3 * n && ok; ++i) reach[i] = i / 3 * 3;
    for (int32_t e = 0; e < q->n && ok; ++e) {
        int32_t least = INT32_MAX;
        for (int32_t k = q->first[e]; k < q->first[e + 1]; ++k) {
            int32_t at = body->order[q->node[k]];
            if (at >= 0 && at < least) least = at;
        }
        for (int32_t k = q->first[e]; k < q->first[e + 1]; ++k) {
            int32_t at = body->order[q->node[k]];
            for (int32_t r = 3 * at; at >= 0 && r < 3 * at + 3; ++r)
                if (3 * least < reach[r]) reach[r] = 3 * least;
        }
    }
    ok = ok && sn_tiles_create(3 * n, reach, &body->tiles);
    sn_free(list);
    sn_free(reach);
    return ok;
}

/* The entries of each quadrature point in the order of their nodes. */
static void sort_entries(snSoftBody *body)
{
    const snSoftQuads *q = body->quads;
    for (int32_t e = 0; e < q->n; ++e) {
        int32_t from = q->first[e], count = q->first[e + 1] - from, *list = body->sorted + from;
        for (int32_t k = 0; k < count; ++k) {
            int32_t own = body->order[q->node[from + k]], at = k;
            for (; at > 0 && body->order[q->node[from + list[at - 1]]] > own; --at) list[at] = list[at - 1];
            list[at] = k;
            body->held[e] += own < 0;
        }
    }
}

/* A node that is nearer to a bone at rest than it is deep keeps the distance it has; at most what the grid reaches:
 * beyond it force and energy would not agree, and no solve would end. */
static void keep_off(snSoftBody *body, const double *depth)
{
    const snSoftQuads *q = body->quads;
    for (int32_t node = 0; node < q->nnode; ++node)
        for (int32_t b = 0; b < body->nbone; ++b) {
            double *keep = body->keep + (size_t)node * (size_t)body->nbone + (size_t)b;
            *keep = -INFINITY;
            if (!body->bone[b].distance || body->order[node] < 0) continue;
            v3 gradient, local = rigid_unapply(body->bone[b].rest, v3_load(q->rest + 3 * node));
            *keep = fmin(depth ? depth[node] : 0, sn_distance_sample(body->bone[b].distance, local, &gradient));
            *keep = fmin(*keep, body->bone[b].distance->reach);
        }
}

/* Inverse squares of the distances to the nearest attached node of each bone. */
static void follow_bones(snSoftBody *body)
{
    const snSoftQuads *q = body->quads;
    for (int32_t i = 0; i < q->nnode; ++i) {
        double *follow = body->follow + (size_t)i * (size_t)body->nbone, sum = 0;
        for (int32_t j = 0; j < q->nnode; ++j) {
            int32_t b = body->attached[j];
            if (b < 0) continue;
            double d = 1 / (v3_len2(v3_sub(v3_load(q->rest + 3 * i), v3_load(q->rest + 3 * j))) + 1e-12);
            follow[b] = fmax(follow[b], d);
        }
        for (int32_t b = 0; b < body->nbone; ++b) sum += follow[b];
        for (int32_t b = 0; b < body->nbone; ++b) follow[b] = sum > 0 ? follow[b] / sum : 0;
    }
}

static void weigh(snSoftBody *body, double density)
{
    const snSoftQuads *q = body->quads;
    double modulus = 0;
    for (int32_t e = 0; e < q->n; ++e) {
        int32_t count = q->first[e + 1] - q->first[e];
        if (q->part[e] == SN_SOFT_VOLUME) continue;
        body->volume += q->volume[e];
        modulus += q->volume[e] * body->material[e].mu;
        /* a point carries its own mass; a cube shares it among its corners */
        if (q->n == q->nnode)
            body->mass[e] += density * q->volume[e];
        else
            for (int32_t k = q->first[e]; k < q->first[e + 1]; ++k)
                body->mass[q->node[k]] += density * q->volume[e] / count;
    }
    body->modulus = body->stabilisation * modulus / body->volume;
}

snStatus sn_soft_create(const snSoftDef *def, snSoftBody **out, snError *error)
{
    const snSoftQuads *q = def->quads;
    size_t n = (size_t)q->nnode;
    snSoftBody *body = SN_NEW(snSoftBody);
    *out = NULL;
    if (!body) return sn_fail_no_memory(error);
    body->quads = q;
    body->law = def->law;
    body->stabilisation = def->stabilisation;
    body->nbone = def->nbone;
    body->contact_stiffness = def->contact_stiffness;
    body->material = SN_NEW_ARRAY(snSoftMaterial, q->n), body->bone = SN_NEW_ARRAY(snSoftBone, def->nbone);
    body->attached = SN_NEW_ARRAY(int32_t, n), body->order = SN_NEW_ARRAY(int32_t, n);
    body->keep = SN_NEW_ARRAY(double, n *(size_t)def->nbone), body->mass = SN_NEW_ARRAY(double, n);
    body->follow = SN_NEW_ARRAY(double, n *(size_t)def->nbone);
    body->sorted = SN_NEW_ARRAY(int32_t, q->first[q->n]), body->held = SN_NEW_ARRAY(int32_t, q->n);
    bool ok = body->material && body->bone && body->attached && body->order && body->keep && body->mass &&
              body->follow && body->sorted && body->held;
    if (ok) {
        memcpy(body->material, def->material, (size_t)q->n * sizeof *def->material);
        for (int32_t e = 0; e < q->n; ++e) {
            snSoftMaterial *m = body->material + e;
            if (q->part[e] == SN_SOFT_SHAPE) m->lambda = 0;
            if (q->part[e] == SN_SOFT_VOLUME) m->mu = m->passive = m->active = 0;
        }
        if (def->nbone) memcpy(body->bone, def->bone, (size_t)def->nbone * sizeof *def->bone);
        for (size_t i = 0; i < n; ++i) body->attached[i] = def->attached ? def->attached[i] : -1;
        ok = order_nodes(body);
    }
    if (!ok) {
        sn_soft_destroy(body);
        return sn_fail_no_memory(error);
    }
    sort_entries(body);
    keep_off(body, def->depth);
    follow_bones(body);
    weigh(body, def->density);
    *out = body;
    return SN_OK;
}

void sn_soft_destroy(snSoftBody *body)
{
    if (!body) return;
    sn_free(body->material), sn_free(body->bone), sn_free(body->attached), sn_free(body->order);
    sn_free(body->keep), sn_free(body->mass), sn_free(body->follow), sn_free(body->sorted), sn_free(body->held);
    sn_tiles_free(&body->tiles);
    sn_free(body);
}

snStatus sn_soft_state_create(const snSoftBody *body, snSoftState **out, snError *error)
{
    size_t n = 3 * (size_t)body->quads->nnode, pairs = (size_t)body->quads->nnode * (size_t)body->nbone;
    snSoftState *s = SN_NEW(snSoftState);
    *out = NULL;
    if (!s) return sn_fail_no_memory(error);
    s->x = SN_NEW_ARRAY(double, n), s->velocity = SN_NEW_ARRAY(double, n), s->target = SN_NEW_ARRAY(double, n);
    s->force = SN_NEW_ARRAY(double, n), s->trial = SN_NEW_ARRAY(double, n), s->step = SN_NEW_ARRAY(double, n);
    s->shifted = SN_NEW_ARRAY(double, n);
    s->pressure = SN_NEW_ARRAY(double, body->quads->n), s->coming = SN_NEW_ARRAY(double, body->quads->n);
    s->pose = SN_NEW_ARRAY(rigid, body->nbone);
    s->contact_stiffness = body->contact_stiffness;
    s->normal_force = SN_NEW_ARRAY(double, pairs), s->stick = SN_NEW_ARRAY(double, 3 * pairs);
    s->value = SN_NEW_ARRAY(float, sn_tiles_count(&body->tiles) + 1); /* one more: see blocks.h */
    s->right = SN_NEW_ARRAY(float, (size_t)body->tiles.nrow *SN_TILE);
    if (!s->x || !s->velocity || !s->target || !s->force || !s->trial || !s->step || !s->shifted || !s->pressure ||
        !s->coming || !s->pose || !s->normal_force || !s->stick || !s->value || !s->right) {
        sn_soft_state_destroy(s);
        return sn_fail_no_memory(error);
    }
    memcpy(s->x, body->quads->rest, n * sizeof *s->x);
    for (int32_t b = 0; b < body->nbone; ++b) s->pose[b] = body->bone[b].rest;
    *out = s;
    return SN_OK;
}

void sn_soft_state_destroy(snSoftState *s)
{
    if (!s) return;
    sn_free(s->x), sn_free(s->velocity), sn_free(s->target), sn_free(s->force), sn_free(s->trial), sn_free(s->step);
    sn_free(s->shifted), sn_free(s->pressure), sn_free(s->coming);
    sn_free(s->pose), sn_free(s->normal_force), sn_free(s->stick), sn_free(s->value), sn_free(s->right);
    sn_free(s);
}
