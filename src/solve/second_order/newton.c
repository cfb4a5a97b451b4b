/*
 * newton.c: augmented Lagrangian and semismooth Newton for cone complementarity problems
 * [theory 1].
 *
 *     g(v) = H v - k - D P(x),   x = (r - sigma u)/(1 + sigma c),   u = D'v + b,   sigma_i = sigma/n_i
 *     Newton:   (H + D B D') d = -g,   B = sigma/(1 + sigma c) P'(x);   outer: r <- P(x)
 *
 * P: the projection (associated law and all other sets), or for Coulomb cones Alart and Curnier's
 * map: z_N = max(0, x_N), z_T = x_T clipped to the disc of radius mu z_N, whose derivative is
 * unsymmetric. Bilateral rows are saddle rows with their own gamma. c is the block's compliance,
 * which must be uniform in a block.
 *
 * Globalisation: backtracking on the objective (associated law without joints: Moreau envelopes) or
 * on the merit |g| in H^-1 with the joints' slip; the penalty grows while Newton is quick and
 * falls, with the last v, when it fails; a ceiling keeps it from going back at once to where it
 * failed.
 */
#include "solve/second_order/newton.h"

#include <math.h>
#include <string.h>

#define INNER_MAX   15
#define OUTER_MAX   80
#define SIGMA_MAX   1e6
#define SIGMA_MIN   0.1
#define INNER_GOAL  0.5 /* inner loop: |g| against |r - P| / sigma */
#define STEP_MIN    (1.0 / 64.0)
#define MERIT_FLOOR 1e-15
#define HASTY_FALL  0.5  /* what every step must bring the natural map to in a hasty attempt, */
#define HASTY_NEAR  1e-5 /* but for HASTY_SLOW steps below this: */
#define HASTY_SLOW  2

const char *cairn_newton_refuses(const cairn_problem *p, const cairn_settings *settings) {
    (void)settings;
    if (p->local)
        return "it is in local form; this method needs H and D";
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i] + 1; j < p->block_start[i + 1] && p->block[i].set != CAIRN_SET_BILATERAL; j++)
            if (p->C[j] != p->C[j - 1])
                return "a block has compliances that differ from row to row";
    return NULL;
}

void cairn_newton_layout(cairn_newton *w, cairn_arena *arena, const cairn_problem *problem) {
    size_t m = (size_t)problem->m, n = (size_t)problem->n, entries = 0;
    for (int i = 0; i < problem->blocks; i++)
        entries += (size_t)(problem->block[i].dim * problem->block[i].dim);
    w->B = cairn_arena_take(arena, entries, sizeof(double));
    w->B_start = cairn_arena_take(arena, (size_t)problem->blocks + 1, sizeof(int));
    w->joint_row = cairn_arena_take(arena, m, sizeof(int));
    double **of_m[] = {&w->theta, &w->base,   &w->r,  &w->x,  &w->P,  &w->u,
                       &w->q,     &w->dgamma, &w->xt, &w->Pt, &w->ut, &w->scale};
    double **of_n[] = {&w->v, &w->g, &w->d, &w->vt, &w->gt, &w->saved, &w->weighted, &w->image};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(arena, m, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(arena, n, sizeof(double));
}

void cairn_newton_prepare(const cairn_run *run, cairn_newton *w, cairn_kkt *kkt) {
    const cairn_problem *p = run->problem;
    w->kkt = kkt;
    w->joint_rows = 0;
    for (int i = 0; i < p->blocks; i++) {
        bool joint = p->block[i].set == CAIRN_SET_BILATERAL;
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
            w->base[j] = 1.0 / run->row_scale[j];
            w->scale[j] = joint ? 0.0 : run->row_scale[j];
            if (joint)
                w->joint_row[w->joint_rows++] = j;
        }
    }
}

/* x = (r - sigma u)/(1 + sigma c). */
CAIRN_CLONES static void arguments(int m, double factor, const double *restrict base, const double *restrict C,
                                   const double *restrict r, const double *restrict u, double *restrict x) {
    for (int j = 0; j < m; j++) {
        double sigma = factor * base[j];
        x[j] = (r[j] - sigma * u[j]) / (1.0 + sigma * C[j]);
    }
}

/* x, P, u and g at v; the bilateral part of P is given. */
static void evaluate(const cairn_run *run, const cairn_newton *w, const double *v, double *x, double *P, double *u,
                     double *g) {
    const cairn_problem *p = run->problem;
    memcpy(u, p->b, (size_t)p->m * sizeof *u);
    cairn_problem_slip(p, v, 1.0, u);
    arguments(p->m, w->sigma, w->base, p->C, w->r, u, x);
    for (int i = 0; i < w->joint_rows; i++)
        x[w->joint_row[i]] = P[w->joint_row[i]];
    cairn_run_project(run, w->coulomb, x, P);
    cairn_problem_impulse(p, P, 0.0, g);
    for (int i = 0; i < p->n; i++)
        g[i] = -p->k[i] - g[i];
    cairn_problem_multiply(p, v, 1.0, g);
}

/* sqrt(g'H^-1 g + sum over joints of slip^2/n). */
static double merit(const cairn_run *run, const cairn_newton *w, const double *g, const double *u, const double *P) {
    const cairn_problem *p = run->problem;
    double sum = 0.0;
    cairn_operator_solve(run->op, g, w->weighted);
    for (int i = 0; i < p->n; i++)
        sum += g[i] * w->weighted[i];
    for (int i = 0; i < w->joint_rows; i++) {
        int j = w->joint_row[i];
        double slip = u[j] + p->C[j] * P[j];
        sum += slip * slip * w->base[j];
    }
    return sqrt(fmax(sum, 0.0));
}

/* The augmented Lagrangian: v'Hv/2 - k'v + sum (|x|^2 - |x - P|^2)(1 + sigma c)/(2 sigma). */
static double objective(const cairn_run *run, const cairn_newton *w, const double *v, const double *x,
                        const double *P) {
    const cairn_problem *p = run->problem;
    double sum = 0.0;
    cairn_problem_multiply(p, v, 0.0, w->image);
    for (int i = 0; i < p->n; i++)
        sum += v[i] * (0.5 * w->image[i] - p->k[i]);
    for (int j = 0; j < p->m; j++) {
        double sigma = w->sigma * w->base[j];
        sum += P[j] * (x[j] - 0.5 * P[j]) * (1.0 + sigma * p->C[j]) / sigma;
    }
    return sum;
}

/* factor times the derivative of Alart and Curnier's map; symmetric: without the coupling from
 * normal to tangent. */
static void resolvent_derivative(int dim, double mu, const double *x, bool symmetric, double factor, double *J) {
    for (int e = 0; e < dim * dim; e++)
        J[e] = 0.0;
    if (x[0] <= 0.0)
        return;
    double length = cairn_tangent(dim, x), radius = mu * x[0];
    J[0] = factor;
    if (length <= radius) {
        for (int k = 1; k < dim; k++)
            J[k * dim + k] = factor;
        return;
    }
    double shrink = factor * (radius / length), t[3] = {0.0, x[1] / length, dim == 3 ? x[2] / length : 0.0};
    for (int k = 1; k < dim; k++) {
        J[k * dim] = symmetric ? 0.0 : factor * mu * t[k];
        for (int l = 1; l < dim; l++)
            J[k * dim + l] = shrink * ((k == l ? 1.0 : 0.0) - t[k] * t[l]);
    }
}

/* Derivative of the resolvent of a polyhedral cone. */
static void poly_derivative(const cairn_block *block, const double *x, bool symmetric, double *J) {
    cairn_poly_resolvent_derivative(block, x, J);
    for (int k = 1; symmetric && k < block->dim; k++)
        J[k * block->dim] = 0.0;
}

/* B at x. */
static void weights(const cairn_run *run, cairn_newton *w, bool symmetric) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        int row = p->block_start[i], dim = block->dim;
        double *B = w->B + w->B_start[i], sigma = w->sigma * w->base[row], factor = sigma / (1.0 + sigma * p->C[row]);
        if (block->set == CAIRN_SET_BILATERAL)
            continue;
        if (w->coulomb && block->set == CAIRN_SET_CONE) {
            resolvent_derivative(dim, block->mu, w->x + row, symmetric, factor, B);
            continue;
        }
        if (w->coulomb && block->set == CAIRN_SET_POLY_CONE)
            poly_derivative(block, w->x + row, symmetric, B);
        else
            cairn_set_get(block->set)->derivative(block, w->x + row, B);
        for (int e = 0; e < dim * dim; e++)
            B[e] *= factor;
    }
}

/* Newton direction d and the joints' step; false when no factor can be had. */
static bool direction(cairn_run *run, cairn_newton *w) {
    const cairn_problem *p = run->problem;
    cairn_status status = CAIRN_ERROR_NUMERICAL;
    for (int attempt = 0; attempt < 2 && status != CAIRN_OK; attempt++) {
        weights(run, w, attempt == 1);
        status = cairn_run_factor(run, w->kkt, w->B, w->theta);
    }
    if (status != CAIRN_OK)
        return false;
    for (int i = 0; i < p->n; i++)
        w->gt[i] = -w->g[i];
    for (int i = 0; i < w->joint_rows; i++) {
        int j = w->joint_row[i];
        w->q[j] = -(w->u[j] + p->C[j] * w->P[j]);
    }
    int before = cairn_kkt_solves(w->kkt);
    status = cairn_kkt_solve_blocks(w->kkt, 1, w->gt, w->q, w->d, w->dgamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    return status == CAIRN_OK;
}

/* Evaluates v + a d as the trial point; returns its merit. */
static double trial(const cairn_run *run, cairn_newton *w, double a) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->n; i++)
        w->vt[i] = w->v[i] + a * w->d[i];
    for (int i = 0; i < w->joint_rows; i++)
        w->Pt[w->joint_row[i]] = w->P[w->joint_row[i]] + a * w->dgamma[w->joint_row[i]];
    evaluate(run, w, w->vt, w->xt, w->Pt, w->ut, w->gt);
    return merit(run, w, w->gt, w->ut, w->Pt);
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

/* Moves v along d; returns the step, *size becomes the new merit. */
static double search(cairn_run *run, cairn_newton *w, double *size) {
    const cairn_problem *p = run->problem;
    bool convex = !w->coulomb && w->joint_rows == 0;
    double from = *size, slope = 0.0, start = 0.0, best = INFINITY, best_step = STEP_MIN, a = 1.0, now = 0.0;
    if (convex) {
        start = objective(run, w, w->v, w->x, w->P);
        for (int i = 0; i < p->n; i++)
            slope += w->g[i] * w->d[i];
    }
    for (;;) {
        now = trial(run, w, a);
        if (now < best) {
            best = now;
            best_step = a;
        }
        if (convex ? now <= 0.5 * from || objective(run, w, w->vt, w->xt, w->Pt) <= start + 1e-4 * a * slope
                   : now <= (1.0 - 1e-4 * a) * from)
            break;
        a *= 0.5;
        if (a < STEP_MIN) {
            a = best_step;
            now = trial(run, w, a);
            break;
        }
    }
    swap(&w->v, &w->vt);
    swap(&w->g, &w->gt);
    swap(&w->x, &w->xt);
    swap(&w->P, &w->Pt);
    swap(&w->u, &w->ut);
    *size = now;
    return a;
}

/* Sum of n (r - P)^2, in eight lanes. */
CAIRN_CLONES static double distance(int m, const double *restrict n, const double *restrict r,
                                    const double *restrict P) {
    double sum[8] = {0}, total = 0.0;
    int j = 0;
    for (; j + 8 <= m; j += 8)
        for (int l = 0; l < 8; l++)
            sum[l] += n[j + l] * ((r[j + l] - P[j + l]) * (r[j + l] - P[j + l]));
    for (int l = 0; j + l < m; l++)
        sum[l] += n[j + l] * ((r[j + l] - P[j + l]) * (r[j + l] - P[j + l]));
    for (int l = 0; l < 8; l++)
        total += sum[l];
    return total;
}

/* |r - P| in the norm of n_i, divided by sigma: how far the outer problem still moves. */
static double outer_distance(const cairn_run *run, const cairn_newton *w) {
    return sqrt(distance(run->problem->m, w->scale, w->r, w->P)) / w->sigma;
}

/* Tests P; its velocity is v - H^-1 g, and H^-1 g is known from the merit. */
static void offer(cairn_run *run, const cairn_newton *w) {
    for (int i = 0; i < run->problem->n; i++)
        run->v[i] = w->v[i] - w->weighted[i];
    cairn_run_test_moving(run, w->P);
}

typedef enum inner_end { INNER_STOP, INNER_GOOD, INNER_FAIR, INNER_BAD, INNER_USELESS } inner_end;

/* Newton until |g| is small against the outer distance. INNER_STOP: the run is over.
 * INNER_USELESS: there is no more to gain. */
static inner_end inner(cairn_run *run, cairn_newton *w, double floor, int *steps) {
    double size = merit(run, w, w->g, w->u, w->P), first = size;
    int small = 0;
    for (*steps = 0; *steps < INNER_MAX; ++*steps) {
        if (size <= INNER_GOAL * outer_distance(run, w) || size <= floor)
            return INNER_GOOD;
        if (!direction(run, w))
            return INNER_BAD;
        double a = search(run, w, &size);
        small = a < 0.1 ? small + 1 : 0;
        double before = run->best_map;
        run->primal = outer_distance(run, w) * w->sigma;
        run->dual = size;
        run->rho = w->sigma;
        offer(run, w);
        if (!cairn_run_tick(run, w->P, true))
            return INNER_STOP;
        bool slow = !(run->last_map < HASTY_FALL * before);
        w->slow += slow;
        if (slow && (before < w->rounded || (w->hasty && w->slow > (run->best_map < HASTY_NEAR ? HASTY_SLOW : 0))))
            return INNER_USELESS;
        if (!isfinite(size))
            return INNER_BAD;
        if (small >= 4 && w->coulomb)
            break;
    }
    if (size <= INNER_GOAL * outer_distance(run, w))
        return INNER_GOOD;
    return !w->coulomb || size < 0.1 * first ? INNER_FAIR : INNER_BAD;
}

bool cairn_newton_run(cairn_run *run, cairn_newton *w, const double *gamma, const double *v, double sigma, int limit) {
    const cairn_problem *p = run->problem;
    size_t n = (size_t)p->n * sizeof(double), m = (size_t)p->m * sizeof(double);
    int first = run->factorizations, idle = 0;
    double best = run->best_map, ceiling = SIGMA_MAX;
    w->coulomb = false;
    for (int i = 0; i < p->blocks; i++)
        w->coulomb = w->coulomb ||
                     (p->law == CAIRN_LAW_COULOMB && cairn_is_contact(p->block[i].set) && p->block[i].mu > 0.0);
    w->sigma = sigma;
    w->slow = 0;
    cairn_run_project(run, false, gamma, w->r);
    if (v != NULL)
        memcpy(w->v, v, n);
    else
        cairn_operator_velocity(run->op, w->r, w->v);
    cairn_operator_solve(run->op, p->k, w->weighted);
    double floor = 0.0;
    for (int i = 0; i < p->n; i++)
        floor += p->k[i] * w->weighted[i];
    floor = MERIT_FLOOR * sqrt(fmax(floor, 0.0));
    memcpy(w->P, w->r, m);
    memcpy(w->Pt, w->r, m);
    for (int outer = 0; outer < OUTER_MAX && run->factorizations - first < limit && idle < 12; outer++) {
        int steps = 0;
        memcpy(w->saved, w->v, n);
        evaluate(run, w, w->v, w->x, w->P, w->u, w->g);
        inner_end end = inner(run, w, floor, &steps);
        if (end == INNER_STOP || end == INNER_USELESS)
            return end == INNER_STOP;
        if (end == INNER_BAD) {
            memcpy(w->v, w->saved, n);
            ceiling = fmax(SIGMA_MIN, w->sigma / 3.0); /* no use in coming back soon */
            w->sigma = fmax(SIGMA_MIN, w->sigma / 10.0);
        } else {
            memcpy(w->r, w->P, m);
            if (end == INNER_GOOD) {
                w->sigma = fmin(ceiling, w->sigma * (steps <= 4 ? 10.0 : steps <= 8 ? 3.0 : 1.0));
                ceiling = fmin(SIGMA_MAX, ceiling * (steps <= 4 ? 2.0 : 1.0));
            }
        }
        idle = run->best_map < 0.9 * best ? 0 : idle + 1;
        best = fmin(best, run->best_map);
        if (steps == 0 && end == INNER_GOOD && outer_distance(run, w) <= floor)
            break;
    }
    return false;
}
