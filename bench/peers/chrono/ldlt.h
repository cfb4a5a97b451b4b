/*
 * ldlt.h: times Eigen's SimplicialLDLT on a matrix given by compressed columns.
 */
#ifndef CAIRN_CHRONO_LDLT_H
#define CAIRN_CHRONO_LDLT_H

#ifdef __cplusplus
extern "C" {
#endif

/* CPU seconds of the symbolic analysis, of one factorisation and of one solve; the best of some. False: it has no factor. */
int ldlt_time(int size, const int *start, const int *index, const double *value, double *analyze, double *factor,
              double *solve);

#ifdef __cplusplus
}
#endif
#endif
