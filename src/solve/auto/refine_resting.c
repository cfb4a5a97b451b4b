/*
 * refine_resting.c: refines the answer of bodies at rest on each other's faces.
 *
 * In time steps the last impulses are the guess, and a guess that passes costs no more than its
 * certificate. Impulses that are just good enough leave velocities just within the tolerance, the
 * same in every step, until the guess passes no more: then the problem is solved again, to just
 * good enough. A wall of bricks at 1e-4 is so solved in nearly every step. Impulses that are good
 * to REST_GOAL last for some fifty steps: constant impulses on bodies that give way are not stable,
 * and the error grows by a quarter with each step.
 *
 * So an answer that brings bodies to rest is refined as soon as its natural map is above
 * REST_ABOVE: by Newton's method from REST_NEAR on, where contacts stick and part as in the answer,
 * else by the interior point from cold, which needs a dozen factorisations for a wall. That is
 * tried only where the guess was far off or missing, so that bodies at which it fails cost it once,
 * not in every step.
 *
 * Not checked: whether the bodies stay at rest; if they do not, the refinement was wasted.
 */
#include "solve/auto/refine_resting.h"

#include <math.h>

#define DISTURBED  1e-12 /* natural map, and */
#define STILLER    10.0  /* ratio of velocities after and before from which a guess disturbs bodies at rest */
#define RESTING    0.01  /* of the velocities without impulses: what is left in bodies at rest */
#define ON_FACES   3.5   /* contacts for each body: balls have three at most */
#define FEW        4500  /* columns: more would take too long to factor for a trial */
#define REST_ABOVE 1e-8  /* natural map from which a guess that was accepted is refined, */
#define REST_FOUND 1e-10 /* and an answer that was found */
#define REST_GOAL  1e-12
#define REST_NEAR  1e-6
#define REST_LOST  1e-2 /* natural map of a guess that is far off */
#define REST_ROUND 1e-9 /* natural map from which on steps must halve it */
#define REST_SIGMA 1e4  /* the answer is near: a low penalty would waste factorisations */
#define REST_STEPS 16   /* of the interior point */

bool cairn_resting_disturbed(const cairn_run *run) {
    int n = run->problem->n;
    return run->iterations == 0 && run->guess_v != NULL && run->best_map > DISTURBED &&
           cairn_norm_max(n, run->v) > STILLER * cairn_norm_max(n, run->guess_v);
}

static bool is_at_rest(const cairn_run *run) {
    const cairn_problem *p = run->problem;
    if (run->guess_v == NULL || p->local || !p->block_diagonal || p->n > FEW || p->blocks < ON_FACES * p->bodies)
        return false;
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_CONE)
            return false;
    return cairn_norm_max(p->n, run->v) <= RESTING * run->free_speed;
}

bool cairn_resting_rough(const cairn_run *run) {
    double map = run->best_map;
    bool rough = run->iterations > 0 ? map > REST_FOUND && (map <= REST_NEAR || run->guess_map > REST_LOST)
                                     : map <= REST_NEAR && (map > REST_ABOVE || cairn_resting_disturbed(run));
    return rough && is_at_rest(run);
}

void cairn_resting_refine(cairn_run *run, cairn_ipm_newton *second, double *tolerance, int limit) {
    *tolerance = REST_GOAL;
    second->ipm.goal = 0.0;
    if (run->best_map > REST_NEAR &&
        (!second->has_ipm || cairn_ipm_run(run, &second->ipm, false, 1.0, 0.99, REST_STEPS)))
        return;
    if (!second->has_newton)
        return;
    second->newton.rounded = REST_ROUND;
    second->newton.hasty = true;
    cairn_newton_run(run, &second->newton, run->best_gamma, NULL, REST_SIGMA, limit);
    second->newton.hasty = false;
    second->newton.rounded = 0.0;
}
