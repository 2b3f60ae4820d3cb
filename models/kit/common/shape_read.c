/* Rows of a table of shapes. */
#include "common/shape.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINT = 24, MAX_SIZE = 24, CURVE_STEPS = 5 };

typedef struct row {
    v3 at[MAX_POINT];
    double size[MAX_SIZE];
    int32_t npoint, nsize;
} row;

static bool read_mm(const char *text, v3 *out)
{
    double x, y, z;
    if (sscanf(text, "%lf,%lf,%lf", &x, &y, &z) != 3) return false;
    *out = v3_of(1e-3 * x, 1e-3 * y, 1e-3 * z);
    return true;
}

/* x,y,z or NAME or NAME+x,y,z */
static bool read_place(const char *word, size_t length, snPlaceFn find, void *context, v3 *at)
{
    char text[96];
    if (length >= sizeof text) return false;
    memcpy(text, word, length);
    text[length] = 0;
    if (strchr("-.0123456789", text[0])) return read_mm(text, at);
    size_t name = strcspn(text, "+");
    v3 step = {0, 0, 0};
    if (text[name] && !read_mm(text + name + 1, &step)) return false;
    if (!find || !find(context, text, name, at)) return false;
    *at = v3_add(*at, step);
    return true;
}

static void read_points(snFigures *t, int32_t line, snPlaceFn find, void *context, row *r)
{
    const char *word = sn_figures_text(t, line, "points");
    while (*(word += strspn(word, " "))) {
        size_t length = strcspn(word, " ");
        if (r->npoint >= MAX_POINT || !read_place(word, length, find, context, &r->at[r->npoint])) {
            sn_figures_complain(t, line, "\"%.*s\" is not a place (x,y,z in mm, NAME or NAME+x,y,z; at most %d)",
                                (int)length, word, MAX_POINT);
            return;
        }
        ++r->npoint, word += length;
    }
}

static void read_size(snFigures *t, int32_t line, row *r)
{
    const char *text = sn_figures_text(t, line, "size");
    for (char *end; r->nsize < MAX_SIZE; text = end) {
        double value = strtod(text, &end);
        if (end == text) break;
        r->size[r->nsize++] = value;
    }
}

/* Catmull-Rom through the points, CURVE_STEPS to each stretch; radii go along. */
static bool add_rods(snShape *shape, snPiece p, const row *r, bool curved)
{
    int32_t steps = curved && r->npoint > 2 ? CURVE_STEPS : 1, n = r->npoint;
    for (int32_t i = 0; i + 1 < n; ++i) {
        const v3 *at = r->at;
        v3 q[4] = {at[i ? i - 1 : 0], at[i], at[i + 1], at[i + 2 < n ? i + 2 : n - 1]};
        v3 out = v3_scale(v3_sub(q[2], q[0]), 0.5), in = v3_scale(v3_sub(q[3], q[1]), 0.5), last = q[1];
        double ra = 1e-3 * r->size[r->nsize == n ? i : 0], rb = 1e-3 * r->size[r->nsize == n ? i + 1 : 0];
        for (int32_t k = 1; k <= steps; ++k) {
            double u = (double)k / steps, v = (double)(k - 1) / steps, a = u * u * (3 - 2 * u);
            v3 here = v3_lerp(q[1], q[2], u);
            if (steps > 1)
                here = v3_mad(v3_mad(v3_lerp(q[1], q[2], a), u * (1 - u) * (1 - u), out), -u * u * (1 - u), in);
            p.a = last, p.b = here;
            p.radius_a = ra + (rb - ra) * v, p.radius_b = ra + (rb - ra) * u;
            if (!sn_array_push(&shape->piece, p)) return false;
            last = here;
        }
    }
    return true;
}

static bool add_slabs(snShape *shape, snPiece p, const row *r)
{
    p.kind = SN_PIECE_SLAB;
    p.radius_a = p.radius_b = 1e-3 * r->size[0];
    for (int32_t i = 0; i + 2 < r->npoint; ++i) {
        p.a = r->at[i], p.b = r->at[i + 1], p.c = r->at[i + 2];
        if (!sn_array_push(&shape->piece, p)) return false;
    }
    return true;
}

static bool add_eggs(snShape *shape, snPiece p, const row *r)
{
    p.kind = SN_PIECE_EGG;
    p.b = v3_scale(v3_load(r->size), 1e-3);
    if (r->nsize == 6)
        for (int i = 0; i < 3; ++i)
            p.turn = q_mul(q_axis_angle(v3_of(i == 0, i == 1, i == 2), r->size[3 + i] * SN_DEG), p.turn);
    for (int32_t i = 0; i < r->npoint; ++i) {
        p.a = r->at[i];
        if (!sn_array_push(&shape->piece, p)) return false;
    }
    return true;
}

bool sn_shape_read(snShape *shape, snFigures *t, int32_t line, snPlaceFn find, void *context)
{
    row r = {.npoint = 0};
    const char *kind = sn_figures_text(t, line, "kind");
    snPiece p = {.row = shape->rows++,
                 .cut = kind[0] == '-',
                 .turn = q_identity(),
                 .blend = 1e-3 * sn_figures_number(t, line, "blend")};
    kind += p.cut;
    read_points(t, line, find, context, &r);
    read_size(t, line, &r);
    bool rod = strcmp(kind, "rod") == 0, curve = strcmp(kind, "curve") == 0, slab = strcmp(kind, "slab") == 0,
         egg = strcmp(kind, "egg") == 0;
    int32_t least = egg ? 1 : slab ? 3 : 2;
    bool sized = egg ? r.nsize == 3 || r.nsize == 6 : slab ? r.nsize == 1 : r.nsize == 1 || r.nsize == r.npoint;
    for (int32_t i = 0; i < (egg ? 3 : r.nsize); ++i) sized = sized && r.size[i] > 0;
    if (!rod && !curve && !slab && !egg)
        sn_figures_complain(t, line, "unknown kind \"%s\" (rod, curve, slab or egg)", kind);
    else if (r.npoint < least)
        sn_figures_complain(t, line, "%s needs at least %d points", kind, least);
    else if (!sized)
        sn_figures_complain(t, line, "size of %s is not what its kind needs (positive, mm)", kind);
    if (t->error.status != SN_OK) return true;
    if (egg) return add_eggs(shape, p, &r);
    return slab ? add_slabs(shape, p, &r) : add_rods(shape, p, &r, curve);
}

snStatus sn_shape_carve(snFigures *t, const char *bone, snPlaceFn find, void *context, double spacing, double edge,
                        snBoneMesh *mesh, snError *error)
{
    snShape shape = {0};
    bool ok = true;
    for (int32_t i = 0; i < t->nrow && ok; ++i)
        if (strcmp(sn_figures_text(t, i, "bone"), bone) == 0) ok = sn_shape_read(&shape, t, i, find, context);
    snStatus status = ok ? t->error.status : sn_fail_no_memory(error);
    if (ok && status != SN_OK && error) *error = t->error;
    if (status == SN_OK && shape.piece.count == 0)
        status = sn_fail(error, SN_BAD_FILE, "shapes.tsv has no pieces of \"%s\"", bone);
    if (status == SN_OK) status = sn_shape_mesh(&shape, spacing, edge, mesh, error);
    sn_shape_free(&shape);
    return status;
}
