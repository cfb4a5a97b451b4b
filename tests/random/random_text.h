/*
 * random_text.h: text that grows, and random numbers that are the same on every machine.
 */
#ifndef CAIRN_RANDOM_TEXT_H
#define CAIRN_RANDOM_TEXT_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct random_text {
    char *data; /* ends with 0; NULL when empty */
    size_t size, capacity;
    bool failed; /* no memory: what was put since is lost */
} random_text;

static inline void random_put(random_text *text, const char *format, ...) {
    for (int attempt = 0; attempt < 2 && !text->failed; attempt++) {
        va_list arguments;
        va_start(arguments, format);
        size_t room = text->capacity - text->size;
        int count = vsnprintf(text->data ? text->data + text->size : NULL, text->data ? room : 0, format, arguments);
        va_end(arguments);
        if (count >= 0 && text->data != NULL && (size_t)count < room) {
            text->size += (size_t)count;
            return;
        }
        size_t capacity = 2 * (text->capacity + (size_t)(count < 0 ? 0 : count) + 1000);
        char *data = realloc(text->data, capacity);
        text->failed = data == NULL || count < 0;
        if (data != NULL) {
            text->data = data;
            text->capacity = capacity;
        }
    }
}

static inline void random_put_numbers(random_text *text, const char *key, int count, const double *value) {
    random_put(text, "\"%s\": [", key);
    for (int i = 0; i < count; i++)
        random_put(text, "%s%.9g", i > 0 ? ", " : "", value[i]);
    random_put(text, "]");
}

/* splitmix64. While there are bytes, two of them make the next number instead of the state: so a fuzzer chooses. */
typedef struct random_bits {
    uint64_t state;
    const unsigned char *byte;
    size_t bytes; /* left */
} random_bits;

static inline uint64_t random_next(random_bits *bits) {
    uint64_t z = (bits->state += UINT64_C(0x9E3779B97F4A7C15));
    if (bits->bytes >= 2) {
        z = (uint64_t)bits->byte[0] << 8 | bits->byte[1];
        bits->byte += 2;
        bits->bytes -= 2;
    }
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
static inline double random_unit(random_bits *bits) { /* [0, 1) */
    return (double)(random_next(bits) >> 11) * 0x1p-53;
}
static inline double random_between(random_bits *bits, double low, double high) {
    return low + (high - low) * random_unit(bits);
}
static inline int random_below(random_bits *bits, int count) { /* 0 to count - 1 */
    return (int)(random_next(bits) % (uint64_t)count);
}
static inline bool random_chance(random_bits *bits, int percent) {
    return random_below(bits, 100) < percent;
}
/* low (high/low)^u for u of 12 binary digits: by square roots, which have the same bits everywhere, as pow has not. */
static inline double random_scale(random_bits *bits, double low, double high) {
    uint64_t digits = random_next(bits) >> 52;
    double factor = high / low, value = low;
    for (int i = 0; i < 12; i++) {
        factor = sqrt(factor);
        value = (digits >> (11 - i)) & 1 ? value * factor : value;
    }
    return value;
}
static inline void random_direction(random_bits *bits, int count, double *direction) {
    double square;
    do {
        square = 0;
        for (int i = 0; i < count; i++) {
            direction[i] = random_between(bits, -1, 1);
            square += direction[i] * direction[i];
        }
    } while (!(square <= 1 && square > 0.01));
    for (int i = 0; i < count; i++)
        direction[i] /= sqrt(square);
}

#endif
