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
#define move_coupled(judge, vectors) CAIRN_ASSERT(false)

#include "measure.h"

void cairn_judge_measure_quick(cairn_judge *judge, bool as_given, const double *hint, const double *gamma) {
    measure(judge, as_given, hint, gamma);
}
