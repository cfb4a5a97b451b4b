/*
 * natural_map.c: the natural map of a point, relative [theory 7].
 */
#include "problem/natural_map.h"

#include "sets/sets.h"

#include <math.h>

/* u~ = u + Phi(u): mu |u_T| in the normal slot under Coulomb's law, mu max_j -d_j'u_T with a
 * polygon. */
static double lift(const cairn_block *block, cairn_law law, const double *u) {
    bool round = block->set == CAIRN_SET_CONE;
    if (law != CAIRN_LAW_COULOMB || block->mu == 0.0 || !(round || block->set == CAIRN_SET_POLY_CONE))
        return 0.0;
    return block->mu * (!round ? cairn_poly_speed(block, u) : block->dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]));
}

double cairn_natural_map(const cairn_problem *p, const double *scale, bool round, const double *r, const double *gamma,
                         const double *u) {
    double map = 0.0, load = 0.0, impulse = 0.0, slip = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        cairn_block block = p->block[i];
        int first = p->block_start[i];
        double z[CAIRN_BLOCK_DIM_MAX], q[CAIRN_BLOCK_DIM_MAX], n = scale != NULL ? scale[i] : 1.0;
        if (round && block.set == CAIRN_SET_POLY_CONE)
            block.set = CAIRN_SET_CONE;
        for (int j = 0; j < block.dim; j++)
            z[j] = gamma[first + j] - (u[first + j] + (j == 0 ? lift(&block, p->law, u + first) : 0.0)) / n;
        cairn_set_get(block.set)->project(&block, z, q);
        for (int j = 0; j < block.dim; j++) {
            double g = gamma[first + j], d = g - q[j];
            map += n * d * d;
            impulse += n * g * g;
            slip += u[first + j] * u[first + j] / n;
            load += r[first + j] * r[first + j] / n;
        }
    }
    double figure = sqrt(map / fmax(load, fmax(impulse, slip)));
    return map == 0.0 ? 0.0 : isfinite(figure) ? figure : (double)INFINITY;
}
