#include "analysis/fatigue.h"

#include <math.h>

static const double longest_step = 0.02; /* s: a fifth of 1 / LD, far inside the stable range of the method */

snFatigueLaw sn_fatigue_hand(void)
{
    return (snFatigueLaw){.fatigue = 0.01227, .recovery = 0.00134, .rest = 9.1, .develop = 10, .relax = 10};
}

snFatigue sn_fatigue_rested(void)
{
    return (snFatigue){.resting = 1};
}

static snFatigue rate(const snFatigueLaw *law, snFatigue x, double load)
{
    double wanted = load - x.active, recovery = law->recovery;
    double drive = wanted > 0 ? law->develop * fmin(wanted, x.resting) : law->relax * wanted;
    if (wanted <= 0) recovery *= law->rest;
    double tires = law->fatigue * x.active, recovers = recovery * x.fatigued;
    return (snFatigue){drive - tires, tires - recovers, recovers - drive};
}

static snFatigue moved(snFatigue x, snFatigue v, double h)
{
    return (snFatigue){x.active + h * v.active, x.fatigued + h * v.fatigued, x.resting + h * v.resting};
}

static snFatigue stepped(const snFatigueLaw *law, snFatigue x, double load, double h)
{
    snFatigue a = rate(law, x, load), b = rate(law, moved(x, a, h / 2), load), c = rate(law, moved(x, b, h / 2), load),
              d = rate(law, moved(x, c, h), load);
    return moved(moved(moved(moved(x, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
}

void sn_fatigue_advance(const snFatigueLaw *law, snFatigue *state, double load, double time)
{
    if (!(time > 0)) return;
    double steps = ceil(time / longest_step), h = time / steps;
    for (double i = 0; i < steps; ++i) *state = stepped(law, *state, load, h);
}
