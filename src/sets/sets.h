/*
 * sets.h: closed convex sets: projection, its derivative, distance, support function. One file a
 * set (set_<name>.c), one row each in set_table.c; a new set touches nothing else.
 */
#ifndef CAIRN_SETS_SETS_H
#define CAIRN_SETS_SETS_H

#include <cairn/problem.h>

typedef struct cairn_set_class {
    const char *name;
    /* Why this block is not legal for the set, or NULL when it is. */
    const char *(*check)(const cairn_block *block);
    /* out = P(x), Euclidean; x and out may alias. */
    void (*project)(const cairn_block *block, const double *x, double *out);
    /* jacobian (dim x dim, row by row) = one element of the generalised derivative of P at x. */
    void (*derivative)(const cairn_block *block, const double *x, double *jacobian);
    /* sigma(d) = sup of d'x over the set, evaluated at the point nearest to d where it is
     * finite; *outside is the distance from d to that point (0 when sigma(d) is finite). NAN
     * when not known (custom). */
    double (*support)(const cairn_block *block, const double *d, double *outside);
} cairn_set_class;

/* The row of the table; NULL for a kind that does not exist. */
const cairn_set_class *cairn_set_get(cairn_set_kind kind);

double cairn_set_distance(const cairn_block *block, const double *x); /* |x - P(x)| */

/* Runs of blocks with one set kind and one dim, so that dispatch happens once per run. */
typedef struct cairn_set_run {
    cairn_set_kind set;
    int dim;
    int first, count; /* blocks */
    int row;          /* first row */
} cairn_set_run;
/* Fills at most capacity runs, returns how many there are. */
int cairn_set_runs(int blocks, const cairn_block *block, cairn_set_run *runs, int capacity);

/* out = P(x) over count consecutive blocks of one run, block[0] and row 0 the first of them; the
 * plain Coulomb cone of dimension 3 has a loop of its own. May alias. */
void cairn_set_project_run(cairn_set_kind set, int dim, int count, const cairn_block *block, const double *x,
                           double *out);

/* Resolvent of the exact Coulomb law in a metric diag(theta_N, theta_T, theta_T): the z with z =
 * P_disc: z_N = max(0, x_N), z_T = x_T clipped to the disc of radius mu z_N. dim 2 or 3; may
 * alias. */
void cairn_cone_resolvent(int dim, double mu, const double *x, double *z);

/* Resolvent of a polyhedral cone: z_N = max(0, x_N), z_T = nearest point of mu z_N P. May alias. */
void cairn_poly_resolvent(const cairn_block *block, const double *x, double *z);
/* jacobian (dim x dim, row by row) = one element of its generalised derivative; unsymmetric. */
void cairn_poly_resolvent_derivative(const cairn_block *block, const double *x, double *jacobian);
/* max_j d_j'u_T = max_j -d_j'u_T: the slip a polyhedral cone sees, |u_T| in dimension 2. u: dim
 * components. */
double cairn_poly_speed(const cairn_block *block, const double *u);

#endif
