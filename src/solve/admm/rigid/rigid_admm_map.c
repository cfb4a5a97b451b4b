/*
 * rigid_admm_map.c: the natural map of candidate_map.c for the candidate z of rigid_admm_fma.c,
 * four contacts side by side.
 *
 *     v = H^-1 (k + D z),   u = D'v + b,   |z - P(z - (u + Phi(u))/n)| / max(|r^|, |z|, |u|)
 *         norms with the weights n_i, 1/n_i
 *
 * About as costly as an iteration. It decides whether the driver's test, which has a word with the
 * judge, is worth its time.
 */
#include "solve/admm/rigid/rigid_admm.h"

#include "solve/admm/rigid/contact_simd_kernel.h"

#include <math.h>
#include <string.h>

#define HOPE   2.0 /* times the tolerance: a map that looks no larger is tested */
#define BETTER 0.1 /* of the best map kept: a candidate that is worth it */

/* Sums and largest value in lanes. */
typedef struct map_sums {
    quad error, impulse, slip, worst;
} map_sums;

/* One group with u = D'v + b. Places without a contact have n = 0 and add nothing. */
CAIRN_INLINE void add_group(const quad *friction, const quad *scale, bool exact, const quad *z, const quad *u,
                            map_sums *sums) {
    const quad zero = ALL(0.0), one = ALL(1.0);
    quad mu = *friction, n = *scale, under = PICK(n > zero, one / PICK(n > zero, n, one), zero);
    quad square = u[1] * u[1] + u[2] * u[2], bulk = zero, speed = zero;
    quad slide = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    quad x0 = z[0] - under * (exact ? u[0] + mu * slide : u[0]), x1 = z[1] - under * u[1], x2 = z[2] - under * u[2];
    square = x1 * x1 + x2 * x2;
    quad t = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    quad along = x0 + mu * t, a = PICK(along > zero, along, zero) / (one + mu * mu);
    quad factor = PICK(t > mu * a, mu * a / PICK(t > zero, t, one), one);
    quad d0 = z[0] - PICK(x0 > a, x0, a), d1 = z[1] - factor * x1, d2 = z[2] - factor * x2;
    quad error = d0 * d0 + d1 * d1 + d2 * d2;
    for (int r = 0; r < 3; r++) {
        bulk += z[r] * z[r];
        speed += u[r] * u[r];
    }
    sums->error += n * error;
    sums->impulse += n * bulk;
    sums->slip += under * speed;
    error = n * n * error;
    sums->worst = PICK(error > sums->worst, error, sums->worst);
}

CAIRN_CLONES static void add_all(const cairn_problem *p, const cairn_rigid_admm *w, map_sums *out) {
    const cairn_contact_simd *contacts = &w->contacts;
    bool exact = p->law == CAIRN_LAW_COULOMB;
    map_sums sums = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int g = 0; g < contacts->groups; g++) {
        quad u[3], z[3], mu = LOAD(contacts->mu + g * L), n = LOAD(w->n + g * L);
        if (g < contacts->uniform)
            pull_group(MATRIX(contacts, g), BASE(contacts, g), g < contacts->opposed, w->w, u);
        else
            pull_mixed(MATRIX(contacts, g), BASE(contacts, g), w->w, u);
        for (int r = 0; r < 3; r++) {
            u[r] += LOAD(AT(w->b, g) + r * L);
            z[r] = LOAD(AT(w->z, g) + r * L);
        }
        add_group(&mu, &n, exact, z, u, &sums);
    }
    *out = sums;
}

/* Natural map of z; *worst: the largest velocity that is wrong in a contact. */
static double natural_map(cairn_run *run, const cairn_rigid_admm *w, double *worst) {
    const cairn_problem *p = run->problem;
    map_sums sums;
    cairn_contact_simd_impulse(p, &w->contacts, w->z, w->impulse);
    for (int i = 0; i < p->n; i++)
        w->w[i] = p->k[i] + w->impulse[i];
    cairn_operator_solve(run->op, w->w, w->w);
    add_all(p, w, &sums);
    double size = fmax(fmax(sum_lanes(&sums.impulse), sum_lanes(&sums.slip)), w->load), error = sum_lanes(&sums.error);
    *worst = sqrt(fmax(fmax(sums.worst[0], sums.worst[1]), fmax(sums.worst[2], sums.worst[3])));
    return error > 0.0 ? sqrt(error / size) : 0.0;
}

bool cairn_rigid_admm_promising(const cairn_run *run, const cairn_rigid_admm *w, double square) {
    double map = HOPE * cairn_run_aim(run);
    return !(w->ratio * square > map * map);
}

/* A candidate that may pass. sure: velocities are as small as allowed, so that no huge impulses
 * hide behind a small map; then the judge is asked at once. */
static void judge(cairn_run *run, const cairn_rigid_admm *w, const double *gamma, bool sure) {
    if (sure) {
        memcpy(run->v, w->w, (size_t)run->problem->n * sizeof *run->v);
        if (cairn_run_judge_moving(run, gamma))
            return;
    }
    cairn_run_test(run, gamma);
}

void cairn_rigid_admm_test(cairn_run *run, cairn_admm *admm, double square, bool last) {
    cairn_rigid_admm *w = admm->lanes;
    double worst, map = natural_map(run, w, &worst);
    double allowed = cairn_run_aim_velocity(run), aim = allowed > 0.0 ? run->settings->tolerance : cairn_run_aim(run);
    bool may_pass = map <= aim && (allowed == 0.0 || worst <= allowed);
    w->distance = fmax(map / aim, allowed > 0.0 ? worst / allowed : 0.0);
    double enough = last ? 1.0 : BETTER;
    run->last_map = map;
    if (may_pass || (map <= enough * run->best_map && !run->passed) || isnan(map)) {
        cairn_contact_simd_from_lanes(run->problem, &w->contacts, w->z, admm->zn);
        if (may_pass || isnan(map))
            judge(run, w, admm->zn, allowed > 0.0);
        else
            cairn_run_keep(run, admm->zn, map);
    }
    w->ratio = run->last_map * run->last_map / square;
}
