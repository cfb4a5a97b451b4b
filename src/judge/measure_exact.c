/*
 * measure_exact.c: the reference: the measurement in long double, which has 64 bits of mantissa on x86. Where it has 53 all stays true, and less is certified.
 */
#include "judge/judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;
#define real_sqrt          sqrtl
#define real_abs           fabsl
#define REAL_EPSILON       LDBL_EPSILON
#define REAL_LEAST         1e-600L
#define INVERSE(judge, at) ((judge)->mass.inverse[at])
#define PASS
#define MEASURE    cairn_judge_measure_exact
#define FREE       cairn_judge_free_exact
#define VELOCITIES cairn_judge_velocities
#define rigid_slip block_slip
#define rigid_load block_load

struct vectors;
static void move_coupled(cairn_judge *judge, struct vectors *x);

#include "judge/measure.h"

/* H couples bodies: v' of the factor, refined; what is left is a share of momentum that is measured by itself. */
static void move_coupled(cairn_judge *judge, vectors *x) {
    const cairn_problem *p = judge->problem;
    for (int j = 0; j < p->n; j++)
        x->e[j] *= terms_of(judge, p->body.body_of[j]) * REAL_EPSILON;
    long double left = cairn_judge_mass_solve(judge, x->load, x->e, x->v);
    judge->momentum = isfinite(left) ? (double)left : (double)INFINITY;
    for (int j = 0; j < p->n; j++)
        x->e[j] = (judge->widest + 4) * REAL_EPSILON * real_abs(x->v[j]);
}
