/*
 * measure_quick.c: the filter: the measurement in double, where H couples no bodies. Its bound of rounding is that of measure.h with eps = 2^-52: what it tells is never below the truth, so an
 * answer that it lets pass needs no other word. Here G is the inverse rounded to double, off by eps/2 |G| more.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef double real;
#define real_sqrt                    sqrt
#define real_abs                     fabs
#define REAL_EPSILON                 DBL_EPSILON
#define REAL_LEAST                   1e-280
#define INVERSE(judge, at)           ((judge)->mass.rounded[at])
#define SLACK(judge, at)             ((judge)->mass.loose[at])
#define PASS                         CAIRN_CLONES
#define MEASURE                      cairn_judge_measure_quick
#define move_coupled(judge, vectors) CAIRN_ASSERT(false)

static inline double six(const double *d, const double *x) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++)
        sum += d[j] * x[j];
    return sum;
}

static inline double six_sizes(const double *d, const double *x) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++)
        sum += fabs(d[j]) * x[j];
    return sum;
}

static inline void rigid_slip(const cairn_problem *p, int i, const double *v, const double *e, double *w,
                              double *size) {
    const cairn_body_blocks *B = &p->body;
    const int *touch = B->touch + B->touch_start[i];
    int count = B->rigid[i], x = p->body_start[touch[0]], y = p->body_start[touch[count - 1]];
    const double *d = B->dense + B->dense_start[i];
    for (int r = 0; r < 3; r++, d += 6 * count)
        w[r] = six(d, v + x) + (count > 1 ? six(d + 6, v + y) : 0.0);
    d = B->dense + B->dense_start[i];
    for (int r = 0; r < 3 && e != NULL; r++, d += 6 * count)
        size[r] = six_sizes(d, e + x) + (count > 1 ? six_sizes(d + 6, e + y) : 0.0);
}

static inline void rigid_load(const cairn_problem *p, int i, const double *g, double *load, double *size) {
    const cairn_body_blocks *B = &p->body;
    const double *d = B->dense + B->dense_start[i];
    int bodies = B->rigid[i];
    for (int t = 0; t < bodies; t++, d += 6) {
        int first = p->body_start[B->touch[B->touch_start[i] + t]];
        for (int j = 0; j < 6; j++) {
            double x = d[j] * g[0], y = d[j + 6 * bodies] * g[1], z = d[j + 12 * bodies] * g[2];
            load[first + j] += (x + y) + z;
            size[first + j] += (fabs(x) + fabs(y)) + fabs(z);
        }
    }
}

#include "measure.h"
