/* Skin against skin on the shipped hand, measured without the stage that parts it: winding numbers of each digit's own
 * piece of skin say what is inside, and a picture of the silhouette says where one can look through. */
#ifndef SN_TESTS_HAND_CONTACT_CASE_H
#define SN_TESTS_HAND_CONTACT_CASE_H

#include "hand_skin_case.h"

enum { DIGITS = 6, PIXELS = 480 }; /* digit 0 is palm and arm, 1 the thumb, 5 the little finger */

/* Digit of a body by its name: pp2 is of digit 2. */
static int digit_of(const HandSkin *h, int32_t body)
{
    const char *name = sn_name(h->model, SN_ITEM_BODY, body);
    char last = name[strlen(name) - 1];
    return last >= '1' && last <= '5' ? last - '0' : 0;
}

static int digit_at(const HandSkin *h, int32_t vertex)
{
    return digit_of(h, sn_skin_weight_bodies(h->skin)[4 * vertex]);
}

static bool moved_by(const HandSkin *h, int32_t vertex, const char *kind, int digit)
{
    const char *name = sn_name(h->model, SN_ITEM_BODY, sn_skin_weight_bodies(h->skin)[4 * vertex]);
    return !strncmp(name, kind, 2) && name[2] == '0' + digit && !name[3];
}

/* The skin of one digit in the last frame. */
typedef struct {
    snTriMesh mesh;
    snBvh *tree;
    int32_t *of; /* vertex of the whole skin */
    bool *rim;   /* per vertex: on the line where the piece was cut off */
} Piece;

static bool whole_triangle(const HandSkin *h, int32_t t, int digit)
{
    for (int c = 0; c < 3; ++c)
        if (digit_at(h, h->mesh.triangle[3 * t + c]) != digit) return false;
    return true;
}

static void cut_piece(const HandSkin *h, int digit, Piece *p)
{
    int32_t nvertex = 0, ntriangle = 0, *index = SN_NEW_ARRAY(int32_t, h->mesh.nvertex);
    assert_non_null(index);
    for (int32_t v = 0; v < h->mesh.nvertex; ++v) index[v] = digit_at(h, v) == digit ? nvertex++ : -1;
    for (int32_t t = 0; t < h->mesh.ntriangle; ++t) ntriangle += whole_triangle(h, t, digit);
    assert_true(sn_trimesh_alloc(&p->mesh, nvertex, ntriangle));
    p->of = SN_NEW_ARRAY(int32_t, nvertex), p->rim = SN_NEW_ARRAY(bool, nvertex);
    assert_true(p->of && p->rim);
    for (int32_t v = 0; v < h->mesh.nvertex; ++v)
        if (index[v] >= 0) p->of[index[v]] = v, memcpy(p->mesh.vertex + 3 * index[v], h->vertex + 3 * v, 24);
    for (int32_t t = 0, n = 0; t < h->mesh.ntriangle; ++t) {
        bool whole = whole_triangle(h, t, digit);
        for (int c = 0; c < 3; ++c) {
            int32_t v = index[h->mesh.triangle[3 * t + c]];
            if (whole) p->mesh.triangle[3 * n + c] = v;
            if (!whole && v >= 0) p->rim[v] = true;
        }
        n += whole;
    }
    sn_free(index);
    p->tree = sn_bvh_create(&p->mesh);
    assert_non_null(p->tree);
}

static void free_piece(Piece *p)
{
    sn_bvh_destroy(p->tree);
    sn_trimesh_free(&p->mesh);
    sn_free(p->of), sn_free(p->rim);
}

/* How deep a place is inside a digit, m; nearer to the cut than to anything else it is on no side. */
static double depth_inside(const Piece *p, v3 at, double least)
{
    snMeshHit hit = sn_bvh_closest(p->tree, at, 0.008);
    if (hit.triangle < 0 || hit.distance < least) return 0;
    for (int c = 0; c < 3; ++c)
        if (p->rim[p->mesh.triangle[3 * hit.triangle + c]]) return 0;
    return sn_trimesh_winding(&p->mesh, at) > 0.5 ? hit.distance : 0;
}

typedef struct {
    double deepest;                   /* m: of one digit in another */
    int32_t count;                    /* vertices deeper than 0.5 mm */
    int from, in;                     /* the digits of the deepest */
    double tip[DIGITS];               /* m: fingertip to the palm or the ball of the thumb */
    double thumb_middle, thumb_index; /* m: thumb to the middle phalanges */
} Contact;

static double least_way(const HandSkin *h, const Piece *from, const char *kind, int digit, const Piece *to)
{
    double least = 0.1;
    for (int32_t i = 0; i < from->mesh.nvertex; ++i)
        if (moved_by(h, from->of[i], kind, digit))
            least = fmin(least, sn_bvh_closest(to->tree, v3_load(from->mesh.vertex + 3 * i), least).distance);
    return least;
}

/* The skin of the last frame. Fingers against fingers everywhere; against the palm only their outer two phalanges,
 * since the root of a finger folds into it. */
static Contact measure_contact(const HandSkin *h)
{
    Piece piece[DIGITS];
    Contact c = {0};
    for (int d = 0; d < DIGITS; ++d) cut_piece(h, d, piece + d);
    for (int a = 1; a < DIGITS; ++a)
        for (int b = 0; b < DIGITS; ++b)
            for (int32_t i = 0; a != b && i < piece[a].mesh.nvertex; ++i) {
                int32_t v = piece[a].of[i];
                if (b == 0 && !moved_by(h, v, "dp", a) && !moved_by(h, v, "mp", a)) continue;
                double d = depth_inside(piece + b, v3_load(h->vertex + 3 * v), 2e-4);
                c.count += d > 5e-4;
                if (d > c.deepest) c.deepest = d, c.from = a, c.in = b;
            }
    for (int d = 2; d < DIGITS; ++d)
        c.tip[d] = fmin(least_way(h, piece + d, "dp", d, piece), least_way(h, piece + d, "dp", d, piece + 1));
    c.thumb_index = least_way(h, piece + 2, "mp", 2, piece + 1);
    c.thumb_middle = least_way(h, piece + 3, "mp", 3, piece + 1);
    for (int d = 0; d < DIGITS; ++d) free_piece(piece + d);
    return c;
}

/* ---- looking through ----------------------------------------------------------------------------- */

typedef struct {
    uint8_t *covered, *outside; /* PIXELS x PIXELS */
    int32_t *stack;
} Silhouette;

/* Marks the pixels whose middle a triangle covers; corners in pixels. */
static void cover(uint8_t *picture, const double x[3], const double y[3])
{
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    int left = (int)fmax(0, floor(fmin(x[0], fmin(x[1], x[2])))),
        right = (int)fmin(PIXELS - 1, ceil(fmax(x[0], fmax(x[1], x[2]))));
    int top = (int)fmax(0, floor(fmin(y[0], fmin(y[1], y[2])))),
        low = (int)fmin(PIXELS - 1, ceil(fmax(y[0], fmax(y[1], y[2]))));
    for (int j = top; fabs(area) > 1e-12 && j <= low; ++j)
        for (int i = left; i <= right; ++i) {
            double px = i + 0.5, py = j + 0.5;
            double a = ((x[1] - px) * (y[2] - py) - (x[2] - px) * (y[1] - py)) / area;
            double b = ((x[2] - px) * (y[0] - py) - (x[0] - px) * (y[2] - py)) / area;
            if (a >= -1e-9 && b >= -1e-9 && a + b <= 1 + 1e-9) picture[j * PIXELS + i] = 1;
        }
}

/* Pixels of background that cannot be reached from the edge of the picture. */
static int32_t enclosed(Silhouette *s)
{
    int32_t top = 0, count = 0;
    for (int32_t i = 0; i < PIXELS; ++i) {
        const int32_t edge[4] = {i, (PIXELS - 1) * PIXELS + i, i * PIXELS, i * PIXELS + PIXELS - 1};
        for (int k = 0; k < 4; ++k)
            if (!s->covered[edge[k]] && !s->outside[edge[k]]) s->outside[edge[k]] = 1, s->stack[top++] = edge[k];
    }
    while (top) {
        int32_t at = s->stack[--top], column = at % PIXELS, row = at / PIXELS;
        const int32_t next[4] = {column > 0 ? at - 1 : at, column + 1 < PIXELS ? at + 1 : at,
                                 row > 0 ? at - PIXELS : at, row + 1 < PIXELS ? at + PIXELS : at};
        for (int k = 0; k < 4; ++k)
            if (!s->covered[next[k]] && !s->outside[next[k]]) s->outside[next[k]] = 1, s->stack[top++] = next[k];
    }
    for (int32_t i = 0; i < PIXELS * PIXELS; ++i) count += !s->covered[i] && !s->outside[i];
    return count;
}

/* Pixels through which one sees the background inside the outline of the hand, from a direction in the frame of the
 * palm (x radial, y proximal, z dorsal); a pixel is 0.33 mm. */
static int32_t holes_from(const HandSkin *h, v3 direction)
{
    Silhouette s = {SN_NEW_ARRAY(uint8_t, PIXELS * PIXELS), SN_NEW_ARRAY(uint8_t, PIXELS * PIXELS),
                    SN_NEW_ARRAY(int32_t, PIXELS * PIXELS)};
    assert_true(s.covered && s.outside && s.stack);
    rigid back = to_rest(h, sn_find(h->model, SN_ITEM_BODY, "hand"));
    v3 z = v3_unit(direction), x = v3_perp(z), y = v3_cross(z, x), middle = v3_of(0, -0.065, -0.015);
    for (int32_t t = 0; t < h->mesh.ntriangle; ++t) {
        double a[3], b[3];
        for (int c = 0; c < 3; ++c) {
            v3 p = v3_sub(rigid_apply(back, v3_load(h->vertex + 3 * h->mesh.triangle[3 * t + c])), middle);
            a[c] = (v3_dot(p, x) / 0.08 + 1) * PIXELS / 2, b[c] = (v3_dot(p, y) / 0.08 + 1) * PIXELS / 2;
        }
        cover(s.covered, a, b);
    }
    int32_t count = enclosed(&s);
    sn_free(s.covered), sn_free(s.outside), sn_free(s.stack);
    return count;
}

#endif
