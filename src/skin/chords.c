#include "skin/chords.h"

#include "skin/chords_loop.h"

const snChords sn_chords_portable = {points_loop, within_loop, pack_loop};

const snChords *sn_chords_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sn_chords_avx2;
#endif
    return &sn_chords_portable;
}
