/*
 * anderson.h: Anderson acceleration of a fixed-point iteration x <- x + f(x), with a safeguard.
 */
#ifndef CAIRN_SOLVE_ADMM_ANDERSON_H
#define CAIRN_SOLVE_ADMM_ANDERSON_H

#include "base/core.h"

#define CAIRN_ANDERSON_MAX 50

typedef struct cairn_anderson {
    int memory, size;        /* columns at most, rows */
    int count, next;         /* columns held, where the next goes */
    bool have_last;          /* x_last, f_last hold the iterate before */
    bool trial;              /* the current x is an accelerated one, on probation */
    double reference;        /* |f| of the last iterate that was kept */
    double probation;        /* |f| may grow by this factor at an accelerated point; INFINITY: no safeguard */
    double *dx, *df;         /* memory x size: differences of x and f, weighted */
    double *x_last, *f_last; /* size */
    double *plain;           /* size: the plain step from the last kept iterate */
    double *gram;            /* memory x memory: df'df */
    double *system;          /* memory x memory */
    double *coefficient;     /* memory */
} cairn_anderson;

/* Takes memory from the arena (counting or real). memory may be 0. */
void cairn_anderson_layout(cairn_anderson *a, cairn_arena *arena, int memory, int size);
void cairn_anderson_reset(cairn_anderson *a);
/* x (size, in/out) and f = step of the plain iteration at x; weight: diagonal of the norm. x
 * becomes the next point to evaluate: accelerated, plain, or the plain step before a trial that
 * failed. */
void cairn_anderson_step(cairn_anderson *a, const double *weight, double *x, const double *f);

#endif
