/*
 * program.h: the associated problem as a quadratic program over second-order cones, the form that general solvers take:
 *
 *     minimise  x'Px/2 + q'x    subject to  Gx + s = h,  Ax = b,  s in K = product of {(t, w) : |w| <= t}
 *     dual      Px + q + G'z + A'y = 0,  z in K
 *
 * Global form of Cairn: x = v, P = H, q = -k; a contact gives s = (u_N, mu u_T) with u = D'v + b, that is G = -S D', h = S b,
 * S = diag(1, mu, mu), and gamma = S z; a joint row gives A = D', and gamma = -y.
 * Local form: x = gamma, P = N, q = b; a contact gives s = (mu gamma_N, gamma_T); a joint row gives nothing.
 */
#ifndef CAIRN_PEERS_PROGRAM_H
#define CAIRN_PEERS_PROGRAM_H

#include <cairn/cairn.h>

/* Entries (row, col, value) of a sparse matrix. */
typedef struct triplets {
    int count;
    int *row, *col;
    double *value;
} triplets;

typedef struct cone_program {
    int variables, rows, equalities, cones; /* rows of G, rows of A */
    triplets P, G, A;                       /* P whole, both halves */
    double *q, *h, *b;                      /* variables, rows, equalities */
    int *size;                              /* cones: 2 or 3 each */
    bool local;
    int m;         /* rows of Cairn's problem */
    int *place;    /* m: row of G, or -1 - row of A */
    double *scale; /* m: gamma = scale * z */
} cone_program;

/* False when memory is short or the problem is not of this form: *why then says so. */
bool program_create(const cairn_problem *problem, cone_program *program, const char **why);
void program_clear(cone_program *program);
/* gamma (m) from an answer. */
void program_impulses(const cone_program *program, const double *x, const double *z, const double *y, double *gamma);

/* What one solve left behind, in memory shared with the process that solved. */
typedef struct convex_result {
    int finished, iterations, verdict; /* verdict 0: the solver says solved */
    double seconds;                    /* CPU time of the solver call */
    double gamma[];                    /* m */
} convex_result;

/* Solvers. tolerance is the solver's own. Ipopt runs in the calling process: guard it. */
void convex_ipopt(const cone_program *program, double tolerance, convex_result *result);
/* Hands the program to coneqp.py in a process of its own, for at most limit seconds; script: its path. */
void convex_cvxopt(const cone_program *program, double tolerance, const char *script, double limit,
                   convex_result *result);

#endif
