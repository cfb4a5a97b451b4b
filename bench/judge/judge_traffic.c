/*
 * judge_traffic.c: what a question to the judge reads and writes, against an iteration of a method. judge_traffic.sh counts lines of the last cache with cachegrind: the difference of two runs
 * that do the same but for the number of iterations, or of questions.
 *
 *     judge_traffic SPHERES METHOD ITERATIONS QUESTIONS
 */
#include <cairn/cairn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(cairn_context *context, const char *what) {
    fprintf(stderr, "%s: %s\n", what, cairn_error_message(context));
    exit(1);
}

/* Impulses after so many iterations; the method's own questions are put off to the end. */
static double *iterate(cairn_context *context, const cairn_problem *problem, const char *method, int iterations,
                       int m) {
    cairn_settings settings = cairn_default_settings(method);
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    double *gamma = malloc((size_t)m * sizeof *gamma);
    settings.max_iterations = settings.test_every = iterations;
    settings.tolerance = 1e-14;
    settings.repair = false;
    if (gamma == NULL || cairn_solver_create(context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK || cairn_solver_solve(solver, NULL, &answer, &info) != CAIRN_OK)
        fail(context, method);
    memcpy(gamma, answer.gamma, (size_t)m * sizeof *gamma);
    cairn_solver_destroy(solver);
    return gamma;
}

int main(int count, char **argument) {
    cairn_context *context = NULL;
    cairn_problem *problem = NULL;
    cairn_judge *judge = NULL;
    cairn_certificate certificate;
    cairn_sample_def sample = cairn_default_sample_def("pile");
    if (count != 5)
        fail(NULL, "judge_traffic SPHERES METHOD ITERATIONS QUESTIONS");
    sample.count = atoi(argument[1]);
    if (cairn_context_create(NULL, &context) != CAIRN_OK || cairn_sample_create(context, &sample, &problem) != CAIRN_OK)
        fail(context, "pile");
    double *gamma = iterate(context, problem, argument[2], atoi(argument[3]), cairn_problem_get(problem).m);
    cairn_question question = {.gamma = gamma, .quick = true, .limits = {.velocity = 1e3, .angular = 1e3}};
    if (cairn_judge_create(problem, &judge) != CAIRN_OK)
        fail(context, "judge");
    for (int i = 0; i < atoi(argument[4]); i++)
        if (cairn_judge_ask(judge, &question, &certificate, NULL) != CAIRN_OK)
            fail(context, "question");
    printf("%d blocks, X %.3g m/s\n", cairn_problem_get(problem).blocks, certificate.error);
    cairn_judge_destroy(judge);
    free(gamma);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return 0;
}
