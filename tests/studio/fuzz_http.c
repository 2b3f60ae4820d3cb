/* Any bytes as a request or as frames of a WebSocket: an answer or an error, never a crash, never more consumed than
 * there is. */
#include "studio/server/http.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snRequest request;
    int n = sn_request_parse((const char *)data, size, &request);
    if (n > 0 && (size_t)n > size) abort();
    if (n > 0 && request.upgrade) {
        char accept[SN_WS_ACCEPT_SIZE];
        sn_ws_accept(request.key, accept);
    }
    if (n > 0 && sn_request_host_fits(&request, 8137) && request.host[0] == '\0') abort();
    if (n > 0 && sn_request_take_token(&request, "0123456789abcdef0123456789abcdef") && request.path[0] != '/') abort();
    for (size_t at = 0; at < size;) {
        snWsFrame frame;
        n = sn_ws_parse(data + at, size - at, &frame);
        if (n <= 0) break;
        if ((size_t)n > size - at || frame.size > SN_WS_LIMIT) abort();
        at += (size_t)n;
    }
    return 0;
}
