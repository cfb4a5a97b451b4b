/*
 * halves.h: two doubles in eight bytes: sign, exponent and the first 20 bits of the fraction of each, rounded.
 *
 * For loops that wait for memory and need six digits: one load gives two vectors of doubles, for one instruction each. All of double's range is kept.
 * Relative error at most 2^-21. Not for numbers that are not finite, nor within 2^-21 of the largest one.
 */
#ifndef CAIRN_BASE_HALVES_H
#define CAIRN_BASE_HALVES_H

#include "core.h"

#include <stdint.h>
#include <string.h>

typedef long long cairn_halves __attribute__((vector_size(32)));
typedef double cairn_quad __attribute__((vector_size(32)));
typedef long long cairn_loose_halves __attribute__((vector_size(32), aligned(8), may_alias));

#define CAIRN_HALVES_FIRST(w)  ((cairn_quad)((w) & ~0xffffffffLL))
#define CAIRN_HALVES_SECOND(w) ((cairn_quad)((w) << 32))

/* Sign, exponent and 20 bits of x, in the upper half. */
CAIRN_INLINE uint64_t cairn_half(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0x80000000U) & ~(uint64_t)0xffffffffU;
}

/* to (4 quads / 2, rounded up, words) = the quads of from (4 quads), two by two; an odd last one has zeros beside it. */
CAIRN_INLINE void cairn_halves_pack(const double *from, size_t quads, uint64_t *to) {
    for (size_t q = 0; q < quads; q += 2)
        for (size_t l = 0; l < 4; l++)
            *to++ = cairn_half(from[4 * q + l]) | (q + 1 < quads ? cairn_half(from[4 * q + 4 + l]) >> 32 : 0);
}

/* Words for so many quads. */
CAIRN_INLINE size_t cairn_halves_size(size_t quads) {
    return 4 * ((quads + 1) / 2);
}

/* Quad q of packed or plain ones; q should be known when compiled. */
#define CAIRN_QUAD_AT(at, packed, q) \
    ((packed) \
         ? ((q) % 2 == 0 ? CAIRN_HALVES_FIRST(*(const cairn_loose_halves *)((const uint64_t *)(at) + 4 * ((q) / 2))) \
                         : CAIRN_HALVES_SECOND(*(const cairn_loose_halves *)((const uint64_t *)(at) + 4 * ((q) / 2)))) \
         : (cairn_quad) * (const cairn_loose_quad *)((const double *)(at) + 4 * (q)))

typedef double cairn_loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

#endif
