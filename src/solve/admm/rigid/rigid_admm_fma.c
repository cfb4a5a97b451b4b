/*
 * rigid_admm_fma.c: padmm for rigid bodies in contact, one pass over the contacts and one solve an
 * iteration; the iterates of method_admm.c, up to rounding.
 *
 * Without compliance gamma and y need not be formed. With w = 1/Theta, c = w b, z = P(x) the
 * iteration of [T21 (47)] in x is
 *
 *     S v = k + D (2 z - x - c),   S = H + D w D'
 *     x <- x + alpha (z - x - c - w D'v),   z <- P(x)
 *
 * and D (2 z - x - c) of the next one falls out of the same pass. P: the resolvent of the exact law
 * or the projection onto the cones [theory 1]; four contacts side by side (contact_simd_kernel.h).
 * About 60 instructions a contact, beside the solve.
 *
 * A test of the candidate z costs about as much (rigid_admm_map.c). It is made at every
 * test_every-th iteration at which the last step of x predicts that it passes, and at every RARELY
 * times test_every-th anyway. One thread, so that sums have one order. Not checked: magnitudes
 * whose squares are not finite, but for the sum of all squares.
 */
#include "solve/admm/rigid/rigid_admm.h"

#include "solve/admm/rigid/contact_simd_kernel.h"

#include <math.h>
#include <string.h>

#define RARELY      4
#define RHO_LEAST   1e-7 /* penalties beyond these limits stay as they are: solves body by body are not refined */
#define RHO_MOST    1e7
#define PROOF_EVERY 150 /* iterations between two attempts to prove infeasibility */

bool cairn_rigid_admm_fit(const cairn_run *run) {
    return cairn_contact_simd_fit(run->problem);
}

bool cairn_rigid_admm_serve(const cairn_run *run) {
    const cairn_settings *s = run->settings;
    bool law = s->coulomb == CAIRN_COULOMB_RESOLVENT || run->problem->law != CAIRN_LAW_COULOMB;
    bool policy = s->step_policy == CAIRN_STEP_FIXED || s->step_policy == CAIRN_STEP_BALANCED;
    bool own_stop = s->eps_primal != 0.0 || s->eps_dual != 0.0 || s->eps_relative != 0.0;
    return law && policy && s->anderson == 0 && !own_stop;
}

static void layout(cairn_rigid_admm *w, const cairn_problem *p, const cairn_kkt *kkt) {
    cairn_contact_simd_layout(&w->contacts, &w->arena, p, kkt);
    size_t rows = (size_t)w->contacts.rows, four = (size_t)w->contacts.groups * L, n = (size_t)p->n + BODY;
    double **of_rows[] = {&w->x, &w->z, &w->b, &w->c, &w->old}, **of_four[] = {&w->n, &w->root, &w->under};
    double **of_n[] = {&w->v, &w->image, &w->w, &w->impulse};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        *of_rows[i] = cairn_arena_take(&w->arena, rows, sizeof(double));
    for (size_t i = 0; i < sizeof of_four / sizeof *of_four; i++)
        *of_four[i] = cairn_arena_take(&w->arena, four, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(&w->arena, n, sizeof(double));
}

cairn_status cairn_rigid_admm_create(cairn_run *run, cairn_kkt *kkt, cairn_rigid_admm **out) {
    const cairn_problem *p = run->problem;
    cairn_rigid_admm *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->context = run->context;
    cairn_status status = cairn_kkt_prepare_bodies(kkt, 2);
    if (status == CAIRN_OK) {
        layout(w, p, kkt);
        status = cairn_arena_reserve_raw(run->context, &w->arena);
    }
    if (status != CAIRN_OK) {
        cairn_rigid_admm_destroy(w);
        return status;
    }
    layout(w, p, kkt);
    cairn_contact_simd_fill(p, kkt, &w->contacts);
    size_t rows = (size_t)w->contacts.rows;
    double *empty[] = {w->x, w->z, w->b, w->c}; /* 0 where there is no contact */
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        memset(empty[i], 0, rows * sizeof(double));
    for (size_t i = 0; i < BODY; i++)
        w->v[(size_t)p->n + i] = w->w[(size_t)p->n + i] = 0.0;
    for (int l = 0; l < w->contacts.groups * L; l++) {
        int i = w->contacts.contact[l];
        w->n[l] = i < 0 ? 0.0 : run->row_scale[p->block_start[i]];
        w->root[l] = sqrt(w->n[l]);
    }
    *out = w;
    return CAIRN_OK;
}

void cairn_rigid_admm_destroy(cairn_rigid_admm *w) {
    if (w == NULL)
        return;
    cairn_arena_free(w->context, &w->arena);
    cairn_free(w->context, w);
}

/* z = resolvent of the exact law at x: x_N and the disc of radius mu z_N. */
CAIRN_INLINE void resolve_group(const quad *mu, const quad *x, quad *z) {
    const quad zero = ALL(0.0), one = ALL(1.0);
    z[0] = PICK(x[0] > zero, x[0], zero);
    quad radius = *mu * z[0], square = x[1] * x[1] + x[2] * x[2];
    mask slides = square > radius * radius;
    quad factor = one;
    if (slides[0] | slides[1] | slides[2] | slides[3]) {
        quad length = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
        factor = PICK(slides, radius / PICK(slides, length, one), one);
    }
    z[1] = factor * x[1];
    z[2] = factor * x[2];
}

/* z = projection of x onto the cones: the formula of set_cone.c. */
CAIRN_INLINE void project_group(const quad *mu, const quad *x, quad *z) {
    const quad zero = ALL(0.0), one = ALL(1.0);
    quad square = x[1] * x[1] + x[2] * x[2];
    quad t = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    quad along = x[0] + *mu * t, a = PICK(along > zero, along, zero) / (one + *mu * *mu);
    quad factor = PICK(t > *mu * a, *mu * a / PICK(t > zero, t, one), one);
    z[0] = PICK(x[0] > a, x[0], a);
    z[1] = factor * x[1];
    z[2] = factor * x[2];
}

/* Sums and largest values in lanes. */
typedef struct lane_size {
    quad square, primal, dual, primal_root, dual_root;
} lane_size;

CAIRN_INLINE void larger(quad *most, const quad *x) {
    quad size = PICK(*x < ALL(0.0), -*x, *x);
    *most = PICK(size > *most, size, *most);
}

/* One group from a = D'v (NULL: x stays, z is made anew): x, z, and y = 2 z - x - c. */
CAIRN_INLINE void step_group(const cairn_rigid_admm *w, bool exact, cairn_admm_measure measure, double alpha, int g,
                             const quad *a, quad *y, lane_size *size) {
    const quad mu = LOAD(w->contacts.mu + g * L), under = LOAD(w->under + g * L);
    double *x = AT(w->x, g), *z = AT(w->z, g);
    const double *c = AT(w->c, g);
    quad from[3], old[3], to[3], step;
    for (int r = 0; r < 3; r++) {
        from[r] = to[r] = LOAD(x + r * L);
        old[r] = LOAD(z + r * L);
        if (a != NULL) {
            step = ALL(alpha) * (old[r] - from[r] - LOAD(c + r * L) - under * a[r]);
            to[r] += step;
            if (measure != CAIRN_MEASURE_NOTHING)
                size->square += LOAD(w->n + g * L) * step * step;
            STORE(x + r * L, to[r]);
        }
    }
    quad next[3];
    if (exact)
        resolve_group(&mu, to, next);
    else
        project_group(&mu, to, next);
    for (int r = 0; r < 3; r++) {
        y[r] = (next[r] - to[r]) + (next[r] - LOAD(c + r * L));
        STORE(z + r * L, next[r]);
    }
    for (int r = 0; r < 3 && measure == CAIRN_MEASURE_ALL; r++) {
        const quad root = LOAD(w->root + g * L);
        quad moved = next[r] - old[r], primal = (to[r] - next[r]) - (from[r] - old[r]), rooted = root * primal;
        quad speed = moved / PICK(under > ALL(0.0), under, ALL(1.0));
        larger(&size->primal, &primal);
        larger(&size->dual, &speed);
        larger(&size->primal_root, &rooted);
        speed = root * moved;
        larger(&size->dual_root, &speed);
    }
}

static double most_lane(const quad *x) {
    return fmax(fmax((*x)[0], (*x)[1]), fmax((*x)[2], (*x)[3]));
}

/* image = D (2 z - x - c) after the move of x by v, or from x as it is (moves = false). A few
 * groups at a time, as in contact_simd.c. */
CAIRN_INLINE void pass_all(const cairn_problem *p, const cairn_rigid_admm *given, bool exact, bool moves,
                           cairn_admm_measure measure, double alpha, cairn_admm_step *out) {
    const cairn_rigid_admm w = *given;
    const cairn_contact_simd *contacts = &w.contacts;
    lane_size size = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
    memset(w.image, 0, ((size_t)p->n + BODY) * sizeof *w.image);
    for (int begin = 0, end; begin < contacts->groups; begin = end) {
        quad u[BATCH][3], y[BATCH][3];
        end = batch_end(contacts, begin);
        for (int g = begin; g < end && moves; g++) {
            if (begin < contacts->opposed)
                pull_group(MATRIX(contacts, g), BASE(contacts, g), true, w.v, u[g - begin]);
            else if (begin < contacts->uniform)
                pull_group(MATRIX(contacts, g), BASE(contacts, g), false, w.v, u[g - begin]);
            else
                pull_mixed(MATRIX(contacts, g), BASE(contacts, g), w.v, u[g - begin]);
        }
        for (int g = begin; g < end; g++)
            step_group(&w, exact, measure, alpha, g, moves ? u[g - begin] : NULL, y[g - begin], &size);
        for (int g = begin; g < end; g++) {
            if (begin < contacts->opposed)
                push_group(MATRIX(contacts, g), BASE(contacts, g), true, y[g - begin], w.image);
            else if (begin < contacts->uniform)
                push_group(MATRIX(contacts, g), BASE(contacts, g), false, y[g - begin], w.image);
            else
                push_mixed(MATRIX(contacts, g), BASE(contacts, g), y[g - begin], w.image);
        }
    }
    *out = (cairn_admm_step){.square = sum_lanes(&size.square),
                             .primal = most_lane(&size.primal),
                             .dual = most_lane(&size.dual),
                             .primal_root = most_lane(&size.primal_root),
                             .dual_root = most_lane(&size.dual_root)};
}

/* The usual case is compiled on its own. */
CAIRN_CLONES_FMA static void pass(const cairn_problem *p, const cairn_rigid_admm *w, bool moves,
                                  cairn_admm_measure measure, double alpha, cairn_admm_step *out) {
    bool exact = p->law == CAIRN_LAW_COULOMB;
    if (exact && moves && measure == CAIRN_MEASURE_NOTHING)
        pass_all(p, w, true, true, CAIRN_MEASURE_NOTHING, alpha, out);
    else
        pass_all(p, w, exact, moves, measure, alpha, out);
}

/* 1/theta and c = b/theta for the penalty in use, then z and image. */
static void set_penalty(const cairn_run *run, const cairn_admm *admm) {
    const cairn_rigid_admm *w = admm->lanes;
    cairn_admm_step step;
    for (int l = 0; l < w->contacts.groups * L; l++)
        w->under[l] = w->n[l] > 0.0 ? 1.0 / (admm->rho * w->n[l]) : 0.0;
    for (int j = 0; j < w->contacts.rows; j++)
        w->c[j] = w->b[j] * w->under[j / (3 * L) * L + j % L];
    pass(run->problem, w, false, CAIRN_MEASURE_NOTHING, 0.0, &step);
}

void cairn_rigid_admm_begin(const cairn_run *run, const cairn_admm *admm) {
    cairn_rigid_admm *w = admm->lanes;
    const cairn_problem *p = run->problem;
    cairn_contact_simd_friction(p, &w->contacts);
    cairn_contact_simd_to_lanes(p, &w->contacts, admm->x, w->x);
    cairn_contact_simd_to_lanes(p, &w->contacts, p->b, w->b);
    w->ratio = 0.0;
    w->distance = INFINITY;
    w->load = 0.0;
    for (int j = 0; j < p->m; j++)
        w->load += run->free_slip[j] * run->free_slip[j] / run->row_scale[j];
    set_penalty(run, admm);
}

void cairn_rigid_admm_rescale(const cairn_run *run, const cairn_admm *admm, double factor) {
    const cairn_rigid_admm *w = admm->lanes;
    for (int j = 0; j < w->contacts.rows; j++)
        w->x[j] = w->z[j] + (w->x[j] - w->z[j]) / factor;
    set_penalty(run, admm);
}

bool cairn_rigid_admm_iterate(cairn_run *run, cairn_admm *admm, double alpha, cairn_admm_measure measure,
                              cairn_admm_step *step) {
    const cairn_rigid_admm *w = admm->lanes;
    const cairn_problem *p = run->problem;
    if ((run->iterations + 1) % PROOF_EVERY == 0)
        memcpy(w->old, w->z, (size_t)w->contacts.rows * sizeof *w->old);
    for (int i = 0; i < p->n; i++)
        w->v[i] = p->k[i] + w->image[i];
    int before = cairn_kkt_solves(admm->kkt);
    cairn_kkt_solve_bodies(admm->kkt, w->v);
    run->solves += cairn_kkt_solves(admm->kkt) - before;
    pass(p, w, true, measure, alpha, step);
    run->primal = measure == CAIRN_MEASURE_ALL ? step->primal : NAN;
    run->dual = measure == CAIRN_MEASURE_ALL ? step->dual : NAN;
    if (isfinite(step->square))
        return true;
    cairn_run_broken(run, "the solve gave a number that is not finite");
    return false;
}

/* Attempts to prove infeasibility from the direction in which z drifts. */
static bool proven_infeasible(cairn_run *run, cairn_admm *admm) {
    const cairn_rigid_admm *w = admm->lanes;
    for (int j = 0; j < w->contacts.rows; j++)
        w->old[j] = w->z[j] - w->old[j];
    cairn_contact_simd_from_lanes(run->problem, &w->contacts, w->old, admm->rd);
    return cairn_run_infeasible(run, admm->rd, admm->step);
}

bool cairn_rigid_admm_tick(cairn_run *run, cairn_admm *admm, bool tested) {
    if (run->settings->trace)
        cairn_contact_simd_from_lanes(run->problem, &admm->lanes->contacts, admm->lanes->z, admm->zn);
    if (!cairn_run_tick(run, admm->zn, tested))
        return false;
    return run->iterations % PROOF_EVERY != 0 || !proven_infeasible(run, admm);
}

/* Is z to be tested after the iteration that is number next? */
static bool is_due(const cairn_run *run, const cairn_rigid_admm *w, int next, double square) {
    int every = run->settings->test_every;
    if (every == 1 || next % (RARELY * every) == 0)
        return true;
    return next % every == 0 && cairn_rigid_admm_promising(run, w, square);
}

bool cairn_rigid_admm_run(cairn_run *run, cairn_admm *admm, int limit) {
    cairn_rigid_admm_begin(run, admm);
    for (int count = 1;; count++) {
        cairn_admm_step step;
        if (!cairn_rigid_admm_iterate(run, admm, run->settings->relaxation, CAIRN_MEASURE_ALL, &step))
            return true;
        bool last = count == limit || run->iterations + 1 == run->settings->max_iterations;
        bool test = last || is_due(run, admm->lanes, run->iterations + 1, step.square);
        if (test)
            cairn_rigid_admm_test(run, admm, step.square, last);
        if (!cairn_rigid_admm_tick(run, admm, test))
            return true;
        if (last)
            return false;
        double factor = cairn_step_balance(run, admm, step.primal_root, admm->rho * step.dual_root);
        if (factor == 1.0 || admm->rho * factor < RHO_LEAST || admm->rho * factor > RHO_MOST)
            continue;
        if (cairn_admm_change(run, admm, factor) != CAIRN_OK) {
            cairn_run_broken(run, cairn_error_message(run->context));
            return true;
        }
        cairn_rigid_admm_rescale(run, admm, factor);
    }
}
