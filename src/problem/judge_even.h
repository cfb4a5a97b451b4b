/*
 * judge_even.h: of the contacts that judge_contacts.c judges, those for which double is as good as long double.
 */
#ifndef CAIRN_PROBLEM_JUDGE_EVEN_H
#define CAIRN_PROBLEM_JUDGE_EVEN_H

#include "judge_tally.h"

typedef struct cairn_judge_even {
    const double *root;     /* n: 1/sqrt(H_ii); NULL: scale is there */
    const double *v, *free; /* n: v^ and H^-1 k, correctly rounded or nearly so */
    bool has_scale;         /* else scale is filled */
    bool has_free;          /* else what belongs to k and b alone is summed up */
    long double *scale;     /* blocks: n_i */
    int *odd;               /* blocks, out: contacts that are left, in their order */
} cairn_judge_even;

/* Every block is a plain cone in space. Sums and largest squares over the even contacts into sums, which nothing was added to yet (residual, gamma, u, slip: squares; the others
 * are told), those of k and b over all contacts into kept. u: NULL, or the slips of the even contacts out. Returns how many are odd; below zero: too many, or scales or
 * free slips at the ends of the range of double, and nothing of what was written counts. */
int cairn_judge_even_run(const cairn_problem *problem, const cairn_judge_even *even, const double *gamma, double *u,
                         cairn_judge_tally *sums, cairn_judge_tally *kept);

#endif
