/* The clinical hand for tests, made from its tables, and poses by name. */
#ifndef SN_TESTS_CLINICAL_CASE_H
#define SN_TESTS_CLINICAL_CASE_H

#include "check.h"

#include "clinical/clinical_hand.h"
#include "model/model.h"
#include "sinew/author.h"
#include "sinew/clinical.h"

#include <string.h>

static inline void hand_made(snClinicalHandDef def, snSpec **spec, snModel **model)
{
    snError error = {0};
    def.hand_tables = SINEW_SOURCE_DIR "/models/hand";
    def.tables = SINEW_SOURCE_DIR "/models/hand-clinical";
    if (sn_author_clinical_hand(&def, spec, &error) != SN_OK || sn_compile(*spec, model, &error) != SN_OK) {
        print_error("%s: %s\n", error.element, error.message);
        fail();
    }
}

static inline void hand_of(bool meshes, snSpec **spec, snModel **model)
{
    snClinicalHandDef def = sn_default_clinical_hand_def();
    def.meshes = meshes;
    hand_made(def, spec, model);
}

/* One angle in degrees; the name may be cut short: mcp2.f is mcp2.flexion. */
static inline void bend(const snModel *m, double *q, const char *name, double degrees)
{
    for (int32_t k = 0; k < m->ncoord; ++k)
        if (strncmp(m->coord_name[k], name, strlen(name)) == 0) {
            q[k] = degrees * SN_DEG;
            return;
        }
    print_error("no coordinate %s\n", name);
    fail();
}

static inline double angle(const snModel *m, const double *q, const char *name)
{
    for (int32_t k = 0; k < m->ncoord; ++k)
        if (strncmp(m->coord_name[k], name, strlen(name)) == 0) return q[k] / SN_DEG;
    fail();
    return 0;
}

enum { HAND_Q = 23, HAND_U = 41, HAND_P = 47 };

static inline void fist(const snModel *m, double *q)
{
    char name[8];
    memset(q, 0, sizeof *q * HAND_Q);
    for (int f = 2; f <= 5; ++f) {
        snprintf(name, sizeof name, "mcp%d.f", f), bend(m, q, name, 80);
        snprintf(name, sizeof name, "pip%d.f", f), bend(m, q, name, 92);
        snprintf(name, sizeof name, "dip%d.f", f), bend(m, q, name, 58);
    }
    bend(m, q, "wrist.f", -18), bend(m, q, "cmc1.f", 18), bend(m, q, "cmc1.ab", 6);
    bend(m, q, "mcp1.f", 32), bend(m, q, "ip1.f", 40);
}

/* A number from -1 to 1. */
static inline double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* A pose within the middle `share` of every range. */
static inline void random_pose(const snModel *m, double share, uint64_t *seed, double *q)
{
    const snTree *t = &m->skeleton->tree;
    for (int32_t k = 0; k < m->ncoord; ++k)
        q[k] = (t->lower[k] + t->upper[k] + share * noise(seed) * (t->upper[k] - t->lower[k])) / 2;
}

static inline int32_t unit(const snModel *m, const char *name)
{
    int32_t u = sn_find(m, SN_ITEM_MUSCLE, name);
    assert_true(u >= 0);
    return u;
}

#endif
