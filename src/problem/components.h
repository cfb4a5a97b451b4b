/*
 * components.h: bodies and blocks that nothing connects with others: problems of their own.
 */
#ifndef CAIRN_PROBLEM_COMPONENTS_H
#define CAIRN_PROBLEM_COMPONENTS_H

#include "problem/problem_data.h"

/* component (bodies, then blocks): numbers from 0 in the order of the blocks, then of bodies
 * that no block touches. Returns how many hold a block. parent: work of the same size. */
int cairn_components_find(const cairn_problem *problem, int *parent, int *component);

#endif
