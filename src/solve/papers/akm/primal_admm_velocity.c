/*
 * primal_admm_velocity.c: the velocity vectors of primal-admm on its fast path. Products D x are
 * kept beside the vectors x, so that
 *
 *     rhs = k + rho (D y^ - D z^ - D shift)                                                              [AKM (25)]
 *     D z = D z^ + D D'v + D shift - D y   with   D D'v = (rhs - H v)/rho                                [AKM (24)]
 *     |s| = rho |D (y - y_old)|,  |A' rho z| = rho |D z|
 *         [AKM (15), (17)]
 *
 * need no pass over the contacts. D z is made from z itself now and then, so that rounding does not
 * add up. Four rows at a time.
 */
#include "solve/papers/akm/primal_admm.h"

#include <math.h>

#define REFRESH 64 /* iterations between two products D z from z itself */

typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));

#define AT(x) (*(loose *)((x) + i))
#define OF(x) (*(const loose *)((x) + i))

CAIRN_CLONES static void right_hand_side(int n, double momentum, double rho, const double *k,
                                         const cairn_primal_admm *w) {
    const double *y = w->y.D, *z = w->z.D, *y_old = w->yn.D, *z_old = w->zn.D, *shift = w->shift.D;
    double *rhs = w->rhs, *hat = w->hat_z.D;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        loose yh = OF(y) + momentum * (OF(y) - OF(y_old)), zh = OF(z) + momentum * (OF(z) - OF(z_old));
        AT(hat) = zh;
        AT(rhs) = OF(k) + rho * (yh - zh - OF(shift));
    }
    for (; i < n; i++) {
        hat[i] = z[i] + momentum * (z[i] - z_old[i]);
        rhs[i] = k[i] + rho * (y[i] + momentum * (y[i] - y_old[i]) - hat[i] - shift[i]);
    }
}

void cairn_primal_admm_right_hand_side(const cairn_run *run, cairn_primal_admm *w) {
    right_hand_side(run->problem->n, w->momentum, w->rho, run->problem->k, w);
}

/* Hv (n) = H v for a diagonal H. */
CAIRN_CLONES static void scale_velocity(int n, const double *H, const double *v, double *Hv) {
    int i = 0;
    for (; i + 4 <= n; i += 4)
        AT(Hv) = OF(H) * OF(v);
    for (; i < n; i++)
        Hv[i] = H[i] * v[i];
}

/* D z (n), H v in w->w. */
CAIRN_CLONES static void dual_image(int n, const cairn_primal_admm *w) {
    double inverse = 1.0 / w->rho, *zn = w->zn.D;
    const double *hat = w->hat_z.D, *rhs = w->rhs, *Hv = w->w, *shift = w->shift.D, *yn = w->yn.D;
    int i = 0;
    for (; i + 4 <= n; i += 4)
        AT(zn) = OF(hat) + (OF(rhs) - OF(Hv)) * inverse + OF(shift) - OF(yn);
    for (; i < n; i++)
        zn[i] = hat[i] + (rhs[i] - Hv[i]) * inverse + shift[i] - yn[i];
}

/* sums: |x - y|^2 and |z|^2. */
CAIRN_CLONES static void squares(int n, const double *x, const double *y, const double *z, double *sums) {
    loose change = {0.0}, size = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        loose d = OF(x) - OF(y);
        change += d * d;
        size += OF(z) * OF(z);
    }
    sums[0] = (change[0] + change[1]) + (change[2] + change[3]);
    sums[1] = (size[0] + size[1]) + (size[2] + size[3]);
    for (; i < n; i++) {
        sums[0] += (x[i] - y[i]) * (x[i] - y[i]);
        sums[1] += z[i] * z[i];
    }
}

void cairn_primal_admm_velocity_norms(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    double sums[2];
    if (w->diagonal)
        scale_velocity(p->n, p->A.value, w->v, w->w);
    else
        cairn_problem_multiply(p, w->v, 0.0, w->w);
    if (w->count % REFRESH == 0)
        cairn_contact_simd_impulse(p, &w->contacts, w->zn.x, w->zn.D);
    else
        dual_image(p->n, w);
    squares(p->n, w->yn.D, w->y.D, w->zn.D, sums);
    w->s = w->rho * sqrt(sums[0]);
    w->size_z = w->rho * sqrt(sums[1]);
}
