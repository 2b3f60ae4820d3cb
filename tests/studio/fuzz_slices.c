/* Any bytes as requests to the slices screen, one a line: an answer or nothing, never a crash. What a request asks for
 * is done on a small stack, and its list of deeds ends with the input. */
#include "small_stack.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    if (!slices) slices = open_small_stack();
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
