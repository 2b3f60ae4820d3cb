#ifndef SN_IO_TABLE_READ_H
#define SN_IO_TABLE_READ_H

#include "sinew/io.h"

/* A table held in memory; csv: by commas, else the OpenSim layout. Rows closer in time than min_step are refused. file:
 * its name for messages. */
snStatus sn_parse_table(const char *file, const char *data, size_t size, bool csv, double min_step, snTable *table,
                        snError *error);
/* The same; gaps: cells of a CSV may be empty, and are NaN then. */
snStatus sn_parse_gappy_table(const char *file, const char *data, size_t size, bool csv, double min_step, bool gaps,
                              snTable *table, snError *error);

#endif
