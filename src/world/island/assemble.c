/*
 * assemble.c: the problem of one island from its active contacts and joints.
 *
 *     H = diag(m I, J), k = (m v + h (m g + f), J w* + h tau)           [theory 7], w* the spin without constraints
 *     D: for a contact (n, t1, t2) at p: (d, R'((p - x) x d)) on b, minus that on a
 *     b_N = gap/h (of its gap_share), 0 for overlaps deeper than g h^2/4 (those are removed on positions) and for gaps and overlaps up to TOUCHING g h^2,
 *     the rebound where a contact closes;
 *     b += curve where contacts are linearised about the motion of the step: motion_terms.c
 *     b += D'(drift) for bodies whose turn is h (w + drift), + D'v of bodies that cannot be pushed
 *     C = compliance/h^2 on normal rows
 *     joints with tension add B h K+ to the inertia and their part to k: joint_rows.c
 *     parts that flow: rows of their stresses; flexible parts: their own H and k; weight times d on each vector of a touching point; b_N >= -max(g h/4, 0.1 m/s)
 *
 * Overlaps are parted by the same matrices with normal rows of contacts, and joints held where they are: min x'Hx/2, D_N'x + gap >= 0,
 * D_J'x + gap = 0, x a displacement.
 */
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define RECOVERY \
    0.1 /* m/s: how fast overlaps of flexible parts are driven out at least; they are not parted on positions */

/* Bodies that rest on faces touch in more points than carry them. Gaps of rounding's size would decide which of these do, and anew in each step. */
#define TOUCHING       1e-5 /* of g h^2, */
#define TOUCHING_SHARE 1e-4 /* and of the depth tolerance */

static void lay_out(cairn_arena *a, cairn_builder *s) {
    size_t n = (size_t)s->n, m = (size_t)s->m;
    s->H_start = cairn_arena_take(a, n + 1, sizeof(int));
    s->H_row = cairn_arena_take(a, s->H_entries, sizeof(int));
    s->H_value = cairn_arena_take(a, s->H_entries, sizeof(double));
    s->D_start = cairn_arena_take(a, m + 1, sizeof(int));
    s->D_row = cairn_arena_take(a, s->D_entries, sizeof(int));
    s->D_value = cairn_arena_take(a, s->D_entries, sizeof(double));
    s->body_start = cairn_arena_take(a, (size_t)s->bodies + 1, sizeof(int));
    s->k = cairn_arena_take(a, n, sizeof(double));
    s->b = cairn_arena_take(a, m, sizeof(double));
    s->C = cairn_arena_take(a, m, sizeof(double));
    s->angular = cairn_arena_take(a, m, 1);
    s->guess = cairn_arena_take(a, m, sizeof(double));
    s->v = cairn_arena_take(a, n, sizeof(double));
    s->block = cairn_arena_take(a, (size_t)s->blocks, sizeof(cairn_block));
}

/* A flexible part: its own matrix, each vector a group. */
static void add_flex(const cairn_world *w, cairn_builder *s, int slot, int body) {
    const cairn_flex *f = w->slot[slot].flex;
    const cairn_fem_part *p = f->part;
    int row = w->number[slot], at = s->H_start[row], n = 3 * p->vectors;
    for (int e = 0; e < p->entries; e++) {
        s->H_row[at + e] = row + p->H_row[e];
        s->H_value[at + e] = f->H[e];
    }
    for (int j = 0; j < n; j++) {
        s->H_start[row + j + 1] = at + p->H_start[j + 1];
        s->k[row + j] = f->k[j];
    }
    for (int i = 0; i < p->vectors; i++)
        s->body_start[body + i] = row + 3 * i;
    memcpy(s->v + row, p->v, (size_t)n * sizeof *s->v);
}

void cairn_body_load(const cairn_world *w, bool positions, int slot, double *k, double *v) {
    const cairn_rigid *r = &w->rigid[slot];
    const double now[6] = {r->v.x, r->v.y, r->v.z, r->w.x, r->w.y, r->w.z};
    double h = w->h;
    cairn_vec3 g = w->def.gravity;
    memcpy(v, now, sizeof now);
    if (positions) {
        for (int j = 0; j < 6; j++)
            k[j] = 0.0;
        return;
    }
    k[0] = r->mass * (r->v.x + h * g.x) + h * r->force.x;
    k[1] = r->mass * (r->v.y + h * g.y) + h * r->force.y;
    k[2] = r->mass * (r->v.z + h * g.z) + h * r->force.z;
    cairn_vec3 tau = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
    cairn_vec3 kw = cairn_vec3_add_scaled(cairn_mat3_apply(&r->inertia, w->free_w[slot]), h, tau);
    if (w->stiffened)
        kw = cairn_vec3_add(kw, w->stiff_k[slot]);
    k[3] = kw.x;
    k[4] = kw.y;
    k[5] = kw.z;
    for (int j = 0; j < 6 && w->held[slot].apart; j++)
        k[j] += w->held[slot].load[j];
}

static void add_body(const cairn_world *w, cairn_builder *s, int slot, int body) {
    const cairn_rigid *r = &w->rigid[slot];
    int row = w->number[slot], at = s->H_start[row];
    bool stiff = w->stiffened && !s->positions;
    for (int j = 0; j < 3; j++) {
        s->H_row[at] = row + j;
        s->H_value[at++] = r->mass;
        s->H_start[row + j + 1] = at;
    }
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            s->H_row[at] = row + 3 + i;
            s->H_value[at++] = r->inertia.m[i][j] + (stiff ? w->stiff[slot].m[i][j] : 0.0);
        }
        s->H_start[row + 3 + j + 1] = at;
    }
    s->body_start[body] = row;
    cairn_body_load(w, s->positions, slot, s->k + row, s->v + row);
}

/* The normal part of b: gap over h, or the rebound of a contact that closes [theory 7]. */
double cairn_contact_bias(const cairn_world *w, const cairn_touch *c, double share) {
    double h = w->h, g = cairn_vec3_length(w->def.gravity), gap = c->gap + c->dent;
    double bias = cairn_share_of_gap(w, c) * gap / (gap < 0.0 ? cairn_world_pace(w) : h);
    double touching = fmin(TOUCHING * g * h * h, TOUCHING_SHARE * cairn_pair_tolerance(w, c->a, c->b));
    if (!c->soft && c->compliance == 0.0 && fabs(gap) <= touching)
        bias = 0.0;
    else if (c->soft)
        bias = c->compliance == 0.0 ? fmax(bias, -fmax(0.25 * g * h, RECOVERY)) : bias;
    else if (c->compliance == 0.0 && gap < -cairn_pair_allowed(w, c->a, c->b))
        bias = 0.0; /* what gives way may lie deeper */
    bias += c->curve[0];
    bias = bias < 0.0 && !c->soft && c->compliance == 0.0 ? share * bias : bias;
    if (c->restitution == 0.0)
        return bias;
    double approach = fmin(fmin(0.0, c->before), c->remembered), rebound = c->restitution * approach;
    bool closes = gap <= fmax(1e-9, touching) || c->remembered < 0.0;
    double own = h * fabs(cairn_vec3_dot(w->def.gravity, c->normal));
    if (!closes || -rebound <= own)
        return bias;
    return gap > 0.0 ? share * rebound : fmin(bias, share * rebound);
}

/* A side that is a point of a flexible part: the first three of part over its vectors; components that are held go to b. */
static int add_spread(const cairn_world *w, cairn_builder *s, int row, int at, int slot, const cairn_spread *spread,
                      const double *part) {
    const cairn_flex *f = w->slot[slot].flex;
    for (int i = 0; i < spread->count && !s->positions; i++)
        for (int c = 0; c < 3; c++) {
            int vector = spread->vector[i];
            double value = spread->weight[i] * part[c];
            if (cairn_flex_held(f, vector, c)) {
                s->b[row] += value * f->part->held_v[3 * vector + c];
            } else {
                s->D_row[at] = w->number[slot] + 3 * vector + c;
                s->D_value[at++] = value;
            }
        }
    return at;
}

/* One body's part of row: into D when the body has this number in the problem, into b when its motion is given (-1). Returns the next free place of D. */
static int add_part(const cairn_world *w, cairn_builder *s, int row, int at, int slot, int number,
                    const cairn_spread *spread, const double *part) {
    if (spread->count > 0)
        return add_spread(w, s, row, at, slot, spread, part);
    if (number < 0) {
        double v[6];
        cairn_given_velocity(w, slot, v);
        for (int i = 0; i < 6 && !s->positions; i++)
            s->b[row] += part[i] * v[i];
        return at;
    }
    cairn_vec3 drift = s->positions ? cairn_vec3_of(0, 0, 0)
                                    : cairn_vec3_scale(row < s->contact_rows ? s->rebound : 1.0, w->drift[slot]);
    s->b[row] += part[3] * drift.x + part[4] * drift.y + part[5] * drift.z;
    for (int i = 0; i < 6; i++) {
        s->D_row[at] = number + i;
        s->D_value[at++] = part[i];
    }
    return at;
}

/* Both bodies' parts of row, in the order of their numbers. */
static void add_row(const cairn_world *w, cairn_builder *s, int row, const cairn_spread *spread, const int *slot,
                    const int *number, const double *part_a, const double *part_b) {
    int at = s->D_start[row], first = number[0] <= number[1] ? 0 : 1;
    const double *part[2] = {part_a, part_b};
    for (int k = 0; k < 2; k++) {
        int e = k == 0 ? first : 1 - first;
        at = add_part(w, s, row, at, slot[e], number[e], &spread[e], part[e]);
    }
    s->D_start[row + 1] = at;
}

/* Three bodies' parts of the row of a gear with a carrier, likewise. */
static void add_carried_row(const cairn_world *w, cairn_builder *s, int row, const cairn_joint_data *j,
                            const cairn_joint_row *r) {
    static const cairn_spread rigid = {0};
    int slot[3] = {j->a, j->b, j->carrier}, order[3] = {0, 1, 2}, at = s->D_start[row];
    const double *part[3] = {r->a, r->b, r->c};
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && w->number[slot[order[k]]] < w->number[slot[order[k - 1]]]; k--) {
            int t = order[k];
            order[k] = order[k - 1];
            order[k - 1] = t;
        }
    for (int i = 0; i < 3; i++)
        at = add_part(w, s, row, at, slot[order[i]], w->number[slot[order[i]]], &rigid, part[order[i]]);
    s->D_start[row + 1] = at;
}

static void add_joint(const cairn_world *w, cairn_builder *s, const cairn_joint_slot *j, int *row, int *block) {
    const int slot[2] = {j->data.a, j->data.b}, number[2] = {w->number[slot[0]], w->number[slot[1]]};
    for (int k = 0; k < j->rows.rows; k++) {
        const cairn_joint_row *r = &j->rows.row[k];
        s->b[*row] = r->bias;
        s->C[*row] = r->C;
        s->angular[*row] = r->turn;
        s->guess[*row] = s->positions ? 0.0 : j->data.gamma[k];
        if (j->data.carrier > 0)
            add_carried_row(w, s, *row, &j->data, r);
        else
            add_row(w, s, *row, j->at, slot, number, r->a, r->b);
        (*row)++;
    }
    for (int k = 0; k < j->rows.blocks; k++)
        s->block[(*block)++] = j->rows.block[k];
}

/* Stresses of a part that flows: rows of their own (fem/part/plasticity.h). The guess is that they stay. */
static void add_yield(const cairn_world *w, cairn_builder *s, int slot, int *row, int *block) {
    const cairn_fem_yield *y = w->slot[slot].flex->yield;
    int rows = cairn_slot_own_rows(w, slot), at = s->D_start[*row];
    for (int i = 0; i < rows; i++) {
        for (int e = y->D_start[i]; e < y->D_start[i + 1]; e++, at++) {
            s->D_row[at] = w->number[slot] + y->D_row[e];
            s->D_value[at] = y->D_value[e];
        }
        s->b[*row] = y->b[i];
        s->C[*row] = y->C[i];
        s->angular[*row] = 1;                         /* a rate of strain, 1/s: no velocity either */
        s->guess[*row] = -y->b[i] / (w->h * y->C[i]); /* h V s */
        s->D_start[++*row] = at;
    }
    for (int i = 0; i < cairn_slot_own_blocks(w, slot); i++)
        s->block[(*block)++] = y->block[i];
}

/* Adhesion has no reach: it holds contacts that touch. Over a gap it would pull bodies together and be paid for by nobody. */
cairn_block cairn_contact_block(const cairn_world *w, const cairn_touch *c, bool positions) {
    if (positions)
        return (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
    if (c->cap < INFINITY)
        return (cairn_block){.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = c->mu, .cap = w->h * c->cap};
    bool sticks = c->adhesion > 0.0 && (c->soft || c->gap <= cairn_pair_allowed(w, c->a, c->b));
    return (cairn_block){.set = sticks ? CAIRN_SET_SHIFTED_CONE : CAIRN_SET_CONE,
                         .dim = 3,
                         .mu = c->mu,
                         .adhesion = sticks ? w->h * c->adhesion : 0.0};
}

static void add_contact(const cairn_world *w, cairn_builder *s, const cairn_touch *c, int block) {
    const cairn_vec3 d[3] = {c->normal, c->tangent[0], c->tangent[1]};
    const cairn_rigid *a = &w->rigid[c->a], *b = &w->rigid[c->b];
    cairn_mat3 Ra = cairn_quat_matrix(a->q), Rb = cairn_quat_matrix(b->q);
    double h = w->h, part_a[6], part_b[6];
    const int slot[2] = {c->a, c->b}, number[2] = {cairn_contact_number(w, c->a), cairn_contact_number(w, c->b)};
    int dim = s->positions ? 1 : 3;
    for (int k = 0; k < dim; k++) {
        int row = dim * block + k;
        s->b[row] = s->positions ? c->gap : k > 0 ? s->rebound * c->curve[k] : cairn_contact_bias(w, c, s->rebound);
        s->angular[row] = 0;
        s->C[row] = k > 0 || s->positions ? 0.0 : c->compliance / (h * h);
        s->guess[row] = s->positions ? 0.0 : c->gamma[k];
        cairn_rigid_row(&Ra, cairn_vec3_sub(c->on_a, a->x), d[k], -1.0, part_a);
        cairn_rigid_row(&Rb, cairn_vec3_sub(c->on_b, b->x), d[k], 1.0, part_b);
        add_row(w, s, row, cairn_touch_sides(c), slot, number, part_a, part_b);
    }
    s->block[block] = cairn_contact_block(w, c, s->positions);
}

/* Entries of one row of D: six a rigid body, three a vector of a flexible part. */
static size_t row_entries(const cairn_spread *at) {
    size_t sum = 0;
    for (int k = 0; k < 2; k++)
        sum += at[k].count > 0 ? 3 * (size_t)at[k].count : 6;
    return sum;
}

static void count_entries(const cairn_world *w, const cairn_island *island, cairn_builder *s) {
    s->H_entries = s->D_entries = 0;
    for (int i = 0; i < island->bodies; i++) {
        const cairn_flex *f = w->slot[island->body[i]].flex;
        s->H_entries += f != NULL ? (size_t)f->part->entries : 12;
        s->D_entries += 12 * (size_t)cairn_slot_own_rows(w, island->body[i]);
    }
    for (int i = 0; i < island->touches; i++)
        s->D_entries += (s->positions ? 1 : 3) * row_entries(cairn_touch_sides(&w->now.item[island->touch[i]]));
    for (int i = 0; i < island->joints; i++) {
        const cairn_joint_slot *j = &w->joint[island->joint[i]];
        s->D_entries += (size_t)j->rows.rows * (row_entries(j->at) + (j->data.carrier > 0 ? 6 : 0));
    }
}

/* Reserves the lane's room for the arrays of a problem of this size. */
static cairn_status make_room(cairn_lane *lane, cairn_builder *s) {
    cairn_arena count = {0};
    lay_out(&count, s);
    lane->room.used = count.used + count.used / 4; /* a few more contacts in the next step need no new memory */
    lane->room.overflow = count.overflow;
    cairn_status status = cairn_arena_reserve_raw(lane->context, &lane->room);
    if (status == CAIRN_OK)
        lay_out(&lane->room, s);
    return status;
}

static cairn_sparse columns(int rows, int cols, const int *start, const int *row, const double *value) {
    return (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = rows, .cols = cols, .row = row, .start = start, .value = value};
}

cairn_status cairn_island_write(const cairn_world *w, cairn_lane *lane, const cairn_island *island, cairn_builder *s) {
    s->n = island->n;
    s->m = island->m;
    s->blocks = island->blocks;
    s->bodies = island->groups;
    s->contact_rows = island->touches * (s->positions ? 1 : 3);
    count_entries(w, island, s);
    cairn_status status = make_room(lane, s);
    if (status != CAIRN_OK)
        return status;
    s->H_start[0] = s->D_start[0] = 0;
    for (int i = 0, group = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        if (w->slot[slot].flex != NULL)
            add_flex(w, s, slot, group);
        else
            add_body(w, s, slot, group);
        group += cairn_slot_groups(w, slot);
    }
    s->body_start[island->groups] = s->n;
    for (int i = 0; i < island->touches; i++)
        add_contact(w, s, &w->now.item[island->touch[i]], i);
    int block = island->touches, row = block * (s->positions ? 1 : 3);
    for (int i = 0; i < island->joints; i++)
        add_joint(w, s, &w->joint[island->joint[i]], &row, &block);
    for (int i = 0; i < island->bodies; i++)
        if (cairn_slot_own_rows(w, island->body[i]) > 0)
            add_yield(w, s, island->body[i], &row, &block);
    return CAIRN_OK;
}

cairn_status cairn_island_problem(const cairn_world *w, cairn_lane *lane, const cairn_builder *s,
                                  cairn_problem **problem) {
    cairn_problem_def def = cairn_default_problem_def();
    def.law = w->def.law;
    def.n = s->n;
    def.m = s->m;
    def.H = columns(s->n, s->n, s->H_start, s->H_row, s->H_value);
    def.D = columns(s->n, s->m, s->D_start, s->D_row, s->D_value);
    def.k = s->k;
    def.b = s->b;
    def.C = s->C;
    def.angular = s->angular;
    def.blocks = s->blocks;
    def.block = s->block;
    def.bodies = s->bodies;
    def.body_start = s->body_start;
    return cairn_problem_create(lane->context, &def, problem);
}
