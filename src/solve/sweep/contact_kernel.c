/*
 * contact_kernel.c: sweeps over contacts between rigid bodies, four at a time.
 *
 *     H^-1 = R R' body by body;  w = R'(k + D gamma),  E = R'D:   u_i = E_i'w + b_i,   w += E_i (change of gamma_i)
 *
 * One matrix serves both ways, so a visit reads 36 numbers of E and 16 of its own, one after the
 * other in the order of the visits: 448 bytes with the indices, 36 multiply-adds each way. v = R w
 * is never needed. The contacts of a group share no body, so the same instruction works on all four
 * (contact_groups.c); every lane computes what it would alone, with or without AVX2.
 *
 * The contact's own problem, q = u - N_ii gamma [theory 1], by the first that holds:
 *
 *     open       q_N >= 0, associated law: q_N >= mu |q_T|                  gamma = 0
 *     sticking   gamma - N_ii^-1 u lies in the cone                          that
 *     sliding    N_ii = diag(n, t, t), as for spheres:                       gamma_N = -q_N / n, associated law:
 *                                                                            gamma_N = (mu |q_T| - q_N) / (n + mu^2 t);
 *                                                                            gamma_T = -mu gamma_N q_T / |q_T|
 *     sliding    any other N_ii: a step towards it, whose only resting points are answers (slide_inexactly)
 *     else       block_solve_cone.c, lane by lane
 */
#include "solve/sweep/contact_kernel.h"

#include "solve/sweep/block_solve.h"

#include <math.h>
#include <string.h>

#define BODY     CAIRN_CONTACT_KERNEL_BODY
#define ROWS     6 /* of a body at most */
#define LANES    CAIRN_CONTACT_KERNEL_LANES
#define LINE     CAIRN_CONTACT_KERNEL_LINE
#define AHEAD    3      /* groups between the one that is visited and the one that memory is asked for */
#define ROUNDING 1e-14  /* N_ii counts as diag(n, t, t) up to this, relative to n */
#define LEAST    1e-280 /* |q_T|^2 outside these limits has lost digits */
#define MOST     1e280
#define ROUNDS   1    /* of a sliding direction in one visit */
#define FLAT     1e-3 /* of n: a smaller n + mu w'd is left to the general solve */

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* how vectors are returned: the function that does is always inline */
#endif

typedef cairn_quad quad;
typedef cairn_quad_mask mask;

bool cairn_contact_kernel_fits(const cairn_problem *p) {
    if (p->local || !p->block_diagonal || p->unsymmetric)
        return false;
    for (int body = 0; body < p->bodies; body++)
        if (p->body_start[body + 1] - p->body_start[body] > ROWS)
            return false;
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_CONE || p->block[i].dim != 3 ||
            p->body.touch_start[i + 1] - p->body.touch_start[i] > 2)
            return false;
    for (int j = 0; j < p->m; j++)
        if (p->C[j] != 0.0)
            return false;
    return true;
}

/* ---- making ---- */

/* Lower Cholesky factor of a (size x size, row by row) into R with rows of ROWS; *diagonal: it
 * has nothing else. */
static bool cholesky(int size, const double *a, double *R, bool *diagonal) {
    memset(R, 0, ROWS * ROWS * sizeof *R);
    *diagonal = true;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            *diagonal = *diagonal && a[i * size + j] == 0.0;
    for (int j = 0; j < size; j++)
        for (int i = j; i < (*diagonal ? j + 1 : size); i++) {
            double sum = a[i * size + j];
            for (int k = 0; k < j; k++)
                sum -= R[i * ROWS + k] * R[j * ROWS + k];
            if (i == j && !(sum > 0.0))
                return false;
            R[i * ROWS + j] = i == j ? sqrt(sum) : sum / R[j * ROWS + j];
        }
    return true;
}

/* y[c apart] = (R'x)_c; x has size entries. */
static void whiten(int size, bool diagonal, const double *R, const double *x, int apart, double *y) {
    for (int c = 0; c < size; c++) {
        double sum = R[c * ROWS + c] * x[c];
        for (int r = c + 1; r < size && !diagonal; r++)
            sum += R[r * ROWS + c] * x[r];
        y[c * apart] = sum;
    }
}

/* Own matrix, inverse by cofactors, and kind of one contact into its lane; N row by row. */
static void fill_local(const double *N, const double *b, int lane, cairn_contact_kernel_group *g) {
    double n = N[0], s = 0.5 * N[1] + 0.5 * N[3], t = 0.5 * N[2] + 0.5 * N[6], p = N[4], r = 0.5 * N[5] + 0.5 * N[7],
           q = N[8];
    double A[6] = {p * q - r * r, t * r - s * q, s * r - t * p, n * q - t * t, s * t - n * r, n * p - s * s};
    double det = n * A[0] + s * A[1] + t * A[2];
    bool invertible = n > 0.0 && A[5] > 1e-12 * n * p && det > 1e-12 * A[5] * q;
    bool isotropic = n > 0.0 && p > 0.0 && fabs(s) <= ROUNDING * n && fabs(t) <= ROUNDING * n &&
                     fabs(r) <= ROUNDING * n && fabs(p - q) <= ROUNDING * n;
    const double own[6] = {n, s, t, p, r, q};
    for (int c = 0; c < 3; c++)
        g->b[c][lane] = b[c];
    for (int e = 0; e < 6; e++) {
        g->N[e][lane] = own[e];
        g->inverse[e][lane] = invertible ? A[e] / det : 0.0;
    }
    g->invertible[lane] = invertible ? -1 : 0;
    g->isotropic[lane] = isotropic ? -1 : 0;
}

typedef struct body_roots {
    double *R;       /* ROWS * ROWS a body */
    bool *diagonal;  /* a body */
    const double *N; /* N_ii of all blocks, and where they begin */
    const int *N_start;
} body_roots;

static void fill_contact(const cairn_run *run, const body_roots *roots, int i, int lane,
                         cairn_contact_kernel_group *g) {
    const cairn_problem *p = run->problem;
    int width = p->body.width[i], count = p->body.touch_start[i + 1] - p->body.touch_start[i];
    const double *dense = p->body.dense + p->body.dense_start[i];
    g->row[lane] = p->block_start[i];
    g->mu[lane] = p->block[i].mu;
    for (int t = 0; t < count; t++) {
        int body = p->body.touch[p->body.touch_start[i] + t], size = p->body_start[body + 1] - p->body_start[body];
        g->body[t][lane] = BODY * body;
        for (int c = 0; c < 3; c++)
            whiten(size, roots->diagonal[body], roots->R + (size_t)body * ROWS * ROWS, dense + c * width, LANES,
                   (double *)g->E[t][c] + lane);
        dense += size;
    }
    fill_local(roots->N + roots->N_start[i], p->b + p->block_start[i], lane, g);
}

static cairn_status fill(const cairn_run *run, const int *place, const body_roots *roots, cairn_contact_kernel *out) {
    const cairn_problem *p = run->problem;
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first;
        double *own = roots->R + (size_t)body * ROWS * ROWS;
        if (!cholesky(size, cairn_operator_body_inverse(run->op, body), own, &roots->diagonal[body]))
            return cairn_fail(run->context, CAIRN_ERROR_NUMERICAL,
                              "H is not positive definite: the block of rows %d to %d", first, first + size - 1);
        whiten(size, roots->diagonal[body], own, p->k + first, 1, out->free + (size_t)body * BODY);
    }
    for (int i = 0; i < out->groups; i++) {
        cairn_contact_kernel_group *g = &out->group[i];
        memset(g, 0, sizeof *g);
        for (int l = 0; l < LANES; l++) {
            g->row[l] = p->m;
            g->body[0][l] = g->body[1][l] = BODY * p->bodies;
            if (place[LANES * i + l] >= 0)
                fill_contact(run, roots, place[LANES * i + l], l, g);
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_contact_kernel_create(const cairn_run *run, int groups, const int *place,
                                         cairn_contact_kernel *out) {
    cairn_context *context = run->context;
    size_t bodies = (size_t)run->problem->bodies;
    cairn_contact_kernel packed = {.groups = groups, .bodies = run->problem->bodies};
    packed.memory = cairn_alloc_raw(context, (size_t)groups + 1,
                                    sizeof *packed.group); /* one more: an allocator may align to less */
    packed.free = cairn_alloc(context, BODY * (bodies + 1), sizeof *packed.free);
    body_roots roots = {cairn_alloc_raw(context, ROWS * ROWS * bodies, sizeof *roots.R),
                        cairn_alloc_raw(context, bodies, sizeof *roots.diagonal), NULL, NULL};
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (packed.memory != NULL && packed.free != NULL && roots.R != NULL && roots.diagonal != NULL)
        status = cairn_operator_diagonal(run->op, &roots.N, &roots.N_start);
    if (status == CAIRN_OK) {
        packed.group = (cairn_contact_kernel_group *)(((uintptr_t)packed.memory + LINE - 1) / LINE * LINE);
        status = fill(run, place, &roots, &packed);
    }
    cairn_free(context, roots.R);
    cairn_free(context, roots.diagonal);
    if (status == CAIRN_OK)
        *out = packed;
    else
        cairn_contact_kernel_free(context, &packed);
    return status;
}

void cairn_contact_kernel_free(cairn_context *context, cairn_contact_kernel *packed) {
    cairn_free(context, packed->memory);
    cairn_free(context, packed->free);
    *packed = (cairn_contact_kernel){0};
}

/* ---- visiting ---- */

/* Numbers of four places side by side, and back. */
CAIRN_INLINE quad gather(const double *x, const int *at, int offset) {
    return (quad){x[at[0] + offset], x[at[1] + offset], x[at[2] + offset], x[at[3] + offset]};
}

/* Nothing is written to the place `none`: other threads read it. -1: all lanes have a place of
 * their own. */
CAIRN_INLINE void scatter(const quad *q, const int *at, int offset, int none, double *x) {
    for (int l = 0; l < LANES; l++)
        if (none < 0 || at[l] != none)
            x[at[l] + offset] = (*q)[l];
}

/* no <- yes in some lanes. */
CAIRN_INLINE void choose(const mask *which, const quad *yes, quad *no) {
    *no = (quad)(((mask)*yes & *which) | ((mask)*no & ~*which));
}

CAIRN_INLINE bool any(const mask *m) {
    return (((*m)[0] | (*m)[1]) | ((*m)[2] | (*m)[3])) != 0;
}

CAIRN_INLINE void root(quad *x) {
    for (int l = 0; l < LANES; l++)
        (*x)[l] = sqrt((*x)[l]);
}

/* Asks memory for group i, if there is one. */
CAIRN_INLINE void prefetch(const cairn_contact_kernel *packed, int i) {
    const char *group = (const char *)&packed->group[i >= 0 && i < packed->groups ? i : 0];
    for (size_t at = 0; at < sizeof *packed->group; at += LINE)
        __builtin_prefetch(group + at);
}

/* w += E x over one body of each lane, from w to w. */
CAIRN_INLINE void push(const quad E[3][6], const quad x[3], const int *body, const quad *from, int none, double *w) {
    for (int r = 0; r < ROWS; r++) {
        quad to = from[r] + ((E[0][r] * x[0] + E[1][r] * x[1]) + E[2][r] * x[2]);
        scatter(&to, body, r, none, w);
    }
}

/* u += E'w over one body of each lane. */
CAIRN_INLINE void pull(const quad *E, const quad *w, quad *u) {
    *u += ((E[0] * w[0] + E[1] * w[1]) + (E[2] * w[2] + E[3] * w[3])) + (E[4] * w[4] + E[5] * w[5]);
}

CAIRN_CLONES static void refresh_all(const cairn_contact_kernel *packed, const double *gamma, double *w) {
    for (int i = 0; i < packed->groups; i++) {
        const cairn_contact_kernel_group *g = &packed->group[i];
        quad x[3];
        for (int c = 0; c < 3; c++)
            x[c] = gather(gamma, g->row, c);
        for (int t = 0; t < 2; t++) {
            quad from[ROWS];
            for (int r = 0; r < ROWS; r++)
                from[r] = gather(w, g->body[t], r);
            push(g->E[t], x, g->body[t], from, -1, w);
        }
    }
}

void cairn_contact_kernel_refresh(const cairn_contact_kernel *packed, const double *gamma, double *w) {
    memcpy(w, packed->free, ((size_t)packed->bodies + 1) * BODY * sizeof *w);
    refresh_all(packed, gamma, w);
}

/* Lanes that no closed form holds for. */
static void solve_in_general(const cairn_run *run, const cairn_contact_kernel_group *g, const mask *left, const quad *q,
                             quad *x) {
    const cairn_problem *p = run->problem;
    const quad *N = g->N;
    for (int l = 0; l < LANES; l++) {
        if ((*left)[l] == 0)
            continue;
        double full[9] = {N[0][l], N[1][l], N[2][l], N[1][l], N[3][l], N[4][l], N[2][l], N[4][l], N[5][l]};
        double load[3] = {q[0][l], q[1][l], q[2][l]}, gamma[3] = {x[0][l], x[1][l], x[2][l]};
        cairn_block_solver local = {.block = &p->block[g->row[l] / 3],
                                    .coulomb = p->law == CAIRN_LAW_COULOMB,
                                    .N = full,
                                    .scale = run->row_scale[g->row[l]]};
        cairn_block_solve(&local, load, gamma);
        for (int c = 0; c < 3; c++)
            x[c][l] = gamma[c];
    }
}

/* Sliding with any N_ii, in the lanes of which: the slip direction by ROUNDS steps of projected
 * gradients from the old impulse, for each the normal impulse in closed form,
 *
 *     d = (gamma_T - u_T/t)/|.|,  t the largest eigenvalue of T;   gamma = c (1, mu d),   c = -q_N/(n + mu w'd);
 *     associated law: c = -(q_N + mu q_T'd)/(n + 2 mu w'd + mu^2 d'T d)
 *
 * Not the contact's exact answer, but the exact answer is where it stays. *which becomes the
 * lanes in which that made sense. */
CAIRN_INLINE void slide_inexactly(const cairn_contact_kernel_group *g, bool coulomb, const quad *u, const quad *q,
                                  const quad *x, mask *which, quad *answer) {
    const quad *N = g->N, mu = g->mu, none = {0};
    quad half = 0.5 * (N[3] - N[5]), top = half * half + N[4] * N[4];
    root(&top);
    top += 0.5 * (N[3] + N[5]);
    quad z[2] = {x[1] - u[1] / top, x[2] - u[2] / top}, c = none, d[2];
    mask good = *which & (top > none);
    for (int round = 0;; round++) {
        quad square = z[0] * z[0] + z[1] * z[1], length = square;
        root(&length);
        good &= (square > none + LEAST) & (square < none + MOST);
        d[0] = mu * z[0] / length;
        d[1] = mu * z[1] / length;
        quad Td[2] = {N[3] * d[0] + N[4] * d[1], N[4] * d[0] + N[5] * d[1]}, wd = N[1] * d[0] + N[2] * d[1];
        quad load = coulomb ? q[0] : q[0] + (q[1] * d[0] + q[2] * d[1]);
        quad own = coulomb ? N[0] + wd : (N[0] + 2.0 * wd) + (d[0] * Td[0] + d[1] * Td[1]);
        good &= (own > FLAT * N[0]);
        c = -load / own;
        if (round == ROUNDS)
            break;
        z[0] = c * d[0] - (q[1] + c * (N[1] + Td[0])) / top;
        z[1] = c * d[1] - (q[2] + c * (N[2] + Td[1])) / top;
    }
    good &= (c > none);
    const quad found[3] = {c, c * d[0], c * d[1]};
    for (int k = 0; k < 3; k++)
        choose(&good, &found[k], &answer[k]);
    *which = good;
}

/* x: in gamma, out the answers of the contacts' own problems; u their slips. */
CAIRN_INLINE void solve(const cairn_run *run, const cairn_contact_kernel_group *g, bool coulomb, const quad *u,
                        quad *x) {
    const quad *N = g->N, *I = g->inverse, none = {0};
    quad mu = g->mu, slope = coulomb ? none : mu;
    quad q[3] = {u[0] - ((N[0] * x[0] + N[1] * x[1]) + N[2] * x[2]), u[1] - ((N[1] * x[0] + N[3] * x[1]) + N[4] * x[2]),
                 u[2] - ((N[2] * x[0] + N[4] * x[1]) + N[5] * x[2])};
    quad y[3] = {x[0] - ((I[0] * u[0] + I[1] * u[1]) + I[2] * u[2]), x[1] - ((I[1] * u[0] + I[3] * u[1]) + I[4] * u[2]),
                 x[2] - ((I[2] * u[0] + I[4] * u[1]) + I[5] * u[2])};
    quad tangent = q[1] * q[1] + q[2] * q[2];
    mask open = (q[0] >= none) & (q[0] * q[0] >= slope * slope * tangent);
    mask stick = ~open & g->invertible & (y[0] >= none) & (y[1] * y[1] + y[2] * y[2] <= mu * mu * y[0] * y[0]);
    mask left = ~(open | stick);
    quad answer[3] = {none, none, none};
    for (int c = 0; c < 3; c++)
        choose(&stick, &y[c], &answer[c]);
    if (any(&left)) {
        mask slide = left & g->isotropic & (tangent > none + LEAST) & (tangent < none + MOST);
        quad length = tangent;
        root(&length);
        quad normal = (slope * length - q[0]) / (N[0] + slope * slope * N[3]), factor = -mu * normal / length;
        const quad sliding[3] = {normal, factor * q[1], factor * q[2]};
        left &= ~slide;
        mask good = left;
        for (int c = 0; c < 3; c++)
            choose(&slide, &sliding[c], &answer[c]);
        if (any(&left))
            slide_inexactly(g, coulomb, u, q, x, &good, answer);
        left &= ~good;
        for (int c = 0; c < 3; c++) {
            choose(&left, &x[c], &answer[c]);
            x[c] = answer[c];
        }
        if (any(&left))
            solve_in_general(run, g, &left, q, x);
        return;
    }
    for (int c = 0; c < 3; c++)
        x[c] = answer[c];
}

/* Over-relaxation: (1 - omega) gamma + omega x, projected. */
static void relax(const cairn_run *run, const cairn_contact_kernel_group *g, double omega, const quad *gamma, quad *x) {
    for (int l = 0; l < LANES; l++) {
        double z[3];
        if (g->row[l] == run->problem->m)
            continue;
        for (int c = 0; c < 3; c++)
            z[c] = (1.0 - omega) * gamma[c][l] + omega * x[c][l];
        cairn_set_get(CAIRN_SET_CONE)->project(&run->problem->block[g->row[l] / 3], z, z);
        for (int c = 0; c < 3; c++)
            x[c][l] = z[c];
    }
}

/* shared: other threads visit other groups, which have contacts with no second body and lanes
 * without contact too. */
CAIRN_INLINE void visit_groups(const cairn_run *run, const cairn_contact_kernel *packed, double omega, int begin,
                               int end, bool backwards, bool shared, double *gamma, double *change, double *w) {
    bool coulomb = run->problem->law == CAIRN_LAW_COULOMB;
    int no_row = shared ? run->problem->m : -1, no_body = shared ? packed->bodies * BODY : -1;
    for (int k = begin; k < end; k++) {
        int i = backwards ? end - 1 - (k - begin) : k;
        const cairn_contact_kernel_group *g = &packed->group[i];
        quad a[ROWS], b[ROWS], u[3], x[3], old[3];
        prefetch(packed, backwards ? i - AHEAD : i + AHEAD);
        for (int r = 0; r < ROWS; r++) {
            a[r] = gather(w, g->body[0], r);
            b[r] = gather(w, g->body[1], r);
        }
        for (int c = 0; c < 3; c++) {
            x[c] = gather(gamma, g->row, c);
            old[c] = x[c];
            u[c] = g->b[c];
            pull(g->E[0][c], a, &u[c]);
            pull(g->E[1][c], b, &u[c]);
        }
        solve(run, g, coulomb, u, x);
        if (omega != 1.0)
            relax(run, g, omega, old, x);
        for (int c = 0; c < 3; c++) {
            scatter(&x[c], g->row, c, no_row, gamma);
            x[c] -= old[c];
            scatter(&x[c], g->row, c, no_row, change);
        }
        push(g->E[0], x, g->body[0], a, no_body, w);
        push(g->E[1], x, g->body[1], b, no_body, w);
    }
}

CAIRN_CLONES static void visit_all(const cairn_run *run, const cairn_contact_kernel *packed, double omega, int begin,
                                   int end, bool backwards, bool shared, double *gamma, double *change, double *w) {
    if (shared)
        visit_groups(run, packed, omega, begin, end, backwards, true, gamma, change, w);
    else
        visit_groups(run, packed, omega, begin, end, backwards, false, gamma, change, w);
}

void cairn_contact_kernel_visit(const cairn_run *run, const cairn_contact_kernel *packed, double omega, int begin,
                                int end, bool backwards, bool shared, double *gamma, double *change, double *w) {
    visit_all(run, packed, omega, begin, end, backwards, shared, gamma, change, w);
}
