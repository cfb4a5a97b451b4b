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
cairn_pose cairn_rigid_pose(const cairn_rigid *body);

/* Spin without contacts [theory 7]: implicit midpoint J (w* - w) + h m x J m = 0, m = (w + w*)/2, two Newton steps.
 * *drift = (w - w*)/2: the turn of the step is h (w_end + drift). */
void cairn_rigid_spin(const cairn_rigid *body, double h, cairn_vec3 *w_free, cairn_vec3 *drift);

/* x + h v, and the turn by the Cayley map of h w (body axes). */
void cairn_rigid_move(cairn_rigid *body, double h, cairn_vec3 v, cairn_vec3 w);

/* J_3x3^-1 y by Cramer's rule; J symmetric positive definite. */
cairn_vec3 cairn_mat3_solve(const cairn_mat3 *J, cairn_vec3 y);

/* One row of D for one body: direction d at the arm r = point - x (both world): (d, R'(r x d)). sign: +1 or -1. */
void cairn_rigid_row(const cairn_mat3 *R, cairn_vec3 arm, cairn_vec3 d, double sign, double *row);

#endif
