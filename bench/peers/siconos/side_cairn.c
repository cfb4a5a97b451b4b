/*
 * side_cairn.c: Cairn's solve. The clock runs over load (symbolic work, memory) and solve, the final certificate included,
 * because the peers' call holds their preparation and their last residual too.
 */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <string.h>

void race_solve_cairn(const void *data, const race_problem *problem, double tolerance, race_result *result) {
    const race_peer *peer = data;
    cairn_solver *solver;
    cairn_settings settings = cairn_default_settings(peer->method);
    settings.tolerance = tolerance;
    if (peer->iterations > 0)
        settings.max_iterations = peer->iterations;
    if (cairn_solver_create(problem->file.context, &settings, &solver) != CAIRN_OK)
        return;
    cairn_answer answer;
    cairn_info info;
    double begin = guard_clock();
    if (cairn_solver_load(solver, peer->given_n ? problem->local : problem->file.problem) != CAIRN_OK ||
        cairn_solver_solve(solver, NULL, &answer, &info) != CAIRN_OK)
        return;
    result->seconds = guard_clock() - begin;
    result->inner = info.cpu_seconds;
    result->iterations = info.iterations;
    result->verdict = info.outcome == CAIRN_SOLVED ? 0 : 1;
    memcpy(result->gamma, answer.gamma, (size_t)cairn_problem_get(problem->file.problem).m * sizeof(double));
    result->finished = 1;
    cairn_solver_destroy(solver);
}
