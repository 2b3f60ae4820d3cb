/* The port that a server listens on, and the pipe that ends its wait. */
#ifndef SN_STUDIO_LISTEN_H
#define SN_STUDIO_LISTEN_H

#include "sinew/sinew.h"

/* A status with a message that names the port. */
snStatus sn_listen_fail(snError *error, snStatus status, const char *message, int port, const char *remedy);
/* Opens *port of the loopback device, 0: any that is free; *port is then the one taken.
 * backlog: clients that may wait. */
snStatus sn_listen_open(int *port, int backlog, int *fd, snError *error);
/* A pipe of which neither end waits. */
bool sn_listen_pipe(int ends[2]);

#endif
