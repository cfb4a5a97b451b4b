/*
 * analysis.c: what a problem is like: sets, masses, rank and conditioning of N = D'H^-1 D + C and
 * of H [theory 1].
 *
 *     N = A'A,  A = [L^-1 D; C^(1/2)],  H = L L'
 *
 * The rank of N is that of A, found by QR on A itself (not on N, which has the squares of its
 * singular values). The eigenvalues of N that are not 0 are those of AA' or A'A, whichever is
 * smaller. Unsymmetric matrices are replaced by their symmetric part. What is too large for dense
 * work is estimated by Lanczos runs or left out.
 */
#include "problem/analysis/analysis.h"

#include "problem/analysis/dense_spectrum.h"
#include "problem/delassus/delassus_operator.h"

#include <float.h>
#include <math.h>

enum {
    EIGEN_MAX = 1500, /* largest matrix for dense eigenvalues */
    FACTOR_MAX = 5000 /* largest H for an envelope factor */
};
#define WORK_MAX 6e9 /* multiply-adds for a rank */

typedef struct analyzer {
    const cairn_problem *problem;
    cairn_context *context;
    cairn_operator *op; /* made when first needed */
    cairn_analysis *out;
} analyzer;

/* ---- counting ---- */

static bool is_cone(cairn_set_kind set) {
    return set == CAIRN_SET_CONE || set == CAIRN_SET_DUAL_CONE || set == CAIRN_SET_CAPPED_CONE ||
           set == CAIRN_SET_SHIFTED_CONE || set == CAIRN_SET_POLY_CONE;
}

static void count_sets(const cairn_problem *p, cairn_analysis *out) {
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        out->set_count[block->set]++;
        if (is_cone(block->set)) {
            out->mu_min = fmin(out->mu_min, block->mu); /* fmin, fmax pass over the first NAN */
            out->mu_max = fmax(out->mu_max, block->mu);
        }
    }
    for (int i = 0; i < p->m; i++)
        out->C_max = fmax(out->C_max, p->C[i]);
}

static double entry(const cairn_csc *A, int row, int col) {
    int low = A->start[col], high = A->start[col + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->index[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->start[col + 1] && A->index[low] == row ? A->value[low] : 0.0;
}

static void measure_matrix(const cairn_problem *p, cairn_analysis *out) {
    double largest = 0.0, difference = 0.0;
    out->diagonal = true;
    for (int j = 0; j < p->A.cols; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) {
            int i = p->A.index[e];
            out->diagonal = out->diagonal && i == j;
            largest = fmax(largest, fabs(p->A.value[e]));
            if (p->unsymmetric)
                difference = fmax(difference, fabs(p->A.value[e] - entry(&p->A, j, i)));
        }
    out->unsymmetry = largest > 0.0 ? difference / largest : 0.0;
    out->H_entries = p->A.cols > 0 ? p->A.start[p->A.cols] : 0;
    out->D_entries = !p->local && p->m > 0 ? p->D.start[p->m] : 0;
}

static void measure_bodies(const cairn_problem *p, cairn_analysis *out) {
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], dim = p->body_start[body + 1] - first;
        double trace = 0.0;
        for (int i = first; i < first + dim; i++)
            trace += entry(&p->A, i, i);
        out->mass_min = fmin(out->mass_min, trace / dim);
        out->mass_max = fmax(out->mass_max, trace / dim);
        out->body_dim_min = body == 0 || dim < out->body_dim_min ? dim : out->body_dim_min;
        out->body_dim_max = dim > out->body_dim_max ? dim : out->body_dim_max;
    }
}

/* ---- eigenvalues of H or of a given N ---- */

/* S (dim x dim) = symmetric part of the rows and columns first .. first + dim - 1 of A. */
static void copy_symmetric(const cairn_csc *A, int first, int dim, double *S) {
    for (int i = 0; i < dim * dim; i++)
        S[i] = 0.0;
    for (int j = 0; j < dim; j++)
        for (int e = A->start[first + j]; e < A->start[first + j + 1]; e++) {
            int i = A->index[e] - first;
            if (i < 0 || i >= dim)
                continue;
            S[(size_t)j * (size_t)dim + (size_t)i] += 0.5 * A->value[e];
            S[(size_t)i * (size_t)dim + (size_t)j] += 0.5 * A->value[e];
        }
}

/* The part of A from first on, dim rows, as a tridiagonal matrix d, e. */
static void reduce_part(const cairn_csc *A, int first, int dim, double *S, double *d, double *e) {
    copy_symmetric(A, first, dim, S);
    cairn_tridiagonalize(dim, S, d, e);
}

/* Extreme eigenvalues of H, body by body or as a whole. */
static cairn_status measure_H_dense(const analyzer *a) {
    const cairn_problem *p = a->problem;
    bool by_body = p->block_diagonal;
    int dim = by_body ? a->out->body_dim_max : p->n, parts = by_body ? p->bodies : 1;
    double *S = cairn_alloc(a->context, (size_t)dim * (size_t)dim, sizeof *S);
    double *d = cairn_alloc(a->context, (size_t)dim, sizeof *d);
    double *e = cairn_alloc(a->context, (size_t)dim, sizeof *e);
    cairn_status status = S != NULL && d != NULL && e != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int part = 0; part < parts && status == CAIRN_OK; part++) {
        int first = by_body ? p->body_start[part] : 0, count = by_body ? p->body_start[part + 1] - first : dim;
        reduce_part(&p->A, first, count, S, d, e);
        a->out->H_min = fmin(a->out->H_min, cairn_sturm_eigenvalue(count, d, e, 0));
        a->out->H_max = fmax(a->out->H_max, cairn_sturm_eigenvalue(count, d, e, count - 1));
    }
    cairn_free(a->context, e);
    cairn_free(a->context, d);
    cairn_free(a->context, S);
    return status;
}

/* y = M x for one of the operators below. */
static void multiply_H(void *user, const double *x, double *y) {
    const analyzer *a = user;
    cairn_problem_multiply(a->problem, x, 0.0, y);
}

static void solve_H(void *user, const double *x, double *y) {
    const analyzer *a = user;
    cairn_operator_solve(a->op, x, y);
}

static void multiply_N(void *user, const double *x, double *y) {
    const analyzer *a = user;
    cairn_operator_product(a->op, x, y);
}

static cairn_status lanczos(analyzer *a, int size, cairn_lanczos_product multiply, double *largest) {
    double *work = cairn_alloc(a->context, 3 * (size_t)size, sizeof *work);
    if (work == NULL)
        return CAIRN_ERROR_MEMORY;
    *largest = cairn_lanczos(size, CAIRN_LANCZOS_STEPS, multiply, a, work).largest;
    cairn_free(a->context, work);
    return CAIRN_OK;
}

static cairn_status need_operator(analyzer *a) {
    return a->op != NULL ? CAIRN_OK : cairn_operator_create(a->problem, &a->op);
}

static cairn_status measure_H(analyzer *a) {
    const cairn_problem *p = a->problem;
    if (p->local || p->n == 0)
        return CAIRN_OK;
    if (p->block_diagonal || p->n <= EIGEN_MAX)
        return measure_H_dense(a);
    double inverse = NAN;
    cairn_status status = need_operator(a);
    if (status == CAIRN_OK)
        status = lanczos(a, p->n, multiply_H, &a->out->H_max);
    if (status == CAIRN_OK)
        status = lanczos(a, p->n, solve_H, &inverse);
    a->out->H_min = 1.0 / inverse;
    a->out->H_estimated = true;
    return status;
}

/* Rank and eigenvalues of a given N: eigenvalues up to EIGEN_MAX rows, above it pivoted
 * Cholesky. */
static cairn_status measure_given_N(const analyzer *a) {
    const cairn_problem *p = a->problem;
    int m = p->m;
    double *S = cairn_alloc(a->context, (size_t)m * (size_t)m, sizeof *S);
    double *d = cairn_alloc(a->context, (size_t)m, sizeof *d);
    double *e = cairn_alloc(a->context, (size_t)m, sizeof *e);
    cairn_status status = S != NULL && d != NULL && e != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        copy_symmetric(&p->A, 0, m, S);
        for (int i = 0; i < m; i++)
            S[(size_t)i * (size_t)m + (size_t)i] += p->C[i];
        double tolerance = 10.0 * m * DBL_EPSILON;
        if (m > EIGEN_MAX) {
            a->out->rank = cairn_rank_cholesky(m, S, tolerance);
        } else {
            cairn_tridiagonalize(m, S, d, e);
            double largest = cairn_sturm_eigenvalue(m, d, e, m - 1);
            int zeros = largest > 0.0 ? cairn_sturm_count(m, d, e, tolerance * largest) : m;
            a->out->rank = m - zeros;
            a->out->N_max = zeros < m ? largest : NAN;
            a->out->N_min = zeros < m ? cairn_sturm_eigenvalue(m, d, e, zeros) : NAN;
        }
    }
    cairn_free(a->context, e);
    cairn_free(a->context, d);
    cairn_free(a->context, S);
    return status;
}

/* ---- A = [L^-1 D; C^(1/2)] ---- */

/* G (size x size, lower triangle) = AA' when size = rows, A'A when size = cols; A is rows x
 * cols. */
static void make_gram(int rows, int cols, int size, const double *A, double *G) {
    for (int j = 0; j < cols; j++) {
        const double *a = A + (size_t)j * (size_t)rows;
        if (size == rows) {
            for (int k = 0; k < rows; k++)
                for (int i = k; i < rows && a[k] != 0.0; i++)
                    G[(size_t)k * (size_t)size + (size_t)i] += a[k] * a[i];
            continue;
        }
        for (int i = j; i < cols; i++) {
            const double *b = A + (size_t)i * (size_t)rows;
            double dot = 0.0;
            for (int k = 0; k < rows; k++)
                dot += a[k] * b[k];
            G[(size_t)j * (size_t)size + (size_t)i] = dot;
        }
    }
}

/* Rank by QR, eigenvalues by the smaller of A'A and AA'. A is destroyed. */
static cairn_status measure_A(const analyzer *a, int rows, int cols, double *A) {
    int size = rows < cols ? rows : cols;
    bool eigen = size <= EIGEN_MAX;
    double *G = eigen ? cairn_alloc(a->context, (size_t)size * (size_t)size, sizeof *G) : NULL;
    double *d = cairn_alloc(a->context, (size_t)size, sizeof *d);
    double *e = cairn_alloc(a->context, (size_t)size, sizeof *e);
    double *norm = cairn_alloc(a->context, (size_t)cols, sizeof *norm);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if ((!eigen || G != NULL) && d != NULL && e != NULL && norm != NULL) {
        status = CAIRN_OK;
        if (eigen)
            make_gram(rows, cols, size, A, G);
        int rank = cairn_rank_qr(rows, cols, A, 10.0 * (rows > cols ? rows : cols) * DBL_EPSILON, norm);
        a->out->rank = rank;
        if (eigen && rank > 0) {
            cairn_tridiagonalize(size, G, d, e);
            a->out->N_max = cairn_sturm_eigenvalue(size, d, e, size - 1);
            double least = cairn_sturm_eigenvalue(size, d, e, size - rank);
            a->out->N_min = fmax(least, DBL_EPSILON * a->out->N_max); /* below this it is rounding of AA' */
        }
    }
    cairn_free(a->context, norm);
    cairn_free(a->context, e);
    cairn_free(a->context, d);
    cairn_free(a->context, G);
    return status;
}

static cairn_status measure_global_N(const analyzer *a) {
    const cairn_problem *p = a->problem;
    int compliant = 0, next = p->n;
    for (int i = 0; i < p->m; i++)
        compliant += p->C[i] > 0.0;
    int rows = p->n + compliant;
    cairn_envelope L = {0};
    double *A = cairn_alloc(a->context, (size_t)rows * (size_t)p->m, sizeof *A);
    cairn_status status = A != NULL ? cairn_envelope_create(a->context, &p->A, &L) : CAIRN_ERROR_MEMORY;
    for (int j = 0; j < p->m && status == CAIRN_OK; j++) {
        double *column = A + (size_t)j * (size_t)rows;
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
            column[p->D.index[e]] = p->D.value[e];
        cairn_envelope_forward(&L, column);
        if (p->C[j] > 0.0)
            column[next++] = sqrt(p->C[j]);
    }
    cairn_envelope_free(a->context, &L);
    if (status == CAIRN_OK)
        status = measure_A(a, rows, p->m, A);
    cairn_free(a->context, A);
    return status;
}

static cairn_status measure_N(analyzer *a) {
    const cairn_problem *p = a->problem;
    if (p->m == 0) {
        a->out->rank = 0;
        return CAIRN_OK;
    }
    double n = p->n, m = p->m, smaller = n < m ? n : m;
    cairn_status status = CAIRN_OK;
    if (p->local ? m * m * m / 3.0 <= WORK_MAX : n <= FACTOR_MAX && 2.0 * n * m * smaller <= WORK_MAX)
        status = p->local ? measure_given_N(a) : measure_global_N(a);
    if (status == CAIRN_OK && isnan(a->out->N_max) && a->out->rank != 0) {
        status = need_operator(a);
        if (status == CAIRN_OK)
            status = lanczos(a, p->m, multiply_N, &a->out->N_max);
        a->out->N_estimated = true;
    }
    return status;
}

/* Nothing known yet. */
static cairn_analysis unknown(void) {
    cairn_analysis out = {.mu_min = NAN, .mu_max = NAN, .mass_min = NAN, .mass_max = NAN};
    out.H_min = out.H_max = out.N_min = out.N_max = NAN;
    out.rank = -1;
    return out;
}

cairn_status cairn_problem_spectrum(const cairn_problem *problem, cairn_spectrum part, double *least, double *largest) {
    cairn_analysis out = unknown();
    analyzer a = {.problem = problem, .context = problem->context, .out = &out};
    cairn_status status = CAIRN_OK;
    if (part == CAIRN_SPECTRUM_N) {
        status = measure_N(&a);
    } else if (part == CAIRN_SPECTRUM_N_MAX) {
        status = need_operator(&a);
        if (status == CAIRN_OK)
            status = lanczos(&a, problem->m, multiply_N, &out.N_max);
    } else if (!problem->local) {
        measure_bodies(problem, &out);
        status = measure_H(&a);
    }
    cairn_operator_destroy(a.op);
    *least = part == CAIRN_SPECTRUM_H ? out.H_min : out.N_min;
    *largest = part == CAIRN_SPECTRUM_H ? out.H_max : out.N_max;
    return status;
}

cairn_status cairn_problem_analyze(const cairn_problem *problem, cairn_analysis *analysis) {
    if (problem == NULL || analysis == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_analysis out = unknown();
    analyzer a = {.problem = problem, .context = problem->context, .out = &out};
    count_sets(problem, &out);
    measure_matrix(problem, &out);
    if (!problem->local)
        measure_bodies(problem, &out);
    cairn_status status = measure_H(&a);
    if (status == CAIRN_OK)
        status = measure_N(&a);
    cairn_operator_destroy(a.op);
    if (status == CAIRN_OK)
        *analysis = out;
    return status;
}
