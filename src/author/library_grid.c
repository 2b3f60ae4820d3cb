/* library_grid.h: axes, points, planes. */
#include "author/library_grid.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/model.h"
#include "sinew/sim.h"

#include <stdio.h>
#include <string.h>

/* ---- points ---- */

snLibraryPoint *sn_library_point_create(const snLibraryGrid *g)
{
    snLibraryPoint *p = SN_NEW(snLibraryPoint);
    size_t nv = 3 * (size_t)g->muscle->mesh.nvertex;
    if (!p) return NULL;
    p->x = SN_NEW_ARRAY(double, 3 * (size_t)g->muscle->quads.nnode);
    p->vertex = SN_NEW_ARRAY(double, nv), p->delta = SN_NEW_ARRAY(double, nv);
    if (p->x && p->vertex && p->delta) return p;
    sn_library_point_destroy(p);
    return NULL;
}

void sn_library_point_destroy(snLibraryPoint *p)
{
    if (!p) return;
    sn_free(p->x), sn_free(p->vertex), sn_free(p->delta);
    sn_free(p);
}

void sn_library_copy(const snLibraryGrid *g, const snLibraryPoint *from, snLibraryPoint *to)
{
    size_t nv = 3 * (size_t)g->muscle->mesh.nvertex;
    double *x = to->x, *vertex = to->vertex, *delta = to->delta;
    memcpy(x, from->x, 3 * (size_t)g->muscle->quads.nnode * sizeof *x);
    memcpy(vertex, from->vertex, nv * sizeof *vertex);
    memcpy(delta, from->delta, nv * sizeof *delta);
    *to = *from;
    to->x = x, to->vertex = vertex, to->delta = delta; /* its own memory, which holds the copies by now */
}

int32_t sn_library_neighbours(const snLibraryGrid *g, int32_t flat, int32_t near[2 * SN_LIBRARY_AXES])
{
    int32_t index[3], count = 0;
    sn_library_unflat(g, flat, index);
    for (int32_t a = 0; a < g->naxis; ++a)
        for (int32_t step = -1; step <= 1; step += 2) {
            index[a] += step;
            if (index[a] >= 0 && index[a] < g->axis[a].n) near[count++] = sn_library_flat(g, index);
            index[a] -= step;
        }
    return count;
}

double sn_library_step(const snLibraryGrid *g, int32_t flat)
{
    int32_t near[2 * SN_LIBRARY_AXES], count = sn_library_neighbours(g, flat, near);
    double worst = 0;
    for (int32_t k = 0; k < count; ++k) worst = fmax(worst, sn_library_apart(g, g->point[flat], g->point[near[k]]));
    return worst;
}

/* The jump over an interval is kept by the point at its lower end, so a point asks itself and the one before it. */
double sn_library_jump(const snLibraryGrid *g, int32_t flat)
{
    int32_t index[3];
    double worst = 0;
    sn_library_unflat(g, flat, index);
    for (int32_t a = 0; a < g->naxis; ++a) {
        if (index[a] + 1 < g->axis[a].n) worst = fmax(worst, g->point[flat]->jump[a]);
        if (index[a] == 0) continue;
        --index[a];
        worst = fmax(worst, g->point[sn_library_flat(g, index)]->jump[a]);
        ++index[a];
    }
    return worst;
}

/* ---- axes ---- */

/* How far the insertion moves over the range of a coordinate, m, seen from the bone of the origin: moving both together
 * does nothing to the muscle. */
static double reach_of(const snModel *model, const snSoftMuscle *m, int32_t coordinate, double *full, double *pose)
{
    double range[2], moved = 0;
    v3 at[2] = {{0, 0, 0}, {0, 0, 0}};
    const snFibre *f = m->fibres.fibre;
    sn_coordinate_range(model, coordinate, range);
    if (!isfinite(range[0]) || !isfinite(range[1]) || f->body[0] < 0 || f->body[1] < 0) return 0;
    for (int e = 0; e < 2; ++e) {
        memset(full, 0, (size_t)sn_count(model, SN_ITEM_COORDINATE) * sizeof *full);
        (void)sn_body_poses(model, full, pose);
        v3 local = rigid_unapply(sn_pose_at(pose, f->body[1]), f->at[SN_FIBRE_POINTS - 1]);
        full[coordinate] = range[e];
        (void)sn_body_poses(model, full, pose);
        at[e] = rigid_unapply(sn_pose_at(pose, f->body[0]), rigid_apply(sn_pose_at(pose, f->body[1]), local));
    }
    moved = v3_dist(at[0], at[1]);
    return moved;
}

static snStatus add_axis(snLibraryGrid *g, int32_t coordinate, int32_t samples, double low, double high, snError *error)
{
    snLibraryAxis *x = g->axis + g->naxis;
    double range[2];
    const char *name = sn_name(g->model, SN_ITEM_COORDINATE, coordinate);
    sn_coordinate_range(g->model, coordinate, range);
    if (low == high) low = range[0], high = range[1];
    if (!isfinite(low) || !isfinite(high) || low >= high) {
        sn_fail(error, SN_BAD_INPUT, "the coordinate %s has no limits", name);
        sn_error_remedy(error, "give a range: --axis %s=N,LOW,HIGH", name);
        return SN_BAD_INPUT;
    }
    if (samples < 2 || samples > SN_LIBRARY_VALUES)
        return sn_fail(error, SN_BAD_INPUT, "%d samples along %s, expected 2 to %d", samples, name, SN_LIBRARY_VALUES);
    (void)snprintf(x->name, sizeof x->name, "%s", name);
    x->n = samples;
    for (int32_t k = 0; k < samples; ++k) x->value[k] = low + (high - low) * k / (samples - 1);
    g->coord[g->naxis] = coordinate;
    for (int32_t j = 0; j < g->model->njoint; ++j) {
        int32_t first = g->model->joint_coordadr[j];
        if (coordinate >= first && coordinate < g->model->joint_coordadr[j + 1])
            x->angle = sn_joint_dof_is_angle(g->model->joint[j].kind, coordinate - first);
    }
    ++g->naxis;
    return SN_OK;
}

static snStatus choose_axes(snLibraryGrid *g, const snLibraryDef *def, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < def->naxis && status == SN_OK; ++i) {
        int32_t coordinate = sn_find(g->model, SN_ITEM_COORDINATE, def->axis[i].coordinate);
        if (coordinate < 0) {
            sn_fail(error, SN_BAD_INPUT, "the model has no joint coordinate \"%.60s\"", def->axis[i].coordinate);
            sn_error_remedy(error, "sinew info MODEL --json lists them; the first of a joint GH is GH.0");
            return SN_BAD_INPUT;
        }
        status = add_axis(g, coordinate, def->axis[i].samples, def->axis[i].low, def->axis[i].high, error);
    }
    if (def->naxis == 0) {
        int32_t best = -1;
        double most = 1e-3;
        for (int32_t c = 0; c < g->ncoord; ++c) {
            double reach = reach_of(g->model, g->muscle, c, g->worker[0].coordinate, g->worker[0].pose);
            if (reach > most) most = reach, best = c;
        }
        if (best >= 0) status = add_axis(g, best, 5, 0, 0, error);
    }
    g->activation = -1;
    if (status == SN_OK && def->activations > 1) {
        snLibraryAxis *x = g->axis + g->naxis;
        (void)snprintf(x->name, sizeof x->name, "activation");
        x->n = def->activations;
        for (int32_t k = 0; k < x->n; ++k) x->value[k] = def->tone + (1 - def->tone) * k / (x->n - 1);
        g->coord[g->naxis] = -1, g->activation = g->naxis++;
    }
    return status;
}

/* ---- the grid ---- */

/* At first a vertex follows the bones as the points around it do. */
static void first_weights(snLibraryGrid *g)
{
    const snSoftMuscle *m = g->muscle;
    const snSoftEmbedding *e = &m->embedding;
    for (int32_t v = 0; v < m->mesh.nvertex; ++v) {
        double w[SN_LIBRARY_BODIES] = {0}, sum = 0;
        for (int32_t k = e->first[v]; k < e->first[v + 1]; ++k)
            for (int32_t b = 0; b < m->nattached; ++b)
                w[b] += e->phi[k] * m->body->follow[(size_t)e->node[k] * (size_t)m->nbone + (size_t)b];
        for (int32_t b = 0; b < m->nattached; ++b) sum += w[b] = fmin(fmax(w[b], 0), 1);
        for (int32_t b = 0; b < m->nattached; ++b)
            g->frame.weight[(size_t)b * (size_t)m->mesh.nvertex + (size_t)v] = (float)(sum > 0 ? w[b] / sum : b == 0);
    }
}

static snStatus make_workers(snLibraryGrid *g, snError *error)
{
    snStatus status = SN_OK;
    g->nworker = g->pool ? sn_pool_threads(g->pool) : 1;
    g->worker = SN_NEW_ARRAY(snLibraryWorker, g->nworker);
    if (!g->worker) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < g->nworker && status == SN_OK; ++i) {
        snLibraryWorker *w = g->worker + i;
        w->coordinate = SN_NEW_ARRAY(double, g->ncoord + 1);
        w->pose = SN_NEW_ARRAY(double, 7 * sn_count(g->model, SN_ITEM_BODY));
        status = w->coordinate && w->pose ? sn_soft_state_create(g->muscle->body, &w->state, error)
                                          : sn_fail_no_memory(error);
    }
    return status;
}

snStatus sn_library_grid_create(const snModel *model, const snSoftMuscle *muscle, const snLibraryDef *def, snPool *pool,
                                snLibraryGrid *g, snError *error)
{
    *g = (snLibraryGrid){.model = model, .muscle = muscle, .pool = pool, .progress = def->progress};
    g->ncoord = sn_count(model, SN_ITEM_COORDINATE);
    g->limit = def->jump, g->tone = def->tone;
    snStatus status = make_workers(g, error);
    if (status == SN_OK) status = choose_axes(g, def, error);
    if (status != SN_OK) return status;
    int32_t total = sn_library_total(g), index[3];
    g->expected = 2.0 * total;
    g->frame.nvertex = muscle->mesh.nvertex, g->frame.nbody = muscle->nattached;
    g->frame.weight = SN_NEW_ARRAY(float, (size_t)muscle->nattached *(size_t)muscle->mesh.nvertex);
    g->point = SN_NEW_ARRAY(snLibraryPoint *, total);
    if (!g->point || !g->frame.weight) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < total; ++i) {
        g->point[i] = sn_library_point_create(g);
        if (!g->point[i]) return sn_fail_no_memory(error);
        sn_library_unflat(g, i, index);
        for (int32_t a = 0; a < g->naxis; ++a) g->point[i]->at[a] = g->axis[a].value[index[a]];
    }
    first_weights(g);
    for (int32_t i = 0; i < g->nworker; ++i)
        if (!(g->worker[i].spare = sn_library_point_create(g))) return sn_fail_no_memory(error);
    return SN_OK;
}

static void forget(snLibraryGrid *g, snLibraryPoint *p)
{
    g->spent_solves += p->solves, g->spent_seconds += p->seconds;
    g->spent_worst = fmax(g->spent_worst, p->worst);
    sn_library_point_destroy(p);
}

void sn_library_grid_free(snLibraryGrid *g)
{
    for (int32_t i = 0; g->point && i < sn_library_total(g); ++i) sn_library_point_destroy(g->point[i]);
    for (int32_t i = 0; g->worker && i < g->nworker; ++i) {
        sn_soft_state_destroy(g->worker[i].state);
        sn_library_point_destroy(g->worker[i].spare);
        sn_free(g->worker[i].coordinate), sn_free(g->worker[i].pose);
    }
    sn_free(g->point), sn_free(g->worker);
    sn_array_free(&g->middle);
    sn_library_muscle_free(&g->frame);
}

/* ---- planes ---- */

snStatus sn_library_plane_create(const snLibraryGrid *g, int32_t axis, int32_t interval, snLibraryPlane *plane,
                                 snError *error)
{
    int32_t n = g->axis[axis].n, count = sn_library_total(g) / n, k = 0, index[3];
    const double *value = g->axis[axis].value;
    *plane = (snLibraryPlane){.axis = axis, .interval = interval, .count = count};
    plane->value = (value[interval] + value[interval + 1]) / 2;
    plane->point = SN_NEW_ARRAY(snLibraryPoint *, count);
    plane->below = SN_NEW_ARRAY(snLibraryPoint *, count), plane->above = SN_NEW_ARRAY(snLibraryPoint *, count);
    if (!plane->point || !plane->below || !plane->above) {
        sn_library_plane_free(plane);
        return sn_fail_no_memory(error);
    }
    for (int32_t i = 0; i < sn_library_total(g); ++i) {
        sn_library_unflat(g, i, index);
        if (index[axis] != interval) continue;
        snLibraryPoint *p = sn_library_point_create(g);
        if (!p) {
            sn_library_plane_free(plane);
            return sn_fail_no_memory(error);
        }
        memcpy(p->at, g->point[i]->at, sizeof p->at);
        p->at[axis] = plane->value;
        plane->point[k] = p, plane->below[k] = g->point[i];
        ++index[axis];
        plane->above[k++] = g->point[sn_library_flat(g, index)];
    }
    return SN_OK;
}

void sn_library_plane_free(snLibraryPlane *plane)
{
    for (int32_t i = 0; plane->point && i < plane->count; ++i) sn_library_point_destroy(plane->point[i]);
    sn_free(plane->point), sn_free(plane->below), sn_free(plane->above);
    *plane = (snLibraryPlane){0};
}

/* The plane's points become the grid's. Flat numbers change with the length of the axis, so old places are asked for in
 * the grid as it was. */
snStatus sn_library_insert(snLibraryGrid *g, snLibraryPlane *plane, snError *error)
{
    snLibraryAxis *x = g->axis + plane->axis;
    int32_t total = sn_library_total(g), index[3], used = 0;
    snLibraryPoint **old = g->point, **now = SN_NEW_ARRAY(snLibraryPoint *, total + plane->count);
    if (!now) return sn_fail_no_memory(error);
    snLibraryGrid before = *g;
    for (int32_t k = x->n; k > plane->interval + 1; --k) x->value[k] = x->value[k - 1];
    x->value[plane->interval + 1] = plane->value;
    ++x->n;
    for (int32_t i = 0; i < total + plane->count; ++i) {
        sn_library_unflat(g, i, index);
        if (index[plane->axis] == plane->interval + 1) {
            now[i] = plane->point[used], plane->point[used++] = NULL;
            continue;
        }
        if (index[plane->axis] > plane->interval + 1) --index[plane->axis];
        now[i] = old[sn_library_flat(&before, index)];
    }
    g->point = now;
    sn_free(old);
    return SN_OK;
}

typedef struct box {
    int32_t low[3], high[3], count; /* count: of its samples */
} box;

/* Whether all samples of a box are solved, with no jump between two of them. */
static bool sound(const snLibraryGrid *g, const box *b)
{
    int32_t index[3];
    for (int32_t i = 0; i < sn_library_total(g); ++i) {
        const snLibraryPoint *p = g->point[i];
        bool inside = true;
        sn_library_unflat(g, i, index);
        for (int32_t a = 0; a < g->naxis; ++a) inside = inside && index[a] >= b->low[a] && index[a] <= b->high[a];
        if (!inside) continue;
        if (!p->info.converged) return false;
        for (int32_t a = 0; a < g->naxis; ++a)
            if (index[a] < b->high[a] && !(p->jump[a] <= g->limit)) return false;
    }
    return true;
}

/* The box with the most samples that is sound, over the axes from `axis` on; of equal ones the first, which keeps low
 * activations. */
static void find_box(const snLibraryGrid *g, int32_t axis, box now, box *best)
{
    int32_t rest = 1;
    if (axis >= g->naxis || axis >= SN_LIBRARY_AXES) {
        if (now.count > best->count && sound(g, &now)) *best = now;
        return;
    }
    for (int32_t a = axis + 1; a < g->naxis && a < SN_LIBRARY_AXES; ++a) rest *= g->axis[a].n;
    for (int32_t width = g->axis[axis].n; width > 0 && now.count * width * rest > best->count; --width)
        for (int32_t low = 0; low + width <= g->axis[axis].n; ++low) {
            box next = now;
            next.low[axis] = low, next.high[axis] = low + width - 1, next.count = now.count * width;
            find_box(g, axis + 1, next, best);
        }
}

int32_t sn_library_sound_box(const snLibraryGrid *g, int32_t low[3], int32_t high[3])
{
    box best = {.count = 0};
    find_box(g, 0, (box){.count = 1}, &best);
    memcpy(low, best.low, sizeof best.low);
    memcpy(high, best.high, sizeof best.high);
    return best.count;
}

snStatus sn_library_cut(snLibraryGrid *g, const int32_t low[3], const int32_t high[3], snError *error)
{
    int32_t total = sn_library_total(g), index[3], count = 0;
    snLibraryPoint **now = SN_NEW_ARRAY(snLibraryPoint *, total);
    if (!now) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < total; ++i) {
        bool inside = true;
        sn_library_unflat(g, i, index);
        for (int32_t a = 0; a < g->naxis; ++a) inside = inside && index[a] >= low[a] && index[a] <= high[a];
        if (inside)
            now[count++] = g->point[i];
        else
            forget(g, g->point[i]);
    }
    sn_free(g->point);
    g->point = now;
    for (int32_t a = 0; a < g->naxis; ++a) {
        snLibraryAxis *x = g->axis + a;
        x->n = high[a] - low[a] + 1;
        for (int32_t k = 0; k < x->n; ++k) x->value[k] = x->value[k + low[a]];
    }
    for (int32_t i = 0; i < count; ++i) {
        g->spent_solves += now[i]->solves, g->spent_seconds += now[i]->seconds;
        g->spent_worst = fmax(g->spent_worst, now[i]->worst);
    }
    return SN_OK;
}
