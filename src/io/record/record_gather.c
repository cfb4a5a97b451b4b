/*
 * record_gather.c: rows of a recording from a world: shapes, bodies and joints that are new, and
 * the frame of a step.
 *
 * Equal shapes are one row (by their hash), so that a thousand bricks need one. Children of a
 * compound come before it.
 */
#include "collide/shape/shape.h"
#include "world/flexible/flexible.h"
#include "io/record/record_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* New shapes of one gathering. */
typedef struct fresh {
    const cairn_shape **item;
    int count, capacity;
} fresh;

cairn_status cairn_record_know_shape(cairn_record *r, uint64_t hash) {
    cairn_status status = cairn_world_grow(r->context, &r->shape, r->shapes, &r->shape_capacity, r->shapes + 1,
                                           sizeof *r->shape);
    if (status == CAIRN_OK)
        r->shape[r->shapes++] = hash;
    return status;
}

cairn_status cairn_record_know_body(cairn_record *r, cairn_known body) {
    cairn_status status = cairn_world_grow(r->context, &r->body, r->bodies, &r->body_capacity, r->bodies + 1,
                                           sizeof *r->body);
    if (status == CAIRN_OK)
        status = cairn_world_grow(r->context, &r->row_of_slot, r->slots, &r->slot_capacity, (int)body.slot + 1,
                                  sizeof *r->row_of_slot);
    if (status != CAIRN_OK)
        return status;
    while (r->slots <= (int)body.slot)
        r->row_of_slot[r->slots++] = -1;
    r->row_of_slot[body.slot] = r->bodies;
    r->body[r->bodies++] = body;
    return CAIRN_OK;
}

cairn_status cairn_record_know_joint(cairn_record *r, cairn_known joint) {
    cairn_status status = cairn_world_grow(r->context, &r->joint, r->joints, &r->joint_capacity, r->joints + 1,
                                           sizeof *r->joint);
    if (status == CAIRN_OK)
        r->joint[r->joints++] = joint;
    return status;
}

/* The row of the body in a slot, -1: not known, or the slot is 0 or not in use. */
static int body_row(const cairn_record *r, const cairn_world *w, int slot) {
    int row = slot > 0 && slot < r->slots ? r->row_of_slot[slot] : -1;
    bool same = row >= 0 && row < r->bodies && r->body[row].slot == (uint32_t)slot &&
                r->body[row].generation == w->slot[slot].generation;
    return same && w->slot[slot].generation % 2 == 1 ? row : -1;
}

static int shape_row(const cairn_record *r, const cairn_shape *shape) {
    if (shape == NULL)
        return -1;
    uint64_t hash = cairn_shape_hash(CAIRN_HASH_START, shape);
    for (int i = 0; i < r->shapes; i++)
        if (r->shape[i] == hash)
            return i;
    return -1;
}

/* Compounds of compounds are not made, so this goes one level deep. */
static cairn_status meet_shape(cairn_record *r, const cairn_shape *shape, fresh *list) {
    cairn_status status = CAIRN_OK;
    if (shape == NULL || shape_row(r, shape) >= 0)
        return CAIRN_OK;
    for (int i = 0; i < shape->children && status == CAIRN_OK; i++)
        status = meet_shape(r, shape->child[i], list);
    if (status == CAIRN_OK)
        status = cairn_world_grow(r->context, &list->item, list->count, &list->capacity, list->count + 1,
                                  sizeof *list->item);
    if (status == CAIRN_OK)
        status = cairn_record_know_shape(r, cairn_shape_hash(CAIRN_HASH_START, shape));
    if (status == CAIRN_OK)
        list->item[list->count++] = shape;
    return status;
}

static bool joint_known(const cairn_record *r, const cairn_world *w, int slot) {
    for (int i = r->joints - 1; i >= 0; i--)
        if (r->joint[i].slot == (uint32_t)slot)
            return r->joint[i].generation == w->joint[slot].generation;
    return false;
}

/* Notes everything new. */
static cairn_status meet(cairn_record *r, const cairn_world *w, fresh *list) {
    cairn_status status = CAIRN_OK;
    for (int i = 1; i < w->slots && status == CAIRN_OK; i++) {
        if (w->slot[i].generation % 2 == 0 || body_row(r, w, i) >= 0)
            continue;
        status = meet_shape(r, w->slot[i].shape, list);
        if (status == CAIRN_OK)
            status = cairn_record_know_body(r, (cairn_known){(uint32_t)i, w->slot[i].generation});
        if (status == CAIRN_OK && w->slot[i].flex != NULL)
            status = cairn_record_know_part(r, r->bodies - 1, w->slot[i].flex->part->view.nodes);
    }
    for (int i = 1; i < w->joints && status == CAIRN_OK; i++)
        if (w->joint[i].generation % 2 == 1 && !joint_known(r, w, i))
            status = cairn_record_know_joint(r, (cairn_known){(uint32_t)i, w->joint[i].generation});
    return status;
}

static int triangles_of(const cairn_shape *s) {
    if (s->kind == CAIRN_SHAPE_HULL)
        return s->hull.face_start[s->hull.faces] - 2 * s->hull.faces;
    return s->kind == CAIRN_SHAPE_MESH ? s->mesh.triangles : 0;
}

static int points_of(const cairn_shape *s) {
    return s->kind == CAIRN_SHAPE_HULL ? s->hull.vertices : s->kind == CAIRN_SHAPE_MESH ? s->mesh.points : 0;
}

static void count_shapes(const fresh *list, int64_t *count) {
    count[CAIRN_ROW_SHAPE] = list->count;
    for (int i = 0; i < list->count; i++) {
        count[CAIRN_ROW_POINT] += points_of(list->item[i]);
        count[CAIRN_ROW_TRIANGLE] += triangles_of(list->item[i]);
        count[CAIRN_ROW_CHILD] += list->item[i]->children;
    }
}

static void put_vec(double *at, cairn_vec3 x) {
    at[0] = x.x;
    at[1] = x.y;
    at[2] = x.z;
}

static void put_quat(double *at, cairn_quat q) {
    at[0] = q.w;
    at[1] = q.x;
    at[2] = q.y;
    at[3] = q.z;
}

static void put_size(const cairn_shape *s, double *size) {
    if (s->kind == CAIRN_SHAPE_BOX || s->kind == CAIRN_SHAPE_ELLIPSOID) {
        put_vec(size, s->extent);
        return;
    }
    size[0] = s->radius;
    size[1] = s->kind == CAIRN_SHAPE_CONE ? s->height : s->half;
}

static void put_triangles(const cairn_shape *s, int32_t *at) {
    if (s->kind == CAIRN_SHAPE_MESH)
        for (int i = 0; i < 3 * s->mesh.triangles; i++)
            at[i] = s->mesh.corner[i];
    for (int f = 0; s->kind == CAIRN_SHAPE_HULL && f < s->hull.faces; f++)
        for (int k = s->hull.face_start[f] + 1; k + 1 < s->hull.face_start[f + 1]; k++) {
            *at++ = s->hull.face_vertex[s->hull.face_start[f]];
            *at++ = s->hull.face_vertex[k];
            *at++ = s->hull.face_vertex[k + 1];
        }
}

static void fill_shapes(cairn_record *r, const fresh *list) {
    void **field = r->rows.field;
    int64_t point = 0, triangle = 0, child = 0;
    for (int i = 0; i < list->count; i++) {
        const cairn_shape *s = list->item[i];
        ((int32_t *)field[CAIRN_F_SHAPE_KIND])[i] = (int32_t)s->kind;
        put_size(s, (double *)field[CAIRN_F_SHAPE_SIZE] + (ptrdiff_t)3 * i);
        ((int64_t *)field[CAIRN_F_SHAPE_POINT_FIRST])[i] = r->total[CAIRN_ROW_POINT] + point;
        ((int32_t *)field[CAIRN_F_SHAPE_POINT_COUNT])[i] = points_of(s);
        ((int64_t *)field[CAIRN_F_SHAPE_TRIANGLE_FIRST])[i] = r->total[CAIRN_ROW_TRIANGLE] + triangle;
        ((int32_t *)field[CAIRN_F_SHAPE_TRIANGLE_COUNT])[i] = triangles_of(s);
        ((int64_t *)field[CAIRN_F_SHAPE_CHILD_FIRST])[i] = r->total[CAIRN_ROW_CHILD] + child;
        ((int32_t *)field[CAIRN_F_SHAPE_CHILD_COUNT])[i] = s->children;
        uint64_t hash = cairn_shape_hash(CAIRN_HASH_START, s);
        memcpy((int64_t *)field[CAIRN_F_SHAPE_HASH] + i, &hash, sizeof hash);
        const cairn_vec3 *from = s->kind == CAIRN_SHAPE_MESH ? s->mesh.point : s->hull.vertex;
        for (int k = 0; k < points_of(s); k++)
            put_vec((double *)field[CAIRN_F_POINT] + 3 * point++, from[k]);
        put_triangles(s, (int32_t *)field[CAIRN_F_TRIANGLE] + 3 * triangle);
        triangle += triangles_of(s);
        for (int k = 0; k < s->children; k++, child++) {
            ((int32_t *)field[CAIRN_F_CHILD_SHAPE])[child] = shape_row(r, s->child[k]);
            double *pose = (double *)field[CAIRN_F_CHILD_POSE] + 7 * child;
            put_vec(pose, s->pose[k].position);
            put_quat(pose + 3, s->pose[k].rotation);
        }
    }
}

/* A name that is too long is cut between two letters of UTF-8, with a warning. */
static void put_name(const cairn_record *r, char *at, const char *name, const char *what, uint32_t slot) {
    if (name == NULL) {
        snprintf(at, CAIRN_RECORD_NAME, "%s %u", what, slot);
        return;
    }
    size_t length = strlen(name);
    if (length >= CAIRN_RECORD_NAME) {
        length = CAIRN_RECORD_NAME - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
            length--;
        cairn_log(r->context, CAIRN_LOG_WARNING,
                  "%s: the name of a %s has %zu bytes, the recording keeps %zu of them: %s", r->path, what,
                  strlen(name), length, name);
    }
    memcpy(at, name, length);
    at[length] = '\0';
}

/* Labels mostly come in the order of the slots: the search begins behind the last one found. */
static const char *body_label(const cairn_record_options *o, cairn_known b, int *next) {
    for (int k = 0; o != NULL && k < o->body_labels; k++) {
        const cairn_body_label *l = &o->body_label[(*next + k) % o->body_labels];
        if (l->body.slot != b.slot || l->body.generation != b.generation)
            continue;
        *next = (*next + k + 1) % o->body_labels;
        return l->name;
    }
    return NULL;
}

static void fill_bodies(cairn_record *r, const cairn_world *w, int first, const cairn_record_options *labels) {
    void **field = r->rows.field;
    int next = 0;
    for (int row = first; row < r->bodies; row++) {
        int i = row - first, slot = (int)r->body[row].slot;
        const cairn_rigid *rigid = &w->rigid[slot];
        put_name(r, (char *)field[CAIRN_F_BODY_NAME] + (ptrdiff_t)CAIRN_RECORD_NAME * i,
                 body_label(labels, r->body[row], &next), "body", (uint32_t)slot);
        ((int32_t *)field[CAIRN_F_BODY_KIND])[i] = (int32_t)w->slot[slot].kind;
        ((int32_t *)field[CAIRN_F_BODY_SHAPE])[i] = shape_row(r, w->slot[slot].shape);
        ((double *)field[CAIRN_F_BODY_MASS])[i] = rigid->mass;
        put_vec((double *)field[CAIRN_F_BODY_CENTER] + (ptrdiff_t)3 * i, cairn_vec3_scale(-1.0, rigid->offset));
        memcpy((double *)field[CAIRN_F_BODY_INERTIA] + (ptrdiff_t)9 * i, rigid->inertia.m, sizeof rigid->inertia.m);
        ((int32_t *)field[CAIRN_F_BODY_SLOT])[i] = slot;
        ((int32_t *)field[CAIRN_F_BODY_GENERATION])[i] = (int32_t)r->body[row].generation;
    }
}

/* The frame of a joint at one of its ends, as seen from the body's own; a point of a flexible
 * part as it lies in the body now. */
static void put_frame(double *at, const cairn_world *w, const cairn_joint_slot *joint, int end) {
    const cairn_joint_data *d = &joint->data;
    const cairn_rigid *body = &w->rigid[end == 0 ? d->a : d->b];
    cairn_pose from_center = end == 0 ? d->at_a : d->at_b;
    if (joint->at[end].count > 0) {
        cairn_rigid point = cairn_joint_end(w, joint, end);
        cairn_pose own = {body->x, body->q}, world = cairn_pose_multiply((cairn_pose){point.x, point.q}, from_center);
        from_center = (cairn_pose){cairn_pose_apply_inverse(own, world.position),
                                   cairn_quat_multiply(cairn_quat_conjugate(body->q), world.rotation)};
    }
    put_vec(at, cairn_vec3_sub(from_center.position, body->offset));
    put_quat(at + 3, from_center.rotation);
}

static void fill_joints(cairn_record *r, const cairn_world *w, int first, const cairn_record_options *labels) {
    void **field = r->rows.field;
    for (int row = first; row < r->joints; row++) {
        int i = row - first, slot = (int)r->joint[row].slot;
        const cairn_joint_data *d = &w->joint[slot].data;
        const char *name = NULL;
        for (int k = 0; labels != NULL && k < labels->joint_labels && name == NULL; k++) {
            const cairn_joint_label *l = &labels->joint_label[k];
            if (l->joint.slot == (uint32_t)slot && l->joint.generation == r->joint[row].generation)
                name = l->name;
        }
        put_name(r, (char *)field[CAIRN_F_JOINT_NAME] + (ptrdiff_t)CAIRN_RECORD_NAME * i, name, "joint",
                 (uint32_t)slot);
        ((int32_t *)field[CAIRN_F_JOINT_KIND])[i] = (int32_t)d->def.kind;
        ((int32_t *)field[CAIRN_F_JOINT_A])[i] = body_row(r, w, d->a);
        ((int32_t *)field[CAIRN_F_JOINT_B])[i] = body_row(r, w, d->b);
        put_frame((double *)field[CAIRN_F_JOINT_FRAME_A] + (ptrdiff_t)7 * i, w, &w->joint[slot], 0);
        put_frame((double *)field[CAIRN_F_JOINT_FRAME_B] + (ptrdiff_t)7 * i, w, &w->joint[slot], 1);
        ((int32_t *)field[CAIRN_F_JOINT_SLOT])[i] = slot;
        ((int32_t *)field[CAIRN_F_JOINT_GENERATION])[i] = (int32_t)r->joint[row].generation;
    }
}

static void fill_poses(cairn_record *r, const cairn_world *w) {
    double *position = r->rows.field[CAIRN_F_POSITION], *rotation = r->rows.field[CAIRN_F_ROTATION];
    double *v = r->rows.field[CAIRN_F_VELOCITY], *spin = r->rows.field[CAIRN_F_ANGULAR_VELOCITY];
    for (int row = 0; row < r->bodies; row++, position += 3, rotation += 4, v += 3, spin += 3) {
        int slot = (int)r->body[row].slot;
        if (slot < w->slots && body_row(r, w, slot) == row) {
            const cairn_rigid *b = &w->rigid[slot];
            cairn_pose pose = cairn_rigid_pose(b);
            put_vec(position, pose.position);
            put_quat(rotation, pose.rotation);
            put_vec(v, b->v);
            put_vec(spin, cairn_quat_rotate(b->q, b->w));
            continue;
        }
        cairn_vec3 none = {NAN, NAN, NAN};
        put_vec(position, none);
        put_quat(rotation, (cairn_quat){NAN, NAN, NAN, NAN});
        put_vec(v, none);
        put_vec(spin, none);
    }
}

static void fill_reactions(cairn_record *r, const cairn_world *w) {
    void **field = r->rows.field;
    for (int row = 0; row < r->joints; row++) {
        cairn_known known = r->joint[row];
        cairn_joint_data gone = {
            .coordinate = NAN, .force = {NAN, NAN, NAN}, .torque = {NAN, NAN, NAN}, .drive = NAN, .gap = NAN};
        bool there = known.slot < (uint32_t)w->joints && w->joint[known.slot].generation == known.generation;
        const cairn_joint_data *d = there ? &w->joint[known.slot].data : &gone;
        ((double *)field[CAIRN_F_JOINT_COORDINATE])[row] = d->coordinate;
        put_vec((double *)field[CAIRN_F_JOINT_FORCE] + (ptrdiff_t)3 * row, d->force);
        put_vec((double *)field[CAIRN_F_JOINT_TORQUE] + (ptrdiff_t)3 * row, d->torque);
        ((double *)field[CAIRN_F_JOINT_DRIVE])[row] = d->drive;
        ((double *)field[CAIRN_F_JOINT_GAP])[row] = d->gap;
    }
}

/* What a contact did. Solvers of the interior leave traces of impulse, 1e-9 N s and less, at
 * contacts that part; they are no impulses: open are also contacts whose surfaces are apart at
 * the end of the step and whose impulse changes no velocity of the lighter body by more than the
 * tolerance. */
static uint8_t status_of(const cairn_world *w, const cairn_touch *c, double impulse) {
    double tolerance = w->def.tolerance_velocity, ma = w->rigid[c->a].mass, mb = w->rigid[c->b].mass;
    double lighter = ma > 0.0 && (mb <= 0.0 || ma < mb) ? ma : mb;
    bool apart = c->after[0] + c->gap / w->def.step > tolerance;
    if (impulse == 0.0 || (apart && impulse < tolerance * lighter))
        return CAIRN_CONTACT_OPEN;
    if (cairn_touch_crushes(c, w->h) && c->after[0] < -tolerance)
        return CAIRN_CONTACT_CRUSH;
    return hypot(c->after[1], c->after[2]) > tolerance ? CAIRN_CONTACT_SLIP : CAIRN_CONTACT_STICK;
}

static void fill_contacts(cairn_record *r, const cairn_world *w) {
    void **field = r->rows.field;
    for (int i = 0; i < w->last.count; i++) {
        const cairn_touch *c = &w->last.item[i];
        cairn_vec3 impulse = cairn_vec3_scale(c->gamma[0], c->normal);
        for (int k = 0; k < 2; k++)
            impulse = cairn_vec3_add_scaled(impulse, c->gamma[k + 1], c->tangent[k]);
        ((int32_t *)field[CAIRN_F_CONTACT_BODY])[2 * i] = body_row(r, w, c->a);
        ((int32_t *)field[CAIRN_F_CONTACT_BODY])[2 * i + 1] = body_row(r, w, c->b);
        put_vec((double *)field[CAIRN_F_CONTACT_POINT] + (ptrdiff_t)3 * i, c->on_b);
        put_vec((double *)field[CAIRN_F_CONTACT_NORMAL] + (ptrdiff_t)3 * i, c->normal);
        put_vec((double *)field[CAIRN_F_CONTACT_IMPULSE] + (ptrdiff_t)3 * i, impulse);
        ((double *)field[CAIRN_F_CONTACT_GAP])[i] = c->gap;
        ((double *)field[CAIRN_F_CONTACT_MU])[i] = c->mu;
        ((double *)field[CAIRN_F_CONTACT_RESIDUAL])[i] = c->error;
        ((uint8_t *)field[CAIRN_F_CONTACT_STATUS])[i] = status_of(w, c, cairn_vec3_length(impulse));
    }
}

static void fill_report(cairn_record *r, const cairn_step_report *p) {
    const cairn_certificate *c = &p->info.certificate;
    const struct {
        int field;
        double value;
    } real[] = {{CAIRN_F_TIME, p->time},
                {CAIRN_F_KINETIC, p->energy.kinetic},
                {CAIRN_F_POTENTIAL, p->energy.potential},
                {CAIRN_F_ELASTIC, p->energy.elastic},
                {CAIRN_F_FRICTION_WORK, r->since.work.friction},
                {CAIRN_F_IMPACT_WORK, r->since.work.impact},
                {CAIRN_F_CREATED_WORK, r->since.work.created},
                {CAIRN_F_JOINT_WORK, r->since.work.joints},
                {CAIRN_F_LOAD_WORK, r->since.work.loads},
                {CAIRN_F_NATURAL_MAP, c->natural_map},
                {CAIRN_F_ERROR, c->error},
                {CAIRN_F_ERROR_ANGULAR, c->error_angular},
                {CAIRN_F_ERROR_RMS, c->rms},
                {CAIRN_F_DEEPEST, p->deepest},
                {CAIRN_F_DEPTH, r->since.depth},
                {CAIRN_F_DEPTH_TOLERANCE, r->since.depth_tolerance}};
    const struct {
        int field, value;
    } whole[] = {{CAIRN_F_UNCERTIFIED, r->since.uncertified},
                 {CAIRN_F_OUTCOME, (int)p->info.outcome},
                 {CAIRN_F_ITERATIONS, p->info.iterations},
                 {CAIRN_F_FACTORIZATIONS, p->info.factorizations},
                 {CAIRN_F_PARTIAL_FACTORIZATIONS, p->info.partial_factorizations},
                 {CAIRN_F_LINEAR_SOLVES, p->info.solves},
                 {CAIRN_F_SOLVES, p->solves},
                 {CAIRN_F_PROJECTIONS, p->projections},
                 {CAIRN_F_MISSED, p->missed},
                 {CAIRN_F_FALLBACKS, r->since.fallbacks},
                 {CAIRN_F_INVERTED, r->since.inverted},
                 {CAIRN_F_ROWS, p->rows},
                 {CAIRN_F_CONTACT_COUNT, (int)r->rows.count[CAIRN_ROW_CONTACT]}};
    void **field = r->rows.field;
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        *(double *)field[real[i].field] = real[i].value;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *(int32_t *)field[whole[i].field] = whole[i].value;
    *(int64_t *)field[CAIRN_F_STEP] = p->step;
    *(int64_t *)field[CAIRN_F_CONTACT_FIRST] = r->total[CAIRN_ROW_CONTACT];
    *(uint8_t *)field[CAIRN_F_CERTIFIED] = p->certified;
    *(uint8_t *)field[CAIRN_F_APART] = r->since.overlapping == 0;
    double *seconds = field[CAIRN_F_SECONDS];
    seconds[0] = p->seconds_collide;
    seconds[1] = p->seconds_assemble;
    seconds[2] = p->seconds_solve;
    seconds[3] = p->seconds_total;
    snprintf(field[CAIRN_F_NOTE], CAIRN_RECORD_NOTE, "%s", p->info.note);
}

cairn_status cairn_record_gather(cairn_record *r, const cairn_world *w, const cairn_step_report *report,
                                 const cairn_record_options *labels) {
    fresh list = {0};
    int shapes = r->shapes, bodies = r->bodies, joints = r->joints, parts = r->parts;
    int64_t nodes = r->nodes;
    cairn_status status = meet(r, w, &list);
    if (status == CAIRN_OK) {
        memset(r->rows.count, 0, sizeof r->rows.count);
        count_shapes(&list, r->rows.count);
        r->rows.count[CAIRN_ROW_BODY] = r->bodies - bodies;
        r->rows.count[CAIRN_ROW_JOINT] = r->joints - joints;
        cairn_record_count_parts(r, w, parts, r->rows.count);
        r->rows.count[CAIRN_ROW_FRAME] = 1;
        r->rows.count[CAIRN_ROW_CONTACT] = w->last.count;
        r->rows.count[CAIRN_ROW_FRAME_BODY] = r->bodies;
        r->rows.count[CAIRN_ROW_FRAME_JOINT] = r->joints;
        status = cairn_rows_prepare(r->context, &r->rows);
    }
    if (status == CAIRN_OK) {
        fill_shapes(r, &list);
        fill_bodies(r, w, bodies, labels);
        fill_joints(r, w, joints, labels);
        fill_report(r, report);
        fill_poses(r, w);
        fill_reactions(r, w);
        fill_contacts(r, w);
        cairn_record_fill_parts(r, w, parts);
    } else {
        r->shapes = shapes;
        r->bodies = bodies;
        r->joints = joints;
        r->parts = parts;
        r->nodes = nodes;
    }
    cairn_free(r->context, list.item);
    return status;
}
