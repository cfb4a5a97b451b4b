/* Sweeps over single unilateral rows of rigid bodies, which have code of their own, against those that colours lead through the general code. */
#include "support/support.h"

enum { BODIES = 12, N = 6 * BODIES, ROWS = 40 };

/* Bodies with full inertia blocks, rows between one or two of them, some soft, pushed together. empty: the first row has no entry that counts. */
static cairn_problem *make(cairn_context *context, test_random *r, bool empty) {
    static int hr[36 * BODIES], hc[36 * BODIES], dr[12 * ROWS], dc[12 * ROWS], start[BODIES + 1];
    static double hv[36 * BODIES], dv[12 * ROWS], k[N], b[ROWS], C[ROWS];
    static cairn_block block[ROWS];
    int h = 0, d = 0;
    for (int body = 0; body < BODIES; body++) {
        start[body + 1] = 6 * (body + 1);
        double mass = pow(10.0, 2.0 * test_random_signed(r));
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++, h++) {
                hr[h] = 6 * body + i;
                hc[h] = 6 * body + j;
                hv[h] = mass * (i == j ? 1.0 + i : 0.1);
            }
    }
    for (int row = 0; row < ROWS; row++) {
        int first = (int)(test_random_bits(r) % BODIES), second = (int)(test_random_bits(r) % BODIES);
        for (int side = 0; side < (first == second ? 1 : 2); side++)
            for (int i = 0; i < 6; i++, d++) {
                dr[d] = 6 * (side == 0 ? first : second) + i;
                dc[d] = row;
                dv[d] = empty && row == 0 ? 0.0 : test_random_signed(r);
            }
        b[row] = 0.3 * test_random_signed(r);
        C[row] = row % 5 == 0 && !(empty && row == 0) ? 0.05 : 0.0;
        block[row] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
    }
    if (empty)
        b[0] = 1.0;
    for (int i = 0; i < N; i++)
        k[i] = test_random_signed(r);
    cairn_problem_def def = cairn_default_problem_def();
    def.n = N;
    def.m = ROWS;
    def.k = k;
    def.b = b;
    def.C = C;
    def.blocks = ROWS;
    def.block = block;
    def.bodies = BODIES;
    def.body_start = start;
    def.H = (cairn_sparse){.rows = N, .cols = N, .entries = h, .row = hr, .col = hc, .value = hv};
    def.D = (cairn_sparse){.rows = N, .cols = ROWS, .entries = d, .row = dr, .col = dc, .value = dv};
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static void solve(cairn_context *context, const cairn_problem *problem, const char *method, double omega, bool colours,
                  double v[N]) {
    cairn_settings settings = cairn_default_settings(method);
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    settings.tolerance = 1e-11;
    settings.tolerance_plain = 0.0;
    settings.omega = omega;
    settings.colouring = colours;
    settings.max_iterations = 20000;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    CHECK(info.certificate.certified);
    memcpy(v, answer.v, N * sizeof *v);
    cairn_solver_destroy(solver);
}

TEST(rows_of_their_own_or_by_colours) {
    static const struct {
        const char *method;
        double omega;
    } way[] = {{"nncg", 1.0}, {"pgs", 1.0}, {"pgs", 1.3}};
    test_random r = {5};
    int pushed = 0;
    for (int trial = 0; trial < 12; trial++) {
        cairn_context *context = plain_context(1);
        cairn_problem *problem = make(context, &r, trial == 3);
        double v[N], w[N], most = 0.0, none[N];
        solve(context, problem, "ipm", 1.0, false, none);
        for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
            solve(context, problem, way[k].method, way[k].omega, false, v);
            solve(context, problem, way[k].method, way[k].omega, true, w);
            for (int i = 0; i < N; i++) {
                CHECK_NEAR(v[i], w[i], 1e-6);
                CHECK_NEAR(v[i], none[i], 1e-6);
                most = fmax(most, fabs(v[i]));
            }
        }
        pushed += most > 0.01;
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
    CHECK(pushed == 12);
}

int main(void) {
    RUN(rows_of_their_own_or_by_colours);
    return test_end();
}
