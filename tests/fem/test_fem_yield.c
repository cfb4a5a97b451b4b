/*
 * Plasticity by the solver's own sets: bars pulled and sheared beyond yield, against the closed forms of perfect plasticity.
 */
#include "fem/part/plasticity.h"
#include "support/fem_samples.h"

typedef struct trial {
    cairn_context *context;
    cairn_fem_part *part;
    cairn_fem_yield *yield;
    double *H, *k;
    double worst; /* largest natural map of all steps */
} trial;

static trial begin(cairn_context *c, double E, double nu, double limit) {
    cairn_fem_material m = cairn_default_fem_material();
    m.E = E;
    m.nu = nu;
    m.density = 1e-3; /* inertia is nothing here */
    trial t = {.context = c};
    t.part = box_part(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(2, 1, 1), (const int[]){2, 1, 1}, m);
    CHECK(cairn_fem_yield_create(t.part, &limit, &t.yield) == CAIRN_OK);
    t.H = doubles(t.part->entries);
    t.k = doubles(3 * t.part->vectors);
    return t;
}

static void end(trial *t) {
    cairn_fem_yield_destroy(t->yield);
    cairn_fem_part_destroy(t->part);
    free(t->H);
    free(t->k);
}

/* One step as one cone complementarity problem; returns the force of the moved face (x > 0.99) along axis. */
static double advance(trial *t, double h, int axis) {
    cairn_fem_part *p = t->part;
    cairn_fem_yield *y = t->yield;
    int n = 3 * p->vectors, elements = p->view.elements, m = 5 * elements;
    cairn_vec3 none = {0, 0, 0};
    memset(p->v, 0, (size_t)n * sizeof *p->v); /* quasi-static */
    cairn_fem_part_write(p, h, none, t->H, t->k);
    cairn_fem_yield_write(y, h);
    cairn_problem_def def = cairn_default_problem_def();
    def.n = n;
    def.m = m;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = n, .cols = n, .start = p->H_start, .row = p->H_row, .value = t->H};
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                           .rows = n,
                           .cols = m,
                           .start = y->D_start,
                           .row = y->D_row,
                           .value = y->D_value};
    def.k = t->k;
    def.b = y->b;
    def.C = y->C;
    def.blocks = elements;
    def.block = y->block;
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_settings settings = cairn_default_settings("auto");
    cairn_answer answer;
    cairn_info info;
    settings.tolerance = 1e-9;
    double force = NAN;
    if (cairn_problem_create(t->context, &def, &problem) == CAIRN_OK &&
        cairn_solver_create(t->context, &settings, &solver) == CAIRN_OK &&
        cairn_solver_load(solver, problem) == CAIRN_OK &&
        cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK) {
        CHECK(info.outcome == CAIRN_SOLVED);
        t->worst = fmax(t->worst, info.certificate.natural_map);
        cairn_fem_yield_take(y, h, answer.gamma, answer.u);
        for (int i = 0; i < n; i++)
            p->x[i] += h * answer.v[i];
        double *f = doubles(n);
        cairn_fem_part_force(p, p->x, f); /* of the volume */
        cairn_fem_yield_write(y, h); /* and of the deviator: -V B's; D of held rows is 0, so let them go for a moment */
        unsigned char *held = malloc((size_t)p->vectors);
        memcpy(held, p->held, (size_t)p->vectors);
        memset(p->held, 0, (size_t)p->vectors);
        cairn_fem_yield_write(y, h);
        memcpy(p->held, held, (size_t)p->vectors);
        free(held);
        for (int j = 0; j < m; j++)
            for (int e = y->D_start[j]; e < y->D_start[j + 1]; e++)
                f[y->D_row[e]] += y->D_value[e] * answer.gamma[j] / h;
        force = 0.0;
        for (int i = 0; i < p->vectors; i++)
            if (p->rest[3 * i] > 0.99)
                force -= f[3 * i + axis];
        free(f);
    } else {
        printf("%s\n", cairn_error_message(t->context));
        CHECK(isfinite(force));
    }
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    return force;
}

/* Pulls to 1.5 times the strain of yield, lets go until the force is 0. */
TEST(bar_pulled_beyond_yield) {
    cairn_context *c = plain_context(1);
    double E = 1e6, limit = 1000.0, h = 0.01,
           speed = 2.0 * 0.1 * limit / E / h; /* a tenth of the strain of yield a step */
    trial t = begin(c, E, 0.3, limit);
    cairn_fem_part *p = t.part;
    for (int i = 0; i < p->vectors; i++) {
        const double *X = p->rest + 3 * i;
        bool left = X[0]<-0.99, right = X[0]> 0.99;
        p->held[i] = (unsigned char)((left || right ? 1 : 0) | (X[1] < -0.49 ? 2 : 0) | (X[2] < -0.49 ? 4 : 0));
        p->held_v[3 * i] = right ? speed : 0.0;
    }
    for (int i = 1; i <= 15; i++) {
        double stress = advance(&t, h, 0), expected = fmin(0.1 * i, 1.0) * limit;
        CHECK_NEAR(stress, expected, 2e-3 * limit);
    }
    double strain = 1.5 * limit / E;
    for (int e = 0; e < p->view.elements; e++) /* equivalent plastic strain: what is not elastic */
        CHECK_NEAR(t.yield->plastic[e], strain - limit / E, 0.02 * limit / E);
    for (int i = 0; i < p->vectors; i++)
        p->held_v[3 * i] *= -1.0;
    for (int i = 1; i <= 10; i++)
        CHECK_NEAR(advance(&t, h, 0), (1.0 - 0.1 * i) * limit, 4e-3 * limit);
    double length = 0.0; /* what stays: the plastic strain */
    for (int i = 0; i < p->vectors; i++)
        length = fmax(length, p->x[3 * i]);
    CHECK_NEAR((length - 1.0) / 2.0, 0.5 * limit / E, 1e-9);
    CHECK(t.worst <= 1e-9);
    end(&t);
    cairn_context_destroy(c);
}

/* Simple shear of all nodes: tau = min(mu g, sigma_y/sqrt 3). */
TEST(block_sheared_beyond_yield) {
    cairn_context *c = plain_context(1);
    double E = 1e6, nu = 0.25, limit = 1000.0, mu = E / (2.0 + 2.0 * nu), h = 0.01, shear = limit / sqrt(3.0) / mu;
    trial t = begin(c, E, nu, limit);
    cairn_fem_part *p = t.part;
    for (int i = 0; i < p->vectors; i++) {
        p->held[i] = 7;
        p->held_v[3 * i + 1] = 0.2 * shear * (p->rest[3 * i] + 1.0) /
                               h; /* y grows with x: faces at x are pulled along y */
    }
    for (int i = 1; i <= 9; i++)
        CHECK_NEAR(advance(&t, h, 1), fmin(0.2 * i, 1.0) * limit / sqrt(3.0), 2e-3 * limit);
    for (int e = 0; e < p->view.elements; e++)
        CHECK_NEAR(t.yield->plastic[e], 0.8 * shear / sqrt(3.0), 2e-3 * shear);
    for (int i = 0; i < p->vectors; i++)
        p->held_v[3 * i + 1] *= -1.0;
    CHECK_NEAR(advance(&t, h, 1), 0.8 * limit / sqrt(3.0), 3e-3 * limit); /* back: elastic at once */
    end(&t);
    cairn_context_destroy(c);
}

/* Squeezed from all sides nothing yields. */
TEST(pressure_alone_does_not_yield) {
    cairn_context *c = plain_context(1);
    trial t = begin(c, 1e6, 0.3, 10.0);
    cairn_fem_part *p = t.part;
    for (int i = 0; i < p->vectors; i++) {
        p->held[i] = 7;
        for (int a = 0; a < 3; a++)
            p->held_v[3 * i + a] = -0.01 * p->rest[3 * i + a] / 0.01;
    }
    double bulk = 1e6 / (3.0 * 0.4);
    double force = advance(&t, 0.01, 0), area = 0.99 * 0.99; /* of today */
    double J = 0.99 * 0.99 * 0.99;                           /* Cauchy's stress is bulk ln J/J */
    CHECK_NEAR(force / area, bulk * log(J) / J, 1e-6 * bulk);
    for (int e = 0; e < p->view.elements; e++)
        CHECK_NEAR(t.yield->plastic[e], 0.0, 1e-12);
    end(&t);
    cairn_context_destroy(c);
}

TEST(what_cannot_yield_is_refused) {
    cairn_context *c = plain_context(1);
    cairn_fem_material m = cairn_default_fem_material();
    cairn_fem_yield *y = NULL;
    double limit = 0.0;
    cairn_fem_part *p = box_part(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1}, m);
    CHECK(cairn_fem_yield_create(p, &limit, &y) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "limit of material 0 is 0");
    cairn_fem_part_destroy(p);
    limit = 1.0;
    p = box_part(c, CAIRN_ELEMENT_HEX8, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1}, m);
    CHECK(cairn_fem_yield_create(p, &limit, &y) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(c), "element 0 is a hex8");
    cairn_fem_part_destroy(p);
    m.law = CAIRN_FEM_SVK;
    p = box_part(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1}, m);
    CHECK(cairn_fem_yield_create(p, &limit, &y) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(c), "svk");
    CHECK(y == NULL);
    cairn_fem_part_destroy(p);
    cairn_context_destroy(c);
}

/* While the law is that of the volume the energy is too; afterwards the part is as it was. Memory may run out anywhere. */
TEST(memory_and_what_is_left_behind) {
    for (int fail = 0; fail < 100; fail++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *c = counting_context(&a, 1);
        cairn_fem_part *p = box_part(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1},
                                     cairn_default_fem_material());
        for (int i = 0; i < p->vectors; i++)
            p->x[3 * i] *= 1.1;
        double before = cairn_fem_part_elastic(p, p->x), limit = 1e3;
        int base = a.live;
        cairn_fem_yield *y = NULL;
        a.fail_at = a.allocations + fail;
        cairn_status status = cairn_fem_yield_create(p, &limit, &y);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        if (status == CAIRN_OK)
            CHECK(cairn_fem_part_elastic(p, p->x) < before);
        cairn_fem_yield_destroy(y);
        CHECK_NEAR(cairn_fem_part_elastic(p, p->x), before, 1e-12 * before);
        CHECK(a.live == base);
        cairn_fem_part_destroy(p);
        cairn_context_destroy(c);
        if (status == CAIRN_OK)
            return;
    }
    CHECK(false);
}

int main(void) {
    RUN(bar_pulled_beyond_yield);
    RUN(block_sheared_beyond_yield);
    RUN(pressure_alone_does_not_yield);
    RUN(what_cannot_yield_is_refused);
    RUN(memory_and_what_is_left_behind);
    return test_end();
}
