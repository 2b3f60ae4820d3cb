/* Belly and tendon of a cord in series. */
#include "path/cord.h"

#include <math.h>

enum { ROUNDS = 60 };
/* Part of the stretch: a bisection this short is over, and so is a step of Newton whose square is far below it. */
static const double ROUNDING = 1e-14, NEWTON = 1e-7;
static const double SHORTEST = 0.02, LONGEST = 20; /* stretch of a belly within which its equilibrium is sought */

typedef struct Belly {
    double force, slope, active; /* N, N per unit of stretch, force of activation 1 */
} Belly;

/* Where the last look into tables of the laws ended. */
typedef struct Near {
    int32_t passive, active;
} Near;

static Belly belly_at(const snCord *c, double x, double a, Near *near)
{
    double passive = 0, passive_slope = 0, active_slope = 0;
    if (!c->tension_only || x >= 1) passive = sn_law_eval_near(&c->passive_law, x, &passive_slope, &near->passive);
    double active = c->active > 0 ? sn_law_eval_near(&c->active_law, c->fiber * x, &active_slope, &near->active) : 0;
    return (Belly){.force = c->passive * passive + a * c->active * active,
                   .slope = c->passive * passive_slope + a * c->active * c->fiber * active_slope,
                   .active = c->active * active};
}

/* Zero of belly(x) - tendon(x), which rises with x, by Newton within a bracket. A cord that is slack is looked at with
 * the tendon at rest: `pull` 0. */
static double find_stretch(const snCord *c, double length, double a, double pull, double x, Near *near)
{
    double low = SHORTEST, high = LONGEST, kt = pull * c->tendon / c->tendon_rest;
    if (!(x > low && x < high)) x = 1;
    for (int i = 0; i < ROUNDS; ++i) {
        Belly b = belly_at(c, x, a, near);
        double off = b.force - kt * (length - x * c->belly_rest - c->tendon_rest);
        double slope = b.slope + kt * c->belly_rest;
        if (off > 0)
            high = x;
        else
            low = x;
        double next = slope > 0 ? x - off / slope : -1, enough = NEWTON;
        if (!(next > low && next < high)) next = 0.5 * (low + high), enough = ROUNDING;
        if (fabs(next - x) < enough * x || high - low < 1e-15) return next;
        x = next;
    }
    return x;
}

/* Nothing pulls: what is too long lies in folds, evenly. */
static snCordPull slack(const snCord *c, double length, double a)
{
    double even = length / (c->tendon_rest + c->belly_rest), x = 1;
    snCordPull p = {.x = even, .y = even, .share = c->belly_rest / (c->tendon_rest + c->belly_rest)};
    if (c->belly_rest > 0 && c->active > 0 && a < 1) { /* how much activation 1 would pull: the secant from here */
        snCordPull full = sn_cord_pull(c, length, 1, &x);
        p.by_a = full.tension / (1 - a);
    }
    return p;
}

static snCordPull tendon_only(const snCord *c, double length)
{
    double y = length / c->tendon_rest, tension = c->tendon * (y - 1);
    if (tension <= 0) return slack(c, length, 0);
    return (snCordPull){.tension = tension, .slope = c->tendon / c->tendon_rest, .x = 1, .y = y};
}

snCordPull sn_cord_pull(const snCord *c, double length, double a, double *start)
{
    if (!(c->belly_rest > 0)) return tendon_only(c, length);
    bool tendon = c->tendon_rest > 0;
    Near near = {-1, -1};
    double x = tendon ? find_stretch(c, length, a, 1, *start, &near) : length / c->belly_rest;
    Belly b = belly_at(c, x, a, &near);
    *start = x;
    if (b.force <= 0) return slack(c, length, a);
    double km = b.slope / c->belly_rest, kt = tendon ? c->tendon / c->tendon_rest : 0;
    double share = tendon && kt + km > 0 ? kt / (kt + km) : 1;
    return (snCordPull){.tension = b.force,
                        .slope = fmax(0, km * share),
                        .by_a = b.active * share,
                        .x = x,
                        .y = tendon ? (length - x * c->belly_rest) / c->tendon_rest : 1,
                        .share = fmin(fmax(share, 0), 1)};
}

/* The speed of the fibres is what the belly takes of the rate: its share changes little, so that of the force without
 * speed does. */
snCordSpeed sn_cord_speed(const snCord *c, const snCordPull *p, double rate, double a)
{
    if (!(c->max_velocity > 0) || !(c->belly_rest > 0) || !(c->active > 0)) return (snCordSpeed){1, 0};
    double slope, per = c->fiber * p->share / (c->belly_rest * c->max_velocity);
    double left = sn_force_velocity(per * rate, &slope);
    double full = p->share > 0 ? p->by_a / p->share : 0; /* active force of the belly at activation 1 */
    return (snCordSpeed){left, p->tension > 0 ? a * full * slope * per : 0};
}

snCordPull sn_cord_pull_at(const snCord *c, double length, double rate, double a, double *x)
{
    snCordPull p = sn_cord_pull(c, length, a, x);
    snCordSpeed speed = sn_cord_speed(c, &p, rate, a);
    if (!(c->max_velocity > 0)) return p;
    if (a * speed.left != a) p = sn_cord_pull(c, length, a * speed.left, x); /* else speed changes nothing */
    p.by_a *= speed.left;
    p.drag = speed.drag * p.share;
    return p;
}

double sn_cord_energy(const snCord *c, double length, double a)
{
    double x = 1, tendon = 0, belly = 0;
    Near near = {-1, -1};
    snCordPull p = sn_cord_pull(c, length, a, &x);
    if (c->tendon_rest > 0 && p.tension > 0) tendon = 0.5 * c->tendon * c->tendon_rest * (p.y - 1) * (p.y - 1);
    if (!(c->belly_rest > 0)) return tendon;
    if (p.tension <= 0 && c->tendon_rest > 0) x = find_stretch(c, length, a, 0, 1, &near);
    double to = c->tension_only ? fmax(1, x) : x;
    belly = c->passive * sn_law_integral(&c->passive_law, 1, to);
    if (c->active > 0) belly += a * c->active / c->fiber * sn_law_integral(&c->active_law, c->fiber, c->fiber * x);
    return tendon + c->belly_rest * belly;
}

void sn_cord_material(const snCord *c, const snCordPull *p, double along, double *tendon, double *belly)
{
    double first = p->y * c->tendon_before, middle = p->x * c->belly_rest;
    *tendon = *belly = 0;
    if (along <= first) {
        *tendon = p->y > 0 ? along / p->y : 0;
    } else if (along <= first + middle) {
        *tendon = c->tendon_before;
        *belly = (along - first) / p->x;
    } else {
        *belly = c->belly_rest;
        *tendon = c->tendon_before + (along - first - middle) / p->y;
    }
}

double sn_cord_share(const snCord *c, const snCordPull *p, double tendon, double belly)
{
    double sum = 0;
    if (c->belly_rest > 0) sum += p->share * belly / c->belly_rest;
    if (c->tendon_rest > 0) sum += (1 - (c->belly_rest > 0 ? p->share : 0)) * tendon / c->tendon_rest;
    return sum;
}

snCordScale sn_cord_scale(const snCord *c, const snCordPull *p)
{
    bool belly = c->belly_rest > 0, tendon = c->tendon_rest > 0;
    return (snCordScale){.first = p->y * c->tendon_before,
                         .middle = p->x * c->belly_rest,
                         .per_x = p->x > 0 ? 1 / p->x : 0,
                         .per_y = p->y > 0 ? 1 / p->y : 0,
                         .before = c->tendon_before,
                         .belly_rest = c->belly_rest,
                         .belly = belly ? p->share / c->belly_rest : 0,
                         .tendon = tendon ? (1 - (belly ? p->share : 0)) / c->tendon_rest : 0};
}
