/* Force-length curves by name, for looking at them: built-in laws, curves of a model, files. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/model_files.h"
#include "io/own/files.h"
#include "math/law.h"

#include <string.h>

const char *sn_force_length_name(int32_t index)
{
    return index >= 0 && index < SN_LAW_TABLE ? sn_law_name((snLawKind)index) : NULL;
}

static void eval_law(const snLaw *law, int32_t count, const double *stretch, double *force)
{
    double slope;
    for (int32_t i = 0; i < count; ++i) force[i] = sn_law_eval(law, stretch[i], &slope);
}

/* The curve through points, which must increase in stretch. */
static snStatus eval_table(int32_t n, const double *x, const double *y, int32_t count, const double *stretch,
                           double *force, const char *name, snError *error)
{
    for (int32_t i = 1; i < n; ++i)
        if (!(x[i] > x[i - 1]))
            return sn_fail(error, SN_BAD_INPUT, "the stretch %g of the curve \"%.100s\" does not come after %g", x[i],
                           name, x[i - 1]);
    double *slope = SN_NEW_ARRAY(double, n);
    if (!slope) return sn_fail_no_memory(error);
    sn_law_slopes(n, x, y, slope);
    snLaw law = {.kind = SN_LAW_TABLE, .n = n, .x = x, .y = y, .slope = slope};
    eval_law(&law, count, stretch, force);
    sn_free(slope);
    return SN_OK;
}

static snStatus eval_file(const char *path, int32_t count, const double *stretch, double *force, snError *error)
{
    snNumbers x = {0}, y = {0};
    snStatus status = sn_force_length_read(path, &x, &y, error);
    if (status == SN_OK) status = eval_table(x.count, x.number, y.number, count, stretch, force, path, error);
    sn_numbers_free(&x);
    sn_numbers_free(&y);
    return status;
}

snStatus sn_force_length_at(const snSpec *spec, const char *name, int32_t count, const double *stretch, double *force,
                            snError *error)
{
    if (!name) return sn_fail_argument(error, "sn_force_length_at without law");
    snLaw law = {0};
    if (sn_law_by_name(name, &law.kind)) {
        eval_law(&law, count, stretch, force);
        return SN_OK;
    }
    snId id = spec ? sn_spec_find(spec, SN_KIND_FORCE_LENGTH, name) : 0;
    if (!id) return eval_file(name, count, stretch, force, error);
    const snForceLengthDef *def = sn_spec_force_length(spec, id);
    if (def->npoint < 1) return sn_fail(error, SN_BAD_INPUT, "the curve \"%.100s\" has no points", name);
    return eval_table(def->npoint, def->stretch, def->force, count, stretch, force, name, error);
}
