/* Any bytes as messages to a live simulation: taken or refused, never a crash. The simulation itself rests; what a
 * message may set is checked by the tests of the server. */
#include "scenes.h"
#include "studio/server/live.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wake(void *user)
{
    (void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static snLive *live;
    if (!live) {
        snSpec *spec = sn_scene("pulley");
        snModel *model = NULL;
        if (!spec || sn_compile(spec, &model, NULL) != SN_OK) abort();
        if (sn_live_create(spec, model, NULL, 1, wake, NULL, &live, NULL) != SN_OK) abort();
        sn_live_watch(live, true);
    }
    for (size_t at = 0; at < size;) {
        size_t length = data[at] < size - at - 1 ? data[at] : size - at - 1;
        bool taken = sn_live_message(live, data + at + 1, length);
        if (taken && (length < 4 || length % 4 != 0)) abort();
        at += 1 + length;
    }
    return 0;
}
