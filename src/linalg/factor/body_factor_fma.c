/*
 * body_factor_fma.c: solves with the factor of a matrix of rigid bodies, body by body.
 *
 *     P A P' = L D L' = M Delta M'     M unit block lower triangular, blocks of 6 x 6
 *     M_ij = L_ij L_jj^-1,  Delta_j^-1 = L_jj^-T D_j^-1 L_jj^-1
 *
 * L_jj: the body's own triangle. The panels of factor_data.h suit large matrices; a stack of boxes
 * has many panels of one or two bodies, where what surrounds the multiply-adds costs more than they
 * do. Here a block is nine vectors of four: rows 0 to 3 of its columns, then rows 4 and 5 of two
 * columns each. Bodies stand where they stand in x, and a solve is two passes over the blocks:
 *
 *     forward    x_i -= M_ij x_j,  then x_j <- Delta_j^-1 x_j          backward   x_j -= sum_i M_ij' x_i
 *
 * Not checked: how well conditioned the bodies' own blocks are, on which the error of Delta_j^-1
 * depends.
 */
#include "linalg/factor/body_factor.h"

#include "linalg/factor/factor_data.h"

#include <string.h>

enum { SIX = 6, BLOCK = SIX * SIX, TAIL = 4 * SIX, WIDEST = 96 };

typedef double quad __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

#define QUAD(x) (*(const loose *)(x))
#define PAIR(x) (*(const pair *)(x))

struct cairn_body_factor {
    cairn_context *context;
    const cairn_factor *factor;
    int columns;     /* bodies */
    int *place;      /* columns: first row of each body, in the order of elimination */
    int *start;      /* columns + 1: blocks of M before each column's */
    int *row;        /* start[columns]: first row of the other body */
    double *M;       /* start[columns] blocks */
    double *inverse; /* columns blocks: Delta^-1 */
    cairn_arena arena;
};

/* Rows k .. k + 5 are one body's. */
static bool is_body(const cairn_factor *f, int k) {
    for (int r = 1; r < SIX; r++)
        if (f->order[k + r] != f->order[k] + r)
            return false;
    return true;
}

static bool fits(const cairn_factor *f) {
    if (!f->symmetric || f->n % SIX != 0)
        return false;
    for (int k = 0; k < f->n; k += SIX)
        if (!is_body(f, k))
            return false;
    for (int s = 0; s < f->panels; s++) {
        int width = cairn_panel_width(f, s), below = cairn_panel_below(f, s);
        if (width % SIX != 0 || below % SIX != 0 || width > WIDEST)
            return false;
        for (int i = 0; i < below; i++)
            if (f->row[f->row_start[s] + i] != f->row[f->row_start[s] + i / SIX * SIX] + i % SIX)
                return false;
    }
    return true;
}

static size_t count_blocks(const cairn_factor *f) {
    size_t blocks = 0;
    for (int s = 0; s < f->panels; s++) {
        size_t own = (size_t)(cairn_panel_width(f, s) / SIX), below = (size_t)(cairn_panel_below(f, s) / SIX);
        blocks += own * (own - 1) / 2 + own * below;
    }
    return blocks;
}

static void layout(cairn_body_factor *s, size_t blocks) {
    size_t columns = (size_t)s->columns;
    s->place = cairn_arena_take(&s->arena, columns, sizeof *s->place);
    s->start = cairn_arena_take(&s->arena, columns + 1, sizeof *s->start);
    s->row = cairn_arena_take(&s->arena, blocks, sizeof *s->row);
    s->M = cairn_arena_take(&s->arena, blocks * BLOCK, sizeof *s->M);
    s->inverse = cairn_arena_take(&s->arena, columns * BLOCK, sizeof *s->inverse);
}

/* Which bodies a column touches: those after it in its panel, then those below. */
static void fill_pattern(cairn_body_factor *x) {
    const cairn_factor *f = x->factor;
    int column = 0, block = 0;
    for (int s = 0; s < f->panels; s++) {
        int own = cairn_panel_width(f, s) / SIX, below = cairn_panel_below(f, s) / SIX;
        for (int j = 0; j < own; j++, column++) {
            x->place[column] = f->order[f->first[s] + SIX * j];
            x->start[column] = block;
            for (int i = j + 1; i < own; i++)
                x->row[block++] = f->order[f->first[s] + SIX * i];
            for (int i = 0; i < below; i++)
                x->row[block++] = f->order[f->row[f->row_start[s] + SIX * i]];
        }
    }
    x->start[column] = block;
}

cairn_status cairn_body_factor_create(cairn_context *context, const cairn_factor *factor, cairn_body_factor **out) {
    *out = NULL;
    if (!fits(factor))
        return CAIRN_OK;
    cairn_body_factor *made = cairn_alloc(context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    size_t blocks = count_blocks(factor);
    made->context = context;
    made->factor = factor;
    made->columns = factor->n / SIX;
    layout(made, blocks);
    cairn_status status = cairn_arena_reserve_raw(context, &made->arena);
    if (status != CAIRN_OK) {
        cairn_body_factor_destroy(made);
        return status;
    }
    layout(made, blocks);
    fill_pattern(made);
    *out = made;
    return CAIRN_OK;
}

void cairn_body_factor_destroy(cairn_body_factor *body_factor) {
    if (body_factor == NULL)
        return;
    cairn_arena_free(body_factor->context, &body_factor->arena);
    cairn_free(body_factor->context, body_factor);
}

/* Six rows from place `from` on and six columns of a panel of k columns, by columns. Panels hold
 * quads of rows; from is even. */
CAIRN_INLINE void copy_block(const double *panel, int k, int from, int column, double *out) {
    const double *high = panel + 4 * ((int64_t)(from / 4) * k + column), *low = high + 4 * (int64_t)k;
    for (int c = 0; c < SIX; c++, high += 4, low += 4, out += SIX) {
        if (from % 4 == 0) {
            memcpy(out, high, 4 * sizeof *out);
            memcpy(out + 4, low, 2 * sizeof *out);
        } else {
            memcpy(out, high + 2, 2 * sizeof *out);
            memcpy(out + 2, low, 4 * sizeof *out);
        }
    }
}

/* M_c -= sum_p M_p L_pc over the columns p > c; c is known when it is compiled. */
CAIRN_INLINE void divide_column(const double *L, int c, quad *low, pair *high) {
    quad l = low[c];
    pair h = high[c];
    if (c < 1) {
        l -= low[1] * L[c * SIX + 1];
        h -= high[1] * L[c * SIX + 1];
    }
    if (c < 2) {
        l -= low[2] * L[c * SIX + 2];
        h -= high[2] * L[c * SIX + 2];
    }
    if (c < 3) {
        l -= low[3] * L[c * SIX + 3];
        h -= high[3] * L[c * SIX + 3];
    }
    if (c < 4) {
        l -= low[4] * L[c * SIX + 4];
        h -= high[4] * L[c * SIX + 4];
    }
    low[c] = l - low[5] * L[c * SIX + 5];
    high[c] = h - high[5] * L[c * SIX + 5];
}

/* M <- M L^-1, L unit lower (its strictly lower part is read), both by columns. */
CAIRN_INLINE void divide(const double *L, double *M) {
    quad low[SIX] = {QUAD(M), QUAD(M + 6), QUAD(M + 12), QUAD(M + 18), QUAD(M + 24), QUAD(M + 30)};
    pair high[SIX] = {PAIR(M + 4), PAIR(M + 10), PAIR(M + 16), PAIR(M + 22), PAIR(M + 28), PAIR(M + 34)};
    divide_column(L, 4, low, high);
    divide_column(L, 3, low, high);
    divide_column(L, 2, low, high);
    divide_column(L, 1, low, high);
    divide_column(L, 0, low, high);
    for (int c = 0; c < SIX - 1; c++) {
        *(loose *)(M + c * SIX) = low[c];
        *(pair *)(M + c * SIX + 4) = high[c];
    }
}

/* out = L^-T D^-1 L^-1; d: 1 / D. */
CAIRN_INLINE void invert(const double *L, const double *d, double *out) {
    double T[BLOCK] = {0}; /* L^-1 by columns */
    for (int c = 0; c < SIX; c++)
        T[c * SIX + c] = 1.0;
    divide(L, T);
    for (int c = 0; c < SIX; c++)
        for (int r = 0; r <= c; r++) {
            double sum = 0.0;
            for (int p = c; p < SIX; p++)
                sum += T[r * SIX + p] * d[p] * T[c * SIX + p];
            out[c * SIX + r] = out[r * SIX + c] = sum;
        }
}

/* out = block, which is by columns, as nine vectors. */
CAIRN_INLINE void arrange(const double *block, double *out) {
    for (int c = 0; c < SIX; c++) {
        memcpy(out + 4 * c, block + SIX * c, 4 * sizeof *out);
        memcpy(out + TAIL + 2 * c, block + SIX * c + 4, 2 * sizeof *out);
    }
}

/* Delta^-1 and the blocks M of one column: body j of panel s. */
CAIRN_CLONES static void refresh_column(const cairn_body_factor *x, int s, int j, int column) {
    const cairn_factor *f = x->factor;
    int width = cairn_panel_width(f, s), own = width / SIX, below = cairn_panel_below(f, s) / SIX;
    const double *panel = f->lower + f->at[s];
    double L[BLOCK], block[BLOCK], *M = x->M + (size_t)x->start[column] * BLOCK;
    copy_block(panel, width, SIX * j, SIX * j, L);
    invert(L, f->inverse + f->first[s] + SIX * j, block);
    arrange(block, x->inverse + (size_t)column * BLOCK);
    for (int i = j + 1; i < own + below; i++, M += BLOCK) {
        int from = i < own ? SIX * i : 4 * cairn_quads(width) + SIX * (i - own);
        copy_block(panel, width, from, SIX * j, block);
        divide(L, block);
        arrange(block, M);
    }
}

void cairn_body_factor_refresh(cairn_body_factor *x) {
    const cairn_factor *f = x->factor;
    CAIRN_ASSERT(f->ready);
    for (int s = 0, column = 0; s < f->panels; s++)
        for (int j = 0; j < cairn_panel_width(f, s) / SIX; j++, column++)
            refresh_column(x, s, j, column);
}

/* low, high = the six of a block times b; twice[k]: b[2k], b[2k], b[2k + 1], b[2k + 1]. */
CAIRN_INLINE void multiply(const double *block, const double *b, const quad *twice, quad *low, pair *high) {
    quad l = QUAD(block) * b[0], h = QUAD(block + TAIL) * twice[0];
    for (int c = 1; c < SIX; c++)
        l += QUAD(block + 4 * c) * b[c];
    for (int k = 1; k < SIX / 2; k++)
        h += QUAD(block + TAIL + 4 * k) * twice[k];
    *low = l;
    *high = (pair){h[0], h[1]} + (pair){h[2], h[3]};
}

CAIRN_CLONES_FMA static void forward(const cairn_body_factor *s, double *x) {
    quad low;
    pair high;
    for (int j = 0; j < s->columns; j++) {
        double *own = x + s->place[j], b[SIX];
        memcpy(b, own, sizeof b);
        quad front = QUAD(b), back = QUAD(b + 2);
        quad twice[] = {__builtin_shufflevector(front, front, 0, 0, 1, 1),
                        __builtin_shufflevector(front, front, 2, 2, 3, 3),
                        __builtin_shufflevector(back, back, 2, 2, 3, 3)};
        for (int e = s->start[j]; e < s->start[j + 1]; e++) {
            double *to = x + s->row[e];
            multiply(s->M + (size_t)e * BLOCK, b, twice, &low, &high);
            *(loose *)to -= low;
            *(pair *)(to + 4) -= high;
        }
        multiply(s->inverse + (size_t)j * BLOCK, b, twice, &low, &high);
        *(loose *)own = low;
        *(pair *)(own + 4) = high;
    }
}

CAIRN_CLONES_FMA static void backward(const cairn_body_factor *s, double *x) {
    for (int j = s->columns - 1; j >= 0; j--) {
        quad low[SIX] = {{0.0}}, high[SIX / 2] = {{0.0}};
        for (int e = s->start[j]; e < s->start[j + 1]; e++) {
            const double *M = s->M + (size_t)e * BLOCK, *from = x + s->row[e];
            quad a = QUAD(from), b = QUAD(from + 2);
            b = __builtin_shufflevector(b, b, 2, 3, 2, 3);
            for (int c = 0; c < SIX; c++)
                low[c] += QUAD(M + 4 * c) * a;
            for (int k = 0; k < SIX / 2; k++)
                high[k] += QUAD(M + TAIL + 4 * k) * b;
        }
        double *own = x + s->place[j];
        for (int c = 0; c < SIX; c++)
            own[c] -= ((low[c][0] + low[c][1]) + (low[c][2] + low[c][3])) +
                      (high[c / 2][2 * (c % 2)] + high[c / 2][2 * (c % 2) + 1]);
    }
}

void cairn_body_factor_solve(const cairn_body_factor *s, double *x) {
    forward(s, x);
    backward(s, x);
}
