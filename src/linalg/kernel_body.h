/*
 * kernel_body.h: the loops of kernel.h, written once. The including file defines
 *
 *     TARGET            attributes of every function
 *     TILE_QUADS        1 or 3: row quads of the largest tile
 *     quad              four doubles, and quad_load, quad_store, quad_zero, quad_all(double), quad_add, quad_subtract,
 *                       quad_multiply, quad_divide, quad_more(a, b, c) = c + a b, quad_less(a, b, c) = c - a b,
 *                       quad_largest(a, m) = max(|a|, m), m where a is not a number
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

#define PUT(q, j) quad_store(out + 4 * (j), quad_subtract(quad_load(front + (j)*ld), c##q##j));
TARGET static void kernel_reduce(const cairn_block *block, int q, double out[16]) {
    int k = 4 * q;
    int64_t stride = 4 * (int64_t)block->k, ld = block->ld;
    const double *x = block->x + q * stride, *y = block->other_scaled + q * stride;
    const double *front = block->front + k + k * ld;
    PRODUCT(1)
    FOUR(PUT, 0)
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
                for (; length >= 4; length -= 4, a += 4, b += 4)
                    quad_store(b, quad_add(quad_load(b), quad_load(a)));
                for (; length > 0; length--)
                    *b++ += *a++;
            }
        }
}

TARGET static inline double largest_of(int count, const double *value) {
    quad most = quad_zero();
    int i = 0;
    for (; i + 4 <= count; i += 4)
        most = quad_largest(quad_load(value + i), most);
    double part[4], result = 0.0;
    quad_store(part, most);
    for (int r = 0; r < 4; r++)
        result = part[r] > result ? part[r] : result;
    for (; i < count; i++) {
        double size = value[i] < 0.0 ? -value[i] : value[i];
        result = size > result ? size : result;
    }
    return result;
}

TARGET static void kernel_largest(int count, const int *column, const int *start, const double *value, double *out) {
    for (int k = 0; k < count; k++) {
        int c = column[k];
        out[c] = largest_of(start[c + 1] - start[c], value + start[c]);
    }
}

/* v(q) -= sum_p x(q, p) v_p, p < k, for one quad and for four quads at once */
TARGET static inline void less_quad(int k, const double *x, const double *v, double *out) {
    quad sum = quad_zero();
    for (int p = 0; p < k; p++)
        sum = quad_more(quad_load(x + 4 * p), quad_all(v[p]), sum);
    quad_store(out, quad_subtract(quad_load(out), sum));
}
TARGET static inline void less_four_quads(int k, const double *x, const double *v, double *out) {
    const double *y = x + 4 * (int64_t)k, *z = y + 4 * (int64_t)k, *w = z + 4 * (int64_t)k;
    quad s0 = quad_zero(), s1 = s0, s2 = s0, s3 = s0;
    for (int p = 0; p < k; p++) {
        quad b = quad_all(v[p]);
        s0 = quad_more(quad_load(x + 4 * p), b, s0);
        s1 = quad_more(quad_load(y + 4 * p), b, s1);
        s2 = quad_more(quad_load(z + 4 * p), b, s2);
        s3 = quad_more(quad_load(w + 4 * p), b, s3);
    }
    quad_store(out, quad_subtract(quad_load(out), s0));
    quad_store(out + 4, quad_subtract(quad_load(out + 4), s1));
    quad_store(out + 8, quad_subtract(quad_load(out + 8), s2));
    quad_store(out + 12, quad_subtract(quad_load(out + 12), s3));
}

TARGET static void kernel_forward(int k, int quads, const double *x, int count, double *v, int64_t ld) {
    int own = (k + 3) / 4;
    int64_t stride = 4 * (int64_t)k;
    for (int q = 0; q < own; q++) {
        const double *row = x + q * stride;
        int columns = k - 4 * q < 4 ? k - 4 * q : 4;
        for (int c = 0; c < count; c++) {
            double *vc = v + c * ld, *t = vc + 4 * q;
            less_quad(4 * q, row, vc, t);
            const double *l = row + 16 * (int64_t)q;
            if (columns > 1)
                t[1] -= l[1] * t[0];
            if (columns > 2)
                t[2] = t[2] - l[2] * t[0] - l[6] * t[1];
            if (columns > 3)
                t[3] = t[3] - l[3] * t[0] - l[7] * t[1] - l[11] * t[2];
        }
    }
    int q = own;
    for (; q + 4 <= quads; q += 4)
        for (int c = 0; c < count; c++)
            less_four_quads(k, x + q * stride, v + c * ld, v + c * ld + 4 * (int64_t)q);
    for (; q < quads; q++)
        for (int c = 0; c < count; c++)
            less_quad(k, x + q * stride, v + c * ld, v + c * ld + 4 * (int64_t)q);
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

/* v_p <- v_p / d_p, p < k */
TARGET static inline void divide(int k, const double *d, double *v) {
    int p = 0;
    for (; p + 4 <= k; p += 4)
        quad_store(v + p, quad_divide(quad_load(v + p), quad_load(d + p)));
    for (; p < k; p++)
        v[p] /= d[p];
}

TARGET static void kernel_backward(int k, int quads, const double *x, const double *d, int count, double *v,
                                   int64_t ld) {
    double sums[CAIRN_SOLVE_GROUP][4 * CAIRN_BLOCK_WIDTH];
    int own = (k + 3) / 4;
    int64_t stride = 4 * (int64_t)k;
    for (int c = 0; c < count; c++)
        for (int p = 0; p < k; p++)
            quad_store(sums[c] + 4 * p, quad_zero());
    int q = own;
    for (; q + 4 <= quads; q += 4)
        for (int c = 0; c < count; c++)
            more_four_quads(k, x + q * stride, v + c * ld + 4 * (int64_t)q, sums[c]);
    for (; q < quads; q++)
        for (int c = 0; c < count; c++)
            more_quad(k, x + q * stride, v + c * ld + 4 * (int64_t)q, sums[c]);
    for (int c = 0; c < count; c++)
        divide(k, d, v + c * ld);
    for (q = own - 1; q >= 0; q--) {
        const double *row = x + q * stride, *u = row + 16 * (int64_t)q;
        int columns = k - 4 * q < 4 ? k - 4 * q : 4;
        for (int c = 0; c < count; c++) {
            double *t = v + c * ld + 4 * q;
            const double *s = sums[c] + 16 * q;
            if (columns > 3)
                t[3] -= (s[12] + s[14]) + (s[13] + s[15]);
            if (columns > 2)
                t[2] = t[2] - ((s[8] + s[10]) + (s[9] + s[11])) - u[11] * t[3];
            if (columns > 1)
                t[1] = t[1] - ((s[4] + s[6]) + (s[5] + s[7])) - u[6] * t[2] - u[7] * t[3];
            t[0] = t[0] - ((s[0] + s[2]) + (s[1] + s[3])) - u[1] * t[1] - u[2] * t[2] - u[3] * t[3];
            more_quad(4 * q, row, t, sums[c]);
        }
    }
}

#define KERNEL_TABLE(title) \
    { \
        .name = title, .reduce = kernel_reduce, .rows = kernel_rows, .update = kernel_update, .add = kernel_add, \
        .largest = kernel_largest, .forward = kernel_forward, .backward = kernel_backward, \
    }
