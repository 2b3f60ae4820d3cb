/* Any bytes as a table, CSV and OpenSim: an error or a valid result, never a crash, never a leak. */
#include "io/table_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snTable table;
    for (int csv = 0; csv < 2; ++csv)
        if (sn_parse_table("fuzz", (const char *)data, size, csv, 0, &table, &error) == SN_OK) sn_table_free(&table);
    return 0;
}
