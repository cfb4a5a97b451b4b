/*
 * method_primal_admm.c: primal-admm, the alternating direction method of multipliers of [AKM] on
 * velocities, or on impulses.
 *
 *     min 1/2 v'Hv - k'v  subject to  y = D'v + b + Phi(s) in K*                                             [AKM (18)]
 *     (H + rho D D') v = k + rho D (y^ - b - Phi - z^),  y = P_{K*}(D'v + b + Phi + z^),  z = z^ + D'v + b + Phi - y
 *
 * y is u~ and z is zeta of the paper; gamma = -rho z. The twelve algorithms of [AKM table 1]:
 * penalty constant or varied (primal_admm_penalty.c), plain, relaxed [AKM (50)] or relaxed and
 * restarted [AKM (52)] (primal_admm.c); rho^0 by [AKM (34)-(37)] (penalty_rule.c). form=dual is
 * [AKM 9.1]. primal and dual in a trace are |r| and |s| of [AKM (15)].
 *
 * The exact Coulomb law: s_update=external is an outer fixed point, internal renews Phi in every
 * iteration [AKM 8]. stop=paper ends at [AKM (16)-(17)], for external at (67) after the inner
 * problems have met (16)-(17), for internal-external-stop at (67); stop=certificate goes on until
 * the judge is content (slip_term.c). External starts every convex problem from the answer of the
 * last one.
 *
 * Differences from the paper: misprints as corrected in [theory 3]; (61)-(64), which differentiate
 * Phi, are not offered because their limit violates momentum; every convex set, bilateral rows and
 * compliance; the candidate is judged with v = H^-1(k + D gamma). For unsymmetric H nothing is
 * promised.
 */
#include "solve/papers/akm/primal_admm.h"

#include "solve/papers/penalty_rule.h"

#define INNER_TESTS 40  /* tests after which s is renewed all the same */
#define PAPER_EVERY 100 /* stop=paper: iterations between two looks at the natural map, to know the best iterate */
#define LOOK_EVERY  64  /* iterations between two looks for a proof of infeasibility */

static const char *refuses(const cairn_problem *problem, const cairn_settings *settings) {
    return cairn_penalty_refuses(problem, settings->rho0);
}

/* Renews s. True when the method has nothing more to offer; *fresh: the momentum belongs to
 * another s. */
static bool renew(cairn_run *run, cairn_primal_admm *w, bool done, bool tested, bool *fresh) {
    if (cairn_slip_term_reads(run, &w->term, done))
        cairn_primal_admm_slip(run, w, w->x);
    int before = w->term.renewals;
    bool over = run->settings->stop == CAIRN_STOP_PAPER
                    ? cairn_slip_term_paper(run, &w->term, done, w->x, fresh)
                    : cairn_slip_term_certificate(run, &w->term, tested, w->gamma, w->x, fresh);
    if (w->term.renewals > before)
        cairn_primal_admm_shift(run, w);
    return over;
}

static cairn_status run_primal(cairn_run *run, void *workspace) {
    cairn_primal_admm *w = workspace;
    const cairn_settings *settings = run->settings;
    bool by_paper = settings->stop == CAIRN_STOP_PAPER;
    if (run->guess != NULL) {
        cairn_run_project(run, false, run->guess, w->gamma);
        if (cairn_run_test(run, w->gamma))
            return CAIRN_OK;
    }
    cairn_primal_admm_begin(run, w);
    for (;;) {
        bool fresh = false;
        if (cairn_primal_admm_step(run, w) != CAIRN_OK)
            return cairn_run_broken(run, cairn_error_message(run->context));
        double rho = cairn_primal_admm_choose(run, w);
        bool done = by_paper && cairn_primal_admm_own_stop(run, w);
        bool over = by_paper && renew(run, w, done, false, &fresh);
        int count = run->iterations + 1;
        bool test = over || w->only_joints || count == settings->max_iterations ||
                    count % (by_paper ? PAPER_EVERY : settings->test_every) == 0;
        bool look = count % LOOK_EVERY == 0;
        const double *candidate = test || look || settings->trace ? cairn_primal_admm_candidate(run, w) : NULL;
        bool accepted = test && cairn_run_test(run, candidate);
        if (!by_paper && !accepted)
            over = renew(run, w, false, test, &fresh);
        if (!cairn_run_tick(run, candidate, test))
            return CAIRN_OK;
        if (over) {
            cairn_slip_term_end(run, &w->term);
            return CAIRN_OK;
        }
        if (look && !cairn_divergence_check(&w->growth, run, candidate))
            return CAIRN_OK;
        cairn_primal_admm_advance(run, w);
        if (fresh)
            cairn_primal_admm_still(w);
        if (rho != w->rho)
            cairn_primal_admm_change(run, w, rho);
    }
}

const cairn_method cairn_method_primal_admm = {
    .name = "primal-admm",
    .summary = "alternating directions on velocities: twelve variants, four first penalties",
    .paper = "[AKM] Algorithms 1-12, (18)-(67), Appendix A",
    .accepts = "every problem",
    .options =
        "test_every variant rho0 s_update form stop eps_abs eps_rel eps_external balance tau tau_max xi t_f eps_cor "
        "restart rho_bilateral carry_rho",
    .defaults = "carry_rho=on",
    .on_velocities = true,
    .refuses = refuses,
    .prepare = cairn_primal_admm_prepare,
    .run = run_primal,
    .release = cairn_primal_admm_release,
};
