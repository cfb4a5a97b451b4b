/*
 * kernel_solve.h: the loops of kernel.h that solve with a factor. Included by kernel_factor.h, in
 * its terms.
 *
 * Forward, a row takes the sum of its products from front to back. Backward, a column has four
 * partial sums, one per row of a quad, four quads at a time; they are added at the end. Both are
 * the same for one vector as for several.
 */
/* sum_p x(p) v_p, p < k, for one quad of rows */
TARGET CAIRN_INLINE quad product_quad(int k, const double *x, const double *v) {
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
/* out(q) = sum_p x(q, p) v_p, p < k, for four quads at once; the other one takes it away from
 * out */
TARGET CAIRN_INLINE void four_products(int k, const double *x, const double *v, double *out) {
    FOUR_PRODUCTS
    quad_store(out, s0);
    quad_store(out + 4, s1);
    quad_store(out + 8, s2);
    quad_store(out + 12, s3);
}
TARGET static inline void less_four_quads(int k, const double *x, const double *v, double *out) {
    FOUR_PRODUCTS
    quad_store(out, quad_subtract(quad_load(out), s0));
    quad_store(out + 4, quad_subtract(quad_load(out + 4), s1));
    quad_store(out + 8, quad_subtract(quad_load(out + 8), s2));
    quad_store(out + 12, quad_subtract(quad_load(out + 12), s3));
}
/* Own quad q of a block: t <- L^-1 (t - sum of the columns before), v: the block's part of the
 * vector */
TARGET CAIRN_INLINE quad forward_own(int k, int q, const double *x, const double *v, quad t) {
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

/* y(row of a span) -= t, or t <- y: span by span, first row and number of rows */
TARGET static inline void less_spans(const cairn_spans *spans, const double *t, double *y) {
    for (int r = 0; r < spans->count; r++) {
        double *to = y + spans->span[2 * r];
        int length = spans->span[2 * r + 1], i = 0;
        for (; i + 4 <= length; i += 4)
            quad_store(to + i, quad_subtract(quad_load(to + i), quad_load(t + i)));
        for (; i < length; i++)
            to[i] -= t[i];
        t += length;
    }
}
TARGET static inline void load_spans(const cairn_spans *spans, const double *y, double *t) {
    for (int r = 0; r < spans->count; r++) {
        const double *from = y + spans->span[2 * r];
        int length = spans->span[2 * r + 1], i = 0;
        for (; i + 4 <= length; i += 4)
            quad_store(t + i, quad_load(from + i));
        for (; i < length; i++)
            t[i] = from[i];
        t += length;
    }
}

TARGET CAIRN_INLINE void forward_panel(int k, int below, const double *x, double *own, const cairn_spans *spans,
                                       double *y, double *v) {
    int q = 0, part = k % 4, i = 0;
    for (; q < k / 4; q++)
        quad_store(own + 4 * q, forward_own(k, q, x, own, quad_load(own + 4 * q)));
    if (part > 0)
        quad_store_part(own + 4 * q, forward_own(k, q, x, own, quad_load_part(own + 4 * q, part)), part);
    x += 4 * (int64_t)k * ((k + 3) / 4);
    for (; i + 16 <= below; i += 16, x += 16 * (int64_t)k)
        four_products(k, x, own, v + i);
    for (; i < below; i += 4, x += 4 * (int64_t)k)
        quad_store(v + i, product_quad(k, x, own));
    less_spans(spans, v, y);
}

/* One body and two: sizes that the compiler can see. */
TARGET static void kernel_forward_one(int k, int below, const double *x, double *own, const cairn_spans *spans,
                                      double *y, double *v) {
    if (k == 6)
        forward_panel(6, below, x, own, spans, y, v);
    else if (k == 12)
        forward_panel(12, below, x, own, spans, y, v);
    else
        forward_panel(k, below, x, own, spans, y, v);
}

/* sum(p) += x(q, p) v(q), p < k, for one quad and for four quads at once: four partial sums for
 * each p */
TARGET CAIRN_INLINE void more_quad(int k, const double *x, quad b, double *sum) {
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

/* Own quad q of a block: t <- U^-1 (t - sums) by its 4 x 4 corner; the sums of the columns
 * before take it in */
TARGET CAIRN_INLINE void backward_own(int k, int q, const double *x, quad t, double *sums, double out[4]) {
    const double *row = x + 4 * (int64_t)q * k, *u = row + 16 * (int64_t)q;
    const double *s = sums + 16 * q;
    int columns = k - 4 * q;
    quad all = quad_sums(quad_load(s), quad_load(s + 4), quad_load(s + 8), quad_load(s + 12));
    double own[4];
    quad_store(own, quad_subtract(t, all));
    double t3 = columns > 3 ? own[3] : 0.0, t2 = columns > 2 ? own[2] - u[11] * t3 : 0.0;
    double t1 = columns > 1 ? own[1] - u[6] * t2 - u[7] * t3 : 0.0, t0 = own[0] - u[1] * t1 - u[2] * t2 - u[3] * t3;
    out[0] = t0;
    out[1] = t1;
    out[2] = t2;
    out[3] = t3;
    if (q > 0) /* not read back from out: four small stores do not make one load */
        more_quad(4 * q, row, quad_set(t0, t1, t2, t3), sums);
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
            more_quad(k, x + q * stride, quad_load(v + c * ld + 4 * (int64_t)q), sums[c]);
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

/* sums of columns p .. p+3 over all quads, held in registers; the same operations as
 * more_four_quads and more_quad */
#define MORE_FOUR(j) \
    { \
        quad s = quad_more(quad_load(a + 4 * (j)), b0, s##j); \
        quad t = quad_multiply(quad_load(a + stride + 4 * (j)), b1); \
        s = quad_more(quad_load(a + 2 * stride + 4 * (j)), b2, s); \
        t = quad_more(quad_load(a + 3 * stride + 4 * (j)), b3, t); \
        s##j = quad_add(s, t); \
    }
TARGET CAIRN_INLINE void four_sums(int quads, const double *a, int64_t stride, const double *v, double *sums) {
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

TARGET CAIRN_INLINE void backward_panel(int k, int below, const double *x, const double *inverse, double *own,
                                        const cairn_spans *spans, const double *y, double *v) {
    double sums[4 * CAIRN_BLOCK_WIDTH + 16];
    int quads = (below + 3) / 4, whole = quads - quads % 4, q = (k + 3) / 4, part = k % 4;
    int64_t stride = 4 * (int64_t)k;
    const double *low = x + q * stride;
    load_spans(spans, y, v);
    for (int i = below; i < 4 * quads; i++)
        v[i] = 0.0;
    for (int p = 0; p < k - part; p += 4)
        four_sums(quads, low + 4 * p, stride, v, sums + 4 * p);
    for (int p = k - part; p < k; p++) {
        quad s = quad_zero();
        const double *a = low + 4 * p, *b = v;
        int r = 0;
        for (; r < whole; r += 4, a += 4 * stride, b += 16) {
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
    for (int p = k; p < 4 * q; p++)
        quad_store(sums + 4 * p, quad_zero());
    for (q--; q >= 0; q--) {
        double t[4];
        bool full = part == 0 || 4 * (q + 1) <= k;
        quad b = full ? quad_load(own + 4 * q) : quad_load_part(own + 4 * q, part);
        quad d = full ? quad_load(inverse + 4 * q) : quad_load_part(inverse + 4 * q, part);
        backward_own(k, q, x, quad_multiply(b, d), sums, t);
        for (int r = 0; r < 4 && 4 * q + r < k; r++)
            own[4 * q + r] = t[r];
    }
}

TARGET static void kernel_backward_one(int k, int below, const double *x, const double *inverse, double *own,
                                       const cairn_spans *spans, const double *y, double *v) {
    if (k == 6)
        backward_panel(6, below, x, inverse, own, spans, y, v);
    else if (k == 12)
        backward_panel(12, below, x, inverse, own, spans, y, v);
    else
        backward_panel(k, below, x, inverse, own, spans, y, v);
}
