/* Parts of the checker. Each looks at one kind of element and goes on after a problem; what needs sound data asks for
 * it first, so that one mistake does not show up five times. */
#ifndef SN_MODEL_CHECK_H
#define SN_MODEL_CHECK_H

#include "math/vec.h"
#include "model/spec_internal.h"

/* One constraint in the list of a strand: its own, or one of another strand that is attached to it. */
typedef struct snVisit {
    snId constraint;
    bool linked;
    int32_t next; /* index of the next visit of the strand, -1: none */
} snVisit;

typedef struct snChecker {
    const snSpec *spec;
    snError *problem;
    int32_t count, capacity, nerror, nwarning;
    bool no_memory;
    /* who belongs to whom, found once (by id - 1); only enabled constraints count */
    snArena memory;
    snId *node_body;              /* body whose node is this one or the nearest above it */
    snId *first_mesh, *next_mesh; /* by body, by node: the meshes of each body */
    snId *constraint_body;        /* body that a constraint hangs on; 0: another strand, or a name that dangles */
    int32_t *first_visit;         /* of each strand, -1: none */
    snVisit *visit;
} snChecker;

/* Adds a problem of an element; id 0: a root. remedy may be NULL. */
void sn_check_error(snChecker *c, int element, snId id, const char *remedy, const char *format, ...) SN_PRINTF(5, 6);
void sn_check_warning(snChecker *c, int element, snId id, const char *remedy, const char *format, ...) SN_PRINTF(5, 6);
/* A name that nothing has: an error with the nearest name of that kind as remedy. what: "body", "node", ... */
void sn_check_dangling(snChecker *c, int element, snId id, const char *attribute, const char *name, snKind kind,
                       const char *what);

/* Takes the next name off a blank-separated list into name (truncated to fit); false at the end. */
enum { SN_NAME_MAX = 127 };
bool sn_next_name(const char **list, char name[SN_NAME_MAX + 1]);

void sn_check_scene(snChecker *c);
void sn_check_bodies(snChecker *c);
void sn_check_joints(snChecker *c);
void sn_check_strands(snChecker *c);
void sn_check_curves(snChecker *c);
void sn_check_groups(snChecker *c);
void sn_check_functions(snChecker *c);
void sn_check_constraints(snChecker *c);
void sn_check_wraps(snChecker *c);   /* meshes that strands lie on: closed, not crossing themselves */
void sn_check_paths(snChecker *c);   /* strands of kind path */
void sn_check_routing(snChecker *c); /* geometry: needs what the others have passed */

void sn_check_tree(snChecker *c);  /* coordinates, springs, line muscles; and that they fit the type of the model */
void sn_check_drive(snChecker *c); /* that muscles pull every driven coordinate both ways; needs sound paths */

/* Warns of a strand that is drawn at this signed distance from the surface of its constraint. */
void sn_check_distance(snChecker *c, snId constraint, double distance);
/* Whether given knots (none: the default ones) make a cubic of n points with a range. */
bool sn_knots_are_sound(int32_t nknot, const double *knot, int32_t n);
/* Whether a strand's curve can be evaluated: a sound cubic. */
bool sn_strand_is_sound(const snSpec *spec, snId strand);
/* World position, in m, of a sound strand as drawn, at a fraction of its parameter. */
v3 sn_strand_drawn_point(const snSpec *spec, snId strand, double position);
/* Complains of a force-length law that is neither built in nor an element. */
void sn_check_law(snChecker *c, int element, snId id, const char *attribute, const char *law);
/* Fills in who belongs to whom. */
void sn_check_prepare(snChecker *c);

#endif
