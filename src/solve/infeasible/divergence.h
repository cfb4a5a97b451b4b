/*
 * divergence.h: when iterates run away, is that a proof that no answer exists?
 */
#ifndef CAIRN_SOLVE_INFEASIBLE_DIVERGENCE_H
#define CAIRN_SOLVE_INFEASIBLE_DIVERGENCE_H

#include "solve/driver/method.h"

/* Remembers an iterate and looks again when the number of iterations has doubled. */
typedef struct cairn_divergence {
    double *from;      /* m: gamma when last looked at */
    double *direction; /* m */
    double *work;      /* m */
    double first;      /* largest |gamma| of the first look */
    int next;          /* iteration of the next look */
} cairn_divergence;

/* Memory for m rows; on failure free it all the same. */
cairn_status cairn_divergence_create(cairn_context *context, int m, cairn_divergence *growth);
void cairn_divergence_free(cairn_context *context, cairn_divergence *growth);

void cairn_divergence_begin(cairn_divergence *growth, const cairn_run *run, const double *gamma);

/* False: stop, run->outcome says why (infeasible, or numbers that are not finite). Call once an
 * iteration. */
bool cairn_divergence_check(cairn_divergence *growth, cairn_run *run, const double *gamma);

#endif
