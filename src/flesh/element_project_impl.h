/* The Hessian of the isotropic part with its eigenvalues made positive, by the singular values of F. Included in the
 * middle of the Hessian's file only.
 *
 * With F = U S V' the Hessian falls into a 3 x 3 matrix of the stretches and a pair of eigenvalues for each two axes,
 * 2 psi1 + 2 psi2 s_k^2 +- (2 psi2 s_i s_j + by_j s_k): no divisions. */

/* Eigenvalues (left in the diagonal of a) and eigenvectors (columns of v) of symmetric matrices: four sweeps. */
static void jacobi(vf a[3][3], vf v[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) v[i][j] = vf_all(i == j);
    for (int sweep = 0; sweep < 4; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                int r = 3 - p - q;
                vf off = a[p][q], d = a[q][q] - a[p][p];
                vf sign = vf_choose((vi)(d < vf_all(0)), vf_all(-1), vf_all(1));
                vf t = vf_all(2) * off * sign / (vf_abs(d) + vf_sqrt(d * d + vf_all(4) * off * off) + vf_all(1e-30f));
                vf c = vf_all(1) / vf_sqrt(vf_all(1) + t * t), s = t * c;
                a[p][p] -= t * off, a[q][q] += t * off, a[p][q] = a[q][p] = vf_all(0);
                vf x = a[r][p], y = a[r][q];
                a[r][p] = a[p][r] = c * x - s * y, a[r][q] = a[q][r] = s * x + c * y;
                for (int i = 0; i < 3; ++i) {
                    vf m = v[i][p], n = v[i][q];
                    v[i][p] = c * m - s * n, v[i][q] = s * m + c * n;
                }
            }
}

/* Larger eigenvalue first. */
static void exchange(vf a[3][3], vf v[3][3], int p, int q)
{
    vi swap = (vi)(a[p][p] < a[q][q]);
    vf x = a[p][p];
    a[p][p] = vf_choose(swap, a[q][q], x), a[q][q] = vf_choose(swap, x, a[q][q]);
    for (int i = 0; i < 3; ++i) {
        vf m = v[i][p];
        v[i][p] = vf_choose(swap, v[i][q], m), v[i][q] = vf_choose(swap, m, v[i][q]);
    }
}

static void normalise(vf a[3])
{
    vf inverse = vf_all(1) / vf_sqrt(vf_max(vf_dot(a, a), vf_all(1e-12f)));
    for (int i = 0; i < 3; ++i) a[i] *= inverse;
}

/* Columns u and v by axes: u[a] is the a-th; the third stretch has the sign of J. */
static void stretches(const TetF *t, const Coefficients *k, vf u[3][3], vf v[3][3], vf s[3])
{
    vf c[3][3], w[3][3], image[3][3];
    memcpy(c, k->cc, sizeof c);
    jacobi(c, w);
    exchange(c, w, 0, 1), exchange(c, w, 1, 2), exchange(c, w, 0, 1);
    for (int a = 0; a < 2; ++a)
        for (int i = 0; i < 3; ++i) v[a][i] = w[i][a];
    vf_cross(v[0], v[1], v[2]);
    for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i) image[a][i] = t->c[0][i] * v[a][0] + t->c[1][i] * v[a][1] + t->c[2][i] * v[a][2];
    memcpy(u[0], image[0], sizeof u[0]), normalise(u[0]);
    vf along = vf_dot(u[0], image[1]);
    for (int i = 0; i < 3; ++i) u[1][i] = image[1][i] - along * u[0][i];
    normalise(u[1]);
    vf_cross(u[0], u[1], u[2]);
    for (int a = 0; a < 3; ++a) s[a] = vf_dot(u[a], image[a]);
}

/* The matrix of the stretches with positive eigenvalues. */
static void stretch_matrix(const Coefficients *k, const vf s[3], const vf q[3], vf a[3][3])
{
    vf v[3][3], d[3][3], g[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]}, one = k->psi1 + k->psi1,
                         two = k->psi2 + k->psi2;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            d[i][j] = g[i] * q[j] + q[i] * g[j];
            if (i == j)
                d[i][j] += one + two * (k->i1 - s[i] * s[i]);
            else
                d[i][j] += vf_all(2) * two * s[i] * s[j] + k->by_j * s[3 - i - j];
        }
    jacobi(d, v);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = vf_abs(d[0][0]) * v[i][0] * v[j][0] + vf_abs(d[1][1]) * v[i][1] * v[j][1] +
                      vf_abs(d[2][2]) * v[i][2] * v[j][2];
}

static void projected_hessian(const TetF *t, const Coefficients *k, vf h[6][3][3])
{
    vf u[3][3], v[3][3], s[3], q[3], a[3][3], straight[3][3], crossed[3][3];
    stretches(t, k, u, v, s);
    for (int i = 0; i < 3; ++i) /* q is diagonal in these axes */
        q[i] = vf_dot(u[i], k->q[0]) * v[i][0] + vf_dot(u[i], k->q[1]) * v[i][1] + vf_dot(u[i], k->q[2]) * v[i][2];
    stretch_matrix(k, s, q, a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (i == j) continue;
            vf sk = s[3 - i - j], mean = vf_all(2) * (k->psi1 + k->psi2 * sk * sk);
            vf apart = -(vf_all(2) * k->psi2 * s[i] * s[j] + k->by_j * sk);
            vf high = vf_abs(mean + apart), low = vf_abs(mean - apart);
            straight[i][j] = vf_all(0.5f) * (high + low), crossed[i][j] = vf_all(0.5f) * (high - low);
        }
    memset(h, 0, 6 * sizeof h[0]);
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 3; ++n)
            for (int p = 0, at = 0; p < 3; ++p)
                for (int r = p; r < 3; ++r, ++at) {
                    vf even = m == n ? a[m][m] * v[m][p] * v[m][r] : straight[m][n] * v[n][p] * v[n][r];
                    vf odd = m == n ? vf_all(0) : a[m][n] * v[m][p] * v[n][r] + crossed[m][n] * v[n][p] * v[m][r];
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j) h[at][i][j] += u[m][i] * (even * u[m][j] + odd * u[n][j]);
                }
}
