/*
 * judge_mass.c: H^-1 for the judge.
 *
 * Symbols: H mass matrix (n x n), its diagonal blocks H_b of bodies or nodes, D_i the columns of block i, C_i its
 * compliance, n_i block scale; x, r, dx iterate, residual and correction of a solve; eta backward error.
 * [theory 1], "One certificate".
 *
 * Two base solvers, both followed by iterative refinement against the true H with long double residuals:
 *   dense    one long double factor a body (Cholesky; LU with partial pivoting if H is unsymmetric), used alone when
 *            H has no entry outside the bodies' blocks;
 *   sparse   the unpivoted factor of src/linalg on H's pattern, made symmetric and given a full diagonal, or the solver's
 *            factor of H: the refinement, not the factor, decides what is accepted.
 * The dense factors also serve the block scales.
 *
 * The backward error is componentwise, eta = max_i |r_i| / (|H||x| + |rhs|)_i, with Arioli, Demmel and Duff's larger
 * denominator for rows in which that sum is only rounding. Long double has 64 bits of mantissa on x86; where it is no
 * better than double the formulas stay the same and the judge is as good as double allows.
 */
#include "judge_mass.h"

#include "judge_dense.h"
#include "judge_pieces.h"
#include "judge_sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REFINE_MAX     10     /* corrections after the first solve */
#define BACKWARD_LIMIT 1e-10  /* a backward error above this is a failure */
#define SAFE_LOW       1e-200 /* squares within these limits have lost nothing to underflow or overflow */
#define SAFE_HIGH      1e200

struct cairn_judge_mass {
    const cairn_problem *problem;
    cairn_judge_dense *dense;
    cairn_factor *sparse;    /* NULL when H has no entry outside the bodies' blocks */
    bool lent;               /* sparse belongs to someone else */
    long double *residual;   /* n */
    long double *correction; /* n */
    long double *bound;      /* n: |H||x| + |rhs| */
    long double *row_max;    /* n: largest |entry| of each row of H */
    double *packed;          /* n: a right-hand side in double */
    int *body_of;            /* n: whose row it is */
    int row_entries;         /* most entries in a row of H */
};

/* A matrix whose columns are the rows of A, to the last bit; NULL: there is none at hand. Sums of a row then stay in registers, which in
 * long double is several times faster than adding to memory. */
static const cairn_csc *rows_of(const cairn_problem *problem) {
    return problem->unsymmetric ? &problem->At : problem->full_pattern ? &problem->A : NULL;
}

void cairn_judge_multiply(const cairn_problem *problem, const long double *x, long double *y) {
    const cairn_csc *A = &problem->A, *rows = rows_of(problem);
    for (int j = 0; j < A->cols && rows == NULL; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            y[A->index[e]] += A->value[e] * x[j];
    for (int i = 0; rows != NULL && i < rows->cols; i++) {
        long double even = 0.0L, odd = 0.0L; /* two sums: each waits for its own last addition only */
        int e = rows->start[i], last = rows->start[i + 1] - 1;
        for (; e < last; e += 2) {
            even += rows->value[e] * x[rows->index[e]];
            odd += rows->value[e + 1] * x[rows->index[e + 1]];
        }
        if (e == last)
            even += rows->value[e] * x[rows->index[e]];
        y[i] += even + odd;
    }
}

/* Three rows of a body's load, from row i on, where all its blocks have three rows; the same sums as row by row. */
static void load_three(const cairn_problem *problem, int body, int i, const double *gamma, long double *y) {
    const cairn_body_blocks *B = &problem->body;
    long double a = 0.0L, b = 0.0L, c = 0.0L;
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
        int block = B->incident[s], width = B->width[block];
        const double *E = B->dense + B->incident_at[s] + i, *F = E + width, *G = F + width;
        const double *x = gamma + problem->block_start[block];
        a += ((long double)E[0] * x[0] + (long double)F[0] * x[1]) + (long double)G[0] * x[2];
        b += ((long double)E[1] * x[0] + (long double)F[1] * x[1]) + (long double)G[1] * x[2];
        c += ((long double)E[2] * x[0] + (long double)F[2] * x[1]) + (long double)G[2] * x[2];
    }
    y[i] = a;
    y[i + 1] = b;
    y[i + 2] = c;
}

static bool in_threes(const cairn_problem *problem, int body) {
    const cairn_body_blocks *B = &problem->body;
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++)
        if (problem->block[B->incident[s]].dim != 3)
            return false;
    return problem->body_start[body + 1] - problem->body_start[body] == 6;
}

void cairn_judge_load(const cairn_problem *problem, int body, const double *gamma, long double *y) {
    const cairn_body_blocks *B = &problem->body;
    int size = problem->body_start[body + 1] - problem->body_start[body];
    if (in_threes(problem, body)) {
        load_three(problem, body, 0, gamma, y);
        load_three(problem, body, 3, gamma, y);
        return;
    }
    for (int i = 0; i < size; i++) {
        long double sum = 0.0L;
        for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
            int block = B->incident[s], dim = problem->block[block].dim, width = B->width[block];
            const double *E = B->dense + B->incident_at[s] + i, *x = gamma + problem->block_start[block];
            if (dim == 3) { /* in the order of load_three */
                sum += ((long double)E[0] * x[0] + (long double)E[width] * x[1]) + (long double)E[2 * width] * x[2];
                continue;
            }
            for (int r = 0; r < dim; r++)
                sum += (long double)E[r * width] * x[r];
        }
        y[i] = sum;
    }
}

static long double largest_of(int n, const long double *x) {
    long double largest = 0.0L;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return INFINITY;
        if (fabsl(x[i]) > largest)
            largest = fabsl(x[i]);
    }
    return largest;
}

/* ---- creation ---------------------------------------------------------------------------------------------- */

static cairn_status take_workspace(cairn_judge_mass *mass) {
    cairn_context *context = mass->problem->context;
    const cairn_csc *H = &mass->problem->A;
    size_t n = (size_t)H->cols;
    mass->residual = cairn_alloc_raw(context, n, sizeof *mass->residual);
    mass->correction = cairn_alloc_raw(context, n, sizeof *mass->correction);
    mass->bound = cairn_alloc(context, n, sizeof *mass->bound);
    mass->row_max = cairn_alloc(context, n, sizeof *mass->row_max);
    mass->packed = cairn_alloc_raw(context, n, sizeof *mass->packed);
    mass->body_of = cairn_alloc_raw(context, n, sizeof *mass->body_of);
    if (!mass->residual || !mass->correction || !mass->bound || !mass->row_max || !mass->packed || !mass->body_of)
        return CAIRN_ERROR_MEMORY;
    for (int body = 0; body < mass->problem->bodies; body++)
        for (int i = mass->problem->body_start[body]; i < mass->problem->body_start[body + 1]; i++)
            mass->body_of[i] = body;
    for (int e = 0; e < H->start[H->cols]; e++) {
        int i = H->index[e];
        if (fabs(H->value[e]) > mass->row_max[i])
            mass->row_max[i] = fabs(H->value[e]);
        mass->bound[i] += 1.0L;
        if (mass->bound[i] > (long double)mass->row_entries)
            mass->row_entries = (int)mass->bound[i];
    }
    return CAIRN_OK;
}

cairn_status cairn_judge_mass_create(const cairn_problem *problem, cairn_factor *lent, cairn_judge_mass **mass) {
    cairn_judge_mass *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->problem = problem;
    made->lent = lent != NULL && !problem->block_diagonal;
    made->sparse = made->lent ? lent : NULL;
    cairn_status status = take_workspace(made);
    if (status == CAIRN_OK)
        status = cairn_judge_dense_create(problem, &made->dense);
    if (status == CAIRN_OK && !problem->block_diagonal && !made->lent)
        status = cairn_judge_sparse_create(problem, &made->sparse);
    if (status != CAIRN_OK) {
        cairn_judge_mass_destroy(made);
        return status;
    }
    *mass = made;
    return CAIRN_OK;
}

void cairn_judge_mass_destroy(cairn_judge_mass *mass) {
    if (mass == NULL)
        return;
    cairn_context *context = mass->problem->context;
    cairn_judge_dense_destroy(mass->dense);
    if (!mass->lent)
        cairn_factor_destroy(mass->sparse);
    cairn_free(context, mass->residual);
    cairn_free(context, mass->correction);
    cairn_free(context, mass->bound);
    cairn_free(context, mass->row_max);
    cairn_free(context, mass->packed);
    cairn_free(context, mass->body_of);
    cairn_free(context, mass);
}

/* ---- solving ----------------------------------------------------------------------------------------------- */

/* x <- H^-1 x by the factor alone. For the sparse factor x is brought to size 1 by a power of two first. */
static void solve_once(cairn_judge_mass *mass, long double *x) {
    const cairn_problem *problem = mass->problem;
    if (mass->sparse == NULL) {
        for (int body = 0; body < problem->bodies; body++)
            cairn_judge_dense_solve(mass->dense, body, x + problem->body_start[body]);
        return;
    }
    int exponent = 0;
    frexpl(largest_of(problem->n, x), &exponent);
    for (int i = 0; i < problem->n; i++)
        mass->packed[i] = (double)ldexpl(x[i], -exponent);
    cairn_factor_solve(mass->sparse, mass->packed);
    for (int i = 0; i < problem->n; i++)
        x[i] = ldexpl((long double)mass->packed[i], exponent);
}

/* residual = rhs - H x and bound = |H||x| + |rhs|. */
static void find_residual(cairn_judge_mass *mass, const long double *rhs, const long double *x) {
    const cairn_csc *H = &mass->problem->A, *rows = rows_of(mass->problem);
    for (int i = 0; i < H->cols; i++) {
        long double sum = rhs[i], size = fabsl(rhs[i]);
        for (int e = rows != NULL ? rows->start[i] : 0; rows != NULL && e < rows->start[i + 1]; e++) {
            long double term = rows->value[e] * x[rows->index[e]];
            sum -= term;
            size += fabsl(term);
        }
        mass->residual[i] = sum;
        mass->bound[i] = size;
    }
    for (int j = 0; j < H->cols && rows == NULL; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++) {
            long double term = H->value[e] * x[j];
            mass->residual[H->index[e]] -= term;
            mass->bound[H->index[e]] += fabsl(term);
        }
}

/* residual = rhs - H x; returns the backward error eta of x, INFINITY when something is not finite. */
static long double backward_error(cairn_judge_mass *mass, const long double *rhs, const long double *x) {
    int n = mass->problem->n;
    find_residual(mass, rhs, x);
    long double eta = 0.0L, size = largest_of(n, x);
    for (int i = 0; i < n; i++) {
        long double bound = mass->bound[i], whole = mass->row_max[i] * size;
        if (bound <= 1000.0L * n * LDBL_EPSILON * (whole + fabsl(rhs[i])))
            bound += whole;
        if (mass->residual[i] == 0.0L || fabsl(mass->residual[i]) <= eta * bound)
            continue;
        long double ratio = fabsl(mass->residual[i]) / bound;
        if (!(ratio <= eta))
            eta = isnan(ratio) ? INFINITY : ratio;
    }
    return eta;
}

cairn_status cairn_judge_mass_solve(cairn_judge_mass *mass, const long double *rhs, long double *x) {
    int n = mass->problem->n;
    long double enough = (mass->row_entries + 1) * LDBL_EPSILON;
    memcpy(x, rhs, (size_t)n * sizeof *x);
    solve_once(mass, x);
    long double eta = backward_error(mass, rhs, x);
    for (int step = 0; step < REFINE_MAX && eta > enough; step++) {
        memcpy(mass->correction, mass->residual, (size_t)n * sizeof *x);
        solve_once(mass, mass->correction);
        for (int i = 0; i < n; i++)
            x[i] += mass->correction[i];
        long double better = backward_error(mass, rhs, x);
        if (!(better < eta)) { /* no gain: keep the iterate before */
            for (int i = 0; i < n; i++)
                x[i] -= mass->correction[i];
            break;
        }
        bool slow = better > 0.5L * eta;
        eta = better;
        if (slow)
            break;
    }
    if (!(eta <= BACKWARD_LIMIT))
        return cairn_fail(mass->problem->context, CAIRN_ERROR_NUMERICAL,
                          "certificate: solving with H leaves a backward error of %.2Lg, more than %g", eta,
                          BACKWARD_LIMIT);
    return CAIRN_OK;
}

/* ---- block scales ------------------------------------------------------------------------------------------ */

/* d' blockdiag(H)^-1 d for column d of D, by the dense factors. Its entries lie body by body. */
static long double column_energy(const cairn_judge_mass *mass, int column) {
    const cairn_csc *D = &mass->problem->D;
    const int *body_start = mass->problem->body_start;
    double x[CAIRN_BODY_DIM_MAX];
    long double energy = 0.0L;
    for (int e = D->start[column], end = D->start[column + 1]; e < end;) {
        int body = mass->body_of[D->index[e]], first = body_start[body], last = body_start[body + 1];
        for (int i = 0; i < last - first; i++)
            x[i] = 0.0;
        for (; e < end && D->index[e] < last; e++)
            x[D->index[e] - first] = D->value[e];
        energy += cairn_judge_dense_energy(mass->dense, body, x);
    }
    return energy;
}

/* The same where the blocks of H are diagonal. When squares may be lost to underflow or overflow the factors are asked. */
static long double scaled_square(const cairn_judge_mass *mass, const double *root, int column) {
    const cairn_csc *D = &mass->problem->D;
    double sum = 0.0;
    for (int e = D->start[column]; e < D->start[column + 1]; e++) {
        double part = root[D->index[e]] * D->value[e];
        sum += part * part;
    }
    return sum > SAFE_LOW && sum < SAFE_HIGH ? sum : column_energy(mass, column);
}

cairn_status cairn_judge_mass_scales(const cairn_judge_mass *mass, long double *scale) {
    const cairn_problem *problem = mass->problem;
    const double *root = cairn_judge_dense_roots(mass->dense);
    for (int i = 0; i < problem->blocks; i++) {
        long double trace = 0.0L;
        for (int row = problem->block_start[i]; row < problem->block_start[i + 1]; row++)
            trace += (root != NULL ? scaled_square(mass, root, row) : column_energy(mass, row)) + problem->C[row];
        scale[i] = isfinite(trace) ? trace / problem->block[i].dim : 0.0L;
    }
    cairn_status status = problem->block_diagonal ? CAIRN_OK : cairn_judge_piece_scales(problem, mass->body_of, scale);
    for (int i = 0; i < problem->blocks; i++)
        if (!(scale[i] > 0.0L))
            scale[i] = 1.0L;
    return status;
}
