/* The lanes in plain vector arithmetic: whatever the target has (SSE2, NEON, WASM), without fused multiply-add. */
#include "sparse/lanes.h"

#include "math/vd_portable.h"

#define LANES_NAME "portable"
#include "sparse/lanes_impl.h"
#include "sparse/lanes_solve_impl.h"
#include "sparse/reduced_impl.h"

const snLanes *sn_lanes_portable(void)
{
    return &lanes_table;
}
