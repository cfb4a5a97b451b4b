/*
 * side_ipopt.c: Ipopt on the program of program.h. Variables (x, s); constraints
 *
 *     Gx + s = h,   Ax = b,   t_i > 0 and t_i - |w_i|^2 / t_i >= 0   for each cone (t_i, w_i) of s
 *
 * The last form is smooth and convex where t_i > 0, which the iterates of an interior point method keep; at the tip itself, where
 * every sticking contact ends, it has no derivative. The multipliers of the first two are z and y. Exact second derivatives; linear
 * solver (MUMPS) and everything else as Debian ships it.
 */
#define _POSIX_C_SOURCE 200809L
#include "../guard.h"
#include "program.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <stdlib.h>

typedef struct nlp {
    const cone_program *p;
    int iterations;
} nlp;

static Bool objective(Index n, Number *x, Bool fresh, Number *value, UserDataPtr user) {
    const cone_program *p = ((nlp *)user)->p;
    (void)n, (void)fresh;
    double sum = 0.0;
    for (int k = 0; k < p->P.count; k++)
        sum += 0.5 * p->P.value[k] * x[p->P.row[k]] * x[p->P.col[k]];
    for (int j = 0; j < p->variables; j++)
        sum += p->q[j] * x[j];
    *value = sum;
    return TRUE;
}

static Bool gradient(Index n, Number *x, Bool fresh, Number *g, UserDataPtr user) {
    const cone_program *p = ((nlp *)user)->p;
    (void)fresh;
    for (int j = 0; j < n; j++)
        g[j] = j < p->variables ? p->q[j] : 0.0;
    for (int k = 0; k < p->P.count; k++)
        g[p->P.row[k]] += p->P.value[k] * x[p->P.col[k]];
    return TRUE;
}

/* |w|^2 / t of the cone whose first row is s. */
static double ratio(const double *s, int size) {
    double sum = 0.0;
    for (int c = 1; c < size; c++)
        sum += s[c] * s[c];
    return sum / s[0];
}

static Bool constraints(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr user) {
    const cone_program *p = ((nlp *)user)->p;
    (void)n, (void)m, (void)fresh;
    const double *s = x + p->variables;
    double *second = g + p->rows, *third = second + p->equalities;
    for (int i = 0; i < p->rows; i++)
        g[i] = s[i];
    for (int i = 0; i < p->equalities; i++)
        second[i] = 0.0;
    for (int k = 0; k < p->G.count; k++)
        g[p->G.row[k]] += p->G.value[k] * x[p->G.col[k]];
    for (int k = 0; k < p->A.count; k++)
        second[p->A.row[k]] += p->A.value[k] * x[p->A.col[k]];
    for (int i = 0; i < p->cones; s += p->size[i++])
        third[i] = s[0] - ratio(s, p->size[i]);
    return TRUE;
}

/* Order of the entries: G, the identity of s, A, then the cones row by row. */
static Bool jacobian(Index n, Number *x, Bool fresh, Index m, Index entries, Index *row, Index *col, Number *value,
                     UserDataPtr user) {
    const cone_program *p = ((nlp *)user)->p;
    (void)n, (void)fresh, (void)m, (void)entries;
    int at = 0, first = 0;
    for (int k = 0; k < p->G.count; k++, at++)
        if (value == NULL) {
            row[at] = p->G.row[k];
            col[at] = p->G.col[k];
        } else {
            value[at] = p->G.value[k];
        }
    for (int i = 0; i < p->rows; i++, at++)
        if (value == NULL) {
            row[at] = i;
            col[at] = p->variables + i;
        } else {
            value[at] = 1.0;
        }
    for (int k = 0; k < p->A.count; k++, at++)
        if (value == NULL) {
            row[at] = p->rows + p->A.row[k];
            col[at] = p->A.col[k];
        } else {
            value[at] = p->A.value[k];
        }
    for (int i = 0; i < p->cones; first += p->size[i++]) {
        const double *s = x != NULL ? x + p->variables + first : NULL;
        for (int c = 0; c < p->size[i]; c++, at++)
            if (value == NULL) {
                row[at] = p->rows + p->equalities + i;
                col[at] = p->variables + first + c;
            } else {
                value[at] = c == 0 ? 1.0 + ratio(s, p->size[i]) / s[0] : -2.0 * s[c] / s[0];
            }
    }
    return TRUE;
}

/* Lower half of P, then of the second derivatives of each cone's -|w|^2 / t. */
static Bool hessian(Index n, Number *x, Bool fresh, Number factor, Index m, Number *lambda, Bool fresh_lambda,
                    Index entries, Index *row, Index *col, Number *value, UserDataPtr user) {
    const cone_program *p = ((nlp *)user)->p;
    (void)n, (void)fresh, (void)m, (void)fresh_lambda, (void)entries;
    int at = 0, first = p->variables;
    for (int k = 0; k < p->P.count; k++) {
        if (p->P.row[k] < p->P.col[k])
            continue;
        if (value == NULL) {
            row[at] = p->P.row[k];
            col[at] = p->P.col[k];
        } else {
            value[at] = factor * p->P.value[k];
        }
        at++;
    }
    for (int i = 0; i < p->cones; first += p->size[i++]) {
        const double *s = x != NULL ? x + first : NULL;
        for (int c = 0; c < p->size[i]; c++)
            for (int d = 0; d <= c; d++) {
                if (c > d && d > 0)
                    continue;
                if (value == NULL) {
                    row[at] = first + c;
                    col[at] = first + d;
                } else {
                    double second = c == 0   ? ratio(s, p->size[i]) / (s[0] * s[0])
                                    : d == 0 ? -s[c] / (s[0] * s[0])
                                             : 1.0 / s[0];
                    value[at] = -2.0 * lambda[p->rows + p->equalities + i] * second;
                }
                at++;
            }
    }
    return TRUE;
}

static Bool count(Index mode, Index iteration, Number objective_value, Number primal, Number dual, Number mu,
                  Number d_norm, Number regularization, Number alpha_dual, Number alpha_primal, Index trials,
                  UserDataPtr user) {
    (void)mode, (void)objective_value, (void)primal, (void)dual, (void)mu, (void)d_norm, (void)regularization;
    (void)alpha_dual, (void)alpha_primal, (void)trials;
    ((nlp *)user)->iterations = iteration;
    return TRUE;
}

/* Size of the velocities (local form: impulses) in the data. */
static double data_size(const cone_program *p) {
    double size = 0.0;
    for (int k = 0; k < p->P.count; k++)
        if (p->P.row[k] == p->P.col[k] && p->P.value[k] > 0.0)
            size = fmax(size, fabs(p->q[p->P.row[k]]) / p->P.value[k]);
    for (int i = 0; i < p->rows; i++)
        size = fmax(size, fabs(p->h[i]));
    return size > 0.0 ? size : 1.0;
}

static int lower_entries(const cone_program *p) {
    int entries = 0;
    for (int k = 0; k < p->P.count; k++)
        entries += p->P.row[k] >= p->P.col[k];
    for (int i = 0; i < p->cones; i++)
        entries += 2 * p->size[i] - 1;
    return entries;
}

void convex_ipopt(const cone_program *p, double tolerance, convex_result *result) {
    int n = p->variables + p->rows, m = p->rows + p->equalities + p->cones;
    nlp q = {.p = p};
    double *work = calloc((size_t)(3 * n + 3 * m + 3), sizeof *work);
    if (work == NULL)
        return;
    double *low = work, *high = low + n, *x = high + n, *from = x + n, *to = from + m, *lambda = to + m;
    for (int j = 0; j < n; j++) {
        low[j] = -2e19;
        high[j] = 2e19;
    }
    double size = data_size(p);
    for (int i = 0, first = p->variables; i < p->cones; first += p->size[i++]) {
        low[first] = 0.0;
        x[first] = size;
    }
    for (int i = 0; i < m; i++) {
        from[i] = i < p->rows ? p->h[i] : i < p->rows + p->equalities ? p->b[i - p->rows] : 0.0;
        to[i] = i < p->rows + p->equalities ? from[i] : 2e19;
    }
    IpoptProblem problem = CreateIpoptProblem(n, low, high, m, from, to, p->G.count + p->rows + p->A.count + p->rows,
                                              lower_entries(p), 0, objective, constraints, gradient, jacobian, hessian);
    if (problem == NULL)
        return;
    AddIpoptNumOption(problem, "tol", tolerance);
    AddIpoptIntOption(problem, "print_level", 0);
    AddIpoptIntOption(problem, "max_iter", 3000);
    AddIpoptNumOption(problem, "bound_relax_factor", 0.0);
    AddIpoptStrOption(problem, "mu_strategy", "adaptive");
    SetIntermediateCallback(problem, count);
    double begin = guard_clock(), value = 0.0;
    result->verdict = IpoptSolve(problem, x, NULL, &value, lambda, NULL, NULL, &q) == Solve_Succeeded ? 0 : 1;
    result->seconds = guard_clock() - begin;
    result->iterations = q.iterations;
    program_impulses(p, x, lambda, lambda + p->rows, result->gamma);
    result->finished = 1;
    FreeIpoptProblem(problem);
    free(work);
}
