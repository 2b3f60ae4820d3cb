/* A strand's step in plain vector arithmetic, and the choice of the instruction set. */
#include "strand/assemble.h"

#include "math/vd_portable.h"
#include "strand/assemble_impl.h"

snAssembleFn sn_strand_assemble_portable(void)
{
    return assemble;
}

void sn_strand_assemble(const snStrand *strand, const double *q, const double *qdot, double a, double h, v3 gravity,
                        double *impulse, double *force_active, double *point_A)
{
    snAssembleFn fast = sn_strand_assemble_avx2();
    (fast ? fast : assemble)(strand, q, qdot, a, h, gravity, impulse, force_active, point_A);
}
