/*
 * kernel_avx2.c: the loops of kernel.h with AVX2 and fused multiply-add. Compiled into every x86-64
 * build by attributes of its functions, run only where the processor says that it can.
 */
#include "linalg/factor/kernel/kernel.h"

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

TARGET static inline quad quad_set(double a, double b, double c, double d) {
    return _mm256_set_pd(d, c, b, a);
}
TARGET static inline quad quad_sums(quad a, quad b, quad c, quad d) {
    quad ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d); /* a01 b01 a23 b23 */
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}
/* All bits set in the first count of four */
TARGET static inline __m256i first_lanes(int count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
}
TARGET static inline quad quad_load_part(const double *p, int count) {
    return _mm256_maskload_pd(p, first_lanes(count));
}
TARGET static inline void quad_store_part(double *p, quad a, int count) {
    _mm256_maskstore_pd(p, first_lanes(count), a);
}
#define quad_lane(a, j)  _mm256_permute4x64_pd(a, 0x55 * (j))
#define quad_after(a, j) _mm256_blend_pd(a, _mm256_setzero_pd(), (2 << (j)) - 1)

#include "linalg/factor/kernel/kernel_factor.h"

static const cairn_kernel kernel = KERNEL_TABLE("avx2");

const cairn_kernel *cairn_kernel_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernel : NULL;
}

#else

const cairn_kernel *cairn_kernel_avx2(void) {
    return NULL;
}

#endif
