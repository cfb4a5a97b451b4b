/*
 * judge_pieces.c: the part of the block scales n_i [theory 1] that comes from pieces, bodies or nodes that H couples, moving as a whole.
 *
 * d'H^-1 d >= (d'w)^2 / (w'Hw) for every w. Taken for w = 1 on row 0 (then 1, 2) of all bodies of a piece, w'Hw is its mass; a node's own
 * block of H holds its stiffness and says nothing of that. Pieces are found by walking over the pattern of H from body to body.
 *
 * A mass that is less than 64 eps of the sum of its terms' sizes is taken as that much: the rest is rounding.
 */
#include "judge_pieces.h"

#include <float.h>
#include <math.h>

typedef struct walk {
    const cairn_problem *problem;
    const cairn_csc *other; /* H' where the pattern lacks mirrors, else NULL */
    const int *body_of;
    int pieces;
    int *piece;        /* bodies; -1: not yet seen, or alone */
    int *queue;        /* bodies */
    long double *mass; /* 3 a body at most */
    long double *sizes;
    long double *part; /* 3 a body at most: d'w of one column, all 0 between columns */
} walk;

/* Axis of a row: 0, 1, 2; -1: none. */
static int axis_of(const walk *w, int row) {
    int axis = row - w->problem->body_start[w->body_of[row]];
    return axis < 3 ? axis : -1;
}

static int visit(walk *w, const cairn_csc *H, int body, int number, int count) {
    const int *start = w->problem->body_start;
    for (int e = H->start[start[body]]; e < H->start[start[body + 1]]; e++) {
        int next = w->body_of[H->index[e]];
        if (w->piece[next] < 0) {
            w->piece[next] = number;
            w->queue[count++] = next;
        }
    }
    return count;
}

static void find_pieces(walk *w) {
    for (int body = 0; body < w->problem->bodies; body++)
        w->piece[body] = -1;
    for (int body = 0; body < w->problem->bodies; body++) {
        if (w->piece[body] >= 0)
            continue;
        int count = 1;
        w->piece[body] = w->pieces;
        w->queue[0] = body;
        for (int at = 0; at < count; at++) {
            count = visit(w, &w->problem->A, w->queue[at], w->pieces, count);
            if (w->other != NULL)
                count = visit(w, w->other, w->queue[at], w->pieces, count);
        }
        w->pieces++;
    }
}

/* A piece of one body is known by its block already: mass 0 stands for that. */
static void find_masses(walk *w) {
    const cairn_csc *H = &w->problem->A;
    for (int body = 0; body < w->problem->bodies; body++)
        w->queue[body] = 0;
    for (int body = 0; body < w->problem->bodies; body++)
        w->queue[w->piece[body]]++;
    for (int j = 0; j < H->cols; j++) {
        int axis = axis_of(w, j), piece = w->piece[w->body_of[j]];
        for (int e = H->start[j]; axis >= 0 && w->queue[piece] > 1 && e < H->start[j + 1]; e++)
            if (axis_of(w, H->index[e]) == axis) {
                w->mass[3 * piece + axis] += H->value[e];
                w->sizes[3 * piece + axis] += fabsl((long double)H->value[e]);
            }
    }
    for (int i = 0; i < 3 * w->pieces; i++)
        if (!(w->mass[i] > 64.0L * DBL_EPSILON * w->sizes[i]))
            w->mass[i] = 64.0L * DBL_EPSILON * w->sizes[i];
}

/* Sum over the pieces and axes of (d'w)^2 / mass for column d of D. */
static long double column_share(const walk *w, int column) {
    const cairn_csc *D = &w->problem->D;
    long double share = 0.0L;
    for (int e = D->start[column]; e < D->start[column + 1]; e++) {
        int axis = axis_of(w, D->index[e]);
        if (axis >= 0)
            w->part[3 * w->piece[w->body_of[D->index[e]]] + axis] += D->value[e];
    }
    for (int e = D->start[column]; e < D->start[column + 1]; e++) {
        int axis = axis_of(w, D->index[e]), at = 3 * w->piece[w->body_of[D->index[e]]] + axis;
        if (axis < 0)
            continue;
        if (w->mass[at] > 0.0L)
            share += w->part[at] * w->part[at] / w->mass[at];
        w->part[at] = 0.0L;
    }
    return share;
}

cairn_status cairn_judge_piece_scales(const cairn_problem *problem, const int *body_of, long double *scale) {
    cairn_context *context = problem->context;
    size_t bodies = (size_t)problem->bodies;
    cairn_csc transposed = {0};
    walk w = {.problem = problem, .body_of = body_of};
    w.piece = cairn_alloc(context, bodies, sizeof *w.piece);
    w.queue = cairn_alloc(context, bodies, sizeof *w.queue);
    w.mass = cairn_alloc(context, 3 * bodies, sizeof *w.mass);
    w.sizes = cairn_alloc(context, 3 * bodies, sizeof *w.sizes);
    w.part = cairn_alloc(context, 3 * bodies, sizeof *w.part);
    bool taken = w.piece != NULL && w.queue != NULL && w.mass != NULL && w.sizes != NULL && w.part != NULL;
    cairn_status status = taken ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && !problem->full_pattern) {
        status = cairn_csc_transpose(context, &problem->A, &transposed);
        w.other = &transposed;
    }
    if (status == CAIRN_OK) {
        find_pieces(&w);
        find_masses(&w);
        for (int i = 0; i < problem->blocks; i++) {
            long double trace = 0.0L;
            for (int row = problem->block_start[i]; row < problem->block_start[i + 1]; row++)
                trace += column_share(&w, row);
            if (isfinite(trace))
                scale[i] += trace / problem->block[i].dim;
        }
    }
    cairn_csc_free(context, &transposed);
    cairn_free(context, w.piece);
    cairn_free(context, w.queue);
    cairn_free(context, w.mass);
    cairn_free(context, w.sizes);
    cairn_free(context, w.part);
    return status;
}
