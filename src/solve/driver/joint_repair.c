/*
 * joint_repair.c: the points on the graphs, moved jointly so that the largest shift becomes
 * smaller.
 *
 * The judge takes at every block the nearest point of the graph (docs/certificate.md). Where many
 * contacts share the load that is a poor choice jointly: the largest |shift| belongs to a few
 * contacts, and is four times what other points have. Here the points move along the graph, all at
 * once, by Levenberg's and Marquardt's method for
 *
 *     f = (mean |d_i|^6)^(1/6),     d = u' - (N g' + r^) the shifts
 *
 * and the judge is asked after every step, so nothing is believed. A point moves by T_i x_i, and of
 * its shift the rows P_i count; what is left is u', which follows:
 *
 *     stick            T = I                            P = I
 *     slide along t    T = [(1, mu t), (0, t')]         P = rows (1, 0) and t'
 *                      t' at right angles to t in the tangent plane; associated law: P = rows
 *                      (1, mu t)/|..| and t'; turning t by t' also turns u': S = s/(mu g_N) on the
 *                      second column
 *     open, entering   T = [(1, mu t)], t = -u_T/|u_T|  P = row (1, 0)
 *     open             nothing moves, nothing counts
 *
 * One step: min |w (P N T + S) n^-1 y - w P d|^2 + lambda^2 |y|^2 over y = n x in m/s, by conjugate
 * gradients on the normal equations (CGLS), two products with N an iteration; w_i = |d_i|^2/X^2 +
 * .01 are the weights of the sixth power. Sets that are neither rows in both directions, unilateral
 * rows nor cones keep their points.
 *
 * Gain: largest shift by 3 to 7 on dense heaps for 80 to 240 products. Nothing where few contacts
 * decide.
 */
#include "solve/driver/joint_repair.h"

#include <math.h>
#include <string.h>

#define POWER       6.0
#define LEAST       0.01 /* weight of a block without shift */
#define INNER       20   /* iterations of CGLS */
#define LAMBDA      0.05
#define FAILS       4
#define PRODUCTS    240 /* in all; */
#define TRY         80  /* after these it goes on only within */
#define TRY_EXCESS  2.0 /* times the limit */
#define BETTER      0.999
#define SOFTEN      0.6  /* lambda after a whole step, */
#define STIFFEN     1.5  /* after a shortened one, */
#define RAISE       4.0  /* after none */
#define SLIDE_SHARE 1e-9 /* |g_T| within this of mu g_N: the point slides */

enum { STILL, COUNTED, STICK, SLIDE, ENTER };

/* How one block may move. */
typedef struct motion {
    int kind;
    double t[2]; /* direction of sliding */
    double turn; /* S */
} motion;

struct cairn_repair {
    cairn_arena arena;
    motion *motion;                    /* blocks */
    double *weight;                    /* blocks */
    double *gamma, *best;              /* m: points before the step, the best so far */
    double *shift;                     /* m: of the best */
    double *y, *s, *p, *r, *q, *z, *x; /* m */
};

static void layout(cairn_repair *w, const cairn_problem *p) {
    size_t m = (size_t)p->m, size = sizeof(double);
    double **vector[] = {&w->gamma, &w->best, &w->shift, &w->y, &w->s, &w->p, &w->r, &w->q, &w->z, &w->x};
    w->motion = cairn_arena_take(&w->arena, (size_t)p->blocks, sizeof *w->motion);
    w->weight = cairn_arena_take(&w->arena, (size_t)p->blocks, size);
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = cairn_arena_take(&w->arena, m, size);
}

cairn_status cairn_repair_create(const cairn_run *run, cairn_repair **out) {
    cairn_repair *made = cairn_alloc(run->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    layout(made, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &made->arena);
    if (status != CAIRN_OK) {
        cairn_free(run->context, made);
        return status;
    }
    layout(made, run->problem);
    *out = made;
    return CAIRN_OK;
}

void cairn_repair_destroy(cairn_context *context, cairn_repair *repair) {
    if (repair == NULL)
        return;
    cairn_arena_free(context, &repair->arena);
    cairn_free(context, repair);
}

/* ---- motions of the points ---- */

static double norm(int count, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* A cone's motion at the point g, u with the shift d. */
static motion cone_motion(const cairn_block *block, const double *g, const double *u, const double *d) {
    int count = block->dim - 1;
    double push = norm(count, g + 1), slip = norm(count, u + 1), mu = block->mu, entering = u[0] - d[0];
    motion made = {.kind = STICK};
    bool open = g[0] == 0.0, slides = mu > 0.0 && push >= mu * g[0] * (1.0 - SLIDE_SHARE);
    if (open && !(entering < 0.0))
        return (motion){.kind = STILL};
    if (!open && !slides)
        return made;
    made.kind = open ? ENTER : SLIDE;
    for (int i = 0; i < count; i++)
        made.t[i] = open ? (slip > 0.0 ? -u[i + 1] / slip : 0.0) : g[i + 1] / push;
    made.turn = open ? 0.0 : slip / push;
    return made;
}

static void find_motions(const cairn_run *run, cairn_repair *w, const cairn_judged *at) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        const double *g = at->gamma + first, *u = at->u + first;
        motion made = {.kind = COUNTED};
        if (p->block[i].set == CAIRN_SET_BILATERAL)
            made.kind = STICK;
        else if (p->block[i].set == CAIRN_SET_NONNEGATIVE && p->block[i].dim == 1)
            made.kind = g[0] > 0.0 ? STICK : u[0] - at->shift[first] < 0.0 ? ENTER : STILL;
        else if (p->block[i].set == CAIRN_SET_CONE)
            made = cone_motion(&p->block[i], g, u, at->shift + first);
        w->motion[i] = made;
    }
}

/* dx = T x of block i. */
static void spread(const cairn_block *block, const motion *m, const double *x, double *dx) {
    memset(dx, 0, (size_t)block->dim * sizeof *dx);
    if (m->kind == STICK)
        memcpy(dx, x, (size_t)block->dim * sizeof *dx);
    if (m->kind != SLIDE && m->kind != ENTER)
        return;
    dx[0] = x[0];
    for (int i = 1; i < block->dim; i++)
        dx[i] = block->mu * m->t[i - 1] * x[0];
    if (m->kind == SLIDE && block->dim == 3) {
        dx[1] -= m->t[1] * x[1];
        dx[2] += m->t[0] * x[1];
    }
}

/* x = T' dx. */
static void gather(const cairn_block *block, const motion *m, const double *dx, double *x) {
    memset(x, 0, (size_t)block->dim * sizeof *x);
    if (m->kind == STICK)
        memcpy(x, dx, (size_t)block->dim * sizeof *x);
    if (m->kind != SLIDE && m->kind != ENTER)
        return;
    x[0] = dx[0];
    for (int i = 1; i < block->dim; i++)
        x[0] += block->mu * m->t[i - 1] * dx[i];
    if (m->kind == SLIDE && block->dim == 3)
        x[1] = m->t[0] * dx[2] - m->t[1] * dx[1];
}

/* First counted direction of a sliding block: the normal, or along the slant for the associated
 * law. */
static void first_row(const cairn_block *block, cairn_law law, const motion *m, double *row) {
    double length = law == CAIRN_LAW_COULOMB ? 1.0 : sqrt(1.0 + block->mu * block->mu);
    row[0] = 1.0 / length;
    for (int i = 1; i < block->dim; i++)
        row[i] = law == CAIRN_LAW_COULOMB || m->kind == ENTER ? 0.0 : block->mu * m->t[i - 1] / length;
}

/* r = P d. */
static void count_rows(const cairn_block *block, cairn_law law, const motion *m, const double *d, double *r) {
    double row[CAIRN_BLOCK_DIM_MAX];
    memset(r, 0, (size_t)block->dim * sizeof *r);
    if (m->kind == STICK || m->kind == COUNTED)
        memcpy(r, d, (size_t)block->dim * sizeof *r);
    if (m->kind != SLIDE && m->kind != ENTER)
        return;
    first_row(block, law, m, row);
    for (int i = 0; i < block->dim; i++)
        r[0] += row[i] * d[i];
    if (m->kind == SLIDE && block->dim == 3)
        r[1] = m->t[0] * d[2] - m->t[1] * d[1];
}

/* d = P' r. */
static void uncount_rows(const cairn_block *block, cairn_law law, const motion *m, const double *r, double *d) {
    double row[CAIRN_BLOCK_DIM_MAX];
    memset(d, 0, (size_t)block->dim * sizeof *d);
    if (m->kind == STICK || m->kind == COUNTED)
        memcpy(d, r, (size_t)block->dim * sizeof *d);
    if (m->kind != SLIDE && m->kind != ENTER)
        return;
    first_row(block, law, m, row);
    for (int i = 0; i < block->dim; i++)
        d[i] = row[i] * r[0];
    if (m->kind == SLIDE && block->dim == 3) {
        d[1] -= m->t[1] * r[1];
        d[2] += m->t[0] * r[1];
    }
}

/* ---- the linear problem of a step ---- */

/* dx = T n^-1 y. */
static void step_of(const cairn_run *run, const cairn_repair *w, const double *y, double *dx) {
    const cairn_problem *p = run->problem;
    double x[CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        for (int r = 0; r < p->block[i].dim; r++)
            x[r] = y[first + r] / run->row_scale[first];
        spread(&p->block[i], &w->motion[i], x, dx + first);
    }
}

/* out = A y. Uses x and z. */
static void forward(cairn_run *run, cairn_repair *w, const double *y, double *out) {
    const cairn_problem *p = run->problem;
    step_of(run, w, y, w->x);
    cairn_operator_product(run->op, w->x, w->z);
    run->products++;
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        count_rows(&p->block[i], p->law, &w->motion[i], w->z + first, out + first);
        if (w->motion[i].kind == SLIDE && p->block[i].dim == 3)
            out[first + 1] += w->motion[i].turn * y[first + 1] / run->row_scale[first];
        for (int r = 0; r < p->block[i].dim; r++)
            out[first + r] *= w->weight[i];
    }
}

/* out = A'r. Uses x and z. */
static void backward(cairn_run *run, cairn_repair *w, const double *r, double *out) {
    const cairn_problem *p = run->problem;
    double row[CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        for (int k = 0; k < p->block[i].dim; k++)
            row[k] = w->weight[i] * r[first + k];
        uncount_rows(&p->block[i], p->law, &w->motion[i], row, w->x + first);
    }
    cairn_operator_product(run->op, w->x, w->z);
    run->products++;
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        gather(&p->block[i], &w->motion[i], w->z + first, out + first);
        if (w->motion[i].kind == SLIDE && p->block[i].dim == 3)
            out[first + 1] += w->motion[i].turn * w->weight[i] * r[first + 1];
        for (int k = 0; k < p->block[i].dim; k++)
            out[first + k] /= run->row_scale[first];
    }
}

static double dot(int m, const double *x, const double *y) {
    double sum = 0.0;
    for (int j = 0; j < m; j++)
        sum += x[j] * y[j];
    return sum;
}

/* y: INNER iterations of CGLS from 0. */
static void solve_step(cairn_run *run, cairn_repair *w, double lambda) {
    const cairn_problem *p = run->problem;
    int m = p->m;
    memset(w->y, 0, (size_t)m * sizeof *w->y);
    for (int i = 0; i < p->blocks; i++) {
        int first = p->block_start[i];
        count_rows(&p->block[i], p->law, &w->motion[i], w->shift + first, w->r + first);
        for (int k = 0; k < p->block[i].dim; k++)
            w->r[first + k] *= w->weight[i];
    }
    backward(run, w, w->r, w->s);
    memcpy(w->p, w->s, (size_t)m * sizeof *w->p);
    double square = dot(m, w->s, w->s), begun = square;
    for (int k = 0; k < INNER && square > 1e-30 * begun; k++) {
        forward(run, w, w->p, w->q);
        double along = square / (dot(m, w->q, w->q) + lambda * lambda * dot(m, w->p, w->p));
        for (int j = 0; j < m; j++) {
            w->y[j] += along * w->p[j];
            w->r[j] -= along * w->q[j];
        }
        backward(run, w, w->r, w->s);
        for (int j = 0; j < m; j++)
            w->s[j] -= lambda * lambda * w->y[j];
        double last = square;
        square = dot(m, w->s, w->s);
        for (int j = 0; j < m; j++)
            w->p[j] = w->s[j] + square / last * w->p[j];
    }
}

/* ---- the repair ---- */

/* f of the judge's last answer; sets the weights of its blocks when asked. */
static double figure_of(const cairn_run *run, cairn_repair *w, const cairn_judged *at, bool weigh) {
    const cairn_problem *p = run->problem;
    double most = 0.0, sum = 0.0;
    for (int i = 0; i < p->blocks; i++)
        most = fmax(most, norm(p->block[i].dim, at->shift + p->block_start[i]));
    for (int i = 0; i < p->blocks && most > 0.0; i++) {
        double part = norm(p->block[i].dim, at->shift + p->block_start[i]) / most;
        sum += pow(part, POWER);
        if (weigh)
            w->weight[i] = part * part + LEAST;
    }
    return most * pow(sum / fmax(1.0, p->blocks), 1.0 / POWER);
}

static void keep(cairn_repair *w, const cairn_problem *p, const cairn_judged *at) {
    memcpy(w->best, at->gamma, (size_t)p->m * sizeof *w->best);
    memcpy(w->shift, at->shift, (size_t)p->m * sizeof *w->shift);
}

static cairn_status ask(cairn_run *run, const double *gamma, cairn_certificate *certificate, cairn_judged *judged) {
    cairn_question question = {.gamma = gamma, .limits = cairn_limits_of(run->settings), .quick = true};
    run->checks++;
    return cairn_judge_ask(run->judge, &question, certificate, judged);
}

/* The first of the shortened steps that makes f smaller; 0: none does. */
static double try_steps(cairn_run *run, cairn_repair *w, double f, cairn_certificate *certificate, cairn_judged *judged,
                        cairn_status *status) {
    static const double length[] = {1.0, 0.35, 0.12, 0.04};
    const cairn_problem *p = run->problem;
    step_of(run, w, w->y, w->x);
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < p->m; j++)
            w->gamma[j] = w->best[j] + length[k] * w->x[j];
        *status = ask(run, w->gamma, certificate, judged);
        if (*status != CAIRN_OK || certificate->certified || figure_of(run, w, judged, false) < BETTER * f)
            return *status == CAIRN_OK ? length[k] : 0.0;
    }
    return 0.0;
}

cairn_status cairn_repair_run(cairn_run *run, cairn_repair *w, cairn_certificate *certificate, cairn_judged *judged) {
    double lambda = LAMBDA;
    int from = run->products, fails = 0;
    cairn_status status = CAIRN_OK;
    run->repairs++;
    keep(w, run->problem, judged);
    double f = figure_of(run, w, judged, true), excess = certificate->excess;
    find_motions(run, w, judged);
    while (status == CAIRN_OK && fails < FAILS && isfinite(f)) {
        int spent = run->products - from;
        if (spent >= PRODUCTS || (spent >= TRY && excess > TRY_EXCESS))
            break;
        solve_step(run, w, lambda);
        double length = try_steps(run, w, f, certificate, judged, &status);
        if (status != CAIRN_OK || certificate->certified)
            return status;
        if (length > 0.0) {
            keep(w, run->problem, judged);
            f = figure_of(run, w, judged, true);
            find_motions(run, w, judged);
            excess = certificate->excess;
            lambda *= length == 1.0 ? SOFTEN : STIFFEN;
            fails = 0;
        } else {
            lambda *= RAISE;
            fails++;
        }
    }
    return status == CAIRN_OK ? ask(run, w->best, certificate, judged) : status;
}
