/* Signs of pivots: +1 and -1 are demanded, 0 takes either: Newton's matrices under the exact Coulomb law are unsymmetric and their
 * symmetric part may be indefinite. */
#include "support/support.h"

#include "linalg/factor/factor.h"

TEST(any_sign) {
    cairn_context *context = plain_context(1);
    int start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
    double value[4] = {1.0, 4.0, 2.0, 3.0}; /* [1 2; 4 3]: pivots 1 and -5 */
    signed char both[2] = {1, 1}, any[2] = {0, 0};
    cairn_factor *factor = NULL;
    CHECK(cairn_factor_analyze(context, 2, start, index, 0, NULL, false, &factor) == CAIRN_OK);
    CHECK(cairn_factor_numeric(factor, value, both) == CAIRN_ERROR_NUMERICAL);
    CHECK(cairn_factor_numeric(factor, value, any) == CAIRN_OK);
    double x[2] = {5.0, 10.0}; /* [1 2; 4 3] (1, 2) */
    cairn_factor_solve(factor, x);
    CHECK_NEAR(x[0], 1.0, 1e-14);
    CHECK_NEAR(x[1], 2.0, 1e-14);
    value[3] = 8.0; /* singular */
    CHECK(cairn_factor_numeric(factor, value, any) == CAIRN_ERROR_NUMERICAL);
    cairn_factor_destroy(factor);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(any_sign);
    return test_end();
}
