/*
 * row_kernel.c: Gauss-Seidel on single unilateral rows of rigid bodies [theory 1].
 *
 *     u_i = D_i'v + C_i gamma_i + b_i,   x_i = max(0, gamma_i - u_i / N_ii),   v += W_i (x_i - gamma_i)
 *
 * W_i = H^-1 D_i, N_ii = D_i'W_i + C_i. What a visit reads lies together: twelve numbers of D, and
 * of W where the row pushes. Most rows of bodies that are parted are open and stay so. Sums have
 * one order for all machines: ((0 + 1) + (2 + 3)) + (4 + 5), the two bodies added first.
 */
#include "solve/sweep/row_kernel.h"

#include "problem/delassus/delassus_operator.h"

#include <math.h>
#include <string.h>

enum { SIX = 6, WIDTH = CAIRN_ROW_KERNEL_WIDTH };

typedef double quad __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

#define QUAD(x) (*(const loose *)(x))
#define PAIR(x) (*(const pair *)(x))

bool cairn_row_kernel_fit(const cairn_problem *p) {
    if (p->local || p->unsymmetric || !p->block_diagonal || p->n != SIX * p->bodies || p->blocks == 0)
        return false;
    for (int b = 0; b < p->bodies; b++)
        if (p->body_start[b] != SIX * b)
            return false;
    for (int i = 0; i < p->blocks; i++) {
        int touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
        if (p->block[i].set != CAIRN_SET_NONNEGATIVE || p->block[i].dim != 1 || touched < 1 || touched > 2)
            return false;
    }
    return true;
}

static void layout(cairn_arena *a, size_t count, cairn_row_kernel *rows) {
    rows->D = cairn_arena_take(a, WIDTH * count, sizeof *rows->D);
    rows->W = cairn_arena_take(a, WIDTH * count, sizeof *rows->W);
    rows->N = cairn_arena_take(a, count, sizeof *rows->N);
    rows->body = cairn_arena_take(a, 2 * count, sizeof *rows->body);
}

/* D_i'v over both bodies, va and vb. */
CAIRN_INLINE double dot(const double *D, const double *va, const double *vb) {
    quad low = QUAD(D) * QUAD(va) + QUAD(D + SIX) * QUAD(vb);
    pair high = PAIR(D + 4) * PAIR(va + 4) + PAIR(D + SIX + 4) * PAIR(vb + 4);
    return ((low[0] + low[1]) + (low[2] + low[3])) + (high[0] + high[1]);
}

/* W (6) = G D, G (6 x 6) symmetric. */
CAIRN_INLINE void weigh(const double *G, const double *D, double *W) {
    quad low = QUAD(G) * D[0];
    pair high = PAIR(G + 4) * D[0];
    for (int c = 1; c < SIX; c++) {
        low += QUAD(G + c * SIX) * D[c];
        high += PAIR(G + c * SIX + 4) * D[c];
    }
    *(loose *)W = low;
    *(pair *)(W + 4) = high;
}

/* Row i; returns N_ii. */
CAIRN_CLONES static double fill_row(const cairn_run *run, const cairn_row_kernel *rows, int i) {
    const cairn_problem *p = run->problem;
    const int *touch = p->body.touch + p->body.touch_start[i];
    int touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
    double *D = rows->D + (size_t)WIDTH * (size_t)i, *W = rows->W + (size_t)WIDTH * (size_t)i;
    memcpy(D, p->body.dense + p->body.dense_start[i], (size_t)(SIX * touched) * sizeof *D);
    for (int t = 0; t < touched; t++) {
        rows->body[2 * i + t] = SIX * touch[t];
        weigh(cairn_operator_body_inverse(run->op, touch[t]), D + SIX * t, W + SIX * t);
    }
    if (touched == 1) {
        rows->body[2 * i + 1] = p->n;
        memset(D + SIX, 0, SIX * sizeof *D);
        memset(W + SIX, 0, SIX * sizeof *W);
    }
    return dot(D, W, W + SIX) + p->C[i];
}

cairn_status cairn_row_kernel_create(cairn_run *run, cairn_row_kernel *rows, bool *good) {
    cairn_arena arena = {0};
    size_t count = (size_t)run->problem->blocks;
    layout(&arena, count, rows);
    cairn_status status = cairn_arena_reserve_raw(run->context, &arena);
    if (status != CAIRN_OK)
        return status;
    layout(&arena, count, rows);
    rows->memory = arena.base;
    *good = true;
    for (int i = 0; i < run->problem->blocks && *good; i++) {
        rows->N[i] = fill_row(run, rows, i);
        *good = rows->N[i] > 0.0;
    }
    if (!*good)
        cairn_row_kernel_free(run->context, rows);
    return CAIRN_OK;
}

void cairn_row_kernel_free(cairn_context *context, cairn_row_kernel *rows) {
    cairn_free(context, rows->memory);
    *rows = (cairn_row_kernel){0};
}

CAIRN_CLONES static void visit(const cairn_run *run, const cairn_row_kernel *rows, double omega, int begin, int end,
                               bool backwards, double *gamma, double *change, double *v) {
    const double *b = run->problem->b, *C = run->problem->C;
    int step = backwards ? -1 : 1;
    for (int k = begin, i = backwards ? end - 1 : begin; k < end; k++, i += step) {
        const double *D = rows->D + (size_t)WIDTH * (size_t)i, *W = rows->W + (size_t)WIDTH * (size_t)i;
        double *va = v + rows->body[2 * i], *vb = v + rows->body[2 * i + 1], old = gamma[i];
        double x = old - (dot(D, va, vb) + (C[i] * old + b[i])) / rows->N[i];
        x = x <= 0.0 ? 0.0 : x; /* NAN stays */
        if (omega != 1.0) {
            x = (1.0 - omega) * old + omega * x;
            x = x <= 0.0 ? 0.0 : x;
        }
        double d = x - old;
        gamma[i] = x;
        change[i] = d;
        if (d == 0.0)
            continue;
        *(loose *)va = QUAD(va) + QUAD(W) * d;
        *(pair *)(va + 4) = PAIR(va + 4) + PAIR(W + 4) * d;
        *(loose *)vb = QUAD(vb) + QUAD(W + SIX) * d;
        *(pair *)(vb + 4) = PAIR(vb + 4) + PAIR(W + SIX + 4) * d;
    }
}

void cairn_row_kernel_visit(const cairn_run *run, const cairn_row_kernel *rows, double omega, int begin, int end,
                            bool backwards, double *gamma, double *change, double *v) {
    visit(run, rows, omega, begin, end, backwards, gamma, change, v);
}
