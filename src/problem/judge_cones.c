/*
 * judge_cones.c: projection, distance and support function of every set, by geometry in the meridian plane.
 *
 * Symbols: x = (x_N, x_T) a point of a block, t = |x_T|; e = (e_N, e_T) direction of a cone's slant in the half
 * plane (N, t >= 0); lambda place along the slant; sigma support function; u velocity, d = -u. [theory 1], table
 * "Sets and their projections".
 *
 * A cone of revolution is a wedge of that half plane between the normal axis and the ray lambda e, lambda >= 0:
 *     Coulomb cone   e = (1, mu)        dual cone   e = (mu, 1)
 * and the nearest point of a point outside lies on the ray, at lambda = max(0, e'(x_N, t) / e'e). Neither form
 * divides by mu, and t = 0 needs no direction: mu = 0 and points on the axis are ordinary cases. A cap cuts the ray
 * at lambda = cap and adds the lid x_N = cap; adhesion moves the apex to x_N = -adhesion.
 *
 * Not checked: parameters (lo <= hi, mu >= 0, ...), which the problem checked when it was made, and what the
 * user's callbacks do.
 */
#include "judge_cones.h"

#include <math.h>
#include <string.h>

long double cairn_judge_norm(int dim, const long double *x) {
    long double largest = 0.0L, sum = 0.0L;
    for (int i = 0; i < dim; i++) {
        if (!isfinite(x[i]))
            return INFINITY;
        if (fabsl(x[i]) > largest)
            largest = fabsl(x[i]);
    }
    if (largest == 0.0L)
        return 0.0L;
    for (int i = 0; i < dim; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrtl(sum);
}

/* ---- wedges: cones of revolution in the half plane (N, t) ------------------------------------------------ */

typedef struct meridian {
    long double N, t; /* place along the axis, distance from it */
} meridian;

static meridian fold(int dim, const long double *x) {
    return (meridian){x[0], dim == 2 ? fabsl(x[1]) : hypotl(x[1], x[2])};
}

static meridian slant_of(const cairn_block *block) {
    if (block->set == CAIRN_SET_DUAL_CONE)
        return (meridian){block->mu, 1.0L};
    return (meridian){1.0L, block->mu};
}

static bool inside_wedge(meridian e, meridian x) {
    return x.N >= 0.0L && x.t * e.N <= x.N * e.T_PLACEHOLDER;
}
