/*
 * candidate_map.c: the natural map of [theory 1] with the solver's own projections, for candidates
 * on their way to the judge.
 *
 *     |gamma - P(gamma - u~/n)| / max(|r^|, |gamma|, |u|)
 *         u~ = u + Phi(u), norms with the weights n_i (impulses), 1/n_i (slips)
 *
 * Sums go over eight lanes, then over the lanes: the same bits on every processor.
 */
#include "solve/driver/method.h"

#include <math.h>
#include <string.h>

#define LANES 8

double cairn_tangent(int dim, const double *x) {
    if (dim == 2)
        return fabs(x[1]);
    double square = x[1] * x[1] + x[2] * x[2];
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x[1], x[2]);
}

void cairn_run_phi(const cairn_run *run, const double *u, double *phi) {
    const cairn_problem *p = run->problem;
    for (int r = 0; r < run->run_count; r++) {
        const cairn_set_run *set = &run->runs[r];
        int dim = set->dim, rows = set->count * dim;
        double *to = phi + set->row;
        const double *from = u + set->row;
        if (p->law != CAIRN_LAW_COULOMB || !cairn_is_contact(set->set)) {
            memset(to, 0, (size_t)rows * sizeof *to);
            continue;
        }
        for (int i = 0; i < set->count; i++, from += dim, to += dim) {
            double square = dim == 3 ? from[1] * from[1] + from[2] * from[2] : 0.0;
            bool safe = square > 1e-280 && square < 1e280;
            const cairn_block *block = &p->block[set->first + i];
            if (set->set == CAIRN_SET_POLY_CONE)
                to[0] = block->mu * cairn_poly_speed(block, from);
            else
                to[0] = block->mu * (safe ? sqrt(square) : cairn_tangent(dim, from));
            to[1] = to[dim - 1] = 0.0; /* contacts have 2 or 3 rows */
        }
    }
}

/* x <- gamma - (u + x)/n. */
CAIRN_CLONES static void step_back(int m, const double *restrict n, const double *restrict gamma,
                                   const double *restrict u, double *restrict x) {
    for (int j = 0; j < m; j++)
        x[j] = gamma[j] - (u[j] + x[j]) / n[j];
}

typedef struct map_sums {
    double error[LANES], impulse[LANES], slip[LANES], load[LANES];
} map_sums;

/* Squares of gamma - x, gamma, u and r, each with its weights. */
CAIRN_CLONES static void add_squares(int m, const double *restrict n, const double *restrict gamma,
                                     const double *restrict x, const double *restrict u, const double *restrict r,
                                     map_sums *restrict sum) {
    for (int j = 0; j < m; j += LANES) {
        if (j + LANES <= m) {
            for (int l = 0; l < LANES; l++) {
                double weight = n[j + l], under = 1.0 / weight, d = gamma[j + l] - x[j + l];
                sum->error[l] += weight * d * d;
                sum->impulse[l] += weight * gamma[j + l] * gamma[j + l];
                sum->slip[l] += u[j + l] * u[j + l] * under;
                sum->load[l] += r[j + l] * r[j + l] * under;
            }
            continue;
        }
        for (int l = 0; j + l < m; l++) {
            double weight = n[j + l], under = 1.0 / weight, d = gamma[j + l] - x[j + l];
            sum->error[l] += weight * d * d;
            sum->impulse[l] += weight * gamma[j + l] * gamma[j + l];
            sum->slip[l] += u[j + l] * u[j + l] * under;
            sum->load[l] += r[j + l] * r[j + l] * under;
        }
    }
}

static double total(const double *lanes) {
    double sum = 0.0;
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

double cairn_run_map(const cairn_run *run, const double *gamma, const double *u, double *velocity) {
    int m = run->problem->m;
    double *x = run->work;
    map_sums sums = {0};
    cairn_run_phi(run, u, x);
    step_back(m, run->row_scale, gamma, u, x);
    cairn_run_project(run, false, x, x);
    add_squares(m, run->row_scale, gamma, x, u, run->free_slip, &sums);
    double error = total(sums.error), load = total(sums.load);
    if (error <= run->rounding)
        error = 0.0;
    double size = fmax(total(sums.impulse), fmax(total(sums.slip), load));
    if (velocity != NULL)
        *velocity = error == 0.0 ? 0.0 : sqrt(error / load);
    return error == 0.0 ? 0.0 : sqrt(error / size);
}

double cairn_run_touch_map(const cairn_run *run, const double *gamma, const double *u) {
    const cairn_problem *p = run->problem;
    double error = 0.0, impulse = 0.0, slip = 0.0, load = 0.0;
    cairn_run_map(run, gamma, u, NULL);
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1] && p->block[i].set != CAIRN_SET_BILATERAL; j++) {
            double n = run->row_scale[j], d = gamma[j] - run->work[j];
            error += n * d * d;
            impulse += n * gamma[j] * gamma[j];
            slip += u[j] * u[j] / n;
            load += run->free_slip[j] * run->free_slip[j] / n;
        }
    return error <= run->rounding ? 0.0 : sqrt(error / fmax(impulse, fmax(slip, load)));
}

double cairn_run_worst_velocity(const cairn_run *run, const double *gamma) {
    const cairn_problem *p = run->problem;
    double worst = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        double square = 0.0;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            double d = run->row_scale[j] * (gamma[j] - run->work[j]);
            square += d * d;
        }
        worst = fmax(worst, square);
    }
    return sqrt(worst);
}

double cairn_run_map_plain(const cairn_run *run, const double *gamma, const double *u) {
    int m = run->problem->m;
    double *x = run->work, error = 0.0, impulse = 0.0, slip = 0.0, load = 0.0;
    cairn_run_phi(run, u, x);
    for (int j = 0; j < m; j++)
        x[j] = gamma[j] - (u[j] + x[j]);
    cairn_run_project(run, false, x, x);
    for (int j = 0; j < m; j++) {
        error += (gamma[j] - x[j]) * (gamma[j] - x[j]);
        impulse += gamma[j] * gamma[j];
        slip += u[j] * u[j];
        load += run->free_slip[j] * run->free_slip[j];
    }
    return error == 0.0 ? 0.0 : sqrt(error / fmax(impulse, fmax(slip, load)));
}

double cairn_run_residual(const cairn_run *run, const double *gamma, const double *u) {
    return cairn_run_map(run, gamma, u, NULL);
}
