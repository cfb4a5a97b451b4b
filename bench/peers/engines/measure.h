/*
 * measure.h: one run of one engine on one scene, and what is measured of it from poses alone, the same way for every engine.
 */
#ifndef CAIRN_ENGINES_MEASURE_H
#define CAIRN_ENGINES_MEASURE_H

#include "engine.h"

/* Written while the run goes on, so that a run that ends badly leaves what it reached. Lengths in m. */
typedef struct measures {
    double
        limit; /* seconds in the engine's step after which the run is cut, 0: none; the guard does not see processes that an engine has of its own */
    int made;  /* the engine could hold the scene */
    int finished; /* all steps were done and every pose was a number */
    int steps;    /* done */
    int lost;     /* a pose was not a number, a body was ten times farther than any should be, or the engine said so */
    double cpu;   /* seconds in the engine's step, all steps */
    double cpu_worst;         /* of the slowest step */
    double drift;             /* farthest that a body is from where it was at the start, at the end */
    double fall;              /* how much lower the watched body is than at the start, at the end */
    double highest;           /* most that the watched body was above its start */
    double depth, mean_depth; /* at the end: deepest overlap; mean over points that overlap */
    int overlaps;             /* such points */
    double joint_gap;         /* largest at any time */
    int contacts;             /* most in a step, as the engine counts them */
    int certified;            /* steps; -1: no certificates */
    double worst;
    double collide, assemble, solve;           /* seconds, all steps, as far as the engine tells */
    double creep, hop, slope_error, threshold; /* incline */
} measures;

/* Runs the scene in this process. number: as setting_make. */
void measure_run(const engine *e, const char *scene, double number, double step, measures *m);
/* Incline: creep at mu = .6, acceleration and hop at mu = .5, threshold by bisection. */
void measure_incline(const engine *e, measures *m);

#endif
