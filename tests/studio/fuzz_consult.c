/* Any bytes as messages to the clinical questions: taken or refused, never a crash. */
#include "small_tree.h"
#include "studio/server/consult.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wake(void *user)
{
    (void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static snConsult *consult;
    if (!consult) {
        snSpec *spec = small_tree();
        snModel *model = NULL;
        if (!spec || sn_compile(spec, &model, NULL) != SN_OK) abort();
        if (sn_consult_create(spec, model, wake, NULL, &consult, NULL) != SN_OK) abort();
    }
    for (size_t at = 0; at < size;) {
        size_t length = data[at] < size - at - 1 ? data[at] : size - at - 1;
        if (sn_consult_message(consult, data + at + 1, length) && length < 4) abort();
        at += 1 + length;
    }
    return 0;
}
