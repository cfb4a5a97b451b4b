/* Contacts from step to step by splitting in a metric that knows them (solve/admm/contact_metric.c): a pusher held by joints drives a row of boxes over a floor. */
#include "support/support.h"

#include "solve/admm/contact_metric.h"

enum { BOXES = 4, BODIES = BOXES + 1, N = 6 * BODIES, CONTACTS = 4 * BOXES + 2 * BOXES, M = 3 * CONTACTS + 6 };

typedef struct arrays {
    int hr[N], hc[N], dr[40 * CONTACTS], dc[40 * CONTACTS], start[BODIES + 1], d;
    double hv[N], dv[40 * CONTACTS], k[N], b[M];
    cairn_block block[CONTACTS + 1];
} arrays;

/* Row `row` gets sign times the velocity of body's point at arm in direction axis. */
static void add_side(arrays *a, int row, int body, double sign, const double arm[3], const double axis[3]) {
    double turn[3] = {arm[1] * axis[2] - arm[2] * axis[1], arm[2] * axis[0] - arm[0] * axis[2],
                      arm[0] * axis[1] - arm[1] * axis[0]};
    for (int i = 0; i < 6; i++) {
        a->dr[a->d] = 6 * body + i;
        a->dc[a->d] = row;
        a->dv[a->d++] = sign * (i < 3 ? axis[i] : turn[i - 3]);
    }
}

/* A contact between body (its point at arm) and behind (-1: the floor; the point at other), normal along axis `normal` of the world. */
static void add_contact(arrays *a, int at, int behind, const double other[3], int body, const double arm[3], int normal,
                        double mu) {
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[(normal + i) % 3] = 1.0;
        add_side(a, 3 * at + i, body, 1.0, arm, axis);
        if (behind >= 0)
            add_side(a, 3 * at + i, behind, -1.0, other, axis);
    }
    a->block[at] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = mu};
}

/* One step of 0.01 s: velocities v before it (N), the pusher driven at `speed`. */
static cairn_problem *make(cairn_context *context, const double *v, double speed, double mu) {
    static arrays a;
    const double half = 0.2;
    int at = 0;
    memset(&a, 0, sizeof a);
    for (int i = 0; i < N; i++) {
        double mass = i < 6 ? 5.0 : 10.0 + i / 6;
        a.hr[i] = a.hc[i] = i;
        a.hv[i] = i % 6 < 3 ? mass : 0.03 * mass;
        a.k[i] = a.hv[i] * (v != NULL ? v[i] : 0.0) - (i % 6 == 2 ? 0.01 * 9.81 * mass : 0.0);
        a.start[i / 6 + 1] = 6 * (i / 6 + 1);
    }
    for (int box = 1; box <= BOXES; box++) {
        for (int c = 0; c < 4; c++, at++) {
            double arm[3] = {c % 2 == 0 ? half : -half, c / 2 == 0 ? half : -half, -half};
            add_contact(&a, at, -1, NULL, box, arm, 2, mu);
        }
        for (int c = 0; c < 2; c++, at++) {
            double y = c == 0 ? 0.15 : -0.12, arm[3] = {-half, y, 0.02 * box}, other[3] = {half, y, 0.02 * box};
            add_contact(&a, at, box - 1, other, box, arm, 0, 0.5 * mu);
        }
    }
    a.block[CONTACTS] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 6};
    for (int i = 0; i < 6; i++) {
        a.dr[a.d] = i;
        a.dc[a.d] = 3 * CONTACTS + i;
        a.dv[a.d++] = 1.0;
    }
    a.b[3 * CONTACTS] = -speed;
    cairn_problem_def def = cairn_default_problem_def();
    def.law = CAIRN_LAW_COULOMB;
    def.n = N;
    def.m = M;
    def.k = a.k;
    def.b = a.b;
    def.blocks = CONTACTS + 1;
    def.block = a.block;
    def.bodies = BODIES;
    def.body_start = a.start;
    def.H = (cairn_sparse){.rows = N, .cols = N, .entries = N, .row = a.hr, .col = a.hc, .value = a.hv};
    def.D = (cairn_sparse){.rows = N, .cols = M, .entries = a.d, .row = a.dr, .col = a.dc, .value = a.dv};
    cairn_problem *problem = NULL;
    cairn_problem_create(context, &def, &problem);
    return problem;
}

/* Solves from a guess (NULL: none); v (N) and gamma (M) become the answer's. */
static cairn_status solve(cairn_context *context, cairn_problem *problem, const cairn_guess *guess, double *v,
                          double *gamma, cairn_info *info) {
    cairn_settings settings = cairn_default_settings("auto");
    settings.tolerance = 1e-6;
    settings.tolerance_velocity = 1e-4;
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_status status = cairn_solver_create(context, &settings, &solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(solver, problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, guess, &answer, info);
    if (status == CAIRN_OK) {
        memcpy(v, answer.v, N * sizeof *v);
        memcpy(gamma, answer.gamma, M * sizeof *gamma);
    }
    cairn_solver_destroy(solver);
    return status;
}

/* Steps in which the pusher is sped up and slowed down: each from the answer of the one before, compared with a cold start. */
TEST(small_changes_take_two_factorisations) {
    cairn_context *context = plain_context(1);
    double v[N] = {0}, gamma[M], cold_v[N], cold_gamma[M];
    int tracked = 0;
    for (int step = 0; step < 40; step++) {
        cairn_problem *problem = make(context, step > 0 ? v : NULL, 0.5 + 0.03 * sin(0.3 * step), 0.4);
        cairn_info info, cold;
        cairn_guess guess = {.gamma = gamma, .v = v};
        CHECK(problem != NULL);
        CHECK(solve(context, problem, NULL, cold_v, cold_gamma, &cold) == CAIRN_OK && cold.certificate.certified);
        if (step == 0) {
            memcpy(v, cold_v, sizeof v);
            memcpy(gamma, cold_gamma, sizeof gamma);
        } else {
            CHECK(solve(context, problem, &guess, v, gamma, &info) == CAIRN_OK && info.certificate.certified);
            CHECK(info.certificate.error <= 1e-4);
            tracked += info.iterations <= 15 && info.factorizations <= 2;
            for (int i = 0; i < N; i++)
                CHECK_NEAR(v[i], cold_v[i], 1e-3);
        }
        cairn_problem_destroy(problem);
    }
    CHECK(tracked >= 35);
    cairn_context_destroy(context);
}

/* What is no small change goes on to the interior point, and guesses that are nonsense do no harm. */
TEST(large_changes_are_left_to_others) {
    cairn_context *context = plain_context(1);
    test_random r = {3};
    double v[N], gamma[M], moved[N], odd[M], far[N];
    cairn_info info;
    cairn_problem *rest = make(context, NULL, 0.5, 0.4);
    CHECK(solve(context, rest, NULL, v, gamma, &info) == CAIRN_OK && info.certificate.certified);
    for (int i = 0; i < N; i++)
        moved[i] = v[i] + (i < 6 ? 0.0 : 2.0 * test_random_signed(&r));
    cairn_problem *hit = make(context, moved, -0.5, 0.4);
    cairn_guess guess = {.gamma = gamma, .v = v};
    CHECK(solve(context, hit, &guess, far, odd, &info) == CAIRN_OK && info.certificate.certified);
    CHECK_CONTAINS(info.note, "from the last step");
    CHECK_CONTAINS(info.note, "interior point");
    for (int trial = 0; trial < 8; trial++) {
        double size = pow(10.0, 2.0 * trial - 6.0);
        for (int i = 0; i < N; i++)
            far[i] = size * test_random_signed(&r);
        for (int j = 0; j < M; j++)
            odd[j] = (trial % 2 == 0 ? size : 1.0) * test_random_signed(&r);
        cairn_guess nonsense = {.gamma = odd, .v = far};
        CHECK(solve(context, rest, &nonsense, moved, odd, &info) == CAIRN_OK && info.certificate.certified);
    }
    cairn_problem_destroy(hit);
    cairn_problem_destroy(rest);
    cairn_context_destroy(context);
}

/* Without friction the disc is a point; a pusher that parts from the boxes leaves contacts open. */
TEST(no_friction_and_open_contacts) {
    cairn_context *context = plain_context(1);
    double v[N], gamma[M];
    cairn_info info;
    for (int mode = 0; mode < 2; mode++) {
        for (int step = 0; step < 6; step++) {
            cairn_problem *problem = make(context, step > 0 ? v : NULL, mode == 0 ? 0.5 : 0.5 - 0.2 * step,
                                          mode == 0 ? 0.0 : 0.6);
            cairn_guess guess = {.gamma = gamma, .v = v};
            CHECK(solve(context, problem, step > 0 ? &guess : NULL, v, gamma, &info) == CAIRN_OK);
            CHECK(info.certificate.certified);
            cairn_problem_destroy(problem);
        }
        CHECK(mode == 0 || gamma[12] < 1e-6); /* the first contact with the pusher */
    }
    cairn_context_destroy(context);
}

/* A heap of spheres with much friction. */
static cairn_problem *make_heap(cairn_context *context, int count) {
    cairn_sample_def def = cairn_default_sample_def("spheres");
    cairn_problem *problem = NULL;
    def.count = count;
    def.mu = 0.6;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* It jams the interior point; splitting in the contacts' own metric leads on from there. By auto sweeps alone go on where conjugate directions do not, and nothing is factored. */
TEST(heaps_that_jam) {
    static const struct {
        const char *method, *note;
        int count, most;
    } cases[] = {{"ipm", "splitting that knows the contacts", 150, 75}, /* 41 factorisations; 133 without it */
                 {"auto", "plain sweeps", 200, 0}};                     /* 49 without them */
    for (int i = 0; i < 2; i++) {
        cairn_context *context = plain_context(1);
        cairn_problem *problem = make_heap(context, cases[i].count);
        cairn_settings settings = cairn_default_settings(cases[i].method);
        cairn_solver *solver = NULL;
        cairn_info info;
        settings.tolerance = 1e-6;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
        CHECK(info.certificate.certified && info.certificate.relative <= 1e-6);
        CHECK_CONTAINS(info.note, cases[i].note);
        CHECK(info.factorizations <= cases[i].most);
        cairn_solver_destroy(solver);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
}

/* The stage takes its memory when it is reached: a heap for which there is none left then. */
TEST(memory_that_is_lacking_late) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    cairn_settings settings = cairn_default_settings("ipm");
    cairn_problem *problem = make_heap(context, 150);
    settings.tolerance = 1e-6;
    for (int trial = 0, taken = 0; trial < 2; trial++) {
        cairn_solver *solver = NULL;
        cairn_info info;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        int before = allocator.allocations;
        allocator.fail_at = trial == 0 ? -1 : before + taken - 1; /* the last one of the first trial */
        cairn_status status = cairn_solver_solve(solver, NULL, NULL, &info);
        CHECK(status == (trial == 0 ? CAIRN_OK : CAIRN_ERROR_MEMORY));
        taken = allocator.allocations - before;
        allocator.fail_at = -1;
        CHECK(trial == 1 || taken > 0);
        cairn_solver_destroy(solver);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

TEST(memory_that_is_lacking) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    double v[N], gamma[M], moved[N], other[M];
    cairn_info info;
    cairn_problem *problem = make(context, NULL, 0.5, 0.4), *next;
    CHECK(solve(context, problem, NULL, v, gamma, &info) == CAIRN_OK);
    next = make(context, v, 0.52, 0.4);
    cairn_guess guess = {.gamma = gamma, .v = v};
    int first = allocator.allocations, failed = 0;
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (int i = 0; i < 4000 && status == CAIRN_ERROR_MEMORY; i++) {
        int live = allocator.live;
        allocator.allocations = first;
        allocator.fail_at = first + i;
        status = solve(context, next, &guess, moved, other, &info);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK(allocator.live == live);
        failed += status != CAIRN_OK;
    }
    CHECK(status == CAIRN_OK && info.certificate.certified);
    CHECK(failed > 10);
    allocator.fail_at = -1;
    cairn_problem_destroy(next);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

/* The nearest point in the norm: W(z - x) is normal to the disc, W = diag(1/b). */
TEST(nearest_point_of_a_disc) {
    test_random rng = {11};
    for (int trial = 0; trial < 2000; trial++) {
        double b0 = pow(10.0, 4.0 * test_random_signed(&rng)), b1 = pow(10.0, 4.0 * test_random_signed(&rng));
        double r = trial % 7 == 0 ? 0.0 : pow(10.0, 2.0 * test_random_signed(&rng));
        double size = pow(10.0, 3.0 * test_random_signed(&rng)), z[2];
        double x[2] = {size * test_random_signed(&rng), trial % 5 == 0 ? 0.0 : size * test_random_signed(&rng)};
        cairn_track_disc(b0, b1, r, x, z);
        double length = hypot(z[0], z[1]), g0 = (z[0] - x[0]) / b0, g1 = (z[1] - x[1]) / b1, g = hypot(g0, g1);
        CHECK(length <= r * (1.0 + 1e-12) || hypot(x[0], x[1]) <= r);
        if (hypot(x[0], x[1]) <= r) {
            CHECK(z[0] == x[0] && z[1] == x[1]);
            continue;
        }
        CHECK_NEAR(length, r, 1e-12 * r);
        if (r > 0.0) {
            CHECK(g0 * z[0] + g1 * z[1] <= 0.0); /* pulled outwards */
            CHECK_NEAR(g0 * z[1] - g1 * z[0], 0.0, 1e-6 * g * r);
        }
    }
}

int main(void) {
    RUN(small_changes_take_two_factorisations);
    RUN(large_changes_are_left_to_others);
    RUN(no_friction_and_open_contacts);
    RUN(heaps_that_jam);
    RUN(memory_that_is_lacking_late);
    RUN(memory_that_is_lacking);
    RUN(nearest_point_of_a_disc);
    return test_end();
}
