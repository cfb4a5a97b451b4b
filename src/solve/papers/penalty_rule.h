/*
 * penalty_rule.h: a first penalty or step from the matrices [AKM (34)-(37)], [AC (13)-(19)].
 */
#ifndef CAIRN_SOLVE_PAPERS_PENALTY_RULE_H
#define CAIRN_SOLVE_PAPERS_PENALTY_RULE_H

#include "solve/driver/method.h"

/* Why the rule cannot be had for this problem, or NULL. */
const char *cairn_penalty_refuses(const cairn_problem *problem, cairn_penalty_rule rule);

/* value > 0. Allocates, and frees again. CAIRN_ERROR_UNSUPPORTED, with a message, where the
 * matrices are too large. */
cairn_status cairn_penalty_value(const cairn_run *run, cairn_penalty_rule rule, double *value);

#endif
