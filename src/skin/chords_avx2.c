/* Compiled with AVX2 on x86-64, see CMakeLists.txt; elsewhere never called. */
#include "skin/chords.h"

#include "skin/chords_loop.h"

const snChords sn_chords_avx2 = {points_loop, within_loop, pack_loop};
