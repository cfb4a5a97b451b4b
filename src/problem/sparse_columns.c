/*
 * sparse_columns.c: compressed columns from whatever the user has, their transpose, products, and
 * the symmetric pattern that a factorisation without pivoting needs. The matrices are those of
 * [theory 1].
 *
 * Cost: create and transpose are linear in the entries (two bucket passes sort rows within
 * columns).
 */
#include "problem/problem_data.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define GATHER_GRAIN 256

void cairn_csc_free(cairn_context *context, cairn_csc *A) {
    cairn_free(context, A->start);
    cairn_free(context, A->index);
    cairn_free(context, A->value);
    *A = (cairn_csc){0};
}

/* Room for entries; starts are 0. */
static cairn_status csc_take(cairn_context *context, int rows, int cols, int entries, cairn_csc *A) {
    *A = (cairn_csc){.rows = rows, .cols = cols};
    A->start = cairn_alloc(context, (size_t)cols + 1, sizeof *A->start);
    A->index = cairn_alloc_raw(context, (size_t)entries, sizeof *A->index);
    A->value = cairn_alloc_raw(context, (size_t)entries, sizeof *A->value);
    if (A->start != NULL && A->index != NULL && A->value != NULL)
        return CAIRN_OK;
    cairn_csc_free(context, A);
    return CAIRN_ERROR_MEMORY;
}

/* Checks starts of a compressed matrix; *entries is the last of them. */
static cairn_status check_starts(cairn_context *context, const char *name, const int *start, int count, int *entries) {
    if (start == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.start is NULL, expected %d starts", name, count + 1);
    if (start[0] != 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.start[0] is %d, expected 0", name, start[0]);
    for (int j = 0; j < count; j++)
        if (start[j + 1] < start[j])
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.start[%d] is %d, less than %s.start[%d] = %d", name,
                              j + 1, start[j + 1], name, j, start[j]);
    *entries = start[count];
    return CAIRN_OK;
}

static cairn_status check_index(cairn_context *context, const char *name, const char *field, const int *index,
                                int entries, int limit) {
    if (index == NULL && entries > 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.%s is NULL, expected %d indices", name, field, entries);
    for (int e = 0; e < entries; e++)
        if (index[e] < 0 || index[e] >= limit)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.%s[%d] is %d, expected 0 to %d", name, field, e,
                              index[e], limit - 1);
    return CAIRN_OK;
}

static cairn_status check_source(cairn_context *context, const char *name, const cairn_sparse *s, int *entries) {
    if (s->rows < 0 || s->cols < 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s has %d rows and %d columns", name, s->rows, s->cols);
    cairn_status status = CAIRN_OK;
    *entries = s->entries;
    if (s->format == CAIRN_SPARSE_COLUMNS)
        status = check_starts(context, name, s->start, s->cols, entries);
    else if (s->format == CAIRN_SPARSE_ROWS)
        status = check_starts(context, name, s->start, s->rows, entries);
    else if (s->format != CAIRN_SPARSE_TRIPLET)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.format is %d, expected a cairn_sparse_format", name,
                          (int)s->format);
    if (status == CAIRN_OK && *entries < 0)
        status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.entries is %d", name, *entries);
    if (status == CAIRN_OK && s->format != CAIRN_SPARSE_ROWS)
        status = check_index(context, name, "row", s->row, *entries, s->rows);
    if (status == CAIRN_OK && s->format != CAIRN_SPARSE_COLUMNS)
        status = check_index(context, name, "col", s->col, *entries, s->cols);
    if (status != CAIRN_OK)
        return status;
    if (s->value == NULL && *entries > 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.value is NULL, expected %d values", name, *entries);
    for (int e = 0; e < *entries; e++)
        if (!isfinite(s->value[e]))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s.value[%d] is not finite", name, e);
    return CAIRN_OK;
}

/* Adds up repeats and drops zeros in columns whose rows are sorted, in place. */
static void squeeze(cairn_csc *A) {
    int kept = 0;
    int from = 0;
    for (int j = 0; j < A->cols; j++) {
        int end = A->start[j + 1];
        A->start[j] = kept;
        while (from < end) {
            int row = A->index[from];
            double sum = 0.0;
            for (; from < end && A->index[from] == row; from++)
                sum += A->value[from];
            if (sum != 0.0) {
                A->index[kept] = row;
                A->value[kept++] = sum;
            }
        }
        from = end;
    }
    A->start[A->cols] = kept;
}

/* Rows as compressed columns of the transpose, stable in the order of the entries. */
static void bucket_rows(const cairn_sparse *s, int entries, cairn_csc *R) {
    const bool by_row = s->format == CAIRN_SPARSE_ROWS;
    int line = 0;
    for (int e = 0; e < entries; e++) {
        while (by_row && e >= s->start[line + 1])
            line++;
        R->start[(by_row ? line : s->row[e]) + 1]++;
    }
    for (int i = 0; i < s->rows; i++)
        R->start[i + 1] += R->start[i];
    line = 0;
    for (int e = 0; e < entries; e++) {
        while (s->format != CAIRN_SPARSE_TRIPLET && e >= s->start[line + 1])
            line++;
        int row = by_row ? line : s->row[e];
        int col = s->format == CAIRN_SPARSE_COLUMNS ? line : s->col[e];
        int at = R->start[row]++;
        R->index[at] = col;
        R->value[at] = s->value[e];
    }
    for (int i = s->rows; i > 0; i--)
        R->start[i] = R->start[i - 1];
    R->start[0] = 0;
}

void cairn_csc_block(const cairn_csc *A, int first, int size, double *block) {
    memset(block, 0, (size_t)(size * size) * sizeof *block);
    for (int j = 0; j < size; j++)
        for (int e = A->start[first + j]; e < A->start[first + j + 1]; e++) {
            int i = A->index[e] - first;
            if (i >= 0 && i < size)
                block[i * size + j] = A->value[e];
        }
}

cairn_status cairn_csc_transpose(cairn_context *context, const cairn_csc *A, cairn_csc *out) {
    int entries = A->start[A->cols];
    cairn_csc T;
    cairn_status status = csc_take(context, A->cols, A->rows, entries, &T);
    if (status != CAIRN_OK)
        return status;
    for (int e = 0; e < entries; e++)
        T.start[A->index[e] + 1]++;
    for (int i = 0; i < A->rows; i++)
        T.start[i + 1] += T.start[i];
    for (int j = 0; j < A->cols; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++) {
            int at = T.start[A->index[e]]++;
            T.index[at] = j;
            T.value[at] = A->value[e];
        }
    for (int i = A->rows; i > 0; i--)
        T.start[i] = T.start[i - 1];
    T.start[0] = 0;
    *out = T;
    return CAIRN_OK;
}

/* Columns whose rows ascend, with finite values, as they are and without zeros, in one go.
 * False: they are not such. */
static bool copy_columns(const cairn_sparse *s, cairn_csc *out) {
    int kept = 0;
    for (int j = 0; j < s->cols; j++) {
        bool good = true;
        for (int e = s->start[j], before = -1; e < s->start[j + 1]; e++) {
            int row = s->row[e];
            double value = s->value[e];
            good = good & (row > before) & (row < s->rows) & (isfinite(value) != 0);
            before = row;
            out->index[kept] = row;
            out->value[kept] = value;
            kept += value != 0.0;
        }
        if (!good)
            return false;
        out->start[j + 1] = kept;
    }
    return true;
}

/* Tries to take the columns as they are; *done: it worked. Faults of the source are reported by
 * the slower way. */
static cairn_status try_columns(cairn_context *context, const char *name, const cairn_sparse *s, cairn_csc *out,
                                bool *done) {
    int entries = 0;
    *done = false;
    if (s->format != CAIRN_SPARSE_COLUMNS || s->cols < 0 || s->row == NULL || s->value == NULL)
        return CAIRN_OK;
    cairn_status status = check_starts(context, name, s->start, s->cols, &entries);
    if (status == CAIRN_OK)
        status = csc_take(context, s->rows, s->cols, entries, out);
    if (status != CAIRN_OK)
        return status;
    *done = copy_columns(s, out);
    if (!*done)
        cairn_csc_free(context, out);
    return CAIRN_OK;
}

cairn_status cairn_csc_create(cairn_context *context, const char *name, const cairn_sparse *source, cairn_csc *out) {
    int entries = 0;
    bool done;
    cairn_status status = try_columns(context, name, source, out, &done);
    if (status != CAIRN_OK || done)
        return status;
    status = check_source(context, name, source, &entries);
    if (status != CAIRN_OK)
        return status;
    cairn_csc rows;
    status = csc_take(context, source->cols, source->rows, entries, &rows);
    if (status != CAIRN_OK)
        return status;
    bucket_rows(source, entries, &rows);
    cairn_csc A;
    status = cairn_csc_transpose(context, &rows, &A);
    cairn_csc_free(context, &rows);
    if (status != CAIRN_OK)
        return status;
    squeeze(&A);
    for (int e = 0; e < A.start[A.cols]; e++)
        if (!isfinite(A.value[e])) {
            cairn_csc_free(context, &A);
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: repeated entries add up to infinity", name);
        }
    *out = A;
    return CAIRN_OK;
}

typedef struct gather_task {
    const cairn_csc *A;
    const double *x;
    double alpha;
    double *y;
} gather_task;

static void gather_chunk(void *user, int chunk, int begin, int end) {
    const gather_task *task = user;
    const cairn_csc *A = task->A;
    (void)chunk;
    for (int j = begin; j < end; j++) {
        double sum = 0.0;
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            sum += A->value[e] * task->x[A->index[e]];
        task->y[j] = task->alpha == 0.0 ? sum : task->alpha * task->y[j] + sum;
    }
}

void cairn_csc_gather(cairn_context *context, const cairn_csc *A, const double *x, double alpha, double *y) {
    gather_task task = {A, x, alpha, y};
    cairn_parallel(context, A->cols, GATHER_GRAIN, gather_chunk, &task);
}

void cairn_problem_multiply(const cairn_problem *problem, const double *x, double alpha, double *y) {
    cairn_csc_gather(problem->context, problem->unsymmetric ? &problem->At : &problem->A, x, alpha, y);
}

void cairn_pattern_free(cairn_context *context, cairn_pattern *pattern) {
    cairn_free(context, pattern->start);
    cairn_free(context, pattern->index);
    cairn_free(context, pattern->map);
    *pattern = (cairn_pattern){0};
}

/* Merges the sorted columns j of A and A' and the diagonal into index; map: where A's entries
 * go, counted from `base`. Returns how many there are. */
static int merge_column(const cairn_csc *A, const cairn_csc *T, int j, int base, int *index, int *map) {
    int a = A->start[j], t = T->start[j], count = 0, a_end = A->start[j + 1], t_end = T->start[j + 1];
    bool diagonal = false;
    while (a < a_end || t < t_end || !diagonal) {
        int of_a = a < a_end ? A->index[a] : INT_MAX, of_t = t < t_end ? T->index[t] : INT_MAX;
        int row = of_a < of_t ? of_a : of_t;
        if (!diagonal && j <= row)
            row = j;
        diagonal = diagonal || row == j;
        if (of_a == row)
            map[a++] = base + count;
        t += of_t == row;
        index[count++] = row;
    }
    return count;
}

/* A's own pattern. */
static cairn_status copy_pattern(cairn_context *context, const cairn_csc *A, cairn_pattern *out) {
    int n = A->cols, entries = A->start[n];
    cairn_pattern P = {.n = n};
    P.start = cairn_alloc_raw(context, (size_t)n + 1, sizeof *P.start);
    P.index = cairn_alloc_raw(context, (size_t)entries, sizeof *P.index);
    P.map = cairn_alloc_raw(context, (size_t)entries, sizeof *P.map);
    if (P.start == NULL || P.index == NULL || P.map == NULL) {
        cairn_pattern_free(context, &P);
        return CAIRN_ERROR_MEMORY;
    }
    memcpy(P.start, A->start, ((size_t)n + 1) * sizeof *P.start);
    for (int e = 0; e < entries; e++) {
        P.index[e] = A->index[e];
        P.map[e] = e;
    }
    *out = P;
    return CAIRN_OK;
}

cairn_status cairn_pattern_create(cairn_context *context, const cairn_csc *A, const cairn_csc *T, bool full,
                                  cairn_pattern *out) {
    if (full)
        return copy_pattern(context, A, out);
    int n = A->cols;
    size_t entries = (size_t)A->start[n];
    cairn_pattern P = {.n = n};
    cairn_csc made = {0};
    if (2 * entries + (size_t)n > INT_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "a matrix of %d entries has too many to factor",
                          A->start[n]);
    cairn_status status = T != NULL ? CAIRN_OK : cairn_csc_transpose(context, A, &made);
    if (status != CAIRN_OK)
        return status;
    P.start = cairn_alloc_raw(context, (size_t)n + 1, sizeof *P.start);
    P.map = cairn_alloc_raw(context, entries, sizeof *P.map);
    P.index = cairn_alloc_raw(context, 2 * entries + (size_t)n, sizeof *P.index); /* if no entry had its mirror */
    if (P.start != NULL && P.map != NULL && P.index != NULL) {
        P.start[0] = 0;
        for (int j = 0; j < n; j++)
            P.start[j + 1] = P.start[j] +
                             merge_column(A, T != NULL ? T : &made, j, P.start[j], P.index + P.start[j], P.map);
        *out = P;
    } else {
        status = CAIRN_ERROR_MEMORY;
        cairn_pattern_free(context, &P);
    }
    cairn_csc_free(context, &made);
    return status;
}

void cairn_problem_reach(const cairn_problem *p, double *reach) {
    for (int j = 0; j < p->n; j++)
        reach[j] = 0.0;
    for (int j = 0; j < p->m; j++)
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
            reach[p->D.index[e]] = fmax(reach[p->D.index[e]], fabs(p->D.value[e]));
    for (int j = 0; j < p->n; j++)
        reach[j] = reach[j] > 0.0 ? reach[j] : 1.0;
}
