/* A library from bytes in memory: what sn_load_library does with a file. */
#ifndef SN_IO_LIBRARY_READ_H
#define SN_IO_LIBRARY_READ_H

#include "sinew/meshfree.h"

snStatus sn_read_library(const void *bytes, size_t size, snLibrary **library, snError *error);

#endif
