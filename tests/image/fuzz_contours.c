/* Any bytes as contours: an error, or contours that can be written, compared and made into a surface, never a crash. */
#include "author/own/surface.h"
#include "base/alloc.h"
#include "io/stack_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snContours contours = {0};
    snError error;
    if (sn_parse_contours("fuzz", (const char *)data, size, &contours, &error) != SN_OK) {
        if (sn_alloc_live() != 0) abort();
        return 0;
    }
    if (sn_save_contours(&contours, "/dev/null", &error) != SN_OK) abort();
    for (int32_t i = 0; i < contours.nmuscle; ++i) {
        double dice = sn_outline_dice(contours.muscle + i, contours.muscle + i);
        if (!(dice > 0.99 && dice < 1.01)) abort();
    }
    snSurfaceDef def = sn_default_surface_def();
    snMesh mesh = {0};
    def.edge = 4e-3, def.threads = 1;
    if (contours.nmuscle > 0 && contours.place.n[2] < 50 && contours.place.n[0] < 100 && contours.place.n[1] < 100 &&
        sn_make_surface(&contours, &def, &mesh, NULL, &error) == SN_OK)
        sn_mesh_free(&mesh);
    sn_contours_free(&contours);
    if (sn_alloc_live() != 0) abort();
    return 0;
}
