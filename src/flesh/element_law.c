/* Scalar laws of the material. */
#include "flesh/element.h"

#include <math.h>

/* With l = stretch / optimum: active (1 - ((l - 1) / 0.6)^2)^2 within 0.4 to 1.6, close to the parabola of Zajac 1989
 * and smooth at its ends; passive 4.06 (l - 1)^2 from 1 to 1.4, straight after that: 0.65 at 1.4, as the exponential of
 * Blemker 2005. The force is per original length, over the optimum [Lee 2009, equation 11]. A muscle that is drawn
 * beyond its optimum is at rest as drawn: its passive part begins there. */
static void add_passive(double stretch, double begin, snFiberLaw *law)
{
    const double stiff = 4.06, knee = 0.4;
    double d = stretch / begin - 1, bent = d < knee ? d : knee, straight = d - bent;
    if (d <= 0) return;
    law->energy += stiff * (bent * bent * bent / 3 + bent * bent * straight + bent * straight * straight);
    law->force += stiff * (bent * bent + 2 * bent * straight) / begin;
    law->slope += stiff * 2 * bent / (begin * begin);
}

snFiberLaw sn_fiber_law(double stretch, const snFiberState *m)
{
    const double width = 0.6;
    double t = (stretch / m->optimum - 1) / width, u = t < -1 ? -1 : t > 1 ? 1 : t;
    double bump = 1 - u * u, away = stretch - m->length;
    snFiberLaw law;
    law.energy = m->activation * width * (u - 2 * u * u * u / 3 + u * u * u * u * u / 5 + 8.0 / 15);
    law.force = m->activation * bump * bump / m->optimum;
    law.slope = m->activation * -4 * u * bump / (width * m->optimum * m->optimum);
    law.energy += 0.5 * m->follow * away * away;
    law.force += m->follow * away;
    law.slope += m->follow;
    add_passive(stretch, m->optimum > 1 ? m->optimum : 1, &law);
    return law;
}

snVolumeLaw sn_volume_law(double j, double kappa)
{
    double at = j < 0.4 ? 0.4 : j > 2 ? 2 : j, l = log(at), d = j - at;
    snVolumeLaw law;
    law.slope = kappa * (1 - l) / (at * at);
    law.pressure = kappa * l / at;
    law.energy = 0.5 * kappa * l * l + d * (law.pressure + 0.5 * d * law.slope);
    law.pressure += d * law.slope;
    return law;
}

const snElementKernels *sn_elements_best(void)
{
    const snElementKernels *fast = sn_elements_avx2();
    return fast ? fast : sn_elements_portable();
}
