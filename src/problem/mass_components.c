/*
 * mass_components.c: what a flexible part as a whole adds to the block scales [theory 1].
 *
 * A node of a stiff part moves with the part: its own block of H, which holds the stiffness, says
 * 1e-8/kg where the true N_ii says 1/kg. For every w the inverse is bounded from below,
 *
 *     d'H^-1 d >= (d'w)^2 / (w'Hw)
 *
 * and for w the motion of a whole piece along one axis w'Hw is the piece's mass. Pieces: the bodies
 * that H couples with one another. Rows 0, 1, 2 of a body count as the axes x, y, z; where they are
 * something else the bound still holds, and w'Hw is larger.
 */
#include "problem/mass_components.h"

#include "base/groups.h"

#include <float.h>
#include <math.h>

#define NOISE (64.0 * DBL_EPSILON) /* of the sum of |entries|: what rounding may leave of w'Hw */

/* Joins the bodies that an entry of H couples; the smaller number is the root. */
static void join(const cairn_problem *p, int *parent) {
    for (int body = 0; body < p->bodies; body++)
        parent[body] = body;
    for (int body = 0; body < p->bodies; body++)
        for (int e = p->A.start[p->body_start[body]]; e < p->A.start[p->body_start[body + 1]]; e++)
            cairn_group_join(parent, body, p->body.body_of[p->A.index[e]]);
}

/* Numbers the pieces of two bodies or more; mark: bodies, 0. */
static void number(const cairn_problem *p, int *parent, int *mark, cairn_mass_components *out) {
    for (int body = 0; body < p->bodies; body++)
        mark[cairn_group_root(parent, body)]++;
    for (int body = 0; body < p->bodies; body++)
        if (parent[body] == body)
            mark[body] = mark[body] > 1 ? out->count++ : -1;
    for (int body = 0; body < p->bodies; body++)
        out->piece_of[body] = mark[cairn_group_root(parent, body)];
}

static void weigh(const cairn_problem *p, cairn_mass_components *pieces, double *sizes) {
    const int *body_of = p->body.body_of;
    for (int j = 0; j < p->n; j++) {
        int piece = pieces->piece_of[body_of[j]], axis = j - p->body_start[body_of[j]];
        if (piece < 0 || axis > 2)
            continue;
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) {
            int i = p->A.index[e];
            if (i - p->body_start[body_of[i]] == axis) {
                pieces->mass[3 * piece + axis] += p->A.value[e];
                sizes[3 * piece + axis] += fabs(p->A.value[e]);
            }
        }
    }
    for (int i = 0; i < 3 * pieces->count; i++)
        if (!(pieces->mass[i] > NOISE * sizes[i]))
            pieces->mass[i] = NOISE * sizes[i];
}

cairn_status cairn_mass_components_create(const cairn_problem *p, cairn_mass_components *out) {
    cairn_context *context = p->context;
    size_t bodies = (size_t)p->bodies;
    *out = (cairn_mass_components){.piece_of = cairn_alloc(context, bodies, sizeof *out->piece_of)};
    int *parent = cairn_alloc(context, bodies, sizeof *parent), *mark = cairn_alloc(context, bodies, sizeof *mark);
    double *sizes = NULL;
    cairn_status status = out->piece_of == NULL || parent == NULL || mark == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
    if (status == CAIRN_OK) {
        join(p, parent);
        number(p, parent, mark, out);
        out->mass = cairn_alloc(context, 3 * (size_t)out->count, sizeof *out->mass);
        sizes = cairn_alloc(context, 3 * (size_t)out->count, sizeof *sizes);
        status = out->mass == NULL || sizes == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
    }
    if (status == CAIRN_OK)
        weigh(p, out, sizes);
    else
        cairn_mass_components_free(context, out);
    cairn_free(context, parent);
    cairn_free(context, mark);
    cairn_free(context, sizes);
    return status;
}

void cairn_mass_components_free(cairn_context *context, cairn_mass_components *pieces) {
    cairn_free(context, pieces->piece_of);
    cairn_free(context, pieces->mass);
    *pieces = (cairn_mass_components){0};
}

/* sum (dim x 3) = D_i'w for the axes of one piece. */
static void gather(const cairn_problem *p, const cairn_mass_components *pieces, int i, int piece, double *sum) {
    int dim = p->block[i].dim, width = p->body.width[i];
    const double *dense = p->body.dense + p->body.dense_start[i];
    for (int r = 0; r < 3 * dim; r++)
        sum[r] = 0.0;
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
        int body = p->body.touch[t], size = p->body_start[body + 1] - p->body_start[body];
        for (int r = 0; r < dim && pieces->piece_of[body] == piece; r++)
            for (int axis = 0; axis < size && axis < 3; axis++)
                sum[3 * r + axis] += dense[r * width + axis];
        dense += size;
    }
}

void cairn_mass_components_add(const cairn_problem *p, const cairn_mass_components *pieces, int i, double *N_ii) {
    double sum[3 * CAIRN_BLOCK_DIM_MAX];
    int dim = p->block[i].dim, first = p->body.touch_start[i];
    for (int t = first; t < p->body.touch_start[i + 1]; t++) {
        int piece = pieces->piece_of[p->body.touch[t]];
        bool again = piece < 0;
        for (int s = first; s < t && !again; s++)
            again = pieces->piece_of[p->body.touch[s]] == piece;
        if (again)
            continue;
        gather(p, pieces, i, piece, sum);
        for (int axis = 0; axis < 3; axis++)
            for (int r = 0; r < dim && pieces->mass[3 * piece + axis] > 0.0; r++)
                for (int c = 0; c < dim; c++)
                    N_ii[r * dim + c] += sum[3 * r + axis] * sum[3 * c + axis] / pieces->mass[3 * piece + axis];
    }
}
