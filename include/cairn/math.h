/*
 * math.h: vectors, rotations and poses: plain structs and inline functions.
 *
 * Frames: a quaternion (w, x, y, z) has length 1 and turns body coordinates into world coordinates. A pose maps body to world:
 * x_world = position + rotation * x_body. Angles are radians, axes are right-handed, z is up.
 */
#ifndef CAIRN_MATH_H
#define CAIRN_MATH_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_vec3 {
    double x, y, z;
} cairn_vec3;

typedef struct cairn_quat {
    double w, x, y, z;
} cairn_quat;

typedef struct cairn_mat3 {
    double m[3][3]; /* row by row */
} cairn_mat3;

typedef struct cairn_pose {
    cairn_vec3 position; /* m */
    cairn_quat rotation; /* body to world */
} cairn_pose;

static inline cairn_vec3 cairn_vec3_of(double x, double y, double z) {
    cairn_vec3 a = {x, y, z};
    return a;
}

static inline cairn_vec3 cairn_vec3_add(cairn_vec3 a, cairn_vec3 b) {
    return cairn_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline cairn_vec3 cairn_vec3_sub(cairn_vec3 a, cairn_vec3 b) {
    return cairn_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline cairn_vec3 cairn_vec3_scale(double s, cairn_vec3 a) {
    return cairn_vec3_of(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static inline cairn_vec3 cairn_vec3_add_scaled(cairn_vec3 a, double s, cairn_vec3 b) {
    return cairn_vec3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double cairn_vec3_dot(cairn_vec3 a, cairn_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cairn_vec3 cairn_vec3_cross(cairn_vec3 a, cairn_vec3 b) {
    return cairn_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double cairn_vec3_length(cairn_vec3 a) {
    return sqrt(cairn_vec3_dot(a, a));
}

/* a / |a|; the x axis when a is 0. */
static inline cairn_vec3 cairn_vec3_unit(cairn_vec3 a) {
    double length = cairn_vec3_length(a);
    return length > 0.0 ? cairn_vec3_of(a.x / length, a.y / length, a.z / length) : cairn_vec3_of(1.0, 0.0, 0.0);
}

/* Two unit vectors that make a right-handed frame (n, t1, t2) with the unit vector n. A pure function of n. */
static inline void cairn_vec3_frame(cairn_vec3 n, cairn_vec3 *t1, cairn_vec3 *t2) {
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    cairn_vec3 axis = ax <= ay && ax <= az ? cairn_vec3_of(1.0, 0.0, 0.0)
                      : ay <= az           ? cairn_vec3_of(0.0, 1.0, 0.0)
                                           : cairn_vec3_of(0.0, 0.0, 1.0);
    *t1 = cairn_vec3_unit(cairn_vec3_cross(axis, n));
    *t2 = cairn_vec3_cross(n, *t1);
}

static inline cairn_quat cairn_quat_identity(void) {
    cairn_quat q = {1.0, 0.0, 0.0, 0.0};
    return q;
}

/* a b: first b, then a. */
static inline cairn_quat cairn_quat_multiply(cairn_quat a, cairn_quat b) {
    cairn_quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static inline cairn_quat cairn_quat_conjugate(cairn_quat q) {
    cairn_quat c = {q.w, -q.x, -q.y, -q.z};
    return c;
}

/* q / |q|; the identity when q is 0. */
static inline cairn_quat cairn_quat_unit(cairn_quat q) {
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 0.0))
        return cairn_quat_identity();
    cairn_quat u = {q.w / length, q.x / length, q.y / length, q.z / length};
    return u;
}

/* Turn by angle about the unit vector axis. */
static inline cairn_quat cairn_quat_turn(cairn_vec3 axis, double angle) {
    double s = sin(0.5 * angle);
    cairn_quat q = {cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    return q;
}

/* The turn by the vector r: axis r/|r|, angle |r|. */
static inline cairn_quat cairn_quat_exp(cairn_vec3 r) {
    double angle = cairn_vec3_length(r), half = 0.5 * angle;
    double s = angle > 1e-8 ? sin(half) / angle : 0.5 - angle * angle / 48.0;
    cairn_quat q = {cos(half), s * r.x, s * r.y, s * r.z};
    return q;
}

static inline cairn_mat3 cairn_quat_matrix(cairn_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    cairn_mat3 R = {{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                     {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                     {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
    return R;
}

static inline cairn_vec3 cairn_mat3_apply(const cairn_mat3 *A, cairn_vec3 x) {
    return cairn_vec3_of(A->m[0][0] * x.x + A->m[0][1] * x.y + A->m[0][2] * x.z,
                         A->m[1][0] * x.x + A->m[1][1] * x.y + A->m[1][2] * x.z,
                         A->m[2][0] * x.x + A->m[2][1] * x.y + A->m[2][2] * x.z);
}

/* A' x */
static inline cairn_vec3 cairn_mat3_apply_transposed(const cairn_mat3 *A, cairn_vec3 x) {
    return cairn_vec3_of(A->m[0][0] * x.x + A->m[1][0] * x.y + A->m[2][0] * x.z,
                         A->m[0][1] * x.x + A->m[1][1] * x.y + A->m[2][1] * x.z,
                         A->m[0][2] * x.x + A->m[1][2] * x.y + A->m[2][2] * x.z);
}

static inline cairn_mat3 cairn_mat3_multiply(const cairn_mat3 *A, const cairn_mat3 *B) {
    cairn_mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    return C;
}

static inline cairn_mat3 cairn_mat3_transpose(const cairn_mat3 *A) {
    cairn_mat3 B;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B.m[i][j] = A->m[j][i];
    return B;
}

static inline cairn_vec3 cairn_quat_rotate(cairn_quat q, cairn_vec3 x) {
    cairn_vec3 a = cairn_vec3_of(q.x, q.y, q.z), t = cairn_vec3_scale(2.0, cairn_vec3_cross(a, x));
    return cairn_vec3_add(cairn_vec3_add_scaled(x, q.w, t), cairn_vec3_cross(a, t));
}

static inline cairn_pose cairn_pose_identity(void) {
    cairn_pose p = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    return p;
}

static inline cairn_pose cairn_pose_at(double x, double y, double z) {
    cairn_pose p = {{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
    return p;
}

/* Body point to world point. */
static inline cairn_vec3 cairn_pose_apply(cairn_pose p, cairn_vec3 x) {
    return cairn_vec3_add(p.position, cairn_quat_rotate(p.rotation, x));
}

/* World point to body point. */
static inline cairn_vec3 cairn_pose_apply_inverse(cairn_pose p, cairn_vec3 x) {
    return cairn_quat_rotate(cairn_quat_conjugate(p.rotation), cairn_vec3_sub(x, p.position));
}

/* a after b: maps x to a(b(x)). */
static inline cairn_pose cairn_pose_multiply(cairn_pose a, cairn_pose b) {
    cairn_pose p = {cairn_pose_apply(a, b.position), cairn_quat_multiply(a.rotation, b.rotation)};
    return p;
}

/* The pose of b seen from a: a^-1 b. */
static inline cairn_pose cairn_pose_relative(cairn_pose a, cairn_pose b) {
    cairn_pose p = {cairn_pose_apply_inverse(a, b.position),
                    cairn_quat_multiply(cairn_quat_conjugate(a.rotation), b.rotation)};
    return p;
}

#ifdef __cplusplus
}
#endif
#endif
