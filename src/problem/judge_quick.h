/*
 * judge_quick.h: the judge over contacts between balls and other bodies whose H is diagonal, in double, for answers far above rounding.
 */
#ifndef CAIRN_PROBLEM_JUDGE_QUICK_H
#define CAIRN_PROBLEM_JUDGE_QUICK_H

#include "judge_tally.h"

/* Vectors of a run: n numbers each. */
typedef struct cairn_judge_quick {
    const double *root; /* 1/sqrt(H_ii) */
    double *v, *free;   /* out: v^, H^-1 k */
} cairn_judge_quick;

/* Is every block a plain cone in space? The problem fits judge_contacts.h and its H is diagonal. */
bool cairn_judge_quick_fits(const cairn_problem *problem);

/* As cairn_judge_contacts_run, sums not yet touched. False: rounding of double may matter in a figure, nothing of what was written counts. u may have been
 * written all the same. */
bool cairn_judge_quick_run(const cairn_problem *problem, const cairn_judge_quick *quick, const double *v,
                           const double *gamma, double *u, cairn_judge_tally *sums, double *momentum);

#endif
