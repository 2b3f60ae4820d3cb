/* See http.h. RFC 9112 for the requests, RFC 6455 for the frames, FIPS 180 for the hash in the handshake. */
#include "http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* ---- requests ----------------------------------------------------------------------------- */

static bool copy_text(char *to, size_t room, const char *from, size_t size)
{
    if (size >= room) return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

/* Bytes that may stand in a request: no control characters, so no zero byte hides what follows it. */
static bool is_clean(const char *text, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return false;
    return true;
}

static int parse_first_line(const char *line, size_t size, snRequest *r)
{
    const char *space = memchr(line, ' ', size);
    if (!space || !is_clean(line, size)) return -400;
    const char *path = space + 1, *end = line + size, *after = memchr(path, ' ', (size_t)(end - path));
    if (!after || !copy_text(r->method, sizeof r->method, line, (size_t)(space - line))) return -400;
    if (path[0] != '/') return -400;
    if (!copy_text(r->path, sizeof r->path, path, (size_t)(after - path))) return -414;
    size_t version = (size_t)(end - after - 1);
    if (version != 8 || memcmp(after + 1, "HTTP/1.", 7) != 0 || (after[8] != '0' && after[8] != '1')) return -505;
    return 0;
}

static bool has_word(const char *list, size_t size, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= size; ++i) {
        bool starts = i == 0 || list[i - 1] == ' ' || list[i - 1] == ',';
        bool ends = i + n == size || list[i + n] == ' ' || list[i + n] == ',';
        if (starts && ends && strncasecmp(list + i, word, n) == 0) return true;
    }
    return false;
}

static bool named(const char *line, size_t length, const char *name)
{
    return length == strlen(name) && strncasecmp(line, name, length) == 0;
}

typedef struct Seen {
    bool host, upgrade, connection, version;
} Seen;

static int parse_header(const char *line, size_t size, snRequest *r, Seen *seen)
{
    const char *colon = memchr(line, ':', size);
    if (!colon || colon == line || line[0] == ' ' || line[0] == '\t' || colon[-1] == ' ') return -400;
    size_t name = (size_t)(colon - line), length = size - name - 1;
    const char *value = colon + 1;
    while (length && (*value == ' ' || *value == '\t')) ++value, --length;
    while (length && (value[length - 1] == ' ' || value[length - 1] == '\t')) --length;
    if (!is_clean(line, name)) return -400;
    if (named(line, name, "Host")) {
        if (seen->host || !copy_text(r->host, sizeof r->host, value, length)) return -400;
        seen->host = true;
    } else if (named(line, name, "Origin")) {
        if (r->origin[0] || !copy_text(r->origin, sizeof r->origin, value, length)) return -400;
    } else if (named(line, name, "Sec-WebSocket-Key")) {
        if (!copy_text(r->key, sizeof r->key, value, length)) return -400;
    } else if (named(line, name, "Upgrade"))
        seen->upgrade = has_word(value, length, "websocket");
    else if (named(line, name, "Connection"))
        seen->connection = has_word(value, length, "upgrade");
    else if (named(line, name, "Sec-WebSocket-Version"))
        seen->version = length == 2 && memcmp(value, "13", 2) == 0;
    else if (named(line, name, "Transfer-Encoding") ||
             (named(line, name, "Content-Length") && !(length == 1 && *value == '0')))
        r->body = true;
    return 0;
}

static const char *find_line_end(const char *at, const char *end)
{
    for (; at + 1 < end; ++at)
        if (at[0] == '\r' && at[1] == '\n') return at;
    return NULL;
}

int sn_request_parse(const char *bytes, size_t size, snRequest *r)
{
    *r = (snRequest){0};
    Seen seen = {0};
    const char *at = bytes, *end = bytes + (size < SN_HTTP_LIMIT ? size : SN_HTTP_LIMIT);
    for (int line = 0;; ++line) {
        const char *stop = find_line_end(at, end);
        if (!stop) return size >= SN_HTTP_LIMIT ? -431 : 0;
        if (line > 0 && stop == at) break;
        int trouble =
            line == 0 ? parse_first_line(at, (size_t)(stop - at), r) : parse_header(at, (size_t)(stop - at), r, &seen);
        if (trouble) return trouble;
        at = stop + 2;
    }
    r->upgrade = seen.upgrade && seen.connection && seen.version && r->key[0];
    return (int)(at + 2 - bytes);
}

static bool is_ours(const char *text, int port)
{
    char expected[64];
    static const char *const name[] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; ++i) {
        snprintf(expected, sizeof expected, "%s:%d", name[i], port);
        if (strcasecmp(text, expected) == 0) return true;
        if (port == 80 && strcasecmp(text, name[i]) == 0) return true;
    }
    return false;
}

bool sn_request_host_fits(const snRequest *r, int port)
{
    return is_ours(r->host, port);
}

bool sn_request_origin_fits(const snRequest *r, int port)
{
    if (!r->origin[0]) return true;
    return strncasecmp(r->origin, "http://", 7) == 0 && is_ours(r->origin + 7, port);
}

/* ---- handshake ---------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t v, int by)
{
    return v << by | v >> (32 - by);
}

static void sha1_block(uint32_t h[5], const unsigned char block[64])
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 80; ++i) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; ++i) {
        uint32_t f = i < 20   ? (b & c) | (~b & d)
                     : i < 40 ? b ^ c ^ d
                     : i < 60 ? (b & c) | (b & d) | (c & d)
                              : b ^ c ^ d;
        uint32_t k = i < 20 ? 0x5a827999u : i < 40 ? 0x6ed9eba1u : i < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
        uint32_t t = rotate(a, 5) + f + e + k + w[i];
        e = d, d = c, c = rotate(b, 30), b = a, a = t;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

/* Of at most 119 bytes: two blocks with the padding. */
static void sha1_short(const char *text, size_t size, unsigned char digest[20])
{
    uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    unsigned char block[128] = {0};
    size_t total = size + 9 <= 64 ? 64 : 128;
    memcpy(block, text, size);
    block[size] = 0x80;
    for (int i = 0; i < 4; ++i) block[total - 1 - (size_t)i] = (unsigned char)(size * 8 >> (8 * i));
    for (size_t at = 0; at < total; at += 64) sha1_block(h, block + at);
    for (int i = 0; i < 20; ++i) digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void sn_ws_accept(const char *key, char accept[SN_WS_ACCEPT_SIZE])
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[128];
    unsigned char digest[21] = {0};
    int n = snprintf(text, sizeof text, "%.63s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1_short(text, (size_t)n, digest);
    for (int i = 0; i < 7; ++i) {
        uint32_t v = (uint32_t)digest[3 * i] << 16 | (uint32_t)digest[3 * i + 1] << 8 | digest[3 * i + 2];
        for (int k = 0; k < 4; ++k) accept[4 * i + k] = digit[v >> (18 - 6 * k) & 63];
    }
    accept[27] = '=';
    accept[28] = '\0';
}

/* ---- the token ---------------------------------------------------------------------------- */

bool sn_token_make(char token[SN_TOKEN_SIZE])
{
    unsigned char bytes[(SN_TOKEN_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; ++i) (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool sn_request_take_token(snRequest *r, const char *token)
{
    size_t n = SN_TOKEN_SIZE - 1;
    if (strlen(r->path) < n + 2 || r->path[n + 1] != '/') return false;
    unsigned difference = 0;
    for (size_t i = 0; i < n; ++i) difference |= (unsigned)(unsigned char)r->path[i + 1] ^ (unsigned char)token[i];
    if (difference) return false;
    memmove(r->path, r->path + n + 1, strlen(r->path + n + 1) + 1);
    return true;
}

/* ---- frames ------------------------------------------------------------------------------- */

int sn_ws_parse(const unsigned char *bytes, size_t size, snWsFrame *f)
{
    if (size < 2) return 0;
    int kind = bytes[0] & 15;
    size_t length = bytes[1] & 127;
    bool whole = bytes[0] & 0x80, masked = bytes[1] & 0x80;
    bool known = kind == SN_WS_TEXT || kind == SN_WS_BINARY || (kind >= SN_WS_CLOSE && kind <= SN_WS_PONG);
    /* Pieces of a message, extensions and unmasked frames are not what our page sends. */
    if (!whole || (bytes[0] & 0x70) || !masked || !known) return -1002;
    if (length > SN_WS_LIMIT) return -1009;
    if (size < 6 + length) return 0;
    f->kind = kind;
    f->size = length;
    for (size_t i = 0; i < length; ++i) f->payload[i] = bytes[6 + i] ^ bytes[2 + i % 4];
    return (int)(6 + length);
}

size_t sn_ws_header(int kind, uint64_t size, unsigned char header[10])
{
    header[0] = (unsigned char)(0x80 | kind);
    if (size < 126) {
        header[1] = (unsigned char)size;
        return 2;
    }
    int bytes = size < 65536 ? 2 : 8;
    header[1] = bytes == 2 ? 126 : 127;
    for (int i = 0; i < bytes; ++i) header[2 + i] = (unsigned char)(size >> (8 * (bytes - 1 - i)));
    return (size_t)(2 + bytes);
}

/* ---- errors ------------------------------------------------------------------------------- */

const char *sn_http_error(int status, const char **text)
{
    static const struct {
        int status;
        const char *line, *text;
    } known[] = {
        {400, "400 Bad Request", "This is not an HTTP request.\n"},
        {403, "403 Forbidden",
         "Open the whole address that sinew studio printed: it contains a key and begins with 127.0.0.1 or "
         "localhost.\n"},
        {404, "404 Not Found", "There is no such page.\n"},
        {405, "405 Method Not Allowed", "Only GET and HEAD are supported.\n"},
        {414, "414 URI Too Long", "Too long.\n"},
        {426, "426 Upgrade Required", "This address needs WebSocket version 13.\n"},
        {431, "431 Request Header Fields Too Large", "Too long.\n"},
        {503, "503 Service Unavailable", "Too many pages are open. Close a page of this studio, or try again later.\n"},
        {505, "505 HTTP Version Not Supported", "Only HTTP 1.1 is supported.\n"},
    };
    size_t i = 0;
    while (i + 1 < sizeof known / sizeof *known && known[i].status != status) ++i;
    *text = known[i].text;
    return known[i].line;
}
