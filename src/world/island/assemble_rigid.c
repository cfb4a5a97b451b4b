/*
 * assemble_rigid.c: the problem of an island that has nothing but rigid bodies, contacts between them and joints, written in place (problem/rigid_builder.h).
 *
 * The same rows as in assemble.c [theory 7], contact by contact instead of row by row: both bodies' rotations and arms are found once for three rows. Rows of
 * joints are there (joint_rows.c) and are copied; a body of which a block of them wants nothing is not touched by it.
 */
#include "problem/rigid_builder.h"
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"

#include <stddef.h>
#include <string.h>

bool cairn_island_is_plain(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->bodies && w->flexibles > 0; i++)
        if (w->slot[island->body[i]].flex != NULL)
            return false;
    for (int i = 0; i < island->touches && w->flexibles > 0; i++)
        if (w->now.item[island->touch[i]].soft)
            return false;
    for (int i = 0; i < island->joints && w->flexibles > 0; i++)
        if (w->joint[island->joint[i]].at[0].count + w->joint[island->joint[i]].at[1].count > 0)
            return false;
    return island->blocks > 0;
}

/* Arrays of the builder that the problem does not hold. */
static void lay_out(cairn_arena *a, cairn_builder *s) {
    s->C = cairn_arena_take(a, (size_t)s->m, sizeof(double));
    s->guess = cairn_arena_take(a, (size_t)s->m, sizeof(double));
    s->v = cairn_arena_take(a, (size_t)s->n, sizeof(double));
    s->turn = cairn_arena_take(a, (size_t)s->bodies, sizeof *s->turn);
}

static cairn_status make_room(cairn_lane *lane, cairn_builder *s) {
    cairn_arena count = {0};
    lay_out(&count, s);
    lane->room.used = count.used + count.used / 4;
    lane->room.overflow = count.overflow;
    cairn_status status = cairn_arena_reserve_raw(lane->context, &lane->room);
    if (status == CAIRN_OK)
        lay_out(&lane->room, s);
    return status;
}

static void put_body(const cairn_world *w, cairn_builder *s, cairn_problem *p, int slot, int body, bool turns) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_mat3 J = r->inertia;
    if (w->stiffened && !s->positions)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                J.m[i][j] += w->stiff[slot].m[i][j];
    cairn_direct_body(p, body, r->mass, &J.m[0][0]);
    if (turns)
        s->turn[body] = cairn_quat_matrix(r->q);
    cairn_body_load(w, s->positions, slot, p->k + w->number[slot], s->v + w->number[slot]);
}

typedef double quad __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef union halves {
    quad all;
    pair half[2];
} halves;

/* One row of a body, whose six components lie two by two in this half. */
CAIRN_INLINE void put_row(const halves *twos, int half, double *row) {
    for (int c = 0; c < 3; c++)
        memcpy(row + 2 * c, &twos[c].half[half], sizeof(pair));
}

/* The rows of one body, as cairn_rigid_row has them, all at once: lane k of d[i] is component i of direction k. */
CAIRN_INLINE void put_rows(const cairn_mat3 *R, cairn_vec3 arm, const quad *d, double sign, int dim, int width,
                           double *part) {
    const quad x = arm.y * d[2] - arm.z * d[1], y = arm.z * d[0] - arm.x * d[2], z = arm.x * d[1] - arm.y * d[0];
    quad rows[6];
    for (int c = 0; c < 3; c++) {
        rows[c] = sign * d[c];
        rows[3 + c] = sign * (R->m[0][c] * x + R->m[1][c] * y + R->m[2][c] * z);
    }
    halves even[3], odd[3]; /* components two by two: of directions 0 and 2, and of 1 */
    for (int c = 0; c < 3; c++) {
        even[c].all = __builtin_shufflevector(rows[2 * c], rows[2 * c + 1], 0, 4, 2, 6);
        odd[c].all = __builtin_shufflevector(rows[2 * c], rows[2 * c + 1], 1, 5, 3, 7);
    }
    put_row(even, 0, part);
    if (dim == 3) {
        put_row(odd, 0, part + width);
        put_row(even, 1, part + 2 * width);
    }
}

/* The share of b of a body whose motion is given. */
static void put_given(const cairn_world *w, int slot, cairn_vec3 point, const cairn_vec3 *d, double sign, int dim,
                      double *b) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_mat3 R = cairn_quat_matrix(r->q);
    double row[6], v[6];
    cairn_given_velocity(w, slot, v);
    for (int k = 0; k < dim; k++) {
        cairn_rigid_row(&R, cairn_vec3_sub(point, r->x), d[k], sign, row);
        b[k] += row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3] + row[4] * v[4] + row[5] * v[5];
    }
}

/* What one body has of a contact: its rows, from part on and width apart, or, when it cannot be pushed, its share of b. */
CAIRN_INLINE void put_side(const cairn_world *w, const cairn_builder *s, int slot, cairn_vec3 point,
                           const cairn_vec3 *d, const quad *lanes, double sign, int dim, int width, double *part,
                           double *b) {
    const cairn_rigid *r = &w->rigid[slot];
    int number = cairn_contact_number(w, slot);
    if (number < 0) {
        if (!s->positions && w->slot[slot].kind != CAIRN_BODY_FIXED)
            put_given(w, slot, point, d, sign, dim, b);
        return;
    }
    cairn_vec3 drift = s->rebound == 1.0 ? w->drift[slot] : cairn_vec3_scale(s->rebound, w->drift[slot]);
    put_rows(&s->turn[number / 6], cairn_vec3_sub(point, r->x), lanes, sign, dim, width, part);
    bool drifts = !s->positions && (drift.x != 0.0 || drift.y != 0.0 || drift.z != 0.0);
    for (int k = 0; k < dim && drifts; k++) {
        const double *row = part + k * width;
        b[k] += row[3] * drift.x + row[4] * drift.y + row[5] * drift.z;
    }
}

CAIRN_INLINE void put_contact(const cairn_world *w, cairn_builder *s, cairn_problem *p, const cairn_touch *c, int i) {
    const cairn_vec3 d[3] = {c->normal, c->tangent[0], c->tangent[1]};
    quad lanes[3] = {0}; /* the same, component by component */
    for (int k = 0; k < 3; k++) {
        lanes[0][k] = d[k].x;
        lanes[1][k] = d[k].y;
        lanes[2][k] = d[k].z;
    }
    int dim = s->positions ? 1 : 3, row = dim * i, count = 0, body[2];
    int a = cairn_contact_number(w, c->a), b = cairn_contact_number(w, c->b);
    bool swapped = b >= 0 && b < a;
    int first = swapped ? b : a, second = swapped ? a : b;
    if (first >= 0)
        body[count++] = first / 6;
    if (second >= 0)
        body[count++] = second / 6;
    double *part = cairn_direct_contact(p, i, count, body), *bias = p->b + row;
    for (int k = 0; k < dim; k++) {
        bias[k] = s->positions ? c->gap : k > 0 ? s->rebound * c->curve[k] : cairn_contact_bias(w, c, s->rebound);
        s->C[row + k] = k > 0 || s->positions ? 0.0 : c->compliance / (w->h * w->h);
        p->C[row + k] = s->C[row + k];
        s->guess[row + k] = s->positions ? 0.0 : c->gamma[k];
    }
    put_side(w, s, c->a, c->on_a, d, lanes, -1.0, dim, 6 * count, part + (swapped ? 6 : 0), bias);
    put_side(w, s, c->b, c->on_b, d, lanes, 1.0, dim, 6 * count, part + (swapped || count == 1 ? 0 : 6), bias);
    p->block[i] = cairn_contact_block(w, c, s->positions);
}

CAIRN_CLONES static void put_contacts(const cairn_world *w, const cairn_island *island, cairn_builder *s,
                                      cairn_problem *p) {
    for (int i = 0; i < island->touches; i++)
        put_contact(w, s, p, &w->now.item[island->touch[i]], i);
}

/* One end of a joint: its body, and where its part of a row begins in cairn_joint_row. */
typedef struct joint_end {
    int slot;
    size_t at;
} joint_end;

static const double *part_of(const cairn_joint_row *row, size_t at) {
    return (const double *)((const char *)row + at);
}

/* The ends in the order of their bodies' numbers. Returns how many there are. */
static int order_ends(const cairn_world *w, const cairn_joint_data *j, joint_end *end) {
    int count = j->carrier > 0 ? 3 : 2;
    end[0] = (joint_end){j->a, offsetof(cairn_joint_row, a)};
    end[1] = (joint_end){j->b, offsetof(cairn_joint_row, b)};
    end[2] = (joint_end){j->carrier, offsetof(cairn_joint_row, c)};
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && w->number[end[k].slot] < w->number[end[k - 1].slot]; k--) {
            joint_end t = end[k];
            end[k] = end[k - 1];
            end[k - 1] = t;
        }
    return count;
}

/* Do all these rows want nothing of this end? */
static bool is_idle(int dim, const cairn_joint_row *row, size_t at) {
    for (int r = 0; r < dim; r++)
        for (int k = 0; k < 6; k++)
            if (part_of(&row[r], at)[k] != 0.0)
                return false;
    return true;
}

/* What an end adds to b: the motion of a body that cannot be pushed, or the drift of one that can. */
static double end_bias(const cairn_world *w, int slot, const double *part) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 drift = w->drift[slot];
    if (w->number[slot] >= 0)
        return part[3] * drift.x + part[4] * drift.y + part[5] * drift.z;
    return part[0] * r->v.x + part[1] * r->v.y + part[2] * r->v.z + part[3] * r->w.x + part[4] * r->w.y +
           part[5] * r->w.z;
}

static void put_joint(const cairn_world *w, cairn_builder *s, cairn_problem *p, const cairn_joint_slot *j, int *block) {
    joint_end end[3];
    const cairn_joint_row *row = j->rows.row;
    const double *guess = j->data.gamma;
    int ends = order_ends(w, &j->data, end);
    for (int i = 0; i < j->rows.blocks; i++, ++*block) {
        int dim = j->rows.block[i].dim, count = 0, first = p->block_start[*block], body[3];
        size_t from[3];
        for (int e = 0; e < ends; e++)
            if (w->number[end[e].slot] >= 0 && !is_idle(dim, row, end[e].at)) {
                body[count] = w->number[end[e].slot] / 6;
                from[count++] = end[e].at;
            }
        double *part = cairn_direct_block(p, *block, &j->rows.block[i], count, body);
        for (int r = 0; r < dim; r++, row++, first++) {
            p->b[first] = row->bias;
            p->C[first] = s->C[first] = row->C;
            p->angular[first] = row->turn;
            s->guess[first] = s->positions ? 0.0 : *guess++;
            for (int e = 0; e < ends && !s->positions; e++)
                p->b[first] += end_bias(w, end[e].slot, part_of(row, end[e].at));
            for (int t = 0; t < count; t++, part += 6)
                memcpy(part, part_of(row, from[t]), 6 * sizeof *part);
        }
    }
}

/* How large the problem is. */
static cairn_direct_size size_of(const cairn_island *island, const cairn_builder *s) {
    int dim = s->positions ? 1 : 3;
    return (cairn_direct_size){.bodies = s->bodies,
                               .contacts = island->touches,
                               .dim = dim,
                               .others = s->blocks - island->touches,
                               .rows = s->m - dim * island->touches};
}

cairn_status cairn_island_write_plain(const cairn_world *w, cairn_lane *lane, const cairn_island *island,
                                      cairn_builder *s, cairn_problem **problem) {
    cairn_problem *p;
    s->n = island->n;
    s->m = island->m;
    s->blocks = island->blocks;
    s->bodies = island->groups;
    cairn_direct_size size = size_of(island, s);
    cairn_status status = make_room(lane, s);
    if (status == CAIRN_OK)
        status = cairn_direct_reserve(lane->context, w->def.law, &size, &p);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < island->bodies; i++)
        put_body(w, s, p, island->body[i], i, island->touches > 0);
    put_contacts(w, island, s, p);
    for (int i = 0, block = island->touches; i < island->joints; i++)
        put_joint(w, s, p, &w->joint[island->joint[i]], &block);
    s->H_start = p->A.start;
    s->H_row = p->A.index;
    s->H_value = p->A.value;
    s->D_start = p->D.start;
    s->D_row = p->D.index;
    s->D_value = p->D.value;
    s->body_start = p->body_start;
    s->k = p->k;
    s->b = p->b;
    s->angular = p->angular;
    s->block = p->block;
    if (cairn_direct_finish(p)) {
        *problem = p;
        return CAIRN_OK;
    }
    status = cairn_island_problem(w, lane, s, problem); /* says what is not finite */
    cairn_problem_destroy(p);
    return status;
}
