/* Any bytes as a force-length file. */
#include "io/model_files.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snNumbers stretch = {0}, force = {0};
    snStatus status = sn_force_length_parse("fuzz", (const char *)data, size, &stretch, &force, &error);
    if (status == SN_OK && (stretch.count == 0 || stretch.count != force.count)) abort();
    sn_numbers_free(&stretch);
    sn_numbers_free(&force);
    return 0;
}
