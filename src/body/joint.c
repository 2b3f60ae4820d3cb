/* Joints as rows of the relative motion of two frames. Everything angular is made of the products of axes
 * X_ij = e_i(A) . e_j(B), whose rate is (Omega_A - Omega_B) . (e_i(A) x e_j(B)) for world angular velocities Omega; so
 * rows and coordinates are exact derivatives at any angle, also away from the constraint. */
#include "body/body.h"

enum { X, Y, Z };

/* Both joint frames in the world. */
typedef struct frames {
    rigid a, b; /* bodies */
    v3 axis_a[3], axis_b[3];
    v3 gap;          /* origin of B's frame minus that of A's */
    v3 arm_a, arm_b; /* from the centre of each body to the origin of B's frame */
} frames;

/* A number that depends on the axes, and the coefficients of Omega_A - Omega_B in its rate. */
typedef struct turn {
    double value;
    v3 rate;
} turn;

static frames frames_of(const snJoint *joint, rigid a, rigid b)
{
    frames f = {.a = a, .b = b};
    rigid fa = rigid_mul(a, joint->frame_a), fb = rigid_mul(b, joint->frame_b);
    m3 ra = m3_from_q(fa.q), rb = m3_from_q(fb.q);
    for (int i = 0; i < 3; ++i) {
        f.axis_a[i] = v3_of(ra.m[i], ra.m[3 + i], ra.m[6 + i]);
        f.axis_b[i] = v3_of(rb.m[i], rb.m[3 + i], rb.m[6 + i]);
    }
    f.gap = v3_sub(fb.p, fa.p);
    f.arm_a = v3_sub(fb.p, a.p), f.arm_b = v3_sub(fb.p, b.p);
    return f;
}

static turn axes(const frames *f, int i, int j)
{
    return (turn){v3_dot(f->axis_a[i], f->axis_b[j]), v3_cross(f->axis_a[i], f->axis_b[j])};
}

static turn combine(turn x, double c, turn y)
{
    return (turn){x.value + c * y.value, v3_mad(x.rate, c, y.rate)};
}
static turn scaled(turn x, double c)
{
    return (turn){c * x.value, v3_scale(x.rate, c)};
}

/* atan2(y, x). At x = y = 0 (a locked gimbal) the rate is zero rather than infinite. */
static turn angle(turn y, turn x)
{
    double n2 = x.value * x.value + y.value * y.value, inverse = n2 > 1e-24 ? 1 / n2 : 0;
    v3 rate = v3_sub(v3_scale(y.rate, x.value * inverse), v3_scale(x.rate, y.value * inverse));
    return (turn){atan2(y.value, x.value), rate};
}

static turn hypotenuse(turn x, turn y)
{
    double n = sqrt(x.value * x.value + y.value * y.value), inverse = n > 1e-12 ? 1 / n : 0;
    v3 rate = v3_add(v3_scale(x.rate, x.value * inverse), v3_scale(y.rate, y.value * inverse));
    return (turn){n, rate};
}

static double write_turn(const frames *f, turn t, double row[12])
{
    v3_store(row, q_unrotate(f->a.q, t.rate));
    v3_store(row + 3, v3_of(0, 0, 0));
    v3_store(row + 6, v3_neg(q_unrotate(f->b.q, t.rate)));
    v3_store(row + 9, v3_of(0, 0, 0));
    return t.value;
}

/* The gap along axis i of A. The axis turns with A, so the arm of A ends where the origin of B's frame is. */
static double write_shift(const frames *f, int i, double row[12])
{
    v3 e = f->axis_a[i];
    v3_store(row, v3_neg(q_unrotate(f->a.q, v3_cross(f->arm_a, e))));
    v3_store(row + 3, v3_neg(e));
    v3_store(row + 6, q_unrotate(f->b.q, v3_cross(f->arm_b, e)));
    v3_store(row + 9, e);
    return v3_dot(e, f->gap);
}

/* Half of the antisymmetric part of X: the small rotation about axis i of A that takes A's frame into B's. */
static turn small_turn(const frames *f, int i)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    return scaled(combine(axes(f, k, j), -1, axes(f, j, k)), 0.5);
}

/* Twist about the common z: exact for a hinge, and smooth when the axes are slightly apart. */
static turn twist(const frames *f)
{
    turn sine = combine(axes(f, Y, X), -1, axes(f, X, Y)), cosine = combine(axes(f, X, X), 1, axes(f, Y, Y));
    return angle(sine, cosine);
}

int32_t sn_joint_dofs(snJointKind kind)
{
    static const int32_t dofs[] = {[SN_JOINT_BALL] = 3,        [SN_JOINT_HINGE] = 1,     [SN_JOINT_RIGID] = 0,
                                   [SN_JOINT_CYLINDRICAL] = 2, [SN_JOINT_UNIVERSAL] = 2, [SN_JOINT_PRISMATIC] = 1};
    return dofs[kind];
}

int32_t sn_joint_rows(snJointKind kind)
{
    return 6 - sn_joint_dofs(kind);
}

bool sn_joint_dof_is_angle(snJointKind kind, int32_t dof)
{
    return kind != SN_JOINT_PRISMATIC && !(kind == SN_JOINT_CYLINDRICAL && dof == 1);
}

void sn_joint_rows_at(const snJoint *joint, rigid a, rigid b, double *gap, double *row)
{
    frames f = frames_of(joint, a, b);
    snJointKind kind = joint->kind;
    int32_t r = 0;
    int shifts = kind == SN_JOINT_CYLINDRICAL || kind == SN_JOINT_PRISMATIC ? 2 : 3, nturn = 0;
    turn t[3];
    for (int i = 0; i < shifts; ++i, ++r) gap[r] = write_shift(&f, i, row + 12 * r);
    if (kind == SN_JOINT_HINGE || kind == SN_JOINT_CYLINDRICAL) {
        t[nturn++] = scaled(axes(&f, Y, Z), -1); /* tilt of z about x and about y */
        t[nturn++] = axes(&f, X, Z);
    } else if (kind == SN_JOINT_UNIVERSAL) {
        t[nturn++] = axes(&f, Z, Y);
    } else if (kind == SN_JOINT_RIGID || kind == SN_JOINT_PRISMATIC) {
        for (int i = 0; i < 3; ++i) t[nturn++] = small_turn(&f, i);
    }
    for (int i = 0; i < nturn; ++i, ++r) gap[r] = write_turn(&f, scaled(t[i], SN_JOINT_ANGLE_SCALE), row + 12 * r);
}

void sn_joint_coordinates(const snJoint *joint, rigid a, rigid b, double *coordinate, double *row)
{
    frames f = frames_of(joint, a, b);
    turn minus_zx = scaled(axes(&f, Z, X), -1);
    switch (joint->kind) {
    case SN_JOINT_BALL: /* X = Rz Ry Rx */
        coordinate[0] = write_turn(&f, angle(axes(&f, Y, X), axes(&f, X, X)), row);
        coordinate[1] = write_turn(&f, angle(minus_zx, hypotenuse(axes(&f, X, X), axes(&f, Y, X))), row + 12);
        coordinate[2] = write_turn(&f, angle(axes(&f, Z, Y), axes(&f, Z, Z)), row + 24);
        break;
    case SN_JOINT_HINGE:
        coordinate[0] = write_turn(&f, twist(&f), row);
        break;
    case SN_JOINT_RIGID:
        break;
    case SN_JOINT_CYLINDRICAL:
        coordinate[0] = write_turn(&f, twist(&f), row);
        coordinate[1] = write_shift(&f, Z, row + 12);
        break;
    case SN_JOINT_UNIVERSAL: /* X = Rz Ry */
        coordinate[0] = write_turn(&f, angle(scaled(axes(&f, X, Y), -1), axes(&f, Y, Y)), row);
        coordinate[1] = write_turn(&f, angle(minus_zx, axes(&f, Z, Z)), row + 12);
        break;
    case SN_JOINT_PRISMATIC:
        coordinate[0] = write_shift(&f, Z, row);
        break;
    }
}

double sn_joint_swing(const snJoint *joint, rigid a, rigid b, v3 center, double row[12])
{
    frames f = frames_of(joint, a, b);
    v3 c = {0, 0, 0};
    double part[3];
    v3_store(part, center);
    for (int i = 0; i < 3; ++i) c = v3_mad(c, part[i], f.axis_a[i]);
    v3 across = v3_cross(c, f.axis_b[X]);
    double sine = v3_len(across);
    turn t = {atan2(sine, v3_dot(c, f.axis_b[X])), v3_scale(across, sine > 1e-12 ? -1 / sine : 0)};
    return write_turn(&f, t, row);
}

double sn_joint_twist(const snJoint *joint, rigid a, rigid b, double row[12])
{
    frames f = frames_of(joint, a, b);
    turn sine = combine(axes(&f, Z, Y), -1, axes(&f, Y, Z)), cosine = combine(axes(&f, Y, Y), 1, axes(&f, Z, Z));
    return write_turn(&f, angle(sine, cosine), row);
}

rigid sn_joint_place(const snJoint *joint, rigid a, const double *coordinate)
{
    rigid move = rigid_identity();
    static const double axis[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}; /* z, then the carried y, then the carried x */
    for (int32_t i = 0; i < sn_joint_dofs(joint->kind); ++i) {
        if (sn_joint_dof_is_angle(joint->kind, i))
            move.q = q_mul(move.q, q_axis_angle(v3_load(axis[i]), coordinate[i]));
        else
            move.p.z = coordinate[i];
    }
    return rigid_mul(rigid_mul(a, joint->frame_a), rigid_mul(move, rigid_inverse(joint->frame_b)));
}
