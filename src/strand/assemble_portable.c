/* A strand's step in plain vector arithmetic, and the choice of the instruction set. */
#include "strand/assemble.h"

#include "math/vd_portable.h"
#include "strand/assemble_impl.h"

const snStrandKernels *sn_strand_portable(void)
{
    return &kernels;
}

static const snStrandKernels *best_kernels(void)
{
    const snStrandKernels *fast = sn_strand_avx2();
    return fast ? fast : &kernels;
}

void sn_strand_assemble(const snStrand *strand, const double *q, const double *qdot, double a, double h, v3 gravity,
                        double *impulse, double *force_active, double *point_A)
{
    best_kernels()->assemble(strand, q, qdot, a, h, gravity, impulse, force_active, point_A);
}

double sn_strand_length(const snStrand *strand, const double *q)
{
    return best_kernels()->length(strand, q);
}
