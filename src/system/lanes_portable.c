/* The lanes in plain vector arithmetic: whatever the target has (SSE2, NEON, WASM), without fused multiply-add. */
#include "system/lanes.h"

#include "math/vd_portable.h"

#define LANES_NAME "portable"
#include "system/lanes_impl.h"

#include "system/lanes_triangle_impl.h"

#include "system/lanes_solve_impl.h"

#include "system/reduced_impl.h"

const snLanes *sn_lanes_portable(void)
{
    return &lanes_table;
}
