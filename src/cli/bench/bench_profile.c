/*
 * bench_profile.c: performance profiles of Dolan and More: the share of problems that a method
 * solves within tau times the cost of the best method on each of them.
 *
 *     r[p,s] = t[p,s] / min_s t[p,s]          rho_s(tau) = |{p : r[p,s] <= tau}| / problems
 *
 * A problem that no method solved stays in the count: no curve then reaches 1. A cost of 0 counts
 * as the best, and as infinitely worse for those above it, unless all are 0.
 */
#include "cli/bench/bench.h"

#include <math.h>

void bench_profile_ratios(int problems, int methods, const double *t, double *ratio) {
    for (int p = 0; p < problems; p++) {
        double best = INFINITY;
        for (int s = 0; s < methods; s++)
            best = fmin(best, t[p * methods + s]);
        for (int s = 0; s < methods; s++) {
            double cost = t[p * methods + s];
            ratio[p * methods + s] = !isfinite(cost) ? INFINITY : cost <= best ? 1.0 : cost / best;
        }
    }
}

double bench_profile_share(int problems, int methods, const double *ratio, int method, double tau) {
    int within = 0;
    for (int p = 0; p < problems; p++)
        within += ratio[p * methods + method] <= tau;
    return problems > 0 ? (double)within / problems : 0.0;
}
