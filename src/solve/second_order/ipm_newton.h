/*
 * ipm_newton.h: the interior point method and the Newton polish on one factor, as `ipm`, `nsn` and
 * `auto` use them.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_IPM_NEWTON_H
#define CAIRN_SOLVE_SECOND_ORDER_IPM_NEWTON_H

#include "solve/second_order/ipm.h"
#include "solve/second_order/newton.h"
#include "solve/second_order/central_path.h"
#include "solve/admm/contact_metric.h"

typedef struct cairn_ipm_newton {
    cairn_arena arena;
    cairn_kkt *kkt;  /* NULL when neither fits the problem */
    bool has_ipm;    /* cones, unilateral and bilateral rows in global form */
    bool has_newton; /* global form, compliance uniform in a block */
    cairn_ipm ipm;
    cairn_newton newton;
    bool polish_guess; /* Newton's method may begin from the guess, before all else */
    bool has_track;    /* the problem fits */
    cairn_arena trail; /* memory of track, taken when it is first needed */
    cairn_track track;
    bool has_path;    /* has_ipm, and a factorisation is cheap enough for thousands */
    cairn_arena road; /* memory of path, taken when it is first followed */
    cairn_central_path path;
    double *from;       /* m: what track made of the guess, a better one */
    double *before;     /* m: the best candidate before Newton's method steps in for the interior point, */
    int aside_most;     /* with so many factorisations; */
    bool stepped_aside; /* it has */
    double *kept;       /* m: the best candidate from the guess, put aside while the cold attempts run */
    double kept_map;    /* its natural map; INFINITY: nothing is put aside */
    double cold_map;    /* natural map of zero impulses */
    double goal; /* natural map from which `between` takes over from the first attempt; 0: only when that has ended */
    bool (*between)(cairn_run *run,
                    void *user); /* before the first polish, under the exact law; true: the run is over. NULL: none */
    void *user;
    cairn_status status; /* of the last cairn_ipm_newton_guess, _run or _path: memory may be lacking */
} cairn_ipm_newton;

/* Makes what fits the problem. w is cleared first; on failure it is left clear.
 * CAIRN_ERROR_UNSUPPORTED: the factor would take more than most bytes. */
cairn_status cairn_ipm_newton_create(cairn_run *run, bool want_ipm, size_t most, cairn_ipm_newton *w);
void cairn_ipm_newton_destroy(cairn_context *context, cairn_ipm_newton *w);

/* cairn_ipm_newton_create and _destroy for a method whose whole workspace this is. */
cairn_status cairn_ipm_newton_prepare(cairn_run *run, bool want_ipm, void **workspace);
void cairn_ipm_newton_release(cairn_context *context, void *workspace);

/* Interior point attempts with other smoothings of the exact law, each followed by a polish of
 * few factorisations, the last one by last_polish. warm: begin from run->guess. True: the run is
 * over, or w->status says why not. */
bool cairn_ipm_newton_run(cairn_run *run, cairn_ipm_newton *w, bool warm, int last_polish);

/* The interior path through its folds, with a polish at every goal: for problems under the exact
 * law at which the attempts above fail. smooth: c of the slack. True: the run is over, or
 * w->status says why not. Does nothing for the convex law. Takes memory when it is called for
 * the first time. */
bool cairn_ipm_newton_path(cairn_run *run, cairn_ipm_newton *w, double smooth, int limit);

/* Tests run->guess, and follows contacts from it (contact_metric.h); true: the run is over, or
 * w->status says why not. *warm: true if the warm start is accepted; otherwise it is kept apart
 * and the solve starts cold. */
bool cairn_ipm_newton_guess(cairn_run *run, cairn_ipm_newton *w, bool *warm);

/* At the end of a run: what was put aside counts again, if it is better. */
void cairn_ipm_newton_recall(cairn_run *run, const cairn_ipm_newton *w);

#endif
