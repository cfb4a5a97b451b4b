/*
 * problem.c: the cone complementarity problem [theory 1 (1)-(4)]: checked on entry, read-only
 * afterwards.
 *
 * A matrix that is symmetric up to rounding is made exactly symmetric, so that every later product
 * and factorisation sees one matrix. Positive definiteness is not checked here: the factorisations
 * do.
 */
#include "problem/problem_data.h"

#include "sets/sets.h"

#include <math.h>
#include <string.h>

#define PROBLEM_COOKIE     UINT32_C(0x70726f62)
#define SYMMETRY_TOLERANCE 1e-12 /* |a_ij - a_ji| <= this * sqrt(|a_ii a_jj|) counts as rounding */

cairn_problem_def cairn_default_problem_def(void) {
    return (cairn_problem_def){.cookie = PROBLEM_COOKIE, .law = CAIRN_LAW_COULOMB};
}

const char *cairn_law_name(cairn_law law) {
    return law == CAIRN_LAW_ASSOCIATED ? "associated" : "coulomb";
}

static cairn_status check_vector(cairn_context *context, const char *name, const double *x, int count) {
    for (int i = 0; x != NULL && i < count; i++)
        if (!isfinite(x[i]))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s[%d] is not finite", name, i);
    return CAIRN_OK;
}

static cairn_status check_block(cairn_context *context, int index, const cairn_block *block) {
    const cairn_set_class *set = cairn_set_get(block->set);
    if (set == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "block %d: set is %d, expected a cairn_set_kind", index,
                          (int)block->set);
    const char *why = set->check(block);
    if (why != NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "block %d (%s): %s", index, set->name, why);
    return CAIRN_OK;
}

static cairn_status check_size(cairn_context *context, const char *name, const cairn_sparse *s, int rows, int cols) {
    if (s->rows != rows || s->cols != cols)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s is %d x %d, expected %d x %d", name, s->rows, s->cols,
                          rows, cols);
    return CAIRN_OK;
}

static cairn_status check_bodies(cairn_context *context, const cairn_problem_def *def) {
    if (def->bodies == 0)
        return CAIRN_OK;
    if (def->bodies < 0 || def->bodies > def->n || def->body_start == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "bodies is %d, expected 0 to n = %d with body_start",
                          def->bodies, def->n);
    if (def->body_start[0] != 0 || def->body_start[def->bodies] != def->n)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "body_start runs from %d to %d, expected 0 to n = %d",
                          def->body_start[0], def->body_start[def->bodies], def->n);
    for (int i = 0; i < def->bodies; i++)
        if (def->body_start[i + 1] <= def->body_start[i])
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "body_start[%d] is %d, expected more than %d", i + 1,
                              def->body_start[i + 1], def->body_start[i]);
        else if (def->body_start[i + 1] - def->body_start[i] > CAIRN_BODY_DIM_MAX)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "body %d has %d rows, expected at most %d", i,
                              def->body_start[i + 1] - def->body_start[i], CAIRN_BODY_DIM_MAX);
    return CAIRN_OK;
}

static cairn_status check_def(cairn_context *context, const cairn_problem_def *def) {
    if (def->cookie != PROBLEM_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "the definition must come from cairn_default_problem_def()");
    if (def->law != CAIRN_LAW_COULOMB && def->law != CAIRN_LAW_ASSOCIATED)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "law is %d, expected a cairn_law", (int)def->law);
    if (def->n < 0 || def->m < 0 || def->blocks < 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "n = %d, m = %d, blocks = %d: none may be negative", def->n,
                          def->m, def->blocks);
    if (def->blocks > 0 && def->block == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "block is NULL, expected %d blocks", def->blocks);
    int64_t rows = 0;
    for (int i = 0; i < def->blocks; i++) {
        cairn_status status = check_block(context, i, &def->block[i]);
        if (status != CAIRN_OK)
            return status;
        rows += def->block[i].dim;
    }
    if (rows != def->m)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "the blocks have %lld rows, expected m = %d", (long long)rows,
                          def->m);
    cairn_status status = CAIRN_OK;
    if (def->n == 0) {
        status = check_size(context, "N", &def->N, def->m, def->m);
        if (status == CAIRN_OK && (def->H.rows != 0 || def->D.rows != 0))
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "n is 0 (local form) but H or D is given");
    } else {
        status = check_size(context, "H", &def->H, def->n, def->n);
        if (status == CAIRN_OK)
            status = check_size(context, "D", &def->D, def->n, def->m);
        if (status == CAIRN_OK && def->N.rows != 0)
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "give either H and D or N, not both");
    }
    if (status == CAIRN_OK)
        status = check_bodies(context, def);
    if (status == CAIRN_OK)
        status = check_vector(context, "k", def->k, def->n);
    if (status == CAIRN_OK)
        status = check_vector(context, "b", def->b, def->m);
    if (status == CAIRN_OK)
        status = check_vector(context, "C", def->C, def->m);
    for (int i = 0; status == CAIRN_OK && def->C != NULL && i < def->m; i++)
        if (def->C[i] < 0.0)
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "C[%d] is %g, expected >= 0", i, def->C[i]);
    return status;
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

/* Finds out whether A = A' up to rounding; if so makes it exact. worst_* name the largest
 * difference. */
static cairn_status settle_symmetry(cairn_problem *problem, const char *name, bool allowed) {
    cairn_csc *A = &problem->A;
    int n = A->cols, worst_row = -1, worst_col = -1;
    double *diagonal = cairn_alloc(problem->context, (size_t)n, sizeof *diagonal);
    if (diagonal == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = CAIRN_OK;
    problem->full_pattern = true; /* no zeros are stored: an entry that reads 0 is not there */
    for (int j = 0; j < n && status == CAIRN_OK; j++) {
        diagonal[j] = entry(A, j, j);
        problem->full_pattern = problem->full_pattern && diagonal[j] != 0.0;
        if (problem->local ? diagonal[j] < 0.0 : !(diagonal[j] > 0.0))
            status = cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT, "%s[%d,%d] is %g, expected %s 0", name, j, j,
                                diagonal[j], problem->local ? ">=" : ">");
    }
    double worst = SYMMETRY_TOLERANCE;
    for (int j = 0; j < n && status == CAIRN_OK; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++) {
            int i = A->index[e];
            double mirror = entry(A, j, i), difference = fabs(A->value[e] - mirror);
            problem->full_pattern = problem->full_pattern && mirror != 0.0;
            double scale = sqrt(fabs(diagonal[i])) * sqrt(fabs(diagonal[j]));
            if (difference > worst * scale) {
                worst = scale > 0.0 ? difference / scale : INFINITY;
                worst_row = i;
                worst_col = j;
            }
        }
    cairn_free(problem->context, diagonal);
    if (status != CAIRN_OK)
        return status;
    problem->unsymmetric = worst_row >= 0;
    if (problem->unsymmetric && !allowed)
        return cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT,
                          "%s[%d,%d] = %.17g differs from %s[%d,%d] = %.17g; set %s_unsymmetric if this is meant", name,
                          worst_row, worst_col, entry(A, worst_row, worst_col), name, worst_col, worst_row,
                          entry(A, worst_col, worst_row), name);
    if (problem->unsymmetric)
        return cairn_csc_transpose(problem->context, A, &problem->At);
    for (int j = 0; j < n; j++)
        for (int e = A->start[j]; e < A->start[j + 1] && A->index[e] < j; e++) {
            int i = A->index[e];
            int low = A->start[i];
            while (low < A->start[i + 1] && A->index[low] < j)
                low++;
            if (low < A->start[i + 1] && A->index[low] == j)
                A->value[e] = A->value[low] = 0.5 * A->value[e] + 0.5 * A->value[low];
        }
    return CAIRN_OK;
}

static double *copy_vector(cairn_context *context, const double *x, int count) {
    double *copy = cairn_alloc(context, (size_t)count, sizeof *copy);
    if (copy != NULL && x != NULL && count > 0)
        memcpy(copy, x, (size_t)count * sizeof *copy);
    return copy;
}

static cairn_status take_arrays(cairn_problem *p, const cairn_problem_def *def) {
    cairn_context *context = p->context;
    p->k = copy_vector(context, def->k, def->n);
    p->b = copy_vector(context, def->b, def->m);
    p->C = copy_vector(context, def->C, def->m);
    if (def->angular != NULL) {
        p->angular = cairn_alloc(context, (size_t)def->m, 1);
        if (p->angular == NULL)
            return CAIRN_ERROR_MEMORY;
        memcpy(p->angular, def->angular, (size_t)def->m);
    }
    p->block = cairn_alloc(context, (size_t)def->blocks, sizeof *p->block);
    p->custom = cairn_alloc(context, (size_t)def->blocks, sizeof *p->custom);
    p->block_start = cairn_alloc(context, (size_t)def->blocks + 1, sizeof *p->block_start);
    p->body_start = cairn_alloc(context, (size_t)def->n + 1, sizeof *p->body_start);
    if (p->k == NULL || p->b == NULL || p->C == NULL || p->block == NULL || p->custom == NULL ||
        p->block_start == NULL || p->body_start == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < def->blocks; i++) {
        p->block[i] = def->block[i];
        if (def->block[i].set == CAIRN_SET_CUSTOM) {
            p->custom[i] = *def->block[i].custom;
            p->block[i].custom = &p->custom[i];
        } else {
            p->block[i].custom = NULL;
        }
        p->block_start[i + 1] = p->block_start[i] + def->block[i].dim;
    }
    return CAIRN_OK;
}

static cairn_status take_matrices(cairn_problem *p, const cairn_problem_def *def) {
    const char *name = p->local ? "N" : "H";
    cairn_status status = cairn_csc_create(p->context, name, p->local ? &def->N : &def->H, &p->A);
    if (status == CAIRN_OK)
        status = settle_symmetry(p, name, p->local ? def->N_unsymmetric : def->H_unsymmetric);
    if (status != CAIRN_OK || p->local)
        return status;
    return cairn_csc_create(p->context, "D", &def->D, &p->D);
}

static void take_bodies(cairn_problem *p, const cairn_problem_def *def) {
    if (def->bodies > 0) {
        p->bodies = def->bodies;
        memcpy(p->body_start, def->body_start, ((size_t)def->bodies + 1) * sizeof *p->body_start);
    } else {
        p->bodies_found = true;
        cairn_find_bodies(&p->A, &p->D, p->blocks, p->block_start, &p->bodies, p->body_start);
    }
    p->block_diagonal = true;
    for (int body = 0; body < p->bodies; body++)
        for (int e = p->A.start[p->body_start[body]]; e < p->A.start[p->body_start[body + 1]]; e++)
            if (p->A.index[e] < p->body_start[body] || p->A.index[e] >= p->body_start[body + 1])
                p->block_diagonal = false;
}

cairn_status cairn_problem_create(cairn_context *context, const cairn_problem_def *def, cairn_problem **problem) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (def == NULL || problem == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_problem_create: an argument is NULL");
    cairn_status status = check_def(context, def);
    if (status != CAIRN_OK)
        return status;
    cairn_problem *p = cairn_alloc(context, 1, sizeof *p);
    if (p == NULL)
        return CAIRN_ERROR_MEMORY;
    p->context = context;
    p->law = def->law;
    p->local = def->n == 0;
    p->n = def->n;
    p->m = def->m;
    p->blocks = def->blocks;
    status = take_arrays(p, def);
    if (status == CAIRN_OK)
        status = take_matrices(p, def);
    if (status == CAIRN_OK && !p->local) {
        take_bodies(p, def);
        status = cairn_body_blocks_create(p);
    }
    if (status != CAIRN_OK) {
        cairn_problem_destroy(p);
        return status;
    }
    *problem = p;
    return CAIRN_OK;
}

void cairn_problem_destroy(cairn_problem *p) {
    if (p == NULL)
        return;
    cairn_context *context = p->context;
    if (p->memory != NULL) {
        cairn_free(context, p->memory);
        cairn_free(context, p);
        return;
    }
    cairn_csc_free(context, &p->A);
    cairn_csc_free(context, &p->At);
    cairn_csc_free(context, &p->D);
    cairn_body_blocks_free(context, &p->body);
    cairn_free(context, p->k);
    cairn_free(context, p->b);
    cairn_free(context, p->C);
    cairn_free(context, p->angular);
    cairn_free(context, p->block);
    cairn_free(context, p->custom);
    cairn_free(context, p->block_start);
    cairn_free(context, p->body_start);
    cairn_free(context, p);
}

cairn_status cairn_problem_set_vectors(cairn_problem *problem, const double *k, const double *b) {
    if (problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_status status = check_vector(problem->context, "k", k, problem->n);
    if (status == CAIRN_OK)
        status = check_vector(problem->context, "b", b, problem->m);
    if (status != CAIRN_OK)
        return status;
    if (k != NULL && problem->n > 0)
        memcpy(problem->k, k, (size_t)problem->n * sizeof *k);
    if (b != NULL && problem->m > 0)
        memcpy(problem->b, b, (size_t)problem->m * sizeof *b);
    return CAIRN_OK;
}

cairn_status cairn_problem_set_law(cairn_problem *problem, cairn_law law) {
    if (problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (law != CAIRN_LAW_COULOMB && law != CAIRN_LAW_ASSOCIATED)
        return cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT, "law is %d, expected a cairn_law", (int)law);
    problem->law = law;
    return CAIRN_OK;
}

cairn_status cairn_problem_set_cone(cairn_problem *problem, int directions) {
    if (problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (directions != 0 && (directions < 4 || directions > CAIRN_DIRECTIONS_MAX || directions % 2 != 0))
        return cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT,
                          "directions is %d, expected 0 (round) or an even number from 4 to %d", directions,
                          CAIRN_DIRECTIONS_MAX);
    for (int i = 0; i < problem->blocks; i++) {
        cairn_block *block = &problem->block[i];
        if (block->set != CAIRN_SET_CONE && block->set != CAIRN_SET_POLY_CONE)
            continue;
        block->set = directions == 0 ? CAIRN_SET_CONE : CAIRN_SET_POLY_CONE;
        block->directions = directions == 0 || block->dim == 3 ? directions : 2;
    }
    problem->shape++;
    return CAIRN_OK;
}

cairn_status cairn_problem_set_block(cairn_problem *problem, int index, const cairn_block *block) {
    if (problem == NULL || block == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_context *context = problem->context;
    if (index < 0 || index >= problem->blocks)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "block %d does not exist, there are %d", index,
                          problem->blocks);
    cairn_block *old = &problem->block[index];
    if (block->set != old->set || block->dim != old->dim)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "block %d: set and dim must stay %s and %d", index,
                          cairn_set_name(old->set), old->dim);
    cairn_status status = check_block(context, index, block);
    if (status != CAIRN_OK)
        return status;
    if (block->set == CAIRN_SET_CUSTOM)
        problem->custom[index] = *block->custom;
    *old = *block;
    old->custom = block->set == CAIRN_SET_CUSTOM ? &problem->custom[index] : NULL;
    return CAIRN_OK;
}

cairn_problem_view cairn_problem_get(const cairn_problem *p) {
    if (p == NULL)
        return (cairn_problem_view){0};
    return (cairn_problem_view){.local = p->local,
                                .law = p->law,
                                .n = p->n,
                                .m = p->m,
                                .blocks = p->blocks,
                                .bodies = p->bodies,
                                .unsymmetric = p->unsymmetric,
                                .block_diagonal = p->block_diagonal,
                                .bodies_found = p->bodies_found,
                                .H_start = p->A.start,
                                .H_index = p->A.index,
                                .H_value = p->A.value,
                                .D_start = p->D.start,
                                .D_index = p->D.index,
                                .D_value = p->D.value,
                                .k = p->k,
                                .b = p->b,
                                .C = p->C,
                                .angular = p->angular,
                                .block = p->block,
                                .block_start = p->block_start,
                                .body_start = p->body_start};
}
