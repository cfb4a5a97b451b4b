/*
 * judge_sparse.c: brings H [theory 1 (1)] into the form the sparse factor asks for: the pattern of
 * H + H' + I, values of H on it.
 *
 * H is stored by compressed columns with sorted rows and may lack the mirror of an entry when it is unsymmetric. The
 * mirror is then an explicit zero. Where nothing is lacking H is used as it is.
 */
#include "judge_sparse.h"

/* Pattern and values on the way to the factor; freed when the factor is made. */
typedef struct symmetric_pattern {
    int *start, *index, *mirror_start, *mirror_index; /* n + 1, entries, n + 1, entries */
    double *value;                                    /* entries */
} symmetric_pattern;

static void free_pattern(cairn_context *context, symmetric_pattern *pattern) {
    cairn_free(context, pattern->start);
    cairn_free(context, pattern->index);
    cairn_free(context, pattern->mirror_start);
    cairn_free(context, pattern->mirror_index);
    cairn_free(context, pattern->value);
}

static cairn_status take_memory(const cairn_problem *problem, symmetric_pattern *pattern) {
    cairn_context *context = problem->context;
    size_t n = (size_t)problem->n, entries = (size_t)problem->A.start[problem->n];
    pattern->start = cairn_alloc(context, n + 1, sizeof *pattern->start);
    pattern->index = cairn_alloc(context, 2 * entries + n, sizeof *pattern->index);
    pattern->mirror_start = cairn_alloc(context, n + 1, sizeof *pattern->mirror_start);
    pattern->mirror_index = cairn_alloc(context, entries, sizeof *pattern->mirror_index);
    pattern->value = cairn_alloc(context, 2 * entries + n, sizeof *pattern->value);
    bool taken = pattern->start && pattern->index && pattern->mirror_start && pattern->mirror_index && pattern->value;
    return taken ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

/* Rows of H': column i of the mirror lists, sorted, the columns j in which row i of H has an entry. */
static void fill_mirror(const cairn_csc *H, symmetric_pattern *pattern) {
    int n = H->cols, *next = pattern->start; /* start is free until merge_columns */
    for (int e = 0; e < H->start[n]; e++)
        pattern->mirror_start[H->index[e] + 1]++;
    for (int i = 0; i < n; i++) {
        pattern->mirror_start[i + 1] += pattern->mirror_start[i];
        next[i] = pattern->mirror_start[i];
    }
    for (int j = 0; j < n; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            pattern->mirror_index[next[H->index[e]]++] = j;
}

/* Column by column: sorted union of H's rows, the mirror's rows and the diagonal. */
static void merge_columns(const cairn_csc *H, symmetric_pattern *pattern) {
    int n = H->cols, filled = 0;
    for (int j = 0; j < n; j++) {
        int e = H->start[j], f = pattern->mirror_start[j];
        bool diagonal = false;
        pattern->start[j] = filled;
        while (e < H->start[j + 1] || f < pattern->mirror_start[j + 1] || !diagonal) {
            int row = diagonal ? n : j;
            if (e < H->start[j + 1] && H->index[e] < row)
                row = H->index[e];
            if (f < pattern->mirror_start[j + 1] && pattern->mirror_index[f] < row)
                row = pattern->mirror_index[f];
            double value = 0.0;
            if (e < H->start[j + 1] && H->index[e] == row)
                value = H->value[e++];
            if (f < pattern->mirror_start[j + 1] && pattern->mirror_index[f] == row)
                f++;
            diagonal = diagonal || row == j;
            pattern->index[filled] = row;
            pattern->value[filled++] = value;
        }
    }
    pattern->start[n] = filled;
}

cairn_status cairn_judge_sparse_create(const cairn_problem *problem, cairn_factor **factor) {
    cairn_context *context = problem->context;
    if (problem->A.start[problem->n] > (INT32_MAX - problem->n) / 2)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "certificate: H has %d entries, too many to factor",
                          problem->A.start[problem->n]);
    symmetric_pattern pattern = {0};
    const cairn_csc *H = &problem->A;
    const int *start = H->start, *index = H->index;
    const double *value = H->value;
    cairn_factor *made = NULL;
    cairn_status status = CAIRN_OK;
    if (!problem->full_pattern) {
        status = take_memory(problem, &pattern);
        if (status == CAIRN_OK) {
            fill_mirror(H, &pattern);
            merge_columns(H, &pattern);
        }
        start = pattern.start;
        index = pattern.index;
        value = pattern.value;
    }
    if (status == CAIRN_OK)
        status = cairn_factor_analyze(context, problem->n, start, index, problem->bodies, problem->body_start,
                                      !problem->unsymmetric, &made);
    if (status == CAIRN_OK) {
        status = cairn_factor_numeric(made, value, NULL);
        if (status == CAIRN_ERROR_NUMERICAL)
            cairn_fail(context, status, "certificate: H is not positive definite at row %d",
                       cairn_factor_failed_row(made));
    }
    free_pattern(context, &pattern);
    if (status != CAIRN_OK) {
        cairn_factor_destroy(made);
        return status;
    }
    *factor = made;
    return CAIRN_OK;
}
