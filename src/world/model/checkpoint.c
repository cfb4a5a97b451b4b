/*
 * checkpoint.c: the state of a world as bytes, and back.
 *
 *     head:  magic, version, byte order, size of all, checksum of what follows, fingerprint of settings and materials
 *     body:  counts; generation and fingerprint of each slot; steps, time; state of bodies, joints, last contacts
 *
 * A step is a function of exactly this and of what the fingerprints cover [theory 7]. One pass, visit, serves three ends: counting,
 * writing and reading, so that they cannot disagree. Nothing of the world changes before all of a block has been checked. Not
 * checked: whether impulses of a block whose checksum fits make sense; whether imposed motions are the same functions.
 */
#include "collide/shape/shape.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define VERSION    5u
#define STEPS_MOST (INT64_C(1) << 53)
#define ORDER      0x01020304u

typedef struct head {
    char magic[8];
    uint32_t version, order;
    uint64_t size, checksum, fingerprint;
    uint32_t slots, joints, touches, unused;
} head;

/* Where to begin with the checksum: the field after it. */
#define CHECKED_FROM offsetof(head, fingerprint)

typedef struct tag {
    uint64_t fingerprint; /* 0: not in use */
    uint32_t generation;
    uint32_t reals; /* numbers of a flexible part's state; 0: a rigid body or a joint */
} tag;

typedef struct stream {
    unsigned char *bytes; /* NULL: only counts */
    size_t at;
    bool reading;
} stream;

static void visit(stream *s, void *value, size_t size) {
    if (s->bytes != NULL && s->reading)
        memcpy(value, s->bytes + s->at, size);
    else if (s->bytes != NULL)
        memcpy(s->bytes + s->at, value, size);
    s->at += size;
}

static uint64_t hash_reals(uint64_t hash, const double *value, int count) {
    return cairn_hash(hash, value, (size_t)count * sizeof *value);
}

static uint64_t hash_material(uint64_t hash, const cairn_material_def *m) {
    const double value[] = {m->friction, m->restitution, m->compliance, m->adhesion, m->cap};
    return hash_reals(hash, value, 5);
}

/* Settings and materials. */
static uint64_t world_print(const cairn_world *w) {
    const cairn_world_def *d = &w->def;
    const double value[] = {d->gravity.x,        d->gravity.y,          d->gravity.z,       d->step,
                            d->solver.tolerance, d->tolerance_velocity, d->tolerance_joint, d->tolerance_force,
                            d->tolerance_depth};
    const int32_t count[] = {(int32_t)d->law, d->max_resolves, d->substeps, d->newton,       d->solver.max_iterations,
                             w->materials,    w->rules,        d->rolling,  d->solver.refine};
    uint64_t hash = hash_reals(CAIRN_HASH_START, value, 9);
    hash = cairn_hash(hash, count, sizeof count);
    hash = cairn_hash(hash, d->solver.method, strlen(d->solver.method));
    if (d->gap_share < 1.0)
        hash = hash_reals(hash, &d->gap_share, 1);
    for (int i = 0; i < w->materials; i++)
        hash = hash_material(hash, &w->material[i]);
    for (int i = 0; i < w->rules; i++) {
        const uint32_t pair[] = {w->rule[i].a, w->rule[i].b};
        hash = cairn_hash(hash, pair, sizeof pair);
        hash = hash_material(hash, &w->rule[i].def);
    }
    return hash;
}

/* Mesh, materials and holds of a flexible part; not the functions that move its nodes. */
static uint64_t part_print(uint64_t hash, const cairn_flex *f) {
    const cairn_fem_mesh_view *m = &f->part->view;
    hash = cairn_hash(hash, m->corner, (size_t)m->start[m->elements] * sizeof *m->corner);
    hash = hash_reals(hash, f->home, 3 * f->part->vectors);
    hash = hash_reals(hash, &f->thickness, 1);
    hash = cairn_hash(hash, f->part->held, (size_t)f->part->vectors);
    for (int i = 0; i < f->part->materials; i++) {
        const cairn_fem_material *a = &f->part->material[i];
        const double value[] = {a->E, a->nu, a->density, a->damping_mass, a->damping_stiffness, a->radius};
        const int32_t what[] = {(int32_t)a->law, a->consistent, a->project};
        hash = hash_reals(hash, value, 6);
        hash = cairn_hash(hash, what, sizeof what);
        if (a->yield > 0.0)
            hash = hash_reals(hash, &a->yield, 1);
        if (a->hardening > 0.0)
            hash = hash_reals(hash, &a->hardening, 1);
    }
    return hash;
}

static tag body_tag(const cairn_world *w, int i) {
    const cairn_slot *s = &w->slot[i];
    const cairn_rigid *r = &w->rigid[i];
    tag t = {.generation = s->generation};
    if (s->generation % 2 == 0)
        return t;
    const uint32_t what[] = {(uint32_t)s->kind, s->material};
    const double value[] = {r->mass, r->offset.x, r->offset.y, r->offset.z};
    uint64_t hash = cairn_hash(CAIRN_HASH_START, what, sizeof what);
    hash = hash_reals(hash, value, 4);
    hash = hash_reals(hash, &r->inertia.m[0][0], 9);
    hash = cairn_shape_hash(hash, s->shape);
    if (s->flex != NULL) {
        t.reals = (uint32_t)((s->flex->holds > 0 ? 15 : 12) * s->flex->part->vectors +
                             6 * s->flex->part->view.elements +
                             (CAIRN_FEM_YIELD_ROWS + 1) * cairn_slot_own_blocks(w, i));
        hash = part_print(hash, s->flex);
    }
    t.fingerprint = hash != 0 ? hash : 1;
    return t;
}

static tag joint_tag(const cairn_world *w, int i) {
    const cairn_joint_slot *s = &w->joint[i];
    const cairn_joint_def *d = &s->data.def;
    tag t = {.generation = s->generation};
    if (s->generation % 2 == 0)
        return t;
    const int32_t what[] = {(int32_t)d->kind, s->data.a,  s->data.b,  (int32_t)d->coordinate,
                            d->has_frame_b,   d->limited, d->motor,   d->motion != NULL,
                            d->collide,       d->slide_a, d->slide_b, s->data.carrier};
    const double value[] = {d->low,     d->high, d->speed,    d->motor_limit, d->stiffness,
                            d->damping, d->rest, d->friction, d->compliance,  d->ratio};
    uint64_t hash = cairn_hash(CAIRN_HASH_START, what, sizeof what);
    hash = hash_reals(hash, value, 10);
    hash = cairn_hash(hash, &d->frame, sizeof d->frame);
    if (d->has_frame_b)
        hash = cairn_hash(hash, &d->frame_b, sizeof d->frame_b);
    t.fingerprint = hash != 0 ? hash : 1;
    return t;
}

static void visit_body(stream *s, cairn_rigid *r) {
    visit(s, &r->x, sizeof r->x);
    visit(s, &r->q, sizeof r->q);
    visit(s, &r->v, sizeof r->v);
    visit(s, &r->w, sizeof r->w);
    visit(s, &r->last_v, sizeof r->last_v);
    visit(s, &r->last_w, sizeof r->last_w);
    visit(s, &r->force, sizeof r->force);
    visit(s, &r->torque, sizeof r->torque);
}

static void visit_flex(stream *s, cairn_flex *f) {
    size_t size = 3 * (size_t)f->part->vectors * sizeof(double);
    visit(s, f->part->x, size);
    visit(s, f->part->v, size);
    visit(s, f->last_v, size);
    visit(s, f->part->load, size);
    if (f->holds > 0)
        visit(s, f->reaction, size);
    visit(s, f->part->stress, 6 * (size_t)f->part->view.elements * sizeof(double));
    if (f->yield != NULL) {
        size_t elements = (size_t)f->part->view.elements * sizeof(double);
        visit(s, f->yield->stress, CAIRN_FEM_YIELD_ROWS * elements);
        visit(s, f->yield->plastic, elements);
    }
}

static void visit_joint(stream *s, cairn_joint_data *j) {
    visit(s, &j->at_a, sizeof j->at_a);
    visit(s, &j->at_b, sizeof j->at_b);
    visit(s, &j->in_a, sizeof j->in_a);
    visit(s, &j->in_b, sizeof j->in_b);
    visit(s, &j->length, sizeof j->length);
    visit(s, &j->coordinate, sizeof j->coordinate);
    visit(s, j->gamma, sizeof j->gamma);
    visit(s, &j->force, sizeof j->force);
    visit(s, &j->torque, sizeof j->torque);
    visit(s, &j->drive, sizeof j->drive);
    visit(s, &j->gap, sizeof j->gap);
}

static void visit_touch(stream *s, cairn_touch *c) {
    int32_t pair[2] = {c->a, c->b};
    visit(s, pair, sizeof pair);
    c->a = pair[0];
    c->b = pair[1];
    c->active = true;
    visit(s, &c->feature, sizeof c->feature);
    visit(s, &c->on_a, sizeof c->on_a);
    visit(s, &c->on_b, sizeof c->on_b);
    visit(s, &c->normal, sizeof c->normal);
    visit(s, c->tangent, sizeof c->tangent);
    visit(s, &c->local, sizeof c->local);
    visit(s, &c->gap, sizeof c->gap);
    visit(s, &c->mu, sizeof c->mu);
    visit(s, &c->restitution, sizeof c->restitution);
    visit(s, &c->compliance, sizeof c->compliance);
    visit(s, &c->adhesion, sizeof c->adhesion);
    visit(s, &c->cap, sizeof c->cap);
    visit(s, &c->dent, sizeof c->dent);
    visit(s, c->gamma, sizeof c->gamma);
    visit(s, &c->before, sizeof c->before);
    visit(s, &c->remembered, sizeof c->remembered);
    visit(s, &c->pays, sizeof c->pays);
    visit(s, c->after, sizeof c->after);
    visit(s, &c->rho, sizeof c->rho);
}

/* Everything after head and tags. The world is written to only when the stream reads. */
static void visit_state(stream *s, const cairn_world *w, cairn_world *target, int touches) {
    int64_t steps = w->steps;
    double time = w->time, last_h = w->last_h;
    visit(s, &steps, sizeof steps);
    visit(s, &time, sizeof time);
    visit(s, &last_h, sizeof last_h);
    if (s->reading) {
        target->steps = steps;
        target->last_h = last_h;
        target->time = time;
        target->last.count = touches;
    }
    for (int i = 1; i < w->slots; i++) {
        cairn_rigid r = w->rigid[i];
        if (w->slot[i].generation % 2 == 0)
            continue;
        visit_body(s, &r);
        if (s->reading)
            target->rigid[i] = r;
        if (w->slot[i].flex != NULL)
            visit_flex(s, w->slot[i].flex);
    }
    for (int i = 1; i < w->joints; i++) {
        if (w->joint[i].generation % 2 == 0)
            continue;
        cairn_joint_data data = w->joint[i].data;
        visit_joint(s, &data);
        if (s->reading) {
            target->joint[i].data = data;
            target->joint[i].open = INFINITY;
        }
    }
    for (int i = 0; i < touches; i++) {
        cairn_touch c = {0};
        if (!s->reading)
            c = w->last.item[i];
        visit_touch(s, &c);
        if (s->reading)
            target->last.item[i] = c;
    }
}

cairn_status cairn_world_save(const cairn_world *w, void *bytes, size_t capacity, size_t *size) {
    cairn_status usable = cairn_world_check(w, false, size != NULL, "cairn_world_save");
    if (usable != CAIRN_OK)
        return usable;
    stream s = {0};
    size_t tags = (size_t)(w->slots + w->joints) * sizeof(tag);
    visit_state(&s, w, NULL, w->last.count);
    size_t all = sizeof(head) + tags + s.at;
    *size = all;
    if (bytes == NULL && capacity == 0)
        return CAIRN_OK;
    if (bytes == NULL || capacity < all)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "checkpoint: it takes %zu bytes, there is room for %zu",
                          all, bytes == NULL ? (size_t)0 : capacity);
    head h = {.version = VERSION,
              .order = ORDER,
              .size = all,
              .fingerprint = world_print(w),
              .slots = (uint32_t)w->slots,
              .joints = (uint32_t)w->joints,
              .touches = (uint32_t)w->last.count};
    memcpy(h.magic, CAIRN_CHECKPOINT_MAGIC, sizeof h.magic);
    s = (stream){.bytes = bytes, .at = sizeof h};
    for (int i = 0; i < w->slots; i++) {
        tag t = i > 0 ? body_tag(w, i) : (tag){0};
        visit(&s, &t, sizeof t);
    }
    for (int i = 0; i < w->joints; i++) {
        tag t = i > 0 ? joint_tag(w, i) : (tag){0};
        visit(&s, &t, sizeof t);
    }
    visit_state(&s, w, NULL, w->last.count);
    memcpy(bytes, &h, sizeof h);
    h.checksum = cairn_hash(CAIRN_HASH_START, (char *)bytes + CHECKED_FROM, all - CHECKED_FROM);
    memcpy(bytes, &h, sizeof h);
    return CAIRN_OK;
}

static tag tag_at(const unsigned char *bytes, size_t index) {
    tag t;
    memcpy(&t, bytes + sizeof(head) + index * sizeof t, sizeof t);
    return t;
}

static cairn_status damaged(const cairn_world *w, const char *why) {
    return cairn_fail(w->context, CAIRN_ERROR_PARSE, "checkpoint: %s", why);
}

/* That the block is whole, and of this version. */
static cairn_status check_block(const cairn_world *w, const unsigned char *bytes, size_t size, head *h) {
    if (bytes == NULL || size < sizeof *h || memcmp(bytes, CAIRN_CHECKPOINT_MAGIC, sizeof h->magic) != 0)
        return damaged(w, "not a checkpoint of a Cairn world");
    memcpy(h, bytes, sizeof *h);
    if (h->order != ORDER)
        return damaged(w, "written on a machine with another byte order");
    if (h->version != VERSION)
        return cairn_fail(w->context, CAIRN_ERROR_PARSE, "checkpoint: version %u, expected %u", h->version, VERSION);
    if (h->size != size)
        return cairn_fail(w->context, CAIRN_ERROR_PARSE, "checkpoint: %zu bytes, expected %llu: truncated or joined",
                          size, (unsigned long long)h->size);
    if (cairn_hash(CAIRN_HASH_START, bytes + CHECKED_FROM, size - CHECKED_FROM) != h->checksum)
        return damaged(w, "damaged: the checksum does not fit");
    return CAIRN_OK;
}

/* Sizes must add up exactly before any of them is used. */
static cairn_status check_sizes(const cairn_world *w, const unsigned char *bytes, size_t size, const head *h) {
    uint64_t tags = (uint64_t)h->slots + h->joints;
    if (h->slots < 1 || h->joints < 1 || h->touches > INT32_MAX || tags > (size - sizeof *h) / sizeof(tag))
        return damaged(w, "damaged: its counts do not fit its size");
    stream body = {0}, joint = {0}, touch = {0};
    visit_body(&body, &(cairn_rigid){0});
    visit_joint(&joint, &(cairn_joint_data){0});
    visit_touch(&touch, &(cairn_touch){0});
    uint64_t used = sizeof *h + tags * sizeof(tag) + sizeof(int64_t) + 2 * sizeof(double) +
                    h->touches * (uint64_t)touch.at;
    for (uint64_t i = 0; i < tags; i++)
        if (tag_at(bytes, i).generation % 2 == 1)
            used += i < h->slots ? body.at + tag_at(bytes, i).reals * (uint64_t)sizeof(double) : joint.at;
    if (used != size)
        return damaged(w, "damaged: its counts do not fit its size");
    int64_t steps;
    memcpy(&steps, bytes + sizeof *h + tags * sizeof(tag), sizeof steps);
    if (steps < 0 || steps > STEPS_MOST)
        return damaged(w, "damaged: its number of steps is out of range");
    for (uint64_t i = 0; i < h->touches; i++) {
        int32_t pair[2];
        memcpy(pair, bytes + size - (h->touches - i) * touch.at, sizeof pair);
        for (int k = 0; k < 2; k++)
            if (pair[k] < 1 || (uint32_t)pair[k] >= h->slots || tag_at(bytes, (size_t)pair[k]).generation % 2 == 0)
                return damaged(w, "damaged: a contact of a body that does not exist");
    }
    return CAIRN_OK;
}

/* Whether doubles that stand in the block one after the other are finite. */
static bool finite_at(const unsigned char *bytes, size_t at, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double x;
        memcpy(&x, bytes + at + i * sizeof x, sizeof x);
        if (!isfinite(x))
            return false;
    }
    return true;
}

/* That places, rotations and velocities are numbers. Sizes have been checked. */
static cairn_status check_numbers(const cairn_world *w, const unsigned char *bytes, const head *h) {
    stream s = {.bytes = NULL};
    cairn_rigid r = {0};
    visit_body(&s, &r);
    size_t body = s.at, at = sizeof *h + ((size_t)h->slots + h->joints) * sizeof(tag) + sizeof(int64_t);
    bool good = finite_at(bytes, at, 2);
    at += 2 * sizeof(double);
    for (uint32_t i = 0; i < h->slots && good; i++) {
        tag t = tag_at(bytes, i);
        if (t.generation % 2 == 0)
            continue;
        good = finite_at(bytes, at, body / sizeof(double) + t.reals);
        memcpy(&r.q, bytes + at + sizeof r.x, sizeof r.q);
        const double q[4] = {r.q.w, r.q.x, r.q.y, r.q.z};
        good = good && fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-6;
        at += body + t.reals * sizeof(double);
    }
    return good ? CAIRN_OK : damaged(w, "damaged: a place, a rotation or a velocity is not a number");
}

/* That this world was built like the one that was saved. */
static cairn_status check_world(const cairn_world *w, const unsigned char *bytes, const head *h) {
    if (h->fingerprint != world_print(w))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "checkpoint: of a world with other settings (step, gravity, law, method, tolerance) or "
                          "materials");
    for (uint32_t i = 1; i < h->slots + h->joints; i++) {
        bool body = i < h->slots;
        int at = (int)(body ? i : i - h->slots);
        tag saved = tag_at(bytes, i), own = {0};
        if (saved.generation % 2 == 0 || at == 0)
            continue;
        if (body && at < w->slots)
            own = body_tag(w, at);
        else if (!body && at < w->joints)
            own = joint_tag(w, at);
        if (own.fingerprint != saved.fingerprint)
            return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "checkpoint: of another world: %s %d %s",
                              body ? "body" : "joint", at,
                              own.fingerprint == 0 ? "does not exist here" : "is a different one here");
    }
    return CAIRN_OK;
}

/* Memory for all that the block holds; the only part that can fail after the checks. New slots are not in use. */
static cairn_status make_room(cairn_world *w, const head *h) {
    cairn_status status = CAIRN_OK;
    while (w->slots < (int)h->slots && status == CAIRN_OK) {
        status = cairn_world_grow_slots(w);
        if (status == CAIRN_OK)
            w->slots++;
    }
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &w->joint, w->joint_capacity > 0 ? w->joints : 0, &w->joint_capacity,
                                  (int)h->joints, sizeof *w->joint);
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &w->last.item, w->last.count, &w->last.capacity, (int)h->touches,
                                  sizeof *w->last.item);
    if (status == CAIRN_OK && w->joints < (int)h->joints)
        w->joints = (int)h->joints;
    return status;
}

cairn_status cairn_world_load_state(cairn_world *w, const void *bytes, size_t size) {
    cairn_status usable = cairn_world_check(w, true, bytes != NULL, "cairn_world_load_state");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    head h;
    cairn_status status = check_block(w, bytes, size, &h);
    if (status == CAIRN_OK)
        status = check_sizes(w, bytes, size, &h);
    if (status == CAIRN_OK)
        status = check_world(w, bytes, &h);
    if (status == CAIRN_OK)
        status = check_numbers(w, bytes, &h);
    if (status == CAIRN_OK)
        status = make_room(w, &h);
    if (status != CAIRN_OK)
        return status;
    for (int i = 1; i < w->slots; i++) {
        tag t = i < (int)h.slots ? tag_at(bytes, (size_t)i) : (tag){0};
        if (t.generation % 2 == 0)
            cairn_world_empty_slot(w, i);
        w->slot[i].generation = t.generation;
    }
    for (int i = 1; i < w->joints; i++)
        w->joint[i].generation = i < (int)h.joints ? tag_at(bytes, h.slots + (size_t)i).generation : 0;
    w->slots = (int)h.slots;
    w->joints = (int)h.joints;
    w->free_slot = w->free_joint = 1;
    unsigned char *source; /* a stream that reads never writes to its bytes */
    memcpy(&source, &bytes, sizeof source);
    stream s = {.bytes = source, .at = sizeof h + (h.slots + (size_t)h.joints) * sizeof(tag), .reading = true};
    visit_state(&s, w, w, (int)h.touches);
    return CAIRN_OK;
}
