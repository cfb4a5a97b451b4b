/*
 * ipm.c: primal-dual interior point on v with Nesterov-Todd scaling and the Coulomb law inside Newton's matrix.
 *
 *     unknowns v, y (slip in cone scales), z (impulse in cone scales); y = L u, gamma = L z,
 *     L = diag(1/(mu d), 1/d, 1/d), d^2 = n_i;  one unit: k, b divided by |r^/d|/sqrt(cones)
 *     rd = Hv - k - D gamma,  rp = L(D'v + b + C gamma) - y,  s(y)'z -> 0
 *     dz = (I + B E)^-1 (t - B(rp + L D'dv)),  dy = rp + L D'dv + E dz,  B = W^-2 ds/dy,  E = L C L
 *     (H + D L (I + B E)^-1 B L D') dv - D_b dgamma_b = -rd + D L (I + B E)^-1 (t - B rp)
 *
 * Predictor and corrector of Mehrotra as in [MT (14)-(17)], carried to cones as [theory 5] asks. Bilateral rows are saddle rows. mu = 0: only the normal row
 * is a cone, the tangential impulses are 0. Stored gaps and a right-hand side that never forms W t keep the last digits. A cone under the
 * exact law needs y_0 > 0 only; s(y) is then inside by itself.
 */
#include "ipm.h"

#include <math.h>
#include <string.h>

#define KICKS 4

const char *cairn_ipm_refuses(const cairn_problem *p, const cairn_settings *settings) {
    (void)settings;
    if (p->local)
        return "it is in local form; this method needs H and D";
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_BILATERAL && p->block[i].set != CAIRN_SET_NONNEGATIVE &&
            p->block[i].set != CAIRN_SET_CONE)
            return "it has sets other than cones, unilateral and bilateral rows";
    return NULL;
}

/* Cones a block makes. */
static int cones_of(const cairn_block *block) {
    return block->set == CAIRN_SET_BILATERAL ? 0 : block->set == CAIRN_SET_CONE ? 1 : block->dim;
}

void cairn_ipm_layout(cairn_ipm *w, cairn_arena *arena, const cairn_problem *p) {
    size_t n = (size_t)p->n, m = (size_t)p->m, entries = 0, cones = 0;
    for (int i = 0; i < p->blocks; i++) {
        entries += (size_t)(p->block[i].dim * p->block[i].dim);
        cones += (size_t)cones_of(&p->block[i]);
    }
    w->cones = (int)cones;
    w->cone = cairn_arena_take(arena, cones, sizeof *w->cone);
    w->scaling = cairn_arena_take(arena, cones, sizeof *w->scaling);
    w->B = cairn_arena_take(arena, entries, sizeof(double));
    w->B_start = cairn_arena_take(arena, (size_t)p->blocks + 1, sizeof(int));
    w->y_gap = cairn_arena_take(arena, cones, sizeof(double));
    w->z_gap = cairn_arena_take(arena, cones, sizeof(double));
    double **of_cones[] = {&w->y, &w->z, &w->rp, &w->t, &w->dy, &w->dz, &w->best_dy, &w->best_dz};
    double **of_m[] = {&w->b, &w->gamma, &w->h, &w->u, &w->q, &w->theta, &w->dgamma, &w->best_dgamma};
    double **of_n[] = {&w->v, &w->rd, &w->k, &w->p, &w->dv, &w->best_dv};
    for (size_t i = 0; i < sizeof of_cones / sizeof *of_cones; i++)
        *of_cones[i] = cairn_arena_take(arena, 3 * cones, sizeof(double));
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(arena, m, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(arena, n, sizeof(double));
}

void cairn_ipm_prepare(const cairn_run *run, cairn_ipm *w, cairn_kkt *kkt) {
    const cairn_problem *p = run->problem;
    w->kkt = kkt;
    for (int i = 0; i < p->blocks; i++) {
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
    }
}

/* Cones and their scales; mu may have changed since the last solve. */
static void set_cones(const cairn_run *run, cairn_ipm *w, double smooth) {
    const cairn_problem *p = run->problem;
    int c = 0;
    w->coulomb = false;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        int row = p->block_start[i];
        double d = sqrt(run->row_scale[row]), mu = block->mu;
        for (int k = 0; k < cones_of(block); k++, c++) {
            bool single = block->set == CAIRN_SET_NONNEGATIVE || mu == 0.0;
            w->cone[c] = (cairn_ipm_cone){.row = row + k, .dim = single ? 1 : block->dim, .block = i};
            w->cone[c].c = p->law == CAIRN_LAW_COULOMB && !single ? smooth : 0.0;
            w->coulomb = w->coulomb || w->cone[c].c > 0.0;
            w->cone[c].L[0] = single ? 1.0 / d : 1.0 / (mu * d);
            for (int l = 1; l < 3; l++)
                w->cone[c].L[l] = l < w->cone[c].dim ? 1.0 / d : 0.0;
        }
    }
}

static bool is_joint(const cairn_problem *p, int block) {
    return p->block[block].set == CAIRN_SET_BILATERAL;
}

/* out (m) = L x on the cones' rows, the bilateral rows of joints elsewhere (NULL: 0). */
static void spread(const cairn_run *run, const cairn_ipm *w, const double *x, const double *joints, double *out) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            out[j] = is_joint(p, i) && joints != NULL ? joints[j] : 0.0;
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < w->cone[c].dim; k++)
            out[w->cone[c].row + k] = w->cone[c].L[k] * x[3 * c + k];
}

/* u = D'v + b + C gamma, in units. */
static void slip(const cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    for (int j = 0; j < p->m; j++)
        w->u[j] = w->b[j] + p->C[j] * w->gamma[j];
    cairn_problem_slip(p, w->v, 1.0, w->u);
}

static void residuals(const cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    spread(run, w, w->z, w->gamma, w->gamma);
    slip(run, w);
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < 3; k++)
            w->rp[3 * c + k] = (k < w->cone[c].dim ? w->cone[c].L[k] * w->u[w->cone[c].row + k] : 0.0) -
                               w->y[3 * c + k];
    cairn_problem_impulse(p, w->gamma, 0.0, w->rd);
    for (int i = 0; i < p->n; i++)
        w->rd[i] = -w->k[i] - w->rd[i];
    cairn_problem_multiply(p, w->v, 1.0, w->rd);
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->u[j]; /* bilateral rows: what the step must bring to 0 */
}

/* x <- (I + B E)^-1 x for one cone. */
static void soften(const cairn_ipm *w, const cairn_problem *p, const cairn_ipm_cone *cone, const double *B, double *x) {
    double E[3] = {0}, A[9], f;
    if (!w->compliant)
        return;
    for (int k = 0; k < cone->dim; k++)
        E[k] = cone->L[k] * p->C[cone->row + k] * cone->L[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = B[3 * i + j] * E[j] + (i == j ? 1.0 : 0.0);
    for (int c = 0; c < 3; c++)
        for (int r = c + 1; r < 3; r++) {
            f = A[3 * r + c] / A[3 * c + c];
            for (int j = c; j < 3; j++)
                A[3 * r + j] -= f * A[3 * c + j];
            x[r] -= f * x[c];
        }
    for (int r = 2; r >= 0; r--) {
        for (int j = r + 1; j < 3; j++)
            x[r] -= A[3 * r + j] * x[j];
        x[r] /= A[3 * r + r];
    }
}

/* Fills the blocks of weights L (I + B E)^-1 B L and factors. */
static cairn_status factor(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    memset(w->B, 0, (size_t)w->B_start[p->blocks] * sizeof *w->B);
    for (int c = 0; c < w->cones; c++) {
        const cairn_ipm_cone *cone = &w->cone[c];
        int dim = p->block[cone->block].dim, at = cone->row - p->block_start[cone->block];
        double *block = w->B + w->B_start[cone->block];
        for (int j = 0; j < cone->dim; j++) {
            double column[3] = {w->scaling[c].B[j], w->scaling[c].B[3 + j], w->scaling[c].B[6 + j]};
            soften(w, p, cone, w->scaling[c].B, column);
            for (int i = 0; i < cone->dim; i++)
                block[(at + i) * dim + at + j] = cone->L[i] * column[i] * cone->L[j];
        }
    }
    run->factorizations++;
    return cairn_kkt_factor_blocks(w->kkt, w->B, w->theta);
}

/* a = (I + B E)^-1 (t - B x) of one cone. */
static void respond(const cairn_problem *p, const cairn_ipm *w, int c, const double *x, double *a) {
    const double *B = w->scaling[c].B, *t = w->t + 3 * c;
    for (int i = 0; i < 3; i++)
        a[i] = t[i] - B[3 * i] * x[0] - B[3 * i + 1] * x[1] - B[3 * i + 2] * x[2];
    soften(w, p, &w->cone[c], B, a);
}

/* Newton direction for the target t. */
static bool direction(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++)
        respond(p, w, c, w->rp + 3 * c, w->dz + 3 * c);
    spread(run, w, w->dz, NULL, w->h);
    cairn_problem_impulse(p, w->h, 0.0, w->p);
    for (int i = 0; i < p->n; i++)
        w->p[i] -= w->rd[i];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->dv, w->dgamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    if (status != CAIRN_OK)
        return false;
    cairn_problem_slip(p, w->dv, 0.0, w->h);
    for (int c = 0; c < w->cones; c++) {
        const cairn_ipm_cone *cone = &w->cone[c];
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = w->rp[3 * c + k] + (k < cone->dim ? cone->L[k] * w->h[cone->row + k] : 0.0);
        respond(p, w, c, x, w->dz + 3 * c);
        for (int k = 0; k < 3; k++) {
            double E = k < cone->dim ? cone->L[k] * p->C[cone->row + k] * cone->L[k] : 0.0;
            w->dy[3 * c + k] = x[k] + E * w->dz[3 * c + k];
        }
    }
    return true;
}

/* Largest step that keeps every cone. */
static double largest_step(const cairn_ipm *w) {
    double a = 1e10;
    for (int c = 0; c < w->cones; c++) {
        const double *y = w->y + 3 * c, *dy = w->dy + 3 * c;
        double here = w->cone[c].c > 0.0 ? (dy[0] < 0.0 ? -y[0] / dy[0] : 1e10) : cairn_cone_step(y, w->y_gap[c], dy);
        a = fmin(a, fmin(here, cairn_cone_step(w->z + 3 * c, w->z_gap[c], w->dz + 3 * c)));
    }
    return a;
}

/* Mean of s(y + a dy)'(z + a dz). */
static double mean_after(const cairn_ipm *w, double a) {
    double sum = 0.0;
    for (int c = 0; c < w->cones; c++) {
        double y[3], s[3];
        for (int k = 0; k < 3; k++)
            y[k] = w->y[3 * c + k] + a * w->dy[3 * c + k];
        cairn_cone_slack(w->cone[c].c, y, s);
        for (int k = 0; k < 3; k++)
            sum += s[k] * (w->z[3 * c + k] + a * w->dz[3 * c + k]);
    }
    return sum / w->cones;
}

static double mean_now(const cairn_ipm *w) {
    double sum = 0.0, s[3];
    for (int c = 0; c < w->cones; c++) {
        cairn_cone_slack(w->cone[c].c, w->y + 3 * c, s);
        sum += cairn_cone_product(s, w->y_gap[c], w->z + 3 * c, w->z_gap[c]);
    }
    return sum / w->cones;
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

static void swap_direction(cairn_ipm *w) {
    swap(&w->dy, &w->best_dy);
    swap(&w->dz, &w->best_dz);
    swap(&w->dv, &w->best_dv);
    swap(&w->dgamma, &w->best_dgamma);
}

/* Corrected direction with centring level and weight; the affine direction is in best_*. Returns the damped step, -1: failed. */
static double corrected(cairn_run *run, cairn_ipm *w, double level, double weight) {
    for (int c = 0; c < w->cones; c++)
        cairn_cone_target(&w->scaling[c], w->z + 3 * c, level, weight, w->best_dy + 3 * c, w->best_dz + 3 * c,
                          w->t + 3 * c);
    if (!direction(run, w))
        return -1.0;
    return fmin(1.0, w->damping * largest_step(w));
}

/* Predictor, corrector, and two safer tries when the step is short. The direction is left in d*. Returns the step; *sigma: the centring
 * used. */
static double choose_direction(cairn_run *run, cairn_ipm *w, double mean, double *sigma) {
    for (int i = 0; i < 3 * w->cones; i++)
        w->t[i] = -w->z[i];
    if (!direction(run, w))
        return -1.0;
    double affine = fmin(1.0, largest_step(w)), after = mean_after(w, affine);
    *sigma = pow(fmin(1.0, fmax(after / mean, 0.0)), 3.0);
    swap_direction(w);
    double a = corrected(run, w, *sigma * mean, w->coulomb ? affine : 1.0);
    if (a >= 0.5)
        return a;
    double safer = fmax(*sigma, 0.3);
    swap_direction(w); /* the corrector is in best_* now; the affine direction is no more needed */
    double b = corrected(run, w, safer * mean, 0.0);
    if (b > a) {
        a = b;
        *sigma = safer;
    } else {
        swap_direction(w);
    }
    if (a >= 0.1)
        return a;
    swap_direction(w);
    b = corrected(run, w, mean, 0.0);
    if (b > a) {
        *sigma = 1.0;
        return b;
    }
    swap_direction(w);
    return a;
}

static void move(const cairn_run *run, cairn_ipm *w, double a) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++) {
        double *y = w->y + 3 * c, *z = w->z + 3 * c;
        w->z_gap[c] += cairn_cone_gap_change(z, w->dz + 3 * c, a);
        if (w->cone[c].c == 0.0)
            w->y_gap[c] += cairn_cone_gap_change(y, w->dy + 3 * c, a);
        for (int k = 0; k < 3; k++) {
            y[k] += a * w->dy[3 * c + k];
            z[k] += a * w->dz[3 * c + k];
        }
        if (w->cone[c].c > 0.0)
            w->y_gap[c] = cairn_cone_coulomb_gap(w->cone[c].c, y);
        w->z_gap[c] = fmax(w->z_gap[c], 1e-30);
        w->y_gap[c] = fmax(w->y_gap[c], 1e-30);
    }
    for (int i = 0; i < p->n; i++)
        w->v[i] += a * w->dv[i];
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; is_joint(p, i) && j < p->block_start[i + 1]; j++)
            w->gamma[j] += a * w->dgamma[j];
}

/* Raises every gap to at least level. */
static void raise(cairn_ipm *w, double level) {
    for (int c = 0; c < w->cones; c++) {
        double *y = w->y + 3 * c, *z = w->z + 3 * c;
        z[0] += fmax(0.0, level - w->z_gap[c]);
        w->z_gap[c] = fmax(w->z_gap[c], level);
        if (w->cone[c].c > 0.0) {
            y[0] = fmax(y[0], level);
            w->y_gap[c] = cairn_cone_coulomb_gap(w->cone[c].c, y);
        } else {
            y[0] += fmax(0.0, level - w->y_gap[c]);
            w->y_gap[c] = fmax(w->y_gap[c], level);
        }
    }
}

static void set_gaps(cairn_ipm *w) {
    for (int c = 0; c < w->cones; c++) {
        const double *y = w->y + 3 * c, *z = w->z + 3 * c;
        w->z_gap[c] = z[0] - sqrt(z[1] * z[1] + z[2] * z[2]);
        w->y_gap[c] = w->cone[c].c > 0.0 ? cairn_cone_coulomb_gap(w->cone[c].c, y)
                                         : y[0] - sqrt(y[1] * y[1] + y[2] * y[2]);
    }
}

/* Cold start: the least squares point v = (H + D L L D')^-1 (k - D L L b), z = -L u, y = -z, both pushed inside. */
static bool start_cold(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++)
        for (int e = 0; e < 9; e++)
            w->scaling[c].B[e] = e % 4 == 0 ? 1.0 : 0.0;
    if (factor(run, w) != CAIRN_OK)
        return false;
    memset(w->gamma, 0, (size_t)p->m * sizeof *w->gamma);
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < 3; k++)
            w->z[3 * c + k] = k < w->cone[c].dim ? -w->cone[c].L[k] * w->b[w->cone[c].row + k] : 0.0;
    spread(run, w, w->z, NULL, w->h);
    memcpy(w->p, w->k, (size_t)p->n * sizeof *w->p);
    cairn_problem_impulse(p, w->h, 1.0, w->p);
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->b[j];
    run->solves++;
    if (cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->v, w->gamma) != CAIRN_OK)
        return false;
    slip(run, w);
    double y_least = INFINITY, z_least = INFINITY;
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < 3; k++) {
            double value = k < w->cone[c].dim ? w->cone[c].L[k] * w->u[w->cone[c].row + k] : 0.0;
            w->y[3 * c + k] = value;
            w->z[3 * c + k] = -value;
        }
    set_gaps(w);
    for (int c = 0; c < w->cones; c++) {
        y_least = fmin(y_least, w->cone[c].c > 0.0 ? w->y[3 * c] : w->y_gap[c]);
        z_least = fmin(z_least, w->z_gap[c]);
    }
    for (int c = 0; c < w->cones; c++) {
        w->y[3 * c] += y_least < 1e-8 ? 1.0 - y_least : 0.0;
        w->z[3 * c] += z_least < 1e-8 ? 1.0 - z_least : 0.0;
    }
    set_gaps(w);
    return true;
}

/* Warm start from a candidate: its own slip, gaps raised to five times its residual. */
static void start_warm(cairn_run *run, cairn_ipm *w, const double *guess) {
    const cairn_problem *p = run->problem;
    cairn_run_project(run, false, guess, w->h);
    cairn_operator_velocity(run->op, w->h, w->v);
    cairn_operator_slip(run->op, w->v, w->h, w->u);
    double map = cairn_run_residual(run, w->h, w->u);
    for (int i = 0; i < p->n; i++)
        w->v[i] /= w->unit;
    for (int j = 0; j < p->m; j++)
        w->gamma[j] = w->h[j] / w->unit;
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < 3; k++) {
            bool here = k < w->cone[c].dim;
            double L = w->cone[c].L[k];
            w->y[3 * c + k] = here ? L * w->u[w->cone[c].row + k] / w->unit : 0.0;
            w->z[3 * c + k] = here ? w->gamma[w->cone[c].row + k] / L : 0.0;
        }
    set_gaps(w);
    raise(w, fmin(1.0, 5.0 * map));
}

/* The step is halved until the mean falls nearly as predicted (exact law only). */
static double backtrack(const cairn_ipm *w, double a, double mean, double sigma) {
    for (int i = 0; i < 4; i++, a *= 0.5) {
        double after = mean_after(w, a), hoped = 1.0 - a * (1.0 - sigma);
        if (after <= (1.0 - 0.1 * a * (1.0 - sigma)) * mean || after <= 1.5 * hoped * mean)
            break;
    }
    return a;
}

static void offer(cairn_run *run, cairn_ipm *w) {
    const cairn_problem *p = run->problem;
    for (int j = 0; j < p->m; j++)
        w->h[j] = w->unit * w->gamma[j];
    cairn_run_project(run, false, w->h, w->h);
    cairn_run_test(run, w->h);
}

bool cairn_ipm_run(cairn_run *run, cairn_ipm *w, bool warm, double smooth, double damping, int max_iterations) {
    const cairn_problem *p = run->problem;
    set_cones(run, w, smooth);
    w->damping = damping;
    double load = 0.0;
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < w->cone[c].dim; k++) {
            int j = w->cone[c].row + k;
            load += run->free_slip[j] * run->free_slip[j] / run->row_scale[j];
        }
    w->unit = load > 0.0 && w->cones > 0 ? sqrt(load / w->cones) : 1.0;
    w->compliant = cairn_norm_max(p->m, p->C) > 0.0;
    for (int i = 0; i < p->n; i++)
        w->k[i] = p->k[i] / w->unit;
    for (int j = 0; j < p->m; j++)
        w->b[j] = p->b[j] / w->unit;
    if (warm && run->guess != NULL)
        start_warm(run, w, run->guess);
    else if (!start_cold(run, w))
        return false;
    double halved = INFINITY; /* natural map when it last was half of what it had been */
    int jammed = 0, short_steps = 0, kicks = 0, waited = 0;
    for (int it = 0; it < max_iterations; it++) {
        residuals(run, w);
        offer(run, w);
        double mean = w->cones > 0 ? mean_now(w) : 0.0;
        run->primal = mean;
        run->dual = cairn_norm_max(3 * w->cones, w->rp);
        run->rho = mean;
        if (!cairn_run_tick(run, w->h, true))
            return true;
        waited++;
        if (run->last_map < 0.5 * halved) {
            halved = run->last_map;
            waited = 0;
        }
        if (waited >= 10 || !(mean > 1e-26))
            return false;
        for (int c = 0; c < w->cones; c++)
            cairn_cone_scale(w->cone[c].c, w->y + 3 * c, w->y_gap[c], w->z + 3 * c, w->z_gap[c], &w->scaling[c]);
        double sigma = 0.0, a = factor(run, w) == CAIRN_OK ? choose_direction(run, w, mean, &sigma) : -1.0;
        if (!(a > 0.0))
            return false;
        if (w->coulomb)
            a = backtrack(w, a, mean, sigma);
        move(run, w, a);
        jammed = a < 0.02 ? jammed + 1 : 0;
        short_steps = a < 0.1 ? short_steps + 1 : short_steps > 0 ? short_steps - 1 : 0;
        if (short_steps >= 2 && kicks < KICKS) {
            kicks++;
            short_steps = jammed = 0;
            raise(w, 3.0 * sqrt(mean));
        }
        if (jammed >= 4)
            return false;
    }
    return false;
}
