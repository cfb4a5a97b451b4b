/*
 * contact_search.c: which points may touch in this step, and what the last step knew of them.
 *
 * A body's margin bounds how far its surface can come within h at the speeds known so far; a pair is looked at when its boxes, each
 * fattened by its margin, overlap. [theory 7] Contacts come sorted by pair, so both lists are walked side by side. A second look within a step takes the
 * contacts of two bodies that stayed where they were, with the margins they had, from the first.
 */
#include "collide/narrow/narrowphase.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SAME 0.02 /* of the smaller body's reach: nearer points are the same contact even if features changed */

/* What a margin has beyond the speeds: a step's fall from rest, and as much again. */
static double slack_of(const cairn_world *w, int i) {
    double fall = 2.0 * w->h * w->h * cairn_vec3_length(w->def.gravity);
    return w->slot[i].flex != NULL ? 0.25 * fall : fall;
}

/* How far spin moves the surface, m a rad: a ball that turns about its middle stays where it is. */
static double arm_of(const cairn_world *w, int i) {
    cairn_vec3 o = w->rigid[i].offset;
    const cairn_shape *shape = w->slot[i].shape;
    bool round = shape != NULL && shape->kind == CAIRN_SHAPE_SPHERE && o.x == 0.0 && o.y == 0.0 && o.z == 0.0;
    return round ? 0.0 : w->slot[i].reach;
}

/* A contact that may close a share of its gap alone is to be seen from so much further away. */
static double margin_of(const cairn_world *w, int i) {
    double h = w->h / w->def.gap_share;
    const cairn_slot *s = &w->slot[i];
    const cairn_rigid *r = &w->rigid[i];
    if (s->generation % 2 == 0 || s->kind == CAIRN_BODY_FIXED)
        return 0.0;
    if (s->flex != NULL)
        return h * cairn_flex_speed(s->flex) + slack_of(w, i);
    double arm = arm_of(w, i);
    double now = cairn_vec3_length(r->v) + arm * cairn_vec3_length(r->w);
    double then = cairn_vec3_length(w->end_v[i]) + arm * cairn_vec3_length(w->end_w[i]);
    return h * fmax(fmax(now, then), w->foreseen[i] + arm * cairn_vec3_length(w->end_w[i])) + slack_of(w, i);
}

/* A part has not begun to fall when it is looked at: with the fall in its margin it is not looked at once more for that alone. */
void cairn_world_margins(cairn_world *w) {
    double fall = w->h * w->h * cairn_vec3_length(w->def.gravity) / w->def.gap_share;
    for (int i = 1; i < w->slots; i++) {
        bool falls = w->slot[i].flex != NULL && w->slot[i].generation % 2 == 1;
        w->margin[i] = margin_of(w, i) + (falls ? fall : 0.0);
        w->stale[i] = 1;
    }
}

bool cairn_world_outgrown(cairn_world *w) {
    bool any = false;
    for (int i = 1; i < w->slots; i++) {
        double margin = margin_of(w, i);
        w->stale[i] = margin > w->margin[i] + slack_of(w, i);
        if (w->stale[i])
            w->margin[i] = margin;
        any = any || w->stale[i];
    }
    return any;
}

/* Materials of the pair before: most pairs of a heap have the same. */
typedef struct pairing {
    uint32_t a, b;
    bool known;
    cairn_material_def def;
} pairing;

static cairn_material_def combine(const cairn_world *w, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < w->rules; i++)
        if (w->rule[i].a == low && w->rule[i].b == high)
            return w->rule[i].def;
    cairn_material_def m = w->material[a];
    const cairn_material_def *o = &w->material[b];
    m.friction = sqrt(m.friction * o->friction);
    m.restitution = fmax(m.restitution, o->restitution);
    m.compliance += o->compliance;
    m.adhesion = fmin(m.adhesion, o->adhesion);
    m.cap = m.cap > 0.0 && o->cap > 0.0 ? fmin(m.cap, o->cap) : fmax(m.cap, o->cap);
    return m;
}

const cairn_spread *cairn_touch_sides(const cairn_touch *touch) {
    static const cairn_spread rigid[2];
    return touch->soft ? touch->at : rigid;
}

static const cairn_material_def *recall_pairing(const cairn_world *w, uint32_t a, uint32_t b, pairing *last) {
    if (!last->known || last->a != a || last->b != b)
        *last = (pairing){a, b, true, combine(w, a, b)};
    return &last->def;
}

/* Normal and tangents, which contacts of one manifold share. */
typedef struct axes {
    cairn_vec3 normal, tangent[2];
} axes;

static axes axes_of(cairn_vec3 normal) {
    axes made = {.normal = normal};
    cairn_vec3_frame(normal, &made.tangent[0], &made.tangent[1]);
    return made;
}

static void set_touch(const cairn_world *w, int a, int b, const axes *along, const cairn_contact *p,
                      const cairn_material_def *def, cairn_touch *c) {
    memset(c, 0, offsetof(cairn_touch, at)); /* a list has room for twice the bytes that are used of rigid contacts */
    c->a = a;
    c->b = b;
    c->feature = p->feature;
    c->on_a = p->on_a;
    c->on_b = p->on_b;
    c->normal = along->normal;
    c->tangent[0] = along->tangent[0];
    c->tangent[1] = along->tangent[1];
    c->gap = p->gap;
    c->mu = def->friction;
    c->restitution = def->restitution;
    c->compliance = def->compliance;
    c->adhesion = def->adhesion;
    c->cap = def->cap > 0.0 ? def->cap : INFINITY;
    c->local = cairn_quat_rotate(cairn_quat_conjugate(w->rigid[a].q), cairn_vec3_sub(p->on_a, w->rigid[a].x));
}

/* Finds c among items [begin, end) of one pair: by feature, else the nearest free point. -1: none. hint: where it is most likely, as lists of one
 * pair are alike from step to step. */
static int match(const cairn_touch *c, const cairn_touch *item, int begin, int end, int hint, double near) {
    int best = -1;
    double least = near * near;
    if (hint < end && item[hint].feature == c->feature)
        return hint;
    for (int i = begin; i < end; i++) {
        if (item[i].feature == c->feature)
            return i;
        cairn_vec3 d = cairn_vec3_sub(item[i].local, c->local);
        double square = cairn_vec3_dot(d, d);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

/* End of the run of one pair that begins at i. */
static int run_end(const cairn_touches *t, int i) {
    int j = i;
    while (j < t->count && t->item[j].a == t->item[i].a && t->item[j].b == t->item[i].b)
        j++;
    return j;
}

static bool pair_before(const cairn_touch *c, const cairn_touch *d) {
    return c->a < d->a || (c->a == d->a && c->b < d->b);
}

/* A contact that has pushed with all it bears has been crushed as deep as it lies now, but for what gives way elastically. */
static double dent_of(const cairn_touch *c, double before, double h) {
    return cairn_touch_crushes(c, h) ? fmax(before, -c->gap - c->compliance * c->cap) : before;
}

void cairn_world_recall(cairn_world *w, double factor) {
    int j = 0;
    for (int i = 0, end; i < w->now.count; i = end) {
        end = run_end(&w->now, i);
        while (j < w->last.count && pair_before(&w->last.item[j], &w->now.item[i]))
            j++;
        if (j >= w->last.count || pair_before(&w->now.item[i], &w->last.item[j]))
            continue;
        int stop = run_end(&w->last, j);
        double near = SAME * fmin(w->slot[w->now.item[i].a].reach, w->slot[w->now.item[i].b].reach);
        uint64_t taken = 0; /* what an impact has lost comes back once */
        for (int k = i, hint = j; k < end; k++) {
            cairn_touch *c = &w->now.item[k];
            int at = match(c, w->last.item, j, stop, hint, near);
            if (at < 0)
                continue;
            hint = at + 1;
            uint64_t bit = at - j < 64 ? UINT64_C(1) << (at - j) : 0;
            const cairn_touch *old = &w->last.item[at];
            c->remembered = old->remembered;
            c->paid = bit != 0 && (taken & bit) == 0 ? old->pays : 0.0;
            taken |= bit;
            c->rho = old->rho;
            c->gamma[0] = factor * old->gamma[0];
            c->dent = dent_of(c, old->dent, w->h);
            for (int l = 0; l < 2; l++)
                c->gamma[1 + l] = factor * (old->gamma[1] * cairn_vec3_dot(old->tangent[0], c->tangent[l]) +
                                            old->gamma[2] * cairn_vec3_dot(old->tangent[1], c->tangent[l]));
        }
    }
}

/* What was decided about contact c in an earlier list of this step. */
static void carry(cairn_touch *c, const cairn_touch *old) {
    c->active = old->active;
    c->solved = old->solved;
    c->remembered = old->remembered;
    c->paid = old->paid;
    c->pays = old->pays;
    c->rho = old->rho;
    c->dent = old->dent;
    for (int l = 0; l < 3; l++) {
        c->gamma[l] = old->gamma[l];
        c->slip[l] = old->slip[l];
        c->curve[l] = old->curve[l];
    }
}

/* The same for contacts [begin, now.count) of one pair, from its contacts [first, end) of the earlier list. */
static void carry_pair(cairn_touches *now, int begin, const cairn_touches *from, int first, int end) {
    for (int i = begin, hint = first; i < now->count; i++) {
        cairn_touch *c = &now->item[i];
        int at = hint;
        if (at >= end || from->item[at].feature != c->feature)
            for (at = first; at < end && from->item[at].feature != c->feature; at++)
                ;
        if (at == end)
            continue;
        carry(c, &from->item[at]);
        hint = at + 1;
    }
}

/* Does this joint keep its bodies from touching each other? */
static bool keeps_apart(const cairn_joint_slot *j) {
    const cairn_joint_def *d = &j->data.def;
    return j->generation % 2 == 1 && !d->collide && d->kind != CAIRN_JOINT_FREE && d->kind != CAIRN_JOINT_DISTANCE;
}

/* Each body's list of the joints that do. */
static void list_joints(cairn_world *w) {
    for (int i = 0; i < w->slots; i++)
        w->first_joint[i] = 0;
    for (int i = 1; i < w->joints; i++) {
        cairn_joint_slot *j = &w->joint[i];
        if (!keeps_apart(j))
            continue;
        j->next[0] = w->first_joint[j->data.a];
        j->next[1] = w->first_joint[j->data.b];
        w->first_joint[j->data.a] = w->first_joint[j->data.b] = i;
    }
}

/* Walks the lists of both side by side: the shorter one decides how long it takes. */
static bool joined(const cairn_world *w, int a, int b) {
    int i = w->first_joint[a], j = w->first_joint[b];
    while (i > 0 && j > 0) {
        const cairn_joint_slot *p = &w->joint[i], *q = &w->joint[j];
        if (p->data.a == b || p->data.b == b || q->data.a == a || q->data.b == a)
            return true;
        i = p->next[p->data.a == a ? 0 : 1];
        j = q->next[q->data.a == b ? 0 : 1];
    }
    return false;
}

/* The same for a pair with a flexible part. A contact is found again by its place in the part as it was made. */
static cairn_status add_flexible_pair(cairn_world *w, int a, int b, double margin, cairn_touches *list) {
    cairn_status status = cairn_flex_collide(w, a, b, margin);
    const cairn_skin_contacts *found = &w->skin_contacts;
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &list->item, list->count, &list->capacity, list->count + found->count,
                                  sizeof *list->item);
    if (status != CAIRN_OK)
        return status;
    cairn_material_def def = combine(w, w->slot[a].material, w->slot[b].material);
    for (int i = 0; i < found->count; i++) {
        const cairn_skin_contact *f = &found->item[i];
        cairn_contact p = {.on_a = f->on_a, .on_b = f->on_b, .gap = f->gap, .feature = f->feature};
        cairn_touch *c = &list->item[list->count++];
        const axes along = axes_of(f->normal);
        set_touch(w, a, b, &along, &p, &def, c);
        c->soft = true;
        c->blind = f->blind && f->gap > 0.0;
        c->at[0] = f->a;
        c->at[1] = f->b;
        if (f->a.count > 0)
            c->local = cairn_spread_of(&f->a, w->slot[a].flex->home);
    }
    return CAIRN_OK;
}

/* Spheres and planes whose boxes are near and which are not: most pairs of a heap, so nothing is called for them. */
static inline bool far_apart(const cairn_world *w, int a, int b) {
    const cairn_shape *first = w->slot[a].shape, *second = w->slot[b].shape;
    if (first == NULL || second == NULL || (first->kind != CAIRN_SHAPE_SPHERE && second->kind != CAIRN_SHAPE_SPHERE))
        return false;
    const cairn_rigid *p = &w->rigid[a], *q = &w->rigid[b];
    double offset = (fabs(p->offset.x) + fabs(p->offset.y)) + fabs(p->offset.z) +
                    ((fabs(q->offset.x) + fabs(q->offset.y)) + fabs(q->offset.z));
    return offset == 0.0 && cairn_surely_apart(first, &p->x, &p->q, second, &q->x, &q->q, w->margin[a] + w->margin[b]);
}

/* Contacts of one pair of slots, appended to list. */
static cairn_status add_pair(cairn_world *w, int a, int b, pairing *last, cairn_touches *list) {
    double margin = w->margin[a] + w->margin[b];
    if (w->joints > 1 && joined(w, a, b))
        return CAIRN_OK;
    if (w->slot[a].flex != NULL || w->slot[b].flex != NULL)
        return add_flexible_pair(w, a, b, margin, list);
    int found;
    for (;;) {
        found = cairn_collide(w->slot[a].shape, cairn_rigid_pose(&w->rigid[a]), w->slot[b].shape,
                              cairn_rigid_pose(&w->rigid[b]), margin, w->manifold, w->manifold_capacity);
        if (found <= w->manifold_capacity)
            break;
        cairn_status status = cairn_world_grow(w->context, &w->manifold, 0, &w->manifold_capacity, found,
                                               sizeof *w->manifold);
        if (status != CAIRN_OK)
            return status;
    }
    if (found == 0)
        return CAIRN_OK;
    const cairn_manifold *room = w->manifold;
    const cairn_material_def *def = recall_pairing(w, w->slot[a].material, w->slot[b].material, last);
    for (int m = 0; m < found; m++) {
        const axes along = axes_of(room[m].normal);
        cairn_status status = cairn_world_grow(w->context, &list->item, list->count, &list->capacity,
                                               list->count + room[m].count, sizeof *list->item);
        if (status != CAIRN_OK)
            return status;
        for (int p = 0; p < room[m].count; p++)
            set_touch(w, a, b, &along, &room[m].point[p], def, &list->item[list->count++]);
    }
    return CAIRN_OK;
}

/* Boxes of the bodies that are stale, fattened by their margins. Returns how many bodies there are. */
static int place_boxes(cairn_world *w) {
    int n = 0;
    for (int i = 1; i < w->slots; i++) {
        cairn_flex *f = w->slot[i].flex;
        if (w->slot[i].generation % 2 == 0 || (w->slot[i].shape == NULL && f == NULL))
            continue;
        w->live[n++] = i;
        if (w->stale[i] == 0)
            continue;
        if (f != NULL && f->skin != NULL)
            cairn_skin_refresh(f->skin);
        cairn_bounds b = f != NULL ? cairn_flex_bounds(f)
                                   : cairn_shape_bounds(w->slot[i].shape, cairn_rigid_pose(&w->rigid[i]));
        double m = w->margin[i];
        w->box[n - 1] = (cairn_bounds){{b.low.x - m, b.low.y - m, b.low.z - m},
                                       {b.high.x + m, b.high.y + m, b.high.z + m}};
        w->still[n - 1] = w->slot[i].kind != CAIRN_BODY_DYNAMIC;
    }
    return n;
}

cairn_status cairn_world_collect(cairn_world *w) {
    list_joints(w);
    int n = place_boxes(w);
    cairn_status status = cairn_broad_find(&w->broad, n, w->box, w->still);
    w->now.count = 0;
    pairing last = {0};
    for (int p = 0; p < w->broad.pairs && status == CAIRN_OK; p++) {
        int a = w->live[w->broad.pair[p][0]], b = w->live[w->broad.pair[p][1]];
        if (!far_apart(w, a, b))
            status = add_pair(w, a, b, &last, &w->now);
    }
    return status;
}

/* Contacts [first, end) of an earlier list as they are, appended to now. */
static cairn_status copy_pair(cairn_world *w, const cairn_touches *from, int first, int end) {
    cairn_status status = cairn_world_grow(w->context, &w->now.item, w->now.count, &w->now.capacity,
                                           w->now.count + end - first, sizeof *w->now.item);
    for (int i = first; i < end && status == CAIRN_OK; i++) {
        const cairn_touch *c = &from->item[i];
        memcpy(&w->now.item[w->now.count++], c, c->soft ? sizeof *c : offsetof(cairn_touch, at));
    }
    return status;
}

cairn_status cairn_world_collect_again(cairn_world *w) {
    cairn_touches old = w->now;
    w->now = w->spare;
    w->spare = old;
    int n = place_boxes(w), first = 0;
    pairing last = {0};
    cairn_status status = cairn_broad_find(&w->broad, n, w->box, w->still);
    w->now.count = 0;
    for (int p = 0; p < w->broad.pairs && status == CAIRN_OK; p++) {
        int begin = w->now.count;
        cairn_touch pair = {.a = w->live[w->broad.pair[p][0]], .b = w->live[w->broad.pair[p][1]]};
        while (first < old.count && pair_before(&old.item[first], &pair))
            first++;
        int end = first < old.count && !pair_before(&pair, &old.item[first]) ? run_end(&old, first) : first;
        if (w->stale[pair.a] == 0 && w->stale[pair.b] == 0) {
            status = copy_pair(w, &old, first, end);
            continue;
        }
        if (far_apart(w, pair.a, pair.b))
            continue;
        status = add_pair(w, pair.a, pair.b, &last, &w->now);
        if (status == CAIRN_OK)
            carry_pair(&w->now, begin, &old, first, end);
        for (int i = first; i < end && status == CAIRN_OK; i++)
            if (old.item[i].met)
                status = copy_pair(w, &old, i, i + 1);
    }
    return status;
}
