/* Where the running program and the library are, so that what belongs to them is found beside them and no path of the
 * machine that built them is compiled in. */
#ifndef SN_BASE_WHERE_H
#define SN_BASE_WHERE_H

#include <stdbool.h>
#include <stddef.h>

/* The folder of the program, then that of the library, which another program may have loaded. */
enum { SN_WHERE_PROGRAM, SN_WHERE_LIBRARY, SN_WHERE_COUNT };
bool sn_where(int which, char *folder, size_t size); /* false: not known, or too long */

/* A path as seen from one of these folders, if there is a file or folder of that name. */
bool sn_beside(int which, const char *relative, char *path, size_t size);

/* The build tree that the program or the library runs from, not installed: the folder, or the one above, has the file
 * sinew-tree, which CMake writes. It holds the folders of models, separated by colons. */
bool sn_build_tree(char *folder, size_t size);

#endif
