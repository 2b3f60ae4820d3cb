/* Rigid bodies. The gyroscopic term is a reversible step of the free rotation: positions live at whole steps and
 * velocities in the middle between them, q_new = q exp(h w_new), and the momentum in the world, taken in the middle,
 * q exp(h w_new / 2) I w_new, stays exactly what it was. So |I w| is kept to rounding and the energy oscillates by
 * O(h^2) without drift, where the explicit term -w x I w gains energy and the fully implicit one loses 26 % in 2 s. */
#include "body/body.h"

void sn_body_point_row(quat q, v3 r, v3 n, double row[6])
{
    v3_store(row, v3_cross(r, q_unrotate(q, n)));
    v3_store(row + 3, n);
}

v3 sn_body_point_velocity(quat q, const double velocity[6], v3 r)
{
    return v3_add(v3_load(velocity + 3), q_rotate(q, v3_cross(v3_load(velocity), r)));
}

/* x with (I + c ([w] I - [I w])) x = r: the matrix is the derivative of exp(c w) I w by w, to first order in c. */
static v3 solve_gyro(v3 inertia, v3 w, double c, v3 r)
{
    v3 l = v3_mul(inertia, w);
    v3 c0 = v3_of(inertia.x, c * (w.z * inertia.x - l.z), c * (l.y - w.y * inertia.x)); /* columns */
    v3 c1 = v3_of(c * (l.z - w.z * inertia.y), inertia.y, c * (w.x * inertia.y - l.x));
    v3 c2 = v3_of(c * (w.y * inertia.z - l.y), c * (l.x - w.x * inertia.z), inertia.z);
    v3 n = v3_cross(c1, c2);
    double inverse = 1 / v3_dot(c0, n);
    return v3_of(v3_dot(r, n) * inverse, v3_dot(c0, v3_cross(r, c2)) * inverse, v3_dot(c0, v3_cross(c1, r)) * inverse);
}

/* Angular velocity after h of free rotation: exp(h x / 2) I x = exp(-h w / 2) I w, by Newton. A step that turns by
 * more than about a radian may find no solution: then the body keeps its momentum along its own axes. */
static v3 free_spin(v3 inertia, v3 w, double h)
{
    v3 target = q_rotate(q_exp(v3_scale(w, -h / 2)), v3_mul(inertia, w)), x = w;
    for (int round = 0; round < 10; ++round) {
        v3 miss = v3_sub(q_rotate(q_exp(v3_scale(x, h / 2)), v3_mul(inertia, x)), target);
        v3 step = solve_gyro(inertia, x, h / 2, miss);
        x = v3_sub(x, step);
        if (v3_len2(step) <= 1e-28 * v3_len2(x)) return x;
    }
    return w;
}

void sn_body_inertia(double mass, v3 inertia, const double velocity[6], v3 gravity, double h, double block[36],
                     double impulse[6])
{
    v3 spin = v3_mul(inertia, free_spin(inertia, v3_load(velocity), h));
    v3 push = v3_scale(v3_mad(v3_load(velocity + 3), h, gravity), mass);
    v3_store(impulse, v3_add(v3_load(impulse), spin));
    v3_store(impulse + 3, v3_add(v3_load(impulse + 3), push));
    block[0] += inertia.x, block[7] += inertia.y, block[14] += inertia.z;
    for (int i = 3; i < 6; ++i) block[7 * i] += mass;
}

void sn_body_advance(quat *q, v3 *x, const double velocity[6], double h)
{
    *q = q_unit(q_mul(*q, q_exp(v3_scale(v3_load(velocity), h))));
    *x = v3_mad(*x, h, v3_load(velocity + 3));
}

double sn_body_kinetic_energy(double mass, v3 inertia, const double velocity[6])
{
    v3 w = v3_load(velocity), v = v3_load(velocity + 3);
    return 0.5 * (mass * v3_len2(v) + v3_dot(w, v3_mul(inertia, w)));
}
