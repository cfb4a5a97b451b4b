/*
 * judge_dense.c: dense factors of the diagonal blocks H_b of H [theory 1], one a body or node.
 *
 *     symmetric:    H_b = L L'        Cholesky, L in the lower triangle, the reciprocal of its diagonal on it
 *     unsymmetric:  P H_b = L U       partial pivoting, unit L below the diagonal, U on and above it
 *
 *     rigid:        m I, J = L D L'   a mass in three rows, an inertia in three: no square root, and seven numbers in all
 *
 * Blocks are stored row by row, one after the other. Textbook algorithms in long double: bodies have 6 rows, nodes 3.
 */
#include "judge_dense.h"

#include <math.h>
#include <string.h>

#define SAFE_LOW  1e-200 /* squares within these limits have lost nothing to underflow or overflow */
#define SAFE_HIGH 1e200

struct cairn_judge_dense {
    const cairn_problem *problem;
    size_t *offset;      /* bodies + 1: first number of each block */
    long double *factor; /* offset[bodies] */
    bool *rigid;         /* bodies: a mass and an inertia that is not diagonal, by its seven numbers */
    bool *diagonal;      /* bodies: a symmetric block without an entry off its diagonal; only that is filled then */
    int *alone;      /* bodies: leading rows of a block with nothing but their diagonal entries, as those of a mass */
    double *inverse; /* offset[bodies]: L^-1, column by column, rounded; only for a symmetric H */
    double *root;    /* n: 1/sqrt(H_ii) where all blocks are symmetric and diagonal, else NULL */
    int *pivot;      /* n: row swapped with each row of its body; NULL for a symmetric H */
};

/* In place, lower triangle; the first rows are alone. Returns -1, or the row whose pivot is not positive. */
static int cholesky(int dim, int alone, long double *a) {
    for (int j = 0; j < dim; j++) {
        for (int k = alone; k < j; k++)
            a[j * dim + j] -= a[j * dim + k] * a[j * dim + k];
        if (!(a[j * dim + j] > 0.0L) || !isfinite(a[j * dim + j]))
            return j;
        a[j * dim + j] = 1.0L / sqrtl(a[j * dim + j]);
        for (int i = j + 1; i < dim && j >= alone; i++) {
            long double sum = a[i * dim + j];
            for (int k = alone; k < j; k++)
                sum -= a[i * dim + k] * a[j * dim + k];
            a[i * dim + j] = sum * a[j * dim + j];
        }
    }
    return -1;
}

static void cholesky_solve(int dim, int alone, const long double *a, long double *x) {
    for (int i = 0; i < alone; i++)
        x[i] = x[i] * a[i * dim + i] * a[i * dim + i];
    for (int i = alone; i < dim; i++) {
        long double sum = x[i];
        for (int k = alone; k < i; k++)
            sum -= a[i * dim + k] * x[k];
        x[i] = sum * a[i * dim + i];
    }
    for (int i = dim - 1; i >= alone; i--) {
        long double sum = x[i];
        for (int k = i + 1; k < dim; k++)
            sum -= a[k * dim + i] * x[k];
        x[i] = sum * a[i * dim + i];
    }
}

/* inverse = L^-1, column by column, from the factor of cholesky. */
static void invert_lower(int dim, int alone, const long double *a, double *inverse) {
    long double x[CAIRN_BODY_DIM_MAX];
    memset(inverse, 0, (size_t)(dim * dim) * sizeof *inverse);
    for (int c = 0; c < alone; c++)
        inverse[c * dim + c] = (double)a[c * dim + c];
    for (int c = alone; c < dim; c++)
        for (int i = c; i < dim; i++) {
            long double sum = i == c ? 1.0L : 0.0L;
            for (int k = c; k < i; k++)
                sum -= a[i * dim + k] * x[k];
            x[i] = sum * a[i * dim + i];
            inverse[c * dim + i] = (double)x[i];
        }
}

/* Numbers of a rigid body in the place of its factor, and as doubles in that of its inverse. */
enum { LIGHT, P0, P1, P2, L10, L20, L21 };

/* 1/m and L D L' of J. Returns -1, or the row whose pivot is not positive. */
static int factor_rigid(const cairn_csc *H, int first, long double *a, double *inverse) {
    long double m = 0.0L, J[3][3] = {{0.0L}};
    for (int e = H->start[first]; e < H->start[first + 1]; e++)
        m = H->value[e];
    for (int j = 0; j < 3; j++)
        for (int e = H->start[first + 3 + j]; e < H->start[first + 4 + j]; e++)
            J[H->index[e] - first - 3][j] = H->value[e];
    long double p0 = 1.0L / J[0][0], l10 = J[1][0] * p0, l20 = J[2][0] * p0, d1 = J[1][1] - l10 * J[1][0];
    long double p1 = 1.0L / d1, c = J[2][1] - l20 * J[1][0], l21 = c * p1, d2 = J[2][2] - l20 * J[2][0] - l21 * c;
    const long double pivot[4] = {m, J[0][0], d1, d2};
    for (int i = 0; i < 4; i++)
        if (!(pivot[i] > 0.0L) || !isfinite(pivot[i]))
            return i == 0 ? 0 : 2 + i;
    const long double numbers[] = {1.0L / m, p0, p1, 1.0L / d2, l10, l20, l21};
    for (int i = LIGHT; i <= L21; i++) {
        a[i] = numbers[i];
        inverse[i] = (double)numbers[i];
    }
    return -1;
}

static void solve_rigid(const long double *a, long double *x) {
    for (int i = 0; i < 3; i++)
        x[i] *= a[LIGHT];
    long double y0 = x[3], y1 = x[4] - a[L10] * y0, y2 = x[5] - a[L20] * y0 - a[L21] * y1;
    x[5] = y2 * a[P2];
    x[4] = y1 * a[P1] - a[L21] * x[5];
    x[3] = y0 * a[P0] - a[L10] * x[4] - a[L20] * x[5];
}

/* x'H_b^-1 x, a sum of squares. */
static double rigid_energy(const double *a, const double *x) {
    double y1 = x[4] - a[L10] * x[3], y2 = x[5] - a[L20] * x[3] - a[L21] * y1;
    return a[LIGHT] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + a[P0] * (x[3] * x[3]) + a[P1] * (y1 * y1) +
           a[P2] * (y2 * y2);
}

/* Is the block a mass and a symmetric inertia with entries off its diagonal? */
static bool is_rigid(const cairn_csc *H, int first, int dim, int alone) {
    const double *value = H->value + H->start[first];
    return dim == 6 && alone == 3 && value[0] == value[1] && value[0] == value[2] &&
           H->start[first + 3] == H->start[first] + 3;
}

static void swap_rows(int dim, long double *a, int i, int j) {
    for (int k = 0; k < dim; k++) {
        long double kept = a[i * dim + k];
        a[i * dim + k] = a[j * dim + k];
        a[j * dim + k] = kept;
    }
}

/* In place. Returns -1, or the column without a usable pivot. */
static int lu(int dim, long double *a, int *pivot) {
    for (int j = 0; j < dim; j++) {
        int best = j;
        for (int i = j + 1; i < dim; i++)
            if (fabsl(a[i * dim + j]) > fabsl(a[best * dim + j]))
                best = i;
        pivot[j] = best;
        if (!(fabsl(a[best * dim + j]) > 0.0L) || !isfinite(a[best * dim + j]))
            return j;
        swap_rows(dim, a, j, best);
        for (int i = j + 1; i < dim; i++) {
            long double ratio = a[i * dim + j] /= a[j * dim + j];
            for (int k = j + 1; k < dim; k++)
                a[i * dim + k] -= ratio * a[j * dim + k];
        }
    }
    return -1;
}

static void lu_solve(int dim, const long double *a, const int *pivot, long double *x) {
    for (int i = 0; i < dim; i++) {
        long double kept = x[i];
        x[i] = x[pivot[i]];
        x[pivot[i]] = kept;
    }
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < i; k++)
            x[i] -= a[i * dim + k] * x[k];
    for (int i = dim - 1; i >= 0; i--) {
        for (int k = i + 1; k < dim; k++)
            x[i] -= a[i * dim + k] * x[k];
        x[i] /= a[i * dim + i];
    }
}

static cairn_status take_memory(cairn_judge_dense *dense) {
    const cairn_problem *problem = dense->problem;
    dense->offset = cairn_alloc(problem->context, (size_t)problem->bodies + 1, sizeof *dense->offset);
    if (dense->offset == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int body = 0; body < problem->bodies; body++) {
        size_t dim = (size_t)(problem->body_start[body + 1] - problem->body_start[body]);
        dense->offset[body + 1] = dense->offset[body] + dim * dim;
    }
    dense->factor = cairn_alloc_raw(problem->context, dense->offset[problem->bodies], sizeof *dense->factor);
    dense->diagonal = cairn_alloc(problem->context, (size_t)problem->bodies, sizeof *dense->diagonal);
    dense->rigid = cairn_alloc(problem->context, (size_t)problem->bodies, sizeof *dense->rigid);
    dense->alone = cairn_alloc(problem->context, (size_t)problem->bodies, sizeof *dense->alone);
    if (problem->unsymmetric)
        dense->pivot = cairn_alloc(problem->context, (size_t)problem->n, sizeof *dense->pivot);
    else
        dense->inverse = cairn_alloc_raw(problem->context, dense->offset[problem->bodies], sizeof *dense->inverse);
    bool taken = dense->factor != NULL && dense->diagonal != NULL && dense->rigid != NULL && dense->alone != NULL &&
                 (dense->pivot != NULL || dense->inverse != NULL);
    return taken ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

/* Leading rows of the block of rows first to end-1 that have nothing but their diagonal entries. H is symmetric: as many columns. */
static int leading_rows(const cairn_csc *H, int first, int end) {
    for (int j = first; j < end; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            if (H->index[e] >= first && H->index[e] < end && H->index[e] != j)
                return j - first;
    return end - first;
}

/* The block of rows first to end-1 into a, which is cleared first unless only the diagonal counts. */
static void copy_block(const cairn_csc *H, int first, int end, bool diagonal, long double *a) {
    int dim = end - first;
    for (int i = 0; i < dim * dim; i += diagonal ? dim + 1 : 1)
        a[i] = 0.0L;
    for (int j = first; j < end; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            if (H->index[e] >= first && H->index[e] < end)
                a[(H->index[e] - first) * dim + (j - first)] = H->value[e];
}

/* cholesky and invert_lower of a block without entries off its diagonal. */
static int diagonal_roots(int dim, long double *a, double *inverse) {
    for (int j = 0; j < dim * dim; j += dim + 1) {
        if (!(a[j] > 0.0L) || !isfinite(a[j]))
            return j / (dim + 1);
        a[j] = 1.0L / sqrtl(a[j]);
        inverse[j] = (double)a[j];
    }
    return -1;
}

static cairn_status factor_body(cairn_judge_dense *dense, int body) {
    const cairn_problem *problem = dense->problem;
    int first = problem->body_start[body], end = problem->body_start[body + 1], dim = end - first;
    long double *a = dense->factor + dense->offset[body];
    int alone = dense->pivot ? 0 : leading_rows(&problem->A, first, end);
    bool diagonal = !dense->pivot && alone == dim;
    double *inverse = dense->inverse != NULL ? dense->inverse + dense->offset[body] : NULL;
    bool rigid = !dense->pivot && problem->block_diagonal && problem->full_pattern &&
                 is_rigid(&problem->A, first, dim, alone);
    if (!rigid)
        copy_block(&problem->A, first, end, diagonal, a);
    dense->diagonal[body] = diagonal;
    dense->rigid[body] = rigid;
    dense->alone[body] = alone;
    int bad = dense->pivot ? lu(dim, a, dense->pivot + first)
              : diagonal   ? diagonal_roots(dim, a, inverse)
              : rigid      ? factor_rigid(&problem->A, first, a, inverse)
                           : cholesky(dim, alone, a);
    if (bad < 0 && inverse != NULL && !diagonal && !rigid)
        invert_lower(dim, alone, a, inverse);
    if (bad < 0)
        return CAIRN_OK;
    return cairn_fail(problem->context, CAIRN_ERROR_NUMERICAL, "certificate: H is %s at row %d (body %d)",
                      dense->pivot ? "singular" : "not positive definite", first + bad, body);
}

/* Spheres, and bodies in their principal axes: one number a row says it all. */
static cairn_status keep_roots(cairn_judge_dense *dense) {
    const cairn_problem *problem = dense->problem;
    for (int body = 0; body < problem->bodies; body++)
        if (!dense->diagonal[body])
            return CAIRN_OK;
    dense->root = cairn_alloc_raw(problem->context, (size_t)problem->n, sizeof *dense->root);
    if (dense->root == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int body = 0; body < problem->bodies; body++) {
        int first = problem->body_start[body], dim = problem->body_start[body + 1] - first;
        for (int i = 0; i < dim; i++)
            dense->root[first + i] = dense->inverse[dense->offset[body] + (size_t)(i * (dim + 1))];
    }
    return CAIRN_OK;
}

const double *cairn_judge_dense_roots(const cairn_judge_dense *dense) {
    return dense->root;
}

cairn_status cairn_judge_dense_create(const cairn_problem *problem, cairn_judge_dense **dense) {
    cairn_judge_dense *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->problem = problem;
    cairn_status status = take_memory(made);
    for (int body = 0; status == CAIRN_OK && body < problem->bodies; body++)
        status = factor_body(made, body);
    if (status == CAIRN_OK)
        status = keep_roots(made);
    if (status != CAIRN_OK) {
        cairn_judge_dense_destroy(made);
        return status;
    }
    *dense = made;
    return CAIRN_OK;
}

void cairn_judge_dense_destroy(cairn_judge_dense *dense) {
    if (dense == NULL)
        return;
    cairn_context *context = dense->problem->context;
    cairn_free(context, dense->offset);
    cairn_free(context, dense->factor);
    cairn_free(context, dense->inverse);
    cairn_free(context, dense->diagonal);
    cairn_free(context, dense->rigid);
    cairn_free(context, dense->alone);
    cairn_free(context, dense->root);
    cairn_free(context, dense->pivot);
    cairn_free(context, dense);
}

void cairn_judge_dense_solve(const cairn_judge_dense *dense, int body, long double *x) {
    const int *body_start = dense->problem->body_start;
    int dim = body_start[body + 1] - body_start[body];
    const long double *a = dense->factor + dense->offset[body];
    if (dense->diagonal[body])
        for (int i = 0; i < dim; i++)
            x[i] *= a[i * dim + i] * a[i * dim + i];
    else if (dense->pivot)
        lu_solve(dim, a, dense->pivot + body_start[body], x);
    else if (dense->rigid[body])
        solve_rigid(a, x);
    else
        cholesky_solve(dim, dense->alone[body], a, x);
}

/* |T x|^2 with T = L^-1, column by column. */
static inline double square_of(int dim, const double *restrict T, const double *restrict x) {
    double y[CAIRN_BODY_DIM_MAX] = {0}, sum = 0.0;
    for (int c = 0; c < dim; c++)
        for (int r = 0; r < dim; r++)
            y[r] += T[c * dim + r] * x[c];
    for (int r = 0; r < dim; r++)
        sum += y[r] * y[r];
    return sum;
}

/* The same where T is diagonal. */
static double diagonal_energy(int dim, const double *T, const double *x) {
    double sum = 0.0;
    for (int c = 0; c < dim; c++, T += dim + 1)
        sum += (*T * x[c]) * (*T * x[c]);
    return sum;
}

CAIRN_CLONES static double lower_energy(int dim, const double *T, const double *x) {
    return dim == 6 ? square_of(6, T, x) : square_of(dim, T, x); /* 6: a size the compiler can see */
}

long double cairn_judge_dense_energy(const cairn_judge_dense *dense, int body, const double *x) {
    const int *body_start = dense->problem->body_start;
    int dim = body_start[body + 1] - body_start[body];
    if (!dense->pivot) {
        const double *T = dense->inverse + dense->offset[body];
        double sum = dense->diagonal[body] ? diagonal_energy(dim, T, x)
                     : dense->rigid[body]  ? rigid_energy(T, x)
                                           : lower_energy(dim, T, x);
        if (sum > SAFE_LOW && sum < SAFE_HIGH)
            return sum;
    }
    long double z[CAIRN_BODY_DIM_MAX], energy = 0.0L;
    for (int i = 0; i < dim; i++)
        z[i] = x[i];
    cairn_judge_dense_solve(dense, body, z);
    for (int i = 0; i < dim; i++)
        energy += x[i] * z[i];
    return energy;
}
