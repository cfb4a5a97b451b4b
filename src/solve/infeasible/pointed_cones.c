/*
 * pointed_cones.c: are the friction cones of a problem pointed? The regularity assumption of [A].
 *
 * They are not exactly if impulses in the cones, not all zero, balance each other with reactions of
 * rigid joints: D gamma = 0. Such impulses may be added to any answer, bodies are jammed, and no
 * bound on impulses holds. By duality the cones are pointed exactly if a motion that keeps the
 * joints parts all contacts, beyond what sliding asks: u_N > mu |u_T|. One strictly convex problem
 * tells which, with k = 0, b_N = -1 and a slight give C = SOFT n_i:
 *
 *     min gamma'N gamma/2 + gamma'C gamma/2 - sum gamma_N,   gamma in the cones,   u = N gamma
 *
 * In its answer u_N - mu |u_T| >= 1 but for C gamma. Where the cones are pointed gamma has a bound,
 * and u is such a motion. Where they are not gamma grows as 1/SOFT, and gamma/sum gamma_N are such
 * impulses: of them |D gamma|^2 = gamma'N gamma in the metric of the masses. Either proof is looked
 * at itself; where neither holds nothing is said.
 */
#include "problem/problem_data.h"

#include <cairn/solver.h>

#include <math.h>
#include <string.h>

#define SOFT      1e-9
#define PARTS     0.5  /* of the velocity asked for: what a motion must part contacts with, */
#define KEEPS     1e-6 /* and of the largest velocity: what joints may move */
#define BALANCED  1e-6 /* of the sum of normal impulses, in the metric of the masses */
#define PUSHES    1e-3 /* of the largest impulse: contacts that are counted among those that are jammed */
#define ROWS_MOST 20000

/* Everything that the question takes beside the problem itself. */
typedef struct question {
    const cairn_problem_view *view;
    cairn_block *block;
    double *scale; /* blocks: n_i, */
    double *b, *C, *u;
} question;

static bool has_friction(const cairn_block *block) {
    return block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_POLY_CONE;
}

static bool is_contact(const cairn_block *block) {
    return has_friction(block) || block->set == CAIRN_SET_NONNEGATIVE;
}

/* The cone of a contact; what is bounded, as motors and dry friction in joints are, has none and
 * pushes nothing. */
static cairn_block cone_of(const cairn_block *block) {
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_CONE:
    case CAIRN_SET_POLY_CONE:
        return *block;
    case CAIRN_SET_SHIFTED_CONE:
    case CAIRN_SET_CAPPED_CONE:
        return (cairn_block){.set = CAIRN_SET_CONE, .dim = block->dim, .mu = block->mu};
    default:
        return (cairn_block){.set = CAIRN_SET_BALL, .dim = block->dim, .radius = 0.0};
    }
}

static double diagonal(const int *start, const int *index, const double *value, int j) {
    for (int e = start[j]; e < start[j + 1]; e++)
        if (index[e] == j)
            return value[e];
    return 0.0;
}

/* About what an impulse on a row does to the row's own velocity. */
static double own_effect(const cairn_problem_view *v, int row) {
    double sum = 0.0;
    if (v->local)
        return diagonal(v->H_start, v->H_index, v->H_value, row);
    for (int e = v->D_start[row]; e < v->D_start[row + 1]; e++)
        sum += v->D_value[e] * v->D_value[e] / diagonal(v->H_start, v->H_index, v->H_value, v->D_index[e]);
    return sum;
}

static void ask(question *q) {
    const cairn_problem_view *v = q->view;
    for (int i = 0; i < v->blocks; i++) {
        int row = v->block_start[i], dim = v->block[i].dim;
        q->block[i] = cone_of(&v->block[i]);
        q->scale[i] = 0.0;
        for (int k = 0; k < dim; k++)
            q->scale[i] += own_effect(v, row + k) / dim;
        for (int k = 0; k < dim; k++) {
            bool normal = q->block[i].set == CAIRN_SET_NONNEGATIVE || (has_friction(&q->block[i]) && k == 0);
            q->b[row + k] = normal ? -1.0 : 0.0;
            q->C[row + k] = is_contact(&q->block[i]) ? SOFT * q->scale[i] : 0.0;
        }
    }
}

static cairn_status build(cairn_context *context, const question *q, cairn_problem **problem) {
    const cairn_problem_view *v = q->view;
    cairn_problem_def def = cairn_default_problem_def();
    def.law = CAIRN_LAW_ASSOCIATED;
    def.n = v->n;
    def.m = v->m;
    cairn_sparse matrix = {.format = CAIRN_SPARSE_COLUMNS,
                           .rows = v->local ? v->m : v->n,
                           .cols = v->local ? v->m : v->n,
                           .start = v->H_start,
                           .row = v->H_index,
                           .value = v->H_value};
    if (v->local) {
        def.N = matrix;
        def.N_unsymmetric = v->unsymmetric;
    } else {
        def.H = matrix;
        def.H_unsymmetric = v->unsymmetric;
        def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                               .rows = v->n,
                               .cols = v->m,
                               .start = v->D_start,
                               .row = v->D_index,
                               .value = v->D_value};
        def.bodies = v->bodies;
        def.body_start = v->body_start;
    }
    def.b = q->b;
    def.C = q->C;
    def.blocks = v->blocks;
    def.block = q->block;
    return cairn_problem_create(context, &def, problem);
}

/* How far sliding lifts the cone of a contact: the largest u_T'x_T of x_T in its section, the
 * unit disc or polygon. */
static double sliding(const cairn_block *block, const double *u) {
    double most = 0.0, across = block->dim == 3 ? u[2] : 0.0;
    if (block->set != CAIRN_SET_POLY_CONE || block->dim == 2)
        return hypot(u[1], across);
    for (int k = 0; k < block->directions; k++) {
        double angle = 2.0 * acos(-1.0) * k / block->directions;
        most = fmax(most, u[1] * cos(angle) + across * sin(angle));
    }
    return most;
}

/* u_N - mu |u_T| of a contact with friction, the least component of others. */
static double parting(const cairn_block *block, const double *u) {
    double least = u[0];
    for (int k = 1; k < block->dim && !has_friction(block); k++)
        least = fmin(least, u[k]);
    return has_friction(block) ? u[0] - block->mu * sliding(block, u) : least;
}

/* Looks at both proofs. */
static void judge(const question *q, const double *gamma, double *impulses, cairn_pointed *out) {
    const cairn_problem_view *v = q->view;
    double parts = INFINITY, moved = 0.0, fastest = 1.0, work = 0.0, sum = 0.0, most = 0.0;
    for (int i = 0; i < v->blocks; i++) {
        const cairn_block *block = &q->block[i];
        const double *g = gamma + v->block_start[i];
        double *u = q->u + v->block_start[i];
        for (int k = 0; k < block->dim; k++) {
            u[k] -= q->b[v->block_start[i] + k] + q->C[v->block_start[i] + k] * g[k];
            fastest = fmax(fastest, fabs(u[k]));
            work += g[k] * u[k];
            moved = block->set == CAIRN_SET_BILATERAL ? fmax(moved, fabs(u[k])) : moved;
            bool normal = block->set == CAIRN_SET_NONNEGATIVE || (has_friction(block) && k == 0);
            sum += normal ? sqrt(q->scale[i]) * g[k] : 0.0;
            most = normal ? fmax(most, sqrt(q->scale[i]) * g[k]) : most;
        }
        if (is_contact(block))
            parts = fmin(parts, parting(block, u));
    }
    if (parts >= PARTS && moved <= KEEPS * fastest)
        out->verdict = CAIRN_POINTED;
    else if (sum > 0.0 && work <= BALANCED * BALANCED * sum * sum)
        out->verdict = CAIRN_NOT_POINTED;
    for (int i = 0; i < v->blocks && out->verdict == CAIRN_NOT_POINTED; i++)
        out->jammed += is_contact(&q->block[i]) && sqrt(q->scale[i]) * gamma[v->block_start[i]] > PUSHES * most;
    for (int r = 0; r < v->m && impulses != NULL && out->verdict == CAIRN_NOT_POINTED; r++)
        impulses[r] = gamma[r] / sum;
}

static cairn_status solve(cairn_context *context, const question *q, double *impulses, cairn_pointed *out) {
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    cairn_certificate certificate;
    cairn_settings settings = cairn_default_settings("auto");
    settings.tolerance = 1e-3;
    settings.tolerance_velocity = 1e-2;
    settings.tolerance_plain = 0.0;
    cairn_status status = build(context, q, &problem);
    if (status == CAIRN_OK)
        status = cairn_solver_create(context, &settings, &solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(solver, problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, NULL, &answer, &info);
    if (status == CAIRN_OK)
        status = cairn_certify(problem, NULL, answer.gamma, settings.tolerance, &certificate, q->u, NULL);
    if (status == CAIRN_OK)
        judge(q, answer.gamma, impulses, out);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    return status;
}

cairn_status cairn_problem_pointed(const cairn_problem *problem, double *impulses, cairn_pointed *pointed) {
    if (problem == NULL || pointed == NULL)
        return cairn_fail(problem != NULL ? problem->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_problem_pointed: an argument is NULL");
    cairn_context *context = problem->context;
    cairn_problem_view view = cairn_problem_get(problem);
    size_t m = (size_t)view.m, blocks = (size_t)view.blocks;
    *pointed = (cairn_pointed){.verdict = CAIRN_POINTED_UNKNOWN};
    if (view.m > ROWS_MOST)
        return CAIRN_OK;
    question q = {.view = &view,
                  .block = cairn_alloc(context, blocks, sizeof *q.block),
                  .scale = cairn_alloc(context, blocks + 3 * m, sizeof *q.scale)};
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (q.block != NULL && q.scale != NULL) {
        q.b = q.scale + blocks;
        q.C = q.b + m;
        q.u = q.C + m;
        ask(&q);
        status = solve(context, &q, impulses, pointed);
    }
    cairn_free(context, q.scale);
    cairn_free(context, q.block);
    return status;
}
