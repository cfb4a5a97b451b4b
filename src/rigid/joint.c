/*
 * joint.c: joints as rows [theory 7]: gap g(q) = 0 becomes D'v + g/h = 0 with D the exact derivative of g.
 *
 *     point       g = e'(p_b - p_a), e an axis of a's frame:     e on b at p_b; -e on a at p_b (the arm moves with e)
 *     right angle g = s't, s on a, t on b:                       (w_b - w_a)'(t x s)
 *     lock        g = 2 vec(q_a^-1 q_b):                         (w_b - w_a)'e to first order
 *     distance    g = |p_b - p_a| - l:                           n on b, -n on a
 *     turn        c = angle of x_b about z_a where the kind holds both at a right angle:  (w_b - w_a)'z_a
 *                 else the twist, 2 atan(q_z/q_w) of q_a^-1 q_b:  (w_b - w_a)'(z_a + z_b)/(1 + z_a'z_b)
 *     gear        g = c_a + r c_b, ways along or about axes s, t that the carrier carries:  s on a, r t on b, both turned round on the carrier
 *
 * Drives act on one coordinate c with the row of its rate:
 *     spring, damper: soft row C = 1/(h^2 k + h d), bias = (c - rest) k/(h k + d)
 *     limits: unilateral, (c - low)/h and (high - c)/h;  motor: box row of the rate against the wanted speed, |gamma| <= h limit
 *     friction: ball of radius h f;  imposed motion: (c - f(t + h))/h, so that c meets f at the end of the step
 */
#include "rigid/joint.h"

#include <math.h>

#define TWO_PI        6.283185307179586476925287
#define UPRIGHT_LEAST 1e-4 /* 1 + cosine of the angle between the z axes */

typedef struct frames {
    const cairn_rigid *a, *b, *carrier;
    bool parts;              /* rows have parts of the bodies: Ra and Rb are there */
    cairn_mat3 Ra, Rb;       /* of the bodies */
    cairn_vec3 pa, pb;       /* origins of the frames, world */
    cairn_vec3 ea[3], eb[3]; /* axes of the frames, world; those of b where has_axes_b says so */
    cairn_quat qa, qb;       /* of the frames; that of b where has_turn_b says so */
} frames;

/* Does anything look at the axes of b's frame? */
static bool has_axes_b(const cairn_joint_def *d) {
    return d->coordinate == CAIRN_COORDINATE_TURN || d->kind == CAIRN_JOINT_REVOLUTE ||
           d->kind == CAIRN_JOINT_CYLINDRICAL || d->kind == CAIRN_JOINT_UNIVERSAL || d->kind == CAIRN_JOINT_GEAR;
}

/* Or at its rotation? */
static bool has_turn_b(const cairn_joint_def *d) {
    return d->kind == CAIRN_JOINT_FIXED || d->kind == CAIRN_JOINT_PRISMATIC || has_axes_b(d);
}

static frames place(const cairn_joint_data *j, cairn_joint_ends ends, bool parts) {
    const cairn_rigid *a = ends.a, *b = ends.b;
    frames f;
    f.a = a;
    f.b = b;
    f.carrier = ends.carrier;
    f.parts = parts;
    if (parts) {
        f.Ra = cairn_quat_matrix(a->q);
        f.Rb = cairn_quat_matrix(b->q);
    }
    f.pa = cairn_vec3_add(a->x, cairn_quat_rotate(a->q, j->at_a.position));
    f.pb = cairn_vec3_add(b->x, cairn_quat_rotate(b->q, j->at_b.position));
    f.qa = cairn_quat_multiply(a->q, j->at_a.rotation);
    cairn_mat3 A = cairn_quat_matrix(f.qa);
    for (int k = 0; k < 3; k++)
        f.ea[k] = cairn_vec3_of(A.m[0][k], A.m[1][k], A.m[2][k]);
    if (has_turn_b(&j->def))
        f.qb = cairn_quat_multiply(b->q, j->at_b.rotation);
    if (has_axes_b(&j->def)) {
        cairn_mat3 B = cairn_quat_matrix(f.qb);
        for (int k = 0; k < 3; k++)
            f.eb[k] = cairn_vec3_of(B.m[0][k], B.m[1][k], B.m[2][k]);
    }
    return f;
}

static cairn_joint_row *new_row(cairn_joint_rows *out) {
    cairn_joint_row *row = &out->row[out->rows++];
    *row = (cairn_joint_row){0};
    return row;
}

/* Velocity of b's point p_b along e minus that of the point of a at the same place. */
static void point_row(const frames *f, cairn_vec3 e, cairn_joint_row *row) {
    if (!f->parts)
        return;
    cairn_rigid_row(&f->Rb, cairn_vec3_sub(f->pb, f->b->x), e, 1.0, row->b);
    cairn_rigid_row(&f->Ra, cairn_vec3_sub(f->pb, f->a->x), e, -1.0, row->a);
}

/* (w_b - w_a)'e */
static void turn_row(const frames *f, cairn_vec3 e, cairn_joint_row *row) {
    row->turn = true;
    if (!f->parts)
        return;
    cairn_vec3 b = cairn_mat3_apply_transposed(&f->Rb, e), a = cairn_mat3_apply_transposed(&f->Ra, e);
    row->b[3] = b.x;
    row->b[4] = b.y;
    row->b[5] = b.z;
    row->a[3] = -a.x;
    row->a[4] = -a.y;
    row->a[5] = -a.z;
}

static void add_point(const frames *f, int axis, cairn_joint_rows *out) {
    cairn_joint_row *row = new_row(out);
    point_row(f, f->ea[axis], row);
    row->gap = cairn_vec3_dot(f->ea[axis], cairn_vec3_sub(f->pb, f->pa));
}

static void add_right_angle(const frames *f, cairn_vec3 s, cairn_vec3 t, cairn_joint_rows *out) {
    cairn_joint_row *row = new_row(out);
    turn_row(f, cairn_vec3_cross(t, s), row);
    row->gap = cairn_vec3_dot(s, t);
}

static void add_lock(const frames *f, cairn_joint_rows *out) {
    cairn_quat q = cairn_quat_multiply(cairn_quat_conjugate(f->qa), f->qb);
    double side = q.w >= 0.0 ? 2.0 : -2.0, gap[3] = {side * q.x, side * q.y, side * q.z};
    for (int k = 0; k < 3; k++) {
        cairn_joint_row *row = new_row(out);
        turn_row(f, f->ea[k], row);
        row->gap = gap[k];
    }
}

/* Direction from a's origin to b's; any when they are one. */
static cairn_vec3 between(const frames *f, double *distance) {
    cairn_vec3 d = cairn_vec3_sub(f->pb, f->pa);
    *distance = cairn_vec3_length(d);
    return *distance > 0.0 ? cairn_vec3_scale(1.0 / *distance, d) : f->ea[2];
}

/* The rate of the distance: arms to either origin. */
static double distance_row(const frames *f, cairn_joint_row *row) {
    double distance;
    cairn_vec3 n = between(f, &distance);
    if (!f->parts)
        return distance;
    cairn_rigid_row(&f->Rb, cairn_vec3_sub(f->pb, f->b->x), n, 1.0, row->b);
    cairn_rigid_row(&f->Ra, cairn_vec3_sub(f->pa, f->a->x), n, -1.0, row->a);
    return distance;
}

/* One side of a gear: body with rotation R and frame (origin p, x axis x); axis and origin are carried. */
typedef struct gear_side {
    bool slide;
    cairn_vec3 e[3], origin; /* axes and origin of the frame that the carrier carries, world */
    const cairn_rigid *body;
    const cairn_mat3 *R;
    cairn_vec3 p, x;
} gear_side;

static gear_side side_of(const cairn_joint_data *j, const frames *f, bool b) {
    const cairn_rigid *c = f->carrier;
    cairn_pose in = b ? j->in_b : j->in_a;
    cairn_mat3 R = cairn_quat_matrix(cairn_quat_multiply(c->q, in.rotation));
    gear_side s = {.slide = b ? j->def.slide_b : j->def.slide_a,
                   .origin = cairn_vec3_add(c->x, cairn_quat_rotate(c->q, in.position)),
                   .body = b ? f->b : f->a,
                   .R = b ? &f->Rb : &f->Ra,
                   .p = b ? f->pb : f->pa,
                   .x = b ? f->eb[0] : f->ea[0]};
    for (int k = 0; k < 3; k++)
        s.e[k] = cairn_vec3_of(R.m[0][k], R.m[1][k], R.m[2][k]);
    return s;
}

/* The way of a side: along or about the z that is carried. The turn is the one nearest to `near`. */
static double gear_way(const gear_side *s, double near) {
    if (s->slide)
        return cairn_vec3_dot(s->e[2], cairn_vec3_sub(s->p, s->origin));
    double angle = atan2(cairn_vec3_dot(s->x, s->e[1]), cairn_vec3_dot(s->x, s->e[0]));
    return angle + TWO_PI * round((near - angle) / TWO_PI);
}

/* Part of a gear's row for the body of a side, and what it adds to that of the carrier, whose rotation is Rc. */
static void gear_part(const gear_side *s, const cairn_rigid *carrier, const cairn_mat3 *Rc, double factor, double *part,
                      double *carried) {
    cairn_vec3 z = s->e[2];
    if (s->slide) {
        double other[6];
        cairn_rigid_row(s->R, cairn_vec3_sub(s->p, s->body->x), z, factor, part);
        cairn_rigid_row(Rc, cairn_vec3_sub(s->p, carrier->x), z, -factor, other);
        for (int i = 0; i < 6; i++)
            carried[i] += other[i];
        return;
    }
    cairn_vec3 turn = cairn_mat3_apply_transposed(s->R, z), back = cairn_mat3_apply_transposed(Rc, z);
    part[3] = factor * turn.x;
    part[4] = factor * turn.y;
    part[5] = factor * turn.z;
    carried[3] -= factor * back.x;
    carried[4] -= factor * back.y;
    carried[5] -= factor * back.z;
}

/* The turn of b that is meant is the one that fits that of a: only that of a is counted. */
static void add_gear(const cairn_joint_data *j, const frames *f, cairn_joint_rows *out) {
    cairn_joint_row *row = new_row(out);
    gear_side a = side_of(j, f, false), b = side_of(j, f, true);
    double ratio = j->def.ratio, way_a = gear_way(&a, j->coordinate), way_b = gear_way(&b, -way_a / ratio);
    row->gap = way_a + ratio * way_b;
    row->turn = !a.slide;
    if (!f->parts)
        return;
    cairn_mat3 Rc = cairn_quat_matrix(f->carrier->q);
    gear_part(&a, f->carrier, &Rc, 1.0, row->a, row->c);
    gear_part(&b, f->carrier, &Rc, ratio, row->b, row->c);
}

/* The rows that hold the bodies together. */
static void hold(const cairn_joint_data *j, const frames *f, cairn_joint_rows *out) {
    int from = 0, to = -1; /* axes along which the origins stay together */
    switch (j->def.kind) {
    case CAIRN_JOINT_FIXED:
    case CAIRN_JOINT_SPHERICAL:
    case CAIRN_JOINT_REVOLUTE:
    case CAIRN_JOINT_UNIVERSAL:
        to = 2;
        break;
    case CAIRN_JOINT_PRISMATIC:
    case CAIRN_JOINT_CYLINDRICAL:
    case CAIRN_JOINT_POINT_ON_LINE:
        to = 1;
        break;
    case CAIRN_JOINT_POINT_ON_PLANE:
        from = 2;
        to = 2;
        break;
    default:
        break;
    }
    for (int k = from; k <= to; k++)
        add_point(f, k, out);
    if (j->def.kind == CAIRN_JOINT_FIXED || j->def.kind == CAIRN_JOINT_PRISMATIC)
        add_lock(f, out);
    if (j->def.kind == CAIRN_JOINT_REVOLUTE || j->def.kind == CAIRN_JOINT_CYLINDRICAL)
        for (int k = 0; k < 2; k++)
            add_right_angle(f, f->ea[k], f->eb[2], out);
    if (j->def.kind == CAIRN_JOINT_UNIVERSAL)
        add_right_angle(f, f->ea[2], f->eb[0], out);
    if (j->def.kind == CAIRN_JOINT_GEAR)
        add_gear(j, f, out);
    if (j->def.kind == CAIRN_JOINT_DISTANCE) {
        cairn_joint_row *row = new_row(out);
        row->gap = distance_row(f, row) - j->length;
    }
}

/* Does the kind let z of b tilt against z of a in every direction? */
static bool tilts(cairn_joint_kind kind) {
    return kind != CAIRN_JOINT_REVOLUTE && kind != CAIRN_JOINT_CYLINDRICAL && kind != CAIRN_JOINT_UNIVERSAL;
}

/* The turn of b about z, within half a turn. */
static double turn_of(cairn_joint_kind kind, const frames *f) {
    if (!tilts(kind))
        return atan2(cairn_vec3_dot(f->eb[0], f->ea[1]), cairn_vec3_dot(f->eb[0], f->ea[0]));
    cairn_quat q = cairn_quat_multiply(cairn_quat_conjugate(f->qa), f->qb);
    return 2.0 * atan2(q.z, q.w);
}

/* The axis of its rate. Where z of b points against z of a there is no twist, and the axis is kept from growing without end. */
static cairn_vec3 turn_axis(cairn_joint_kind kind, const frames *f) {
    if (!tilts(kind))
        return f->ea[2];
    double cosine = cairn_vec3_dot(f->ea[2], f->eb[2]);
    return cairn_vec3_scale(1.0 / fmax(1.0 + cosine, UPRIGHT_LEAST), cairn_vec3_add(f->ea[2], f->eb[2]));
}

static double coordinate_of(const cairn_joint_data *j, const frames *f, double near) {
    double value = 0.0;
    if (j->def.kind == CAIRN_JOINT_GEAR) {
        gear_side a = side_of(j, f, false);
        return gear_way(&a, near);
    }
    if (j->def.coordinate == CAIRN_COORDINATE_TURN) {
        value = turn_of(j->def.kind, f);
        value += TWO_PI * round((near - value) / TWO_PI);
    } else if (j->def.coordinate == CAIRN_COORDINATE_SLIDE) {
        value = cairn_vec3_dot(f->ea[2], cairn_vec3_sub(f->pb, f->pa));
    } else if (j->def.coordinate == CAIRN_COORDINATE_DISTANCE) {
        between(f, &value);
    }
    return value;
}

double cairn_joint_coordinate(const cairn_joint_data *j, cairn_joint_ends ends, double near) {
    if (j->def.kind != CAIRN_JOINT_GEAR && j->def.coordinate == CAIRN_COORDINATE_NONE)
        return 0.0;
    frames f = place(j, ends, false);
    return coordinate_of(j, &f, near);
}

/* One more row of its own block along the coordinate; sign -1 turns it round. */
static cairn_joint_row *drive_row(const cairn_joint_data *j, const frames *f, double sign, cairn_block block,
                                  cairn_joint_rows *out) {
    cairn_joint_row *row = new_row(out);
    if (j->def.coordinate == CAIRN_COORDINATE_TURN)
        turn_row(f, turn_axis(j->def.kind, f), row);
    else if (j->def.coordinate == CAIRN_COORDINATE_SLIDE)
        point_row(f, f->ea[2], row);
    else
        distance_row(f, row);
    for (int i = 0; i < 6; i++) {
        row->a[i] *= sign;
        row->b[i] *= sign;
    }
    row->drive = sign;
    block.dim = 1;
    out->block[out->blocks++] = block;
    return row;
}

static void drives(const cairn_joint_data *j, const frames *f, double t, double h, cairn_joint_rows *out) {
    const cairn_joint_def *d = &j->def;
    if (d->coordinate == CAIRN_COORDINATE_NONE)
        return; /* nothing to act on */
    double c = coordinate_of(j, f, j->coordinate);
    cairn_joint_row *row;
    if (d->motion != NULL) {
        row = drive_row(j, f, 1.0, (cairn_block){.set = CAIRN_SET_BILATERAL}, out);
        row->bias = (c - d->motion(d->motion_user, t + h)) / h;
        row->placed = true;
    }
    if (d->stiffness > 0.0 || d->damping > 0.0) {
        double soft = h * d->stiffness + d->damping;
        row = drive_row(j, f, 1.0, (cairn_block){.set = CAIRN_SET_BILATERAL}, out);
        row->C = 1.0 / (h * soft);
        row->bias = (c - d->rest) * d->stiffness / soft;
    }
    if (d->motor) {
        row = drive_row(j, f, 1.0,
                        (cairn_block){.set = CAIRN_SET_BOX, .lo = -h * d->motor_limit, .hi = h * d->motor_limit}, out);
        row->bias = -d->speed;
    }
    if (d->friction > 0.0)
        drive_row(j, f, 1.0, (cairn_block){.set = CAIRN_SET_BALL, .radius = h * d->friction}, out);
    if (d->limited && isfinite(d->low)) {
        row = drive_row(j, f, 1.0, (cairn_block){.set = CAIRN_SET_NONNEGATIVE}, out);
        row->bias = (c - d->low) / h;
        row->placed = true;
    }
    if (d->limited && isfinite(d->high)) {
        row = drive_row(j, f, -1.0, (cairn_block){.set = CAIRN_SET_NONNEGATIVE}, out);
        row->bias = (d->high - c) / h;
        row->placed = true;
    }
}

static void write(const cairn_joint_data *j, cairn_joint_ends ends, bool parts, double t, double h,
                  cairn_joint_rows *out) {
    frames f = place(j, ends, parts);
    out->rows = out->blocks = 0;
    hold(j, &f, out);
    for (int k = 0; k < out->rows; k++) {
        out->row[k].bias = out->row[k].gap / h;
        out->row[k].placed = true;
        out->row[k].C = j->def.compliance / (h * h);
    }
    if (out->rows > 0)
        out->block[out->blocks++] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = out->rows};
    drives(j, &f, t, h, out);
}

void cairn_joint_write(const cairn_joint_data *j, cairn_joint_ends ends, double t, double h, cairn_joint_rows *out) {
    write(j, ends, true, t, h, out);
}

void cairn_joint_write_gaps(const cairn_joint_data *j, cairn_joint_ends ends, double t, double h,
                            cairn_joint_rows *out) {
    write(j, ends, false, t, h, out);
}
