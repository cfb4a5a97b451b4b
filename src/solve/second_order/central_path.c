/*
 * central_path.c: follows the interior path of Coulomb's law by its length, through its folds.
 *
 *     rd = Hv - k - D gamma = l rd0,   rp = L(D'v + b + C gamma) - y = l rp0,   s(y) o z = l e,   l from 1 to 0
 *
 * with the slack s of central_path_cone.h and the residuals rd0, rp0 of the start, so that the
 * start lies on the path. The law is not monotone: with high friction the path turns back and forth
 * in l, and an interior point method that only ever lowers l jams at the first fold. Here l is one
 * unknown more. The tangent is t = d/dlog(l), normed with the scaling W by |W dz|^2 + |W^-1 ds|^2
 * over l cones, plus dlog(l)^2; after a step along it Newton's method goes back to the path at
 * right angles to t. Both come from one factorisation of the matrix of ipm.c [theory 5]: two
 * right-hand sides.
 *
 * Orientation: l falls where det S > 0 and grows where det S < 0, S = H + D L B L D', counted from
 * the signs of pivots. The start has det S > 0; along one smooth branch the rule keeps its
 * direction through every fold. After a jump between branches it is a rule of thumb. That the path
 * reaches l = 0 is not proven. Cones, unilateral and bilateral rows; compliance as in ipm.c.
 */
#include "solve/second_order/central_path.h"

#include <math.h>
#include <string.h>

#define CENTRED     0.1 /* largest entry of s o z / l - e on the path */
#define STEP_FIRST  0.5
#define STEP_MOST   1.5
#define STEP_LEAST  1e-7
#define NEWTON_MOST 8
#define INSIDE      0.9   /* share of the way to the boundary */
#define LEVEL_LEAST 1e-22 /* nothing is left below */

static int cones_of(const cairn_block *block) {
    return block->set == CAIRN_SET_BILATERAL ? 0 : block->set == CAIRN_SET_CONE ? 1 : block->dim;
}

static bool is_joint(const cairn_problem *p, int block) {
    return p->block[block].set == CAIRN_SET_BILATERAL;
}

static void take_vector(cairn_central_path_vector *x, cairn_arena *arena, size_t n, size_t m, size_t cones) {
    x->v = cairn_arena_take(arena, n, sizeof(double));
    x->y = cairn_arena_take(arena, 3 * cones, sizeof(double));
    x->z = cairn_arena_take(arena, 3 * cones, sizeof(double));
    x->joints = cairn_arena_take(arena, m, sizeof(double));
}

void cairn_central_path_layout(cairn_central_path *w, cairn_arena *arena, const cairn_problem *p) {
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
    cairn_central_path_vector *vectors[] = {&w->here.at, &w->next.at, &w->tangent, &w->newton, &w->along};
    double **of_cones[] = {&w->here.y_gap, &w->here.z_gap, &w->next.y_gap, &w->next.z_gap};
    double **of_three[] = {&w->rp0, &w->rp, &w->t};
    double **of_m[] = {&w->q0, &w->q, &w->gamma, &w->u, &w->h, &w->b, &w->theta};
    double **of_n[] = {&w->rd0, &w->rd, &w->p, &w->k};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        take_vector(vectors[i], arena, n, m, cones);
    for (size_t i = 0; i < sizeof of_cones / sizeof *of_cones; i++)
        *of_cones[i] = cairn_arena_take(arena, cones, sizeof(double));
    for (size_t i = 0; i < sizeof of_three / sizeof *of_three; i++)
        *of_three[i] = cairn_arena_take(arena, 3 * cones, sizeof(double));
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(arena, m, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(arena, n, sizeof(double));
}

void cairn_central_path_prepare(const cairn_run *run, cairn_central_path *w, cairn_kkt *kkt) {
    const cairn_problem *p = run->problem;
    w->kkt = kkt;
    for (int i = 0; i < p->blocks; i++) {
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
    }
}

static void set_cones(const cairn_run *run, cairn_central_path *w, double smooth) {
    const cairn_problem *p = run->problem;
    int c = 0;
    double load = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        double d = sqrt(run->row_scale[p->block_start[i]]), mu = block->mu;
        bool single = block->set == CAIRN_SET_NONNEGATIVE || mu == 0.0;
        for (int k = 0; k < cones_of(block); k++, c++) {
            cairn_central_path_cone *cone = &w->cone[c];
            *cone = (cairn_central_path_cone){.row = p->block_start[i] + k, .dim = single ? 1 : block->dim, .block = i};
            cone->c = p->law == CAIRN_LAW_COULOMB && !single ? smooth : 0.0;
            for (int l = 0; l < cone->dim; l++) {
                cone->L[l] = l == 0 && !single ? 1.0 / (mu * d) : 1.0 / d;
                cone->E[l] = cone->L[l] * p->C[cone->row + l] * cone->L[l];
                load += pow(run->free_slip[cone->row + l], 2.0) / run->row_scale[cone->row];
            }
        }
    }
    w->compliant = cairn_norm_max(p->m, p->C) > 0.0;
    w->unit = load > 0.0 ? sqrt(load / w->cones) : 1.0;
}

/* out (m) = L z on the cones' rows, joints on bilateral rows (NULL: 0). */
static void spread(const cairn_run *run, const cairn_central_path *w, const double *z, const double *joints,
                   double *out) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            out[j] = is_joint(p, i) && joints != NULL ? joints[j] : 0.0;
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < w->cone[c].dim; k++)
            out[w->cone[c].row + k] = w->cone[c].L[k] * z[3 * c + k];
}

/* Residuals of a point: rd, rp, q, less their share l of those of the start. */
static void residuals(const cairn_run *run, cairn_central_path *w, const cairn_central_path_point *x) {
    const cairn_problem *p = run->problem;
    spread(run, w, x->at.z, x->at.joints, w->gamma);
    for (int j = 0; j < p->m; j++)
        w->u[j] = w->b[j] + p->C[j] * w->gamma[j];
    cairn_problem_slip(p, x->at.v, 1.0, w->u);
    for (int c = 0; c < w->cones; c++)
        for (int k = 0; k < 3; k++) {
            double slip = k < w->cone[c].dim ? w->cone[c].L[k] * w->u[w->cone[c].row + k] : 0.0;
            w->rp[3 * c + k] = slip - x->at.y[3 * c + k] - x->level * w->rp0[3 * c + k];
        }
    cairn_problem_impulse(p, w->gamma, 0.0, w->rd);
    for (int i = 0; i < p->n; i++)
        w->rd[i] = -w->k[i] - w->rd[i] - x->level * w->rd0[i];
    cairn_problem_multiply(p, x->at.v, 1.0, w->rd);
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->u[j] - x->level * w->q0[j];
}

/* x <- (I + B E)^-1 x, by elimination without pivoting: the diagonal is at least 1 for symmetric
 * B and stays away from 0. */
static void soften(const cairn_central_path *w, int c, double *x) {
    double A[9], f;
    if (!w->compliant)
        return;
    for (int i = 0; i < 9; i++)
        A[i] = w->scaling[c].B[i] * w->cone[c].E[i % 3] + (i % 4 == 0 ? 1.0 : 0.0);
    for (int i = 0; i < 3; i++)
        for (int r = i + 1; r < 3; r++) {
            f = A[3 * r + i] / A[3 * i + i];
            for (int j = i; j < 3; j++)
                A[3 * r + j] -= f * A[3 * i + j];
            x[r] -= f * x[i];
        }
    for (int r = 2; r >= 0; r--) {
        for (int j = r + 1; j < 3; j++)
            x[r] -= A[3 * r + j] * x[j];
        x[r] /= A[3 * r + r];
    }
}

/* Factor with the weights L (I + B E)^-1 B L of the scaling. */
static bool factor(cairn_run *run, cairn_central_path *w) {
    const cairn_problem *p = run->problem;
    memset(w->B, 0, (size_t)w->B_start[p->blocks] * sizeof *w->B);
    for (int c = 0; c < w->cones; c++) {
        const cairn_central_path_cone *cone = &w->cone[c];
        int dim = p->block[cone->block].dim, at = cone->row - p->block_start[cone->block];
        double *block = w->B + w->B_start[cone->block];
        for (int j = 0; j < cone->dim; j++) {
            double column[3] = {w->scaling[c].B[j], w->scaling[c].B[3 + j], w->scaling[c].B[6 + j]};
            soften(w, c, column);
            for (int i = 0; i < cone->dim; i++)
                block[(at + i) * dim + at + j] = cone->L[i] * column[i] * cone->L[j];
        }
    }
    return cairn_run_factor(run, w->kkt, w->B, w->theta) == CAIRN_OK;
}

static bool factor_at(cairn_run *run, cairn_central_path *w, const cairn_central_path_point *x) {
    for (int c = 0; c < w->cones; c++)
        cairn_cone_scale(w->cone[c].c, x->at.y + 3 * c, x->y_gap[c], x->at.z + 3 * c, x->z_gap[c], &w->scaling[c]);
    return factor(run, w);
}

/* a = (I + B E)^-1 (t - B x) of one cone. */
static void respond(const cairn_central_path *w, int c, const double *x, double *a) {
    const double *B = w->scaling[c].B, *t = w->t + 3 * c;
    for (int i = 0; i < 3; i++)
        a[i] = t[i] - B[3 * i] * x[0] - B[3 * i + 1] * x[1] - B[3 * i + 2] * x[2];
    soften(w, c, a);
}

/* The direction d that brings rd, rp, q to 0 with the target t. */
static bool direction(cairn_run *run, cairn_central_path *w, const double *rd, const double *rp, const double *q,
                      cairn_central_path_vector *d) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++)
        respond(w, c, rp + 3 * c, d->z + 3 * c);
    spread(run, w, d->z, NULL, w->h);
    cairn_problem_impulse(p, w->h, 0.0, w->p);
    for (int i = 0; i < p->n; i++)
        w->p[i] -= rd[i];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve_blocks(w->kkt, 1, w->p, q, d->v, d->joints);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    if (status != CAIRN_OK)
        return false;
    cairn_problem_slip(p, d->v, 0.0, w->h);
    for (int c = 0; c < w->cones; c++) {
        const cairn_central_path_cone *cone = &w->cone[c];
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = rp[3 * c + k] + (k < cone->dim ? cone->L[k] * w->h[cone->row + k] : 0.0);
        respond(w, c, x, d->z + 3 * c);
        for (int k = 0; k < 3; k++)
            d->y[3 * c + k] = x[k] + cone->E[k] * d->z[3 * c + k];
    }
    return true;
}

/* d = d/dlog(l) of the path at level; negated residuals of the start are the right-hand sides. */
static bool along(cairn_run *run, cairn_central_path *w, double level, cairn_central_path_vector *d) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++) {
        static const double none[3] = {0.0, 0.0, 0.0};
        cairn_cone_target(&w->scaling[c], none, level, w->t + 3 * c);
    }
    for (int i = 0; i < p->n; i++)
        w->rd[i] = -level * w->rd0[i];
    for (int i = 0; i < 3 * w->cones; i++)
        w->rp[i] = -level * w->rp0[i];
    for (int j = 0; j < p->m; j++)
        w->q[j] = -level * w->q0[j];
    d->log_level = 1.0;
    return direction(run, w, w->rd, w->rp, w->q, d);
}

/* Inner product of two directions in the metric of the scaling. */
static double inner(const cairn_central_path *w, double level, const cairn_central_path_vector *a,
                    const cairn_central_path_vector *b) {
    double sum = 0.0;
    for (int c = 0; c < w->cones; c++) {
        const cairn_cone_scaling *s = &w->scaling[c];
        const double *ay = a->y + 3 * c, *by = b->y + 3 * c, *az = a->z + 3 * c, *bz = b->z + 3 * c;
        double as[3] = {s->G[0] * ay[0] + s->G[1] * ay[1] + s->G[2] * ay[2], ay[1], ay[2]};
        double bs[3] = {s->G[0] * by[0] + s->G[1] * by[1] + s->G[2] * by[2], by[1], by[2]};
        for (int i = 0; i < 9; i += 3) {
            sum += (s->W[i] * az[0] + s->W[i + 1] * az[1] + s->W[i + 2] * az[2]) *
                   (s->W[i] * bz[0] + s->W[i + 1] * bz[1] + s->W[i + 2] * bz[2]);
            sum += (s->Wi[i] * as[0] + s->Wi[i + 1] * as[1] + s->Wi[i + 2] * as[2]) *
                   (s->Wi[i] * bs[0] + s->Wi[i + 1] * bs[1] + s->Wi[i + 2] * bs[2]);
        }
    }
    return sum / (level * w->cones);
}

/* Largest entry of s o z / l - e, from the scaling's lambda. Not a number counts as infinite. */
static double deviation(cairn_central_path *w, const cairn_central_path_point *x) {
    double worst = 0.0;
    for (int c = 0; c < w->cones; c++) {
        cairn_cone_scaling *s = &w->scaling[c];
        cairn_cone_scale(w->cone[c].c, x->at.y + 3 * c, x->y_gap[c], x->at.z + 3 * c, x->z_gap[c], s);
        const double *l = s->lambda;
        double here = fmax(fabs((l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) / x->level - 1.0),
                           2.0 * l[0] * fmax(fabs(l[1]), fabs(l[2])) / x->level);
        worst = here <= worst ? worst : here;
    }
    return isfinite(worst) ? worst : INFINITY;
}

/* Largest step along d that keeps every cone. */
static double largest_step(const cairn_central_path *w, const cairn_central_path_point *x,
                           const cairn_central_path_vector *d) {
    double a = 1e10;
    for (int c = 0; c < w->cones; c++) {
        const double *y = x->at.y + 3 * c, *dy = d->y + 3 * c;
        double here = w->cone[c].c > 0.0 ? (dy[0] < 0.0 ? -y[0] / dy[0] : 1e10) : cairn_cone_step(y, x->y_gap[c], dy);
        a = fmin(a, fmin(here, cairn_cone_step(x->at.z + 3 * c, x->z_gap[c], d->z + 3 * c)));
    }
    return a;
}

/* to = from + a d; from and to may be the same. */
static void move(const cairn_run *run, const cairn_central_path *w, const cairn_central_path_point *from, double a,
                 const cairn_central_path_vector *d, cairn_central_path_point *to) {
    const cairn_problem *p = run->problem;
    for (int c = 0; c < w->cones; c++) {
        const double *y = from->at.y + 3 * c, *z = from->at.z + 3 * c;
        double z_gap = from->z_gap[c] + cairn_cone_gap_change(z, d->z + 3 * c, a);
        double y_gap = from->y_gap[c] + cairn_cone_gap_change(y, d->y + 3 * c, a);
        for (int k = 3 * c; k < 3 * c + 3; k++) {
            to->at.y[k] = from->at.y[k] + a * d->y[k];
            to->at.z[k] = from->at.z[k] + a * d->z[k];
        }
        if (w->cone[c].c > 0.0)
            y_gap = cairn_cone_coulomb_gap(w->cone[c].c, to->at.y + 3 * c);
        to->z_gap[c] = fmax(z_gap, 1e-30);
        to->y_gap[c] = fmax(y_gap, 1e-30);
    }
    for (int i = 0; i < p->n; i++)
        to->at.v[i] = from->at.v[i] + a * d->v[i];
    for (int j = 0; j < p->m; j++)
        to->at.joints[j] = from->at.joints[j] + a * d->joints[j];
    to->level = from->level * exp(a * d->log_level);
}

bool cairn_central_path_begin(cairn_run *run, cairn_central_path *w, double smooth) {
    const cairn_problem *p = run->problem;
    cairn_central_path_point *x = &w->here;
    set_cones(run, w, smooth);
    for (int i = 0; i < p->n; i++)
        w->k[i] = p->k[i] / w->unit;
    for (int j = 0; j < p->m; j++)
        w->b[j] = p->b[j] / w->unit;
    x->level = 1.0;
    for (int c = 0; c < w->cones; c++) {
        for (int k = 0; k < 3; k++) {
            x->at.y[3 * c + k] = k == 0 ? 1.0 : 0.0;
            x->at.z[3 * c + k] = k == 0 ? 1.0 / (1.0 + sqrt(w->cone[c].c)) : 0.0;
            w->t[3 * c + k] = k < w->cone[c].dim ? -w->cone[c].L[k] * w->b[w->cone[c].row + k] : 0.0;
        }
        x->z_gap[c] = x->at.z[3 * c];
        x->y_gap[c] = w->cone[c].c > 0.0 ? cairn_cone_coulomb_gap(w->cone[c].c, x->at.y + 3 * c) : 1.0;
        for (int e = 0; e < 9; e++)
            w->scaling[c].B[e] = e % 4 == 0 ? 1.0 : 0.0;
    }
    /* v = (H + D L L D')^-1 (k - D L L b) */
    if (!factor(run, w))
        return false;
    spread(run, w, w->t, NULL, w->h);
    memcpy(w->p, w->k, (size_t)p->n * sizeof *w->p);
    cairn_problem_impulse(p, w->h, 1.0, w->p);
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->b[j];
    memset(x->at.joints, 0, (size_t)p->m * sizeof *x->at.joints);
    run->solves++;
    if (cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, x->at.v, x->at.joints) != CAIRN_OK)
        return false;
    w->flipped = cairn_kkt_negative_pivots(w->kkt) % 2 != 0;
    memset(w->rd0, 0, (size_t)p->n * sizeof *w->rd0);
    memset(w->q0, 0, (size_t)p->m * sizeof *w->q0);
    memset(w->rp0, 0, (size_t)(3 * w->cones) * sizeof *w->rp0);
    double **directions[] = {&w->tangent.joints, &w->newton.joints, &w->along.joints};
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        memset(*directions[i], 0, (size_t)p->m * sizeof(double));
    residuals(run, w, x);
    memcpy(w->rd0, w->rd, (size_t)p->n * sizeof *w->rd0);
    memcpy(w->rp0, w->rp, (size_t)(3 * w->cones) * sizeof *w->rp0);
    memcpy(w->q0, w->q, (size_t)p->m * sizeof *w->q0);
    w->step = STEP_FIRST;
    return true;
}

/* Unit tangent at here, in the direction of orientation. */
static bool find_tangent(cairn_run *run, cairn_central_path *w) {
    cairn_central_path_vector *t = &w->tangent;
    if (!factor_at(run, w, &w->here) || !along(run, w, w->here.level, t))
        return false;
    bool negative = (cairn_kkt_negative_pivots(w->kkt) % 2 != 0) != w->flipped;
    double length = sqrt(inner(w, w->here.level, t, t) + 1.0), f = (negative ? 1.0 : -1.0) / length;
    if (!isfinite(length))
        return false;
    for (int i = 0; i < run->problem->n; i++)
        t->v[i] *= f;
    for (int i = 0; i < 3 * w->cones; i++) {
        t->y[i] *= f;
        t->z[i] *= f;
    }
    for (int j = 0; j < run->problem->m; j++)
        t->joints[j] *= f;
    t->log_level = f;
    return true;
}

/* One step of Newton's method at next, at right angles to the tangent. False: no direction, or
 * one that leads out. */
static bool correct(cairn_run *run, cairn_central_path *w) {
    cairn_central_path_point *x = &w->next;
    cairn_central_path_vector *d = &w->newton, *a = &w->along;
    if (!factor(run, w) || !along(run, w, x->level, a))
        return false;
    residuals(run, w, x);
    for (int c = 0; c < w->cones; c++)
        cairn_cone_target(&w->scaling[c], x->at.z + 3 * c, x->level, w->t + 3 * c);
    if (!direction(run, w, w->rd, w->rp, w->q, d))
        return false;
    double f = -inner(w, x->level, &w->tangent, d) / (inner(w, x->level, &w->tangent, a) + w->tangent.log_level);
    if (!isfinite(f))
        return false;
    f = fmax(-1.0, fmin(1.0, f));
    for (int i = 0; i < run->problem->n; i++)
        d->v[i] += f * a->v[i];
    for (int i = 0; i < 3 * w->cones; i++) {
        d->y[i] += f * a->y[i];
        d->z[i] += f * a->z[i];
    }
    for (int j = 0; j < run->problem->m; j++)
        d->joints[j] += f * a->joints[j];
    d->log_level = f;
    double step = fmin(1.0, INSIDE * largest_step(w, x, d));
    if (!(step >= 0.1))
        return false;
    move(run, w, x, step, d, x);
    return true;
}

/* A step along the tangent and back to the path, shorter and shorter until it succeeds. Returns
 * the corrections, -1: none. */
static int advance(cairn_run *run, cairn_central_path *w) {
    double most = INSIDE * largest_step(w, &w->here, &w->tangent);
    for (double step = fmin(w->step, most); step > STEP_LEAST; step *= 0.4) {
        w->step = step;
        move(run, w, &w->here, step, &w->tangent, &w->next);
        for (int count = 0; count < NEWTON_MOST; count++) {
            if (deviation(w, &w->next) < CENTRED)
                return count;
            if (!correct(run, w))
                break;
        }
    }
    return -1;
}

/* Candidate of here. */
static void offer(cairn_run *run, cairn_central_path *w) {
    spread(run, w, w->here.at.z, w->here.at.joints, w->h);
    for (int j = 0; j < run->problem->m; j++)
        w->h[j] *= w->unit;
    cairn_run_project(run, false, w->h, w->h);
    cairn_run_test(run, w->h);
}

cairn_central_path_end cairn_central_path_follow(cairn_run *run, cairn_central_path *w, double goal, int limit) {
    int first = run->factorizations;
    while (run->factorizations - first < limit && w->here.level > LEVEL_LEAST && !cairn_run_spent(run)) {
        if (!find_tangent(run, w))
            return CAIRN_CENTRAL_PATH_LOST;
        int count = advance(run, w);
        if (count < 0)
            return CAIRN_CENTRAL_PATH_LOST;
        cairn_central_path_point swap = w->here;
        w->here = w->next;
        w->next = swap;
        w->step = fmin(STEP_MOST, w->step * (count <= 1 ? 2.0 : count == 2 ? 1.3 : count >= 4 ? 0.7 : 1.0));
        offer(run, w);
        run->primal = run->rho = w->here.level;
        run->dual = w->tangent.log_level;
        if (!cairn_run_tick(run, w->h, true))
            return CAIRN_CENTRAL_PATH_OVER;
        if (run->last_map < goal)
            return CAIRN_CENTRAL_PATH_GOAL;
    }
    return CAIRN_CENTRAL_PATH_LOST;
}
