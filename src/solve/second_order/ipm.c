/*
 * ipm.c: primal-dual interior point on v with Nesterov-Todd scaling and the Coulomb law inside
 * Newton's matrix.
 *
 *     unknowns v, y (slip in cone scales), z (impulse in cone scales); y = L u, gamma = L z,
 *     L = diag(1/(mu d), 1/d, 1/d), d^2 = n_i;  one unit: k, b divided by |r^/d|/sqrt(cones)
 *     rd = Hv - k - D gamma,  rp = L(D'v + b + C gamma) - y,  s(y)'z -> 0
 *     dz = (I + B E)^-1 (t - B(rp + L D'dv)),  dy = rp + L D'dv + E dz,  B = W^-2 ds/dy,  E = L C L
 *     (H + D L (I + B E)^-1 B L D') dv - D_b dgamma_b = -rd + D L (I + B E)^-1 (t - B rp)
 *
 * Predictor and corrector of Mehrotra as in [MT (14)-(17)], carried to cones as [theory 5] asks.
 * Bilateral rows are saddle rows. mu = 0: only the normal row is a cone, the tangential impulses
 * are 0. Where light bodies carry heavy ones (heavy) d^2 is the least n_i for all: a start in each
 * contact's own scale is too small there by the ratio of the masses, and steps to the boundary are
 * short from then on. Stored gaps and a right-hand side that never forms W t keep the last digits.
 * A cone under the exact law needs y_0 > 0 only; s(y) is then inside by itself.
 */
#include "solve/second_order/ipm.h"

#include <math.h>
#include <string.h>

#define KICKS      4
#define WARM_SHORT 0.3  /* a step of an attempt from a guess that ends it: a cold start would go on */
#define SKIP_EARLY 6    /* first iterations, where tests may be left out */
#define SKIP_FAR   30.0 /* hoped for map against the tolerance */
#define HANDOVER   18   /* iterations after which an attempt with a goal may end */
#define LAST_LEAST 1e-3 /* share of s'z that a last step may leave, at least; it aims at the tolerance */
#define LAST_SURE  4.0  /* over this and the root of the number of blocks: one block may have all of the map */
#define SLOW       0.3  /* a step that another method may take the place of, */
#define SLOW_NEAR  1e-4 /* where the natural map is below this */
#define DRIFT_END  1e-8 /* mean of s'z from which on rp is computed at every iteration */

const char *cairn_ipm_refuses(const cairn_problem *p, const cairn_settings *settings) {
    (void)settings;
    if (p->local)
        return "it is in local form; this method needs H and D";
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_BILATERAL && p->block[i].set != CAIRN_SET_NONNEGATIVE &&
            p->block[i].set != CAIRN_SET_CONE)
            return "it has sets other than round cones, unilateral and bilateral rows";
    return NULL;
}

/* Cones a block makes. */
static int cones_of(const cairn_block *block) {
    return block->set == CAIRN_SET_BILATERAL ? 0 : block->set == CAIRN_SET_CONE ? 1 : block->dim;
}

void cairn_ipm_layout(cairn_ipm *w, cairn_arena *arena, const cairn_problem *p) {
    size_t n = (size_t)p->n, m = (size_t)p->m + 1, entries = 0, cones = 0;
    for (int i = 0; i < p->blocks; i++) {
        entries += (size_t)(p->block[i].dim * p->block[i].dim);
        cones += (size_t)cones_of(&p->block[i]);
    }
    w->cones.count = (int)cones;
    w->cones.tiles = (int)((cones + CAIRN_LANES - 1) / CAIRN_LANES);
    w->cones.tile = cairn_arena_take(arena, (size_t)w->cones.tiles, sizeof *w->cones.tile);
    w->B = cairn_arena_take(arena, entries, sizeof(double));
    w->B_start = cairn_arena_take(arena, (size_t)p->blocks + 1, sizeof(int));
    w->joint_row = cairn_arena_take(arena, m, sizeof(int));
    double **of_m[] = {&w->b, &w->gamma, &w->h, &w->u, &w->q, &w->theta, &w->dgamma[0], &w->dgamma[1]};
    double **of_n[] = {&w->v, &w->rd, &w->k, &w->p, &w->dv[0], &w->dv[1]};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(arena, m, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(arena, n, sizeof(double));
}

void cairn_ipm_prepare(const cairn_run *run, cairn_ipm *w, cairn_kkt *kkt) {
    const cairn_problem *p = run->problem;
    w->kkt = kkt;
    w->joint_rows = 0;
    for (int i = 0; i < p->blocks; i++) {
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
            if (p->block[i].set == CAIRN_SET_BILATERAL)
                w->joint_row[w->joint_rows++] = j;
        }
    }
}

/* One lane of the tiles: cone number c, rows from row on, of block i; single: only its normal
 * row. */
static void set_cone(const cairn_run *run, cairn_ipm *w, int c, int i, int row, bool single) {
    const cairn_problem *p = run->problem;
    const cairn_block *block = &p->block[i];
    cairn_cone_tile *k = &w->cones.tile[c / CAIRN_LANES];
    int l = c % CAIRN_LANES, at = row - p->block_start[i];
    double d = sqrt(w->common > 0.0 ? w->common : run->row_scale[p->block_start[i]]);
    k->live[l] = 1.0;
    k->dim[l] = single ? 1 : block->dim;
    k->ld[l] = block->dim;
    k->weight[l] = w->B_start[i] + at * block->dim + at;
    for (int j = 0; j < 3; j++) {
        bool here = j < k->dim[l];
        k->row[j][l] = here ? row + j : p->m;
        k->L[j][l] = !here ? 0.0 : j > 0 || single ? 1.0 / d : 1.0 / (block->mu * d);
        k->E[j][l] = here ? k->L[j][l] * p->C[row + j] * k->L[j][l] : 0.0;
    }
}

/* Lanes behind the last cone: a cone of its own that touches no row. */
static void fill_up(cairn_ipm *w, int m) {
    for (int c = w->cones.count; c < CAIRN_LANES * w->cones.tiles; c++) {
        cairn_cone_tile *k = &w->cones.tile[c / CAIRN_LANES];
        int l = c % CAIRN_LANES;
        for (int j = 0; j < 3; j++) {
            k->row[j][l] = m;
            k->y[j][l] = k->z[j][l] = j == 0 ? 1.0 : 0.0;
        }
        k->y_gap[l] = k->z_gap[l] = 1.0;
    }
}

/* Cones and their scales; mu may have changed since the last solve. */
static void set_cones(const cairn_run *run, cairn_ipm *w, double smooth) {
    const cairn_problem *p = run->problem;
    int c = 0;
    w->coulomb = false;
    w->common = w->heavy ? run->least_scale : 0.0;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        bool single = block->set == CAIRN_SET_NONNEGATIVE || block->mu == 0.0;
        bool exact = p->law == CAIRN_LAW_COULOMB && !single;
        for (int k = 0; k < cones_of(block); k++, c++) {
            set_cone(run, w, c, i, p->block_start[i] + k, single);
            w->cones.tile[c / CAIRN_LANES].c[c % CAIRN_LANES] = exact ? smooth : 0.0;
            w->coulomb = w->coulomb || exact;
        }
    }
    fill_up(w, p->m);
    size_t m = (size_t)p->m + 1;
    memset(w->gamma, 0, m * sizeof *w->gamma); /* rows without a cone stay 0 in these */
    memset(w->h, 0, m * sizeof *w->h);
    memset(w->B, 0, (size_t)w->B_start[p->blocks] * sizeof *w->B);
}

/* u = D'v + b + C gamma, in units. */
static void slip(const cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    for (int j = 0; j < p->m; j++)
        w->u[j] = w->b[j] + p->C[j] * w->gamma[j];
    cairn_problem_slip(p, w->v, 1.0, w->u);
}

/* gamma, rd, rp, q; returns the mean of s'z. A step changes rp by a factor, up to rounding: it
 * is computed anew only where there are joints, after a kick, and near the end. */
static double residuals(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    cairn_cones_impulse(&w->cones, w->gamma);
    if (!w->drifting) {
        slip(run, w);
        cairn_cones_residual(&w->cones, w->u);
    }
    cairn_problem_impulse(p, w->gamma, 0.0, w->rd);
    for (int i = 0; i < p->n; i++)
        w->rd[i] = -w->k[i] - w->rd[i];
    cairn_problem_multiply(p, w->v, 1.0, w->rd);
    for (int i = 0; i < w->joint_rows; i++)
        w->q[w->joint_row[i]] = -w->u[w->joint_row[i]]; /* what the step must bring to 0 */
    run->dual = 0.0;
    return w->cones.count > 0 ? cairn_cones_mean(&w->cones, &run->dual) : 0.0;
}

/* Blocks of weights L (I + B E)^-1 B L, and their factor, which without cones is always the
 * same. */
static cairn_status factor(cairn_run *run, cairn_ipm *w) {
    if (w->cones.count == 0 && w->factored)
        return CAIRN_OK;
    w->factored = true;
    if (w->compliant)
        cairn_cones_soften(&w->cones);
    cairn_cones_weights(&w->cones, w->B);
    return cairn_run_factor(run, w->kkt, w->B, w->theta);
}

/* Newton direction for the target t, in way now; returns the largest step that keeps every cone,
 * -1: failed. */
static double direction(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    if (w->compliant)
        cairn_cones_soften_target(&w->cones);
    cairn_cones_respond(&w->cones, w->h);
    cairn_problem_impulse(p, w->h, 0.0, w->p);
    for (int i = 0; i < p->n; i++)
        w->p[i] -= w->rd[i];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->dv[w->now], w->dgamma[w->now]);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    if (status != CAIRN_OK)
        return -1.0;
    cairn_problem_slip(p, w->dv[w->now], 0.0, w->u);
    return cairn_cones_direct(&w->cones, w->u, w->now);
}

/* Share of the largest step to the boundary that is taken. What is left of the mean of s'z after
 * a long step is 1 - share, and the natural map follows it: a step that is likely to be the last
 * goes as far as the tolerance asks. Were every step as long, single cones would be left at the
 * boundary, and would block the next one. Not in steps of worlds: impulses away from the
 * boundary miss fewer contacts, so that the step is solved less often. */
static double share_of_step(const cairn_run *run, const cairn_ipm *w) {
    const cairn_settings *settings = run->settings;
    double left = settings->tolerance / (LAST_SURE * sqrt(run->problem->blocks) * run->last_map);
    bool last = settings->tolerance_velocity == 0.0 && left >= LAST_LEAST && left < 1.0 - w->damping;
    return last ? 1.0 - left : w->damping;
}

/* Corrected direction with centring level and weight; the affine direction is in the other way.
 * Returns the damped step, -1: failed. */
static double corrected(cairn_run *run, cairn_ipm *w, double level, double weight) {
    cairn_cones_target(&w->cones, level, weight, 1 - w->now);
    double a = direction(run, w);
    return a < 0.0 ? -1.0 : fmin(1.0, w->share * a);
}

/* Predictor, corrector, and two safer tries when the step is short. The direction is left in way
 * now. Returns the step; *sigma: the centring used. */
static double choose_direction(cairn_run *run, cairn_ipm *w, double mean, double *sigma) {
    w->now = 0;
    double affine = fmin(1.0, direction(run, w)); /* cairn_cones_scale has left its target */
    if (affine < 0.0)
        return -1.0;
    double after = cairn_cones_mean_after(&w->cones, affine, w->now);
    *sigma = pow(fmin(1.0, fmax(after / mean, 0.0)), 3.0);
    w->now = 1;
    double a = corrected(run, w, *sigma * mean, w->coulomb ? affine : 1.0);
    if (a >= 0.5)
        return a;
    double safer = fmax(*sigma, 0.3);
    w->now = 0; /* the affine direction is no more needed */
    double b = corrected(run, w, safer * mean, 0.0);
    if (b > a) {
        a = b;
        *sigma = safer;
    } else {
        w->now = 1;
    }
    if (a >= 0.1)
        return a;
    w->now = 1 - w->now;
    b = corrected(run, w, mean, 0.0);
    if (b > a) {
        *sigma = 1.0;
        return b;
    }
    w->now = 1 - w->now;
    return a;
}

static void move(const cairn_run *run, cairn_ipm *w, double a) {
    const cairn_problem *p = run->problem;
    const double *dv = w->dv[w->now], *dgamma = w->dgamma[w->now];
    cairn_cones_move(&w->cones, a, w->now);
    for (int i = 0; i < p->n; i++)
        w->v[i] += a * dv[i];
    for (int i = 0; i < w->joint_rows; i++)
        w->gamma[w->joint_row[i]] += a * dgamma[w->joint_row[i]];
}

/* Cold start: the least squares point v = (H + D L L D')^-1 (k - D L L b), z = -L u, y = -z,
 * both pushed inside. */
static bool start_cold(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    const cairn_cones *cones = &w->cones;
    for (int i = 0; i < cones->tiles; i++)
        for (int l = 0; l < CAIRN_LANES; l++)
            for (int e = 0; e < 9; e++)
                cones->tile[i].B[e][l] = e % 4 == 0 ? 1.0 : 0.0;
    if (factor(run, w) != CAIRN_OK)
        return false;
    for (int c = 0; c < cones->count; c++) {
        const cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        for (int j = 0, l = c % CAIRN_LANES; j < k->dim[l]; j++)
            w->h[k->row[j][l]] = -k->L[j][l] * k->L[j][l] * w->b[k->row[j][l]];
    }
    memcpy(w->p, w->k, (size_t)p->n * sizeof *w->p);
    cairn_problem_impulse(p, w->h, 1.0, w->p);
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->b[j];
    run->solves++;
    if (cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->v, w->gamma) != CAIRN_OK)
        return false;
    slip(run, w);
    double y_least = INFINITY, z_least = INFINITY;
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        for (int j = 0, l = c % CAIRN_LANES; j < 3; j++) {
            k->y[j][l] = k->L[j][l] * w->u[k->row[j][l]];
            k->z[j][l] = -k->y[j][l];
        }
    }
    cairn_cones_set_gaps(&w->cones);
    for (int c = 0, l = 0; c < cones->count; c++, l = c % CAIRN_LANES) {
        const cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        y_least = fmin(y_least, k->c[l] > 0.0 ? k->y[0][l] : k->y_gap[l]);
        z_least = fmin(z_least, k->z_gap[l]);
    }
    for (int c = 0, l = 0; c < cones->count; c++, l = c % CAIRN_LANES) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        k->y[0][l] += y_least < 1e-8 ? 1.0 - y_least : 0.0;
        k->z[0][l] += z_least < 1e-8 ? 1.0 - z_least : 0.0;
    }
    cairn_cones_set_gaps(&w->cones);
    return true;
}

/* Cold start by a rule of [MT 2.4]: v is 1 in units of the load, or that of the guess; joints
 * carry nothing. False: no factor. */
static bool start_by_rule(cairn_run *run, cairn_ipm *w, const double *guess) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->n; i++)
        w->v[i] = 1.0;
    if (guess != NULL) {
        cairn_run_project(run, false, guess, w->q);
        cairn_operator_velocity(run->op, w->q, w->v);
        for (int i = 0; i < p->n; i++)
            w->v[i] /= w->unit;
    }
    memset(w->gamma, 0, (size_t)p->m * sizeof *w->gamma);
    if (run->settings->start != CAIRN_START_NOCEDAL) {
        slip(run, w);
        cairn_cones_start_dapuzzo(&w->cones, w->u);
        return true;
    }
    cairn_cones_start_centre(&w->cones);
    w->drifting = false;
    residuals(run, w);
    cairn_cones_scale(&w->cones);
    w->now = 0;
    if (factor(run, w) != CAIRN_OK || direction(run, w) < 0.0)
        return false;
    cairn_cones_start_nocedal(&w->cones, w->now);
    return true;
}

/* Warm start from a candidate: its own slip, gaps raised to the root of its residual, or five
 * times it: closer to the boundary most steps are short, farther from it more of them are
 * needed. */
static void start_warm(cairn_run *run, cairn_ipm *w, const double *guess) {
    const cairn_problem *p = run->problem;
    cairn_run_project(run, false, guess, w->q);
    cairn_operator_velocity(run->op, w->q, w->v);
    cairn_operator_slip(run->op, w->v, w->q, w->u);
    double map = cairn_run_touch_map(run, w->q, w->u);
    for (int i = 0; i < p->n; i++)
        w->v[i] /= w->unit;
    for (int i = 0; i < w->joint_rows; i++)
        w->gamma[w->joint_row[i]] = w->q[w->joint_row[i]] / w->unit;
    for (int c = 0, l = 0; c < w->cones.count; c++, l = c % CAIRN_LANES) {
        cairn_cone_tile *k = &w->cones.tile[c / CAIRN_LANES];
        for (int j = 0; j < 3; j++) {
            bool here = j < k->dim[l];
            k->y[j][l] = here ? k->L[j][l] * w->u[k->row[j][l]] / w->unit : 0.0;
            k->z[j][l] = here ? w->q[k->row[j][l]] / w->unit / k->L[j][l] : 0.0;
        }
    }
    cairn_cones_set_gaps(&w->cones);
    cairn_cones_raise(&w->cones, fmin(1.0, fmax(sqrt(map), 5.0 * map)));
}

/* The start that the settings ask for. False: no factor. */
static bool start(cairn_run *run, cairn_ipm *w, bool warm) {
    if (warm && run->settings->warm == CAIRN_WARM_FULL) {
        start_warm(run, w, run->guess);
        return true;
    }
    if (warm || run->settings->start != CAIRN_START_LEAST_SQUARES)
        return start_by_rule(run, w, warm ? run->guess : NULL);
    return start_cold(run, w);
}

/* The step is halved until the mean falls nearly as predicted (exact law only). */
static double backtrack(const cairn_ipm *w, double a, double mean, double sigma) {
    for (int i = 0; i < 4; i++, a *= 0.5) {
        double after = cairn_cones_mean_after(&w->cones, a, w->now), hoped = 1.0 - a * (1.0 - sigma);
        if (after <= (1.0 - 0.1 * a * (1.0 - sigma)) * mean || after <= 1.5 * hoped * mean)
            break;
    }
    return a;
}

/* gamma in the problem's units, to u. */
static void candidate(const cairn_run *run, cairn_ipm *w) {
    for (int j = 0; j < run->problem->m; j++)
        w->u[j] = w->unit * w->gamma[j];
    cairn_run_project(run, false, w->u, w->u);
}

/* Tests the candidate in u. Its velocity is v - H^-1 rd. */
static void offer(cairn_run *run, cairn_ipm *w) {
    cairn_operator_solve(run->op, w->rd, w->p);
    for (int i = 0; i < run->problem->n; i++)
        run->v[i] = w->unit * (w->v[i] - w->p[i]);
    run->interior = true;
    cairn_run_test_moving(run, w->u);
    run->interior = false;
}

/* What was tested when. */
typedef struct test_record {
    int count;     /* iterations so far */
    int skipped;   /* iterations since the last test */
    double mean;   /* of s'z at the last test */
    double step;   /* the last step taken */
    double halved; /* natural map when it last was half of what it had been */
    int waited;    /* tests since then */
    bool aside;    /* another method was asked */
} test_record;

/* Tests the iterate, or leaves the test out where steps are long and the goal is far: the map
 * falls hardly faster than the mean of s'z. Returns false when the run is over. */
static bool test(cairn_run *run, cairn_ipm *w, double mean, test_record *record) {
    double hoped = record->mean > 0.0 ? run->last_map * (mean / record->mean) : 0.0;
    bool skip = record->count++ < SKIP_EARLY && record->step >= 0.5 && hoped > SKIP_FAR * cairn_run_aim(run);
    if (!skip || run->settings->trace)
        candidate(run, w);
    if (!skip) {
        offer(run, w);
        record->mean = mean;
    }
    record->skipped = skip ? record->skipped + 1 : 0;
    record->waited += skip ? 0 : 1;
    if (!skip && run->last_map < 0.5 * record->halved) {
        record->halved = run->last_map;
        record->waited = 0;
    }
    return cairn_run_tick(run, w->u, !skip);
}

/* The iterate, if its test was left out: at the end of an attempt it may be the best. True: the
 * run is over. */
static bool give_up(cairn_run *run, cairn_ipm *w, const test_record *record) {
    if (record->skipped > 0) {
        candidate(run, w);
        offer(run, w);
    }
    return run->finished;
}

/* Short steps near the answer: the exact law jams some contacts, and most of the iterations
 * would be spent here. True: the run is over; else what is known of the iterate is as it was. */
static bool step_aside(cairn_run *run, cairn_ipm *w, test_record *record) {
    if (give_up(run, w, record))
        return true;
    record->skipped = 0;
    if (!(run->last_map < SLOW_NEAR))
        return false;
    record->aside = true;
    candidate(run, w);
    return w->aside(run, w->user);
}

/* Loads in units of the mean free slip of a cone. */
static void set_unit(const cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    double load = 0.0;
    for (int c = 0; c < w->cones.count; c++) {
        const cairn_cone_tile *k = &w->cones.tile[c / CAIRN_LANES];
        for (int i = 0, l = c % CAIRN_LANES; i < k->dim[l]; i++) {
            int j = k->row[i][l];
            load += run->free_slip[j] * run->free_slip[j] * k->L[1][l] * k->L[1][l];
        }
    }
    w->unit = load > 0.0 ? sqrt(load / w->cones.count) : 1.0;
    for (int i = 0; i < p->n; i++)
        w->k[i] = p->k[i] / w->unit;
    for (int j = 0; j < p->m; j++)
        w->b[j] = p->b[j] / w->unit;
}

bool cairn_ipm_run(cairn_run *run, cairn_ipm *w, bool warm, double smooth, double damping, int max_iterations) {
    const cairn_problem *p = run->problem;
    set_cones(run, w, smooth);
    w->damping = damping;
    w->factored = false;
    w->compliant = cairn_norm_max(p->m, p->C) > 0.0;
    set_unit(run, w);
    if (!start(run, w, warm && run->guess != NULL))
        return false;
    test_record record = {.halved = INFINITY};
    w->drifting = false;
    int jammed = 0, short_steps = 0, kicks = 0;
    bool hindered = false;
    for (int it = 0; it < max_iterations; it++) {
        double mean = residuals(run, w);
        run->primal = run->rho = mean;
        if (!test(run, w, mean, &record))
            return true;
        if (w->coulomb && it >= HANDOVER && run->best_map <= w->goal)
            return give_up(run, w, &record);
        if (record.waited >= 10 || hindered || (w->cones.count > 0 && !(mean > 1e-26)))
            return give_up(run, w, &record);
        cairn_cones_scale(&w->cones);
        w->share = share_of_step(run, w);
        double sigma = 0.0, a = factor(run, w) == CAIRN_OK ? choose_direction(run, w, mean, &sigma) : -1.0;
        if (!(a > 0.0))
            return give_up(run, w, &record);
        if (w->coulomb)
            a = backtrack(w, a, mean, sigma);
        if (w->coulomb && a < SLOW && w->aside != NULL && !record.aside && step_aside(run, w, &record))
            return true;

        move(run, w, a);
        record.step = a;
        hindered = warm && a < WARM_SHORT;
        w->drifting = w->joint_rows == 0 && mean > DRIFT_END;
        jammed = a < 0.02 ? jammed + 1 : 0;
        short_steps = a < 0.1 ? short_steps + 1 : short_steps > 0 ? short_steps - 1 : 0;
        if (short_steps >= 2 && kicks < KICKS) {
            kicks++;
            short_steps = jammed = 0;
            cairn_cones_raise(&w->cones, 3.0 * sqrt(mean));
            w->drifting = false;
        }
        if (jammed >= 4)
            return false;
    }
    return false;
}
