/*
 * packed.c: sweeps over contacts between rigid bodies, near memory bandwidth.
 *
 *     H^-1 = R R' body by body;  w = R'(k + D gamma),  E = R'D:   u_i = E_i'w + b_i,   w += E_i (change of gamma_i)
 *
 * One matrix serves both ways, so a visit reads 36 numbers of E and 15 of its own, one after the other in the order of
 * the visits: 431 bytes with the indices, 36 multiply-adds each way. v = R w is never needed.
 *
 * The contact's own problem, q = u - N_ii gamma [theory 1], by the first that holds:
 *
 *     open       q_N >= 0, associated law: q_N >= mu |q_T|                  gamma = 0
 *     sticking   gamma - N_ii^-1 u lies in the cone                          that
 *     sliding    N_ii = diag(n, t, t), as for spheres:                       gamma_N = -q_N / n, associated law:
 *                                                                            gamma_N = (mu |q_T| - q_N) / (n + mu^2 t);
 *                                                                            gamma_T = -mu gamma_N q_T / |q_T|
 *     else       local_cone.c
 */
#include "packed.h"

#include "local.h"

#include <math.h>
#include <string.h>

#define BODY       CAIRN_PACKED_BODY
#define ROWS       (3 * BODY)
#define LOCAL      15
#define ROUNDING   1e-14 /* N_ii counts as diag(n, t, t) up to this, relative to n */
#define INVERTIBLE 1
#define ISOTROPIC  2

bool cairn_packed_fits(const cairn_problem *p) {
    if (p->local || !p->block_diagonal || p->unsymmetric)
        return false;
    for (int body = 0; body < p->bodies; body++)
        if (p->body_start[body + 1] - p->body_start[body] > BODY)
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

/* ---- making --------------------------------------------------------------------------------------------------- */

/* Lower Cholesky factor of a (size x size, row by row) into R with rows of BODY. */
static bool cholesky(int size, const double *a, double *R) {
    memset(R, 0, BODY * BODY * sizeof *R);
    for (int j = 0; j < size; j++)
        for (int i = j; i < size; i++) {
            double sum = a[i * size + j];
            for (int k = 0; k < j; k++)
                sum -= R[i * BODY + k] * R[j * BODY + k];
            if (i == j && !(sum > 0.0))
                return false;
            R[i * BODY + j] = i == j ? sqrt(sum) : sum / R[j * BODY + j];
        }
    return true;
}

/* y = R'x; x has size entries. */
static void whiten(int size, const double *R, const double *x, double *y) {
    for (int c = 0; c < BODY; c++) {
        y[c] = 0.0;
        for (int r = c; r < size; r++)
            y[c] += R[r * BODY + c] * x[r];
    }
}

/* Own matrix, inverse and kind of one contact. scale: n_i. */
static void fill_local(const double *N, const double *b, double scale, double *local, char *kind) {
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    double even[9], inverse[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            even[3 * r + c] = 0.5 * N[3 * r + c] + 0.5 * N[3 * c + r];
    double n = even[0], minor = n * even[4] - even[1] * even[1];
    double rest = even[5] - even[1] * even[2] / n, corner = even[8] - even[2] * even[2] / n - rest * rest * n / minor;
    bool invertible = n > 0.0 && minor > 1e-12 * n * even[4] && corner > 1e-12 * even[8];
    cairn_local_invert(3, even, scale, inverse);
    memcpy(local, b, 3 * sizeof *b);
    for (int e = 0; e < 6; e++) {
        local[3 + e] = even[upper[e]];
        local[9 + e] = 0.5 * inverse[upper[e]] + 0.5 * inverse[3 * (upper[e] % 3) + upper[e] / 3];
    }
    bool isotropic = n > 0.0 && even[4] > 0.0 && fabs(even[1]) <= ROUNDING * n && fabs(even[2]) <= ROUNDING * n &&
                     fabs(even[5]) <= ROUNDING * n && fabs(even[4] - even[8]) <= ROUNDING * n;
    *kind = (char)((invertible ? INVERTIBLE : 0) | (isotropic ? ISOTROPIC : 0));
}

static void fill_contact(const cairn_run *run, const double *R, int at, cairn_packed *out) {
    const cairn_problem *p = run->problem;
    int i = out->block[at], done = 0;
    int width = p->body.width[i];
    const double *dense = p->body.dense + p->body.dense_start[i];
    for (int t = 0; t < 2; t++) {
        int e = p->body.touch_start[i] + t;
        bool there = e < p->body.touch_start[i + 1];
        out->body[2 * at + t] = there ? BODY * p->body.touch[e] : -1;
        if (!there)
            continue;
        int body = p->body.touch[e], size = p->body_start[body + 1] - p->body_start[body];
        for (int c = 0; c < 3; c++)
            whiten(size, R + (size_t)body * BODY * BODY, dense + c * width + done,
                   out->D + (size_t)at * 2 * ROWS + (size_t)(t * ROWS + c * BODY));
        done += size;
    }
    const int *start;
    const double *diagonal = cairn_operator_diagonal(run->op, &start);
    fill_local(diagonal + start[i], p->b + p->block_start[i], cairn_operator_scale(run->op)[i],
               out->local + (size_t)at * LOCAL, &out->kind[at]);
}

static cairn_status fill(const cairn_run *run, const int *order, double *R, cairn_packed *out) {
    const cairn_problem *p = run->problem;
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first;
        double *own = R + (size_t)body * BODY * BODY;
        if (!cholesky(size, cairn_operator_body_inverse(run->op, body), own))
            return cairn_fail(run->context, CAIRN_ERROR_NUMERICAL,
                              "H is not positive definite: the block of rows %d to %d", first, first + size - 1);
        whiten(size, own, p->k + first, out->free + (size_t)body * BODY);
    }
    for (int at = 0; at < p->blocks; at++) {
        out->block[at] = order[at];
        fill_contact(run, R, at, out);
    }
    return CAIRN_OK;
}

cairn_status cairn_packed_create(const cairn_run *run, const int *order, cairn_packed *out) {
    cairn_context *context = run->context;
    size_t blocks = (size_t)run->problem->blocks, bodies = (size_t)run->problem->bodies;
    cairn_packed packed = {.count = run->problem->blocks};
    packed.block = cairn_alloc(context, blocks, sizeof *packed.block);
    packed.body = cairn_alloc(context, 2 * blocks, sizeof *packed.body);
    packed.D = cairn_alloc(context, 2 * ROWS * blocks, sizeof *packed.D);
    packed.local = cairn_alloc(context, LOCAL * blocks, sizeof *packed.local);
    packed.kind = cairn_alloc(context, blocks, sizeof *packed.kind);
    packed.free = cairn_alloc(context, BODY * bodies, sizeof *packed.free);
    double *R = cairn_alloc(context, BODY * BODY * bodies, sizeof *R);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (packed.block != NULL && packed.body != NULL && packed.D != NULL && packed.local != NULL &&
        packed.kind != NULL && packed.free != NULL && R != NULL)
        status = fill(run, order, R, &packed);
    cairn_free(context, R);
    if (status == CAIRN_OK)
        *out = packed;
    else
        cairn_packed_free(context, &packed);
    return status;
}

void cairn_packed_free(cairn_context *context, cairn_packed *packed) {
    cairn_free(context, packed->block);
    cairn_free(context, packed->body);
    cairn_free(context, packed->D);
    cairn_free(context, packed->local);
    cairn_free(context, packed->kind);
    cairn_free(context, packed->free);
    *packed = (cairn_packed){0};
}

/* ---- visiting --------------------------------------------------------------------------------------------------- */

/* w += E x over one body. */
static inline void push(const double *E, const double x[3], double *w) {
    for (int r = 0; r < BODY; r++)
        w[r] += (E[r] * x[0] + E[BODY + r] * x[1]) + E[2 * BODY + r] * x[2];
}

/* u += E'w over one body. */
static inline void pull(const double *E, const double *w, double u[3]) {
    for (int c = 0; c < 3; c++, E += BODY)
        u[c] += ((E[0] * w[0] + E[1] * w[1]) + (E[2] * w[2] + E[3] * w[3])) + (E[4] * w[4] + E[5] * w[5]);
}

void cairn_packed_refresh(const cairn_packed *packed, const cairn_problem *p, const double *gamma, double *w) {
    memcpy(w, packed->free, (size_t)p->bodies * BODY * sizeof *w);
    const double *E = packed->D;
    for (int at = 0; at < packed->count; at++, E += 2 * ROWS) {
        const double *x = gamma + p->block_start[packed->block[at]];
        for (int t = 0; t < 2; t++)
            if (packed->body[2 * at + t] >= 0)
                push(E + t * ROWS, x, w + packed->body[2 * at + t]);
    }
}

static void solve_in_general(const cairn_run *run, int block, const double *own, const double q[3], double x[3]) {
    const cairn_problem *p = run->problem;
    const double *N = own + 3;
    double full[9] = {N[0], N[1], N[2], N[1], N[3], N[4], N[2], N[4], N[5]};
    cairn_local local = {.block = &p->block[block],
                         .coulomb = p->law == CAIRN_LAW_COULOMB,
                         .N = full,
                         .scale = run->row_scale[p->block_start[block]]};
    cairn_local_solve(&local, q, x);
}

/* x: in gamma, out the answer of the contact's own problem; u its slip. */
static inline void solve(const cairn_run *run, int block, const double *own, int kind, const double u[3], double x[3]) {
    const double *N = own + 3, *I = own + 9;
    double mu = run->problem->block[block].mu, slope = run->problem->law == CAIRN_LAW_COULOMB ? 0.0 : mu;
    double q[3] = {u[0] - ((N[0] * x[0] + N[1] * x[1]) + N[2] * x[2]),
                   u[1] - ((N[1] * x[0] + N[3] * x[1]) + N[4] * x[2]),
                   u[2] - ((N[2] * x[0] + N[4] * x[1]) + N[5] * x[2])};
    double tangent = q[1] * q[1] + q[2] * q[2];
    if (q[0] >= 0.0 && q[0] * q[0] >= slope * slope * tangent) {
        x[0] = x[1] = x[2] = 0.0;
        return;
    }
    if (kind & INVERTIBLE) {
        double y[3] = {x[0] - ((I[0] * u[0] + I[1] * u[1]) + I[2] * u[2]),
                       x[1] - ((I[1] * u[0] + I[3] * u[1]) + I[4] * u[2]),
                       x[2] - ((I[2] * u[0] + I[4] * u[1]) + I[5] * u[2])};
        if (y[0] >= 0.0 && y[1] * y[1] + y[2] * y[2] <= mu * mu * y[0] * y[0]) {
            memcpy(x, y, sizeof y);
            return;
        }
    }
    double length = sqrt(tangent);
    if ((kind & ISOTROPIC) && tangent > 1e-280 && tangent < 1e280) {
        x[0] = (slope * length - q[0]) / (N[0] + slope * slope * N[3]);
        double factor = -mu * x[0] / length;
        x[1] = factor * q[1];
        x[2] = factor * q[2];
        return;
    }
    solve_in_general(run, block, own, q, x);
}

CAIRN_CLONES static void visit_all(const cairn_run *run, const cairn_packed *packed, double omega, int begin, int end,
                                   bool backwards, double *gamma, double *change, double *w) {
    const cairn_problem *p = run->problem;
    for (int k = begin; k < end; k++) {
        int at = backwards ? end - 1 - (k - begin) : k, block = packed->block[at], row = p->block_start[block];
        const double *E = packed->D + (size_t)at * 2 * ROWS, *own = packed->local + (size_t)at * LOCAL;
        const int *body = packed->body + 2 * at;
        double u[3] = {own[0], own[1], own[2]}, x[3] = {gamma[row], gamma[row + 1], gamma[row + 2]};
        for (int t = 0; t < 2; t++)
            if (body[t] >= 0)
                pull(E + t * ROWS, w + body[t], u);
        solve(run, block, own, packed->kind[at], u, x);
        if (omega != 1.0) {
            for (int c = 0; c < 3; c++)
                x[c] = (1.0 - omega) * gamma[row + c] + omega * x[c];
            cairn_set_get(CAIRN_SET_CONE)->project(&p->block[block], x, x);
        }
        for (int c = 0; c < 3; c++) {
            change[row + c] = x[c] - gamma[row + c];
            gamma[row + c] = x[c];
        }
        for (int t = 0; t < 2; t++)
            if (body[t] >= 0)
                push(E + t * ROWS, change + row, w + body[t]);
    }
}

void cairn_packed_visit(const cairn_run *run, const cairn_packed *packed, double omega, int begin, int end,
                        bool backwards, double *gamma, double *change, double *w) {
    visit_all(run, packed, omega, begin, end, backwards, gamma, change, w);
}
