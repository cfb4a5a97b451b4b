/*
 * body.c: free motion of a rigid body and its part of a constraint row.
 *
 * Velocities are v (world axes) and w (body axes), so that H is diag(m I, J) with constant J [theory 1].
 */
#include "rigid/body.h"

#include <math.h>

#define ENERGY     1e-6 /* relative, that two Newton steps may make */
#define STEPS_MOST 8    /* Newton steps where two do not do */
#define PARTS_MOST 4096

cairn_vec3 cairn_mat3_solve(const cairn_mat3 *J, cairn_vec3 y) {
    cairn_vec3 a = {J->m[0][0], J->m[1][0], J->m[2][0]}, b = {J->m[0][1], J->m[1][1], J->m[2][1]},
               c = {J->m[0][2], J->m[1][2], J->m[2][2]}, bc = cairn_vec3_cross(b, c);
    double det = cairn_vec3_dot(a, bc);
    return cairn_vec3_of(cairn_vec3_dot(y, bc) / det, cairn_vec3_dot(y, cairn_vec3_cross(c, a)) / det,
                         cairn_vec3_dot(y, cairn_vec3_cross(a, b)) / det);
}

/* [x] A, the cross product as a matrix. */
static cairn_mat3 cross_matrix(cairn_vec3 x) {
    cairn_mat3 A = {{{0, -x.z, x.y}, {x.z, 0, -x.x}, {-x.y, x.x, 0}}};
    return A;
}

/* The same moment about every axis: m x J m = 0. */
static bool is_round(const cairn_mat3 *J) {
    return J->m[0][0] == J->m[1][1] && J->m[0][0] == J->m[2][2] && J->m[0][1] == 0.0 && J->m[0][2] == 0.0 &&
           J->m[1][2] == 0.0 && J->m[1][0] == 0.0 && J->m[2][0] == 0.0 && J->m[2][1] == 0.0;
}

/* J (s - w) + h m x J m = 0, m = (w + s)/2, by so many Newton steps from s = w. */
static cairn_vec3 midpoint(const cairn_mat3 *J, double h, cairn_vec3 w, int steps) {
    cairn_vec3 s = w;
    for (int it = 0; it < steps; it++) {
        cairn_vec3 m = cairn_vec3_scale(0.5, cairn_vec3_add(w, s)), Jm = cairn_mat3_apply(J, m);
        cairn_vec3 residual = cairn_vec3_add_scaled(cairn_mat3_apply(J, cairn_vec3_sub(s, w)), h,
                                                    cairn_vec3_cross(m, Jm));
        cairn_mat3 mx = cross_matrix(m), mJ = cairn_mat3_multiply(&mx, J), Jx = cross_matrix(Jm), A;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                A.m[i][j] = J->m[i][j] + 0.5 * h * (mJ.m[i][j] - Jx.m[i][j]);
        s = cairn_vec3_sub(s, cairn_mat3_solve(&A, residual));
    }
    return s;
}

/* The midpoint rule keeps w'Jw: what does not is no answer of it. */
static bool keeps_energy(const cairn_mat3 *J, cairn_vec3 w, cairn_vec3 s) {
    double before = cairn_vec3_dot(w, cairn_mat3_apply(J, w)), after = cairn_vec3_dot(s, cairn_mat3_apply(J, s));
    return fabs(after - before) <= ENERGY * before;
}

/* Where a body turns by radians in a step, Newton steps lead astray: as many parts of the step as it takes. */
static cairn_vec3 midpoint_in_parts(const cairn_mat3 *J, double h, cairn_vec3 w) {
    for (int parts = 1; parts <= PARTS_MOST; parts *= 2) {
        cairn_vec3 s = w;
        bool good = true;
        for (int i = 0; i < parts && good; i++) {
            cairn_vec3 next = midpoint(J, h / parts, s, STEPS_MOST);
            good = keeps_energy(J, s, next);
            s = next;
        }
        if (good)
            return s;
    }
    return w;
}

void cairn_rigid_spin(const cairn_rigid *body, double h, cairn_vec3 *w_free, cairn_vec3 *drift) {
    cairn_vec3 w = body->w;
    const cairn_mat3 *J = &body->inertia;
    if (is_round(J)) {
        *w_free = w;
        *drift = cairn_vec3_of(0, 0, 0);
        return;
    }
    cairn_vec3 s = midpoint(J, h, w, 2);
    if (!keeps_energy(J, w, s))
        s = midpoint_in_parts(J, h, w);
    *w_free = s;
    *drift = cairn_vec3_scale(0.5, cairn_vec3_sub(w, s));
}

void cairn_rigid_move(cairn_rigid *body, double h, cairn_vec3 v, cairn_vec3 w) {
    cairn_quat turn = {1.0, 0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z};
    body->x = cairn_vec3_add_scaled(body->x, h, v);
    body->q = cairn_quat_unit(cairn_quat_multiply(body->q, cairn_quat_unit(turn)));
}
