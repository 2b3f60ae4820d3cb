/* A slices screen on a small phantom: six slices of 32 by 24 pixels. */
#ifndef SN_TESTS_SMALL_STACK_H
#define SN_TESTS_SMALL_STACK_H

#include "studio/server/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline snSlices *open_small_stack(void)
{
    char folder[] = "/tmp/sinew-small-stack-XXXXXX", path[64];
    snPhantomDef def = sn_default_phantom_def();
    snStack stack = {0};
    snContours truth = {0};
    snSlices *slices = NULL;
    snError error = {0};
    def.n[0] = 32, def.n[1] = 24, def.n[2] = 6, def.spacing[0] = def.spacing[1] = 3e-3, def.spacing[2] = 30e-3;
    if (!mkdtemp(folder)) abort();
    (void)snprintf(path, sizeof path, "%s/stack.nrrd", folder);
    if (sn_make_phantom(&def, &stack, &truth, &error) != SN_OK || sn_save_stack(&stack, path, NULL, &error) != SN_OK)
        abort();
    if (sn_slices_create(path, NULL, "muscle", &slices, &error) != SN_OK) abort();
    sn_stack_free(&stack);
    sn_contours_free(&truth);
    (void)unlink(path);
    (void)rmdir(folder);
    return slices;
}

#endif
