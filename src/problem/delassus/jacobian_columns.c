/*
 * jacobian_columns.c: the columns of D, block by block, as small dense matrices, and H^-1 times
 * them [theory 1].
 *
 *     D_i   rows of the bodies that block i touches x dim_i
 *     W_i = H^-1 D_i, which has rows in the same bodies because H is block diagonal
 *
 * Sweeps over blocks read u_i = D_i'v and write v += W_i (change of gamma_i); N_ij is D_i'W_j over
 * the bodies that both touch. Not checked: that H is block diagonal.
 */
#include "problem/delassus/jacobian_columns.h"

#include <string.h>

/* owner (n) = body of each row of H. */
static void fill_owner(const cairn_problem *p, int *owner) {
    for (int body = 0; body < p->bodies; body++)
        for (int row = p->body_start[body]; row < p->body_start[body + 1]; row++)
            owner[row] = body;
}

/* The bodies that block i touches, rising, into list (room for one per body); returns how many.
 * mark (bodies) holds i + 1 where block i has been. */
static int find_bodies(const cairn_problem *p, const int *owner, int i, int *mark, int *list) {
    int count = 0;
    for (int e = p->D.start[p->block_start[i]]; e < p->D.start[p->block_start[i + 1]]; e++) {
        int body = owner[p->D.index[e]];
        if (mark[body] == i + 1)
            continue;
        mark[body] = i + 1;
        int at = count++;
        for (; at > 0 && list[at - 1] > body; at--)
            list[at] = list[at - 1];
        list[at] = body;
    }
    return count;
}

/* The lists of bodies, degrees of freedom and offsets; starts are filled by a first pass. */
static cairn_status fill_lists(cairn_context *context, const cairn_problem *p, int *owner, int *mark, int *list,
                               cairn_jacobian_columns *out) {
    int64_t bodies = 0, dofs = 0;
    for (int i = 0; i < p->blocks; i++) {
        int count = find_bodies(p, owner, i, mark, list);
        int64_t size = 0;
        for (int j = 0; j < count; j++)
            size += p->body_start[list[j] + 1] - p->body_start[list[j]];
        bodies += count;
        dofs += size;
        if (dofs > INT32_MAX)
            return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "D touches too many rows of H for sweeps over blocks");
        out->body_start[i + 1] = (int)bodies;
        out->start[i + 1] = (int)dofs;
        out->offset[i + 1] = out->offset[i] + size * p->block[i].dim;
    }
    out->body = cairn_alloc(context, (size_t)bodies, sizeof *out->body);
    out->block = cairn_alloc(context, (size_t)bodies, sizeof *out->block);
    out->dof = cairn_alloc(context, (size_t)dofs, sizeof *out->dof);
    if (out->body == NULL || out->block == NULL || out->dof == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(mark, 0, (size_t)p->bodies * sizeof *mark);
    for (int i = 0; i < p->blocks; i++) {
        int *body = out->body + out->body_start[i], *dof = out->dof + out->start[i];
        int count = find_bodies(p, owner, i, mark, list);
        for (int j = 0; j < count; j++) {
            body[j] = list[j];
            out->block_start[list[j] + 1]++;
            for (int row = p->body_start[list[j]]; row < p->body_start[list[j] + 1]; row++)
                *dof++ = row;
        }
    }
    return CAIRN_OK;
}

/* Blocks of each body from bodies of each block. Uses cursor (bodies). */
static void transpose_lists(int bodies, int *cursor, cairn_jacobian_columns *out) {
    for (int body = 0; body < bodies; body++) {
        out->block_start[body + 1] += out->block_start[body];
        cursor[body] = out->block_start[body];
    }
    for (int i = 0; i < out->blocks; i++)
        for (int e = out->body_start[i]; e < out->body_start[i + 1]; e++)
            out->block[cursor[out->body[e]]++] = i;
}

/* D_i and W_i of block i. position (n) is used as a map from rows of H to rows of D_i. */
static void fill_block(const cairn_operator *op, const cairn_problem *p, int i, int *position,
                       cairn_jacobian_columns *out) {
    int dim = p->block[i].dim;
    double *D = out->D + out->offset[i], *W = out->W + out->offset[i];
    for (int e = out->start[i]; e < out->start[i + 1]; e++)
        position[out->dof[e]] = e - out->start[i];
    for (int c = 0; c < dim; c++) {
        int column = p->block_start[i] + c;
        for (int e = p->D.start[column]; e < p->D.start[column + 1]; e++)
            D[position[p->D.index[e]] * dim + c] = p->D.value[e];
    }
    for (int e = out->body_start[i]; e < out->body_start[i + 1]; e++) {
        int body = out->body[e], size = p->body_start[body + 1] - p->body_start[body];
        int first = position[p->body_start[body]];
        const double *inverse = cairn_operator_body_inverse(op, body);
        for (int r = 0; r < size; r++)
            for (int c = 0; c < dim; c++) {
                double sum = 0.0;
                for (int t = 0; t < size; t++)
                    sum += inverse[r * size + t] * D[(first + t) * dim + c];
                W[(first + r) * dim + c] = sum;
            }
    }
}

static cairn_status fill(const cairn_operator *op, const cairn_problem *p, int *owner, int *mark, int *list,
                         cairn_jacobian_columns *out) {
    fill_owner(p, owner);
    cairn_status status = fill_lists(p->context, p, owner, mark, list, out);
    if (status != CAIRN_OK)
        return status;
    transpose_lists(p->bodies, list, out);
    out->D = cairn_alloc(p->context, (size_t)out->offset[p->blocks], sizeof *out->D);
    out->W = cairn_alloc(p->context, (size_t)out->offset[p->blocks], sizeof *out->W);
    if (out->D == NULL || out->W == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        fill_block(op, p, i, owner, out);
    return CAIRN_OK;
}

cairn_status cairn_jacobian_columns_create(const cairn_operator *op, cairn_jacobian_columns *out) {
    const cairn_problem *problem = cairn_operator_problem(op);
    cairn_context *context = problem->context;
    size_t blocks = (size_t)problem->blocks, bodies = (size_t)problem->bodies;
    cairn_jacobian_columns columns = {.blocks = problem->blocks};
    columns.body_start = cairn_alloc(context, blocks + 1, sizeof *columns.body_start);
    columns.start = cairn_alloc(context, blocks + 1, sizeof *columns.start);
    columns.offset = cairn_alloc(context, blocks + 1, sizeof *columns.offset);
    columns.block_start = cairn_alloc(context, bodies + 1, sizeof *columns.block_start);
    int *owner = cairn_alloc(context, (size_t)problem->n, sizeof *owner);
    int *mark = cairn_alloc(context, bodies, sizeof *mark);
    int *list = cairn_alloc(context, bodies, sizeof *list);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (columns.body_start != NULL && columns.start != NULL && columns.offset != NULL && columns.block_start != NULL &&
        owner != NULL && mark != NULL && list != NULL)
        status = fill(op, problem, owner, mark, list, &columns);
    cairn_free(context, owner);
    cairn_free(context, mark);
    cairn_free(context, list);
    if (status != CAIRN_OK) {
        cairn_jacobian_columns_free(context, &columns);
        columns = (cairn_jacobian_columns){0};
    }
    *out = columns;
    return status;
}

void cairn_jacobian_columns_free(cairn_context *context, cairn_jacobian_columns *columns) {
    cairn_free(context, columns->body_start);
    cairn_free(context, columns->body);
    cairn_free(context, columns->start);
    cairn_free(context, columns->dof);
    cairn_free(context, columns->offset);
    cairn_free(context, columns->D);
    cairn_free(context, columns->W);
    cairn_free(context, columns->block_start);
    cairn_free(context, columns->block);
    *columns = (cairn_jacobian_columns){0};
}
