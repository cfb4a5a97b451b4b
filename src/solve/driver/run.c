/*
 * run.c: what every method shares: testing candidates, limits, stalling, proof of infeasibility,
 * projections.
 *
 * The natural map (candidate_map.c) is computed with the solver's own projections; the judge
 * computes it again with its own, and only the judge says "solved" [theory 1].
 */
#include "solve/driver/step_solver.h"
#include "solve/driver/method.h"
#include "solve/driver/joint_repair.h"

#include "problem/kkt/kkt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROJECT_GRAIN 512
/* A run stalls when the natural map has not fallen to STALL_FACTOR of its value within
 * STALL_ITERATIONS iterations, or STALL_TESTS intervals of test_every where that is longer. */
#define STALL_ITERATIONS 4000
#define STALL_TESTS      4
#define STALL_FACTOR     0.9
/* A candidate with a small map is suspicious when its velocity error, relative to the free slip,
 * exceeds both SUSPICIOUS and SUSPICIOUS_LOOSE tolerances. */
#define SUSPICIOUS       1e-3
#define SUSPICIOUS_LOOSE 10.0
#define PATIENCE         500 /* iterations for the secondary target once the certificate is there */
/* Where light bodies carry heavy ones: secondary target of the certificate, as a share of
 * tolerance_velocity, and the iterations for it. */
#define HEAVY_WISH     0.03
#define HEAVY_PATIENCE 30
#define SETTLED        1e-4 /* share of its limits below which a certificate needs no further iteration */
/* Share to which the method's own figures must fall after a refusal: at most TIGHTEN_LEAST, at
 * least TIGHTEN_MOST, and over all refusals at least TIGHTEN_END. */
#define TIGHTEN_LEAST 0.8
#define TIGHTEN_MOST  0.1
#define TIGHTEN_END   1e-9
#define REPAIR_FROM   100 /* iterations before the first repair within a solve */
#define REPAIR_MANY   200 /* least number of blocks of a problem that is repaired within a solve */
#define REPAIR_REACH  4.0 /* multiple of the tolerance below which the method's figures allow a repair */
#define REPAIR_RMS    2.5 /* a repair needs this times the rms of the shifts within the limit */
/* A repair needs an rms below REPAIR_FALL of that at the last repair, which is multiplied by
 * REPAIR_FORGET each time it is looked up. */
#define REPAIR_FALL   0.8
#define REPAIR_FORGET 1.02
#define ASSEMBLY      12.0 /* multiply-adds per entry of D: blocks of weights in S */
#define VISIT         20.0 /* multiply-adds per row: projections and sums of one iteration */
#define ASK_AGAIN     0.7  /* share of the natural map at the last refusal below which the judge is asked again */
/* an iteration that leaves less than this share of the natural map is followed by one like it */
#define FALLS 0.2

double cairn_norm_max(int count, const double *x) {
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= largest))
            largest = fabs(x[i]);
    return largest;
}

double cairn_run_push(const cairn_run *run, const double *gamma) {
    const cairn_problem *p = run->problem;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i];
        double push = run->row_scale[row] * gamma[row];
        if (p->block[i].set == CAIRN_SET_BILATERAL || !(push > 0.0))
            continue;
        sum += push * push;
        count++;
    }
    return count > 0 ? sqrt(sum / count) : 0.0;
}

typedef struct project_task {
    const cairn_problem *problem;
    const cairn_set_run *run;
    bool resolvent;
    const double *x;
    double *z;
} project_task;

static void project_chunk(void *user, int chunk, int begin, int end) {
    const project_task *task = user;
    int dim = task->run->dim, row = task->run->row + begin * dim;
    const cairn_block *block = task->problem->block + task->run->first + begin;
    (void)chunk;
    if (!task->resolvent) {
        cairn_set_project_run(task->run->set, dim, end - begin, block, task->x + row, task->z + row);
        return;
    }
    for (int i = 0; i < end - begin; i++, row += dim)
        if (task->run->set == CAIRN_SET_POLY_CONE)
            cairn_poly_resolvent(&block[i], task->x + row, task->z + row);
        else
            cairn_cone_resolvent(dim, block[i].mu, task->x + row, task->z + row);
}

void cairn_run_project(const cairn_run *run, bool resolvent, const double *x, double *z) {
    for (int r = 0; r < run->run_count; r++) {
        bool cone = cairn_is_contact(run->runs[r].set);
        project_task task = {run->problem, &run->runs[r], resolvent && cone, x, z};
        cairn_parallel(run->context, run->runs[r].count, PROJECT_GRAIN, project_chunk, &task);
    }
}

/* Large problems that take many iterations may be repaired: their points are worth a look before
 * they pass. */
static bool may_repair(const cairn_run *run) {
    return run->settings->repair && run->iterations >= REPAIR_FROM && run->problem->blocks >= REPAIR_MANY;
}

static double aim_of(const cairn_run *run, double tolerance) {
    return tolerance * run->tighten * (may_repair(run) ? REPAIR_REACH : 1.0);
}

double cairn_run_aim(const cairn_run *run) {
    return aim_of(run, run->settings->tolerance);
}

double cairn_run_aim_velocity(const cairn_run *run) {
    return aim_of(run, run->settings->tolerance_velocity);
}

cairn_limits cairn_limits_of(const cairn_settings *settings) {
    double velocity = settings->tolerance_velocity;
    if (!(velocity > 0.0))
        return (cairn_limits){.relative = settings->tolerance};
    return (cairn_limits){.velocity = velocity,
                          .angular = settings->tolerance_angular > 0.0 ? settings->tolerance_angular : velocity};
}

/* Secondary target for the plain map; 0: none. */
static double wish_of(const cairn_run *run) {
    return run->settings->tolerance_plain < 0.0 ? run->settings->tolerance : run->settings->tolerance_plain;
}

/* Plain map over its secondary target; at most 1: the target is met. */
static double wishes(const cairn_run *run, double plain) {
    double wish = wish_of(run);
    return wish > 0.0 ? plain / wish : 0.0;
}

/* Where velocities decide a certified candidate may be far from the natural map that the method
 * aims at, which bodies at rest profit from: the method goes on for a while, and ends with what
 * is certified if it does not get there. Impulses of heavy bodies make the map small whatever
 * light ones do, and an error at light ones moves heavy ones: there the certificate itself is to
 * be smaller. True: go on. */
static bool goes_on(cairn_run *run, double map, const cairn_certificate *c) {
    double velocity = run->settings->tolerance_velocity, error = c->error;
    if (c->excess <=
        SETTLED) /* what is left is next to rounding: where nothing moves and nothing pushes no map gets small */
        return false;
    bool near = run->heavy && error > HEAVY_WISH * velocity;
    if (!(velocity > 0.0) || (map <= run->settings->tolerance && !near))
        return false;
    if (run->good_at < 0)
        run->good_at = run->iterations;
    run->refused_map = map;
    return run->iterations < (near ? run->good_at + HEAVY_PATIENCE : 10 * run->good_at + PATIENCE);
}

/* True if the secondary target is met or not worth more iterations. */
static bool satisfied(const cairn_run *run, double missed) {
    return missed <= 1.0 || (run->passed && run->iterations >= 10 * run->passed_at + PATIENCE);
}

static void keep(cairn_run *run, const double *gamma, double map) {
    run->best_map = map;
    memcpy(run->best_gamma, gamma, (size_t)run->problem->m * sizeof *gamma);
}

void cairn_run_keep(cairn_run *run, const double *gamma, double map) {
    if (map < run->best_map && !run->passed)
        keep(run, gamma, map);
}

/* Notes a certified candidate; among certified ones the secondary target decides. True: it is
 * the best so far. */
static bool remember(cairn_run *run, const double *gamma, double map, double missed) {
    if (!run->passed) {
        run->passed = true;
        run->passed_at = run->iterations;
        run->missed = INFINITY;
    }
    if (!(missed < run->missed))
        return false;
    run->missed = missed;
    keep(run, gamma, fmin(run->best_map, map));
    return true;
}

/* A candidate that seemed to pass was refused: the method goes on to where the judge is likely
 * to agree. */
static void tighten(cairn_run *run, double map, double excess) {
    double share = fmin(TIGHTEN_LEAST, fmax(TIGHTEN_MOST, 1.0 / sqrt(excess)));
    double reached = map > 0.0 ? fmin(1.0, map / cairn_run_aim(run)) : 1.0;
    run->tighten = fmax(TIGHTEN_END, run->tighten * share * (run->settings->tolerance_velocity > 0.0 ? 1.0 : reached));
    run->refused_map = map;
    run->refused = excess;
}

/* Takes the judge's answer for the run's: points on the graphs, and the motion that belongs to
 * them. */
void cairn_run_take(cairn_run *run, const cairn_judged *judged, const cairn_certificate *certificate) {
    size_t m = (size_t)run->problem->m;
    memcpy(run->best_gamma, judged->gamma, m * sizeof *run->best_gamma);
    memcpy(run->u, judged->u, m * sizeof *run->u);
    if (judged->v != NULL && !run->no_velocity)
        memcpy(run->v, judged->v, (size_t)run->problem->n * sizeof *run->v);
    run->certificate = *certificate;
    run->error = judged->error;
}

/* Keeps the point nearest to its limits. */
static void note_point(cairn_run *run, const cairn_judged *judged, double excess) {
    if (!(excess < run->best_excess))
        return;
    run->best_excess = excess;
    memcpy(run->best_point, judged->gamma, (size_t)run->problem->m * sizeof *run->best_point);
}

/* Makes a repair possible. False: it is not wanted, or no memory is left for it. */
static bool can_repair(cairn_run *run) {
    if (!run->settings->repair || run->no_velocity != run->problem->local || run->problem->m == 0)
        return false;
    return run->repair != NULL || cairn_repair_create(run, &run->repair) == CAIRN_OK;
}

/* Is a repair of refused points likely to bring them within the limits? The shifts' rms tells,
 * before it is paid for. */
static bool is_repairable(cairn_run *run, const cairn_certificate *c) {
    double limit = c->error / c->excess;
    run->repaired_rms *= REPAIR_FORGET;
    return may_repair(run) && isfinite(limit) && REPAIR_RMS * c->rms < limit &&
           c->rms < REPAIR_FALL * run->repaired_rms;
}

bool cairn_run_repair(cairn_run *run, cairn_certificate *certificate, cairn_judged *judged) {
    if (!isfinite(certificate->error) || !can_repair(run))
        return false;
    run->repaired_rms = certificate->rms;
    if (cairn_repair_run(run, run->repair, certificate, judged) != CAIRN_OK)
        return false;
    note_point(run, judged, certificate->excess);
    return certificate->certified;
}

/* The judge's word on a candidate that passes the driver's own figures; run->v belongs to it.
 * plain: its plain map, or 0. */
static bool ask_judge(cairn_run *run, const double *gamma, double map, double plain) {
    cairn_certificate certificate;
    cairn_judged judged;
    double from = cairn_now(), cpu = cairn_run_cpu(run);
    cairn_question question = {.gamma = gamma,
                               .v = run->no_velocity ? NULL : run->v,
                               .limits = cairn_limits_of(run->settings),
                               .quick = true,
                               .near = run->near || run->interior};
    run->checks++;
    cairn_status status = cairn_judge_ask(run->judge, &question, &certificate, &judged);
    if (status != CAIRN_OK)
        return false;
    note_point(run, &judged, certificate.excess);
    run->near = memcmp(judged.gamma, gamma, (size_t)run->problem->m * sizeof *gamma) != 0;
    double excess = certificate.excess;
    if (!certificate.certified && is_repairable(run, &certificate) && cairn_run_repair(run, &certificate, &judged))
        gamma = judged.gamma;
    if (!certificate.certified) {
        tighten(run, map, excess);
        return false;
    }
    if (goes_on(run, map, &certificate))
        return false;
    double missed = wishes(run, plain);
    bool best = remember(run, gamma, map, missed);
    if (!satisfied(run, missed))
        return false;
    run->paused += cairn_now() - from; /* the certificate is not the method's */
    run->paused_cpu += cairn_run_cpu(run) - cpu;
    run->finished = true;
    run->verdict = CAIRN_SOLVED;
    run->settled = best; /* v, u and certificate are those of best_gamma */
    if (run->settled)
        cairn_run_take(run, &judged, &certificate);
    return true;
}

/* Within the method's own figures, is it worth a question? Where velocities decide, one that is
 * right to them is, natural map or not. All of the map may be the error of one block, which is
 * then the root of their number larger than the map tells: a method whose map falls fast does
 * one more iteration first. before: the map of the candidate before this one. */
static bool deserves_judge(const cairn_run *run, const double *gamma, double map, double before) {
    double velocity = cairn_run_aim_velocity(run);
    bool sure = map * sqrt(run->problem->blocks) <= run->settings->tolerance;
    if (map <= cairn_run_aim(run) && velocity == 0.0)
        return sure || !run->interior || !(map < FALLS * before);
    if (!(velocity > 0.0) || !(cairn_run_worst_velocity(run, gamma) <= velocity))
        return false;
    return map <= run->settings->tolerance || map < ASK_AGAIN * run->refused_map;
}

/* Tests gamma with run->v and run->u, which belong to it. */
static bool test(cairn_run *run, const double *gamma) {
    double velocity = 0.0, before = run->last_map, map = cairn_run_map(run, gamma, run->u, &velocity);
    bool better = map < run->best_map;
    run->last_map = map;
    cairn_run_keep(run, gamma, map);
    if (run->improving) {
        run->finished = map <= run->settings->tolerance;
        run->verdict = CAIRN_SOLVED;
        return run->finished;
    }
    if (!(better || map <= run->settings->tolerance) || !deserves_judge(run, gamma, map, before))
        return false;
    /* huge impulses make the map small whatever the velocities: rule out that there is no answer
     * at all */
    double suspicious = fmax(SUSPICIOUS, SUSPICIOUS_LOOSE * run->settings->tolerance);
    if (velocity > suspicious && cairn_run_infeasible(run, gamma, run->work2)) {
        memset(run->best_gamma, 0, (size_t)run->problem->m * sizeof *gamma);
        run->finished = true;
        run->verdict = CAIRN_INFEASIBLE;
        return true;
    }
    return ask_judge(run, gamma, map, wish_of(run) > 0.0 ? cairn_run_map_plain(run, gamma, run->u) : 0.0);
}

double cairn_run_cpu(const cairn_run *run) {
    return run->untimed ? 0.0 : cairn_cpu_now();
}

int cairn_run_solve_cost(const cairn_run *run) {
    return cairn_operator_factor(run->op) != NULL ? 1 : 0;
}

bool cairn_run_test(cairn_run *run, const double *gamma) {
    run->solves += cairn_run_solve_cost(run);
    cairn_operator_velocity(run->op, gamma, run->v);
    return cairn_run_test_moving(run, gamma);
}

bool cairn_run_judge(cairn_run *run, const double *gamma) {
    run->solves += cairn_run_solve_cost(run);
    cairn_operator_velocity(run->op, gamma, run->v);
    return cairn_run_judge_moving(run, gamma);
}

bool cairn_run_judge_moving(cairn_run *run, const double *gamma) {
    return ask_judge(run, gamma, run->last_map, 0.0);
}

bool cairn_run_test_moving(cairn_run *run, const double *gamma) {
    cairn_operator_slip(run->op, run->v, gamma, run->u);
    return test(run, gamma);
}

bool cairn_run_test_free_flight(cairn_run *run) {
    memcpy(run->u, run->free_slip, (size_t)run->problem->m * sizeof *run->u);
    return test(run, run->best_gamma);
}

/* Largest max(0, -u_N) over frictional and unilateral rows. */
static double violation(const cairn_run *run, const double *u) {
    double worst = 0.0;
    for (int r = 0; r < run->run_count; r++) {
        const cairn_set_run *set = &run->runs[r];
        bool all = set->set == CAIRN_SET_NONNEGATIVE;
        if (!all && !cairn_is_contact(set->set) && set->set != CAIRN_SET_CAPPED_CONE)
            continue;
        for (int i = 0; i < set->count; i++)
            for (int c = 0; c < (all ? set->dim : 1); c++)
                worst = fmax(worst, -u[set->row + i * set->dim + c]);
    }
    return worst;
}

/* |Phi(u)|; work: m. */
static double slip_term(const cairn_run *run, const double *u, double *work) {
    double square = 0.0;
    cairn_run_phi(run, u, work);
    for (int j = 0; j < run->problem->m; j++)
        square += work[j] * work[j];
    return sqrt(square);
}

/* False when the callback wants to stop. */
static bool tell(cairn_run *run, const double *candidate, bool tested) {
    const cairn_settings *settings = run->settings;
    if (settings->on_iteration == NULL)
        return true;
    double from = cairn_now();
    cairn_iteration it = {.iteration = run->iterations,
                          .factorizations = run->factorizations,
                          .solves = run->solves,
                          .primal = run->primal,
                          .dual = run->dual,
                          .rho = run->rho,
                          .natural_map = tested ? run->last_map : NAN,
                          .violation = NAN,
                          .seconds = from - run->started - run->paused,
                          .phi = NAN};
    if (settings->trace) {
        double *v = run->trace_v, *u = run->trace_u, *work = run->work;
        run->work = run->trace_work; /* the solve's own vectors stay: a trace changes no answer */
        cairn_operator_velocity(run->op, candidate, v);
        cairn_operator_slip(run->op, v, candidate, u);
        it.natural_map = cairn_run_map(run, candidate, u, NULL);
        it.violation = violation(run, u);
        it.phi = slip_term(run, u, run->work);
        run->work = work;
    }
    bool go_on = settings->on_iteration(settings->user, &it);
    run->paused += cairn_now() - from;
    return go_on;
}

cairn_status cairn_run_factor(cairn_run *run, cairn_kkt *kkt, const double *B, const double *theta) {
    cairn_status status = B != NULL ? cairn_kkt_factor_blocks(kkt, B, theta) : cairn_kkt_factor(kkt, theta);
    double share = cairn_kkt_share(kkt);
    run->factorizations++;
    run->factor_flops = cairn_kkt_flops(kkt);
    run->factor_work += share * run->factor_flops +
                        (run->problem->local ? 0.0 : ASSEMBLY * run->problem->D.start[run->problem->m]);
    run->solve_work = cairn_kkt_solve_flops(kkt);
    run->partial_factorizations += share < 1.0;
    run->partial_work += share < 1.0 ? share : 0.0;
    return status;
}

double cairn_run_effort(const cairn_run *run) {
    const cairn_problem *p = run->problem;
    double product = p->local ? p->A.start[p->m] : 2.0 * p->D.start[p->m] + p->A.start[p->n];
    return run->factor_work + run->solves * run->solve_work + run->iterations * (2.0 * product + VISIT * p->m);
}

bool cairn_run_spent(cairn_run *run) {
    bool within = run->iterations + CAIRN_FACTOR_COUNTS * run->factorizations <= run->most_work;
    if (within && cairn_run_effort(run) <= run->allowance)
        return false;
    run->outcome = CAIRN_STALLED;
    if (within)
        snprintf(run->note, sizeof run->note, "no answer within %.1g multiply-adds", run->allowance);
    else
        snprintf(run->note, sizeof run->note, "no answer within the work that the step had left");
    return true;
}

bool cairn_run_tick(cairn_run *run, const double *candidate, bool tested) {
    run->iterations++;
    bool go_on = tell(run, candidate, tested);
    if (run->finished)
        return false;
    if (!go_on) {
        run->outcome = CAIRN_CANCELLED;
        return false;
    }
    if (run->best_map < STALL_FACTOR * run->stall_map) {
        run->stall_map = run->best_map;
        run->stalled_since = run->iterations;
    }
    if (run->iterations >= run->settings->max_iterations) {
        run->outcome = CAIRN_ITERATION_LIMIT;
        return false;
    }
    if (cairn_run_spent(run))
        return false;
    int patience = run->settings->test_every > STALL_ITERATIONS / STALL_TESTS ? STALL_TESTS * run->settings->test_every
                                                                              : STALL_ITERATIONS;
    if (run->iterations - run->stalled_since >= patience) {
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note, "no progress over %d iterations", patience);
        return false;
    }
    if (run->settings->time_limit > 0.0 && cairn_now() - run->started - run->paused > run->settings->time_limit) {
        run->outcome = CAIRN_TIME_LIMIT;
        return false;
    }
    return true;
}

cairn_status cairn_run_broken(cairn_run *run, const char *what) {
    run->outcome = CAIRN_NUMERICAL;
    snprintf(run->note, sizeof run->note, "%s", what);
    return CAIRN_OK;
}
