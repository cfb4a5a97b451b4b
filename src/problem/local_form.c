/*
 * local_form.c: from the global to the local (Delassus) form: N = D'H^-1 D + C and r^ = D'H^-1 k +
 * b [theory 1].
 *
 * C is put into N, so that the result has no compliance of its own. Exact but for rounding. The
 * sets are copied.
 */
#include "problem/problem_data.h"
#include "problem/delassus/delassus_operator.h"

#define LIMIT_BYTES 4e9 /* memory that N may take */

/* Block (i, j) of N, which must be there: its pattern is symmetric. */
static const double *find_block(const cairn_delassus *N, int i, int j) {
    int low = N->start[i], high = N->start[i + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (N->index[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    CAIRN_ASSERT(N->index[low] == j);
    return N->value + N->offset[low];
}

/* N's blocks as entries (row, col, value); returns how many are not zero. For a symmetric H, N
 * and N' differ by the rounding of the solves: their mean is taken. */
static int list_entries(const cairn_problem *problem, const cairn_delassus *N, int *row, int *col, double *value) {
    const int *first = problem->block_start;
    int count = 0;
    for (int i = 0; i < N->blocks; i++)
        for (int e = N->start[i]; e < N->start[i + 1]; e++) {
            int j = N->index[e], rows = problem->block[i].dim, cols = problem->block[j].dim;
            const double *here = N->value + N->offset[e];
            const double *mirrored = problem->unsymmetric ? NULL : find_block(N, j, i);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++) {
                    double x = here[r * cols + c];
                    if (mirrored != NULL)
                        x = 0.5 * (x + mirrored[c * rows + r]);
                    row[count] = first[i] + r;
                    col[count] = first[j] + c;
                    value[count] = x;
                    count += x != 0.0;
                }
        }
    return count;
}

static cairn_status build(const cairn_problem *problem, const cairn_delassus *N, const double *b,
                          cairn_problem **local) {
    cairn_context *context = problem->context;
    int64_t size = N->offset[N->start[N->blocks]];
    if (size > INT32_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "the local form has %lld entries, more than an int holds",
                          (long long)size);
    int *row = cairn_alloc(context, (size_t)size + 1, sizeof *row); /* one more: list_entries writes, then counts */
    int *col = cairn_alloc(context, (size_t)size + 1, sizeof *col);
    double *value = cairn_alloc(context, (size_t)size + 1, sizeof *value);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (row != NULL && col != NULL && value != NULL) {
        cairn_problem_def def = cairn_default_problem_def();
        int entries = list_entries(problem, N, row, col, value);
        def.law = problem->law;
        def.m = problem->m;
        def.N = (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET,
                               .rows = problem->m,
                               .cols = problem->m,
                               .entries = entries,
                               .row = row,
                               .col = col,
                               .value = value};
        def.N_unsymmetric = problem->unsymmetric;
        def.b = b;
        def.angular = problem->angular;
        def.blocks = problem->blocks;
        def.block = problem->block;
        status = cairn_problem_create(context, &def, local);
    }
    cairn_free(context, value);
    cairn_free(context, col);
    cairn_free(context, row);
    return status;
}

/* b (m) = D'H^-1 k + b: the velocity u without impulses. v (n) and zero (m, zeros) are work. */
static void free_velocity(cairn_operator *op, const double *zero, double *v, double *b) {
    cairn_operator_velocity(op, zero, v);
    cairn_operator_slip(op, v, zero, b);
}

cairn_status cairn_problem_to_local(const cairn_problem *problem, cairn_problem **local) {
    if (problem == NULL || local == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_context *context = problem->context;
    if (problem->local)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "the problem is in the local form already");
    cairn_operator *op = NULL;
    cairn_delassus N = {0};
    cairn_status status = cairn_operator_create(problem, &op);
    if (status != CAIRN_OK)
        return status;
    double *v = cairn_alloc(context, (size_t)problem->n, sizeof *v);
    double *zero = cairn_alloc(context, (size_t)problem->m, sizeof *zero);
    double *b = cairn_alloc(context, (size_t)problem->m, sizeof *b);
    status = v != NULL && zero != NULL && b != NULL ? cairn_operator_delassus(op, LIMIT_BYTES, &N) : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        free_velocity(op, zero, v, b);
        status = build(problem, &N, b, local);
        cairn_delassus_free(context, &N);
    }
    cairn_free(context, b);
    cairn_free(context, zero);
    cairn_free(context, v);
    cairn_operator_destroy(op);
    return status;
}
