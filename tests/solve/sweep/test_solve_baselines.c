/*
 * Baselines jacobi, pgs, psor, spg, and nncg: the one-block solver against its law, closed forms, manufactured problems over
 * every set, a stack of spheres, colours, threads, memory, infeasibility.
 */
#include "support/support.h"

#include "sets/sets.h"
#include "solve/sweep/block_solve.h"
#include "solve/sweep/sweep.h"

static const char *const baseline[] = {"jacobi", "pgs", "psor", "spg", "nncg"};
enum { BASELINES = 4 };

/* ---- one block ---------------------------------------------------------------------------------------------- */

/* |gamma - P(gamma - u~)| of one cone, with formulas of its own. */
static double cone_map(int dim, double mu, bool coulomb, const double *gamma, const double *u) {
    double x[3] = {0}, t = 0.0, slip = dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]), sum = 0.0;
    for (int i = 0; i < dim; i++)
        x[i] = gamma[i] - u[i] - (i == 0 && coulomb ? mu * slip : 0.0);
    t = dim == 3 ? hypot(x[1], x[2]) : fabs(x[1]);
    double a = 0.0, f = 0.0;
    if (t <= mu * x[0]) {
        a = x[0];
        f = 1.0;
    } else if (x[0] > -mu * t) {
        a = (x[0] + mu * t) / (1.0 + mu * mu);
        f = mu * a / t;
    }
    for (int i = 0; i < dim; i++) {
        double d = gamma[i] - (i == 0 ? a : f * x[i]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* A random N = B B' of the rank asked for, its scale drawn over decades. */
static void draw_matrix(test_random *random, int dim, int rank, double *N) {
    double B[9];
    for (int i = 0; i < dim * rank; i++)
        B[i] = test_random_signed(random) * pow(10.0, test_random_signed(random));
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            N[i * dim + j] = 0.0;
            for (int k = 0; k < rank; k++)
                N[i * dim + j] += B[i * rank + k] * B[j * rank + k];
        }
}

TEST(one_cone_satisfies_its_law) {
    test_random random = {7};
    int slides = 0, sticks = 0, opens = 0;
    for (int trial = 0; trial < 40000; trial++) {
        int dim = 2 + trial % 2, rank = dim - (trial % 7 == 0 ? 1 : 0);
        bool coulomb = trial / 2 % 2 == 0;
        double N[9], q[3], gamma[3] = {0}, u[3], mu = trial % 5 == 0 ? 0.0 : pow(10.0, test_random_signed(&random));
        draw_matrix(&random, dim, rank, N);
        if (rank < dim) { /* an answer must exist: q in the range of N, moved to be opening or not */
            double z[3];
            for (int i = 0; i < dim; i++)
                z[i] = test_random_signed(&random);
            for (int i = 0; i < dim; i++) {
                q[i] = 0.0;
                for (int j = 0; j < dim; j++)
                    q[i] += N[i * dim + j] * z[j];
            }
        } else {
            for (int i = 0; i < dim; i++)
                q[i] = test_random_signed(&random) * pow(10.0, 2.0 * test_random_signed(&random));
        }
        if (trial % 3 == 0) /* a good or a bad guess must not matter */
            gamma[0] = pow(10.0, 5.0 * test_random_signed(&random));
        bool found = cairn_block_solve_cone(dim, mu, coulomb, N, q, gamma);
        CHECK(found);
        double size = 0.0;
        for (int i = 0; i < dim; i++) {
            u[i] = q[i];
            for (int j = 0; j < dim; j++) {
                u[i] += N[i * dim + j] * gamma[j];
                size = fmax(size, fabs(N[i * dim + j]) * fmax(fabs(gamma[j]), fabs(gamma[0]) * (1.0 + mu)));
            }
            size = fmax(size, fabs(q[i]));
        }
        /* the law is the same for N, q times a positive number: measure in units in which N is near 1 */
        double unit = 0.0;
        for (int i = 0; i < dim; i++)
            unit += N[i * dim + i] / dim;
        for (int i = 0; i < dim; i++)
            u[i] /= unit;
        CHECK_NEAR(cone_map(dim, mu, coulomb, gamma, u), 0.0, 1e-11 * (1.0 + mu * mu) * size / unit);
        opens += gamma[0] == 0.0;
        double slip = dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
        slides += gamma[0] > 0.0 && slip > 1e-6;
        sticks += gamma[0] > 0.0 && slip <= 1e-12;
    }
    CHECK(slides > 2000 && sticks > 2000 && opens > 2000);
}

TEST(one_cone_without_answer) {
    double N[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0.5, 0}, gamma[3] = {0.25, 0, 0};
    CHECK(!cairn_block_solve_cone(3, 0.5, true, N, q, gamma));
    CHECK(gamma[0] == 0.25 && gamma[1] == 0.0);
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    cairn_block_solver local = {.block = &block, .coulomb = true, .N = N, .scale = 1.0};
    cairn_block_solve(&local, q, gamma);
    CHECK(gamma[0] > 0.25); /* it grows, which is how the runaway is seen */
}

/* ---- through the public interface ---------------------------------------------------------------------------- */

typedef struct outcome {
    cairn_status status;
    cairn_info info;
    double *gamma, *u; /* m */
} outcome;

static outcome solve(cairn_context *context, const cairn_problem *problem, cairn_settings settings) {
    outcome out = {0};
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    size_t m = (size_t)cairn_problem_get(problem).m;
    out.gamma = calloc(m, sizeof(double));
    out.u = calloc(m, sizeof(double));
    out.status = cairn_solver_create(context, &settings, &solver);
    if (out.status == CAIRN_OK)
        out.status = cairn_solver_load(solver, problem);
    if (out.status == CAIRN_OK)
        out.status = cairn_solver_solve(solver, NULL, &answer, &out.info);
    if (out.status == CAIRN_OK) {
        memcpy(out.gamma, answer.gamma, m * sizeof(double));
        memcpy(out.u, answer.u, m * sizeof(double));
    }
    cairn_solver_destroy(solver);
    return out;
}

static void drop(outcome *out) {
    free(out->gamma);
    free(out->u);
}

static cairn_settings settings_of(const char *name, double tolerance) {
    cairn_settings settings = cairn_default_settings(name);
    settings.tolerance = tolerance;
    settings.tolerance_plain = 0.0;
    return settings;
}

TEST(closed_forms) {
    cairn_context *context = plain_context(1);
    double N[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 2, 0};
    double N2[4] = {1, 0.8, 0.8, 1}, b2[2] = {0.3, 1}, zero[9] = {0}, down[3] = {-1, 0, 0};
    cairn_block cone = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5},
                flat = {.set = CAIRN_SET_CONE, .dim = 2, .mu = 2.0};
    for (int law = 0; law < 2; law++) {
        cairn_problem *one = local_problem(context, 3, N, b, 1, &cone, (cairn_law)law);
        cairn_problem *two = local_problem(context, 2, N2, b2, 1, &flat, (cairn_law)law);
        cairn_problem *none = local_problem(context, 3, zero, down, 1, &cone, (cairn_law)law);
        for (int i = 0; i < BASELINES; i++) {
            outcome a = solve(context, one, settings_of(baseline[i], 1e-10));
            CHECK(a.info.outcome == CAIRN_SOLVED && a.info.certificate.certified);
            CHECK_NEAR(a.gamma[0], law ? 1.6 : 1.0, 1e-8);
            CHECK_NEAR(a.gamma[1], law ? -0.8 : -0.5, 1e-8);
            CHECK_NEAR(a.u[0], law ? 0.6 : 0.0, 1e-8);
            outcome c = solve(context, two, settings_of(baseline[i], 1e-10));
            CHECK(c.info.outcome == CAIRN_SOLVED && c.info.certificate.certified);
            if (law == CAIRN_LAW_ASSOCIATED)
                CHECK_NEAR(c.gamma[0], 25.0 / 18.0, 1e-6);
            outcome d = solve(context, none, settings_of(baseline[i], 1e-10));
            CHECK(d.status == CAIRN_OK && d.info.outcome == CAIRN_INFEASIBLE);
            drop(&a);
            drop(&c);
            drop(&d);
        }
        cairn_problem_destroy(one);
        cairn_problem_destroy(two);
        cairn_problem_destroy(none);
    }
    cairn_context_destroy(context);
}

/* ---- manufactured problems ----------------------------------------------------------------------------------- */

static void project_slab(void *user, int dim, const double *x, double *projection) {
    (void)user;
    double sum = 0.0; /* the slab |x_1 + ... + x_dim| <= 1 */
    for (int i = 0; i < dim; i++)
        sum += x[i];
    double over = (sum > 1.0 ? sum - 1.0 : sum < -1.0 ? sum + 1.0 : 0.0) / dim;
    for (int i = 0; i < dim; i++)
        projection[i] = x[i] - over;
}

static const cairn_custom_set slab = {.project = project_slab};
static const cairn_block mix[] = {
    {.set = CAIRN_SET_BILATERAL, .dim = 4},
    {.set = CAIRN_SET_NONNEGATIVE, .dim = 2},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.4},
    {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.2},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.0},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.5},
    {.set = CAIRN_SET_BOX, .dim = 3, .lo = -0.5, .hi = 0.25},
    {.set = CAIRN_SET_BALL, .dim = 5, .radius = 0.7},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.6, .cap = 0.8},
    {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.5, .adhesion = 0.3},
    {.set = CAIRN_SET_CUSTOM, .dim = 3, .custom = &slab},
};
enum { MIX = sizeof mix / sizeof *mix, MIX_ROWS = 34, MIX_DOFS = 72 };

typedef struct manufactured {
    double H[MIX_DOFS * MIX_DOFS], D[MIX_DOFS * MIX_ROWS], C[MIX_ROWS], b[MIX_ROWS], k[MIX_DOFS];
    int row[MIX_DOFS * MIX_DOFS], col[MIX_DOFS * MIX_DOFS], d_row[MIX_DOFS * MIX_ROWS], d_col[MIX_DOFS * MIX_ROWS];
    double gamma[MIX_ROWS], u[MIX_ROWS]; /* the answer; u without Phi */
} manufactured;

/* Twelve bodies of six rows, coupled when sparse; each block on two of them. */
static cairn_problem *build(cairn_context *context, manufactured *f, bool sparse, cairn_law law) {
    cairn_problem_def def = cairn_default_problem_def();
    for (int i = 0; i < MIX_DOFS * MIX_DOFS; i++) {
        f->row[i] = i / MIX_DOFS;
        f->col[i] = i % MIX_DOFS;
    }
    for (int i = 0; i < MIX_DOFS * MIX_ROWS; i++) {
        f->d_row[i] = i / MIX_ROWS;
        f->d_col[i] = i % MIX_ROWS;
    }
    def.law = law;
    def.n = MIX_DOFS;
    def.m = MIX_ROWS;
    def.H = (cairn_sparse){.rows = MIX_DOFS,
                           .cols = MIX_DOFS,
                           .entries = MIX_DOFS * MIX_DOFS,
                           .row = f->row,
                           .col = f->col,
                           .value = f->H};
    def.D = (cairn_sparse){.rows = MIX_DOFS,
                           .cols = MIX_ROWS,
                           .entries = MIX_DOFS * MIX_ROWS,
                           .row = f->d_row,
                           .col = f->d_col,
                           .value = f->D};
    def.k = f->k;
    def.b = f->b;
    def.C = f->C;
    def.blocks = MIX;
    def.block = mix;
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(problem != NULL && cairn_problem_get(problem).block_diagonal == !sparse);
    return problem;
}

/* Draws z, takes gamma = P(z) and u~ = gamma - z, and finds the b that makes it so. */
static cairn_problem *manufacture(cairn_context *context, manufactured *f, uint64_t seed, bool sparse, cairn_law law) {
    test_random random = {seed};
    memset(f, 0, sizeof *f);
    for (int i = 0; i < MIX_DOFS; i++) {
        for (int j = 0; j < i; j++)
            if (i / 6 == j / 6 || (sparse && i - j < 9))
                f->H[i * MIX_DOFS + j] = f->H[j * MIX_DOFS + i] = 0.2 * test_random_signed(&random);
        f->H[i * MIX_DOFS + i] = 2.5 + test_random_unit(&random);
        f->k[i] = test_random_signed(&random);
    }
    for (int i = 0, row = 0; i < MIX; row += mix[i++].dim)
        for (int c = row; c < row + mix[i].dim; c++)
            for (int r = 6 * i; r < 6 * i + 12; r++)
                f->D[r * MIX_ROWS + c] = test_random_signed(&random);
    for (int i = 0, row = 0; i < MIX; row += mix[i++].dim) {
        double z[CAIRN_BLOCK_DIM_MAX];
        for (int c = 0; c < mix[i].dim; c++) {
            z[c] = 2.0 * test_random_signed(&random);
            f->C[row + c] = i % 2 == 0 ? 0.1 : 0.0;
        }
        cairn_set_get(mix[i].set)->project(&mix[i], z, f->gamma + row);
        for (int c = 0; c < mix[i].dim; c++)
            f->u[row + c] = f->gamma[row + c] - z[c];
        if (law == CAIRN_LAW_COULOMB && mix[i].set == CAIRN_SET_CONE)
            f->u[row] -= mix[i].mu * (mix[i].dim == 3 ? hypot(f->u[row + 1], f->u[row + 2]) : fabs(f->u[row + 1]));
    }
    cairn_problem *first = build(context, f, sparse, law);
    double u[MIX_ROWS];
    cairn_certificate certificate;
    CHECK(cairn_certify(first, NULL, f->gamma, 1e-8, &certificate, u, NULL) == CAIRN_OK);
    cairn_problem_destroy(first);
    for (int j = 0; j < MIX_ROWS; j++)
        f->b[j] = f->u[j] - u[j];
    return build(context, f, sparse, law);
}

TEST(manufactured_mix) {
    static manufactured f;
    cairn_context *context = plain_context(1);
    for (int trial = 0; trial < 12; trial++) {
        cairn_law law = (cairn_law)(trial % 2);
        cairn_problem *problem = manufacture(context, &f, (uint64_t)trial + 100, trial / 2 % 2 == 1, law);
        for (int i = 0; i < BASELINES; i++)
            for (int variant = 0; variant < (i == 1 || i == 2 ? 4 : i == 3 ? 2 : 1); variant++) {
                cairn_settings settings = settings_of(baseline[i], 1e-10);
                settings.colouring = variant % 2 == 1;
                settings.symmetric = variant >= 2;
                settings.precondition = variant == 0;
                outcome a = solve(context, problem, settings);
                CHECK(a.status == CAIRN_OK && a.info.outcome == CAIRN_SOLVED && a.info.certificate.certified);
                if (a.info.outcome != CAIRN_SOLVED)
                    printf("trial %d %s %d: %s %d map %g %s\n", trial, baseline[i], variant,
                           cairn_outcome_name(a.info.outcome), a.info.iterations, a.info.certificate.natural_map,
                           a.info.note);
                for (int j = 0; j < MIX_ROWS; j++)
                    CHECK_NEAR(a.u[j], f.u[j], 1e-7);
                drop(&a);
            }
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* ---- a stack of spheres -------------------------------------------------------------------------------------- */

enum { SPHERES = 5, COLUMNS = 250 };

/* Columns of equal spheres beside each other, each standing on the one below, the lowest on the floor. With a shove the
 * top ones slide. */
static cairn_problem *stack(cairn_context *context, int columns, cairn_law law) {
    int bodies = SPHERES * columns, contacts = bodies, n = 6 * bodies, m = 3 * contacts, entries = 0;
    double *H = calloc((size_t)n, sizeof *H), *k = calloc((size_t)n, sizeof *k), *D = calloc((size_t)m * 6, sizeof *D);
    int *h = calloc((size_t)n, sizeof *h), *row = calloc((size_t)m * 6, sizeof *row),
        *col = calloc((size_t)m * 6, sizeof *col), *start = calloc((size_t)bodies + 1, sizeof *start);
    cairn_block *block = calloc((size_t)contacts, sizeof *block);
    const double radius = 0.1, mass = 1.0, step = 0.01;
    for (int i = 0; i < n; i++) {
        h[i] = i;
        H[i] = i % 6 < 3 ? mass : 0.4 * mass * radius * radius;
    }
    for (int i = 0; i < bodies; i++) {
        int level = i % SPHERES, base = 6 * i;
        start[i + 1] = base + 6;
        k[base + 2] = -mass * 9.81 * step;
        k[base] = level == SPHERES - 1 ? 0.5 + 0.01 * (i / SPHERES) : 0.0;
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3};
        /* u = velocity of the upper sphere's lowest point minus that of the lower one's highest */
        const struct {
            int dof, c;
            double value;
        } part[] = {{base + 2, 0, 1}, {base, 1, 1}, {base + 4, 1, -radius}, {base + 1, 2, 1}, {base + 3, 2, radius}};
        for (int e = 0; e < 5; e++) {
            row[entries] = part[e].dof;
            col[entries] = 3 * i + part[e].c;
            D[entries++] = part[e].value;
            if (level > 0) {
                bool turns = part[e].dof % 6 >= 3;
                row[entries] = part[e].dof - 6;
                col[entries] = 3 * i + part[e].c;
                D[entries++] = turns ? part[e].value : -part[e].value;
            }
        }
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.law = law;
    def.n = n;
    def.m = m;
    def.H = (cairn_sparse){.rows = n, .cols = n, .entries = n, .row = h, .col = h, .value = H};
    def.D = (cairn_sparse){.rows = n, .cols = m, .entries = entries, .row = row, .col = col, .value = D};
    def.k = k;
    def.blocks = contacts;
    def.block = block;
    def.bodies = bodies;
    def.body_start = start;
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    free(H);
    free(k);
    free(D);
    free(h);
    free(row);
    free(col);
    free(start);
    free(block);
    return problem;
}

TEST(stack_of_spheres) {
    cairn_context *context = plain_context(1);
    for (int law = 0; law < 2; law++) {
        cairn_problem *problem = stack(context, 1, (cairn_law)law);
        for (int i = 0; i < BASELINES; i++) {
            outcome a = solve(context, problem, settings_of(baseline[i], 1e-8));
            CHECK(a.info.outcome == CAIRN_SOLVED && a.info.certificate.certified);
            if (law == CAIRN_LAW_COULOMB) /* each contact carries what is above it; the top one slides, none parts */
                for (int j = 0; j < SPHERES; j++) {
                    CHECK_NEAR(a.gamma[3 * j], 0.0981 * (SPHERES - j), 1e-5);
                    CHECK_NEAR(a.u[3 * j], 0.0, 1e-5);
                }
            else
                CHECK(a.u[3 * (SPHERES - 1)] > 0.05); /* the convex law lifts what slides */
            drop(&a);
        }
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

TEST(same_bits_for_every_number_of_threads) {
    for (int i = 0; i < BASELINES; i++) {
        outcome first = {0};
        for (int threads = 1; threads <= 4; threads *= 2) {
            cairn_context *context = plain_context(threads);
            cairn_problem *problem = stack(context, COLUMNS, CAIRN_LAW_COULOMB);
            cairn_settings settings = settings_of(baseline[i], 1e-8);
            settings.colouring = true;
            settings.max_iterations = 200;
            outcome a = solve(context, problem, settings);
            CHECK(a.status == CAIRN_OK && a.info.iterations > 3);
            if (threads == 1) {
                first = a;
            } else {
                CHECK(a.info.iterations == first.info.iterations);
                CHECK(memcmp(a.gamma, first.gamma, 3 * COLUMNS * SPHERES * sizeof(double)) == 0);
                drop(&a);
            }
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
        }
        drop(&first);
    }
}

/* No two blocks of one colour meet in N; every block has one colour. */
static int count_conflicts(cairn_context *context, const cairn_problem *problem) {
    cairn_settings settings = settings_of("pgs", 1e-8);
    settings.colouring = true;
    cairn_run run = {.context = context, .problem = problem, .settings = &settings};
    cairn_sweep *sweep = NULL;
    cairn_delassus N = {0};
    int conflicts = 0, blocks = problem->blocks;
    int *colour = calloc((size_t)blocks, sizeof *colour);
    CHECK(cairn_operator_create(problem, &run.op) == CAIRN_OK);
    CHECK(cairn_operator_delassus(run.op, 1e9, &N) == CAIRN_OK);
    CHECK(cairn_sweep_create(&run, &sweep) == CAIRN_OK);
    CHECK(sweep->colour_start[sweep->colours] == (sweep->is_packed ? sweep->packed.groups : blocks));
    for (int c = 0; c < sweep->colours; c++)
        for (int i = sweep->colour_start[c]; i < sweep->colour_start[c + 1]; i++)
            for (int l = 0; l < (sweep->is_packed ? CAIRN_CONTACT_KERNEL_LANES : 1); l++) {
                int block = sweep->is_packed ? sweep->packed.group[i].row[l] / 3 : sweep->order[i];
                if (block < blocks)
                    colour[block] += c + 1;
            }
    for (int i = 0; i < blocks; i++)
        for (int e = N.start[i]; e < N.start[i + 1]; e++)
            conflicts += colour[i] < 1 || (N.index[e] != i && colour[N.index[e]] == colour[i]);
    cairn_delassus_free(context, &N);
    cairn_sweep_destroy(context, sweep);
    cairn_operator_destroy(run.op);
    free(colour);
    return conflicts;
}

TEST(colours_share_nothing) {
    static manufactured f;
    cairn_context *context = plain_context(1);
    for (int kind = 0; kind < 3; kind++) {
        cairn_problem *problem = kind == 0 ? stack(context, 4, CAIRN_LAW_COULOMB)
                                           : manufacture(context, &f, 5, kind == 2, CAIRN_LAW_COULOMB);
        CHECK(count_conflicts(context, problem) == 0);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* What a sweep keeps beside gamma is what gamma says: v = H^-1(k + D gamma), without waiting for a refresh. */
TEST(sweeps_keep_velocities) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = stack(context, 2, CAIRN_LAW_COULOMB);
    cairn_settings settings = settings_of("pgs", 1e-8);
    double scale[3 * 2 * SPHERES], kept[6 * 2 * SPHERES];
    cairn_run run = {.context = context, .problem = problem, .settings = &settings, .row_scale = scale};
    cairn_sweep *sweep = NULL;
    CHECK(cairn_operator_create(problem, &run.op) == CAIRN_OK);
    for (int j = 0; j < problem->m; j++)
        scale[j] = cairn_operator_scale(run.op)[j / 3];
    CHECK(cairn_sweep_create(&run, &sweep) == CAIRN_OK);
    cairn_sweep_refresh(&run, sweep);
    for (int pass = 0; pass < 4; pass++)
        cairn_sweep_run(&run, sweep, 1.2, pass % 2 == 1);
    memcpy(kept, sweep->v, sizeof kept);
    cairn_sweep_refresh(&run, sweep);
    double moved = 0.0;
    for (int i = 0; i < problem->n; i++) {
        CHECK_NEAR(kept[i], sweep->v[i], 1e-12);
        moved = fmax(moved, fabs(kept[i]));
    }
    CHECK(moved > 0.1);
    cairn_sweep_destroy(context, sweep);
    cairn_operator_destroy(run.op);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Three beads on a rod, each may only push the next; the first hits a wall, the others fly off. Single unilateral rows: the law of the row just visited,
 * and v. */
TEST(single_rows_keep_velocities) {
    enum { BEADS = 3 };
    cairn_context *context = plain_context(1);
    int at[BEADS] = {0, 1, 2}, row[5] = {0, 0, 1, 1, 2}, column[5] = {0, 1, 1, 2, 2};
    double mass[BEADS] = {1.0, 2.0, 0.5}, D[5] = {1.0, -1.0, 1.0, -1.0, 1.0}, k[BEADS] = {-3.0, 2.0, 2.0};
    double b[BEADS] = {0.1, 0.2, 0.0}, scale[BEADS], kept[BEADS];
    cairn_block block[BEADS];
    for (int i = 0; i < BEADS; i++)
        block[i] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = def.m = def.blocks = BEADS;
    def.H = (cairn_sparse){.rows = BEADS, .cols = BEADS, .entries = BEADS, .row = at, .col = at, .value = mass};
    def.D = (cairn_sparse){.rows = BEADS, .cols = BEADS, .entries = 5, .row = row, .col = column, .value = D};
    def.k = k;
    def.b = b;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    cairn_settings settings = settings_of("pgs", 1e-8);
    cairn_run run = {.context = context, .problem = problem, .settings = &settings, .row_scale = scale};
    cairn_sweep *sweep = NULL;
    CHECK(cairn_operator_create(problem, &run.op) == CAIRN_OK);
    for (int j = 0; j < BEADS; j++)
        scale[j] = cairn_operator_scale(run.op)[j];
    CHECK(cairn_sweep_create(&run, &sweep) == CAIRN_OK && sweep->by_velocity);
    cairn_sweep_refresh(&run, sweep);
    for (int pass = 0; pass < 3; pass++)
        cairn_sweep_run(&run, sweep, 1.0, false);
    memcpy(kept, sweep->v, sizeof kept);
    cairn_sweep_refresh(&run, sweep);
    for (int i = 0; i < BEADS; i++)
        CHECK_NEAR(kept[i], sweep->v[i], 1e-14);
    CHECK(sweep->gamma[0] > 1.0 && sweep->gamma[1] == 0.0 && sweep->gamma[2] == 0.0); /* by hand: 2.9, 0, 0 */
    CHECK_NEAR(sweep->gamma[0], 2.9, 1e-14);
    CHECK_NEAR(sweep->v[0] + b[0], 0.0, 1e-14);
    cairn_sweep_destroy(context, sweep);
    cairn_operator_destroy(run.op);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* ---- memory and warm starts ------------------------------------------------------------------------------------ */

TEST(memory) {
    static manufactured f;
    for (int i = 0; i < BASELINES; i++)
        for (int sparse = 0; sparse < 2; sparse++) {
            counting_allocator allocator = {.fail_at = -1};
            cairn_context *context = counting_context(&allocator, 1);
            cairn_problem *problem = manufacture(context, &f, 100, sparse == 1, CAIRN_LAW_ASSOCIATED);
            cairn_settings settings = settings_of(baseline[i], 1e-8);
            settings.colouring = true;
            cairn_solver *solver = NULL;
            CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
            int before = allocator.live, tries = 0;
            cairn_status status = CAIRN_ERROR_MEMORY;
            for (; status != CAIRN_OK && tries < 300; tries++) {
                allocator.fail_at = allocator.allocations + tries;
                status = cairn_solver_load(solver, problem);
                CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
                CHECK(status == CAIRN_OK || allocator.live <= before + 1); /* the driver keeps its arena */
            }
            CHECK(status == CAIRN_OK);
            allocator.fail_at = -1;
            int taken = allocator.allocations;
            cairn_info info;
            cairn_answer answer;
            CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
            double gamma[MIX_ROWS];
            memcpy(gamma, answer.gamma, sizeof gamma);
            cairn_guess guess = {.gamma = gamma};
            int cold = info.iterations;
            CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
            CHECK(info.iterations <= 5 && info.iterations < cold);
            CHECK(allocator.allocations == taken);
            cairn_solver_destroy(solver);
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
            CHECK(allocator.live == 0);
        }
}

int main(void) {
    RUN(one_cone_satisfies_its_law);
    RUN(one_cone_without_answer);
    RUN(closed_forms);
    RUN(manufactured_mix);
    RUN(stack_of_spheres);
    RUN(same_bits_for_every_number_of_threads);
    RUN(colours_share_nothing);
    RUN(sweeps_keep_velocities);
    RUN(single_rows_keep_velocities);
    RUN(memory);
    return test_end();
}
