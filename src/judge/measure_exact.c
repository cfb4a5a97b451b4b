/*
 * measure_exact.c: the reference: the measurement in long double, which has 64 bits of mantissa on x86. Where it has 53 all stays true, and less is certified.
 * Beside it the free motion and the velocities of any impulses.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;
#define real_sqrt          sqrtl
#define real_abs           fabsl
#define REAL_EPSILON       LDBL_EPSILON
#define REAL_LEAST         1e-600L
#define INVERSE(judge, at) ((judge)->mass.inverse[at])
#define SLACK(judge, at)   ((judge)->mass.slack[at])
#define PASS
#define MEASURE    cairn_judge_measure_exact
#define rigid_slip block_slip
#define rigid_load block_load

struct vectors;
static void move_coupled(cairn_judge *judge, struct vectors *x);

#include "measure.h"

/* H couples bodies: v' of the factor, refined; what is left is a share of momentum that is measured by itself. */
static void move_coupled(cairn_judge *judge, vectors *x) {
    const cairn_problem *p = judge->problem;
    for (int j = 0; j < p->n; j++)
        x->size[j] *= (judge->terms[p->body.body_of[j]] + 1) * REAL_EPSILON;
    long double left = cairn_judge_mass_solve(judge, x->load, x->size, x->v, x->e);
    judge->momentum = isfinite(left) ? (double)left : (double)INFINITY;
    memset(x->e, 0, (size_t)p->n * sizeof *x->e);
}

void cairn_judge_measure_free(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    move_by(judge, NULL, &x);
    for (int j = 0; j < p->n; j++)
        x.e[j] = fabsl(x.v[j]);
    for (int c = 0; c < judge->components; c++)
        judge->free[c] = judge->grain[c] = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        real r[CAIRN_BLOCK_DIM_MAX], terms[CAIRN_BLOCK_DIM_MAX];
        int c = judge->component[p->bodies + i], dim = p->block[i].dim;
        slip_of(judge, &x, i, NULL, r, terms);
        for (int j = 0; j < dim; j++)
            terms[j] += fabsl((real)p->b[p->block_start[i] + j]);
        judge->free[c] = fmax(judge->free[c], (double)length_of(dim, r));
        judge->grain[c] = fmax(judge->grain[c], (double)(16 * (real)DBL_EPSILON * length_of(dim, terms)));
    }
}

void cairn_judge_velocities(cairn_judge *judge, const double *gamma, double *u, double *v) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    move_by(judge, gamma, &x);
    for (int i = 0; i < p->blocks && u != NULL; i++) {
        real w[CAIRN_BLOCK_DIM_MAX];
        slip_of(judge, &x, i, gamma, w, NULL);
        for (int r = 0; r < p->block[i].dim; r++)
            u[p->block_start[i] + r] = (double)w[r];
    }
    for (int j = 0; j < p->n && v != NULL; j++)
        v[j] = (double)x.v[j];
}
