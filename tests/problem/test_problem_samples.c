/*
 * Generated problems: closed forms, the judge on every known answer, balance of weights, same seed same bits,
 * messages on bad parameters, no leak when memory runs out.
 */
#include "support/test.h"

#include <cairn/cairn.h>

static cairn_context *context;

static cairn_problem *make(const cairn_sample_def *def) {
    cairn_problem *problem = NULL;
    cairn_status status = cairn_sample_create(context, def, &problem);
    CHECK(status == CAIRN_OK);
    if (status != CAIRN_OK) {
        printf("%s\n", cairn_error_message(context));
        exit(1);
    }
    return problem;
}

/* Judges the known answer; returns it in gamma, u (room for 4096). */
static cairn_certificate judge_known(const cairn_sample_def *def, const cairn_problem *problem, double *gamma,
                                     double *u) {
    static double judged_u[4096];
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_certificate certificate = {.natural_map = NAN};
    CHECK(view.m <= 4096);
    CHECK(cairn_sample_known(context, def, view.m, gamma, u) == CAIRN_OK);
    CHECK(cairn_certify(problem, NULL, gamma, 1e-12, &certificate, judged_u, NULL) == CAIRN_OK);
    double scale = 0.0;
    for (int i = 0; i < view.m; i++)
        scale = fmax(scale, fabs(u[i]));
    for (int i = 0; i < view.m; i++)
        CHECK_NEAR(judged_u[i], u[i], 1e-11 * fmax(scale, 0.01));
    return certificate;
}

static double gamma[4096], u[4096];

TEST(stack_has_the_weights_above) {
    cairn_sample_def def = cairn_default_sample_def("stack");
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    CHECK(view.n == 126 && view.m == 63 && view.blocks == 21 && view.bodies == 21);
    CHECK(view.block_diagonal && !view.bodies_found);
    CHECK(judge_known(&def, problem, gamma, u).certified);
    /* Floor: 1000 + 19 * 10 + 10000 kg. Under sphere 1: 10190. Under the heavy one: 10100. Over it: 100; top: 10. */
    CHECK_NEAR(gamma[0], 11190 * 0.098, 1e-10);
    CHECK_NEAR(gamma[3], 10190 * 0.098, 1e-10);
    CHECK_NEAR(gamma[30], 10100 * 0.098, 1e-10);
    CHECK_NEAR(gamma[33], 100 * 0.098, 1e-12);
    CHECK_NEAR(gamma[60], 10 * 0.098, 1e-13);
    for (int i = 0; i < view.m; i++) {
        CHECK(i % 3 == 0 || gamma[i] == 0.0);
        CHECK(u[i] == 0.0 && view.b[i] == 0.0);
    }
    /* Sphere 1 (body 1): mass 10, inertia 2/5 m R^2, k = -m g h. */
    CHECK(view.H_value[view.H_start[6]] == 10.0);
    CHECK_NEAR(view.H_value[view.H_start[9]], 4.0, 1e-15);
    CHECK_NEAR(view.k[8], -0.98, 1e-15);
    CHECK(view.block[5].set == CAIRN_SET_CONE && view.block[5].mu == 0.4 && view.block[5].dim == 3);
    /* A wrong impulse at the light top sphere is caught. */
    gamma[60] *= 1.001;
    cairn_certificate certificate;
    CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &certificate, NULL, NULL) == CAIRN_OK);
    CHECK(!certificate.certified);
    cairn_problem_destroy(problem);
}

TEST(rolling_of_a_sphere_has_arms) {
    /* Tangential row of the floor contact: translation 1 and the arm R = 2: N_TT = 1/m (1 + R^2 / (2/5 R^2)) = 3.5/m. */
    cairn_sample_def def = cairn_default_sample_def("stack");
    def.size = 2.0;
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    for (int row = 1; row <= 2; row++) {
        double sum = 0.0;
        for (int e = view.D_start[row]; e < view.D_start[row + 1]; e++) {
            int at = view.D_index[e];
            sum += view.D_value[e] * view.D_value[e] / view.H_value[view.H_start[at]];
        }
        CHECK_NEAR(sum, 3.5 / 1000.0, 1e-15);
    }
    cairn_problem_destroy(problem);
}

TEST(pull_opens_the_contact_under_the_heavy_sphere) {
    cairn_sample_def def = cairn_default_sample_def("stack-pull");
    cairn_problem *problem = make(&def);
    CHECK(judge_known(&def, problem, gamma, u).certified);
    double rise = 0.01 * (2 * 10000 - 10100) * 9.8 / 10100;
    CHECK(gamma[30] == 0.0);
    CHECK_NEAR(u[30], rise, 1e-13);
    for (int i = 0; i < 21; i++)
        if (i != 10)
            CHECK(gamma[3 * i] > 0.0 && u[3 * i] == 0.0);
    CHECK_NEAR(gamma[27], 10 * 0.098, 1e-12);  /* sphere 9 carries nothing */
    CHECK_NEAR(gamma[0], 1090 * 0.098, 1e-11); /* floor: base and nine spheres */
    CHECK_NEAR(gamma[33], 100 * (0.098 + rise), 1e-11);
    cairn_problem_destroy(problem);

    def.pull = 0.5; /* too weak: everything rests, and the floor carries less */
    problem = make(&def);
    CHECK(judge_known(&def, problem, gamma, u).certified);
    CHECK_NEAR(gamma[0], (11190 - 5000) * 0.098, 1e-10);
    CHECK(u[30] == 0.0);
    cairn_problem_destroy(problem);
}

TEST(box_on_four_corners) {
    cairn_sample_def def = cairn_default_sample_def("box-on-four");
    cairn_problem *problem = make(&def);
    CHECK(judge_known(&def, problem, gamma, u).certified);
    double sum = gamma[0] + gamma[3] + gamma[6] + gamma[9];
    CHECK_NEAR(sum, 0.0981, 1e-15);
    CHECK_NEAR(gamma[3], 0.0981 / 4, 1e-16);
    /* The impulses are not unique: two opposite corners can carry all. */
    gamma[0] = gamma[9] = 0.0981 / 2;
    gamma[3] = gamma[6] = 0.0;
    cairn_certificate certificate;
    CHECK(cairn_certify(problem, NULL, gamma, 1e-12, &certificate, NULL, NULL) == CAIRN_OK);
    CHECK(certificate.certified);
    /* Two neighbouring ones cannot. */
    gamma[3] = gamma[9];
    gamma[9] = 0.0;
    CHECK(cairn_certify(problem, NULL, gamma, 1e-3, &certificate, NULL, NULL) == CAIRN_OK);
    CHECK(!certificate.certified);
    cairn_problem_destroy(problem);
}

TEST(manufactured_answers_are_certified) {
    for (int law = 0; law < 2; law++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            cairn_sample_def def = cairn_default_sample_def("manufactured");
            def.law = law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
            def.seed = seed;
            def.spread = (double)(seed % 5);
            def.count = 15 + (int)(7 * seed);
            cairn_problem *problem = make(&def);
            cairn_problem_view view = cairn_problem_get(problem);
            bool seen[CAIRN_SET_CUSTOM + 1] = {false};
            for (int i = 0; i < view.blocks; i++)
                seen[view.block[i].set] = true;
            for (int set = 0; set <= CAIRN_SET_CUSTOM; set++)
                CHECK(seen[set]);
            cairn_certificate certificate = judge_known(&def, problem, gamma, u);
            CHECK(certificate.certified);
            CHECK(certificate.error < 1e-10);
            cairn_problem_destroy(problem);
        }
}

TEST(laws_differ_where_contacts_slide) {
    cairn_sample_def def = cairn_default_sample_def("manufactured");
    cairn_problem *problem = make(&def);
    judge_known(&def, problem, gamma, u);
    CHECK(cairn_problem_set_law(problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
    cairn_certificate certificate;
    CHECK(cairn_certify(problem, NULL, gamma, 1e-3, &certificate, NULL, NULL) == CAIRN_OK);
    CHECK(!certificate.certified);
    cairn_problem_destroy(problem);
}

/* A row pushes one body against the ground with a unit vector, or two bodies with opposite ones. */
static void check_pushes(const char *name) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    for (int row = 0; row < view.m; row++) {
        double push[3] = {0.0, 0.0, 0.0};
        int first = view.D_index[view.D_start[row]] / 6, last = view.D_index[view.D_start[row + 1] - 1] / 6;
        for (int e = view.D_start[row]; e < view.D_start[row + 1]; e++)
            if (view.D_index[e] % 6 < 3)
                push[view.D_index[e] % 6] += view.D_value[e];
        double length = push[0] * push[0] + push[1] * push[1] + push[2] * push[2];
        CHECK_NEAR(length, first != last ? 0.0 : 1.0, 1e-14);
    }
    cairn_problem_destroy(problem);
}

TEST(actio_is_reactio) {
    const char *names[] = {"stack", "cairn", "wall", "spheres", "pile", "chain", "box-on-four"};
    for (int i = 0; i < 7; i++)
        check_pushes(names[i]);
}

/* Sum over bodies of vertical k = - total mass * g * h for scenes that do not fall, and the number of contacts. */
static void check_scene(const char *name, int bodies, int contacts, int joints, double mass) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    int cones = 0, others = 0;
    double weight = 0.0, total = 0.0;
    for (int i = 0; i < view.blocks; i++) {
        if (view.block[i].set == CAIRN_SET_CONE)
            cones++;
        else
            others++;
        CHECK(others == 0 || view.block[i].set == CAIRN_SET_BILATERAL); /* cones first */
        CHECK(view.block[i].mu == (others == 0 ? def.mu : 0.0));
    }
    for (int i = 0; i < view.bodies; i++) {
        weight -= view.k[6 * i + 2];
        total += view.H_value[view.H_start[6 * i + 2]];
    }
    if (view.bodies != bodies || cones != contacts || others != joints)
        printf("%s: %d bodies, %d contacts, %d joints\n", name, view.bodies, cones, others);
    CHECK(view.bodies == bodies && cones == contacts && others == joints);
    CHECK_NEAR(weight, total * def.gravity * def.step, 1e-10 * total);
    if (mass > 0.0)
        CHECK_NEAR(total, mass, 1e-9 * mass);
    cairn_problem_destroy(problem);
}

TEST(scenes_have_the_right_bodies_and_contacts) {
    check_scene("cairn", 55, 4 * 25 + 16 * 30, 0, 0.0); /* layers of 25, 16, 9, 4, 1 */
    /* Six rows by turns of 8 bricks and of 7 with two halves; each brick of an upper row on two, a half on one. */
    check_scene("wall", 3 * 8 + 3 * 9, 4 * (8 + 5 * 16), 0, 0.0);
    check_scene("chain", 20, 4, 20, 1019.0);
    check_scene("stack", 21, 21, 0, 11190.0);
}

TEST(every_stone_of_the_cairn_can_be_carried) {
    /* Without a kick and with equal masses a symmetric answer exists: each stone hands a quarter of its load to each of four
     * below, and each of the four contacts there takes the share that holds the moment. Here: total on the floor. */
    cairn_sample_def def = cairn_default_sample_def("cairn");
    def.kick = 0.0;
    def.spread = 0.0;
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    for (int i = 0; i < view.m; i++)
        gamma[i] = 0.0;
    /* All contacts of a stone with its 4 supports: the 16 impulses; put each quarter load at the overlap's middle. */
    double load[55];
    for (int i = 0; i < 55; i++)
        load[i] = def.mass * def.gravity * def.step;
    for (int block = view.blocks - 4; block >= 100; block -= 4) {
        int upper = 0, lower = view.bodies;
        for (int e = view.D_start[3 * block]; e < view.D_start[3 * block + 1]; e++) {
            int body = view.D_index[e] / 6;
            upper = body > upper ? body : upper;
            lower = body < lower ? body : lower;
        }
        load[lower] += load[upper] / 4;
        for (int i = 0; i < 4; i++)
            gamma[3 * (block + i)] = load[upper] / 16;
    }
    double floor_load = 0.0;
    for (int i = 0; i < 25; i++)
        floor_load += load[i];
    CHECK_NEAR(floor_load, 55 * def.mass * def.gravity * def.step, 1e-10);
    /* Interior stones are loaded evenly, so with these impulses every stone above the floor is in balance of forces. */
    for (int body = 25; body < 55; body++) {
        double force = view.k[6 * body + 2];
        for (int block = 100; block < view.blocks; block++)
            for (int e = view.D_start[3 * block]; e < view.D_start[3 * block + 1]; e++)
                if (view.D_index[e] == 6 * body + 2)
                    force += view.D_value[e] * gamma[3 * block];
        CHECK_NEAR(force, 0.0, 1e-10);
    }
    cairn_problem_destroy(problem);
}

TEST(spheres_touch_plausibly) {
    cairn_sample_def def = cairn_default_sample_def("spheres");
    cairn_problem *problem = make(&def);
    cairn_problem_view view = cairn_problem_get(problem);
    int apart = 0, touching = 0;
    for (int i = 0; i < view.blocks; i++) {
        CHECK(view.b[3 * i] >= 0.0 && view.b[3 * i + 1] == 0.0 && view.b[3 * i + 2] == 0.0);
        CHECK(view.b[3 * i] <= 0.25 * def.size / def.step);
        if (view.b[3 * i] > 0.0)
            apart++;
        else
            touching++;
    }
    CHECK(view.bodies == def.count);
    CHECK(view.blocks > 3 * def.count && view.blocks <= 9 * def.count);
    CHECK(apart > def.count / 2 && touching > def.count / 2);
    cairn_problem_destroy(problem);
    def.count = 1;
    problem = make(&def);
    CHECK(cairn_problem_get(problem).blocks == 5); /* a box as wide as the sphere */
    cairn_problem_destroy(problem);
}

/* Three contacts a sphere; no sphere hangs in the air: under each that is off the floor there are two others at least, or walls. */
TEST(a_pile_rests_on_three_supports) {
    cairn_sample_def def = cairn_default_sample_def("pile");
    def.count = 500;
    for (def.seed = 1; def.seed <= 3; def.seed++) {
        int support[500] = {0};
        cairn_problem *problem = make(&def);
        cairn_problem_view view = cairn_problem_get(problem);
        CHECK(view.bodies == def.count);
        CHECK(view.blocks > 2.5 * def.count && view.blocks < 3.6 * def.count);
        for (int i = 0; i < view.blocks; i++) {
            CHECK(view.b[3 * i] >= 0.0 && view.b[3 * i] <= def.margin * def.size / def.step);
            for (int e = view.D_start[3 * i]; e < view.D_start[3 * i + 1]; e++)
                if (view.D_index[e] % 6 == 2 && view.D_value[e] > 0.0)
                    support[view.D_index[e] / 6]++; /* a normal that points up */
        }
        for (int body = 0; body < def.count; body++)
            CHECK(support[body] >= 1);
        cairn_problem_destroy(problem);
    }
    def.count = 1;
    cairn_problem *problem = make(&def);
    CHECK(cairn_problem_get(problem).blocks >= 1);
    cairn_problem_destroy(problem);
}

static bool same(const double *a, const double *b, int count) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

TEST(same_seed_same_bits) {
    const char *names[] = {"cairn", "spheres", "manufactured"};
    for (int i = 0; i < 3; i++) {
        cairn_sample_def def = cairn_default_sample_def(names[i]);
        cairn_problem *first = make(&def), *second = make(&def);
        def.seed++;
        cairn_problem *third = make(&def);
        cairn_problem_view a = cairn_problem_get(first), b = cairn_problem_get(second), c = cairn_problem_get(third);
        CHECK(a.n == b.n && a.m == b.m && a.D_start[a.m] == b.D_start[b.m]);
        CHECK(same(a.k, b.k, a.n) && same(a.b, b.b, a.m));
        CHECK(same(a.D_value, b.D_value, a.D_start[a.m]) && same(a.H_value, b.H_value, a.H_start[a.n]));
        CHECK(!same(a.k, c.k, a.n));
        cairn_problem_destroy(first);
        cairn_problem_destroy(second);
        cairn_problem_destroy(third);
    }
}

static void check_refused(const cairn_sample_def *def, const char *part) {
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, def, &problem) == CAIRN_ERROR_ARGUMENT);
    CHECK(problem == NULL);
    CHECK_CONTAINS(cairn_error_message(context), part);
}

TEST(bad_definitions_are_named) {
    cairn_sample_def def = cairn_default_sample_def("stck");
    check_refused(&def, "no sample \"stck\"");
    check_refused(&def, "stack-pull");
    def = cairn_default_sample_def(NULL);
    check_refused(&def, "no sample \"\"");
    def = (cairn_sample_def){0};
    check_refused(&def, "cairn_default_sample_def");
    def = cairn_default_sample_def("stack");
    def.mass = -1.0;
    check_refused(&def, "mass is -1");
    def = cairn_default_sample_def("stack");
    def.step = NAN;
    check_refused(&def, "step is");
    def = cairn_default_sample_def("stack");
    def.place = 21;
    check_refused(&def, "place is 21, expected 1 to spheres = 20");
    def = cairn_default_sample_def("wall");
    def.layers = 0;
    check_refused(&def, "height is 0");
    def = cairn_default_sample_def("cairn");
    def.law = (cairn_law)7;
    check_refused(&def, "law is 7");
    cairn_sample_def good = cairn_default_sample_def("cairn");
    CHECK(cairn_sample_known(context, &good, 1740, gamma, u) == CAIRN_ERROR_UNSUPPORTED);
    good = cairn_default_sample_def("stack");
    CHECK(cairn_sample_known(context, &good, 60, gamma, u) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "m is 60, the sample has 63 rows");
    good = cairn_default_sample_def("manufactured");
    CHECK(cairn_sample_known(context, &good, 1, gamma, u) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_sample_create(NULL, &good, NULL) == CAIRN_ERROR_ARGUMENT);
}

TEST(parameters_from_text) {
    char message[256];
    cairn_sample_def def = cairn_default_sample_def("cairn");
    CHECK(cairn_sample_set(&def, "stones", "14", message, sizeof message) == CAIRN_OK && def.count == 14);
    CHECK(cairn_sample_set(&def, "mu", "0.25", message, sizeof message) == CAIRN_OK && def.mu == 0.25);
    CHECK(cairn_sample_set(&def, "seed", "18446744073709551615", message, sizeof message) == CAIRN_OK);
    CHECK(def.seed == UINT64_MAX);
    CHECK(cairn_sample_set(&def, "stone", "3", message, sizeof message) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(message, "no parameter \"stone\"; it has: stones, mass");
    const char *bad[][2] = {{"stones", "0"}, {"stones", "2.5"}, {"stones", "x"}, {"mu", "-1"},
                            {"mu", "1x"},    {"mu", ""},        {"mu", "nan"},   {"seed", "-1"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cairn_sample_def before = def;
        CHECK(cairn_sample_set(&def, bad[i][0], bad[i][1], message, sizeof message) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(message, "expected a");
        CHECK(before.count == def.count && before.mu == def.mu && before.seed == def.seed);
    }
    for (int i = 0; i < cairn_sample_count(); i++) {
        cairn_sample_info info;
        cairn_sample_parameter parameters[16];
        CHECK(cairn_sample_get(i, &info) == CAIRN_OK);
        int count = cairn_sample_parameters(info.name, parameters, 16);
        CHECK(count > 0 && count <= 16);
        def = cairn_default_sample_def(info.name);
        for (int j = 0; j < count; j++)
            CHECK(cairn_sample_set(&def, parameters[j].key, parameters[j].value, message, sizeof message) == CAIRN_OK);
        cairn_sample_def fresh = cairn_default_sample_def(info.name);
        CHECK(memcmp(&def.mass, &fresh.mass, sizeof def - offsetof(cairn_sample_def, mass)) == 0);
        cairn_problem_destroy(make(&def));
    }
    cairn_sample_info info;
    CHECK(cairn_sample_get(-1, &info) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_sample_get(cairn_sample_count(), &info) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_sample_parameters("nobody", NULL, 0) == -1);
}

/* An allocator that fails at call number `fail`, and counts what is not given back. */
typedef struct budget {
    int calls, fail, live;
} budget;
static void *take(void *user, size_t bytes) {
    budget *b = user;
    if (b->calls++ == b->fail)
        return NULL;
    b->live++;
    return malloc(bytes);
}
static void give_back(void *user, void *memory) {
    budget *b = user;
    if (memory != NULL)
        b->live--;
    free(memory);
}

TEST(every_failing_allocation_is_survived) {
    const char *names[] = {"stack", "cairn", "manufactured", "spheres", "pile"};
    for (int i = 0; i < 5; i++)
        for (int fail = 0, done = 0; !done && fail < 1000; fail++) {
            budget b = {.fail = -1};
            cairn_context_def def = cairn_default_context_def();
            def.allocate = take;
            def.release = give_back;
            def.allocator_user = &b;
            cairn_context *small = NULL;
            CHECK(cairn_context_create(&def, &small) == CAIRN_OK);
            int before = b.live;
            b.calls = 0;
            b.fail = fail;
            cairn_sample_def sample = cairn_default_sample_def(names[i]);
            cairn_problem *problem = NULL;
            cairn_status status = cairn_sample_create(small, &sample, &problem);
            done = status == CAIRN_OK;
            CHECK(done || status == CAIRN_ERROR_MEMORY);
            CHECK(done || b.live == before);
            cairn_problem_destroy(problem);
            CHECK(b.live == before);
            cairn_context_destroy(small);
        }
}

int main(void) {
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    RUN(stack_has_the_weights_above);
    RUN(rolling_of_a_sphere_has_arms);
    RUN(pull_opens_the_contact_under_the_heavy_sphere);
    RUN(box_on_four_corners);
    RUN(manufactured_answers_are_certified);
    RUN(laws_differ_where_contacts_slide);
    RUN(actio_is_reactio);
    RUN(scenes_have_the_right_bodies_and_contacts);
    RUN(every_stone_of_the_cairn_can_be_carried);
    RUN(spheres_touch_plausibly);
    RUN(a_pile_rests_on_three_supports);
    RUN(same_seed_same_bits);
    RUN(bad_definitions_are_named);
    RUN(parameters_from_text);
    RUN(every_failing_allocation_is_survived);
    cairn_context_destroy(context);
    return test_end();
}
