/*
 * method_auto.c: auto: begins with the scheme that pays, and switches by counts and certificate,
 * never by the clock.
 *
 *     1. a warm start whose natural map is good is tested, then used by every stage below
 *     1b. few contacts: a handful of Gauss-Seidel sweeps. Problems whose factorisation is heavy:
 *         accelerated sweeps, as long as they make good progress; these alone where the factor would
 *         take more than LARGEST bytes
 *     1c. flexible parts (a sparse, symmetric H): the problem in a few modes of each part,
 *         then ADMM with a graded metric from there
 *     1d. a loose tolerance and rigid bodies in contact alone: ADMM with two penalties in turn
 *     1e. joints and contacts, from the last step: splitting in a metric that knows what each
 *         contact did (contact_metric.c)
 *     2. interior point with the Coulomb law inside, then Newton's polish; three smoothings of the
 *        exact law [theory 5]. Where the first attempt slows down, splitting follows before the
 *        polish: in the contacts' own metric (contact_metric.c), then ADMM
 *     2b. the interior path by its length, through the folds at which stage 2 jams (exact law, cheap factorisations)
 *     3. ADMM from the best candidate so far, with the metric of splitmetric and that of padmm [T21 (47)] in turn, then
 *        the polish again; the local form is brought to a global one for that (local_newton.c)
 *     4. the interior path with other smoothings
 *
 * An accepted answer of a small problem may be refined by sweeps or Newton's method (setting
 * refine): in time steps a velocity within the tolerance is a creep, and its removal costs next to
 * nothing. So may that of bodies at rest: see refine_resting.c.
 *
 * Stage 2 is for the global form with cones, unilateral and bilateral rows; other problems begin
 * with stage 3. What was done and why is said in the note of the result.
 */
#include "solve/admm/rigid/rigid_admm.h"
#include "solve/infeasible/infeasible.h"
#include "solve/auto/reduced_basis.h"
#include "solve/auto/local_newton.h"
#include "solve/auto/refine_resting.h"
#include "solve/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define POLISH_SIGMA 100.0
#define FIRST_POLISH 40 /* factorisations of the polish after the interior point: splitting is still to come */
#define LAST_POLISH  200
#define ADMM_SLICE   1500 /* ADMM iterations before the first polish; SLICE_MOST later */
#define SLICE_MOST   3000
#define SLICE_SHORT  200 /* where Newton's method is the only other stage */
#define GUESS_POLISH 20  /* factorisations of Newton's method from the guess there */
#define SLICES       5
#define FIRST_PATH   1500 /* factorisations along the path before the splitting, and after it */
#define LAST_PATH    3000
#define SHORT_PATH   200  /* factorisations along the path before the splitting with more than MANY_ROWS rows */
#define MANY_ROWS    3000 /* rows from which splitting takes less time than the path */
#define USEFUL_MAP   1e-2 /* the splitting begins from the best candidate when its natural map is below this */

/* tolerances from which the interior point hands over to ADMM where the exact law slows it down */
#define LOOSE      5e-6
#define TURNS      1500 /* iterations of ADMM with two penalties before the interior point */
#define TURNS_FEW  1000 /* iterations of ADMM with two penalties after it, at tighter tolerances */
#define TURNS_GOAL 3.0  /* tolerances that these iterations aim at */
#define EARLY_GOAL 30.0 /* tolerances: natural map at which the interior point hands over */
#define EARLY_MAP  0.1  /* largest natural map from which splitting after the interior point is tried */
#define EARLY_RHO  0.3
#define EARLY_MOST 600 /* ADMM iterations then where the interior point jammed */
#define EARLY_FEW  200 /* ADMM iterations then where it did not */

#define HEAVY         3e8 /* multiply-adds of a factorisation from which sweeps are worth a try */
#define SWEEPS        3000
#define LARGEST       ((size_t)2e9) /* bytes of a factor above which sweeps alone are used, where they can be */
#define SWEEP_LOOSE   5e-4          /* tolerance from which sweeps are tried before a heavy factorisation */
#define SWEEP_GRAINS  1e-6 /* the tolerance for that where a share SINGLE of the contacts is alone between its bodies */
#define SINGLE        0.8
#define WINDOW        100  /* iterations in which sweeps must reduce the natural map by a quarter */
#define WINDOW_GRAINS 500  /* the window where contacts are alone between their bodies: sweeps are cheap there */
#define HEAVY_LOOSE   5e3  /* multiply-adds of a factorisation per block from which it counts as heavy then */
#define LATE_COLUMNS  4500 /* n from which sweeps are tried before a factorisation is prepared */

#define PLAIN_SWEEPS 9000 /* jammed grains: sweeps without conjugate gradients */
#define WINDOW_PLAIN 2000
#define SWEEPS_AGAIN 2000 /* jammed grains: sweeps with conjugate gradients */
#define ONE_WAY      6000 /* jammed grains: sweeps in one direction, without a window */

/* Work that a problem may take, in multiply-adds: ALLOWED, ALLOWED_ROWS times the square of its
 * rows and ALLOWED_FACTS factorisations; ALLOWED_PARTS times that sum where bodies are flexible,
 * because yielding takes long. */
#define ALLOWED       1e7
#define ALLOWED_ROWS  2e3
#define ALLOWED_FACTS 500
#define ALLOWED_PARTS 20
#define RUNAWAY       1e5
#define RUNAWAY_MORE  1.5 /* of the work so far, in all, then */
#define SMALL_ROWS    120 /* m of problems that begin with sweeps */
#define SMALL_COLUMNS 30  /* m of problems that begin with sweeps where H is not block diagonal */
#define SMALL_SWEEPS  10
#define POOR_GUESS    0.01 /* natural map above which a guess comes after sweeps from zero */
/* natural map after sweeps below which Newton's method is worth SWEPT_POLISH factorisations */
#define SWEPT_NEAR   0.01
#define SWEPT_POLISH 8
#define SMALL_TEST   5    /* sweeps between two tests */
#define REFINE_MOST  1e-5 /* a looser tolerance asks for speed: small problems are not refined */
/* share of the velocities without impulses above which bodies move too fast to be refined */
#define REFINE_SLOW   0.1
#define REFINE_STEADY 1e-4  /* natural map of a guess below which moving bodies are refined all the same */
#define REFINE_ABOVE  1e-10 /* natural map above which a small problem is refined */
#define REFINED       1e-13 /* natural map at which the refinement ends */
#define REFINE_ROUND  1e-9  /* natural map from which on steps must halve it */
#define REFINE_SIGMA  100.0
#define SWEEP_BELOW   6e-10 /* natural map below which sweeps refine, without a factorisation */
#define SWEPT         1e-10 /* natural map at which these sweeps end */
#define SWEPT_TEST    1
#define SWEPT_MOST    10
#define STILL         0.1 /* of the tolerance: a sweep that changes no more calls for a test */

#define GRADED 210 /* iterations of ADMM with a graded metric */
/* answers in modes, each from the one before while the natural map falls to FALL of what it was */
#define CORRECTIONS 3
#define FALL        0.3
#define CLOSE       100.0 /* times the tolerance: natural map from which a correction may end it */
#define NEAR        0.1   /* natural map of a guess that is a better start than none */
#define NEAR_SOFT   0.002 /* of the softness: natural map of a guess from which modes would not help */
#define SOFT        0.01  /* softness from which modes tell less than any guess */

typedef struct workspace {
    cairn_sweep *sweeps; /* NULL: contacts are not few */
    void *one_way;       /* nncg with sweeps in one direction; NULL until they are needed */
    void *nncg;          /* NULL: factorisations are cheap, or H is not block diagonal */
    bool has_second;     /* second is made */
    bool too_large;      /* its factor would take more than LARGEST: sweeps are all there is */
    cairn_kkt *even;     /* with a symmetric factor, for ADMM with two penalties in turn; NULL: that is no stage */
    cairn_ipm_newton second;
    void *admm;                 /* NULL: no solve has needed it yet */
    bool flexible;              /* H couples bodies, and contacts are not few */
    double softness;            /* of the parts: see reduced_basis.h */
    cairn_reduced_basis *modes; /* NULL: no solve has needed them yet */
    /* Newton's method for the local form; NULL: it is not for the problem, or no solve has
     * needed it yet */
    cairn_local_newton *moved;
    double *start;       /* m: where the ADMM begins */
    bool grains;         /* nearly every contact is alone between its bodies, and the tolerance is not tight */
    bool late;           /* sweeps come before everything that factors */
    cairn_status status; /* memory may be lacking when a stage is reached for the first time */
} workspace;

/* Has nearly every pair of bodies one contact, as in heaps of grains? Sweeps get on well there. */
static bool has_single_contacts(const cairn_problem *p, const cairn_kkt *kkt) {
    const int *start, *block;
    return kkt != NULL && cairn_kkt_classes(kkt, &start, &block) >= SINGLE * p->blocks;
}

/* A factorisation costs as much as many sweeps. */
static bool is_heavy(const cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    const cairn_kkt *kkt = w->even != NULL ? w->even : w->second.kkt;
    double tolerance = run->settings->tolerance;
    w->grains = tolerance < SWEEP_LOOSE && tolerance >= SWEEP_GRAINS && p->block_diagonal &&
                has_single_contacts(p, kkt);
    double bound = tolerance >= SWEEP_LOOSE || w->grains ? fmin(HEAVY, HEAVY_LOOSE * p->blocks) : HEAVY;
    double flops = kkt == NULL ? 0.0 : w->even != NULL ? 2.0 * cairn_kkt_flops(kkt) : cairn_kkt_flops(kkt);
    return p->block_diagonal && (w->too_large || flops > bound);
}

/* So few contacts that a handful of sweeps is next to nothing; N, where it must be made, has few
 * columns. Not with joints: of the reactions that redundant rows may share, sweeps give all to
 * the first row, a factorisation with its penalty those of least norm. */
static bool is_small(const cairn_problem *p) {
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set == CAIRN_SET_BILATERAL)
            return false;
    return p->m <= (p->local || p->block_diagonal ? SMALL_ROWS : SMALL_COLUMNS);
}

/* Many bodies and a loose tolerance: sweeps will do, most likely, and the order of elimination
 * alone would cost as much. */
static bool is_loose_and_large(const cairn_run *run) {
    return run->settings->tolerance >= SWEEP_LOOSE && run->problem->block_diagonal && !run->problem->local &&
           run->problem->n >= LATE_COLUMNS;
}

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    if (w->sweeps != NULL)
        cairn_sweep_destroy(context, w->sweeps);
    if (w->nncg != NULL)
        cairn_nncg_release(context, w->nncg);
    if (w->one_way != NULL)
        cairn_nncg_release(context, w->one_way);
    if (w->admm != NULL)
        cairn_admm_release(context, w->admm);
    cairn_kkt_destroy(w->even);
    cairn_reduced_basis_destroy(context, w->modes);
    cairn_local_newton_destroy(context, w->moved);
    cairn_ipm_newton_destroy(context, &w->second);
    cairn_free(context, w->start);
    cairn_free(context, w);
}

static cairn_status make_second(cairn_run *run, workspace *w) {
    if (w->has_second)
        return CAIRN_OK;
    size_t most = run->problem->block_diagonal ? LARGEST : SIZE_MAX;
    cairn_status status = cairn_ipm_newton_create(run, true, most, &w->second);
    w->too_large = status == CAIRN_ERROR_UNSUPPORTED;
    w->has_second = status == CAIRN_OK || w->too_large;
    return w->has_second ? CAIRN_OK : status;
}

/* A symmetric factor where rigid bodies touch and the unscaled map does not matter, which ADMM
 * in this metric brings down late. */
static cairn_status make_even(cairn_run *run, workspace *w) {
    if (run->settings->tolerance_plain != 0.0 || !cairn_rigid_admm_fit(run))
        return CAIRN_OK;
    cairn_status status = cairn_kkt_create_cached(run->problem, false, LARGEST, run->store, &w->even);
    return status == CAIRN_ERROR_UNSUPPORTED ? CAIRN_OK : status;
}

static cairn_status make_admm(cairn_run *run, workspace *w) {
    if (w->start == NULL)
        w->start = cairn_alloc(run->context, (size_t)run->problem->m, sizeof *w->start);
    if (w->start == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_kkt *kkt = w->even != NULL ? w->even : w->second.kkt;
    return w->admm != NULL ? CAIRN_OK : cairn_admm_prepare(run, true, kkt, &w->admm);
}

/* What the first stage needs. Few contacts seldom need more than sweeps: the rest is made by the
 * first solve that does. */
static cairn_status prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    bool small = is_small(run->problem);
    w->flexible = run->problem->m > SMALL_ROWS && cairn_reduced_basis_refuse(run) == NULL;
    w->late = !small && is_loose_and_large(run);
    cairn_status status = CAIRN_OK;
    if (w->flexible) {
        status = cairn_reduced_basis_softness(run, &w->softness);
        if (status == CAIRN_OK)
            status = make_admm(run, w); /* with a symmetric factor of its own */
        if (status == CAIRN_OK)
            status = cairn_graded_prepare(run, w->admm);
    }
    if (!w->flexible && !w->late && !small && run->settings->tolerance >= LOOSE)
        status = make_even(run, w);
    if (status == CAIRN_OK && !w->flexible && !w->late && w->even == NULL)
        status = small ? cairn_sweep_create(run, &w->sweeps) : make_second(run, w);
    if (status == CAIRN_OK && !small && (w->late || is_heavy(run, w)))
        status = cairn_nncg_prepare(run, &w->nncg);
    if (status == CAIRN_OK)
        *out = w;
    else
        release(run->context, w);
    return status;
}

/* Restarts the stall counter for a new stage. */
static void begin_stage(cairn_run *run) {
    run->stalled_since = run->iterations;
    run->stall_map = run->best_map;
}

/* The polish of a problem in local form. True: the run is over, or w->status says why not. */
static bool polish_local(cairn_run *run, workspace *w) {
    if (w->moved == NULL)
        w->status = cairn_local_newton_create(run, &w->moved);
    if (w->status != CAIRN_OK || w->moved == NULL)
        return w->status != CAIRN_OK;
    cairn_run_stage(run, "polish");
    begin_stage(run);
    return cairn_local_newton_run(run, w->moved, run->best_gamma, &w->status);
}

/* Stage 3: the two metrics in turn. True: the run is over. */
static bool splitting(cairn_run *run, workspace *w) {
    w->status = make_admm(run, w);
    if (w->status != CAIRN_OK)
        return true;
    for (int slice = 0; slice < SLICES; slice++) {
        memcpy(w->start, run->best_gamma, (size_t)run->problem->m * sizeof *w->start);
        run->guess = run->best_map < USEFUL_MAP || slice > 0 ? w->start : NULL;
        bool hasty = !w->second.has_ipm && w->second.has_newton;
        int limit = slice > 0 ? SLICE_MOST : hasty ? SLICE_SHORT : ADMM_SLICE;
        cairn_run_stage(run, slice == 0 ? "splitting" : slice % 2 == 0 ? "metrics" : "one metric");
        begin_stage(run);
        if (slice % 2 == 0 ? cairn_splitmetric_run(run, w->admm, limit) : cairn_admm_run(run, w->admm, limit))
            return true;
        if (run->problem->local && slice > 0 && polish_local(run, w))
            return true;
        if (!w->second.has_newton)
            continue;
        cairn_run_stage(run, "polish");
        if (cairn_newton_run(run, &w->second.newton, run->best_gamma, NULL, POLISH_SIGMA, LAST_POLISH))
            return true;
    }
    return false;
}

/* A handful of sweeps from gamma (m; NULL: from zero), in the order of the blocks; every sweeps
 * between two tests, limit at most. True: the run is over. */
static bool sweep_few(cairn_run *run, cairn_sweep *sweep, const double *gamma, int every, int limit) {
    size_t bytes = (size_t)run->problem->m * sizeof *sweep->gamma;
    if (gamma != NULL)
        memcpy(sweep->gamma, gamma, bytes);
    else
        memset(sweep->gamma, 0, bytes);
    cairn_sweep_refresh(run, sweep);
    for (int i = 1; i <= limit; i++) {
        cairn_sweep_run(run, sweep, 1.0, false);
        run->primal = cairn_norm_max(run->problem->m, sweep->change);
        bool still = run->primal <= STILL * run->settings->tolerance * cairn_norm_max(run->problem->m, sweep->gamma);
        bool test = i % every == 0 || still;
        if (test)
            cairn_run_test(run, sweep->gamma);
        if (!cairn_run_tick(run, sweep->gamma, test))
            return true;
    }
    return false;
}

/* Newton's method from what a few sweeps have left, as long as it makes good progress. True: the
 * run is over. */
static bool polish_swept(cairn_run *run, workspace *w) {
    if (!w->second.has_newton || !(run->best_map < SWEPT_NEAR))
        return false;
    cairn_run_stage(run, "polish");
    begin_stage(run);
    w->second.newton.hasty = true;
    bool over = cairn_newton_run(run, &w->second.newton, run->best_gamma, NULL, POLISH_SIGMA, SWEPT_POLISH);
    w->second.newton.hasty = false;
    return over;
}

/* The last impulses, tested as they are, once. True: the run is over. */
static bool take_guess(cairn_run *run) {
    if (run->guess == NULL || run->guess_tested)
        return false;
    cairn_run_stage(run, "the guess as it is");
    run->cold_map = run->best_map;
    run->guess_tested = !cairn_run_test(run, run->guess);
    run->guess_map = run->last_map;
    return !run->guess_tested;
}

/* A loose tolerance and rigid bodies in contact: ADMM with two penalties, from the last impulses
 * where they are better than none. True: the run is over, or w->status says why not. */
static bool take_turns(cairn_run *run, workspace *w) {
    if (w->even == NULL || w->nncg != NULL || run->settings->tolerance < LOOSE)
        return false;
    if (take_guess(run))
        return true;
    w->status = make_admm(run, w);
    if (w->status != CAIRN_OK)
        return true;
    const double *guess = run->guess;
    if (guess != NULL && run->guess_map > run->cold_map)
        run->guess = NULL;
    cairn_run_stage(run, "two penalties in turn");
    begin_stage(run);
    bool over = cairn_admm_turns_run(run, w->admm, TURNS);
    run->guess = guess;
    return over;
}

/* Two penalties that came near and then to and fro: Newton's method from there, before all
 * begins anew. True: the run is over. */
static bool polish_turns(cairn_run *run, workspace *w) {
    if (w->even == NULL || run->settings->tolerance < LOOSE || !w->second.has_newton ||
        !(run->best_map < EARLY_GOAL * run->settings->tolerance))
        return false;
    cairn_run_stage(run, "polish");
    begin_stage(run);
    return cairn_newton_run(run, &w->second.newton, run->best_gamma, NULL, POLISH_SIGMA, FIRST_POLISH);
}

/* Sweeps before all else, where they cost little against a factorisation. With a guess only for
 * a single block, which one visit solves, or in a hurry where the guess is poor. True: the run
 * is over. */
static bool sweep_first(cairn_run *run, workspace *w) {
    if (w->sweeps == NULL)
        return false;
    if (take_guess(run))
        return true;
    bool poor = run->hurried && run->guess_map > POOR_GUESS;
    if (run->guess != NULL && run->problem->blocks > 1 && !poor)
        return false;
    cairn_run_stage(run, "sweeps for few contacts");
    return sweep_few(run, w->sweeps, NULL, SMALL_TEST, SMALL_SWEEPS);
}

/* A tight tolerance under the exact law: two penalties in turn from where the interior point has
 * jammed, to near the tolerance; the polish that comes next takes a half to a tenth of the
 * factorisations from there. True: the run is over, or w->status says why not. */
static bool turn_late(cairn_run *run, workspace *w) {
    if (w->nncg != NULL || run->problem->m <= SMALL_ROWS)
        return false;
    if (w->even == NULL && w->admm == NULL)
        w->status = make_even(run, w);
    if (w->status == CAIRN_OK && w->even != NULL)
        w->status = make_admm(run, w);
    if (w->status != CAIRN_OK || w->even == NULL)
        return w->status != CAIRN_OK;
    const cairn_settings *asked = run->settings;
    cairn_settings near = *asked;
    near.tolerance *= TURNS_GOAL;
    near.tolerance_velocity *= TURNS_GOAL;
    memcpy(w->start, run->best_gamma, (size_t)run->problem->m * sizeof *w->start);
    run->guess = w->start;
    run->settings = &near;
    cairn_run_stage(run, "two penalties in turn");
    begin_stage(run);
    bool over = cairn_admm_turns_run(run, w->admm, TURNS_FEW), there = run->finished && run->verdict == CAIRN_SOLVED;
    run->settings = asked;
    run->guess = NULL;
    if (over && !there)
        return true;
    run->finished = run->settled = run->passed = false; /* what is near is not what was asked for */
    return there && cairn_run_test(run, run->best_gamma);
}

/* The exact law: splitting from where the interior point slows down. True: the run is over, or
 * w->status says why not. */
static bool split_early(cairn_run *run, void *user) {
    workspace *w = user;
    if (!(run->best_map < EARLY_MAP))
        return false;
    if (run->settings->tolerance < LOOSE)
        return turn_late(run, w);
    w->status = make_admm(run, w);
    if (w->status != CAIRN_OK)
        return true;
    memcpy(w->start, run->best_gamma, (size_t)run->problem->m * sizeof *w->start);
    double rho = run->guess_rho;
    run->guess = w->start;
    run->guess_rho = EARLY_RHO;
    cairn_run_stage(run, "one metric");
    begin_stage(run);
    bool over = cairn_admm_run(run, w->admm, run->best_map > w->second.goal ? EARLY_MOST : EARLY_FEW);
    run->guess = NULL;
    run->guess_rho = rho;
    return over;
}

/* Motors and the like are not for the interior point. Newton's method often needs one step from
 * the last answer, where the splitting needs a thousand. True: the run is over. */
static bool polish_guess(cairn_run *run, workspace *w, bool warm) {
    if (!warm || w->second.has_ipm || !w->second.has_newton)
        return false;
    cairn_run_stage(run, "polish of the guess");
    begin_stage(run);
    return cairn_newton_run(run, &w->second.newton, run->guess, NULL, POLISH_SIGMA, GUESS_POLISH);
}

/* Searches for a proof that there is no answer, where no interior point stage has done so. True:
 * that is proven, or w->status says why not. */
static bool is_impossible(cairn_run *run, workspace *w) {
    bool proven = false;
    if (!w->second.has_ipm)
        w->status = cairn_run_prove(run, &proven);
    return w->status != CAIRN_OK || proven;
}

static bool graded(cairn_run *run, workspace *w, const double *gamma, const double *u) {
    cairn_run_stage(run, "graded metric");
    begin_stage(run);
    return cairn_graded_run(run, w->admm, gamma, u, GRADED);
}

/* Answers in modes, from the guess or from nothing, corrected while that pays; then the graded
 * metric. True: the run is over, or w->status says why not. */
static bool begin_in_modes(cairn_run *run, workspace *w, const double *from) {
    const double *gamma = NULL, *u = NULL;
    double before = INFINITY;
    bool good = true;
    w->status = w->modes != NULL ? CAIRN_OK : cairn_reduced_basis_create(run, &w->modes);
    if (w->status != CAIRN_OK || w->modes == NULL)
        return w->status != CAIRN_OK;
    cairn_run_stage(run, "modes of the parts");
    for (int i = 0; i < CORRECTIONS && good; i++) {
        if (from != NULL)
            memcpy(w->start, from, (size_t)run->problem->m * sizeof *w->start);
        w->status = cairn_reduced_basis_solve(run, w->modes, from != NULL ? w->start : NULL, &gamma, &u, &good);
        if (w->status != CAIRN_OK || (good && cairn_run_test(run, gamma)))
            return true;
        if (!(run->last_map < fmin(FALL * before, CLOSE * run->settings->tolerance)))
            break;
        before = run->last_map;
        from = gamma;
    }
    return gamma != NULL && good && graded(run, w, gamma, u);
}

/* Flexible parts. Soft ones go straight on from the guess, whatever it is; without one, or from
 * a poor one for stiff parts, modes come first. True: the run is over, or w->status says why
 * not. */
static bool flexible_first(cairn_run *run, workspace *w) {
    const double *from = NULL;
    if (run->guess != NULL) {
        cairn_run_stage(run, "the guess as it is");
        if (!run->guess_tested && cairn_run_test(run, run->guess))
            return true;
        from = run->last_map < NEAR ? run->guess : NULL;
        if (w->softness > SOFT || run->last_map < NEAR_SOFT * w->softness)
            return graded(run, w, run->guess, run->u);
    }
    return begin_in_modes(run, w, from);
}

/* Sweeps there and back may go round in circles where those in one direction do not. True: the
 * run is over, or w->status says why not. */
static bool sweep_one_way(cairn_run *run, workspace *w) {
    const cairn_settings *asked = run->settings;
    cairn_settings settings = *asked;
    settings.symmetric = false;
    run->settings = &settings;
    if (w->one_way == NULL)
        w->status = cairn_nncg_prepare(run, &w->one_way);
    bool over = w->status != CAIRN_OK;
    if (!over) {
        cairn_run_stage(run, "sweeps one way");
        begin_stage(run);
        over = cairn_nncg_again(run, w->one_way, NULL, false, ONE_WAY, ONE_WAY);
    }
    run->settings = asked;
    return over;
}

/* Jammed grains at a tight tolerance: sweeps alone go on where conjugate directions do not, and
 * ten thousand of them cost less than a dozen factorisations. True: the run is over. */
static bool sweep_grains(cairn_run *run, workspace *w) {
    if (!w->grains)
        return false;
    cairn_run_stage(run, "plain sweeps");
    begin_stage(run);
    if (cairn_nncg_again(run, w->nncg, run->best_gamma, true, PLAIN_SWEEPS, WINDOW_PLAIN))
        return true;
    cairn_run_stage(run, "sweeps again");
    begin_stage(run);
    if (cairn_nncg_again(run, w->nncg, run->best_gamma, false, SWEEPS_AGAIN, WINDOW_GRAINS))
        return true;
    return sweep_one_way(run, w);
}

/* The path may end for lack of memory. True: the run is over. */
static bool follow_path(cairn_run *run, workspace *w, double smooth, int limit) {
    bool over = cairn_ipm_newton_path(run, &w->second, smooth, limit);
    w->status = w->second.status;
    return over;
}

/* What the stages to come may take in all, as a matter of size alone: box stacks of 1100 rows
 * that are certified in the end take up to 1600 times the square of their rows. Where sweeps are
 * all there is they have limits of their own. */
static void allow(cairn_run *run, const workspace *w) {
    const cairn_kkt *kkt = w->second.kkt != NULL ? w->second.kkt : w->even;
    double m = run->problem->m, factor = kkt != NULL ? cairn_kkt_flops(kkt) : m * m * m / 3.0;
    double size = ALLOWED + ALLOWED_ROWS * m * m + ALLOWED_FACTS * factor;
    if (!run->problem->local && !run->problem->block_diagonal)
        size *= ALLOWED_PARTS;
    run->allowance = w->too_large ? INFINITY : cairn_run_effort(run) + size;
}

/* Impulses that would throw the heaviest body at RUNAWAY times the largest speed without them,
 * after three attempts: most likely there is no answer, although nothing proves it. */
static bool has_run_away(const cairn_run *run) {
    double speed = cairn_norm_max(run->problem->m, run->free_slip);
    return isfinite(run->least_scale) &&
           run->least_scale * cairn_norm_max(run->problem->m, run->best_gamma) > RUNAWAY * speed;
}

/* All stages. True: the run is over, or w->status says why not. */
static bool run_stages(cairn_run *run, workspace *w) {
    bool warm;
    if (sweep_first(run, w))
        return true;
    bool swept = run->hurried && w->sweeps != NULL && run->iterations > 0;
    if (w->late) {
        cairn_run_stage(run, "sweeps for many bodies");
        if (cairn_nncg_run(run, w->nncg, SWEEPS, w->grains ? WINDOW_GRAINS : WINDOW))
            return true;
    }
    if (w->flexible && flexible_first(run, w))
        return true;
    if (take_turns(run, w))
        return true;
    w->status = make_second(run, w);
    allow(run, w);
    if (w->status == CAIRN_OK && polish_turns(run, w))
        return true;
    w->second.polish_guess = w->second.has_ipm && (run->hurried || !is_small(run->problem));
    if (w->status != CAIRN_OK)
        return true;
    if (swept && polish_swept(run, w))
        return true;
    bool answered = cairn_ipm_newton_guess(run, &w->second, &warm);
    w->status = w->second.status;
    if (answered)
        return true;
    bool any_guess = run->settings->tolerance >= SWEEP_LOOSE &&
                     w->nncg != NULL; /* sweeps to a loose tolerance profit from any */
    if (!warm && !any_guess)
        run->guess = NULL;
    if (w->too_large) {
        cairn_run_stage(run, "sweeps, as a factor would take more than %.0f GB", 1e-9 * (double)LARGEST);
        return cairn_nncg_run(run, w->nncg, 0, 1);
    }
    if (w->nncg != NULL && !w->late) {
        cairn_run_stage(run, "sweeps before factorisations of %.0e multiply-adds", cairn_kkt_flops(w->second.kkt));
        if (cairn_nncg_run(run, w->nncg, SWEEPS, w->grains ? WINDOW_GRAINS : WINDOW) || sweep_grains(run, w))
            return true;
    }
    if (!warm)
        run->guess = NULL;
    bool loose = run->settings->tolerance >= LOOSE && run->problem->m > SMALL_ROWS;
    w->second.goal = loose ? EARLY_GOAL * run->settings->tolerance : 0.0;
    w->second.between = split_early;
    w->second.user = w;
    bool over = w->second.has_ipm && cairn_ipm_newton_run(run, &w->second, warm, FIRST_POLISH);
    if (w->status == CAIRN_OK)
        w->status = w->second.status;
    if (over)
        return true;
    if (has_run_away(run))
        run->allowance = fmin(run->allowance, RUNAWAY_MORE * cairn_run_effort(run));
    int length = w->even != NULL && run->problem->m > MANY_ROWS ? SHORT_PATH : FIRST_PATH;
    if (w->second.has_ipm && follow_path(run, w, 1.0, length))
        return true;
    if (polish_guess(run, w, warm) || is_impossible(run, w) || splitting(run, w))
        return true;
    for (int i = 0; i < 2; i++) {
        begin_stage(run);
        if (follow_path(run, w, i == 0 ? 0.01 : 10.0, LAST_PATH))
            return true;
    }
    return false;
}

/* Is the accepted answer to be refined? */
static bool is_rough(const cairn_run *run) {
    bool solved = run->finished && run->verdict == CAIRN_SOLVED;
    if (run->settings->refine == 0 || run->hurried || !solved)
        return false;
    if (is_small(run->problem))
        return (run->guess_map < REFINE_STEADY ||
                cairn_norm_max(run->problem->n, run->v) <= REFINE_SLOW * run->free_speed) &&
               run->settings->tolerance <= REFINE_MOST &&
               (run->best_map > REFINE_ABOVE || cairn_resting_disturbed(run));
    return cairn_resting_rough(run);
}

/* A better answer from an accepted one: by sweeps, where a few of them do, else by Newton's
 * method. w->status says when memory is lacking. */
static void improve(cairn_run *run, workspace *w, cairn_settings *strict, int limit) {
    strict->tolerance = SWEPT;
    if (w->sweeps != NULL && run->best_map > SWEPT && run->best_map < SWEEP_BELOW &&
        sweep_few(run, w->sweeps, run->best_gamma, SWEPT_TEST, SWEPT_MOST))
        return;
    w->status = make_second(run, w);
    if (w->status != CAIRN_OK || !w->second.has_newton)
        return;
    if (!is_small(run->problem)) {
        cairn_resting_refine(run, &w->second, &strict->tolerance, limit);
        return;
    }
    strict->tolerance = REFINED;
    w->second.newton.rounded = REFINE_ROUND;
    w->second.newton.hasty = true;
    cairn_newton_run(run, &w->second.newton, run->best_gamma, NULL, REFINE_SIGMA, limit);
    w->second.newton.hasty = false;
    w->second.newton.rounded = 0.0;
}

/* An accepted answer is made better. The verdict stands. */
static void refine(cairn_run *run, workspace *w) {
    if (!is_rough(run) || w->nncg != NULL)
        return;
    const cairn_settings *asked = run->settings;
    cairn_settings strict = *asked;
    strict.tolerance_plain = strict.tolerance_velocity = 0.0;
    run->settings = &strict;
    run->finished = run->settled = run->passed = false;
    cairn_run_stage(run, "refined");
    improve(run, w, &strict, asked->refine);
    run->settings = asked;
    run->finished = true;
    run->verdict = CAIRN_SOLVED;
}

/* A local form without an answer, or beyond all stages, because its N belongs to no bodies: the
 * note says what is wrong with N. */
static void explain(cairn_run *run, workspace *w) {
    if (!run->problem->local || run->finished || (run->outcome != CAIRN_STALLED && run->outcome != CAIRN_NUMERICAL))
        return;
    if (w->moved == NULL)
        w->status = cairn_local_newton_create(run, &w->moved);
    const char *reason = cairn_local_newton_reason(w->moved);
    if (reason[0] != '\0')
        snprintf(run->note, sizeof run->note, "%s", reason);
}

static cairn_status run_auto(cairn_run *run, void *memory) {
    workspace *w = memory;
    w->status = CAIRN_OK;
    w->second.status = CAIRN_OK;
    w->second.kept_map = INFINITY; /* of the solve before */
    if (!run_stages(run, w) && run->outcome != CAIRN_CANCELLED) {
        run->outcome = CAIRN_STALLED;
        if (!cairn_run_spent(run))
            snprintf(run->note, sizeof run->note, "no stage got there");
    }
    if (w->status == CAIRN_OK && w->has_second)
        cairn_ipm_newton_recall(run, &w->second);
    if (w->status == CAIRN_OK)
        explain(run, w);
    if (w->status == CAIRN_OK)
        refine(run, w);
    return w->status;
}

const cairn_method cairn_method_auto = {
    .name = "auto",
    .summary = "interior point, Newton and splitting in turn; needs no tuning",
    .paper = "[MT], [T21] and Newton's method, switched by counts and certificate",
    .accepts = "every problem",
    .options = "test_every rho rho_bilateral step_every step_grow relaxation symmetric refine",
    .defaults = "max_iterations=40000 relaxation=1.6 step_every=10 step_grow=1.2 omega=1 symmetric=on",
    .is_rough = is_rough,
    .prepare = prepare,
    .run = run_auto,
    .release = release,
};
