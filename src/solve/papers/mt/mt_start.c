/*
 * mt_start.c: the starting points of [MT (21)] and [MT (22)], and the lift of a full warm start
 * [MT 4.2].
 *
 * [MT] takes the last answer of a time step as it is; an answer given as impulses alone has exact
 * zeros, so it is lifted.
 */
#include "solve/papers/mt/mt_start.h"

#include <math.h>

void cairn_start_dapuzzo(int count, const double *slack, double *y, double *lambda) {
    for (int i = 0; i < count; i++) {
        y[i] = fmax(1.0, slack[i]);
        lambda[i] = 1.0 / y[i];
    }
}

void cairn_start_nocedal(int count, const double *dy, const double *dlambda, double *y, double *lambda) {
    for (int i = 0; i < count; i++) {
        y[i] = fmax(1.0, fabs(y[i] + dy[i]));
        lambda[i] = fmax(1.0, fabs(lambda[i] + dlambda[i]));
    }
}

void cairn_start_lift(int count, double level, double *y, double *lambda) {
    for (int i = 0; i < count; i++) {
        y[i] = fmax(level, y[i]);
        lambda[i] = fmax(level, lambda[i]);
    }
}
