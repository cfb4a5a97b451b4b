/*
 * The judge against answers known in closed form, its invariances, its refusals, its memory.
 */
#include "test_certificate_fixture.h"

static cairn_context *context;

static cairn_block cone(int dim, double mu) {
    return (cairn_block){.set = CAIRN_SET_CONE, .dim = dim, .mu = mu};
}

static cairn_certificate judged(dense_problem *dense, const double *v, const double *gamma, double tolerance) {
    cairn_certificate certificate = {.natural_map = NAN};
    cairn_problem *problem = build(context, dense);
    CHECK(problem != NULL);
    if (problem != NULL)
        CHECK(cairn_certify(problem, v, gamma, tolerance, &certificate, NULL, NULL) == CAIRN_OK);
    cairn_problem_destroy(problem);
    return certificate;
}

/* One contact on N = I, as a local problem or as a global one with H = D = I. */
static dense_problem *single_contact(bool local) {
    dense_problem *dense = new_dense();
    dense->n = local ? 0 : 3;
    dense->m = 3;
    dense->blocks = 1;
    dense->block[0] = cone(3, 0.5);
    for (int i = 0; i < 3; i++)
        dense->H[i][i] = dense->D[i][i] = 1.0;
    double r[3] = {-1.0, 2.0, 0.0};
    memcpy(local ? dense->b : dense->k, r, sizeof r);
    return dense;
}

TEST(exact_and_associated_answers_of_one_contact) {
    const double exact[3] = {1.0, -0.5, 0.0}, relaxed[3] = {1.6, -0.8, 0.0};
    for (int local = 0; local < 2; local++) {
        dense_problem *dense = single_contact(local != 0);
        cairn_certificate c = judged(dense, NULL, exact, 1e-15);
        CHECK(c.certified);
        CHECK_NEAR(c.natural_map, 0.0, 1e-16);
        CHECK_NEAR(c.worst_slip, 1.5, 1e-15);
        CHECK_NEAR(c.gap, 0.0, 1e-15);
        CHECK(c.worst_block == 0 && c.law == CAIRN_LAW_COULOMB && c.tolerance == 1e-15);
        c = judged(dense, NULL, relaxed, 1e-3);
        CHECK(!c.certified);
        CHECK_NEAR(c.worst_velocity, 0.5367, 5e-5);            /* n_i = 1: the residual itself, |(0.48, -0.24, 0)| */
        CHECK_NEAR(c.natural_map, 0.24, 1e-15);                /* relative to |r^| = sqrt(5) */
        CHECK_NEAR(c.natural_map_plain, c.natural_map, 1e-15); /* n_i = 1 */
        dense->law = CAIRN_LAW_ASSOCIATED;
        c = judged(dense, NULL, relaxed, 1e-15);
        CHECK(c.certified && c.law == CAIRN_LAW_ASSOCIATED);
        CHECK(!judged(dense, NULL, exact, 1e-3).certified);
        free(dense);
    }
}

TEST(three_exact_answers_are_all_accepted) {
    const double answer[3][2] = {{0.0, 0.0}, {0.5, -1.0}, {0.5 / 0.36, -0.76 / 0.36}};
    dense_problem *dense = new_dense();
    dense->m = 2;
    dense->blocks = 1;
    dense->block[0] = cone(2, 2.0);
    dense->H[0][0] = dense->H[1][1] = 1.0;
    dense->H[0][1] = dense->H[1][0] = 0.8;
    dense->b[0] = 0.3;
    dense->b[1] = 1.0;
    for (int i = 0; i < 3; i++) {
        dense->law = CAIRN_LAW_COULOMB;
        CHECK(judged(dense, NULL, answer[i], 1e-15).certified);
        dense->law = CAIRN_LAW_ASSOCIATED;
        CHECK(judged(dense, NULL, answer[i], 1e-15).certified == (i == 2));
        CHECK(i == 2 || judged(dense, NULL, answer[i], 1e-15).natural_map > 0.1);
    }
    free(dense);
}

/* Box of mass 2 at rest on four corners, h = 0.01: rows (normal, tangent, tangent) of corner r are
 * (direction, r x direction). */
static dense_problem *box_on_corners(void) {
    dense_problem *dense = new_dense();
    const double place[4][3] = {{0.3, 0.2, -0.1}, {-0.3, 0.2, -0.1}, {-0.3, -0.2, -0.1}, {0.3, -0.2, -0.1}};
    const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    const double mass[6] = {2, 2, 2, 0.05, 0.08, 0.1};
    dense->n = 6;
    dense->m = 12;
    dense->blocks = 4;
    for (int i = 0; i < 6; i++)
        dense->H[i][i] = mass[i];
    for (int c = 0; c < 4; c++) {
        dense->block[c] = cone(3, 0.4);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                dense->D[i][3 * c + a] = axis[a][i];
                dense->D[3 + i][3 * c + a] = place[c][j] * axis[a][k] - place[c][k] * axis[a][j];
            }
    }
    dense->k[2] = -2.0 * 9.81 * 0.01;
    return dense;
}

TEST(box_on_four_corners_has_many_answers) {
    dense_problem *dense = box_on_corners();
    double v[6] = {0}, gamma[12] = {0}, weight = -dense->k[2];
    for (int step = 0; step <= 4; step++) { /* 0: minimum norm m g/4; 4: two opposite corners carry all */
        double shift = 0.0625 * step;
        for (int c = 0; c < 4; c++)
            gamma[3 * c] = weight * (0.25 + (c % 2 == 0 ? shift : -shift));
        cairn_certificate c = judged(dense, v, gamma, 1e-15);
        CHECK(c.certified);
        CHECK_NEAR(c.cone, 0.0, 0.0);
    }
    gamma[0] = weight; /* the sum is right, the moment is not */
    gamma[3] = gamma[6] = gamma[9] = 0.0;
    CHECK(!judged(dense, NULL, gamma, 1e-3).certified);
    CHECK(judged(dense, v, gamma, 1e-3).momentum > 0.1);
    free(dense);
}

TEST(plain_formula_passes_a_light_body_and_the_scaled_one_does_not) {
    dense_problem *dense = new_dense();
    dense->n = dense->m = dense->blocks = 1;
    dense->block[0] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
    dense->H[0][0] = 1e-12;
    dense->D[0][0] = 1.0;
    dense->k[0] = -1e-12 * 0.0981;
    double right = 1e-12 * 0.0981, wrong = 10.0 * right;
    CHECK(judged(dense, NULL, &right, 1e-12).certified);
    cairn_certificate c = judged(dense, NULL, &wrong, 1e-8);
    CHECK(c.natural_map_plain < 2e-12);
    CHECK_NEAR(c.natural_map, 0.9, 1e-12);
    CHECK_NEAR(c.worst_velocity, 9.0 * 0.0981, 1e-12);
    CHECK(!c.certified);
    free(dense);
}

/* A body between two walls that close in on it: no answer exists, and impulses of any size leave each wall entering it
 * at 1 m/s. natural_map falls like 1/G; the slip of the worst block gives it away. */
TEST(huge_impulses_do_not_pass_where_no_answer_exists) {
    for (int local = 0; local < 2; local++) {
        dense_problem *dense = new_dense();
        dense->n = local ? 0 : 1;
        dense->m = dense->blocks = 2;
        dense->block[0] = dense->block[1] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        dense->H[0][0] = dense->D[0][0] = 1.0;
        dense->D[0][1] = -1.0;
        if (local) {
            dense->H[0][1] = dense->H[1][0] = -1.0;
            dense->H[1][1] = 1.0;
        }
        dense->b[0] = dense->b[1] = -1.0;
        const double huge[2] = {1e9, 1e9};
        cairn_certificate c = judged(dense, NULL, huge, 1e-8);
        CHECK_NEAR(c.natural_map, 1e-9, 1e-15);
        CHECK_NEAR(c.worst_velocity, 1.0, 1e-12);
        CHECK_NEAR(c.slip, 1.0, 1e-12);
        CHECK(!c.certified);
        CHECK(judged(dense, NULL, huge, 1.0).certified); /* asked for no more than that */
        for (double G = 1e14; G < 1e40; G *= 7.0) {      /* until no velocity is seen any more beside G */
            const double beyond[2] = {G, G};
            c = judged(dense, NULL, beyond, 1e-8);
            CHECK(!c.certified && c.worst_velocity > 0.5);
        }
        dense->b[0] = dense->b[1] = 0.0; /* walls at rest: the body is held, however tightly */
        CHECK(judged(dense, NULL, huge, 1e-8).certified);
        dense->b[0] = dense->b[1] = 1e-3; /* walls that withdraw: nothing holds it */
        CHECK(!judged(dense, NULL, huge, 1e-8).certified);
        free(dense);
    }
}

TEST(momentum_judges_the_velocity) {
    dense_problem *dense = box_on_corners();
    double v[6] = {0}, gamma[12] = {0};
    for (int c = 0; c < 4; c++)
        gamma[3 * c] = -dense->k[2] / 4;
    v[4] = 1e-3;
    cairn_certificate c = judged(dense, v, gamma, 1e-6);
    CHECK(!c.certified);
    CHECK(c.natural_map <= 1e-15);
    CHECK_NEAR(c.momentum, sqrt(0.08 * 1e-6) / sqrt(dense->k[2] * dense->k[2] / 2.0), 1e-12);
    v[4] = 0.0;
    CHECK(judged(dense, v, gamma, 1e-15).certified);
    free(dense);
}

/* A light plate under a heavy one, mass ratio 1e12 and 1e-12: impulses are the weights above. */
TEST(mass_ratio_of_1e12_is_read_to_rounding) {
    const double mass[3] = {1e6, 1e-6, 1e6};
    double gamma[3] = {0}, v[3] = {0}, above = 0.0;
    dense_problem *dense = new_dense();
    dense->n = dense->m = dense->blocks = dense->bodies = 3;
    for (int i = 2; i >= 0; i--) {
        dense->H[i][i] = mass[i];
        dense->k[i] = -mass[i] * 0.1;
        dense->D[i][i] = 1.0;
        if (i > 0)
            dense->D[i - 1][i] = -1.0;
        dense->block[i] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        above += mass[i] * 0.1;
        gamma[i] = above;
    }
    for (int i = 0; i <= 3; i++)
        dense->body_start[i] = i;
    cairn_certificate c = judged(dense, v, gamma, 1e-10);
    CHECK(c.natural_map < 1e-15);
    cairn_certificate brute = brute_certificate(dense, v, gamma);
    CHECK_NEAR(c.momentum, brute.momentum, 1e-17);
    CHECK_NEAR(c.natural_map, brute.natural_map, 1e-17);
    CHECK_NEAR(c.worst_velocity, brute.worst_velocity, 1e-12 * brute.worst_velocity);
    gamma[1] *= 1.0 + 1e-11;
    CHECK(judged(dense, v, gamma, 1e-10).natural_map > 1e-12);
    free(dense);
}

/* ---- invariance ---------------------------------------------------------------------------------------------- */

/* Two bodies, four blocks of different sets, coupled; with an impulse that is no answer. */
static dense_problem *mixed(double *v, double *gamma) {
    test_random random = {7};
    dense_problem *dense = new_dense();
    dense->n = 12;
    dense->m = 11;
    dense->blocks = 4;
    dense->block[0] = cone(3, 0.3);
    dense->block[1] = (cairn_block){.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.7, .cap = 0.4};
    dense->block[2] = (cairn_block){.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.2, .adhesion = 0.3};
    dense->block[3] = (cairn_block){.set = CAIRN_SET_BOX, .dim = 2, .lo = -0.2, .hi = 0.5};
    for (int i = 0; i < 12; i++) {
        dense->H[i][i] = 1.0 + test_random_unit(&random);
        dense->k[i] = test_random_signed(&random);
        v[i] = test_random_signed(&random);
        for (int j = 0; j < 11; j++)
            dense->D[i][j] = test_random_signed(&random);
    }
    for (int j = 0; j < 11; j++) {
        dense->b[j] = test_random_signed(&random);
        dense->C[j] = j < 9 ? 0.1 * (j / 3) : 0.05;
        gamma[j] = test_random_signed(&random);
    }
    return dense;
}

TEST(unit_of_mass_changes_nothing) {
    double v[12], gamma[11];
    dense_problem *dense = mixed(v, gamma);
    cairn_certificate before = judged(dense, v, gamma, 1e-8);
    const double unit = 1e6;
    for (int i = 0; i < 12; i++) {
        dense->k[i] *= unit;
        dense->H[i][i] *= unit;
    }
    for (int j = 0; j < 11; j++) {
        gamma[j] *= unit;
        dense->C[j] /= unit;
    }
    dense->block[1].cap *= unit;
    dense->block[2].adhesion *= unit;
    dense->block[3].lo *= unit;
    dense->block[3].hi *= unit;
    cairn_certificate after = judged(dense, v, gamma, 1e-8);
    CHECK(before.natural_map > 0.1 && before.momentum > 0.1);
    CHECK_NEAR(after.natural_map, before.natural_map, 1e-14);
    CHECK_NEAR(after.momentum, before.momentum, 1e-14);
    CHECK_NEAR(after.worst_velocity, before.worst_velocity, 1e-13);
    CHECK_NEAR(after.dual, before.dual, 1e-13);
    CHECK_NEAR(after.cone, before.cone * unit, 1e-13 * unit);
    CHECK_NEAR(after.gap, before.gap * unit, 1e-13 * unit);
    CHECK(after.worst_block == before.worst_block);
    CHECK(fabs(after.natural_map_plain - before.natural_map_plain) > 1e-3); /* the plain figure is not invariant */
    free(dense);
}

static void turn(double *x, double *y, double angle) {
    double kept = *x;
    *x = cos(angle) * kept - sin(angle) * *y;
    *y = sin(angle) * kept + cos(angle) * *y;
}

TEST(turning_the_tangents_changes_nothing) {
    double v[12], gamma[11];
    dense_problem *dense = mixed(v, gamma);
    cairn_certificate before = judged(dense, v, gamma, 1e-8);
    for (int c = 0; c < 3; c++) {
        double angle = 0.7 + c;
        turn(&gamma[3 * c + 1], &gamma[3 * c + 2], angle);
        turn(&dense->b[3 * c + 1], &dense->b[3 * c + 2], angle);
        for (int i = 0; i < 12; i++)
            turn(&dense->D[i][3 * c + 1], &dense->D[i][3 * c + 2], angle);
    }
    cairn_certificate after = judged(dense, v, gamma, 1e-8);
    CHECK_NEAR(after.natural_map, before.natural_map, 1e-14);
    CHECK_NEAR(after.natural_map_plain, before.natural_map_plain, 1e-14);
    CHECK_NEAR(after.momentum, before.momentum, 1e-14);
    CHECK_NEAR(after.worst_velocity, before.worst_velocity, 1e-13);
    CHECK_NEAR(after.cone, before.cone, 1e-14);
    CHECK_NEAR(after.gap, before.gap, 1e-13);
    CHECK_NEAR(after.dual, before.dual, 1e-13);
    CHECK_NEAR(after.worst_gap, before.worst_gap, 1e-13);
    CHECK_NEAR(after.worst_slip, before.worst_slip, 1e-13);
    CHECK(after.worst_block == before.worst_block);
    free(dense);
}

TEST(impulses_of_1e150_and_of_1e_minus_150) {
    for (int sign = -1; sign <= 1; sign += 2) {
        double unit = pow(10.0, 150.0 * sign);
        dense_problem *dense = single_contact(false);
        double exact[3] = {unit, -0.5 * unit, 0.0}, wrong[3] = {1.6 * unit, -0.8 * unit, 0.0};
        for (int i = 0; i < 3; i++)
            dense->k[i] *= unit;
        CHECK(judged(dense, NULL, exact, 1e-15).certified);
        cairn_certificate c = judged(dense, NULL, wrong, 1e-3);
        CHECK_NEAR(c.natural_map, 0.24, 1e-14);
        CHECK(!c.certified);
        for (int i = 0; i < 3; i++) { /* heavy or light as well: 1e300 kg in all */
            dense->H[i][i] = unit;
            dense->k[i] *= unit;
            exact[i] *= unit;
        }
        CHECK(judged(dense, NULL, exact, 1e-15).certified);
        free(dense);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

TEST(numbers_that_are_none_never_pass) {
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    dense_problem *dense = box_on_corners();
    cairn_problem *problem = build(context, dense);
    double v[6] = {0}, gamma[12] = {0}, u_out[12], v_out[6];
    for (int c = 0; c < 4; c++)
        gamma[3 * c] = -dense->k[2] / 4;
    for (int i = 0; i < 3; i++) {
        cairn_certificate c = {.certified = true};
        double kept = gamma[7];
        gamma[7] = bad[i];
        CHECK(cairn_certify(problem, v, gamma, 1e300, &c, u_out, v_out) == CAIRN_OK);
        CHECK(!c.certified && isinf(c.natural_map) && isinf(c.natural_map_plain) && isinf(c.momentum));
        CHECK(isinf(c.worst_velocity) && isinf(c.cone) && isinf(c.gap) && isinf(c.dual) && isinf(c.worst_gamma));
        CHECK(c.worst_block == 2 && isnan(u_out[0]) && isnan(v_out[0]));
        gamma[7] = kept;
        v[3] = bad[i];
        CHECK(cairn_certify(problem, v, gamma, INFINITY, &c, NULL, NULL) == CAIRN_OK);
        CHECK(!c.certified && isinf(c.natural_map) && isinf(c.momentum) && c.worst_block == 0);
        v[3] = 0.0;
    }
    cairn_problem_destroy(problem);
    free(dense);
}

static void project_to_nan(void *user, int dim, const double *x, double *projection) {
    (void)user;
    (void)x;
    for (int i = 0; i < dim; i++)
        projection[i] = NAN;
}

TEST(a_custom_set_that_returns_nan_never_passes) {
    const cairn_custom_set custom = {.project = project_to_nan};
    dense_problem *dense = single_contact(true);
    double gamma[3] = {0};
    dense->block[0] = (cairn_block){.set = CAIRN_SET_CUSTOM, .dim = 3, .custom = &custom};
    cairn_certificate c = judged(dense, NULL, gamma, INFINITY);
    CHECK(!c.certified && isinf(c.natural_map) && isinf(c.cone) && isinf(c.worst_velocity));
    free(dense);
}

TEST(nothing_over_nothing_is_nothing) {
    dense_problem *dense = single_contact(false);
    double zero[3] = {0};
    memset(dense->k, 0, sizeof dense->k);
    cairn_certificate c = judged(dense, zero, zero, 0.0);
    CHECK(c.certified && c.natural_map == 0.0 && c.momentum == 0.0 && c.natural_map_plain == 0.0);
    dense->block[0] = (cairn_block){.set = CAIRN_SET_BOX, .dim = 3, .lo = 1.0, .hi = 2.0};
    c = judged(dense, zero, zero, 1.0); /* 0 is not in the set: something over nothing */
    CHECK(!c.certified && isinf(c.natural_map));
    CHECK_NEAR(c.cone, sqrt(3.0), 1e-15);
    memset(dense->D, 0, sizeof dense->D); /* no mobility: n_i = 1 */
    dense->block[0] = cone(3, 0.5);
    dense->b[0] = -1.0;
    c = judged(dense, NULL, zero, 1e-8);
    CHECK(!c.certified);
    CHECK_NEAR(c.natural_map, 1.0, 1e-15);
    CHECK_NEAR(c.dual, 1.0, 1e-15);
    free(dense);
}

TEST(problem_without_constraints) {
    dense_problem *dense = single_contact(false);
    double v[3] = {-1.0, 2.0, 0.0};
    dense->m = dense->blocks = 0;
    cairn_certificate c = judged(dense, v, NULL, 1e-15);
    CHECK(c.certified && c.worst_block == -1 && c.natural_map == 0.0);
    v[1] = 2.1;
    CHECK(!judged(dense, v, NULL, 1e-3).certified);
    free(dense);
}

TEST(wrong_arguments_and_wrong_matrices) {
    dense_problem *dense = single_contact(false);
    cairn_problem *problem = build(context, dense);
    cairn_certificate c;
    cairn_judge *judge = NULL;
    double gamma[3] = {0};
    CHECK(cairn_certify(problem, NULL, NULL, 1e-8, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "gamma");
    CHECK(cairn_certify(problem, NULL, gamma, NAN, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_certify(problem, NULL, gamma, -1.0, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "tolerance");
    CHECK(cairn_certify(problem, NULL, gamma, 1e-8, NULL, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_judge_create(NULL, &judge) == CAIRN_ERROR_ARGUMENT && judge == NULL);
    cairn_judge_destroy(NULL);
    cairn_problem_destroy(problem);

    dense->H[0][1] = dense->H[1][0] = 2.0; /* positive diagonal, not positive definite */
    for (int sparse = 0; sparse < 2; sparse++) {
        dense->bodies = sparse ? 3 : 1;
        for (int i = 0; i <= 3; i++)
            dense->body_start[i] = sparse ? i : 3 * i;
        problem = build(context, dense);
        c.natural_map = 42.0;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &c, NULL, NULL) == CAIRN_ERROR_NUMERICAL);
        CHECK_CONTAINS(cairn_error_message(context), "not positive definite at row 1");
        CHECK(c.natural_map == 42.0);
        cairn_problem_destroy(problem);
    }
    free(dense);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

typedef struct counter {
    int calls, limit, alive; /* the limit-th call fails; 0: none */
} counter;

static void *count_allocate(void *user, size_t bytes) {
    counter *count = user;
    count->calls++;
    if (count->calls == count->limit)
        return NULL;
    count->alive++;
    return malloc(bytes);
}

static void count_release(void *user, void *memory) {
    counter *count = user;
    count->alive--;
    free(memory);
}

static cairn_context *counting_context(counter *count) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *made = NULL;
    def.allocate = count_allocate;
    def.release = count_release;
    def.allocator_user = count;
    CHECK(cairn_context_create(&def, &made) == CAIRN_OK);
    return made;
}

/* kind 0: dense bodies; 1: sparse H; 2: sparse and unsymmetric; 3: local. */
static dense_problem *memory_case(int kind) {
    double v[12], gamma[11];
    dense_problem *dense = mixed(v, gamma);
    if (kind == 1 || kind == 2) {
        dense->H[2][7] = 0.1;
        dense->H[7][2] = kind == 1 ? 0.1 : 0.0;
        dense->unsymmetric = kind == 2;
        dense->bodies = 2;
        dense->body_start[1] = 6;
        dense->body_start[2] = 12;
    }
    if (kind == 3)
        dense->n = 0;
    return dense;
}

TEST(every_failing_allocation_is_survived) {
    double gamma[11] = {0.5};
    for (int kind = 0; kind < 4; kind++) {
        counter count = {0, 0, 0};
        cairn_context *counting = counting_context(&count);
        dense_problem *dense = memory_case(kind);
        cairn_problem *problem = build(counting, dense);
        CHECK(problem != NULL);
        int alive = count.alive, failures = 0;
        cairn_status status = CAIRN_ERROR_MEMORY;
        while (problem != NULL && status != CAIRN_OK && failures < 1000) {
            cairn_certificate c;
            count.calls = 0;
            count.limit = ++failures;
            status = cairn_certify(problem, NULL, gamma, 1e-8, &c, NULL, NULL);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            CHECK(count.alive == alive);
        }
        CHECK(failures >= 3 && failures < 1000);
        cairn_problem_destroy(problem);
        cairn_context_destroy(counting);
        CHECK(count.alive == 0);
        free(dense);
    }
}

/* H^-1 k and r^ are kept between runs: new k alone, new b alone, and the old ones again must be read as a fresh judge does. */
TEST(a_judge_keeps_free_motion_only_while_k_and_b_stay) {
    dense_problem *dense = memory_case(0);
    cairn_problem *problem = build(context, dense);
    cairn_judge *judge = NULL;
    double gamma[11] = {0.5, 0.1, -0.3, 0.2}, k[MAX_ROWS] = {0}, b[MAX_ROWS] = {0};
    memcpy(k, dense->k, sizeof k);
    memcpy(b, dense->b, sizeof b);
    CHECK(dense->n > 0 && cairn_judge_create(problem, &judge) == CAIRN_OK);
    for (int change = 0; change < 4; change++) {
        cairn_certificate kept, fresh;
        k[0] += change == 1 ? 3.0 : change == 3 ? -3.0 : 0.0;
        b[0] += change == 2 ? -50.0 : change == 3 ? 50.0 : 0.0; /* less than 0: r^ is larger than u */
        CHECK(cairn_problem_set_vectors(problem, k, b) == CAIRN_OK);
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &kept, NULL, NULL) == CAIRN_OK);
        CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &fresh, NULL, NULL) == CAIRN_OK);
        CHECK(kept.natural_map == fresh.natural_map && kept.slip == fresh.slip && kept.momentum == fresh.momentum);
    }
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
    free(dense);
}

TEST(a_judge_runs_without_memory_and_reads_new_data) {
    for (int kind = 0; kind < 4; kind++) {
        counter count = {0, 0, 0};
        cairn_context *counting = counting_context(&count);
        dense_problem *dense = memory_case(kind);
        cairn_problem *problem = build(counting, dense);
        cairn_judge *judge = NULL;
        cairn_certificate first, second, fresh;
        double gamma[11] = {0.5, 0.1, -0.3, 0.2}, u_out[11], u_fresh[11];
        CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
        int calls = count.calls;
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &first, NULL, NULL) == CAIRN_OK);
        for (int i = 0; i < MAX_ROWS; i++)
            dense->k[i] = dense->b[i] = 0.3 * i;
        dense->block[0].mu = 0.9;
        dense->law = CAIRN_LAW_ASSOCIATED;
        CHECK(cairn_problem_set_vectors(problem, dense->n > 0 ? dense->k : NULL, dense->b) == CAIRN_OK);
        CHECK(cairn_problem_set_block(problem, 0, &dense->block[0]) == CAIRN_OK);
        CHECK(cairn_problem_set_law(problem, dense->law) == CAIRN_OK);
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &second, u_out, NULL) == CAIRN_OK);
        CHECK(count.calls == calls);
        cairn_judge_destroy(judge);
        cairn_problem_destroy(problem);
        problem = build(counting, dense);
        CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &fresh, u_fresh, NULL) == CAIRN_OK);
        CHECK(second.natural_map == fresh.natural_map && second.gap == fresh.gap && second.law == fresh.law);
        CHECK(memcmp(u_out, u_fresh, sizeof u_out) == 0);
        CHECK(second.natural_map != first.natural_map);
        cairn_problem_destroy(problem);
        cairn_context_destroy(counting);
        CHECK(count.alive == 0);
        free(dense);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    RUN(exact_and_associated_answers_of_one_contact);
    RUN(three_exact_answers_are_all_accepted);
    RUN(box_on_four_corners_has_many_answers);
    RUN(plain_formula_passes_a_light_body_and_the_scaled_one_does_not);
    RUN(huge_impulses_do_not_pass_where_no_answer_exists);
    RUN(momentum_judges_the_velocity);
    RUN(mass_ratio_of_1e12_is_read_to_rounding);
    RUN(unit_of_mass_changes_nothing);
    RUN(turning_the_tangents_changes_nothing);
    RUN(impulses_of_1e150_and_of_1e_minus_150);
    RUN(numbers_that_are_none_never_pass);
    RUN(a_custom_set_that_returns_nan_never_passes);
    RUN(nothing_over_nothing_is_nothing);
    RUN(problem_without_constraints);
    RUN(wrong_arguments_and_wrong_matrices);
    RUN(every_failing_allocation_is_survived);
    RUN(a_judge_keeps_free_motion_only_while_k_and_b_stay);
    RUN(a_judge_runs_without_memory_and_reads_new_data);
    cairn_context_destroy(context);
    return test_end();
}
