/* The distance field of a shape and its mesh. */
#include "common/shape.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/grid.h"
#include "geom/remesh.h"

#include <math.h>

static const double EDGE_OF_ROUND = 0.75, EDGE_OF_SLAB = 2; /* times the radius, half the thickness */
static const double GROWTH = 0.4, SMALLEST_EDGE = 0.33;     /* of edges: a metre; of the largest */

/* A ball that holds a piece: far from it the piece need not be looked at. */
typedef struct ball {
    v3 middle;
    double radius;
} ball;

typedef struct field {
    const snShape *shape;
    ball *around; /* each piece */
    double edge;  /* the largest, m */
    snGrid grid;
} field;

void sn_shape_free(snShape *shape)
{
    sn_array_free(&shape->piece);
}

static v3 across(v3 p)
{
    return v3_of(p.x, p.y, -p.z);
}

bool sn_shape_mirror(snShape *shape, int32_t first)
{
    int32_t end = shape->piece.count, rows = shape->rows;
    for (int32_t i = first; i < end; ++i) {
        snPiece p = shape->piece.at[i];
        p.row += rows; /* rows of their own */
        shape->rows = p.row + 1;
        p.a = across(p.a);
        if (p.kind != SN_PIECE_EGG) p.b = across(p.b), p.c = across(p.c);
        p.turn.x = -p.turn.x, p.turn.y = -p.turn.y; /* a turn about z stays, the others change their sense */
        if (!sn_array_push(&shape->piece, p)) return false;
    }
    return true;
}

static double to_line(v3 x, v3 a, v3 b, double *t)
{
    v3 way = v3_sub(b, a);
    double long2 = v3_len2(way);
    *t = long2 > 0 ? fmin(fmax(v3_dot(v3_sub(x, a), way) / long2, 0), 1) : 0;
    return v3_dist(x, v3_mad(a, *t, way));
}

static double to_rod(const snPiece *p, v3 x)
{
    double t, d = to_line(x, p->a, p->b, &t);
    return d - p->radius_a - t * (p->radius_b - p->radius_a);
}

static double to_slab(const snPiece *p, v3 x)
{
    const v3 corner[4] = {p->a, p->b, p->c, p->a};
    v3 n = v3_unit(v3_cross(v3_sub(p->b, p->a), v3_sub(p->c, p->a)));
    bool inside = true;
    double d = INFINITY, t;
    for (int i = 0; i < 3; ++i) {
        v3 way = v3_sub(corner[i + 1], corner[i]);
        inside = inside && v3_dot(v3_cross(way, v3_sub(x, corner[i])), n) >= 0;
        d = fmin(d, to_line(x, corner[i], corner[i + 1], &t));
    }
    return (inside ? fabs(v3_dot(v3_sub(x, p->a), n)) : d) - p->radius_a;
}

/* Right to first order at the surface, never more than the way to it. */
static double to_egg(const snPiece *p, v3 x)
{
    v3 r = p->b, q = q_unrotate(p->turn, v3_sub(x, p->a));
    v3 s = v3_of(q.x / r.x, q.y / r.y, q.z / r.z), g = v3_of(s.x / r.x, s.y / r.y, s.z / r.z);
    double k = v3_len(s), slope = v3_len(g);
    return slope > 0 ? k * (k - 1) / slope : -fmin(r.x, fmin(r.y, r.z));
}

static double to_piece(const snPiece *p, v3 x)
{
    switch (p->kind) {
    case SN_PIECE_ROD:
        return to_rod(p, x);
    case SN_PIECE_SLAB:
        return to_slab(p, x);
    default:
        return to_egg(p, x);
    }
}

static ball ball_around(const snPiece *p)
{
    if (p->kind == SN_PIECE_EGG) return (ball){p->a, fmax(p->b.x, fmax(p->b.y, p->b.z))};
    v3 middle = v3_lerp(p->a, p->b, 0.5);
    double reach = v3_dist(middle, p->a);
    if (p->kind == SN_PIECE_SLAB) reach = fmax(reach, v3_dist(middle, p->c));
    return (ball){middle, reach + fmax(p->radius_a, p->radius_b)};
}

static double distance(const void *context, v3 x, double limit)
{
    const field *f = context;
    const snShape *shape = f->shape;
    double d = 4 * limit + 1, row = INFINITY;
    for (int32_t i = 0; i < shape->piece.count; ++i) {
        const snPiece *p = &shape->piece.at[i];
        double least = v3_dist(x, f->around[i].middle) - f->around[i].radius;
        if (least <= (p->cut ? -d : d) + p->blend) row = fmin(row, to_piece(p, x)); /* else too far to matter */
        bool more = i + 1 < shape->piece.count && shape->piece.at[i + 1].row == p->row;
        if (more || row == INFINITY) continue;
        d = p->cut ? -sn_distance_union(-d, row, p->blend) : sn_distance_union(d, row, p->blend);
        row = INFINITY;
    }
    return d;
}

static void widen(v3 p, double by, v3 *low, v3 *high)
{
    *low = v3_of(fmin(low->x, p.x - by), fmin(low->y, p.y - by), fmin(low->z, p.z - by));
    *high = v3_of(fmax(high->x, p.x + by), fmax(high->y, p.y + by), fmax(high->z, p.z + by));
}

static void bounds(const snShape *shape, double spacing, v3 *low, v3 *high)
{
    *low = v3_of(INFINITY, INFINITY, INFINITY), *high = v3_of(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < shape->piece.count; ++i) {
        const snPiece *p = &shape->piece.at[i];
        bool egg = p->kind == SN_PIECE_EGG;
        double size = egg ? fmax(p->b.x, fmax(p->b.y, p->b.z)) : fmax(p->radius_a, p->radius_b);
        double by = size + p->blend + 4 * spacing;
        if (p->cut) continue;
        widen(p->a, by, low, high);
        if (!egg) widen(p->b, by, low, high);
        if (p->kind == SN_PIECE_SLAB) widen(p->c, by, low, high);
    }
}

/* Edges follow the size of what is near and grow slowly with the distance from it. */
static double edge(const void *context, v3 x)
{
    const field *f = context;
    double least = f->edge;
    for (int32_t i = 0; i < f->shape->piece.count; ++i) {
        const snPiece *p = &f->shape->piece.at[i];
        double away = v3_dist(x, f->around[i].middle) - f->around[i].radius;
        if (GROWTH * away > least) continue;
        double thick = p->kind == SN_PIECE_EGG ? fmin(p->b.x, fmin(p->b.y, p->b.z)) : fmin(p->radius_a, p->radius_b);
        double size = (p->kind == SN_PIECE_SLAB ? EDGE_OF_SLAB : EDGE_OF_ROUND) * thick;
        if (size < least) least = fmin(least, size + GROWTH * fmax(to_piece(p, x), 0));
    }
    return fmax(least, SMALLEST_EDGE * f->edge);
}

static v3 project(const void *context, v3 p)
{
    return sn_grid_project(&((const field *)context)->grid, p);
}

static v3 normal(const void *context, v3 p)
{
    v3 gradient;
    sn_grid_sample(&((const field *)context)->grid, p, &gradient);
    return gradient;
}

static bool append(const snTriMesh *from, snBoneMesh *to)
{
    int32_t first = to->vertex.count / 3;
    if (!sn_array_reserve(&to->vertex, 3 * from->nvertex) || !sn_array_reserve(&to->triangle, 3 * from->ntriangle))
        return false;
    for (int32_t i = 0; i < 3 * from->nvertex; ++i)
        to->vertex.at[to->vertex.count++] = rint(from->vertex[i] * 1e6) / 1e6;
    for (int32_t i = 0; i < 3 * from->ntriangle; ++i) to->triangle.at[to->triangle.count++] = first + from->triangle[i];
    return true;
}

snStatus sn_shape_mesh(const snShape *shape, double spacing, double edges, snBoneMesh *mesh, snError *error)
{
    field f = {.shape = shape, .edge = edges};
    snTriMesh surface = {0};
    snGridDef def = {.spacing = spacing, .distance = distance, .context = &f};
    bounds(shape, spacing, &def.low, &def.high);
    if (!(def.low.x < def.high.x)) return sn_fail(error, SN_BAD_FILE, "the table has no pieces of this bone");
    f.around = SN_NEW_ARRAY(ball, shape->piece.count);
    if (!f.around) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < shape->piece.count; ++i) f.around[i] = ball_around(&shape->piece.at[i]);
    snStatus status = sn_grid_create(&def, &f.grid, error);
    if (status == SN_OK) status = sn_grid_extract(&f.grid, &surface, error);
    snRemeshDef remesh = sn_default_remesh_def();
    remesh.size = edge, remesh.project = project, remesh.normal = normal, remesh.context = &f, remesh.rounds = 4;
    if (status == SN_OK) status = sn_remesh(&remesh, &surface, error);
    if (status == SN_OK && !append(&surface, mesh)) status = sn_fail_no_memory(error);
    sn_trimesh_free(&surface);
    sn_grid_free(&f.grid);
    sn_free(f.around);
    return status;
}
