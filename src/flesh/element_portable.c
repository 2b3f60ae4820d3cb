/* The material in plain vector arithmetic: whatever the target has. */
#include "math/vd_portable.h"

#include "flesh/element_impl.h"

#include "flesh/element_hessian_impl.h"

const snElementKernels *sn_elements_portable(void)
{
    static const snElementKernels table = {gradient_loop, hessian_loop, "portable"};
    return &table;
}
