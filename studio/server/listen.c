/* See listen.h. */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

snStatus sn_listen_fail(snError *error, snStatus status, const char *message, int port, const char *remedy)
{
    if (!error) return status;
    *error = (snError){.status = status};
    snprintf(error->message, sizeof error->message, message, port);
    snprintf(error->remedy, sizeof error->remedy, "%s", remedy);
    return status;
}

snStatus sn_listen_open(int *port, int backlog, int *fd, snError *error)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof at;
    int one = 1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0) return sn_listen_fail(error, SN_FAILED, "no socket for port %d", *port, "");
    (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(*fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(*fd, backlog) != 0) {
        if (errno == EADDRINUSE)
            return sn_listen_fail(error, SN_FAILED, "port %d is taken by another program", *port,
                                  "end that program, or choose another port with --port (0: any that is free)");
        return sn_listen_fail(error, SN_FAILED, "port %d cannot be opened", *port, "choose another port with --port");
    }
    (void)getsockname(*fd, (struct sockaddr *)&at, &size);
    *port = ntohs(at.sin_port);
    return SN_OK;
}

bool sn_listen_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; ++i) {
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}
