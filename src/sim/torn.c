/* Joints and attachments that have come apart: the numbers are finite, and yet the result means nothing. */
#include "base/error.h"
#include "sim/paths.h"

#include <math.h>

static const double JAMMED =
    0.01;                        /* m: of a belly in an eyelet; less is within what the ends of bellies are known to */
static const double TORN = 0.02; /* m; runs at a sensible step stay below a tenth of a millimetre */

/* A belly does not fit through what guides its tendon. */
static snStatus check_jams(const snState *s, snError *error)
{
    const snModel *m = s->model;
    int32_t cord, point;
    if (s->quiet) return SN_OK; /* seen after the next step that is not */
    double depth = sn_paths_jam(m, s, &cord, &point);
    if (depth <= JAMMED) return SN_OK;
    const snPathCord *k = &m->cord[cord];
    sn_fail(error, SN_DIVERGED,
            "strand \"%.60s\" was pulled through so far that its belly is %.1f mm into \"%.60s\" at %.4g s",
            m->strand_name[k->strand], 1000 * depth, m->constraint_name[k->constraint[point]], sn_time(s));
    sn_error_element(error, "Constraint", m->constraint_name[k->constraint[point]]);
    sn_error_remedy(error, "let the belly end %.0f mm earlier along the strand (belly_end), or the motion go less far",
                    ceil(1000 * depth / fmin(1, s->cord_now[cord].x)));
    return SN_DIVERGED;
}

/* Surfaces that end under a path, or that it finds no way over. */
static snStatus check_arcs(const snState *s, snError *error)
{
    const snModel *m = s->model;
    for (int32_t i = 0; i < m->ncord && !s->quiet; ++i) {
        const snCordNode *node = s->cord_node + m->cord[i].node;
        for (int32_t e = 0; e < s->cord_nnode[i]; ++e) {
            if (!node[e].arc || node[e].state < SN_GEODESIC_EDGE) continue;
            bool edge = node[e].state == SN_GEODESIC_EDGE;
            sn_fail(error, SN_DIVERGED, "strand \"%.60s\" %s at %.4g s", m->strand_name[m->cord[i].strand],
                    edge ? "slid over the edge of a surface" : "found no shortest way over a surface", sn_time(s));
            sn_error_element(error, "Strand", m->strand_name[m->cord[i].strand]);
            sn_error_remedy(error, "%s",
                            edge ? "make the surface larger, or close it"
                                 : "use a smoother surface, or let the motion go less far");
            return SN_DIVERGED;
        }
    }
    return SN_OK;
}

snStatus sn_check_gaps(const snState *s, snError *error)
{
    if (!s) return sn_fail_argument(error, "the state is NULL");
    const snStepInfo *info = sn_info(s);
    if (info->worst_gap <= TORN) return check_jams(s, error) == SN_OK ? check_arcs(s, error) : SN_DIVERGED;
    sn_fail(error, SN_DIVERGED, "%.80s was torn apart by %.1f mm at %.4g s", info->culprit, 1000 * info->worst_gap,
            sn_time(s));
    sn_error_remedy(error,
                    "use a smaller step (--step); if that does not help, make the muscles that pull there weaker "
                    "(max_force) or the bodies heavier");
    return SN_DIVERGED;
}
