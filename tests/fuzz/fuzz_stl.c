/* Any bytes as an STL mesh: an error or a valid result, never a crash, never a leak. */
#include "io/mesh_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snMesh mesh;
    if (sn_parse_stl("fuzz", (const char *)data, size, &mesh, &error) == SN_OK) sn_mesh_free(&mesh);
    return 0;
}
