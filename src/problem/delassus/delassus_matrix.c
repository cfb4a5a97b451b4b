/*
 * delassus_matrix.c: N = D'H^-1 D + C as compressed rows of blocks [theory 1].
 *
 *     local form       N is given: its blocks that hold an entry, or whose transposed block does
 *     block-diagonal H N_ij = D_i'W_j, W_j = H^-1 D_j, for blocks that share a body
 *     sparse H         COLUMNS by COLUMNS: H^-1 D_j by solves side by side, then D' of it; every block is kept
 *
 * The diagonal blocks are always present. Exact but for rounding; a sparse H costs m solves and m*m
 * numbers.
 */
#include "problem/delassus/jacobian_columns.h"

#include <math.h>
#include <string.h>

#define COLUMNS 16 /* right-hand sides of one call */

/* Rows of blocks while they are made. */
typedef struct builder {
    cairn_operator *op;
    const cairn_problem *problem;
    cairn_context *context;
    double limit;                    /* bytes */
    cairn_jacobian_columns *columns; /* block-diagonal H; else NULL */
    int *owner;                      /* m: block of each row */
    int *mark;                       /* blocks: last row that saw the block, plus 1 */
    int *list;                       /* blocks: columns of one row */
    cairn_delassus N;
} builder;

static void see(builder *b, int i, int j, int *count) {
    if (b->mark[j] == i + 1)
        return;
    b->mark[j] = i + 1;
    b->list[(*count)++] = j;
}

static void see_matrix(builder *b, const cairn_csc *A, int i, int *count) {
    const int *first = b->problem->block_start;
    for (int e = A->start[first[i]]; e < A->start[first[i + 1]]; e++)
        see(b, i, b->owner[A->index[e]], count);
}

/* Block columns of row i into b->list, unsorted; returns how many. */
static int find_row(builder *b, int i) {
    const cairn_problem *p = b->problem;
    int count = 0;
    see(b, i, i, &count);
    if (p->local) {
        see_matrix(b, &p->A, i, &count);
        if (p->unsymmetric)
            see_matrix(b, &p->At, i, &count);
    } else if (b->columns != NULL) {
        const cairn_jacobian_columns *c = b->columns;
        for (int e = c->body_start[i]; e < c->body_start[i + 1]; e++)
            for (int f = c->block_start[c->body[e]]; f < c->block_start[c->body[e] + 1]; f++)
                see(b, i, c->block[f], &count);
    } else {
        for (int j = 0; j < p->blocks; j++)
            see(b, i, j, &count);
    }
    return count;
}

/* Row starts and the size of the values; refuses what is too large before anything large is
 * taken. */
static cairn_status count_blocks(builder *b, int64_t *values) {
    const cairn_problem *p = b->problem;
    int64_t entries = 0;
    bool dense = !p->local && b->columns == NULL;
    double bytes = dense ? (double)p->m * (double)p->m * sizeof(double) : 0.0;
    *values = 0;
    for (int i = 0; i < p->blocks && bytes <= b->limit; i++) {
        int count = find_row(b, i);
        entries += count;
        for (int e = 0; e < count; e++)
            *values += (int64_t)p->block[i].dim * p->block[b->list[e]].dim;
        bytes = (double)*values * sizeof(double) + (double)entries * (sizeof(int) + sizeof(int64_t));
        b->N.start[i + 1] = (int)entries;
        if (entries > INT32_MAX)
            bytes = (double)INFINITY;
    }
    if (bytes > b->limit)
        return cairn_fail(b->context, CAIRN_ERROR_UNSUPPORTED,
                          "the matrix N of %d rows takes more than %.3g bytes: use a method that does not form it",
                          p->m, b->limit);
    return CAIRN_OK;
}

/* Sorts count numbers, rising: heap sort, no memory. */
static void sort_rising(int count, int *x) {
    for (int left = count / 2, last = count; last > 1;) {
        int value;
        if (left > 0) {
            value = x[--left];
        } else {
            value = x[--last];
            x[last] = x[0];
        }
        int at = left;
        for (int child = 2 * at + 1; child < last; child = 2 * at + 1) {
            if (child + 1 < last && x[child + 1] > x[child])
                child++;
            if (x[child] <= value)
                break;
            x[at] = x[child];
            at = child;
        }
        x[at] = value;
    }
}

static void fill_pattern(builder *b) {
    const cairn_problem *p = b->problem;
    cairn_delassus *N = &b->N;
    memset(b->mark, 0, (size_t)p->blocks * sizeof *b->mark);
    for (int i = 0; i < p->blocks; i++) {
        int count = find_row(b, i), *row = N->index + N->start[i];
        memcpy(row, b->list, (size_t)count * sizeof *row);
        sort_rising(count, row);
        for (int e = 0; e < count; e++)
            N->offset[N->start[i] + e + 1] = N->offset[N->start[i] + e] +
                                             (int64_t)p->block[i].dim * p->block[row[e]].dim;
    }
}

/* Where N_ij begins; the block must be there. */
static double *find_block(const cairn_delassus *N, int i, int j) {
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

/* Local form: entries of the given N. */
static void fill_given(builder *b) {
    const cairn_problem *p = b->problem;
    for (int column = 0; column < p->m; column++) {
        int j = b->owner[column], c = column - p->block_start[j];
        for (int e = p->A.start[column]; e < p->A.start[column + 1]; e++) {
            int i = b->owner[p->A.index[e]], r = p->A.index[e] - p->block_start[i];
            find_block(&b->N, i, j)[r * p->block[j].dim + c] = p->A.value[e];
        }
    }
}

/* N_ij = D_i'W_j over the rows of H that both have; both lists rise. */
static void multiply_columns(const cairn_jacobian_columns *columns, int i, int j, int rows, int cols, double *N_ij) {
    int e = columns->start[i], f = columns->start[j];
    while (e < columns->start[i + 1] && f < columns->start[j + 1]) {
        if (columns->dof[e] < columns->dof[f]) {
            e++;
        } else if (columns->dof[e] > columns->dof[f]) {
            f++;
        } else {
            const double *D = columns->D + columns->offset[i] + (int64_t)(e - columns->start[i]) * rows;
            const double *W = columns->W + columns->offset[j] + (int64_t)(f - columns->start[j]) * cols;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++)
                    N_ij[r * cols + c] += D[r] * W[c];
            e++;
            f++;
        }
    }
}

static void fill_by_bodies(void *user, int chunk, int begin, int end) {
    const builder *b = user;
    const cairn_delassus *N = &b->N;
    (void)chunk;
    for (int i = begin; i < end; i++)
        for (int e = N->start[i]; e < N->start[i + 1]; e++)
            multiply_columns(b->columns, i, N->index[e], b->problem->block[i].dim, b->problem->block[N->index[e]].dim,
                             N->value + N->offset[e]);
}

/* Column `column` of N from w = H^-1 D_column; y: m, work. */
static void put_column(builder *b, int column, const double *w, double *y) {
    const cairn_problem *p = b->problem;
    int j = b->owner[column], c = column - p->block_start[j];
    cairn_problem_slip(p, w, 0.0, y);
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; r < p->block[i].dim; r++)
            b->N.value[b->N.offset[b->N.start[i] + j] + r * p->block[j].dim + c] = y[p->block_start[i] + r];
}

/* Sparse H: solves of COLUMNS columns at a time. */
static cairn_status fill_by_solves(builder *b) {
    const cairn_problem *p = b->problem;
    size_t n = (size_t)p->n;
    double *w = cairn_alloc_raw(b->context, COLUMNS * n, sizeof *w);
    double *y = cairn_alloc_raw(b->context, (size_t)p->m, sizeof *y);
    cairn_status status = w == NULL || y == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
    for (int first = 0; status == CAIRN_OK && first < p->m; first += COLUMNS) {
        int count = p->m - first < COLUMNS ? p->m - first : COLUMNS;
        memset(w, 0, (size_t)count * n * sizeof *w);
        for (int c = 0; c < count; c++)
            for (int e = p->D.start[first + c]; e < p->D.start[first + c + 1]; e++)
                w[(size_t)c * n + (size_t)p->D.index[e]] = p->D.value[e];
        cairn_operator_solve_many(b->op, count, w);
        for (int c = 0; c < count; c++)
            put_column(b, first + c, w + (size_t)c * n, y);
    }
    cairn_free(b->context, w);
    cairn_free(b->context, y);
    return status;
}

static void add_compliance(builder *b) {
    const cairn_problem *p = b->problem;
    for (int i = 0; i < p->blocks; i++) {
        double *N_ii = find_block(&b->N, i, i);
        for (int r = 0; r < p->block[i].dim; r++)
            N_ii[r * p->block[i].dim + r] += p->C[p->block_start[i] + r];
    }
}

static cairn_status build(builder *b) {
    const cairn_problem *p = b->problem;
    size_t blocks = (size_t)p->blocks;
    b->owner = cairn_alloc(b->context, (size_t)p->m, sizeof *b->owner);
    b->mark = cairn_alloc(b->context, blocks, sizeof *b->mark);
    b->list = cairn_alloc(b->context, blocks, sizeof *b->list);
    b->N.start = cairn_alloc(b->context, blocks + 1, sizeof *b->N.start);
    if (b->owner == NULL || b->mark == NULL || b->list == NULL || b->N.start == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        for (int row = p->block_start[i]; row < p->block_start[i + 1]; row++)
            b->owner[row] = i;
    int64_t values;
    cairn_status status = count_blocks(b, &values);
    if (status != CAIRN_OK)
        return status;
    size_t entries = (size_t)b->N.start[blocks];
    b->N.index = cairn_alloc(b->context, entries, sizeof *b->N.index);
    b->N.offset = cairn_alloc(b->context, entries + 1, sizeof *b->N.offset);
    b->N.value = cairn_alloc(b->context, (size_t)values, sizeof *b->N.value);
    if (b->N.index == NULL || b->N.offset == NULL || b->N.value == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_pattern(b);
    if (p->local)
        fill_given(b);
    else if (b->columns != NULL)
        cairn_parallel(b->context, p->blocks, 64, fill_by_bodies, b);
    else
        status = fill_by_solves(b);
    if (status == CAIRN_OK)
        add_compliance(b);
    return status;
}

cairn_status cairn_operator_delassus(cairn_operator *op, double limit_bytes, cairn_delassus *out) {
    const cairn_problem *problem = cairn_operator_problem(op);
    builder b = {.op = op, .problem = problem, .context = problem->context, .limit = limit_bytes};
    b.N.blocks = problem->blocks;
    cairn_jacobian_columns columns = {0};
    cairn_status status = CAIRN_OK;
    if (!problem->local && problem->block_diagonal) {
        status = cairn_jacobian_columns_create(op, &columns);
        b.columns = &columns;
    }
    if (status == CAIRN_OK)
        status = build(&b);
    cairn_jacobian_columns_free(b.context, &columns);
    cairn_free(b.context, b.owner);
    cairn_free(b.context, b.mark);
    cairn_free(b.context, b.list);
    if (status == CAIRN_OK)
        *out = b.N;
    else
        cairn_delassus_free(b.context, &b.N);
    return status;
}

void cairn_delassus_free(cairn_context *context, cairn_delassus *N) {
    cairn_free(context, N->start);
    cairn_free(context, N->index);
    cairn_free(context, N->offset);
    cairn_free(context, N->value);
    *N = (cairn_delassus){0};
}
