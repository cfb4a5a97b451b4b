/*
 * contact_metric.c: contacts from step to step, by splitting in a metric that knows what each of
 * them did.
 *
 *     x = z - B u, where z and u keep the law of the contact                                the resolvent of B
 *     H v = k + D gamma,   gamma = 2z - x - B (D'v + b) at contacts,   D'v + b + C gamma = 0 at joints
 *     x <- x + gamma - z, accelerated (anderson.c)
 *
 * With B = 1/Theta this is ADMM [T21 (47)]. Here B is a block for each contact, what its impulse
 * answers to a change of slip, as far as z and u tell:
 *
 *     B_N = 1/(NORMAL n_i r_N),   B_across = 1/(TANGENT n_i r_T),   r = ((slip + e)/(n_i impulse + e))^POWER,
 *         e = SMALL of the mean n_i z_N
 *
 * so that a contact that sticks is nearly rigid and an open one nearly absent. One that slides
 * keeps its friction along the slip, B_along = B_across/(1 + ALONG s), and gets mu of every change
 * of its normal impulse: dgamma_along = couple dgamma_N, couple = mu s, s near 1 where it slides
 * and 0 where it sticks. This makes B, and the matrix S = H + D B D', unsymmetric; the law's
 * resolvent stays simple, because u_N = 0 where a contact is closed: z_N = max(0, x_N), z_T the
 * point of the disc of radius mu z_N that is nearest to x_T in the norm of 1/B_T.
 *
 * z and u are at first those of the last step, u = D'v + b with its velocities v: joints whose
 * reactions change a lot from step to step do not spoil that. The first solve then closes all
 * joints. Where few contacts change their state a handful of solves leads to the answer. Where many
 * do, after an impact, the first steps are large (ABRUPT, RESTLESS), or the tolerances come nearer
 * too slowly (RATE), and the interior point is the quicker way. The metric is renewed once, from
 * the iterate after PERIOD iterations.
 *
 * This iteration also helps where the exact law jams the interior point, in rubble at natural maps
 * around 1e-3: from its last iterate, with the metric renewed every LONG_PERIOD iterations and a
 * larger POWER, it comes near enough for Newton's method, which took hundreds of factorisations
 * from there (cairn_track_settle). Some problems want one POWER, some another: two are tried.
 *
 * What it does not have: compliance of contacts, contacts in the plane, the convex law (whose cone
 * would have to be projected onto in the norm of 1/B).
 */
#include "solve/admm/contact_metric.h"

#include <math.h>
#include <string.h>

#define PERIOD  8
#define PERIODS 2
#define PAIR    30.0 /* B is 1/(PAIR n_i) where z and u are made to fit each other at first */
#define SMALL   3e-4
#define POWER   0.6
#define NORMAL  0.6
#define TANGENT 2.0
#define ALONG   10.0
#define MEMORY  16 /* iterates that the acceleration keeps */
/* |gamma - z| relative to |z| above which the step is no small change and the stage ends: ABRUPT
 * after the first iteration, RESTLESS later */
#define ABRUPT   0.15
#define RESTLESS 0.05
/* The stage ends when the error, in tolerances, would not reach 1 by iteration END at a contraction
 * of RATE per iteration, unless the error is below NEAR. */
#define RATE  2.2
#define END   11
#define NEAR  30.0
#define ROOTS 30 /* Newton steps for a point of the disc */

/* cairn_track_settle: iterations of a period, and periods */
#define LONG_PERIOD  20
#define LONG_PERIODS 20
#define PATIENCE     6   /* periods in a row without progress after which it ends */
#define PROGRESS     0.8 /* share of the best natural map that counts as progress */

bool cairn_track_fits(const cairn_run *run) {
    const cairn_problem *p = run->problem;
    bool contacts = false;
    if (p->local || !p->block_diagonal || p->law != CAIRN_LAW_COULOMB)
        return false;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        if (block->set == CAIRN_SET_BILATERAL)
            continue;
        if (block->set == CAIRN_SET_CONE ? block->dim != 3 : block->set != CAIRN_SET_NONNEGATIVE)
            return false;
        contacts = contacts || block->set == CAIRN_SET_CONE;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            if (p->C[j] != 0.0)
                return false;
    }
    return contacts;
}

void cairn_track_layout(cairn_track *w, cairn_arena *arena, const cairn_problem *p) {
    size_t n = (size_t)p->n, m = (size_t)p->m, entries = 0;
    for (int i = 0; i < p->blocks; i++)
        entries += (size_t)(p->block[i].dim * p->block[i].dim);
    w->metric = cairn_arena_take(arena, (size_t)p->blocks, sizeof *w->metric);
    w->B = cairn_arena_take(arena, entries, sizeof(double));
    w->B_start = cairn_arena_take(arena, (size_t)p->blocks + 1, sizeof(int));
    double **of_m[] = {&w->x, &w->z, &w->u, &w->gamma, &w->given, &w->step, &w->theta, &w->weight, &w->q};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(arena, m, sizeof(double));
    w->v = cairn_arena_take(arena, n, sizeof(double));
    w->p = cairn_arena_take(arena, n, sizeof(double));
    cairn_anderson_layout(&w->quick, arena, MEMORY, p->m);
    w->quick.probation = INFINITY;
}

void cairn_track_prepare(const cairn_run *run, cairn_track *w, cairn_kkt *kkt) {
    const cairn_problem *p = run->problem;
    w->kkt = kkt;
    for (int i = 0; i < p->blocks; i++) {
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
    }
}

/* z_i = x_i/(1 + l b_i) with |z| = r, by Newton's method on 1/|z|. */
void cairn_track_disc(double b0, double b1, double r, const double x[2], double z[2]) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1]), l = 0.0;
    z[0] = x[0];
    z[1] = x[1];
    if (length <= r)
        return;
    for (int i = 0; i < ROOTS && r > 0.0 && fabs(length - r) > 1e-15 * r; i++) {
        double slope = (z[0] * z[0] * b0 / (1.0 + l * b0) + z[1] * z[1] * b1 / (1.0 + l * b1)) / length;
        l += (length - r) / r * length / slope;
        z[0] = x[0] / (1.0 + l * b0);
        z[1] = x[1] / (1.0 + l * b1);
        length = sqrt(z[0] * z[0] + z[1] * z[1]);
    }
    z[0] *= r / length;
    z[1] *= r / length;
}

/* z and u of one contact. */
static void resolve_contact(const cairn_track_metric *B, double mu, const double *x, double *z, double *u) {
    double c = B->t[0], s = B->t[1], xt[2] = {c * x[1] + s * x[2], c * x[2] - s * x[1]}, zt[2];
    z[0] = fmax(0.0, x[0]);
    u[0] = (z[0] - x[0]) / B->normal;
    cairn_track_disc(B->along, B->across, mu * z[0], xt, zt);
    double along = (zt[0] - xt[0] - B->couple * (z[0] - x[0])) / B->along, across = (zt[1] - xt[1]) / B->across;
    z[1] = c * zt[0] - s * zt[1];
    z[2] = s * zt[0] + c * zt[1];
    u[1] = c * along - s * across;
    u[2] = s * along + c * across;
}

static void resolve(const cairn_run *run, cairn_track *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block[i].dim;
        cairn_set_kind set = p->block[i].set;
        if (set == CAIRN_SET_CONE) {
            resolve_contact(&w->metric[i], p->block[i].mu, w->x + row, w->z + row, w->u + row);
            continue;
        }
        for (int j = row; j < row + dim; j++) {
            w->z[j] = set == CAIRN_SET_BILATERAL ? w->x[j] : fmax(0.0, w->x[j]);
            w->u[j] = set == CAIRN_SET_BILATERAL ? 0.0 : (w->z[j] - w->x[j]) / w->metric[i].normal;
        }
    }
}

static double grade(const cairn_track *w, double slip, double push, double small) {
    return pow((slip + small) / (push + small), w->power);
}

/* B of one contact, scale n, from its z and u. */
static void set_contact(const cairn_track *w, double n, double mu, const double *z, const double *u, double small,
                        cairn_track_metric *B) {
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), friction = sqrt(z[1] * z[1] + z[2] * z[2]), push = n * z[0];
    double slides = z[0] > 0.0 ? slip / (slip + small) : 0.0;
    bool by_slip = z[0] > 0.0 && slip > 0.0, by_friction = !by_slip && friction > 0.0;
    B->t[0] = by_slip ? -u[1] / slip : by_friction ? z[1] / friction : 1.0;
    B->t[1] = by_slip ? -u[2] / slip : by_friction ? z[2] / friction : 0.0;
    B->normal = 1.0 / (w->normal * n * grade(w, fabs(u[0]), push, small));
    B->across = 1.0 / (TANGENT * n * grade(w, slip, mu * push, small));
    B->along = B->across / (1.0 + ALONG * slides);
    B->couple = mu * slides;
}

/* The block of weights of one contact. */
static void write_contact(const cairn_track_metric *m, double *B) {
    double c = m->t[0], s = m->t[1];
    B[0] = m->normal;
    B[1] = B[2] = 0.0;
    B[3] = m->couple * m->normal * c;
    B[6] = m->couple * m->normal * s;
    B[4] = m->along * c * c + m->across * s * s;
    B[5] = B[7] = (m->along - m->across) * c * s;
    B[8] = m->along * s * s + m->across * c * c;
}

/* B from z and u, x that goes with it, and its factorisation. */
static cairn_status renew(cairn_run *run, cairn_track *w) {
    const cairn_problem *p = run->problem;
    double small = SMALL * cairn_run_push(run, w->z);
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block[i].dim;
        double n = run->row_scale[row], *B = w->B + w->B_start[i];
        cairn_track_metric *metric = &w->metric[i];
        if (p->block[i].set == CAIRN_SET_BILATERAL)
            continue;
        if (p->block[i].set == CAIRN_SET_CONE) {
            set_contact(w, n, p->block[i].mu, w->z + row, w->u + row, small, metric);
            write_contact(metric, B);
        } else {
            memset(B, 0, (size_t)(dim * dim) * sizeof *B);
            metric->normal = 1.0 / (w->normal * n * grade(w, fabs(w->u[row]), n * w->z[row], small));
            for (int j = 0; j < dim; j++)
                B[j * dim + j] = metric->normal;
        }
        for (int j = 0; j < dim; j++) {
            double sum = w->z[row + j];
            for (int l = 0; l < dim; l++)
                sum -= B[j * dim + l] * w->u[row + l];
            w->x[row + j] = sum;
            w->weight[row + j] = sqrt(n / (j == 0 || dim == 1 ? metric->normal : metric->across));
        }
    }
    cairn_anderson_reset(&w->quick);
    return cairn_run_factor(run, w->kkt, w->B, w->theta);
}

/* given and its right-hand sides. */
static void give(const cairn_run *run, cairn_track *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block[i].dim;
        bool joint = p->block[i].set == CAIRN_SET_BILATERAL;
        const double *B = w->B + w->B_start[i], *b = p->b + row;
        for (int j = 0; j < dim; j++) {
            double sum = joint ? 0.0 : 2.0 * w->z[row + j] - w->x[row + j];
            for (int l = 0; l < dim && !joint; l++)
                sum -= B[j * dim + l] * b[l];
            w->given[row + j] = sum;
            w->q[row + j] = -b[j];
        }
    }
    memcpy(w->p, p->k, (size_t)p->n * sizeof *w->p);
    cairn_problem_impulse(p, w->given, 1.0, w->p);
}

/* gamma and v of the linear solve, and the step from x. *restless: how large that is. */
static cairn_status iterate(cairn_run *run, cairn_track *w, double *restless) {
    const cairn_problem *p = run->problem;
    resolve(run, w);
    give(run, w);
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->v, w->gamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    if (status != CAIRN_OK)
        return status;
    cairn_problem_slip(p, w->v, 0.0, w->q);
    double moved = 0.0, size = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block[i].dim;
        const double *B = w->B + w->B_start[i];
        double n = run->row_scale[row];
        if (p->block[i].set == CAIRN_SET_BILATERAL) {
            memcpy(w->x + row, w->gamma + row, (size_t)dim * sizeof *w->x);
            continue;
        }
        for (int j = 0; j < dim; j++) {
            double sum = w->given[row + j];
            for (int l = 0; l < dim; l++)
                sum -= B[j * dim + l] * w->q[row + l];
            w->gamma[row + j] = sum;
            w->step[row + j] = sum - w->z[row + j];
            moved += n * w->step[row + j] * w->step[row + j];
            size += n * w->z[row + j] * w->z[row + j];
        }
    }
    *restless = size > 0.0 ? sqrt(moved / size) : INFINITY;
    run->primal = *restless;
    run->dual = NAN;
    return CAIRN_OK;
}

/* x from impulses gamma (m) and velocities v (n; NULL: those that belong to gamma). */
static void begin(cairn_run *run, cairn_track *w, const double *gamma, const double *v) {
    const cairn_problem *p = run->problem;
    if (v == NULL) {
        cairn_operator_velocity(run->op, gamma, w->v);
        v = w->v;
    }
    memcpy(w->u, p->b, (size_t)p->m * sizeof *w->u);
    cairn_problem_slip(p, v, 1.0, w->u);
    memset(w->step, 0, (size_t)p->m * sizeof *w->step);
    memset(w->weight, 0, (size_t)p->m * sizeof *w->weight);
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i];
        double b = 1.0 / (PAIR * run->row_scale[row]);
        w->metric[i] = (cairn_track_metric){.normal = b, .along = b, .across = b, .t = {1.0, 0.0}};
        for (int j = row; j < p->block_start[i + 1]; j++)
            w->x[j] = p->block[i].set == CAIRN_SET_BILATERAL ? gamma[j] : gamma[j] - b * w->u[j];
    }
}

/* One iteration, its candidate, in q, tested, and the next x. *restless: see iterate. False: the
 * run is over, or *status says that it cannot go on. */
static bool go_on(cairn_run *run, cairn_track *w, double *restless, cairn_status *status) {
    *status = iterate(run, w, restless);
    if (*status != CAIRN_OK)
        return false;
    cairn_run_project(run, false, w->gamma, w->q);
    cairn_run_test(run, w->q);
    if (!cairn_run_tick(run, w->q, true))
        return false;
    cairn_anderson_step(&w->quick, w->weight, w->x, w->step);
    return true;
}

/* Natural map and worst velocity of the candidate just tested, the larger of them, each over
 * what is asked for. */
static double distance(const cairn_run *run, const cairn_track *w) {
    double speed = cairn_run_aim_velocity(run);
    double far = run->last_map / (speed > 0.0 ? run->settings->tolerance : cairn_run_aim(run));
    return speed > 0.0 ? fmax(far, cairn_run_worst_velocity(run, w->q) / speed) : far;
}

bool cairn_track_run(cairn_run *run, cairn_track *w) {
    cairn_status status = CAIRN_OK;
    w->power = POWER;
    w->normal = NORMAL;
    begin(run, w, run->guess, run->guess_v);
    for (int period = 0, count = 1; period < PERIODS; period++) {
        resolve(run, w);
        if (renew(run, w) != CAIRN_OK)
            return false;
        for (int i = 0; i < PERIOD; i++, count++) {
            double restless;
            if (!go_on(run, w, &restless, &status))
                return status == CAIRN_OK;
            if (!(restless < (count == 1 ? ABRUPT : RESTLESS)) || distance(run, w) > fmax(NEAR, pow(RATE, END - count)))
                return false;
        }
    }
    return false;
}

/* One try from gamma (m). True: the run is over. */
static bool settle(cairn_run *run, cairn_track *w, const double *gamma, double goal) {
    cairn_status status = CAIRN_OK;
    double reached = INFINITY;
    begin(run, w, gamma, NULL);
    for (int period = 0, idle = 0; period < LONG_PERIODS && idle < PATIENCE && run->best_map > goal; period++) {
        resolve(run, w);
        if (renew(run, w) != CAIRN_OK)
            return false;
        for (int i = 0; i < LONG_PERIOD && run->best_map > goal; i++) {
            double restless;
            if (!go_on(run, w, &restless, &status))
                return status == CAIRN_OK;
        }
        idle = run->last_map < PROGRESS * reached ? 0 : idle + 1;
        reached = fmin(reached, run->last_map);
    }
    return false;
}

bool cairn_track_settle(cairn_run *run, cairn_track *w, const double *gamma, double goal) {
    static const double power[] = {0.75, 0.7}, normal[] = {0.5, 0.4};
    for (int i = 0; i < 2 && run->best_map > goal; i++) {
        w->power = power[i];
        w->normal = normal[i];
        if (settle(run, w, gamma, goal))
            return true;
    }
    return false;
}
