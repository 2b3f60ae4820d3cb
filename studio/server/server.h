/* The server of the studio: the page, its data, and a live simulation, for this machine only.
 *
 * It binds 127.0.0.1, answers only requests that name it so (Host), pages that it served itself (Origin) and addresses
 * that begin with its token, which other users of the machine do not know. It hands out exactly these: the page,
 * scene.bin, the WebSockets /live, /strands and /clinic, and the two files that filling a muscle with strands has made.
 * docs/studio.md describes the messages. */
#ifndef SN_STUDIO_SERVER_H
#define SN_STUDIO_SERVER_H

#include "sinew/sinew.h"

typedef struct snServer snServer;

typedef struct snServerDef {
    const snModel *model;    /* for the live mode; NULL: replay only */
    const snSteerDef *steer; /* how a model on a tree is held while live; NULL: as it comes */
    const snModel *clinic;   /* for clinical questions: a model on a tree; NULL: none */
    const snSpec *spec;      /* that it was compiled from */
    const char *page;        /* sn_load_page */
    size_t page_size;
    const void *scene; /* sn_pack_studio */
    size_t scene_size;
    /* What else there is to get: memory that is freed after it was sent, its size and content type; NULL: nothing of
     * that name. May itself be NULL. */
    unsigned char *(*extra)(void *user, const char *path, size_t *size, const char **type);
    void *user;
    int port;        /* 0: any that is free */
    int32_t threads; /* of the simulation */
} snServerDef;

/* Binds the port and starts the simulation, paused until somebody looks. What def points to must outlive the server. */
snStatus sn_server_create(const snServerDef *def, snServer **server, snError *error);
int sn_server_port(const snServer *server);
/* Of the page, with the token: http://127.0.0.1:PORT/TOKEN/. 80 bytes are enough. */
void sn_server_address(const snServer *server, char *address, size_t size);
/* Answers until stop returns true, which is asked several times a second. */
snStatus sn_server_run(snServer *server, bool (*stop)(void *user), void *user);
void sn_server_destroy(snServer *server);

#endif
