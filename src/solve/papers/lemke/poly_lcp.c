/*
 * poly_lcp.c: the LCP of Stewart, Trinkle, Anitescu and Potra [theory 6], as a matrix that gives
 * its rows on request.
 *
 *     0 <= gamma_N  _|_  u_N - theta mu lambda
 *         theta = 0: exact law, 1: associated law, the convex relaxation of [A]
 *     0 <= beta_j   _|_  d_j'u_T + lambda           gamma_T = sum beta_j d_j
 *     0 <= lambda   _|_  mu gamma_N - sum beta_j    u = N gamma + r^
 *     0 <= gamma    _|_  u                          unilateral rows, and contacts with mu = 0
 *     gamma free, u = 0                             bilateral rows: eliminated
 *
 * Scaled by s = n_i^(-1/2): A = s N s, impulses gamma/s, velocities s u, divided by `unit` so that
 * the largest entry of q is 1. The bilateral rows are eliminated from A once, largest diagonal
 * first; rows whose rest is below REDUNDANT depend on others and keep gamma = 0. Compliance is part
 * of N. A has m x m numbers.
 *
 * Contacts are mostly redundant, N singular, and pivots that should be 0 are rounding. So the rows
 * given to the pivoting are those of A + soft I, a compliance of soft times the block scale;
 * velocities, and with them every residual, are the true ones.
 */
#include "solve/papers/lemke/poly_lcp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define PI        3.14159265358979323846
#define REDUNDANT 1e-11
#define JOINTS    2 /* corrections of the bilateral impulses */

static bool plane_or_smooth(const cairn_block *block) {
    return block->set == CAIRN_SET_CONE && (block->dim == 2 || block->mu == 0.0);
}

const char *cairn_poly_lcp_refuses(const cairn_problem *p, const cairn_settings *settings) {
    (void)settings;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        if (block->set == CAIRN_SET_CONE && !plane_or_smooth(block))
            return "its friction cones are round; --cone poly:N (cairn_problem_set_cone) makes them polyhedral";
        if (block->set != CAIRN_SET_BILATERAL && block->set != CAIRN_SET_NONNEGATIVE && !cairn_is_contact(block->set))
            return "it has sets other than polyhedral cones, unilateral and bilateral rows";
    }
    return NULL;
}

/* Directions of a contact; a round cone in the plane has two. */
static int directions_of(const cairn_block *block) {
    return block->set == CAIRN_SET_POLY_CONE ? block->directions : block->dim == 2 ? 2 : 0;
}

int64_t cairn_poly_lcp_rows(const cairn_problem *p) {
    int64_t rows = 0;
    for (int i = 0; i < p->blocks; i++) {
        int directions = directions_of(&p->block[i]);
        if (cairn_is_contact(p->block[i].set))
            rows += directions > 0 ? directions + 2 : 1;
        else if (p->block[i].set == CAIRN_SET_NONNEGATIVE)
            rows += p->block[i].dim;
    }
    return rows;
}

void cairn_poly_lcp_layout(cairn_poly_lcp *w, cairn_arena *arena, const cairn_problem *p) {
    size_t m = (size_t)p->m, n = (size_t)cairn_poly_lcp_rows(p);
    w->m = p->m;
    w->A = cairn_arena_take(arena, m * m, sizeof(double));
    w->pivot = cairn_arena_take(arena, m, sizeof(int));
    w->rank = cairn_arena_take(arena, m, sizeof(int));
    w->s = cairn_arena_take(arena, m, sizeof(double));
    w->u = cairn_arena_take(arena, m, sizeof(double));
    w->v = cairn_arena_take(arena, (size_t)p->n, sizeof(double));
    w->entry = cairn_arena_take(arena, n, sizeof *w->entry);
    w->q = cairn_arena_take(arena, n, sizeof(double));
}

static double *row_of(const cairn_poly_lcp *w, int i) {
    return w->A + (size_t)i * (size_t)w->m;
}

/* Eliminates the bilateral rows from A. pivot: those left at its end are not yet chosen. */
static void eliminate(cairn_poly_lcp *w, int joints) {
    for (int i = 0; i < w->m; i++)
        w->rank[i] = INT_MAX;
    for (w->pivots = 0; w->pivots < joints; w->pivots++) {
        int best = w->pivots;
        for (int t = w->pivots + 1; t < joints; t++)
            if (row_of(w, w->pivot[t])[w->pivot[t]] > row_of(w, w->pivot[best])[w->pivot[best]])
                best = t;
        int p = w->pivot[best];
        w->pivot[best] = w->pivot[w->pivots];
        w->pivot[w->pivots] = p;
        const double *top = row_of(w, p);
        if (!(top[p] > REDUNDANT))
            return;
        w->rank[p] = w->pivots;
        for (int i = 0; i < w->m; i++) {
            double *a = row_of(w, i), f = a[p] / top[p];
            if (w->rank[i] != INT_MAX || f == 0.0)
                continue;
            for (int k = 0; k < w->m; k++)
                a[k] -= w->rank[k] == INT_MAX ? f * top[k] : 0.0;
            a[p] = f;
        }
    }
}

void cairn_poly_lcp_prepare(cairn_run *run, cairn_poly_lcp *w) {
    const cairn_problem *p = run->problem;
    int joints = 0;
    for (int j = 0; j < w->m; j++)
        w->s[j] = 1.0 / sqrt(run->row_scale[j]);
    double *column = w->u;
    for (int j = 0; j < w->m; j++) {
        memset(run->work, 0, (size_t)w->m * sizeof *run->work);
        run->work[j] = w->s[j];
        cairn_operator_product(run->op, run->work, column);
        for (int i = 0; i < w->m; i++)
            row_of(w, i)[j] = w->s[i] * column[i];
    }
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; p->block[i].set == CAIRN_SET_BILATERAL && j < p->block_start[i + 1]; j++)
            w->pivot[joints++] = j;
    eliminate(w, joints);
}

/* x (m), scaled velocities, reduced: row i loses what the bilateral rows, brought to 0, take
 * from it. */
static void forward(const cairn_poly_lcp *w, double *x) {
    for (int t = 0; t < w->pivots; t++) {
        int p = w->pivot[t];
        for (int i = 0; i < w->m; i++)
            if (w->rank[i] > t)
                x[i] -= row_of(w, i)[p] * x[p];
    }
}

/* u (m) = scaled velocities of gamma, not reduced. */
static void velocities(cairn_run *run, cairn_poly_lcp *w, const double *gamma) {
    cairn_operator_velocity(run->op, gamma, w->v);
    cairn_operator_slip(run->op, w->v, gamma, w->u);
    for (int j = 0; j < w->m; j++)
        w->u[j] *= w->s[j] / w->unit;
}

/* The rows of one contact. */
static void add_contact(cairn_poly_lcp *w, const cairn_block *block, int row) {
    int directions = directions_of(block);
    if (block->mu == 0.0) {
        w->entry[w->n++] = (cairn_lcp_entry){.kind = CAIRN_LCP_UNILATERAL, .row = row};
        return;
    }
    cairn_lcp_entry entry = {
        .kind = CAIRN_LCP_NORMAL, .row = row, .first = w->n, .directions = directions, .mu = block->mu};
    w->entry[w->n++] = entry;
    entry.kind = CAIRN_LCP_DIRECTION;
    for (int j = 0; j < directions; j++) {
        entry.x = block->dim == 2 ? (j == 0 ? 1.0 : -1.0) : cos(2.0 * PI * j / directions);
        entry.y = block->dim == 2 ? 0.0 : sin(2.0 * PI * j / directions);
        w->entry[w->n++] = entry;
    }
    entry.kind = CAIRN_LCP_LIMIT;
    w->entry[w->n++] = entry;
}

/* slack = M z + q from the reduced velocities u; z NULL: 0. */
static void fill_slack(const cairn_poly_lcp *w, const double *z, double *slack) {
    for (int i = 0; i < w->n; i++) {
        const cairn_lcp_entry *e = &w->entry[i];
        double lambda = z != NULL && e->kind != CAIRN_LCP_UNILATERAL ? z[e->first + e->directions + 1] : 0.0;
        switch (e->kind) {
        case CAIRN_LCP_UNILATERAL:
            slack[i] = w->u[e->row];
            break;
        case CAIRN_LCP_NORMAL:
            slack[i] = w->u[e->row] - (w->associated ? e->mu * lambda : 0.0);
            break;
        case CAIRN_LCP_DIRECTION:
            slack[i] = e->x * w->u[e->row + 1] + (e->y != 0.0 ? e->y * w->u[e->row + 2] : 0.0) + lambda;
            break;
        case CAIRN_LCP_LIMIT:
            slack[i] = z != NULL ? e->mu * z[e->first] : 0.0;
            for (int j = 1; z != NULL && j <= e->directions; j++)
                slack[i] -= z[e->first + j];
            break;
        }
    }
}

bool cairn_poly_lcp_begin(cairn_run *run, cairn_poly_lcp *w) {
    const cairn_problem *p = run->problem;
    double largest = 0.0;
    w->n = 0;
    w->associated = p->law == CAIRN_LAW_ASSOCIATED;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        if (block->set == CAIRN_SET_CONE && !plane_or_smooth(block))
            return false;
        if (cairn_is_contact(block->set))
            add_contact(w, block, p->block_start[i]);
        for (int j = p->block_start[i]; block->set == CAIRN_SET_NONNEGATIVE && j < p->block_start[i + 1]; j++)
            w->entry[w->n++] = (cairn_lcp_entry){.kind = CAIRN_LCP_UNILATERAL, .row = j};
    }
    for (int j = 0; j < w->m; j++)
        w->u[j] = w->s[j] * run->free_slip[j];
    forward(w, w->u);
    fill_slack(w, NULL, w->q);
    for (int i = 0; i < w->n; i++)
        largest = fmax(largest, fabs(w->q[i]));
    w->unit = largest > 0.0 && isfinite(largest) ? largest : 1.0;
    for (int i = 0; i < w->n; i++)
        w->q[i] /= w->unit;
    return true;
}

/* Row of A, reduced, that the entry's velocity is made of, at column k of the problem. */
static inline double velocity_entry(const cairn_lcp_entry *e, const double *a, const double *b, int k) {
    return e->kind == CAIRN_LCP_DIRECTION ? e->x * a[k] + (e->y != 0.0 ? e->y * b[k] : 0.0) : a[k];
}

/* A + soft I: what the entries of one contact see of it. */
static void soften(const cairn_poly_lcp *w, int i, double *out) {
    const cairn_lcp_entry *e = &w->entry[i];
    if (e->kind == CAIRN_LCP_UNILATERAL || e->kind == CAIRN_LCP_NORMAL)
        out[i] += w->soft;
    for (int j = 1; j <= e->directions && e->kind == CAIRN_LCP_DIRECTION; j++) {
        const cairn_lcp_entry *f = &w->entry[e->first + j];
        out[e->first + j] += w->soft * (e->x * f->x + e->y * f->y);
    }
}

void cairn_poly_lcp_row(const void *user, int i, double *out) {
    const cairn_poly_lcp *w = user;
    const cairn_lcp_entry *e = &w->entry[i];
    bool tangent = e->kind == CAIRN_LCP_DIRECTION;
    const double *a = row_of(w, e->row + (tangent ? 1 : 0)), *b = tangent && e->y != 0.0 ? row_of(w, e->row + 2) : a;
    for (int k = 0; k < w->n; k++) {
        const cairn_lcp_entry *f = &w->entry[k];
        if (e->kind == CAIRN_LCP_LIMIT || f->kind == CAIRN_LCP_LIMIT) {
            out[k] = 0.0;
        } else if (f->kind == CAIRN_LCP_DIRECTION) {
            out[k] = f->x * velocity_entry(e, a, b, f->row + 1);
            if (f->y != 0.0)
                out[k] += f->y * velocity_entry(e, a, b, f->row + 2);
        } else {
            out[k] = velocity_entry(e, a, b, f->row);
        }
    }
    soften(w, i, out);
    int limit = e->first + e->directions + 1;
    if (e->kind == CAIRN_LCP_NORMAL && w->associated)
        out[limit] = -e->mu;
    if (tangent)
        out[limit] = 1.0;
    if (e->kind == CAIRN_LCP_LIMIT) {
        out[e->first] = e->mu;
        for (int j = 1; j <= e->directions; j++)
            out[e->first + j] = -1.0;
    }
}

/* Corrects the bilateral impulses so that their rows have u = 0. */
static void settle_joints(cairn_run *run, cairn_poly_lcp *w, double *gamma) {
    velocities(run, w, gamma);
    forward(w, w->u);
    for (int t = w->pivots - 1; t >= 0; t--) {
        int p = w->pivot[t];
        double sum = -w->u[p];
        for (int later = t + 1; later < w->pivots; later++)
            sum -= row_of(w, p)[w->pivot[later]] * w->u[w->pivot[later]];
        w->u[p] = sum / row_of(w, p)[p]; /* the change of the impulse */
    }
    for (int t = 0; t < w->pivots; t++)
        gamma[w->pivot[t]] += w->unit * w->s[w->pivot[t]] * w->u[w->pivot[t]];
}

void cairn_poly_lcp_impulses(cairn_run *run, cairn_poly_lcp *w, const double *z, double *gamma) {
    memset(gamma, 0, (size_t)w->m * sizeof *gamma);
    for (int i = 0; i < w->n; i++) {
        const cairn_lcp_entry *e = &w->entry[i];
        double value = w->unit * w->s[e->row] * z[i];
        if (e->kind == CAIRN_LCP_UNILATERAL || e->kind == CAIRN_LCP_NORMAL)
            gamma[e->row] = value;
        if (e->kind == CAIRN_LCP_DIRECTION) {
            gamma[e->row + 1] += e->x * value;
            if (e->y != 0.0)
                gamma[e->row + 2] += e->y * value;
        }
    }
    for (int step = 0; step < JOINTS && w->pivots > 0; step++)
        settle_joints(run, w, gamma);
}

void cairn_poly_lcp_slack(cairn_run *run, cairn_poly_lcp *w, const double *z, const double *gamma, double *slack) {
    velocities(run, w, gamma);
    forward(w, w->u);
    fill_slack(w, z, slack);
}
