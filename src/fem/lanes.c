/*
 * lanes.c: corotational linear tetrahedra, four at a time. The formulas are those of polar.c and material_corotational.c; with one point and
 * g_a = R G_a the stiffness is
 *
 *     K_ab = w (2 mu (g_a.g_b) 1 + lambda g_a g_b' + [g_a]x' U [g_b]x),      U = R W R',  W = c T^-1, clamped at -mu when projected
 *
 * and because the four G add up to 0, only the blocks of nodes 1 to 3 are computed.
 */
#include "lanes.h"

#include <math.h>

#define NEWTON_MAX 60
#define DEGENERATE 0.01 /* as in polar.c */
#define SWEEPS     4    /* of Jacobi's method: enough for 16 digits of a 3 x 3 matrix */

typedef double lane4 __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));

/* mask ? a : b */
#define CHOOSE(mask, a, b) ((lane4)(((mask) & (mask4)(a)) | (~(mask) & (mask4)(b))))

CAIRN_INLINE void roots(lane4 *a) {
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        (*a)[l] = sqrt((*a)[l]);
}

CAIRN_INLINE void cross(const lane4 *a, const lane4 *b, lane4 *c) {
    lane4 x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

/* C = A B of 3 x 3 */
CAIRN_INLINE void multiply(const lane4 *A, const lane4 *B, lane4 *C) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* Nearest rotation; false when a lane is degenerate. */
CAIRN_INLINE bool rotation(const lane4 *F, lane4 *R) {
    lane4 cof[9], I = {0}, second = {0};
    cross(F + 3, F + 6, cof);
    cross(F + 6, F, cof + 3);
    cross(F, F + 3, cof + 6);
    for (int i = 0; i < 9; i++) {
        I += F[i] * F[i];
        second += cof[i] * cof[i];
    }
    lane4 J = F[0] * cof[0] + F[1] * cof[1] + F[2] * cof[2], constant = I * I - 4.0 * second, s = 3.0 * I;
    roots(&s);
    for (int round = 0; round < NEWTON_MAX; round++) {
        lane4 square = s * s, value = (square - 2.0 * I) * square - 8.0 * J * s + constant;
        lane4 move = value / (4.0 * ((square - I) * s - 2.0 * J)), small = 1e-9 * s;
        bool more = false;
        s -= move;
        for (int l = 0; l < CAIRN_FEM_LANES; l++)
            more = more || !(move[l] <= small[l]);
        if (!more && round > 0)
            break;
    }
    lane4 square = s * s, below = (square - I) * s - 2.0 * J, least = DEGENERATE * square * s;
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        if (!(below[l] > least[l]))
            return false;
    lane4 C[9], FC[9], a = (square + I) / below, b = 2.0 * s / below, c = 2.0 / below;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            C[3 * i + j] = C[3 * j + i] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
    multiply(F, C, FC);
    for (int i = 0; i < 9; i++)
        R[i] = a * F[i] + b * cof[i] - c * FC[i];
    return true;
}

/* One turn of Jacobi in the plane (p, q) of the symmetric matrix A; r is the third axis. */
CAIRN_INLINE void turn(lane4 *A, lane4 *V, int p, int q, int r) {
    lane4 apq = A[3 * p + q], d = A[4 * q] - A[4 * p], root = d * d + 4.0 * apq * apq, zero = {0};
    roots(&root);
    mask4 negative = d < zero;
    lane4 below = CHOOSE(negative, d - root, d + root);
    mask4 none = below == zero; /* both 0, or so small that their squares are */
    lane4 t = CHOOSE(none, zero, 2.0 * apq) / CHOOSE(none, zero + 1.0, below);
    lane4 c = 1.0 + t * t;
    roots(&c);
    c = 1.0 / c;
    lane4 s = t * c, arp = A[3 * r + p], arq = A[3 * r + q];
    A[4 * p] -= t * apq;
    A[4 * q] += t * apq;
    A[3 * p + q] = A[3 * q + p] = zero;
    A[3 * r + p] = A[3 * p + r] = c * arp - s * arq;
    A[3 * r + q] = A[3 * q + r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        lane4 vp = V[3 * k + p], vq = V[3 * k + q];
        V[3 * k + p] = c * vp - s * vq;
        V[3 * k + q] = s * vp + c * vq;
    }
}

/* U = R W R' (9) */
CAIRN_INLINE void turn_stiffness(const cairn_fem_stuff *m, const lane4 *R, const lane4 *S, const lane4 *trace,
                                 const lane4 *c, lane4 *U) {
    lane4 T[9], V[9], Q[9], zero = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            T[3 * i + j] = (i == j ? *trace : zero) - 0.5 * (S[3 * i + j] + S[3 * j + i]);
            V[3 * i + j] = zero + (i == j ? 1.0 : 0.0);
        }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        turn(T, V, 0, 1, 2);
        turn(T, V, 0, 2, 1);
        turn(T, V, 1, 2, 0);
    }
    multiply(R, V, Q);
    lane4 W[3];
    for (int k = 0; k < 3; k++) {
        lane4 least = zero - m->mu, w = *c / T[4 * k];
        mask4 low = w < least;
        W[k] = m->project ? CHOOSE(low, least, w) : w;
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            U[3 * i + j] = U[3 * j + i] = Q[3 * i] * W[0] * Q[3 * j] + Q[3 * i + 1] * W[1] * Q[3 * j + 1] +
                                          Q[3 * i + 2] * W[2] * Q[3 * j + 2];
}

/* Blocks of nodes 1 to 3 from g (3 x 3, a row a node), then those of node 0. Order of blocks as in element.h. */
CAIRN_INLINE void blocks(const lane4 *g, const lane4 *U, const lane4 *weight, const cairn_fem_stuff *m, lane4 *K) {
    static const unsigned char at[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    lane4 w = *weight, two = 2.0 * m->mu * w, lambda = m->lambda * w;
    for (int b = 0; b < 3; b++) {
        lane4 M[9], column[3], product[3];
        for (int i = 0; i < 3; i++)
            cross(U + 3 * i, g + 3 * b, M + 3 * i);
        for (int a = 0; a <= b; a++) {
            const lane4 *ga = g + 3 * a, *gb = g + 3 * b;
            lane4 *to = K + 9 * at[a][b], same = two * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]);
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < 3; i++)
                    column[i] = w * M[3 * i + k];
                cross(column, ga, product);
                for (int i = 0; i < 3; i++)
                    to[3 * i + k] = product[i] + lambda * ga[i] * gb[k];
                to[4 * k] += same;
            }
        }
    }
    for (int t = 0; t < 9; t++)
        K[t] = (lane4){0};
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                lane4 sum = {0};
                for (int a = 0; a < 3; a++)
                    sum += a <= b ? K[9 * at[a][b] + 3 * i + k] : K[9 * at[b][a] + 3 * k + i];
                K[9 * (b + 1) + 3 * i + k] = -sum;
                K[3 * i + k] += sum;
            }
}

CAIRN_INLINE bool four(const cairn_fem_stuff *m, const double *const kept[CAIRN_FEM_LANES],
                       const double x[CAIRN_FEM_LANES][12], double factor, lane4 *energy, lane4 *force, lane4 *K) {
    lane4 G[9], X[9], F[9], R[9], S[9], U[9], P[9], g[9], w;
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        for (int t = 0; t < 9; t++) {
            G[t][l] = kept[l][3 + t];
            X[t][l] = x[l][3 + t] - x[l][t % 3];
        }
        w[l] = kept[l][12];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            F[3 * i + j] = X[i] * G[j] + X[3 + i] * G[3 + j] + X[6 + i] * G[6 + j];
    if (!rotation(F, R))
        return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = R[i] * F[j] + R[3 + i] * F[3 + j] + R[6 + i] * F[6 + j];
    lane4 trace = S[0] + S[4] + S[8], pressure = m->lambda * (trace - 3.0), sum = {0};
    for (int i = 0; i < 9; i++) {
        lane4 d = F[i] - R[i];
        sum += d * d;
        P[i] = 2.0 * m->mu * d + pressure * R[i];
    }
    *energy = w * (m->mu * sum + 0.5 * pressure * (trace - 3.0));
    for (int i = 0; i < 3; i++) {
        lane4 all = {0};
        for (int a = 0; a < 3; a++) {
            lane4 f = w * (P[3 * i] * G[3 * a] + P[3 * i + 1] * G[3 * a + 1] + P[3 * i + 2] * G[3 * a + 2]);
            force[3 * (a + 1) + i] = -f;
            all += f;
        }
        force[i] = all;
    }
    lane4 c = pressure - 2.0 * m->mu, scaled = w * factor;
    turn_stiffness(m, R, S, &trace, &c, U);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            g[3 * a + i] = R[3 * i] * G[3 * a] + R[3 * i + 1] * G[3 * a + 1] + R[3 * i + 2] * G[3 * a + 2];
    blocks(g, U, &scaled, m, K);
    return true;
}

CAIRN_CLONES
static bool evaluate(const cairn_fem_stuff *stuff, const double *const kept[CAIRN_FEM_LANES],
                     const double x[CAIRN_FEM_LANES][12], double factor, double energy[CAIRN_FEM_LANES],
                     double *const force[CAIRN_FEM_LANES], double *const K[CAIRN_FEM_LANES]) {
    lane4 e, f[12], k[90];
    if (!four(stuff, kept, x, factor, &e, f, k))
        return false;
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        energy[l] = e[l];
        for (int t = 0; t < 12; t++)
            force[l][t] = f[t][l];
        for (int t = 0; t < 90; t++)
            K[l][t] = k[t][l];
    }
    return true;
}

bool cairn_fem_tet4_lanes(const cairn_fem_stuff *stuff, const double *const kept[CAIRN_FEM_LANES],
                          const double x[CAIRN_FEM_LANES][12], double factor, double energy[CAIRN_FEM_LANES],
                          double *const force[CAIRN_FEM_LANES], double *const K[CAIRN_FEM_LANES]) {
    return evaluate(stuff, kept, x, factor, energy, force, K);
}
