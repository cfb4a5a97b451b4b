/*
 * passive_motion.h: a motion that no impulse has given energy, for problems whose solve ended
 * without a certificate.
 */
#ifndef CAIRN_SOLVE_DRIVER_PASSIVE_MOTION_H
#define CAIRN_SOLVE_DRIVER_PASSIVE_MOTION_H

#include "problem/problem_data.h"

/* gamma (m) in the sets, v (n) = H^-1(k + D gamma), u (m) = D'v + given. given (m; NULL: 0): the
 * part of b that is the prescribed motion of what bodies touch or are joined to. With v_f = H^-1
 * k and T(v) = v'Hv/2,
 *
 *     T(v) <= T(v_f) - gamma'given     to rounding, for every input:
 *
 * kinetic energy grows by no more than the work of prescribed motions, and with given = NULL it
 * does not grow. *gain: the computed T(v) - T(v_f) + gamma'given, J.
 *
 * The rest of b counts only where it keeps a contact open (b_N above given): gaps push nothing
 * out, and joints that are open stay open. It is no answer of the problem: contacts may be left
 * closing, joints moving apart, and friction may be off, where the bound of work ends the
 * sweeps; walls that close in on a body leave a remainder of closing speed that no motion
 * avoids. Sets that do not contain 0 (motors that must push) get no impulse.
 *
 * *sweeps: how many it may make; after the call how many it has made. NULL: 400.
 *
 * The global form only: CAIRN_ERROR_UNSUPPORTED else. Takes memory while it runs. Deterministic,
 * on one thread. */
cairn_status cairn_passive_motion(const cairn_problem *problem, const double *given, double *gamma, double *v,
                                  double *u, double *gain, int *sweeps);

#endif
