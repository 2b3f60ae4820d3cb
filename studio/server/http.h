/* The little of HTTP and WebSocket that the studio needs, as functions over bytes: no sockets here.
 *
 * Everything that comes in is bounded: a request by SN_HTTP_LIMIT, a message by SN_WS_LIMIT. Longer ones are refused
 * when their first bytes are seen; nothing is ever collected to be thrown away afterwards. (A general web server takes
 * messages of gigabytes into memory before its user sees them; this is why there is none underneath.) */
#ifndef SN_STUDIO_HTTP_H
#define SN_STUDIO_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SN_HTTP_LIMIT = 8192, /* bytes of a request with its headers */
    SN_WS_LIMIT = 125,    /* payload of a message, the most that needs no longer length */
    SN_WS_ACCEPT_SIZE = 32,
    SN_TOKEN_SIZE = 33 /* 128 bits as hexadecimal digits, and a zero */
};

typedef struct snRequest {
    char method[8], path[128];
    char host[128], origin[160]; /* empty when absent */
    char key[64];                /* Sec-WebSocket-Key */
    bool upgrade;                /* asks for a WebSocket of version 13 */
    bool body;                   /* announces a body, which nothing here takes */
} snRequest;

/* Length of the request at the start of bytes; 0: not all here yet; negative: minus the status to answer with. */
int sn_request_parse(const char *bytes, size_t size, snRequest *request);

/* The line of an error's status and, in *text, what a person is told. */
const char *sn_http_error(int status, const char **text);

/* Whether the names that the browser used are those of this server: 127.0.0.1 or localhost, with our port. Keeps pages
 * of other sites out (Origin), also when their name is made to point here (Host). No Origin means no page. */
bool sn_request_host_fits(const snRequest *request, int port);
bool sn_request_origin_fits(const snRequest *request, int port);

/* A token that nobody can guess, from the system. False where the system has none to give. */
bool sn_token_make(char token[SN_TOKEN_SIZE]);
/* Whether the path begins with /TOKEN/; if so that is taken off it, and /TOKEN/scene.bin becomes /scene.bin. How long
 * it takes does not depend on how much of the token is right. */
bool sn_request_take_token(snRequest *request, const char *token);

/* Value of Sec-WebSocket-Accept for a key. */
void sn_ws_accept(const char *key, char accept[SN_WS_ACCEPT_SIZE]);

typedef enum snWsKind { SN_WS_TEXT = 1, SN_WS_BINARY = 2, SN_WS_CLOSE = 8, SN_WS_PING = 9, SN_WS_PONG = 10 } snWsKind;

typedef struct snWsFrame {
    int kind;
    size_t size;
    unsigned char payload[SN_WS_LIMIT]; /* unmasked */
} snWsFrame;

/* Length of the frame at the start of bytes; 0: not all here yet; negative: minus the code to close with (1002 for what
 * is not WebSocket, 1009 for what is too long). */
int sn_ws_parse(const unsigned char *bytes, size_t size, snWsFrame *frame);
/* Header of a frame that a server sends; returns its length (at most 10). */
size_t sn_ws_header(int kind, uint64_t size, unsigned char header[10]);

#endif
