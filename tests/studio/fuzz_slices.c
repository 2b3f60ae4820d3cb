/* Any bytes as requests to the slices screen, one a line: an answer or nothing, never a crash. What a request asks for
 * is done on a small stack, and its list of deeds ends with the input. */
#include "studio/server/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static snSlices *open_slices(void)
{
    char folder[] = "/tmp/sinew-fuzz-slices-XXXXXX", path[64];
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

static void ask(snSlices *slices, const char *request)
{
    size_t length = SIZE_MAX;
    const char *type = NULL;
    unsigned char *answer = sn_slices_answer(slices, request, &length, &type);
    if (answer && (length == SIZE_MAX || !type)) abort();
    if (answer && strcmp(type, "application/json") == 0 &&
        (length < 2 || answer[0] != '{' || answer[length - 1] != '}'))
        abort();
    free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 6 }; /* requests of an input: growing again and again is slow and tells nothing new */
    static snSlices *slices;
    char request[256];
    if (!slices) slices = open_slices();
    ask(slices, "/slices/clear");
    for (int n = 0; size > 0 && n < MOST; ++n) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size,
               some = length < sizeof request - 1 ? length : sizeof request - 1;
        memcpy(request, data, some);
        request[some] = '\0';
        ask(slices, request);
        data += length + (end != NULL), size -= length + (end != NULL);
    }
    return 0;
}
