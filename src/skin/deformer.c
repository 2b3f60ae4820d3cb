/* A skin as a deformer: one surface, bones and strands in, activations not looked at (bellies thicken by their length).
 */
#include "geom/deform.h"
#include "skin/skin.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

typedef struct SkinDeformer {
    snSkin *skin;
    char *name;
    snDeformSurface surface;
} SkinDeformer;

static snStatus deform(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error)
{
    SkinDeformer *d = self;
    (void)info, (void)error;
    sn_skin_deform(d->skin, frame->pose, frame->point, point, NULL);
    return SN_OK;
}

static void destroy(void *self)
{
    SkinDeformer *d = self;
    sn_skin_destroy(d->skin);
    sn_free(d->name);
    sn_free(d);
}

snStatus sn_skin_deformer(snSkin *skin, const char *name, const double color[3], snDeformer **deformer, snError *error)
{
    if (!skin) return sn_fail_argument(error, "sn_skin_deformer without skin");
    SkinDeformer *d = SN_NEW(SkinDeformer);
    char *copied = sn_strdup(name ? name : "skin");
    snStatus status = d && copied ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) {
        d->skin = skin, d->name = copied;
        d->surface = sn_skin_surface(skin);
        d->surface.name = copied;
        memcpy(d->surface.color, color, sizeof d->surface.color);
        snDeformerDef def = sn_default_deformer_def();
        def.nsurface = 1, def.surface = &d->surface, def.self = d, def.deform = deform, def.destroy = destroy;
        status = sn_deformer_create(&def, deformer, error);
    }
    if (status != SN_OK) sn_free(copied), sn_free(d);
    return status;
}
