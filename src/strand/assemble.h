/* The instruction sets of sn_strand_assemble and sn_strand_length, which see for the arguments. */
#ifndef SN_STRAND_ASSEMBLE_H
#define SN_STRAND_ASSEMBLE_H

#include "strand/strand.h"

typedef struct snStrandKernels {
    void (*assemble)(const snStrand *strand, const double *q, const double *qdot, double a, double h, v3 gravity,
                     double *impulse, double *force_active, double *point_A);
    double (*length)(const snStrand *strand, const double *q);
} snStrandKernels;

const snStrandKernels *sn_strand_portable(void);
const snStrandKernels *sn_strand_avx2(void); /* NULL where it cannot run */

#endif
