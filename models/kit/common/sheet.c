/* Sheets with a thickness: two copies of the middle surface, moved along its normals, joined along the rim. */
#include "common/sheet.h"

#include "base/alloc.h"
#include "base/error.h"

typedef struct builder {
    const snSheetDef *def;
    snTriMesh *mesh;
    int32_t ntriangle;
} builder;

static v3 at(const snSheetDef *d, int32_t i, int32_t j)
{
    return d->middle[i * d->along + j];
}

static v3 normal_at(const snSheetDef *d, int32_t i, int32_t j)
{
    int32_t i0 = i > 0 ? i - 1 : 0, i1 = i + 1 < d->across ? i + 1 : i;
    int32_t j0 = j > 0 ? j - 1 : 0, j1 = j + 1 < d->along ? j + 1 : j;
    return v3_unit(v3_cross(v3_sub(at(d, i1, j), at(d, i0, j)), v3_sub(at(d, i, j1), at(d, i, j0))));
}

static void add(builder *b, int32_t p, int32_t q, int32_t r)
{
    int32_t *t = b->mesh->triangle + 3 * b->ntriangle++;
    t[0] = p, t[1] = q, t[2] = r;
}

static void add_quad(builder *b, int32_t p, int32_t q, int32_t r, int32_t s)
{
    add(b, p, q, r);
    add(b, p, r, s);
}

/* Upper points first, then lower ones, both as the grid. */
static void place(builder *b)
{
    const snSheetDef *d = b->def;
    int32_t count = d->across * d->along;
    for (int32_t i = 0; i < d->across; ++i)
        for (int32_t j = 0; j < d->along; ++j) {
            v3 n = d->normal ? d->normal[i * d->along + j] : normal_at(d, i, j), p = at(d, i, j);
            double half = d->half[i * d->along + j];
            v3_store(b->mesh->vertex + 3 * (i * d->along + j), v3_mad(p, half, n));
            v3_store(b->mesh->vertex + 3 * (count + i * d->along + j), v3_mad(p, -half, n));
        }
}

static void join(builder *b)
{
    const snSheetDef *d = b->def;
    int32_t n = d->along, low = d->across * n;
    for (int32_t i = 0; i + 1 < d->across; ++i)
        for (int32_t j = 0; j + 1 < n; ++j) {
            int32_t p = i * n + j;
            add_quad(b, p, p + n, p + n + 1, p + 1);
            add_quad(b, low + p, low + p + 1, low + p + n + 1, low + p + n);
        }
    for (int32_t i = 0; i + 1 < d->across; ++i) {
        int32_t p = i * n, q = p + n - 1;
        add_quad(b, p, low + p, low + p + n, p + n);
        add_quad(b, q, q + n, low + q + n, low + q);
    }
    for (int32_t j = 0; j + 1 < n; ++j) {
        int32_t p = j, q = (d->across - 1) * n + j;
        add_quad(b, p, p + 1, low + p + 1, low + p);
        add_quad(b, q, low + q, low + q + 1, q + 1);
    }
}

snStatus sn_sheet_mesh(const snSheetDef *def, snTriMesh *mesh, snError *error)
{
    if (def->across < 2 || def->along < 2)
        return sn_fail(error, SN_BAD_INPUT, "a sheet of %d by %d points: at least 2 are needed", (int)def->across,
                       (int)def->along);
    int32_t cells = (def->across - 1) * (def->along - 1), rim = def->across + def->along - 2;
    if (!sn_trimesh_alloc(mesh, 2 * def->across * def->along, 4 * cells + 4 * rim)) return sn_fail_no_memory(error);
    builder b = {.def = def, .mesh = mesh};
    place(&b);
    join(&b);
    snStatus status = sn_trimesh_require(mesh, true, "sheet", error);
    if (status != SN_OK) sn_trimesh_free(mesh);
    return status;
}
