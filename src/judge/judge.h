/*
 * judge.h: the inside of a judge. docs/certificate.md says what it promises.
 *
 *     judge.c           the public questions; components, scales, limits, report
 *     mass.c            inverses of the bodies' blocks of H, a factor where H couples bodies, scales n_i
 *     graph.h           points on the graphs of the laws
 *     measure.h         the backward error, with a bound of its own rounding, for one kind of number:
 *     measure_exact.c   in long double: the reference
 *     measure_quick.c   in double: the filter, which speaks first where H couples no bodies
 *
 * The layer reads a problem (src/problem/data.h) and nothing of src/sets or src/solve.
 */
#ifndef CAIRN_JUDGE_JUDGE_H
#define CAIRN_JUDGE_JUDGE_H

#include "../linalg/factor.h"
#include "../problem/data.h"
#include "../problem/pieces.h"

/* H^-1 as the judge knows it. */
typedef struct cairn_judge_mass {
    int64_t *start;       /* bodies + 1: where a body's block begins in the arrays below */
    long double *inverse; /* G: the body's own block of H, inverted */
    long double *slack; /* p eps |G| + |H_b^-1 - G| at most: rounding of v' by the sizes of its terms, see measure.h */
    double *rounded, *loose; /* both in double, which adds to the second */
    bool coupled;            /* H has entries outside the bodies' blocks */
    cairn_factor *factor;    /* of such an H, once it was needed */
    cairn_pieces pieces;     /* bodies that it couples */
    double *reach;           /* n: largest |entry| of a row of D, 1 where there is none; where H couples bodies */
    int entries;             /* most entries in a row of the factor's pattern */
} cairn_judge_mass;

struct cairn_judge {
    cairn_context *context;
    const cairn_problem *problem;
    cairn_arena arena; /* holds all that follows */
    cairn_judge_mass mass;
    double *scale;  /* blocks: n_i, 1/kg */
    int *component; /* bodies, then blocks: group that nothing connects with others; with the free motion alone */
    int components; /* with blocks; 0: not known yet */
    int others;     /* all, bodies alone included */
    int *parent;    /* bodies and blocks */
    int *terms;     /* bodies: numbers that a row of D gamma is summed from */
    bool odd;       /* there are sets that are known by their projection alone: the filter does not speak */
    int widest;     /* columns of the widest block */
    /* the free motion, while k and b hold the bits they had */
    double *k, *b, *free; /* n, m; components: s, the largest free velocity */
    double *grain;        /* components: 16 eps of the terms that the free velocities are summed from */
    bool has_free;
    /* the last answer */
    double *gamma, *u, *shift, *v; /* m, m, m, n: g', u', Delta b, v' */
    double *error, *turning;       /* blocks: |Delta b| of rows in m/s and in rad/s, rounding included */
    double *rounding;              /* blocks: the part of it that bounds rounding */
    double spare;         /* m/s: momentum that is no more than this needs no factor, and v is taken as it was given */
    double momentum;      /* bound of |H^-1 Delta k| where H couples bodies, m/s; else 0 */
    double *packed;       /* n: right-hand side of the factor */
    double *kept;         /* m: impulses of points that may still be the better ones */
    unsigned char *state; /* blocks: where on its graph a point lies, see graph.h */
    long double *work;    /* 5 n + 3 m */
};

/* Inverses, factor and scales of judge->problem; the arena is laid out. CAIRN_ERROR_NUMERICAL: H is not positive definite. */
cairn_status cairn_judge_mass_make(cairn_judge *judge);
void cairn_judge_mass_free(cairn_judge *judge);
/* mass.reach. */
void cairn_judge_reach(cairn_judge *judge);
/* A factor of H that couples bodies, unless it is there. */
cairn_status cairn_judge_mass_factor(cairn_judge *judge);
/* A bound of |H^-1 (x - H v)|, m/s, size as below. work: n. */
long double cairn_judge_mass_left(cairn_judge *judge, const long double *x, const long double *size,
                                  const long double *v, long double *work);
/* v = H^-1 x (n) by the factor, refined against H; size (n): a bound of what rounding leaves in k + D gamma. Returns a bound of |H^-1 (x - H v)|, m/s. work: 2 n. */
long double cairn_judge_mass_solve(cairn_judge *judge, const long double *x, const long double *size, long double *v,
                                   long double *work);

/* Takes points, measures them and fills the last answer. as_given: with the impulses as they are; else near (gamma, D'v + C gamma + b), v = hint or, where that is NULL,
 * H^-1 (k + D gamma). */
void cairn_judge_measure_exact(cairn_judge *judge, bool as_given, const double *hint, const double *gamma);
void cairn_judge_measure_quick(cairn_judge *judge, bool as_given, const double *hint, const double *gamma);
/* The largest free velocities, and the sizes of their terms, of each component: free and grain. */
void cairn_judge_measure_free(cairn_judge *judge);
/* The first edition's figures of the last answer, for readers of old reports: natural map, scaled, plain and with round cones. */
void cairn_judge_natural_maps(cairn_judge *judge, double *scaled, double *plain, double *round);
/* Largest distance of v (n) from H^-1 (k + D gamma), m/s, each row by the largest entry of D in it. *excess: over relative s_c of the row's component, or absolute. */
double cairn_judge_motion(cairn_judge *judge, const double *v, const double *gamma, const cairn_limits *limits,
                          double *excess);
/* u = D'v + C gamma + b (m) and v = H^-1 (k + D gamma) (n); either may be NULL. */
void cairn_judge_velocities(cairn_judge *judge, const double *gamma, double *u, double *v);
/* Largest change of a block's velocity D'v + C gamma from the impulses gamma to those of the last answer, m/s; *excess as above. */
double cairn_judge_moved(cairn_judge *judge, const double *gamma, const cairn_limits *limits, double *excess);

#endif
