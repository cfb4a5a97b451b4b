/*
 * body.h: one rigid body inside a world, its free motion, and the rows that constraints write.
 */
#ifndef CAIRN_RIGID_BODY_H
#define CAIRN_RIGID_BODY_H

#include <cairn/collide.h>
#include <cairn/problem.h>

typedef struct cairn_rigid {
    cairn_vec3 x;              /* centre of mass */
    cairn_quat q;              /* axes of the shape's frame: body to world */
    cairn_vec3 v;              /* m/s, world */
    cairn_vec3 w;              /* rad/s, body axes */
    cairn_vec3 last_v, last_w; /* v and w one step earlier: what joint forces expect of this one */
    double mass;               /* 0: cannot be pushed */
    cairn_mat3 inertia;        /* about the centre of mass, body axes */
    cairn_vec3 offset;         /* from the centre of mass to the origin of the shape's frame, body axes */
    cairn_vec3 force, torque;  /* of the next step, world */
} cairn_rigid;

/* Pose of the shape's frame. */
static inline cairn_pose cairn_rigid_pose(const cairn_rigid *body) {
    cairn_pose pose = {body->x, body->q};
    if (body->offset.x != 0.0 || body->offset.y != 0.0 || body->offset.z != 0.0)
        pose.position = cairn_vec3_add(body->x, cairn_quat_rotate(body->q, body->offset));
    return pose;
}

/* Spin without contacts [theory 7]: implicit midpoint J (w* - w) + h m x J m = 0, m = (w + w*)/2, two Newton steps; more, and parts of the
 * step, where these do not keep the energy, as the rule does.
 * *drift = (w - w*)/2: the turn of the step is h (w_end + drift). */
void cairn_rigid_spin(const cairn_rigid *body, double h, cairn_vec3 *w_free, cairn_vec3 *drift);

/* x + h v, and the turn by the Cayley map of h w (body axes). */
void cairn_rigid_move(cairn_rigid *body, double h, cairn_vec3 v, cairn_vec3 w);

/* J_3x3^-1 y by Cramer's rule; J symmetric positive definite. */
cairn_vec3 cairn_mat3_solve(const cairn_mat3 *J, cairn_vec3 y);

/* One row of D for one body: direction d at the arm r = point - x (both world): (d, R'(r x d)). sign: +1 or -1. */
static inline void cairn_rigid_row(const cairn_mat3 *R, cairn_vec3 arm, cairn_vec3 d, double sign, double *row) {
    cairn_vec3 turn = cairn_mat3_apply_transposed(R, cairn_vec3_cross(arm, d));
    row[0] = sign * d.x;
    row[1] = sign * d.y;
    row[2] = sign * d.z;
    row[3] = sign * turn.x;
    row[4] = sign * turn.y;
    row[5] = sign * turn.z;
}

#endif
