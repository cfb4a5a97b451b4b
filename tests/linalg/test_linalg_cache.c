/*
 * test_linalg_cache.c: factors kept for the next matrix with the same pattern (src/linalg/factor/factor_cache.h).
 */
#include "support/test.h"

#include "linalg/factor/factor_cache.h"

#include <math.h>

/* Two patterns with the same counts in every column: what lies on the cache serves only its own. */
TEST(shelf_tells_patterns_apart) {
    static const int start[] = {0, 2, 4, 6, 8}, one[] = {0, 1, 0, 1, 2, 3, 2, 3}, other[] = {0, 2, 1, 3, 0, 2, 1, 3},
                     group[] = {0, 1, 2, 3, 4};
    static const double value_one[] = {2, 1, 1, 2, 2, 1, 1, 2}, value_other[] = {2, 1, 2, 1, 1, 2, 1, 2};
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    cairn_factor_cache cache = {{NULL}};
    cairn_factor *first = NULL, *second = NULL, *again = NULL;
    CHECK(cairn_factor_cache_analyze(&cache, context, 4, start, one, 4, group, true, SIZE_MAX, NULL, &first) ==
          CAIRN_OK);
    cairn_factor_cache_return(&cache, first);
    CHECK(cairn_factor_cache_analyze(&cache, context, 4, start, one, 4, group, true, SIZE_MAX, NULL, &again) ==
          CAIRN_OK);
    CHECK(again == first);
    CHECK(cairn_factor_numeric(again, value_one, NULL) == CAIRN_OK);
    cairn_factor_cache_return(&cache, again);
    CHECK(cairn_factor_cache_analyze(&cache, context, 4, start, other, 4, group, true, SIZE_MAX, NULL, &second) ==
          CAIRN_OK);
    CHECK(cairn_factor_numeric(second, value_other, NULL) == CAIRN_OK);
    double x[] = {3, 0, 3, 0};
    cairn_factor_solve(second, x); /* (2 1; 1 2) on rows 0 and 2 */
    CHECK(fabs(x[0] - 1.0) < 1e-15 && fabs(x[2] - 1.0) < 1e-15 && x[1] == 0.0 && x[3] == 0.0);
    cairn_factor_cache_return(&cache, second);
    cairn_factor_cache_empty(&cache);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(shelf_tells_patterns_apart);
    return test_end();
}
