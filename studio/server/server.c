/* Sockets: one thread and poll() over a few clients. One file, as all of it works on one table of clients.
 *
 * Invariants
 * 1. A client owns at most one answer or message being sent; while it is, no further snapshot is queued for it. A slow
 *    client gets fewer pictures, a stalled one none, and nobody else waits for it. At most AHEAD snapshots are on their
 *    way to it and unseen, wherever they are: what it sees is never older than that, however slow it is.
 * 2. What a client has sent but not been answered never exceeds its buffer; reading stops when it is full.
 * 3. Any failure of a client ends that client only.
 * 4. At most CLIENTS are served. When all places are taken, the one that has been silent longest goes; where all are at
 *    work, a further client is told so (503), for which SPARE places are kept. */
#include "server.h"

#include "consult.h"
#include "filling.h"
#include "http.h"
#include "listen.h"
#include "live.h"
#include "wire.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 24, SPARE = 8, PLACES = CLIENTS + SPARE, HEAD_SIZE = 1024, POLL_MS = 100, AHEAD = 2 };
enum { SEEN = 0 }; /* operation of any WebSocket: so many snapshots of this connection have been shown */

static const double PATIENCE = 10; /* s that a client may take for a request, or for taking in an answer */
static const double IDLE = 1;      /* the same when others wait for a place */

typedef struct Client {
    int fd;                  /* -1: free */
    bool websocket, closing; /* closing: ends when everything is sent */
    bool strands;            /* a WebSocket that watches strands, not the simulation */
    bool clinic;             /* one that asks clinical questions */
    unsigned char in[SN_HTTP_LIMIT];
    size_t nin;
    char head[HEAD_SIZE]; /* what is being sent: first this, */
    size_t nhead;
    const void *body; /* then this */
    size_t nbody, sent;
    unsigned char *message; /* what it alone is sent: a snapshot, or a file of the result */
    uint32_t sequence;
    uint32_t nsent, nseen; /* snapshots; seen: as the client says, */
    bool tells;   /* by messages of its own; else by answering a ping, which says only that they have arrived */
    double since; /* of the last progress */
} Client;

struct snServer {
    snServerDef def;
    char token[SN_TOKEN_SIZE];
    int fd, port, wake[2];
    snLive *live;
    snFilling *filling;
    snConsult *consult;
    Client client[PLACES]; /* the last SPARE are only told that the others are taken */
};

/* ---- sending ------------------------------------------------------------------------------ */

static bool is_sending(const Client *c)
{
    return c->sent < c->nhead + c->nbody;
}

static void drop(snServer *s, Client *c)
{
    if (c->fd < 0) return;
    close(c->fd);
    free(c->message);
    memset(c, 0, sizeof *c);
    c->fd = -1;
    bool watched = false;
    for (int i = 0; i < CLIENTS; ++i)
        watched = watched || (s->client[i].websocket && !s->client[i].strands && !s->client[i].clinic);
    if (s->live) sn_live_watch(s->live, watched);
}

/* Sends what the socket takes now. */
static void flush(snServer *s, Client *c)
{
    while (c->fd >= 0 && is_sending(c)) {
        const char *from = c->sent < c->nhead ? c->head + c->sent : (const char *)c->body + (c->sent - c->nhead);
        size_t left = c->sent < c->nhead ? c->nhead - c->sent : c->nhead + c->nbody - c->sent;
        ssize_t n = send(c->fd, from, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n <= 0) {
            drop(s, c);
            return;
        }
        c->sent += (size_t)n;
        c->since = sn_worker_clock();
    }
    if (c->fd >= 0 && c->closing) drop(s, c);
}

static void start_sending(Client *c, size_t nhead, const void *body, size_t nbody)
{
    c->nhead = nhead, c->body = body, c->nbody = nbody, c->sent = 0;
    c->since = sn_worker_clock();
}

static void answer(Client *c, const char *status, const char *type, const void *body, size_t size, bool with_body)
{
    int n = snprintf(c->head, sizeof c->head,
                     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                     "Content-Security-Policy: frame-ancestors 'none'\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                     "Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
                     status, type, size);
    start_sending(c, (size_t)n, body, with_body ? size : 0);
    c->closing = true;
}

static void answer_error(Client *c, int status)
{
    const char *text, *line = sn_http_error(status, &text);
    answer(c, line, "text/plain; charset=utf-8", text, strlen(text), true);
}

/* ---- requests ----------------------------------------------------------------------------- */

static void start_websocket(snServer *s, Client *c, const snRequest *r, bool strands)
{
    char accept[SN_WS_ACCEPT_SIZE];
    bool live = !strands && !c->clinic;
    c->strands = strands;
    c->message = live ? malloc(sn_live_size(s->live)) : NULL;
    if (!c->message && live) {
        drop(s, c);
        return;
    }
    sn_ws_accept(r->key, accept);
    int n = snprintf(c->head, sizeof c->head,
                     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Accept: %s\r\n\r\n",
                     accept);
    start_sending(c, (size_t)n, NULL, 0);
    c->websocket = true;
    if (live) sn_live_watch(s->live, true);
}

static void start_clinic(snServer *s, Client *c, const snRequest *r)
{
    c->clinic = true;
    start_websocket(s, c, r, false);
}

/* What is made when it is asked for: files of the model that filling a muscle gave, and
 * what the server's owner adds. */
static void answer_made(snServer *s, Client *c, const char *path, bool with_body)
{
    size_t size = 0;
    const char *type = "application/xml";
    bool scene = strcmp(path, "/strands.scene.xml") == 0;
    if (s->filling && (scene || strcmp(path, "/strands.muscle.xml") == 0))
        c->message = (unsigned char *)sn_filling_result(s->filling, scene, &size);
    else if (s->def.extra)
        c->message = s->def.extra(s->def.user, path, &size, &type);
    if (c->message)
        answer(c, "200 OK", type, c->message, size, with_body);
    else
        answer_error(c, 404);
}

static void handle_request(snServer *s, Client *c, snRequest *r)
{
    bool head = strcmp(r->method, "HEAD") == 0;
    /* refusals in the order in which they count: the token again with 403. */
    if (!sn_request_host_fits(r, s->port) || !sn_request_origin_fits(r, s->port))
        answer_error(c, 403); /* NOLINT(bugprone-branch-clone) */
    else if (c >= s->client + CLIENTS)
        answer_error(c, 503);
    else if (!sn_request_take_token(r, s->token))
        answer_error(c, 403);
    else if ((strcmp(r->method, "GET") != 0 && !head) || r->body)
        answer_error(c, 405);
    else if (strcmp(r->path, "/") == 0)
        answer(c, "200 OK", "text/html; charset=utf-8", s->def.page, s->def.page_size, !head);
    else if (strcmp(r->path, "/scene.bin") == 0)
        answer(c, "200 OK", "application/octet-stream", s->def.scene, s->def.scene_size, !head);
    else if (strcmp(r->path, "/live") == 0 && s->live && !head)
        r->upgrade ? start_websocket(s, c, r, false) : answer_error(c, 426);
    else if (strcmp(r->path, "/strands") == 0 && s->filling && !head)
        r->upgrade ? start_websocket(s, c, r, true) : answer_error(c, 426);
    else if (strcmp(r->path, "/clinic") == 0 && s->consult && !head)
        r->upgrade ? start_clinic(s, c, r) : answer_error(c, 426);
    else
        answer_made(s, c, r->path, !head);
}

static void consume(Client *c, size_t n)
{
    memmove(c->in, c->in + n, c->nin - n);
    c->nin -= n;
}

/* Says why and ends the connection. Replaces a snapshot that has not begun to be sent. */
static void close_websocket(snServer *s, Client *c, int code)
{
    unsigned char payload[2] = {(unsigned char)(code >> 8), (unsigned char)code};
    if (is_sending(c)) {
        drop(s, c); /* in the middle of a message nothing else can be said */
        return;
    }
    size_t n = sn_ws_header(SN_WS_CLOSE, 2, (unsigned char *)c->head);
    memcpy(c->head + n, payload, 2);
    start_sending(c, n + 2, NULL, 0);
    c->closing = true;
}

/* From a client; one that claims to have seen more than it was sent is believed what is possible. */
static void count_seen(Client *c, const unsigned char *number)
{
    uint32_t seen = sn_wire_get(number);
    if (seen > c->nseen) c->nseen = seen < c->nsent ? seen : c->nsent;
}

/* A message is the business of the part that the WebSocket belongs to; what is no message is passed over. */
static void handle_message(snServer *s, Client *c, const snWsFrame *f)
{
    if (f->size == 8 && sn_wire_get(f->payload) == SEEN) {
        c->tells = true;
        count_seen(c, f->payload + 4);
    } else if (c->strands)
        (void)sn_filling_message(s->filling, f->payload, f->size);
    else if (c->clinic)
        (void)sn_consult_message(s->consult, f->payload, f->size);
    else
        (void)sn_live_message(s->live, f->payload, f->size);
}

static void handle_frames(snServer *s, Client *c)
{
    snWsFrame frame;
    while (c->fd >= 0 && !c->closing) {
        int n = sn_ws_parse(c->in, c->nin, &frame);
        if (n == 0) return;
        if (n < 0) {
            close_websocket(s, c, -n);
            return;
        }
        consume(c, (size_t)n);
        c->since = sn_worker_clock();
        if (frame.kind == SN_WS_CLOSE)
            close_websocket(s, c, 1000);
        else if (frame.kind == SN_WS_PING && !is_sending(c)) {
            size_t head = sn_ws_header(SN_WS_PONG, frame.size, (unsigned char *)c->head);
            memcpy(c->head + head, frame.payload, frame.size);
            start_sending(c, head + frame.size, NULL, 0);
        } else if (frame.kind == SN_WS_PONG && frame.size == 4 && !c->tells)
            count_seen(c, frame.payload);
        else if (frame.kind == SN_WS_BINARY)
            handle_message(s, c, &frame);
    }
}

static void handle_input(snServer *s, Client *c)
{
    if (c->websocket) {
        handle_frames(s, c);
        return;
    }
    if (c->closing) return;
    snRequest request;
    int n = sn_request_parse((const char *)c->in, c->nin, &request);
    if (n < 0)
        answer_error(c, -n);
    else if (n > 0) {
        consume(c, (size_t)n);
        handle_request(s, c, &request);
        if (c->fd >= 0 && c->websocket) handle_frames(s, c);
    }
}

/* ---- the loop ----------------------------------------------------------------------------- */

static void receive(snServer *s, Client *c)
{
    if (c->nin == sizeof c->in) c->nin = 0; /* after the last answer nothing is read any more, only thrown away */
    ssize_t n = recv(c->fd, c->in + c->nin, sizeof c->in - c->nin, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n <= 0) {
        drop(s, c);
        return;
    }
    c->nin += (size_t)n;
    handle_input(s, c);
    flush(s, c);
}

static bool is_full(const Client *c)
{
    return c->nsent - c->nseen >= AHEAD;
}

/* A quiet WebSocket is not idle: what is sent to it keeps it awake. One that is not looked at (a page in the
 * background) may stay while there is room. */
static bool is_idle(const Client *c, double patience)
{
    return c->fd >= 0 && sn_worker_clock() - c->since > patience && (!c->websocket || is_sending(c));
}

/* A free place among some, or that of the client which has been idle longest. NULL: all are at work. */
static Client *find_place(snServer *s, Client *from, int count, double patience)
{
    Client *oldest = NULL;
    for (Client *c = from; c < from + count; ++c) {
        if (c->fd < 0) return c;
        bool unseen = is_full(c) && sn_worker_clock() - c->since > PATIENCE;
        if ((unseen || is_idle(c, patience)) && (!oldest || c->since < oldest->since)) oldest = c;
    }
    if (oldest) drop(s, oldest);
    return oldest;
}

/* False: nobody waits. */
static bool accept_client(snServer *s)
{
    int fd = accept(s->fd, NULL, NULL), one = 1;
    if (fd < 0) return false;
    Client *c = find_place(s, s->client, CLIENTS, IDLE);
    if (!c) c = find_place(s, s->client + CLIENTS, SPARE, -1);
    if (!c) {
        close(fd);
        return true;
    }
    memset(c, 0, sizeof *c);
    c->fd = fd;
    c->since = sn_worker_clock();
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return true;
}

/* These have no size of their own: each comes in memory that the client owns until the next. */
static size_t sized_snapshot(snServer *s, Client *c)
{
    size_t size = 0;
    unsigned char *newer = c->clinic ? sn_consult_answer(s->consult, &c->sequence, &size)
                                     : sn_filling_snapshot(s->filling, &c->sequence, &size);
    if (!newer) return 0;
    free(c->message);
    c->message = newer;
    return size;
}

/* The frame of a snapshot, after a ping where the client does not tell by itself what it has seen: its answer says that
 * the snapshots before have arrived. */
static void start_snapshot(Client *c, size_t size)
{
    unsigned char *head = (unsigned char *)c->head;
    size_t n = 0;
    if (!c->tells) {
        n = sn_ws_header(SN_WS_PING, 4, head);
        n = (size_t)(sn_wire_put(head + n, c->nsent) - head);
    }
    n += sn_ws_header(c->clinic ? SN_WS_TEXT : SN_WS_BINARY, size, head + n);
    ++c->nsent;
    start_sending(c, n, c->message, size);
}

static void send_snapshots(snServer *s)
{
    for (int i = 0; i < CLIENTS; ++i) {
        Client *c = &s->client[i];
        if (c->fd < 0 || !c->websocket || c->closing || is_sending(c) || is_full(c)) continue;
        bool sized = c->strands || c->clinic;
        size_t size = sized ? sized_snapshot(s, c) : sn_live_snapshot(s->live, &c->sequence, c->message);
        if (!size) continue;
        start_snapshot(c, size);
        flush(s, c);
    }
}

/* Ends clients that neither finish their request nor take their answer. */
static void drop_stale(snServer *s)
{
    for (int i = 0; i < PLACES; ++i)
        if (is_idle(&s->client[i], PATIENCE)) drop(s, &s->client[i]);
}

static bool has_place(const snServer *s)
{
    for (int i = 0; i < CLIENTS; ++i)
        if (s->client[i].fd < 0) return true;
    return false;
}

/* Once no place is free, one a round: those who have gone meanwhile are noticed before anybody is turned away. */
static void accept_clients(snServer *s)
{
    for (int i = 0; i < PLACES && accept_client(s) && has_place(s); ++i) continue;
}

static void serve_once(snServer *s)
{
    struct pollfd p[PLACES + 2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};
    for (int i = 0; i < PLACES; ++i)
        p[i + 2] = (struct pollfd){.fd = s->client[i].fd,
                                   .events = (short)(POLLIN | (is_sending(&s->client[i]) ? POLLOUT : 0))};
    if (poll(p, PLACES + 2, POLL_MS) <= 0) {
        drop_stale(s);
        return;
    }
    char thrown[256];
    if (p[1].revents)
        while (read(s->wake[0], thrown, sizeof thrown) > 0) continue;
    for (int i = 0; i < PLACES; ++i) {
        Client *c = &s->client[i];
        if (c->fd < 0 || !p[i + 2].revents) continue;
        if (p[i + 2].revents & POLLOUT) flush(s, c);
        if (c->fd >= 0 && p[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) receive(s, c);
    }
    if (p[0].revents) accept_clients(s);
    if (s->live || s->consult) send_snapshots(s);
    drop_stale(s);
}

snStatus sn_server_run(snServer *s, bool (*stop)(void *user), void *user)
{
    while (!stop(user)) serve_once(s);
    return SN_OK;
}

/* ---- making and ending -------------------------------------------------------------------- */

/* From the simulation's thread: a byte in the pipe ends the poll. A full pipe wakes as well. */
static void wake(void *user)
{
    snServer *s = user;
    ssize_t n = write(s->wake[1], "", 1);
    (void)n;
}

snStatus sn_server_create(const snServerDef *def, snServer **out, snError *error)
{
    snServer *s = calloc(1, sizeof *s);
    if (!s) return sn_listen_fail(error, SN_NO_MEMORY, "out of memory", 0, "");
    s->def = *def, s->port = def->port;
    s->fd = s->wake[0] = s->wake[1] = -1;
    for (int i = 0; i < PLACES; ++i) s->client[i].fd = -1;
    if (!sn_token_make(s->token)) {
        free(s);
        return sn_listen_fail(error, SN_FAILED, "the system provides no random numbers for the address", 0, "");
    }
    snStatus status = sn_listen_open(&s->port, 4 * PLACES, &s->fd, error);
    if (status == SN_OK && !sn_listen_pipe(s->wake))
        status = sn_listen_fail(error, SN_FAILED, "no pipe to wake the server on port %d", s->port, "");
    if (status == SN_OK && def->model)
        status = sn_live_create(def->spec, def->model, def->steer, def->threads, wake, s, &s->live, error);
    if (status == SN_OK && def->model) status = sn_filling_create(def->spec, wake, s, &s->filling);
    if (status == SN_OK && def->clinic) status = sn_consult_create(def->spec, def->clinic, wake, s, &s->consult, error);
    if (status == SN_OK)
        *out = s;
    else
        sn_server_destroy(s);
    return status;
}

int sn_server_port(const snServer *server)
{
    return server->port;
}

void sn_server_address(const snServer *server, char *address, size_t size)
{
    (void)snprintf(address, size, "http://127.0.0.1:%d/%s/", server->port, server->token);
}

void sn_server_destroy(snServer *s)
{
    if (!s) return;
    sn_live_destroy(s->live);
    s->live = NULL;
    sn_filling_destroy(s->filling);
    sn_consult_destroy(s->consult);
    for (int i = 0; i < PLACES; ++i) drop(s, &s->client[i]);
    for (int i = 0; i < 2; ++i)
        if (s->wake[i] >= 0) close(s->wake[i]);
    if (s->fd >= 0) close(s->fd);
    free(s);
}
