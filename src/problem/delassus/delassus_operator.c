/*
 * delassus_operator.c: products with N = D'H^-1 D + C [theory 1] without forming it.
 *
 *     y = N x:   w = D x  ->  w = H^-1 w  ->  y = D'w + C x
 *
 * H^-1: for rigid bodies the inverse of each body's block, formed once ; otherwise a
 * sparse factor of H with one step of refinement where H is unsymmetric and a trial solve shows
 * that the factor alone is not backward stable. Cost of a product: 4 flops and 24 bytes for each
 * entry of D, twice, plus 2 flops for each entry of the inverses.
 */
#include "problem/delassus/delassus_operator.h"

#include "linalg/factor/factor_cache.h"
#include "problem/mass_components.h"

#include <math.h>
#include <string.h>

#define BODY_GRAIN   64
#define REFINE_ABOVE 1e-13 /* componentwise backward error of the trial solve from which solves are refined */

struct cairn_operator {
    const cairn_problem *problem;
    cairn_context *context;
    bool dense;                /* H^-1 by bodies */
    double *inverse;           /* bodies' inverses, row by row */
    bool *diagonal_of;         /* bodies: the inverse has nothing off its diagonal */
    bool *split_of;            /* bodies: it is that of a mass in three rows and of an inertia in three */
    int64_t *inverse_start;    /* bodies + 1 */
    cairn_factor *factor;      /* sparse H */
    cairn_factor_cache *cache; /* where it came from, or NULL */
    bool refine;               /* its solves, against the true H */
    double *value;             /* entries of the factor's pattern */
    double *work;              /* n: the inside of a product */
    double *solution;          /* n, unsymmetric sparse H only: refinement */
    double *residual;          /* n, likewise */
    double *scale;             /* blocks */
    bool scaled;               /* they are there; else they were not asked for yet */
    double *diagonal;          /* N_ii; NULL: not asked for yet */
    int *diagonal_start;       /* blocks + 1 */
};

/* Inverts a (size x size, row by row) into inverse: its first rows, which have nothing but their
 * diagonal entries, element by element, the others by Gauss-Jordan with row pivoting; a is
 * destroyed. */
static bool invert_dense(int size, int alone, double *a, double *inverse) {
    memset(inverse, 0, (size_t)(size * size) * sizeof *inverse);
    for (int i = 0; i < size; i++)
        inverse[i * size + i] = i < alone ? 1.0 / a[i * size + i] : 1.0;
    for (int c = alone; c < size; c++) {
        int pivot = c;
        for (int r = c + 1; r < size; r++)
            if (fabs(a[r * size + c]) > fabs(a[pivot * size + c]))
                pivot = r;
        double p = a[pivot * size + c];
        if (!(fabs(p) > 0.0) || !isfinite(p))
            return false;
        for (int j = alone; j < size; j++) {
            double t = a[c * size + j], s = inverse[c * size + j];
            a[c * size + j] = a[pivot * size + j] / p;
            inverse[c * size + j] = inverse[pivot * size + j] / p;
            if (pivot != c) {
                a[pivot * size + j] = t;
                inverse[pivot * size + j] = s;
            }
        }
        for (int r = alone; r < size; r++) {
            double f = a[r * size + c];
            if (r == c || f == 0.0)
                continue;
            for (int j = alone; j < size; j++) {
                a[r * size + j] -= f * a[c * size + j];
                inverse[r * size + j] -= f * inverse[c * size + j];
            }
        }
    }
    return true;
}

/* Has each of these columns of H its diagonal entry, and no other? There are as many entries as
 * columns. */
static bool is_diagonal(const cairn_problem *p, int first, int size) {
    for (int j = 0; j < size; j++)
        if (p->A.index[p->A.start[first] + j] != first + j || p->A.start[first + j + 1] != p->A.start[first] + j + 1)
            return false;
    return true;
}

static bool invert_diagonal(int size, const double *value, double *inverse) {
    memset(inverse, 0, (size_t)(size * size) * sizeof *inverse);
    for (int i = 0; i < size; i++) {
        double x = 1.0 / value[i];
        inverse[i * (size + 1)] = x;
        if (!(x > 0.0) || !isfinite(x))
            return false;
    }
    return true;
}

/* The inverse of a mass and a symmetric inertia a (3 x 3, rows apart by 6) by L D L'. False: it
 * is not positive definite, or the numbers are out of range. */
static bool invert_rigid(const double *a, double mass, double *inverse) {
    const double *A = a + 21;
    double d0 = A[0], l10 = A[6] / d0, l20 = A[12] / d0, d1 = A[7] - l10 * A[6], c = A[13] - l20 * A[6];
    double l21 = c / d1, d2 = A[14] - l20 * A[12] - l21 * c, m20 = l10 * l21 - l20;
    double p0 = 1.0 / d0, p1 = 1.0 / d1, p2 = 1.0 / d2, light = 1.0 / mass;
    if (!(d0 > 0.0 && d1 > 0.0 && d2 > 0.0 && light > 0.0) || !isfinite(p0 + p1 + p2 + light))
        return false;
    memset(inverse, 0, 36 * sizeof *inverse);
    inverse[0] = inverse[7] = inverse[14] = light;
    inverse[21] = p0 + l10 * l10 * p1 + m20 * m20 * p2;
    inverse[22] = inverse[27] = -l10 * p1 - m20 * l21 * p2;
    inverse[23] = inverse[33] = m20 * p2;
    inverse[28] = p1 + l21 * l21 * p2;
    inverse[29] = inverse[34] = -l21 * p2;
    inverse[35] = p2;
    return isfinite(inverse[21] + inverse[22] + inverse[28]);
}

static cairn_status not_definite(cairn_operator *op, int first, int size) {
    return cairn_fail(op->context, CAIRN_ERROR_NUMERICAL,
                      "H is not positive definite: the block of rows %d to %d has no inverse", first, first + size - 1);
}

/* Inverses of the diagonal blocks of H. Positive definiteness is asked of the diagonal of the
 * inverse. */
static cairn_status invert_bodies(cairn_operator *op) {
    const cairn_problem *p = op->problem;
    double block[CAIRN_BODY_DIM_MAX * CAIRN_BODY_DIM_MAX];
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first;
        double *inverse = op->inverse + op->inverse_start[body];
        if (p->A.start[first + size] - p->A.start[first] == size && is_diagonal(p, first, size)) {
            if (!invert_diagonal(size, p->A.value + p->A.start[first], inverse))
                return not_definite(op, first, size);
            op->diagonal_of[body] = true;
            continue;
        }
        int alone = size;
        memset(block, 0, (size_t)(size * size) * sizeof *block);
        for (int j = 0; j < size; j++)
            for (int e = p->A.start[first + j]; e < p->A.start[first + j + 1]; e++) {
                int i = p->A.index[e] - first;
                if (i < 0 || i >= size)
                    continue;
                block[i * size + j] = p->A.value[e];
                if (i != j && (i < j ? i : j) < alone) /* rows and columns before the first such entry are alone */
                    alone = i < j ? i : j;
            }
        bool one_mass = size == 6 && alone == 3 && block[0] == block[7] && block[0] == block[14];
        if (one_mass && !p->unsymmetric && invert_rigid(block, block[0], inverse))
            op->split_of[body] = true;
        if (op->split_of[body])
            continue;
        bool good = invert_dense(size, alone, block, inverse);
        op->diagonal_of[body] = alone == size;
        for (int j = 0; good && j < size; j++)
            good = inverse[j * size + j] > 0.0 && isfinite(inverse[j * size + j]);
        if (!good)
            return not_definite(op, first, size);
        for (int i = 0; !p->unsymmetric && i < size; i++)
            for (int j = 0; j < i; j++)
                inverse[i * size + j] = inverse[j * size + i] = 0.5 * inverse[i * size + j] +
                                                                0.5 * inverse[j * size + i];
    }
    return CAIRN_OK;
}

/* Unsymmetric H: max_i |Hx - y|_i / (|H||x| + |y|)_i of one solve by the factor. y has
 * alternating parts of the size of H's diagonal, so that no row is left out. Sums run over the
 * columns of H. */
static void try_factor(cairn_operator *op) {
    const cairn_csc *H = &op->problem->A;
    double *x = op->solution, *residual = op->residual, *bound = op->work, worst = 0.0;
    for (int j = 0; j < H->cols; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            if (H->index[e] == j)
                x[j] = (j % 3 == 0 ? -1.0 : 0.5 + (double)(j % 2)) * H->value[e];
    for (int i = 0; i < H->cols; i++) {
        residual[i] = -x[i];
        bound[i] = fabs(x[i]);
    }
    cairn_factor_solve(op->factor, x);
    for (int j = 0; j < H->cols; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++) {
            double term = H->value[e] * x[j];
            residual[H->index[e]] += term;
            bound[H->index[e]] += fabs(term);
        }
    for (int i = 0; i < H->cols; i++)
        if (!(fabs(residual[i]) <= worst * bound[i]))
            worst = fabs(residual[i]) / bound[i];
    op->refine = !(worst <= REFINE_ABOVE);
}

static cairn_status factor_sparse(cairn_operator *op) {
    const cairn_problem *p = op->problem;
    cairn_pattern pattern;
    cairn_status status = cairn_pattern_create(op->context, &p->A, p->unsymmetric ? &p->At : NULL, p->full_pattern,
                                               &pattern);
    if (status != CAIRN_OK)
        return status;
    status = cairn_pattern_fill_blocks(p, &pattern);
    if (status != CAIRN_OK) {
        cairn_pattern_free(op->context, &pattern);
        return status;
    }
    op->value = cairn_alloc(op->context, (size_t)pattern.start[p->n], sizeof *op->value);
    op->solution = cairn_alloc(op->context, (size_t)p->n, sizeof *op->solution);
    op->residual = cairn_alloc(op->context, (size_t)p->n, sizeof *op->residual);
    if (op->value == NULL || op->solution == NULL || op->residual == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_factor_cache_analyze(op->cache, op->context, p->n, pattern.start, pattern.index, p->bodies,
                                            p->body_start, !p->unsymmetric, SIZE_MAX, NULL, &op->factor);
    if (status == CAIRN_OK) {
        for (int e = 0; e < p->A.start[p->n]; e++)
            op->value[pattern.map[e]] = p->A.value[e];
        status = cairn_factor_numeric(op->factor, op->value, NULL);
        if (status == CAIRN_ERROR_NUMERICAL)
            status = cairn_fail(op->context, status, "H is not positive definite: its factorisation failed at row %d",
                                cairn_factor_failed_row(op->factor));
    }
    cairn_pattern_free(op->context, &pattern);
    if (status == CAIRN_OK && p->unsymmetric)
        try_factor(op);
    return status;
}

typedef struct body_task {
    const cairn_operator *op;
    double *x;
} body_task;

/* x <- G x, G by rows; symmetric: read by columns, which are the rows. */
static inline void multiply_inverse(int size, bool symmetric, const double *restrict G, double *restrict x) {
    double t[CAIRN_BODY_DIM_MAX] = {0};
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            t[i] += (symmetric ? G[j * size + i] : G[i * size + j]) * x[j];
    for (int i = 0; i < size; i++)
        x[i] = t[i];
}

CAIRN_CLONES static void solve_bodies(void *user, int chunk, int begin, int end) {
    const body_task *task = user;
    const cairn_operator *op = task->op;
    (void)chunk;
    for (int body = begin; body < end; body++) {
        int first = op->problem->body_start[body], size = op->problem->body_start[body + 1] - first;
        const double *inverse = op->inverse + op->inverse_start[body];
        if (op->diagonal_of[body])
            for (int i = 0; i < size; i++)
                task->x[first + i] *= inverse[i * (size + 1)];
        else if (size == 6 && !op->problem->unsymmetric) /* a rigid body: sizes the compiler can see */
            multiply_inverse(6, true, inverse, task->x + first);
        else
            multiply_inverse(size, !op->problem->unsymmetric, inverse, task->x + first);
    }
}

void cairn_operator_solve(cairn_operator *op, const double *x, double *v) {
    const cairn_problem *p = op->problem;
    size_t bytes = (size_t)p->n * sizeof *v;
    if (op->dense) {
        if (v != x)
            memcpy(v, x, bytes);
        body_task task = {op, v};
        cairn_parallel(op->context, p->bodies, BODY_GRAIN, solve_bodies, &task);
        return;
    }
    if (!op->refine) {
        if (v != x)
            memcpy(v, x, bytes);
        cairn_factor_solve(op->factor, v);
        return;
    }
    /* one step of refinement against the true matrix */
    memcpy(op->solution, x, bytes);
    cairn_factor_solve(op->factor, op->solution);
    for (int i = 0; i < p->n; i++)
        op->residual[i] = -x[i];
    cairn_problem_multiply(p, op->solution, 1.0, op->residual);
    cairn_factor_solve(op->factor, op->residual);
    for (int i = 0; i < p->n; i++)
        v[i] = op->solution[i] - op->residual[i];
}

void cairn_operator_solve_many(cairn_operator *op, int count, double *x) {
    int64_t n = op->problem->n;
    if (!op->dense && !op->refine) {
        cairn_factor_solve_many(op->factor, count, x, n);
        return;
    }
    for (int c = 0; c < count; c++)
        cairn_operator_solve(op, x + c * n, x + c * n);
}

void cairn_operator_velocity(cairn_operator *op, const double *gamma, double *v) {
    const cairn_problem *p = op->problem;
    if (p->local)
        return;
    cairn_problem_impulse(p, gamma, 0.0, v); /* reads D once where there is one thread */
    for (int i = 0; i < p->n; i++)
        v[i] += p->k[i];
    cairn_operator_solve(op, v, v);
}

void cairn_operator_slip(cairn_operator *op, const double *v, const double *gamma, double *u) {
    const cairn_problem *p = op->problem;
    for (int i = 0; i < p->m; i++)
        u[i] = p->C[i] * gamma[i] + p->b[i];
    if (p->local)
        cairn_problem_multiply(p, gamma, 1.0, u);
    else
        cairn_problem_slip(p, v, 1.0, u);
}

void cairn_operator_product(cairn_operator *op, const double *x, double *y) {
    const cairn_problem *p = op->problem;
    for (int i = 0; i < p->m; i++)
        y[i] = p->C[i] * x[i];
    if (p->local) {
        cairn_problem_multiply(p, x, 1.0, y);
        return;
    }
    cairn_problem_impulse(p, x, 0.0, op->work);
    cairn_operator_solve(op, op->work, op->work);
    cairn_problem_slip(p, op->work, 1.0, y);
}

cairn_factor *cairn_operator_factor(cairn_operator *op) {
    return op->factor;
}

const cairn_problem *cairn_operator_problem(const cairn_operator *op) {
    return op->problem;
}

const double *cairn_operator_body_inverse(const cairn_operator *op, int body) {
    return op->inverse + op->inverse_start[body];
}

/* N_ii (dim x dim) += D_b' G D_b for one body's part of a block: dense holds dim rows, apart by
 * width; G = the body's inverse (size x size, row by row), read by columns when it is symmetric
 * because rows and columns are the same then. */
static inline void add_body_part(int dim, int size, bool symmetric, const double *restrict G,
                                 const double *restrict dense, int width, double *restrict N_ii) {
    for (int c = 0; c < dim; c++) {
        const double *d = dense + c * width;
        double w[CAIRN_BODY_DIM_MAX] = {0};
        for (int k = 0; k < size; k++)
            for (int r = 0; r < size; r++)
                w[r] += (symmetric ? G[k * size + r] : G[r * size + k]) * d[k];
        for (int r = 0; r < dim; r++) {
            double sum = 0.0;
            for (int k = 0; k < size; k++)
                sum += dense[r * width + k] * w[k];
            N_ii[r * dim + c] += sum;
        }
    }
}

/* Adds the part of a rigid body whose inverse mass matrix is diagonal: three rows of six. */
static inline void add_diagonal_part(const double *restrict G, const double *restrict dense, int width,
                                     double *restrict N_ii) {
    const double g[6] = {G[0], G[7], G[14], G[21], G[28], G[35]};
    for (int c = 0; c < 3; c++) {
        const double *d = dense + c * width;
        double w[6] = {g[0] * d[0], g[1] * d[1], g[2] * d[2], g[3] * d[3], g[4] * d[4], g[5] * d[5]};
        for (int r = 0; r <= c; r++) {
            const double *e = dense + r * width;
            double sum = ((((e[0] * w[0] + e[1] * w[1]) + e[2] * w[2]) + e[3] * w[3]) + e[4] * w[4]) + e[5] * w[5];
            N_ii[r * 3 + c] += sum;
            if (r < c)
                N_ii[c * 3 + r] += sum;
        }
    }
}

/* The block N_ii of block i without C, row by row; zero before. */
CAIRN_CLONES static void add_block(const cairn_operator *op, int i, double *N_ii) {
    const cairn_problem *p = op->problem;
    int dim = p->block[i].dim, width = p->body.width[i];
    const double *dense = p->body.dense + p->body.dense_start[i];
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
        int body = p->body.touch[t], size = p->body_start[body + 1] - p->body_start[body];
        const double *G = op->inverse + op->inverse_start[body];
        if (dim == 3 && size == 6 && op->diagonal_of[body])
            add_diagonal_part(G, dense, width, N_ii);
        else if (dim == 3 && size == 6 && !p->unsymmetric) /* a contact of rigid bodies: sizes the compiler can see */
            add_body_part(3, 6, true, G, dense, width, N_ii);
        else
            add_body_part(dim, size, !p->unsymmetric, G, dense, width, N_ii);
        dense += size;
    }
}

/* d'G d for six numbers and a symmetric G, in the order of add_body_part. */
static double energy_of(const double *restrict G, const double *restrict d) {
    double w[6] = {0}, sum = 0.0;
    for (int k = 0; k < 6; k++)
        for (int r = 0; r < 6; r++)
            w[r] += G[6 * k + r] * d[k];
    for (int k = 0; k < 6; k++)
        sum += d[k] * w[k];
    return sum;
}

/* d'G d where G couples only the last three numbers: the products left out are zero. */
CAIRN_INLINE double split_energy(const double *restrict G, const double *restrict d) {
    double w3 = (G[21] * d[3] + G[27] * d[4]) + G[33] * d[5], w4 = (G[22] * d[3] + G[28] * d[4]) + G[34] * d[5];
    double w5 = (G[23] * d[3] + G[29] * d[4]) + G[35] * d[5];
    double sum = (d[0] * (G[0] * d[0]) + d[1] * (G[7] * d[1])) + d[2] * (G[14] * d[2]);
    return ((sum + d[3] * w3) + d[4] * w4) + d[5] * w5;
}

/* Scales alone, for rigid bodies: trace(N_ii), term by term as in fill_diagonal. */
CAIRN_CLONES static void fill_scales(cairn_operator *op) {
    const cairn_problem *p = op->problem;
    for (int i = 0; i < p->blocks; i++) {
        int dim = p->block[i].dim, width = p->body.width[i];
        double own[CAIRN_BLOCK_DIM_MAX] = {0}, trace = 0.0;
        const double *dense = p->body.dense + p->body.dense_start[i];
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++, dense += 6) {
            const double *G = op->inverse + 36 * (size_t)p->body.touch[t];
            bool diagonal = op->diagonal_of[p->body.touch[t]];
            for (int c = 0; c < dim && !diagonal; c++)
                own[c] += op->split_of[p->body.touch[t]] ? split_energy(G, dense + c * width)
                                                         : energy_of(G, dense + c * width);
            for (int c = 0; c < dim && diagonal; c++) {
                const double *d = dense + c * width;
                own[c] +=
                    ((((d[0] * (G[0] * d[0]) + d[1] * (G[7] * d[1])) + d[2] * (G[14] * d[2])) + d[3] * (G[21] * d[3])) +
                     d[4] * (G[28] * d[4])) +
                    d[5] * (G[35] * d[5]);
            }
        }
        for (int c = 0; c < dim; c++)
            trace += own[c] + p->C[p->block_start[i] + c];
        op->scale[i] = trace > 0.0 && isfinite(trace) ? trace / dim : 1.0;
    }
}

const double *cairn_operator_scale(cairn_operator *op) {
    if (!op->scaled)
        fill_scales(op);
    op->scaled = true;
    return op->scale;
}

/* Are all bodies rigid? */
static bool is_plain(const cairn_operator *op) {
    const cairn_problem *p = op->problem;
    if (p->local || !op->dense || p->unsymmetric)
        return false;
    for (int body = 0; body < p->bodies; body++)
        if (p->body_start[body + 1] - p->body_start[body] != 6)
            return false;
    return true;
}

/* pieces: of a sparse H, else NULL. */
static void fill_diagonal(cairn_operator *op, const cairn_mass_components *pieces) {
    const cairn_problem *p = op->problem;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block_start[i + 1] - row;
        double *N_ii = op->diagonal + op->diagonal_start[i];
        for (int c = 0; c < dim && p->local; c++)
            for (int e = p->A.start[row + c]; e < p->A.start[row + c + 1]; e++)
                if (p->A.index[e] >= row && p->A.index[e] < row + dim)
                    N_ii[(p->A.index[e] - row) * dim + c] = p->A.value[e];
        if (!p->local)
            add_block(op, i, N_ii);
        if (pieces != NULL)
            cairn_mass_components_add(p, pieces, i, N_ii);
        for (int c = 0; c < dim; c++)
            N_ii[c * dim + c] += p->C[row + c];
        double trace = 0.0;
        for (int c = 0; c < dim; c++)
            trace += N_ii[c * dim + c];
        op->scale[i] = trace > 0.0 && isfinite(trace) ? trace / dim : 1.0;
    }
}

static cairn_status make_diagonal(cairn_operator *op, const cairn_mass_components *pieces) {
    op->diagonal = cairn_alloc(op->context, (size_t)op->diagonal_start[op->problem->blocks], sizeof *op->diagonal);
    if (op->diagonal == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_diagonal(op, pieces);
    return CAIRN_OK;
}

cairn_status cairn_operator_diagonal(cairn_operator *op, const double **diagonal, const int **start) {
    cairn_status status = op->diagonal != NULL ? CAIRN_OK : make_diagonal(op, NULL);
    *start = op->diagonal_start;
    *diagonal = op->diagonal;
    return status;
}

static cairn_status take_memory(cairn_operator *op) {
    const cairn_problem *p = op->problem;
    cairn_context *context = op->context;
    op->work = cairn_alloc(context, (size_t)p->n, sizeof *op->work);
    op->scale = cairn_alloc(context, (size_t)p->blocks, sizeof *op->scale);
    op->diagonal_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *op->diagonal_start);
    op->inverse_start = cairn_alloc(context, (size_t)p->bodies + 1, sizeof *op->inverse_start);
    if (op->work == NULL || op->scale == NULL || op->diagonal_start == NULL || op->inverse_start == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        op->diagonal_start[i + 1] = op->diagonal_start[i] + p->block[i].dim * p->block[i].dim;
    for (int i = 0; i < p->bodies; i++) {
        int64_t size = p->body_start[i + 1] - p->body_start[i];
        op->inverse_start[i + 1] = op->inverse_start[i] + size * size;
    }
    op->inverse = cairn_alloc_raw(context, (size_t)op->inverse_start[p->bodies], sizeof *op->inverse);
    op->diagonal_of = cairn_alloc(context, (size_t)p->bodies, sizeof *op->diagonal_of);
    op->split_of = cairn_alloc(context, (size_t)p->bodies, sizeof *op->split_of);
    bool all = op->inverse != NULL && op->diagonal_of != NULL && op->split_of != NULL;
    return all ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

cairn_status cairn_operator_create(const cairn_problem *problem, cairn_operator **out) {
    return cairn_operator_create_kept(problem, NULL, out);
}

cairn_status cairn_operator_create_kept(const cairn_problem *problem, struct cairn_factor_cache *cache,
                                        cairn_operator **out) {
    cairn_context *context = problem->context;
    cairn_operator *op = cairn_alloc(context, 1, sizeof *op);
    if (op == NULL)
        return CAIRN_ERROR_MEMORY;
    op->problem = problem;
    op->context = context;
    op->cache = cache;
    op->dense = problem->block_diagonal;
    cairn_status status = take_memory(op);
    if (status == CAIRN_OK && !problem->local)
        status = invert_bodies(op);
    if (status == CAIRN_OK && !problem->local && !op->dense)
        status = factor_sparse(op);
    cairn_mass_components pieces = {0};
    bool coupled = !problem->local && !op->dense;
    if (status == CAIRN_OK && coupled)
        status = cairn_mass_components_create(problem, &pieces);
    if (status == CAIRN_OK && !is_plain(op)) {
        status = make_diagonal(op, coupled ? &pieces : NULL);
        op->scaled = true;
    }
    cairn_mass_components_free(context, &pieces);
    if (status == CAIRN_OK)
        *out = op;
    else
        cairn_operator_destroy(op);
    return status;
}

void cairn_operator_destroy(cairn_operator *op) {
    if (op == NULL)
        return;
    cairn_context *context = op->context;
    cairn_factor_cache_return(op->cache, op->factor);
    cairn_free(context, op->inverse);
    cairn_free(context, op->inverse_start);
    cairn_free(context, op->diagonal_of);
    cairn_free(context, op->split_of);
    cairn_free(context, op->value);
    cairn_free(context, op->work);
    cairn_free(context, op->solution);
    cairn_free(context, op->residual);
    cairn_free(context, op->scale);
    cairn_free(context, op->diagonal);
    cairn_free(context, op->diagonal_start);
    cairn_free(context, op);
}
