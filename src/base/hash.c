/*
 * hash.c: a checksum of bytes: FNV-1a, 64 bits. Finds damage and tells things apart; it is no
 * protection against intent.
 */
#include "base/core.h"

#define PRIME UINT64_C(0x100000001b3)

uint64_t cairn_hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * PRIME;
    return hash;
}
