/* Scalar laws of the material. */
#include "flesh/element.h"

#include <math.h>

/* With l = stretch / optimum: active (1 - ((l - 1) / 0.6)^2)^2 within 0.4 to 1.6, close to the parabola of Zajac 1989
 * and smooth at its ends; passive 4.06 (l - 1)^2 from 1 to 1.4, straight after that: 0.65 at 1.4, as the exponential of
 * Blemker 2005. The force is per original length, over the optimum [Lee 2009, equation 11]. */
snFiberLaw sn_fiber_law(double stretch, double activation, double optimum)
{
    const double width = 0.6, stiff = 4.06, knee = 0.4;
    double l = stretch / optimum, t = (l - 1) / width, u = t < -1 ? -1 : t > 1 ? 1 : t;
    double bump = 1 - u * u;
    snFiberLaw law;
    law.energy = activation * width * (u - 2 * u * u * u / 3 + u * u * u * u * u / 5 + 8.0 / 15);
    law.force = activation * bump * bump / optimum;
    law.slope = activation * -4 * u * bump / (width * optimum * optimum);
    double d = l - 1;
    if (d > knee) {
        law.energy += stiff * (knee * knee * knee / 3 + knee * knee * (d - knee) + knee * (d - knee) * (d - knee));
        law.force += stiff * (knee * knee + 2 * knee * (d - knee)) / optimum;
        law.slope += stiff * 2 * knee / (optimum * optimum);
    } else if (d > 0) {
        law.energy += stiff * d * d * d / 3;
        law.force += stiff * d * d / optimum;
        law.slope += stiff * 2 * d / (optimum * optimum);
    }
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
