/*
 * fem_steps.h: steps and equilibria of a part alone, with the library's own factorisation.
 */
#ifndef CAIRN_TEST_FEM_STEPS_H
#define CAIRN_TEST_FEM_STEPS_H

#include "../src/linalg/factor.h"
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

/* One implicit step with so many solves; returns the last residual's norm (N s). */
static inline double step(stepper *s, double h, cairn_vec3 gravity, int solves) {
    cairn_fem_part *p = s->part;
    int n = 3 * p->vectors;
    for (int round = 0; round < solves; round++) {
        cairn_fem_part_write(p, h, gravity, round == 0 ? NULL : s->v, s->H, s->k);
        cairn_status factorised = cairn_factor_numeric(s->factor, s->H, NULL);
        CHECK(factorised == CAIRN_OK);
        if (factorised != CAIRN_OK)
            return INFINITY;
        memcpy(s->v, s->k, (size_t)n * sizeof *s->v);
        cairn_factor_solve(s->factor, s->v);
    }
    cairn_fem_part_residual(p, h, gravity, s->v, s->residual);
    double left = norm(n, s->residual);
    memcpy(p->v, s->v, (size_t)n * sizeof *s->v);
    for (int i = 0; i < n; i++)
        p->x[i] += h * p->v[i];
    return left;
}

/* Equilibrium by steps that forget their velocity: (M/h^2 + K) dx = f + loads. h large: Newton. Returns the last move. */
static inline double settle(stepper *s, double h, cairn_vec3 gravity, int rounds) {
    cairn_fem_part *p = s->part;
    double moved = 0.0;
    for (int round = 0; round < rounds; round++) {
        memset(p->v, 0, 3 * (size_t)p->vectors * sizeof *p->v);
        step(s, h, gravity, 1);
        moved = h * norm(3 * p->vectors, p->v);
    }
    memset(p->v, 0, 3 * (size_t)p->vectors * sizeof *p->v);
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
