/*
 * analysis.h: parts of cairn_problem_analyze for those who need only one.
 */
#ifndef CAIRN_PROBLEM_ANALYSIS_ANALYSIS_H
#define CAIRN_PROBLEM_ANALYSIS_ANALYSIS_H

#include "problem/problem_data.h"

typedef enum cairn_spectrum {
    CAIRN_SPECTRUM_H,    /* least and largest eigenvalue of H */
    CAIRN_SPECTRUM_N,    /* the same of N on its range; dense work */
    CAIRN_SPECTRUM_N_MAX /* the largest of N, by a Lanczos run: a lower bound, mostly sharp */
} cairn_spectrum;

/* NAN for what there is not or is out of reach. Allocates, and frees again. */
cairn_status cairn_problem_spectrum(const cairn_problem *problem, cairn_spectrum part, double *least, double *largest);

#endif
