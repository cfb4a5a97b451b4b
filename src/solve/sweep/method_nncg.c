/*
 * method_nncg.c: nncg: Gauss-Seidel sweeps with nonlinear conjugate gradients around them,
 * matrix-free.
 *
 *     y = sweep(x),   f = y - x,   beta = |f|^2 / |f of the iteration before|^2
 *         (Fletcher and Reeves; norm diag(n_i))
 *     x <- y + beta p,   p <- beta p + f
 *
 * A sweep goes forwards, then backwards (symmetric = on): where no contact changes its state the
 * sweep is then a symmetric preconditioner and the iteration is that of conjugate gradients
 * [theory 1]. States do change, so p is cleared when beta exceeds BETA_MAX; a little growth of |f|
 * must be allowed, because slow modes of a pile swell before they die. y is in its sets and is what
 * is tested; x need not be. The state v of the sweeps is linear in gamma and is extrapolated with
 * it.
 *
 * Contacts between balls have a layout of their own (sphere_kernel.c), which extrapolates within
 * the sweeps and tests candidates before the driver does.
 *
 * A test costs as much as a sweep. It is made when |f| predicts that it passes, by the ratio of
 * the map to |f| at the test before, and every RARELY times test_every iterations anyway.
 *
 * A guess may have the right shape and the wrong size: that of a heap which has hopped and lands,
 * or the other way round. Sweeps change the size of all impulses together by a few per cent an
 * iteration. So after RESIZE iterations from a guess, when what differs from contact to contact is
 * settled, balls take one step along x itself (cairn_sphere_kernel_resize).
 *
 * In jammed packings, contacts alternate between stick and slip and conjugate directions stall.
 * Plain sweeps still converge, slowly (cairn_nncg_again).
 *
 * Safeguards: a natural map RUNAWAY times the best one, or PATIENCE tests without a better one,
 * lead back to the best candidate with p = 0. Cost: two sweeps and a few vector operations an
 * iteration, no factorisation; memory linear in the number of contacts. primal: largest change of
 * an impulse by the sweep; dual: largest n_i times that change; rho: beta.
 */
#include "solve/infeasible/divergence.h"
#include "solve/sweep/sphere_kernel.h"
#include "solve/sweep/sweep.h"

#include <math.h>
#include <string.h>

#define REFRESH     50 /* iterations between two computations of the state from gamma */
#define BETA_MAX    1.5
#define PATIENCE    50
#define RESIZE      10
#define RESIZE_MOST 2.0
#define RUNAWAY     100.0
#define RARELY      2
#define SELDOM      20   /* the same where the layout has a test of its own, which comes first */
#define BETTER      0.25 /* of the best map kept: a candidate that is worth it */
/* times the tolerance: a map that looks no larger is tested; above it one test in thirty passes, */
#define HOPE       1.3
#define HOPE_SPEED 2.0 /* and the same for velocities */
#define MANY       500 /* contacts from which the guess is looked at in the layout of the sweeps */
#define LANES      8
#define SLOW_FALL  0.75 /* as a stage: of the map before, to which it must fall within a window */

typedef struct workspace {
    cairn_sphere_kernel round; /* contacts between balls: memory is not NULL, */
    double *gamma;             /* m: and this is the candidate; else that of sweep */
    double load;               /* square of the free slip's norm, as in candidate_map.c */
    cairn_sweep *sweep;        /* NULL: round */
    cairn_divergence growth;
    double *old, *p;             /* m: x, p */
    double *old_state, *p_state; /* sweep->state: the same in the state */
    double beta, keep;           /* round: of the extrapolation that the next iteration begins with */
    double last;                 /* |f|^2 of the iteration before, INFINITY: none */
    double ratio;                /* square of the map over |f|^2 when it was tested last, INFINITY: not yet */
} workspace;

void cairn_nncg_release(cairn_context *context, void *memory) {
    workspace *w = memory;
    if (w->sweep != NULL)
        cairn_sweep_destroy(context, w->sweep);
    else
        cairn_free(context, w->gamma);
    cairn_sphere_kernel_free(context, &w->round);
    cairn_divergence_free(context, &w->growth);
    cairn_free(context, w->old);
    cairn_free(context, w->p);
    cairn_free(context, w->old_state);
    cairn_free(context, w->p_state);
    cairn_free(context, w);
}

/* Contacts between balls, swept forwards and backwards in their order, have a layout of their
 * own. */
static cairn_status prepare_round(cairn_run *run, workspace *w) {
    const cairn_settings *settings = run->settings;
    int blocks = run->problem->blocks, groups = 0;
    if (!cairn_contact_kernel_fits(run->problem) || settings->colouring || !settings->symmetric ||
        settings->omega != 1.0)
        return CAIRN_OK;
    int *place = cairn_alloc_raw(run->context, (size_t)blocks, CAIRN_CONTACT_KERNEL_LANES * sizeof *place);
    cairn_status status = place != NULL ? cairn_contact_kernel_arrange(run->problem, place, &groups)
                                        : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_sphere_kernel_create(run, groups, place, &w->round);
    cairn_free(run->context, place);
    if (status == CAIRN_OK && w->round.memory != NULL) {
        w->gamma = cairn_alloc_raw(run->context, (size_t)run->problem->m, sizeof *w->gamma);
        status = w->gamma != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    return status;
}

static cairn_status prepare_sweep(cairn_run *run, workspace *w) {
    cairn_status status = cairn_sweep_create(run, &w->sweep);
    if (status != CAIRN_OK)
        return status;
    size_t m = (size_t)run->problem->m, state = (size_t)w->sweep->state;
    w->gamma = w->sweep->gamma;
    w->old = cairn_alloc_raw(run->context, m, sizeof *w->old);
    w->p = cairn_alloc_raw(run->context, m, sizeof *w->p);
    w->old_state = cairn_alloc_raw(run->context, state, sizeof *w->old_state);
    w->p_state = cairn_alloc_raw(run->context, state, sizeof *w->p_state);
    return w->old == NULL || w->p == NULL || w->old_state == NULL || w->p_state == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

cairn_status cairn_nncg_prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_divergence_create(run->context, run->problem->m, &w->growth);
    if (status == CAIRN_OK)
        status = prepare_round(run, w);
    if (status == CAIRN_OK && w->round.memory == NULL)
        status = prepare_sweep(run, w);
    if (status == CAIRN_OK)
        *out = w;
    else
        cairn_nncg_release(run->context, w);
    return status;
}

static void restart(workspace *w, int m) {
    w->beta = w->keep = 0.0;
    if (w->sweep == NULL)
        return;
    memset(w->p, 0, (size_t)m * sizeof *w->p);
    memset(w->p_state, 0, (size_t)w->sweep->state * sizeof *w->p_state);
}

static void begin(cairn_run *run, workspace *w, const double *gamma) {
    int m = run->problem->m;
    if (gamma != NULL)
        cairn_run_project(run, false, gamma, w->gamma);
    else
        memset(w->gamma, 0, (size_t)m * sizeof *w->gamma);
    if (w->sweep == NULL)
        cairn_sphere_kernel_put(&w->round, w->gamma);
    else
        cairn_sweep_refresh(run, w->sweep);
    restart(w, m);
    w->last = INFINITY;
}

typedef struct change_sums {
    double square[LANES], primal[LANES], dual[LANES];
} change_sums;

/* n f^2 summed, |f| and n |f| at most, by lanes; f = x - old. Comparisons let no NAN go unseen:
 * the sum has it. */
CAIRN_CLONES static void measure(int m, const double *restrict n, const double *restrict old, const double *restrict x,
                                 change_sums *restrict sum) {
    for (int j = 0; j < m; j += LANES)
        for (int l = 0; l < (m - j < LANES ? m - j : LANES); l++) {
            double f = x[j + l] - old[j + l], size = fabs(f), speed = n[j + l] * size;
            sum->square[l] += speed * size;
            sum->primal[l] = sum->primal[l] > size ? sum->primal[l] : size;
            sum->dual[l] = sum->dual[l] > speed ? sum->dual[l] : speed;
        }
}

static double iterate_round(cairn_run *run, workspace *w) {
    if (run->iterations % REFRESH == REFRESH - 1)
        cairn_sphere_kernel_refresh(&w->round);
    cairn_sphere_kernel_change change = cairn_sphere_kernel_iterate(&w->round, w->beta, w->keep);
    run->primal = change.primal;
    run->dual = change.dual;
    return change.square;
}

/* y and f of one iteration; returns |f|^2. */
static double sweep_once(cairn_run *run, workspace *w) {
    if (w->sweep == NULL)
        return iterate_round(run, w);
    cairn_sweep *s = w->sweep;
    int m = run->problem->m;
    change_sums sums = {0};
    double square = 0.0;
    memcpy(w->old, s->gamma, (size_t)m * sizeof *w->old);
    memcpy(w->old_state, s->v, (size_t)s->state * sizeof *w->old_state);
    cairn_sweep_run(run, s, run->settings->omega, false);
    if (run->settings->symmetric)
        cairn_sweep_run(run, s, run->settings->omega, true);
    measure(m, run->row_scale, w->old, s->gamma, &sums);
    run->primal = run->dual = 0.0;
    for (int l = 0; l < LANES; l++) {
        square += sums.square[l];
        run->primal = fmax(run->primal, sums.primal[l]);
        run->dual = fmax(run->dual, sums.dual[l]);
    }
    return square;
}

/* Does the change look as if the candidate would pass? */
static bool hopeful(const cairn_run *run, const workspace *w, double square) {
    double velocity = HOPE_SPEED * cairn_run_aim_velocity(run);
    double map = HOPE * (velocity > 0.0 ? run->settings->tolerance : cairn_run_aim(run));
    return w->ratio * square <= map * map && (velocity == 0.0 || run->dual <= velocity);
}

/* x <- y + beta p, p <- beta p + y - x for one of the two vectors. */
CAIRN_CLONES static void extrapolate(int count, double beta, const double *restrict old, double *restrict x,
                                     double *restrict p) {
    for (int j = 0; j < count; j++) {
        double f = x[j] - old[j], ahead = beta * p[j];
        x[j] += ahead;
        p[j] = ahead + f;
    }
}

static void accelerate(cairn_run *run, workspace *w, double square) {
    double beta = square / w->last;
    w->last = square;
    run->rho = beta;
    if (!(beta <= BETA_MAX)) {
        restart(w, run->problem->m);
        return;
    }
    w->beta = beta;
    w->keep = 1.0;
    if (w->sweep == NULL)
        return;
    extrapolate(run->problem->m, beta, w->old, w->sweep->gamma, w->p);
    extrapolate(w->sweep->state, beta, w->old_state, w->sweep->v, w->p_state);
}

/* The layout's own test. True: the candidate deserves the driver's, because it may pass.
 * *passes: all that is asked for is met by these figures. A candidate that is worth it is kept. */
static bool test_round(cairn_run *run, const workspace *w, bool *passes) {
    cairn_sphere_kernel_error e = cairn_sphere_kernel_test(&w->round, w->load);
    double velocity = cairn_run_aim_velocity(run);
    double aim = velocity > 0.0 ? run->settings->tolerance : cairn_run_aim(run);
    bool good = e.map <= aim && (velocity == 0.0 || e.velocity <= velocity);
    run->last_map = e.map;
    *passes = good && run->settings->tolerance_plain == 0.0;
    if (!good && e.map <= BETTER * run->best_map && !run->passed) {
        cairn_sphere_kernel_get(&w->round, w->gamma);
        cairn_run_keep(run, w->gamma, e.map);
    }
    return good;
}

/* The guess, as begin has put it. True: finished. */
static bool test_guess(cairn_run *run, const workspace *w) {
    bool passes = false;
    if (w->sweep == NULL && !test_round(run, w, &passes))
        return false;
    return (passes && cairn_run_judge(run, w->gamma)) || cairn_run_test(run, w->gamma);
}

/* Many contacts: to lay them out for sweeps, which a guess seldom spares, and to look at it
 * there costs less than the driver's test. */
static bool tests_guess(const cairn_run *run) {
    return run->problem->blocks >= MANY && cairn_contact_kernel_fits(run->problem);
}

/* How a stage goes: from where (NULL: zero), at most limit iterations (0: no limit), ended when
 * a window of them brings too little; plain: sweeps alone. */
typedef struct course {
    const double *from;
    bool plain;
    int limit, window;
} course;

static bool follow(cairn_run *run, workspace *w, course c) {
    double *gamma = w->gamma, best = INFINITY, slow = INFINITY, began = INFINITY;
    int waited = 0;
    begin(run, w, c.from);
    cairn_divergence_begin(&w->growth, run, gamma);
    w->load = 0.0;
    for (int j = 0; j < run->problem->m; j++)
        w->load += run->free_slip[j] * run->free_slip[j] / run->row_scale[j];
    bool guessed = run->guess != NULL && c.from == run->guess;
    if (guessed && !run->guess_tested && test_guess(run, w))
        return true;
    bool compared = guessed; /* last_map belongs to the gamma that the next sweep begins with */
    w->ratio = INFINITY;
    for (int count = 1;; count++) {
        double square = sweep_once(run, w);
        double map = guessed && run->guess_tested && count == 1 ? run->guess_map : run->last_map;
        if (compared && square > 0.0)
            w->ratio = map * map / square;
        int next = run->iterations + 1, every = run->settings->test_every;
        bool test = next % (RARELY * every) == 0 || next == every || hopeful(run, w, square);
        compared = test;
        bool passes = false;
        if (w->sweep == NULL && (test || !isfinite(square))) {
            test = test_round(run, w, &passes) || next % (SELDOM * every) == 0 || !isfinite(square);
            if (test)
                cairn_sphere_kernel_get(&w->round, gamma);
        }
        if (test && !(passes && cairn_run_judge(run, gamma)))
            cairn_run_test(run, gamma);
        if (!cairn_run_tick(run, gamma, test) ||
            ((test || !isfinite(square)) && !cairn_divergence_check(&w->growth, run, gamma)))
            return true;
        if (compared) {
            waited = run->last_map < best ? 0 : waited + 1;
            best = fmin(best, run->last_map);
        }
        if (c.limit > 0 && (count == c.limit || (count % c.window == 0 && !(best <= SLOW_FALL * slow))))
            return false;
        if (count % c.window == 0)
            slow = best;
        if (c.limit > 0)
            run->stalled_since = run->iterations; /* a stage has a rule of its own */
        bool idle = waited >= PATIENCE && !c.plain;
        if (compared && (idle || !(run->last_map <= RUNAWAY * best)) && isfinite(run->best_map)) {
            if (best < began && best <= run->best_map) {
                begin(run, w, run->best_gamma);
            } else { /* from the same candidate it would go the same way, and that of another stage is not on its way */
                restart(w, run->problem->m);
                w->last = INFINITY;
            }
            began = best;
            waited = 0;
            continue;
        }
        if (count == RESIZE && w->sweep == NULL && guessed) {
            cairn_sphere_kernel_resize(&w->round, RESIZE_MOST);
            restart(w, run->problem->m);
            w->last = INFINITY;
            compared = false;
            continue;
        }
        if (!c.plain)
            accelerate(run, w, square);
        if (run->iterations % REFRESH == 0 && w->sweep != NULL)
            cairn_sweep_refresh(run, w->sweep);
    }
}

bool cairn_nncg_run(cairn_run *run, void *memory, int limit, int window) {
    return follow(run, memory, (course){.from = run->guess, .limit = limit, .window = window});
}

bool cairn_nncg_again(cairn_run *run, void *memory, const double *from, bool plain, int limit, int window) {
    return follow(run, memory, (course){.from = from, .plain = plain, .limit = limit, .window = window});
}

static cairn_status iterate(cairn_run *run, void *memory) {
    cairn_nncg_run(run, memory, 0, 1);
    return CAIRN_OK;
}

const cairn_method cairn_method_nncg = {
    .name = "nncg",
    .summary = "Gauss-Seidel sweeps accelerated by nonlinear conjugate gradients; matrix-free, for large piles",
    .paper = "nonlinear conjugate gradients of Fletcher and Reeves around the sweeps of pgs",
    .accepts = "every problem; with sparse H an explicit N of at most 2 GB",
    .options = "test_every omega symmetric colouring",
    .defaults = "omega=1 symmetric=on",
    .tests_guess = tests_guess,
    .prepare = cairn_nncg_prepare,
    .run = iterate,
    .release = cairn_nncg_release,
};
