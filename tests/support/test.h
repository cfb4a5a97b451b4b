/*
 * test.h: a small test harness. A test file is one program:
 *
 *     TEST(name) { CHECK(x == 1); CHECK_NEAR(a, b, 1e-12); }
 *     int main(void) { RUN(name); return test_end(); }
 *
 * A failed check prints file, line and values and lets the test go on. The last line is "N passed, N failed".
 */
#ifndef CAIRN_TEST_H
#define CAIRN_TEST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed_count, test_failed_count, test_skipped_count, test_bad_checks;

/* Under a sanitizer, where a test takes ten times as long: campaigns are cut there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

#define TEST(name) static void test_##name(void)

#define RUN(name) \
    do { \
        int before_ = test_bad_checks; \
        test_##name(); \
        if (test_bad_checks == before_) { \
            test_passed_count++; \
        } else { \
            test_failed_count++; \
            printf("FAILED %s\n", #name); \
        } \
    } while (0)

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            test_bad_checks++; \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        } \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance) \
    do { \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance); \
        if (!(fabs(actual_ - expected_) <= tolerance_)) { \
            test_bad_checks++; \
            printf("%s:%d: %s = %.17g, expected %.17g within %g\n", __FILE__, __LINE__, #actual, actual_, expected_, \
                   tolerance_); \
        } \
    } while (0)

/* The text must contain the part: error messages are part of the product. */
#define CHECK_CONTAINS(text, part) \
    do { \
        const char *text_ = (text); \
        if (text_ == NULL || strstr(text_, (part)) == NULL) { \
            test_bad_checks++; \
            printf("%s:%d: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, text_ ? text_ : "(null)", (part)); \
        } \
    } while (0)

#define SKIP(reason) \
    do { \
        test_skipped_count++; \
        printf("skipped: %s\n", (reason)); \
    } while (0)

static int test_end(void) {
    if (test_skipped_count > 0)
        printf("%d passed, %d failed, %d skipped\n", test_passed_count, test_failed_count, test_skipped_count);
    else
        printf("%d passed, %d failed\n", test_passed_count, test_failed_count);
    return test_failed_count == 0 ? 0 : 1;
}

/* Repeatable random numbers: splitmix64. */
typedef struct test_random {
    uint64_t state;
} test_random;
static inline uint64_t test_random_bits(test_random *r) {
    uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
static inline double test_random_unit(test_random *r) {
    return (double)(test_random_bits(r) >> 11) * 0x1p-53;
} /* [0, 1) */
static inline double test_random_signed(test_random *r) {
    return 2.0 * test_random_unit(r) - 1.0;
} /* [-1, 1) */

#endif
