/*
 * measure_quick.c: the filter: the measurement in double, where H couples no bodies. Its bound of rounding is that of measure.h with eps = 2^-52: what it tells is never below the truth, so an
 * answer that it lets pass needs no other word. Here G is the inverse rounded to double, off by eps/2 |G| more.
 */
#include "judge/judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef double real;
#define real_sqrt                    sqrt
#define real_abs                     fabs
#define REAL_EPSILON                 DBL_EPSILON
#define REAL_LEAST                   1e-280
#define INVERSE(judge, at)           ((judge)->mass.rounded[at])
#define PASS                         CAIRN_CLONES
#define MEASURE                      measure_all
#define FREE                         find_free
#define VELOCITIES                   find_velocities
#define move_coupled(judge, vectors) CAIRN_ASSERT(false)

typedef double quad __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));

/* Six numbers: four and two. */
typedef struct six {
    quad a;
    pair b;
} six;

CAIRN_INLINE six six_at(const double *x) {
    six y;
    memcpy(&y.a, x, sizeof y.a);
    memcpy(&y.b, x + 4, sizeof y.b);
    return y;
}

CAIRN_INLINE void put_six(double *to, const six *x) {
    memcpy(to, &x->a, sizeof x->a);
    memcpy(to + 4, &x->b, sizeof x->b);
}

CAIRN_INLINE six sizes_of(const six *x) {
    int64_t all[4] __attribute__((aligned(32))) = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}; /* all but the sign */
    typedef int64_t bits4 __attribute__((vector_size(32)));
    typedef int64_t bits2 __attribute__((vector_size(16)));
    bits4 four;
    bits2 two;
    memcpy(&four, all, sizeof four);
    memcpy(&two, all, sizeof two);
    return (six){(quad)((bits4)x->a & four), (pair)((bits2)x->b & two)};
}

/* The sum of the six. */
CAIRN_INLINE double sum_of(const six *x) {
    pair low, high;
    memcpy(&low, &x->a, sizeof low);
    memcpy(&high, (const double *)&x->a + 2, sizeof high);
    low = (low + high) + x->b;
    return low[0] + low[1];
}

/* A contact of one body or two: three rows of D over each. */
CAIRN_INLINE void rigid_slip(const cairn_problem *p, int i, const double *v, const double *e, double *w, double *size) {
    const cairn_body_blocks *B = &p->body;
    const int *touch = B->touch + B->touch_start[i], count = B->rigid[i];
    const int x = p->body_start[touch[0]], y = p->body_start[touch[count - 1]];
    const double *d = B->dense + B->dense_start[i];
    six vx = six_at(v + x), vy = six_at(v + y), ex = vx, ey = vy;
    if (e != NULL) {
        ex = six_at(e + x);
        ey = six_at(e + y);
    }
    for (int r = 0; r < 3; r++, d += 6 * count) {
        six first = six_at(d), sum = {first.a * vx.a, first.b * vx.b};
        six first_size = sizes_of(&first), sizes = {first_size.a * ex.a, first_size.b * ex.b};
        if (count > 1) {
            six second = six_at(d + 6), second_size = sizes_of(&second);
            sum = (six){sum.a + second.a * vy.a, sum.b + second.b * vy.b};
            sizes = (six){sizes.a + second_size.a * ey.a, sizes.b + second_size.b * ey.b};
        }
        w[r] = sum_of(&sum);
        if (e != NULL)
            size[r] = sum_of(&sizes);
    }
}

CAIRN_INLINE void rigid_load(const cairn_problem *p, int i, const double *g, double *load, double *size) {
    const cairn_body_blocks *B = &p->body;
    const double *d = B->dense + B->dense_start[i];
    const int bodies = B->rigid[i];
    for (int t = 0; t < bodies; t++, d += 6) {
        const int first = p->body_start[B->touch[B->touch_start[i] + t]];
        six x = six_at(d), y = six_at(d + 6 * bodies), z = six_at(d + 12 * bodies);
        six sum = six_at(load + first), sizes = six_at(size + first);
        x = (six){x.a * g[0], x.b * g[0]};
        y = (six){y.a * g[1], y.b * g[1]};
        z = (six){z.a * g[2], z.b * g[2]};
        sum = (six){sum.a + ((x.a + y.a) + z.a), sum.b + ((x.b + y.b) + z.b)};
        x = sizes_of(&x);
        y = sizes_of(&y);
        z = sizes_of(&z);
        sizes = (six){sizes.a + ((x.a + y.a) + z.a), sizes.b + ((x.b + y.b) + z.b)};
        put_six(load + first, &sum);
        put_six(size + first, &sizes);
    }
}

static void measure_all(cairn_judge *judge, bool as_given, const double *hint, const double *gamma);
static void find_free(cairn_judge *judge);
static void find_velocities(cairn_judge *judge, const double *gamma, double *u, double *v);

#include "judge/measure.h"

bool cairn_judge_measure_quick(cairn_judge *judge, bool as_given, const double *hint, const double *gamma) {
    bool may = !judge->mass.coupled && !judge->odd && cairn_within(1e100, judge->problem->m, gamma);
    if (may)
        measure_all(judge, as_given, hint, gamma);
    return may;
}

bool cairn_judge_free_quick(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    bool may = !judge->mass.coupled && !judge->odd && cairn_within(1e100, p->n, p->k) &&
               cairn_within(1e100, p->m, p->b);
    if (may)
        find_free(judge);
    for (int c = 0; c < judge->components; c++)
        may = may && (judge->free[c] == 0.0 || judge->free[c] > 1e-100);
    return may;
}

void cairn_judge_velocities_quick(cairn_judge *judge, const double *gamma, double *u, double *v) {
    find_velocities(judge, gamma, u, v);
}
