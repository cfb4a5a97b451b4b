/*
 * residual.c: how far one contact is from its law after a solve, as the certificate measures blocks (docs/certificate.md, worst_velocity):
 *
 *     n ||gamma - P(gamma - u~/n)||,   n = trace(N_ii)/3,   u~ = u + mu ||u_T|| along the normal for the Coulomb law
 *
 * Points of flexible parts count with the diagonal of their H alone, which makes n too small: the figure is then a lower bound.
 * For people who look at runs: nothing is decided by it, the judge has formulas of its own. It is worked out when somebody asks, after the bodies have moved: arms are those from where
 * the bodies were when the step began, which leaves out what parting and earlier parts of the step have moved them.
 */
#include "../sets/sets.h"
#include "flex.h"

#include <math.h>

/* Sum of (x cross d)'A^-1 (x cross d) over three directions d at right angles: |x|^2 trace(A^-1) - x'A^-1 x, for a symmetric positive
 * definite 3 x 3 matrix, by cofactors. */
static double turning(const cairn_mat3 *A, cairn_vec3 x) {
    const double a = A->m[0][0], b = A->m[0][1], c = A->m[0][2], d = A->m[1][1], e = A->m[1][2], f = A->m[2][2];
    double aa = d * f - e * e, ab = c * e - b * f, ac = b * e - c * d, bb = a * f - c * c, bc = b * c - a * e,
           cc = a * d - b * b, det = a * aa + b * ab + c * ac;
    double form = (bb + cc) * x.x * x.x + (aa + cc) * x.y * x.y + (aa + bb) * x.z * x.z -
                  2.0 * (ab * x.x * x.y + ac * x.x * x.z + bc * x.y * x.z);
    return form / det;
}

/* A body's part of the trace of N_ii: what unit impulses along three directions at right angles change there. */
static double body_part(const cairn_world *w, int slot, const cairn_spread *spread, cairn_vec3 at) {
    bool stepped = w->rigid_before[slot].mass > 0.0; /* not in a world that was just read */
    const cairn_rigid *r = stepped ? &w->rigid_before[slot] : &w->rigid[slot];
    if (spread->count > 0)
        return cairn_flex_inverse(w->slot[slot].flex, spread);
    if (w->slot[slot].kind != CAIRN_BODY_DYNAMIC || w->held[slot].apart)
        return 0.0;
    const cairn_mat3 *J = &r->inertia;
    cairn_vec3 arm = cairn_vec3_sub(at, r->x);
    bool round = J->m[0][0] == J->m[1][1] && J->m[0][0] == J->m[2][2] && J->m[0][1] == 0.0 && J->m[0][2] == 0.0 &&
                 J->m[1][2] == 0.0;
    if (round)
        return 3.0 / r->mass + 2.0 * cairn_vec3_dot(arm, arm) / J->m[0][0];
    return 3.0 / r->mass + turning(&r->inertia, cairn_quat_rotate(cairn_quat_conjugate(r->q), arm));
}

/* |gamma - P(gamma - u~/n)| for a plain cone: once a contact and frame, so written out. */
static double plain_distance(const cairn_touch *c, bool coulomb, double n, const double *u) {
    double mu = c->mu, lift = coulomb ? mu * sqrt(u[1] * u[1] + u[2] * u[2]) : 0.0;
    double z0 = c->gamma[0] - (u[0] + lift) / n, z1 = c->gamma[1] - u[1] / n, z2 = c->gamma[2] - u[2] / n;
    double t = sqrt(z1 * z1 + z2 * z2), p0 = z0, share = 1.0;
    if (!(t <= mu * z0)) {
        p0 = fmax(0.0, (z0 + mu * t) / (1.0 + mu * mu));
        share = t > 0.0 ? fmin(1.0, mu * p0 / t) : 0.0;
    }
    double d0 = c->gamma[0] - p0, d1 = c->gamma[1] - share * z1, d2 = c->gamma[2] - share * z2;
    return sqrt(d0 * d0 + d1 * d1 + d2 * d2);
}

double cairn_world_residual(const cairn_world *w, const cairn_touch *c) {
    const double *u = c->slip;
    double h = w->def.step, trace = c->compliance / (h * h);
    const cairn_spread *at = cairn_touch_sides(c);
    trace += body_part(w, c->a, &at[0], c->on_a) + body_part(w, c->b, &at[1], c->on_b);
    double n = trace > 0.0 ? trace / 3.0 : 1.0;
    if (c->adhesion == 0.0)
        return n * plain_distance(c, w->def.law == CAIRN_LAW_COULOMB, n, u);
    const cairn_block block = {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = c->mu, .adhesion = h * c->adhesion};
    double z[3], p[3], square = 0.0;
    for (int k = 0; k < 3; k++)
        z[k] = c->gamma[k] - u[k] / n;
    cairn_set_project_run(block.set, 3, 1, &block, z, p);
    for (int k = 0; k < 3; k++)
        square += (c->gamma[k] - p[k]) * (c->gamma[k] - p[k]);
    return n * sqrt(square);
}
