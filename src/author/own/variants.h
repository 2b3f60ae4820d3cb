/* Models made from models: parts left out, values varied. */
#ifndef SN_AUTHOR_OWN_VARIANTS_H
#define SN_AUTHOR_OWN_VARIANTS_H

#include "sinew/spec.h"

/* The same model without these primitives (names separated by blanks or commas: bodies, joints, strands, groups,
 * constraints, curves, functions) and without all that hangs on them; their nodes stay in the scene, as plain ones.
 * SN_BAD_INPUT: a name that nothing has. */
snStatus sn_make_plain(const snSpec *spec, const char *names, snSpec **plain, snError *error);

/* Models that differ a little: each thing that is varied gets a factor between 1 - by and 1 + by of its own (places: a
 * shift by at most that share of the muscle's length). Evenly spread, and a function of seed, draw and names only; draw
 * 0 leaves the model as it is. */
typedef enum snVary {
    SN_VARY_PCSA,     /* greatest force of each muscle */
    SN_VARY_VIA,      /* points of line muscles between origin and insertion; what holds strands on bodies there */
    SN_VARY_FIBER,    /* fibre length */
    SN_VARY_SLACK,    /* slack length of line muscles, rest length of strands */
    SN_VARY_MASS,     /* of bodies, with their inertia */
    SN_VARY_STIFFNESS /* of joints, coordinates and strands */
} snVary;
typedef struct snVariation {
    snVary what;
    double by; /* share, 0 to 1 */
} snVariation;
const char *sn_vary_name(int32_t what); /* such as "pcsa"; NULL past the last */
const char *sn_vary_doc(int32_t what);
/* Changes the spec in place. SN_BAD_INPUT: the model has nothing of that kind. */
snStatus sn_vary_spec(snSpec *spec, const snVariation *variation, int32_t count, uint64_t seed, int32_t draw,
                      snError *error);

#endif
