/* Figures and laws of muscles. The tendon is rigid: fibre length = path - slack length of the tendon, over the optimal
 * length times the cosine of the pennation, which stays as it is at the optimal length. Curves are those of the file's
 * kind of muscle: Thelen's Gaussian and exponential, and for Millard's Bezier curves the fit to them by De Groote et al.
 * 2016 (Annals of Biomedical Engineering 44, 2922-2936), whose kind of muscle has that fit as its law. */
#include "io/osim.h"

#include <string.h>

typedef enum Law { LAW_THELEN, LAW_DE_GROOTE, LAW_NONE } Law;

static Law law_of(const char *tag)
{
    if (strcmp(tag, "PathActuator") == 0) return LAW_NONE;
    return strstr(tag, "Millard") || strstr(tag, "DeGroote") ? LAW_DE_GROOTE : LAW_THELEN;
}

/* ---- curves ------------------------------------------------------------------------------- */

static double gauss(double x, double width)
{
    return exp(-(x - 1) * (x - 1) / width);
}

static double exponential(double x, double shape, double strain)
{
    return x > 1 ? expm1(shape * (x - 1) / strain) / expm1(shape) : 0;
}

static double de_groote(double x, double unused, double unused_too)
{
    static const double b[3][4] = {{0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465},
                                   {0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188},
                                   {0.1, 1.0, 0.353553390593274, 0.0}};
    (void)unused, (void)unused_too;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double s = (x - b[k][1]) / (b[k][2] + b[k][3] * x);
        sum += b[k][0] * exp(-s * s / 2);
    }
    return sum;
}

static double gauss_of(double x, double width, double unused)
{
    (void)unused;
    return gauss(x, width);
}

/* A ForceLength of this name, made where there is none yet. */
static snStatus add_curve(snOsim *o, const snXmlNode *at, const char *name, double (*law)(double, double, double),
                          double first, double second)
{
    enum { COUNT = 61 }; /* from 0.2 to 2, 0.03 apart: the cubic between is within 1e-4 */
    double stretch[COUNT], force[COUNT];
    if (sn_spec_find(o->spec, SN_KIND_FORCE_LENGTH, name)) return SN_OK;
    snForceLengthDef def = sn_default_force_length_def();
    for (int i = 0; i < COUNT; ++i) {
        stretch[i] = (20 + 3 * i) / 100.0;
        force[i] = round(1e6 * law(stretch[i], first, second)) / 1e6; /* for people to read */
    }
    def.name = name;
    def.npoint = COUNT, def.stretch = stretch, def.force = force;
    return sn_spec_add(o->spec, SN_KIND_FORCE_LENGTH, &def, osim_origin(o, at), NULL) ? osim_no_memory(o) : SN_OK;
}

static snStatus give_thelen(snOsim *o, const snXmlNode *node, snLineMuscleDef *def)
{
    double width = 0.45, shape = 5, strain = 0.6;
    snStatus status = osim_number(o, node, "KshapeActive", &width);
    if (!status) status = osim_number(o, node, "KshapePassive", &shape);
    if (!status) status = osim_number(o, node, "FmaxMuscleStrain", &strain);
    if (status) return status;
    if (!(width > 0 && shape > 0 && shape < 100 && strain > 0))
        return osim_fail(o, node, "all three are above 0", "KshapeActive %g, KshapePassive %g, FmaxMuscleStrain %g",
                         width, shape, strain);
    const char *active = sn_foreign_text(o->arena, "thelen_active_%.4g", width);
    const char *passive = sn_foreign_text(o->arena, "thelen_passive_%.4g_%.4g", shape, strain);
    if (!active || !passive) return osim_no_memory(o);
    if (width != 0.45) {
        def->active_fl = active;
        status = add_curve(o, node, active, gauss_of, width, 0);
    } /* else hill-active, which is this one */
    def->passive_fl = passive;
    return status ? status : add_curve(o, node, passive, exponential, shape, strain);
}

static snStatus give_de_groote(snOsim *o, const snXmlNode *node, snLineMuscleDef *def)
{
    bool millard = strstr(node->tag, "Millard") != NULL;
    double strain = millard ? 0.7 : 0.6;
    snStatus status = osim_number(o, node, "passive_fiber_strain_at_one_norm_force", &strain);
    if (millard && !status)
        status = osim_number(o, osim_property(o, node, "FiberForceLengthCurve"), "strain_at_one_norm_force", &strain);
    if (status) return status;
    if (!(strain > 0))
        return osim_fail(o, node, NULL, "the strain at one norm force is %g; expected a number above 0", strain);
    const char *passive = sn_foreign_text(o->arena, "de_groote_passive_%.4g", strain);
    if (!passive) return osim_no_memory(o);
    def->active_fl = "de_groote_active";
    def->passive_fl = passive;
    status = add_curve(o, node, def->active_fl, de_groote, 0, 0);
    return status ? status : add_curve(o, node, passive, exponential, 4, strain);
}

/* ---- figures ------------------------------------------------------------------------------ */

static snStatus give_actuator(snOsim *o, const snXmlNode *node, snLineMuscleDef *def)
{
    def->max_force = 1;
    snStatus status = osim_number(o, node, "optimal_force", &def->max_force);
    def->active_fl = "constant";
    def->passive_scale = 0;
    return status;
}

static snStatus check_figures(snOsim *o, const snXmlNode *node, const snLineMuscleDef *def, double tendon)
{
    if (!(def->max_force > 0 && def->max_force < 1e9))
        return osim_fail(o, node, "give max_isometric_force above 0", "the maximal force is %g N", def->max_force);
    if (!(def->fiber_length > 0 && def->fiber_length < 10))
        return osim_fail(o, node, "lengths are in metres", "optimal_fiber_length is %g m", def->fiber_length);
    if (!(tendon >= 0 && tendon < 10))
        return osim_fail(o, node, "lengths are in metres", "tendon_slack_length is %g m", tendon);
    if (!(def->pennation >= 0 && def->pennation < 89))
        return osim_fail(o, node, "angles are in radians", "the pennation is %g degrees", def->pennation);
    return SN_OK;
}

snStatus osim_muscle_law(snOsim *o, const snXmlNode *node, double neutral, snLineMuscleDef *def)
{
    double tendon = 0.2, angle = 0;
    Law law = law_of(node->tag);
    if (law == LAW_NONE) return give_actuator(o, node, def);
    def->max_force = 1000, def->max_velocity = 10;
    snStatus status = osim_number(o, node, "max_isometric_force", &def->max_force);
    if (!status) status = osim_number(o, node, "optimal_fiber_length", &def->fiber_length);
    if (!status) status = osim_number(o, node, "tendon_slack_length", &tendon);
    if (!status) status = osim_number(o, node, "pennation_angle", &angle);
    if (!status) status = osim_number(o, node, "pennation_angle_at_optimal", &angle);
    if (!status) status = osim_number(o, node, "max_contraction_velocity", &def->max_velocity);
    if (status) return status;
    def->pennation = angle / SN_DEG;
    status = check_figures(o, node, def, tendon);
    if (!status) status = law == LAW_THELEN ? give_thelen(o, node, def) : give_de_groote(o, node, def);
    def->fiber_neutral = (neutral - tendon) / (def->fiber_length * cos(angle));
    return status;
}
