/*
 * plastic_guess.c: the guess for a part that can flow and that nothing touches.
 *
 * Its stresses are known with its velocities: u = D'v + c gamma + b = -p and p in N(gamma) say gamma = P(z), z = -(D'v + b)/c, P the projection on the ball of each element, c = C of its rows.
 * What is left is H v = k + D gamma(v), the slope of a convex function of v, for Newton's method with the derivative of the projection
 *
 *     (H + D c^-1 P' D') v+ = k + D (gamma(v) + c^-1 P' D'v),    P' = 1 inside of the ball, (rho/|z|) (1 - z z'/|z|^2) outside
 *
 * and matrices of H's pattern. The first is that of a part that does not flow. The answer that comes closest is the guess.
 */
#include "linalg/factor/factor.h"
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

enum { MOST = 8, DIM = CAIRN_FEM_YIELD_ROWS, ENTRIES = 12 }; /* matrices; rows of a block; most entries of a row of D */
#define CLOSE 0.02                                           /* of the velocity tolerance: what may be left */

/* A block's stress at velocities v, and the derivative of its projection, share (1 - line line'). */
typedef struct block_stress {
    double gamma[DIM], slope[DIM]; /* P(z); P'D'v */
    double line[DIM], share;       /* of length 1, or 0 within the ball */
} block_stress;

static double row_of(const cairn_builder *s, int r, const double *v) {
    double sum = 0.0;
    for (int p = s->D_start[r]; p < s->D_start[r + 1]; p++)
        sum += s->D_value[p] * v[s->D_row[p]];
    return sum;
}

static block_stress stress_of(const cairn_builder *s, int first, double radius, const double *v) {
    block_stress x = {.share = 1.0};
    double square = 0.0, along = 0.0, size;
    for (int i = 0; i < DIM; i++) {
        x.slope[i] = row_of(s, first + i, v);
        x.gamma[i] = -(x.slope[i] + s->b[first + i]) / s->C[first + i];
        square += x.gamma[i] * x.gamma[i];
    }
    size = sqrt(square);
    if (!(size > radius))
        return x;
    x.share = radius / size;
    for (int i = 0; i < DIM; i++) {
        x.line[i] = x.gamma[i] / size;
        x.gamma[i] *= x.share;
        along += x.line[i] * x.slope[i];
    }
    for (int i = 0; i < DIM; i++)
        x.slope[i] = x.share * (x.slope[i] - along * x.line[i]);
    return x;
}

/* A (the pattern of H) += a d d', d given at the rows of column r of D. */
static void add_square(const cairn_builder *s, int r, const double *d, double a, double *A) {
    int first = s->D_start[r], count = s->D_start[r + 1] - first;
    for (int p = 0; p < count; p++) {
        int at = s->H_start[s->D_row[first + p]];
        for (int q = 0; q < count; q++) { /* rows rise in both */
            while (s->H_row[at] < s->D_row[first + q])
                at++;
            A[at] += a * d[p] * d[q];
        }
    }
}

/* A and the right side of the next velocities, about v; flows: else as if nothing could. */
static void write_about(const cairn_builder *s, const double *v, bool flows, double *A, double *rhs) {
    memcpy(A, s->H_value, (size_t)s->H_start[s->n] * sizeof *A);
    memcpy(rhs, s->k, (size_t)s->n * sizeof *rhs);
    for (int k = 0, r = 0; k < s->blocks; r += DIM, k++) {
        block_stress x = stress_of(s, r, flows ? s->block[k].radius : INFINITY, v);
        double d[ENTRIES] = {0};
        for (int i = r; i < r + DIM; i++) {
            add_square(s, i, s->D_value + s->D_start[i], x.share / s->C[i], A);
            for (int p = s->D_start[i]; p < s->D_start[i + 1]; p++) {
                rhs[s->D_row[p]] += s->D_value[p] * (x.gamma[i - r] + x.slope[i - r] / s->C[i]);
                d[p - s->D_start[i]] += s->D_value[p] * x.line[i - r];
            }
        }
        if (x.share < 1.0)
            add_square(s, r, d, -x.share / s->C[r], A);
    }
}

/* gamma(v), and the largest of |H v - k - D gamma| over the diagonal of H. left: n, room. */
static double stresses(const cairn_builder *s, const double *v, double *gamma, double *left) {
    double most = 0.0;
    for (int j = 0; j < s->n; j++)
        left[j] = -s->k[j];
    for (int j = 0; j < s->n; j++)
        for (int e = s->H_start[j]; e < s->H_start[j + 1]; e++)
            left[s->H_row[e]] += s->H_value[e] * v[j];
    for (int k = 0, r = 0; k < s->blocks; r += DIM, k++) {
        block_stress x = stress_of(s, r, s->block[k].radius, v);
        memcpy(gamma + r, x.gamma, sizeof x.gamma);
        for (int i = r; i < r + DIM; i++)
            for (int p = s->D_start[i]; p < s->D_start[i + 1]; p++)
                left[s->D_row[p]] -= s->D_value[p] * x.gamma[i - r];
    }
    for (int j = 0; j < s->n; j++)
        for (int e = s->H_start[j]; e < s->H_start[j + 1]; e++)
            if (s->H_row[e] == j)
                most = fmax(most, fabs(left[j]) / s->H_value[e]);
    return most;
}

/* v of a part that does not flow, about its own answer: strains of a prediction that is far off would flow away. */
static cairn_status elastic(const cairn_world *w, cairn_lane *lane, cairn_factor *factor, cairn_island *island,
                            cairn_builder *s, int passes, double *A, double *v, double *rhs) {
    write_about(s, v, false, A, rhs);
    cairn_status status = cairn_factor_numeric(factor, A, NULL);
    island->trials += status == CAIRN_OK;
    for (int t = 0; status == CAIRN_OK; t++) {
        cairn_factor_solve(factor, rhs);
        memcpy(v, rhs, (size_t)s->n * sizeof *v);
        if (t == passes)
            break;
        status = cairn_island_aim(w, lane, island, s, v);
        write_about(s, v, false, A, rhs);
    }
    return status;
}

/* Newton's method; the best answer goes to s->v and s->guess. room: 3 n + m. */
static cairn_status iterate(const cairn_world *w, cairn_lane *lane, cairn_factor *factor, cairn_island *island,
                            cairn_builder *s, int passes, double *A, double *room) {
    double *v = room, *rhs = v + s->n, *left = rhs + s->n, *gamma = left + s->n, best = INFINITY;
    cairn_status status = elastic(w, lane, factor, island, s, passes, A, v, rhs);
    for (int t = 1; status == CAIRN_OK; t++) {
        double now = stresses(s, v, gamma, left);
        if (now < best) {
            best = now;
            memcpy(s->v, v, (size_t)s->n * sizeof *v);
            memcpy(s->guess, gamma, (size_t)s->m * sizeof *gamma);
        }
        if (t == MOST || best <= CLOSE * w->def.tolerance_velocity)
            break;
        write_about(s, v, true, A, rhs);
        status = cairn_factor_numeric(factor, A, NULL);
        if (status != CAIRN_OK)
            break;
        island->trials++;
        cairn_factor_solve(factor, rhs);
        memcpy(v, rhs, (size_t)s->n * sizeof *v);
    }
    return status;
}

cairn_status cairn_island_try_flow(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                                   int passes) {
    if (island->bodies != 1 || s->m == 0 || s->m != cairn_slot_own_rows(w, island->body[0]))
        return CAIRN_OK;
    size_t entries = (size_t)s->H_start[s->n], room = 3 * (size_t)s->n + (size_t)s->m;
    double *A = cairn_alloc(lane->context, entries + room, sizeof *A);
    cairn_factor *factor = NULL;
    if (A == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_factor_analyze(lane->context, s->n, s->H_start, s->H_row, 0, NULL, true, &factor);
    if (status == CAIRN_OK)
        status = iterate(w, lane, factor, island, s, passes, A, A + entries);
    cairn_factor_destroy(factor);
    cairn_free(lane->context, A);
    return status == CAIRN_ERROR_MEMORY ? status : CAIRN_OK; /* else the guess is what it was */
}
