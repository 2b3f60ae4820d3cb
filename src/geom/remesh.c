/* A half-edge mesh in flat arrays. Half-edge h = 3 t + c runs from corner c of triangle t to the next corner.
 *
 * Invariants between operations:
 * 1. twin[twin[h]] == h, and h and its twin join the same two vertices in opposite directions.
 * 2. out[v] is a half-edge that starts in v, for every vertex alive; dead triangles have vert -1, dead vertices out -1.
 * 3. Every vertex has three neighbours or more, and two triangles share at most one edge. */
#include "geom/remesh.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

typedef struct {
    const snRemeshDef *def;
    SN_ARRAY(int32_t) vert, twin; /* per half-edge */
    SN_ARRAY(int32_t) out;        /* per vertex */
    SN_ARRAY(v3) at;
    SN_ARRAY(double) size; /* wished edge length at the vertex */
    bool out_of_memory;
} Mesh;

static int32_t next(int32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}
static int32_t prev(int32_t h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}
static int32_t from(const Mesh *m, int32_t h)
{
    return m->vert.at[h];
}
static int32_t to(const Mesh *m, int32_t h)
{
    return m->vert.at[next(h)];
}
static int32_t twin(const Mesh *m, int32_t h)
{
    return m->twin.at[h];
}
static int32_t turn(const Mesh *m, int32_t h)
{
    return twin(m, prev(h));
} /* the next half-edge out of the same vertex */
static int32_t apex(const Mesh *m, int32_t h)
{
    return m->vert.at[prev(h)];
}
static v3 at(const Mesh *m, int32_t v)
{
    return m->at.at[v];
}

static void link(Mesh *m, int32_t g, int32_t h)
{
    m->twin.at[g] = h, m->twin.at[h] = g;
}

static int32_t valence(const Mesh *m, int32_t v)
{
    int32_t count = 0, h = m->out.at[v];
    do ++count, h = turn(m, h);
    while (h != m->out.at[v]);
    return count;
}

static bool joined(const Mesh *m, int32_t a, int32_t b)
{
    int32_t h = m->out.at[a];
    do {
        if (to(m, h) == b) return true;
        h = turn(m, h);
    } while (h != m->out.at[a]);
    return false;
}

static v3 cross3(v3 a, v3 b, v3 c)
{
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}
static double edge_size(const Mesh *m, int32_t h)
{
    return 0.5 * (m->size.at[from(m, h)] + m->size.at[to(m, h)]);
}
static double edge_length(const Mesh *m, int32_t h)
{
    return v3_dist(at(m, from(m, h)), at(m, to(m, h)));
}
static double aspect_of(const Mesh *m, int32_t t)
{
    const int32_t *k = m->vert.at + 3 * t;
    return sn_triangle_aspect(at(m, k[0]), at(m, k[1]), at(m, k[2]));
}

/* p back on the surface; a projection that runs away (a fold of the field, a sliver of a part) is not followed. */
static v3 project(const Mesh *m, v3 p, double within)
{
    v3 q = m->def->project(m->def->context, p);
    return v3_dist(p, q) < within ? q : p;
}

/* ---- the three operations ---------------------------------------------------------------------- */

static void split(Mesh *m, int32_t h, v3 p)
{
    if (!sn_array_reserve(&m->vert, 6) || !sn_array_reserve(&m->twin, 6) || !sn_array_reserve(&m->out, 1) ||
        !sn_array_reserve(&m->at, 1) || !sn_array_reserve(&m->size, 1)) {
        m->out_of_memory = true;
        return;
    }
    int32_t g = twin(m, h), hn = next(h), gp = prev(g), b = from(m, g), c = apex(m, h), d = apex(m, g);
    int32_t k = m->vert.count, l = k + 3, v = m->at.count++, right = twin(m, hn), left = twin(m, gp);
    m->vert.count += 6, m->twin.count += 6, ++m->out.count, ++m->size.count;
    m->at.at[v] = p, m->size.at[v] = m->def->size(m->def->context, p), m->out.at[v] = hn, m->out.at[b] = k + 1;
    m->vert.at[hn] = v, m->vert.at[g] = v;
    m->vert.at[k] = v, m->vert.at[k + 1] = b, m->vert.at[k + 2] = c;
    m->vert.at[l] = b, m->vert.at[l + 1] = v, m->vert.at[l + 2] = d;
    link(m, k, l), link(m, hn, k + 2), link(m, k + 1, right), link(m, gp, l + 1), link(m, l + 2, left);
}

/* The quad a d b c around edge a b gets its other diagonal. */
static void flip(Mesh *m, int32_t h)
{
    int32_t g = twin(m, h), hn = next(h), hp = prev(h), gn = next(g), gp = prev(g);
    int32_t a = from(m, h), b = from(m, g), c = apex(m, h), d = apex(m, g);
    int32_t bc = twin(m, hn), ca = twin(m, hp), ad = twin(m, gn), db = twin(m, gp);
    m->vert.at[h] = d, m->vert.at[hn] = c, m->vert.at[hp] = a;
    m->vert.at[g] = c, m->vert.at[gn] = d, m->vert.at[gp] = b;
    link(m, hn, ca), link(m, hp, ad), link(m, gn, db), link(m, gp, bc);
    m->out.at[a] = hp, m->out.at[b] = gp, m->out.at[c] = hn, m->out.at[d] = gn;
}

static bool flip_allowed(const Mesh *m, int32_t h)
{
    int32_t g = twin(m, h), a = from(m, h), b = from(m, g), c = apex(m, h), d = apex(m, g);
    if (c == d || valence(m, a) <= 3 || valence(m, b) <= 3 || joined(m, c, d)) return false;
    v3 n0 = v3_unit(cross3(at(m, a), at(m, b), at(m, c))), n1 = v3_unit(cross3(at(m, b), at(m, a), at(m, d)));
    v3 f0 = v3_unit(cross3(at(m, a), at(m, d), at(m, c))), f1 = v3_unit(cross3(at(m, d), at(m, b), at(m, c)));
    v3 n = v3_add(n0, n1);
    return v3_dot(f0, n) > 0.5 && v3_dot(f1, n) > 0.5 && v3_dot(f0, f1) > 0.2;
}

static double flip_aspect(const Mesh *m, int32_t h)
{
    int32_t g = twin(m, h);
    v3 a = at(m, from(m, h)), b = at(m, from(m, g)), c = at(m, apex(m, h)), d = at(m, apex(m, g));
    return fmax(sn_triangle_aspect(a, d, c), sn_triangle_aspect(d, b, c));
}

/* Vertex a = from(h) goes into b = to(h). */
static void collapse(Mesh *m, int32_t h, v3 p)
{
    int32_t g = twin(m, h), a = from(m, h), b = to(m, h), c = apex(m, h), d = apex(m, g);
    int32_t cb = twin(m, next(h)), ac = twin(m, prev(h)), da = twin(m, next(g)), bd = twin(m, prev(g));
    int32_t k = m->out.at[a];
    do {
        int32_t following = turn(m, k);
        m->vert.at[k] = b;
        k = following;
    } while (k != m->out.at[a]);
    link(m, cb, ac), link(m, da, bd);
    for (int i = 0; i < 3; ++i) m->vert.at[h / 3 * 3 + i] = m->vert.at[g / 3 * 3 + i] = -1;
    m->out.at[a] = -1, m->out.at[b] = ac, m->out.at[c] = cb, m->out.at[d] = da;
    m->at.at[b] = p, m->size.at[b] = m->def->size(m->def->context, p);
}

/* Worst aspect ratio around v if it stood at p, triangles with vertex `without` left out; infinite if one turned over
 * or an edge grew past the limit. */
static double ring_aspect(const Mesh *m, int32_t v, v3 p, int32_t without, double longest)
{
    double worst = 0, tiny = 0.02 * m->size.at[v] * m->size.at[v];
    v3 true_normal = m->def->normal(m->def->context, p);
    int32_t h = m->out.at[v];
    do {
        int32_t b = to(m, h), c = apex(m, h);
        if (b != without && c != without) {
            v3 before = cross3(at(m, v), at(m, b), at(m, c)), after = cross3(p, at(m, b), at(m, c));
            if (v3_len2(before) < tiny * tiny) before = true_normal; /* the normal of a splinter says nothing */
            if (!(v3_dot(before, after) > 0.3 * v3_len(before) * v3_len(after))) return INFINITY;
            if (v3_dist(p, at(m, b)) > longest) return INFINITY;
            worst = fmax(worst, sn_triangle_aspect(p, at(m, b), at(m, c)));
        }
        h = turn(m, h);
    } while (h != m->out.at[v]);
    return worst;
}

/* The link condition: the ends have exactly the two apexes as common neighbours, and no vertex is left with two. */
static bool collapse_allowed(const Mesh *m, int32_t h)
{
    int32_t a = from(m, h), b = to(m, h), c = apex(m, h), d = apex(m, twin(m, h)), common = 0, k = m->out.at[a];
    if (c == d || valence(m, c) <= 3 || valence(m, d) <= 3) return false;
    do {
        int32_t v = to(m, k);
        if (v != b && joined(m, v, b)) ++common;
        k = turn(m, k);
    } while (k != m->out.at[a]);
    return common == 2 && valence(m, a) + valence(m, b) - 4 >= 3;
}

/* Collapses h if the triangles around stay below the aspect ratio and the edges below the length. */
static bool try_collapse(Mesh *m, int32_t h, double aspect, double longest)
{
    if (!collapse_allowed(m, h)) return false;
    int32_t a = from(m, h), b = to(m, h);
    v3 middle = v3_lerp(at(m, a), at(m, b), 0.5);
    const v3 place[3] = {project(m, middle, edge_size(m, h)), at(m, b), at(m, a)};
    for (int i = 0; i < 3; ++i) {
        if (!(ring_aspect(m, a, place[i], b, longest) < aspect)) continue;
        if (!(ring_aspect(m, b, place[i], a, longest) < aspect)) continue;
        collapse(m, h, place[i]);
        return true;
    }
    return false;
}

/* ---- passes ------------------------------------------------------------------------------------ */

static void split_long(Mesh *m)
{
    int32_t count = m->vert.count; /* what a split makes waits for the next round */
    for (int32_t h = 0; h < count && !m->out_of_memory; ++h) {
        if (from(m, h) < 0 || h > twin(m, h)) continue;
        double length = edge_length(m, h);
        if (length > 4.0 / 3 * edge_size(m, h))
            split(m, h, project(m, v3_lerp(at(m, from(m, h)), at(m, to(m, h)), 0.5), 0.5 * length));
    }
}

static void collapse_short(Mesh *m)
{
    for (int32_t h = 0; h < m->vert.count; ++h) {
        if (from(m, h) < 0) continue;
        double size = edge_size(m, h), length = edge_length(m, h);
        /* a splinter goes at any price: the next passes make good what it leaves */
        if (length < 0.8 * size) try_collapse(m, h, length < 0.3 * size ? 1e3 : 12, 4.0 / 3 * size);
    }
}

static int off_six(int32_t valence)
{
    return valence > 6 ? valence - 6 : 6 - valence;
}

static void flip_for_valence(Mesh *m)
{
    for (int32_t h = 0; h < m->vert.count; ++h) {
        if (from(m, h) < 0 || h > twin(m, h)) continue;
        int32_t g = twin(m, h), a = valence(m, from(m, h)), b = valence(m, from(m, g)), c = valence(m, apex(m, h)),
                d = valence(m, apex(m, g));
        int before = off_six(a) + off_six(b) + off_six(c) + off_six(d);
        int after = off_six(a - 1) + off_six(b - 1) + off_six(c + 1) + off_six(d + 1);
        if (after < before && flip_allowed(m, h) && flip_aspect(m, h) < 6) flip(m, h);
    }
}

/* Moves v towards the middle of its triangles, each counted by its area in wished triangles, and back onto the surface.
 */
static void relax_vertex(Mesh *m, int32_t v)
{
    v3 sum = {0}, normal = {0}, p = at(m, v);
    double total = 0;
    int32_t h = m->out.at[v];
    do {
        int32_t b = to(m, h), c = apex(m, h);
        v3 n = cross3(p, at(m, b), at(m, c)), middle = v3_scale(v3_add(p, v3_add(at(m, b), at(m, c))), 1.0 / 3);
        double size = m->size.at[b] + m->size.at[c], weight = v3_len(n) / (size * size);
        sum = v3_mad(sum, weight, middle), total += weight, normal = v3_add(normal, n);
        h = turn(m, h);
    } while (h != m->out.at[v]);
    if (!(total > 0)) return;
    v3 move = v3_sub(v3_scale(sum, 1 / total), p);
    normal = v3_unit(normal);
    move = v3_mad(move, -v3_dot(move, normal), normal);
    v3 moved = project(m, v3_add(p, move), m->size.at[v]);
    double before = ring_aspect(m, v, p, -1, INFINITY), after = ring_aspect(m, v, moved, -1, INFINITY);
    if (!(after < INFINITY) || (after > before && after > 0.7 * m->def->worst_aspect)) return;
    m->at.at[v] = moved, m->size.at[v] = m->def->size(m->def->context, moved);
}

static void relax_all(Mesh *m)
{
    for (int32_t v = 0; v < m->at.count; ++v)
        if (m->out.at[v] >= 0) relax_vertex(m, v);
}

/* ---- repair ------------------------------------------------------------------------------------ */

static int32_t extreme_edge(const Mesh *m, int32_t t, bool longest)
{
    int32_t best = 3 * t;
    for (int32_t h = 3 * t + 1; h < 3 * t + 3; ++h)
        if (longest == (edge_length(m, h) > edge_length(m, best))) best = h;
    return best;
}

static void repair_triangle(Mesh *m, int32_t t, double aspect)
{
    int32_t h = extreme_edge(m, t, true);
    double now = fmax(aspect, aspect_of(m, twin(m, h) / 3));
    if (flip_allowed(m, h) && flip_aspect(m, h) < 0.98 * now) {
        flip(m, h);
        return;
    }
    if (try_collapse(m, extreme_edge(m, t, false), aspect, INFINITY)) return;
    int32_t corner[3];
    memcpy(corner, m->vert.at + 3 * t, sizeof corner);
    for (int c = 0; c < 3; ++c) relax_vertex(m, corner[c]);
}

/* True when no triangle is worse than wished. The wish is tightened a little so that later rounding does no harm. */
static bool repair_round(Mesh *m)
{
    bool fine = true;
    for (int32_t t = 0; 3 * t < m->vert.count; ++t) {
        if (m->vert.at[3 * t] < 0) continue;
        double aspect = aspect_of(m, t);
        if (aspect <= 0.95 * m->def->worst_aspect) continue;
        fine = false;
        repair_triangle(m, t, aspect);
    }
    return fine;
}

/* ---- in and out --------------------------------------------------------------------------------- */

static bool load(Mesh *m, const snTriMesh *from_mesh)
{
    int32_t nh = 3 * from_mesh->ntriangle, nv = from_mesh->nvertex;
    snFans fans;
    if (!sn_array_reserve(&m->vert, nh) || !sn_array_reserve(&m->twin, nh) || !sn_array_reserve(&m->out, nv) ||
        !sn_array_reserve(&m->at, nv) || !sn_array_reserve(&m->size, nv) || !sn_fans_create(from_mesh, &fans))
        return false;
    m->vert.count = m->twin.count = nh, m->out.count = m->at.count = m->size.count = nv;
    memcpy(m->vert.at, from_mesh->triangle, sizeof(int32_t) * (size_t)nh);
    for (int32_t v = 0; v < nv; ++v) {
        m->at.at[v] = sn_trimesh_point(from_mesh, v), m->out.at[v] = -1;
        m->size.at[v] = m->def->size(m->def->context, m->at.at[v]);
    }
    for (int32_t h = 0; h < nh; ++h) {
        int32_t a = from(m, h), b = to(m, h);
        m->out.at[a] = h;
        for (int32_t i = fans.start[b]; i < fans.start[b + 1]; ++i)
            for (int32_t g = 3 * fans.list[i]; g < 3 * fans.list[i] + 3; ++g)
                if (from(m, g) == b && to(m, g) == a) m->twin.at[h] = g;
    }
    sn_fans_free(&fans);
    return true;
}

static bool store(const Mesh *m, snTriMesh *mesh)
{
    int32_t nvertex = 0, ntriangle = 0, *index = SN_NEW_ARRAY(int32_t, m->at.count);
    snTriMesh made;
    for (int32_t v = 0; index && v < m->at.count; ++v)
        if (m->out.at[v] >= 0) index[v] = nvertex++;
    for (int32_t h = 0; h < m->vert.count; h += 3) ntriangle += m->vert.at[h] >= 0;
    if (!index || !sn_trimesh_alloc(&made, nvertex, ntriangle)) {
        sn_free(index);
        return false;
    }
    for (int32_t v = 0; v < m->at.count; ++v)
        if (m->out.at[v] >= 0) v3_store(made.vertex + 3 * index[v], at(m, v));
    int32_t *put = made.triangle;
    for (int32_t h = 0; h < m->vert.count; ++h)
        if (m->vert.at[h] >= 0) *put++ = index[m->vert.at[h]];
    sn_free(index);
    sn_trimesh_free(mesh);
    *mesh = made;
    return true;
}

static void improve(Mesh *m)
{
    for (int32_t round = 0; round < m->def->rounds && !m->out_of_memory; ++round) {
        split_long(m);
        collapse_short(m);
        flip_for_valence(m);
        relax_all(m);
    }
    relax_all(m);
    for (int32_t round = 0; round < 50 && !m->out_of_memory; ++round)
        if (repair_round(m)) break;
}

snRemeshDef sn_default_remesh_def(void)
{
    return (snRemeshDef){.rounds = 8, .worst_aspect = 4};
}

snStatus sn_remesh(const snRemeshDef *def, snTriMesh *mesh, snError *error)
{
    Mesh m = {.def = def};
    bool done = load(&m, mesh);
    if (done) improve(&m);
    done = done && !m.out_of_memory && store(&m, mesh);
    sn_array_free(&m.vert);
    sn_array_free(&m.twin);
    sn_array_free(&m.out);
    sn_array_free(&m.at);
    sn_array_free(&m.size);
    return done ? SN_OK : sn_fail_no_memory(error);
}

double sn_remesh_estimate(const snTriMesh *mesh, double (*size)(const void *context, v3 point), const void *context)
{
    double count = 0;
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 a = sn_trimesh_corner(mesh, t, 0), b = sn_trimesh_corner(mesh, t, 1), c = sn_trimesh_corner(mesh, t, 2);
        double wished = size(context, v3_scale(v3_add(a, v3_add(b, c)), 1.0 / 3));
        count += 0.5 * v3_len(cross3(a, b, c)) / (sqrt(3.0) / 4 * wished * wished);
    }
    return count;
}
