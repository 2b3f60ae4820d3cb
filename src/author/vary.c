/* Models that differ a little from one another: how much does a result depend on a parameter that nobody knows exactly?
 *
 * Every random number is a function of the seed, the draw, what is varied and the name of the thing, and of nothing
 * else: a draw is the same on every machine, in any order of the draws, and for a muscle whatever other muscles the
 * model has. Draw 0 is the model as it is. */
#include "author/own/variants.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/spline.h"
#include "math/vec.h"
#include "model/spec_internal.h"
#include "sinew/author.h"
#include "sinew/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SPECIFIC_TENSION = 0.3e6; /* Pa, of a muscle whose greatest force is not given: as the compiler's */

typedef struct Draw {
    snSpec *spec;
    uint64_t seed;
    int32_t number, changed;
    snVary what;
    double by;
} Draw;

static const struct {
    const char *name, *doc;
} known[] = {
    {"pcsa", "greatest force of each muscle"},
    {"via", "places that muscles run through, moved by a share of the muscle's length"},
    {"fiber", "fibre length of each muscle"},
    {"slack", "slack length of each muscle"},
    {"mass", "mass and inertia of each body"},
    {"stiffness", "stiffness of joints, strands and coordinates"},
};

const char *sn_vary_name(int32_t what)
{
    return what >= 0 && what < (int32_t)(sizeof known / sizeof *known) ? known[what].name : NULL;
}

const char *sn_vary_doc(int32_t what)
{
    return sn_vary_name(what) ? known[what].doc : NULL;
}

/* Even in -1 to 1. */
static double chance(const Draw *d, const char *name, uint32_t index)
{
    uint64_t x = sn_mix(d->seed) ^ (uint64_t)(uint32_t)d->number << 32 ^ (uint64_t)d->what << 24;
    x = sn_hash_bytes(sn_mix(x), name, strlen(name));
    return (double)(sn_mix(x ^ index) >> 11) * 0x1p-52 - 1;
}

static double factor(Draw *d, const char *name)
{
    ++d->changed;
    return 1 + d->by * chance(d, name, 0);
}

/* Even in a ball of this radius. */
static v3 shift(Draw *d, const char *name, uint32_t index, double radius)
{
    for (uint32_t try = 0;; ++try) {
        v3 s;
        uint32_t first = (index << 8) + 3 * try;
        s.x = chance(d, name, first + 1), s.y = chance(d, name, first + 2), s.z = chance(d, name, first + 3);
        if (v3_dot(s, s) > 1 && try < 80) continue;
        ++d->changed;
        return v3_scale(s, d->by * radius);
    }
}

/* The arrays of a spec are its own copies. */
static double *own(const double *array)
{
    union {
        const double *stored;
        double *mine;
    } at = {.stored = array};
    return at.mine;
}

/* ---- muscles on a tree -------------------------------------------------------------------- */

static void move_vias(Draw *d, snLineMuscleDef *m)
{
    double length = 0, *p = own(m->point);
    for (int32_t i = 1; i < m->npoint; ++i) length += v3_dist(v3_load(m->point + 3 * i), v3_load(m->point + 3 * i - 3));
    for (int32_t i = 1; i + 1 < m->npoint; ++i)
        v3_store(p + 3 * i, v3_add(v3_load(p + 3 * i), shift(d, m->name, (uint32_t)i, length)));
}

static void vary_line(Draw *d, snLineMuscleDef *m)
{
    double f;
    switch (d->what) {
    case SN_VARY_PCSA:
        f = factor(d, m->name);
        m->pcsa *= f, m->max_force *= f;
        break;
    case SN_VARY_VIA:
        move_vias(d, m);
        break;
    case SN_VARY_FIBER:
        m->fiber_length *= factor(d, m->name);
        break;
    case SN_VARY_SLACK:
        if (m->slack_length > 0) m->slack_length *= factor(d, m->name);
        break;
    default:
        break;
    }
}

/* ---- strands ------------------------------------------------------------------------------ */

static void vary_strand(Draw *d, snStrandDef *s)
{
    double f;
    bool muscle = s->belly_end > s->belly_start;
    if (d->what == SN_VARY_PCSA && muscle) {
        if (!(s->max_force > 0)) s->max_force = SPECIFIC_TENSION * SN_PI * s->radius * s->radius;
        s->max_force *= factor(d, s->name);
    } else if (d->what == SN_VARY_FIBER && muscle) {
        s->fiber_rest *= factor(d, s->name);
    } else if (d->what == SN_VARY_SLACK) {
        s->rest_scale *= factor(d, s->name);
    } else if (d->what == SN_VARY_STIFFNESS) {
        f = factor(d, s->name);
        s->stiffness *= f, s->tendon_stiffness *= f;
    }
}

static snId curve_of(const snSpec *spec, const char *strand)
{
    snId id = sn_spec_find(spec, SN_KIND_STRAND, strand);
    if (!id) return 0;
    const snStrandDef *s = sn_spec_strand(spec, id);
    snId node = sn_spec_find(spec, SN_KIND_NODE, s->node[0] ? s->node : s->name);
    if (!node) return 0;
    const snNodeDef *n = sn_spec_node(spec, node);
    return n->kind == SN_NODE_CURVE && n->npoint >= 4 && n->point && !n->closed ? node : 0;
}

/* What holds a strand on a body between its ends moves: where it is follows from the curve, so the curve does, by the
 * least motion of its control points that moves this point of it. Ends stay. times: of the shift, 1 for all of it. */
static snStatus move_hold(Draw *d, const snConstraintDef *c, double times)
{
    bool hold = c->type == SN_CONSTRAINT_FIXED || c->type == SN_CONSTRAINT_SLIDING;
    if (!hold || !c->enabled || c->position <= 0.001 || c->position >= 0.999) return SN_OK;
    snId id = curve_of(d->spec, c->strand);
    if (!id || !sn_spec_find(d->spec, SN_KIND_BODY, c->attachment)) return SN_OK;
    const snNodeDef *n = sn_spec_node(d->spec, id);
    double *knot = SN_NEW_ARRAY(double, n->npoint + 4), *point = own(n->point), b[4], sum = 0, length = 0;
    if (!knot) return SN_NO_MEMORY;
    if (n->nknot == n->npoint + 4)
        memcpy(knot, n->knot, (size_t)n->nknot * sizeof *knot);
    else
        spline_clamped_knots(knot, n->npoint);
    double s = knot[3] + c->position * (knot[n->npoint] - knot[3]);
    int32_t span = spline_basis(knot, n->npoint, s, 0, b, NULL, NULL);
    sn_free(knot);
    for (int32_t i = 1; i < n->npoint; ++i) length += v3_dist(v3_load(point + 3 * i), v3_load(point + 3 * i - 3));
    for (int k = 0; k < 4; ++k) {
        if (span + k == 0 || span + k == n->npoint - 1) b[k] = 0;
        sum += b[k] * b[k];
    }
    if (!(sum > 1e-9)) return SN_OK;
    v3 move = v3_scale(shift(d, c->name, 0, length), times);
    for (int k = 0; k < 4; ++k) {
        double *p = point + 3 * (span + k);
        v3_store(p, v3_add(v3_load(p), v3_scale(move, b[k] / sum)));
    }
    return SN_OK;
}

/* The constraint that an error is about; 0 where it is about none. */
static snId named_constraint(const snSpec *spec, const snError *error)
{
    const char *first = "Constraint \"", *at = error->element;
    if (strncmp(at, first, strlen(first)) != 0) return 0;
    char name[sizeof error->element];
    snprintf(name, sizeof name, "%s", at + strlen(first));
    size_t length = strlen(name);
    if (length > 0) name[length - 1] = 0;
    return sn_spec_find(spec, SN_KIND_CONSTRAINT, name);
}

/* Tendons lie close on their bones, and a shift may bring a path into one, which no path can have. Such a shift is
 * turned to the other side; where that is no place either, the point stays where it was. A model that cannot be built
 * for another reason is left to whoever builds it. */
static snStatus leave_surfaces(Draw *d)
{
    int32_t count = sn_spec_count(d->spec, SN_KIND_CONSTRAINT);
    uint8_t *turned = SN_NEW_ARRAY(uint8_t, count + 1);
    if (!turned) return SN_NO_MEMORY;
    snStatus status = SN_OK;
    while (status == SN_OK) {
        snModel *model = NULL;
        snError error = {0};
        snStatus built = sn_compile(d->spec, &model, &error);
        sn_model_destroy(model);
        snId id = built == SN_BAD_INPUT ? named_constraint(d->spec, &error) : 0;
        if (built == SN_NO_MEMORY) status = built;
        if (!id || turned[id] == 2) break;
        status = move_hold(d, sn_spec_constraint(d->spec, id), turned[id]++ == 0 ? -2 : 1);
    }
    sn_free(turned);
    return status;
}

/* ---- bodies and joints -------------------------------------------------------------------- */

static void vary_body(Draw *d, snBodyDef *b)
{
    if (d->what != SN_VARY_MASS) return;
    double f = factor(d, b->name);
    b->density *= f, b->mass *= f;
    for (int k = 0; k < 3; ++k) b->inertia[k] *= f, b->inertia_products[k] *= f;
}

static void vary_joint(Draw *d, snJointDef *j)
{
    if (d->what != SN_VARY_STIFFNESS) return;
    double f = factor(d, j->name);
    for (int k = 0; k < 3; ++k) j->stiffness[k] *= f;
}

static snStatus vary(Draw *d)
{
    snSpec *s = d->spec;
    snStatus status = SN_OK;
    for (snId i = 1; i <= sn_spec_count(s, SN_KIND_LINE_MUSCLE); ++i)
        vary_line(d, sn_spec_edit(s, SN_KIND_LINE_MUSCLE, i));
    for (snId i = 1; i <= sn_spec_count(s, SN_KIND_STRAND); ++i) vary_strand(d, sn_spec_edit(s, SN_KIND_STRAND, i));
    for (snId i = 1; i <= sn_spec_count(s, SN_KIND_BODY); ++i) vary_body(d, sn_spec_edit(s, SN_KIND_BODY, i));
    for (snId i = 1; i <= sn_spec_count(s, SN_KIND_JOINT); ++i) vary_joint(d, sn_spec_edit(s, SN_KIND_JOINT, i));
    for (snId i = 1; d->what == SN_VARY_STIFFNESS && i <= sn_spec_count(s, SN_KIND_COORDINATE); ++i) {
        snCoordinateDef *c = sn_spec_edit(s, SN_KIND_COORDINATE, i);
        c->stiffness *= factor(d, c->name);
    }
    for (snId i = 1; d->what == SN_VARY_VIA && status == SN_OK && i <= sn_spec_count(s, SN_KIND_CONSTRAINT); ++i)
        status = move_hold(d, sn_spec_constraint(s, i), 1);
    return d->what == SN_VARY_VIA && status == SN_OK && sn_spec_count(s, SN_KIND_STRAND) > 0 ? leave_surfaces(d)
                                                                                             : status;
}

snStatus sn_vary_spec(snSpec *spec, const snVariation *variation, int32_t count, uint64_t seed, int32_t draw,
                      snError *error)
{
    if (!spec || (count > 0 && !variation) || count < 0 || draw < 0)
        return sn_fail(error, SN_BAD_ARGUMENT, "sn_vary_spec needs a model, what to vary and a draw of 0 or more");
    for (int32_t i = 0; i < count; ++i) {
        const snVariation *v = &variation[i];
        if (!sn_vary_name((int32_t)v->what)) return sn_fail(error, SN_BAD_ARGUMENT, "unknown kind of variation");
        if (!(v->by >= 0 && v->by < 1))
            return sn_fail(error, SN_BAD_INPUT, "%s varies by %g, which is outside 0 to 1", known[v->what].name, v->by);
    }
    for (int32_t i = 0; i < count && draw > 0; ++i) {
        Draw d = {.spec = spec, .seed = seed, .number = draw, .what = variation[i].what, .by = variation[i].by};
        snStatus status = vary(&d);
        if (status != SN_OK) return sn_fail(error, status, "%s", sn_status_text(status));
        if (!d.changed)
            return sn_fail(error, SN_BAD_INPUT, "the model has nothing that %s could vary: %s", known[d.what].name,
                           known[d.what].doc);
    }
    return SN_OK;
}
