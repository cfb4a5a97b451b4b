/*
 * judge.h: the inside of a judge. docs/certificate.md says what it promises.
 *
 *     judge.c           loading, limits, the decision
 *     mass.c            inverses of the bodies' blocks of H, a factor where H couples bodies, scales n_i
 *     graph.h           points on the graphs of the laws
 *     measure.h         the backward error, with a bound of its own rounding, for one kind of number:
 *     measure_exact.c   in long double: the reference
 *     measure_quick.c   in double: the filter, which speaks first where H couples no bodies
 *
 * The layer reads a problem (src/problem) and nothing of src/sets or src/solve.
 */
#ifndef CAIRN_JUDGE_JUDGE_H
#define CAIRN_JUDGE_JUDGE_H

#include "linalg/factor/factor_cache.h"
#include "problem/problem_data.h"
#include "problem/mass_components.h"

#include <math.h>

/* H^-1 as the judge knows it. */
typedef struct cairn_judge_mass {
    int64_t *start;               /* bodies: where a body's block begins in the arrays below */
    long double *inverse;         /* G: the body's own block of H, inverted */
    double *rounded;              /* the same in double */
    double *loose;                /* n: z, |H_b^-1 - G|_jl <= z_j z_l */
    bool coupled;                 /* H has entries outside the bodies' blocks */
    cairn_factor *factor;         /* of such an H, once it was needed */
    cairn_factor_cache cache;     /* of the factor before it: its order, on which no result depends */
    cairn_mass_components pieces; /* bodies that it couples */
    double *reach;                /* n: largest |entry| of a row of D, 1 where there is none; where H couples bodies */
} cairn_judge_mass;

struct cairn_judge {
    cairn_context *context;
    const cairn_problem *problem;
    cairn_arena arena; /* holds all that follows */
    cairn_judge_mass mass;
    double *scale;           /* blocks: n_i, 1/kg, once points near by were asked for: scaled */
    int *component, *parent; /* bodies, then blocks: see problem/components.h */
    int components;          /* with blocks; 0: not known yet */
    int *left;               /* bodies: blocks that have no point yet, within a measurement */
    bool odd;                /* there are sets that are known by their projection alone: the filter does not speak */
    int widest, tallest;     /* most columns and most rows of a block */
    /* the free motion, while k and b hold the bits they had */
    double *k, *b, *free; /* n, m; components: s, the largest free velocity */
    double *grain;        /* components: 16 eps of the terms that the free velocities are summed from */
    bool has_free, scaled;
    bool answered;                 /* there is a last answer */
    double *gamma, *u, *shift, *v; /* m, m, m, n: g', u', Delta b, v' */
    double *error, *turning;       /* blocks: |Delta b| of rows in m/s and in rad/s, rounding included */
    double *rounding;              /* blocks: the part of it that bounds rounding */
    double momentum;               /* bound of |H^-1 Delta k| where H couples bodies, m/s; else 0 */
    size_t answer_size;            /* bytes from gamma to the end of rounding */
    void *other;                   /* another answer, while a second one is measured */
    double spare;      /* m/s: momentum that is no more than this needs no factor, and v is taken as it was given */
    double *packed;    /* n */
    double *kept;      /* m */
    long double *work; /* 5 n + 3 m */
};

/* Inverses of judge->problem; the arena is laid out. CAIRN_ERROR_NUMERICAL: H is not positive definite. */
cairn_status cairn_judge_mass_make(cairn_judge *judge);
void cairn_judge_mass_free(cairn_judge *judge);
/* A factor of H where it couples bodies, unless it is there. */
cairn_status cairn_judge_mass_factor(cairn_judge *judge);
/* v = H^-1 x (n) by the factor, refined against H; size (n): a bound of what rounding leaves in x. Returns a bound of |H^-1 (x - H v)|, m/s. */
long double cairn_judge_mass_solve(cairn_judge *judge, const long double *x, const long double *size, long double *v);

/* Takes points, measures them and fills the last answer. as_given: with the impulses as they are; else near (gamma, D'v + C gamma + b), v = hint or, where that is NULL,
 * H^-1 (k + D gamma). */
void cairn_judge_measure_exact(cairn_judge *judge, bool as_given, const double *hint, const double *gamma);
/* The largest free velocities, and the sizes of their terms, of each component: free and grain. */
void cairn_judge_free_exact(cairn_judge *judge);
/* The same by the filter. False: it does not speak where H couples bodies, of sets known by their projection alone, and where squares might be no numbers. */
bool cairn_judge_measure_quick(cairn_judge *judge, bool as_given, const double *hint, const double *gamma);
bool cairn_judge_free_quick(cairn_judge *judge);
/* u = D'v + C gamma + b (m) and v = H^-1 (k + D gamma) (n); either may be NULL, and so may gamma: 0. */
void cairn_judge_velocities(cairn_judge *judge, const double *gamma, double *u, double *v);
void cairn_judge_velocities_quick(cairn_judge *judge, const double *gamma, double *u, double *v);

/* Fills the certificate but for what only a report has. The arguments are those of cairn_judge_ask, and legal. */
cairn_status cairn_judge_decide(cairn_judge *judge, const cairn_question *question, cairn_certificate *certificate);
/* What a velocity of a body, or of block i at bodies + i, is held against, m/s; own: a velocity that the limit is relative to as well. */
double cairn_judge_limit(const cairn_judge *judge, const cairn_limits *limits, int i, double own);

/* Figure over limit: at most 1 passes. Nothing is within a limit of 0 but 0. */
static inline double cairn_judge_over(double figure, double limit) {
    return figure == 0.0 ? 0.0 : limit > 0.0 ? figure / limit : (double)INFINITY;
}

/* The larger; a NAN stays. */
static inline double cairn_judge_raise(double x, double y) {
    return x <= y ? y : x;
}

#endif
