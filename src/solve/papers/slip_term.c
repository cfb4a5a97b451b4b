/*
 * slip_term.c: when to renew the De Saxce term Phi(s), and when it has settled.
 *
 *     s_update=external   an outer fixed point s <- u around the convex problem with s frozen
 *         [AKM 8.3], [AC algorithm 3]
 *     s_update=internal   s <- u in every iteration                                                  [AKM 8.2]
 *     settled   |Phi(u_new) - Phi(u_old)|_i <= eps_ext Phi(u_old)_i in every contact
 *               [AKM (67)], [AC (22)]
 *     due       |gamma - P(gamma - (u + Phi_old)/n)|_n <= 0.1 |Phi(u) - Phi_old|_(1/n)               [theory 1]
 *
 * stop=paper: external renews when the method's own test is met and stops when settled; internal
 * stops at the method's own test; internal-external-stop when settled. stop=certificate: external
 * renews when due, or after INNER_TESTS tests.
 *
 * Differences from the papers: (67) and (22) print a signed difference, here it is the absolute
 * value; a term below FLOOR of the largest one counts as that, because a contact that sticks has a
 * term of rounding noise.
 */
#include "solve/papers/slip_term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLOOR       1e-3
#define SOLVED      0.1
#define INNER_TESTS 40

void cairn_slip_term_layout(cairn_slip_term *term, cairn_arena *arena, const cairn_problem *problem) {
    size_t m = (size_t)problem->m;
    term->phi = cairn_arena_take(arena, m, sizeof(double));
    term->next = cairn_arena_take(arena, m, sizeof(double));
    term->work = cairn_arena_take(arena, m, sizeof(double));
}

void cairn_slip_term_begin(const cairn_run *run, cairn_slip_term *term) {
    const cairn_problem *p = run->problem;
    term->any = false;
    term->renewals = term->waited = 0;
    for (int i = 0; i < p->blocks && p->law == CAIRN_LAW_COULOMB; i++)
        term->any = term->any || (cairn_is_contact(p->block[i].set) && p->block[i].mu > 0.0);
    memset(term->phi, 0, (size_t)p->m * sizeof *term->phi);
}

static bool is_internal(const cairn_run *run) {
    return run->settings->s_update == CAIRN_S_INTERNAL || run->settings->s_update == CAIRN_S_INTERNAL_EXTERNAL_STOP;
}

static void renew(cairn_slip_term *term) {
    double *phi = term->phi;
    term->phi = term->next;
    term->next = phi;
    term->renewals++;
    term->waited = 0;
}

static bool settled(const cairn_run *run, const cairn_slip_term *term) {
    int m = run->problem->m;
    double eps = run->settings->eps_external, floor = FLOOR * cairn_norm_max(m, term->next);
    for (int j = 0; j < m; j++)
        if (!(fabs(term->next[j] - term->phi[j]) <= eps * fmax(term->phi[j], floor)))
            return false;
    return true;
}

bool cairn_slip_term_reads(const cairn_run *run, const cairn_slip_term *term, bool done) {
    bool external = run->settings->s_update == CAIRN_S_EXTERNAL && run->settings->stop == CAIRN_STOP_PAPER && done;
    return term->any && (is_internal(run) || external);
}

bool cairn_slip_term_paper(const cairn_run *run, cairn_slip_term *term, bool done, const double *u, bool *fresh) {
    if (!cairn_slip_term_reads(run, term, done))
        return done;
    cairn_run_phi(run, u, term->next);
    bool over = run->settings->s_update == CAIRN_S_INTERNAL ? done : settled(run, term);
    renew(term);
    *fresh = run->settings->s_update == CAIRN_S_EXTERNAL;
    return over;
}

/* Is the convex problem with Phi frozen solved to a tenth of what a renewal would change? next =
 * Phi(u); *miss: its natural map. */
static bool due(const cairn_run *run, cairn_slip_term *term, const double *gamma, double *miss) {
    int m = run->problem->m;
    double error = 0.0, change = 0.0, impulse = 0.0, load = 0.0, *work = term->work;
    for (int j = 0; j < m; j++)
        work[j] = gamma[j] - (run->u[j] + term->phi[j]) / run->row_scale[j];
    cairn_run_project(run, false, work, work);
    cairn_run_phi(run, run->u, term->next);
    for (int j = 0; j < m; j++) {
        double n = run->row_scale[j], d = gamma[j] - work[j], move = term->next[j] - term->phi[j];
        error += n * d * d;
        change += move * move / n;
        impulse += n * gamma[j] * gamma[j];
        load += run->free_slip[j] * run->free_slip[j] / n;
    }
    *miss = error > 0.0 ? sqrt(error / fmax(impulse, load)) : 0.0;
    return error <= SOLVED * SOLVED * change;
}

bool cairn_slip_term_certificate(const cairn_run *run, cairn_slip_term *term, bool tested, const double *gamma,
                                 const double *u, bool *fresh) {
    if (!term->any)
        return false;
    if (is_internal(run)) {
        cairn_run_phi(run, u, term->next);
        renew(term);
        return false;
    }
    double miss = INFINITY;
    if (!tested)
        return false;
    bool now = due(run, term, gamma, &miss);
    if (run->settings->s_update == CAIRN_S_NONE)
        return miss <= cairn_run_aim(run);
    *fresh = now || ++term->waited >= INNER_TESTS;
    if (*fresh)
        renew(term);
    return false;
}

void cairn_slip_term_end(cairn_run *run, const cairn_slip_term *term) {
    double square = 0.0;
    for (int j = 0; j < run->problem->m; j++)
        square += term->phi[j] * term->phi[j];
    run->outcome = CAIRN_STALLED;
    snprintf(run->note, sizeof run->note,
             "its own test is met, the certificate asks for more; %d renewals of s, |Phi(s)| = %.3g", term->renewals,
             sqrt(square));
}
