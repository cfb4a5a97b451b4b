/*
 * tet4_simd.c: a step of corotational linear tetrahedra, four at a time. The formulas are those of polar_decomposition.c and point_step.c; with one point, p_a = V'G_a and u_i the columns of U
 *
 *     B_ii = p_i u_i,  B_ij = c_ij p_j u_i + c_ji p_i u_j,     K_ab = w (2 mu sum B_ii B_ii' + lambda g_a g_b' + 4 mu sum B_ij B_ij'),  g_a = R G_a
 *
 * and because the four G add up to 0, only the blocks of nodes 1 to 3 are computed.
 */
#include "fem/element/tet4_simd.h"

#include <math.h>

#define NEWTON_MAX 60
#define DEGENERATE 0.01 /* as in polar_decomposition.c */
#define SWEEPS     4    /* of Jacobi's method: enough for 16 digits of a 3 x 3 matrix */
#define LEAST      0.02 /* as in point_step.c */

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

/* C = A B' of 3 x 3 */
CAIRN_INLINE void multiply_transposed(const lane4 *A, const lane4 *B, lane4 *C) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

/* C = A'B of 3 x 3 */
CAIRN_INLINE void transposed_multiply(const lane4 *A, const lane4 *B, lane4 *C) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* Of four elements where a step begins. */
typedef struct frames {
    lane4 G[9], w;          /* gradients of nodes 1 to 3, a row a node; volume */
    lane4 F[9], R[9], S[9]; /* F = R S */
    lane4 U[9], V[9], c[9]; /* as in point_step.c */
    lane4 rate[9];          /* dF/dt */
} frames;

/* sum of a_n G_n', a as three rows of differences to node 0 */
CAIRN_INLINE void gradient(const frames *f, const double a[CAIRN_FEM_LANES][12], lane4 *out) {
    lane4 X[9];
    for (int t = 0; t < 9; t++)
        for (int l = 0; l < CAIRN_FEM_LANES; l++)
            X[t][l] = a[l][3 + t] - a[l][t % 3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = X[i] * f->G[j] + X[3 + i] * f->G[3 + j] + X[6 + i] * f->G[6 + j];
}

CAIRN_INLINE void load_gradients(const cairn_fem_quad *q, frames *f) {
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        for (int t = 0; t < 9; t++)
            f->G[t][l] = q->kept[l][3 + t];
        f->w[l] = q->kept[l][12];
    }
}

CAIRN_INLINE bool load(const cairn_fem_quad *q, frames *f) {
    load_gradients(q, f);
    gradient(f, q->x, f->F);
    gradient(f, q->v, f->rate);
    if (!rotation(f->F, f->R))
        return false;
    transposed_multiply(f->R, f->F, f->S);
    return true;
}

CAIRN_INLINE void set_axes(frames *f) {
    lane4 A[9], zero = {0}, least = LEAST * (f->S[0] + f->S[4] + f->S[8]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[3 * i + j] = 0.5 * (f->S[3 * i + j] + f->S[3 * j + i]);
            f->V[3 * i + j] = zero + (i == j ? 1.0 : 0.0);
        }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        turn(A, f->V, 0, 1, 2);
        turn(A, f->V, 0, 2, 1);
        turn(A, f->V, 1, 2, 0);
    }
    multiply(f->R, f->V, f->U);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            lane4 sum = A[4 * i] + A[4 * j];
            mask4 low = sum < least;
            f->c[3 * i + j] = i == j ? zero + 0.5 : A[4 * i] / CHOOSE(low, least, sum);
        }
}

/* rate <- Q rate, Q the turn from F - h rate to F. False: degenerate. */
CAIRN_INLINE bool turn_rate(frames *f, double h, double angle[CAIRN_FEM_LANES]) {
    lane4 before[9], back[9], Q[9], turned[9];
    for (int t = 0; t < 9; t++)
        before[t] = f->F[t] - h * f->rate[t];
    if (!rotation(before, back))
        return false;
    multiply_transposed(f->R, back, Q);
    multiply(Q, f->rate, turned);
    for (int t = 0; t < 9; t++)
        f->rate[t] = turned[t];
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        angle[l] = acos(fmin(1.0, fmax(-1.0, 0.5 * (Q[0][l] + Q[4][l] + Q[8][l] - 1.0))));
    return true;
}

/* T = 2 mu e + lambda tr e */
CAIRN_INLINE void hooke(const cairn_fem_stuff *m, const lane4 *e, lane4 *T) {
    lane4 pressure = m->lambda * (e[0] + e[4] + e[8]);
    for (int i = 0; i < 9; i++)
        T[i] = 2.0 * m->mu * e[i];
    for (int k = 0; k < 3; k++)
        T[4 * k] += pressure;
}

/* e = S - 1 at F + h rate, less S - 1 at F times share. */
CAIRN_INLINE bool strain_ahead(const frames *f, double h, double near, double far, lane4 *e) {
    lane4 end[9], R[9], S[9];
    for (int t = 0; t < 9; t++)
        end[t] = f->F[t] + h * f->rate[t];
    if (!rotation(end, R))
        return false;
    transposed_multiply(R, end, S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e[3 * i + j] = 0.5 * (near * (S[3 * i + j] + S[3 * j + i]) - far * (f->S[3 * i + j] + f->S[3 * j + i])) -
                           (i == j ? 1.0 : 0.0);
    return true;
}

/* e (9, the frame's axes) = B : dF */
CAIRN_INLINE void strain_of(const frames *f, const lane4 *dF, lane4 *e) {
    lane4 FV[9], X[9];
    multiply(dF, f->V, FV);
    transposed_multiply(f->U, FV, X);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e[3 * i + j] = f->c[3 * i + j] * X[3 * i + j] + f->c[3 * j + i] * X[3 * j + i];
}

/* Blocks of nodes 1 to 3 from p = V'G, then those of node 0. Order of blocks as in element.h. */
CAIRN_INLINE void blocks(const cairn_fem_stuff *m, const frames *f, double factor, lane4 *K) {
    static const unsigned char at[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    lane4 w = f->w * factor, two = 2.0 * m->mu * w, four = 2.0 * two, lambda = m->lambda * w, B[3][7][3];
    for (int a = 0; a < 3; a++) {
        lane4 p[3];
        for (int i = 0; i < 3; i++)
            p[i] = f->V[i] * f->G[3 * a] + f->V[3 + i] * f->G[3 * a + 1] + f->V[6 + i] * f->G[3 * a + 2];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            lane4 to_i = f->c[3 * i + j] * p[j], to_j = f->c[3 * j + i] * p[i];
            for (int r = 0; r < 3; r++) {
                B[a][k][r] = p[k] * f->U[3 * r + k];
                B[a][3 + k][r] = to_i * f->U[3 * r + i] + to_j * f->U[3 * r + j];
            }
        }
        for (int r = 0; r < 3; r++)
            B[a][6][r] = B[a][0][r] + B[a][1][r] + B[a][2][r];
    }
    for (int b = 0; b < 3; b++) {
        lane4 C[7][3];
        for (int t = 0; t < 7; t++)
            for (int r = 0; r < 3; r++)
                C[t][r] = (t < 3 ? two : t < 6 ? four : lambda) * B[b][t][r];
        for (int a = 0; a <= b; a++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    lane4 sum = B[a][0][i] * C[0][k];
                    for (int t = 1; t < 7; t++)
                        sum += B[a][t][i] * C[t][k];
                    K[9 * at[a][b] + 3 * i + k] = sum;
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

CAIRN_INLINE bool forces(const cairn_fem_stuff *m, const cairn_fem_quad *q, frames *f, lane4 *force) {
    lane4 e[9], T[9], TV[9], t[9], ahead[9], C[9], P[9], Pg[9];
    if (!strain_ahead(f, q->h, q->near, q->far, e))
        return false;
    hooke(m, e, T);
    multiply(T, f->V, TV);
    transposed_multiply(f->V, TV, t);
    strain_of(f, f->rate, ahead);
    hooke(m, ahead, C);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[3 * i + j] = 2.0 * f->c[3 * i + j] * (t[3 * i + j] - q->h * q->near * C[3 * i + j]);
    multiply_transposed(t, f->V, Pg);
    multiply(f->U, Pg, P);
    for (int i = 0; i < 3; i++) {
        lane4 all = {0};
        for (int a = 0; a < 3; a++) {
            lane4 each = f->w *
                         (P[3 * i] * f->G[3 * a] + P[3 * i + 1] * f->G[3 * a + 1] + P[3 * i + 2] * f->G[3 * a + 2]);
            force[3 * (a + 1) + i] = -each;
            all += each;
        }
        force[i] = all;
    }
    return true;
}

CAIRN_CLONES
static bool take_step(const cairn_fem_stuff *m, const cairn_fem_quad *q, double *const force[CAIRN_FEM_LANES],
                      double *const K[CAIRN_FEM_LANES], double factor, double *angle) {
    frames f;
    lane4 out[12], k[90];
    if (!load(q, &f))
        return false;
    set_axes(&f);
    if ((angle != NULL && !turn_rate(&f, q->h, angle)) || !forces(m, q, &f, out))
        return false;
    if (K != NULL)
        blocks(m, &f, factor, k);
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        for (int t = 0; t < 12; t++)
            force[l][t] = out[t][l];
        for (int t = 0; K != NULL && t < 90; t++)
            K[l][t] = k[t][l];
    }
    return true;
}

bool cairn_fem_quad_step(const cairn_fem_stuff *m, const cairn_fem_quad *q, double *const force[CAIRN_FEM_LANES],
                         double *const K[CAIRN_FEM_LANES], double factor, double *angle) {
    return take_step(m, q, force, K, factor, angle);
}

/* factor times T : e/2, lane by lane */
CAIRN_INLINE void energies(const lane4 *T, const lane4 *e, const lane4 *factor, double energy[CAIRN_FEM_LANES]) {
    lane4 sum = T[0] * e[0];
    for (int i = 1; i < 9; i++)
        sum += T[i] * e[i];
    sum = 0.5 * *factor * sum;
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        energy[l] = sum[l];
}

/* e (9): near (strain at the end) - far (strain now), both with the change of strain that the answer brings; heat: far times what the stress gains, along what the strain gains. */
CAIRN_INLINE void heat_of(const cairn_fem_stuff *m, const cairn_fem_quad *q, const frames *f, const lane4 *e,
                          double heat[CAIRN_FEM_LANES]) {
    lane4 gained[9], T[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            gained[3 * i + j] = (e[3 * i + j] - 0.5 * (f->S[3 * i + j] + f->S[3 * j + i]) + (i == j ? 1.0 : 0.0)) /
                                q->near;
    hooke(m, gained, T);
    lane4 factor = 2.0 * q->far * f->w;
    energies(T, gained, &factor, heat);
}

CAIRN_CLONES
static bool take_applied(const cairn_fem_stuff *m, const cairn_fem_quad *q, const double answer[CAIRN_FEM_LANES][12],
                         double *angle, double stress[CAIRN_FEM_LANES][6], double heat[CAIRN_FEM_LANES]) {
    static const int at[6] = {0, 4, 8, 1, 5, 6};
    frames f;
    lane4 last[9], e[9], change[9], eV[9], turned[9], T[9];
    if (!load(q, &f))
        return false;
    set_axes(&f);
    if ((angle != NULL && !turn_rate(&f, q->h, angle)) || !strain_ahead(&f, q->h, q->near, q->far, e))
        return false;
    gradient(&f, answer, last);
    for (int t = 0; t < 9; t++)
        last[t] = q->h * q->near * (last[t] - f.rate[t]);
    strain_of(&f, last, change);
    multiply_transposed(change, f.V, eV);
    multiply(f.V, eV, turned);
    for (int t = 0; t < 9; t++)
        e[t] += turned[t];
    hooke(m, e, T);
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        for (int t = 0; t < 6; t++)
            stress[l][t] = T[at[t]][l];
    heat_of(m, q, &f, e, heat);
    return true;
}

bool cairn_fem_quad_applied(const cairn_fem_stuff *m, const cairn_fem_quad *q, const double answer[CAIRN_FEM_LANES][12],
                            double *angle, double stress[CAIRN_FEM_LANES][6], double heat[CAIRN_FEM_LANES]) {
    return take_applied(m, q, answer, angle, stress, heat);
}

CAIRN_CLONES
static bool take_energy(const cairn_fem_stuff *m, const cairn_fem_quad *q, double energy[CAIRN_FEM_LANES]) {
    frames f;
    lane4 e[9], T[9];
    load_gradients(q, &f);
    gradient(&f, q->x, f.F);
    if (!rotation(f.F, f.R))
        return false;
    transposed_multiply(f.R, f.F, f.S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            e[3 * i + j] = 0.5 * (f.S[3 * i + j] + f.S[3 * j + i]) - (i == j ? 1.0 : 0.0);
    hooke(m, e, T);
    energies(T, e, &f.w, energy);
    return true;
}

bool cairn_fem_quad_energy(const cairn_fem_stuff *m, const cairn_fem_quad *q, double energy[CAIRN_FEM_LANES]) {
    return take_energy(m, q, energy);
}
