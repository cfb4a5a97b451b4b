/*
 * problem_file_build.c: FCLIB's arrays into the problem of [theory 1].
 *
 *     global:  H = M,  D = [H G],  k = f,  b = [w; b]
 *     local:   N = [W V; V' R],  b = [q; s]
 *
 * Contacts come first, one cone each; every equality row becomes a bilateral block of one row. The
 * matrices may be unsymmetric: cairn_problem_create finds out. Repeated positions pass through.
 */
#include "io/problem_file/fclib.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void cairn_raw_free(cairn_context *context, cairn_raw *raw) {
    cairn_matrix_free(context, &raw->A);
    cairn_matrix_free(context, &raw->B);
    cairn_matrix_free(context, &raw->E);
    cairn_matrix_free(context, &raw->R);
    cairn_free(context, raw->f);
    cairn_free(context, raw->w);
    cairn_free(context, raw->s);
    cairn_free(context, raw->mu);
    *raw = (cairn_raw){0};
}

/* Appends the entries of part, moved by (row, col) or transposed first, to the triplets of
 * whole. */
static void append(cairn_matrix *whole, const cairn_sparse *part, int row, int col, bool transposed) {
    int line = 0, at = whole->view.entries;
    for (int e = 0; e < part->entries; e++) {
        while (part->format != CAIRN_SPARSE_TRIPLET && e >= part->start[line + 1])
            line++;
        int i = part->format == CAIRN_SPARSE_ROWS ? line : part->row[e];
        int j = part->format == CAIRN_SPARSE_COLUMNS ? line : part->col[e];
        whole->index[at] = row + (transposed ? j : i);
        whole->other[at] = col + (transposed ? i : j);
        whole->value[at++] = part->value[e];
    }
    whole->view.entries = at;
}

static cairn_status triplets_take(cairn_context *context, int rows, int cols, int entries, cairn_matrix *matrix) {
    matrix->index = cairn_alloc(context, (size_t)entries, sizeof *matrix->index);
    matrix->other = cairn_alloc(context, (size_t)entries, sizeof *matrix->other);
    matrix->value = cairn_alloc(context, (size_t)entries, sizeof *matrix->value);
    matrix->view = (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET,
                                  .rows = rows,
                                  .cols = cols,
                                  .row = matrix->index,
                                  .col = matrix->other,
                                  .value = matrix->value};
    if (matrix->index != NULL && matrix->other != NULL && matrix->value != NULL)
        return CAIRN_OK;
    cairn_matrix_free(context, matrix);
    return CAIRN_ERROR_MEMORY;
}

/* [H G] or [W V; V' R] as triplets. */
static cairn_status join(cairn_context *context, const char *name, const cairn_raw *raw, cairn_matrix *whole) {
    const cairn_sparse *first = raw->local ? &raw->A.view : &raw->B.view;
    int m = raw->contacts * raw->spacedim, p = raw->equalities;
    int64_t entries = (int64_t)first->entries + (raw->local ? 2 : 1) * (int64_t)raw->E.view.entries;
    if (raw->local)
        entries += raw->R.view.entries;
    if (entries > INT_MAX)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: %lld matrix entries, expected at most %d", name,
                          (long long)entries, INT_MAX);
    cairn_status status = triplets_take(context, raw->local ? m + p : first->rows, m + p, (int)entries, whole);
    if (status != CAIRN_OK)
        return status;
    append(whole, first, 0, 0, false);
    append(whole, &raw->E.view, 0, m, false);
    if (raw->local) {
        append(whole, &raw->E.view, m, 0, true);
        append(whole, &raw->R.view, m, m, false);
    }
    return CAIRN_OK;
}

/* [w; s] and one block for each contact and equality row. */
static cairn_status join_rows(cairn_context *context, const cairn_raw *raw, double **b, cairn_block **block) {
    size_t m = (size_t)raw->contacts * (size_t)raw->spacedim, p = (size_t)raw->equalities;
    *b = cairn_alloc(context, m + p, sizeof **b);
    *block = cairn_alloc(context, (size_t)raw->contacts + p, sizeof **block);
    if (*b == NULL || *block == NULL)
        return CAIRN_ERROR_MEMORY;
    if (m > 0)
        memcpy(*b, raw->w, m * sizeof **b);
    if (p > 0)
        memcpy(*b + m, raw->s, p * sizeof **b);
    for (int k = 0; k < raw->contacts; k++)
        (*block)[k] = (cairn_block){.set = CAIRN_SET_CONE, .dim = raw->spacedim, .mu = raw->mu[k]};
    for (int k = 0; k < raw->equalities; k++)
        (*block)[raw->contacts + k] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 1};
    return CAIRN_OK;
}

cairn_status cairn_raw_create(cairn_context *context, const char *name, const cairn_problem_def *def,
                              cairn_problem **problem) {
    cairn_status status = cairn_problem_create(context, def, problem);
    if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY)
        return status;
    char reason[320];
    snprintf(reason, sizeof reason, "%s", cairn_error_message(context));
    return cairn_fail(context, status == CAIRN_ERROR_ARGUMENT ? CAIRN_ERROR_PARSE : status, "%s: %s", name, reason);
}

cairn_status cairn_raw_build(cairn_context *context, const char *name, const cairn_raw *raw, cairn_file *file) {
    int m = raw->contacts * raw->spacedim;
    if (raw->equalities > INT_MAX - m)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: %d contact rows and %d equality rows, expected at most %d",
                          name, m, raw->equalities, INT_MAX);
    cairn_matrix whole = {0};
    double *b = NULL;
    cairn_block *block = NULL;
    cairn_status status = join_rows(context, raw, &b, &block);
    if (status == CAIRN_OK && raw->equalities > 0)
        status = join(context, name, raw, &whole);
    if (status == CAIRN_OK) {
        cairn_problem_def def = cairn_default_problem_def();
        def.m = m + raw->equalities;
        def.b = b;
        def.blocks = raw->contacts + raw->equalities;
        def.block = block;
        if (raw->local) {
            def.N = raw->equalities > 0 ? whole.view : raw->A.view;
            def.N_unsymmetric = true;
        } else {
            def.n = raw->A.view.rows;
            def.H = raw->A.view;
            def.H_unsymmetric = true;
            def.D = raw->equalities > 0 ? whole.view : raw->B.view;
            def.k = raw->f;
        }
        status = cairn_raw_create(context, name, &def, &file->problem);
    }
    cairn_matrix_free(context, &whole);
    cairn_free(context, b);
    cairn_free(context, block);
    file->local = raw->local;
    file->spacedim = raw->spacedim;
    file->contacts = raw->contacts;
    file->equalities = raw->equalities;
    return status;
}
