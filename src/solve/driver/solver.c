/*
 * solver.c: the driver. It loads a problem, runs a method, and lets the judge have the last word.
 *
 *     load:   operator (H^-1, N), judge, the method's symbolic work, all memory;
 *             the last two wait for need when it is light
 *     solve:  method runs -> best candidate gamma -> v = H^-1(k + D gamma) -> certificate [theory 1]
 *
 * The outcome is CAIRN_SOLVED if and only if the final certificate says so, whatever the method
 * thinks.
 */
#include "solve/driver/step_solver.h"
#include "solve/driver/method.h"
#include "solve/driver/joint_repair.h"
#include "solve/driver/settings.h"

#include "linalg/factor/factor_cache.h"
#include "problem/kkt/kkt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT_REST  0.01  /* of the velocities without impulses: what is left in bodies at rest */
#define HEAVY    1e3   /* spread of the scales n_i from which light bodies may carry much heavier ones */
#define HOPELESS 100.0 /* limits: what is further off is not repaired */
/* limits: bodies that would enter each other faster without impulses are surely not held by none */
#define IDLE 10.0
/* Questions of a report at most, each about the points of the one before; a figure that fell by
 * BETTER is worth another one: whoever judges those points finds the smaller figure too. */
#define REPORTS 5
#define BETTER  1.15

struct cairn_solver {
    cairn_context *context;
    cairn_settings settings;
    const cairn_method *method;
    cairn_run run;              /* the part that lasts from load to load */
    cairn_judge *judge;         /* of the problem that was given; kept from load to load for its memory */
    void *workspace;            /* the method's; NULL: loaded lightly, and no solve has needed it */
    cairn_arena arena;          /* the driver's vectors */
    double *row_scale;          /* m */
    double *free_slip;          /* m */
    cairn_set_run *runs;        /* run_count */
    double *guess;              /* m: the warm start, made finite and of this problem */
    const cairn_problem *given; /* what the user loaded */
    cairn_factor_cache cache;   /* factors of the problem before, where H is sparse */
    cairn_kkt_cache store;      /* saddle-point systems of earlier problems */
    cairn_problem *moving;      /* the same in global form, for a method that needs it; else NULL */
    bool loaded;
    bool trusted;     /* see cairn_solver_trust */
    bool hurried;     /* see cairn_solver_allow, */
    double most_work; /* and this */
    int shape;        /* of the problem when it was loaded */
    double load_seconds, load_cpu_seconds;
    int load_factorizations; /* of the last load, until a solve has reported them */
    int predictions;         /* solves by H since then, likewise */
};

cairn_status cairn_solver_create(cairn_context *context, const cairn_settings *settings, cairn_solver **solver) {
    char message[256];
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (settings == NULL || solver == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_solver_create: an argument is NULL");
    if (settings->cookie != CAIRN_SETTINGS_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "the settings must come from cairn_default_settings()");
    bool ended = memchr(settings->method, '\0', sizeof settings->method) != NULL;
    const cairn_method *method = ended ? cairn_method_find(settings->method) : NULL;
    if (method == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "there is no method '%.31s'; `cairn methods` lists them",
                          settings->method);
    if (cairn_settings_check(settings, message, sizeof message) != NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s", message);
    cairn_solver *made = cairn_alloc(context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->context = context;
    made->settings = *settings;
    made->method = method;
    made->most_work = INFINITY;
    *solver = made;
    return CAIRN_OK;
}

/* Forgets the loaded problem; keeps the arena's memory. */
static void unload(cairn_solver *solver) {
    if (solver->workspace != NULL)
        solver->method->release(solver->context, solver->workspace);
    solver->workspace = NULL;
    cairn_repair_destroy(solver->context, solver->run.repair);
    cairn_operator_destroy(solver->run.op);
    cairn_problem_destroy(solver->moving);
    solver->moving = NULL;
    solver->run = (cairn_run){0};
    solver->loaded = false;
}

void cairn_solver_destroy(cairn_solver *solver) {
    if (solver == NULL)
        return;
    cairn_context *context = solver->context;
    unload(solver);
    cairn_judge_destroy(solver->judge);
    cairn_factor_cache_empty(&solver->cache);
    cairn_kkt_cache_empty(&solver->store);
    cairn_arena_free(context, &solver->arena);
    cairn_free(context, solver);
}

static void layout(cairn_solver *solver, const cairn_problem *problem, int runs) {
    cairn_arena *a = &solver->arena;
    size_t m = (size_t)problem->m, n = (size_t)problem->n;
    solver->row_scale = cairn_arena_take(a, m, sizeof(double));
    solver->free_slip = cairn_arena_take(a, m, sizeof(double));
    solver->guess = cairn_arena_take(a, m, sizeof(double));
    solver->run.best_gamma = cairn_arena_take(a, m, sizeof(double));
    solver->run.best_point = cairn_arena_take(a, m, sizeof(double));
    solver->run.u = cairn_arena_take(a, m, sizeof(double));
    solver->run.work = cairn_arena_take(a, m, sizeof(double));
    solver->run.work2 = cairn_arena_take(a, m, sizeof(double));
    solver->run.v = cairn_arena_take(a, n, sizeof(double));
    solver->run.work_v = cairn_arena_take(a, n, sizeof(double));
    solver->run.reach = cairn_arena_take(a, n, sizeof(double));
    if (solver->settings.trace) {
        solver->run.trace_v = cairn_arena_take(a, n, sizeof(double));
        solver->run.trace_u = cairn_arena_take(a, m, sizeof(double));
        solver->run.trace_work = cairn_arena_take(a, m, sizeof(double));
    }
    solver->runs = cairn_arena_take(a, (size_t)runs, sizeof *solver->runs);
}

/* What a body adds to n_i of the first block that touches it: about 1/m; 0: none does. */
static double scale_of_body(const cairn_run *run, int body) {
    const cairn_problem *p = run->problem;
    const cairn_body_blocks *B = &p->body;
    int at = B->incident_start[body], size = p->body_start[body + 1] - p->body_start[body];
    if (at == B->incident_start[body + 1])
        return 0.0;
    int dim = p->block[B->incident[at]].dim;
    const double *d = B->dense + B->incident_at[at], *G = cairn_operator_body_inverse(run->op, body);
    double trace = 0.0;
    for (int r = 0; r < dim; r++, d += B->width[B->incident[at]])
        for (int l = 0; l < size; l++)
            for (int c = 0; c < size; c++)
                trace += d[l] * G[l * size + c] * d[c];
    return trace / dim;
}

/* Scales of the rows, and what they span, unless they are there. */
static void make_scales(cairn_solver *solver) {
    const cairn_problem *p = solver->run.problem;
    if (solver->run.row_scale != NULL)
        return;
    const double *scale = cairn_operator_scale(solver->run.op);
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            solver->row_scale[j] = scale[i];
    solver->run.row_scale = solver->row_scale;
    double least = INFINITY, most = 0.0;
    for (int body = 0; p->block_diagonal && !p->local && body < p->bodies; body++) {
        double share = scale_of_body(&solver->run, body);
        least = share > 0.0 ? fmin(least, share) : least;
        most = fmax(most, share);
    }
    solver->run.least_scale = least;
    solver->run.heavy = most > HEAVY * least;
}

/* What the method needs, unless it is there. */
static cairn_status make_workspace(cairn_solver *solver) {
    if (solver->workspace != NULL)
        return CAIRN_OK;
    double from = cairn_now(), cpu = cairn_run_cpu(&solver->run);
    make_scales(solver);
    cairn_status status = solver->method->prepare(&solver->run, &solver->workspace);
    solver->load_seconds += cairn_now() - from;
    solver->load_cpu_seconds += cairn_run_cpu(&solver->run) - cpu;
    return status;
}

static cairn_status load_parts(cairn_solver *solver, const cairn_problem *problem, bool light) {
    cairn_run *run = &solver->run;
    run->untimed = light;
    double from = cairn_now(), cpu = cairn_run_cpu(run);
    int runs = cairn_set_runs(problem->blocks, problem->block, NULL, 0);
    solver->arena.used = 0;
    char *memory = solver->arena.base;
    solver->arena.base = NULL;
    layout(solver, problem, runs);
    solver->arena.base = memory;
    cairn_status status = cairn_arena_reserve_raw(solver->context, &solver->arena);
    if (status != CAIRN_OK)
        return status;
    layout(solver, problem, runs);

    run->context = solver->context;
    run->problem = problem;
    run->no_velocity = solver->given->local;
    run->settings = &solver->settings;
    run->run_count = cairn_set_runs(problem->blocks, problem->block, solver->runs, runs);
    run->runs = solver->runs;
    run->store = &solver->store;
    run->cache = problem->local || problem->block_diagonal ? NULL : &solver->cache;
    if (run->cache == NULL)
        cairn_factor_cache_empty(&solver->cache);
    status = cairn_operator_create_kept(problem, run->cache, &run->op);
    if (status != CAIRN_OK)
        return status;
    run->free_slip = solver->free_slip;
    solver->load_factorizations = cairn_operator_factor(run->op) != NULL;
    solver->load_seconds = cairn_now() - from;
    solver->load_cpu_seconds = cairn_run_cpu(run) - cpu;
    if (!light)
        status = make_workspace(solver);
    if (status == CAIRN_OK && !solver->trusted)
        status = solver->judge != NULL ? cairn_judge_load(solver->judge, solver->given)
                                       : cairn_judge_create(solver->given, &solver->judge);
    run->judge = solver->judge;
    if (status == CAIRN_OK && !light && !solver->trusted) { /* a solve takes no memory later */
        status = cairn_judge_prepare(solver->judge);
        if (status == CAIRN_OK && solver->settings.repair && problem->m > 0)
            status = cairn_repair_create(run, &run->repair);
    }
    return status;
}

static cairn_status refuse(const cairn_solver *solver, const char *why) {
    return cairn_fail(solver->context, CAIRN_ERROR_UNSUPPORTED, "%s does not accept this problem: %s",
                      solver->method->name, why);
}

/* Does the method, with these settings, work on velocities alone? */
static bool needs_velocities(const cairn_solver *solver) {
    return solver->method->on_velocities && solver->settings.form == CAIRN_FORM_PRIMAL;
}

static cairn_status load(cairn_solver *solver, const cairn_problem *problem, bool light) {
    if (solver == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (problem == NULL)
        return cairn_fail(solver->context, CAIRN_ERROR_ARGUMENT, "cairn_solver_load: the problem is NULL");
    if (problem->context != solver->context)
        return cairn_fail(solver->context, CAIRN_ERROR_ARGUMENT, "the problem belongs to another context");
    bool move = problem->local && needs_velocities(solver);
    const char *why = !move && solver->method->refuses != NULL ? solver->method->refuses(problem, &solver->settings)
                                                               : NULL;
    if (why != NULL)
        return refuse(solver, why);
    unload(solver);
    solver->given = problem;
    cairn_status status = move ? cairn_problem_to_global(problem, &solver->moving) : CAIRN_OK;
    if (status == CAIRN_OK && move && solver->method->refuses != NULL)
        why = solver->method->refuses(solver->moving, &solver->settings);
    if (why != NULL)
        status = refuse(solver, why);
    if (status == CAIRN_OK)
        status = load_parts(solver, move ? solver->moving : problem, light);
    if (status != CAIRN_OK) {
        unload(solver);
        cairn_judge_destroy(solver->judge);
        solver->judge = NULL;
        cairn_factor_cache_empty(&solver->cache);
        cairn_kkt_cache_empty(&solver->store);
        return status;
    }
    solver->loaded = true;
    solver->shape = problem->shape;
    return CAIRN_OK;
}

cairn_status cairn_solver_load(cairn_solver *solver, const cairn_problem *problem) {
    return load(solver, problem, false);
}

void cairn_solver_trust(cairn_solver *solver) {
    solver->trusted = true;
}

void cairn_solver_allow(cairn_solver *solver, double work, bool hurried) {
    solver->most_work = work;
    solver->hurried = hurried;
}

cairn_status cairn_solver_load_light(cairn_solver *solver, const cairn_problem *problem) {
    return load(solver, problem, true);
}

void cairn_solver_predict(cairn_solver *solver, double *v) {
    cairn_operator_solve(solver->run.op, solver->run.problem->k, v);
    solver->predictions += cairn_run_solve_cost(&solver->run);
}

typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

/* Sum of |d_i v_i| over a rigid body. */
static inline double six_terms(const double *d, const double *v) {
    pair sum = {0};
    for (int k = 0; k < 6; k += 2) {
        pair x, y;
        memcpy(&x, d + k, sizeof x);
        memcpy(&y, v + k, sizeof y);
        x *= y;
        sum += (pair)((pair_bits)x & INT64_MAX);
    }
    return sum[0] + sum[1];
}

/* Sum of |terms| of row j. */
static double row_terms(const cairn_problem *p, int j, const double *v) {
    double terms = fabs(p->b[j]);
    for (int e = p->local ? 0 : p->D.start[j]; !p->local && e < p->D.start[j + 1]; e++)
        terms += fabs(p->D.value[e] * v[p->D.index[e]]);
    return terms;
}

/* What rounding of the data leaves in the natural map's numerator, squared: half of what the
 * judge grants. run->v is H^-1 k. */
static double rounding_of(const cairn_run *run) {
    const cairn_problem *p = run->problem;
    const double share = 8.0 * DBL_EPSILON;
    double sum = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        int count = p->local ? 0 : p->body.rigid[i], begin = p->block_start[i], end = p->block_start[i + 1];
        double square = 0.0;
        if (count > 0) { /* its rows lie side by side, six numbers per body */
            const int *touch = p->body.touch + p->body.touch_start[i];
            const double *dense = p->body.dense + p->body.dense_start[i];
            const double *first = run->v + p->body_start[touch[0]], *second = run->v + p->body_start[touch[count - 1]];
            for (int j = begin; j < end; j++, dense += 6 * count) {
                double terms = fabs(p->b[j]) + six_terms(dense, first);
                terms += count > 1 ? six_terms(dense + 6, second) : 0.0;
                square += terms * terms;
            }
        }
        for (int j = begin; j < end && count == 0; j++) {
            double terms = row_terms(p, j, run->v);
            square += terms * terms;
        }
        sum += square / run->row_scale[begin];
    }
    return share * share * sum;
}

static cairn_status take_guess(cairn_solver *solver, const cairn_guess *guess) {
    cairn_run *run = &solver->run;
    int m = run->problem->m;
    if (solver->moving != NULL)
        cairn_problem_copy_data(solver->given, solver->moving);
    run->guess = NULL;
    run->guess_rho = 0.0;
    run->guess_v = guess != NULL && solver->moving == NULL ? guess->v : NULL;
    if (guess != NULL) {
        if (!(guess->rho >= 0.0) || !isfinite(guess->rho))
            return cairn_fail(solver->context, CAIRN_ERROR_ARGUMENT, "the guess's rho is %g, expected >= 0",
                              guess->rho);
        run->guess_rho = guess->rho;
    }
    for (int j = 0; run->settings->warm_velocity && run->guess_v != NULL && j < run->problem->n; j++)
        if (!isfinite(run->guess_v[j]))
            return cairn_fail(solver->context, CAIRN_ERROR_ARGUMENT, "the guess's v[%d] is not finite", j);
    if (guess != NULL && guess->gamma != NULL) {
        for (int j = 0; j < m; j++)
            if (!isfinite(guess->gamma[j]))
                return cairn_fail(solver->context, CAIRN_ERROR_ARGUMENT, "the guess's gamma[%d] is not finite", j);
        memmove(solver->guess, guess->gamma, (size_t)m * sizeof *solver->guess);
        run->guess = solver->guess;
    }
    return CAIRN_OK;
}

/* No candidate is known. */
static void forget_candidates(cairn_run *run) {
    run->best_map = run->stall_map = INFINITY;
    run->last_map = NAN;
    run->passed = run->finished = run->settled = run->guess_tested = run->improving = run->near = run->interior = false;
    run->error = NULL;
    run->tighten = 1.0;
    run->good_at = -1;
    run->best_excess = run->refused_map = INFINITY;
    run->refused = 0.0;
    run->guess_map = INFINITY;
    run->stage[0] = '\0';
    memset(run->best_gamma, 0, (size_t)run->problem->m * sizeof *run->best_gamma);
}

/* Everything else that belongs to one solve, set anew. */
static void begin(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    run->iterations = run->checks = run->repairs = run->products = 0;
    run->repaired_rms = INFINITY;
    run->factorizations = solver->load_factorizations;
    run->partial_factorizations = 0;
    run->partial_work = run->factor_flops = run->factor_work = run->solve_work = 0.0;
    run->allowance = INFINITY;
    run->most_work = solver->most_work;
    run->hurried = solver->hurried;
    run->solves = cairn_run_solve_cost(run) + solver->predictions;
    solver->load_factorizations = solver->predictions = 0;
    run->primal = run->dual = run->rho = NAN;
    run->passed_at = run->stalled_since = 0;
    run->paused = run->paused_cpu = 0.0;
    run->outcome = CAIRN_ITERATION_LIMIT;
    run->note[0] = run->trail[0] = '\0';
    forget_candidates(run);
    run->improving = solver->trusted;
    if (!run->problem->local)
        cairn_operator_solve(run->op, run->problem->k, run->v);
    run->free_speed = run->problem->local ? 0.0 : cairn_norm_max(run->problem->n, run->v);
}

/* Computes the slip of the unconstrained motion. Precondition: run->v = H^-1 k and best_gamma =
 * 0. */
static void find_free_slip(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    make_scales(solver);
    cairn_operator_slip(run->op, run->v, run->best_gamma, solver->free_slip);
    run->rounding = rounding_of(run);
}

/* What is known of the guess. */
typedef enum guess_word { GUESS_UNKNOWN, GUESS_ROUGH, GUESS_HOLDS } guess_word;

/* Would bodies enter each other, without impulses, much faster than the limits allow? run->v is
 * what the guess makes of them. */
static bool enters_freely(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    const cairn_problem *p = run->problem;
    cairn_limits limits = cairn_limits_of(&solver->settings);
    double entering = 0.0, most = 0.0;
    memset(solver->free_slip, 0, (size_t)p->m * sizeof *solver->free_slip);
    cairn_operator_solve(run->op, p->k, run->work_v);
    cairn_operator_slip(run->op, run->work_v, solver->free_slip, run->work);
    for (int i = 0; i < p->blocks; i++) {
        double r = run->work[p->block_start[i]];
        bool contact = cairn_is_contact(p->block[i].set) || p->block[i].set == CAIRN_SET_NONNEGATIVE;
        entering = contact ? fmax(entering, -r) : entering;
        most = fmax(most, fabs(r));
    }
    memcpy(solver->free_slip, run->work, (size_t)p->m * sizeof *solver->free_slip);
    return entering > IDLE * (limits.velocity > 0.0 ? limits.velocity : limits.relative * most);
}

/* Fast path for resting bodies: certifies the warm start before anything is prepared that only a
 * solve needs. Zero impulses and a proof that there is no answer are preferred over a warm
 * start, so both must be clearly excluded. */
static guess_word ask_first(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    const cairn_problem *p = run->problem;
    double limit = AT_REST * run->free_speed;
    if (solver->workspace != NULL || run->guess == NULL || run->guess_v == NULL || p->local || !p->block_diagonal ||
        !(cairn_norm_max(p->n, run->guess_v) <= limit) ||
        (solver->method->tests_guess != NULL && solver->method->tests_guess(run)))
        return GUESS_UNKNOWN;
    cairn_run_project(run, false, solver->guess, run->work2);
    cairn_operator_velocity(run->op, run->work2, run->v);
    guess_word word = GUESS_UNKNOWN;
    double map = INFINITY;
    bool still = cairn_norm_max(p->n, run->v) <= limit && enters_freely(solver);
    if (still) {
        make_scales(solver);
        cairn_operator_slip(run->op, run->v, run->work2, run->u);
        memcpy(solver->guess, run->work2, (size_t)p->m * sizeof *solver->guess);
        map = run->last_map = cairn_run_map(run, solver->guess, run->u, NULL);
        still = map <= solver->settings.tolerance && cairn_run_judge_moving(run, solver->guess);
    }
    if (still) {
        run->best_map = run->last_map = run->guess_map = map;
        cairn_run_stage(run, "the guess as it is");
        bool rough = solver->method->is_rough != NULL && solver->method->is_rough(run);
        word = rough ? GUESS_ROUGH : GUESS_HOLDS;
    }
    if (word == GUESS_HOLDS)
        return word;
    forget_candidates(run);
    cairn_operator_solve(run->op, p->k, run->v);
    if (word == GUESS_ROUGH) { /* as after the tests of no impulses and of the guess */
        find_free_slip(solver);
        cairn_run_keep(run, solver->guess, map);
        run->last_map = run->guess_map = map;
        run->cold_map = INFINITY;
    }
    return word;
}

/* The judge's word on what the method ends with or, where that is refused, on the best of all
 * points that were judged, repaired: nothing is called stalled before that was tried. */
static cairn_status judge_best(cairn_solver *solver, cairn_judged *judged, cairn_certificate *certificate) {
    cairn_run *run = &solver->run;
    bool light = run->untimed;
    cairn_question question = {.gamma = run->best_gamma,
                               .v = light && !run->no_velocity ? run->v : NULL,
                               .limits = cairn_limits_of(&solver->settings),
                               .quick = light};
    cairn_status status = cairn_judge_ask(run->judge, &question, certificate, judged);
    if (status != CAIRN_OK || certificate->certified)
        return status;
    double least = certificate->excess;
    question.v = NULL;
    if (run->best_excess < least) {
        question.gamma = run->best_point;
        status = cairn_judge_ask(run->judge, &question, certificate, judged);
        least = certificate->excess;
    }
    if (status == CAIRN_OK && !(least <= HOPELESS)) { /* no impulses may be nearer than what is far off */
        const double *kept = question.gamma;
        memset(run->work2, 0, (size_t)run->problem->m * sizeof *run->work2);
        question.gamma = run->work2;
        status = cairn_judge_ask(run->judge, &question, certificate, judged);
        question.gamma = kept;
        if (status == CAIRN_OK && !(certificate->excess <= least))
            status = cairn_judge_ask(run->judge, &question, certificate, judged);
    }
    if (status != CAIRN_OK || run->outcome == CAIRN_INFEASIBLE || !(certificate->excess <= HOPELESS))
        return status;
    make_scales(solver);
    cairn_run_repair(run, certificate, judged);
    return status;
}

/* The judge's report on the answer, with the figures of other formulas; points near by are taken
 * where they are better, and points near those while that pays. */
static cairn_status add_report(cairn_solver *solver, cairn_certificate *certificate) {
    cairn_run *run = &solver->run;
    cairn_certificate whole;
    cairn_judged judged;
    cairn_question question = {.gamma = run->best_gamma, /* which the judge was asked about last */
                               .limits = cairn_limits_of(&solver->settings),
                               .quick = true,
                               .report = true,
                               .measured = true};
    bool again = true;
    for (int k = 0; k < REPORTS && again; k++) {
        cairn_status status = cairn_judge_ask(run->judge, &question, &whole, &judged);
        if (status != CAIRN_OK)
            return status;
        bool both = whole.certified && certificate->certified;
        bool better = both ? 1.0001 * whole.error < certificate->error : whole.excess < certificate->excess;
        if (!better)
            break;
        again = BETTER * whole.error < certificate->error;
        cairn_run_take(run, &judged, &whole);
        whole.moved = 0.0; /* they are what is returned */
        *certificate = whole;
    }
    certificate->plain = whole.plain;
    certificate->natural_map = whole.natural_map;
    certificate->natural_map_round = whole.natural_map_round;
    return CAIRN_OK;
}

/* The note of how it ended, and the outcome that the certificate allows. */
static void settle_outcome(cairn_solver *solver, const cairn_certificate *c) {
    cairn_run *run = &solver->run;
    double wish = solver->settings.tolerance_plain < 0.0 ? solver->settings.tolerance
                                                         : solver->settings.tolerance_plain;
    if (c->certified) {
        run->outcome = CAIRN_SOLVED;
        run->note[0] = '\0';
        if (wish > 0.0 && c->plain > wish)
            snprintf(run->note, sizeof run->note, "certified; the plain map stayed at %.2g, wished for %.2g", c->plain,
                     wish);
    } else if (run->outcome == CAIRN_SOLVED) {
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note, "the method has ended, but the certificate does not agree");
    }
}

/* Asks the judge about the best candidate and settles outcome and info. */
static cairn_status finish(cairn_solver *solver, cairn_answer *answer, cairn_info *info) {
    cairn_run *run = &solver->run;
    cairn_certificate certificate = run->certificate;
    cairn_judged judged = {0};
    if (run->finished)
        run->outcome = run->verdict;
    cairn_status status = CAIRN_OK;
    bool told = run->settled && !solver->trusted; /* the judge has spoken of what is returned */
    if (!told)
        cairn_operator_velocity(run->op, run->best_gamma, run->v);
    info->seconds = cairn_now() - run->started - run->paused;
    if (solver->trusted) {
        cairn_operator_slip(run->op, run->v, run->best_gamma, run->u);
        certificate = (cairn_certificate){.natural_map = run->best_map, .worst_block = -1};
    } else if (!told) {
        status = judge_best(solver, &judged, &certificate);
        if (status != CAIRN_OK)
            return status;
        cairn_run_take(run, &judged, &certificate);
    }
    if (!solver->trusted && !run->untimed)
        status = add_report(solver, &certificate);
    if (status != CAIRN_OK)
        return status;
    if (!solver->trusted)
        settle_outcome(solver, &certificate);
    info->outcome = run->outcome;
    info->load_seconds = solver->load_seconds;
    info->load_cpu_seconds = solver->load_cpu_seconds;
    info->iterations = run->iterations;
    info->factorizations = run->factorizations;
    info->partial_factorizations = run->partial_factorizations;
    info->partial_share = run->partial_factorizations > 0 ? run->partial_work / run->partial_factorizations : 0.0;
    info->factor_flops = run->factor_flops;
    info->solves = run->solves;
    info->rho = run->rho;
    info->primal = run->primal;
    info->dual = run->dual;
    info->checks = run->checks;
    info->repairs = run->repairs;
    info->products = run->products;
    cairn_run_stage(run, NULL);
    bool both = run->note[0] != '\0' && run->trail[0] != '\0';
    snprintf(info->note, sizeof info->note, "%s%s%.*s", run->note, both ? "; " : "",
             (int)sizeof info->note - 1 - (int)strlen(run->note) - 2 * both, run->trail);
    info->certificate = certificate;
    if (answer != NULL)
        *answer = (cairn_answer){
            .v = run->no_velocity ? NULL : run->v, .gamma = run->best_gamma, .u = run->u, .error = run->error};
    return CAIRN_OK;
}

/* Is there nothing left to do for a method that is not prepared yet? */
static bool test_guess(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    if (solver->workspace != NULL || run->guess == NULL ||
        (solver->method->tests_guess != NULL && solver->method->tests_guess(run)))
        return false;
    cairn_run_stage(run, "the guess as it is");
    cairn_run_project(run, false, solver->guess, solver->guess);
    run->guess_tested = !cairn_run_test(run, solver->guess);
    run->guess_map = run->last_map;
    if (!run->guess_tested && solver->method->is_rough != NULL && solver->method->is_rough(run)) {
        run->finished = run->settled = run->passed = false; /* the method tests it again, and goes on */
        run->stage[0] = '\0';
        return false;
    }
    return !run->guess_tested;
}

/* No impulses, the guess, the method: until one of them is accepted. */
static cairn_status solve(cairn_solver *solver) {
    cairn_run *run = &solver->run;
    guess_word word = ask_first(solver);
    if (word == GUESS_HOLDS)
        return CAIRN_OK;
    if (word == GUESS_UNKNOWN) {
        find_free_slip(solver);
        bool over = cairn_run_test_free_flight(run); /* zero impulses need no method */
        run->cold_map = run->best_map;
        if (over || test_guess(solver))
            return CAIRN_OK;
    }
    cairn_status status = make_workspace(solver);
    return status == CAIRN_OK ? solver->method->run(run, solver->workspace) : status;
}

cairn_status cairn_solver_solve(cairn_solver *solver, const cairn_guess *guess, cairn_answer *answer,
                                cairn_info *info) {
    if (solver == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (!solver->loaded)
        return cairn_fail(solver->context, CAIRN_ERROR_STATE, "load a problem before solving");
    if (solver->shape != solver->given->shape)
        return cairn_fail(solver->context, CAIRN_ERROR_STATE, "the problem's cones have changed: load it again");
    cairn_run *run = &solver->run;
    cairn_info made = {0};
    run->started = cairn_now();
    double cpu = cairn_run_cpu(run);
    cairn_status status = take_guess(solver, guess);
    if (status != CAIRN_OK)
        return status;
    begin(solver);
    status = solve(solver);
    made.cpu_seconds = cairn_run_cpu(run) - cpu - run->paused_cpu;
    if (status == CAIRN_OK)
        status = finish(solver, answer, &made);
    if (status == CAIRN_OK && info != NULL)
        *info = made;
    return status;
}

const char *cairn_outcome_name(cairn_outcome outcome) {
    switch (outcome) {
    case CAIRN_SOLVED:
        return "solved";
    case CAIRN_ITERATION_LIMIT:
        return "iteration limit";
    case CAIRN_TIME_LIMIT:
        return "time limit";
    case CAIRN_STALLED:
        return "stalled";
    case CAIRN_INFEASIBLE:
        return "infeasible";
    case CAIRN_NUMERICAL:
        return "numerical";
    case CAIRN_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}
