/*
 * fem_steps.h: steps and equilibria of a part alone, with the library's own factorisation.
 */
#ifndef CAIRN_TEST_FEM_STEPS_H
#define CAIRN_TEST_FEM_STEPS_H

#include "linalg/factor/factor.h"
#include "fem_samples.h"

typedef struct stepper {
    cairn_fem_part *part;
    cairn_factor *factor;
    double *H, *k, *v, *residual;
} stepper;

static inline stepper stepper_of(cairn_fem_part *p) {
    stepper s = {
        p, NULL, doubles(p->entries), doubles(3 * p->vectors), doubles(3 * p->vectors), doubles(3 * p->vectors)};
    if (cairn_factor_analyze(p->context, 3 * p->vectors, p->H_start, p->H_row, 0, NULL, true, &s.factor) != CAIRN_OK)
        exit(1);
    return s;
}

static inline void stepper_free(stepper *s) {
    cairn_factor_destroy(s->factor);
    free(s->H);
    free(s->k);
    free(s->v);
    free(s->residual);
}

/* k about the velocities s->v less H s->v: what is out of balance at them, N s. */
static inline double unbalanced(stepper *s, double h) {
    cairn_fem_part *p = s->part;
    int n = 3 * p->vectors;
    cairn_fem_part_aim(p, p->context, h, s->v, s->k);
    times(p, s->H, s->v, s->residual);
    for (int i = 0; i < n; i++)
        s->residual[i] -= s->k[i];
    return norm(n, s->residual);
}

static inline void solve(stepper *s, const double *k) {
    memcpy(s->v, k, 3 * (size_t)s->part->vectors * sizeof *s->v);
    cairn_factor_solve(s->factor, s->v);
}

/* One step with so many passes; returns the last residual's norm (N s). */
static inline double step(stepper *s, double h, cairn_vec3 gravity, int passes) {
    cairn_fem_part *p = s->part;
    int n = 3 * p->vectors;
    double *aim = doubles(n);
    cairn_fem_part_write(p, h, gravity, s->H, s->k);
    cairn_status factorised = cairn_factor_numeric(s->factor, s->H, NULL);
    CHECK(factorised == CAIRN_OK);
    for (int round = 0; factorised == CAIRN_OK && round < passes; round++) {
        solve(s, s->k);
        if (round + 1 == passes)
            break;
        memcpy(aim, s->v, (size_t)n * sizeof *aim);
        cairn_fem_part_aim(p, p->context, h, aim, s->k);
    }
    cairn_fem_part_apply(p, h, passes > 1 ? aim : NULL, s->v);
    double left = unbalanced(s, h);
    memcpy(p->v, s->v, (size_t)n * sizeof *s->v);
    for (int i = 0; i < n; i++)
        p->x[i] += h * p->v[i];
    free(aim);
    return left;
}

/* Equilibrium by Newton's method with some mass: (M/h^2 + K) dx = f + loads, held components at rest. Returns the last move. */
static inline double settle(stepper *s, double h, cairn_vec3 gravity, int rounds) {
    cairn_fem_part *p = s->part;
    int n = 3 * p->vectors;
    double moved = 0.0, *M = doubles(p->entries);
    memset(p->v, 0, (size_t)n * sizeof *p->v);
    cairn_fem_part_write(p, 0.0, gravity, M, s->k);
    for (int round = 0; round < rounds; round++) {
        cairn_fem_part_write(p, 1.0, gravity, s->H, s->k); /* k: forces and loads */
        cairn_fem_part_tangent(p, p->x, s->H);
        for (int j = 0; j < n; j++)
            for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++) {
                int i = p->H_row[e];
                bool held = (p->held[i / 3] >> i % 3 & 1) || (p->held[j / 3] >> j % 3 & 1);
                s->H[e] = (held ? 0.0 : s->H[e]) + M[e] / (h * h);
            }
        CHECK(cairn_factor_numeric(s->factor, s->H, NULL) == CAIRN_OK);
        solve(s, s->k);
        for (int i = 0; i < n; i++)
            p->x[i] += s->v[i];
        moved = norm(n, s->v);
    }
    free(M);
    return moved;
}

/* Holds all vectors of nodes with low <= coordinate axis <= high at rest. */
static inline void hold_region(cairn_fem_part *p, int axis, double low, double high) {
    for (int i = 0; i < p->view.nodes; i++) {
        int first = p->view.vector[i], last = i + 1 < p->view.nodes ? p->view.vector[i + 1] : p->vectors;
        for (int t = first; t < last; t++)
            if (p->rest[3 * first + axis] >= low && p->rest[3 * first + axis] <= high)
                p->held[t] = 7;
    }
}

/* Spreads a force over the nodes of the region by their lumped masses. */
static inline void load_region(cairn_fem_part *p, int axis, double low, double high, cairn_vec3 force) {
    double all = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < p->view.nodes; i++) {
            int t = p->view.vector[i];
            if (p->rest[3 * t + axis] < low || p->rest[3 * t + axis] > high)
                continue;
            if (pass == 0) {
                all += p->lumped[t];
            } else {
                p->load[3 * t] += force.x * p->lumped[t] / all;
                p->load[3 * t + 1] += force.y * p->lumped[t] / all;
                p->load[3 * t + 2] += force.z * p->lumped[t] / all;
            }
        }
}

#endif
