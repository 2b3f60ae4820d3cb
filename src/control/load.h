/* What the readers of loads need beyond the public header. */
#ifndef SN_CONTROL_LOAD_H
#define SN_CONTROL_LOAD_H

#include "model/model.h"
#include "sinew/load.h"

const snModel *sn_loads_model(const snLoads *loads);
/* Everything added since the mark is taken back. */
int32_t sn_loads_mark(const snLoads *loads);
void sn_loads_take_back(snLoads *loads, int32_t mark);
/* The point of a bone that is farthest from its joint, in the scene as drawn; false: it has
 * no single joint or no mesh. */
bool sn_loads_tip(const snLoads *loads, int32_t body, double point[3]);

/* Where a load acts, without its force: as in sn_loads_read, left of the equals sign. */
typedef struct snLoadPlace {
    char body[128]; /* a name or a pattern */
    bool tip, at_point, world, grip;
    double point[3];
} snLoadPlace;
snStatus sn_loads_read_place(const snLoads *loads, const char *text, size_t length, snLoadPlace *place, snError *error);
/* Adds the load to every body that is meant; of a grip, force has one number per time. */
snStatus sn_loads_add_at(snLoads *loads, const snLoadPlace *place, int32_t count, const double *time,
                         const double *force, snError *error);

/* Bodies that have loads, in rising order. */
int32_t sn_loads_bodies(const snLoads *loads);
int32_t sn_loads_body(const snLoads *loads, int32_t index);

#endif
