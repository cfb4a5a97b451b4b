/*
 * joints.c: joints of a world: made, removed, asked, and their rows and reactions in a step.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define JOINT_COOKIE 0x4a4f494eu
#define OPPOSED      0.5 /* share of its limit from which a motor counts as working */

cairn_joint_def cairn_default_joint_def(void) {
    return (cairn_joint_def){
        .cookie = JOINT_COOKIE, .frame = {{0, 0, 0}, {1, 0, 0, 0}}, .frame_b = {{0, 0, 0}, {1, 0, 0, 0}}, .ratio = 1.0};
}

static bool good_pose(cairn_pose p) {
    cairn_quat q = p.rotation;
    return isfinite(p.position.x) && isfinite(p.position.y) && isfinite(p.position.z) &&
           fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= 1e-6;
}

static bool not_negative(double x) {
    return x >= 0.0 && isfinite(x);
}

/* Whether the joint's own rows hold the coordinate, so that nothing can act on it. */
static bool is_held(const cairn_joint_def *d) {
    bool turn = d->coordinate == CAIRN_COORDINATE_TURN, moves = d->coordinate > CAIRN_COORDINATE_TURN;
    switch (d->kind) {
    case CAIRN_JOINT_FIXED:
        return turn || moves;
    case CAIRN_JOINT_PRISMATIC:
        return turn;
    case CAIRN_JOINT_SPHERICAL:
    case CAIRN_JOINT_REVOLUTE:
    case CAIRN_JOINT_UNIVERSAL:
        return moves;
    case CAIRN_JOINT_DISTANCE:
        return d->coordinate == CAIRN_COORDINATE_DISTANCE;
    case CAIRN_JOINT_POINT_ON_PLANE:
        return d->coordinate == CAIRN_COORDINATE_SLIDE;
    default:
        return false;
    }
}

static cairn_status check(cairn_world *w, const cairn_joint_def *d) {
    cairn_context *c = w->context;
    if (d->cookie != JOINT_COOKIE)
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: begin with cairn_default_joint_def()");
    if ((unsigned)d->kind > CAIRN_JOINT_GEAR || (unsigned)d->coordinate > CAIRN_COORDINATE_DISTANCE)
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: no such kind or coordinate");
    if (!good_pose(d->frame) || (d->has_frame_b && !good_pose(d->frame_b)))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT,
                          "joint: a frame is not finite, or its rotation is not a quaternion of length 1");
    bool drives = d->limited || d->motor || d->stiffness != 0.0 || d->damping != 0.0 || d->friction != 0.0 ||
                  d->motion != NULL;
    if (drives && d->coordinate == CAIRN_COORDINATE_NONE)
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT,
                          "joint: limits, motor, spring, friction or motion are given, but no coordinate to act on");
    if (d->kind == CAIRN_JOINT_GEAR && (d->ratio == 0.0 || !isfinite(d->ratio)))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: the ratio of a gear is %g; it must be finite and not 0",
                          d->ratio);
    if (d->kind == CAIRN_JOINT_GEAR && d->coordinate != CAIRN_COORDINATE_NONE)
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT,
                          "joint: a gear has no coordinate of its own; drive one of the joints that it connects");
    if (drives && is_held(d))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT,
                          "joint: its kind holds the coordinate %s; nothing can drive or limit what is held",
                          d->coordinate == CAIRN_COORDINATE_TURN    ? "turn"
                          : d->coordinate == CAIRN_COORDINATE_SLIDE ? "slide"
                                                                    : "distance");
    if (d->kind == CAIRN_JOINT_FREE && !drives)
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: a free joint without a drive does nothing");
    if (d->limited && !(d->low <= d->high))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: the limits are %g and %g; low must not exceed high", d->low,
                          d->high);
    if (d->motor && (!isfinite(d->speed) || !(d->motor_limit >= 0.0)))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: the motor needs a finite speed and a limit of 0 or more");
    if (!isfinite(d->rest))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT, "joint: the spring's rest is not finite");
    if (!not_negative(d->stiffness) || !not_negative(d->damping) || !not_negative(d->friction) ||
        !not_negative(d->compliance))
        return cairn_fail(c, CAIRN_ERROR_ARGUMENT,
                          "joint: stiffness, damping, friction and compliance must be 0 or more and finite");
    return CAIRN_OK;
}

/* The frame seen from a body's centre of mass. */
static cairn_pose from_body(const cairn_rigid *r, cairn_pose frame) {
    cairn_pose body = {r->x, r->q};
    frame.rotation = cairn_quat_unit(frame.rotation);
    return cairn_pose_relative(body, frame);
}

static cairn_status find_ends(cairn_world *w, const cairn_joint_def *def, int *end) {
    const cairn_body body[2] = {def->a, def->b};
    for (int i = 0; i < 2; i++) {
        end[i] = 0;
        if (body[i].slot == 0 && body[i].generation == 0)
            continue;
        end[i] = cairn_world_find(w, body[i]);
        if (end[i] == 0)
            return CAIRN_ERROR_ARGUMENT;
    }
    if (def->kind == CAIRN_JOINT_GEAR && (end[0] == 0 || end[1] == 0))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: a gear needs two bodies; one end is the world");
    if (end[0] == end[1])
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          end[0] == 0 ? "joint: both ends are the world; at least one must be a body"
                                      : "joint: both ends are the same body");
    if (w->slot[end[0]].kind != CAIRN_BODY_DYNAMIC && w->slot[end[1]].kind != CAIRN_BODY_DYNAMIC)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: neither body can move");
    return CAIRN_OK;
}

/* The slot of a gear's carrier; 0: the world. */
static cairn_status find_carrier(cairn_world *w, const cairn_joint_def *def, const int *end, int *carrier) {
    *carrier = 0;
    if (def->carrier.slot == 0 && def->carrier.generation == 0)
        return CAIRN_OK;
    if (def->kind != CAIRN_JOINT_GEAR)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: only gears have a carrier");
    *carrier = cairn_world_find(w, def->carrier);
    if (*carrier == 0)
        return CAIRN_ERROR_ARGUMENT;
    if (*carrier == end[0] || *carrier == end[1])
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: the carrier of a gear is one of its wheels");
    if (w->slot[*carrier].flex != NULL)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: the carrier of a gear must be rigid");
    return CAIRN_OK;
}

/* Which joints can hold a point without axes. */
static cairn_status check_part_ends(cairn_world *w, const cairn_joint_def *d, const int *end) {
    bool part_a = cairn_flex_of(w, end[0]) != NULL, part_b = cairn_flex_of(w, end[1]) != NULL;
    bool far = d->coordinate == CAIRN_COORDINATE_NONE || d->coordinate == CAIRN_COORDINATE_DISTANCE;
    bool either = far &&
                  (d->kind == CAIRN_JOINT_SPHERICAL || d->kind == CAIRN_JOINT_DISTANCE || d->kind == CAIRN_JOINT_FREE);
    bool as_b = d->coordinate != CAIRN_COORDINATE_TURN &&
                (either || d->kind == CAIRN_JOINT_SPHERICAL || d->kind == CAIRN_JOINT_POINT_ON_LINE ||
                 d->kind == CAIRN_JOINT_POINT_ON_PLANE || d->kind == CAIRN_JOINT_FREE);
    if ((part_a && !either) || (part_b && !as_b))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "joint: a point of a flexible part has no axes: spherical and distance joints take it at "
                          "either end, points on lines and planes as b; to hold a piece of it use a weld");
    return CAIRN_OK;
}

static void free_joint(cairn_world *w, int slot) {
    w->joint[slot].generation++;
    w->free_joint = slot < w->free_joint ? slot : w->free_joint;
}

/* A joint in a slot of its own; ends and points of parts are known. */
static cairn_status make_joint(cairn_world *w, const cairn_joint_def *def, const int *end, int carrier,
                               const cairn_spread *spread, cairn_joint *joint) {
    cairn_status status = CAIRN_OK;
    int at = w->free_joint > 1 ? w->free_joint : 1;
    while (at < w->joints && w->joint[at].generation % 2 == 1)
        at++;
    w->free_joint = at;
    if (at == w->joints) {
        status = cairn_world_grow(w->context, &w->joint, w->joint_capacity > 0 ? w->joints : 0, &w->joint_capacity,
                                  at + 1, sizeof *w->joint);
        if (status != CAIRN_OK)
            return status;
        w->joints++;
    }
    cairn_joint_slot *j = &w->joint[at];
    *j = (cairn_joint_slot){.generation = j->generation + 1, .open = INFINITY, .at = {spread[0], spread[1]}};
    j->data.def = *def;
    j->data.a = end[0];
    j->data.b = end[1];
    j->data.carrier = carrier;
    cairn_rigid own[2] = {cairn_joint_end(w, j, 0), cairn_joint_end(w, j, 1)};
    const cairn_rigid *a = &own[0], *b = &own[1], *c = &w->rigid[carrier];
    cairn_pose frame_b = def->has_frame_b ? def->frame_b : def->frame;
    j->data.at_a = from_body(a, def->frame);
    j->data.at_b = from_body(b, frame_b);
    j->data.in_a = from_body(c, def->frame);
    j->data.in_b = from_body(c, frame_b);
    if (spread[0].count > 0)
        j->data.at_a.position = cairn_vec3_of(0, 0, 0);
    if (spread[1].count > 0)
        j->data.at_b.position = cairn_vec3_of(0, 0, 0);
    j->data.length = cairn_vec3_length(cairn_vec3_sub(frame_b.position, def->frame.position));
    j->data.coordinate = cairn_joint_coordinate(&j->data, (cairn_joint_ends){a, b, c}, 0.0);
    *joint = (cairn_joint){(uint32_t)at, j->generation};
    return CAIRN_OK;
}

cairn_status cairn_world_add_joint(cairn_world *w, const cairn_joint_def *def, cairn_joint *joint) {
    cairn_status usable = cairn_world_check(w, true, def != NULL && joint != NULL, "cairn_world_add_joint");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    int end[2], carrier = 0;
    cairn_spread spread[2] = {{0}, {0}};
    cairn_status status = check(w, def);
    if (status == CAIRN_OK && w->slots < 2)
        status = cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "joint: the world has no bodies yet");
    if (status == CAIRN_OK)
        status = find_ends(w, def, end);
    if (status == CAIRN_OK)
        status = find_carrier(w, def, end, &carrier);
    if (status == CAIRN_OK)
        status = check_part_ends(w, def, end);
    cairn_joint_def own = *def;
    for (int i = 0; i < 2 && status == CAIRN_OK; i++) {
        if (cairn_flex_of(w, end[i]) == NULL)
            continue;
        cairn_vec3 *place = i == 1 && def->has_frame_b ? &own.frame_b.position : &own.frame.position;
        status = cairn_flex_anchor(w, end[i], *place, &spread[i]);
        if (status == CAIRN_OK)
            *place = cairn_spread_of(&spread[i], w->slot[end[i]].flex->part->x);
    }
    if (status == CAIRN_OK && own.kind == CAIRN_JOINT_DISTANCE) {
        cairn_vec3 far = own.has_frame_b ? own.frame_b.position : own.frame.position;
        if (!(cairn_vec3_length(cairn_vec3_sub(far, own.frame.position)) > 0.0))
            status = cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                                "joint: the distance to keep is 0: give the frame on b, or make it spherical");
    }
    return status == CAIRN_OK ? make_joint(w, &own, end, carrier, spread, joint) : status;
}

cairn_status cairn_world_weld(cairn_world *w, cairn_body part, int nodes, const int *node, cairn_body body,
                              cairn_joint *joint) {
    cairn_status usable = cairn_world_check(w, true, node != NULL, "cairn_world_weld");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.a = body;
    def.b = part;
    cairn_flexible_view view;
    cairn_status status = cairn_world_flexible(w, part, &view);
    int end[2], made = 0;
    if (status == CAIRN_OK)
        status = find_ends(w, &def, end);
    if (status == CAIRN_OK && w->slot[end[0]].flex != NULL)
        status = cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "weld: the body must be a rigid one, or the world");
    uint32_t *slot = status == CAIRN_OK ? cairn_alloc(w->context, (size_t)(nodes > 0 ? nodes : 0), sizeof *slot) : NULL;
    if (status == CAIRN_OK && slot == NULL)
        status = CAIRN_ERROR_MEMORY;
    for (int i = 0; i < nodes && status == CAIRN_OK; i++) {
        cairn_joint name;
        if (node[i] < 0 || node[i] >= view.mesh.nodes) {
            status = cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "weld: node %d; the mesh has %d nodes", node[i],
                                view.mesh.nodes);
            break;
        }
        int at = view.mesh.vector[node[i]];
        const cairn_spread spread[2] = {{0}, {.count = 1, .vector = {at}, .weight = {1.0}}};
        def.frame.position = cairn_vec3_of(view.x[3 * at], view.x[3 * at + 1], view.x[3 * at + 2]);
        status = make_joint(w, &def, end, 0, spread, &name);
        if (status != CAIRN_OK)
            break;
        slot[made++] = name.slot;
        if (joint != NULL)
            joint[i] = name;
    }
    for (int i = 0; i < made && status != CAIRN_OK; i++)
        free_joint(w, (int)slot[i]);
    cairn_free(w->context, slot);
    return status;
}

static cairn_joint_slot *find(const cairn_world *w, cairn_joint joint) {
    if (joint.slot > 0 && joint.slot < (uint32_t)w->joints && joint.generation % 2 == 1 &&
        w->joint[joint.slot].generation == joint.generation)
        return &w->joint[joint.slot];
    cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "there is no such joint in this world (slot %u)", joint.slot);
    return NULL;
}

cairn_status cairn_world_remove_joint(cairn_world *w, cairn_joint joint) {
    cairn_status usable = cairn_world_check(w, true, true, "cairn_world_remove_joint");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    cairn_joint_slot *j = find(w, joint);
    if (j == NULL)
        return CAIRN_ERROR_ARGUMENT;
    free_joint(w, (int)joint.slot);
    return CAIRN_OK;
}

cairn_status cairn_world_joint(const cairn_world *w, cairn_joint joint, cairn_joint_state *state) {
    cairn_status usable = cairn_world_check(w, false, state != NULL, "cairn_world_joint");
    if (usable != CAIRN_OK)
        return usable;
    const cairn_joint_slot *j = find(w, joint);
    if (j == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *state = (cairn_joint_state){.coordinate = j->data.coordinate,
                                 .force = j->data.force,
                                 .torque = j->data.torque,
                                 .drive = j->data.drive,
                                 .gap = j->data.gap};
    return CAIRN_OK;
}

void cairn_world_find_opposed(const cairn_world *w, cairn_joint opposed[2]) {
    double most[2] = {OPPOSED, OPPOSED}; /* shares of the limit: towards the motor's speed, against it */
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_def *def = &w->joint[i].data.def;
        if (w->joint[i].generation % 2 == 0 || !def->motor || !(def->motor_limit > 0.0) || def->speed == 0.0)
            continue;
        double share = copysign(w->joint[i].data.drive / def->motor_limit, w->joint[i].data.drive * def->speed);
        int side = share < 0.0;
        if (!(fabs(share) > most[side]))
            continue;
        most[side] = fabs(share);
        opposed[side] = (cairn_joint){(uint32_t)i, w->joint[i].generation};
    }
    if (opposed[0].slot == 0 || opposed[1].slot == 0)
        opposed[0] = opposed[1] = (cairn_joint){0, 0};
}

void cairn_world_clear_reactions(cairn_world *w) {
    for (int i = 1; i < w->joints; i++) {
        cairn_joint_data *d = &w->joint[i].data;
        d->force = d->torque = cairn_vec3_of(0, 0, 0);
        d->drive = 0.0;
    }
}

/* Adds force and torque on b from the impulses of the rows; the torque of a row is about b's centre of mass and is moved to the
 * frame's origin. */
static void react(const cairn_world *w, cairn_joint_slot *j, cairn_quat turned, cairn_vec3 arm) {
    cairn_joint_data *d = &j->data;
    double h = w->def.step; /* parts of a step add up to its mean */
    cairn_vec3 force = {0, 0, 0}, spin = {0, 0, 0};
    for (int k = 0; k < j->rows.rows; k++) {
        const double *r = j->rows.row[k].b;
        double g = d->gamma[k] / h;
        force = cairn_vec3_add(force, cairn_vec3_of(g * r[0], g * r[1], g * r[2]));
        spin = cairn_vec3_add(spin, cairn_vec3_of(g * r[3], g * r[4], g * r[5]));
        d->drive += j->rows.row[k].drive * g;
    }
    d->force = cairn_vec3_add(d->force, force);
    d->torque = cairn_vec3_add(d->torque,
                               cairn_vec3_sub(cairn_quat_rotate(turned, spin), cairn_vec3_cross(arm, force)));
}

void cairn_world_settle_joints(cairn_world *w) {
    for (int i = 1; i < w->joints; i++) {
        cairn_joint_slot *j = &w->joint[i];
        if (j->generation % 2 == 0)
            continue;
        cairn_rigid room[2];
        const cairn_rigid *a = cairn_joint_end_at(w, j, 0, &room[0]), *b = cairn_joint_end_at(w, j, 1, &room[1]);
        react(w, j, b->q, cairn_quat_rotate(b->q, j->data.at_b.position));
        cairn_joint_ends ends = {a, b, &w->rigid[j->data.carrier]};
        j->data.coordinate = cairn_joint_coordinate(&j->data, ends, j->data.coordinate);
        j->data.gap = j->gap;
    }
}
