/*
 * test_solve_poly.c: problems with polyhedral cones: methods agree under both laws, many directions approach the round cone, the
 * plane is exact, a change of cone needs a new load.
 */
#include "support/support.h"

static const char *const methods[] = {"auto",   "nsn", "padmm", "fadmm",       "splitmetric",
                                      "jacobi", "pgs", "spg",   "primal-admm", "apgd"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static cairn_context *context;

static cairn_problem *sample(const char *name, int count, double mu, cairn_law law) {
    cairn_sample_def def = cairn_default_sample_def(name);
    def.mu = mu;
    def.law = law;
    def.count = count;
    def.layers = 3;
    def.place = 1;
    def.kick = 1.0;
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* One sphere of mass 1 that slides on a plane; u^ = (-1, cos angle, sin angle). */
static cairn_problem *slider(double mu, double angle, double speed, cairn_law law) {
    double N[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1.0, speed * cos(angle), speed * sin(angle)};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = mu};
    return local_problem(context, 3, N, b, 1, &block, law);
}

static cairn_info solve(const char *method, const cairn_problem *problem, double tolerance, double *gamma, double *u) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    size_t bytes = (size_t)cairn_problem_get(problem).m * sizeof(double);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    CHECK(info.outcome == CAIRN_SOLVED);
    if (info.outcome != CAIRN_SOLVED)
        printf("%s: %s, natural map %.2g; %s\n", method, cairn_outcome_name(info.outcome), info.certificate.natural_map,
               info.note);
    if (answer.gamma != NULL && gamma != NULL)
        memcpy(gamma, answer.gamma, bytes);
    if (answer.u != NULL && u != NULL)
        memcpy(u, answer.u, bytes);
    cairn_solver_destroy(solver);
    return info;
}

/* On one contact with N = I: the exact answer is the resolvent, friction at the corner nearest to -u. */
TEST(one_sliding_contact) {
    cairn_problem *problem = slider(0.5, 0.1, 5.0, CAIRN_LAW_COULOMB);
    CHECK(cairn_problem_set_cone(problem, 8) == CAIRN_OK);
    for (int m = 0; m < METHODS; m++) {
        double gamma[3], u[3];
        if (strcmp(methods[m], "nsn") == 0 || strcmp(methods[m], "primal-admm") == 0) /* global form only */
            continue;
        cairn_info info = solve(methods[m], problem, 1e-10, gamma, u);
        /* -u points to angle pi + 0.1 and lies beyond the strip of the edge from pi to 5 pi/4: the corner at pi */
        CHECK_NEAR(gamma[0], 1.0, 1e-9);
        CHECK_NEAR(gamma[1], -0.5, 1e-9);
        CHECK_NEAR(gamma[2], 0.0, 1e-9);
        CHECK(info.certificate.directions == 8 && info.certificate.law == CAIRN_LAW_COULOMB);
        CHECK(info.certificate.natural_map_round > 0.005);
    }
    cairn_problem_destroy(problem);
}

/* Under the exact law these change the heap of spheres by the same 5e-7 to 1e-6 m/s in every iteration, for thousands of them, as on a face of the cones that
 * holds no answer; the others get to answers. */
static bool drifts(const char *method) {
    return strcmp(method, "padmm") == 0 || strcmp(method, "splitmetric") == 0 || strcmp(method, "pgs") == 0;
}

/* Velocities are unique under the associated law; the exact law may have several answers, each certified. */
TEST(methods_agree) {
    static const char *const name[] = {"cairn", "wall", "spheres", "chain"};
    static const int count[] = {6, 4, 27, 4};
    for (int s = 0; s < 4; s++)
        for (int law = 0; law < 2; law++) {
            cairn_problem *problem = sample(name[s], count[s], 0.4, law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB);
            CHECK(cairn_problem_set_cone(problem, 6) == CAIRN_OK);
            int m = cairn_problem_get(problem).m;
            double *first = calloc((size_t)m, sizeof *first), *u = calloc((size_t)m, sizeof *u);
            for (int k = 0; k < (s < 3 ? METHODS : 3); k++) { /* the chain's masses are not for baselines */
                double tolerance = law == 1 ? 1e-8 : s == 2 && drifts(methods[k]) ? 1e-5 : 1e-6;
                cairn_info info = solve(methods[k], problem, tolerance, NULL, k == 0 ? first : u);
                CHECK(info.certificate.directions == 6);
                for (int j = 0; j < m && k > 0 && law == 1; j++)
                    CHECK_NEAR(u[j], first[j], 1e-5);
            }
            free(first);
            free(u);
            cairn_problem_destroy(problem);
        }
}

/* Friction of a sliding contact is off by at most pi/N in direction, the dissipated power by 1/N^2. */
TEST(many_directions_approach_the_round_cone) {
    double round_gamma[3], round_u[3], gamma[3], u[3], worst_power = 0.0, worst_direction = 0.0;
    for (int law = 0; law < 2; law++)
        for (int trial = 0; trial < 7; trial++) {
            cairn_problem *problem = slider(0.5, 0.9 * trial, 2.0, law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB);
            cairn_info info = solve("padmm", problem, 1e-12, round_gamma, round_u);
            CHECK(info.certificate.directions == 0);
            CHECK(info.certificate.natural_map_round == info.certificate.natural_map);
            double round_power = -(round_u[1] * round_gamma[1] + round_u[2] * round_gamma[2]);
            for (int n = 4; n <= 64; n *= 2) {
                CHECK(cairn_problem_set_cone(problem, n) == CAIRN_OK);
                info = solve("padmm", problem, 1e-12, gamma, u);
                double power = -(u[1] * gamma[1] + u[2] * gamma[2]);
                double off = hypot(gamma[1] - round_gamma[1], gamma[2] - round_gamma[2]);
                worst_power = fmax(worst_power, n * n * fabs(power - round_power));
                worst_direction = fmax(worst_direction, n * off);
                CHECK(n * info.certificate.natural_map_round < 2.0);
            }
            cairn_problem_destroy(problem);
        }
    printf("N^2 |power - round| <= %.2f, N |gamma_T - round| <= %.2f\n", worst_power, worst_direction);
    CHECK(worst_power < 8.0);
    CHECK(worst_direction < 3.0);
}

TEST(the_plane_is_exact) {
    double N[4] = {2.0, 0.3, 0.3, 1.0}, b[2] = {-1.0, 3.0}, gamma[2], other[2];
    for (int law = 0; law < 2; law++) {
        cairn_block block = {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.7};
        cairn_problem *problem = local_problem(context, 2, N, b, 1, &block,
                                               law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB);
        solve("padmm", problem, 1e-12, gamma, NULL);
        CHECK(cairn_problem_set_cone(problem, 64) == CAIRN_OK);
        CHECK(cairn_problem_get(problem).block[0].directions == 2);
        cairn_info info = solve("padmm", problem, 1e-12, other, NULL);
        for (size_t j = 0; j < sizeof gamma / sizeof *gamma; j++)
            CHECK_NEAR(gamma[j], other[j], 1e-12);
        CHECK_NEAR(info.certificate.natural_map_round, info.certificate.natural_map, 1e-18);
        cairn_problem_destroy(problem);
    }
}

TEST(a_change_of_cone_needs_a_load) {
    cairn_problem *problem = sample("stack", 3, 0.5, CAIRN_LAW_COULOMB);
    cairn_settings settings = cairn_default_settings("padmm");
    cairn_solver *solver = NULL;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_problem_set_cone(problem, 6) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, NULL, NULL) == CAIRN_ERROR_STATE);
    CHECK_CONTAINS(cairn_error_message(context), "load it again");
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, NULL, NULL) == CAIRN_OK);
    static const int bad[] = {-2, 1, 2, 3, 5, 129, 130};
    for (int i = 0; i < 7; i++) {
        CHECK(cairn_problem_set_cone(problem, bad[i]) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(cairn_error_message(context), "even number from 4 to 128");
    }
    CHECK(cairn_problem_get(problem).block[0].set == CAIRN_SET_POLY_CONE);
    CHECK(cairn_problem_set_cone(problem, 0) == CAIRN_OK);
    CHECK(cairn_problem_get(problem).block[0].set == CAIRN_SET_CONE);
    CHECK(cairn_problem_set_cone(NULL, 4) == CAIRN_ERROR_ARGUMENT);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
}

int main(void) {
    context = plain_context(1);
    RUN(one_sliding_contact);
    RUN(methods_agree);
    RUN(many_directions_approach_the_round_cone);
    RUN(the_plane_is_exact);
    RUN(a_change_of_cone_needs_a_load);
    cairn_context_destroy(context);
    return test_end();
}
