#ifndef SN_IO_TABLE_READ_H
#define SN_IO_TABLE_READ_H

#include "sinew/io.h"

/* A table held in memory; csv: by commas, else the OpenSim layout. file: its name for messages. */
snStatus sn_parse_table(const char *file, const char *data, size_t size, bool csv, snTable *table, snError *error);

#endif
