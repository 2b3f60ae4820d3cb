/* What WASI lacks of POSIX and the library's writer of files asks for. Included before every source of the WebAssembly
 * build; posix.c answers that the system cannot do it, for which the writer has other ways. */
#ifndef SN_STANDIN_POSIX_H
#define SN_STANDIN_POSIX_H

#define F_DUPFD_CLOEXEC 1030

char *realpath(const char *path, char *resolved);
int dup(int descriptor);

#endif
