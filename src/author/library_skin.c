/* A skin over the soft muscles of a library: what a muscle's surface moves beyond its bones lifts the skin above it.
 *
 * A vertex of the skin is bound at rest to the nearest place of each muscle's surface within DEPTH. Over several
 * muscles the lifts are weighted by nearness; a vertex far from all of them is left alone. */
#include "author/library_player.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "geom/bvh.h"

#include <string.h>

static const double DEPTH = 0.03; /* m below the skin at which a muscle no longer shows */

typedef struct bond {
    int32_t vertex, muscle; /* of the skin; of the library */
    int32_t corner[3];      /* of the triangle of the muscle */
    double share[3];        /* of its corners, times the weight of the bond */
} bond;

typedef struct lifted {
    snDeformer *skin;
    snLibraryPlayer *player;
    SN_ARRAY(bond) bonds; /* by muscle */
    double *near, *vertex, *bones;
    snDeformSurface *surface;
} lifted;

/* All but the skin and the library. */
static void lifted_close(lifted *l)
{
    sn_array_free(&l->bonds);
    sn_free(l->near), sn_free(l->vertex), sn_free(l->bones), sn_free(l->surface);
    sn_free(l);
}

static void destroy(void *self)
{
    lifted *l = self;
    sn_deformer_destroy(l->skin);
    sn_library_player_destroy(l->player);
    lifted_close(l);
}

static snStatus deform(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error)
{
    lifted *l = self;
    (void)info;
    snStatus status = sn_deform(l->skin, frame, point, error);
    int32_t muscle = -1;
    for (int32_t k = 0; k < l->bonds.count && status == SN_OK; ++k) {
        const bond *b = l->bonds.at + k;
        if (b->muscle != muscle) sn_library_play(l->player, muscle = b->muscle, frame, l->vertex, l->bones);
        for (int c = 0; c < 3; ++c)
            for (int e = 0; e < 3; ++e) {
                size_t at = 3 * (size_t)b->corner[c] + (size_t)e;
                point[3 * (size_t)b->vertex + (size_t)e] += b->share[c] * (l->vertex[at] - l->bones[at]);
            }
    }
    return status;
}

/* Smooth from 1 at the muscle to 0 at DEPTH. */
static double fade(double distance)
{
    double t = 1 - distance / DEPTH;
    return t > 0 ? t * t * (3 - 2 * t) : 0;
}

/* Bonds of all vertices of the skin to one muscle. near: sum of the weights at each vertex so far. */
static bool bind(lifted *l, int32_t muscle)
{
    const snTriMesh *mesh = &l->player->part[muscle].mesh;
    snBvh *tree = sn_bvh_create(mesh);
    bool ok = tree != NULL;
    for (int32_t s = 0, first = 0; s < sn_deformer_surfaces(l->skin) && ok; ++s) {
        const snDeformSurface *skin = sn_deformer_surface(l->skin, s);
        for (int32_t v = 0; v < skin->nvertex && ok; ++v) {
            v3 at = v3_load(skin->vertex + 3 * (size_t)v);
            snMeshHit hit = sn_bvh_closest(tree, at, DEPTH);
            if (hit.triangle < 0) continue;
            double weight = fade(sn_bvh_inside(tree, at) ? 0 : hit.distance);
            bond b = {first + v, muscle, {0}, {0}};
            for (int c = 0; c < 3; ++c) {
                b.corner[c] = mesh->triangle[3 * (size_t)hit.triangle + (size_t)c];
                b.share[c] = weight * hit.weight[c];
            }
            l->near[first + v] += weight;
            ok = weight <= 0 || sn_array_push(&l->bonds, b);
        }
        first += skin->nvertex;
    }
    sn_bvh_destroy(tree);
    return ok;
}

static snStatus bind_all(lifted *l, snError *error)
{
    const snLibrary *library = l->player->library;
    size_t most = 1;
    for (int32_t i = 0; i < library->nmuscle; ++i)
        if ((size_t)library->muscle[i].nvertex > most) most = (size_t)library->muscle[i].nvertex;
    l->near = SN_NEW_ARRAY(double, sn_deformer_points(l->skin));
    l->vertex = SN_NEW_ARRAY(double, 3 * most), l->bones = SN_NEW_ARRAY(double, 3 * most);
    l->surface = SN_NEW_ARRAY(snDeformSurface, sn_deformer_surfaces(l->skin));
    bool ok = l->near && l->vertex && l->bones && l->surface;
    for (int32_t i = 0; i < library->nmuscle && ok; ++i) ok = bind(l, i);
    if (!ok) return sn_fail_no_memory(error);
    /* between two muscles their lifts are averaged, not added */
    for (int32_t k = 0; k < l->bonds.count; ++k)
        for (int c = 0; c < 3; ++c) l->bonds.at[k].share[c] /= fmax(l->near[l->bonds.at[k].vertex], 1);
    for (int32_t s = 0; s < sn_deformer_surfaces(l->skin); ++s) l->surface[s] = *sn_deformer_surface(l->skin, s);
    if (l->bonds.count > 0) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "no muscle of the library lies within %.0f mm of the skin", 1e3 * DEPTH);
    sn_error_remedy(error, "make a library of a muscle under this skin, or leave --library out");
    return SN_BAD_INPUT;
}

snStatus sn_library_skin_deformer(const snSpec *spec, snDeformer *skin, snLibrary *library, snDeformer **deformer,
                                  snError *error)
{
    if (!skin || !library) return sn_fail_argument(error, "sn_library_skin_deformer without skin or library");
    lifted *l = SN_NEW(lifted);
    *deformer = NULL;
    if (!l) return sn_fail_no_memory(error);
    l->skin = skin;
    snStatus status = sn_library_player_create(spec, library, &l->player, error);
    if (status == SN_OK) status = bind_all(l, error);
    if (status == SN_OK) {
        snDeformerDef def = sn_default_deformer_def();
        def.nsurface = sn_deformer_surfaces(skin), def.surface = l->surface, def.self = l;
        def.deform = deform, def.destroy = destroy;
        status = sn_deformer_create(&def, deformer, error);
    }
    if (status == SN_OK) return SN_OK;
    if (l->player)
        sn_library_player_destroy(l->player); /* the library with it */
    else
        sn_library_destroy(library);
    sn_deformer_destroy(skin);
    lifted_close(l);
    return status;
}
