/*
 * side_siconos.c: the solvers of Siconos Numerics. Its structures are built in memory from Cairn's view of the problem:
 *
 *     global   M v = H r + q,  u = H' v + b      M = H of Cairn, H = D, q = k, b = b
 *     local    u = M r + q                       M = N of Cairn, q = b
 *
 * Building them is not timed; the driver call is. What its structures own is left to the end of the process.
 */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

/* Compressed columns to Siconos' sparse matrix. Every entry is kept, however small. */
static NumericsMatrix *sparse_matrix(int rows, int cols, const int *start, const int *index, const double *value) {
    NumericsMatrix *matrix = NM_create(NM_SPARSE, rows, cols);
    NM_triplet_alloc(matrix, start[cols] > 0 ? start[cols] : 1);
    matrix->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < cols; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            CSparseMatrix_entry(matrix->matrix2->triplet, index[k], j, value[k]);
    return matrix;
}

/* The same in 3 x 3 blocks, which its Gauss-Seidel is fastest with. */
static NumericsMatrix *block_matrix(int rows, const int *start, const int *index, const double *value) {
    NumericsMatrix *sparse = sparse_matrix(rows, rows, start, index, value);
    SparseBlockStructuredMatrix *blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(sparse), blocks);
    return NM_new_SBM(rows, rows, blocks);
}

static double *copy(const double *x, int n) {
    double *y = calloc((size_t)n + 1, sizeof *y);
    if (y != NULL && n > 0)
        memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static double *friction(const cairn_problem_view *view) {
    double *mu = calloc((size_t)view->blocks + 1, sizeof *mu);
    for (int i = 0; mu != NULL && i < view->blocks; i++)
        mu[i] = view->block[i].mu;
    return mu;
}

static bool is_admm(const race_peer *peer) {
    return peer->id == SICONOS_GLOBAL_FRICTION_3D_ADMM || peer->id == SICONOS_FRICTION_3D_ADMM;
}

static SolverOptions *make_options(const race_peer *peer, cairn_law law, double tolerance) {
    SolverOptions *options = solver_options_create(peer->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance / peer->tighten;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = peer->iterations;
    if (peer->balancing)
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
    if (is_admm(peer) && law == CAIRN_LAW_ASSOCIATED)
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_UPDATE_S] = SICONOS_FRICTION_3D_ADMM_UPDATE_S_NO;
    return options;
}

static GlobalFrictionContactProblem *global_problem(const cairn_problem_view *view) {
    GlobalFrictionContactProblem *problem = globalFrictionContactProblem_new();
    problem->dimension = 3;
    problem->numberOfContacts = view->blocks;
    problem->M = sparse_matrix(view->n, view->n, view->H_start, view->H_index, view->H_value);
    problem->H = sparse_matrix(view->n, view->m, view->D_start, view->D_index, view->D_value);
    problem->q = copy(view->k, view->n);
    problem->b = copy(view->b, view->m);
    problem->mu = friction(view);
    return problem;
}

void race_reduce_siconos(const void *peer, const race_problem *problem, double tolerance, race_result *result) {
    (void)peer;
    (void)tolerance;
    cairn_problem_view view = cairn_problem_get(problem->file.problem);
    numerics_set_verbose(0);
    GlobalFrictionContactProblem *global = global_problem(&view);
    double begin = guard_clock();
    FrictionContactProblem *local = globalFrictionContact_reformulation_FrictionContact(global);
    result->seconds = guard_clock() - begin;
    result->finished = local != NULL;
}

static void solve_global(const race_peer *peer, const cairn_problem_view *view, cairn_law law, double tolerance,
                         race_result *result) {
    GlobalFrictionContactProblem *problem = global_problem(view);
    SolverOptions *options = make_options(peer, law, tolerance);
    double *r = calloc((size_t)view->m, sizeof *r), *u = calloc((size_t)view->m, sizeof *u);
    double *v = calloc((size_t)view->n, sizeof *v);
    double begin = guard_clock();
    result->verdict = gfc3d_driver(problem, r, u, v, options);
    result->seconds = result->inner = guard_clock() - begin;
    result->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    memcpy(result->gamma, r, (size_t)view->m * sizeof *r);
    result->finished = 1;
}

static void solve_local(const race_peer *peer, const cairn_problem_view *view, cairn_law law, double tolerance,
                        race_result *result) {
    bool blocks = peer->id == SICONOS_FRICTION_3D_NSGS;
    FrictionContactProblem *problem = frictionContactProblem_new();
    problem->dimension = 3;
    problem->numberOfContacts = view->blocks;
    problem->M = blocks ? block_matrix(view->m, view->H_start, view->H_index, view->H_value)
                        : sparse_matrix(view->m, view->m, view->H_start, view->H_index, view->H_value);
    problem->q = copy(view->b, view->m);
    problem->mu = friction(view);
    SolverOptions *options = make_options(peer, law, tolerance);
    double *r = calloc((size_t)view->m, sizeof *r), *u = calloc((size_t)view->m, sizeof *u);
    double begin = guard_clock();
    result->verdict = fc3d_driver(problem, r, u, options);
    result->seconds = result->inner = guard_clock() - begin;
    result->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    memcpy(result->gamma, r, (size_t)view->m * sizeof *r);
    result->finished = 1;
}

static void solve_siconos(const void *data, const race_problem *problem, double tolerance, race_result *result) {
    const race_peer *peer = data;
    cairn_problem_view view = cairn_problem_get(peer->global ? problem->file.problem : problem->local);
    cairn_law law = cairn_problem_get(problem->file.problem).law;
    numerics_set_verbose(0);
    if (peer->global && !view.local)
        solve_global(peer, &view, law, tolerance, result);
    if (!peer->global)
        solve_local(peer, &view, law, tolerance, result);
}

const race_peer race_siconos[RACE_SICONOS_PEERS] = {
    {.name = "gadmm-rb",
     .note = "global ADMM, residual balancing, own tolerance tightened 2.5 times",
     .solve = solve_siconos,
     .coulomb = true,
     .associated = true,
     .global = true,
     .id = SICONOS_GLOBAL_FRICTION_3D_ADMM,
     .balancing = 1,
     .tighten = 2.5,
     .iterations = 100000},
    {.name = "gadmm",
     .note = "global ADMM, default settings",
     .solve = solve_siconos,
     .coulomb = true,
     .associated = true,
     .global = true,
     .id = SICONOS_GLOBAL_FRICTION_3D_ADMM,
     .tighten = 1.0,
     .iterations = 100000},
    {.name = "ladmm",
     .note = "local ADMM, N given",
     .solve = solve_siconos,
     .coulomb = true,
     .associated = true,
     .id = SICONOS_FRICTION_3D_ADMM,
     .tighten = 1.0,
     .iterations = 100000},
    {.name = "nsgs",
     .note = "local Gauss-Seidel, N given",
     .solve = solve_siconos,
     .coulomb = true,
     .id = SICONOS_FRICTION_3D_NSGS,
     .tighten = 1.0,
     .iterations = 1000000},
    {.name = "nsn-ac",
     .note = "local semismooth Newton (Alart-Curnier), N given",
     .solve = solve_siconos,
     .coulomb = true,
     .newton = true,
     .id = SICONOS_FRICTION_3D_NSN_AC,
     .tighten = 1.0,
     .iterations = 1000},
    {.name = "nsn-fb",
     .note = "local semismooth Newton (Fischer-Burmeister), N given",
     .solve = solve_siconos,
     .coulomb = true,
     .newton = true,
     .id = SICONOS_FRICTION_3D_NSN_FB,
     .tighten = 1.0,
     .iterations = 1000},
    {.name = "gnsn-ac",
     .note = "global semismooth Newton (Alart-Curnier)",
     .solve = solve_siconos,
     .coulomb = true,
     .newton = true,
     .global = true,
     .id = SICONOS_GLOBAL_FRICTION_3D_NSN_AC,
     .tighten = 1.0,
     .iterations = 1000},
    {.name = "gnsgs",
     .note = "local Gauss-Seidel behind its own reduction to N, which is counted",
     .solve = solve_siconos,
     .coulomb = true,
     .newton = true,
     .global = true,
     .id = SICONOS_GLOBAL_FRICTION_3D_NSGS_WR,
     .tighten = 1.0,
     .iterations = 1000000},
    {.name = "gipm",
     .note = "global interior point; it knows the associated law only; own tolerance tightened 10 times",
     .solve = solve_siconos,
     .associated = true,
     .global = true,
     .id = SICONOS_GLOBAL_FRICTION_3D_IPM,
     .tighten = 10.0,
     .iterations = 1000},
};
