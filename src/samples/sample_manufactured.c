/*
 * sample_manufactured.c: a random problem with every kind of set and an answer known beforehand
 * [theory 1].
 *
 * For each block draw z and put gamma = P(z), u~ = gamma - z: then -u~ is in the normal cone of the
 * set at gamma. From u~ follows u: for plain Coulomb cones under the exact law u_T = u~_T, u_N =
 * u~_N - mu |u_T|; else u = u~. Then draw v and back out k = H v - D gamma, b = u - D'v - C gamma.
 * No system is solved.
 *
 * H has dense random blocks of six rows, with masses over `spread` decades; each constraint touches
 * one or two bodies; every fifth has compliance. The answer is exact up to rounding of k and b; it
 * need not be the only one.
 */
#include "samples/sample.h"

#include "sets/sets.h"

#include <math.h>

#define BODY 6

typedef struct drawing {
    cairn_context *context;
    const cairn_sample_def *def;
    uint64_t random;
    int n, m, blocks, bodies;
    cairn_arena arena;
    cairn_block *block;        /* blocks */
    double *v, *k, *mass;      /* n, n, bodies */
    double *gamma, *u, *b, *C; /* m each */
    int *H_row, *H_col;        /* 36 bodies */
    double *H_value;
    int *D_start, *D_row; /* m + 1, 12 m: compressed columns */
    double *D_value;
    int *body_start; /* bodies + 1 */
} drawing;

/* A set of the user's making: 0 <= x_0 <= 2 and |(x_1, ...)| <= 1, a can. */
static void can_project(void *user, int dim, const double *x, double *projection) {
    (void)user;
    double radius = 0.0;
    for (int i = 1; i < dim; i++)
        radius += x[i] * x[i];
    radius = sqrt(radius);
    projection[0] = fmin(fmax(x[0], 0.0), 2.0);
    for (int i = 1; i < dim; i++)
        projection[i] = radius > 1.0 ? x[i] / radius : x[i];
}

static double can_support(void *user, int dim, const double *direction) {
    (void)user;
    double radius = 0.0;
    for (int i = 1; i < dim; i++)
        radius += direction[i] * direction[i];
    return 2.0 * fmax(direction[0], 0.0) + sqrt(radius);
}

static const cairn_custom_set can = {.project = can_project, .support = can_support};

/* The kinds by turns, plain cones most often. Parameters are drawn even where a kind ignores
 * them. */
static cairn_block draw_block(uint64_t *random, int index, double mu) {
    static const struct {
        cairn_set_kind set;
        int dim;
    } turn[] = {{CAIRN_SET_CONE, 3},         {CAIRN_SET_BILATERAL, 3},   {CAIRN_SET_CONE, 3},
                {CAIRN_SET_NONNEGATIVE, 1},  {CAIRN_SET_BOX, 2},         {CAIRN_SET_CONE, 2},
                {CAIRN_SET_BALL, 5},         {CAIRN_SET_CAPPED_CONE, 3}, {CAIRN_SET_POLY_CONE, 3},
                {CAIRN_SET_SHIFTED_CONE, 3}, {CAIRN_SET_DUAL_CONE, 3},   {CAIRN_SET_CUSTOM, 3},
                {CAIRN_SET_BILATERAL, 1},    {CAIRN_SET_NONNEGATIVE, 3}, {CAIRN_SET_CAPPED_CONE, 2}};
    int kinds = (int)(sizeof turn / sizeof turn[0]);
    cairn_block block = {.set = turn[index % kinds].set, .dim = turn[index % kinds].dim, .custom = &can};
    block.mu = index % 7 == 6 ? 0.0 : 2.0 * mu * cairn_sample_unit(random);
    block.directions = 4 + 2 * (index % 5);
    block.lo = -cairn_sample_unit(random);
    block.hi = cairn_sample_unit(random);
    block.radius = cairn_sample_unit(random);
    block.cap = cairn_sample_unit(random);
    block.adhesion = cairn_sample_unit(random);
    return block;
}

/* Everything the sizes need: blocks, and with them m. Called twice with the same seed. */
static void draw_blocks(drawing *d, cairn_block *block) {
    d->m = 0;
    for (int i = 0; i < d->blocks; i++) {
        cairn_block drawn = draw_block(&d->random, i, d->def->mu);
        d->m += drawn.dim;
        if (block != NULL)
            block[i] = drawn;
    }
}

static void layout(drawing *d) {
    size_t n = (size_t)d->n, m = (size_t)d->m, bodies = (size_t)d->bodies;
    d->block = cairn_arena_take(&d->arena, (size_t)d->blocks, sizeof *d->block);
    d->v = cairn_arena_take(&d->arena, n, sizeof *d->v);
    d->k = cairn_arena_take(&d->arena, n, sizeof *d->k);
    d->mass = cairn_arena_take(&d->arena, bodies, sizeof *d->mass);
    d->gamma = cairn_arena_take(&d->arena, m, sizeof *d->gamma);
    d->u = cairn_arena_take(&d->arena, m, sizeof *d->u);
    d->b = cairn_arena_take(&d->arena, m, sizeof *d->b);
    d->C = cairn_arena_take(&d->arena, m, sizeof *d->C);
    d->H_row = cairn_arena_take(&d->arena, BODY * n, sizeof *d->H_row);
    d->H_col = cairn_arena_take(&d->arena, BODY * n, sizeof *d->H_col);
    d->H_value = cairn_arena_take(&d->arena, BODY * n, sizeof *d->H_value);
    d->D_start = cairn_arena_take(&d->arena, m + 1, sizeof *d->D_start);
    d->D_row = cairn_arena_take(&d->arena, 2 * BODY * m, sizeof *d->D_row);
    d->D_value = cairn_arena_take(&d->arena, 2 * BODY * m, sizeof *d->D_value);
    d->body_start = cairn_arena_take(&d->arena, bodies + 1, sizeof *d->body_start);
}

/* H_body = mass (I + A A'/6), A random with entries in [-1, 1); k = H v so far. */
static void draw_mass(drawing *d) {
    for (int body = 0, entry = 0; body < d->bodies; body++) {
        double A[BODY][BODY];
        d->mass[body] = d->def->mass * pow(10.0, d->def->spread * cairn_sample_unit(&d->random));
        d->body_start[body + 1] = BODY * (body + 1);
        for (int i = 0; i < BODY; i++) {
            d->v[BODY * body + i] = cairn_sample_signed(&d->random);
            for (int j = 0; j < BODY; j++)
                A[i][j] = cairn_sample_signed(&d->random);
        }
        for (int i = 0; i < BODY; i++)
            for (int j = 0; j < BODY; j++, entry++) {
                double sum = i == j ? 1.0 : 0.0;
                for (int l = 0; l < BODY; l++)
                    sum += A[i][l] * A[j][l] / BODY;
                d->H_row[entry] = BODY * body + i;
                d->H_col[entry] = BODY * body + j;
                d->H_value[entry] = d->mass[body] * sum;
                d->k[BODY * body + i] += d->H_value[entry] * d->v[BODY * body + j];
            }
    }
}

/* One block's answer, in impulses of the size of its lighter body, so that each block has a fair
 * part in the whole. */
static void draw_answer(drawing *d, int row, cairn_block *block, double scale) {
    double z[CAIRN_BLOCK_DIM_MAX], *gamma = d->gamma + row, *u = d->u + row;
    block->lo *= scale;
    block->hi *= scale;
    block->radius *= scale;
    block->cap *= scale;
    block->adhesion *= scale;
    for (int i = 0; i < block->dim; i++)
        z[i] = scale * 2.0 * cairn_sample_signed(&d->random);
    cairn_set_get(block->set)->project(block, z, gamma);
    for (int i = 0; i < block->dim; i++)
        u[i] = (gamma[i] - z[i]) / scale;
    if (block->set == CAIRN_SET_CONE && d->def->law == CAIRN_LAW_COULOMB)
        u[0] -= block->mu * (block->dim == 2 ? fabs(u[1]) : hypot(u[1], u[2]));
    if (block->set == CAIRN_SET_POLY_CONE && d->def->law == CAIRN_LAW_COULOMB)
        u[0] -= block->mu * cairn_poly_speed(block, u);
}

static void draw_rows(drawing *d) {
    for (int i = 0, row = 0; i < d->blocks; i++) {
        int first = i % d->bodies, second = (first + 1 + (int)(cairn_sample_unit(&d->random) * d->bodies)) % d->bodies;
        bool pair = i % 3 != 0 && second != first, soft = i % 5 == 4;
        double lighter = pair ? fmin(d->mass[first], d->mass[second]) : d->mass[first];
        /* The can has its size from its callbacks, so its block lives with impulses of size 1. */
        draw_answer(d, row, &d->block[i], d->block[i].set == CAIRN_SET_CUSTOM ? 1.0 : lighter);
        for (int end = row + d->block[i].dim; row < end; row++) {
            double slip = 0.0;
            int entry = d->D_start[row];
            for (int side = 0; side < (pair ? 2 : 1); side++)
                for (int j = 0; j < BODY; j++, entry++) {
                    int at = BODY * (side == 0 ? first : second) + j;
                    d->D_row[entry] = at;
                    d->D_value[entry] = cairn_sample_signed(&d->random);
                    slip += d->D_value[entry] * d->v[at];
                    d->k[at] -= d->D_value[entry] * d->gamma[row];
                }
            d->D_start[row + 1] = entry;
            d->C[row] = soft ? cairn_sample_unit(&d->random) / lighter : 0.0;
            d->b[row] = d->u[row] - slip - d->C[row] * d->gamma[row];
        }
    }
}

static cairn_status make_problem(const drawing *d, cairn_problem **problem) {
    cairn_problem_def def = cairn_default_problem_def();
    def.law = d->def->law;
    def.n = d->n;
    def.m = d->m;
    def.H = (cairn_sparse){
        .rows = d->n, .cols = d->n, .entries = BODY * d->n, .row = d->H_row, .col = d->H_col, .value = d->H_value};
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                           .rows = d->n,
                           .cols = d->m,
                           .start = d->D_start,
                           .row = d->D_row,
                           .value = d->D_value};
    def.k = d->k;
    def.b = d->b;
    def.C = d->C;
    def.blocks = d->blocks;
    def.block = d->block;
    def.bodies = d->bodies;
    def.body_start = d->body_start;
    return cairn_problem_create(d->context, &def, problem);
}

cairn_status cairn_sample_manufactured(cairn_context *context, const cairn_sample_def *def, cairn_problem **problem,
                                       int m, double *gamma, double *u) {
    drawing d = {.context = context, .def = def, .random = def->seed, .blocks = def->count};
    d.bodies = 1 + def->count / 3;
    d.n = BODY * d.bodies;
    draw_blocks(&d, NULL);
    if (problem == NULL && m != d.m)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "m is %d, the sample has %d rows", m, d.m);
    layout(&d);
    cairn_status status = cairn_arena_reserve(context, &d.arena);
    if (status != CAIRN_OK)
        return status;
    layout(&d);
    d.random = def->seed;
    draw_blocks(&d, d.block);
    draw_mass(&d);
    draw_rows(&d);
    if (problem != NULL)
        status = make_problem(&d, problem);
    for (int i = 0; i < m; i++) {
        if (gamma != NULL)
            gamma[i] = d.gamma[i];
        if (u != NULL)
            u[i] = d.u[i];
    }
    cairn_arena_free(context, &d.arena);
    return status;
}
