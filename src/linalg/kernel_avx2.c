/*
 * kernel_avx2.c: the loops of kernel.h with AVX2 and fused multiply-add. Compiled into every x86-64 build by
 * attributes of its functions, run only where the processor says that it can.
 */
#include "kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define TARGET     __attribute__((target("avx2,fma")))
#define TILE_QUADS 3

typedef __m256d quad;

TARGET static inline quad quad_load(const double *p) {
    return _mm256_loadu_pd(p);
}
TARGET static inline void quad_store(double *p, quad a) {
    _mm256_storeu_pd(p, a);
}
TARGET static inline quad quad_all(double a) {
    return _mm256_set1_pd(a);
}
TARGET static inline quad quad_zero(void) {
    return _mm256_setzero_pd();
}
TARGET static inline quad quad_add(quad a, quad b) {
    return _mm256_add_pd(a, b);
}
TARGET static inline quad quad_subtract(quad a, quad b) {
    return _mm256_sub_pd(a, b);
}
TARGET static inline quad quad_multiply(quad a, quad b) {
    return _mm256_mul_pd(a, b);
}
TARGET static inline quad quad_divide(quad a, quad b) {
    return _mm256_div_pd(a, b);
}
TARGET static inline quad quad_more(quad a, quad b, quad c) {
    return _mm256_fmadd_pd(a, b, c);
}
TARGET static inline quad quad_less(quad a, quad b, quad c) {
    return _mm256_fnmadd_pd(a, b, c);
}
TARGET static inline quad quad_largest(quad a, quad m) {
    return _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a), m);
}

#include "kernel_body.h"

static const cairn_kernel kernel = KERNEL_TABLE("avx2");

const cairn_kernel *cairn_kernel_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernel : NULL;
}

#else

const cairn_kernel *cairn_kernel_avx2(void) {
    return NULL;
}

#endif
