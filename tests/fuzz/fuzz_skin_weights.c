/* Any bytes as bone weights or as influence of tendons: an error, or weights that sum to 1
 * and influences from 0 to 1. */
#include "file_case.h"

#include "io/own/files.h"
#include "sinew/sinew.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERTICES = 3, BODIES = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const body[BODIES] = {"radius", "hand"};
    const char *path = file_of(data, size, "a.csv");
    int32_t index[4 * VERTICES];
    double weight[4 * VERTICES], influence[VERTICES];
    snError error;
    if (sn_load_skin_weights(path, VERTICES, BODIES, body, index, weight, &error) == SN_OK)
        for (int v = 0; v < VERTICES; ++v) {
            double sum = 0;
            for (int k = 0; k < 4; ++k) {
                if (index[4 * v + k] < 0 || index[4 * v + k] >= BODIES) abort();
                sum += weight[4 * v + k];
            }
            if (!(fabs(sum - 1) < 1e-9)) abort();
        }
    if (sn_load_skin_influence(path, VERTICES, influence, &error) == SN_OK)
        for (int v = 0; v < VERTICES; ++v)
            if (!(influence[v] >= 0 && influence[v] <= 1)) abort();
    return 0;
}
