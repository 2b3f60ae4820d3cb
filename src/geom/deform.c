/* The deformer's shell: checks what an implementation declares once, then measures and calls it. */
#include "geom/deform.h"
#include "base/def.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

struct snDeformer {
    snDeformerDef def;
    snDeformSurface *surface;
    int32_t npoint;
    snDeformInfo info;
};

static snStatus refuse(snError *error, const snDeformSurface *s, const char *what, int64_t index)
{
    sn_fail(error, SN_BAD_INPUT, "%s %lld is out of range", what, (long long)index);
    sn_error_element(error, "surface", s->name ? s->name : "");
    return SN_BAD_INPUT;
}

static snStatus check_surface(const snDeformSurface *s, snError *error)
{
    if (s->nvertex < 1 || s->ntriangle < 0 || !s->vertex || (s->ntriangle && !s->triangle) || !s->body != !s->weight) {
        sn_fail(error, SN_BAD_INPUT, "the surface is incomplete: %d vertices, %d triangles", (int)s->nvertex,
                (int)s->ntriangle);
        sn_error_element(error, "surface", s->name ? s->name : "");
        return SN_BAD_INPUT;
    }
    for (int64_t i = 0; i < 3 * (int64_t)s->nvertex; ++i)
        if (!isfinite(s->vertex[i])) return refuse(error, s, "coordinate", i);
    for (int64_t i = 0; i < 3 * (int64_t)s->ntriangle; ++i)
        if (s->triangle[i] < 0 || s->triangle[i] >= s->nvertex) return refuse(error, s, "triangle", i / 3);
    for (int64_t i = 0; s->weight && i < 4 * (int64_t)s->nvertex; ++i)
        if (!(s->weight[i] >= 0 && s->weight[i] <= 1.0001) || (s->weight[i] > 0 && s->body[i] < 0))
            return refuse(error, s, "the weight of vertex", i / 4);
    return SN_OK;
}

static snStatus check_def(const snDeformerDef *def, snError *error)
{
    snDeformerDef taken = sn_default_deformer_def();
    if (SN_TAKE_DEF(def, snDeformerDef, taken, error)) return SN_BAD_ARGUMENT;
    if (def->nsurface < 1 || !def->surface || !def->deform)
        return sn_fail(error, SN_BAD_INPUT, "a deformer needs at least one surface and a function that moves it");
    int64_t points = 0;
    for (int32_t i = 0; i < def->nsurface; ++i) {
        snStatus status = check_surface(def->surface + i, error);
        if (status != SN_OK) return status;
        points += def->surface[i].nvertex;
    }
    return points <= INT32_MAX / 3 ? SN_OK : sn_fail(error, SN_BAD_INPUT, "the surfaces have too many vertices");
}

snStatus sn_deformer_create(const snDeformerDef *def, snDeformer **deformer, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_deformer_create without def");
    snStatus status = check_def(def, error);
    if (status != SN_OK) return status;
    snDeformer *made = SN_NEW(snDeformer);
    snDeformSurface *surface = SN_NEW_ARRAY(snDeformSurface, def->nsurface);
    if (!made || !surface) {
        sn_free(made), sn_free(surface);
        return sn_fail_no_memory(error);
    }
    memcpy(surface, def->surface, (size_t)def->nsurface * sizeof *surface);
    made->def = *def, made->surface = surface;
    for (int32_t i = 0; i < def->nsurface; ++i) made->npoint += surface[i].nvertex;
    *deformer = made;
    return SN_OK;
}

void sn_deformer_destroy(snDeformer *deformer)
{
    if (!deformer) return;
    if (deformer->def.destroy) deformer->def.destroy(deformer->def.self);
    sn_free(deformer->surface);
    sn_free(deformer);
}

int32_t sn_deformer_surfaces(const snDeformer *deformer)
{
    if (!deformer) return 0;
    return deformer->def.nsurface;
}

const snDeformSurface *sn_deformer_surface(const snDeformer *deformer, int32_t surface)
{
    if (!deformer) return NULL;
    return surface >= 0 && surface < deformer->def.nsurface ? deformer->surface + surface : NULL;
}

int32_t sn_deformer_points(const snDeformer *deformer)
{
    if (!deformer) return 0;
    return deformer->npoint;
}

snStatus sn_deform(snDeformer *deformer, const snFrame *frame, double *point, snError *error)
{
    double start = sn_clock();
    deformer->info = (snDeformInfo){.converged = true};
    snStatus status = deformer->def.deform(deformer->def.self, frame, point, &deformer->info, error);
    deformer->info.seconds = sn_clock() - start;
    return status;
}

snDeformInfo sn_deform_info(const snDeformer *deformer)
{
    if (!deformer) return (snDeformInfo){0};
    return deformer->info;
}
