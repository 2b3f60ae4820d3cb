/* Any bytes as a deformation library: read or refused, never more. */
#include "io/library_read.h"
#include "sinew/meshfree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snLibrary *library = NULL;
    snError error;
    if (sn_read_library(data, size, &library, &error) == SN_OK) {
        snLibraryInfo info;
        for (int32_t i = 0; sn_library_info(library, i, &info) == SN_OK; ++i) {}
        sn_library_destroy(library);
    }
    return 0;
}
