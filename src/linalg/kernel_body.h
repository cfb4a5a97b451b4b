/*
 * kernel_body.h: the loops of kernel.h, written once. The including file defines
 *
 *     TARGET            attributes of every function
 *     TILE_QUADS        1 or 3: row quads of the largest tile
 *     quad              four doubles, and quad_load, quad_store, quad_zero, quad_all(double), quad_add, quad_subtract,
 *                       quad_multiply, quad_divide, quad_more(a, b, c) = c + a b, quad_less(a, b, c) = c - a b,
 *                       quad_largest(a, m) = max(|a|, m), m where a is not a number,
 *                       quad_lane(a, j): entry j of a four times, quad_after(a, j): a with entries 0 .. j set to 0,
 *                       quad_load_part(p, c), quad_store_part(p, a, c): the first c < 4 entries, 0 in the others,
 *                       quad_set(a, b, c, d): these four, quad_sums(a, b, c, d): the sums of four quads, each (0 + 1) + (2 + 3)
 *
 * Tiles are 4, 8 or 12 rows by 4 columns; all their sums stay in registers, hence the macros: a loop over an array
 * of sums would go through memory.
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

/* One quad of rows against the block's own four columns: x_j = front_j - c_j - sum_{p < j} x_p other(j, p). */
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
/* t_j(i) = front(i, j) - sum_{p < 4 q} x(i, p) other_scaled(j, p) for the 4 x 4 entries at rows and columns 4 q */
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

/* The same for both sides: t = L D U, columns of L in t, of U' in s. */
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

/* sum_p x(p) v_p, p < k, for one quad of rows */
TARGET static inline quad product_quad(int k, const double *x, const double *v) {
    quad sum = quad_zero();
    for (int p = 0; p < k; p++)
        sum = quad_more(quad_load(x + 4 * p), quad_all(v[p]), sum);
    return sum;
}
#define FOUR_PRODUCTS \
    const double *x1 = x + 4 * (int64_t)k, *x2 = x1 + 4 * (int64_t)k, *x3 = x2 + 4 * (int64_t)k; \
    quad s0 = quad_zero(), s1 = s0, s2 = s0, s3 = s0; \
    for (int p = 0; p < k; p++) { \
        quad b = quad_all(v[p]); \
        s0 = quad_more(quad_load(x + 4 * p), b, s0); \
        s1 = quad_more(quad_load(x1 + 4 * p), b, s1); \
        s2 = quad_more(quad_load(x2 + 4 * p), b, s2); \
        s3 = quad_more(quad_load(x3 + 4 * p), b, s3); \
    }
/* v(q) -= sum_p x(q, p) v_p, p < k, for four quads at once */
TARGET static inline void less_four_quads(int k, const double *x, const double *v, double *out) {
    FOUR_PRODUCTS
    quad_store(out, quad_subtract(quad_load(out), s0));
    quad_store(out + 4, quad_subtract(quad_load(out + 4), s1));
    quad_store(out + 8, quad_subtract(quad_load(out + 8), s2));
    quad_store(out + 12, quad_subtract(quad_load(out + 12), s3));
}
/* The same for rows that are anywhere in y */
TARGET static inline void less_four_slots(int k, const double *x, const double *v, const int *slot, double *y) {
    FOUR_PRODUCTS
    double t[16];
    quad_store(t, s0);
    quad_store(t + 4, s1);
    quad_store(t + 8, s2);
    quad_store(t + 12, s3);
    for (int i = 0; i < 16; i++)
        y[slot[i]] -= t[i];
}

/* Own quad q of a block: t <- L^-1 (t - sum of the columns before), v: the block's part of the vector */
TARGET static inline quad forward_own(int k, int q, const double *x, const double *v, quad t) {
    const double *row = x + 4 * (int64_t)q * k, *l = row + 16 * (int64_t)q;
    int columns = k - 4 * q;
    t = quad_subtract(t, product_quad(4 * q, row, v));
    if (columns > 1)
        t = quad_less(quad_load(l), quad_lane(t, 0), t);
    if (columns > 2)
        t = quad_less(quad_load(l + 4), quad_lane(t, 1), t);
    if (columns > 3)
        t = quad_less(quad_load(l + 8), quad_lane(t, 2), t);
    return t;
}

TARGET static void kernel_forward(int k, int quads, const double *x, int count, double *v, int64_t ld) {
    int own = (k + 3) / 4;
    int64_t stride = 4 * (int64_t)k;
    for (int q = 0; q < own; q++)
        for (int c = 0; c < count; c++) {
            double *t = v + c * ld + 4 * q;
            quad_store(t, forward_own(k, q, x, v + c * ld, quad_load(t)));
        }
    int q = own;
    for (; q + 4 <= quads; q += 4)
        for (int c = 0; c < count; c++)
            less_four_quads(k, x + q * stride, v + c * ld, v + c * ld + 4 * (int64_t)q);
    for (; q < quads; q++)
        for (int c = 0; c < count; c++) {
            double *t = v + c * ld + 4 * (int64_t)q;
            quad_store(t, quad_subtract(quad_load(t), product_quad(k, x + q * stride, v + c * ld)));
        }
}

TARGET static void kernel_forward_one(int k, int below, const double *x, double *own, const int *slot, double *y) {
    int q = 0, part = k % 4, i = 0;
    for (; q < k / 4; q++)
        quad_store(own + 4 * q, forward_own(k, q, x, own, quad_load(own + 4 * q)));
    if (part > 0)
        quad_store_part(own + 4 * q, forward_own(k, q, x, own, quad_load_part(own + 4 * q, part)), part);
    x += 4 * (int64_t)k * ((k + 3) / 4);
    for (; i + 16 <= below; i += 16, x += 16 * (int64_t)k)
        less_four_slots(k, x, own, slot + i, y);
    for (; i < below; i += 4, x += 4 * (int64_t)k) {
        double t[4];
        quad_store(t, product_quad(k, x, own));
        for (int r = 0; r < 4 && i + r < below; r++)
            y[slot[i + r]] -= t[r];
    }
}

/* sum(p) += x(q, p) v(q), p < k, for one quad and for four quads at once: four partial sums for each p */
TARGET static inline void more_quad(int k, const double *x, const double *v, double *sum) {
    quad b = quad_load(v);
    for (int p = 0; p < k; p++)
        quad_store(sum + 4 * p, quad_more(quad_load(x + 4 * p), b, quad_load(sum + 4 * p)));
}
TARGET static inline void more_four_quads(int k, const double *x, const double *v, double *sum) {
    const double *y = x + 4 * (int64_t)k, *z = y + 4 * (int64_t)k, *w = z + 4 * (int64_t)k;
    quad b0 = quad_load(v), b1 = quad_load(v + 4), b2 = quad_load(v + 8), b3 = quad_load(v + 12);
    for (int p = 0; p < k; p++) {
        quad s = quad_more(quad_load(x + 4 * p), b0, quad_load(sum + 4 * p));
        quad t = quad_multiply(quad_load(y + 4 * p), b1);
        s = quad_more(quad_load(z + 4 * p), b2, s);
        t = quad_more(quad_load(w + 4 * p), b3, t);
        quad_store(sum + 4 * p, quad_add(s, t));
    }
}

/* v_p <- v_p inverse_p, p < k */
TARGET static inline void scale(int k, const double *inverse, double *v) {
    int p = 0;
    for (; p + 4 <= k; p += 4)
        quad_store(v + p, quad_multiply(quad_load(v + p), quad_load(inverse + p)));
    for (; p < k; p++)
        v[p] *= inverse[p];
}

/* Own quad q of a block: t <- U^-1 (t - sums) by its 4 x 4 corner; the sums of the columns before take it in */
TARGET static inline void backward_own(int k, int q, const double *x, quad t, double *sums, double out[4]) {
    const double *row = x + 4 * (int64_t)q * k, *u = row + 16 * (int64_t)q;
    const double *s = sums + 16 * q;
    int columns = k - 4 * q;
    quad all = quad_sums(quad_load(s), quad_load(s + 4), quad_load(s + 8), quad_load(s + 12));
    quad_store(out, quad_subtract(t, all));
    if (columns < 4)
        out[3] = 0.0;
    if (columns < 3)
        out[2] = 0.0;
    if (columns < 2)
        out[1] = 0.0;
    if (columns > 2)
        out[2] -= u[11] * out[3];
    if (columns > 1)
        out[1] = out[1] - u[6] * out[2] - u[7] * out[3];
    out[0] = out[0] - u[1] * out[1] - u[2] * out[2] - u[3] * out[3];
    more_quad(4 * q, row, out, sums);
}

TARGET static void kernel_backward(int k, int quads, const double *x, const double *inverse, int count, double *v,
                                   int64_t ld) {
    double sums[CAIRN_SOLVE_GROUP][4 * CAIRN_BLOCK_WIDTH + 16];
    int own = (k + 3) / 4;
    int64_t stride = 4 * (int64_t)k;
    for (int c = 0; c < count; c++)
        for (int p = 0; p < 4 * own; p++)
            quad_store(sums[c] + 4 * p, quad_zero());
    int q = own;
    for (; q + 4 <= quads; q += 4)
        for (int c = 0; c < count; c++)
            more_four_quads(k, x + q * stride, v + c * ld + 4 * (int64_t)q, sums[c]);
    for (; q < quads; q++)
        for (int c = 0; c < count; c++)
            more_quad(k, x + q * stride, v + c * ld + 4 * (int64_t)q, sums[c]);
    for (int c = 0; c < count; c++)
        scale(k, inverse, v + c * ld);
    for (q = own - 1; q >= 0; q--)
        for (int c = 0; c < count; c++) {
            double t[4], *vc = v + c * ld + 4 * q;
            backward_own(k, q, x, quad_load(vc), sums[c], t);
            for (int r = 0; r < 4 && 4 * q + r < k; r++)
                vc[r] = t[r];
        }
}

/* sums of columns p .. p+3 over all quads, held in registers; the same operations as more_four_quads and more_quad */
#define MORE_FOUR(j) \
    { \
        quad s = quad_more(quad_load(a + 4 * (j)), b0, s##j); \
        quad t = quad_multiply(quad_load(a + stride + 4 * (j)), b1); \
        s = quad_more(quad_load(a + 2 * stride + 4 * (j)), b2, s); \
        t = quad_more(quad_load(a + 3 * stride + 4 * (j)), b3, t); \
        s##j = quad_add(s, t); \
    }
TARGET static inline void four_sums(int quads, const double *a, int64_t stride, const double *v, double *sums) {
    quad s0 = quad_zero(), s1 = s0, s2 = s0, s3 = s0;
    int q = 0;
    for (; q + 4 <= quads; q += 4, a += 4 * stride, v += 16) {
        quad b0 = quad_load(v), b1 = quad_load(v + 4), b2 = quad_load(v + 8), b3 = quad_load(v + 12);
        MORE_FOUR(0) MORE_FOUR(1) MORE_FOUR(2) MORE_FOUR(3)
    }
    for (; q < quads; q++, a += stride, v += 4) {
        quad b = quad_load(v);
        s0 = quad_more(quad_load(a), b, s0);
        s1 = quad_more(quad_load(a + 4), b, s1);
        s2 = quad_more(quad_load(a + 8), b, s2);
        s3 = quad_more(quad_load(a + 12), b, s3);
    }
    quad_store(sums, s0);
    quad_store(sums + 4, s1);
    quad_store(sums + 8, s2);
    quad_store(sums + 12, s3);
}

TARGET static void kernel_backward_one(int k, int below, const double *x, const double *inverse, double *own,
                                       const int *slot, const double *y, double *v) {
    double sums[4 * CAIRN_BLOCK_WIDTH + 16];
    int quads = (below + 3) / 4, q = (k + 3) / 4, part = k % 4, i = 0;
    int64_t stride = 4 * (int64_t)k;
    const double *low = x + q * stride;
    for (; i + 4 <= below; i += 4)
        quad_store(v + i, quad_set(y[slot[i]], y[slot[i + 1]], y[slot[i + 2]], y[slot[i + 3]]));
    if (i < below)
        quad_store(v + i, quad_set(y[slot[i]], i + 1 < below ? y[slot[i + 1]] : 0.0,
                                   i + 2 < below ? y[slot[i + 2]] : 0.0, 0.0));
    int p = 0;
    for (; p + 4 <= k; p += 4)
        four_sums(quads, low + 4 * p, stride, v, sums + 4 * p);
    for (; p < k; p++) {
        quad s = quad_zero();
        const double *a = low + 4 * p, *b = v;
        int r = 0;
        for (; r + 4 <= quads; r += 4, a += 4 * stride, b += 16) {
            quad t = quad_multiply(quad_load(a + stride), quad_load(b + 4));
            s = quad_more(quad_load(a), quad_load(b), s);
            s = quad_more(quad_load(a + 2 * stride), quad_load(b + 8), s);
            t = quad_more(quad_load(a + 3 * stride), quad_load(b + 12), t);
            s = quad_add(s, t);
        }
        for (; r < quads; r++, a += stride, b += 4)
            s = quad_more(quad_load(a), quad_load(b), s);
        quad_store(sums + 4 * p, s);
    }
    for (; p < 4 * q; p++)
        quad_store(sums + 4 * p, quad_zero());
    for (q--; q >= 0; q--) {
        double t[4];
        bool whole = part == 0 || 4 * (q + 1) <= k;
        quad b = whole ? quad_load(own + 4 * q) : quad_load_part(own + 4 * q, part);
        quad d = whole ? quad_load(inverse + 4 * q) : quad_load_part(inverse + 4 * q, part);
        backward_own(k, q, x, quad_multiply(b, d), sums, t);
        for (int r = 0; r < 4 && 4 * q + r < k; r++)
            own[4 * q + r] = t[r];
    }
}

#define KERNEL_TABLE(title) \
    { \
        .name = title, .own = kernel_own, .rows = kernel_rows, .update = kernel_update, .add = kernel_add, \
        .largest = kernel_largest, .forward = kernel_forward, .backward = kernel_backward, \
        .forward_one = kernel_forward_one, .backward_one = kernel_backward_one, \
    }
