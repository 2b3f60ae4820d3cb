/* Bones of the upper body: ribs swept along the curves of the survey, everything else carved from the pieces of
 * shapes.tsv; a vertebra's body from its measured end plates. */
#include "upper_body/upper_body_bone.h"
#include "common/shape.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 32, MAX_POINT = 16, AROUND = 12 };

static const double RIB_SIDE = 0.006, RIB_OUT = 0.0035;                    /* m: half height, half thickness */
static const double EDGES_ACROSS = 18, SMALLEST = 0.0145, LARGEST = 0.015; /* edges of a bone's box; m */
static const double SAMPLING = 0.002;                                      /* m: finer than the thinnest wing */

static const double bone_color[3] = {0.91, 0.87, 0.77}, cartilage_color[3] = {0.78, 0.82, 0.80};

/* One bone while it is drawn. */
typedef struct bone {
    snUpperBodyDrawing *d;
    const char *body;
    char right[MAX_WORD]; /* the body of the tables: the one on the right */
    bool left, paired;
    int32_t vertebra; /* its row, -1: none */
    snShape shape;
} bone;

static v3 place_of(snFigures *t, int32_t row)
{
    return v3_of(sn_figures_number(t, row, "x"), sn_figures_number(t, row, "y"), sn_figures_number(t, row, "z"));
}

static bool is(snFigures *t, int32_t row, const char *column, const char *word, size_t length)
{
    const char *text = sn_figures_text(t, row, column);
    return strlen(text) == length && strncmp(text, word, length) == 0;
}

/* ---- vertebrae ------------------------------------------------------------------------------------ */

static v3 plate_half(const bone *b, const char *depth, const char *width)
{
    snFigures *t = &b->d->table[SN_DRAWN_VERTEBRAE];
    return v3_of(0.5e-3 * sn_figures_number(t, b->vertebra, depth), 0,
                 0.5e-3 * sn_figures_number(t, b->vertebra, width));
}

/* Where the arch leaves the body: behind, above the middle. */
static v3 pedicle(const bone *b)
{
    snFigures *t = &b->d->table[SN_DRAWN_VERTEBRAE];
    v3 half = plate_half(b, "EPDu_mm", "EPWu_mm");
    double high = 1e-3 * sn_figures_number(t, b->vertebra, "body_h_mm");
    quat tilt = q_axis_angle(v3_of(0, 0, -1), sn_figures_number(t, b->vertebra, "tilt_deg") * SN_DEG);
    v3 middle = v3_of(sn_figures_number(t, b->vertebra, "x"), sn_figures_number(t, b->vertebra, "y"), 0);
    return v3_add(middle, q_rotate(tilt, v3_of(-0.72 * half.x, 0.18 * high, 0.55 * half.z)));
}

static bool add_egg(bone *b, v3 at, v3 half, quat turn, double blend)
{
    snPiece p = {.kind = SN_PIECE_EGG, .row = b->shape.rows++, .a = at, .b = half, .turn = turn, .blend = blend};
    return sn_array_push(&b->shape.piece, p);
}

/* Two end plates and a waist between them. */
static bool add_vertebral_body(bone *b)
{
    snFigures *t = &b->d->table[SN_DRAWN_VERTEBRAE];
    if (b->vertebra < 0 || !sn_figures_has(t, b->vertebra, "EPWu_mm")) return true; /* the atlas has no body */
    v3 upper = plate_half(b, "EPDu_mm", "EPWu_mm"), lower = plate_half(b, "EPDl_mm", "EPWl_mm");
    double high = 1e-3 * sn_figures_number(t, b->vertebra, "body_h_mm"), rim = 0.20 * high, gap = 0.5 * high - rim;
    quat tilt = q_axis_angle(v3_of(0, 0, -1), sn_figures_number(t, b->vertebra, "tilt_deg") * SN_DEG);
    v3 at = v3_of(sn_figures_number(t, b->vertebra, "x"), sn_figures_number(t, b->vertebra, "y"), 0);
    v3 up = q_rotate(tilt, v3_of(0, gap, 0)), waist = v3_scale(v3_add(upper, lower), 0.5);
    upper.y = lower.y = rim, waist = v3_of(0.93 * waist.x, 0.55 * high, 0.93 * waist.z);
    return add_egg(b, at, waist, tilt, 0) && add_egg(b, v3_add(at, up), upper, tilt, 0.4 * high) &&
           add_egg(b, v3_sub(at, up), lower, tilt, 0.4 * high);
}

static int32_t vertebra_row(snUpperBodyDrawing *d, const char *body)
{
    snFigures *t = &d->table[SN_DRAWN_VERTEBRAE];
    for (int32_t i = 0; i < t->nrow; ++i)
        if (strcmp(sn_figures_text(t, i, "vertebra"), body) == 0) return i;
    return -1;
}

/* ---- places and rows ---------------------------------------------------------------------------------- */

/* Of the vertebra or of the bone; what has two sides is given by its right one. */
static bool find_place(void *context, const char *name, size_t length, v3 *at)
{
    const bone *b = context;
    snFigures *t = &b->d->table[SN_DRAWN_PROCESSES];
    if (b->vertebra >= 0 && length == 7 && strncmp(name, "pedicle", 7) == 0) return *at = pedicle(b), true;
    for (int32_t i = 0; b->vertebra >= 0 && i < t->nrow; ++i)
        if (strcmp(sn_figures_text(t, i, "vertebra"), b->body) == 0 && is(t, i, "landmark", name, length) &&
            sn_figures_text(t, i, "side")[0] != 'L')
            return *at = place_of(t, i), true;
    t = &b->d->table[SN_DRAWN_LANDMARKS];
    for (int32_t i = 0; i < t->nrow; ++i)
        if (strcmp(sn_figures_text(t, i, "body"), b->right) == 0 && is(t, i, "landmark", name, length))
            return *at = place_of(t, i), true;
    return false;
}

/* Whether the vertebra has every place that a row of all vertebrae names: the atlas and others lack some. */
static bool has_places(bone *b, int32_t row)
{
    v3 at;
    for (const char *word = sn_figures_text(&b->d->table[SN_DRAWN_SHAPES], row, "points");
         *(word += strspn(word, " "));) {
        if (!find_place(b, word, strcspn(word, "+ "), &at)) return false;
        word += strcspn(word, " ");
    }
    return true;
}

static v3 carried(const bone *b, double along, v3 at)
{
    return b->d->carry ? b->d->carry(b->d->context, b->right, along, at) : at;
}

static void carry_pieces(bone *b, int32_t first)
{
    for (int32_t i = first; i < b->shape.piece.count; ++i) {
        snPiece *p = &b->shape.piece.at[i];
        p->a = carried(b, 1, p->a);
        if (p->kind != SN_PIECE_EGG) p->b = carried(b, 1, p->b);
        if (p->kind == SN_PIECE_SLAB) p->c = carried(b, 1, p->c);
    }
}

static bool add_rows(bone *b)
{
    snFigures *t = &b->d->table[SN_DRAWN_SHAPES];
    bool ok = true;
    for (int32_t i = 0; i < t->nrow && ok; ++i) {
        const char *of = sn_figures_text(t, i, "body");
        bool mine = strcmp(of, b->right) == 0;
        bool all = b->vertebra >= 0 && strcmp(of, "vertebra") == 0 && strcmp(b->body, "C1") != 0 && has_places(b, i);
        if (!mine && !all) continue;
        int32_t first = b->shape.piece.count;
        ok = sn_shape_read(&b->shape, t, i, find_place, b);
        carry_pieces(b, first);
        if (ok && !b->paired) ok = sn_shape_mirror(&b->shape, first);
    }
    return ok;
}

/* ---- ribs ----------------------------------------------------------------------------------------------- */

/* rib3_L and the like: the curve of the table, mirrored where it is a left one; flat on the cage. */
static bool add_rib(const bone *b, snBoneMesh *mesh)
{
    int number;
    char side;
    snFigures *t = &b->d->table[SN_DRAWN_RIBS];
    if (sscanf(b->body, "rib%d_%c", &number, &side) != 2) return true;
    for (int32_t i = 0; i < t->nrow; ++i) {
        if ((int)sn_figures_number(t, i, "rib") != number) continue;
        v3 at[MAX_POINT], out[MAX_POINT], p, middle = {0, 0, 0};
        int32_t n = 0;
        for (const char *c = sn_figures_text(t, i, "curve");
             n < MAX_POINT && sscanf(c, "%lf,%lf,%lf", &p.x, &p.y, &p.z) == 3;) {
            at[n++] = p;
            if (!(c = strchr(c, ';'))) break;
            ++c;
        }
        if (n < 2) return true;
        for (int32_t k = 0; k < n; ++k) {
            at[k] = carried(b, (double)k / (n - 1), at[k]);
            if (side == 'L') at[k].z = -at[k].z;
        }
        middle = v3_of(0.5 * (at[0].x + at[n - 1].x), 0, 0);
        for (int32_t k = 0; k < n; ++k) out[k] = v3_unit(v3_of(at[k].x - middle.x, 0, at[k].z));
        return sn_bone_sweep(mesh, at, out, n, RIB_SIDE, RIB_OUT, AROUND);
    }
    return true;
}

/* ---- a bone ----------------------------------------------------------------------------------------------- */

/* Edge length for its size. */
static double edge_of(const snShape *shape)
{
    v3 low = shape->piece.at[0].a, high = low;
    for (int32_t i = 0; i < shape->piece.count; ++i) {
        v3 p = shape->piece.at[i].a;
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return fmin(fmax(v3_dist(low, high) / EDGES_ACROSS, SMALLEST), LARGEST);
}

static void mirror(snBoneMesh *mesh, int32_t vertex, int32_t triangle)
{
    for (int32_t i = vertex + 2; i < mesh->vertex.count; i += 3) mesh->vertex.at[i] = -mesh->vertex.at[i];
    for (int32_t i = triangle; i < mesh->triangle.count; i += 3) {
        int32_t swap = mesh->triangle.at[i];
        mesh->triangle.at[i] = mesh->triangle.at[i + 1], mesh->triangle.at[i + 1] = swap;
    }
}

snStatus sn_upper_body_bone(snUpperBodyDrawing *drawing, const char *body, snBoneMesh *mesh, snError *error)
{
    bone b = {.d = drawing, .body = body, .vertebra = vertebra_row(drawing, body)};
    size_t n = strlen(body);
    b.left = n > 2 && strcmp(body + n - 2, "_L") == 0;
    b.paired = b.left || (n > 2 && strcmp(body + n - 2, "_R") == 0);
    (void)snprintf(b.right, sizeof b.right, "%s", body);
    if (b.left) b.right[n - 1] = 'R';
    bool ok = add_rib(&b, mesh) && add_vertebral_body(&b) && add_rows(&b);
    snStatus status = ok ? SN_OK : sn_fail_no_memory(error);
    for (int i = 0; i < SN_DRAWN_TABLES && status == SN_OK; ++i)
        if ((status = drawing->table[i].error.status) != SN_OK && error) *error = drawing->table[i].error;
    int32_t first = mesh->vertex.count, triangle = mesh->triangle.count;
    if (status == SN_OK && b.shape.piece.count > 0)
        status = sn_shape_mesh(&b.shape, SAMPLING, edge_of(&b.shape), mesh, error);
    if (b.left) mirror(mesh, first, triangle);
    sn_shape_free(&b.shape);
    return status;
}

bool sn_upper_body_landmark(snUpperBodyDrawing *drawing, const char *body, const char *name, v3 *at)
{
    bone b = {.d = drawing, .body = body, .vertebra = vertebra_row(drawing, body)};
    (void)snprintf(b.right, sizeof b.right, "%s", body);
    return find_place(&b, name, strlen(name), at);
}

const double *sn_upper_body_color(const char *body)
{
    return strncmp(body, "cc", 2) == 0 ? cartilage_color : bone_color;
}

/* ---- the tables ------------------------------------------------------------------------------------------- */

snStatus sn_upper_body_drawing_load(snUpperBodyDrawing *d, const char *folder, snError *error)
{
    static const char *const name[SN_DRAWN_TABLES] = {"shapes.tsv", "survey/bone_landmarks.tsv",
                                                      "survey/vertebra_dimensions.tsv", "survey/vertebra_landmarks.tsv",
                                                      "survey/rib_geometry.tsv"};
    snStatus status = SN_OK;
    for (int i = 0; i < SN_DRAWN_TABLES && status == SN_OK; ++i)
        if ((status = sn_figures_load(&d->table[i], folder, name[i])) != SN_OK && error) *error = d->table[i].error;
    return status;
}

void sn_upper_body_drawing_free(snUpperBodyDrawing *d)
{
    for (int i = 0; i < SN_DRAWN_TABLES; ++i) sn_figures_free(&d->table[i]);
}
