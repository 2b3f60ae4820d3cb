/* blocks.h for any machine. */
#include "meshfree/blocks_impl.h"

const snBlocksKernel *sn_blocks_portable(void)
{
    return &blocks_table;
}
