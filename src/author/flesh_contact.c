/* Parts of the skin that meet without belonging together, as two fingers or a finger and the palm.
 *
 * A part is the skin that is nearest to one bone. A point of one part that comes near another, or is inside it, gets a
 * plane half-way to the other's surface that it is pushed back to; points of the other part get theirs, so both give
 * way. Planes stand still while the flesh comes to rest and are found anew after that. Parts that share an edge of the
 * skin are left alone: their flesh is one. */
#include "author/flesh_model.h"

#include "base/alloc.h"

#include <string.h>

enum { CALM = 2 }; /* rounds after which planes change by halves */

static const double NEAR = 1e-3; /* m: points this far outside get a plane already */
/* Of a part's width: deeper inside, the nearest surface is no longer the right one. A finger of 20 mm gives way to
 * 8 mm, as much as a trunk of 200 mm to 80. */
static const double DEEP = 0.4;
static const double SURE = 8e-3;     /* m: points that seem deeper must be inside the whole skin */
static const double STIFFNESS = 2e8; /* N/m^3: 40 kPa press parts together by 0.2 mm */

typedef struct {
    snTriMesh mesh;
    int32_t *vertex; /* of the skin */
    snBvh *tree;
    v3 low, high;
    double deep; /* m: as far as points may have come into it */
} Part;

struct snFleshContact {
    int32_t npart;
    Part *part;
    uint8_t *joined; /* npart * npart: share an edge of the skin, or are the same */
    int32_t *of;     /* per vertex: part */
    double *area;    /* per vertex, m^2 */
    snTriMesh whole; /* the skin now; its triangles are the anatomy's */
    snBvh *tree;     /* of that */
    double *point;   /* 3 per vertex, now: of the whole */
    double *normal;  /* 3 per vertex, now */
    double *change;  /* per vertex: of the depth, by the last update */
    snTissuePush *found, *push;
    int32_t count, round; /* pushes; updates since the last forget */
};

void sn_flesh_contact_free(snFlesh *f)
{
    struct snFleshContact *c = f->contact;
    if (!c) return;
    for (int32_t p = 0; c->part && p < c->npart; ++p) {
        sn_bvh_destroy(c->part[p].tree);
        sn_trimesh_free(&c->part[p].mesh);
        sn_free(c->part[p].vertex);
    }
    sn_bvh_destroy(c->tree);
    sn_free(c->part);
    sn_free(c->joined);
    sn_free(c->of);
    sn_free(c->area);
    sn_free(c->point);
    sn_free(c->normal);
    sn_free(c->change);
    sn_free(c->found);
    sn_free(c->push);
    sn_free(c);
    f->contact = NULL;
}

/* The body that moves a point of the skin: that of the heaviest corner of its tetrahedron. */
static int32_t body_of(const snFlesh *f, const snEmbedded *e)
{
    int32_t row[8], best = 0;
    double share[8];
    int32_t n = sn_lattice_spread(&f->tissue.lattice, e->oct, e->tet, e->weight, row, share);
    for (int32_t i = 1; i < n; ++i)
        if (share[i] > share[best]) best = i;
    return f->body[SN_FLESH_BONES * (size_t)row[best]];
}

/* Numbers the bodies that have skin, and finds which of them share an edge. */
static snStatus name_parts(snFlesh *f, struct snFleshContact *c, int32_t *part_of_body)
{
    const snTriMesh *skin = &f->anatomy.skin;
    for (int32_t b = 0; b < f->anatomy.nbody; ++b) part_of_body[b] = -1;
    for (int32_t v = 0; v < skin->nvertex; ++v) {
        int32_t b = body_of(f, &f->embedded[v]);
        if (part_of_body[b] < 0) part_of_body[b] = c->npart++;
        c->of[v] = part_of_body[b];
    }
    size_t n = (size_t)c->npart;
    c->part = SN_NEW_ARRAY(Part, n), c->joined = SN_NEW_ARRAY(uint8_t, n * n);
    if (!c->part || !c->joined) return SN_NO_MEMORY;
    for (size_t p = 0; p < n; ++p) c->joined[p * n + p] = 1;
    for (int32_t t = 0; t < skin->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) {
            size_t p = (size_t)c->of[skin->triangle[3 * t + k]], q = (size_t)c->of[skin->triangle[3 * t + (k + 1) % 3]];
            c->joined[p * n + q] = c->joined[q * n + p] = 1;
        }
    return SN_OK;
}

/* The middle one of the three sides of a part's box: the width of a limb, the depth of a slice of the trunk. */
static double width_of(const snTriMesh *mesh)
{
    v3 low = v3_of(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 x = sn_trimesh_point(mesh, i);
        low = v3_of(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = v3_of(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    v3 d = v3_sub(high, low);
    return fmax(fmin(d.x, d.y), fmin(fmax(d.x, d.y), d.z));
}

/* Triangles whose corners all belong to the part. */
static snStatus fill_part(const snTriMesh *skin, struct snFleshContact *c, int32_t p, int32_t *number)
{
    Part *part = &c->part[p];
    int32_t nv = 0, nt = 0;
    for (int32_t v = 0; v < skin->nvertex; ++v) number[v] = c->of[v] == p ? nv++ : -1;
    for (int32_t t = 0; t < skin->ntriangle; ++t) {
        const int32_t *k = skin->triangle + 3 * t;
        nt += number[k[0]] >= 0 && number[k[1]] >= 0 && number[k[2]] >= 0;
    }
    part->vertex = SN_NEW_ARRAY(int32_t, nv + 1);
    if (!part->vertex || !sn_trimesh_alloc(&part->mesh, nv, nt)) return SN_NO_MEMORY;
    for (int32_t v = 0; v < skin->nvertex; ++v)
        if (number[v] >= 0)
            part->vertex[number[v]] = v, v3_store(part->mesh.vertex + 3 * number[v], sn_trimesh_point(skin, v));
    nt = 0;
    for (int32_t t = 0; t < skin->ntriangle; ++t) {
        const int32_t *k = skin->triangle + 3 * t;
        if (number[k[0]] < 0 || number[k[1]] < 0 || number[k[2]] < 0) continue;
        for (int i = 0; i < 3; ++i) part->mesh.triangle[3 * nt + i] = number[k[i]];
        ++nt;
    }
    part->deep = nv > 0 ? DEEP * width_of(&part->mesh) : 0;
    if (nt > 0) part->tree = sn_bvh_create(&part->mesh);
    return nt == 0 || part->tree ? SN_OK : SN_NO_MEMORY;
}

static void fill_areas(const snTriMesh *skin, double *area)
{
    for (int32_t t = 0; t < skin->ntriangle; ++t) {
        v3 a = sn_trimesh_corner(skin, t, 0), b = sn_trimesh_corner(skin, t, 1), d = sn_trimesh_corner(skin, t, 2);
        double third = v3_len(v3_cross(v3_sub(b, a), v3_sub(d, a))) / 6;
        for (int k = 0; k < 3; ++k) area[skin->triangle[3 * t + k]] += third;
    }
}

snStatus sn_flesh_contact_create(snFlesh *f)
{
    const snTriMesh *skin = &f->anatomy.skin;
    size_t n = (size_t)skin->nvertex;
    struct snFleshContact *c = f->contact = SN_NEW(struct snFleshContact);
    int32_t *number = SN_NEW_ARRAY(int32_t, n), *part_of_body = SN_NEW_ARRAY(int32_t, f->anatomy.nbody + 1);
    snStatus status = c && number && part_of_body ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        c->of = SN_NEW_ARRAY(int32_t, n), c->area = SN_NEW_ARRAY(double, n), c->point = SN_NEW_ARRAY(double, 3 * n);
        c->found = SN_NEW_ARRAY(snTissuePush, n), c->push = SN_NEW_ARRAY(snTissuePush, n);
        c->change = SN_NEW_ARRAY(double, n), c->normal = SN_NEW_ARRAY(double, 3 * n);
        if (!c->of || !c->area || !c->point || !c->found || !c->push || !c->change || !c->normal) status = SN_NO_MEMORY;
    }
    if (status == SN_OK) {
        fill_areas(skin, c->area);
        memcpy(c->point, skin->vertex, 3 * n * sizeof *c->point);
        c->whole = (snTriMesh){skin->nvertex, skin->ntriangle, c->point, skin->triangle};
        c->tree = sn_bvh_create(&c->whole);
        if (!c->tree) status = SN_NO_MEMORY;
    }
    if (status == SN_OK) {
        status = name_parts(f, c, part_of_body);
        for (int32_t p = 0; status == SN_OK && p < c->npart; ++p) status = fill_part(skin, c, p, number);
    }
    sn_free(number);
    sn_free(part_of_body);
    return status;
}

static void place_vertices(void *context, int32_t first, int32_t last)
{
    snFlesh *f = context;
    for (int32_t v = first; v < last; ++v)
        v3_store(f->contact->point + 3 * (size_t)v, sn_embedded_at(&f->tissue.lattice, &f->embedded[v], f->tissue.x));
}

static void refit_part(void *context, int32_t p)
{
    struct snFleshContact *c = ((snFlesh *)context)->contact;
    Part *part = &c->part[p];
    part->low = v3_of(INFINITY, INFINITY, INFINITY), part->high = v3_neg(part->low);
    for (int32_t i = 0; i < part->mesh.nvertex; ++i) {
        v3 x = v3_load(c->point + 3 * (size_t)part->vertex[i]);
        v3_store(part->mesh.vertex + 3 * (size_t)i, x);
        part->low = v3_of(fmin(part->low.x, x.x), fmin(part->low.y, x.y), fmin(part->low.z, x.z));
        part->high = v3_of(fmax(part->high.x, x.x), fmax(part->high.y, x.y), fmax(part->high.z, x.z));
    }
    if (part->tree) sn_bvh_refit(part->tree);
}

/* Whether a point of the skin lies in another part: its own flesh is all on one side of it, so that a point just
 * outside its own skin is inside the whole only if it is inside something else. */
static bool is_inside(const struct snFleshContact *c, int32_t v)
{
    v3 x = v3_load(c->point + 3 * (size_t)v);
    return sn_bvh_winding(c->tree, v3_mad(x, 1e-5, v3_load(c->normal + 3 * (size_t)v))) > 0;
}

/* The nearest part that a point has come to: its plane. False: none. */
static bool find_plane(const struct snFleshContact *c, int32_t v, snTissuePush *push)
{
    v3 x = v3_load(c->point + 3 * (size_t)v);
    const uint8_t *joined = c->joined + (size_t)c->of[v] * (size_t)c->npart;
    double least = INFINITY;
    bool found = false;
    for (int32_t q = 0; q < c->npart; ++q) {
        const Part *part = &c->part[q];
        if (joined[q] || !part->tree) continue;
        if (x.x < part->low.x - NEAR || x.y < part->low.y - NEAR || x.z < part->low.z - NEAR ||
            x.x > part->high.x + NEAR || x.y > part->high.y + NEAR || x.z > part->high.z + NEAR)
            continue;
        snMeshHit hit = sn_bvh_closest(part->tree, x, fmin(least, part->deep));
        if (hit.triangle < 0) continue;
        v3 a = sn_trimesh_corner(&part->mesh, hit.triangle, 0), b = sn_trimesh_corner(&part->mesh, hit.triangle, 1);
        v3 n = v3_unit(v3_cross(v3_sub(b, a), v3_sub(sn_trimesh_corner(&part->mesh, hit.triangle, 2), a)));
        double gap = v3_dot(v3_sub(x, hit.point), n);
        if (gap > NEAR || fabs(gap) < 0.7 * hit.distance) continue; /* beside the part's rim */
        if (gap < -SURE && !is_inside(c, v)) continue;              /* seen through the flesh that both belong to */
        least = hit.distance, found = true;
        v3_store(push->normal, n);
        push->offset = v3_dot(hit.point, n) + 0.5 * gap;
    }
    return found;
}

/* How far a plane pushes a point. */
static double depth_of(const snTissuePush *push, v3 x)
{
    return push->stiffness > 0 ? fmax(push->offset - v3_dot(v3_load(push->normal), x), 0) : 0;
}

/* Half-way between two planes: planes that change places with each other come to rest so. */
static void calm_plane(snTissuePush *push, const snTissuePush *old, v3 x)
{
    v3 n = v3_unit(v3_add(v3_load(push->normal), v3_load(old->normal)));
    double depth = 0.5 * (depth_of(push, x) + depth_of(old, x));
    v3_store(push->normal, n);
    push->offset = depth + v3_dot(n, x);
}

static void find_planes(void *context, int32_t first, int32_t last)
{
    snFlesh *f = context;
    for (int32_t v = first; v < last; ++v) {
        snTissuePush *push = &f->contact->found[v];
        const snEmbedded *e = &f->embedded[v];
        v3 x = v3_load(f->contact->point + 3 * (size_t)v);
        snTissuePush old = *push;
        double before = depth_of(&old, x);
        *push = (snTissuePush){.oct = e->oct, .tet = e->tet};
        memcpy(push->weight, e->weight, sizeof push->weight);
        push->stiffness = find_plane(f->contact, v, push) ? STIFFNESS * f->contact->area[v] : 0;
        if (before > 0 && push->stiffness == 0) *push = old; /* at a rim: not let go while it is pushed */
        if (before > 0 && f->contact->round >= CALM) calm_plane(push, &old, x);
        f->contact->change[v] = fabs(depth_of(push, x) - before);
    }
}

void sn_flesh_contact_forget(snFlesh *f)
{
    f->tissue.npush = 0;
    if (!f->contact) return;
    for (int32_t v = 0; v < f->anatomy.skin.nvertex; ++v) f->contact->found[v].stiffness = 0;
    f->contact->round = 0;
}

static void place_parts(snFlesh *f)
{
    sn_rows_loop(f->pool, 0, f->anatomy.skin.nvertex, place_vertices, f);
    sn_pool_loop(f->pool, f->contact->npart, refit_part, f);
    sn_trimesh_normals(&f->contact->whole, f->contact->normal);
    sn_bvh_refit(f->contact->tree);
}

/* Of points that are inside another part than their own; folds between neighbours do not count. */
static void measure_depths(void *context, int32_t first, int32_t last)
{
    struct snFleshContact *c = ((snFlesh *)context)->contact;
    for (int32_t v = first; v < last; ++v) {
        double least = INFINITY;
        bool neighbour = false;
        int32_t npart = is_inside(c, v) ? c->npart : 0;
        for (int32_t q = 0; q < npart; ++q) {
            if (q == c->of[v] || !c->part[q].tree) continue;
            snMeshHit hit = sn_bvh_closest(c->part[q].tree, v3_load(c->point + 3 * (size_t)v), least);
            if (hit.triangle < 0) continue;
            least = hit.distance, neighbour = c->joined[(size_t)c->of[v] * (size_t)c->npart + (size_t)q];
        }
        c->change[v] = least < INFINITY && !neighbour ? least : 0;
    }
}

double sn_flesh_contact_deepest(snFlesh *f)
{
    double most = 0;
    place_parts(f);
    sn_rows_loop(f->pool, 0, f->anatomy.skin.nvertex, measure_depths, f);
    for (int32_t v = 0; v < f->anatomy.skin.nvertex; ++v) most = fmax(most, f->contact->change[v]);
    return most;
}

double sn_flesh_contact_update(snFlesh *f)
{
    struct snFleshContact *c = f->contact;
    int32_t n = f->anatomy.skin.nvertex;
    double most = 0;
    if (c->npart < 2) return 0;
    place_parts(f);
    sn_rows_loop(f->pool, 0, n, find_planes, f);
    c->count = 0;
    for (int32_t v = 0; v < n; ++v) {
        if (c->found[v].stiffness > 0) c->push[c->count++] = c->found[v];
        most = fmax(most, c->change[v]);
    }
    f->tissue.push = c->push, f->tissue.npush = f->info.contacts = c->count, ++c->round;
    return most;
}
