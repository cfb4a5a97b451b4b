/*
 * point_step.c: stress of a step at one point of a solid [docs/flexible.md, theory].
 *
 * The strain is the stretch S - 1, F = R S, the stress T = dpsi/dS: symmetric, in rest axes, blind to turns. With S = V diag(s) V', U = R V and X = U'dF V
 *
 *     e_ij = V'dS V = c_ij X_ij + c_ji X_ji,    c_ij = s_i/(s_i + s_j)
 *     dT_ii = sum_j psi_ij e_jj,                dT_ij = (psi_i - psi_j)/(s_i - s_j) e_ij
 *
 * so the directions B = de/dF take nothing from dF = [w]x F, and B'T has no torque. The law linear does not turn: U = V = 1, c = 1/2.
 * Six numbers stand for a symmetric matrix: 11, 22, 33 and the pairs 23, 31, 12; stresses that multiply B count each pair twice.
 */
#include "fem/element/point_step.h"
#include "fem/material/polar_decomposition.h"

#include <math.h>

#define LEAST 0.02 /* of tr S: least sum of two stretches, where R jumps */

/* Of the law at the place where the step begins. */
typedef struct frame {
    double U[9], V[9], c[9];
    double normal[9], shear[3]; /* moduli; those of the pairs for stresses that count twice */
    double stress[6];
} frame;

/* V'M V of a symmetric M; pairs times `twice`. */
static void turn_in(const double V[9], const double M[9], double twice, double out[6]) {
    double MV[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            MV[3 * i + j] = M[3 * i] * V[j] + M[3 * i + 1] * V[3 + j] + M[3 * i + 2] * V[6 + j];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = V[k] * MV[k] + V[3 + k] * MV[3 + k] + V[6 + k] * MV[6 + k];
        out[3 + k] = twice * (V[i] * MV[j] + V[3 + i] * MV[3 + j] + V[6 + i] * MV[6 + j]);
    }
}

/* sum over i, j of U_i a_ij V_j' */
static void turn_out(const double U[9], const double a[9], const double V[9], double out[9]) {
    double aV[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            aV[3 * i + j] = a[3 * i] * V[3 * j] + a[3 * i + 1] * V[3 * j + 1] + a[3 * i + 2] * V[3 * j + 2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = U[3 * i] * aV[j] + U[3 * i + 1] * aV[3 + j] + U[3 * i + 2] * aV[6 + j];
}

/* Strain S - 1 and stress T at F, rest axes. */
static void stress_at(const cairn_fem_stuff *m, const double F[9], double e[9], double T[9]) {
    double R[9], V[9], s[3];
    cairn_principal p;
    bool turns = m->law->principal != NULL, straight = !turns || m->law->principal == cairn_fem_corotational_principal;
    if (turns)
        cairn_polar(F, R, e);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            e[3 * i + j] = e[3 * j + i] = 0.5 * (turns ? e[3 * i + j] + e[3 * j + i] : F[3 * i + j] + F[3 * j + i]);
    if (!straight) {
        cairn_eigen3(e, V, s);
        m->law->principal(m, s, &p);
        const double a[9] = {p.first[0], 0.0, 0.0, 0.0, p.first[1], 0.0, 0.0, 0.0, p.first[2]};
        turn_out(V, a, V, T);
    }
    for (int i = 0; i < 3; i++)
        e[4 * i] -= 1.0;
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, e[0] + e[4] + e[8]);
    for (int i = 0; straight && i < 9; i++)
        T[i] = 2.0 * m->mu * e[i] + (i % 4 == 0 ? bulk.pressure : 0.0);
}

static void set_unit(double A[9]) {
    for (int i = 0; i < 9; i++)
        A[i] = i % 4 == 0 ? 1.0 : 0.0;
}

/* The law linear. */
static void fixed_frame(const cairn_fem_stuff *m, const double F[9], frame *f) {
    double e[9], T[9];
    set_unit(f->U);
    set_unit(f->V);
    for (int i = 0; i < 9; i++) {
        f->c[i] = 0.5;
        f->normal[i] = cairn_fem_bulk_of(m, 0.0).modulus + (i % 4 == 0 ? 2.0 * m->mu : 0.0);
    }
    for (int k = 0; k < 3; k++)
        f->shear[k] = 4.0 * m->mu;
    stress_at(m, F, e, T);
    turn_in(f->V, T, 2.0, f->stress);
}

/* second <- the sizes of its eigenvalues: what would grow by itself is slow, and H positive. */
static void make_positive(double second[9]) {
    double minor = second[0] * second[4] - second[1] * second[1], V[9], value[3];
    double det = second[0] * (second[4] * second[8] - second[5] * second[5]) -
                 second[1] * (second[1] * second[8] - second[5] * second[2]) +
                 second[2] * (second[1] * second[5] - second[4] * second[2]);
    if (second[0] > 0.0 && minor > 0.0 && det > 0.0)
        return;
    cairn_eigen3(second, V, value);
    const double size[9] = {fabs(value[0]), 0.0, 0.0, 0.0, fabs(value[1]), 0.0, 0.0, 0.0, fabs(value[2])};
    turn_out(V, size, V, second);
}

static void frame_of(const cairn_fem_stuff *m, const double F[9], frame *f) {
    double s[3];
    cairn_principal p;
    if (m->law->principal == NULL) {
        fixed_frame(m, F, f);
        return;
    }
    cairn_stretches(F, f->U, f->V, s);
    m->law->principal(m, s, &p);
    make_positive(p.second);
    double least = LEAST * (s[0] + s[1] + s[2]);
    for (int i = 0; i < 9; i++) {
        f->normal[i] = p.second[i];
        f->c[i] = i % 4 == 0 ? 0.5 : s[i / 3] / fmax(s[i / 3] + s[i % 3], least);
    }
    for (int k = 0; k < 3; k++) {
        f->stress[k] = p.first[k];
        f->stress[3 + k] = 0.0;
        f->shear[k] = 2.0 * fabs(p.flip[k]);
    }
}

/* e = B : dF */
static void strain_of(const frame *f, const double dF[9], double e[6]) {
    double FV[9], X[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            FV[3 * i + j] = dF[3 * i] * f->V[j] + dF[3 * i + 1] * f->V[3 + j] + dF[3 * i + 2] * f->V[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            X[3 * i + j] = f->U[i] * FV[j] + f->U[3 + i] * FV[3 + j] + f->U[6 + i] * FV[6 + j];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        e[k] = 2.0 * f->c[4 * k] * X[4 * k];
        e[3 + k] = f->c[3 * i + j] * X[3 * i + j] + f->c[3 * j + i] * X[3 * j + i];
    }
}

/* t += a C e */
static void add_stress(const frame *f, double a, const double e[6], double t[6]) {
    for (int k = 0; k < 3; k++) {
        t[k] += a * (f->normal[3 * k] * e[0] + f->normal[3 * k + 1] * e[1] + f->normal[3 * k + 2] * e[2]);
        t[3 + k] += a * f->shear[k] * e[3 + k];
    }
}

/* P = B't */
static void force_of(const frame *f, const double t[6], double P[9]) {
    double a[9];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        a[4 * k] = 2.0 * f->c[4 * k] * t[k];
        a[3 * i + j] = f->c[3 * i + j] * t[3 + k];
        a[3 * j + i] = f->c[3 * j + i] * t[3 + k];
    }
    turn_out(f->U, a, f->V, P);
}

/* A = B'C B */
CAIRN_CLONES
static void stiffness_of(const frame *f, double *restrict A) {
    double B[6][9], CB[3][9];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double whole = 2.0 * f->c[4 * k], cij = f->c[3 * i + j], cji = f->c[3 * j + i];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                const double *u = f->U + 3 * r, *v = f->V + 3 * c;
                B[k][3 * r + c] = whole * u[k] * v[k];
                B[3 + k][3 * r + c] = cij * u[i] * v[j] + cji * u[j] * v[i];
            }
    }
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < 9; t++)
            CB[k][t] = f->normal[3 * k] * B[0][t] + f->normal[3 * k + 1] * B[1][t] + f->normal[3 * k + 2] * B[2][t];
    for (int r = 0; r < 9; r++) {
        double w[3] = {f->shear[0] * B[3][r], f->shear[1] * B[4][r], f->shear[2] * B[5][r]};
        for (int c = 0; c < 9; c++)
            A[9 * r + c] = B[0][r] * CB[0][c] + B[1][r] * CB[1][c] + B[2][r] * CB[2][c] + w[0] * B[3][c] +
                           w[1] * B[4][c] + w[2] * B[5][c];
    }
}

/* The symmetric matrix of six numbers in the axes V; pairs count twice. */
static void matrix_of(const double V[9], const double t[6], double out[9]) {
    double a[9];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        a[4 * k] = t[k];
        a[3 * i + j] = a[3 * j + i] = 0.5 * t[3 + k];
    }
    turn_out(V, a, V, out);
}

void cairn_fem_point_step(const cairn_fem_stuff *now, const cairn_fem_stuff *then, const cairn_fem_motion *motion,
                          const double F[9], const double rate[9], double P[9], double *A) {
    frame f;
    double end[9], e_end[9], T[9], t[6], e[6];
    frame_of(now, F, &f);
    for (int i = 0; i < 9; i++)
        end[i] = F[i] + motion->h * rate[i];
    stress_at(then, end, e_end, T);
    turn_in(f.V, T, 2.0, t);
    for (int k = 0; k < 6; k++)
        t[k] = motion->near * t[k] - motion->far * f.stress[k];
    strain_of(&f, rate, e);
    add_stress(&f, -motion->h * motion->near, e, t);
    force_of(&f, t, P);
    if (A != NULL)
        stiffness_of(&f, A);
}

double cairn_fem_point_applied(const cairn_fem_stuff *now, const cairn_fem_stuff *then, const cairn_fem_motion *motion,
                               const double F[9], const double rate[9], const double answer[9], double stress[9]) {
    frame f;
    double end[9], e_end[9], e_now[9], T[9], T_now[9], t[6], e[6], grown[6], change[9], heat = 0.0;
    frame_of(now, F, &f);
    for (int i = 0; i < 9; i++) {
        end[i] = F[i] + motion->h * rate[i];
        change[i] = motion->h * (answer[i] - rate[i]);
    }
    stress_at(then, end, e_end, T);
    strain_of(&f, change, e);
    turn_in(f.V, T, 2.0, t);
    add_stress(&f, 1.0, e, t);
    if (motion->far > 0.0) {
        stress_at(now, F, e_now, T_now);
        for (int i = 0; i < 9; i++)
            change[i] = e_end[i] - e_now[i];
        turn_in(f.V, change, 1.0, grown);
        for (int k = 0; k < 6; k++)
            heat += motion->far * (t[k] - f.stress[k]) * (grown[k] + e[k]);
    }
    for (int k = 0; k < 6; k++)
        t[k] += motion->far * (t[k] - f.stress[k]);
    matrix_of(f.V, t, stress);
    return heat;
}
