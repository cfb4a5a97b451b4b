/*
 * kernel_factor.h: the loops of kernel.h, written once (those of a solve are in kernel_solve.h).
 * The including file defines
 *
 *     TARGET            attributes of every function
 *     TILE_QUADS        1 or 3: row quads of the largest tile
 *     quad              four doubles, and quad_load, quad_store, quad_zero, quad_all(double), quad_add, quad_subtract,
 *                       quad_multiply, quad_divide, quad_more(a, b, c) = c + a b, quad_less(a, b, c) = c - a b,
 *                       quad_largest(a, m) = max(|a|, m), m where a is not a number,
 *                       quad_lane(a, j): entry j of a four times, quad_after(a, j): a with entries 0 .. j set to 0,
 *                       quad_load_part(p, c), quad_store_part(p, a, c): the first c < 4 entries, 0 in the others,
 *                       quad_set(a, b, c, d): these four,
 *                       quad_sums(a, b, c, d): the sums of four quads, each (0 + 1) + (2 + 3)
 *
 * Tiles are 4, 8 or 12 rows by 4 columns; all their sums stay in registers, hence the macros: a
 * loop over an array of sums would go through memory.
 */
#define ZERO_1   quad c00 = quad_zero(), c01 = c00, c02 = c00, c03 = c00;
#define ZERO_2   ZERO_1 quad c10 = c00, c11 = c00, c12 = c00, c13 = c00;
#define ZERO_3   ZERO_2 quad c20 = c00, c21 = c00, c22 = c00, c23 = c00;
#define ROWS_1   quad a0 = quad_load(x);
#define ROWS_2   ROWS_1 quad a1 = quad_load(x + stride);
#define ROWS_3   ROWS_2 quad a2 = quad_load(x + 2 * stride);
#define SUM_1(j) c0##j = quad_more(a0, b, c0##j);
#define SUM_2(j) SUM_1(j) c1##j = quad_more(a1, b, c1##j);
#define SUM_3(j) SUM_2(j) c2##j = quad_more(a2, b, c2##j);
#define COLUMN(n, j) \
    { \
        quad b = quad_all(y[j]); \
        SUM_##n(j) \
    }
/* c_qj = sum_p x(q, p) y(j, p), p < k; moves x and y to their ends */
#define PRODUCT(n) \
    ZERO_##n for (int p = 0; p < k; p++, x += 4, y += 4) { \
        ROWS_##n COLUMN(n, 0) COLUMN(n, 1) COLUMN(n, 2) COLUMN(n, 3) \
    }

#define SET(q, j)  quad_store(c + (j)*ld + 4 * (q), quad_subtract(quad_zero(), c##q##j));
#define TAKE(q, j) quad_store(c + (j)*ld + 4 * (q), quad_subtract(quad_load(c + (j)*ld + 4 * (q)), c##q##j));
#define FOUR(M, q) M(q, 0) M(q, 1) M(q, 2) M(q, 3)
#define TILES_1(M) FOUR(M, 0)
#define TILES_2(M) TILES_1(M) FOUR(M, 1)
#define TILES_3(M) TILES_2(M) FOUR(M, 2)
#define UPDATE_TILE(n) \
    TARGET static inline void update_tile_##n(int k, const double *x, int64_t stride, const double *y, double *c, \
                                              int64_t ld, bool add) { \
        (void)stride; \
        for (int j = 0; add && j < 4; j++) \
            for (int q = 0; q < n; q++) \
                __builtin_prefetch(c + j * ld + 4 * q, 1); \
        PRODUCT(n) \
        if (add) { \
            TILES_##n(TAKE) \
        } else { \
            TILES_##n(SET) \
        } \
    }

/* One quad of rows against the block's own four columns: x_j = front_j - c_j - sum_{p < j} x_p
 * other(j, p). */
#define SOLVE(q) \
    { \
        quad x0 = quad_subtract(quad_load(front + 4 * (q)), c##q##0); \
        quad x1 = quad_subtract(quad_load(front + ld + 4 * (q)), c##q##1); \
        quad x2 = quad_subtract(quad_load(front + 2 * ld + 4 * (q)), c##q##2); \
        quad x3 = quad_subtract(quad_load(front + 3 * ld + 4 * (q)), c##q##3); \
        double *s = scaled + (q)*stride, *o = x + (q)*stride; \
        x1 = quad_less(x0, quad_all(u[1]), x1); \
        x2 = quad_less(x0, quad_all(u[2]), x2); \
        x3 = quad_less(x0, quad_all(u[3]), x3); \
        quad_store(s, x0); \
        quad_store(o, quad_multiply(x0, quad_all(inverse[0]))); \
        if (columns > 1) { \
            x2 = quad_less(x1, quad_all(u[6]), x2); \
            x3 = quad_less(x1, quad_all(u[7]), x3); \
            quad_store(s + 4, x1); \
            quad_store(o + 4, quad_multiply(x1, quad_all(inverse[1]))); \
        } \
        if (columns > 2) { \
            x3 = quad_less(x2, quad_all(u[11]), x3); \
            quad_store(s + 8, x2); \
            quad_store(o + 8, quad_multiply(x2, quad_all(inverse[2]))); \
        } \
        if (columns > 3) { \
            quad_store(s + 12, x3); \
            quad_store(o + 12, quad_multiply(x3, quad_all(inverse[3]))); \
        } \
    }
#define SOLVE_1 SOLVE(0)
#define SOLVE_2 SOLVE_1 SOLVE(1)
#define SOLVE_3 SOLVE_2 SOLVE(2)
/* u: 4 x 4 entries of other at the block's own columns */
#define SOLVE_TILE(n) \
    TARGET static inline void solve_tile_##n(int k, double *x, int64_t stride, const double *y, const double *front, \
                                             int64_t ld, const double *u, const double *inverse, int columns, \
                                             double *scaled) { \
        (void)stride; \
        PRODUCT(n) \
        scaled += 4 * (int64_t)k; \
        SOLVE_##n \
    }

UPDATE_TILE(1)
SOLVE_TILE(1)
#if TILE_QUADS == 3
UPDATE_TILE(2)
UPDATE_TILE(3)
SOLVE_TILE(2)
SOLVE_TILE(3)
#endif

#define PUT(q, j) t##j = quad_subtract(quad_load(front + (j)*ld), c##q##j);
/* t_j(i) = front(i, j) - sum_{p < 4 q} x(i, p) other_scaled(j, p) for the 4 x 4 entries at rows
 * and columns 4 q */
#define REDUCE(block) \
    { \
        const double *x = (block)->x + q * stride, *y = (block)->other_scaled + q * stride; \
        const double *front = (block)->front + k + k * ld; \
        PRODUCT(1) \
        FOUR(PUT, 0) \
    }
/* Column j of a corner is final: pivot, and its part of x and scaled. */
#define PIVOT(j) \
    quad d = quad_lane(t##j, j), r = quad_divide(quad_all(1.0), d), below = quad_after(t##j, j); \
    quad unit = quad_multiply(below, r); \
    if ((j) < columns) { \
        quad_store(scaled + 4 * (j), below); \
        quad_store(x + 4 * (j), unit); \
        quad_store(first, d); \
        pivot[j] = first[0]; \
        quad_store(first, r); \
        inverse[j] = first[0]; \
    }
#define TAKE_COLUMN(j) t##j = quad_less(unit, quad_lane(below, j), t##j);

/* The 4 x 4 (or smaller) corner q of a symmetric block: t = L D L' by elimination. */
TARGET static inline void corner(const cairn_block *block, int q) {
    int k = 4 * q, columns = block->k - k < 4 ? block->k - k : 4;
    int64_t stride = 4 * (int64_t)block->k, ld = block->ld;
    quad t0, t1, t2, t3;
    REDUCE(block)
    double *x = block->x + q * stride + 4 * k, *scaled = block->scaled + q * stride + 4 * k;
    double *pivot = block->pivot + k, *inverse = block->inverse + k, first[4];
    {PIVOT(0) TAKE_COLUMN(1) TAKE_COLUMN(2) TAKE_COLUMN(3)} {PIVOT(1) TAKE_COLUMN(2)
                                                                 TAKE_COLUMN(3)} {PIVOT(2) TAKE_COLUMN(3)} PIVOT(3)
}

/* Factors a tile of an unsymmetric matrix: t = L D U, columns of L in t, of U' in s. */
#define PIVOTS(j) \
    quad d = quad_lane(t##j, j), r = quad_divide(quad_all(1.0), d); \
    quad low = quad_after(t##j, j), up = quad_after(s##j, j); \
    quad unit_low = quad_multiply(low, r), unit_up = quad_multiply(up, r); \
    if ((j) < columns) { \
        quad_store(block[0].scaled + at + 4 * (j), low); \
        quad_store(block[0].x + at + 4 * (j), unit_low); \
        quad_store(block[1].scaled + at + 4 * (j), up); \
        quad_store(block[1].x + at + 4 * (j), unit_up); \
        quad_store(first, d); \
        pivot[j] = first[0]; \
        quad_store(first, r); \
        inverse[j] = first[0]; \
    }
#define TAKE_COLUMNS(j) \
    t##j = quad_less(unit_low, quad_lane(up, j), t##j); \
    s##j = quad_less(unit_up, quad_lane(low, j), s##j);
TARGET static inline void corner_of_both(const cairn_block *block, int q) {
    int k = 4 * q, columns = block->k - k < 4 ? block->k - k : 4;
    int64_t stride = 4 * (int64_t)block->k, ld = block->ld, at = q * stride + 4 * k;
    quad t0, t1, t2, t3, s0, s1, s2, s3;
    REDUCE(&block[1])
    s0 = t0, s1 = t1, s2 = t2, s3 = t3;
    REDUCE(&block[0])
    double *pivot = block->pivot + k, *inverse = block->inverse + k, first[4];
    {PIVOTS(0) TAKE_COLUMNS(1) TAKE_COLUMNS(2)
         TAKE_COLUMNS(3)} {PIVOTS(1) TAKE_COLUMNS(2) TAKE_COLUMNS(3)} {PIVOTS(2) TAKE_COLUMNS(3)} PIVOTS(3)
}

TARGET static void kernel_rows(const cairn_block *block, int begin, int end, int from, int to) {
    int64_t stride = 4 * (int64_t)block->k;
    for (int i = begin, tile; i < end; i += tile) {
        int rest = (end - i) % TILE_QUADS;
        tile = rest > 0 ? rest : TILE_QUADS; /* short tiles first */
        double *x = block->x + i * stride, *scaled = block->scaled + i * stride;
        for (int q = from; q < to; q++) {
            int k = 4 * q, columns = block->k - k < 4 ? block->k - k : 4;
            const double *y = block->other_scaled + q * stride, *u = block->other + q * stride + 16 * (int64_t)q;
            const double *front = block->front + 4 * (int64_t)i + k * block->ld, *inverse = block->inverse + k;
#if TILE_QUADS == 3
            if (tile == 3)
                solve_tile_3(k, x, stride, y, front, block->ld, u, inverse, columns, scaled);
            else if (tile == 2)
                solve_tile_2(k, x, stride, y, front, block->ld, u, inverse, columns, scaled);
            else
#endif
                solve_tile_1(k, x, stride, y, front, block->ld, u, inverse, columns, scaled);
        }
    }
}

TARGET static void kernel_own(const cairn_block *block, int sides) {
    int own = (block->k + 3) / 4;
    for (int q = 0; q < own; q++) {
        if (sides == 1)
            corner(block, q);
        else
            corner_of_both(block, q);
        for (int side = 0; q + 1 < own && side < sides; side++)
            kernel_rows(&block[side], q + 1, own, q, q + 1);
    }
}

TARGET static void kernel_update(int k, const double *x, const double *y, int i_begin, int i_end, int j_begin,
                                 int j_end, double *c, int64_t ld, bool add) {
    int64_t stride = 4 * (int64_t)k;
    for (int i = i_begin, tile; i < i_end; i += tile) {
        int rest = (i_end - i) % TILE_QUADS;
        tile = rest > 0 ? rest : TILE_QUADS; /* short tiles first: there the triangle is narrow */
        int last = i + tile < j_end ? i + tile : j_end;
        for (int j = j_begin; j < last; j++) {
            double *entry = c + 4 * (int64_t)i + 4 * (int64_t)j * ld;
#if TILE_QUADS == 3
            if (tile == 3)
                update_tile_3(k, x + i * stride, stride, y + j * stride, entry, ld, add);
            else if (tile == 2)
                update_tile_2(k, x + i * stride, stride, y + j * stride, entry, ld, add);
            else
#endif
                update_tile_1(k, x + i * stride, stride, y + j * stride, entry, ld, add);
        }
    }
}

TARGET static void kernel_add(const int *run, int runs, int begin, int end, const int *place, int shift,
                              const double *from, int64_t from_ld, double *to, int64_t to_ld) {
    for (int r = begin; r < end; r++)
        for (int j = run[r]; j < run[r + 1]; j++) {
            const double *source = from + j * from_ld;
            double *target = to + (place[run[r]] - shift + (j - run[r])) * to_ld;
            for (int s = r; s < runs; s++) {
                int i = run[s], length = run[s + 1] - i;
                const double *a = source + i;
                double *b = target + (place[i] - shift);
                if (length == 6) { /* a body's rows */
                    quad_store(b, quad_add(quad_load(b), quad_load(a)));
                    b[4] += a[4];
                    b[5] += a[5];
                    continue;
                }
                for (; length >= 4; length -= 4, a += 4, b += 4)
                    quad_store(b, quad_add(quad_load(b), quad_load(a)));
                for (; length > 0; length--)
                    *b++ += *a++;
            }
        }
}

TARGET static double kernel_largest(int64_t count, const double *value) {
    quad most = quad_zero(), more = most;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        most = quad_largest(quad_load(value + i), most);
        more = quad_largest(quad_load(value + i + 4), more);
    }
    double part[8], result = 0.0;
    quad_store(part, most);
    quad_store(part + 4, more);
    for (int r = 0; r < 8; r++)
        result = part[r] > result ? part[r] : result;
    for (; i < count; i++) {
        double size = value[i] < 0.0 ? -value[i] : value[i];
        result = size > result ? size : result;
    }
    return result;
}

#include "linalg/factor/kernel/kernel_solve.h"

#define KERNEL_TABLE(title) \
    { \
        .name = title, .own = kernel_own, .rows = kernel_rows, .update = kernel_update, .add = kernel_add, \
        .largest = kernel_largest, .forward = kernel_forward, .backward = kernel_backward, \
        .forward_one = kernel_forward_one, .backward_one = kernel_backward_one, \
    }
