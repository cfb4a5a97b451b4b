/*
 * kernel_portable.c: the loops of kernel.h in plain C, two doubles at a time, and the choice of the
 * fastest kernel.
 */
#include "linalg/factor/kernel/kernel.h"

/* Two neighbouring doubles, added and multiplied one by one: what every 64-bit processor does in
 * one go. */
typedef double pair __attribute__((vector_size(16)));
typedef struct quad {
    pair low, high;
} quad;

#define TARGET
#define TILE_QUADS 1

static inline quad quad_load(const double *p) {
    return (quad){{p[0], p[1]}, {p[2], p[3]}};
}
static inline void quad_store(double *p, quad a) {
    p[0] = a.low[0];
    p[1] = a.low[1];
    p[2] = a.high[0];
    p[3] = a.high[1];
}
static inline quad quad_all(double a) {
    return (quad){{a, a}, {a, a}};
}
static inline quad quad_zero(void) {
    return quad_all(0.0);
}
static inline quad quad_add(quad a, quad b) {
    return (quad){a.low + b.low, a.high + b.high};
}
static inline quad quad_subtract(quad a, quad b) {
    return (quad){a.low - b.low, a.high - b.high};
}
static inline quad quad_multiply(quad a, quad b) {
    return (quad){a.low * b.low, a.high * b.high};
}
static inline quad quad_divide(quad a, quad b) {
    return (quad){a.low / b.low, a.high / b.high};
}
static inline quad quad_more(quad a, quad b, quad c) {
    return (quad){c.low + a.low * b.low, c.high + a.high * b.high};
}
static inline quad quad_less(quad a, quad b, quad c) {
    return (quad){c.low - a.low * b.low, c.high - a.high * b.high};
}
static inline double larger(double a, double most) {
    a = a < 0.0 ? -a : a;
    return a > most ? a : most;
}
static inline quad quad_largest(quad a, quad m) {
    return (quad){{larger(a.low[0], m.low[0]), larger(a.low[1], m.low[1])},
                  {larger(a.high[0], m.high[0]), larger(a.high[1], m.high[1])}};
}

static inline quad quad_lane(quad a, int j) {
    return quad_all(j < 2 ? a.low[j] : a.high[j - 2]);
}
static inline quad quad_after(quad a, int j) {
    return (quad){{0.0, j < 1 ? a.low[1] : 0.0}, {j < 2 ? a.high[0] : 0.0, j < 3 ? a.high[1] : 0.0}};
}
static inline quad quad_set(double a, double b, double c, double d) {
    return (quad){{a, b}, {c, d}};
}
static inline double sum_of(quad a) {
    return (a.low[0] + a.low[1]) + (a.high[0] + a.high[1]);
}
static inline quad quad_sums(quad a, quad b, quad c, quad d) {
    return quad_set(sum_of(a), sum_of(b), sum_of(c), sum_of(d));
}
static inline quad quad_load_part(const double *p, int count) {
    return quad_set(p[0], count > 1 ? p[1] : 0.0, count > 2 ? p[2] : 0.0, 0.0);
}
static inline void quad_store_part(double *p, quad a, int count) {
    p[0] = a.low[0];
    if (count > 1)
        p[1] = a.low[1];
    if (count > 2)
        p[2] = a.high[0];
}

#include "linalg/factor/kernel/kernel_factor.h"

const cairn_kernel cairn_kernel_portable = KERNEL_TABLE("portable");

const cairn_kernel *cairn_kernel_best(void) {
    const cairn_kernel *avx2 = cairn_kernel_avx2();
    return avx2 != NULL ? avx2 : &cairn_kernel_portable;
}
