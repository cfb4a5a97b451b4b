/*
 * slip_term.h: the De Saxce term Phi(s) of the exact Coulomb law as [AKM 8] and [AC 2.5] renew it.
 */
#ifndef CAIRN_SOLVE_PAPERS_SLIP_TERM_H
#define CAIRN_SOLVE_PAPERS_SLIP_TERM_H

#include "solve/driver/method.h"

typedef struct cairn_slip_term {
    double *phi;  /* m: Phi(s) in use; 0 for the associated law and for s_update=none */
    double *next; /* m */
    double *work; /* m */
    bool any;     /* the problem has a term: exact law and a cone with friction */
    int renewals;
    int waited; /* tests since the last renewal */
} cairn_slip_term;

/* Memory from an arena, counting or real. */
void cairn_slip_term_layout(cairn_slip_term *term, cairn_arena *arena, const cairn_problem *problem);

/* s = 0. */
void cairn_slip_term_begin(const cairn_run *run, cairn_slip_term *term);

/* Will the two functions below read u? done: the method's own test is met. */
bool cairn_slip_term_reads(const cairn_run *run, const cairn_slip_term *term, bool done);

/* stop=paper, once per iteration; done: the method's own test is met; u: m, slip of the iterate.
 * True: the paper would stop. *fresh becomes true when an outer problem begins with a new s. */
bool cairn_slip_term_paper(const cairn_run *run, cairn_slip_term *term, bool done, const double *u, bool *fresh);

/* stop=certificate, once per iteration; tested: gamma (m) was just tested, so that run->u is its
 * slip. True: s_update=none has solved the associated problem to the tolerance and has no more
 * to offer. */
bool cairn_slip_term_certificate(const cairn_run *run, cairn_slip_term *term, bool tested, const double *gamma,
                                 const double *u, bool *fresh);

/* Ends the run: the method's own test is met, the certificate's is not. */
void cairn_slip_term_end(cairn_run *run, const cairn_slip_term *term);

#endif
