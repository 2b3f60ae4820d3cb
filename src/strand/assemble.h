/* The instruction sets of sn_strand_assemble, which see for the arguments. */
#ifndef SN_STRAND_ASSEMBLE_H
#define SN_STRAND_ASSEMBLE_H

#include "strand/strand.h"

typedef void (*snAssembleFn)(const snStrand *strand, const double *q, const double *qdot, double a, double h,
                             v3 gravity, double *impulse, double *force_active, double *point_A);

snAssembleFn sn_strand_assemble_portable(void);
snAssembleFn sn_strand_assemble_avx2(void); /* NULL where it cannot run */

#endif
