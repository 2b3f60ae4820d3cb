/* blend.h for any machine. */
#include "meshfree/blend_impl.h"

const snBlendKernel *sn_blend_portable(void)
{
    return &blend_table;
}
