/*
 * judge_contacts.h: the judge over contacts between rigid bodies, in two passes: bodies, then contacts.
 */
#ifndef CAIRN_PROBLEM_JUDGE_CONTACTS_H
#define CAIRN_PROBLEM_JUDGE_CONTACTS_H

#include "judge_tally.h"

typedef struct cairn_judge_contacts cairn_judge_contacts;

/* Bodies of six rows that H does not couple, H symmetric; blocks of at most three rows over one or two of them, none a polyhedral cone. */
bool cairn_judge_contacts_fit(const cairn_problem *problem);
/* The problem must fit and outlive the object. CAIRN_ERROR_NUMERICAL: H is not positive definite. */
cairn_status cairn_judge_contacts_create(const cairn_problem *problem, cairn_judge_contacts **out);
void cairn_judge_contacts_destroy(cairn_judge_contacts *contacts); /* NULL allowed */

/* All sums over the blocks for gamma (m), and the momentum of v (n; NULL: that of v^ rounded). u: NULL, or m velocities. quick: in double where that makes
 * no difference; v^ is then not there. Everything given is finite. Allocates nothing. CAIRN_ERROR_NUMERICAL: a solve with H stays inaccurate. */
cairn_status cairn_judge_contacts_run(cairn_judge_contacts *contacts, const double *v, const double *gamma, bool quick,
                                      double *u, cairn_judge_tally *sums, double *momentum);
/* v^ of the last run (n), which was not quick. */
const long double *cairn_judge_contacts_velocity(const cairn_judge_contacts *contacts);

/* Natural map of no impulses, to a few digits, as the last run that was not quick came by it; below zero: not known. */
double cairn_judge_contacts_idle(const cairn_judge_contacts *contacts);

/* cairn_judge_create without regard to this: for tests, which compare both. */
cairn_status cairn_judge_create_general(const cairn_problem *problem, cairn_judge **judge);

#endif
